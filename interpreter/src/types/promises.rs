//! What choices must leave true: `ensures`, below a move and below a visit.
//!
//! A promise below a move is judged after that move, one below a visit after every choice that is made
//! in the phase that is visited. Both are judged on a copy of the match before the choice is legal.

use super::{Checker, Scope, either, not};
use crate::diagnostic::Code;
use crate::program::model::{FuncId, Gate, GateKind, PromiseId};
use crate::program::tree::Ex;
use crate::source::Span;
use crate::syntax::ast;

impl<'a> Checker<'a> {
    /// A promise below a visit: a condition over what the visiting phase knows.
    pub(super) fn promise_of_visit(
        &mut self,
        (condition, cite): &(ast::Expr, Option<ast::Cite>),
        args: &[FuncId],
        scope: &Scope,
        address: &str,
    ) -> Option<PromiseId> {
        let cite = self.cite(cite);
        let name = format!("{address}.ensures");
        let want = crate::program::tree::Ty::Bool;
        let function = self.expression_function(name, condition, scope, &want)?;
        let gate = Gate::new(GateKind::Promise(function), cite, condition.span);
        let promise = self.model.promises.push(gate);
        self.promised_about.insert(promise, args.to_vec());
        Some(promise)
    }

    /// A promise below a move; with a guard it must hold only if the guard does.
    pub(super) fn promise_of_move(
        &mut self,
        need: &ast::Need,
        scope: &Scope,
        guard: Option<&Ex>,
        address: &str,
    ) -> Option<Gate> {
        let mut inner = scope.clone();
        let ex = self.expect(&need.condition, &mut inner, &crate::program::tree::Ty::Bool);
        let cite = self.cite(&need.cite);
        let mut ex = ex?;
        if let Some(guard) = guard {
            ex = either(not(guard.clone()), ex);
        }
        let span = need.condition.span;
        let name = format!("{address}.ensures");
        let condition = self.function(name, scope.next, &inner, Vec::new(), Some(ex), span);
        Some(Gate::new(GateKind::Promise(condition), cite, span))
    }

    /// Who learns what from the promises of visits: whether a choice is legal may tell only those whom the
    /// visit is about what they see themselves.
    pub(super) fn promises_tell(&mut self) {
        for promise in self.model.promises.ids() {
            let Some(condition) = self.model.promises[promise].condition() else {
                continue;
            };
            let secrets = self.secrets(condition);
            self.model.promises[promise].hidden = !secrets.is_empty();
            let about: Vec<Ex> = self.promised_about[&promise]
                .iter()
                .filter_map(|f| self.model.functions[*f].result.clone())
                .collect();
            for secret in secrets.iter() {
                let theirs = about.iter().any(|about| secret.is_of(about));
                if !theirs {
                    self.tells_others(&secret.name, secret.span);
                }
            }
        }
    }

    fn tells_others(&mut self, name: &str, span: Span) {
        self.report(
            Code::SecretInMove.error(span,
                format!("this tells the mover the secret of `{name}`"),
            )
            .label("whoever chooses in this visit may not see this")
            .help("a promise may read what everybody sees and what those see who are an argument of the visit"),
        );
    }
}
