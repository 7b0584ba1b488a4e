//! Ids of decisions: what a move says it answers.

use interpreter::play::Seat;

use crate::secrets::{Keys, Purpose, base64url};
use crate::store::MatchId;

/// The id of a question: a keyed hash of match, seat and the question's number. It is the same after
/// a restart, nobody can guess the next one, and it tells nothing of how many moves were made.
pub fn decision_id(keys: &Keys, id: &MatchId, seat: Seat, number: u64) -> String {
    let hash = keys.derive(
        Purpose::DecisionId,
        &[id.as_str().as_bytes(), &[seat.0], &number.to_le_bytes()],
    );
    format!("d_{}", base64url(&hash[..16]))
}
