//! The store: logs of matches, answers to requests, ruleset texts, token hashes, snapshots.
//!
//! In: appends of entries with everything that must become durable with them. Out: the same, once it is durable, and rows
//! to read; bytes and sequence numbers, neither rules nor messages. Begin at [`Store`], which every engine implements
//! ([`conformance`] tests it, [`sqlite`] and [`memory`] are engines), and at [`Journal`], the one writer in front of it,
//! which commits in groups. The log is the truth: everything else about a match is computed from it.

#![forbid(unsafe_code)]
#![deny(clippy::as_conversions)]
// A module's map names its private parts, for readers of the sources.
#![allow(rustdoc::private_intra_doc_links)]

pub mod chain;
pub mod clock;
pub mod conformance;
pub mod copy;
pub mod faults;
pub mod hashing;
mod journal;
pub mod lock;
pub mod log;
pub mod memory;
pub mod numbers;
mod outcomes;
pub mod panics;
pub mod postgres;
mod seals;
pub mod secrets;
pub mod sqlite;
pub mod threads;

use std::fmt;
use std::sync::Arc;

use tokio::sync::broadcast;

use crate::clock::Clock;
use crate::numbers::to_u64;

pub use journal::{Condition, Journal};
pub use outcomes::Outcomes;

/// Identifies a match: 32 hexadecimal digits. Copies share them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatchId(Arc<str>);

impl MatchId {
    /// A new id that nobody can guess.
    pub fn random() -> MatchId {
        MatchId(uuid::Uuid::new_v4().simple().to_string().into())
    }

    /// Reads an id; none if it has another form.
    pub fn parse(id: &str) -> Option<MatchId> {
        let good = id.len() == 32 && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        good.then(|| MatchId(id.into()))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number that its digits write.
    pub fn bytes(&self) -> [u8; 16] {
        let number = u128::from_str_radix(&self.0, 16).unwrap_or_default();
        number.to_be_bytes()
    }

    /// The id whose digits write this number.
    pub fn of_bytes(bytes: [u8; 16]) -> MatchId {
        MatchId(format!("{:032x}", u128::from_be_bytes(bytes)).into())
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A digest of 32 bytes: of a token, a request, a text.
pub type Hash = [u8; 32];

/// Who asks, as far as requests are told apart: the hash of a token or claim code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Principal(pub Hash);

/// How far a match is, for lists. The log says it, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MatchState {
    /// Seats are being claimed.
    Lobby = 1,
    /// It is being played.
    Running = 2,
    /// It is over.
    Finished = 3,
    /// It cannot go on.
    Suspended = 4,
}

impl MatchState {
    /// Its number.
    #[expect(clippy::as_conversions, reason = "a discriminant")]
    pub const fn tag(self) -> u8 {
        self as u8
    }

    /// Its number, as an engine keeps it.
    pub fn number(self) -> i64 {
        i64::from(self.tag())
    }

    /// Reads what an engine kept.
    pub fn from_number(number: i64) -> Option<MatchState> {
        [
            MatchState::Lobby,
            MatchState::Running,
            MatchState::Finished,
            MatchState::Suspended,
        ]
        .into_iter()
        .find(|state| state.number() == number)
    }
}

/// One transaction: all of it happens, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// The match.
    pub id: MatchId,
    /// How many entries its log has. If it has another number, nothing happens ([`Appended::Conflict`]).
    pub expected: u64,
    /// The hash that ties the last of them to all before it, as far as whoever appends knows it: an engine that links
    /// entries before it has seen the log need not look first. A log with another one is another log.
    pub head: Option<Hash>,
    /// For a match that does not exist yet; then `expected` is zero.
    pub create: Option<NewMatch>,
    /// The entries.
    pub entries: Vec<Vec<u8>>,
    /// How far the match is after them.
    pub state: MatchState,
    /// Digest of the texts that it is played by from now on, for lists; none if they stay the same.
    pub content: Option<Hash>,
    /// The request that this answers. If it was answered before, in this match or outside of any, nothing happens
    /// ([`Appended::Duplicate`]). One that creates the match stays when that is erased.
    pub request: Option<RequestRow>,
    /// Tokens that become valid.
    pub tokens: Vec<TokenRow>,
    /// What players are called whose digests stand in the entries.
    pub names: Vec<NameRow>,
    /// A seat, from zero, whose tokens open nothing any more. It happens before `tokens`.
    pub revoke_seat: Option<u8>,
    /// When the referee has to act in this match by itself, in milliseconds of Unix time.
    pub due_ms: Option<i64>,
    /// Whether it is listed among those that anybody may join.
    pub open: bool,
    /// Whether this changes what is listed for everybody.
    pub listing: bool,
    /// What is erased of what was kept before.
    pub erase: Option<Erase>,
    /// What other servers are to be told of it; one that is known is not told again.
    pub notices: Vec<NoticeRow>,
}

impl Append {
    /// An append of nothing to a match whose log has so many entries, and that is so far after it: for what differs to be
    /// added.
    pub fn to(id: MatchId, expected: u64, state: MatchState) -> Append {
        Append {
            id,
            expected,
            head: None,
            create: None,
            entries: Vec::new(),
            state,
            content: None,
            request: None,
            tokens: Vec::new(),
            names: Vec::new(),
            revoke_seat: None,
            due_ms: None,
            open: false,
            listing: false,
            erase: None,
            notices: Vec::new(),
        }
    }
}

/// What is erased of a match, for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Erase {
    /// Names with these digests, and the requests in which names were said: all that claimed a seat.
    Names(Vec<Hash>),
    /// The match: its log, names, tokens, snapshot and requests, but those that created it and ask for this.
    Match {
        /// Digest of the archive that it was imported from, if it was: that content goes with it.
        archive: Option<Hash>,
    },
}

