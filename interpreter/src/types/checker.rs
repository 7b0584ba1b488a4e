//! The type checker: what it holds while it builds a model.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use super::{MoveContext, Ordered, PendingMove, QueryParts, Scope, Secret, Told};
use crate::diagnostic::Code;
use crate::program::cell::Cell;
use crate::program::ids::{AskId, FuncId, IndexVec, MoveId, PhaseId, PromiseId, SpreadId};
use crate::program::tree::{Ex, Local, St, Ty};
use crate::resolve::Symbols;
use crate::source::Span;
use crate::syntax::ast;

/// State of one check: the names, and what is built of them.
pub(super) struct Checker<'a> {
    pub(super) symbols: Symbols<'a>,
    /// Addresses of the steps that insertions are.
    pub(super) inserted: BTreeSet<String>,
    /// Question by step.
    pub(super) asks_by_step: BTreeMap<String, AskId>,
    /// What stands around the moves of each question.
    pub(super) ask_context: IndexVec<AskId, MoveContext>,
    /// Every move, in the order of the model's.
    pub(super) pending: IndexVec<MoveId, Option<PendingMove<'a>>>,
    /// Triggers with their names and stated order.
    pub(super) ordered: Vec<Ordered>,
    /// The phase in which the phase of a trigger is written.
    pub(super) phase_parents: BTreeMap<PhaseId, PhaseId>,
    /// Steps around the one that is being built, by address.
    pub(super) enclosing: Vec<String>,
    /// What steps end, to be looked for when all are known.
    pub(super) ends: Vec<(String, Span)>,
    /// The move that is being built.
    pub(super) building: Option<MoveId>,
    /// Spreads by the move and the register of the parameter.
    pub(super) spreads: BTreeMap<(Option<MoveId>, Local), SpreadId>,
    /// What queries are put together of.
    pub(super) query_parts: BTreeMap<FuncId, QueryParts>,
    /// Functions that say whether an extension applies.
    pub(super) guards: BTreeSet<FuncId>,
    /// The arguments of each visit below which a promise stands.
    pub(super) promised_about: BTreeMap<PromiseId, Vec<FuncId>>,
    /// Who makes a move that is for one of the seats asked.
    pub(super) movers: BTreeMap<MoveId, Ex>,
    /// First cells of the places that the question shows whose conditions are looked at.
    pub(super) shown: Vec<Ex>,
    /// First cells of the memories of `once per`, by the sentence that has them.
    pub(super) memories: BTreeMap<Span, (Cell, PhaseId)>,
    /// What secrets each function reads, of those that were asked.
    pub(super) secrets: RefCell<BTreeMap<FuncId, Rc<[Secret]>>>,
    /// Which of its registers each function tells, of those that were asked.
    pub(super) told: RefCell<BTreeMap<FuncId, Rc<Told>>>,
}

impl<'a> Deref for Checker<'a> {
    type Target = Symbols<'a>;

    fn deref(&self) -> &Symbols<'a> {
        &self.symbols
    }
}

impl<'a> DerefMut for Checker<'a> {
    fn deref_mut(&mut self) -> &mut Symbols<'a> {
        &mut self.symbols
    }
}

impl<'a> Checker<'a> {
    pub(super) fn new(symbols: Symbols<'a>) -> Self {
        Checker {
            symbols,
            inserted: Default::default(),
            asks_by_step: BTreeMap::new(),
            ask_context: Default::default(),
            pending: Default::default(),
            ordered: Vec::new(),
            phase_parents: BTreeMap::new(),
            enclosing: Vec::new(),
            ends: Vec::new(),
            building: None,
            spreads: BTreeMap::new(),
            query_parts: BTreeMap::new(),
            guards: Default::default(),
            memories: BTreeMap::new(),
            promised_about: BTreeMap::new(),
            movers: BTreeMap::new(),
            shown: Vec::new(),
            secrets: Default::default(),
            told: Default::default(),
        }
    }

    pub(super) fn define(&mut self, id: FuncId, scope: &Scope, body: Vec<St>, result: Option<Ex>) {
        let f = &mut self.model.functions[id];
        f.locals = scope.next;
        f.body = body;
        f.result = result;
    }

    pub(super) fn function(
        &mut self,
        name: impl Into<String>,
        params: u16,
        scope: &Scope,
        body: Vec<St>,
        result: Option<Ex>,
        span: Span,
    ) -> FuncId {
        let id = self.reserve(name, params, span);
        self.define(id, scope, body, result);
        id
    }

    /// A function without parameters for an expression over the variables of a phase.
    pub(super) fn expression_function(
        &mut self,
        name: String,
        e: &ast::Expr,
        scope: &Scope,
        want: &Ty,
    ) -> Option<FuncId> {
        let mut scope = scope.clone();
        let params = scope.next;
        let ex = self.expect(e, &mut scope, want)?;
        Some(self.function(name, params, &scope, Vec::new(), Some(ex), e.span))
    }

    pub(super) fn lints(&mut self) {
        let package = self.package;
        let in_play: Vec<_> = package.rulebook.clauses.iter().collect();
        for clause in in_play {
            if clause.is_enforced && !package.cites(&clause.id.node) {
                self.report(
                    Code::UncitedClause.warning(clause.id.span, format!("no rule cites the clause `{}`", clause.id.node))
                        .help("cite it where it is enforced, or mark it: `kind: note` if no machine can enforce it, `enforced: false` if it is a ruling that no single rule carries out"),
                );
            }
        }
        self.overruled_clauses();
    }

    /// Reports clauses whose rules modules have taken away, and that no clause replaces.
    fn overruled_clauses(&mut self) {
        if self.diagnostics.tolerated.contains(&Code::OverruledClause) {
            return;
        }
        let package = self.package;
        for (id, at) in self.relations.orphans.clone() {
            let layer = package.layers.get(package.layer(at.file).saturating_sub(1));
            let asked = &package.rulebook.replacing;
            let is_asked = layer.is_some_and(|it| it.files.iter().any(|f| asked.contains(f)));
            let wrong = format!(
                "nothing carries out the clause `{id}` any more, and no clause replaces it"
            );
            let mistake = match is_asked {
                true => Code::OverruledClause.error(at, wrong),
                false => Code::OverruledClause.warning(at, wrong),
            };
            let help = format!(
                "cite here the clause that holds instead, or write `replaces: [{id}]` below that clause in `rulebook.yaml` of the module"
            );
            let clause = package.rulebook.clause(&id).map(|clause| clause.id.span);
            self.report(mistake.maybe_also(clause, "the clause").help(help));
        }
    }
}
