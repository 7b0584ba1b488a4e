//! A referee that understands a ruleset otherwise than the one that began a match with it.
//!
//! Other semantics are a digest that this referee would not compute: logs are written again here as such a referee
//! would have written them.

use std::path::Path;

use interpreter::play::CompileOptions;
use prost::Message as _;
use referee::client::Chooser;
use referee::library::{Edition, Library, read_folder};
use referee::log::v1::{Entry, entry::Body};
use referee::secrets::Keys;
use referee::store::sqlite::Sqlite;
use referee::store::{MatchId, chain};
use referee::wire::v1::{self, MatchState};
use rusqlite::{Connection, params};

use super::publishing::publish;
use super::world::{Table, World, create_of, expect};

/// Writes the log of a match again, each entry as it is changed, with a chain that fits. The referee must not run.
pub fn rewrite(world: &World, table: &Table, change: impl FnMut(i64, &mut Body)) {
    rewrite_in(&world.path(), &table.name, change);
}

/// As [`rewrite`], in a store that nobody serves from.
pub fn rewrite_in(path: &Path, name: &str, mut change: impl FnMut(i64, &mut Body)) {
    let id = name.trim_start_matches("matches/");
    let file = Connection::open(path).expect("the store");
    let ord: i64 = file
        .query_row("SELECT ord FROM matches WHERE id = ?1", [id], |row| {
            row.get(0)
        })
        .expect("the match");
    let mut entries = file
        .prepare("SELECT sequence, body FROM entries WHERE match = ?1 ORDER BY sequence")
        .expect("a query");
    let read = entries.query_map([ord], |row| Ok((row.get(0)?, row.get(1)?)));
    let read: Vec<(i64, Vec<u8>)> = read.expect("rows").map(|row| row.expect("a row")).collect();
    let mut head = chain::start(&MatchId::parse(id).expect("an id"));
    for (sequence, body) in read {
        let mut entry = Entry::decode(&body[..]).expect("an entry");
        change(sequence, entry.body.as_mut().expect("it says something"));
        let body = entry.encode_to_vec();
        head = chain::link(&head, sequence as u64, &body);
        let sql = "UPDATE entries SET body = ?3, chain = ?4 WHERE match = ?1 AND sequence = ?2";
        file.execute(sql, params![ord, sequence, body, head])
            .expect("an update");
    }
    let sql = "UPDATE matches SET chain = ?2 WHERE ord = ?1";
    file.execute(sql, params![ord, head]).expect("an update");
    let keys = Keys::load(&path.with_extension("sqlite.key")).expect("the key");
    let store = Sqlite::open(path, &keys).expect("the store");
    store.seal_anew().expect("it is sealed");
}

/// A match of another digest, after some moves; from an entry on, its states are others, too.
async fn begun_elsewhere(other_from: Option<i64>) -> (World, Table, Vec<String>) {
    begun(true, other_from).await
}

