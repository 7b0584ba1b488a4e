//! Records of matches that are over, as texts that outlive this referee.
//!
//! A record is JSON Lines, one thing to a line: what the match was (`record`), the files of its ruleset
//! (`file`), the entries of its log (`entry`), what happened as the referee saw it (`event`), the state in which it
//! ended (`state`), and a
//! SHA-256 of all lines before (`end`) with the signatures of the referees that exported it. Everything that is verified by strangers is in plain sight;
//! `body` of an entry is what this referee reads again when the record is imported.
//!
//! An imported match has the id that it had, since the promise of its seed is bound to it. The text that it came from is
//! kept as it was, since its signatures are bound to that.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use arc_swap::ArcSwap;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use interpreter::play::{Audience, Item, Match, Seed};
use prost::Message as _;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::arbiter::{request_row, same_request};
use super::hall::Parts;
use super::history::Cursor;
use super::info::MatchInfo;
use super::log::{self, Entry, Format};
use super::snapshot::Snapshot;
use super::{Request, TableError, seed, verify};
use crate::library::content_digest;
use crate::secrets::{self, hex};
use crate::store::memory::Memory;
use crate::store::{Append, Appended, Hash, MatchId, MatchState, NewMatch, Principal, StoreError};
use crate::wire::convert;
use crate::wire::json as wire_json;
use crate::wire::log::v1::{
    self as wire, PackageContent, PackageFile, SeatEntropy, entry::Body, receipt,
};

/// The form of the text: with the table that it starts from and the state that it ends in.
const FORM: &str = "referee.record/3";

/// The form without either, of matches whose last state is named in the form of before.
const STATELESS: &str = "referee.record/2";

/// Entries that are read at a time.
const PAGE: usize = 1000;

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    form: String,
    r#match: String,
    ruleset: String,
    version: String,
    semantic_version: u32,
    /// Digest of the texts that the match ended with, and of those with its configuration.
    content: String,
    digest: String,
    /// The digest that the commitment is bound to.
    committed_digest: String,
    /// Texts that the match was created with.
    first_content: String,
    players: u32,
    modules: Vec<String>,
    options: BTreeMap<String, i64>,
    ask_forced: bool,
    question_ms: u64,
    open_seats: Vec<u32>,
    #[serde(default, skip_serializing_if = "is_zero")]
    spectator_delay_moves: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    spectator_delay_ms: u64,
    created_ms: i64,
    seed_commitment: String,
    seed: String,
    /// What players added to the chance, and the seed that all of it was drawn from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    seat_entropy: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    contributions: Vec<Given>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    game_seed: Option<String>,
    /// Rows of every table, in their order: indices of piles are numbers of rows.
    tables: BTreeMap<String, Vec<String>>,
    /// How many events belong to the set-up, and what lay in every pile after it.
    #[serde(default)]
    set_up_events: u64,
    #[serde(default)]
    piles: Vec<Pile>,
    /// What lies on the table before anything happens, as a state says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<Item>,
    /// Places that never run dry, of which no state tells what lies there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    endless: Option<Vec<String>>,
}

/// What a player added to the chance.
#[derive(Serialize, Deserialize)]
struct Given {
    seat: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    commitment: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    entropy: Option<String>,
}

fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

