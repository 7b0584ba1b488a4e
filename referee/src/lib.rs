//! The referee: serves matches over gRPC, and the `referee` command.
//!
//! Layers, each using only those below it; `tests/tests/program/structure/order.rs` has the order of every folder:
//!
//! ```text
//! cli            the command: serve, demo, and the author's tools
//! client         a client as any other: hosts, seats, players of chance
//! server         gRPC: who calls, what is asked, which status; streams
//! table          matches under way: whatever changes one takes its turn
//! report sandbox what people read about a ruleset and about play; what strangers wrote, tried in a process of its own
//! players wire   who chooses among legal moves; messages of `proto/referee/v1`, and their translation
//! library record rulesets: embedded, from folders, kept by the store; a match in a file
//! outside        what other servers are asked and told: who a signed token is of, whose turn it is
//! log            the entries of a match's log, as the store keeps them
//! store          logs, requests, tokens: SQLite, one writer, group commit
//! secrets limits the root key and what is derived from it; every limit
//! clock random   what time it is; words that are the same for the same seed
//! ```
//!
//! A program that wants a referee of its own (a test, a client's test) starts one with
//! [`server::start`].

#![forbid(unsafe_code)]
#![deny(clippy::as_conversions)]
// A module's map names its private parts, for readers of the sources.
#![allow(rustdoc::private_intra_doc_links)]

pub mod at_once;
pub mod cli;
pub mod client;
pub mod clock;
pub mod hashing;
pub mod library;
pub mod limits;
pub mod log;
pub mod memory;
mod numbers;
pub mod outside;
mod panics;
pub mod players;
pub mod random;
pub mod record;
pub mod report;
mod ruleset_files;
pub mod sandbox;
pub mod secrets;
pub mod server;
pub mod shipped;
pub mod store;
pub mod table;
pub mod threads;
pub mod traces;
pub mod wire;
pub mod words;
