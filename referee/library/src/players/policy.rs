//! How a player who needs nobody decides.

use interpreter::play::{CONSIDERED, Match, Move, Search, Seat};

use super::Random;

/// How a player decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Uniformly among the legal moves, then uniformly among the ways to complete them.
    #[default]
    Random,
    /// Of some moves drawn at random the one after which score sheets and the ruleset's hints say most,
    /// compared with the best of the others. It looks only at what its seat sees.
    Greedy,
    /// What a search finds best; it looks only at what its seat sees.
    Search(Search),
}

impl Policy {
    /// The move of a seat that is asked; `None` if it is not.
    pub fn choose(self, played: &Match, seat: Seat, random: &mut Random) -> Option<Move> {
        match self {
            Policy::Random => random.choose(played, seat),
            Policy::Greedy => played.greedy(seat, CONSIDERED, &mut || random.word()),
            Policy::Search(search) => played.searched(seat, search, &mut || random.word()),
        }
    }
}
