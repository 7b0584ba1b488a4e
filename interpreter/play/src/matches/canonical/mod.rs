//! What a state *is*, whatever the compiler makes of it: the canonical state, its bytes and its hash.
//!
//! In: a match that waits for somebody or is over. Out: bytes in which everything stands that decides how it goes on
//! (but the seed), by the names that its author gave, ordered by these names, and nothing of layout, numbers of rows
//! or nodes, and caches. `proto/state/README.md` specifies every byte, with vectors. Read [`encode`] first; [`program::canonical`](crate::program::canonical)
//! says where things lie, [`decode`] is the way back.
//!
//! Logs keep the hash of each entry's state for ever. A compiler that lays the same rules out otherwise gives the
//! same bytes.

mod decode;
mod encode;
mod item;

use std::cell::RefCell;
use std::sync::{Arc, LazyLock};

use super::history::History;
use super::one_match::Match;
use crate::flow::Game;
use crate::machine::{Digest, Ruleset};
use crate::state::Seed;
pub(super) use encode::Hashed;
use encode::{Earlier, State};
pub use item::{Item, Malformed};

/// What the hash of a state is derived for.
const CONTEXT: &str = "referee 2026-11 canonical state v1";

/// Why a match was not rebuilt from a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRebuilt {
    /// These bytes are no state.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// They are one of other rules.
    #[error("this is no state of this ruleset: {0}")]
    Foreign(String),
}

/// Writes a state where others were written before: hashing one after the other allocates once.
fn draft<T>(write: impl FnOnce(Vec<u8>) -> (T, Vec<u8>)) -> T {
    thread_local! {
        static DRAFT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    DRAFT.with_borrow_mut(|draft| {
        draft.clear();
        let given;
        (given, *draft) = write(std::mem::take(draft));
        given
    })
}

/// The hash of the bytes of a state.
pub fn hash(state: &[u8]) -> Digest {
    // The context is hashed itself first: once is enough.
    static HASHER: LazyLock<blake3::Hasher> =
        LazyLock::new(|| blake3::Hasher::new_derive_key(CONTEXT));
    Digest(*HASHER.clone().update(state).finalize().as_bytes())
}

impl Ruleset {
    /// What lies on the table before anything has happened, as a state says it: its `places`, `counters` and
    /// `markers`, and nothing else. Events tell every change of them from there on.
    pub fn start(&self) -> Item {
        let state = State {
            plan: &self.program.plan,
            cells: &self.program.initial,
            asked: &[],
            earlier: None,
        };
        let state = Item::decode(&state.encode(Vec::new()));
        let mut sections = match state {
            Ok(Item::Map(sections)) => sections,
            // The writer writes nothing else.
            _ => Vec::new(),
        };
        sections.retain(|(name, _)| matches!(&name[..], "places" | "counters" | "markers"));
        Item::Map(sections)
    }
}

impl Match {
    /// The state as bytes, in the canonical form: equal states are equal bytes, however the ruleset was compiled.
    pub fn canonical(&self) -> Vec<u8> {
        self.written(Vec::with_capacity(2048), |state, out| state.encode(out))
    }

    fn written<T>(&self, out: Vec<u8>, write: impl FnOnce(State<'_>, Vec<u8>) -> T) -> T {
        let game = self.game();
        let seats = game.seats();
        let state = State {
            plan: &game.ruleset.program.plan,
            cells: &game.position.cells,
            asked: &seats,
            earlier: None,
        };
        let Some(hashed) = &self.hashed else {
            return write(state, out);
        };
        let regions = &game.ruleset.program.regions;
        let earlier = Earlier {
            places: &hashed.places,
            // A place without room may lie behind the last cell.
            is_same: &|cell| {
                let region = regions.find(cell);
                region.is_some_and(|region| game.memory.last(region) <= hashed.at)
            },
        };
        let earlier = Some(earlier);
        write(State { earlier, ..state }, out)
    }

    /// The hash of the state in its canonical form.
    pub fn state_hash(&self) -> Digest {
        draft(|out| {
            let state = self.written(out, |state, out| state.encode(out));
            (hash(&state), state)
        })
    }

    /// As [`state_hash`](Self::state_hash), and remembers what was written of places: the hash of what comes of this state
    /// takes less time, also in copies of the match.
    pub fn next_state_hash(&mut self) -> Digest {
        draft(|out| {
            let (state, places) = self.written(out, |state, out| state.encode_with_places(out));
            let at = self.game().memory.now();
            self.hashed = Some(Arc::new(Hashed { at, places }));
            (hash(&state), state)
        })
    }

    /// A match that goes on from a state, with its ruleset and seed, as if it had come there. What happened before
    /// is not known to it, and forced moves are asked.
    ///
    /// # Errors
    ///
    /// When these are not the bytes that [`canonical`](Self::canonical) gave of a match of this ruleset.
    pub fn rebuilt(ruleset: Arc<Ruleset>, seed: Seed, state: &[u8]) -> Result<Match, NotRebuilt> {
        let item = Item::decode(state)?;
        let foreign = |why: String| NotRebuilt::Foreign(why);
        let empty = ruleset.empty();
        let read = decode::decode(&ruleset.program.plan, &empty, &item).map_err(foreign)?;
        let impossible = || foreign("nobody can be asked there".into());
        let game =
            Game::asked_at(ruleset, seed, read.cells, &read.asked).map_err(|_| impossible())?;
        let rebuilt = Match::going_on(game, History::default());
        match rebuilt.canonical() == state {
            true => Ok(rebuilt),
            false => Err(impossible()),
        }
    }
}
