//! All hands: what spectators see when nobody minds any more.

use referee::client::{Chooser, seat_name};
use referee::wire::v1::{self, ProposalKind, event::Kind, table_changed};
use tonic::Status;

use super::world::{Table, World, create_of, expect};

async fn san_juan(world: &World) -> (Table, Vec<String>) {
    let create = create_of("san-juan", 3, 5);
    world.begin(create).await
}

async fn all_hands(table: &Table) -> Result<v1::GetAllHandsResponse, Status> {
    let asked = v1::GetAllHandsRequest::of(&table.name);
    table.host.call(asked).await
}

/// Everything that any seat sees is there, and nothing that none of them does.
async fn is_the_sum_of_all_seats(table: &Table) {
    let told = all_hands(table).await.expect("all hands");
    let all = told.view.expect("a view");
    assert_eq!(all.seat, 0);
    let (mut hands, mut hidden) = (0, 0);
    for (at, place) in all.places.iter().enumerate() {
        let mut seen = None;
        for seat in 0..table.seats.len() {
            let view = table.view(seat).await.view.expect("a view");
            assert_eq!(view.places[at].place, place.place);
            seen = seen.or(view.places[at].contents.clone());
        }
        assert_eq!(place.contents, seen, "{:?}", place.place);
        hands += usize::from(place.contents.is_some());
        hidden += usize::from(place.contents.is_none() && !place.endless);
    }
    let public = table.public_view().await.view.expect("a view");
    let open = public
        .places
        .iter()
        .filter(|p| p.contents.is_some())
        .count();
    assert!(hands > open, "somebody has a hand");
    assert!(hidden > 0, "nobody sees the deck");
}

#[tokio::test]
async fn spectators_see_all_hands_when_every_player_has_agreed() {
    let mut world = World::new().await;
    let (mut table, tokens) = san_juan(&world).await;
    table.play(5, &mut Chooser::new(2)).await;
    expect(all_hands(&table).await, "HANDS_HIDDEN");

    let made = table
        .propose(1, ProposalKind::ShowHands, 0)
        .await
        .expect("it");
    table.respond(0, &made.name, true).await.expect("yes");
    expect(all_hands(&table).await, "HANDS_HIDDEN");
    let declined = table.respond(2, &made.name, false).await.expect("no");
    assert!(!declined.done);
    expect(all_hands(&table).await, "HANDS_HIDDEN");
    assert!(!table.get().await.hands_shown);

    table.agree(ProposalKind::ShowHands, 0).await;
    assert!(table.get().await.hands_shown);
    is_the_sum_of_all_seats(&table).await;
    // It is said at the table, and in the record.
    let events = table.events(2).await;
    let said = events.iter().any(|event| {
        matches!(&event.kind, Some(Kind::TableChanged(changed))
            if matches!(changed.kind, Some(table_changed::Kind::HandsShown(_))))
    });
    assert!(said);
    // Once is enough.
    let again = table.propose(0, ProposalKind::ShowHands, 0).await;
    expect(again, "MATCH_STATE_WRONG");
    // Who plays sees no more than before.
    let own = table.view(0).await.view.expect("a view");
    let others = own.places.iter().filter(|place| {
        let place = place.place.as_ref().expect("a place");
        place.name == "hand"
    });
    let seen = others.filter(|place| place.contents.is_some()).count();
    assert_eq!(seen, 1, "a seat sees its own hand");

    world.restart().await;
    world.rejoin(&mut table, &tokens);
    is_the_sum_of_all_seats(&table).await;
}

#[tokio::test]
async fn who_sits_down_later_has_not_agreed() {
    let world = World::new().await;
    let (table, _) = san_juan(&world).await;
    table.agree(ProposalKind::ShowHands, 0).await;
    all_hands(&table).await.expect("all hands");
    let release = v1::ReleaseSeatRequest::of(seat_name(&table.name, 2));
    let released = table.host.call(release).await;
    let code = released.expect("it").claim_code.expect("a code");
    let claim = super::world::claim_request(&code);
    let claimed = world.client().call(claim).await;
    claimed.expect("another sits down");
    expect(all_hands(&table).await, "HANDS_HIDDEN");
}

#[tokio::test]
async fn when_a_match_is_over_nothing_is_hidden_from_spectators() {
    let world = World::new().await;
    let (table, _) = san_juan(&world).await;
    let lobby = world.create(3, 1).await.r#match.expect("a match").name;
    let asked = v1::GetAllHandsRequest::of(lobby);
    expect(world.host().call(asked).await, "MATCH_NOT_STARTED");
    table.play(9, &mut Chooser::new(4)).await;
    table.agree(ProposalKind::Draw, 0).await;
    is_the_sum_of_all_seats(&table).await;
}
