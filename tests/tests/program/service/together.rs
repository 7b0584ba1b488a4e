//! Several referees that serve from one store: any of them takes any move, and all tell the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use prost::Message as _;
use referee::client::{Chooser, Chooses as _, Client, SeatClient, request_id};
use referee::clock::Clock;
use referee::limits::Limits;
use referee::log::v1::{Entry, Maker, RecordedMove, entry::Body};
use referee::secrets::Keys;
use referee::store::faults::{Faulty, Moment, Operation};
use referee::store::memory::Memory;
use referee::store::{MatchId, Store as _, StoreError};
use referee::wire::v1::{
    self, TokenKind, watch_match_response::Item, watch_public_match_response::Item as Public,
};
use tonic::Streaming;

use super::publishing::{edited, publish, revision};
use super::world::{Outside, Table, World, claim_request, create_request, expect, quick};

/// So many referees with one store; whether they hear what the others do.
async fn referees(count: usize, hear: bool) -> Vec<World> {
    let keys = Keys::random().expect("entropy");
    let mut worlds = Vec::new();
    for memory in Memory::shared(count, &Clock::system()) {
        let memory = match hear {
            true => memory,
            false => memory.without_wake_ups(),
        };
        worlds.push(World::with_keys_and(Arc::new(memory), keys.clone(), patient()).await);
    }
    worlds
}

/// Limits under which a stream is not asked to be soon.
fn patient() -> Limits {
    Limits {
        at_least_wait: Duration::from_secs(10),
        ..quick()
    }
}

/// A match whose seats are claimed at one referee after the other.
async fn begun(worlds: &[World], players: u32, seed: u64) -> (Table, Vec<String>) {
    begun_with(worlds, create_request(players, seed)).await
}

/// The same of what is asked for.
async fn begun_with(worlds: &[World], create: v1::CreateMatchRequest) -> (Table, Vec<String>) {
    let created = worlds[0].host().call(create).await.expect("a match");
    let name = created.r#match.clone().expect("a match").name;
    let mut tokens = Vec::new();
    for (code, world) in created.claim_codes.iter().zip(worlds.iter().cycle()) {
        let claimed = world.client().call(claim_request(code)).await;
        tokens.push(claimed.expect("a seat").seat_token);
    }
    let last = worlds.last().expect("one at least");
    let start = v1::StartMatchRequest::of(&name);
    last.host().call(start).await.expect("it starts");
    let table = Table {
        host: last.host(),
        seats: seats(last, &name, &tokens),
        name,
        created,
    };
    (table, tokens)
}

fn seats(world: &World, name: &str, tokens: &[String]) -> Vec<SeatClient> {
    let seat = |token: &String| SeatClient::new(world.client().with_token(token), name);
    tokens.iter().map(seat).collect()
}

type Stream = Streaming<v1::WatchMatchResponse>;

/// What a stream tells until so many events were heard.
async fn heard(stream: &mut Stream, count: usize) -> Vec<v1::Event> {
    let mut events = Vec::new();
    while events.len() < count {
        let message = tokio::time::timeout(Duration::from_secs(20), stream.message());
        let message = message.await.expect("it says something");
        let message = message.expect("nothing is wrong").expect("it goes on");
        if let Some(Item::Events(batch)) = message.item {
            events.extend(batch);
        }
    }
    events
}

