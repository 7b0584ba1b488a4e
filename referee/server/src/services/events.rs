//! Events of a match as messages, written to bytes once.

use std::sync::Arc;

use interpreter::play::Audience;

use crate::Referee;
use crate::calls::{Failure, place_tokens};
use referee_contract::events::{EventWriter, InGame};
use referee_contract::v1::EventBatch;
use referee_store::MatchId;
use referee_table::{Cursor, Play, Queue, Seen, Snapshot, Times};

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

/// A page of events.
pub struct Page {
    /// The events.
    pub events: EventBatch,
    /// For the next page; empty at the end.
    pub next_page_token: String,
    /// Continues after these events.
    pub resume_token: String,
}

/// A page of what an audience has seen of a match, behind what a token stands for.
///
/// # Errors
///
/// When the size or the token is none, or there is nothing to see.
pub async fn page(
    referee: &Referee,
    id: &MatchId,
    audience: Audience,
    snapshot: Arc<Snapshot>,
    (size, token): (i32, &str),
) -> Result<Page, Failure> {
    let size = referee.page_size(size)?;
    let from = place_tokens::resumed(referee.keys(), id, audience, token)?;
    let play = snapshot.visible()?.clone();
    let work = move || {
        let (events, next) = events(&play, &snapshot.info.times, audience, from, size);
        (events, next, play.end(audience))
    };
    let (events, next, end) = referee.workers().run(Queue::Table, work).await?;
    let resume_token = place_tokens::resume(referee.keys(), id, audience, next)?;
    Ok(Page {
        events,
        next_page_token: match next.number < end.number {
            true => resume_token.clone(),
            false => String::new(),
        },
        resume_token,
    })
}
