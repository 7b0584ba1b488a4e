//! Archives: matches that are over, as texts that outlive this referee.
//!
//! An archive is JSON Lines, one thing to a line: what the match was (`record`), the files of its ruleset (`file`), the
//! entries of its log (`entry`), what happened as the referee saw it (`event`), the state in which it ended (`state`),
//! and a SHA-256 of all lines before (`end`) with the signatures of the referees that exported it. What players are
//! called stands behind that (`name`): entries hold salted digests of names, so that a name can be struck out and all
//! else stays as it was signed. Everything that is verified by strangers is in plain sight; `body` of an entry is what
//! this referee reads again when the archive is imported.
//!
//! An imported match has the id that it had, since the promise of its seed is bound to it. The text that it came from is
//! kept as it was, since its signatures are bound to that.
//!
//! [`format`](mod@format) says what the lines are, [`export()`] writes them, [`import()`] reads them, [`origin`] compares a
//! match that was imported with the text that it came from, [`verify()`] checks a log that lies in the store, and
//! [`prove()`] shows what an entry is tied to.

mod export;
mod format;
mod import;
mod json;
mod origin;
mod proof;
mod source;
mod verify;

pub use export::export;
pub use import::import;
pub use proof::{Proof, prove};
pub use verify::{About, Checked, Finding, verify};
