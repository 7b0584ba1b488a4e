//! Events of a match as messages, written to bytes once.

use interpreter::play::Audience;

use crate::table::{Cursor, Play, Seen};
use crate::wire::telling::Telling;
use crate::wire::v1::EventBatch;

/// At most `limit` events from a cursor on, and the cursor after them.
pub fn events(play: &Play, audience: Audience, from: Cursor, limit: usize) -> (EventBatch, Cursor) {
    let behind = play.end(audience).number.saturating_sub(from.number);
    let count = usize::try_from(behind).map_or(limit, |behind| behind.min(limit));
    let mut telling = Telling::of(play.ruleset().package(), count);
    let next = play.tell(audience, from, limit, |number, seen| match seen {
        Seen::Game(event, maker) => telling.game(number, event, maker),
        Seen::Table(change) => telling.table(number, change),
    });
    (telling.done(), next)
}
