//! Fair queues: one for each kind of work, each with a bounded number of places.
//!
//! The cost of work, in units of [work](interpreter::budget), is charged to all that it was done for: a host, a match and
//! a token, or the caller's address as long as the caller is unknown. A free place goes to the waiter with the least cost,
//! compared by the first account, then the second and so on, so that many matches of one host cost what one would. All
//! costs are halved after every [`HALVED`] units. No clock is read: the order is the same on every machine.

use std::cell::RefCell;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ahash::HashMap;
use smallvec::SmallVec;
use tokio::sync::oneshot;

use referee_store::{Hash, MatchId, Principal};

/// Units that every piece of work costs in addition to what it spends.
const PIECE: u64 = 1000;

/// Units of work of a piece that tables have done, at most: play may take no more from one question to the next.
pub const SLICE: u64 = 5_000_000;

/// Pieces of work of a queue that have begun and not ended, at most: those that gave their place to others keep a thread.
const BEGUN: usize = 32;

/// Units of work after which costs are halved: some seconds of one processor.
pub const HALVED: u64 = 200_000_000;

/// Kinds of work, each with places of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Queue {
    /// Moves, views, questions: what players wait for.
    Table,
    /// Matches that are taken into memory.
    Opening,
    /// Bots that think.
    Bots,
    /// Compiling, verifying, documents.
    Making,
    /// Packages that are tried, each in a process of its own, from their first turn to their last.
    Trying,
}

impl Queue {
    /// Every queue.
    pub const ALL: [Queue; 5] = [
        Queue::Table,
        Queue::Opening,
        Queue::Bots,
        Queue::Making,
        Queue::Trying,
    ];

    /// Where it stands among them.
    #[expect(clippy::as_conversions, reason = "a discriminant")]
    const fn place(self) -> usize {
        self as usize
    }

    /// Whether its work gives way between two slices to others of its queue.
    pub fn gives_way(self) -> bool {
        !matches!(self, Queue::Table | Queue::Trying)
    }

    /// Whether its work changes nothing, so that it can be given up when nobody waits for it.
    pub fn may_be_given_up(self) -> bool {
        matches!(self, Queue::Making)
    }
}

/// An account that is charged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Payer {
    /// An address that calls come from. Of IPv6 it is the network of one customer (the first 64 bits).
    Address(IpAddr),
    /// The host of a match.
    Host(Principal),
    /// A match.
    Match(MatchId),
    /// A token, by its hash.
    Token(Hash),
}

impl Payer {
    /// The account of an address.
    pub fn at(address: IpAddr) -> Payer {
        Payer::Address(match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
            }
            address => address,
        })
    }
}

/// The accounts that are charged, the most important first.
#[derive(Clone, Debug, Default)]
pub struct Payers(SmallVec<[Payer; 3]>);

/// The call that a task answers.
struct Calling {
    /// On whose account.
    payers: RefCell<Payers>,
    /// The hash of the token that came with it, good or not.
    token: Option<Hash>,
}

tokio::task_local! {
    static CALLING: Calling;
}

impl Payers {
    /// These.
    pub fn of(payers: impl IntoIterator<Item = Payer>) -> Payers {
        Payers(payers.into_iter().collect())
    }

    /// The accounts of the call that this task answers; empty if it answers none.
    pub fn calling() -> Payers {
        let calling = CALLING.try_with(|calling| calling.payers.borrow().clone());
        calling.unwrap_or_default()
    }

    /// Whose the call is that this task answers is known: it is on their account, wherever it comes from. So nobody else
    /// who calls from there stands before them.
    pub fn caller_is(known: impl IntoIterator<Item = Payer>) {
        // What the referee does by itself is no call.
        let _ = CALLING.try_with(|calling| calling.payers.replace(Payers::of(known)));
    }

    /// The call that this task answers is about a match: if it is a seat's or a spectator's, its host is charged as well.
    pub fn caller_is_of(host: Principal) {
        let _ = CALLING.try_with(|calling| {
            let mut payers = calling.payers.borrow_mut();
            if let Some(Payer::Match(_)) = payers.0.first() {
                payers.0.insert(0, Payer::Host(host));
            }
        });
    }

