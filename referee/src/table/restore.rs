//! From a log back to the match it is the log of.
//!
//! What is read must be what was written (the hash chain), must replay move by move, and must arrive
//! at the state that was there. A snapshot may stand in for playing the first moves ([`saved`]); where it does not
//! lead to what the log says, it is forgotten. If it does not, the match is suspended and nothing is guessed.

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{Audience, Digest, Event, Fault, Match, RecordedMove, Seed};

use super::hall::Parts;
use super::history::{Ends, History};
use super::info::MatchInfo;
use super::snapshot::{Play, Snapshot};
use super::tally::Counted;
use super::{TableError, log, saved, seed};
use crate::library::Edition;
use crate::store::{Hash, MatchId, MatchState, NewMatch, chain};
use crate::wire::log::v1::{self as wire, Maker, entry::Body};
use crate::wire::v1::table_changed::Kind;

/// Entries that are read at a time.
const PAGE: usize = 1000;

/// A match as its log says it is.
pub struct Restored {
    /// The match.
    pub snapshot: Snapshot,
    /// Entries of its log.
    pub length: u64,
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
    /// Every move is played again: for whoever verifies.
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
    let Some((kept, _)) = parts.store.find(id)? else {
        return Ok(None);
    };
    let mut story = Story::default();
    let mut verifier = chain::Verifier::new(id);
    let mut trouble = None;
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
                .and_then(|()| story.tell(id, &kept, &entry.body));
            if let Err(error) = told {
                trouble = Some(error);
                break 'log;
            }
        }
    }
    let Some(mut info) = story.info.clone() else {
        return Err(
            trouble.unwrap_or_else(|| TableError::Damaged("the log has no beginning".into()))
        );
    };
    let seed = seed::open(&parts.keys, id, &story.sealed_seed);
    let played = match trouble {
        Some(error) => Err(error),
        None => story.play(parts, &info, seed, trust),
    };
    let mut spared = 0;
    let play = match played {
        Ok(played) => played.map(|played| {
            spared = played.spared;
            Arc::new(played.play)
        }),
        Err(TableError::Damaged(reason)) => {
            tracing::error!(%id, %reason, "the record of a match is damaged");
            info.state = MatchState::Suspended;
            info.suspended = Some(reason);
            info.damaged = true;
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
        seed,
        spared,
    }))
}

/// The ruleset that a match is pinned to. Takes its time: not for async threads.
///
/// # Errors
///
/// [`TableError::Damaged`] when its texts are not kept, or do not compile to what they were.
pub fn ruleset(parts: &Parts, info: &MatchInfo) -> Result<Arc<Ruleset>, TableError> {
    pinned(parts, info, &info.content, info.digest)
}

