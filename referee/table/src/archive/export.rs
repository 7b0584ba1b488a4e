//! Writes an archive from what is kept of a match.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use interpreter::play::{Audience, Item, Match};
use prost::Message as _;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::format::{
    End, EntryLine, FORM, File, Given, Header, Lines, Name, Pile, SIGNED, STATELESS, Signature,
    line,
};
use super::json as told;
use super::source::{self, Told};
use crate::replay::restore;
use crate::state::moment;
use crate::{Cursor, MatchInfo, Parts, Seen, Snapshot, TableError};
use referee_store::log::v1::{PackageContent, SeatEntropy, entry::Body};
use referee_store::log::{self, Entry, Format};
use referee_store::numbers::to_u64;
use referee_store::secrets::hex;
use referee_store::{Hash, MatchId};

/// The archive of a match that is over. Takes its time: not for async threads.
///
/// # Errors
///
/// When the store fails, or what is kept cannot be read.
pub fn export(parts: &Parts, snapshot: &Snapshot) -> Result<String, TableError> {
    let info = &snapshot.info;
    let damaged = |what: &str| TableError::Damaged(what.into());
    let entries = source::entries(parts, &info.id)?;
    let Some((
        Entry {
            at_ms: created_ms,
            body: Body::Created(created),
            ..
        },
        ..,
    )) = entries.first()
    else {
        return Err(damaged("the log has no beginning"));
    };
    if !created.record.is_empty() {
        let came_from = source::text(parts, &created.record)?;
        let (lines, end) = Lines::of(&came_from).map_err(|error| match error {
            TableError::Record(why) => TableError::Damaged(why),
            error => error,
        })?;
        let text = came_from[..lines.before].to_owned();
        return ended(parts, &info.id, text, end.signatures);
    }
    let seed = info.revealed.ok_or_else(|| damaged("the seed is lost"))?;
    let ruleset = restore::ruleset(parts, info)?;
    let tables = ruleset.model().tables.iter().map(|table| {
        let rows = table.rows.iter().map(|row| row.to_string());
        (table.name.to_string(), rows.collect())
    });
    let (set_up_events, piles) = match &snapshot.play {
        Some(play) => set_up(play.game())?,
        None => (0, Vec::new()),
    };
    let stateful = tells_state(&entries);
    let header = Header {
        set_up_events,
        piles,
        form: if stateful { FORM } else { STATELESS }.into(),
        start: stateful.then(|| ruleset.start()),
        endless: stateful.then(|| {
            let places = ruleset.model().places.iter().filter(|place| place.endless);
            places.map(|place| place.name.to_string()).collect()
        }),
        r#match: info.id.to_string(),
        ruleset: info.ruleset.to_string(),
        version: ruleset.package().version.clone(),
        semantic_version: interpreter::play::SEMANTIC_VERSION,
        content: hex(&info.content),
        digest: hex(&info.digest.0),
        committed_digest: hex(&info.committed.0),
        first_content: hex(&created.content),
        players: created.players,
        modules: created.modules.clone(),
        options: created.options.clone().into_iter().collect(),
        ask_forced: created.ask_forced,
        question_ms: created.question_ms,
        bank_ms: created.bank_ms,
        increment_ms: created.increment_ms,
        take_back: created.take_back,
        public: created.public,
        labels: created.labels.clone(),
        open_seats: created.open_seats.clone(),
        spectator_delay_moves: created.spectator_delay_moves,
        spectator_delay_ms: created.spectator_delay_ms,
        created_ms: *created_ms,
        seed_commitment: hex(&info.commitment),
        seed: hex(&seed.0),
        seat_entropy: match info.entropy {
            SeatEntropy::Unspecified | SeatEntropy::Welcome => String::new(),
            said => said.as_str_name().to_owned(),
        },
        contributions: given(info),
        game_seed: Some(hex(&info.game_seed(seed).0)),
        tables: tables.collect(),
    };
    let mut text = String::new();
    line(&mut text, "record", &header);
    let mut contents: Vec<Vec<u8>> = vec![created.content.clone()];
    for (entry, ..) in &entries {
        if let Body::Noted(noted) = &entry.body
            && !noted.content.is_empty()
            && !contents.contains(&noted.content)
        {
            contents.push(noted.content.clone());
        }
    }
    for content in contents {
        let digest: Hash = content[..]
            .try_into()
            .map_err(|_| damaged("a digest has not 32 bytes"))?;
        let bytes = parts.store.content(&digest)?;
        let bytes = bytes.ok_or_else(|| damaged("the ruleset's texts are not kept"))?;
        let kept = PackageContent::decode(&bytes[..])
            .map_err(|_| damaged("the ruleset's texts cannot be read"))?;
        for file in kept.files {
            let file = File {
                content: hex(&digest),
                path: file.path,
                text: file.text,
            };
            line(&mut text, "file", &file);
        }
    }
    for (sequence, (entry, body, chain)) in (0..).zip(&entries) {
        let first = matches!(entry.body, Body::Created(_));
        let said = EntryLine {
            sequence,
            at_ms: entry.at_ms,
            chain: hex(chain),
            salt: hex(&entry.salt),
            // The first entry has the seed as this referee sealed it: nobody else can read that.
            body: (!first).then(|| STANDARD.encode(body)),
            says: says(&entry.body).map_err(TableError::Damaged)?,
        };
        line(&mut text, "entry", &said);
    }
    if let Some(play) = &snapshot.play {
        let mut number = 0;
        let tell = |_, seen: Seen<'_>| {
            let event = match seen {
                Seen::Game(told) => told::event(ruleset.package(), number, told.event, told.maker),
                Seen::Table(change, _) => Some(told::table_event(number, change)),
            };
            if let Some(event) = event {
                line(&mut text, "event", &event);
                number += 1;
            }
        };
        play.tell(Audience::Referee, Cursor::default(), usize::MAX, tell);
        if stateful {
            let state = Item::decode(&play.game().canonical());
            let state = state.map_err(|error| TableError::Internal(error.to_string()))?;
            line(&mut text, "state", &state);
        }
    }
    ended(parts, &info.id, text, Vec::new())
}

