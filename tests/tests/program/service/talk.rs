//! What players agree on outside of the rules: pausing, taking moves back, drawing, abandoning.

use referee::client::{Chooser, Chooses};
use referee::limits::Limits;
use referee::wire::v1::{
    self, Conclusion, ProposalEnd, ProposalKind, event, table_changed, watch_match_response::Item,
};

use super::world::{Table, World, expect, metadata};

/// Table events of a seat, in order.
async fn talk(table: &Table, seat: usize) -> Vec<table_changed::Kind> {
    let events = table.events(seat).await;
    let changes = events.into_iter().filter_map(|event| match event.kind {
        Some(event::Kind::TableChanged(change)) => change.kind,
        _ => None,
    });
    changes.collect()
}

async fn get_talk(table: &Table, seat: usize) -> v1::GetTableTalkResponse {
    let asked = v1::GetTableTalkRequest::of(&table.name);
    let got = table.call(seat, asked).await;
    got.expect("an answer")
}

#[tokio::test]
async fn a_match_is_paused_and_resumed_by_consent_and_by_its_host() {
    let mut world = World::new().await;
    let (mut table, tokens) = world.table(3, 7).await;
    table.play(5, &mut Chooser::new(1)).await;
    let made = table.propose(1, ProposalKind::Pause, 0).await.expect("it");
    assert!(!made.done);
    let open = get_talk(&table, 2).await.proposal.expect("it is open");
    assert_eq!(
        (open.seat, &open.agreed[..], &open.awaited[..]),
        (2, &[2][..], &[1, 3][..])
    );
    let second = table.propose(0, ProposalKind::Draw, 0).await;
    let status = expect(second, "PROPOSAL_OPEN");
    assert_eq!(
        format!(
            "{}/proposals/{}",
            table.name,
            metadata(&status, "proposal_id")
        ),
        made.name
    );
    // Whoever proposed has answered; nobody answers twice.
    let own = table.respond(1, &made.name, true).await;
    expect(own, "PROPOSAL_CLOSED");
    assert!(!table.respond(0, &made.name, true).await.expect("it").done);
    let twice = table.respond(0, &made.name, true).await;
    expect(twice, "PROPOSAL_CLOSED");
    // An open proposal, and what was answered to it, survive a restart.
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    assert!(table.respond(2, &made.name, true).await.expect("it").done);
    assert!(get_talk(&table, 0).await.paused && table.get().await.paused);

    let (seat, decision, offers) = table.asked().await.expect("the question stays");
    let mv = Chooser::new(2).choose(&decision, &offers);
    let paused = table.seats[seat]
        .submit(&decision.decision_id, mv.clone())
        .await;
    expect(paused, "MATCH_PAUSED");
    let again = table.propose(0, ProposalKind::Pause, 0).await;
    expect(again, "MATCH_STATE_WRONG");
    table.agree(ProposalKind::Resume, 0).await;
    table.seats[seat]
        .submit(&decision.decision_id, mv)
        .await
        .expect("it goes on");

    table.agree(ProposalKind::Pause, 0).await;
    let resume = v1::ResumeMatchRequest::of(&table.name);
    let resumed = table.host.call(resume.clone()).await;
    assert!(!resumed.expect("the host may").replayed);
    let again = table.host.call(resume).await;
    assert!(again.expect("an answer").replayed);
    assert!(!table.get().await.paused);
    // Everybody saw the same talk.
    let first = talk(&table, 0).await;
    assert_eq!(first, talk(&table, 2).await);
    assert!(matches!(first[0], table_changed::Kind::ProposalMade(_)));
}

#[tokio::test]
async fn declined_and_withdrawn_proposals_are_closed() {
    let world = World::new().await;
    let (table, _) = world.table(3, 7).await;
    let made = table.propose(0, ProposalKind::Draw, 0).await.expect("it");
    table.respond(1, &made.name, false).await.expect("no");
    let late = table.respond(2, &made.name, true).await;
    expect(late, "PROPOSAL_CLOSED");
    let made = table
        .propose(2, ProposalKind::Abandon, 0)
        .await
        .expect("it");
    let withdraw = |seat: usize| {
        let asked = v1::WithdrawRequest::of(&made.name);
        let client = table.seats[seat].client().clone();
        async move { client.call(asked).await }
    };
    expect(withdraw(0).await, "PROPOSAL_CLOSED");
    withdraw(2).await.expect("the proposer may");
    let ends: Vec<ProposalEnd> = talk(&table, 1)
        .await
        .iter()
        .filter_map(|kind| match kind {
            table_changed::Kind::ProposalClosed(closed) => Some(closed.end()),
            _ => None,
        })
        .collect();
    assert_eq!(ends, [ProposalEnd::Declined, ProposalEnd::Withdrawn]);
    assert_eq!(table.get().await.state(), v1::MatchState::Running);
    let nothing = table.propose(0, ProposalKind::Unspecified, 0).await;
    expect(nothing, "MALFORMED_REQUEST");
    let draw_of_moves = table.propose(0, ProposalKind::Draw, 2).await;
    expect(draw_of_moves, "MALFORMED_REQUEST");
}

