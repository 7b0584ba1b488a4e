//! What goes by itself: lobbies that nobody starts, and matches that were over for long, once they are archived.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use referee::client::{Chooser, request_id};
use referee::clock::Clock;
use referee::server::{Retention, Tidied};
use referee::table::Metric;
use referee::wire::v1::{self, MatchState};

use super::world::{World, claim_request, expect, quick};

const DAY: i64 = 24 * 3600 * 1000;

/// A clock that a test moves on.
fn clock() -> (Clock, Arc<AtomicI64>) {
    let now = Arc::new(AtomicI64::new(1_800_000_000_000));
    let told = now.clone();
    (Clock::told_by(move || told.load(Ordering::Relaxed)), now)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lobby_ends_in_which_nothing_has_happened_for_long() {
    let (clock, now) = clock();
    let world = World::by(clock, quick()).await;
    let old = world.create(3, 1).await;
    let busy = world.create(3, 2).await;
    let (running, _) = world.table(3, 3).await;
    let name =
        |created: &v1::CreateMatchResponse| created.r#match.as_ref().expect("it").name.clone();
    now.fetch_add(29 * DAY, Ordering::Relaxed);
    let claim = claim_request(&busy.claim_codes[0]);
    let claimed = world.client().call(claim).await;
    claimed.expect("a seat");
    assert_eq!(world.running().tidy().await, Some(Tidied::default()));
    now.fetch_add(2 * DAY, Ordering::Relaxed);
    let one = Tidied {
        ended: 1,
        ..Tidied::default()
    };
    assert_eq!(world.running().tidy().await, Some(one));
    assert_eq!(world.running().tidy().await, Some(Tidied::default()));
    assert_eq!(world.running().counted(Metric::LobbyEnded), 1);
    for (name, state) in [
        (name(&old), MatchState::Finished),
        (name(&busy), MatchState::Lobby),
        (running.name.clone(), MatchState::Running),
    ] {
        let get = v1::GetMatchRequest::of(name);
        let got = world.host().call(get).await.expect("it is there").r#match;
        assert_eq!(got.expect("it").state(), state);
    }
    let claim = claim_request(&old.claim_codes[0]);
    expect(world.client().call(claim).await, "MATCH_OVER");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_was_over_for_long_is_archived_then_deleted() {
    let (clock, now) = clock();
    let mut world = World::by(clock, quick()).await;
    let (over, _) = world.table(2, 1).await;
    while over.play(1, &mut Chooser::new(1)).await {}
    let cancelled = world.create(3, 2).await.r#match.expect("it").name;
    let cancel = v1::CancelMatchRequest::of(&cancelled);
    for replayed in [false, true] {
        let done = world.host().call(cancel.clone()).await;
        assert_eq!(done.expect("it may").replayed, replayed);
    }
    let (running, tokens) = world.table(3, 3).await;
    // To the millisecond as long as the limit says.
    let memory = quick().request_memory.as_millis();
    let memory = i64::try_from(memory).expect("it is not for ever");
    now.fetch_add(memory, Ordering::Relaxed);
    assert_eq!(world.running().tidy().await, Some(Tidied::default()));
    let again = world.host().call(cancel.clone()).await;
    assert!(again.expect("it is remembered").replayed);
    now.fetch_add(1, Ordering::Relaxed);
    let forgotten = Tidied {
        forgotten: 2,
        ..Tidied::default()
    };
    assert_eq!(world.running().tidy().await, Some(forgotten));
    now.fetch_add(400 * DAY, Ordering::Relaxed);
    assert_eq!(
        world.running().tidy().await,
        Some(Tidied::default()),
        "nothing is deleted unless somebody says so"
    );
    let again = world.host().call(cancel).await;
    expect(again, "MATCH_STATE_WRONG");
    let exported = v1::ExportRecordRequest::of(&over.name);
    let mut exported = world.host().call(exported).await;
    let exported = exported.as_mut().expect("a record");
    let mut text = Vec::new();
    while let Some(piece) = exported.message().await.expect("a piece") {
        text.extend(piece.data);
    }

    // A folder in which nothing can be written: everything stays.
    let folder = tempfile::tempdir().expect("a folder");
    let archives = folder.path().join("archives");
    world.set_retention(Retention {
        days: 365,
        archives: archives.clone(),
    });
    world.restart().await;
    std::fs::remove_dir_all(&archives).expect("it was made");
    let failed = world.running().tidy().await.expect("it looks");
    assert_eq!((failed.deleted, failed.failed), (0, 2));
    std::fs::create_dir(&archives).expect("a folder");
    let done = world.running().tidy().await.expect("it looks");
    assert_eq!((done.deleted, done.failed), (2, 0));

    let file = |name: &str| {
        let id = name.trim_start_matches("matches/");
        archives.join(format!("puerto-rico-{id}.jsonl"))
    };
    let written = std::fs::read(file(&over.name)).expect("its archive");
    assert_eq!(written, text, "what `ExportRecord` gave");
    assert!(
        file(&cancelled).is_file(),
        "of a match that never began, too"
    );
    let left = std::fs::read_dir(&archives).expect("the folder").count();
    assert_eq!(left, 2, "nothing half written");
    for name in [&over.name, &cancelled] {
        let get = v1::GetMatchRequest { name: name.clone() };
        expect(world.host().call(get).await, "NOT_FOUND");
    }

    // Somebody brings it back: it stays, however old it is.
    let import = v1::ImportRecordRequest {
        record: written,
        request_id: request_id(),
    };
    let imported = world.host().call(import).await;
    imported.expect("it is sound");
    assert_eq!(world.running().tidy().await, Some(Tidied::default()));
    let mut running = running;
    world.rejoin(&mut running, &tokens);
    assert!(running.play(5, &mut Chooser::new(3)).await, "it goes on");
}
