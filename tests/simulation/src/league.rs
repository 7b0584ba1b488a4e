//! A store that several referees serve from, and all that is wrong with the way to it.
//!
//! The store itself is a memory that is shared and lives as long as the world. What differs from one that is always at hand:
//!
//! - A statement may fail before it was carried out or after, with the same words: nobody knows which. For moments the store
//!   cannot be reached at all.
//! - What a referee is told of the others is late, lost, or told twice.
//! - Each referee knows the store's clock as it was some milliseconds ago, as one does who has to ask for it, and none before
//!   it was so late.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fastrand::Rng;
use referee::clock::Clock;
use referee::store::faults::{Faulty, Moment, Operation};
use referee::store::memory::Memory;
use referee::store::{Shared as _, StoreError, WakeUp};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::life::Life;
use crate::system;
use crate::trace::{Step, Trace};

/// Wake-ups that a referee may be behind.
const WAKE_UPS: usize = 1024;

/// Time between two questions for the store's clock, in milliseconds.
const CLOCK_MS: u64 = 5000;

/// The store. Copies are the same one.
#[derive(Clone)]
pub struct League(Arc<Inner>);

struct Inner {
    trace: Trace,
    memory: Memory,
    random: Mutex<Rng>,
    /// Nothing goes wrong.
    fair: AtomicBool,
    /// It cannot be reached.
    away: AtomicBool,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why a statement failed: the same words, whether or not it was carried out.
fn broken() -> StoreError {
    StoreError::Engine("the connection broke".into())
}

impl League {
    /// An empty store.
    pub fn new(random: Rng, trace: &Trace) -> League {
        let time = trace.clone();
        let clock = Clock::told_by(move || system::DATE * 1000 + time.now_ms() as i64);
        let memory = Memory::shared(1, &clock).remove(0);
        League(Arc::new(Inner {
            trace: trace.clone(),
            memory,
            random: Mutex::new(random),
            fair: AtomicBool::new(false),
            away: AtomicBool::new(false),
        }))
    }

    /// What is kept, as it is.
    pub fn memory(&self) -> &Memory {
        &self.0.memory
    }

    /// Nothing goes wrong from now on, or again something does.
    pub fn set_fair(&self, fair: bool) {
        self.0.fair.store(fair, Ordering::SeqCst);
    }

    /// It cannot be reached from now on, or can again.
    pub fn set_away(&self, away: bool) {
        self.0.away.store(away, Ordering::SeqCst);
    }

    /// The store as a new process sees it, which hears of the others from now on.
    pub fn join(&self, life: &Arc<Life>) -> Faulty<Memory> {
        let heard = broadcast::Sender::new(WAKE_UPS);
        tokio::spawn(self.clone().tell(heard.clone(), life.clone()));
        let (league, life) = (self.clone(), life.clone());
        let hook = move |operation, moment| league.pass(&life, operation, moment);
        Faulty::new(self.0.memory.beside(), hook)
            .hearing(heard)
            .by_clock(self.late_clock())
    }

    /// Whether a statement passes on its way there, or back.
    fn pass(&self, life: &Life, operation: Operation, moment: Moment) -> Result<(), StoreError> {
        if life.is_cut_off() {
            return Err(StoreError::Closed);
        }
        let writes = [Operation::Append, Operation::Settle, Operation::Grant];
        let writes = writes.contains(&operation);
        let Inner {
            trace,
            random,
            fair,
            away,
            ..
        } = &*self.0;
        if moment == Moment::After && writes {
            trace.step(Step::Commit, format!("{operation:?}"));
        }
        if away.load(Ordering::SeqCst) {
            return Err(broken());
        }
        let one_of = if writes { 50 } else { 400 };
        if !fair.load(Ordering::SeqCst) && held(random).u32(0..one_of) == 0 {
            trace.note(format!("the store: {operation:?} is lost {moment:?}"));
            trace.count(match (writes, moment) {
                (true, Moment::Before) => "writes that were not done, said to be unknown",
                (true, Moment::After) => "writes that were done, said to be unknown",
                (false, _) => "reads that were lost",
            });
            return Err(broken());
        }
        Ok(())
    }

    /// Tells a process of what is done in the store until it ends.
    async fn tell(self, heard: broadcast::Sender<WakeUp>, life: Arc<Life>) {
        let mut told = self.0.memory.wake_ups();
        loop {
            let wake_up = match told.recv().await {
                Ok(wake_up) => wake_up,
                Err(RecvError::Lagged(_)) => WakeUp::Missed,
                Err(RecvError::Closed) => return,
            };
            if life.is_over() {
                return;
            }
            let mut random = held(&self.0.random);
            let fair = self.0.fair.load(Ordering::SeqCst);
            let times = match random.u8(0..20) {
                0..3 if !fair => 0,
                3..6 if !fair => 2,
                _ => 1,
            };
            self.0.trace.count(match times {
                0 => "wake-ups lost",
                1 => "wake-ups",
                _ => "wake-ups doubled",
            });
            for _ in 0..times {
                let late = !fair && random.u8(0..20) == 0;
                let wait = Duration::from_millis(match late {
                    true => random.u64(50..3000),
                    false => random.u64(1..5),
                });
                let (heard, wake_up) = (heard.clone(), wake_up.clone());
                tokio::spawn(async move {
                    tokio::time::sleep(wait).await;
                    // Nobody may listen any more.
                    let _ = heard.send(wake_up);
                });
            }
        }
    }

