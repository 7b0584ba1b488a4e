//! What a seat is told of moves before it makes one: what they would bring, and why others are not legal.

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{
    ApplyError, Audience, ClosedMove, ClosedMoves, Event, Id, Match, Move, Preview, Seat, Seed,
    Value,
};
use referee_tests::games::{every_game, genoa, nth, some_games, walk};
use referee_tests::mini;
use referee_tests::random::Random;

/// Moves of a question that are looked at.
const LOOKED_AT: usize = 6;

fn preview(game: &Match, seat: Seat, mv: &Move) -> Preview {
    let mut random = Random::new(7);
    game.preview(seat, std::slice::from_ref(mv), &mut || random.word())
}

/// All that is not legal of a move, by pages of this size.
fn closed(game: &Match, seat: Seat, name: &str, size: usize) -> Vec<ClosedMove> {
    let (mut all, mut first) = (Vec::new(), 0);
    loop {
        let page = game.closed_moves(seat, name, &[], first, size);
        let page = page.expect("a move of the question");
        assert!(page.moves.len() <= size);
        all.extend(page.moves);
        match page.next {
            // More than a person points at.
            Some(next) if all.len() < 300 && next < 20_000 => first = next,
            _ => return all,
        }
    }
}

/// The moves of the waiting question.
fn names(game: &Match, seat: Seat) -> Vec<String> {
    let question = game.question(seat).expect("whoever waits is asked");
    let asks = &game.ruleset().model().asks;
    let ask = asks.iter().find(|ask| ask.step == question.step);
    let moves = &ask.expect("the question is one of the rules").moves;
    let model = game.ruleset().model();
    moves
        .iter()
        .map(|mv| model.moves[*mv].name.to_string())
        .collect()
}

#[test]
fn a_preview_is_what_happens_as_far_as_it_can_be_known() {
    let (mut complete, mut open, mut planted) = (0, 0, 0);
    for (name, ruleset) in every_game() {
        let nth = nth(&name, 40);
        let mut random = Random::new(9);
        let (mut n, mut agreed, mut all) = (0, 0, 0);
        walk(&ruleset, 4, false, |game| {
            n += 1;
            if n % nth != 0 {
                return;
            }
            for seat in game.waiting() {
                let other = game.with_other_secrets(Audience::Seat(seat), &mut || random.word());
                let own = game.with_other_secrets(Audience::Spectator, &mut || random.word());
                for mv in game.legal_moves(seat, LOOKED_AT) {
                    let told = preview(game, seat, &mv);
                    assert_eq!(told, preview(&other, seat, &mv), "{name}: {mv:?}");
                    // Planted: its own secrets are others, too.
                    planted += usize::from(told != preview(&own, seat, &mv));
                    let mut after = game.clone();
                    after.apply(seat, &mv).expect("a legal move");
                    let came: Vec<Event> = after
                        .seen(Audience::Seat(seat), game.happened())
                        .map(|(_, event)| event)
                        .collect();
                    let same = told.events == came;
                    // There are cards to draw in every one of them.
                    assert!(!told.certain, "{name}: {mv:?}");
                    if told.complete {
                        complete += 1;
                        all += 1;
                        agreed += usize::from(same);
                    }
                    open += usize::from(!told.complete);
                    assert!(!same || told.events.len() == came.len());
                }
            }
        });
        println!("{name}: {agreed} of {all} complete previews came true");
        assert!(agreed * 20 >= all * 19, "{name}: {agreed} of {all}");
    }
    println!("{complete} complete, {open} open, {planted} planted");
    assert!(complete > 1000 && open > 200, "{complete} {open}");
    assert!(planted > 20, "{planted} planted leaks were found");
}

/// Nothing is hidden, and a die is rolled by one move only.
const OPEN: &str = "
die chance: 1 to 6
phase game
  step turns: repeat until the game ends
    step turn: each p from dealer
      step act: ask p
        move take(n: 1 to 3)
          do { gain(purse(p), n); }
        move roll
          do { roll(chance); }
ending rich when any p in players: purse(p) > 20
";

#[test]
fn a_preview_is_certain_where_nothing_is_hidden_and_no_chance_is_drawn() {
    let (mut certain, mut rolled) = (0, 0);
    let ruleset = mini::in_the_open(OPEN);
    walk(&ruleset, 1, true, |game| {
        for seat in game.waiting() {
            for mv in game.legal_moves(seat, LOOKED_AT) {
                let told = preview(game, seat, &mv);
                let mut after = game.clone();
                after.apply(seat, &mv).expect("a legal move");
                let came = after.seen(Audience::Seat(seat), game.happened());
                let came: Vec<Event> = came.map(|(_, event)| event).collect();
                match &*mv.name {
                    "roll" => {
                        rolled += 1;
                        assert!(!told.certain, "{told:?}");
                    }
                    _ => {
                        certain += 1;
                        assert!(told.certain && told.complete, "{told:?}");
                        assert_eq!(told.events, came);
                        assert_eq!(told.view, Some(after.view(Audience::Seat(seat))));
                    }
                }
            }
        }
    });
    assert!(certain > 10 && rolled > 5, "{certain} {rolled}");
}