/// What the store keeps of a match beside its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMatch {
    /// Its host.
    pub host: Principal,
    /// Its ruleset's id, for lists.
    pub ruleset: String,
    /// When it was created, in milliseconds of Unix time.
    pub created_ms: i64,
}

/// What the store says of a match beside its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// What it was created with.
    pub new: NewMatch,
    /// How far it is.
    pub state: MatchState,
    /// How many entries its log has.
    pub length: u64,
    /// The hash that ties the last of them to all before it.
    pub chain: Hash,
}

/// A request that was answered, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestRow {
    /// Who asked.
    pub principal: Principal,
    /// The id that the client chose.
    pub request_id: String,
    /// Digest of the request, to tell a repetition from another request with the same id.
    pub digest: Hash,
    /// The answer, as far as the log does not say it.
    pub receipt: Vec<u8>,
}

/// Bytes of a name's salt.
pub const NAME_SALT: usize = 16;

/// What a player is called, beside the log that holds a digest of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameRow {
    /// The digest.
    pub digest: Hash,
    /// What makes it impossible to find the name by its digest.
    pub salt: [u8; NAME_SALT],
    /// The name.
    pub name: String,
}

/// A token that is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// Its hash; the token itself is not kept.
    pub hash: Hash,
    /// What it opens.
    pub grant: Grant,
    /// For whom or what, for lists.
    pub label: String,
    /// When it was made, in milliseconds of Unix time.
    pub created_ms: i64,
    /// When it opens nothing any more.
    pub expires_ms: Option<i64>,
}

impl TokenRow {
    /// A token without a label, for ever.
    pub fn new(hash: Hash, grant: Grant) -> TokenRow {
        TokenRow {
            hash,
            grant,
            label: String::new(),
            created_ms: 0,
            expires_ms: None,
        }
    }
}

/// What a list says of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedToken {
    /// Its place in the order of making; only for continuing a list.
    pub order: u64,
    /// The token.
    pub row: TokenRow,
    /// Whether it was revoked.
    pub revoked: bool,
}

/// What a token opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grant {
    /// Creating matches, and these matches.
    Host,
    /// One seat of one match.
    Seat {
        /// The match.
        id: MatchId,
        /// The seat, from zero.
        seat: u8,
    },
    /// The public table of one match.
    Spectator {
        /// The match.
        id: MatchId,
    },
    /// Publishing rulesets.
    Publisher,
    /// Making and revoking tokens.
    Admin,
    /// Creating matches, and nothing else.
    Creator,
    /// The seats of a player, whom the label names.
    Player,
}

