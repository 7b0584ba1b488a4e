//! Moves that nothing keeps.

use std::path::Path;

use prost::Message;
use referee::client::Client;
use referee::wire::v1;
use tonic::Status;

use crate::begin::{IN_TURN, MATCHES, answered, calls, connections, games, play, requests};
use crate::server::Server;
use crate::turns::{Turns, timed};
use crate::watch::{Opened, Unopened, play_watched};
use crate::{Outcome, Size};

/// The same messages to the service that does nothing.
async fn echo(connections: &[Client], requests: &[Vec<v1::SubmitMoveRequest>]) -> Outcome<()> {
    let mut tasks = tokio::task::JoinSet::new();
    for (client, requests) in connections.iter().zip(requests) {
        let (client, requests) = (client.clone(), requests.clone());
        tasks.spawn(async move {
            for request in requests {
                client.call(request).await?;
            }
            Ok::<(), Status>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

/// Moves that nothing keeps, beside what a bare service does; then the same while others watch.
pub async fn submit(folder: &Path, size: Size) -> Outcome<()> {
    let mut server = Server::start(folder, "memory", 100_000)?;
    let bare_connections = connections(&server.echo, &server.host, MATCHES).await?;
    let connections = connections(&server.url, &server.host, MATCHES).await?;
    // Once to warm up: pages, caches, connections.
    let mut answers = Vec::new();
    for game in games(&server, &connections, 900, 1, size.moves)
        .await?
        .into_iter()
        .flatten()
    {
        answers.extend(answered(game).await?);
    }
    let mean = answers.iter().map(Message::encoded_len).sum::<usize>() / answers.len().max(1);
    let usual = answers
        .iter()
        .min_by_key(|answer| answer.encoded_len().abs_diff(mean));
    server.let_echo_answer(usual.ok_or("no answer")?)?;
    println!("{:42} {mean:9} bytes of an answer, on average", "");
    let warm = games(&server, &connections, 950, 1, size.moves).await?;
    echo(&bare_connections, &requests(&warm)).await?;
    play(warm).await?;

    let (mut bare, mut submits, mut told) = <(Turns, Turns, Turns)>::default();
    let (mut watched, mut unopened) = <(Turns, Turns)>::default();
    // They are short, so there are more of them.
    for turn in 0..3 * size.turns {
        let first = 10_000 + turn * 1000;
        let prepared = games(&server, &connections, first, IN_TURN, size.moves).await?;
        let count = calls(&prepared);
        let requests = requests(&prepared);
        // The bare service is measured before and after: a machine that becomes slower does so for both.
        let before = timed(&[&server], count, echo(&bare_connections, &requests)).await?;
        submits
            .0
            .push(timed(&[&server], count, play(prepared)).await?);
        let after = timed(&[&server], count, echo(&bare_connections, &requests)).await?;
        bare.0.push(before.and(after));
        let mut prepared = games(&server, &connections, first + 900, IN_TURN, size.moves).await?;
        for (_, request) in prepared
            .iter_mut()
            .flatten()
            .flat_map(|game| &mut game.requests)
        {
            request.with_events = true;
        }
        let count = calls(&prepared);
        told.0.push(timed(&[&server], count, play(prepared)).await?);
        // Whoever is first finds that memory has grown meanwhile, so each is in turn.
        for opens in [turn % 2 == 0, turn % 2 != 0] {
            let first = first + if opens { 300 } else { 600 };
            let prepared = games(&server, &connections, first, IN_TURN, size.moves).await?;
            if opens {
                let took = play_watched::<Opened>(&server, prepared).await?;
                watched.0.push(took);
            } else {
                let took = play_watched::<Unopened>(&server, prepared).await?;
                unopened.0.push(took);
            }
        }
    }
    bare.tell("bare echo, 16 in flight");
    submits.tell("submit in memory, 16 matches in flight");
    println!(
        "{:42} {:9.2} of the bare echo (goal: at least 0.5)",
        "",
        submits.ratio(&bare)
    );
    told.tell("the same with what followed in the answer");
    println!("{:42} {:9.2} of the bare echo", "", told.ratio(&bare));
    watched.tell("the same with five watchers each");
    println!(
        "{:42} {:8.0} % slower (goal: at most 30 %)",
        "",
        (1.0 - watched.ratio(&submits)) * 100.0
    );
    unopened.tell("the same, nothing unpacked that they hear");
    println!(
        "{:42} {:8.0} % slower",
        "",
        (1.0 - unopened.ratio(&submits)) * 100.0
    );
    Ok(())
}