/// What lay in a pile, from its top.
#[derive(Serialize, Deserialize)]
struct Pile {
    place: Value,
    table: String,
    rows: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct File {
    content: String,
    path: String,
    text: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EntryLine {
    sequence: u64,
    at_ms: i64,
    /// What ties it to all entries before it, in the log from which it was exported.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    chain: String,
    /// Its 16 random bytes; entries of before there were any have none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    salt: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    #[serde(default)]
    says: Value,
}

/// The record of a match that is over. Takes its time: not for async threads.
///
/// # Errors
///
/// When the store fails, or what is kept cannot be read.
pub fn export(parts: &Parts, snapshot: &Snapshot) -> Result<String, TableError> {
    let info = &snapshot.info;
    let damaged = |what: &str| TableError::Damaged(what.into());
    let entries = entries(parts, &info.id)?;
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
        let kept = kept(parts, &created.record)?;
        let (lines, end) = Lines::of(&kept).map_err(|error| match error {
            TableError::Record(why) => TableError::Damaged(why),
            error => error,
        })?;
        return Ok(ended(
            parts,
            kept[..lines.before].to_owned(),
            end.signatures,
        ));
    }
    let seed = info.revealed.ok_or_else(|| damaged("the seed is lost"))?;
    let ruleset = super::restore::ruleset(parts, info)?;
    let tables = ruleset.model().tables.iter().map(|table| {
        let rows = table.rows.iter().map(|row| row.to_string());
        (table.name.to_string(), rows.collect())
    });
    let (set_up_events, piles) = match &snapshot.play {
        Some(play) => set_up(play.game())?,
        None => (0, Vec::new()),
    };
    let told = tells_state(&entries);
    let header = Header {
        set_up_events,
        piles,
        form: if told { FORM } else { STATELESS }.into(),
        start: told.then(|| ruleset.start()),
        endless: told.then(|| {
            let places = ruleset.model().places.iter().filter(|place| place.endless);
            places.map(|place| place.name.to_string()).collect()
        }),
        r#match: info.id.to_string(),
        ruleset: info.ruleset.clone(),
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
            says: says(&entry.body),
        };
        line(&mut text, "entry", &said);
    }
    if let Some(play) = &snapshot.play {
        let (events, _) = play.events(Audience::Referee, Cursor::default(), usize::MAX);
        for event in &*events {
            line(&mut text, "event", &wire_json::of("Event", event));
        }
        if told {
            let state = Item::decode(&play.game().canonical());
            let state = state.map_err(|error| TableError::Internal(error.to_string()))?;
            line(&mut text, "state", &state);
        }
    }
    Ok(ended(parts, text, Vec::new()))
}

/// The last line of a record.
#[derive(Serialize, Deserialize)]
struct End {
    sha256: String,
    #[serde(default)]
    signatures: Vec<Signature>,
}

/// A referee's word that a record is what it exported: of [`SIGNED`] and the sum.
#[derive(Serialize, Deserialize)]
struct Signature {
    key: String,
    signature: String,
}

/// What stands before the sum where it is signed.
const SIGNED: &[u8] = b"referee/record/v1\n";

impl Signature {
    /// The key, if it has signed this sum.
    fn fits(&self, sum: &[u8]) -> Option<Hash> {
        let key = crate::record::bytes(&self.key)?;
        let (first, second) = self.signature.split_at_checked(64)?;
        let halves = [crate::record::bytes(first)?, crate::record::bytes(second)?];
        secrets::signed(&key, &[SIGNED, sum].concat(), &halves.concat()).then_some(key)
    }
}

/// Ends a record: with its sum, the signatures that it came with, and this referee's own.
fn ended(parts: &Parts, mut text: String, mut signatures: Vec<Signature>) -> String {
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
    text
}

/// The text that a match was imported from.
fn kept(parts: &Parts, record: &[u8]) -> Result<String, TableError> {
    let damaged = |what: &str| TableError::Damaged(what.into());
    let digest = Hash::try_from(record).map_err(|_| damaged("a digest has not 32 bytes"))?;
    let text = parts.store.content(&digest)?;
    let text = text.ok_or_else(|| damaged("the text that it was imported from is not kept"))?;
    if content_digest(&text) != digest {
        return Err(damaged(
            "the text that it was imported from is not what was kept",
        ));
    }
    String::from_utf8(text).map_err(|_| damaged("the text that it was imported from is no text"))
}

/// Whether the match that is kept is the one of the text that it was imported from; gives who has signed that.
///
/// # Errors
///
/// When it is not, or the store fails.
pub(super) fn signers(
    parts: &Parts,
    id: &MatchId,
    created: &wire::Created,
) -> Result<Vec<Hash>, TableError> {
    let damaged = |what: &str| TableError::Damaged(what.into());
    let text = kept(parts, &created.record)?;
    let (lines, end) = Lines::of(&text).map_err(|error| match error {
        TableError::Record(why) => TableError::Damaged(why),
        error => error,
    })?;
    let header = &lines.header;
    let same = header.r#match == id.as_str()
        && header.seed_commitment == hex(&created.seed_commitment)
        && header.committed_digest == hex(&created.digest);
    let entries = entries(parts, id)?;
    let mut told = entries.iter().skip(1);
    let mut imported = lines.bodies.iter();
    let same = same && imported.all(|body| told.next().is_some_and(|(_, told, _)| told == body));
    // What came after it was imported is no more than that its store was migrated.
    if !same || !told.all(|(entry, ..)| matches!(entry.body, Body::Migrated(_))) {
        return Err(damaged(
            "the match is not that of the text that it was imported from",
        ));
    }
    let sum = digest(&SHA256, &text.as_bytes()[..lines.before]);
    let fitting = end
        .signatures
        .iter()
        .filter_map(|one| one.fits(sum.as_ref()));
    Ok(fitting.collect())
}

