//! The view of all seats together: for spectators of a match that is over, or whose players have agreed.

use interpreter::play::{Audience, Match, PlaceRef, Seat, View};

/// What a spectator sees, and beside it what any seat sees; what nobody sees, such as the order of a pile, stays hidden.
pub fn all_hands(game: &Match) -> View {
    let mut all = game.view(Audience::Spectator);
    for seat in (0..game.ruleset().configuration().players).map(Seat) {
        let seen = game.view(Audience::Seat(seat));
        for (place, by_seat) in all.places.iter_mut().zip(seen.places) {
            if place.place == by_seat.place {
                place.size = place.size.or(by_seat.size);
                place.contents = place.contents.take().or(by_seat.contents);
            }
        }
        fill(&mut all.counters, seen.counters);
        fill(&mut all.markers, seen.markers);
        fill(&mut all.kept, seen.kept);
    }
    all
}

/// Fills in what is hidden from one audience and not from another.
fn fill<T>(all: &mut [(PlaceRef, Option<T>)], seen: Vec<(PlaceRef, Option<T>)>) {
    for ((place, value), (by_seat, other)) in all.iter_mut().zip(seen) {
        if *place == by_seat {
            *value = value.take().or(other);
        }
    }
}
