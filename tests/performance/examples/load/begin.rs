//! Matches whose moves are worked out before they are submitted, and their playing.

use std::sync::{Arc, OnceLock};

use interpreter::Ruleset;
use interpreter::package::Configuration;
use interpreter::play::{Match, Seat, Seed};
use referee::client::Client;
use referee::library::Library;
use referee::store::MatchId;
use referee::table::decision_id;
use referee::wire::convert::move_out;
use referee::wire::v1;
use referee_tests::random::Random;

use crate::Outcome;
use crate::server::Server;

pub const PLAYERS: u8 = 3;

/// Matches that are usually played at once, and calls in flight: each on a connection of its own.
pub const MATCHES: usize = 16;

/// Matches that are played on a connection in a turn, one after the other, so that a turn is long enough to be
/// timed.
pub const IN_TURN: usize = 4;

/// A match under way, and everything that will be submitted in it.
pub struct Game {
    pub name: String,
    pub seats: Vec<Client>,
    /// The token of the first seat.
    pub token: String,
    pub requests: Vec<(usize, v1::SubmitMoveRequest)>,
}

/// The ruleset that is played, compiled once.
pub fn ruleset() -> Outcome<Arc<Ruleset>> {
    static COMPILED: OnceLock<Arc<Ruleset>> = OnceLock::new();
    if let Some(ruleset) = COMPILED.get() {
        return Ok(ruleset.clone());
    }
    let library = Library::embedded()?;
    let edition = library.get("puerto-rico").ok_or("no ruleset")?;
    let ruleset = library
        .compile(edition, &Configuration::base(PLAYERS))
        .map_err(|_| "mistakes")?;
    Ok(COMPILED.get_or_init(|| ruleset).clone())
}

/// Begins a match, and works its moves out beside the server.
pub async fn begin(server: &Server, client: &Client, number: u64, moves: usize) -> Outcome<Game> {
    let host = client.with_token(&server.host);
    let seed = Seed::from_number(number);
    let create = v1::CreateMatchRequest {
        test_seed: seed.0.to_vec(),
        ..v1::CreateMatchRequest::of("rulesets/puerto-rico", PLAYERS.into())
    };
    let created = host.call(create).await?;
    let name = created.r#match.ok_or("no match")?.name;
    let (mut seats, mut token) = (Vec::new(), String::new());
    for code in created.claim_codes {
        let claim = v1::ClaimSeatRequest::by(&code, "load");
        let claimed = client.call(claim).await?;
        seats.push(client.with_token(&claimed.seat_token));
        if token.is_empty() {
            token = claimed.seat_token;
        }
    }
    let start = v1::StartMatchRequest::of(&name);
    host.call(start).await?;
    let id = MatchId::parse(name.trim_start_matches("matches/")).ok_or("no id")?;
    if moves == 0 {
        return Ok(Game {
            name,
            seats,
            token,
            requests: Vec::new(),
        });
    }
    let mut game = Match::new(ruleset()?, seed, false)?;
    let mut random = Random::new(number);
    let mut requests = Vec::new();
    while requests.len() < moves {
        let Some(seat) = game.waiting().first().copied() else {
            break;
        };
        let question = game.question(seat).ok_or("nobody is asked")?;
        let mv = game.sample(seat, &mut || random.word()).ok_or("no move")?;
        let Seat(index) = seat;
        requests.push((
            usize::from(index),
            v1::SubmitMoveRequest {
                decision_id: decision_id(&server.keys, &id, seat, question.number, 0),
                r#move: Some(move_out(&mv)),
                ..v1::SubmitMoveRequest::of(&name)
            },
        ));
        game.apply(seat, &mv)
            .map_err(|error| format!("{error:?}"))?;
    }
    Ok(Game {
        name,
        seats,
        token,
        requests,
    })
}

/// So many connections to one of the services, and a token that is sent on them.
pub async fn connections(url: &str, token: &str, number: usize) -> Outcome<Vec<Client>> {
    let mut connections = Vec::new();
    for _ in 0..number {
        connections.push(Client::connect(url).await?.with_token(token));
    }
    Ok(connections)
}

/// Matches by connection: so many on each.
pub async fn games(
    server: &Server,
    connections: &[Client],
    first: u64,
    count: usize,
    moves: usize,
) -> Outcome<Vec<Vec<Game>>> {
    let (mut lanes, mut number) = (Vec::new(), first);
    for connection in connections {
        let mut lane = Vec::new();
        for _ in 0..count {
            lane.push(begin(server, connection, number, moves).await?);
            number += 1;
        }
        lanes.push(lane);
    }
    Ok(lanes)
}

pub fn calls(lanes: &[Vec<Game>]) -> usize {
    let games = lanes.iter().flatten();
    games.map(|game| game.requests.len()).sum()
}

/// What will be submitted on each connection.
pub fn requests(lanes: &[Vec<Game>]) -> Vec<Vec<v1::SubmitMoveRequest>> {
    let of_lane = |lane: &Vec<Game>| {
        let requests = lane.iter().flat_map(|game| &game.requests);
        requests.map(|(_, request)| request.clone()).collect()
    };
    lanes.iter().map(of_lane).collect()
}

/// Plays a match.
pub async fn play_one(game: Game) -> Outcome<()> {
    for (seat, request) in game.requests {
        game.seats[seat].call(request).await?;
    }
    Ok(())
}

/// Plays matches, those of a connection one after the other.
pub async fn play(lanes: Vec<Vec<Game>>) -> Outcome<()> {
    let mut tasks = tokio::task::JoinSet::new();
    for lane in lanes {
        tasks.spawn(async move {
            for game in lane {
                play_one(game).await?;
            }
            Outcome::Ok(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

/// Plays a match and gives the answers.
pub async fn answered(game: Game) -> Outcome<Vec<v1::SubmitMoveResponse>> {
    let mut answers = Vec::new();
    for (seat, request) in game.requests {
        let answer = game.seats[seat].call(request).await?;
        answers.push(answer);
    }
    Ok(answers)
}
