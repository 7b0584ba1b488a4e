//! Restores a match from its log.
//!
//! What is read must be what was written (the hash chain); if it is not, the match is damaged and nothing is guessed. It must
//! replay move by move, and arrive after every entry at the state that was there. A snapshot may stand in for playing the
//! first moves ([`checkpoint`]), if it was saved behind these very entries; where it does not lead to what the log says, it is
//! forgotten.
//!
//! Where the moves of a log that is whole lead elsewhere, the match is suspended, not damaged: its moves stay, and its host
//! can move it to other texts. So it is when this referee understands the ruleset otherwise than the one that wrote the log
//! (its semantics number has risen), and also if the number should have risen and has not; then whoever checks the record is
//! told that it is not sound.

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{Digest, LAID_OUT_AS_LOGGED, Match, RecordedMove, Seed, WORK};

use super::checkpoint;
use crate::state::{Ends, History};
use crate::{MatchInfo, Metric, Otherwise, Parts, Play, Snapshot, TableError, seed};
use referee_library::Edition;
use referee_sandbox::Purpose;
use referee_store::log::names::Names;
use referee_store::log::v1::{self, Maker, TableChanged, entry::Body, table_changed::Kind};
use referee_store::log::{self, Entry, Format};
use referee_store::numbers::{to_u64, to_usize};
use referee_store::{Hash, Kept, MatchId, MatchState, NewMatch, StoredEntry, chain};

/// Entries that are read at a time.
const PAGE: usize = 1000;

/// A match as its log says it is.
pub struct Restored {
    /// The match.
    pub snapshot: Snapshot,
    /// Entries of its log.
    pub length: u64,
    /// The hash that ties the last of them to all before it.
    pub head: Hash,
    /// Its seed; none if the record is damaged.
    pub seed: Option<Seed>,
    /// Moves that its snapshot spared to play; zero if none was used.
    pub spared: usize,
}

/// Whether snapshots are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// As far as they fit the log.
    Snapshots,
    /// Not at all: every move is played again, as verification needs it.
    Nothing,
}

/// Reads the log of a match; none if there is no such match. Takes its time: not for async threads.
///
/// # Errors
///
/// When the store fails, or not even the first entry can be read.
pub fn restore(parts: &Parts, id: &MatchId, trust: Trust) -> Result<Option<Restored>, TableError> {
    until(parts, id, u64::MAX, trust)
}

/// As [`restore`], of the first entries only: the match as it was.
///
/// # Errors
///
/// As [`restore`].
pub fn until(
    parts: &Parts,
    id: &MatchId,
    most: u64,
    trust: Trust,
) -> Result<Option<Restored>, TableError> {
    let Some(Kept { new: kept, .. }) = parts.store.find(id)? else {
        return Ok(None);
    };
    let mut trouble = None;
    let mut story = Story {
        names: Names::of(&*parts.store, id)?,
        ..Story::default()
    };
    let found = match trust {
        Trust::Snapshots => checkpoint::find(parts, id),
        Trust::Nothing => None,
    };
    let mut fits = false;
    let mut verifier = chain::Verifier::new(id);
    'log: loop {
        let entries = parts.store.read(id, verifier.verified(), PAGE)?;
        if entries.is_empty() {
            break;
        }
        for entry in &entries {
            if verifier.verified() >= most {
                break 'log;
            }
            let told = verifier
                .verify(entry)
                .map_err(TableError::from)
                .and_then(|()| story.tell(id, &kept, entry));
            if let Err(error) = told {
                trouble = Some(error);
                break 'log;
            }
            let there = found.as_ref();
            let there = there.filter(|found| found.entries() == verifier.verified());
            fits |= there.is_some_and(|found| found.is_behind(&verifier.head()));
        }
    }
    if found.is_some() && !fits {
        parts.metrics.count(Metric::SnapshotStale);
    }
    let found = found.filter(|_| fits);
    let Some(mut info) = story.info.clone() else {
        return Err(
            trouble.unwrap_or_else(|| TableError::Damaged("the log has no beginning".into()))
        );
    };
    let seed = seed::open(&parts.keys, id, &story.sealed_seed);
    let played = match trouble {
        Some(error) => Err(error),
        None => story.play(parts, &info, seed, found),
    };
    let mut spared = 0;
    let play = match played {
        Ok(played) => played.map(|played| {
            spared = played.spared;
            Arc::new(played.play)
        }),
        Err(TableError::Damaged(reason)) => {
            tracing::error!(%id, %reason, "the record of a match is damaged");
            parts.metrics.count(Metric::Suspended);
            info.state = MatchState::Suspended;
            info.suspended = Some(reason);
            info.damaged = true;
            None
        }
        Err(TableError::Otherwise(otherwise)) => {
            tracing::warn!(%id, entry = otherwise.entry, reason = %otherwise.reason, "a match is suspended");
            parts.metrics.count(Metric::Suspended);
            info.suspended = Some(otherwise.to_string());
            // What is over stays over, though its end cannot be shown.
            if info.state == MatchState::Running {
                info.state = MatchState::Suspended;
            }
            info.otherwise = Some(otherwise);
            None
        }
        Err(error) => return Err(error),
    };
    if info.state == MatchState::Finished {
        info.revealed = seed;
    }
    let seed = if info.damaged { None } else { seed };
    Ok(Some(Restored {
        snapshot: Snapshot { info, play },
        length: verifier.verified(),
        head: verifier.head(),
        seed,
        spared,
    }))
}

