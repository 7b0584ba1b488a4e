//! What the terminal says that a move would do.

use interpreter::package::Language;
use interpreter::play::Audience;
use referee::report::event_lines::EventLines;
use referee::report::words::Words;
use referee_tests::games::{every_game, nth, walk};
use referee_tests::random::Random;

/// Moves of a question that are looked at.
const LOOKED_AT: usize = 6;

/// It is the same whatever its player cannot see: what will be drawn, what others hold.
#[test]
fn a_preview_shows_nothing_that_is_hidden() {
    let (mut compared, mut open, mut planted) = (0, 0, 0);
    for (name, ruleset) in every_game() {
        let words = Words::new(ruleset.package(), Language::English);
        let telling = EventLines::new(&words, ruleset.model());
        let mut random = Random::new(9);
        let mut number = 0;
        walk(&ruleset, 4, false, |game| {
            number += 1;
            if number % nth(&name, 40) != 0 {
                return;
            }
            for seat in game.waiting() {
                let other = game.with_other_secrets(Audience::Seat(seat), &mut || random.word());
                // Planted: its own secrets are others, too.
                let own = game.with_other_secrets(Audience::Spectator, &mut || random.word());
                for mv in game.legal_moves(seat, LOOKED_AT) {
                    let told = telling.effect(game, seat, &mv);
                    assert_eq!(told, telling.effect(&other, seat, &mv), "{name}: {mv:?}");
                    planted += usize::from(told != telling.effect(&own, seat, &mv));
                    compared += 1;
                    open += usize::from(told.contains('…'));
                }
            }
        });
    }
    assert!(compared > 500 && open > 50, "{compared}, {open}");
    assert!(planted > 20, "{planted} planted leaks were found");
}
