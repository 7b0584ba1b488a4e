//! Whether a history is linearizable: whether what was done at once can be put one after the other so that each answer is
//! right.
//!
//! In: what was done to one object, with when it was called for and when it was answered, and a [`Model`] of the object. Out:
//! nothing, or where every order ends. What was not answered may have been done at any time after the call, or never. The
//! search is that of Wing and Gong (1993), which remembers, as Lowe's (2017), where it has been.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;

/// What an object is and does.
pub trait Model {
    /// What it may be.
    type State: Clone + Debug + Eq + Hash;
    /// What is done to it, with what was answered.
    type Act;
    /// What it is after an act; none if the answer would have been another one.
    fn after(state: &Self::State, act: &Self::Act) -> Option<Self::State>;
}

/// Something that was done.
#[derive(Clone, Debug)]
pub struct Done<A, T> {
    /// What.
    pub act: A,
    /// When it was called for.
    pub called: T,
    /// When it was answered, if it was.
    pub answered: Option<T>,
}

/// Where every order ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck<S> {
    /// What the object is at the end of the longest order.
    pub state: S,
    /// Answered acts in it.
    pub placed: usize,
    /// The act that was answered first of those that are left, by its place in the history.
    pub left: usize,
}

/// Looks for an order.
///
/// # Errors
///
/// When there is none.
pub fn check<M: Model, T: Copy + Ord>(
    first: M::State,
    history: &[Done<M::Act, T>],
) -> Result<(), Stuck<M::State>> {
    let mut search = Search::<M, T>::of(history);
    let mut longest: Option<Stuck<M::State>> = None;
    // What is still to be tried: an object, and which acts have led there.
    let mut open = vec![(first, Taken::none(history.len()))];
    while let Some((state, mut taken)) = open.pop() {
        let Some(left) = search.placed_at_once(&state, &mut taken) else {
            return Ok(());
        };
        if !search.been.insert((taken.clone(), state.clone())) {
            continue;
        }
        let placed = search.answered(&taken);
        if longest.as_ref().is_none_or(|stuck| stuck.placed < placed) {
            longest = Some(Stuck {
                state: state.clone(),
                placed,
                left,
            });
        }
        for at in search.next(&taken) {
            if let Some(after) = M::after(&state, &history[at].act) {
                let mut taken = taken.clone();
                taken.take(at);
                open.push((after, taken));
            }
        }
    }
    longest.map_or(Ok(()), Err)
}

/// Which acts have a place in an order.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Taken(Vec<u64>);

impl Taken {
    fn none(of: usize) -> Taken {
        Taken(vec![0; of.div_ceil(64)])
    }

    fn take(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn has(&self, at: usize) -> bool {
        self.0[at / 64] & (1 << (at % 64)) != 0
    }
}

struct Search<'a, M: Model, T> {
    history: &'a [Done<M::Act, T>],
    /// Places in the history, as they were called for.
    by_call: Vec<usize>,
    been: HashSet<(Taken, M::State)>,
}

