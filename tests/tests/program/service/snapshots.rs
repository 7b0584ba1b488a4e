//! Matches that are opened from snapshots: the same as from their logs, whatever becomes of the snapshots.

use std::sync::Arc;
use std::time::Duration;

use prost::Message as _;
use referee::client::Chooser;
use referee::log;
use referee::store::memory::Memory;
use referee::store::{MatchId, Store};
use referee::table::Metric;
use referee::wire::v1;

use super::otherwise::rewrite;
use super::restart::seen;
use super::world::{Table, World};

/// Waits until so many snapshots were written: nobody is told when one is.
pub async fn written(world: &World, count: u64) {
    for _ in 0..2000 {
        if world.running().counted(Metric::SnapshotWritten) >= count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("no snapshot was written");
}

/// Lets the match go in a store that forgets, where this and nothing else writes a snapshot.
async fn let_go(world: &World) {
    let before = world.running().counted(Metric::SnapshotWritten);
    assert_eq!(world.running().close_idle(), 1, "nobody is at the table");
    written(world, before + 1).await;
}

/// How many snapshots were used, stale, and damaged.
fn fates(world: &World) -> [u64; 3] {
    [
        Metric::SnapshotUsed,
        Metric::SnapshotStale,
        Metric::SnapshotDamaged,
    ]
    .map(|what| world.running().counted(what))
}

fn id(table: &Table) -> MatchId {
    MatchId::parse(table.name.trim_start_matches("matches/")).expect("an id")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_was_let_go_is_opened_from_its_snapshot() {
    let world = World::new().await;
    let (table, _) = world.table(2, 7).await;
    let mut player = Chooser::new(3);
    for round in 1..=3 {
        assert!(table.play(30, &mut player).await, "it is under way");
        let before = seen(&table).await;
        assert_eq!(world.running().close_idle(), 1, "nobody is at the table");
        written(&world, 1).await;
        assert_eq!(seen(&table).await, before);
        assert_eq!(fates(&world), [round, 0, 0]);
    }
    // Few moves are not worth a snapshot: what there is, is used, and they are made again behind it.
    assert!(table.play(5, &mut player).await, "it is under way");
    let before = seen(&table).await;
    assert_eq!(world.running().close_idle(), 1);
    assert_eq!(seen(&table).await, before);
    assert_eq!(fates(&world), [4, 0, 0]);
    while table.play(1, &mut player).await {}
    let over = seen(&table).await;
    assert_eq!(world.running().close_idle(), 1);
    assert_eq!(seen(&table).await, over, "a match that is over, too");
    assert_eq!(fates(&world), [5, 0, 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_is_played_is_saved_now_and_then_for_the_next_start() {
    let mut world = World::new().await;
    let (mut table, tokens) = world.table(3, 8).await;
    assert!(table.play(80, &mut Chooser::new(5)).await, "under way");
    written(&world, 1).await;
    let before = seen(&table).await;
    world.crash().await;
    world.rejoin(&mut table, &tokens);
    assert_eq!(seen(&table).await, before);
    assert_eq!(fates(&world), [1, 0, 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_is_written_otherwise_before_a_snapshot_is_found_all_the_same() {
    for (other, fates_then, state) in [
        (None, [1, 0, 0], v1::MatchState::Running),
        // Nothing but the name of one early state, in a log whose chain and seals fit it.
        (Some(9), [0, 1, 0], v1::MatchState::Suspended),
    ] {
        let mut world = World::new().await;
        let (mut table, _) = world.table(3, 8).await;
        assert!(table.play(80, &mut Chooser::new(5)).await, "under way");
        written(&world, 1).await;
        world.stop().await;
        let mut changed = 0;
        rewrite(&world, &table, |sequence, body| {
            if let (Some(at), log::v1::entry::Body::Moved(moved)) = (other, body)
                && sequence == at
            {
                moved.state_hash[0] ^= 1;
                changed += 1;
            }
        });
        assert_eq!(changed, other.iter().count());
        world.restart().await;
        table.host = world.host();
        let described = table.get().await;
        assert_eq!(described.state(), state, "{}", described.suspension);
        assert_eq!(fates(&world), fates_then);
        if let Some(at) = other {
            let said = &described.suspension;
            assert!(said.contains(&format!("entry {at}: ")), "{said}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_that_is_lost_or_stale_or_damaged_changes_nothing() {
    let store: Arc<dyn Store> = Arc::new(Memory::default());
    let world = World::on(store.clone()).await;
    let (other, _) = world.table(3, 1).await;
    other.play(20, &mut Chooser::new(1)).await;
    let_go(&world).await;
    let foreign = store.snapshot(&id(&other)).expect("it answers");
    let foreign = foreign.expect("a snapshot");

    let (table, _) = world.table(3, 2).await;
    let id = id(&table);
    let mut player = Chooser::new(2);
    assert!(table.play(40, &mut player).await, "it is under way");
    let_go(&world).await;
    let sound = store.snapshot(&id).expect("it answers").expect("one");
    let read = log::v1::Snapshot::decode(&sound[..]).expect("it can be read");
    let written_again = |change: fn(&mut log::v1::Snapshot)| {
        let mut other = read.clone();
        change(&mut other);
        other.encode_to_vec()
    };
    let before = seen(&table).await;
    assert_eq!(fates(&world), [1, 0, 0]);

    let stale = |s: &mut log::v1::Snapshot| s.engine = "0.0.1/1".into();
    let strange = |s: &mut log::v1::Snapshot| s.format = 99;
    let other_rules = |s: &mut log::v1::Snapshot| s.digest[0] ^= 1;
    let other_entries = |s: &mut log::v1::Snapshot| s.head[0] ^= 1;
    let fewer_entries = |s: &mut log::v1::Snapshot| s.entries -= 1;
    let no_entries = |s: &mut log::v1::Snapshot| s.entries = 0;
    let more_moves = |s: &mut log::v1::Snapshot| s.moves += 1;
    let too_many = |s: &mut log::v1::Snapshot| s.moves = u32::MAX;
    let bent = |s: &mut log::v1::Snapshot| s.sealed_game[40] ^= 1;
    let short = |s: &mut log::v1::Snapshot| s.sealed_game.truncate(20);
    let empty = |s: &mut log::v1::Snapshot| s.sealed_game.clear();
    let cases = [
        ("none", None, [0, 0, 0]),
        ("as it was", Some(sound.clone()), [1, 0, 0]),
        ("another engine", Some(written_again(stale)), [0, 1, 0]),
        ("another format", Some(written_again(strange)), [0, 1, 0]),
        ("other rules", Some(written_again(other_rules)), [0, 1, 0]),
        (
            "other entries",
            Some(written_again(other_entries)),
            [0, 1, 0],
        ),
        (
            "fewer entries",
            Some(written_again(fewer_entries)),
            [0, 1, 0],
        ),
        ("no entries", Some(written_again(no_entries)), [0, 1, 0]),
        ("more moves", Some(written_again(more_moves)), [0, 1, 0]),
        ("too many moves", Some(written_again(too_many)), [0, 1, 0]),
        ("another match", Some(foreign), [0, 1, 0]),
        ("a bent game", Some(written_again(bent)), [0, 0, 1]),
        ("a short game", Some(written_again(short)), [0, 0, 1]),
        ("no game", Some(written_again(empty)), [0, 0, 1]),
        ("no message", Some(vec![0xff; 50]), [0, 0, 1]),
    ];
    let mut from_snapshot = true;
    for (what, snapshot, fate) in cases {
        // What was played again is worth saving; what came from a snapshot is saved.
        match from_snapshot {
            true => assert_eq!(world.running().close_idle(), 1, "{what}"),
            false => let_go(&world).await,
        }
        from_snapshot = fate[0] > 0;
        match &snapshot {
            Some(snapshot) => store.put_snapshot(&id, snapshot),
            None => store.delete_snapshot(&id),
        }
        .expect("it answers");
        let known = fates(&world);
        assert_eq!(seen(&table).await, before, "{what}");
        let now = fates(&world);
        let more: Vec<u64> = now
            .iter()
            .zip(known)
            .map(|(now, then)| now - then)
            .collect();
        assert_eq!(more, fate, "{what}");
        let kept = store.snapshot(&id).expect("it answers");
        let expected = snapshot.filter(|_| fate[2] == 0);
        assert_eq!(kept, expected, "{what}: what is damaged is forgotten");
    }
    assert!(table.play(5, &mut player).await, "it goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_that_were_taken_back_are_told_from_a_snapshot_as_from_the_log() {
    let store: Arc<dyn Store> = Arc::new(Memory::default());
    let world = World::on(store.clone()).await;
    let (table, _) = world.table(3, 11).await;
    let mut player = Chooser::new(4);
    let mut taken_back = 0;
    for _ in 0..4 {
        if !table.play(17, &mut player).await {
            break;
        }
        let_go(&world).await;
        let proposed = table.propose(0, v1::ProposalKind::Undo, 1).await;
        // Whatever showed something that was hidden stays.
        if let Ok(proposed) = proposed {
            for seat in 1..table.seats.len() {
                let done = table.respond(seat, &proposed.name, true).await;
                done.expect("an answer");
            }
            taken_back += 1;
        }
        let before = seen(&table).await;
        assert_eq!(world.running().close_idle(), 1);
        assert_eq!(seen(&table).await, before);
        assert_eq!(world.running().close_idle(), 1);
        store.delete_snapshot(&id(&table)).expect("it answers");
        assert_eq!(seen(&table).await, before, "from the log alone");
    }
    assert!(taken_back > 1, "{taken_back}");
    assert_eq!(fates(&world)[2], 0, "none was damaged");
}
