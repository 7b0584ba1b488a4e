//! Packages: a ruleset as a set of documents, loaded, composed and configured.
//!
//! Stands between the texts and the checker: [`load`] reads the documents of a base and its
//! modules, lays the modules over the base, and the result is one [`Package`] that the checker
//! reads. Nothing here knows what a rule means. The formats are described in `rulesets/README.md`.
//!
//! A folder is read by `folder`, which hands each kind of document to a file of its own
//! (`manifest`, `components`, `figures`, `clauses`, `names`, `print`, `layout`, `acceptances`); `overlay` composes folders
//! and `review` looks at the result as a whole.

mod acceptances;
mod cells;
mod clauses;
mod components;
mod figures;
mod folder;
mod layers;
mod layout;
mod layout_overlay;
mod load;
mod manifest;
mod names;
mod overlay;
mod print;
mod relations;
mod review;

pub use crate::program::acceptance::*;
pub use crate::program::package::*;
pub use crate::program::print::{Excerpt, Paragraph, Print};
pub use crate::program::sentence::{Filling, Piece, Sentence};
pub use crate::source::PackageTexts;
pub use acceptances::{REVIEW, is_date, is_name};
pub use folder::{EQUIVALENTS, PROOF};
pub use layout::NAME as LAYOUT;
pub use load::{load, load_again};
pub use manifest::Glimpse;
pub(crate) use names::hole_at;
pub use print::PRINT;