/// The ruleset that a match is pinned to. Takes its time: not for async threads.
///
/// # Errors
///
/// [`TableError::Damaged`] when its texts are not kept, [`TableError::Otherwise`] when they do not compile.
pub fn ruleset(parts: &Parts, info: &MatchInfo) -> Result<Arc<Ruleset>, TableError> {
    pinned(parts, info, &info.content, info.digest, 0).map(|rules| rules.ruleset)
}

/// The rules that a match is pinned to.
#[derive(Clone)]
struct Pinned {
    ruleset: Arc<Ruleset>,
    /// Whether this referee understands them as the one that began with them did.
    same: bool,
}

/// A ruleset of texts that are kept, in a match's configuration, by which it is played from an entry on.
fn pinned(
    parts: &Parts,
    info: &MatchInfo,
    digest: &Hash,
    compiled: Digest,
    entry: u64,
) -> Result<Pinned, TableError> {
    let library = parts.library.load();
    // What these very texts were compiled to lately spares reading them.
    let known = library.compiled(digest, &info.configuration);
    if let Some(ruleset) = known.filter(|ruleset| ruleset.digest() == compiled) {
        return Ok(Pinned {
            ruleset,
            same: true,
        });
    }
    let content = parts.store.content(digest)?;
    let content =
        content.ok_or_else(|| TableError::Damaged("the ruleset's texts are not kept".into()))?;
    let edition =
        Edition::from_content(&content).map_err(|error| TableError::Damaged(error.to_string()))?;
    if edition.digest != *digest {
        return Err(TableError::Damaged(
            "the ruleset's texts are not what was kept".into(),
        ));
    }
    let ruleset = match library.compile_kept(&edition, &info.configuration) {
        Ok(ruleset) => ruleset,
        Err(rejected) if rejected.takes_too_much() => beyond(parts, &edition, info, entry)?,
        Err(_) => return Err(no_longer_compiles(entry)),
    };
    // The texts are those that were kept, so that another digest can only mean other semantics.
    let same = ruleset.digest() == compiled;
    Ok(Pinned { ruleset, same })
}

