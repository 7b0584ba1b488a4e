//! A whole game of cards over gRPC, of which every message to a seat passes the swap of hidden cards.
//!
//! A second referee cannot be given other cards, since a match follows from its seed alone. So the
//! match is played again beside the server, and two things are shown of every message: what the
//! server sent is what its own conversion makes of this match for this audience, and the conversion
//! makes the same of a match in which every hidden card is another one.

use interpreter::Ruleset;
use interpreter::package::Configuration;
use interpreter::play::{
    ApplyError, Audience, Cause, Event, Match, Move, RefusalReason, Seat, Seed,
};
use referee::client::SeatClient;
use referee::log::v1::Maker;
use referee::wire::convert::{Outward, move_out};
use referee::wire::events::{EventWriter, InGame};
use referee::wire::v1;
use referee_tests::attempts::attempts;
use referee_tests::random::Random;
use std::sync::Arc;

use super::world::{Table, World, timeless};

const PLAYERS: u8 = 3;
const SEED: u64 = 6;
/// Every so many decisions all views, offers and refusals are compared, and another deal is looked for
/// in which the move looks alike. What is served is compared with the conversion at every move.
const EVERY: usize = 5;

fn ruleset() -> Arc<Ruleset> {
    let library = referee_tests::library();
    let edition = library.get("san-juan").expect("it is shipped");
    library
        .compile(edition, &Configuration::base(PLAYERS))
        .expect("it is right")
}

async fn table(world: &World) -> Table {
    let create = v1::CreateMatchRequest {
        test_seed: Seed::from_number(SEED).0.to_vec(),
        ..v1::CreateMatchRequest::of("rulesets/san-juan", PLAYERS.into())
    };
    world.begin(create).await.0
}

fn seats() -> impl Iterator<Item = (usize, Audience)> {
    (0..PLAYERS).map(|seat| (usize::from(seat), Audience::Seat(Seat(seat))))
}

/// The match played beside the server, and chance for other deals.
struct Beside {
    played: Match,
    random: Random,
    /// Moves after which the events of two deals were compared, and those for which no deal was found in
    /// which the same could be seen to happen.
    compared: usize,
    unlike: usize,
}

impl Beside {
    fn outward<'a>(&self, ruleset: &'a Ruleset) -> Outward<'a> {
        Outward::new(ruleset.package())
    }

    /// The view as the conversion makes it.
    fn view(&self, played: &Match, audience: Audience) -> v1::View {
        let events = played.seen(audience, 0).count() as u64;
        self.outward(played.ruleset())
            .view(&played.view(audience), events)
    }

    fn offers(&self, played: &Match, seat: Seat) -> Vec<v1::Offer> {
        let question = played.question(seat);
        let offers = question.iter().flat_map(|question| &question.offers);
        let outward = self.outward(played.ruleset());
        offers.map(|offer| outward.offer(offer)).collect()
    }

    /// The events of a seat from one of its numbers on.
    fn events(&self, played: &Match, audience: Audience, from: usize) -> Vec<v1::Event> {
        let mut telling = EventWriter::of(played.ruleset().package(), 0);
        let mut moves = 0;
        for (number, happening) in played.happenings(audience, 0).enumerate() {
            moves += u64::from(matches!(happening.event, Event::Moved { .. }));
            if number < from {
                continue;
            }
            let told = InGame {
                event: &happening.event,
                cause: happening.cause,
                maker: Maker::Unspecified,
                move_number: moves,
                at_ms: None,
            };
            telling.game(number as u64, told);
        }
        telling.done().into_iter().collect()
    }

    /// Another deal that this audience cannot tell from the one that is played.
    fn other(&mut self, audience: Audience) -> Match {
        let random = &mut self.random;
        self.played
            .with_other_secrets(audience, &mut || random.word())
    }

    /// A deal and a move of it that look to the audience as this move did, given what it saw.
    fn looks_alike(
        &mut self,
        before: &Match,
        audience: Audience,
        mover: Seat,
        mv: &Move,
        saw: &[(Event, Option<Cause>)],
    ) -> bool {
        for _ in 0..12 {
            let random = &mut self.random;
            let other = before.with_other_secrets(audience, &mut || random.word());
            let from = other.events(audience, 0).len();
            for attempt in 0..40 {
                let tried = match attempt {
                    0 => Some(mv.clone()),
                    _ => other.sample(mover, &mut || random.word()),
                };
                let Some(tried) = tried.filter(|tried| tried.name == mv.name) else {
                    continue;
                };
                let mut after = other.clone();
                if after.apply(mover, &tried).is_ok()
                    && explained(&after, audience).split_off(from) == saw
                {
                    return true;
                }
            }
        }
        false
    }
}

