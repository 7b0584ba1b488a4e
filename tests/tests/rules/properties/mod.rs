//! What must be true in every position of every game, tried on random play of the shipped rulesets
//! and of the invented one.

mod canonical;
mod folding;
mod foresight;
mod gates;
mod graph;
mod kept;
mod memory;
mod moves;
mod pieces;
mod refusals;
mod replay;
mod saved;
mod secrets;
mod sentences;
mod verbs;
