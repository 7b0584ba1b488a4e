//! Reading what was written: `at_least` of reads.

use std::sync::Arc;

use referee::client::Chooser;
use referee::secrets::Keys;
use referee::store::sqlite::Sqlite;
use referee::wire::v1;
use tonic::Status;

use super::world::{Table, World, expect, fields, quick};

/// Every read of a seat with `at_least`, each of which says whether it was answered.
async fn reads(table: &Table, seat: usize, at_least: &str) -> Vec<Result<(), Status>> {
    let (name, at_least) = (table.name.clone(), at_least.to_owned());
    let client = table.seats[seat].client();
    let view = v1::GetViewRequest {
        name: name.clone(),
        at_least: at_least.clone(),
        ..Default::default()
    };
    let decisions = v1::ListDecisionsRequest {
        name: name.clone(),
        at_least: at_least.clone(),
        ..Default::default()
    };
    let events = v1::ListEventsRequest {
        name: name.clone(),
        at_least: at_least.clone(),
        ..Default::default()
    };
    let talk = v1::GetTableTalkRequest { name, at_least };
    vec![
        client.call(view).await.map(drop),
        client.call(decisions).await.map(drop),
        client.call(events).await.map(drop),
        client.call(talk).await.map(drop),
    ]
}

#[tokio::test]
async fn a_token_of_another_seat_match_or_audience_is_refused() {
    let world = World::new().await;
    let (table, _) = world.table(3, 1).await;
    let (other, _) = world.table(3, 1).await;
    let own = table.view(0).await.resume_token;
    for answered in reads(&table, 0, &own).await {
        answered.expect("what was seen is there");
    }
    let public = table.public_view().await.resume_token;
    let foreign = [
        table.view(1).await.resume_token,
        other.view(0).await.resume_token,
        public.clone(),
        "nonsense".to_owned(),
    ];
    for token in foreign {
        for answered in reads(&table, 0, &token).await {
            let status = expect(answered, "RESUME_TOKEN_INVALID");
            assert_eq!(fields(&status)[0], "at_least");
        }
    }
    for (token, good) in [(public, true), (own, false)] {
        let asked = v1::GetPublicViewRequest {
            name: table.name.clone(),
            at_least: token,
            ..Default::default()
        };
        let answered = table.host.call(asked).await;
        assert_eq!(answered.is_ok(), good);
    }
}

/// A referee whose store was put back to an earlier copy does not have what a client has seen.
#[tokio::test]
async fn what_has_not_come_yet_is_waited_for_and_then_unavailable() {
    let before = World::new().await;
    let (mut table, tokens) = before.table(3, 1).await;
    let copy = before.path().with_extension("copy");
    Sqlite::backup(&before.path(), &copy).expect("a copy");
    let mut player = Chooser::new(7);
    let (seat, decision, offers) = table.asked().await.expect("somebody is asked");
    let mv = referee::client::Chooses::choose(&mut player, &decision, &offers);
    let made = table.seats[seat].submit(&decision.decision_id, mv.clone());
    let ahead = made.await.expect("legal").resume_token;
    let key = before.path().with_extension("sqlite.key");
    let keys = Keys::load_or_create(&key).expect("the key");
    let store = Sqlite::open(&copy, &keys).expect("the copy");
    let world = World::with_keys(Arc::new(store), keys).await;
    world.rejoin(&mut table, &tokens);

    let asked_at = std::time::Instant::now();
    let view = v1::GetViewRequest {
        name: table.name.clone(),
        at_least: ahead.clone(),
        ..Default::default()
    };
    let client = table.seats[seat].client();
    let status = expect(client.call(view.clone()).await, "NOT_CAUGHT_UP");
    assert!(asked_at.elapsed() >= quick().at_least_wait, "{status:?}");
    let submit = v1::SubmitMoveRequest {
        at_least: ahead.clone(),
        ..super::errors::submit(&table, &decision.decision_id, mv.clone())
    };
    expect(client.call(submit.clone()).await, "NOT_CAUGHT_UP");

    // It comes while somebody waits.
    expect(client.call(view).await, "NOT_CAUGHT_UP");
    let waiting = client.clone();
    let events = v1::ListEventsRequest {
        name: table.name.clone(),
        at_least: ahead.clone(),
        page_size: 1000,
        ..Default::default()
    };
    let waited = tokio::spawn(async move { waiting.call(events).await });
    table.seats[seat]
        .submit(&decision.decision_id, mv)
        .await
        .expect("legal once more");
    let seen = waited.await.expect("no panic").expect("it came");
    assert_eq!(seen.events, table.events(seat).await);
    for answered in reads(&table, seat, &ahead).await {
        answered.expect("it is there now");
    }
}