/// What players added to the chance of a match, by seat.
fn given(info: &MatchInfo) -> Vec<Given> {
    let said = |hash: Option<Hash>| hash.map(|hash| hex(&hash));
    let given = info.contributions.iter();
    given
        .map(|(seat, given)| Given {
            seat: convert::seat_number(*seat),
            commitment: said(given.commitment),
            entropy: said(given.entropy),
        })
        .collect()
}

/// How many events belong to the set-up of a game, and what lay in its piles after it.
fn set_up(game: &Match) -> Result<(u64, Vec<Pile>), TableError> {
    let begun = super::undo::replay(game, 0, true)?;
    let view = begun.view(Audience::Referee);
    let piles = view.places.iter().filter(|place| place.pile).map(|place| {
        let runs = place.contents.iter().flatten();
        let rows = runs.flat_map(|(row, n)| (0..*n).map(move |_| row.to_string()));
        Pile {
            place: wire_json::of("PlaceRef", &convert::place(&place.place)),
            table: place.table.to_string(),
            rows: rows.collect(),
        }
    });
    Ok((begun.happened() as u64, piles.collect()))
}

fn line(text: &mut String, kind: &str, what: &impl Serialize) {
    let value = serde_json::to_value(what).unwrap_or(Value::Null);
    // Writing to a text cannot fail.
    let _ = writeln!(text, "{}", json!({ kind: value }));
}

