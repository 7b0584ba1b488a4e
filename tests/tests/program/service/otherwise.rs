//! A referee that understands a ruleset otherwise than the one that began a match with it.
//!
//! Other semantics are a digest that this referee would not compute: logs are written again here as such a referee
//! would have written them.

use prost::Message as _;
use referee::client::Chooser;
use referee::store::{MatchId, chain};
use referee::wire::log::v1::{Entry, entry::Body};
use referee::wire::v1::{self, MatchState};
use rusqlite::{Connection, params};

use super::world::{Table, World};

/// Writes the log of a match again, each entry as it is changed, with a chain that fits. The referee must not run.
fn rewrite(world: &World, table: &Table, mut change: impl FnMut(i64, &mut Body)) {
    let id = table.name.trim_start_matches("matches/");
    let file = Connection::open(world.path()).expect("the store");
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
}

/// A match of another semantics number, after some moves; from an entry on, its states are others, too.
async fn begun_elsewhere(other_from: Option<i64>) -> (World, Table, Vec<String>) {
    let mut world = World::new().await;
    let (mut table, tokens) = world.table(3, 5).await;
    assert!(table.play(12, &mut Chooser::new(5)).await);
    world.stop().await;
    rewrite(&world, &table, |sequence, body| match body {
        Body::Created(created) => created.digest = vec![7; 32],
        Body::Moved(moved) if other_from.is_some_and(|from| sequence >= from) => {
            moved.state_hash = vec![9; 32];
        }
        _ => {}
    });
    world.restart().await;
    table.seats = world.again(&table, &tokens);
    table.host = world.host();
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
    let refused = table.host.matches().move_match(asked.clone()).await;
    let refused = refused.expect_err("it goes otherwise, which its host must accept");
    assert!(
        format!("{refused:?}").contains("another state"),
        "{refused:?}"
    );
    asked.accept_difference = true;
    asked.request_id = referee::client::request_id();
    let moved = table
        .host
        .matches()
        .move_match(asked)
        .await
        .expect("it is moved");
    let difference = moved.into_inner().difference.expect("where it differs");
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
    table.seats = world.again(&table, &tokens);
    table.host = world.host();
    assert!(
        table.play(5, &mut Chooser::new(7)).await,
        "also after a restart"
    );
}
