//! Tests of the modules of `referee`.

mod at_once;
mod cli;
mod client;
mod clock;
mod hashing;
mod library;
mod limits;
mod log;
mod memory;
mod outside;
mod players;
mod random;
mod report;
mod secrets;
mod server;
mod store;
mod table;
mod threads;
mod wire;
mod words;