impl Grant {
    /// The match that it is of, if it is of one.
    pub fn of(&self) -> Option<&MatchId> {
        match self {
            Grant::Seat { id, .. } | Grant::Spectator { id } => Some(id),
            Grant::Host | Grant::Publisher | Grant::Admin | Grant::Creator | Grant::Player => None,
        }
    }
}

/// Something that another server is to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticeRow {
    /// Its id, the same however often it is told.
    pub id: [u8; 16],
    /// The match that it is of, and goes with.
    pub of: MatchId,
    /// Where it is told: a URL.
    pub address: String,
    /// What is told.
    pub body: Vec<u8>,
    /// When it is told next, in milliseconds of Unix time.
    pub due_ms: i64,
    /// How often it was tried.
    pub tries: u32,
}

/// A match in which a player holds a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldRow {
    /// The place of the seat's token in the order of making; only for continuing a list.
    pub order: u64,
    /// The seat, from zero.
    pub seat: u8,
    /// The match.
    pub row: MatchRow,
}

/// A revision of a ruleset: texts that were offered once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionRow {
    /// The ruleset's id.
    pub ruleset: String,
    /// Digest of its texts, which are kept under it.
    pub digest: Hash,
    /// The version that its author gave it.
    pub version: String,
    /// When this store first had it, in milliseconds of Unix time.
    pub created_ms: i64,
}

/// The channel that a ruleset's id means by itself.
pub const STABLE: &str = "stable";

/// A name for a revision, which publishers move from one to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelRow {
    /// The ruleset's id.
    pub ruleset: String,
    /// The channel's id, such as [`STABLE`].
    pub channel: String,
    /// Digest of the texts that it means.
    pub digest: Hash,
}

/// Who may publish a ruleset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerRow {
    /// The ruleset's id.
    pub ruleset: String,
    /// The label of its publishers' tokens.
    pub owner: String,
}

/// What a list says of a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedRevision {
    /// Its place in the order of coming; only for continuing a list.
    pub order: u64,
    /// The revision.
    pub row: RevisionRow,
    /// Why no match can be created with it any more, if it was yanked; may be empty.
    pub yanked: Option<String>,
}

/// A change outside of any match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A token becomes valid.
    Grant(TokenRow),
    /// A token opens nothing any more.
    Revoke(Hash),
    /// A channel points to a revision.
    Point {
        /// The revision.
        revision: RevisionRow,
        /// The channel's id.
        channel: String,
        /// Whom the ruleset belongs to from now on, if it was nobody's.
        owner: Option<String>,
    },
    /// A channel is no more.
    RemoveChannel {
        /// The ruleset's id.
        ruleset: String,
        /// The channel's id.
        channel: String,
    },
    /// No match is created with a revision any more, for this reason, and no channel but [`STABLE`] points to it; or
    /// matches are created again.
    Yank {
        /// The revision.
        revision: RevisionRow,
        /// Why; none takes the yanking back.
        reason: Option<String>,
    },
    /// A ruleset belongs to somebody, whoever it belonged to.
    Own(OwnerRow),
}

impl Change {
    /// The ruleset of which something is changed, if it is one.
    pub fn ruleset(&self) -> Option<&str> {
        match self {
            Change::Grant(_) | Change::Revoke(_) => None,
            Change::Point { revision, .. } | Change::Yank { revision, .. } => {
                Some(&revision.ruleset)
            }
            Change::RemoveChannel { ruleset, .. } => Some(ruleset),
            Change::Own(row) => Some(&row.ruleset),
        }
    }
}

/// What became of an [`Append`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Appended {
    /// It is durable.
    Done,
    /// The request was answered before: this is how. Nothing was written.
    Duplicate(RequestRow),
    /// The log has another length, or the match exists already. Nothing was written.
    Conflict,
    /// Another referee writes to this match just now. Nothing was written: this is to be tried again in a moment.
    Busy(Box<Append>),
}

/// One entry of a log, as it was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEntry {
    /// Its number in the log, from zero.
    pub sequence: u64,
    /// Its bytes.
    pub body: Vec<u8>,
    /// The hash that ties it to all entries before it ([`chain`]).
    pub chain: Hash,
}