/// Ends an archive: with its sum, the signatures that it came with and this referee's own, and the names that have not
/// been erased.
fn ended(
    parts: &Parts,
    id: &MatchId,
    mut text: String,
    mut signatures: Vec<Signature>,
) -> Result<String, TableError> {
    let sum = digest(&SHA256, text.as_bytes());
    let signer = parts.keys.signer();
    let key = hex(&signer.public());
    if signatures.iter().all(|signature| signature.key != key) {
        signatures.push(Signature {
            key,
            signature: hex(&signer.sign(&[SIGNED, sum.as_ref()].concat())),
        });
    }
    let end = End {
        sha256: hex(sum.as_ref()),
        signatures,
    };
    line(&mut text, "end", &end);
    for row in parts.store.names(id)? {
        let name = Name {
            digest: hex(&row.digest),
            salt: hex(&row.salt),
            name: row.name,
        };
        line(&mut text, "name", &name);
    }
    Ok(text)
}

/// What players added to the chance of a match, by seat.
fn given(info: &MatchInfo) -> Vec<Given> {
    let said = |hash: Option<Hash>| hash.map(|hash| hex(&hash));
    let given = info.contributions.iter();
    given
        .map(|(seat, given)| Given {
            seat: log::seat_number(*seat),
            commitment: said(given.commitment),
            entropy: said(given.entropy),
        })
        .collect()
}

/// How many events belong to the set-up of a game, and what lay in its piles after it.
fn set_up(game: &Match) -> Result<(u64, Vec<Pile>), TableError> {
    let begun = moment::replay(game, 0, true)?;
    let view = begun.view(Audience::Referee);
    let piles = view.places.iter().filter(|place| place.pile).map(|place| {
        let runs = place.contents.iter().flatten();
        let rows = runs.flat_map(|(row, n)| (0..*n).map(move |_| row.to_string()));
        Pile {
            place: told::place(&place.place),
            table: place.table.to_string(),
            rows: rows.collect(),
        }
    });
    let told = begun.events(Audience::Referee, 0);
    let told = told.iter().filter(|event| told::is_told(event));
    Ok((to_u64(told.count()), piles.collect()))
}

/// An entry in plain sight.
fn says(body: &Body) -> Result<Value, String> {
    Ok(match body {
        Body::Created(created) => {
            json!({"created": {"seedCommitment": hex(&created.seed_commitment)}})
        }
        Body::SeatClaimed(claimed) => json!({
            "seatClaimed": told::called(told::seat(claimed.seat)?, &claimed.name, &claimed.display_name)
        }),
        Body::Started(started) => json!({
            "started": {
                "stateHash": hex(&started.state_hash),
                "moves": told::moves(&started.moves)?,
            }
        }),
        Body::Moved(moved) => json!({
            "moved": {"stateHash": hex(&moved.state_hash), "moves": told::moves(&moved.moves)?}
        }),
        Body::EntropyContributed(given) => match given.entropy.is_empty() {
            true => json!({
                "entropyCommitted": {"seat": told::seat(given.seat)?, "commitment": hex(&given.commitment)}
            }),
            false => json!({
                "entropyContributed": {"seat": told::seat(given.seat)?, "entropy": hex(&given.entropy)}
            }),
        },
        Body::Migrated(migrated) => json!({
            "migrated": {
                "stateHash": hex(&migrated.state_hash),
                "moves": migrated.moves,
                "hashesCompared": migrated.hashes_compared,
            }
        }),
        Body::Finished(finished) => json!({"finished": {"ending": finished.ending}}),
        Body::Suspended(suspended) => json!({"suspended": {"reason": suspended.reason}}),
        Body::Noted(noted) => {
            let change = noted.change.as_ref();
            let mut says = json!({"noted": change.map_or_else(|| json!({}), told::changed)});
            if !noted.state_hash.is_empty() {
                says["stateHash"] = json!(hex(&noted.state_hash));
            }
            says
        }
    })
}

/// Whether the last entry that names a state names it in its canonical form.
fn tells_state(entries: &[Told]) -> bool {
    let named = entries.iter().rev().find(|(entry, ..)| match &entry.body {
        Body::Started(_) | Body::Moved(_) => true,
        Body::Noted(noted) => !noted.state_hash.is_empty(),
        Body::Migrated(migrated) => !migrated.state_hash.is_empty(),
        _ => false,
    });
    named.is_some_and(|(entry, ..)| entry.format == Format::Canonical)
}
