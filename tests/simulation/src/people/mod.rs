//! Who lives in a world: hosts, players, watchers, an administrator, a publisher.
//!
//! Each does what the contract's guide says, and repeats what was not answered with the same request id. What they were
//! told is remembered, for [`audit`](crate::audit) to compare.

mod administrator;
mod host;
mod player;
mod publisher;
mod watcher;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use fastrand::Rng;
use referee::client::{Call, error_info};
use referee::wire::v1::{self, event};
use tokio::time::Instant;
use tonic::Status;

use crate::caller::Caller;
use crate::world::{World, is_final};

pub use administrator::administrator;
pub use host::host;
pub use publisher::publisher;

/// What is played where two worlds are compared: only the first seat has secrets.
pub(super) const SECRETS: &str = "sealed-letters";

/// What is played.
pub(super) const RULESETS: [&str; 3] = ["tea-house", "night-market", "san-juan"];

/// A match, as it is known from outside.
pub struct Table {
    /// Its number in this world.
    pub number: u64,
    /// Its resource name.
    pub name: String,
    /// Seconds for a question; zero is no limit.
    pub question_seconds: u32,
    /// By seat: the token; none of a bot.
    pub tokens: Vec<Option<String>>,
    /// A spectator's token.
    pub spectator: String,
    /// The token of a player who holds the second seat, if that is somebody's who holds others.
    pub player: Option<String>,
    /// Moves that were acknowledged, as the answers told them.
    pub acknowledged: Mutex<Vec<Acknowledged>>,
    /// What streams told.
    pub heard: Mutex<Vec<Heard>>,
    /// What players saw who looked at the table.
    pub looks: Mutex<Vec<Look>>,
    /// By seat: what stands for all that it was told until the match was over.
    pub ends: Mutex<BTreeMap<usize, String>>,
}

/// A move that was acknowledged.
pub struct Acknowledged {
    /// The seat, from zero.
    pub seat: usize,
    /// What the seat was told.
    pub events: Vec<v1::Event>,
    /// When the move was submitted first.
    pub called: Instant,
    /// When it was acknowledged.
    pub at: Instant,
}

/// A look at the table.
pub struct Look {
    /// The seat, from zero.
    pub seat: usize,
    /// Events of the seat that came before what it saw.
    pub events: u64,
    /// So many it wanted to see at least.
    pub at_least: u64,
    /// When it asked.
    pub called: Instant,
    /// When it was answered.
    pub at: Instant,
}

/// What a stream told an audience, from its first event on.
pub struct Heard {
    /// The seat, from zero; none is the spectators.
    pub seat: Option<usize>,
    /// The number of the first event.
    pub first: u64,
    /// The events, in order.
    pub events: Vec<v1::Event>,
    /// When each came, and since when there was the connection on which it did; nothing of somebody who does not listen all
    /// the time.
    pub times: Vec<(Instant, Instant)>,
    /// Whether it told that the match is over.
    pub closed: bool,
}

/// Adds to what is remembered.
fn remember<T>(to: &Mutex<Vec<T>>, what: T) {
    to.lock().unwrap_or_else(PoisonError::into_inner).push(what);
}

/// Insists, and now and then sends the same request twice at once: both are answered alike.
async fn twice<R: Call>(
    world: &World,
    who: &str,
    client: &Caller,
    random: &mut Rng,
    request: R,
) -> Result<R::Answer, Status> {
    if random.u8(0..12) == 0 {
        let (one, other) = tokio::join!(
            world.ask(who, client, request.clone()),
            world.ask(who, client, request.clone())
        );
        world.trace.count("doubled requests");
        let refused = |answer: &Result<R::Answer, Status>| match answer {
            Err(status) if is_final(status) => error_info(status).map(|info| info.reason),
            _ => None,
        };
        let differ = match (&one, &other) {
            (Ok(_), refusal) | (refusal, Ok(_)) => refused(refusal),
            _ => None,
        };
        if let Some(reason) = differ {
            let path = R::PATH;
            let said = format!("{who} {path}: the same request was done and refused: {reason}");
            world.trace.fault(said);
        }
    }
    world.insist(who, client, request).await
}

/// A token that was revoked then opens nothing once that is known everywhere.
async fn must_open_nothing(
    world: &World,
    who: &str,
    revoked: Instant,
    open: impl AsyncFnOnce() -> Result<(), Status>,
) {
    let called = Instant::now();
    let answered = open().await;
    if answered.is_ok() && called < revoked + world.known_everywhere(revoked) {
        world.trace.count("revoked tokens that opened for a moment");
        return;
    }
    let reason = answered.as_ref().err().and_then(error_info);
    let reason = reason.map(|info| info.reason);
    if reason.as_deref() != Some("TOKEN_INVALID") {
        let since = revoked.elapsed().as_millis();
        world.trace.fault(format!(
            "{who}: a token that was revoked {since} ms ago: {answered:?}"
        ));
    }
    world.trace.count("revoked tokens tried");
}

fn is_reason(status: &Status, reasons: &[&str]) -> bool {
    error_info(status).is_some_and(|info| reasons.contains(&&info.reason[..]))
}

/// Whether an event is a move that a player made.
pub fn is_own_move(event: &v1::Event, seat: usize) -> bool {
    match &event.kind {
        Some(event::Kind::MoveMade(made)) => {
            made.origin() == v1::MoveOrigin::Player && made.seat as usize == seat + 1
        }
        _ => false,
    }
}
