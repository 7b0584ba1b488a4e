//! Watchers: they listen on a stream, lose it, and go on where it stopped.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use referee::client::Client;
use referee::wire::v1::{self, watch_match_response, watch_public_match_response};
use tokio::time::Instant;
use tonic::Status;

use super::{Heard, Table, remember};
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
    let client = world.client().with_token(&token);
    let mut heard = Heard {
        seat,
        first: 0,
        events: Vec::new(),
        times: Vec::new(),
        closed: false,
    };
    let mut resume = String::new();
    while !heard.closed {
        let listened = listen(
            &world,
            &who,
            &client,
            &table,
            (&mut resume, &mut heard),
            &mut random,
        );
        match listened.await {
            Err(status) if is_final(&status) => {
                world.trace.fault(format!("{who}: {status:?}"));
                break;
            }
            _ => tokio::time::sleep(Duration::from_millis(random.u64(10..700))).await,
        }
    }
    remember(&table.heard, heard);
}

/// Listens to one stream for a while.
async fn listen(
    world: &World,
    who: &str,
    client: &Client,
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