/// Compiles texts of a match that take more work than is allowed today, if that can be afforded.
///
/// # Errors
///
/// [`TableError::Otherwise`] if it cannot: the match is suspended.
fn beyond(
    parts: &Parts,
    edition: &Edition,
    info: &MatchInfo,
    entry: u64,
) -> Result<Arc<Ruleset>, TableError> {
    let cannot = |reason: String| {
        TableError::Otherwise(Otherwise {
            as_before: false,
            entry,
            reason,
        })
    };
    if parts.sandbox.program.is_none() {
        let why = format!(
            "making its ruleset takes more than {WORK} units of work, and there is no sandbox in which that could be tried"
        );
        return Err(cannot(why));
    }
    let mut trial = parts.sandbox.tries(Arc::new(edition.texts.clone()));
    match trial.verdict(&info.configuration, Purpose::Kept) {
        Ok(verdict) if verdict.playable => parts
            .library
            .load()
            .compile_unbounded(edition, &info.configuration)
            .map_err(|_| no_longer_compiles(entry)),
        Ok(_) => Err(no_longer_compiles(entry)),
        Err(ended) => Err(cannot(format!("making its ruleset: {ended}"))),
    }
}

/// An error was added of which nobody has said that it was ([`interpreter::diagnostic::ADDED`]).
fn no_longer_compiles(entry: u64) -> TableError {
    TableError::Otherwise(Otherwise {
        as_before: true,
        entry,
        reason: "the ruleset no longer compiles".into(),
    })
}

/// The rules that a match is pinned to, or why they are not understood as they were.
type Understood = Result<Pinned, Otherwise>;

/// Rules that are not understood are no mistake as long as no game is played by them.
fn understood(pinned: Result<Pinned, TableError>) -> Result<Understood, TableError> {
    match pinned {
        Ok(pinned) => Ok(Ok(pinned)),
        Err(TableError::Otherwise(otherwise)) => Ok(Err(otherwise)),
        Err(error) => Err(error),
    }
}

/// What the entries say, one after the other.
#[derive(Default)]
struct Story {
    /// What players are called, which the entries do not say.
    names: Names,
    info: Option<MatchInfo>,
    sealed_seed: Vec<u8>,
    acts: Vec<Act>,
    /// Texts and digest of the rules that it began with, and the entry that says so; none if it has not begun.
    begun: Option<(Hash, Digest, u64)>,
    over: bool,
}

/// Something that happened, as far as playing again is concerned.
enum Act {
    /// Moves, the state after them, and who made the first.
    Moves(Vec<RecordedMove>, Expected, Maker),
    /// Something at the table, and the state after it if the game was changed by it.
    Noted(v1::Noted, Expected),
    /// The store was migrated in this state.
    Migrated(Expected),
}

/// The state that an entry says was there.
#[derive(Clone)]
struct Expected {
    /// The entry.
    entry: u64,
    format: Format,
    /// Its hash; empty if the entry says nothing of it.
    state_hash: Vec<u8>,
}

impl Expected {
    /// Whether a game is in this state; none if that cannot be told.
    fn agrees(&self, game: &Match, same: bool) -> Option<bool> {
        let hash = match self.format {
            _ if self.state_hash.is_empty() => return None,
            Format::Canonical => game.state_hash(),
            Format::Cells if same && LAID_OUT_AS_LOGGED => game.cells_hash(),
            Format::Cells => return None,
        };
        Some(hash.0[..] == self.state_hash[..])
    }
}

impl Story {
    fn tell(
        &mut self,
        id: &MatchId,
        kept: &NewMatch,
        stored: &StoredEntry,
    ) -> Result<(), TableError> {
        let Entry {
            format,
            at_ms: at,
            mut body,
            ..
        } = Entry::decode(&stored.body)?;
        self.names.fill(&mut body);
        let damaged = |what: &str| TableError::Damaged(what.into());
        match (&mut self.info, &body) {
            (None, Body::Created(created)) => {
                self.sealed_seed = created.sealed_seed.clone();
                let begun = MatchInfo::begun(id, kept.host, at, created);
                self.info = Some(begun.ok_or_else(|| damaged("the first entry makes no sense"))?);
                return Ok(());
            }
            (None, _) => return Err(damaged("the log has no beginning")),
            (Some(_), Body::Created(_)) => return Err(damaged("the match was created twice")),
            (Some(info), body) => info.tell(at, body),
        }
        let expected = |state_hash| Expected {
            entry: stored.sequence,
            format,
            state_hash,
        };
        match body {
            Body::Started(started) => {
                let moves = log::moves_in(&started.moves)?;
                let info = self.info.as_ref();
                self.begun = info.map(|info| (info.content, info.digest, stored.sequence));
                let expected = expected(started.state_hash);
                self.acts
                    .push(Act::Moves(moves, expected, Maker::Unspecified));
            }
            Body::Moved(moved) => {
                let maker = moved.moves.first().map(v1::RecordedMove::maker);
                let moves = log::moves_in(&moved.moves)?;
                let expected = expected(moved.state_hash);
                self.acts
                    .push(Act::Moves(moves, expected, maker.unwrap_or_default()));
            }
            Body::Finished(_) => self.over = true,
            Body::Noted(noted) if self.begun.is_some() => {
                let expected = expected(noted.state_hash.clone());
                self.acts.push(Act::Noted(noted, expected));
            }
            Body::Migrated(migrated) => {
                self.acts.push(Act::Migrated(expected(migrated.state_hash)))
            }
            _ => {}
        }
        Ok(())
    }

