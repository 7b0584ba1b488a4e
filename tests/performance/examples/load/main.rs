//! A load generator: how fast the service takes moves, and what that costs.
//!
//! `cargo run --release --locked -p referee-performance --example load [-- quick] [submit|durable|memory|cold|evicted|league|plan…]`
//!
//! `… --example load -- resting 1000000` fills a database with so many matches that rest, and opens some.
//!
//! The referee runs in a process of its own, beside a bare tonic service whose `SubmitMove` answers the same
//! messages without doing anything: the ratio of the two says what refereeing costs, whatever the machine. The
//! moves of every match are worked out before, so that nothing but submitting is measured. What is compared is
//! measured in turns, and the median of the turns counts. Processor time is the server's own; a turn during
//! which others used more than a tenth of a core says so and is void, as long as others are left.

mod begin;
mod disk;
mod held;
mod league;
mod plan;
mod rest;
mod resting;
mod serve;
mod server;
mod submit;
mod turns;
mod watch;

use disk::durable;
use rest::{cold, evicted, memory};
use submit::submit;
use tokio::runtime::Runtime;

/// As the command: it is the referee that is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// How much is measured.
#[derive(Clone, Copy)]
struct Size {
    /// Moves of every match.
    moves: usize,
    /// Turns of which the median counts.
    turns: u64,
    /// Matches that are opened and let go.
    evicted: u64,
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["serve", store, key, open] = arguments[..] {
        // The bare service runs on as many threads as such a service usually does.
        let usual = Runtime::new()?;
        let served = serve::serve(store, key, open.parse()?, usual.handle());
        return referee::server::runtime(None)?.block_on(served);
    }
    let runtime = Runtime::new()?;
    let quick = arguments.contains(&"quick");
    let size = Size {
        moves: if quick { 60 } else { 100 },
        turns: if quick { 3 } else { 7 },
        evicted: if quick { 2_000 } else { 10_000 },
    };
    if let ["resting", matches] = arguments[..] {
        let folder = tempfile::tempdir()?;
        return runtime.block_on(resting::resting(folder.path(), matches.parse()?));
    }
    let parts: Vec<&str> = arguments.into_iter().filter(|a| *a != "quick").collect();
    let wanted = |part| parts.is_empty() || parts.contains(&part);
    let folder = tempfile::tempdir()?;
    runtime.block_on(async {
        if wanted("submit") {
            submit(folder.path(), size).await?;
        }
        if wanted("durable") {
            durable(folder.path(), size).await?;
        }
        if wanted("memory") {
            memory(folder.path()).await?;
        }
        if wanted("cold") {
            cold(folder.path(), size).await?;
        }
        if wanted("evicted") {
            evicted(folder.path(), size).await?;
        }
        if wanted("league") {
            league::league(folder.path(), size).await?;
        }
        if wanted("plan") {
            plan::plan(folder.path()).await?;
        }
        Ok(())
    })
}
