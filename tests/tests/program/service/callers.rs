//! Every method called in a loop, with the largest request that it takes, by every kind of caller, with a token that is good
//! and with one that is not: those who play beside it wait for no more than two slices of others' work.
//!
//! What is compared is counted, not timed: units of work that others had done between the arrival of a neighbour's move and
//! its turn. `REFEREE_CALLERS_MS` is for how long each method is called by each caller; a campaign says 200.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prost::Message as _;
use prost_types::DescriptorProto;
use referee::client::{Chooser, Client, request_id, seat_name};
use referee::limits::Limits;
use referee::table::SLICE;
use referee::wire::v1::{self, TokenKind};
use referee_tests::mini;
use tokio::task::JoinSet;
use tonic::transport::Channel;

use super::calls::{call, methods, request};
use super::world::{Table, World, create_of, quick};

/// Rules that take some milliseconds after every move, so that tables wait for their turn.
const SLOW: &str = "
phase game
  step going: repeat until the game ends
    step turns: each p from dealer
      step burning
        do { let i = 0; while i < 100000 { i += 1; } }
      step asking: ask p
        move act
        move pass
ending rich when any p in players: purse(p) > 20
";

fn files(rules: &str) -> Vec<v1::PackageFile> {
    let files = mini::package(rules).files.into_iter();
    files
        .map(|(path, text)| v1::PackageFile { path, text })
        .collect()
}

/// A package that takes all the work that is allowed.
fn dear() -> v1::Package {
    let sum = "sum x in colours: sum y in colours: sum z in colours: weight(x) * weight(y)";
    let rules = format!("counter big(a: colour)   starts {sum}\n{}", mini::GAME);
    let mut files = files(&rules);
    for i in 0..200 {
        files[1].text += &format!("  r{i}: {{names: {{en: r, pl: r}}, weight: 1, twin: blue}}\n");
    }
    v1::Package { files }
}

/// The largest request that a method takes: what it knows, a package or a record that is as dear as may be, and bytes of
/// a field that it does not know.
fn largest(input: &DescriptorProto, name: &str, limits: &Limits) -> Vec<u8> {
    let mut bytes = request(input, name);
    let mut most = limits.request_bytes;
    for field in &input.field {
        let content = match field.name() {
            "package" => dear().encode_to_vec(),
            "record" => b"{\"form\": \"referee.record/2\"}\n".repeat(100_000),
            _ => continue,
        };
        most = limits.upload_bytes;
        prost::encoding::bytes::encode(field.number() as u32, &content, &mut bytes);
    }
    let room = (most as usize).saturating_sub(bytes.len() + 16);
    prost::encoding::bytes::encode(15_000, &vec![7; room], &mut bytes);
    bytes
}

/// A match of the slow rules, under way.
async fn table(world: &World, host: &Client) -> (Table, Vec<String>) {
    let create = create_of("mini", 2, 1);
    let created = host.call(create).await.expect("a match");
    world.seat_of(host, created).await
}

/// A match of the slow rules that bots play on and on.
async fn bots(host: &Client) {
    let create = create_of("mini", 2, 1);
    let created = host.call(create).await.expect("a match");
    let name = created.r#match.expect("a match").name;
    for seat in 1..=2 {
        let bot = v1::SeatBotRequest {
            bot: v1::BotKind::Random.into(),
            ..v1::SeatBotRequest::of(seat_name(&name, seat))
        };
        host.call(bot).await.expect("a bot");
    }
    let start = v1::StartMatchRequest::of(name);
    host.call(start).await.expect("it starts");
}

/// How many call at once. Ten times as many make no difference.
async fn nobody_waits_longer(attackers: usize) {
    let milliseconds =
        std::env::var("REFEREE_CALLERS_MS").map_or(5, |text| text.parse().expect("a number"));
    let limits = Limits {
        calls_per_second: 1_000_000,
        failed_authentications: 1_000_000,
        // However busy the machine is.
        call_time: Duration::from_secs(120),
        ..quick()
    };
    let world = World::with(limits.clone()).await;
    let publish = v1::PublishPackageRequest {
        package: Some(v1::Package { files: files(SLOW) }),
        request_id: request_id(),
        ..Default::default()
    };
    let publisher = world.publisher().await;
    publisher.call(publish).await.expect("it is published");

    let neighbour = world.token(TokenKind::Host).await.token;
    let (beside, _) = table(&world, &world.client().with_token(&neighbour)).await;
    let moves = Arc::new(AtomicU64::new(0));
    let playing = tokio::spawn({
        let moves = moves.clone();
        async move {
            let mut player = Chooser::new(1);
            while beside.play(1, &mut player).await {
                moves.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    // Revoked below: nobody is behind them any more.
    let mut revoked = Vec::new();
    for kind in [TokenKind::Host, TokenKind::Publisher, TokenKind::Admin] {
        let made = world.token(kind).await;
        let revoke = v1::RevokeTokenRequest {
            name: made.name,
            request_id: request_id(),
        };
        world.admin().call(revoke).await.expect("it is revoked");
        revoked.push(made.token);
    }
    let channel = Channel::from_shared(world.url()).expect("a url");
    let channel = channel.connect().await.expect("it listens");
    let (_, foreign) = table(&world, &world.host()).await;
    // Whoever calls has matches, too, in which something is always to be judged.
    for _ in 0..attackers {
        bots(&world.host()).await;
    }
    let mut longest = 0;
    let mut told = Vec::new();
    for (method, input) in methods() {
        // Each method has a match of its own: some of them end it.
        let (own, seats) = table(&world, &world.host()).await;
        let invite = v1::InviteSpectatorRequest::of(&own.name);
        let spectator = own.host.call(invite).await;
        let running = world.running();
        let callers = [
            None,
            Some(running.host_token().to_owned()),
            Some(running.admin_token().to_owned()),
            Some(running.publisher_token().to_owned()),
            Some(seats[0].clone()),
            Some(foreign[0].clone()),
            Some(spectator.expect("a token").spectator_token),
        ];
        for caller in callers.into_iter().chain(revoked.iter().cloned().map(Some)) {
            let mut calling = JoinSet::new();
            for _ in 0..attackers {
                let (channel, caller) = (channel.clone(), caller.clone());
                let (path, input) = (format!("/referee.v1.{method}"), input.clone());
                let (name, limits) = (own.name.clone(), limits.clone());
                calling.spawn(async move {
                    loop {
                        let bytes = largest(&input, &name, &limits);
                        call(&channel, &path, caller.as_deref(), bytes).await;
                    }
                });
            }
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            calling.shutdown().await;
        }
        let waited = running.longest_wait(&neighbour);
        if waited > longest {
            longest = waited;
            told.push(format!("{method}: {waited}"));
        }
    }
    let moves = moves.load(Ordering::Relaxed);
    println!(
        "{attackers} callers, {moves} moves beside them, at most {longest} units before one: {told:?}"
    );
    assert!(moves > 20, "{moves}");
    assert!(longest > 0, "they waited for nobody");
    assert!(longest <= 2 * SLICE, "{told:?}");
    assert!(!playing.is_finished(), "the neighbour could not go on");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn neighbours_wait_for_two_slices_at_most_whatever_is_called() {
    nobody_waits_longer(4).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn neighbours_wait_for_two_slices_at_most_however_many_call() {
    nobody_waits_longer(40).await;
}
