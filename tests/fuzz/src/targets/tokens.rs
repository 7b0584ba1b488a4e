//! Tokens: of callers, of places in streams and lists, of decisions.

use std::sync::LazyLock;

use referee::client::{Client, error_info};
use referee::server::Running;
use referee::wire::v1;
use referee_tests::random::Random;
use std::sync::Arc;
use tonic::Code;

use super::hosted::{RUNTIME, keys, play, referee, seated, sure};
use crate::Target;
use crate::mutate::bytes;
use referee::store::memory::Memory;

/// Tokens, each as text behind a letter that says of what.
pub const TARGET: Target = Target {
    name: "tokens",
    about: "changed tokens of callers, resume tokens and page tokens at a referee: refused with their reason, never as a mistake \
            of its own; nobody gets in who has none",
    run,
    mutate,
    seeds,
    longest: 1024,
};

struct World {
    _running: Running,
    client: Client,
    host: Client,
    admin: Client,
    name: String,
    seats: Vec<String>,
    resume: String,
    page: String,
    list: String,
}

static WORLD: LazyLock<World> = LazyLock::new(|| RUNTIME.block_on(world()));

async fn world() -> World {
    let (running, client) = referee(Arc::new(Memory::default()), keys()).await;
    let host = client.with_token(running.host_token());
    let admin = client.with_token(running.admin_token());
    let (name, seats) = seated(&client, &host, 5).await;
    for seed in 6..9 {
        seated(&client, &host, seed).await;
    }
    play(&client, &name, &seats, 12).await;
    let seat = client.with_token(&seats[0]);
    let asked = v1::GetViewRequest::of(&name);
    let resume = sure(seat.call(asked).await).resume_token;
    let asked = v1::ListEventsRequest {
        name: name.clone(),
        page_size: 2,
        ..Default::default()
    };
    let page = sure(seat.call(asked).await).next_page_token;
    let asked = v1::ListMatchesRequest {
        page_size: 1,
        ..Default::default()
    };
    let list = sure(host.call(asked).await).next_page_token;
    World {
        _running: running,
        client,
        host,
        admin,
        name,
        seats,
        resume,
        page,
        list,
    }
}

/// What stands in an input for tokens that are others in every process.
fn meant(token: &str) -> String {
    let mut out = token.to_owned();
    for (name, real) in [
        ("$seat", &WORLD.seats[0]),
        ("$other", &WORLD.seats[1]),
        ("$resume", &WORLD.resume),
        ("$page", &WORLD.page),
        ("$list", &WORLD.list),
    ] {
        // Also a part of one: `$seat:10` is its beginning.
        while let Some(at) = out.find(name) {
            let rest = &out[at + name.len()..];
            let digits = rest.strip_prefix(':').map_or("", |rest| {
                &rest[..rest.bytes().take(3).take_while(u8::is_ascii_digit).count()]
            });
            let length = digits.parse().unwrap_or(real.len()).min(real.len());
            let end = at
                + name.len()
                + if digits.is_empty() {
                    0
                } else {
                    1 + digits.len()
                };
            out.replace_range(at..end, &real[..length]);
        }
    }
    out
}

fn seeds() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for kind in ["a", "r", "w", "e", "l", "d"] {
        for token in [
            "$seat",
            "$other",
            "$resume",
            "$page",
            "$list",
            "",
            "rfh_x",
            "$resume:20x",
            "$page:8AAAA",
            "rfs_$seat",
        ] {
            all.push(format!("{kind}{token}").into_bytes());
        }
    }
    all
}

fn mutate(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut made = bytes::mutate(input, random);
    if random.below(4) == 0 {
        let more = *random.pick(&[
            "$seat", "$other", "$resume", "$page", "$list", ":", "=", "-", "rfa_", "rfh_",
        ]);
        let at = random.below(made.len() as u64 + 1) as usize;
        made.splice(at..at, more.bytes());
    }
    made
}

fn run(input: &[u8]) {
    // Headers that are longer than a connection takes are answered below gRPC, by HTTP's 431.
    if input.len() > TARGET.longest {
        return;
    }
    let text = String::from_utf8_lossy(input);
    let Some(kind) = text.chars().next() else {
        return;
    };
    let token = meant(&text[kind.len_utf8()..]);
    RUNTIME.block_on(ask(kind, token));
}

async fn ask(kind: char, token: String) {
    let world = &*WORLD;
    let name = world.name.clone();
    let seat = world.client.with_token(&world.seats[0]);
    let ours = [&world.resume, &world.page, &world.list].contains(&&token) || token.is_empty();
    let (status, known) = match kind {
        'a' => {
            // Blanks around a header's value are not of it.
            let known = world.seats.iter().any(|seat| seat == token.trim());
            let asked = v1::GetMatchRequest::of(name);
            let caller = world.client.with_token(&token);
            (caller.call(asked).await.err(), known)
        }
        'r' => {
            let asked = v1::GetViewRequest {
                name,
                at_least: token,
                ..Default::default()
            };
            (seat.call(asked).await.err(), ours)
        }
        'w' => {
            let asked = v1::WatchMatchRequest::of(name).behind(token);
            let status = match seat.call(asked).await {
                Ok(mut stream) => stream.message().await.err(),
                Err(status) => Some(status),
            };
            (status, ours)
        }
        'e' => {
            let asked = v1::ListEventsRequest {
                name,
                page_token: token,
                ..Default::default()
            };
            (seat.call(asked).await.err(), ours)
        }
        'l' => {
            let asked = v1::ListMatchesRequest {
                page_token: token,
                ..Default::default()
            };
            (world.host.call(asked).await.err(), ours)
        }
        _ => {
            let asked = v1::ListTokensRequest {
                page_token: token,
                ..Default::default()
            };
            (world.admin.call(asked).await.err(), ours)
        }
    };
    match status {
        Some(status) => {
            assert!(
                ![Code::Internal, Code::Unknown, Code::DataLoss].contains(&status.code()),
                "{status:?}"
            );
            let reason = error_info(&status).map(|info| info.reason);
            assert!(
                reason.is_some_and(|reason| !reason.is_empty()),
                "no reason: {status:?}"
            );
        }
        None => assert!(known, "a token that nobody made was taken"),
    }
}