    /// The store's clock, as somebody knows it who has asked for it some seconds ago: the answer took its time.
    fn late_clock(&self) -> Clock {
        let (clock, trace) = (self.0.memory.clock(), self.0.trace.clone());
        let random = held(&self.0.random).fork();
        // How late the last answer was and when it came, and what was told last.
        let known = Mutex::new((random, 0, None, i64::MIN));
        Clock::told_by(move || {
            let mut known = held(&known);
            let (random, late, asked, told) = &mut *known;
            let now = trace.now_ms() / CLOCK_MS;
            if *asked != Some(now) {
                *asked = Some(now);
                *late = match random.u8(0..10) {
                    0 => random.i64(50..400),
                    _ => random.i64(0..10),
                };
            }
            *told = (*told).max(clock.now_ms() - *late);
            *told
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee::store::conformance::{append_to, new_match};
    use referee::store::{Appended, Store};

    /// Of what is said to have failed some was done, and some was not.
    #[tokio::test(start_paused = true)]
    async fn of_what_is_said_to_have_failed_some_was_done() {
        let league = League::new(Rng::with_seed(7), &Trace::new(None));
        let store = league.join(&Arc::default());
        let (create, id) = new_match();
        league.memory().append(vec![create]).expect("a memory");
        let (mut done, mut not_done) = (0, 0);
        for _ in 0..2000 {
            let length = league.memory().find(&id).expect("a memory");
            let length = length.expect("the match").length;
            let appended = store.append(vec![append_to(&id, length, &[b"more"])]);
            let after = league.memory().find(&id).expect("a memory");
            let after = after.expect("the match").length;
            match appended {
                Ok(appended) => {
                    assert_eq!((&appended[..], after), (&[Appended::Done][..], length + 1))
                }
                Err(error) if after > length => {
                    assert_eq!(error, broken());
                    done += 1;
                }
                Err(error) => {
                    assert_eq!(error, broken());
                    not_done += 1;
                }
            }
        }
        assert!(done > 10 && not_done > 10, "{done} {not_done}");
    }

    #[tokio::test(start_paused = true)]
    async fn wake_ups_are_lost_and_doubled_and_in_fair_weather_neither() {
        for fair in [false, true] {
            let league = League::new(Rng::with_seed(7), &Trace::new(None));
            league.set_fair(fair);
            let store = league.join(&Arc::default());
            let mut heard = store.shared().expect("it is shared").wake_ups();
            tokio::task::yield_now().await;
            let mut times = Vec::new();
            for _ in 0..200 {
                let (create, id) = new_match();
                league.memory().append(vec![create]).expect("a memory");
                tokio::time::sleep(Duration::from_secs(4)).await;
                let mut count = 0;
                while let Ok(wake_up) = heard.try_recv() {
                    assert_eq!(wake_up, WakeUp::Grew(id.clone(), 1));
                    count += 1;
                }
                times.push(count);
            }
            let count = |wanted| times.iter().filter(|count| **count == wanted).count();
            match fair {
                true => assert_eq!(count(1), 200),
                false => assert!(count(0) > 10 && count(2) > 10, "{times:?}"),
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_clock_is_late_and_never_goes_back() {
        let league = League::new(Rng::with_seed(7), &Trace::new(None));
        let (true_clock, clock) = (league.memory().clock(), league.late_clock());
        let (mut last, mut latest) = (i64::MIN, 0);
        for _ in 0..2000 {
            tokio::time::sleep(Duration::from_millis(37)).await;
            let now = clock.now_ms();
            let late = true_clock.now_ms() - now;
            assert!(now >= last && (0..500).contains(&late), "{now} {late}");
            (last, latest) = (now, late.max(latest));
        }
        assert!(latest > 50, "{latest}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_process_that_is_gone_reaches_nothing_but_what_was_on_its_way() {
        let league = League::new(Rng::with_seed(7), &Trace::new(None));
        league.set_fair(true);
        let life = Arc::new(Life::default());
        let store = league.join(&life);
        life.end();
        assert_eq!(store.revocations(), Err(StoreError::Closed));
        assert_eq!(life.carry_out(|| store.revocations()), Ok(0));
        assert_eq!(store.revocations(), Err(StoreError::Closed));
    }
}
