//! The course of a game, from question to question.
//!
//! In: a [`Game`](game::Game) and the [move](choice) that was chosen. Out: the game at its next question, with the moves that are
//! [offered](offers) there, or at its end. [`game`] makes a move, [`triggers`] does what follows its effects, [`walk`]
//! goes on along the phase graph, [`questions`] finds who is asked.

pub(crate) mod choice;
mod conservation;
mod coverage;
pub(crate) mod game;
mod gates;
mod limits;
mod offers;
mod promises;
mod questions;
mod triggers;
mod waiting;
mod walk;

pub(crate) use choice::{Args, Asked, Choice, Forced, OfferRow};
pub use game::{Game, Position};
pub(crate) use gates::Judged;
