//! Ids of decisions, by which a move names the question that it answers.

use interpreter::play::Seat;

use referee_store::MatchId;
use referee_store::secrets::{Keys, Purpose, base64url};

/// The id of a question: a keyed hash of match, seat and the question's number. It is the same after
/// a restart, nobody can guess the next one, and it tells nothing of how many moves were made. Whenever
/// the past was changed (a lap), the same numbers mean other questions.
pub fn decision_id(keys: &Keys, id: &MatchId, seat: Seat, number: u64, laps: u64) -> String {
    let (seat, number, laps) = ([seat.0], number.to_le_bytes(), laps.to_le_bytes());
    let mut parts: Vec<&[u8]> = vec![id.as_str().as_bytes(), &seat, &number];
    if laps != [0; 8] {
        parts.push(&laps);
    }
    let hash = keys.derive(Purpose::DecisionId, &parts);
    format!("d_{}", base64url(&hash[..16]))
}
