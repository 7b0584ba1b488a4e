//! The `referee` command, and the crates below it under one name.
//!
//! ```text
//! cli            the command: serve, demo, and the author's tools
//! server         gRPC: who calls, what is asked, which status; streams
//! report table   what people read about a ruleset and about play; matches under way: whatever changes one takes its turn
//! sandbox        what strangers wrote, tried in a process of its own
//! contract       messages of `proto/referee/v1`, their translation, and a client as any other
//! library        rulesets: shipped, from folders, kept by the store; what things are called; who chooses among legal moves
//! store          logs, requests, tokens: SQLite, PostgreSQL or memory; the root key and what is derived from it
//! ```
//!
//! A program that wants a referee of its own (a test, a client's test) starts one with
//! [`server::start`].

#![forbid(unsafe_code)]
#![deny(clippy::as_conversions)]
// A module's map names its private parts, for readers of the sources.
#![allow(rustdoc::private_intra_doc_links)]

pub mod cli;

pub use referee_contract::{self as wire, client};
pub use referee_library::{self as library, players, random, record, shipped, words};
pub use referee_report as report;
pub use referee_sandbox::{self as sandbox, limits, memory};
pub use referee_server as server;
pub use referee_store::{self as store, clock, hashing, log, secrets, threads};
pub use referee_table::{self as table, at_once, outside, traces};
