//! The program `referee` as its users and operators meet it: a process with words, streams and exit codes. One test
//! program for all of it, so that it is linked once.

mod certificates;
mod command;
mod demo;
mod exits;
mod holding;
mod kills;
mod lsp;
mod migrating;
mod operating;
mod play;
mod reconnect;
mod reviewing;
mod sandbox;
mod serving;
mod silence;
mod store;
mod tokens;
mod traces;
#[cfg(target_os = "linux")]
mod unit;
mod walkthrough;
mod watch;
