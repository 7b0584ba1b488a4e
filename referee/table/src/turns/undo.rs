//! Taking moves back, where that is fair: what has been seen cannot be forgotten, so moves can be taken back only if
//! nobody [learned](super::knowledge) anything since.

use interpreter::play::{Match, Origin};

use super::knowledge::nothing_learned;
use crate::TableError;
use crate::state::moment::replay;

/// The game as it was before the last `moves` moves that somebody chose, and how many moves are left.
/// Takes its time: not for async threads.
///
/// # Errors
///
/// [`TableError::CannotUndo`] says what was shown since, or that there are not so many moves.
pub fn before(game: &Match, ask_forced: bool, moves: u32) -> Result<(Match, u32), TableError> {
    let moves_back = game.moves().backwards();
    let mut chosen = moves_back.filter(|(_, mv)| mv.origin == Origin::Player);
    let nth = usize::try_from(moves.saturating_sub(1)).unwrap_or(usize::MAX);
    let Some((left, _)) = chosen.nth(nth) else {
        return Err(TableError::CannotUndo("not so many moves were made".into()));
    };
    let earlier = replay(game, left, ask_forced)?;
    nothing_learned(&earlier, game).map_err(TableError::CannotUndo)?;
    Ok((earlier, u32::try_from(left).unwrap_or(u32::MAX)))
}
