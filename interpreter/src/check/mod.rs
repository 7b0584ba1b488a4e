//! From a composed package to a checked [`Model`]: every name resolved, every expression typed.
//!
//! Two passes. The first declares everything that has a name and gives it cells
//! ([`declare`]); the second builds what refers to names: queries with their contributions
//! ([`queries`]), phases, steps and moves ([`flow`]), expressions and scripts ([`expr`], [`script`]).
//! Mistakes are reported and passed over, so that an author sees all of them.

mod audience;
mod build;
mod calls;
mod circles;
mod declare;
mod expr;
mod extend;
mod flow;
mod hints;
mod known;
mod moments;
mod moves;
mod params;
mod places;
mod promises;
mod queries;
mod replacements;
mod required;
mod script;
mod secrets;
mod sites;
mod told;
mod triggers;
mod unplayable;
mod wide;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::budget::spend;
use crate::diagnostic::{Diagnostic, Diagnostics, did_you_mean};
use crate::package::{Configuration, Package};
use crate::program::model::{Holds, Model, Storage, VarModel};
use crate::program::tree::{Ex, FuncId, Function, Kind, Local, St, Ty};
use crate::source::{Id, Span};
use crate::syntax::ast;

/// Most cells of the state of a match: 1 MiB.
const CELLS: u32 = 1 << 18;

/// Checks a package in a configuration. `None` if it cannot be played; the reasons are in `diagnostics`.
pub fn check(
    package: &Package,
    configuration: &Configuration,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    check_laid_out(package, configuration, None, diagnostics)
}

/// As [`check`], with the runs of cells of [`Model::storage`] where `layout` says that they begin. The layout is of
/// the same package and configuration.
pub(crate) fn check_laid_out(
    package: &Package,
    configuration: &Configuration,
    layout: Option<&[u32]>,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let items = replacements::compose(package, diagnostics);
    unplayable::report(&items, diagnostics);
    let mut checker = Checker::new(package, configuration, diagnostics);
    checker.layout = layout;
    checker.declare(&items);
    if checker.has_outgrown {
        // What is built from here on relies on addresses.
        return None;
    }
    checker.build(&items);
    if !checker.circles() {
        checker.audiences();
        checker.requirements();
        checker.only_hints_ask_hints();
    }
    checker.lints();
    let model = checker.model;
    (!diagnostics.has_errors()).then_some(model)
}

/// The items of a package after every `replace` and `disable` of its modules: what is checked, for
/// tools that show it. Mistakes in them are [`check`]'s to report.
pub fn composed(package: &Package) -> Vec<ast::Item> {
    replacements::compose(package, &mut Diagnostics::default())
}

/// A query or effect that can be called.
#[derive(Clone, Debug)]
struct Callable {
    func: FuncId,
    params: Vec<Ty>,
    ty: Ty,
    /// The phase whose parameters it reads.
    phase: Option<usize>,
    span: Span,
}

/// What a place-like name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Site {
    Place(usize),
    Counter(usize),
    Marker(usize),
}

/// A contribution with the component that brings it.
#[derive(Clone)]
struct Contributed<'a> {
    item: &'a ast::Contribution,
    bound: Option<Bound>,
    phase: Option<usize>,
}

/// The header of a component's rules: the owner's name, the query that must hold, the row.
#[derive(Clone, Debug)]
struct Bound {
    owner: Option<ast::Name>,
    when: Option<ast::Name>,
    table: usize,
    row: usize,
    name: ast::Name,
    cite: Option<ast::Cite>,
}

/// What stands around a move: its phase, the name of the asked seat, the variables that it sees.
#[derive(Clone, Debug)]
struct MoveContext {
    phase: Option<usize>,
    alias: Option<String>,
    vars: Vec<VarModel>,
}

/// A move that waits for everything that extends it.
struct PendingMove<'a> {
    decl: &'a ast::MoveDecl,
    around: MoveContext,
    bound: Option<Bound>,
    extensions: Vec<extend::PendingExtension<'a>>,
    forbidden: Vec<Contributed<'a>>,
    /// When a move at any time is offered.
    when: Option<&'a ast::Expr>,
    /// For which of the seats asked it is.
    group: Option<Group<'a>>,
}

