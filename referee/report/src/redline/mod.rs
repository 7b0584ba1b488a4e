//! A redline: what two rulesets differ in, clause by clause, with flags that the facts allow.
//!
//! In: two composed sides and what came of their scenarios. Out: a [`Redline`], in one language, and its settings as a page
//! of HTML and as Markdown; the command sets it for terminals. A flag is *red* where what is printed and what is enforced
//! may have parted, or where a proof was taken away, and *to be read* where words changed and nothing that is watched did.
//! [`watched`] knows the words that matter, [`figures`] who states a figure, [`carried_out`] which rules serve a clause.

mod accepted;
pub mod carried_out;
mod contents;
mod evidence;
mod figures;
mod html;
pub mod local_names;
mod markdown;
pub mod marked;
mod material;
mod names;
mod reading;
mod renamed;
mod rule_changes;
pub mod watched;

pub use accepted::{accepted_games, accepted_summary};
pub use carried_out::{CarriedOut, Rule};
pub use contents::{ClauseChange, Entry, Fact, Flag, Level, Redline, RuleChange};
pub use figures::FigureChange;
pub use html::{Page, page};
pub use markdown::markdown;
pub use marked::{Piece, marked};
pub use material::Material;
pub use reading::redline;
pub use watched::{inflects, stem, words};
