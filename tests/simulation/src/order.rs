//! Whether what was answered of a match can have happened in one order ([`linear`](crate::linear)).
//!
//! A match is an object that grows by moves, counted as they are told. A move that was acknowledged says behind which it was
//! made, and how many there were then; a look says how many there were. Nobody knows when the others were made that the log
//! has: those of bots, and of the referee in somebody's place.
//!
//! A referee of several may answer a look with what was so a moment ago, as it says itself: such a look may have its place
//! that much earlier. How long the moment is, the world knows.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use referee::wire::v1;
use tokio::time::Instant;

use crate::linear::{Done, Model, check};
use crate::people::{Acknowledged, Look, is_own_move};
use crate::world::World;

/// A match, as far as its length goes.
struct Match;

/// What is done to it, in moves that were told.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Moves, the first of which somebody made.
    Moved { before: u64, after: u64 },
    /// Somebody looked.
    Looked { moves: u64 },
}

impl Model for Match {
    type State = u64;
    type Act = Act;
    fn after(state: &u64, act: &Act) -> Option<u64> {
        match *act {
            Act::Moved { before, after } => (before == *state).then_some(after),
            Act::Looked { moves } => (moves == *state).then_some(moves),
        }
    }
}

/// How many moves were told in these events.
fn moves(told: &[v1::Event]) -> u64 {
    let told = told.iter().map(|event| event.move_number);
    told.max().unwrap_or(0)
}

/// Compares answers with what each seat was told in the end.
pub fn of_answers(
    world: &World,
    told: &BTreeMap<usize, Vec<v1::Event>>,
    made: &[Acknowledged],
    looks: &[Look],
    fault: &impl Fn(String),
) {
    let mut history: Vec<Done<Act, Instant>> = Vec::new();
    let mut answered = BTreeSet::new();
    for acknowledged in made {
        let mut events = acknowledged.events.iter();
        let Some(own) = events.find(|event| is_own_move(event, acknowledged.seat)) else {
            continue;
        };
        let after = moves(&acknowledged.events).max(own.move_number);
        answered.extend(own.move_number..=after);
        history.push(Done {
            act: Act::Moved {
                before: own.move_number.saturating_sub(1),
                after,
            },
            called: acknowledged.called,
            answered: Some(acknowledged.at),
        });
    }
    for look in looks {
        if look.events < look.at_least {
            let Look {
                seat,
                events,
                at_least,
                ..
            } = look;
            fault(format!(
                "seat {} wanted to see {at_least} events at least, and saw {events}",
                seat + 1
            ));
        }
        let told = told.get(&look.seat).map_or(&[][..], Vec::as_slice);
        let told = told.get(..look.events as usize).unwrap_or(told);
        let moment = moment(world, look);
        history.push(Done {
            act: Act::Looked { moves: moves(told) },
            called: look.called.checked_sub(moment).unwrap_or(look.called),
            answered: Some(look.at),
        });
    }
    let Some(began) = history.iter().map(|done| done.called).min() else {
        return;
    };
    let last = told.values().map(|told| moves(told)).max().unwrap_or(0);
    for number in (1..=last).filter(|number| !answered.contains(number)) {
        history.push(Done {
            act: Act::Moved {
                before: number - 1,
                after: number,
            },
            called: began,
            answered: None,
        });
    }
    world.trace.count("histories put in order");
    if let Err(stuck) = check::<Match, Instant>(0, &history) {
        let left = &history[stuck.left];
        let ago = |then: Instant| then.elapsed().as_millis();
        fault(format!(
            "what was answered was in no order: after {} moves {:?} has no place, called for {} ms ago and answered {:?} ms ago",
            stuck.state,
            left.act,
            ago(left.called),
            left.answered.map(ago),
        ));
    }
}

/// How long before it was asked what a look shows may have been so.
fn moment(world: &World, look: &Look) -> Duration {
    /// What was written at one referee has come to all others, where nothing goes wrong.
    const SOON: Duration = Duration::from_millis(500);
    match world.is_league() {
        false => Duration::ZERO,
        true => match look.called.checked_sub(SOON) {
            Some(before) if world.was_fair(before, look.at) => SOON,
            _ => LATE,
        },
    }
}

/// The same where referees are not told and looking fails, once or twice.
const LATE: Duration = Duration::from_secs(10);
