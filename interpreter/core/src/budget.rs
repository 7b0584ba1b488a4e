//! How much work the making of a ruleset may take.
//!
//! A few kilobytes of rules can ask for more work than a computer does in a year. Whoever makes something of a text
//! says within which [`Budget`]; passes [`spend`] from it as they go, a unit for about every node of a tree, and
//! are unwound when nothing is left. What is counted depends on the text alone: what can be made once can be made
//! again, by any process on any machine. Whoever does not want the result any more can [stop](Stop) the work.
//!
//! Read [`within`] first. A budget belongs to the thread that works, like the registers of a processor do: every
//! function of a compiler would have to hand it on otherwise.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::source::span::Span;

/// Number of units of work between two checks of the stop switches.
///
/// They take well below a millisecond.
pub const LOOK: u64 = 10_000;

/// What some work may take.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Units of work: one is what a computer does in some ten nanoseconds, such as reading a node of a tree.
    pub work: u64,
    /// Ends the work from outside.
    pub stop: Stop,
}

impl Budget {
    /// So many units of work.
    pub fn of(work: u64) -> Budget {
        Budget {
            work,
            stop: Stop::default(),
        }
    }

    /// As much as it takes, until it is stopped.
    pub fn until(stop: &Stop) -> Budget {
        Budget {
            work: u64::MAX,
            stop: stop.clone(),
        }
    }
}

/// A switch that ends work. Copies are the same switch.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends the work, soon.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work is to end.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why work did not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Its budget is spent; with the place that was being read, if it is known.
    Spent(Option<Span>),
    /// Somebody has stopped it.
    Stopped,
}

thread_local! {
    /// What this thread may spend until it is looked again at what follows.
    static NOW: Cell<u64> = const { Cell::new(u64::MAX) };
    /// What it may spend beyond that.
    static LATER: Cell<u64> = const { Cell::new(0) };
    /// The last place that was read.
    static PLACE: Cell<Option<Span>> = const { Cell::new(None) };
    /// The switches of its budgets, that of the innermost last.
    static STOPS: RefCell<Vec<Stop>> = const { RefCell::new(Vec::new()) };
    /// What is called where this thread may wait, and how many units were left when it was called last.
    static REST: RefCell<Option<Resting>> = const { RefCell::new(None) };
}

/// What is called, and what was left.
type Resting = (Box<dyn FnMut(u64)>, u64);

/// Does some work within a budget, and gives what it took in units. Within another one it spends from both.
///
/// # Errors
///
/// Says why the work was ended. If a switch of a budget around this one did it, that one's work ends as well.
pub fn within<T>(budget: &Budget, work: impl FnOnce() -> T) -> (Result<T, Ended>, u64) {
    let outer = left();
    let begun = budget.work.min(outer);
    STOPS.with_borrow_mut(|stops| stops.push(budget.stop.clone()));
    fill(begun, LOOK);
    let place = PLACE.take();
    let done = catch_unwind(AssertUnwindSafe(work));
    PLACE.set(place);
    let spent = begun - left();
    let (is_outermost, is_stopped) = STOPS.with_borrow_mut(|stops| {
        stops.pop();
        (stops.is_empty(), stops.iter().any(Stop::is_stopped))
    });
    fill(outer - spent, if is_outermost { u64::MAX } else { LOOK });
    let done = done.or_else(|panic| match panic.downcast::<Ended>() {
        Ok(ended) => match *ended {
            Ended::Spent(_) if outer < budget.work => resume_unwind(ended),
            Ended::Stopped if is_stopped => resume_unwind(ended),
            ended => Err(ended),
        },
        Err(panic) => resume_unwind(panic),
    });
    (done, spent)
}

/// Spends from the budget of this thread, at a place, or where it was spent before. Without a budget it costs nothing.
///
/// When nothing is left it does not return: the work within the budget is unwound.
#[inline]
pub fn spend(units: u64, at: Option<Span>) {
    if at.is_some() {
        PLACE.set(at);
    }
    match NOW.get().checked_sub(units) {
        Some(left) => NOW.set(left),
        None => look(units),
    }
}