    /// Plays the game again; none if it has not begun.
    fn play(
        &self,
        parts: &Parts,
        info: &MatchInfo,
        seed: Option<Seed>,
        snapshot: Option<checkpoint::Found>,
    ) -> Result<Option<Played>, TableError> {
        let damaged = |what: &str| TableError::Damaged(what.into());
        let seed = seed.ok_or_else(|| damaged("the seed was sealed with another key"))?;
        let Some((content, digest, entry)) = &self.begun else {
            return Ok(None);
        };
        let first = understood(pinned(parts, info, content, *digest, *entry))?;
        let again = |snapshot| Again {
            parts,
            info,
            seed: info.game_seed(seed),
            rules: first.clone(),
            line: Line::default(),
            history: History::default(),
            snapshot,
        };
        let by_snapshot = snapshot.is_some();
        match self.played(again(snapshot)) {
            Ok(played) => {
                if played.spared > 0 {
                    parts.metrics.count(Metric::SnapshotUsed);
                }
                Ok(Some(played))
            }
            Err(TableError::Damaged(_) | TableError::Otherwise(_)) if by_snapshot => {
                let played = self.played(again(None))?;
                checkpoint::damaged(parts, &info.id);
                Ok(Some(played))
            }
            Err(error) => Err(error),
        }
    }

    /// Plays all acts again; what comes out must be what the log says.
    fn played(&self, mut again: Again<'_>) -> Result<Played, TableError> {
        for act in &self.acts {
            again.act(act)?;
        }
        again.end(self.over)
    }
}

/// A game that was played again.
struct Played {
    play: Play,
    /// Moves that a snapshot spared.
    spared: usize,
}

/// Moves one after the other, and what the log says of the way: it begins anew where moves are taken back.
#[derive(Default)]
struct Line {
    moves: Vec<RecordedMove>,
    /// Who made moves in players' places, by the number of the move.
    makers: Vec<(usize, Maker)>,
    /// States, each after so many moves.
    expected: Vec<(usize, Expected)>,
    /// What happened at the table, each after so many moves.
    changes: Vec<(usize, TableChanged)>,
}

/// A match that is played again. Moves are gathered, and played when something needs the game.
struct Again<'a> {
    parts: &'a Parts,
    info: &'a MatchInfo,
    seed: Seed,
    rules: Understood,
    line: Line,
    history: History,
    /// What may stand in for the first moves.
    snapshot: Option<checkpoint::Found>,
}

