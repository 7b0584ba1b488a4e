//! Numbers as numbers of other types, without losing anything on the way.
//!
//! `as` cuts off what does not fit, and says nothing of it. Here it stands where that cannot be, or is meant.

/// A number that counts or points at something in memory.
pub trait At {
    /// As an index. What is negative lies behind every end.
    fn at(self) -> usize;
}

impl At for u32 {
    #[inline(always)]
    #[expect(clippy::as_conversions, reason = "addresses have 32 bits and more")]
    fn at(self) -> usize {
        self as usize
    }
}

impl At for i32 {
    #[inline(always)]
    fn at(self) -> usize {
        self.cast_unsigned().at()
    }
}

impl At for u16 {
    #[inline(always)]
    fn at(self) -> usize {
        self.into()
    }
}

impl At for u8 {
    #[inline(always)]
    fn at(self) -> usize {
        self.into()
    }
}

/// A number whose bounds are known, though its type does not say them.
pub trait Fit: Sized {
    /// As a number of another type, which holds it.
    ///
    /// # Panics
    ///
    /// When it does not: a defect of this program, whatever it was given.
    #[inline(always)]
    #[track_caller]
    fn fit<T: TryFrom<Self>>(self) -> T {
        match T::try_from(self) {
            Ok(fits) => fits,
            Err(_) => does_not_fit(),
        }
    }
}

impl Fit for i32 {}
impl Fit for i64 {}
impl Fit for u32 {}
impl Fit for u64 {}
impl Fit for u128 {}
impl Fit for usize {}

#[cold]
#[inline(never)]
#[track_caller]
fn does_not_fit() -> ! {
    panic!("a number is out of its bounds")
}

/// The lower 32 bits of a number: a cell and an instruction hold no more.
#[inline(always)]
#[expect(clippy::as_conversions, reason = "here something is cut off")]
pub fn low(number: i64) -> i32 {
    number as i32
}
