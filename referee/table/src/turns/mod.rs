//! One match's turns: whatever changes it is decided, written and published, one after the other.
//!
//! In: moves and other acts. Out: entries of the log, and a new snapshot for all who watch. Begin at [`Table`], the way to
//! one match; its arbiter decides what becomes of a move ([`chain`]) or another act ([`acts`]).

mod acts;
mod arbiter;
mod bots;
mod chain;
mod change;
mod knowledge;
mod migration;
pub mod presence;
mod requests;
pub mod table;
pub(super) mod undo;
mod watchers;

pub use presence::{GATHERED, SeatPresence};
pub use requests::{Act, Acted, Holder, Submission, Submitted};
pub use table::Table;
pub use watchers::Watcher;

pub(super) use acts::bot_seated;
pub(super) use change::Notes;
