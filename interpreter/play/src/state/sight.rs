//! Who sees what: what a ruleset declares of a place, counter, marker or kept value, asked for one audience.

use crate::api::Audience;
use crate::program::model::Sight;
use crate::program::value::Seat;

/// Everybody, spectators too, where seats are bits.
pub(crate) const EVERYBODY: u32 = u32::MAX;

/// Whether an audience is among those.
pub(crate) fn among(seen: u32, audience: Audience) -> bool {
    match audience {
        Audience::Referee => true,
        Audience::Seat(Seat(seat)) => seen >> seat & 1 != 0,
        Audience::Spectator => seen == EVERYBODY,
    }
}

/// Whether an audience sees what only the player at an index may see.
pub(crate) fn sees(sight: Sight, index: &[i64], cells: &[i32], audience: Audience) -> bool {
    match (sight, audience) {
        (_, Audience::Referee) | (Sight::Everybody, _) => true,
        (Sight::Holder(cell), Audience::Seat(Seat(seat))) => {
            cells.get(cell.at()) == Some(&i32::from(seat))
        }
        (Sight::Only(i), Audience::Seat(Seat(seat))) => index.get(i) == Some(&i64::from(seat)),
        _ => false,
    }
}
