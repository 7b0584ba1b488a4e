//! Questions about the functions of a [program](crate::program), asked by its trees.
//!
//! In: functions as typed trees. Out: [walks](visit) and [changes](rewrite) of trees, the value of a function and [why
//! it is that](evaluate), what it [reads] and [counts](counted). The type checker, the compiler and explanations of refusals share it.

pub mod counted;
pub mod evaluate;
mod reads;
pub mod rewrite;
pub mod visit;

pub use reads::{registers_of, registers_read};
