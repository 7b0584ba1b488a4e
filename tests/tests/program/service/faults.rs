//! A store that fails: nothing acknowledged is lost, nothing is made twice, nobody is told a lie.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use referee::client::{Chooser, Chooses, SeatClient};
use referee::limits::Limits;
use referee::store::faults::{Faulty, Moment, Operation};
use referee::store::memory::Memory;
use referee::store::{Store, StoreError};
use referee::wire::v1::{self, watch_match_response::Item};
use tonic::Code;

use super::world::{World, expect, quick};

/// A store whose `n`th operation from when it is armed fails, before or after it happened.
struct Armed {
    store: Arc<dyn Store>,
    countdown: Arc<AtomicU64>,
}

fn armed(moment: Moment, only: Option<Operation>) -> Armed {
    let countdown = Arc::new(AtomicU64::new(u64::MAX));
    let counter = countdown.clone();
    let store = Faulty::new(Memory::default(), move |operation, at| {
        if at != moment
            || only.is_some_and(|only| only != operation)
            || counter.load(Ordering::SeqCst) == u64::MAX
        {
            return Ok(());
        }
        if counter.fetch_sub(1, Ordering::SeqCst) == 0 {
            counter.store(u64::MAX, Ordering::SeqCst);
            return Err(StoreError::Engine("on purpose".into()));
        }
        Ok(())
    });
    Armed {
        store: Arc::new(store),
        countdown,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_acknowledgement_is_repaired_by_asking_again() {
    for moment in [Moment::Before, Moment::After] {
        let armed = armed(moment, Some(Operation::Append));
        let world = World::on(armed.store.clone()).await;
        let (table, _) = world.table(3, 4).await;
        let mut player = Chooser::new(2);
        table.play(10, &mut player).await;
        let (seat, request) = table.next_move(&mut player).await;
        let events = table.events(seat).await.len();
        armed.countdown.store(0, Ordering::SeqCst);
        let client = table.seats[seat].client();
        expect(client.call(request.clone()).await, "STORE_UNAVAILABLE");
        let made = client.call(request).await.expect("the same request again");
        assert_eq!(
            made.replayed,
            moment == Moment::After,
            "it was recorded only if the store did it"
        );
        assert_eq!(
            table.events(seat).await.len(),
            events + made.events.len(),
            "once"
        );
        assert!(table.play(5, &mut player).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_over_a_failing_store_says_so_and_can_be_continued() {
    let armed = armed(Moment::After, Some(Operation::Append));
    let world = World::on(armed.store.clone()).await;
    let (table, _) = world.table(3, 4).await;
    let watch = v1::WatchMatchRequest::of(&table.name);
    let mut stream = table.call(0, watch).await.expect("a stream");
    let first = stream.message().await.expect("a message").expect("one");
    let (mut token, mut events) = (first.resume_token, Vec::new());
    if let Some(Item::Events(batch)) = first.item {
        events.extend(batch);
    }
    armed.countdown.store(0, Ordering::SeqCst);
    // The client repeats the move by itself, as clients should.
    assert!(table.play(1, &mut Chooser::new(2)).await);
    let status = loop {
        match stream.message().await {
            Ok(Some(message)) => {
                token = message.resume_token;
                if let Some(Item::Events(batch)) = message.item {
                    events.extend(batch);
                }
            }
            Ok(None) => panic!("a stream that is cut off says why"),
            Err(status) => break status,
        }
    };
    expect::<()>(Err(status), "STORE_UNAVAILABLE");
    let list = v1::ListEventsRequest {
        name: table.name.clone(),
        page_token: token,
        page_size: 1000,
        ..Default::default()
    };
    let rest = table.call(0, list).await.expect("a page");
    events.extend(rest.events);
    assert_eq!(events, table.events(0).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_in_the_store_is_an_answer_and_the_referee_goes_on() {
    let panics = Arc::new(AtomicBool::new(false));
    let armed = panics.clone();
    let store = Faulty::new(Memory::default(), move |operation, moment| {
        let append = (operation, moment) == (Operation::Append, Moment::Before);
        assert!(!append || !armed.swap(false, Ordering::SeqCst), "a fault");
        Ok(())
    });
    let world = World::on(Arc::new(store)).await;
    let (table, _) = world.table(3, 4).await;
    let (seat, request) = table.next_move(&mut Chooser::new(2)).await;
    let client = table.seats[seat].client();
    panics.store(true, Ordering::SeqCst);
    expect(client.call(request.clone()).await, "STORE_UNAVAILABLE");
    let made = client.call(request).await.expect("the writer goes on");
    assert!(!made.replayed && made.moves_made == 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_goes_away_does_not_stop_what_it_has_begun() {
    // Once it is armed, an append waits until it is told to go on.
    let (begun, mut beginning) = tokio::sync::mpsc::unbounded_channel();
    let (go_on, told) = std::sync::mpsc::channel::<()>();
    let (waits, told) = (Arc::new(AtomicBool::new(false)), Mutex::new(told));
    let armed = waits.clone();
    let store = Faulty::new(Memory::default(), move |operation, moment| {
        let append = (operation, moment) == (Operation::Append, Moment::Before);
        if append && armed.swap(false, Ordering::SeqCst) {
            begun.send(()).expect("the test listens");
            let told = told.lock().expect("nobody panicked");
            told.recv().expect("the test tells it");
        }
        Ok(())
    });
    let world = World::on(Arc::new(store)).await;
    let (table, _) = world.table(3, 4).await;
    let (seat, request) = table.next_move(&mut Chooser::new(2)).await;
    let seen = table.view(seat).await.resume_token;
    let watch = v1::WatchMatchRequest::of(&table.name).behind(seen);
    let client = table.seats[seat].client();
    let mut stream = client.call(watch).await.expect("a stream");
    waits.store(true, Ordering::SeqCst);
    let calling = tokio::spawn({
        let (client, request) = (client.clone(), request.clone());
        async move { client.call(request).await }
    });
    beginning.recv().await.expect("the move is being written");
    calling.abort();
    assert!(calling.await.is_err(), "the caller has gone away");
    // The referee has heard of that before it hears of this: both came by the same connection.
    table.view(seat).await;
    go_on.send(()).expect("the store waits");
    let told = loop {
        let message = stream.message().await;
        let message = message.expect("the stream goes on").expect("one");
        if let Some(Item::Events(batch)) = message.item {
            break Vec::from_iter(batch);
        }
    };
    let again = client.call(request).await;
    let again = again.expect("the same request again");
    assert!(again.replayed, "it was made, though nobody was told");
    assert_eq!(again.events[..], told);
    assert!(table.play(5, &mut Chooser::new(2)).await);
}

/// Fails every fifth operation of a whole story.
#[tokio::test(flavor = "multi_thread")]
async fn whichever_operation_fails_the_story_can_be_told_to_its_end() {
    fail_operations(5).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn whichever_of_all_operations_fails_the_story_can_be_told_to_its_end() {
    fail_operations(1).await;
}

/// Fails the first operation of a whole story, the one so many later, and so on, until the story passes without a fault.
async fn fail_operations(step: u64) {
    for moment in [Moment::Before, Moment::After] {
        let mut n = 0;
        loop {
            let armed = armed(moment, None);
            let world = World::on(armed.store.clone()).await;
            armed.countdown.store(n, Ordering::SeqCst);
            let (table, tokens) = story(&world).await;
            let passed = armed.countdown.load(Ordering::SeqCst) != u64::MAX;
            armed.countdown.store(u64::MAX, Ordering::SeqCst);
            assert_eq!(table.seats.len(), tokens.len());
            let moves = table.events(0).await.into_iter().filter(|event| {
                matches!(&event.kind, Some(v1::event::Kind::MoveMade(mv)) if mv.origin() == v1::MoveOrigin::Player)
            });
            assert_eq!(moves.count(), 6, "operation {n}: every move once");
            if passed {
                break;
            }
            n += step;
        }
        assert!(n > 10, "the story has more operations than {n}");
    }
}

/// Creates, claims, starts and makes six moves; repeats what the store did not confirm.
async fn story(world: &World) -> (super::world::Table, Vec<String>) {
    macro_rules! insist {
        ($call:expr) => {{
            let mut tries = 0;
            loop {
                match $call.await {
                    Ok(response) => break response,
                    Err(status) if status.code() == Code::Unavailable && tries < 3 => tries += 1,
                    Err(status) => panic!("{status:?}"),
                }
            }
        }};
    }
    let create = super::world::create_request(3, 4);
    let created = insist!(world.host().call(create.clone()));
    let name = created.r#match.clone().expect("a match").name;
    let mut tokens = Vec::new();
    for code in &created.claim_codes {
        let claim = super::world::claim_request(code);
        tokens.push(insist!(world.client().call(claim.clone())).seat_token);
    }
    let start = v1::StartMatchRequest::of(&name);
    insist!(world.host().call(start.clone()));
    let mut table = super::world::Table {
        name: name.clone(),
        host: world.host(),
        seats: Vec::new(),
        created,
    };
    table.seats = world.again(&table, &tokens);
    let mut player = Chooser::new(2);
    let mut made = 0;
    while made < 6 {
        for token in &tokens {
            let seat = SeatClient::new(world.client().with_token(token), name.as_str());
            let asked = v1::ListDecisionsRequest {
                name: name.clone(),
                page_size: 1000,
                ..Default::default()
            };
            let decisions = insist!(seat.client().call(asked.clone())).decisions;
            for decision in decisions.into_iter().take(6 - made) {
                let submit = v1::SubmitMoveRequest {
                    decision_id: decision.decision_id.clone(),
                    r#move: Some(player.choose(&decision, &decision.offers)),
                    ..v1::SubmitMoveRequest::of(&name)
                };
                insist!(seat.client().call(submit.clone()));
                made += 1;
            }
        }
    }
    (table, tokens)
}

/// A store that does not answer shows in the health of the referee, and so does one that answers again.
#[tokio::test(flavor = "multi_thread")]
async fn health_follows_the_store() {
    use tonic_health::pb::HealthCheckRequest;
    use tonic_health::pb::health_check_response::ServingStatus;
    use tonic_health::pb::health_client::HealthClient;
    let broken = Arc::new(AtomicBool::new(false));
    let flag = broken.clone();
    // Everything can still be read, as from a full disk.
    let store = Faulty::new(Memory::default(), move |operation, _| {
        let writes = matches!(operation, Operation::Append | Operation::Probe);
        match writes && flag.load(Ordering::SeqCst) {
            true => Err(StoreError::Engine("the disk is full".into())),
            false => Ok(()),
        }
    });
    let world = World::on(Arc::new(store)).await;
    let channel = tonic::transport::Endpoint::from_shared(world.url()).expect("a url");
    let channel = channel.connect().await.expect("it listens");
    let until = async |expected: ServingStatus| {
        for _ in 0..100 {
            let asked = HealthCheckRequest {
                service: "referee.v1.PlayService".into(),
            };
            let answered = HealthClient::new(channel.clone()).check(asked).await;
            if answered.expect("an answer").into_inner().status() == expected {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("health did not become {expected:?}");
    };
    until(ServingStatus::Serving).await;
    broken.store(true, Ordering::SeqCst);
    until(ServingStatus::NotServing).await;
    broken.store(false, Ordering::SeqCst);
    until(ServingStatus::Serving).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_takes_too_long_is_answered_and_its_repetition_tells_what_became_of_it() {
    let slow = Arc::new(AtomicBool::new(false));
    let waits = slow.clone();
    let store = Faulty::new(Memory::default(), move |operation, moment| {
        if operation == Operation::Append
            && moment == Moment::Before
            && waits.load(Ordering::SeqCst)
        {
            std::thread::sleep(Duration::from_millis(700));
        }
        Ok(())
    });
    let limits = Limits {
        call_time: Duration::from_millis(300),
        ..quick()
    };
    let world = World::on_with(Arc::new(store), limits).await;
    let (table, _) = world.table(3, 4).await;
    let (seat, request) = table.next_move(&mut Chooser::new(2)).await;
    let client = table.seats[seat].client();
    slow.store(true, Ordering::SeqCst);
    expect(client.call(request.clone()).await, "CALL_TOO_LONG");
    slow.store(false, Ordering::SeqCst);
    // It may still be under way.
    let again = loop {
        match client.call(request.clone()).await {
            Ok(answer) => break answer,
            late => drop(expect(late, "CALL_TOO_LONG")),
        }
    };
    assert!(again.replayed);
}
