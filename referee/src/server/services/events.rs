//! Events of a match as messages, written to bytes once.

use interpreter::play::Audience;

use crate::table::{Cursor, Play, Seen};
use crate::wire::events::EventWriter;
use crate::wire::v1::EventBatch;

/// At most `limit` events from a cursor on, and the cursor after them.
pub fn events(play: &Play, audience: Audience, from: Cursor, limit: usize) -> (EventBatch, Cursor) {
    let behind = play.end(audience).number.saturating_sub(from.number);
    let count = usize::try_from(behind).map_or(limit, |behind| behind.min(limit));
    let mut writer = EventWriter::of(play.ruleset().package(), count);
    let next = play.tell(audience, from, limit, |number, seen| match seen {
        Seen::Game(event, maker) => writer.game(number, event, maker),
        Seen::Table(change) => writer.table(number, change),
    });
    (writer.done(), next)
}