/// A ruleset of texts that are kept, in a match's configuration.
fn pinned(
    parts: &Parts,
    info: &MatchInfo,
    digest: &Hash,
    compiled: Digest,
) -> Result<Arc<Ruleset>, TableError> {
    let library = parts.library.load();
    // What these very texts were compiled to lately spares reading them.
    let known = library.compiled(digest, &info.configuration);
    if let Some(ruleset) = known.filter(|ruleset| ruleset.digest() == compiled) {
        return Ok(ruleset);
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
    let ruleset = library
        .compile(&edition, &info.configuration)
        .map_err(|_| TableError::Damaged("the ruleset no longer compiles".into()))?;
    if ruleset.digest() != compiled {
        return Err(TableError::Damaged(
            "this referee understands the ruleset otherwise than the one that began".into(),
        ));
    }
    Ok(ruleset)
}

/// What the entries say, one after the other.
#[derive(Default)]
struct Story {
    info: Option<MatchInfo>,
    sealed_seed: Vec<u8>,
    acts: Vec<Act>,
    /// Texts and digest of the rules that it began with; none if it has not begun.
    begun: Option<(Hash, Digest)>,
    over: bool,
}

/// Something that happened, as far as playing again is concerned.
enum Act {
    /// Moves, the state after them, and who made the first.
    Moves(Vec<RecordedMove>, Vec<u8>, Maker),
    /// Something at the table.
    Noted(wire::Noted),
}

impl Story {
    fn tell(&mut self, id: &MatchId, kept: &NewMatch, body: &[u8]) -> Result<(), TableError> {
        let (at, body) = log::decode(body)?;
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
        match body {
            Body::Started(started) => {
                let moves = log::moves_in(&started.moves)?;
                self.begun = self.info.as_ref().map(|info| (info.content, info.digest));
                self.acts
                    .push(Act::Moves(moves, started.state_hash, Maker::Unspecified));
            }
            Body::Moved(moved) => {
                let maker = moved.moves.first().map(wire::RecordedMove::maker);
                let moves = log::moves_in(&moved.moves)?;
                let maker = maker.unwrap_or_default();
                self.acts.push(Act::Moves(moves, moved.state_hash, maker));
            }
            Body::Finished(_) => self.over = true,
            Body::Noted(noted) if self.begun.is_some() => self.acts.push(Act::Noted(noted)),
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
        trust: Trust,
    ) -> Result<Option<Played>, TableError> {
        let damaged = |what: &str| TableError::Damaged(what.into());
        let seed = seed.ok_or_else(|| damaged("the seed was sealed with another key"))?;
        let Some((content, digest)) = &self.begun else {
            return Ok(None);
        };
        let first = pinned(parts, info, content, *digest)?;
        let snapshot = match trust {
            Trust::Snapshots => saved::find(parts, &info.id),
            Trust::Nothing => None,
        };
        let again =
            |snapshot| Again::new(parts, info, info.game_seed(seed), first.clone(), snapshot);
        let by_snapshot = snapshot.is_some();
        match self.played(again(snapshot)) {
            Ok(played) => {
                if played.spared > 0 {
                    parts.tally.count(Counted::SnapshotUsed);
                }
                Ok(Some(played))
            }
            Err(TableError::Damaged(_)) if by_snapshot => {
                let played = self.played(again(None))?;
                saved::damaged(parts, &info.id);
                Ok(Some(played))
            }
            Err(error) => Err(error),
        }
    }

    /// Plays all acts again; what comes out must be what the log says.
    fn played(&self, mut again: Again<'_>) -> Result<Played, TableError> {
        let damaged = |what: &str| TableError::Damaged(what.into());
        for act in &self.acts {
            again.act(act)?;
        }
        let (played, state_hash) = again.end()?;
        let game = played.play.game();
        if game.cells_hash().0[..] != state_hash[..] {
            return Err(damaged("the moves lead to another state than they did"));
        }
        if game.outcome().is_some() != self.over {
            return Err(damaged("the moves lead elsewhere than they did"));
        }
        Ok(played)
    }
}

/// A game that was played again.
struct Played {
    play: Play,
    /// Moves that a snapshot spared.
    spared: usize,
}

/// A match that is played again. Moves are gathered, and played when something needs the game.
struct Again<'a> {
    parts: &'a Parts,
    info: &'a MatchInfo,
    seed: Seed,
    ruleset: Arc<Ruleset>,
    moves: Vec<RecordedMove>,
    makers: Vec<(usize, Maker)>,
    history: History,
    state_hash: Vec<u8>,
    /// What may stand in for the first moves.
    snapshot: Option<saved::Found>,
}

impl<'a> Again<'a> {
    fn new(
        parts: &'a Parts,
        info: &'a MatchInfo,
        seed: Seed,
        ruleset: Arc<Ruleset>,
        snapshot: Option<saved::Found>,
    ) -> Again<'a> {
        Again {
            parts,
            info,
            seed,
            ruleset,
            moves: Vec::new(),
            makers: Vec::new(),
            history: History::default(),
            state_hash: Vec::new(),
            snapshot,
        }
    }

    /// The game after the moves so far, and how many of them a snapshot spared.
    fn game(&self) -> Result<(Match, usize), TableError> {
        let damaged = |fault: Fault| TableError::Damaged(fault.to_string());
        let (ruleset, id) = (&self.ruleset, &self.info.id);
        let snapshot = self.snapshot.as_ref();
        let saved = snapshot.and_then(|s| s.game(self.parts, id, ruleset, self.seed, &self.moves));
        let mut game = match saved {
            Some(game) => game,
            // Every move is in the log, forced ones too.
            None => Match::new(ruleset.clone(), self.seed, true).map_err(damaged)?,
        };
        let spared = game.moves().len();
        let behind = &self.moves[spared..];
        game.play_on(behind).map_err(TableError::Damaged)?;
        game.set_ask_forced(self.info.ask_forced).map_err(damaged)?;
        if game.moves().len() != self.moves.len() {
            return Err(TableError::Damaged(
                "the moves lead elsewhere than they did".into(),
            ));
        }
        Ok((game, spared))
    }

    fn act(&mut self, act: &Act) -> Result<(), TableError> {
        match act {
            Act::Moves(moves, state_hash, maker) => {
                if *maker != Maker::Unspecified {
                    self.makers.push((self.moves.len(), *maker));
                }
                self.moves.extend(moves.iter().cloned());
                self.state_hash.clone_from(state_hash);
            }
            Act::Noted(noted) => {
                let change = noted.change.clone().unwrap_or_default();
                let undone = matches!(change.kind, Some(Kind::MovesUndone(_)));
                let ruled = matches!(change.kind, Some(Kind::RulesetChanged(_)));
                self.history.note(noted.happened, change);
                if undone || ruled {
                    let old = Arc::new(self.game()?.0);
                    self.name_makers(&old);
                    if undone {
                        self.moves.truncate(noted.moves_left as usize);
                    } else {
                        let content = hash(&noted.content)?;
                        let digest = Digest(hash(&noted.digest)?);
                        self.ruleset = pinned(self.parts, self.info, &content, digest)?;
                    }
                    let (new, _) = self.game()?;
                    self.history.change_game(&old, &new);
                    self.state_hash.clone_from(&noted.state_hash);
                }
            }
        }
        Ok(())
    }

    /// Finds the moves that the referee made in players' places among the events of a game.
    fn name_makers(&mut self, game: &Match) {
        if self.makers.is_empty() {
            return;
        }
        let moved = game
            .seen(Audience::Referee, 0)
            .filter(|(_, event)| matches!(event, Event::Moved { .. }))
            .map(|(at, _)| at as u64);
        let places: Vec<u64> = moved.collect();
        for (number, maker) in self.makers.drain(..) {
            if let Some(at) = places.get(number) {
                self.history.made_at(*at, maker);
            }
        }
    }

    fn end(mut self) -> Result<(Played, Vec<u8>), TableError> {
        let (game, spared) = self.game()?;
        let game = Arc::new(game);
        self.name_makers(&game);
        let play = Play::of(game, self.history, &Ends::default());
        Ok((Played { play, spared }, self.state_hash))
    }
}

fn hash(bytes: &[u8]) -> Result<Hash, TableError> {
    Hash::try_from(bytes).map_err(|_| TableError::Damaged("a digest has not 32 bytes".into()))
}
