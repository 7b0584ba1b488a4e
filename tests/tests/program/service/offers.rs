//! Legal moves, page by page: all of them, or those that a client looks for.

use referee::wire::v1;

use super::errors::{argument, row, submit};
use super::world::{World, expect, fields};

#[tokio::test]
async fn moves_are_found_by_their_names_and_fixed_arguments() {
    let world = World::new().await;
    let (table, _) = world.table(4, 3).await;
    let (seat, decision, _) = table.asked().await.expect("somebody is asked");
    let builder = super::errors::choose("builder");
    let chosen = submit(&table, &decision.decision_id, builder);
    let play = table.seats[seat].client();
    play.call(chosen).await.expect("legal");
    let (seat, decision, all) = table.asked().await.expect("what to build");

    let asked = v1::ListMovesRequest {
        name: table.name.clone(),
        decision_id: decision.decision_id.clone(),
        page_size: 2,
        move_name: "build".into(),
        ..Default::default()
    };
    let mut found = Vec::new();
    let mut page = table.call(seat, asked.clone()).await.expect("a page");
    let first_token = page.next_page_token.clone();
    loop {
        assert!(page.offers.len() <= 2);
        found.extend(page.offers);
        if page.next_page_token.is_empty() {
            break;
        }
        let next = v1::ListMovesRequest {
            page_token: page.next_page_token,
            ..asked.clone()
        };
        page = table.call(seat, next).await.expect("a page");
    }
    let builds: Vec<_> = all.iter().filter(|offer| offer.name == "build").collect();
    assert!(builds.len() > 2 && builds.len() < all.len(), "{all:?}");
    assert_eq!(found.iter().collect::<Vec<_>>(), builds);

    let one = v1::ListMovesRequest {
        fixed: vec![argument("b", row("building", "small_market"))],
        ..asked.clone()
    };
    let found = table.call(seat, one.clone()).await.expect("it");
    assert_eq!(found.offers.len(), 1);
    assert!(found.next_page_token.is_empty());
    // The argument alone finds it, too; another value finds nothing.
    let unnamed = v1::ListMovesRequest {
        move_name: String::new(),
        ..one.clone()
    };
    assert_eq!(
        table.call(seat, unnamed).await.expect("it").offers,
        found.offers
    );
    let dear = v1::ListMovesRequest {
        fixed: vec![argument("b", row("building", "guild_hall"))],
        ..one.clone()
    };
    assert!(
        table
            .call(seat, dear)
            .await
            .expect("none")
            .offers
            .is_empty()
    );

    // A token is good for the list that it is of.
    let elsewhere = v1::ListMovesRequest {
        move_name: String::new(),
        page_token: first_token,
        ..asked.clone()
    };
    let elsewhere = table.call(seat, elsewhere).await;
    expect(elsewhere, "PAGE_TOKEN_INVALID");
    // A slip of the pen is said.
    for (wrong, field) in [
        (
            v1::ListMovesRequest {
                move_name: "biuld".into(),
                ..asked.clone()
            },
            "move_name",
        ),
        (
            v1::ListMovesRequest {
                fixed: vec![v1::Argument::default()],
                ..asked.clone()
            },
            "fixed[0].name",
        ),
    ] {
        let status = expect(table.call(seat, wrong).await, "MALFORMED_REQUEST");
        assert_eq!(fields(&status)[0], field);
    }
}
