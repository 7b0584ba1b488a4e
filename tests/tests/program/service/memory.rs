//! A referee that has too much in memory: what rests makes room, nothing more comes in, what is played goes on.

use std::time::Duration;

use prost::Message as _;
use referee::client::Chooser;
use referee::limits::Limits;
use referee::table::Metric;
use referee::wire::v1;
use tonic::Status;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use super::world::{World, create_request, expect, metadata, quick};

/// Demands that there was no room, and that the caller is told when to try again.
#[track_caller]
fn no_room<T>(result: Result<T, Status>) {
    let status = expect(result, "LIMIT_REACHED");
    assert_eq!(metadata(&status, "limit"), "memory_mib");
    let details = String::from_utf8_lossy(status.details()).into_owned();
    assert!(details.contains("google.rpc.RetryInfo"), "{details}");
}

fn with(memory_mib: u32) -> Limits {
    Limits {
        memory_mib,
        ..quick()
    }
}

#[tokio::test]
async fn nothing_comes_into_memory_that_is_full() {
    let mut world = World::new().await;
    let (mut table, tokens) = world.table(3, 1).await;
    assert!(table.play(8, &mut Chooser::new(1)).await);
    let before = table.view(0).await.view;

    world.set_limits(with(1));
    world.restart().await;
    table.seats = world.again(&table, &tokens);
    let view = v1::GetViewRequest::of(&table.name);
    no_room(table.call(0, view).await);
    let create = create_request(3, 2);
    no_room(world.host().call(create.clone()).await);
    assert!(world.running().counted(Metric::MemoryRefused) >= 2);
    assert_eq!(world.running().open_matches(), 0);
    let info = v1::GetServerInfoRequest {};
    let limits = world.client().call(info).await.expect("an answer").limits;
    assert_eq!(limits.expect("limits").memory_mib, 1);
    let channel = tonic::transport::Endpoint::new(world.url()).expect("an address");
    let mut health = HealthClient::new(channel.connect().await.expect("it listens"));
    let well = health.check(HealthCheckRequest::default()).await;
    let well = well.expect("an answer").into_inner();
    assert_eq!(well.encode_to_vec(), [8, 1], "it serves");

    world.set_limits(quick());
    world.restart().await;
    table.seats = world.again(&table, &tokens);
    assert_eq!(table.view(0).await.view, before, "nothing has changed");
    let created = world.host().call(create).await;
    created.expect("there is room now, and the request made nothing before");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_rests_makes_room_and_what_is_played_goes_on() {
    // The referee is in this very process: what the test takes, it has.
    let margin = 768;
    let world = World::with(with(resident() + margin)).await;
    let (resting, _) = world.table(3, 1).await;
    resting.play(2, &mut Chooser::new(1)).await;
    let (played, _) = world.table(3, 2).await;
    let watch = v1::WatchMatchRequest::of(&played.name);
    let stream = played.call(0, watch).await;
    let mut stream = stream.expect("a stream");
    assert_eq!(world.running().open_matches(), 2);

    let much = vec![1u8; 2 * margin as usize * (1 << 20)];
    for _ in 0..400 {
        if world.running().counted(Metric::MemoryEvicted) > 0 {
            break;
        }
        // It looks ten times a second, and nobody is told.
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert_eq!(world.running().counted(Metric::MemoryEvicted), 1);
    assert_eq!(world.running().open_matches(), 1, "the one that is watched");
    no_room(world.host().call(create_request(3, 3)).await);
    assert!(played.play(3, &mut Chooser::new(2)).await, "it goes on");
    stream.message().await.expect("it streams").expect("more");

    drop(much);
    let create = create_request(3, 4);
    for _ in 0..400 {
        match world.host().call(create.clone()).await {
            Ok(_) => return assert!(resting.play(2, &mut Chooser::new(1)).await),
            Err(status) => no_room(Err::<(), _>(status)),
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("there was never room again");
}

/// Resident memory of this process in MiB, as the kernel tells it.
fn resident() -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").expect("the kernel tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .and_then(|kib| kib.parse::<u32>().ok())
        .expect("a number")
        / 1024
}
