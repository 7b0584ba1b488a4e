//! What happens in a simulation, step by step.
//!
//! A step is a message that was delivered (a call, an answer, a message of a stream), a commit, an alarm (a time that
//! somebody waited for has come) or a crash. Every step is a line, and all lines have one hash: two simulations of one
//! seed are the same if these are.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A client's call.
    Call,
    /// The answer to one.
    Answer,
    /// A message of a stream.
    Message,
    /// Something became durable.
    Commit,
    /// A time has come.
    Alarm,
    /// The referee's machine is gone.
    Crash,
}

/// The trace of a simulation. Copies are the same one.
#[derive(Clone)]
pub struct Trace(Arc<Mutex<State>>);

struct State {
    began: Instant,
    hash: blake3::Hasher,
    counts: BTreeMap<Step, u64>,
    other: BTreeMap<&'static str, u64>,
    faults: Vec<String>,
    secrets: blake3::Hasher,
    to: Option<Box<dyn Write + Send>>,
}

impl Trace {
    /// An empty one, whose lines are written there as well.
    pub fn new(to: Option<Box<dyn Write + Send>>) -> Trace {
        Trace(Arc::new(Mutex::new(State {
            began: Instant::now(),
            hash: blake3::Hasher::new(),
            counts: BTreeMap::new(),
            other: BTreeMap::new(),
            faults: Vec::new(),
            secrets: blake3::Hasher::new(),
            to,
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a step.
    pub fn step(&self, step: Step, what: impl Display) {
        let mut state = self.state();
        *state.counts.entry(step).or_default() += 1;
        let line = format!("{:>9} {step:?} {what}\n", state.began.elapsed().as_millis());
        state.hash.update(line.as_bytes());
        if let Some(to) = &mut state.to {
            // A trace that cannot be written is still hashed.
            let _ = to.write_all(line.as_bytes());
        }
    }

    /// Notes something that is no step.
    pub fn note(&self, what: impl Display) {
        let mut state = self.state();
        let line = format!("{:>9} {what}\n", state.began.elapsed().as_millis());
        state.hash.update(line.as_bytes());
        if let Some(to) = &mut state.to {
            let _ = to.write_all(line.as_bytes());
        }
    }

    /// Notes what somebody was told who sees what others do not: beside the trace.
    pub fn secret(&self, what: &str) {
        self.state().secrets.update(what.as_bytes());
    }

    /// The hash of all that.
    pub fn secrets(&self) -> String {
        self.state().secrets.finalize().to_hex().to_string()
    }

    /// Counts something that is no step.
    pub fn count(&self, what: &'static str) {
        *self.state().other.entry(what).or_default() += 1;
    }

    /// Something is not as it must be.
    pub fn fault(&self, what: String) {
        let at = self.state().began.elapsed().as_millis();
        let mut state = self.state();
        let line = format!("{at:>9} FAULT {what}\n");
        state.hash.update(line.as_bytes());
        if let Some(to) = &mut state.to {
            let _ = to.write_all(line.as_bytes());
        }
        state.faults.push(format!("at {at} ms: {what}"));
    }

    /// How often the referee's machine was gone.
    pub fn crashes(&self) -> u64 {
        self.state().counts.get(&Step::Crash).copied().unwrap_or(0)
    }

    /// How many steps there were.
    pub fn steps(&self) -> u64 {
        self.state().counts.values().sum()
    }

    /// What is not as it must be, if anything.
    pub fn faults(&self) -> Vec<String> {
        self.state().faults.clone()
    }

    /// How many steps there were of each kind, and what else was counted.
    pub fn counts(&self) -> (BTreeMap<Step, u64>, BTreeMap<&'static str, u64>) {
        let state = self.state();
        (state.counts.clone(), state.other.clone())
    }

    /// The hash of all lines so far.
    pub fn hash(&self) -> String {
        self.state().hash.finalize().to_hex().to_string()
    }

    /// Milliseconds since it began.
    pub fn now_ms(&self) -> u64 {
        u64::try_from(self.state().began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
