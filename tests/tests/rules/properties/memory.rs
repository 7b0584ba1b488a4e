//! What queries are remembered to have given is what they give.

use interpreter::play::{Game, Seed};
use referee_tests::games::{DUEL, LONGEST, every_game, rivals};
use referee_tests::mini;
use referee_tests::random::Random;

#[test]
fn what_is_remembered_is_what_would_be_computed() {
    let mut games = every_game();
    games.push(("catan-rivals".to_owned(), rivals(&[])));
    games.push(("catan-rivals/duel".to_owned(), rivals(&DUEL)));
    for (name, ruleset) in games {
        for seed in 0..2 {
            let mut random = Random::new(seed);
            let mut game = Game::new(ruleset.clone(), Seed::from_number(seed), false, false);
            game.doubt_memory();
            game.start().expect("it can be set up");
            // A difference is a panic.
            for _ in 0..LONGEST / 4 {
                if game.is_over() {
                    break;
                }
                let played = game.play_random(&mut || random.word());
                played.unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
            }
        }
    }
}

const PILE: &str = "
place tower: pile of colour  starts each c with 2
query standing: int = sum c in colours: tower(c)
phase game
  step going: repeat until the game ends
    step turns: each p from dealer
      ask p
        move take
          do { draw(1, tower, shelf); }
ending bare when standing() == 0
";

#[test]
fn an_ending_whose_query_counts_in_a_pile_comes_due_when_the_pile_is_empty() {
    let mut game = Game::new(mini::ruleset(PILE), Seed::from_number(1), true, false);
    game.start().expect("it can be set up");
    for taken in 1..=6 {
        assert!(!game.is_over(), "after {taken} of 6 pieces");
        game.play_random(&mut || 0).expect("a legal move");
    }
    assert!(game.is_over());
}