#[tokio::test]
async fn a_draw_and_an_abandoned_match_end_at_once_and_show_their_seed() {
    for (kind, conclusion) in [
        (ProposalKind::Draw, Conclusion::Draw),
        (ProposalKind::Abandon, Conclusion::Abandoned),
    ] {
        let mut world = World::new().await;
        let (mut table, tokens) = world.table(3, 7).await;
        table.play(3, &mut Chooser::new(1)).await;
        let watch = v1::WatchMatchRequest::of(&table.name);
        let stream = table.call(0, watch).await;
        let mut stream = stream.expect("a stream");
        assert!(table.get().await.seed.is_empty());
        table.agree(kind, 0).await;
        let mut closed = None;
        while let Some(message) = stream.message().await.expect("a message") {
            if let Some(Item::Closed(end)) = message.item {
                closed = Some(end);
            }
        }
        let closed = closed.expect("the stream says how it ended");
        assert_eq!((closed.conclusion(), closed.outcome), (conclusion, None));
        world.restart().await;
        world.rejoin(&mut table, &tokens);
        let ended = table.get().await;
        assert_eq!(
            (ended.state(), ended.conclusion()),
            (v1::MatchState::Finished, conclusion)
        );
        assert_eq!(ended.seed.len(), 32);
        assert!(ended.outcome.is_none() && ended.end_time.is_some());
        let over = table.propose(0, ProposalKind::Pause, 0).await;
        expect(over, "MATCH_OVER");
        assert!(table.asked().await.is_none(), "nobody is asked any more");
    }
}

/// Plays until a move can be taken back, and gives how many it took.
async fn until_undo(
    table: &Table,
    player: &mut Chooser,
) -> (Vec<Option<v1::View>>, v1::Decision, usize) {
    for _ in 0..60 {
        let (seat, decision, offers) = table.asked().await.expect("somebody is asked");
        let mut before = Vec::new();
        for i in 0..table.seats.len() {
            before.push(table.view(i).await.view);
        }
        let mv = player.choose(&decision, &offers);
        table.seats[seat]
            .submit(&decision.decision_id, mv)
            .await
            .expect("legal");
        match table.propose(seat, ProposalKind::Undo, 1).await {
            Ok(made) => {
                for other in (0..table.seats.len()).filter(|other| *other != seat) {
                    table.respond(other, &made.name, true).await.expect("yes");
                }
                return (before, decision, seat);
            }
            Err(status) => {
                let status = expect(Err::<(), _>(status), "UNDO_IMPOSSIBLE");
                assert!(!metadata(&status, "why").is_empty());
            }
        }
    }
    panic!("no move of sixty could be taken back");
}

