//! Matches: games with a history, as the world sees them.
//!
//! In: moves by the names that their author gave. Out: questions, events and views for one audience, refusals with their
//! reasons, records, and states in their [canonical] form. Read [`one_match`] first; [`views`] and [`visible_events`] alone
//! decide who sees what.

pub mod canonical;
pub(crate) mod closed_gates;
mod determinization;
mod disclosure;
pub mod history;
pub mod history_encoding;
mod naming;
pub(crate) mod one_match;
pub(crate) mod preview;
pub(crate) mod saved;
pub(crate) mod staging;
mod unset;
pub(crate) mod views;
pub(crate) mod visible_events;
