//! What queries are remembered to have given is what they give.

use interpreter::play::{Game, Seed};
use referee_tests::games::{DUEL, LONGEST, every_game, rivals};
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
