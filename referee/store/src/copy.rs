//! Copies a store into another one, of the same engine or of another: match by match, each compared entry by entry.
//!
//! In: two stores with the same key. Out: the second holds what the first held, but for snapshots, which are caches. Begin at
//! [`copy`]. It can be interrupted and repeated: what is there already is compared, and what has grown is carried on.

use super::{
    Append, Appended, Change, Hash, ListedRevision, ListedToken, MatchId, MatchRow, NoticeRow,
    Outage, RequestRow, Store, StoreError, StoredEntry,
};
use crate::numbers::to_u64;

/// Matches that are written in one go.
const TOGETHER: usize = 32;

/// Entries that are read in one go, and answers that are written.
const ENTRIES: usize = 1024;

/// A store that can be read and written whole.
pub trait Whole: Store {
    /// What is kept of a match beside its log and its names.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn beside(&self, id: &MatchId) -> Result<Beside, StoreError>;

    /// What is kept outside of any match, as far as no other method lists it.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn outside(&self) -> Result<Outside, StoreError>;

    /// Keeps how requests were answered, each in a match or outside of any, in one go; does nothing about those that are known.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn remember(&self, answered: &[(Option<MatchId>, Answered)]) -> Result<(), StoreError>;

    /// Keeps when there was no referee, and when it was noted last that there is one.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn remember_outages(&self, outages: &[Outage], alive_ms: Option<i64>)
    -> Result<(), StoreError>;
}

/// A request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The request, and how.
    pub row: RequestRow,
    /// Whether it stays when those of its match are forgotten.
    pub lasting: bool,
}

/// What is kept of a match beside its log and its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// When the referee has to act in it by itself.
    pub due_ms: Option<i64>,
    /// Whether it is listed for everybody.
    pub open: bool,
    /// Requests that were answered in it, by who asked and their ids.
    pub answered: Vec<Answered>,
    /// Its tokens, in the order of making.
    pub tokens: Vec<ListedToken>,
    /// What is to be told of it, by id.
    pub notices: Vec<NoticeRow>,
}

/// What is kept outside of any match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// When it was noted last that there is a referee.
    pub alive_ms: Option<i64>,
    /// Requests that were answered, by who asked and their ids.
    pub answered: Vec<RequestRow>,
    /// Tokens of people, in the order of making.
    pub tokens: Vec<ListedToken>,
    /// Revisions of every ruleset, in the order of coming.
    pub revisions: Vec<ListedRevision>,
    /// What was learned from other servers, by key.
    pub learned: Vec<(String, Vec<u8>)>,
    /// Digests of contents, in their order.
    pub contents: Vec<Hash>,
}