    /// The hash of the token of the call that this task answers, which was found when it came; none if it has none or
    /// answers none.
    pub fn token_that_calls() -> Option<Hash> {
        CALLING.try_with(|calling| calling.token).ok().flatten()
    }

    /// Returns the accounts, the most important first.
    pub fn accounts(&self) -> &[Payer] {
        &self.0
    }

    /// The address that a call comes from.
    pub fn address(&self) -> Option<&Payer> {
        let mut payers = self.0.iter();
        payers.find(|payer| matches!(payer, Payer::Address(_)))
    }

    /// A match of a host is charged, and then the token that is used.
    pub fn at_table(host: Principal, id: &MatchId) -> Payers {
        let calling = Payers::calling().0.into_iter();
        let token = calling.filter(|payer| matches!(payer, Payer::Token(_)));
        Payers::of(
            [Payer::Host(host), Payer::Match(id.clone())]
                .into_iter()
                .chain(token),
        )
    }

    /// Does what a call asks for that came with a token, on the account of these.
    pub async fn calling_for<F: Future>(self, token: Option<Hash>, answer: F) -> F::Output {
        let calling = Calling {
            payers: RefCell::new(self),
            token,
        };
        CALLING.scope(calling, answer).await
    }
}

/// All queues, with what each account has cost.
pub struct Queues(Mutex<State>);

#[derive(Default)]
struct State {
    queues: [One; Queue::ALL.len()],
    costs: HashMap<Payer, u64>,
    /// The most work that others had done in a queue between somebody's arrival and their turn, by queue and by whom their
    /// work was charged to first. Forgotten with their costs.
    waits: HashMap<(Queue, Payer), u64>,
    /// Units of work since costs were halved.
    done: u64,
    arrivals: u64,
}

#[derive(Default)]
struct One {
    free: usize,
    waiting: Vec<Waiter>,
    /// Pieces of work that have begun and not ended.
    begun: usize,
    /// Units of work that were done in it.
    done: u64,
}

struct Waiter {
    payers: Payers,
    arrived: u64,
    /// Units of work that had been done before.
    before: u64,
    /// Whether its work has begun, and gave way to others.
    begun: bool,
    turn: oneshot::Sender<Place>,
}

/// A place in a queue, which is free again when this is dropped.
pub struct Place {
    queues: Arc<Queues>,
    queue: Queue,
    payers: Payers,
    /// Units of work that are not charged yet.
    units: u64,
    /// It is somebody else's.
    has_left: bool,
}

impl Queues {
    /// With places for a machine of so many processors.
    pub fn of(processors: usize) -> Queues {
        let mut state = State::default();
        for queue in Queue::ALL {
            state.queues[queue.place()].free = match queue {
                Queue::Table => processors.max(1),
                _ => (processors / 2).max(1),
            };
        }
        Queues(Mutex::new(state))
    }

    /// Waits for a turn.
    pub async fn place(self: &Arc<Self>, queue: Queue, payers: Payers) -> Place {
        let come = {
            let mut state = self.state();
            let arrived = state.arrivals;
            state.arrivals += 1;
            let one = &mut state.queues[queue.place()];
            if let Some(free) = one.free.checked_sub(1) {
                one.free = free;
                one.begun += 1;
                return Place::of(self, queue, payers);
            }
            one.wait(payers, arrived, false)
        };
        // A queue never ends: every place that is left is given to the next.
        come.await
            .unwrap_or_else(|_| Place::of(self, queue, Payers::default()))
    }

    /// Charges what was done in a place, and gives the place to the next.
    fn leave(self: &Arc<Self>, queue: Queue, payers: &Payers, units: u64) {
        let next = {
            let mut state = self.state();
            state.charge(payers, units);
            let one = &mut state.queues[queue.place()];
            one.done = one.done.saturating_add(units);
            one.begun = one.begun.saturating_sub(1);
            let next = state.next(queue);
            if next.is_none() {
                state.queues[queue.place()].free += 1;
            }
            next
        };
        if let Some(waiter) = next {
            self.call(queue, waiter);
        }
    }

    fn call(self: &Arc<Self>, queue: Queue, waiter: Waiter) {
        // A waiter that has just gone away drops the place, which goes to the next.
        let _ = waiter.turn.send(Place::of(self, queue, waiter.payers));
    }

