//! Whether everything was as it must be: of a match when it is over, and of the store when the world is.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::PoisonError;
use std::time::Duration;

use prost::Message as _;
use referee::log::v1::{self as log, entry::Body};
use referee::server::check_store;
use referee::store::sqlite::Sqlite;
use referee::store::{MatchId, Store};
use referee::wire::v1::{self, watch_public_match_response::Item};
use tonic::Status;

use crate::order;
use crate::people::{Acknowledged, Heard, Table, is_own_move};
use crate::world::{World, store_path};

/// Compares what everybody was told of a match with what is kept of it.
///
/// # Errors
///
/// When the referee does not tell what is kept.
pub async fn of_a_match(world: &World, table: &Table) -> Result<(), Status> {
    let heard = std::mem::take(&mut *table.heard.lock().unwrap_or_else(PoisonError::into_inner));
    let made = &table.acknowledged;
    let made = std::mem::take(&mut *made.lock().unwrap_or_else(PoisonError::into_inner));
    let looks = std::mem::take(&mut *table.looks.lock().unwrap_or_else(PoisonError::into_inner));
    let mut histories = BTreeMap::new();
    let fault = |what: String| world.trace.fault(format!("match {}: {what}", table.number));
    for (seat, token) in table.tokens.iter().enumerate() {
        let Some(token) = token else { continue };
        let told = history(world, table, seat, token).await?;
        let who = format!("seat {}", seat + 1);
        numbered(&told, &who, &fault);
        for heard in heard.iter().filter(|heard| heard.seat == Some(seat)) {
            compare(heard, &told, &who, &fault);
            for acknowledged in made.iter().filter(|made| made.seat == seat) {
                late(world, heard, acknowledged, &who, &fault);
            }
        }
        // Every move that was acknowledged is there once, and no other.
        let mut of_seat = BTreeMap::new();
        for acknowledged in made.iter().filter(|made| made.seat == seat) {
            for event in &acknowledged.events {
                if told.get(event.number as usize) != Some(event) {
                    fault(format!("{who} was told otherwise when it moved: {event:?}"));
                }
            }
            let own = acknowledged
                .events
                .iter()
                .find(|event| is_own_move(event, seat));
            match own {
                Some(event) if of_seat.insert(event.number, ()).is_some() => {
                    fault(format!(
                        "{who}: two requests were one move, {}",
                        event.number
                    ));
                }
                Some(_) => {}
                None => fault(format!("{who}: an answer does not tell the move")),
            }
        }
        let kept = told.iter().filter(|event| is_own_move(event, seat)).count();
        if kept != of_seat.len() {
            let acknowledged = of_seat.len();
            fault(format!(
                "{who}: {acknowledged} moves were acknowledged, {kept} are kept"
            ));
        }
        histories.insert(seat, told);
    }
    order::of_answers(world, &histories, &made, &looks, &fault);
    let public = public_history(world, table).await?;
    numbered(&public, "spectators", &fault);
    for heard in heard.iter().filter(|heard| heard.seat.is_none()) {
        compare(heard, &public, "a spectator", &fault);
    }
    clocks(world, table, &fault);
    Ok(())
}

/// Events are numbered without gaps.
fn numbered(told: &[v1::Event], who: &str, fault: &impl Fn(String)) {
    if let Some((at, event)) = (0..).zip(told).find(|(at, event)| event.number != *at) {
        fault(format!("{who}: event {at} has the number {}", event.number));
    }
}

/// A stream told exactly what is kept, from where it began.
fn compare(heard: &Heard, told: &[v1::Event], who: &str, fault: &impl Fn(String)) {
    let first = heard.first as usize;
    let rest = told.get(first..).unwrap_or_default();
    let different = heard.events.iter().zip(rest).position(|(a, b)| a != b);
    if let Some(at) = different {
        let (heard, kept) = (&heard.events[at], &rest[at]);
        fault(format!(
            "{who} heard {heard:?} as event {}, which is {kept:?}",
            first + at
        ));
    } else if heard.events.len() > rest.len() || heard.closed && heard.events.len() < rest.len() {
        let (heard, kept) = (heard.events.len(), rest.len());
        fault(format!(
            "{who} heard {heard} events from {first} on, of {kept}"
        ));
    }
}

/// How long after a move was acknowledged a stream that was open all the time may tell of it where nothing goes wrong. It is
/// much less than a stream is silent at most.
const LATE: Duration = Duration::from_millis(500);

