//! Players who think play any game better than chance, and look at nothing that their seats may not see.

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{Audience, CONSIDERED, Match, Move, Search, Seat, Seed};
use referee_tests::games::{
    LONGEST, invented_games, night_market, puerto_rico, san_juan, tea_house, walk,
};
use referee_tests::random::Random;

/// How a seat thinks.
type Thought<'a> = &'a dyn Fn(&Match, Seat, &mut Random) -> Option<Move>;

/// Looks one move ahead, by the score sheet and the ruleset's hints.
fn greedily(played: &Match, seat: Seat, mind: &mut Random) -> Option<Move> {
    played.greedy(seat, CONSIDERED, &mut || mind.word())
}

/// Plays a game in which one seat thinks and the others play at random; which part of the win it has.
fn won(ruleset: &Arc<Ruleset>, seed: u64, thinker: Seat, thought: Thought<'_>) -> f64 {
    let (mut mind, mut random) = (Random::new(seed), Random::new(seed + 1000));
    let mut played =
        Match::new(ruleset.clone(), Seed::from_number(seed), false).expect("the match begins");
    for _ in 0..LONGEST {
        let Some(&seat) = played.waiting().first() else {
            break;
        };
        let mv = match seat == thinker {
            true => thought(&played, seat, &mut mind),
            false => played.sample(seat, &mut || random.word()),
        };
        let mv = mv.expect("whoever is asked has a move");
        played.apply(seat, &mv).expect("it is legal");
    }
    let winners = played.outcome().expect("the game ends").winners;
    match winners.contains(&thinker) {
        true => 1.0 / winners.len() as f64,
        false => 0.0,
    }
}

/// How many of so many games a seat that thinks wins, from each seat in turn.
fn wins(ruleset: &Arc<Ruleset>, games: u64, thought: Thought<'_>) -> f64 {
    let seat = |seed: u64| Seat((seed % u64::from(ruleset.players())) as u8);
    (0..games)
        .map(|seed| won(ruleset, seed, seat(seed), thought))
        .sum()
}

#[test]
fn a_search_beats_chance() {
    search_wins("night-market", &night_market(2, &[]), 6, (60, 2000));
    search_wins("tea-house", &tea_house(2), 6, (60, 2000));
}

#[test]
#[ignore = "slow"]
fn a_search_beats_chance_in_more_and_longer_games() {
    search_wins("night-market", &night_market(2, &[]), 12, (60, 2000));
    search_wins("tea-house", &tea_house(2), 12, (60, 2000));
    // A game of Puerto Rico is long: it is not imagined to its end.
    search_wins("puerto-rico", &puerto_rico(2), 6, (80, 60));
}

/// Holds a search of so many iterations, each up to a horizon, to win five games of six.
fn search_wins(name: &str, ruleset: &Arc<Ruleset>, games: u64, (iterations, horizon): (u32, u32)) {
    let search = Search {
        iterations,
        horizon,
    };
    let won = wins(ruleset, games, &|played, seat, mind| {
        played.searched(seat, search, &mut || mind.word())
    });
    println!("{name}: {won} of {games}");
    assert!(won * 6.0 >= games as f64 * 5.0, "{name}: {won} of {games}");
}

/// A search by the clock finds what one finds that counts as many games, and thinks about no move that is the only one.
#[test]
fn a_search_goes_on_as_long_as_it_is_let() {
    let search = |iterations| Search {
        iterations,
        horizon: 20,
    };
    let words = || {
        let mut mind = Random::new(7);
        move || mind.word()
    };
    let (mut thought, mut only) = (0, 0);
    walk(&tea_house(2), 3, true, |played| {
        for seat in played.waiting() {
            let counted = played.searched(seat, search(9), &mut words());
            let mut asked = 0;
            let mut on = || {
                asked += 1;
                asked < 9
            };
            let found = played.searched_while(seat, search(u32::MAX), &mut on, &mut words());
            assert_eq!(found, counted);
            match played.legal_moves(seat, 2).len() {
                1 => {
                    assert_eq!(asked, 0);
                    only += 1;
                }
                _ => {
                    assert_eq!(asked, 9);
                    thought += 1;
                }
            }
        }
    });
    assert!(thought > 20 && only > 0, "{thought}, {only}");
}

#[test]
fn hints_beat_chance() {
    for (name, ruleset, games, least) in [
        ("puerto-rico", puerto_rico(2), 12, 9.0),
        ("san-juan", san_juan(2), 12, 9.0),
    ] {
        let won = wins(&ruleset, games, &greedily);
        println!("{name}: {won} of {games}");
        assert!(won >= least, "{name}: {won} of {games}");
    }
}

#[test]
fn who_thinks_does_not_see_what_its_seat_does_not_see() {
    let search = Search {
        iterations: 12,
        horizon: 20,
    };
    blind(5, &|played, seat, mind| {
        played.searched(seat, search, &mut || mind.word())
    });
    // Whoever looks at all moves finds the best one whatever the numbers, so fewer differ.
    blind(1, &greedily);
}

/// Whatever is hidden from a seat, it thinks the same; with other random numbers it thinks otherwise more
/// often than so.
fn blind(least: usize, thought: Thought<'_>) {
    for (name, ruleset) in invented_games() {
        let (mut compared, mut different, mut elsewhere) = (0, 0, 0);
        let mut random = Random::new(5);
        let mut n = 0;
        walk(&ruleset, 3, true, |played| {
            n += 1;
            for seat in played.waiting() {
                let other = played.with_other_secrets(Audience::Seat(seat), &mut || random.word());
                let found =
                    |played: &Match, seed: u64| thought(played, seat, &mut Random::new(seed));
                let here = found(played, 7);
                assert!(here.is_some());
                assert_eq!(here, found(&other, 7), "{name}, move {n}, {seat:?}");
                compared += 1;
                different += usize::from(other.state_hash() != played.state_hash());
                elsewhere += usize::from(here != found(played, 8));
            }
        });
        assert!(compared > 20, "{name}: {compared}");
        assert!(
            different * 2 > compared,
            "{name}: {different} of {compared}"
        );
        // Other numbers find other moves: that the moves are the same above says something.
        assert!(elsewhere > least, "{name}: {elsewhere} of {compared}");
    }
}