#[tokio::test]
async fn moves_are_taken_back_by_consent_and_history_keeps_them() {
    let mut world = World::new().await;
    let (mut table, tokens) = world.table(3, 7).await;
    let mut player = Chooser::new(3);
    let (before, decision, seat) = until_undo(&table, &mut player).await;
    let same = |view: &mut v1::View| view.event_count = 0;
    for (i, mut earlier) in before.clone().into_iter().enumerate() {
        let mut now = table.view(i).await.view;
        now.iter_mut().chain(earlier.iter_mut()).for_each(same);
        assert_eq!(now, earlier, "seat {} sees the table as it was", i + 1);
    }
    // The question is asked anew: an answer to the old one answers nothing.
    let (asked, fresh, offers) = table.asked().await.expect("a question");
    assert_eq!((asked, &fresh.step), (seat, &decision.step));
    assert_ne!(fresh.decision_id, decision.decision_id);
    let mv = player.choose(&fresh, &offers);
    let stale = table.seats[seat]
        .submit(&decision.decision_id, mv.clone())
        .await;
    expect(stale, "DECISION_SUPERSEDED");
    table.seats[seat]
        .submit(&fresh.decision_id, mv)
        .await
        .expect("legal");
    table.play(10, &mut player).await;

    // Nothing that was told is untold, and a restart tells the same.
    let told: Vec<_> = [table.events(0).await, table.events(2).await].into();
    assert!(
        told[0]
            .iter()
            .zip(0..)
            .all(|(event, number)| event.number == number)
    );
    let undone = |event: &v1::Event| {
        matches!(&event.kind, Some(event::Kind::TableChanged(v1::TableChanged {
            kind: Some(table_changed::Kind::MovesUndone(undone)),
            ..

        })) if undone.moves == 1)
    };
    assert_eq!(told[0].iter().filter(|event| undone(event)).count(), 1);
    let views = [table.view(0).await.view, table.view(2).await.view];
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    assert_eq!(told, [table.events(0).await, table.events(2).await]);
    assert_eq!(views, [table.view(0).await.view, table.view(2).await.view]);
    assert!(table.play(10, &mut player).await, "and it goes on");
}

#[tokio::test]
async fn a_move_closes_a_proposal_to_take_one_back() {
    let world = World::new().await;
    let (table, _) = world.table(3, 7).await;
    let mut player = Chooser::new(3);
    for _ in 0..60 {
        table.play(1, &mut player).await;
        let Ok(made) = table.propose(0, ProposalKind::Undo, 1).await else {
            continue;
        };
        table.play(1, &mut player).await;
        let late = table.respond(1, &made.name, true).await;
        expect(late, "PROPOSAL_CLOSED");
        let last = talk(&table, 2).await.pop();
        let Some(table_changed::Kind::ProposalClosed(closed)) = last else {
            panic!("{last:?}")
        };
        assert_eq!(closed.end(), ProposalEnd::Lapsed);
        return;
    }
    panic!("no move of sixty could be taken back");
}

#[tokio::test]
async fn a_seat_has_proposals_of_its_own_and_those_count_that_were_refused() {
    let limits = Limits {
        proposals_per_seat: 3,
        ..Limits::default()
    };
    let world = World::with(limits).await;
    let (table, _) = world.table(3, 7).await;
    for _ in 0..2 {
        let impossible = table.propose(0, ProposalKind::Undo, 1).await;
        expect(impossible, "UNDO_IMPOSSIBLE");
    }
    let made = table.propose(0, ProposalKind::Pause, 0).await.expect("it");
    let declined = table.respond(1, &made.name, false).await;
    assert!(!declined.expect("an answer").done);
    for kind in [ProposalKind::Undo, ProposalKind::Pause] {
        let one_more = table.propose(0, kind, 0).await;
        let status = expect(one_more, "LIMIT_REACHED");
        assert_eq!(metadata(&status, "limit"), "proposals_per_seat");
    }
    let others = table.propose(1, ProposalKind::Pause, 0).await;
    others.expect("another seat has its own");
}

/// San Juan draws cards from a deck that nobody sees: nothing is taken back across a draw.
#[tokio::test]
async fn what_was_drawn_is_not_taken_back() {
    let world = World::new().await;
    let create = v1::CreateMatchRequest {
        ruleset: "rulesets/san-juan".into(),
        ..super::world::create_request(3, 5)
    };
    let (table, _) = world.begin(create).await;
    let mut player = Chooser::new(1);
    let mut impossible = 0;
    for _ in 0..25 {
        let before = table.events(1).await.len();
        table.play(1, &mut player).await;
        let events = table.events(1).await;
        let drawn = events[before..].iter().any(|event| match &event.kind {
            Some(event::Kind::PiecesMoved(moved)) => moved
                .source
                .as_ref()
                .is_some_and(|from| from.name == "deck" || from.name == "stack"),
            Some(event::Kind::PileShuffled(_)) => true,
            _ => false,
        });
        let made = table.propose(0, ProposalKind::Undo, 1).await;
        if drawn {
            let status = expect(made, "UNDO_IMPOSSIBLE");
            assert!(!metadata(&status, "why").is_empty());
            impossible += 1;
        } else if let Ok(made) = made {
            table.respond(1, &made.name, false).await.expect("no");
        }
    }
    assert!(impossible > 0, "cards were drawn");
    let too_many = table.propose(0, ProposalKind::Undo, 10_000).await;
    expect(too_many, "UNDO_IMPOSSIBLE");
}
