//! What a client asks before it moves and after: previews, why not, and the table as it was.

use referee::client::Chooser;
use referee::wire::v1;

use super::world::{Table, World, create_of, expect, fields, timeless};

async fn view_at(table: &Table, seat: usize, at_event: Option<u64>) -> v1::GetViewResponse {
    let asked = v1::GetViewRequest {
        name: table.name.clone(),
        at_event,
        ..v1::GetViewRequest::default()
    };
    table.call(seat, asked).await.expect("a view")
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn the_table_can_be_looked_at_as_it_was() {
    let mut world = World::new().await;
    let (mut table, tokens) = world.begin(create_of("san-juan", 3, 11)).await;
    let mut player = Chooser::new(5);
    let mut stood: Vec<Vec<v1::View>> = vec![Vec::new(); 4];
    for number in 0..60 {
        if number == 20 {
            table.agree(v1::ProposalKind::Pause, 0).await;
            table.agree(v1::ProposalKind::Resume, 0).await;
        }
        for (seat, views) in stood.iter_mut().enumerate() {
            let view = match seat {
                3 => table.public_view().await.view,
                seat => view_at(&table, seat, None).await.view,
            };
            views.push(view.expect("a view"));
        }
        if !table.play(1, &mut player).await {
            break;
        }
        // What was taken back was there all the same.
        if number % 7 == 6 {
            let undo = table.propose(0, v1::ProposalKind::Undo, 1).await;
            if let Ok(open) = undo {
                for seat in [1, 2] {
                    table
                        .respond(seat, &open.name, true)
                        .await
                        .expect("an answer");
                }
            }
        }
    }
    for restarted in [false, true] {
        if restarted {
            world.restart().await;
            world.rejoin(&mut table, &tokens);
        }
        let mut compared = 0;
        for (seat, views) in stood.iter().enumerate().take(3) {
            let end = view_at(&table, seat, None)
                .await
                .view
                .expect("a view")
                .event_count;
            for at in (0..=end).step_by(if restarted { 17 } else { 1 }) {
                let then = view_at(&table, seat, Some(at)).await;
                let view = then.view.expect("a view");
                let expected = views.iter().rev().find(|stood| stood.event_count <= at);
                let Some(expected) = expected else {
                    // Before the set-up was over nobody could look.
                    assert_eq!(view.event_count, views[0].event_count);
                    continue;
                };
                if view.event_count == expected.event_count {
                    assert_eq!(view, *expected, "seat {seat} at {at}");
                    compared += 1;
                } else {
                    assert!(view.event_count > expected.event_count && view.event_count <= at);
                }
            }
        }
        println!("{compared} moments compared");
        assert!(compared > if restarted { 20 } else { 400 }, "{compared}");
    }
    let end = view_at(&table, 0, None)
        .await
        .view
        .expect("a view")
        .event_count;
    let beyond = v1::GetViewRequest {
        name: table.name.clone(),
        at_event: Some(end + 1),
        ..v1::GetViewRequest::default()
    };
    let refused = expect(table.call(0, beyond).await, "MALFORMED_REQUEST");
    assert_eq!(fields(&refused), ["at_event"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moment_is_a_place_from_which_events_go_on() {
    let world = World::new().await;
    let (table, _) = world.begin(create_of("puerto-rico", 3, 3)).await;
    table.play(30, &mut Chooser::new(2)).await;
    let all = table.events(0).await;
    let middle = view_at(&table, 0, Some(all.len() as u64 / 2)).await;
    let asked = v1::ListEventsRequest {
        name: table.name.clone(),
        page_token: middle.resume_token,
        page_size: 1000,
        ..v1::ListEventsRequest::default()
    };
    let rest = table.call(0, asked).await.expect("events").events;
    let from = middle.view.expect("a view").event_count as usize;
    assert!(from > 0 && from <= all.len() / 2);
    assert_eq!(rest, all[from..]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_is_previewed_and_others_are_explained() {
    let world = World::new().await;
    let (table, _) = world.begin(create_of("puerto-rico", 3, 8)).await;
    let mut player = Chooser::new(4);
    let (mut complete, mut refused, mut cited) = (0, 0, 0);
    for _ in 0..60 {
        let Some((seat, decision, offers)) = table.asked().await else {
            break;
        };
        let (of, submit) = table.next_move(&mut player).await;
        assert_eq!(of, seat);
        let check = v1::CheckMoveRequest {
            with_preview: true,
            ..submit.check()
        };
        let told = table.call(seat, check).await.expect("it is legal").preview;
        let told = told.expect("it was asked for");
        assert!(told.tables > 0 && told.view.is_some());
        for offer in &offers {
            let asked = v1::ListRefusalsRequest {
                name: table.name.clone(),
                decision_id: decision.decision_id.clone(),
                move_name: offer.name.clone(),
                page_size: 20,
                include_names: true,
                ..v1::ListRefusalsRequest::default()
            };
            let list = table.call(seat, asked).await.expect("reasons");
            let glossary = list.glossary.expect("it was asked for");
            for closed in &list.moves {
                refused += 1;
                assert!(
                    !offers
                        .iter()
                        .any(|o| o.name == offer.name && o.fixed == closed.fixed)
                );
                if !closed.clause.is_empty() {
                    cited += 1;
                    let clause = v1::NameKind::Clause as i32;
                    let mut names = glossary.entries.iter();
                    assert!(names.any(|name| name.kind == clause && name.id == closed.clause));
                }
            }
        }
        let answer = table.seats[seat]
            .client()
            .call(submit)
            .await
            .expect("legal");
        if told.complete {
            complete += 1;
            let unnumbered = |events: &[v1::Event]| -> Vec<_> {
                events.iter().map(|event| event.kind.clone()).collect()
            };
            let came: Vec<v1::Event> = answer.events.into_iter().map(timeless).collect();
            assert_eq!(unnumbered(&told.events), unnumbered(&came));
        }
    }
    assert!(
        complete > 20 && refused > 50 && cited > 20,
        "{complete} {refused} {cited}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_the_question_does_not_have_is_said_to_be_wrong() {
    let world = World::new().await;
    let (table, _) = world.begin(create_of("puerto-rico", 3, 8)).await;
    let (seat, decision, _) = table.asked().await.expect("somebody is asked");
    for name in ["", "hop", "load"] {
        let asked = v1::ListRefusalsRequest {
            name: table.name.clone(),
            decision_id: decision.decision_id.clone(),
            move_name: name.into(),
            ..v1::ListRefusalsRequest::default()
        };
        let refused = expect(table.call(seat, asked).await, "MALFORMED_REQUEST");
        assert_eq!(fields(&refused), ["move_name"], "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offer_says_where_it_points() {
    use v1::target::Kind;
    let world = World::new().await;
    let (table, _) = world.begin(create_of("puerto-rico", 3, 8)).await;
    let mut player = Chooser::new(4);
    let (mut from_quarries, mut built, mut pointing, mut by_argument) = (0, 0, 0, 0);
    for _ in 0..80 {
        let Some((seat, _, offers)) = table.asked().await else {
            break;
        };
        let asked = v1::ListDecisionsRequest {
            name: table.name.clone(),
            page_size: 1000,
            with_targets: true,
            ..v1::ListDecisionsRequest::default()
        };
        let got = table.call(seat, asked).await.expect("decisions").decisions;
        let told = &got.first().expect("it waits").offers;
        assert_eq!(told.len(), offers.len());
        for (told, plain) in told.iter().zip(&offers) {
            let without = v1::Offer {
                targets: Vec::new(),
                ..told.clone()
            };
            assert_eq!(without, *plain);
            let pieces = told.targets.iter().filter_map(|target| match &target.kind {
                Some(Kind::Pieces(pieces)) => Some(pieces),
                _ => None,
            });
            let sent: Vec<&str> = told.fixed.iter().map(|given| &*given.name).collect();
            let open = told.open.iter().map(|open| &*open.name);
            let sent: Vec<&str> = sent.into_iter().chain(open).collect();
            for target in &told.targets {
                assert!(
                    target
                        .arguments
                        .iter()
                        .all(|name| sent.contains(&name.as_str()))
                );
                // The tile or the building that is taken is the one that the move names, and nothing else of it is.
                if let Some(Kind::Pieces(pieces)) = &target.kind
                    && ["take", "build"].contains(&&*told.name)
                {
                    let fixed = told.fixed.iter();
                    let of_row = fixed.filter(|given| {
                        let kind = given.value.as_ref().and_then(|value| value.kind.as_ref());
                        matches!(kind, Some(v1::value::Kind::Row(row)) if Some(row) == pieces.row.as_ref())
                    });
                    let of_row: Vec<&String> = of_row.map(|given| &given.name).collect();
                    assert_eq!(target.arguments.iter().collect::<Vec<_>>(), of_row);
                    by_argument += of_row.len();
                }
            }
            let named = |of: &Option<v1::PlaceRef>, name: &str| {
                of.as_ref().is_some_and(|place| place.name == name)
            };
            let mut pieces = pieces.peekable();
            pointing += usize::from(pieces.peek().is_some());
            for moved in pieces {
                from_quarries += usize::from(named(&moved.source, "quarries"));
                built += usize::from(
                    named(&moved.source, "market") && named(&moved.destination, "city"),
                );
            }
        }
        table.play(1, &mut player).await;
    }
    assert!(
        pointing > 50 && built > 20 && from_quarries > 0 && by_argument > 20,
        "{pointing} {built} {from_quarries} {by_argument}"
    );
}