/// A stream tells of a move soon.
fn late(world: &World, heard: &Heard, made: &Acknowledged, who: &str, fault: &impl Fn(String)) {
    if !world.was_fair(made.at, made.at + LATE) {
        return;
    }
    for event in &made.events {
        let at = event.number.checked_sub(heard.first);
        let Some((came, since)) = at.and_then(|at| heard.times.get(at as usize)) else {
            continue;
        };
        if *since < made.at && *came > made.at + LATE {
            let late = came.duration_since(made.at).as_millis();
            return fault(format!("a watcher of {who} was told {late} ms late"));
        }
    }
}

/// Time that was up was up: a seat had all of it since it answered last, and each question was answered once.
fn clocks(world: &World, table: &Table, fault: &impl Fn(String)) {
    let Some(id) = table.name.strip_prefix("matches/").and_then(MatchId::parse) else {
        return fault("it has no name".into());
    };
    let entries = world.with_store(|store| store.read(&id, 0, usize::MAX >> 1));
    let Some(Ok(entries)) = entries else {
        return world.trace.count("logs that could not be looked at");
    };
    let patience = i64::from(table.question_seconds) * 1000;
    let mut last: BTreeMap<u32, i64> = BTreeMap::new();
    let mut before = i64::MIN;
    for entry in entries {
        let Ok(entry) = log::Entry::decode(&entry.body[..]) else {
            return fault("an entry of its log cannot be read".into());
        };
        let at = entry.at_ms;
        if at < before {
            fault("its log goes back in time".into());
        }
        before = at;
        let (moves, still_asked) = match entry.body {
            Some(Body::Started(started)) => {
                last.extend((0..table.tokens.len() as u32).map(|seat| (seat, at)));
                (started.moves, Vec::new())
            }
            Some(Body::Moved(moved)) => (moved.moves, moved.still_asked),
            _ => continue,
        };
        for made in moves {
            let since = last.get(&made.seat).copied().unwrap_or(at);
            // A free move that leaves the question what it was answers nothing.
            if !still_asked.contains(&made.seat) {
                last.insert(made.seat, at);
            }
            if made.maker() == log::Maker::Timeout {
                world.trace.count("times that were up");
                if patience == 0 || at - since < patience {
                    fault(format!(
                        "seat {} had {} ms of {patience}",
                        made.seat + 1,
                        at - since
                    ));
                }
            }
        }
    }
}

/// Everything that a seat was told, which is all that its player has heard at least.
async fn history(
    world: &World,
    table: &Table,
    seat: usize,
    token: &str,
) -> Result<Vec<v1::Event>, Status> {
    let at_least = {
        let ends = table.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.get(&seat).cloned().unwrap_or_default()
    };
    let client = world.client().with_token(token);
    let mut events = Vec::new();
    let mut page_token = String::new();
    loop {
        let asked = v1::ListEventsRequest {
            name: table.name.clone(),
            at_least: at_least.clone(),
            page_token,
            page_size: 1000,
        };
        let page = world.insist("the audit", &client, asked).await?;
        events.extend(page.events);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(events);
        }
    }
}

/// Everything that spectators are told, from one stream that was not cut.
async fn public_history(world: &World, table: &Table) -> Result<Vec<v1::Event>, Status> {
    let client = world.client().with_token(&table.spectator);
    let watch = v1::WatchPublicMatchRequest::of(&table.name);
    loop {
        let mut events = Vec::new();
        let mut stream = world.insist("the audit", &client, watch.clone()).await?;
        while let Ok(Some(message)) = stream.message().await {
            match message.item {
                Some(Item::Events(batch)) => events.extend(batch),
                Some(Item::Closed(_)) => return Ok(events),
                _ => {}
            }
        }
    }
}

/// Looks through everything that is kept, as `referee store check` does.
pub fn of_the_store(world: &World) {
    if let Some(league) = world.league() {
        return of_all_in(world, league.memory().beside());
    }
    match Sqlite::open(Path::new(&store_path()), world.keys()) {
        Ok(store) => of_all_in(world, store),
        Err(error) => world
            .trace
            .fault(format!("the store does not open: {error}")),
    }
}

fn of_all_in(world: &World, store: impl Store) {
    let (keys, library) = (world.keys().clone(), world.library().clone());
    let looked = check_store(store, keys, library, None, 0, |id, _, checked| {
        if !checked.findings.is_empty() || checked.otherwise.is_some() {
            world.trace.fault(format!("{id}: {:?}", checked.findings));
        }
    });
    if let Err(error) = looked {
        world
            .trace
            .fault(format!("the store cannot be checked: {error}"));
    }
}
