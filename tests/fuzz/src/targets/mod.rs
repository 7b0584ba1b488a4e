//! What is fuzzed, a file each.

pub mod archives;
pub mod checker;
pub mod documents;
pub mod entries;
pub mod games;
pub mod planted;
pub mod records;
pub mod requests;
pub mod rules;
pub mod scenarios;
pub mod scripts;
pub mod states;
pub mod tokens;

mod diagnosed;
mod hosted;
mod played;
