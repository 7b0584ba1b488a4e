//! Reads an archive, and keeps its match once it has been verified.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arc_swap::ArcSwap;
use interpreter::package::Configuration;
use interpreter::play::{PackageTexts, Seed};
use prost::Message as _;

use super::format::{Header, Lines, wrong};
use super::verify::verify;
use crate::replay::restore;
use crate::request::{answered, request_row};
use crate::{Parts, Request, TableError, seed};
use referee_library::content_digest;
use referee_sandbox::Purpose;
use referee_store::log::names;
use referee_store::log::v1::{
    self, PackageContent, PackageFile, SeatEntropy, entry::Body, receipt,
};
use referee_store::log::{self, Entry};
use referee_store::memory::Memory;
use referee_store::{Append, Appended, Hash, MatchId, MatchState, NewMatch, Principal, StoreError};

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
    let named = Lines::of(text)?.0.header.r#match;
    let named = MatchId::parse(&named);
    if let Some(row) = parts
        .store
        .request(named.as_ref(), request.principal, &request.id)?
    {
        let id = match answered(&row, request)? {
            Some(receipt::Kind::Created(created)) => MatchId::parse(&created.match_id),
            _ => None,
        };
        return Ok((id.ok_or(TableError::RequestIdReused)?, true));
    }
    let read = Read::of(parts, text, host, request)?;
    for texts in &read.texts {
        let verdict = parts
            .sandbox
            .tries(texts.clone())
            .verdict(&read.configuration, Purpose::Brought)
            .map_err(|ended| wrong(format!("its ruleset cannot be made: {ended}")))?;
        let mistake = (!verdict.playable).then(|| verdict.diagnostics.into_iter().next());
        if let Some(mistake) = mistake {
            let mistake = mistake.unwrap_or_default();
            return Err(wrong(format!(
                "its ruleset cannot be played: {} {}",
                mistake.code, mistake.message
            )));
        }
    }
    // Nothing is kept before it is known to be sound: it is tried on a store that forgets.
    let trial = Arc::new(Memory::default());
    read.keep(&*trial)?;
    let tried = Parts {
        threads: parts.threads.clone(),
        store: trial,
        journal: parts.journal.clone(),
        keys: parts.keys.clone(),
        workers: parts.workers.clone(),
        library: ArcSwap::new(parts.library.load_full()),
        sandbox: parts.sandbox.clone(),
        limits: parts.limits.clone(),
        clock: parts.clock.clone(),
        metrics: parts.metrics.clone(),
        outages: parts.outages.clone(),
        listing: parts.listing.clone(),
        holders: parts.holders.clone(),
        notices: parts.notices.clone(),
    };
    let checked = verify(&tried, &read.id, &mut |_| {})?.unwrap_or_default();
    if let Some(finding) = checked.findings.first() {
        return Err(wrong(&finding.what));
    }
    match restore::restore(&tried, &read.id, restore::Trust::Nothing)? {
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
        Appended::Busy(_) => Err(StoreError::Overtaken.into()),
    }
}

/// A record that was read.
struct Read {
    id: MatchId,
    contents: Vec<(Hash, Vec<u8>)>,
    append: Append,
    game_seed: Option<Hash>,
    /// Texts that it is played by, one after the other, and its configuration.
    texts: Vec<Arc<PackageTexts>>,
    configuration: Configuration,
}

impl Read {
    fn of(
        parts: &Parts,
        text: &str,
        host: Principal,
        request: &Request,
    ) -> Result<Read, TableError> {
        let (lines, _) = Lines::of(text)?;
        let names = lines.names()?;
        let record = text.as_bytes()[..lines.signed].to_vec();
        let mut read =
            lines
                .header
                .read(parts, lines.files, lines.bodies, record, host, request)?;
        let (mut named, mut played_by) = (BTreeSet::new(), BTreeSet::new());
        for body in &read.append.entries {
            let body = Entry::decode(body)?.body;
            named.extend(names::named(&body));
            match body {
                Body::Created(created) => played_by.insert(created.content),
                Body::Noted(noted) => played_by.insert(noted.content),
                _ => false,
            };
        }
        let mut lacked = played_by.iter().filter(|digest| !digest.is_empty());
        let has = |digest: &&Vec<u8>| read.contents.iter().any(|(has, _)| has[..] == digest[..]);
        if !lacked.all(|digest| has(&digest)) {
            return Err(wrong("it lacks texts by which its match was played"));
        }
        if names.iter().any(|row| !named.contains(&row.digest)) {
            return Err(wrong("it names somebody whom no entry speaks of"));
        }
        read.append.names = names;
        Ok(read)
    }

    fn keep(&self, store: &dyn referee_store::Store) -> Result<Appended, TableError> {
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
            let read = referee_library::record::bytes(text);
            read.ok_or_else(|| wrong("a digest has not 64 hexadecimal digits"))
        };
        let (mut contents, mut texts) = (Vec::new(), Vec::new());
        for (named, mut files) in files {
            files.sort_by(|a, b| a.path.cmp(&b.path));
            let pairs = files
                .iter()
                .map(|file| (file.path.clone(), file.text.clone()));
            texts.push(Arc::new(PackageTexts::new(
                format!("rulesets/{}", self.ruleset),
                pairs.collect(),
            )));
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
        let configuration = Configuration {
            players: u8::try_from(self.players).unwrap_or(u8::MAX),
            modules: self.modules.clone(),
            options: self.options.clone(),
        };
        let created = Body::Created(v1::Created {
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
            bank_ms: self.bank_ms,
            increment_ms: self.increment_ms,
            take_back: self.take_back,
            public: self.public,
            labels: self.labels,
            // Nobody waits for a match that is over.
            start_when_full: false,
            hide_presence: false,
            turn_webhook: String::new(),
            open_seats: self.open_seats,
            spectator_delay_moves: self.spectator_delay_moves,
            spectator_delay_ms: self.spectator_delay_ms,
            seat_entropy: entropy.into(),
            record: record.0.to_vec(),
        });
        contents.push(record);
        let content = bytes(&self.content)?;
        let mut entries = vec![log::encode(self.created_ms, created)?];
        entries.extend(bodies);
        let receipt = receipt::Kind::Created(v1::CreatedReceipt {
            match_id: id.to_string(),
        });
        let append = Append {
            create: Some(NewMatch {
                host,
                ruleset: self.ruleset,
                created_ms: self.created_ms,
            }),
            entries,
            content: Some(content),
            request: Some(request_row(request, receipt)),
            ..Append::to(id.clone(), 0, MatchState::Finished)
        };
        Ok(Read {
            id,
            contents,
            append,
            game_seed,
            texts,
            configuration,
        })
    }
}
