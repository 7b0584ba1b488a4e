//! Verifies the record of a match from the store alone; nothing in memory is trusted.

use std::collections::BTreeSet;
use std::fmt;

use interpreter::play::Match;

use super::origin;
use crate::replay::restore;
use crate::{Otherwise, Parts, TableError, commitment, entropy_commitment};
use referee_store::log::v1::entry::Body;
use referee_store::log::{Entry, names, seat_number};
use referee_store::numbers::to_u64;
use referee_store::{Hash, MatchId, chain};

/// Entries that are read at a time.
const PAGE: usize = 256;

/// Something that is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub about: About,
    /// What it is, in words.
    pub what: String,
}

/// What can be wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Its log: an entry or its end.
    Log,
    /// Its moves, played again.
    Replay,
    /// The promise of its seed.
    Seed,
    /// What a player has contributed to its chance.
    Entropy,
    /// What a player is called.
    Name,
    /// What the list of matches says of it.
    State,
    /// Its signatures.
    Signature,
    /// What was saved of a state.
    Snapshot,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Entries of the log.
    pub entries: u64,
    /// Moves that were played again.
    pub moves: u64,
    /// What is wrong; nothing if the record is sound.
    pub findings: Vec<Finding>,
    /// Where it goes otherwise than it did, by the rules as this referee understands them: then it is suspended. Nothing of
    /// it is damaged, unless this referee understands them as the one did that wrote it.
    pub otherwise: Option<Otherwise>,
    /// Keys that had signed the record when it was imported.
    pub signed_by: Vec<Hash>,
}

impl Checked {
    /// Adds something that is wrong.
    pub fn find(&mut self, about: About, what: impl Into<String>) {
        let what = what.into();
        self.findings.push(Finding { about, what });
    }
}

/// Verifies the log of a match, plays its moves again and compares the promise of its seed; tells how
/// many entries were verified as it goes on. None if there is no such match. Takes its time: not for
/// async threads.
///
/// # Errors
///
/// When the store fails.
pub fn verify(
    parts: &Parts,
    id: &MatchId,
    progress: &mut dyn FnMut(u64),
) -> Result<Option<Checked>, TableError> {
    let Some(kept) = parts.store.find(id)? else {
        return Ok(None);
    };
    let mut checked = Checked::default();
    let mut verifier = chain::Verifier::new(id);
    let (mut promised, mut first, mut named) = (None, None, BTreeSet::new());
    'log: loop {
        // A match that is played goes on meanwhile: what the store says of it was of its log until then.
        let left = kept.length - verifier.verified();
        let page = usize::try_from(left).unwrap_or(PAGE).min(PAGE);
        let entries = parts.store.read(id, verifier.verified(), page)?;
        if entries.is_empty() {
            break;
        }
        for entry in &entries {
            if let Err(error) = verifier.verify(entry) {
                checked.find(About::Log, error.to_string());
                break 'log;
            }
            match Entry::decode(&entry.body).map(|entry| entry.body) {
                Ok(Body::Created(created)) => {
                    promised = Some(created.seed_commitment.clone());
                    first = Some(created);
                }
                Ok(body) => named.extend(names::named(&body)),
                Err(error) => {
                    let why = reason(error.into());
                    checked.find(About::Log, format!("entry {}: {why}", entry.sequence));
                }
            }
        }
        progress(verifier.verified());
    }
    checked.entries = verifier.verified();
    if checked.findings.is_empty()
        && (verifier.verified(), verifier.head()) != (kept.length, kept.chain)
    {
        let why = "the end of its log is missing, or is another one";
        checked.find(About::Log, why);
    }
    for row in parts.store.names(id)? {
        if !names::fits(&row) || !named.contains(&row.digest) {
            let why = "what a player is called is not what the log holds a digest of";
            checked.find(About::Name, why);
        }
    }
    if !checked.findings.is_empty() {
        return Ok(Some(checked));
    }
    match restore::restore(parts, id, restore::Trust::Nothing) {
        Ok(Some(restored)) => {
            let info = &restored.snapshot.info;
            checked.otherwise = info.otherwise.clone();
            if let Some(otherwise) = info.otherwise.as_ref().filter(|o| o.as_before) {
                checked.find(About::Replay, otherwise.to_string());
            }
            if let Some(reason) = info.suspended.as_ref().filter(|_| info.damaged) {
                checked.find(About::Replay, reason.clone());
            }
            if let (Some(seed), Some(promised)) = (restored.seed, promised)
                && commitment(id, info.committed, seed)[..] != promised[..]
            {
                let why = "the seed is not the one that was promised";
                checked.find(About::Seed, why);
            }
            for (seat, given) in &info.contributions {
                if let (Some(promised), Some(entropy)) = (given.commitment, given.entropy)
                    && entropy_commitment(id, *seat, &entropy) != promised
                {
                    let seat = seat_number(*seat);
                    let why =
                        format!("seat {seat} contributed something else than it committed to");
                    checked.find(About::Entropy, why);
                }
            }
            let same = restored.length == kept.length;
            if !same && parts.store.find(id)?.map(|now| now.length) == Some(kept.length) {
                let why = "its log goes on behind its end";
                checked.find(About::Log, why);
            }
            if same && info.state != kept.state && !info.damaged && info.otherwise.is_none() {
                let why = "the list of matches says another state than the log";
                checked.find(About::State, why);
            }
            let game = restored.snapshot.play.as_ref().map(|play| play.game());
            checked.moves = game.map_or(0, |game| to_u64(game.moves().len()));
            if let Some(Err(broken)) = game.map(Match::verify) {
                checked.find(About::Replay, broken);
            }
        }
        Ok(None) => return Ok(None),
        Err(TableError::Damaged(reason)) => checked.find(About::Replay, reason),
        Err(error) => return Err(error),
    }
    if let Some(created) = first.filter(|created| !created.record.is_empty()) {
        match origin::signers(parts, id, &created) {
            Ok(keys) => checked.signed_by = keys,
            Err(TableError::Damaged(reason)) => checked.find(About::Signature, reason),
            Err(error) => return Err(error),
        }
    }
    Ok(Some(checked))
}

fn reason(error: TableError) -> String {
    match error {
        TableError::Damaged(reason) => reason,
        other => format!("{other:?}"),
    }
}