async fn served_view(seat: &SeatClient) -> v1::View {
    let asked = v1::GetViewRequest {
        name: seat.name().to_owned(),
        ..Default::default()
    };
    let got = seat.client().call(asked).await.expect("a view");
    got.view.expect("a view")
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn every_message_of_a_game_of_cards_passes_the_swap() {
    let world = World::new().await;
    let table = table(&world).await;
    let ruleset = ruleset();
    let played = Match::new(ruleset, Seed::from_number(SEED), false).expect("it begins");
    let mut beside = Beside {
        played,
        random: Random::new(1),
        compared: 0,
        unlike: 0,
    };
    let mut chance = Random::new(5);
    let (mut decisions, mut different) = (0, 0);
    while let Some((mover, decision, _)) = table.asked().await {
        let thorough = decisions % EVERY == 0;
        if thorough {
            different += what_stands(&table, &mut beside).await;
        }
        decisions += 1;
        let seat = Seat(mover as u8);
        let mv = beside.played.sample(seat, &mut || chance.word());
        let mv = mv.expect("whoever is asked has a move");
        let before = beside.played.clone();
        let seen: Vec<usize> = seats().map(|(_, a)| before.events(a, 0).len()).collect();
        table.seats[mover]
            .submit(&decision.decision_id, move_out(&mv))
            .await
            .expect("a legal move");
        beside.played.apply(seat, &mv).expect("legal here too");
        what_is_served(&table, &beside, &seen).await;
        if thorough {
            what_looks_alike(&mut beside, &before, seat, &mv, &seen);
        }
    }
    assert!(beside.played.outcome().is_some(), "over on both sides");
    assert!(decisions > 60, "{decisions} decisions");
    assert!(different > 60, "only {different} other deals were other");
    let all = beside.compared + beside.unlike;
    assert!(
        beside.compared * 10 > all * 7,
        "only {} of {all} could be compared",
        beside.compared
    );
}

/// What everybody can ask while nobody moves. Gives how many of the other deals really differed.
async fn what_stands(table: &Table, beside: &mut Beside) -> usize {
    let mut different = 0;
    for (i, audience) in seats() {
        let other = beside.other(audience);
        different += usize::from(other.state_hash() != beside.played.state_hash());
        let view = served_view(&table.seats[i]).await;
        assert_eq!(view, beside.view(&beside.played, audience));
        assert_eq!(view, beside.view(&other, audience), "hidden cards show");
        let seat = Seat(i as u8);
        let Some((decision, offers)) = table.seats[i].decision().await.expect("an answer") else {
            assert!(beside.played.question(seat).is_none() && other.question(seat).is_none());
            continue;
        };
        assert_eq!(offers, beside.offers(&beside.played, seat));
        assert_eq!(offers, beside.offers(&other, seat), "hidden cards show");
        let question = beside.played.question(seat).expect("it is asked");
        let model = beside.played.ruleset().model();
        for mv in attempts(model, &question, 3, &mut Random::new(2)) {
            let check = v1::CheckMoveRequest {
                name: table.name.clone(),
                decision_id: decision.decision_id.clone(),
                r#move: Some(move_out(&mv)),
                ..Default::default()
            };
            let served = table.call(i, check).await;
            let here = beside.played.check(seat, &mv);
            assert_eq!(here, other.check(seat, &mv), "hidden cards show");
            match here {
                Ok(()) => drop(served.expect("legal")),
                Err(ApplyError::Fault(fault)) => panic!("{mv:?}: {fault}"),
                Err(ApplyError::Refused(refusal)) => {
                    let status = served.expect_err("refused");
                    let outward = beside.outward(beside.played.ruleset());
                    let expected = outward.refusal(&refusal);
                    let told = referee::client::refusal(&status);
                    // Moves that the question cannot have at all are refused by status alone.
                    let by_rule = refusal.reason == RefusalReason::Forbidden;
                    assert!(told.is_some() || !by_rule, "{status:?}");
                    if let Some(told) = told {
                        assert_eq!(told.condition, expected.condition);
                        assert_eq!(told.values, expected.values);
                        assert_eq!(told.alternatives, expected.alternatives);
                    }
                }
            }
        }
    }
    different
}

/// What an audience saw, each with the rule that brought it.
fn explained(played: &Match, audience: Audience) -> Vec<(Event, Option<Cause>)> {
    let seen = played.happenings(audience, 0);
    seen.map(|seen| (seen.event, seen.cause.cloned())).collect()
}

/// Everybody is told of a move what the conversion makes of it.
async fn what_is_served(table: &Table, beside: &Beside, seen: &[usize]) {
    for (i, audience) in seats() {
        let served = table.seats[i].events(1000).await.expect("events");
        // Only the server knows what time it is.
        let served: Vec<v1::Event> = served[seen[i]..].iter().cloned().map(timeless).collect();
        assert_eq!(served, beside.events(&beside.played, audience, seen[i]));
    }
}

/// What the others see of a move they would also see if what they cannot see were different.
fn what_looks_alike(beside: &mut Beside, before: &Match, mover: Seat, mv: &Move, seen: &[usize]) {
    // What is drawn is news to whoever draws it: to the mover no other deal looks alike.
    for (i, audience) in seats().filter(|(_, a)| *a != Audience::Seat(mover)) {
        let saw = explained(&beside.played, audience).split_off(seen[i]);
        match beside.looks_alike(before, audience, mover, mv, &saw) {
            true => beside.compared += 1,
            false => beside.unlike += 1,
        }
    }
}