impl<'a, M: Model, T: Copy + Ord> Search<'a, M, T> {
    fn of(history: &'a [Done<M::Act, T>]) -> Search<'a, M, T> {
        let mut by_call: Vec<usize> = (0..history.len()).collect();
        by_call.sort_by_key(|at| history[*at].called);
        Search {
            history,
            by_call,
            been: HashSet::new(),
        }
    }

    fn answered(&self, taken: &Taken) -> usize {
        let answered = self.history.iter().enumerate();
        let answered = answered.filter(|(at, done)| done.answered.is_some() && taken.has(*at));
        answered.count()
    }

    /// The act that was answered first of those without a place, and when that was.
    fn first_left(&self, taken: &Taken) -> Option<(usize, T)> {
        let left = (0..self.history.len()).filter(|at| !taken.has(*at));
        let answered = left.filter_map(|at| Some((at, self.history[at].answered?)));
        answered.min_by_key(|(_, answered)| *answered)
    }

    /// What may come next: whatever was called for before any that is left was answered.
    fn next(&self, taken: &Taken) -> Vec<usize> {
        let Some((_, until)) = self.first_left(taken) else {
            return Vec::new();
        };
        let called = self.by_call.iter().copied();
        let called = called.take_while(|at| self.history[*at].called <= until);
        called.filter(|at| !taken.has(*at)).collect()
    }

    /// Places what may come next and changes nothing: no order is lost by that. Gives the act that was answered first of those
    /// that are left; none if all have a place.
    fn placed_at_once(&self, state: &M::State, taken: &mut Taken) -> Option<usize> {
        loop {
            let (left, _) = self.first_left(taken)?;
            let mut placed = false;
            for at in self.next(taken) {
                let done = &self.history[at];
                if done.answered.is_some() && M::after(state, &done.act).as_ref() == Some(state) {
                    taken.take(at);
                    placed = true;
                }
            }
            if !placed {
                return Some(left);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number that is read, and written by whoever says what it was.
    struct Register;

    #[derive(Clone, Copy, Debug)]
    enum Act {
        Read(u32),
        Swap(u32, u32),
    }
    use Act::{Read, Swap};

    impl Model for Register {
        type State = u32;
        type Act = Act;
        fn after(state: &u32, act: &Act) -> Option<u32> {
            match *act {
                Read(value) => (value == *state).then_some(value),
                Swap(before, after) => (before == *state).then_some(after),
            }
        }
    }

    fn done(act: Act, called: u32, answered: impl Into<Option<u32>>) -> Done<Act, u32> {
        Done {
            act,
            called,
            answered: answered.into(),
        }
    }

    fn judged(history: &[Done<Act, u32>]) -> Result<(), Stuck<u32>> {
        check::<Register, u32>(0, history)
    }

    #[test]
    fn one_after_the_other_is_what_it_says() {
        assert_eq!(judged(&[]), Ok(()));
        let good = [
            done(Read(0), 1, 2),
            done(Swap(0, 5), 3, 4),
            done(Read(5), 5, 6),
        ];
        assert_eq!(judged(&good), Ok(()));
    }

    #[test]
    fn what_is_done_at_once_may_be_in_any_order() {
        let swap = done(Swap(0, 1), 10, 20);
        for read in [0, 1] {
            assert_eq!(judged(&[swap.clone(), done(Read(read), 12, 14)]), Ok(()));
        }
        // Of three that overlap one order alone is good, and it is not that of the calls.
        let three = [
            done(Swap(2, 3), 1, 10),
            done(Swap(1, 2), 2, 10),
            done(Swap(0, 1), 3, 10),
        ];
        assert_eq!(judged(&three), Ok(()));
    }

    #[test]
    fn an_old_value_after_a_new_one_was_acknowledged_is_wrong() {
        let stale = [done(Swap(0, 1), 1, 2), done(Read(0), 3, 4)];
        let stuck = Stuck {
            state: 1,
            placed: 1,
            left: 1,
        };
        assert_eq!(judged(&stale), Err(stuck));
    }

    #[test]
    fn going_back_is_wrong_though_each_read_alone_may_be_right() {
        let swap = done(Swap(0, 1), 1, 100);
        let forth = [swap.clone(), done(Read(0), 2, 3), done(Read(1), 4, 5)];
        assert_eq!(judged(&forth), Ok(()));
        let back = [swap, done(Read(1), 2, 3), done(Read(0), 4, 5)];
        assert!(judged(&back).is_err());
    }

    #[test]
    fn two_that_did_the_same_are_wrong_at_once_or_not() {
        assert!(judged(&[done(Swap(0, 1), 1, 10), done(Swap(0, 1), 2, 9)]).is_err());
        assert!(judged(&[done(Swap(0, 1), 1, 2), done(Swap(0, 1), 3, 4)]).is_err());
    }

    #[test]
    fn what_was_lost_is_wrong() {
        let lost = [
            done(Swap(0, 1), 1, 2),
            done(Swap(0, 2), 3, 4),
            done(Read(2), 5, 6),
        ];
        assert!(judged(&lost).is_err());
    }

    #[test]
    fn what_was_not_answered_was_done_later_or_never() {
        let unknown = done(Swap(0, 1), 1, None);
        assert_eq!(judged(std::slice::from_ref(&unknown)), Ok(()));
        for reads in [[0, 0], [0, 1], [1, 1]] {
            let [one, other] = reads;
            let history = [
                unknown.clone(),
                done(Read(one), 10, 11),
                done(Read(other), 20, 21),
            ];
            assert_eq!(judged(&history), Ok(()), "{reads:?}");
        }
        let undone = [
            unknown.clone(),
            done(Read(1), 10, 11),
            done(Read(0), 20, 21),
        ];
        assert!(judged(&undone).is_err());
        // Not before it was called for.
        let early = [done(Swap(0, 1), 30, None), done(Read(1), 10, 11)];
        assert!(judged(&early).is_err());
        // Nor twice.
        let twice = [
            unknown,
            done(Swap(1, 0), 5, 6),
            done(Swap(0, 7), 7, 8),
            done(Read(1), 9, 10),
        ];
        assert!(judged(&twice).is_err());
    }

    /// As many orders as there are, all tried: what the search says of short histories is what is so.
    #[test]
    fn it_finds_an_order_where_there_is_one() {
        fn orders(history: &[Done<Act, u32>], state: u32, taken: u32) -> bool {
            let left = |at: &usize| taken & (1 << at) == 0;
            let answered = (0..history.len()).filter(left);
            let until = answered.filter_map(|at| history[at].answered).min();
            let Some(until) = until else { return true };
            let mut next = (0..history.len()).filter(left);
            next.any(|at| {
                history[at].called <= until
                    && Register::after(&state, &history[at].act)
                        .is_some_and(|after| orders(history, after, taken | 1 << at))
            })
        }
        let mut random = fastrand::Rng::with_seed(3);
        let mut good = 0;
        for _ in 0..4000 {
            let mut act = || match random.bool() {
                true => Read(random.u32(0..2)),
                false => Swap(random.u32(0..2), random.u32(0..2)),
            };
            let acts = [act(), act(), act(), act(), act()];
            let history = acts.map(|act| {
                let called = random.u32(0..12);
                let answered = (random.u8(0..5) > 0).then(|| called + random.u32(0..9));
                done(act, called, answered)
            });
            let expected = orders(&history, 0, 0);
            good += u32::from(expected);
            assert_eq!(judged(&history).is_ok(), expected, "{history:?}");
        }
        assert!(
            (400..3600).contains(&good),
            "of 4000 histories {good} have an order"
        );
    }
}
