//! What happened, as each audience counts it.
//!
//! Every audience has numbers of its own, without gaps, so that nothing can be read from them. A
//! [`Cursor`] is a place in that order, and how far the match's own history had come there.

use interpreter::play::{Audience, Event, Match, Seat};

/// A place in an audience's history: between two events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// How far the match's own history had come; never shown to a client in clear.
    pub happened: u64,
    /// How many events this audience had seen; the number of its next event.
    pub number: u64,
}

/// The audiences of a match: its seats, then the spectators.
fn place(audience: Audience, seats: usize) -> usize {
    match audience {
        Audience::Seat(Seat(seat)) => usize::from(seat),
        Audience::Spectator | Audience::Referee => seats,
    }
}

/// How much each audience has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    happened: u64,
    seen: Vec<u64>,
}

impl Ends {
    /// Counts on from earlier ends to where the match is now.
    pub fn advance(&self, game: &Match, seats: u8) -> Ends {
        let seats_usize = usize::from(seats);
        let mut ends = self.clone();
        ends.seen.resize(seats_usize + 1, 0);
        let audiences = (0..seats)
            .map(|seat| Audience::Seat(Seat(seat)))
            .chain([Audience::Spectator]);
        for audience in audiences {
            let at = place(audience, seats_usize);
            let from = Cursor {
                happened: self.happened,
                number: ends.seen[at],
            };
            ends.seen[at] = read(game, audience, from, usize::MAX).1.number;
        }
        ends.happened = game.happened() as u64;
        ends
    }

    /// Where this audience's history ends.
    pub fn cursor(&self, audience: Audience) -> Cursor {
        let at = place(audience, self.seen.len().saturating_sub(1));
        Cursor {
            happened: self.happened,
            number: self.seen.get(at).copied().unwrap_or(0),
        }
    }
}

/// At most `limit` events from a cursor on, numbered, and the cursor after them.
pub fn read(
    game: &Match,
    audience: Audience,
    from: Cursor,
    limit: usize,
) -> (Vec<(u64, Event)>, Cursor) {
    let mut events = Vec::new();
    let mut at = from;
    for (happened, event) in game.seen(
        audience,
        usize::try_from(from.happened).unwrap_or(usize::MAX),
    ) {
        if events.len() >= limit {
            return (events, at);
        }
        events.push((at.number, event));
        at = Cursor {
            happened: happened as u64 + 1,
            number: at.number + 1,
        };
    }
    // What follows unseen is passed over, so that a reader at the end is at the end.
    at.happened = at.happened.max(game.happened() as u64);
    (events, at)
}