/// Who is asked, as a referee knows once it has heard of the last move; none if nobody is within seconds.
async fn asked(table: &Table) -> Option<(usize, v1::Decision, Vec<v1::Offer>)> {
    for _ in 0..500 {
        for (number, seat) in table.seats.iter().enumerate() {
            if let Ok(Some((decision, offers))) = seat.decision().await {
                return Some((number, decision, offers));
            }
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    None
}

/// Makes moves, each at another referee than the last, and a chooser's alone decides which.
async fn play(worlds: &[World], table: &Table, tokens: &[String], moves: usize, seed: u64) {
    let mut player = Chooser::new(seed);
    for (_, world) in (0..moves).zip(worlds.iter().cycle()) {
        let at_it = Table {
            name: table.name.clone(),
            host: world.host(),
            seats: seats(world, &table.name, tokens),
            created: table.created.clone(),
        };
        // Whoever asks may not have heard of the last move: then the decision is an old one, and is asked for again.
        loop {
            let (seat, decision, offers) = asked(&at_it).await.expect("somebody is asked");
            let mv = player.choose(&decision, &offers);
            match at_it.seats[seat].submit(&decision.decision_id, mv).await {
                // It may be so again at the next one.
                Ok(_) => break,
                Err(status) => drop(expect::<()>(Err(status), "DECISION_SUPERSEDED")),
            }
        }
    }
}

async fn one_history(hear: bool, moves: usize) {
    let worlds = referees(3, hear).await;
    let (table, tokens) = begun(&worlds, 3, 5).await;
    let mut streams = Vec::new();
    for world in &worlds {
        let seat = &seats(world, &table.name, &tokens)[1];
        let watch = v1::WatchMatchRequest::of(&table.name);
        streams.push(seat.client().call(watch).await.expect("a stream"));
    }
    play(&worlds, &table, &tokens, moves, 7).await;
    let all = table.events(1).await;
    for (world, stream) in worlds.iter().zip(&mut streams) {
        assert_eq!(heard(stream, all.len()).await, all);
        let seat = &seats(world, &table.name, &tokens)[1];
        assert_eq!(seat.events(1000).await.expect("its events"), all);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_is_played_at_three_referees_is_one_match() {
    one_history(true, 60).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_was_told_of_is_noticed_all_the_same() {
    one_history(false, 6).await;
}

/// A commit that was cancelled is seen and never acknowledged; the database that takes over has not got it.
#[tokio::test(flavor = "multi_thread")]
async fn a_move_that_is_gone_with_its_database_is_forgotten_by_all_who_had_heard_of_it() {
    let mut memories = Memory::shared(4, &Clock::system());
    let kept = memories.pop().expect("the fourth");
    let keys = Keys::random().expect("entropy");
    let mut worlds = Vec::new();
    for memory in memories {
        // They look once a second at how long its log is.
        let memory = Arc::new(memory.without_wake_ups());
        worlds.push(World::with_keys_and(memory, keys.clone(), patient()).await);
    }
    let (table, tokens) = begun(&worlds, 3, 5).await;
    play(&worlds, &table, &tokens, 6, 7).await;
    let before = kept.now();
    play(&worlds[..1], &table, &tokens, 1, 8).await;
    let told = async |world: &World| {
        let seat = &seats(world, &table.name, &tokens)[1];
        seat.events(1000).await.expect("its events")
    };
    let never = told(&worlds[0]).await;
    for world in &worlds[1..] {
        until_told(&never, async || told(world).await).await;
    }
    kept.back_to(&before);
    // One of them notices because it is asked to move; its log grows past what the others know.
    play(&worlds[..1], &table, &tokens, 3, 9).await;
    let all = told(&worlds[0]).await;
    assert!(!all.starts_with(&never), "another move stands in its place");
    for world in &worlds[1..] {
        until_told(&all, async || told(world).await).await;
    }
    play(&worlds, &table, &tokens, 6, 10).await;
}

/// Waits until this is told.
async fn until_told(expected: &[v1::Event], mut told: impl AsyncFnMut() -> Vec<v1::Event>) {
    let patience = tokio::time::Instant::now() + Duration::from_secs(20);
    loop {
        let now = told().await;
        if now == expected {
            return;
        }
        let late = tokio::time::Instant::now() > patience;
        assert!(!late, "{} events, not {}", now.len(), expected.len());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_made_at_two_referees_at_once_is_answered_once() {
    let worlds = referees(2, true).await;
    let create = create_request(3, 9);
    let hosts: Vec<Client> = worlds.iter().map(World::host).collect();
    let [one, other] = [0, 1].map(|at| hosts[at].call(create.clone()));
    let (one, other) = tokio::join!(one, other);
    let (one, other) = (one.expect("a match"), other.expect("a match"));
    let name = |created: &v1::CreateMatchResponse| created.r#match.clone().expect("a match").name;
    assert_eq!(name(&one), name(&other));
    assert_ne!(one.replayed, other.replayed);

    let (table, tokens) = worlds[0].seat(one).await;
    let tables = [0, 1].map(|at: usize| seats(&worlds[at], &table.name, &tokens));
    let mut player = Chooser::new(3);
    for _ in 0..20 {
        let (seat, decision, offers) = asked(&table).await.expect("somebody is asked");
        let request = v1::SubmitMoveRequest {
            r#move: Some(player.choose(&decision, &offers)),
            decision_id: decision.decision_id,
            ..v1::SubmitMoveRequest::of(&table.name)
        };
        let [one, other] = [0, 1].map(|at: usize| tables[at][seat].client().call(request.clone()));
        let (one, other) = tokio::join!(one, other);
        let (one, other) = (one.expect("a move"), other.expect("the same move"));
        assert_ne!(one.replayed, other.replayed);
        assert_eq!(one.resume_token.is_empty(), other.resume_token.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn bots_are_thought_for_by_one_referee_and_go_on_at_another_when_it_is_gone() {
    let mut worlds = referees(3, true).await;
    let mut create = create_request(3, 11);
    let bot = |seat| v1::SeatedBot {
        seat,
        bot: v1::BotKind::Random.into(),
        ..Default::default()
    };
    create.bots = vec![bot(1), bot(2), bot(3)];
    create.public = true;
    let created = worlds[0].host().call(create).await.expect("a match");
    let name = created.r#match.expect("a match").name;
    let mut streams = Vec::new();
    for world in &worlds {
        let watch = v1::WatchPublicMatchRequest {
            name: name.clone(),
            ..Default::default()
        };
        streams.push(world.client().call(watch).await.expect("a stream"));
    }
    let start = v1::StartMatchRequest::of(&name);
    worlds[0].host().call(start).await.expect("it starts");
    let mut first = streams.remove(0);
    let mut events = 0;
    while events < 30 {
        let message = first.message().await.expect("nothing is wrong");
        if let Some(Public::Events(batch)) = message.expect("it goes on").item {
            events += batch.into_iter().count();
        }
    }
    // Whichever it is that acts, two of three are gone, one of them as in a power cut.
    worlds[0].stop().await;
    worlds[1].abort();
    let last = worlds.last().expect("the third");
    let patience = tokio::time::Instant::now() + Duration::from_secs(90);
    loop {
        let state = last.get(&name).await.state();
        if state == v1::MatchState::Finished {
            break;
        }
        assert!(tokio::time::Instant::now() < patience, "it is {state:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_revoked_or_published_at_one_is_so_at_all_within_seconds() {
    let worlds = referees(2, false).await;
    let made = worlds[0].token(TokenKind::Host).await;
    let host = worlds[1].client().with_token(&made.token);
    let list = v1::ListMatchesRequest::default();
    host.call(list.clone()).await.expect("a list");
    let revoke = v1::RevokeTokenRequest {
        name: made.name.clone(),
        request_id: request_id(),
    };
    worlds[0].admin().call(revoke).await.expect("it is revoked");
    let soon = || tokio::time::Instant::now() + Duration::from_secs(3);
    let patience = soon();
    while host.call(list.clone()).await.is_ok() {
        assert!(tokio::time::Instant::now() < patience, "it is still good");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    let publish = publish(edited("9.8.7"));
    let publisher = worlds[0].publisher().await;
    let published = publisher.call(publish).await.expect("it is published");
    let patience = soon();
    while revision(worlds[1].client()).await != published.revision {
        assert!(tokio::time::Instant::now() < patience, "it is not offered");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Whoever cannot ask whether a token was revoked believes none that it remembers.
#[tokio::test(flavor = "multi_thread")]
async fn no_token_is_believed_for_longer_than_it_can_be_asked_whether_it_was_revoked() {
    let keys = Keys::random().expect("entropy");
    let asks = Arc::new(AtomicBool::new(true));
    let mut worlds = Vec::new();
    for (number, memory) in Memory::shared(2, &Clock::system()).into_iter().enumerate() {
        let asks = asks.clone();
        let store = Faulty::new(memory.without_wake_ups(), move |operation, _| {
            let fails = number == 1 && operation == Operation::Revocations;
            match fails && !asks.load(Ordering::SeqCst) {
                true => Err(StoreError::Engine("it does not answer".into())),
                false => Ok(()),
            }
        });
        worlds.push(World::with_keys_and(Arc::new(store), keys.clone(), patient()).await);
    }
    let made = worlds[0].token(TokenKind::Host).await;
    let host = worlds[1].client().with_token(&made.token);
    let list = v1::ListMatchesRequest::default();
    host.call(list.clone()).await.expect("a list");
    asks.store(false, Ordering::SeqCst);
    let revoke = v1::RevokeTokenRequest {
        name: made.name.clone(),
        request_id: request_id(),
    };
    worlds[0].admin().call(revoke).await.expect("it is revoked");
    let patience = tokio::time::Instant::now() + Duration::from_secs(3);
    while host.call(list.clone()).await.is_ok() {
        assert!(tokio::time::Instant::now() < patience, "it is still good");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A store that can be away, and a clock that a test sets forward.
struct Away {
    keys: Keys,
    now: Arc<AtomicI64>,
    is_away: Arc<AtomicBool>,
    /// How often it was noted that there is a referee.
    notes: Arc<AtomicUsize>,
}

impl Away {
    /// Such a store for so many referees.
    fn of(count: usize) -> (Away, Vec<Memory>) {
        let now = Arc::new(AtomicI64::new(1_700_000_000_000));
        let told = now.clone();
        let clock = Clock::told_by(move || told.load(Ordering::SeqCst));
        let away = Away {
            keys: Keys::random().expect("entropy"),
            now,
            is_away: Arc::default(),
            notes: Arc::default(),
        };
        (away, Memory::shared(count, &clock))
    }

    /// One that serves from it.
    async fn serve(&self, memory: Memory) -> World {
        let (is_away, notes) = (self.is_away.clone(), self.notes.clone());
        let store = Faulty::new(memory, move |operation, moment| {
            if is_away.load(Ordering::SeqCst) {
                return Err(StoreError::Engine("it is away".into()));
            }
            if (operation, moment) == (Operation::Alive, Moment::After) {
                notes.fetch_add(1, Ordering::SeqCst);
            }
            Ok(())
        });
        World::with_keys_and(Arc::new(store), self.keys.clone(), patient()).await
    }

    /// Time passes, and those who serve note that they do.
    async fn forward(&self, seconds: i64) {
        self.now.fetch_add(1000 * seconds, Ordering::SeqCst);
        let before = self.notes.load(Ordering::SeqCst);
        while self.notes.load(Ordering::SeqCst) < before + 6 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn no_clock_runs_at_any_referee_while_the_store_is_away() {
    let (away, mut memories) = Away::of(3);
    let late = memories.pop().expect("the third");
    let mut worlds = Vec::new();
    for memory in memories {
        worlds.push(away.serve(memory).await);
    }
    let create = v1::CreateMatchRequest {
        question_time: Some(prost_types::Duration {
            seconds: 20,
            nanos: 0,
        }),
        ..create_request(3, 5)
    };
    let (table, tokens) = begun_with(&worlds, create).await;
    let (seat, asked, _) = asked(&table).await.expect("somebody is asked");
    let deadline = asked.deadline.expect("it has a clock").seconds;
    // Whoever has not heard yet that it has begun would say so until the store is back.
    for world in &worlds {
        let seat = &seats(world, &table.name, &tokens)[seat];
        while let Err(status) = seat.decision().await {
            assert_eq!(status.code(), tonic::Code::FailedPrecondition, "{status}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    away.is_away.store(true, Ordering::SeqCst);
    away.now.fetch_add(30_000, Ordering::SeqCst);
    // Time is up, as far as anybody knows.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    away.is_away.store(false, Ordering::SeqCst);
    // It begins when others have noted what there was to note, or before.
    worlds.push(away.serve(late).await);
    let told = async |world: &World| {
        let seat = &seats(world, &table.name, &tokens)[seat];
        seat.decision().await.expect("an answer")
    };
    let still = async |worlds: &[World]| {
        for world in worlds {
            let patience = tokio::time::Instant::now() + Duration::from_secs(10);
            loop {
                let (now, _) = told(world).await.expect("the same seat is asked");
                assert_eq!(now.decision_id, asked.decision_id, "it was ended early");
                let at = now.deadline.expect("a clock").seconds;
                if at == deadline + 30 {
                    break;
                }
                let waits = tokio::time::Instant::now() < patience;
                assert!(waits, "{} s, not {}", at - deadline, 30);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    };
    still(&worlds).await;
    for seconds in [10, 9] {
        // Each of them has looked meanwhile at what is due.
        away.forward(seconds).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        still(&worlds).await;
    }
    away.forward(2).await;
    let patience = tokio::time::Instant::now() + Duration::from_secs(20);
    while told(&worlds[0])
        .await
        .is_some_and(|(now, _)| now.decision_id == asked.decision_id)
    {
        let waits = tokio::time::Instant::now() < patience;
        assert!(waits, "nobody has ended it");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_goes_on_at_a_referee_that_has_not_heard_of_what_it_told() {
    let worlds = referees(2, false).await;
    let (table, tokens) = begun(&worlds, 3, 5).await;
    let clients: Vec<Client> = worlds
        .iter()
        .map(|world| world.client().with_token(&tokens[1]))
        .collect();
    let watch = v1::WatchMatchRequest::of(&table.name);
    let mut first = clients[0].call(watch.clone()).await.expect("a stream");
    let mut player = Chooser::new(3);
    let at_one = Table {
        seats: seats(&worlds[0], &table.name, &tokens),
        host: worlds[0].host(),
        ..table
    };
    for _ in 0..5 {
        // The other one knows the match as it is now, and is told nothing.
        let other = clients[1].call(watch.clone()).await.expect("a stream");
        let (seat, decision, offers) = asked(&at_one).await.expect("somebody is asked");
        let mv = player.choose(&decision, &offers);
        let submitted = at_one.seats[seat].submit(&decision.decision_id, mv).await;
        submitted.expect("a move");
        let all = at_one.events(1).await;
        let mut token = String::new();
        let mut last = None;
        while last != Some(all.len() as u64 - 1) {
            let message = first.message().await.expect("nothing is wrong");
            let message = message.expect("it goes on");
            token = message.resume_token;
            if let Some(Item::Events(batch)) = message.item {
                last = batch.into_iter().last().map(|event| event.number);
            }
        }
        drop((first, other));
        first = clients[1]
            .call(watch.clone().behind(token))
            .await
            .expect("it goes on at the other one");
        // And back, where everything is known.
        let message = first.message().await.expect("nothing is wrong");
        let token = message.expect("it says what waits").resume_token;
        first = clients[0]
            .call(watch.clone().behind(token))
            .await
            .expect("it goes on where it was");
    }
}

/// All go by the clock of the store, however late it is on their own machines.
#[tokio::test(flavor = "multi_thread")]
async fn no_turn_ends_early_or_twice_though_the_clocks_of_the_machines_differ() {
    let keys = Keys::random().expect("entropy");
    let mut memories = Memory::shared(4, &Clock::system());
    let kept = memories.pop().expect("the fourth");
    let mut worlds = Vec::new();
    for (memory, ahead) in memories.into_iter().zip([-10_000, 0, 10_000]) {
        let clock = Clock::told_by(move || Clock::system().now_ms() + ahead);
        let (store, outside) = (Arc::new(memory), Outside::default());
        worlds.push(World::one_of(store, keys.clone(), outside, clock).await);
    }
    let create = v1::CreateMatchRequest {
        question_time: Some(prost_types::Duration {
            seconds: 1,
            nanos: 0,
        }),
        ..create_request(3, 5)
    };
    let (table, _) = begun_with(&worlds, create).await;
    // All of them have it open, so that each ends turns if it may.
    for world in &worlds {
        world.get(&table.name).await;
    }
    let id = table.name.strip_prefix("matches/").and_then(MatchId::parse);
    let id = id.expect("its id");
    let ended = || {
        let entries = kept.read(&id, 0, 1000).expect("a log");
        let entries = entries.iter();
        let entries = entries.map(|entry| Entry::decode(&entry.body[..]).expect("an entry"));
        let moves = |entry: Entry| match entry.body {
            Some(Body::Moved(moved)) => Some((entry.at_ms, moved)),
            _ => None,
        };
        entries.filter_map(moves).collect::<Vec<_>>()
    };
    let patience = tokio::time::Instant::now() + Duration::from_secs(30);
    while ended().len() < 4 {
        assert!(tokio::time::Instant::now() < patience, "nobody ends turns");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let ended = ended();
    for (_, moved) in &ended {
        let maker = moved.moves.first().map(RecordedMove::maker);
        assert_eq!(maker, Some(Maker::Timeout));
        assert!(moved.thought_ms >= 1000, "{} ms", moved.thought_ms);
    }
    // Each question is another seat's, or another one: it is asked when the one before has ended.
    for pair in ended.windows(2) {
        let lasted = pair[1].0 - pair[0].0;
        assert!((1000..9000).contains(&lasted), "{lasted} ms");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_log_goes_back_in_time_though_clocks_differ() {
    let keys = Keys::random().expect("entropy");
    let mut memories = Memory::shared(3, &Clock::system());
    let kept = memories.pop().expect("the third");
    let mut worlds = Vec::new();
    for (memory, behind) in memories.into_iter().zip([0, 60_000]) {
        let clock = Clock::told_by(move || Clock::system().now_ms() - behind);
        let store = Faulty::new(memory, |_, _| Ok(())).by_clock(clock);
        worlds.push(World::with_keys_and(Arc::new(store), keys.clone(), patient()).await);
    }
    let (table, tokens) = begun(&worlds, 3, 5).await;
    play(&worlds, &table, &tokens, 6, 7).await;
    let id = table.name.strip_prefix("matches/").and_then(MatchId::parse);
    let entries = kept.read(&id.expect("its id"), 0, 1000).expect("a log");
    let times: Vec<i64> = entries
        .iter()
        .map(|entry| Entry::decode(&entry.body[..]).expect("an entry").at_ms)
        .collect();
    assert!(times.len() > 8 && times.is_sorted(), "{times:?}");
}