/// Which matches are listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// Those of this host.
    pub host: Option<Principal>,
    /// Those that are so far.
    pub state: Option<MatchState>,
    /// Those in which a player is called so, by a name that stands beside the log.
    pub player: Option<&'a str>,
}

/// What a list says of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchRow {
    /// Its place in the order of creation; only for continuing a list.
    pub order: u64,
    /// The match.
    pub id: MatchId,
    /// Its host.
    pub host: Principal,
    /// Its ruleset's id.
    pub ruleset: String,
    /// When it was created, in milliseconds of Unix time.
    pub created_ms: i64,
    /// How far it is.
    pub state: MatchState,
    /// Digest of the texts that it is played by; none if that was not kept beside the log.
    pub content: Option<Hash>,
}

/// Why a store did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The engine failed. After a write the outcome is unknown: read the log again.
    #[error("the store failed: {0}")]
    Engine(String),
    /// What is kept is not what was written.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// The engine does not keep what it says it keeps, or cannot be written to; and how to mend it.
    #[error("{0}")]
    Unfit(String),
    /// Another referee has opened this store since. This one must not write any more.
    #[error("another referee has taken over this store")]
    Fenced,
    /// The store was written by another version of the referee.
    #[error("the store has schema {found}, this referee needs {known}{}", if found < known { "; `referee store migrate` brings it there" } else { "" })]
    Schema {
        /// What the store says.
        found: i64,
        /// What this referee knows.
        known: i64,
    },
    /// Another referee has written to this match meanwhile, again and again. Nothing was written.
    #[error("another referee writes to this match")]
    Overtaken,
    /// The writer has stopped.
    #[error("the store is closed")]
    Closed,
}

/// A time without a referee, in milliseconds of Unix time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// When there was one last.
    pub from_ms: i64,
    /// When there was one again.
    pub to_ms: i64,
}

/// Outages that are remembered; older ones are forgotten. Matches that wait for longer gain nothing but time.
pub const OUTAGES: usize = 1024;

/// Where several referees serve from a store: a time without a note that there is one, in milliseconds, that is one without a
/// referee that could write. Each notes that now and then only.
pub const NOTED: i64 = 15_000;

