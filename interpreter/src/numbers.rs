//! Numbers as numbers of other types, without losing anything on the way.
//!
//! `as` may lose what does not fit, and says nothing of it. Here it stands where it cannot.

/// A number that counts or points at something in memory.
pub(crate) trait Index {
    /// As an index.
    fn at(self) -> usize;
}

impl Index for u32 {
    #[inline(always)]
    #[expect(clippy::as_conversions, reason = "addresses have 32 bits and more")]
    fn at(self) -> usize {
        self as usize
    }
}

impl Index for u16 {
    #[inline(always)]
    fn at(self) -> usize {
        self.into()
    }
}

impl Index for u8 {
    #[inline(always)]
    fn at(self) -> usize {
        self.into()
    }
}

/// A cell of the state. What is negative lies beyond every end.
impl Index for i32 {
    #[inline(always)]
    fn at(self) -> usize {
        self.cast_unsigned().at()
    }
}

/// A number whose bounds are known, though its type does not say them.
pub(crate) trait Fit: Sized {
    /// As a number of another type. It is a defect of the program if that does not hold it.
    #[inline(always)]
    #[track_caller]
    fn fit<T: TryFrom<Self>>(self) -> T {
        match T::try_from(self) {
            Ok(fits) => fits,
            Err(_) => does_not_fit(),
        }
    }
}

impl Fit for u16 {}
impl Fit for u32 {}
impl Fit for u64 {}
impl Fit for u128 {}
impl Fit for usize {}
impl Fit for i32 {}
impl Fit for i64 {}

/// The lower half of a number, which is what a cell or an instruction holds of it. Whatever has 32 bits is its own.
#[inline(always)]
#[expect(
    clippy::as_conversions,
    reason = "the only place where something is cut off"
)]
pub(crate) fn low(number: i64) -> i32 {
    number as i32
}

#[cold]
#[inline(never)]
#[track_caller]
fn does_not_fit() -> ! {
    panic!("a number is out of the bounds that it has by construction")
}
