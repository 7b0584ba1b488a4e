//! Moves that are on disk before they are acknowledged.

use std::path::Path;

use crate::begin::{IN_TURN, MATCHES, calls, connections, games, play};
use crate::server::Server;
use crate::turns::{Turns, timed};
use crate::{Outcome, Size};

/// Moves that are on disk before they are acknowledged.
pub async fn durable(folder: &Path, size: Size) -> Outcome<()> {
    let server = Server::start(folder, "durable.sqlite", 4096)?;
    let connections = connections(&server.url, &server.host, MATCHES).await?;
    play(games(&server, &connections, 900, 1, 20).await?).await?;
    let (mut one, mut many) = <(Turns, Turns)>::default();
    for turn in 0..size.turns {
        let first = 20_000 + turn * 100;
        let single = games(&server, &connections[..1], first, IN_TURN, size.moves).await?;
        let count = calls(&single);
        one.0.push(timed(&[&server], count, play(single)).await?);
        let prepared = games(&server, &connections, first + 50, 1, size.moves).await?;
        let count = calls(&prepared);
        many.0.push(timed(&[&server], count, play(prepared)).await?);
    }
    one.tell("submit on disk, one by one");
    many.tell("submit on disk, 16 in flight");
    println!(
        "{:42} {:9.2} times one by one (goal: at least 2)",
        "",
        many.ratio(&one)
    );
    Ok(())
}
