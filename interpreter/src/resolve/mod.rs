//! Gives everything that has a name its meaning and its cells.
//!
//! In: a composed package. Out: [symbols]: every declaration, every name, every citation of a clause. First `replace` and
//! `disable` of modules are [carried out](composition); then everything is [declared](declare), as the type checker asks
//! for it: how large a pile is, or what stands on a die, are typed expressions.

pub mod clause_relations;
pub(crate) mod composition;
mod declare;
pub(crate) mod symbols;
pub(crate) mod unsupported;

pub use clause_relations::ClauseRelations;
pub(crate) use composition::path_text;
pub(crate) use symbols::{Added, Bound, Callable, Contributed, Site, Symbols, id};

use crate::diagnostic::Diagnostics;
use crate::program::package::Package;
use crate::syntax::ast;

/// The items of a package after every `replace` and `disable` of its modules: what is checked, for
/// tools that show it. Mistakes in them are [`types::check`](crate::types::check)'s to report.
pub fn composed(package: &Package) -> Vec<ast::Item> {
    composition::compose(package, &mut Diagnostics::default())
}