/// Whether somebody's offer stands: what is imagined of what they hold need not pay for it.
fn an_offer_stands(game: &Match) -> bool {
    let kept = game.view(Audience::Referee).kept;
    let mut values = kept.iter().filter_map(|(_, value)| value.as_ref());
    values.any(|value| matches!(value, Value::Record { .. }))
}

#[test]
fn what_is_not_offered_is_refused_for_the_reason_that_is_told() {
    closed_moves_are_refused(some_games());
}

#[test]
#[ignore = "slow"]
fn what_no_game_offers_is_refused_for_the_reason_that_is_told() {
    let mut games = every_game();
    games.push(("genoa".to_owned(), genoa(3)));
    closed_moves_are_refused(games);
}

/// Makes the moves that are told to be closed.
fn closed_moves_are_refused(games: Vec<(String, Arc<Ruleset>)>) {
    for (name, ruleset) in games {
        let nth = nth(&name, 23);
        let mut random = Random::new(3);
        let (mut n, mut looked, mut alike) = (0, 0, 0);
        walk(&ruleset, 5, true, |game| {
            n += 1;
            if n % nth != 0 || an_offer_stands(game) {
                return;
            }
            for seat in game.waiting() {
                let question = game.question(seat).expect("it waits");
                let other = game.with_other_secrets(Audience::Seat(seat), &mut || random.word());
                for of in names(game, seat) {
                    let closed_moves = closed(game, seat, &of, 1000);
                    assert_eq!(
                        closed_moves,
                        closed(&other, seat, &of, 1000),
                        "{name}: {of}"
                    );
                    if n % (3 * nth) == 0 {
                        let by_pages = closed(game, seat, &of, 7);
                        let both = by_pages.iter().zip(&closed_moves);
                        assert!(
                            both.clone().all(|(one, other)| one == other),
                            "{name}: {of}"
                        );
                        assert_eq!(both.count(), by_pages.len().min(closed_moves.len()));
                    }
                    for closed in closed_moves {
                        let offered = question.offers.iter();
                        let mut offered = offered.filter(|offer| *offer.name == *of);
                        assert!(
                            !offered.any(|offer| offer.fixed == closed.fixed),
                            "{name}: {of}: {closed:?} is offered"
                        );
                        let mv = Move {
                            name: of.as_str().into(),
                            args: closed.fixed.clone(),
                        };
                        looked += 1;
                        match game.check(seat, &mv) {
                            Err(ApplyError::Refused(refusal)) => {
                                alike += usize::from(refusal.clause == closed.refusal.clause);
                            }
                            // What its open parameters would be is left out here: such a move is none.
                            other => assert!(other.is_err(), "{name}: {mv:?} is legal"),
                        }
                    }
                }
            }
        });
        println!("{name}: {looked} closed moves, {alike} refused by the same clause");
        assert!(looked > 20, "{name}: {looked}");
        assert!(alike * 10 >= looked * 9, "{name}: {alike} of {looked}");
    }
}

/// Numbers of which there are more than a page goes through.
const MANY: &str = "
phase game
  step turns: repeat until the game ends
    step turn: each p from dealer
      step act: ask p
        move count(n: 1 to 20000, m: n to 5, c: colour)
          needs n > 19990
          do { gain(purse(p), 1); }
        move pass
ending rich when any p in players: purse(p) > 20
";

#[test]
fn a_page_takes_no_longer_however_many_moves_there_might_be() {
    let game = Match::new(mini::ruleset(MANY), Seed::from_number(1), true).expect("begun");
    let seat = game.waiting()[0];
    let page = |fixed: &[(&str, Value)], first| {
        let fixed = fixed
            .iter()
            .map(|(name, value)| ((*name).into(), value.clone()));
        let fixed: Vec<(Id, Value)> = fixed.collect();
        let page = game.closed_moves(seat, "count", &fixed, first, 50);
        page.expect("a move of the question")
    };
    let first = page(&[], 0);
    assert_eq!(
        first.moves.len(),
        45,
        "of numbers up to five, not the greater first"
    );
    let next = first.next.expect("there is more to be looked at");
    assert!(page(&[], next).next > Some(next), "each page goes on");
    let three = page(&[("n", Value::Int(3)), ("m", Value::Int(4))], 0);
    assert_eq!(
        (three.moves.len(), three.next),
        (3, None),
        "one for each colour"
    );
    let elsewhere = Value::Row {
        table: "colour".into(),
        row: "no such colour".into(),
    };
    assert!(page(&[("c", elsewhere)], 0).moves.is_empty());
    assert_eq!(page(&[("what", Value::Int(1))], 0), ClosedMoves::default());
}
