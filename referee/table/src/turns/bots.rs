//! The move that the referee makes in a player's place.

use interpreter::play::{Move, Search};

use crate::Play;
use crate::state::Due;
use referee_library::players::{Policy, Random};
use referee_store::log::v1::{BotKind, Maker};
use referee_store::secrets::entropy;

/// Games that a thinking bot imagines for one move: it answers within about a second.
const IMAGINED: u32 = 64;

/// The move that is made: a bot's own choice, or for a player who is not there the first legal move that
/// was listed. Takes its time: not for async threads.
pub fn choose(play: &Play, due: Due, bot: Option<BotKind>) -> Option<Move> {
    let game = play.game();
    // Chance of the referee's own: nobody can know what a bot does from the match's seed.
    let seed = entropy().map(u64::from_le_bytes).unwrap_or_default();
    let mut random = Random::new(seed, 0);
    if due.maker != Maker::Bot {
        let first = game.legal_moves(due.seat, 1).into_iter().next();
        return first.or_else(|| random.choose(game, due.seat));
    }
    let policy = match bot {
        Some(BotKind::Search) => Policy::Search(Search::new(IMAGINED)),
        Some(BotKind::Greedy) => Policy::Greedy,
        Some(BotKind::Random | BotKind::Unspecified) | None => Policy::Random,
    };
    let thought = policy.choose(game, due.seat, &mut random);
    thought.or_else(|| random.choose(game, due.seat))
}
