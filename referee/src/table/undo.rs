//! Taking moves back, where that is fair.
//!
//! What has been seen cannot be forgotten. So moves can be taken back only if nothing was shown since
//! that was hidden before them, and no chance was drawn: every piece that went from place to place lay
//! and lies where everybody sees it, nothing was shuffled, no die was rolled. That is stricter than need
//! be; in doubt, moves stay.

use interpreter::play::{Audience, Event, Match, Origin, PlaceRef, Record, View};

use super::TableError;

/// The game as it was before the last `moves` moves that somebody chose, and how many moves are left.
/// Takes its time: not for async threads.
///
/// # Errors
///
/// [`TableError::CannotUndo`] says what was shown since, or that there are not so many moves.
pub fn before(game: &Match, ask_forced: bool, moves: u32) -> Result<(Match, u32), TableError> {
    let moves_back = game.moves().backwards();
    let mut chosen = moves_back.filter(|(_, mv)| mv.origin == Origin::Player);
    let nth = usize::try_from(moves.saturating_sub(1)).unwrap_or(usize::MAX);
    let Some((left, _)) = chosen.nth(nth) else {
        return Err(TableError::CannotUndo("not so many moves were made".into()));
    };
    let earlier = replay(game, left, ask_forced)?;
    harmless(&earlier, game).map_err(TableError::CannotUndo)?;
    Ok((earlier, u32::try_from(left).unwrap_or(u32::MAX)))
}

/// The game after its first moves.
pub fn replay(game: &Match, left: usize, ask_forced: bool) -> Result<Match, TableError> {
    let mut record: Record = game.record();
    record.moves.truncate(left);
    let mut earlier =
        Match::replay(game.ruleset().clone(), &record).map_err(TableError::Damaged)?;
    let asked = earlier.set_ask_forced(ask_forced);
    asked.map_err(|fault| TableError::Damaged(fault.to_string()))?;
    Ok(earlier)
}

/// Whether everything that happened between two moments of a game was in the open; else what was not.
pub(super) fn harmless(earlier: &Match, later: &Match) -> Result<(), String> {
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
                    if !views.iter().all(|view| in_the_open(view, place)) {
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
fn in_the_open(view: &View, place: &PlaceRef) -> bool {
    let seen = view.places.iter().find(|seen| seen.place == *place);
    seen.is_some_and(|seen| seen.endless || seen.contents.is_some())
}