/// What an engine must do. Calls block; the [`Journal`] and the readers call it off the async threads.
pub trait Store: Send + Sync + 'static {
    /// Whether an append is over at once, because nothing is made durable.
    fn is_instant(&self) -> bool {
        false
    }

    /// How many groups may be written at a time. Appends to one match never are.
    fn lanes(&self) -> usize {
        1
    }

    /// What it is beyond this if several referees may serve from it; none if one alone does.
    fn shared(&self) -> Option<&dyn Shared> {
        None
    }

    /// Writes a group in one go and makes it durable before it returns. Each append is judged after
    /// those before it in the group; one that conflicts or is a duplicate does not hinder the others.
    ///
    /// # Errors
    ///
    /// Then the outcome of the whole group is unknown.
    fn append(&self, group: Vec<Append>) -> Result<Vec<Appended>, StoreError>;

    /// Writes something that means nothing, durably: to see whether anything can be written.
    ///
    /// # Errors
    ///
    /// When it cannot.
    fn probe(&self) -> Result<(), StoreError>;

    /// Writes what stands in a log beside a file into the file, for a process that is about to end: however it does, the file is
    /// whole.
    fn checkpoint(&self) {}

    /// Notes durably that there is a referee now; if it begins, that there was none since this was noted last. Where several
    /// serve, it notes that there was none whenever nobody has noted one for [so long](NOTED): whoever begins is one more, and
    /// a database that was away lets nobody begin.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn alive(&self, now_ms: i64, begins: bool) -> Result<(), StoreError>;

    /// When there was no referee, as far as that is remembered, in any order.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn outages(&self) -> Result<Vec<Outage>, StoreError>;

    /// Reads a log in order, from an entry on, at most `limit` entries; empty at its end.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn read(&self, id: &MatchId, from: u64, limit: usize) -> Result<Vec<StoredEntry>, StoreError>;

    /// What players of a match are called, by digest.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn names(&self, id: &MatchId) -> Result<Vec<NameRow>, StoreError>;

    /// What is kept of a match beside its log; none if there is no such match.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn find(&self, id: &MatchId) -> Result<Option<Kept>, StoreError>;

    /// How a request was answered, in this match or outside of any; none if it was not. One that created a match is found
    /// there, also when that is erased.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn request(
        &self,
        of: Option<&MatchId>,
        principal: Principal,
        request_id: &str,
    ) -> Result<Option<RequestRow>, StoreError>;

    /// Lists matches, newest first, those older than `before` only, at most `limit`.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn list(
        &self,
        wanted: Wanted<'_>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError>;

    /// Lists matches that are so far and listed for everybody ([`Append::open`]), newest first, older than `before`.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn listed(
        &self,
        state: MatchState,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError>;

    /// Lists every match in the order of creation, or every one that is so far, after a place: for checks and copies, and
    /// to tidy up.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn every(
        &self,
        state: Option<MatchState>,
        after: u64,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError>;

    /// Matches that are over and whose requests, or a snapshot, are still kept: after a place in the order of their
    /// creation (0 is the beginning), in that order.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn remembered(&self, after: u64, limit: usize) -> Result<Vec<MatchRow>, StoreError>;

    /// Forgets the requests of a match, which are judged as new ones if they come again, and its snapshot.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn forget_requests(&self, id: &MatchId) -> Result<(), StoreError>;

    /// Matches in which the referee has to act by itself until `now`, the longest overdue first.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn due(&self, now_ms: i64, limit: usize) -> Result<Vec<MatchId>, StoreError>;

    /// A token that was granted and not revoked; none otherwise. Whether it has expired is for the
    /// caller to say. One of a match is found soonest if the match is said.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn token(&self, hash: &Hash, of: Option<&MatchId>) -> Result<Option<TokenRow>, StoreError>;

    /// The token, not revoked, by which a player holds a seat of a match: one that opens a seat and has this label. None if
    /// there is none.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn held_in(&self, holder: &str, id: &MatchId) -> Result<Option<TokenRow>, StoreError>;

    /// Lists matches in which a player holds a seat, or those that are so far, the latest seat first, older than `before`.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn held(
        &self,
        holder: &str,
        state: Option<MatchState>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<HeldRow>, StoreError>;

    /// Keeps what was learned from another server, durably, in the place of what was learned before.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn learn(&self, key: &str, value: &[u8]) -> Result<(), StoreError>;

    /// What was learned from another server last; none if nothing was.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn learned(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// What is to be told to other servers until then, the longest overdue first.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn notices(&self, until_ms: i64, limit: usize) -> Result<Vec<NoticeRow>, StoreError>;

    /// A notice was told, or is given up; or it is tried again at a time, and counted once more, if nobody has counted since it was
    /// read.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn settle_notice(&self, notice: &NoticeRow, again_ms: Option<i64>) -> Result<(), StoreError>;

    /// How often tokens were revoked, by whomever: who remembers tokens forgets them when it changes.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn revocations(&self) -> Result<u64, StoreError>;

    /// Makes a token valid; does nothing if it is known, even if it was revoked.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn grant(&self, token: &TokenRow) -> Result<(), StoreError>;

    /// Lists the tokens of hosts, publishers and administrators, newest first, older than `before`.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn tokens(&self, before: Option<u64>, limit: usize) -> Result<Vec<ListedToken>, StoreError>;

    /// Makes a change outside of any match and keeps how its request was answered, in one go.
    ///
    /// # Errors
    ///
    /// Then the outcome is unknown.
    fn settle(&self, change: &Change, request: &RequestRow) -> Result<Appended, StoreError> {
        self.settle_by(None, change, request)
    }

    /// The same by a publisher whom the ruleset must belong to, if it belongs to anybody once the change is made; if it does not,
    /// nothing is written ([`Appended::Conflict`]).
    ///
    /// # Errors
    ///
    /// Then the outcome is unknown.
    fn settle_by(
        &self,
        publisher: Option<&str>,
        change: &Change,
        request: &RequestRow,
    ) -> Result<Appended, StoreError>;

    /// Makes a change that no request asks for: somebody on this machine does.
    ///
    /// # Errors
    ///
    /// Then the outcome is unknown.
    fn change(&self, change: &Change) -> Result<(), StoreError>;

    /// Remembers that a ruleset was offered; does nothing if it was before.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn offer(&self, revision: &RevisionRow) -> Result<(), StoreError>;

    /// Whether a ruleset was ever offered with these texts.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn offered(&self, ruleset: &str, digest: &Hash) -> Result<bool, StoreError>;

    /// Lists the revisions of a ruleset, newest first, older than `before`.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn revisions(
        &self,
        ruleset: &str,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<ListedRevision>, StoreError>;

    /// Every channel of every ruleset, by ruleset and channel.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn channels(&self) -> Result<Vec<ChannelRow>, StoreError>;

    /// Who owns which ruleset.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn owners(&self) -> Result<Vec<OwnerRow>, StoreError>;

    /// Every revision that is yanked.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn yanked(&self) -> Result<Vec<RevisionRow>, StoreError>;

    /// Keeps a snapshot of a match in the place of an earlier one; does nothing if there is no such match.
    /// A snapshot is a cache: it may be gone at any time, after a power cut for instance.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn put_snapshot(&self, id: &MatchId, snapshot: &[u8]) -> Result<(), StoreError>;

    /// The snapshot of a match; none if none is kept.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn snapshot(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Forgets the snapshot of a match, if one is kept.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn delete_snapshot(&self, id: &MatchId) -> Result<(), StoreError>;

    /// Keeps content under its digest; does nothing if it is kept.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn put_content(&self, digest: &Hash, content: &[u8]) -> Result<(), StoreError>;

    /// The content with this digest; none if it is not kept.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn content(&self, digest: &Hash) -> Result<Option<Vec<u8>>, StoreError>;
}

