//! Tables of numbers of ways, as narrow as they may be.

/// Numbers of ways: narrow if it is known that they are not too many.
#[derive(Clone, Debug)]
pub(super) enum Ways {
    Narrow(Vec<u64>),
    Wide(Vec<u128>),
}

impl Ways {
    pub(super) fn at(&self, index: usize) -> u128 {
        match self {
            Ways::Narrow(ways) => u128::from(ways[index]),
            Ways::Wide(ways) => ways[index],
        }
    }
}

/// A number of ways.
pub(super) trait Number: Copy + Ord + From<u8> {
    /// The sum, or the greatest number there is.
    fn plus(self, other: Self) -> Self;
    /// The difference to a lesser number.
    fn minus(self, other: Self) -> Self;
}

impl Number for u64 {
    #[inline]
    fn plus(self, other: u64) -> u64 {
        // There is room for all ways, so that nothing is lost.
        self.wrapping_add(other)
    }

    #[inline]
    fn minus(self, other: u64) -> u64 {
        self - other
    }
}

impl Number for u128 {
    #[inline]
    fn plus(self, other: u128) -> u128 {
        self.saturating_add(other)
    }

    #[inline]
    fn minus(self, other: u128) -> u128 {
        self - other
    }
}
