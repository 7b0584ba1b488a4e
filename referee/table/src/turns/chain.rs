//! Several moves of a seat at once: all of them, or none.
//!
//! A refusal takes everything back, so it must not tell what only a move that was made may show. Therefore no move but
//! the last may show what lay hidden or draw chance, by the same measure by which moves can be taken back
//! ([`knowledge`](super::knowledge)). Whether one does may itself be a secret: so a chain is judged where the others'
//! secrets are imagined, and a refusal says nothing but what follows from what the seat sees. Only a chain that is good
//! there is made; if a move of it shows something all the same, or the next one cannot be made after it, it stays made,
//! and those behind it are not.

use interpreter::play::{ApplyError, Audience, Match, Move, Seat};

use super::knowledge::nothing_learned;
use crate::{Parts, Play, TableError, decision_id};
use referee_library::players::Random;
use referee_store::MatchId;
use referee_store::secrets::entropy;

impl Play {
    /// Whether this decision, of this match and lap, waits for this seat. Takes its time: not for async threads.
    ///
    /// # Errors
    ///
    /// [`TableError::Superseded`] with the one that does.
    pub fn waits(
        &self,
        parts: &Parts,
        (id, laps): (&MatchId, u64),
        seat: Seat,
        decision: &str,
    ) -> Result<(), TableError> {
        let current = self
            .question_number(seat)
            .map(|number| decision_id(&parts.keys, id, seat, number, laps));
        if current.as_deref() == Some(decision) {
            Ok(())
        } else {
            Err(TableError::Superseded(current))
        }
    }

    /// Whether moves would be made. Takes its time: not for async threads.
    ///
    /// # Errors
    ///
    /// As [`Table::submit`](crate::Table::submit).
    pub fn judge(
        &self,
        parts: &Parts,
        lap: (&MatchId, u64),
        seat: Seat,
        decision: &str,
        moves: &[Move],
    ) -> Result<(), TableError> {
        self.waits(parts, lap, seat, decision)?;
        judge(self, seat, moves)
    }
}

/// Whether these moves of a seat would be made, one after the other. Takes its time: not for async threads.
///
/// # Errors
///
/// Of several moves, [`TableError::InChain`] says which would not be.
fn judge(play: &Play, seat: Seat, moves: &[Move]) -> Result<(), TableError> {
    match moves {
        [only] => {
            let checked = play.game().check(seat, only);
            checked.map_err(|error| not_applied(play, error))
        }
        moves => imagined(play, seat, moves),
    }
}

/// The game after each of these moves of a seat that was made. Takes its time: not for async threads.
///
/// # Errors
///
/// As [`judge`], or when the ruleset fails.
pub(super) fn make(play: &Play, seat: Seat, moves: &[Move]) -> Result<Vec<Match>, TableError> {
    if moves.len() > 1 {
        imagined(play, seat, moves)?;
    }
    let mut made: Vec<Match> = Vec::with_capacity(moves.len());
    for (index, mv) in moves.iter().enumerate() {
        let before = made.last().unwrap_or(play.game());
        let after = match applied(play, before, seat, mv) {
            // Where others' secrets were imagined it could be made: that it cannot be is something that is learned.
            Err(TableError::Refused(..)) if index > 0 => break,
            after => after.map_err(|error| of_chain(moves, index, error))?,
        };
        let is_last = index + 1 == moves.len();
        let ends_here = !is_last && nothing_learned(before, &after).is_err();
        made.push(after);
        if ends_here {
            break;
        }
    }
    Ok(made)
}

/// Whether a chain is good as far as its seat can know.
fn imagined(play: &Play, seat: Seat, moves: &[Move]) -> Result<(), TableError> {
    // Chance of the referee's own: nobody can know it from the match's seed.
    let seed = entropy().map_err(|error| TableError::Internal(error.to_string()))?;
    let mut random = Random::new(u64::from_le_bytes(seed), 0);
    let mut game = play
        .game()
        .with_other_secrets(Audience::Seat(seat), &mut || random.word());
    for (index, mv) in moves.iter().enumerate() {
        let failed = |error| of_chain(moves, index, error);
        let after = match applied(play, &game, seat, mv) {
            // The rules rely on something that was imagined otherwise.
            Err(TableError::Fault(_)) => Err(reveals("what comes of it depends on what is hidden")),
            after => after,
        };
        let after = after.map_err(failed)?;
        if index + 1 < moves.len() {
            nothing_learned(&game, &after).map_err(|why| failed(reveals(&why)))?;
        }
        game = after;
    }
    Ok(())
}

/// A game after a move.
///
/// # Errors
///
/// When the rules forbid it, or fail.
pub(super) fn applied(
    play: &Play,
    game: &Match,
    seat: Seat,
    mv: &Move,
) -> Result<Match, TableError> {
    let mut after = game.clone();
    match after.apply(seat, mv) {
        Ok(()) => Ok(after),
        Err(error) => Err(not_applied(play, error)),
    }
}

fn not_applied(play: &Play, error: ApplyError) -> TableError {
    match error {
        ApplyError::Refused(refusal) => TableError::Refused(refusal, play.ruleset().clone()),
        ApplyError::Fault(fault) => TableError::Fault(fault),
    }
}

fn reveals(why: &str) -> TableError {
    TableError::Reveals(why.to_owned())
}

/// Says which of several moves an error is of. A ruleset that fails has failed, whichever move it was.
fn of_chain(moves: &[Move], index: usize, error: TableError) -> TableError {
    match error {
        error @ TableError::Fault(_) => error,
        error if moves.len() == 1 => error,
        error => TableError::InChain(index, Box::new(error)),
    }
}
