//! A match as bytes, from which it goes on as if it had never stopped: a cache of playing it again.
//!
//! Saved are the cells of the position and what happened; neither the ruleset nor the seed, which the caller who
//! restores has, nor what can be found again (offers, what queries gave). The bytes are this engine's own:
//! another form, other rules or a flipped bit are noticed, and then the match is played again from its record.
//! They hold everything that is hidden in the match.

use std::sync::Arc;

use super::history::History;
use super::history_encoding::{Reader, Writer};
use super::one_match::Match;
use crate::flow::Game;
use crate::machine::{Digest, Ruleset};
use crate::numbers::At as _;
use crate::program::cell::Cell;
use crate::program::model::{CauseId, instances};
use crate::state::{Happened, Kept, MadeMove, Raw, Seed};

/// The version of this engine and the form of what it saves. It changes with whatever is written, or means
/// something else.
pub const FORM: &str = concat!(env!("CARGO_PKG_VERSION"), "/2");

/// Why a saved match was not restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRestored {
    /// Another form, another ruleset or engine, or not what was written.
    #[error("this is no saved match of this ruleset, engine and form, or it is damaged")]
    Foreign,
    /// It is whole, and no match of this ruleset.
    #[error("what was saved is no match of this ruleset")]
    Impossible,
}

impl Match {
    /// This match as bytes, for [`restore`](Match::restore). Which clauses' rules ran is not among them.
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.list(&self.game().position.cells);
        self.history().save(&mut out);
        let sum = sum(self.ruleset(), &out.0);
        out.0.extend_from_slice(&sum);
        out.0
    }

    /// A match that was saved, with its ruleset and seed. Forced moves are asked until
    /// [`set_ask_forced`](Match::set_ask_forced) says otherwise.
    ///
    /// # Errors
    ///
    /// When these are not the bytes that [`save`](Match::save) gave of a match of this ruleset.
    pub fn restore(ruleset: Arc<Ruleset>, seed: Seed, saved: &[u8]) -> Result<Match, NotRestored> {
        let sums = size_of::<Digest>();
        let split = saved.len().checked_sub(sums).ok_or(NotRestored::Foreign)?;
        let (body, written) = saved.split_at(split);
        if sum(&ruleset, body) != written {
            return Err(NotRestored::Foreign);
        }
        let mut from = Reader(body);
        let cells: Option<Vec<i32>> = from.list();
        let cells = cells.filter(|cells| cells.len() == ruleset.program.initial.len());
        let history = History::restore(&mut from, |raw| can_happen(&ruleset, raw));
        let (Some(cells), Some(history), true) = (cells, history, from.is_empty()) else {
            return Err(NotRestored::Impossible);
        };
        let game =
            Game::resumed(ruleset, seed, cells.into()).map_err(|_| NotRestored::Impossible)?;
        Ok(Match::going_on(game, history))
    }
}

/// What proves that bytes were written by this engine in this form for this ruleset, whose digest says
/// the version of the engine, too.
fn sum(ruleset: &Ruleset, body: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("referee 2026-11 saved match");
    hasher.update(FORM.as_bytes());
    hasher.update(&ruleset.digest().0);
    hasher.update(body);
    *hasher.finalize().as_bytes()
}

/// Whether something names only what there is in a ruleset.
fn can_happen(rs: &Ruleset, happened: &Happened) -> bool {
    let known = happened.cause == CauseId::NONE || rs.program.causes.get(happened.cause).is_some();
    known && names_known(rs, &happened.raw)
}

fn names_known(rs: &Ruleset, raw: &Raw) -> bool {
    let model = rs.model();
    let cell = |cell: &Cell| cell.at() < rs.program.initial.len();
    let place = |cell: &Cell| rs.find_place(*cell);
    match raw {
        Raw::Phase { phase, args } => {
            let phase = model.phases.get(*phase);
            phase.is_some_and(|phase| phase.param_cells().count() == args.len())
        }
        // What brings something stands beside it.
        Raw::By(_) => false,
        Raw::Ended { phase } => model.phases.get(*phase).is_some(),
        Raw::Kept(kept) => {
            let Kept {
                phase,
                var,
                instance,
                value,
                ..
            } = &**kept;
            let phase = model.phases.get(*phase);
            let var = phase.and_then(|phase| phase.keeps.get(usize::from(*var)));
            var.is_some_and(|var| {
                *instance < instances(&var.index) && value.len() == var.width.at()
            })
        }
        Raw::Asked { ask, .. } => model.asks.get(*ask).is_some(),
        Raw::Move(made) => {
            let MadeMove {
                seat,
                ask,
                mv,
                args,
                plan,
                ..
            } = &**made;
            let mv = model.moves.get(*mv);
            *seat < model.players
                && model.asks.get(*ask).is_some()
                && mv.is_some_and(|mv| usize::from(mv.registers) == args.len() + 1)
                && plan.iter().all(|cell| place(cell).is_some())
        }
        Raw::Pieces { from, to, row, .. } => [from, to]
            .into_iter()
            .all(|cell| place(cell).is_some_and(|place| u32::from(*row) < place.width)),
        Raw::Counter { cell: at, .. } | Raw::Marker { cell: at, .. } => cell(at),
        Raw::Shuffled { cell, .. } => place(cell).is_some(),
        Raw::Raised { event, .. } => model.events.get(*event).is_some(),
        Raw::Due { ending } => model.endings.get(*ending).is_some(),
        Raw::Over => true,
    }
}
