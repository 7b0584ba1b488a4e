//! A referee that stops, or is stopped, and comes back.

use referee::client::Chooser;
use referee::wire::v1;

use super::world::{Table, World, create_of, expect};

/// Everything that anybody can see of a match, without what is sealed anew each time.
#[derive(Debug, PartialEq)]
pub struct Seen {
    pub described: v1::Match,
    views: Vec<Option<v1::View>>,
    decisions: Vec<Option<(v1::Decision, Vec<v1::Offer>)>>,
    events: Vec<Vec<v1::Event>>,
}

pub async fn seen(table: &Table) -> Seen {
    let mut seen = Seen {
        described: table.get().await,
        views: Vec::new(),
        decisions: Vec::new(),
        events: Vec::new(),
    };
    seen.views.push(table.public_view().await.view);
    for seat in 0..table.seats.len() {
        seen.views.push(table.view(seat).await.view);
        seen.decisions
            .push(table.seats[seat].decision().await.expect("an answer"));
        seen.events.push(table.events(seat).await);
    }
    seen
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_survives_restarts_and_power_cuts_unchanged() {
    let mut world = World::new().await;
    let (mut table, tokens) = world.begin(create_of("san-juan", 3, 7)).await;
    let mut player = Chooser::new(11);
    for round in 0..2 {
        assert!(table.play(20, &mut player).await, "the match is under way");
        let before = seen(&table).await;
        if round % 2 == 0 {
            world.restart().await;
        } else {
            world.crash().await;
        }
        world.rejoin(&mut table, &tokens);
        assert_eq!(seen(&table).await, before);
    }
    while table.play(1, &mut player).await {}
    let over = seen(&table).await;
    assert_eq!(over.described.state(), v1::MatchState::Finished);
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    assert_eq!(seen(&table).await, over, "a finished match is kept");
}

#[tokio::test]
async fn a_request_is_answered_alike_after_a_restart() {
    let mut world = World::new().await;
    let (mut table, tokens) = world.table(3, 7).await;
    let (seat, request) = table.next_move(&mut Chooser::new(1)).await;
    let first = table.call(seat, request.clone()).await.expect("legal");
    world.restart().await;
    table.seats = world.again(&table, &tokens);
    let again = table.call(seat, request).await.expect("the same");
    assert!(again.replayed);
    assert_eq!(again.events, first.events);
}

#[tokio::test]
async fn tokens_of_the_host_and_of_pages_survive_too() {
    let mut world = World::new().await;
    for seed in 0..3 {
        world.create(3, seed).await;
    }
    let asked = v1::ListMatchesRequest {
        page_size: 2,
        ..Default::default()
    };
    let first = world.host().call(asked.clone()).await.expect("a page");
    world.restart().await;
    let asked = v1::ListMatchesRequest {
        page_token: first.next_page_token,
        ..asked
    };
    let rest = world.host().call(asked).await.expect("a page");
    assert_eq!((first.matches.len(), rest.matches.len()), (2, 1));
}

#[tokio::test]
async fn a_damaged_record_suspends_the_match_and_nothing_else() {
    let mut world = World::new().await;
    let (mut hurt, hurt_tokens) = world.table(3, 7).await;
    let (mut well, well_tokens) = world.table(3, 8).await;
    for table in [&hurt, &well] {
        table.play(10, &mut Chooser::new(1)).await;
    }
    world.stop().await;
    // One bit of one entry, as a disk might lose it.
    let file = rusqlite::Connection::open(world.path()).expect("the file");
    let id = hurt.name.trim_start_matches("matches/");
    let sequence = 7;
    let mut body: Vec<u8> = file
        .query_row(
            "SELECT body FROM entries JOIN matches ON match = ord WHERE id = ?1 AND sequence = ?2",
            rusqlite::params![id, sequence],
            |row| row.get(0),
        )
        .expect("an entry");
    let middle = body.len() / 2;
    body[middle] ^= 4;
    let changed = file.execute(
        "UPDATE entries SET body = ?3 WHERE match = (SELECT ord FROM matches WHERE id = ?1) AND sequence = ?2",
        rusqlite::params![id, sequence, body],
    );
    assert_eq!(changed.expect("an update"), 1);
    drop(file);
    world.restart().await;
    for (table, tokens) in [(&mut hurt, &hurt_tokens), (&mut well, &well_tokens)] {
        table.seats = world.again(table, tokens);
        table.host = world.host();
    }
    let view = v1::GetViewRequest::of(&hurt.name);
    expect(hurt.call(0, view).await, "RECORD_DAMAGED");
    assert_eq!(hurt.get().await.state(), v1::MatchState::Suspended);
    let watch = v1::WatchMatchRequest::of(&hurt.name);
    let mut stream = hurt.call(0, watch).await.expect("a stream");
    expect(stream.message().await, "RECORD_DAMAGED");
    assert!(
        well.play(10, &mut Chooser::new(2)).await,
        "other matches go on"
    );
}

#[tokio::test]
async fn a_lost_key_opens_no_match() {
    let mut world = World::new().await;
    let (mut table, tokens) = world.table(3, 7).await;
    world.stop().await;
    let mut key = world.path().into_os_string();
    key.push(".key");
    std::fs::remove_file(key).expect("the key");
    world.restart_with(true).await;
    world.rejoin(&mut table, &tokens);
    // Nobody can tell who wrote what a store holds, if its key is another one: no token of before is believed.
    let view = v1::GetViewRequest::of(&table.name);
    expect(table.call(0, view).await, "TOKEN_INVALID");
    let get = v1::GetMatchRequest::of(&table.name);
    expect(table.host.call(get).await, "NOT_FOUND");
}
