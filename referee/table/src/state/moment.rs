//! A match as it stood at an earlier moment, as one audience saw it then.
//!
//! In: a game with its history, and how many events an audience had been told. Out: the table of the last moment up to
//! there at which it waited for somebody. Between two such moments nobody could look at it. Earlier moves are made again,
//! so this costs at most as much as to open the match.

use interpreter::play::{Audience, Match, Record, View};

use super::history::Cursor;
use super::snapshot::Play;
use crate::TableError;

impl Play {
    /// The table as an audience saw it when it had been told of so many events, and the place in its history where that
    /// was: the last moment up to there at which somebody was asked. The first such moment is behind the set-up. Takes its
    /// time: not for async threads.
    ///
    /// # Errors
    ///
    /// When the moves cannot be made again.
    pub fn view_at(&self, audience: Audience, number: u64) -> Result<(View, Cursor), TableError> {
        let moment = self.moment(audience, number);
        let view = match moment.moves == moment.game.moves().len() {
            true => moment.game.view(audience),
            // Whoever was asked had a choice, or was asked all the same.
            false => replay(moment.game, moment.moves, true)?.view(audience),
        };
        Ok((view, moment.cursor))
    }
}

/// The game after its first moves.
///
/// # Errors
///
/// When they cannot be made again.
pub fn replay(game: &Match, left: usize, ask_forced: bool) -> Result<Match, TableError> {
    let mut record: Record = game.record();
    record.moves.truncate(left);
    let mut earlier = Match::replay(game.ruleset().clone(), &record)
        .map_err(|why| TableError::Damaged(why.to_string()))?;
    let asked = earlier.set_ask_forced(ask_forced);
    asked.map_err(|fault| TableError::Damaged(fault.to_string()))?;
    Ok(earlier)
}
