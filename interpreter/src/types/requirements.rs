//! `require`: what the tables of a package must satisfy.
//!
//! Such a sentence is judged when the package is compiled, before there is a table with pieces on it,
//! so it may read columns, figures and options alone. The `all … in …:` it begins with are gone through
//! one by one, so that the message names what does not satisfy it.

use super::{Checker, Scope, constant};
use crate::diagnostic::Code;
use crate::program::model::{EachModel, FuncId, RequireModel};
use crate::program::regions::{Reads, Regions};
use crate::program::tree::{Domain, Ty};
use crate::syntax::ast::{AggregateOp, Expr, ExprKind, Require};

impl Checker<'_> {
    pub(super) fn build_require(&mut self, require: &Require) {
        let cite = self.cite(&require.cite);
        let mut scope = Scope::default();
        let mut each = Vec::new();
        let mut condition = &require.condition;
        while let ExprKind::Aggregate {
            op: AggregateOp::All,
            var,
            domain,
            filter,
            body: Some(body),
        } = &condition.kind
        {
            let Some((domain, ty)) = self.domain(domain, &mut scope) else {
                return;
            };
            let (from, to) = match domain {
                Domain::Upto(n) => {
                    let zero = constant(0, var.span);
                    (zero, constant(i64::from(n), var.span))
                }
                Domain::Range(from, to) => (*from, *to),
            };
            let bound = |checker: &mut Self, ex| {
                let (params, span) = (scope.next, require.span);
                checker.function("require", params, &scope, Vec::new(), Some(ex), span)
            };
            let (from, to) = (bound(self, from), bound(self, to));
            scope.local(&var.node, ty.clone());
            let filter = match filter {
                Some(filter) => match self.required(filter, &scope) {
                    Some(filter) => Some(filter),
                    None => return,
                },
                None => None,
            };
            each.push(EachModel {
                name: var.node.clone(),
                ty,
                from,
                to,
                filter,
            });
            condition = body;
        }
        if let Some(condition) = self.required(condition, &scope) {
            self.model.requires.push(RequireModel {
                each,
                condition,
                cite,
                span: require.span,
            });
        }
    }

    fn required(&mut self, condition: &Expr, scope: &Scope) -> Option<FuncId> {
        self.expression_function("require".to_owned(), condition, scope, &Ty::Bool)
    }

    /// Reports what is required of more than tables, figures and options.
    pub(super) fn requirements(&mut self) {
        let regions = Regions::new(&self.model);
        for require in self.model.requires.clone() {
            let bounds = require.each.iter().flat_map(|each| [each.from, each.to]);
            let filters = require.each.iter().filter_map(|each| each.filter);
            let reads = |f| regions.reads(&self.model, f) != Reads::Some(Vec::new());
            if bounds.chain(filters).chain([require.condition]).any(reads) {
                self.report(
                    Code::RequirementReadsTable.error(require.span,
                        "this asks what lies on the table, but it is judged before anything lies there",
                    )
                    .help("`require` may read columns, figures, options and queries that read nothing else"),
                );
            }
        }
    }
}