/// Why a store is not copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// An engine fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The destination has a match that the source has not, or not so.
    #[error("matches/{0} in the destination is not the one of the source: {1}")]
    Another(MatchId, &'static str),
    /// Something outside of matches is not the same.
    #[error("{0} in the destination are not those of the source")]
    Differs(&'static str),
}

/// Copies all of a store, and tells of each match that is copied and compared; gives how many there are. `created` says which
/// match a request creates whose answer is kept outside of any: some engines look for it there.
///
/// # Errors
///
/// When an engine fails, or the destination has something else under the same name.
pub fn copy(
    from: &dyn Whole,
    to: &dyn Whole,
    created: impl Fn(&RequestRow) -> MatchId,
    mut copied: impl FnMut(&MatchId),
) -> Result<u64, CopyError> {
    copy_outside(from, to, created)?;
    let (mut after, mut count) = (0, 0);
    loop {
        let rows = from.every(None, after, TOGETHER)?;
        let Some(last) = rows.last() else { break };
        after = last.order;
        copy_matches(from, to, &rows)?;
        for row in &rows {
            compare(from, to, &row.id)?;
            copied(&row.id);
            count += 1;
        }
    }
    let mut after = 0;
    while let Some(rows) = Some(to.every(None, after, ENTRIES)?).filter(|rows| !rows.is_empty()) {
        for row in rows {
            after = row.order;
            if from.find(&row.id)?.is_none() {
                return Err(CopyError::Another(row.id, "the source has no such match"));
            }
        }
    }
    Ok(count)
}

fn copy_outside(
    from: &dyn Whole,
    to: &dyn Whole,
    created: impl Fn(&RequestRow) -> MatchId,
) -> Result<(), CopyError> {
    let outside = from.outside()?;
    for digest in &outside.contents {
        if let Some(content) = from.content(digest)? {
            to.put_content(digest, &content)?;
        }
    }
    for listed in &outside.tokens {
        to.grant(&listed.row)?;
    }
    let there = to.outside()?;
    revoke(to, &outside.tokens, &there.tokens)?;
    copy_revisions(from, to, &outside.revisions, &there.revisions)?;
    for (key, value) in &outside.learned {
        to.learn(key, value)?;
    }
    for rows in outside.answered.chunks(ENTRIES) {
        let twice = rows.iter().flat_map(|row| {
            let lasting = Answered {
                row: row.clone(),
                lasting: true,
            };
            [(None, lasting.clone()), (Some(created(row)), lasting)]
        });
        to.remember(&twice.collect::<Vec<_>>())?;
    }
    // Clocks stand still while there is no referee: also from when the source was served from last.
    to.remember_outages(&from.outages()?, outside.alive_ms)?;
    let there = to.outside()?;
    let same = [
        (
            "tokens of people",
            said(&there.tokens) == said(&outside.tokens),
        ),
        (
            "texts",
            contains(&there.contents, &outside.contents, |digest| *digest),
        ),
        (
            "revisions",
            revised(&there.revisions) == revised(&outside.revisions),
        ),
        ("channels", to.channels()? == from.channels()?),
        ("owners of rulesets", to.owners()? == from.owners()?),
        (
            "answers to requests",
            contains(&there.answered, &outside.answered, |row| {
                (row.principal, row.request_id.clone())
            }),
        ),
    ];
    match same.into_iter().find(|(_, same)| !same) {
        Some((what, _)) => Err(CopyError::Differs(what)),
        None => Ok(()),
    }
}

/// Whether all of these are among those.
fn contains<T: PartialEq, K: Ord>(there: &[T], wanted: &[T], key: impl Fn(&T) -> K) -> bool {
    let there: std::collections::BTreeMap<K, &T> =
        there.iter().map(|one| (key(one), one)).collect();
    let found = |one: &T| there.get(&key(one)).is_some_and(|found| *found == one);
    wanted.iter().all(found)
}

/// Tokens without the places that their store gave them.
fn said(tokens: &[ListedToken]) -> Vec<(&super::TokenRow, bool)> {
    let tokens = tokens.iter();
    tokens.map(|listed| (&listed.row, listed.revoked)).collect()
}

fn revised(revisions: &[ListedRevision]) -> Vec<(&super::RevisionRow, Option<&str>)> {
    let revisions = revisions.iter();
    revisions
        .map(|listed| (&listed.row, listed.yanked.as_deref()))
        .collect()
}

/// Revokes those that are revoked, and are not yet there.
fn revoke(to: &dyn Whole, tokens: &[ListedToken], there: &[ListedToken]) -> Result<(), StoreError> {
    let gone = |hash: &Hash| {
        let mut there = there.iter();
        there.any(|listed| listed.row.hash == *hash && listed.revoked)
    };
    let revoked = tokens.iter().filter(|listed| listed.revoked);
    for listed in revoked.filter(|listed| !gone(&listed.row.hash)) {
        to.change(&Change::Revoke(listed.row.hash))?;
    }
    Ok(())
}

fn copy_revisions(
    from: &dyn Whole,
    to: &dyn Whole,
    revisions: &[ListedRevision],
    there: &[ListedRevision],
) -> Result<(), StoreError> {
    for listed in revisions {
        to.offer(&listed.row)?;
        let known = |kept: &&ListedRevision| {
            (&kept.row.ruleset, kept.row.digest) == (&listed.row.ruleset, listed.row.digest)
        };
        let yanked = there
            .iter()
            .find(known)
            .and_then(|kept| kept.yanked.as_ref());
        if yanked != listed.yanked.as_ref() {
            to.change(&Change::Yank {
                revision: listed.row.clone(),
                reason: listed.yanked.clone(),
            })?;
        }
    }
    let (channels, there) = (from.channels()?, to.channels()?);
    for channel in &there {
        let stays = |one: &super::ChannelRow| {
            (&one.ruleset, &one.channel) == (&channel.ruleset, &channel.channel)
        };
        if !channels.iter().any(stays) {
            to.change(&Change::RemoveChannel {
                ruleset: channel.ruleset.clone(),
                channel: channel.channel.clone(),
            })?;
        }
    }
    for channel in channels.iter().filter(|channel| !there.contains(channel)) {
        let means = |listed: &&ListedRevision| {
            (&listed.row.ruleset, listed.row.digest) == (&channel.ruleset, channel.digest)
        };
        let revision = revisions.iter().find(means).ok_or_else(|| {
            let (ruleset, channel) = (&channel.ruleset, &channel.channel);
            StoreError::Damaged(format!("channel {channel} of {ruleset} means no revision"))
        })?;
        to.change(&Change::Point {
            revision: revision.row.clone(),
            channel: channel.channel.clone(),
            owner: None,
        })?;
    }
    let there = to.owners()?;
    for owner in from.owners()? {
        if !there.contains(&owner) {
            to.change(&Change::Own(owner))?;
        }
    }
    Ok(())
}

/// A whole log from an entry on.
fn log(store: &dyn Whole, id: &MatchId, from: u64) -> Result<Vec<StoredEntry>, StoreError> {
    let mut log = Vec::new();
    loop {
        let more = store.read(id, from + to_u64(log.len()), ENTRIES)?;
        if more.is_empty() {
            return Ok(log);
        }
        log.extend(more);
    }
}

fn copy_matches(from: &dyn Whole, to: &dyn Whole, rows: &[MatchRow]) -> Result<(), CopyError> {
    let (mut group, mut beside) = (Vec::new(), Vec::new());
    for row in rows {
        let kept = from.find(&row.id)?;
        let kept = kept.ok_or_else(|| CopyError::Another(row.id.clone(), GONE))?;
        let there = to.find(&row.id)?;
        let known = there.as_ref().map_or(0, |there| there.length);
        let lies = from.beside(&row.id)?;
        let entries = log(from, &row.id, known)?;
        let tokens = lies.tokens.iter().map(|listed| listed.row.clone());
        group.push(Append {
            head: there.as_ref().map(|there| there.chain),
            create: there.is_none().then(|| kept.new.clone()),
            entries: entries.into_iter().map(|entry| entry.body).collect(),
            content: row.content,
            tokens: tokens.collect(),
            names: from.names(&row.id)?,
            due_ms: lies.due_ms,
            open: lies.open,
            notices: lies.notices.clone(),
            ..Append::to(row.id.clone(), known, kept.state)
        });
        beside.push((&row.id, lies));
    }
    while !group.is_empty() {
        let ids: Vec<MatchId> = group.iter().map(|append| append.id.clone()).collect();
        let done = to.append(std::mem::take(&mut group))?;
        for (id, done) in ids.into_iter().zip(done) {
            match done {
                Appended::Done => {}
                Appended::Busy(append) => group.push(*append),
                Appended::Conflict | Appended::Duplicate(_) => {
                    return Err(CopyError::Another(id, "somebody writes to it"));
                }
            }
        }
    }
    let mut answered = Vec::new();
    for (id, lies) in &beside {
        let of_it = lies.answered.iter();
        answered.extend(of_it.map(|one| (Some((*id).clone()), one.clone())));
    }
    to.remember(&answered)?;
    for (id, lies) in beside {
        if lies.tokens.iter().any(|listed| listed.revoked) {
            revoke(to, &lies.tokens, &to.beside(id)?.tokens)?;
        }
    }
    Ok(())
}

/// A match that the source lists and does not find.
const GONE: &str = "the source has lost it meanwhile";

/// Compares a match as both stores have it.
fn compare(from: &dyn Whole, to: &dyn Whole, id: &MatchId) -> Result<(), CopyError> {
    let differs = |what| Err(CopyError::Another(id.clone(), what));
    if from.find(id)? != to.find(id)? {
        return differs("its log ends otherwise, or it was created otherwise");
    }
    if log(from, id, 0)? != log(to, id, 0)? {
        return differs("an entry is another one");
    }
    if from.names(id)? != to.names(id)? {
        return differs("its players are called otherwise");
    }
    let (lies, lies_there) = (from.beside(id)?, to.beside(id)?);
    if said(&lies.tokens) != said(&lies_there.tokens) {
        return differs("its tokens are others");
    }
    if (lies.due_ms, lies.open, &lies.notices)
        != (lies_there.due_ms, lies_there.open, &lies_there.notices)
    {
        return differs("what waits in it is something else");
    }
    let within = |one: &Answered| (one.row.principal, one.row.request_id.clone());
    let of_it = |all: &[Answered]| -> Vec<Answered> {
        all.iter().filter(|one| !one.lasting).cloned().collect()
    };
    let (wanted, there) = (of_it(&lies.answered), of_it(&lies_there.answered));
    if !contains(&there, &wanted, within) {
        return differs("requests were answered otherwise in it");
    }
    Ok(())
}