/// What another referee did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WakeUp {
    /// The log of a match has so many entries now.
    Grew(MatchId, u64),
    /// Something changed of what is listed for everybody.
    Listing,
    /// Whoever has tokens with this label holds a seat more.
    Holder(Arc<str>),
    /// Something is to be told to other servers.
    Notices,
    /// Nobody knows what was missed.
    Missed,
}

/// A store that several referees serve from at once.
///
/// Nothing here is needed for what is right: whoever appends says how the log ends, and is refused if somebody else was there
/// first. This is how referees hear of each other soon, and do not do the same work twice.
pub trait Shared: Send + Sync {
    /// The clock that all of them go by.
    fn clock(&self) -> Clock;

    /// What others do from now on; what this referee does may be among it. Some of it may be lost.
    fn wake_ups(&self) -> broadcast::Receiver<WakeUp>;

    /// How many entries the logs of these matches have now, of those that there are.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn lengths(&self, ids: &[MatchId]) -> Result<Vec<(MatchId, u64)>, StoreError>;

    /// Whether it is for this referee to act by itself in a match, for some seconds from now on: to move for bots, and in the
    /// place of those whose time is up. One at a time does.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn claim(&self, id: &MatchId) -> Result<bool, StoreError>;

    /// Whether it is for this referee to tell a notice that was read: nobody else is told of it before that time. One that is
    /// not settled by then is told by whoever comes first.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn take_notice(&self, notice: &NoticeRow, until_ms: i64) -> Result<bool, StoreError>;

    /// How many connections to the database are in use here.
    fn connections(&self) -> Connections;

    /// How often something was published, yanked or given away, by whomever: who remembers what is published reads it anew
    /// when this changes.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn publications(&self) -> Result<u64, StoreError>;
}

/// Connections of one referee to its database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// In use.
    pub used: usize,
    /// Work that waits for one.
    pub waiting: usize,
}

/// What others are told of an append once it is done.
pub fn wake_ups(append: &Append) -> Vec<WakeUp> {
    let length = append.expected.saturating_add(to_u64(append.entries.len()));
    let mut told = vec![WakeUp::Grew(append.id.clone(), length)];
    let labels = append.tokens.iter().filter(|row| !row.label.is_empty());
    told.extend(labels.map(|row| WakeUp::Holder(row.label.as_str().into())));
    if append.listing {
        told.push(WakeUp::Listing);
    }
    if !append.notices.is_empty() {
        told.push(WakeUp::Notices);
    }
    told
}
