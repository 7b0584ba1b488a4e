//! Watchers: they listen on a stream, lose it, and go on where it stopped.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use referee::wire::v1::{
    self, watch_match_response, watch_my_matches_request::Start, watch_my_matches_response::Told,
    watch_public_match_response,
};
use tokio::time::Instant;
use tonic::Status;

use super::{Heard, Table, remember};
use crate::caller::Caller;
use crate::trace::Step;
use crate::world::{World, is_final};

/// Watches a match to its end: as a spectator, or beside the player of a seat.
pub(super) async fn watch(world: Arc<World>, table: Arc<Table>) {
    let mut random = world.random();
    let seats: Vec<usize> = (0..table.tokens.len())
        .filter(|seat| table.tokens[*seat].is_some())
        .collect();
    let seat = if random.bool() {
        None
    } else {
        random.choice(seats)
    };
    let token = match seat {
        Some(seat) => table.tokens[seat].clone().unwrap_or_default(),
        None => table.spectator.clone(),
    };
    let who = match seat {
        Some(seat) => format!("watcher of seat {} of {}", seat + 1, table.number),
        None => format!("spectator of {}", table.number),
    };
    // The player of the second seat hears of it among all their matches.
    let player = table
        .player
        .as_ref()
        .filter(|_| seat == Some(1) && random.bool());
    let client = world.client().with_token(player.unwrap_or(&token));
    let mut heard = Heard {
        seat,
        first: 0,
        events: Vec::new(),
        times: Vec::new(),
        closed: false,
    };
    let mut resume = String::new();
    while !heard.closed {
        let places = (&mut resume, &mut heard);
        let listened = match player {
            Some(_) => listen_to_all(&world, &who, &client, &table, places, &mut random).await,
            None => listen(&world, &who, &client, &table, places, &mut random).await,
        };
        match listened {
            Err(status) if is_final(&status) => {
                world.trace.fault(format!("{who}: {status:?}"));
                break;
            }
            _ => tokio::time::sleep(Duration::from_millis(random.u64(10..700))).await,
        }
    }
    remember(&table.heard, heard);
}

/// Listens for a while to a stream of all matches of a player, of which one is remembered.
async fn listen_to_all(
    world: &World,
    who: &str,
    client: &Caller,
    table: &Table,
    (resume, heard): (&mut String, &mut Heard),
    random: &mut Rng,
) -> Result<(), Status> {
    // A match that is over before anything was heard of it is told to whoever names it.
    let is_named = resume.is_empty() || random.bool();
    let watch = v1::WatchMyMatchesRequest {
        names: is_named.then(|| table.name.clone()).into_iter().collect(),
        start: (!resume.is_empty()).then(|| Start::ResumeToken(resume.clone())),
        max_batch: random.u32(0..4),
        ..Default::default()
    };
    let mut stream = world.ask(who, client, watch).await?;
    let since = Instant::now();
    while let Some(message) = stream.message().await? {
        world.trace.step(Step::Message, format!("{who} hears"));
        *resume = message.resume_token;
        if message.name == table.name {
            world.trace.count("messages among all matches");
            let item = match message.told {
                Some(Told::Message(told)) => told.item,
                Some(Told::Ended(ended)) => {
                    world.trace.fault(format!("{who}: {ended:?}"));
                    return Ok(());
                }
                None => None,
            };
            match item {
                Some(watch_match_response::Item::Events(batch)) => {
                    heard.events.extend(batch);
                    let times = (Instant::now(), since);
                    heard.times.resize(heard.events.len(), times);
                }
                Some(watch_match_response::Item::Closed(_)) => {
                    heard.closed = true;
                    return Ok(());
                }
                _ => {}
            }
        }
        if !world.is_calm() && random.u8(0..30) == 0 {
            return Ok(());
        }
    }
    Ok(())
}

/// Listens to one stream for a while.
async fn listen(
    world: &World,
    who: &str,
    client: &Caller,
    table: &Table,
    (resume, heard): (&mut String, &mut Heard),
    random: &mut Rng,
) -> Result<(), Status> {
    let name = table.name.clone();
    let max_batch = random.u32(0..4);
    macro_rules! listen {
        ($request:ident, $item:ident) => {{
            let watch = v1::$request {
                max_batch,
                ..v1::$request::of(name).behind(&**resume)
            };
            let mut stream = world.ask(who, client, watch).await?;
            let since = Instant::now();
            while let Some(message) = stream.message().await? {
                world.trace.step(Step::Message, format!("{who} hears"));
                world.told(who, &message);
                *resume = message.resume_token;
                match message.item {
                    Some($item::Item::Events(batch)) => {
                        heard.events.extend(batch);
                        let times = (Instant::now(), since);
                        heard.times.resize(heard.events.len(), times);
                    }
                    Some($item::Item::Closed(_)) => {
                        heard.closed = true;
                        return Ok(());
                    }
                    _ => {}
                }
                if !world.is_calm() && random.u8(0..30) == 0 {
                    return Ok(());
                }
            }
        }};
    }
    match heard.seat {
        Some(_) => listen!(WatchMatchRequest, watch_match_response),
        None => listen!(WatchPublicMatchRequest, watch_public_match_response),
    }
    Ok(())
}
