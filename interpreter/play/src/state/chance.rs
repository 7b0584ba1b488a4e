//! Chance: every draw of a match comes from its seed, by the algorithm stated here.
//!
//! **Streams.** Each purpose (each pile that is shuffled, each die) has a stream of its own, so that an
//! added draw elsewhere does not shift it: ChaCha20 with the seed as key, nonce and stream number the first eight
//! bytes (little endian) of BLAKE3 of `referee/stream/v1/` and the pile's address (`stack`,
//! `hand(2)`), read as 32-bit words from the start. The state counts the words each stream has used.
//!
//! **A number below `n`**: words are read until one is below the greatest multiple of `n` that fits
//! 32 bits; the result is its remainder.
//!
//! **A shuffle** of `n` pieces in a stated order: for `i` from `n - 1` down to 1, the pieces at `i`
//! and at a number below `i + 1` change places.
//!
//! **A roll** shows the face at a number below the number of faces, in their order.
//!
//! **A seed from a number** `N`: BLAKE3 of `referee/seed/v1/` and `N` in decimal.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use crate::numbers::{At as _, Fit as _};

/// The seed of all chance in a match.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub [u8; 32]);

impl std::fmt::Debug for Seed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Seeds of running matches must not reach a log.
        f.write_str("Seed(…)")
    }
}

impl Seed {
    /// Expands a small number by the stated rule.
    pub fn from_number(number: u64) -> Seed {
        Seed(*blake3::hash(format!("referee/seed/v1/{number}").as_bytes()).as_bytes())
    }
}

/// The number of the stream of a purpose.
pub(crate) fn stream(purpose: &str) -> u64 {
    let hash = blake3::hash(format!("referee/stream/v1/{purpose}").as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// A reader of one stream of random words, from a position in it.
pub struct Draws {
    words: ChaCha20Rng,
    used: u32,
}

impl Draws {
    /// Creates a reader of a stream from which some words are already used.
    pub fn new(seed: &Seed, stream: u64, used: u32) -> Self {
        let mut words = ChaCha20Rng::from_seed(seed.0);
        words.set_stream(stream);
        words.set_word_pos(u128::from(used));
        Draws { words, used }
    }

    /// Draws a number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        let limit = (1u64 << 32) / u64::from(n) * u64::from(n);
        loop {
            let word = self.words.next_u32();
            self.used += 1;
            if u64::from(word) < limit {
                return word % n;
            }
        }
    }

    /// Shuffles pieces in place.
    pub fn shuffle(&mut self, pieces: &mut [i32]) {
        for i in (1..pieces.len()).rev() {
            let j = self.below(i.fit::<u32>() + 1).at();
            pieces.swap(i, j);
        }
    }

    /// Returns the number of words of the stream that are used.
    pub fn used(&self) -> u32 {
        self.used
    }
}
