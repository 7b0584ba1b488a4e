//! The store in PostgreSQL, on servers of the tests' own.
//!
//! They run with `REFEREE_NEED=postgres`, which fails where PostgreSQL is not installed, and among the slow tests (`--ignored`)
//! where it is.

mod check;
mod citus;
mod conformance;
mod partitions;
mod reach;
mod refusals;
mod standby;
mod waiting;

use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial, run};
use referee_tests::cluster::{self, Cluster};

/// A test of a server that others use, too, each in a database of its own.
type Test = fn(&Cluster) -> Result<(), Failed>;

/// Every test.
fn tests() -> Vec<(&'static str, Test)> {
    [
        check::TESTS,
        citus::TESTS,
        conformance::TESTS,
        partitions::TESTS,
        reach::TESTS,
        refusals::TESTS,
        standby::TESTS,
        waiting::TESTS,
    ]
    .concat()
}

/// The server that all tests share which need nothing special of it.
fn shared() -> Result<&'static Cluster, Failed> {
    static SHARED: OnceLock<Arc<Cluster>> = OnceLock::new();
    if SHARED.get().is_none() {
        let started = Arc::new(Cluster::start(&[])?);
        // Whoever comes second uses the first.
        let _ = SHARED.set(started);
    }
    SHARED
        .get()
        .map(|shared| &**shared)
        .ok_or_else(|| "no server".into())
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let is_there = cluster::programs().is_some();
    let is_needed = std::env::var("REFEREE_NEED").is_ok_and(|need| need == "postgres");
    let tests = tests();
    let tests = match is_there || is_needed {
        true => tests,
        false => Vec::new(),
    };
    let trials = tests.into_iter().map(|(name, test)| {
        let trial = Trial::test(name, move || test(shared()?));
        trial.with_ignored_flag(!is_needed)
    });
    let done = run(&arguments, trials.collect());
    if is_needed && !arguments.list {
        println!(
            "tests of PostgreSQL that ran: {}",
            done.num_passed + done.num_failed
        );
    }
    done.exit_code()
}
