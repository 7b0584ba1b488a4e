//! Panics that end one piece of work and no other.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Does a piece of work. Whatever it was about to change must not be used any more if it panics.
///
/// # Errors
///
/// What it said when it panicked.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
        words.unwrap_or("without a word").to_owned()
    })
}