impl Again<'_> {
    /// What it means that the game goes otherwise than the log says, from an entry on.
    fn otherwise(&self, entry: u64, reason: impl Into<String>) -> TableError {
        TableError::Otherwise(Otherwise {
            as_before: self.rules.as_ref().is_ok_and(|rules| rules.same),
            entry,
            reason: reason.into(),
        })
    }

    /// The game after the moves so far, and how many of them a snapshot spared. After every entry it must be in the
    /// state that was there.
    fn game(&self) -> Result<(Match, usize), TableError> {
        let rules = self.rules.as_ref();
        let Pinned { ruleset, same } = rules.map_err(|why| TableError::Otherwise(why.clone()))?;
        let (id, line) = (&self.info.id, &self.line);
        let first = line
            .expected
            .first()
            .map_or(0, |(_, expected)| expected.entry);
        let snapshot = self.snapshot.as_ref().filter(|_| *same);
        let saved = snapshot.and_then(|found| {
            // The states that it spares are those that it was saved behind.
            let spares = |after: usize| after < found.moves();
            let mut spared = line.expected.iter().filter(|(after, _)| spares(*after));
            if !spared.all(|(_, expected)| expected.entry < found.entries()) {
                self.parts.metrics.count(Metric::SnapshotStale);
                return None;
            }
            found.game(self.parts, id, ruleset, self.seed, &line.moves)
        });
        let mut game = match saved {
            Some(game) => game,
            // Every move is in the log, forced ones too.
            None => Match::new(ruleset.clone(), self.seed, true)
                .map_err(|_| self.otherwise(first, "the set-up fails"))?,
        };
        let spared = game.moves().len();
        let mut made = spared;
        let last = line
            .expected
            .last()
            .map_or(first, |(_, expected)| expected.entry);
        for (after, expected) in line.expected.iter().filter(|(after, _)| *after >= spared) {
            game.play_on(&line.moves[made..*after])
                .map_err(|why| self.otherwise(expected.entry, why.to_string()))?;
            made = *after;
            if expected.agrees(&game, *same) == Some(false) {
                let why = "the moves lead to another state than they did";
                return Err(self.otherwise(expected.entry, why));
            }
        }
        game.play_on(&line.moves[made..])
            .map_err(|why| self.otherwise(last, why.to_string()))?;
        game.set_ask_forced(self.info.ask_forced)
            .map_err(|fault| self.otherwise(last, fault.to_string()))?;
        if game.moves().len() != line.moves.len() {
            return Err(self.otherwise(last, "the moves lead elsewhere than they did"));
        }
        Ok((game, spared))
    }

    fn act(&mut self, act: &Act) -> Result<(), TableError> {
        let line = &mut self.line;
        match act {
            Act::Moves(moves, expected, maker) => {
                if *maker != Maker::Unspecified {
                    line.makers.push((line.moves.len(), *maker));
                }
                line.moves.extend(moves.iter().cloned());
                line.expected.push((line.moves.len(), expected.clone()));
            }
            Act::Migrated(expected) => line.expected.push((line.moves.len(), expected.clone())),
            Act::Noted(noted, expected) => {
                let change = noted.change.clone().unwrap_or_default();
                let kind = change.kind.clone();
                line.changes.push((line.moves.len(), change));
                match kind {
                    Some(Kind::MovesUndone(_)) => {
                        self.undo(to_usize(noted.moves_left), expected)?
                    }
                    Some(Kind::RulesetChanged(_)) => self.change_rules(noted, expected)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Takes moves back.
    fn undo(&mut self, left: usize, expected: &Expected) -> Result<(), TableError> {
        let old = Arc::new(self.game()?.0);
        self.tell(&old);
        self.line.moves.truncate(left);
        self.line.expected.retain(|(after, _)| *after <= left);
        self.go_on(&old, expected)
    }

    /// Goes on with other rules.
    fn change_rules(&mut self, noted: &v1::Noted, expected: &Expected) -> Result<(), TableError> {
        let old = match self.game() {
            Ok((old, _)) => Some(Arc::new(old)),
            // That is why its host has moved it: what it showed before, nobody can say any more.
            Err(TableError::Otherwise(_)) => None,
            Err(error) => return Err(error),
        };
        if let Some(old) = &old {
            self.tell(old);
        }
        let content = hash(&noted.content)?;
        self.rules = understood(pinned(
            self.parts,
            self.info,
            &content,
            Digest(hash(&noted.digest)?),
            expected.entry,
        ))?;
        // The states of before were those of other rules.
        self.line.expected.clear();
        match old {
            Some(old) => self.go_on(&old, expected),
            None => {
                let after = self.line.moves.len();
                self.line.expected.push((after, expected.clone()));
                Ok(())
            }
        }
    }

    /// Another game goes on in the place of the old one.
    fn go_on(&mut self, old: &Arc<Match>, expected: &Expected) -> Result<(), TableError> {
        let after = self.line.moves.len();
        self.line.expected.push((after, expected.clone()));
        let (new, _) = self.game()?;
        self.history.change_game(old, &new);
        Ok(())
    }

    /// Puts what happened at the table, and who moved in players' places, among the events of a game.
    fn tell(&mut self, game: &Match) {
        for (after, change) in self.line.changes.drain(..) {
            let happened = game.place_of_move(after).unwrap_or(game.happened());
            self.history.note(to_u64(happened), to_u64(after), change);
        }
        for (number, maker) in self.line.makers.drain(..) {
            if let Some(at) = game.place_of_move(number) {
                self.history.made_at(to_u64(at), maker);
            }
        }
    }

    fn end(mut self, over: bool) -> Result<Played, TableError> {
        let (game, spared) = self.game()?;
        if game.outcome().is_some() != over {
            let last = self.line.expected.last();
            let last = last.map_or(0, |(_, expected)| expected.entry);
            return Err(self.otherwise(last, "the moves lead elsewhere than they did"));
        }
        let game = Arc::new(game);
        self.tell(&game);
        let play = Play::of(game, self.history, &Ends::default());
        Ok(Played { play, spared })
    }
}

/// The moves of a match as its log has them, to be played by other rules: those that were taken back are not
/// among them. With the states that it was in, each after so many moves, by the entries that say so.
///
/// # Errors
///
/// When the store fails, or the log cannot be read.
pub fn recorded(parts: &Parts, id: &MatchId) -> Result<Recorded, TableError> {
    let gone = || TableError::Damaged("the log has no beginning".into());
    let kept = parts.store.find(id)?.ok_or_else(gone)?.new;
    let mut story = Story::default();
    let tell = |entry: &StoredEntry| story.tell(id, &kept, entry);
    chain::Verifier::new(id).read_on(&*parts.store, id, tell)?;
    let info = story.info.as_ref().ok_or_else(gone)?;
    let seed = seed::open(&parts.keys, id, &story.sealed_seed);
    let seed =
        seed.ok_or_else(|| TableError::Damaged("the seed was sealed with another key".into()))?;
    let mut recorded = Recorded {
        seed: info.game_seed(seed),
        moves: Vec::new(),
        states: Vec::new(),
    };
    for act in story.acts {
        let expected = match act {
            Act::Moves(moves, expected, _) => {
                recorded.moves.extend(moves);
                expected
            }
            Act::Migrated(expected) => expected,
            Act::Noted(noted, expected) => match noted.change.and_then(|change| change.kind) {
                Some(Kind::MovesUndone(_)) => {
                    recorded.moves.truncate(to_usize(noted.moves_left));
                    let left = recorded.moves.len();
                    recorded.states.retain(|(after, ..)| *after <= left);
                    expected
                }
                Some(Kind::RulesetChanged(_)) => {
                    recorded.states.clear();
                    expected
                }
                _ => continue,
            },
        };
        if expected.format == Format::Canonical
            && let Ok(state) = Hash::try_from(&expected.state_hash[..])
        {
            let after = recorded.moves.len();
            recorded.states.push((after, expected.entry, Digest(state)));
        }
    }
    Ok(recorded)
}

/// What a log has of a game.
pub struct Recorded {
    /// The seed that all its chance is drawn from.
    pub seed: Seed,
    /// Its moves, forced ones too.
    pub moves: Vec<RecordedMove>,
    /// After so many moves, an entry says that this was the state.
    pub states: Vec<(usize, u64, Digest)>,
}

fn hash(bytes: &[u8]) -> Result<Hash, TableError> {
    Hash::try_from(bytes).map_err(|_| TableError::Damaged("a digest has not 32 bytes".into()))
}