    /// Charges a slice of what is done in a place, and gives the place to a waiter with less cost; the new
    /// one comes when it is this work's turn again. None if it goes on at once.
    fn give_way(
        self: &Arc<Self>,
        queue: Queue,
        payers: &Payers,
        units: u64,
    ) -> Option<oneshot::Receiver<Place>> {
        let (next, come) = {
            let mut state = self.state();
            state.charge(payers, units);
            let arrived = state.arrivals;
            state.arrivals += 1;
            let one = &mut state.queues[queue.place()];
            one.done = one.done.saturating_add(units);
            if one.waiting.is_empty() {
                return None;
            }
            let come = one.wait(payers.clone(), arrived, true);
            (state.next(queue), come)
        };
        // One at least waits: this work.
        if let Some(next) = next {
            self.call(queue, next);
        }
        Some(come)
    }

    /// The most work, in units, that others had done in a queue between the arrival of somebody and their turn.
    pub fn longest_wait(&self, queue: Queue, who: Payer) -> u64 {
        let state = self.state();
        state.waits.get(&(queue, who)).copied().unwrap_or(0)
    }

    /// Returns the number of accounts whose costs are remembered.
    pub fn remembered_accounts(&self) -> usize {
        self.state().costs.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl One {
    fn wait(&mut self, payers: Payers, arrived: u64, begun: bool) -> oneshot::Receiver<Place> {
        let (turn, come) = oneshot::channel();
        self.waiting.push(Waiter {
            payers,
            arrived,
            before: self.done,
            begun,
            turn,
        });
        come
    }
}

impl State {
    fn charge(&mut self, payers: &Payers, units: u64) {
        let units = units.saturating_add(PIECE);
        for payer in &payers.0 {
            match self.costs.get_mut(payer) {
                Some(cost) => *cost += units,
                None => drop(self.costs.insert(payer.clone(), units)),
            }
        }
        self.done = self.done.saturating_add(units);
        while self.done >= HALVED {
            self.done -= HALVED;
            self.costs.retain(|_, cost| {
                *cost /= 2;
                *cost >= PIECE
            });
            let costs = &self.costs;
            self.waits.retain(|(_, payer), _| costs.contains_key(payer));
        }
    }

    /// Whose turn it is: theirs who have cost least, and of equals the first who came.
    fn next(&mut self, queue: Queue) -> Option<Waiter> {
        let One { waiting, begun, .. } = &mut self.queues[queue.place()];
        let begun = *begun;
        waiting.retain(|waiter| !waiter.turn.is_closed());
        let costs = |waiter: &Waiter| -> SmallVec<[u64; 3]> {
            let payers = waiter.payers.0.iter();
            payers
                .map(|payer| self.costs.get(payer).copied().unwrap_or(0))
                .collect()
        };
        let full = begun >= BEGUN;
        let next = (0..waiting.len())
            .filter(|i| !full || waiting[*i].begun)
            .min_by_key(|i| (costs(&waiting[*i]), waiting[*i].arrived))?;
        let next = waiting.swap_remove(next);
        let one = &mut self.queues[queue.place()];
        let waited = one.done - next.before;
        if next.begun {
            return Some(next);
        }
        one.begun += 1;
        if let Some(first) = next.payers.0.first() {
            let longest = self.waits.entry((queue, first.clone())).or_default();
            *longest = waited.max(*longest);
        }
        Some(next)
    }
}

impl Place {
    fn of(queues: &Arc<Queues>, queue: Queue, payers: Payers) -> Place {
        Place {
            queues: queues.clone(),
            queue,
            payers,
            units: 0,
            has_left: false,
        }
    }

    /// The work has taken so many units since, and can be held up: after a slice others have their turns who have cost
    /// less. Waits for the next turn on this thread.
    pub fn rest(&mut self, units: u64) {
        self.units += units;
        if self.units < SLICE {
            return;
        }
        let units = std::mem::take(&mut self.units);
        let Some(come) = self.queues.give_way(self.queue, &self.payers, units) else {
            return;
        };
        self.has_left = true;
        // A queue never ends.
        if let Ok(place) = come.blocking_recv() {
            *self = place;
        }
    }

    /// The work is done, and took so many units.
    pub fn leave(mut self, units: u64) {
        self.units += units;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.has_left {
            self.queues.leave(self.queue, &self.payers, self.units);
        }
    }
}
