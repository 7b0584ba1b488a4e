//! What an audience learns between two moments of a game: decided here, for undoing moves and for
//! makes several at once.
//!
//! Knowledge only grows, so it is looked for in **every moment between**, not only in what happened:
//!
//! - events: something that not everybody sees, a shuffle, a roll, pieces that come from where or go to where not everybody
//!   sees them;
//! - views: whatever an audience sees at some moment and did not see at the first, such as what a question shows whoever is
//!   asked, or what the holder of a marker sees;
//! - what the moves themselves tell: in worlds in which everything is otherwise that an audience could not see at the
//!   first moment, the same moves must be legal and show it the same. That finds what neither events nor views say, such
//!   as a move that is legal only if another holds a card.
//!
//! That is stricter than need be: in doubt, something was learned.

use interpreter::play::{Audience, Event, Match, PlaceRef, RecordedMove, Seat, View};

use referee_library::players::Random;
use referee_store::secrets::entropy;

/// Worlds that are imagined for each audience.
const WORLDS: usize = 2;

/// Whether nobody learned anything between two moments of a game, the later of which goes on from the earlier one; else
/// what was learned. Takes its time: not for async threads.
///
/// # Errors
///
/// Says what, in words that tell nothing more.
pub(super) fn nothing_learned(earlier: &Match, later: &Match) -> Result<(), String> {
    in_the_open(earlier, later)?;
    let moves: Vec<RecordedMove> = later.moves().iter().skip(earlier.moves().len()).collect();
    let players = earlier.ruleset().players();
    let seats = (0..players).map(|seat| Audience::Seat(Seat(seat)));
    let audiences: Vec<Audience> = seats.chain([Audience::Spectator]).collect();
    let first: Vec<Seen> = audiences
        .iter()
        .map(|who| Seen::of(earlier, *who))
        .collect();
    each_moment(earlier, &moves, |moment| {
        for (who, first) in audiences.iter().zip(&first) {
            if let Some(shown) = Seen::of(moment, *who).beyond(first) {
                return Err(format!("`{shown}` was shown"));
            }
        }
        Ok(())
    })?;
    let seed = entropy().map_err(|error| error.to_string())?;
    // Chance of the referee's own: nobody can know it from the match's seed.
    let mut random = Random::new(u64::from_le_bytes(seed), 0);
    for who in audiences {
        let told = told_to(earlier, &moves, who)?;
        for _ in 0..WORLDS {
            let other = earlier.with_other_secrets(who, &mut || random.word());
            if told_to(&other, &moves, who).as_ref() != Ok(&told) {
                return Err("what happened depends on what is hidden".into());
            }
        }
    }
    Ok(())
}

/// Makes moves one after the other, and looks at each moment in which a question waits.
fn each_moment(
    first: &Match,
    moves: &[RecordedMove],
    mut look: impl FnMut(&Match) -> Result<(), String>,
) -> Result<(), String> {
    let depends = || "what happened depends on what is hidden".to_owned();
    let mut moment = first.clone();
    // Forced moves are among them.
    moment.set_ask_forced(true).map_err(|_| depends())?;
    look(&moment)?;
    for made in moves {
        let made = moment.play_on(std::slice::from_ref(made));
        made.map_err(|_| depends())?;
        look(&moment)?;
    }
    Ok(())
}

/// Everything that an audience is told from a moment on, while these moves are made.
fn told_to(
    first: &Match,
    moves: &[RecordedMove],
    who: Audience,
) -> Result<(Vec<View>, Vec<Event>), String> {
    let mut views = Vec::new();
    let mut events = Vec::new();
    each_moment(first, moves, |moment| {
        views.push(moment.view(who));
        events = moment
            .seen(who, first.happened())
            .map(|(_, event)| event)
            .collect();
        Ok(())
    })?;
    Ok((views, events))
}

/// Every place, counter and marker, and whether an audience sees what is there; in the order of the ruleset.
struct Seen(Vec<(PlaceRef, bool)>);

impl Seen {
    fn of(game: &Match, who: Audience) -> Seen {
        let view = game.view(who);
        let places = view.places.into_iter();
        let places = places.map(|at| (at.place, at.endless || at.contents.is_some()));
        let counters = view.counters.into_iter();
        let counters = counters.map(|(counter, value)| (counter, value.is_some()));
        let markers = view.markers.into_iter();
        let markers = markers.map(|(marker, value)| (marker, value.is_some()));
        Seen(places.chain(counters).chain(markers).collect())
    }

    /// Something that was not seen before.
    fn beyond(&self, before: &Seen) -> Option<&str> {
        let mut both = self.0.iter().zip(&before.0);
        let more = both.find(|((_, now), (_, before))| *now && !before);
        more.map(|((shown, _), _)| &*shown.name)
    }
}

/// Whether everything that happened between two moments of a game was in the open; else what was not.
fn in_the_open(earlier: &Match, later: &Match) -> Result<(), String> {
    let from = earlier.happened();
    let views = [
        earlier.view(Audience::Spectator),
        later.view(Audience::Spectator),
    ];
    let dice: Vec<_> = {
        let model = earlier.ruleset().model();
        let markers = model.dice.iter().map(|die| &model.markers[die.marker]);
        markers.map(|marker| marker.name.clone()).collect()
    };
    let everything = later.seen(Audience::Referee, from);
    let mut public = later.seen(Audience::Spectator, from);
    for (at, event) in everything {
        if public.next() != Some((at, event.clone())) {
            return Err("something happened that not everybody saw".into());
        }
        match &event {
            Event::Shuffled { pile, .. } => {
                return Err(format!("`{}` was shuffled", pile.name));
            }
            Event::Marker { marker, .. } if dice.contains(&marker.name) => {
                return Err(format!("`{}` was rolled", marker.name));
            }
            Event::Pieces { from, to, .. } => {
                for place in [from, to] {
                    if !views.iter().all(|view| is_open(view, place)) {
                        return Err(format!("pieces of `{}` were shown", place.name));
                    }
                }
            }
            Event::Over { .. } => return Err("the match is over".into()),
            _ => {}
        }
    }
    Ok(())
}

/// Whether everybody sees what lies in a place.
fn is_open(view: &View, place: &PlaceRef) -> bool {
    let seen = view.places.iter().find(|seen| seen.place == *place);
    seen.is_some_and(|seen| seen.endless || seen.contents.is_some())
}
