//! Types everything: from the names of a package to a checked [`Model`].
//!
//! In: a composed package. Out: every declaration with its cells, every query, condition and effect as a typed
//! [tree](crate::program::tree), every phase, step and move, and who may see what. Mistakes are reported and passed over,
//! so that an author sees all of them. Read [`declarations`] and [`build`] first, then [`phases`], [`moves`] and
//! [`expressions`].

mod access;
mod audience;
mod bags_and_records;
mod build;
mod call_cycles;
mod calls;
mod checker;
mod clause_numbers;
mod declarations;
mod definite;
mod disclosure;
mod expressions;
mod extensions;
mod hints;
mod insertions;
mod knowledge;
mod layout;
mod moves;
mod parameters;
mod pending;
mod phases;
mod promises;
mod queries;
mod query_parts;
mod requirements;
mod scope;
mod scripts;
mod secrets;
mod sentences;
mod trees;
mod triggers;

use crate::diagnostic::Diagnostics;
use crate::program::model::{Cell, Model};
use crate::program::package::{Configuration, Package};
use crate::resolve::symbols::Symbols;
use crate::resolve::{composition, unsupported};
use checker::Checker;
use knowledge::{Secret, Told, same};
use pending::{Group, MoveContext, Ordered, PendingExtension, PendingMove};
use query_parts::{Part, QueryParts};
use scope::{LocalVar, Scope};
use trees::{and, binary, constant, either, not, of_seat};

/// Checks a package in a configuration. `None` if it cannot be played; the reasons are in `diagnostics`.
pub fn check(
    package: &Package,
    configuration: &Configuration,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    check_laid_out(package, configuration, None, diagnostics)
}

/// As [`check`], with the runs of cells of [`Model::storage`] where `cells` says that they begin. It is of
/// the same package and configuration.
pub(crate) fn check_laid_out(
    package: &Package,
    configuration: &Configuration,
    cells: Option<&[Cell]>,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let items = composition::compose(package, diagnostics);
    unsupported::report(&items, diagnostics);
    let symbols = Symbols::new(package, configuration, cells, diagnostics);
    let mut checker = Checker::new(symbols);
    checker.declare(&items);
    if checker.has_outgrown {
        // What is built from here on relies on addresses.
        return None;
    }
    checker.build(&items);
    if !checker.circles() {
        checker.audiences();
        checker.requirements();
        checker.clause_numbers();
        checker.only_hints_ask_hints();
    }
    checker.lints();
    let model = checker.symbols.model;
    sentences::check(package, &model, diagnostics);
    if !diagnostics.has_errors() {
        layout::check(package, &model, diagnostics);
    }
    (!diagnostics.has_errors()).then_some(model)
}