/// An entry in plain sight.
fn says(body: &Body) -> Value {
    let moves = |moves: &[wire::RecordedMove]| -> Vec<Value> {
        let told = moves.iter().map(|recorded| {
            let mv = recorded.r#move.clone().unwrap_or_default();
            json!({
                "seat": recorded.seat + 1,
                "step": recorded.step,
                "move": wire_json::of("Move", &mv),
                "forced": recorded.forced,
                "maker": recorded.maker().as_str_name(),
            })
        });
        told.collect()
    };
    match body {
        Body::Created(created) => {
            json!({"created": {"seedCommitment": hex(&created.seed_commitment)}})
        }
        Body::SeatClaimed(claimed) => json!({
            "seatClaimed": {"seat": claimed.seat + 1, "displayName": claimed.display_name}
        }),
        Body::Started(started) => json!({
            "started": {"stateHash": hex(&started.state_hash), "moves": moves(&started.moves)}
        }),
        Body::Moved(moved) => json!({
            "moved": {"stateHash": hex(&moved.state_hash), "moves": moves(&moved.moves)}
        }),
        Body::EntropyContributed(given) => match given.entropy.is_empty() {
            true => json!({
                "entropyCommitted": {"seat": given.seat + 1, "commitment": hex(&given.commitment)}
            }),
            false => json!({
                "entropyContributed": {"seat": given.seat + 1, "entropy": hex(&given.entropy)}
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
            let change = noted.change.clone().unwrap_or_default();
            let mut says = json!({"noted": wire_json::of("TableChanged", &change)});
            if !noted.state_hash.is_empty() {
                says["stateHash"] = json!(hex(&noted.state_hash));
            }
            says
        }
    }
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

/// An entry, the very bytes that it was read from, and what ties it to those before it.
type Told = (Entry, Vec<u8>, Hash);

/// Every entry of a log, verified: when it was written, what it says, and what ties it to those before it.
fn entries(parts: &Parts, id: &MatchId) -> Result<Vec<Told>, TableError> {
    let mut verifier = crate::store::chain::Verifier::new(id);
    let mut all = Vec::new();
    loop {
        let page = parts.store.read(id, verifier.verified(), PAGE)?;
        if page.is_empty() {
            return Ok(all);
        }
        for entry in &page {
            verifier.verify(entry)?;
            all.push((Entry::decode(&entry.body)?, entry.body.clone(), entry.chain));
        }
    }
}

/// Keeps the match of a record, once it has been verified; gives its id, and whether the same request
/// has kept it before. Takes its time: not for async threads.
///
/// # Errors
///
/// [`TableError::Record`] says what is wrong with the text.
pub fn import(
    parts: &Parts,
    text: &str,
    host: Principal,
    request: &Request,
) -> Result<(MatchId, bool), TableError> {
    if let Some(row) = parts.store.request(request.principal, &request.id)? {
        same_request(&row, request)?;
        let receipt = wire::Receipt::decode(&row.receipt[..]);
        let id = match receipt.ok().and_then(|receipt| receipt.kind) {
            Some(receipt::Kind::Created(created)) => MatchId::parse(&created.match_id),
            _ => None,
        };
        return Ok((id.ok_or(TableError::RequestIdReused)?, true));
    }
    let read = Read::of(parts, text, host, request)?;
    // Nothing is kept before it is known to be sound: it is tried on a store that forgets.
    let trial = Arc::new(Memory::default());
    read.keep(&*trial)?;
    let tried = Parts {
        store: trial,
        journal: parts.journal.clone(),
        keys: parts.keys.clone(),
        workers: parts.workers.clone(),
        library: ArcSwap::new(parts.library.load_full()),
        limits: parts.limits.clone(),
        clock: parts.clock.clone(),
        tally: parts.tally.clone(),
        started_ms: parts.started_ms,
    };
    let checked = verify(&tried, &read.id, &mut |_| {})?.unwrap_or_default();
    if let Some(finding) = checked.findings.first() {
        return Err(wrong(finding));
    }
    match super::restore::restore(&tried, &read.id, super::restore::Trust::Nothing)? {
        Some(restored) if restored.snapshot.info.state == MatchState::Finished => {
            let info = &restored.snapshot.info;
            let made = info.revealed.map(|seed| info.game_seed(seed).0);
            if read.game_seed.is_some() && read.game_seed != made {
                return Err(wrong(
                    "its chance does not come from its seed and what players added",
                ));
            }
        }
        _ => return Err(wrong("its match is not over")),
    }
    match read.keep(&*parts.store)? {
        Appended::Done => Ok((read.id, false)),
        Appended::Duplicate(_) => Ok((read.id, true)),
        Appended::Conflict => Err(wrong("its match is kept here already")),
    }
}

fn wrong(what: &str) -> TableError {
    TableError::Record(what.to_owned())
}

/// A record that was read.
struct Read {
    id: MatchId,
    contents: Vec<(Hash, Vec<u8>)>,
    append: Append,
    game_seed: Option<Hash>,
}

/// A record as it is written, once it is known to be whole and signed by whom it says.
struct Lines {
    header: Header,
    files: BTreeMap<String, Vec<PackageFile>>,
    /// Entries after the first.
    bodies: Vec<Vec<u8>>,
    /// Bytes before its end.
    before: usize,
}

impl Lines {
    fn of(text: &str) -> Result<(Lines, End), TableError> {
        let mut header: Option<Header> = None;
        let mut files: BTreeMap<String, Vec<PackageFile>> = BTreeMap::new();
        let mut bodies: Vec<Vec<u8>> = Vec::new();
        let mut before = 0;
        let mut ended: Option<End> = None;
        for (number, written) in (1..).zip(text.lines()) {
            let bad = |why: &str| wrong(&format!("line {number}: {why}"));
            if ended.is_some() {
                return Err(bad("something follows the end"));
            }
            let mut value: Value =
                serde_json::from_str(written).map_err(|error| bad(&error.to_string()))?;
            let mut take = |kind: &str| value.get_mut(kind).map(Value::take);
            if let Some(given) = take("record") {
                let read: Header =
                    serde_json::from_value(given).map_err(|error| bad(&error.to_string()))?;
                if ![FORM, STATELESS].contains(&&read.form[..]) {
                    return Err(bad("this is no record of a form that is known here"));
                }
                header = Some(read);
            } else if let Some(given) = take("file") {
                let file: File =
                    serde_json::from_value(given).map_err(|error| bad(&error.to_string()))?;
                files.entry(file.content).or_default().push(PackageFile {
                    path: file.path,
                    text: file.text,
                });
            } else if let Some(given) = take("entry") {
                let entry: EntryLine =
                    serde_json::from_value(given).map_err(|error| bad(&error.to_string()))?;
                let body = entry.body.map(|body| STANDARD.decode(body)).transpose();
                let body = body.map_err(|_| bad("the body of an entry cannot be read"))?;
                bodies.extend(body);
            } else if let Some(given) = take("end") {
                let end: End =
                    serde_json::from_value(given).map_err(|error| bad(&error.to_string()))?;
                let sum = digest(&SHA256, &text.as_bytes()[..before]);
                if end.sha256 != hex(sum.as_ref()) {
                    return Err(bad("the record is not what was written: its sum differs"));
                }
                let forged = |one: &&Signature| one.fits(sum.as_ref()).is_none();
                if let Some(forged) = end.signatures.iter().find(forged) {
                    let key: String = forged.key.chars().take(64).collect();
                    return Err(bad(&format!("the key {key} has not signed this record")));
                }
                ended = Some(end);
                continue;
            } else if take("event").is_none() && take("state").is_none() {
                return Err(bad("this is nothing that a record says"));
            }
            before += written.len() + 1;
        }
        let header = header.ok_or_else(|| wrong("it does not say what it is a record of"))?;
        let end = ended.ok_or_else(|| wrong("its end is missing"))?;
        let lines = Lines {
            header,
            files,
            bodies,
            before,
        };
        Ok((lines, end))
    }
}

impl Read {
    fn of(
        parts: &Parts,
        text: &str,
        host: Principal,
        request: &Request,
    ) -> Result<Read, TableError> {
        let (lines, _) = Lines::of(text)?;
        let record = text.as_bytes().to_vec();
        lines
            .header
            .read(parts, lines.files, lines.bodies, record, host, request)
    }

    fn keep(&self, store: &dyn crate::store::Store) -> Result<Appended, TableError> {
        for (digest, content) in &self.contents {
            store.put_content(digest, content)?;
        }
        let done = store.append(vec![self.append.clone()])?;
        done.into_iter()
            .next()
            .ok_or_else(|| StoreError::Engine("an append came to nothing".into()).into())
    }
}

impl Header {
    fn read(
        self,
        parts: &Parts,
        files: BTreeMap<String, Vec<PackageFile>>,
        bodies: Vec<Vec<u8>>,
        record: Vec<u8>,
        host: Principal,
        request: &Request,
    ) -> Result<Read, TableError> {
        let id = MatchId::parse(&self.r#match).ok_or_else(|| wrong("it names no match"))?;
        let bytes = |text: &str| -> Result<Hash, TableError> {
            let read = crate::record::bytes(text);
            read.ok_or_else(|| wrong("a digest has not 64 hexadecimal digits"))
        };
        let mut contents = Vec::new();
        for (named, mut files) in files {
            files.sort_by(|a, b| a.path.cmp(&b.path));
            let content = PackageContent {
                ruleset: self.ruleset.clone(),
                files,
            }
            .encode_to_vec();
            let digest = content_digest(&content);
            if digest != bytes(&named)? {
                return Err(wrong(
                    "the files of its ruleset are not those that it names",
                ));
            }
            contents.push((digest, content));
        }
        let record = (content_digest(&record), record);
        let seed = Seed(bytes(&self.seed)?);
        let game_seed = self.game_seed.as_deref().map(bytes).transpose()?;
        let entropy = match self.seat_entropy.as_str() {
            "" => SeatEntropy::Unspecified,
            said => SeatEntropy::from_str_name(said)
                .ok_or_else(|| wrong("it says nothing known of what players add to the chance"))?,
        };
        let created = Body::Created(wire::Created {
            ruleset: self.ruleset.clone(),
            content: bytes(&self.first_content)?.to_vec(),
            digest: bytes(&self.committed_digest)?.to_vec(),
            players: self.players,
            modules: self.modules,
            options: self.options,
            ask_forced: self.ask_forced,
            sealed_seed: seed::seal(&parts.keys, &id, seed)?,
            seed_commitment: bytes(&self.seed_commitment)?.to_vec(),
            question_ms: self.question_ms,
            open_seats: self.open_seats,
            spectator_delay_moves: self.spectator_delay_moves,
            spectator_delay_ms: self.spectator_delay_ms,
            seat_entropy: entropy.into(),
            record: record.0.to_vec(),
        });
        contents.push(record);
        let mut entries = vec![log::encode(self.created_ms, created)?];
        entries.extend(bodies);
        let receipt = receipt::Kind::Created(wire::CreatedReceipt {
            match_id: id.to_string(),
        });
        let append = Append {
            id: id.clone(),
            expected: 0,
            create: Some(NewMatch {
                host,
                ruleset: self.ruleset,
                created_ms: self.created_ms,
            }),
            entries,
            state: MatchState::Finished,
            request: Some(request_row(request, receipt)),
            tokens: Vec::new(),
            revoke_seat: None,
            due_ms: None,
            open: false,
        };
        Ok(Read {
            id,
            contents,
            append,
            game_seed,
        })
    }
}
