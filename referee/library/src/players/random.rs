//! Plays at random: uniformly among the moves offered, then uniformly among their completions.

use interpreter::play::{Match, Move, Seat};

use crate::random::SplitMix64;

/// A random player. The same numbers give the same player, on every machine.
///
/// The generator is xoshiro256++, seeded by SplitMix64 from a seed and the number of a stream.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// Creates a player whose generator has this state.
    pub fn from_state(state: [u64; 4]) -> Random {
        Random { state }
    }

    /// A player of a seed; players of different streams play independently of each other.
    pub fn new(seed: u64, stream: u64) -> Random {
        let mut seeds = SplitMix64::new(seed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03));
        Random::from_state([(); 4].map(|()| seeds.word()))
    }

    /// The next random word.
    pub fn word(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let word = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let shifted = b << 17;
        let (c, d) = (c ^ a, d ^ b);
        let (b, a) = (b ^ c, a ^ d);
        self.state = [a, b, c ^ shifted, d.rotate_left(45)];
        word
    }

    /// Chooses a move for a seat that is asked.
    pub fn choose(&mut self, played: &Match, seat: Seat) -> Option<Move> {
        played.sample(seat, &mut || self.word())
    }
}