/// Does not return if somebody has stopped the work of this thread. Whoever waits for another process asks this now and then;
/// waiting costs nothing, or the same work would take more on a busy machine.
pub fn heed_stops() {
    look(0);
}

/// Spends from the budget of this thread without being unwound: play may not be, in the middle of machine code.
#[inline]
pub fn charge(units: u64) {
    match NOW.get().checked_sub(units) {
        Some(left) => NOW.set(left),
        None => fill(left().saturating_sub(units), LOOK),
    }
}

/// [Charges](charge) so many units; whether anything is left.
#[inline]
pub fn affords(units: u64) -> bool {
    charge(units);
    !is_spent()
}

/// Returns whether nothing is left of the budget of this thread.
#[inline]
pub fn is_spent() -> bool {
    NOW.get() == 0 && LATER.get() == 0
}

/// Does some work that may take so many units, whatever budgets are around it, and asks whether they
/// [are spent](is_spent). So the same work comes to the same end wherever it is done.
pub fn bounded<T>(units: u64, work: impl FnOnce() -> T) -> T {
    /// Gives back what was there before, also when the work panics.
    struct Outer {
        left: u64,
        units: u64,
    }
    impl Drop for Outer {
        fn drop(&mut self) {
            let most = STOPS.with_borrow(Vec::is_empty).then_some(u64::MAX);
            fill(
                self.left.saturating_sub(self.units - left()),
                most.unwrap_or(LOOK),
            );
        }
    }
    let _outer = Outer {
        left: left(),
        units,
    };
    fill(units, LOOK);
    work()
}

/// Does some work that is not counted.
pub fn apart<T>(work: impl FnOnce() -> T) -> T {
    let (now, later) = (NOW.get(), LATER.get());
    let done = work();
    NOW.set(now);
    LATER.set(later);
    done
}

/// Does some work and gives, with its result, the units that it took.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = left();
    let done = work();
    (done, before - left())
}

/// Does some work, and calls `at_rest` wherever it [rests](rest) with the units that were spent since the last time: it may
/// block the thread, so that others have their turns. Gives the units that it was not told of with the result.
pub fn resting<T>(at_rest: impl FnMut(u64) + 'static, work: impl FnOnce() -> T) -> (T, u64) {
    struct Outer(Option<Resting>);
    impl Drop for Outer {
        fn drop(&mut self) {
            REST.set(self.0.take());
        }
    }
    let outer = Outer(REST.replace(Some((Box::new(at_rest), left()))));
    let done = work();
    let since = REST.with_borrow(|rest| rest.as_ref().map_or(0, |(_, since)| *since));
    drop(outer);
    (done, since.saturating_sub(left()))
}

/// A point where this thread may be made to wait. Whoever calls it holds no lock.
pub fn rest() {
    REST.with_borrow_mut(|rest| {
        let Some((at_rest, since)) = rest else {
            return;
        };
        let left = left();
        at_rest(since.saturating_sub(left));
        *since = left;
    });
}

/// How many units are left.
pub fn left() -> u64 {
    NOW.get().saturating_add(LATER.get())
}

/// So many units can be spent, so many of them before it is looked at the switches.
fn fill(all: u64, most: u64) {
    let now = all.min(most);
    NOW.set(now);
    LATER.set(all - now);
}

/// Looks at the switches, and at what is left beyond what is at hand.
#[cold]
fn look(units: u64) {
    let is_stopped = STOPS.with_borrow(|stops| stops.iter().any(Stop::is_stopped));
    let ended = match left().checked_sub(units) {
        _ if is_stopped => Ended::Stopped,
        Some(left) => return fill(left, LOOK),
        None => Ended::Spent(PLACE.get()),
    };
    // Nothing has gone wrong that a hook would have to tell.
    resume_unwind(Box::new(ended));
}