/// Some of the seats that are asked.
enum Group<'a> {
    /// Those for which this holds.
    Where(&'a ast::Expr),
    /// This one.
    Seat(&'a ast::Expr),
}

/// State of one check.
struct Checker<'a> {
    package: &'a Package,
    configuration: &'a Configuration,
    diagnostics: &'a mut Diagnostics,
    model: Model,
    tables: BTreeMap<String, usize>,
    plurals: BTreeMap<String, usize>,
    /// Row ids: table, and row if it is in play.
    rows: BTreeMap<String, (usize, Option<usize>)>,
    constants: BTreeMap<String, (i64, Ty)>,
    queries: BTreeMap<String, Callable>,
    effects: BTreeMap<String, Callable>,
    sites: BTreeMap<String, Site>,
    events: BTreeMap<String, usize>,
    phases: BTreeMap<String, usize>,
    endings: BTreeMap<String, usize>,
    records: BTreeMap<String, usize>,
    /// Parameters and kept values of each phase.
    phase_vars: Vec<Vec<VarModel>>,
    contributions: BTreeMap<String, Vec<Contributed<'a>>>,
    insertions: BTreeMap<String, Vec<moments::Added<'a>>>,
    /// Addresses of the steps that insertions are.
    inserted: std::collections::BTreeSet<String>,
    /// Question by step.
    asks_by_step: BTreeMap<String, usize>,
    /// What stands around the moves of each question.
    ask_context: Vec<MoveContext>,
    /// Every move, in the order of the model's.
    pending: Vec<Option<PendingMove<'a>>>,
    /// Triggers with their names and stated order.
    ordered: Vec<triggers::Ordered>,
    /// The phase in which the phase of a trigger is written.
    phase_parents: BTreeMap<usize, usize>,
    /// Steps around the one that is being built, by address.
    enclosing: Vec<String>,
    /// What steps end, to be looked for when all are known.
    ends: Vec<(String, Span)>,
    /// The move that is being built.
    building: Option<usize>,
    /// Spreads by the move and the register of the parameter.
    spreads: BTreeMap<(Option<usize>, Local), usize>,
    /// What queries are put together of.
    query_parts: BTreeMap<FuncId, queries::QueryParts>,
    /// Hints, of every shape.
    hints: BTreeSet<FuncId>,
    /// Functions that say whether an extension applies.
    guards: std::collections::BTreeSet<FuncId>,
    /// The arguments of each visit below which a promise stands.
    promised_about: BTreeMap<usize, Vec<FuncId>>,
    /// Who makes a move that is for one of the seats asked.
    movers: BTreeMap<usize, Ex>,
    /// First cells of the places that the question shows whose conditions are looked at.
    shown: Vec<Ex>,
    /// First cells of the memories of `once per`, by the sentence that has them.
    memories: BTreeMap<Span, (u32, usize)>,
    /// Where each run of cells begins, if somebody has said so; else each follows the one before it.
    layout: Option<&'a [u32]>,
    /// Where each effect, ending, event … was declared first: by kind and name.
    declared: BTreeMap<(&'static str, String), Span>,
    /// The state of a match would take more than [`CELLS`].
    has_outgrown: bool,
    /// What secrets each function reads, of those that were asked.
    secrets: RefCell<BTreeMap<FuncId, Rc<[secrets::Secret]>>>,
    /// Which of its registers each function tells, of those that were asked.
    told: RefCell<BTreeMap<FuncId, Rc<audience::Told>>>,
}

/// What an expression may see.
#[derive(Clone, Debug, Default)]
struct Scope {
    locals: Vec<LocalVar>,
    next: Local,
    /// Variables of the phase: parameters, kept values, loops around.
    vars: Vec<VarModel>,
    phase: Option<usize>,
    /// Effects may be called.
    effects: bool,
    /// Inside a hint, whose numbers need no names.
    hint: bool,
    /// Inside a move: the register of the seat is 0.
    in_move: bool,
    /// Inside a last line of the score sheet: `so_far` is known.
    last_score: bool,
    /// What is known not to be `none`.
    known: Vec<String>,
}

#[derive(Clone, Debug)]
struct LocalVar {
    name: String,
    register: Local,
    ty: Ty,
    len: u16,
    used: Rc<Cell<bool>>,
}

/// The mark of a name that needs no use.
fn used() -> Rc<Cell<bool>> {
    Rc::new(Cell::new(true))
}

impl Scope {
    fn local(&mut self, name: &str, ty: Ty) -> Local {
        self.window(name, ty, 1)
    }

    fn window(&mut self, name: &str, ty: Ty, len: u16) -> Local {
        let register = self.next;
        self.next += len;
        self.locals.push(LocalVar {
            name: name.to_owned(),
            register,
            ty,
            len,
            used: Rc::default(),
        });
        register
    }

    fn fresh(&mut self) -> Local {
        self.next += 1;
        self.next - 1
    }
}

impl<'a> Checker<'a> {
    fn new(
        package: &'a Package,
        configuration: &'a Configuration,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Checker {
            package,
            configuration,
            diagnostics,
            model: Model {
                players: configuration.players,
                cells: crate::program::model::control::FIRST,
                ..Model::default()
            },
            tables: BTreeMap::new(),
            plurals: BTreeMap::new(),
            rows: BTreeMap::new(),
            constants: BTreeMap::new(),
            queries: BTreeMap::new(),
            effects: BTreeMap::new(),
            sites: BTreeMap::new(),
            events: BTreeMap::new(),
            phases: BTreeMap::new(),
            endings: BTreeMap::new(),
            records: BTreeMap::new(),
            phase_vars: Vec::new(),
            contributions: BTreeMap::new(),
            insertions: BTreeMap::new(),
            inserted: Default::default(),
            asks_by_step: BTreeMap::new(),
            ask_context: Vec::new(),
            pending: Vec::new(),
            ordered: Vec::new(),
            phase_parents: BTreeMap::new(),
            enclosing: Vec::new(),
            ends: Vec::new(),
            building: None,
            spreads: BTreeMap::new(),
            query_parts: BTreeMap::new(),
            hints: BTreeSet::new(),
            guards: Default::default(),
            memories: BTreeMap::new(),
            promised_about: BTreeMap::new(),
            movers: BTreeMap::new(),
            shown: Vec::new(),
            layout: None,
            declared: BTreeMap::new(),
            has_outgrown: false,
            secrets: Default::default(),
            told: Default::default(),
        }
    }

    fn error(&mut self, code: u16, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.report(Diagnostic::error(code, span, message))
    }

    fn report(&mut self, diagnostic: Diagnostic) -> &mut Diagnostic {
        self.diagnostics.push(diagnostic);
        let last = self.diagnostics.list.len() - 1;
        &mut self.diagnostics.list[last]
    }

    /// The number of a cited clause; unknown ones are reported.
    fn cite(&mut self, cite: &Option<ast::Cite>) -> Option<usize> {
        let cite = cite.as_ref()?;
        if self.package.rulebook.clause(&cite.node).is_none() {
            let help = did_you_mean(
                &cite.node,
                self.package
                    .rulebook
                    .clauses
                    .iter()
                    .map(|c| c.id.node.as_str()),
            );
            let d = Diagnostic::error(
                510,
                cite.span,
                format!("no clause `{}` in the rulebook", cite.node),
            );
            let d = d.help(help.unwrap_or_else(|| {
                "add the clause to `rulebook.yaml`, or cite another".to_owned()
            }));
            self.diagnostics.push(d);
            return None;
        }
        if let Some(i) = self.model.clauses.iter().position(|c| **c == *cite.node) {
            return Some(i);
        }
        self.model.clauses.push(Id::from(cite.node.as_str()));
        Some(self.model.clauses.len() - 1)
    }

    /// Notes that something of this kind is declared; a second one of the same name is reported at
    /// both places.
    fn first_of(&mut self, kind: &'static str, name: &str, span: Span) -> bool {
        use std::collections::btree_map::Entry;
        let first = match self.declared.entry((kind, name.to_owned())) {
            Entry::Vacant(free) => {
                free.insert(span);
                return true;
            }
            Entry::Occupied(taken) => *taken.get(),
        };
        self.report(
            Diagnostic::error(505, span, format!("the {kind} `{name}` is declared twice"))
                .also(first, "first declared here")
                .help("give one of them another name"),
        );
        false
    }

    /// Gives something its cells.
    fn allocate(&mut self, cells: u32, holds: Holds) -> u32 {
        self.allocate_for(cells, holds, self.package.span())
    }

    /// Gives something that is declared there its cells.
    fn allocate_for(&mut self, cells: u32, holds: Holds, declared: Span) -> u32 {
        let base = match &self.layout {
            None => self.model.cells,
            Some(layout) => layout[self.model.storage.len()],
        };
        let end = base.checked_add(cells).filter(|end| *end <= CELLS);
        let Some(end) = end else {
            self.outgrow(declared);
            return crate::program::model::control::FIRST;
        };
        self.model.cells = self.model.cells.max(end);
        self.model.storage.push(Storage {
            base,
            len: cells,
            holds,
        });
        base
    }

    /// Reports, once, that the state of a match would not fit.
    fn outgrow(&mut self, declared: Span) {
        if !std::mem::replace(&mut self.has_outgrown, true) {
            let message = format!("with this the state of a match takes more than {CELLS} numbers");
            self.error(599, declared, message).help =
                Some("index by fewer tables, or by smaller ones".to_owned());
        }
    }

    /// The runs of cells that were given since there were so many.
    fn given_since(&self, count: usize) -> Vec<(u32, u32)> {
        let given = self.model.storage[count..].iter();
        given.map(|run| (run.base, run.len)).collect()
    }

    /// Reserves a function, to be filled by [`define`](Self::define).
    fn reserve(&mut self, name: impl Into<String>, params: u16, span: Span) -> FuncId {
        spend(256, Some(span));
        let name = name.into();
        let id = FuncId(self.model.functions.len() as u32);
        self.model.functions.push(Function {
            name,
            params,
            locals: params,
            body: Vec::new(),
            result: None,
            span,
        });
        id
    }

    fn define(&mut self, id: FuncId, scope: &Scope, body: Vec<St>, result: Option<Ex>) {
        let f = &mut self.model.functions[id.0 as usize];
        f.locals = scope.next;
        f.body = body;
        f.result = result;
    }

    fn function(
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
    fn expression_function(
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

    fn lints(&mut self) {
        let package = self.package;
        let in_play: Vec<_> = package.rulebook.clauses.iter().collect();
        for clause in in_play {
            let enforced = clause.kind != crate::package::ClauseKind::Note;
            if enforced && !package.cites(&clause.id.node) {
                self.report(
                    Diagnostic::warning(801, clause.id.span, format!("no rule cites the clause `{}`", clause.id.node))
                        .help("cite it where it is enforced, or mark it `kind: note` if no machine can enforce it"),
                );
            }
        }
    }
}

fn id(name: &str) -> Id {
    Id::from(name)
}

fn path_text(path: &ast::Path) -> String {
    path.parts
        .iter()
        .map(|p| p.node.as_str())
        .collect::<Vec<_>>()
        .join(".")
}

fn constant(value: i64, span: Span) -> Ex {
    Ex {
        kind: Kind::Const(value),
        span,
    }
}

fn binary(op: crate::program::tree::Op2, a: Ex, b: Ex) -> Ex {
    let span = a.span;
    Ex {
        kind: Kind::Binary(op, Box::new(a), Box::new(b)),
        span,
    }
}

fn not(ex: Ex) -> Ex {
    let span = ex.span;
    Ex {
        kind: Kind::Not(Box::new(ex)),
        span,
    }
}

fn either(a: Ex, b: Ex) -> Ex {
    let span = b.span;
    Ex {
        kind: Kind::Or(Box::new(a), Box::new(b)),
        span,
    }
}

fn and(a: Option<Ex>, b: Ex) -> Ex {
    match a {
        Some(a) => {
            let span = a.span;
            Ex {
                kind: Kind::And(Box::new(a), Box::new(b)),
                span,
            }
        }
        None => b,
    }
}
