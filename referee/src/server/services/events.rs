//! Events of a match as messages, written to bytes once.

use interpreter::play::Audience;

use crate::table::{Cursor, Play, Seen, Times};
use crate::wire::events::{EventWriter, InGame};
use crate::wire::v1::EventBatch;

/// At most `limit` events from a cursor on, and the cursor after them.
pub fn events(
    play: &Play,
    times: &Times,
    audience: Audience,
    from: Cursor,
    limit: usize,
) -> (EventBatch, Cursor) {
    let behind = play.end(audience).number.saturating_sub(from.number);
    let count = usize::try_from(behind).map_or(limit, |behind| behind.min(limit));
    let mut writer = EventWriter::of(play.ruleset().package(), count);
    let next = play.tell(audience, from, limit, |number, seen| match seen {
        Seen::Game(told) => writer.game(
            number,
            InGame {
                event: told.event,
                cause: told.cause,
                maker: told.maker,
                move_number: told.moves,
                at_ms: times.of_move(told.moves),
            },
        ),
        Seen::Table(change, before) => writer.table(number, change, times.of_change(before)),
    });
    (writer.done(), next)
}