/// A match after some moves, written again: with the digest of another semantics number, with other states from an entry on.
async fn begun(elsewhere: bool, other_from: Option<i64>) -> (World, Table, Vec<String>) {
    let mut world = World::new().await;
    let (mut table, tokens) = world.table(3, 5).await;
    assert!(table.play(12, &mut Chooser::new(5)).await);
    world.stop().await;
    rewrite(&world, &table, |sequence, body| match body {
        Body::Created(created) if elsewhere => created.digest = vec![7; 32],
        Body::Moved(moved) if other_from.is_some_and(|from| sequence >= from) => {
            moved.state_hash = vec![9; 32];
        }
        _ => {}
    });
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    (world, table, tokens)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_goes_on_where_every_state_is_the_one_that_was() {
    let (_world, table, _) = begun_elsewhere(None).await;
    let described = table.get().await;
    assert_eq!(
        described.state(),
        MatchState::Running,
        "{}",
        described.suspension
    );
    assert!(table.play(5, &mut Chooser::new(6)).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_goes_otherwise_is_suspended_not_damaged_and_can_be_moved() {
    let (mut world, mut table, tokens) = begun_elsewhere(Some(9)).await;
    let described = table.get().await;
    assert_eq!(described.state(), MatchState::Suspended);
    assert!(
        described.suspension.contains("entry 9: "),
        "{}",
        described.suspension
    );

    let mut asked = v1::MoveMatchRequest {
        name: table.name.clone(),
        ruleset: "rulesets/puerto-rico".into(),
        request_id: referee::client::request_id(),
        ..Default::default()
    };
    let refused = table.host.call(asked.clone()).await;
    let refused = refused.expect_err("it goes otherwise, which its host must accept");
    assert!(
        format!("{refused:?}").contains("another state"),
        "{refused:?}"
    );
    asked.accept_difference = true;
    asked.request_id = referee::client::request_id();
    let moved = table.host.call(asked).await.expect("it is moved");
    let difference = moved.difference.expect("where it differs");
    assert!(difference.before.contains("entry 9"), "{difference:?}");

    // It is opened again from its log: with every move that was made.
    let described = table.get().await;
    assert_eq!(
        described.state(),
        MatchState::Running,
        "{}",
        described.suspension
    );
    assert!(table.play(5, &mut Chooser::new(6)).await);
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    assert!(
        table.play(5, &mut Chooser::new(7)).await,
        "also after a restart"
    );
}

/// The number should have risen, and has not: nobody's moves are lost by that, and whoever checks the record is told.
#[tokio::test(flavor = "multi_thread")]
async fn where_the_same_semantics_lead_elsewhere_the_record_is_not_sound_and_the_match_can_be_moved()
 {
    let (mut world, mut table, tokens) = begun(false, Some(9)).await;
    let described = table.get().await;
    assert_eq!(described.state(), MatchState::Suspended);
    let said = &described.suspension;
    assert!(
        said.contains("though by the same semantics: entry 9: "),
        "{said}"
    );
    let verified = super::records::verify(&table.host, &table.name).await;
    assert!(!verified.sound, "{verified:?}");

    table
        .host
        .call(moved(&table, "puerto-rico"))
        .await
        .expect("it is moved");
    assert!(table.play(5, &mut Chooser::new(6)).await);
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    assert!(table.play(5, &mut Chooser::new(7)).await);
}

/// Asks that a match is moved to a ruleset, wherever that leads.
fn moved(table: &Table, ruleset: &str) -> v1::MoveMatchRequest {
    v1::MoveMatchRequest {
        name: table.name.clone(),
        ruleset: format!("rulesets/{ruleset}"),
        request_id: referee::client::request_id(),
        accept_difference: true,
        ..Default::default()
    }
}

/// A ruleset with a clause that has no Polish text: an error (RF0326), of which builds are imagined that did not know it.
fn untranslated() -> Edition {
    let folder = referee_tests::root().join("tests/rulesets/tea-house");
    let mut texts = read_folder(&folder).expect("a folder");
    let mut files = texts.files.iter_mut();
    let rulebook = files.find(|(path, _)| path == "rulebook.yaml");
    let (_, rulebook) = rulebook.expect("a rulebook");
    let mut lines: Vec<&str> = rulebook.lines().collect();
    lines.retain(|line| !line.contains("pl: Każdy widzi"));
    *rulebook = lines.join("\n");
    Edition::new(texts).expect("a manifest")
}

const UNTRANSLATED: &[interpreter::diagnostic::Code] =
    &[interpreter::diagnostic::Code::MissingTranslation];

/// What a build of before offers, which has no such error.
fn before() -> Library {
    let mut library = referee_tests::library();
    library.add(untranslated());
    library.compiled_with(CompileOptions {
        tolerated: UNTRANSLATED,
        ..CompileOptions::default()
    })
}

/// What a build offers that has added it.
fn after() -> Library {
    let mut library = referee_tests::library();
    library.add(untranslated());
    library.with_added_errors(UNTRANSLATED)
}

/// What a build offers that has added it and forgotten to say so.
fn forgetful() -> Library {
    let mut library = referee_tests::library();
    library.add(untranslated());
    library
}

#[tokio::test]
async fn an_error_that_was_added_stops_publishing_and_no_match() {
    let create = || create_of("tea-house", 3, 5);
    let mut world = World::new().await;
    world.set_library(before);
    world.restart().await;
    let (mut table, tokens) = world.begin(create()).await;
    assert!(table.play(5, &mut Chooser::new(5)).await);
    let view = table.view(0).await.view;

    world.set_library(after);
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    assert_eq!(table.view(0).await.view, view);
    expect(world.host().call(create()).await, "RULESET_NOT_PLAYABLE");
    let texts = untranslated().texts.files.into_iter();
    let texts = texts.map(|(path, text)| v1::PackageFile { path, text });
    let publisher = world.publisher().await;
    let published = publisher.call(publish(texts.collect())).await;
    assert!(published.is_err(), "{published:?}");
    let mut player = Chooser::new(6);
    while table.play(50, &mut player).await {}
    assert!(super::records::verify(&table.host, &table.name).await.sound);
}

/// What a build offers in which the texts are mended.
fn mended() -> Library {
    let folder = referee_tests::root().join("tests/rulesets/tea-house");
    let mut library = referee_tests::library();
    library.add(Edition::new(read_folder(&folder).expect("a folder")).expect("a manifest"));
    library
}

#[tokio::test]
async fn an_error_that_nobody_said_was_added_suspends_and_loses_nothing() {
    let mut world = World::new().await;
    world.set_library(before);
    world.restart().await;
    let (mut table, tokens) = world.begin(create_of("tea-house", 3, 5)).await;
    assert!(table.play(5, &mut Chooser::new(5)).await);

    world.set_library(forgetful);
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    let described = table.get().await;
    assert_eq!(described.state(), MatchState::Suspended);
    let said = &described.suspension;
    assert!(said.contains("the ruleset no longer compiles"), "{said}");
    let verified = super::records::verify(&table.host, &table.name).await;
    assert!(!verified.sound, "{verified:?}");

    world.set_library(mended);
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    table
        .host
        .call(moved(&table, "tea-house"))
        .await
        .expect("it is moved");
    assert!(table.play(5, &mut Chooser::new(6)).await);
    // Its first texts still do not compile.
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    assert!(table.play(5, &mut Chooser::new(7)).await);
}

/// What a build offers that tells of one more kind of event.
fn telling_more() -> Library {
    let library = referee_tests::library();
    library.compiled_with(CompileOptions {
        telling_more: true,
        ..CompileOptions::default()
    })
}

#[tokio::test]
async fn an_answer_is_repeated_though_there_are_other_kinds_of_events() {
    let mut world = World::new().await;
    let (mut table, tokens) = world.table(3, 5).await;
    let mut player = Chooser::new(5);
    let mut made = Vec::new();
    for _ in 0..25 {
        let (seat, request) = table.next_move(&mut player).await;
        let client = table.seats[seat].client();
        let answer = client.call(request.clone()).await;
        made.push((seat, request, answer.expect("a listed move")));
    }
    world.stop().await;
    // What happened is to be told from the log; a snapshot may still be on its way to the disk.
    for _ in 0..5 {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        Sqlite::drop_snapshots(&world.path()).expect("the store");
    }
    world.set_library(telling_more);
    world.restart().await;
    table.seats = world.again(&table, &tokens);
    let mut more = 0;
    for (seat, request, first) in made {
        let client = table.seats[seat].client();
        let again = client.call(request).await.expect("it was answered before");
        assert!(again.replayed);
        let told = without_more(&again.events);
        more += again.events.len() - told.len();
        let first: Vec<_> = first
            .events
            .iter()
            .map(|event| event.kind.clone())
            .collect();
        assert_eq!(told, first);
    }
    assert!(more >= 25, "{more}");
}

/// What happened, without what is told more after every move.
fn without_more(events: &[v1::Event]) -> Vec<Option<v1::event::Kind>> {
    use v1::event::Kind::{EndingDue, MoveMade};
    let mut after_a_move = false;
    let mut kinds: Vec<_> = events.iter().map(|event| event.kind.clone()).collect();
    kinds.retain(|kind| {
        let more = after_a_move && matches!(kind, Some(EndingDue(_)));
        after_a_move = matches!(kind, Some(MoveMade(_)));
        !more
    });
    kinds
}
