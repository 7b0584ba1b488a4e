//! Hosts: each plays one match after the other, from its creation to its audit.

use std::sync::{Arc, Mutex};

use fastrand::Rng;
use referee::client::seat_name;
use referee::wire::convert::of_seconds;
use referee::wire::v1;
use tokio::time::Instant;
use tonic::Status;

use super::player::Player;
use super::watcher::watch;
use super::{RULESETS, SECRETS, Table, must_open_nothing, twice};
use crate::audit;
use crate::caller::Caller;
use crate::world::World;

/// Plays one match after the other until the world ends; in some of them a player holds a seat by a token of their own.
pub async fn host(world: Arc<World>, table: u64, token: String, player: String) {
    let mut random = world.random();
    let mut round = 0;
    while !world.is_over() {
        let number = round * 100 + table;
        if let Err(status) = play(&world, number, (&token, &player), &mut random).await {
            world.trace.fault(format!("match {number}: {status:?}"));
        }
        world.trace.count("matches");
        round += 1;
    }
}

/// Plays a match from its creation to its audit.
async fn play(
    world: &Arc<World>,
    number: u64,
    (token, player): (&str, &str),
    random: &mut Rng,
) -> Result<(), Status> {
    let who = &format!("host of {number}")[..];
    let client = world.client();
    let host = client.with_token(token);
    let ruleset = match random.u8(0..10) {
        _ if world.secrets().is_some() => SECRETS,
        0..5 => RULESETS[0],
        5..9 => RULESETS[1],
        _ => RULESETS[2],
    };
    let players = random.u32(2..=3);
    // Whoever moves in a player's place draws by the match's own chance.
    let alone = world.secrets().is_some();
    let question_seconds = if random.bool() && !alone {
        random.u32(2..6)
    } else {
        0
    };
    let delay = match random.u8(0..4) {
        0 => Some(v1::spectator_delay::Delay::Moves(random.u32(1..4))),
        1 => Some(v1::spectator_delay::Delay::Time(of_seconds(
            random.u32(1..5),
        ))),
        _ => None,
    };
    let create = v1::CreateMatchRequest {
        forced_moves: v1::ForcedMoves::Asked.into(),
        question_time: (question_seconds > 0).then(|| of_seconds(question_seconds)),
        spectator_delay: delay.map(|delay| v1::SpectatorDelay { delay: Some(delay) }),
        test_seed: match world.secrets() {
            Some(which) => blake3::hash(format!("{number} {which}").as_bytes())
                .as_bytes()
                .to_vec(),
            None => Vec::new(),
        },
        ..v1::CreateMatchRequest::of(format!("rulesets/{ruleset}"), players)
    };
    let created = twice(world, who, &host, random, create).await?;
    let name = created.r#match.map(|made| made.name).unwrap_or_default();
    let mut tokens = Vec::new();
    let is_held = !alone && random.bool();
    for code in &created.claim_codes {
        if !alone && tokens.len() as u32 == players - 1 && random.u8(0..4) == 0 {
            let seat = v1::SeatBotRequest {
                bot: v1::BotKind::Random.into(),
                ..v1::SeatBotRequest::of(seat_name(&name, code.seat))
            };
            twice(world, who, &host, random, seat).await?;
            tokens.push(None);
            continue;
        }
        let claims = match is_held && code.seat == 2 {
            true => &client.with_token(player),
            false => &client,
        };
        tokens.push(Some(claim(world, who, claims, code, random).await?));
    }
    if random.u8(0..8) == 0 {
        tokens[0] = Some(claim_again(world, who, (&host, &client), &name, &tokens, random).await?);
    }
    let invite = v1::InviteSpectatorRequest::of(&name);
    let invited = twice(world, who, &host, random, invite).await?;
    let begin = v1::StartMatchRequest::of(&name);
    twice(world, who, &host, random, begin).await?;
    let table = Arc::new(Table {
        number,
        name,
        question_seconds,
        tokens,
        spectator: invited.spectator_token,
        player: is_held.then(|| player.to_owned()),
        acknowledged: Mutex::default(),
        heard: Mutex::default(),
        looks: Mutex::default(),
        ends: Mutex::default(),
    });
    let mut there = Vec::new();
    for (seat, token) in table.tokens.iter().enumerate() {
        let Some(token) = token else { continue };
        let player = Player::new(world.clone(), table.clone(), seat, token);
        there.push(tokio::spawn(player.play()));
    }
    for _ in 0..random.u8(1..4) {
        there.push(tokio::spawn(watch(world.clone(), table.clone())));
    }
    for one in there {
        if let Err(error) = one.await {
            world
                .trace
                .fault(format!("match {number}: somebody stopped: {error}"));
        }
    }
    audit::of_a_match(world, &table).await
}

async fn claim(
    world: &World,
    who: &str,
    client: &Caller,
    code: &v1::ClaimCode,
    random: &mut Rng,
) -> Result<String, Status> {
    let claim = v1::ClaimSeatRequest::by(code, format!("player {}", code.seat));
    let claimed = twice(world, who, client, random, claim).await?;
    Ok(claimed.seat_token)
}

/// Gives the first seat to somebody else before the match begins: the token of before opens nothing any more.
async fn claim_again(
    world: &World,
    who: &str,
    (host, client): (&Caller, &Caller),
    name: &str,
    tokens: &[Option<String>],
    random: &mut Rng,
) -> Result<String, Status> {
    let release = v1::ReleaseSeatRequest::of(seat_name(name, 1));
    let released = twice(world, who, host, random, release).await?;
    let old = tokens.first().cloned().flatten().unwrap_or_default();
    let (released_at, seat) = (Instant::now(), client.with_token(&old));
    let look = async || {
        let asked = v1::GetViewRequest::of(name);
        world.insist(who, &seat, asked).await.map(drop)
    };
    must_open_nothing(world, who, released_at, look).await;
    if world.is_league() {
        tokio::time::sleep(world.known_everywhere(released_at)).await;
        must_open_nothing(world, who, released_at, look).await;
    }
    let code = released.claim_code.unwrap_or_default();
    claim(world, who, client, &code, random).await
}
