//! The names of a ruleset and what they mean.

use std::collections::{BTreeMap, BTreeSet};

use super::ClauseRelations;
use crate::budget::spend;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::program::model::{
    Cell, ClauseId, CounterId, EndingId, EventId, FuncId, Holds, IndexVec, MarkerId, Model,
    PhaseId, PlaceId, RecordId, Storage, TableId, VarModel, control,
};
use crate::program::package::{Configuration, Package};
use crate::program::tree::{Function, Ty};
use crate::source::{Id, Span};
use crate::syntax::ast;

/// Most cells of the state of a match: 1 MiB.
pub(super) const CELLS: u32 = 1 << 18;

/// A query or effect that can be called.
#[derive(Clone, Debug)]
pub(crate) struct Callable {
    pub func: FuncId,
    pub params: Vec<Ty>,
    pub ty: Ty,
    /// The phase whose parameters it reads.
    pub phase: Option<PhaseId>,
    pub span: Span,
}

/// What a place-like name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    Place(PlaceId),
    Counter(CounterId),
    Marker(MarkerId),
}

/// A contribution with the component that brings it.
#[derive(Clone)]
pub(crate) struct Contributed<'a> {
    pub item: &'a ast::Contribution,
    pub bound: Option<Bound>,
    pub phase: Option<PhaseId>,
}

/// The header of a component's rules: the owner's name, the query that must hold, the row.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub owner: Option<ast::Name>,
    pub when: Option<ast::Name>,
    pub table: TableId,
    pub row: usize,
    pub name: ast::Name,
    pub cite: Option<ast::Cite>,
}

/// An addition with the component that brings it.
pub(crate) type Added<'a> = (&'a ast::Insertion, Option<Bound>);

/// Everything that has a name, with its cells, and what was reported.
pub(crate) struct Symbols<'a> {
    pub package: &'a Package,
    pub configuration: &'a Configuration,
    pub diagnostics: &'a mut Diagnostics,
    pub model: Model,
    pub tables: BTreeMap<String, TableId>,
    pub plurals: BTreeMap<String, TableId>,
    /// Row ids: table, and row if it is in play.
    pub rows: BTreeMap<String, (TableId, Option<usize>)>,
    pub constants: BTreeMap<String, (i64, Ty)>,
    pub queries: BTreeMap<String, Callable>,
    pub effects: BTreeMap<String, Callable>,
    pub sites: BTreeMap<String, Site>,
    pub events: BTreeMap<String, EventId>,
    pub phases: BTreeMap<String, PhaseId>,
    pub endings: BTreeMap<String, EndingId>,
    pub records: BTreeMap<String, RecordId>,
    /// Parameters and kept values of each phase.
    pub phase_vars: IndexVec<PhaseId, Vec<VarModel>>,
    pub contributions: BTreeMap<String, Vec<Contributed<'a>>>,
    pub insertions: BTreeMap<String, Vec<Added<'a>>>,
    /// Hints, of every shape.
    pub hints: BTreeSet<FuncId>,
    /// Where each run of cells begins, if somebody has said so; else each follows the one before it.
    pub layout: Option<&'a [Cell]>,
    /// Where each effect, ending, event … was declared first: by kind and name.
    pub declared: BTreeMap<(&'static str, String), Span>,
    /// The state of a match would take more than [`CELLS`].
    pub has_outgrown: bool,
    /// Where sentences that are in force cite clauses.
    pub cited: BTreeSet<Span>,
    /// Which clauses replace and restrict which.
    pub relations: ClauseRelations,
}

impl<'a> Symbols<'a> {
    pub(crate) fn new(
        package: &'a Package,
        configuration: &'a Configuration,
        layout: Option<&'a [Cell]>,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Symbols {
            package,
            configuration,
            diagnostics,
            model: Model {
                players: configuration.players,
                cells: control::FIRST.0,
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
            phase_vars: Default::default(),
            contributions: BTreeMap::new(),
            insertions: BTreeMap::new(),
            hints: BTreeSet::new(),
            layout,
            declared: BTreeMap::new(),
            has_outgrown: false,
            cited: BTreeSet::new(),
            relations: ClauseRelations::of(package),
        }
    }

    pub(crate) fn error(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.report(code.error(span, message))
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) -> &mut Diagnostic {
        self.diagnostics.push(diagnostic);
        let last = self.diagnostics.list.len() - 1;
        &mut self.diagnostics.list[last]
    }

    /// The number of a cited clause, or of the one that replaces it; unknown ones are reported.
    pub(crate) fn cite(&mut self, cite: &Option<ast::Cite>) -> Option<ClauseId> {
        let cite = cite.as_ref()?;
        self.cited.insert(cite.span);
        if self.package.rulebook.clause(&cite.node).is_none() {
            let help = did_you_mean(
                &cite.node,
                self.package
                    .rulebook
                    .clauses
                    .iter()
                    .map(|c| c.id.node.as_str()),
            );
            let d = Code::UnknownClauseInRules.error(
                cite.span,
                format!("no clause `{}` in the rulebook", cite.node),
            );
            let d = d.help(help.unwrap_or_else(|| {
                "add the clause to `rulebook.yaml`, or cite another".to_owned()
            }));
            self.diagnostics.push(d);
            return None;
        }
        let clause = self.relations.in_force(&cite.node);
        if let Some(i) = self.model.clauses.position(|c| **c == *clause) {
            return Some(i);
        }
        Some(self.model.clauses.push(Id::from(clause)))
    }

    /// Notes that something of this kind is declared; a second one of the same name is reported at
    /// both places.
    pub(crate) fn first_of(&mut self, kind: &'static str, name: &str, span: Span) -> bool {
        use std::collections::btree_map::Entry;
        let first = match self.declared.entry((kind, name.to_owned())) {
            Entry::Vacant(free) => {
                free.insert(span);
                return true;
            }
            Entry::Occupied(taken) => *taken.get(),
        };
        self.report(
            Code::DuplicateDeclaration
                .error(span, format!("the {kind} `{name}` is declared twice"))
                .also(first, "first declared here")
                .help("give one of them another name"),
        );
        false
    }

    /// Gives something its cells.
    pub(crate) fn allocate(&mut self, cells: u32, holds: Holds) -> Cell {
        self.allocate_for(cells, holds, self.package.span())
    }

    /// Gives something that is declared there its cells.
    pub(crate) fn allocate_for(&mut self, cells: u32, holds: Holds, declared: Span) -> Cell {
        let base = match &self.layout {
            None => Cell(self.model.cells),
            Some(layout) => layout[self.model.storage.len()],
        };
        let end = base.0.checked_add(cells).filter(|end| *end <= CELLS);
        let Some(end) = end else {
            self.outgrow(declared);
            return control::FIRST;
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
    pub(crate) fn outgrow(&mut self, declared: Span) {
        if !std::mem::replace(&mut self.has_outgrown, true) {
            let message = format!("with this the state of a match takes more than {CELLS} numbers");
            self.error(Code::CapacityExceeded, declared, message).help =
                Some("index by fewer tables, or by smaller ones".to_owned());
        }
    }

    /// The runs of cells that were given since there were so many.
    pub(crate) fn given_since(&self, count: usize) -> Vec<(Cell, u32)> {
        let given = self.model.storage[count..].iter();
        given.map(|run| (run.base, run.len)).collect()
    }

    /// Reserves a function, to be defined later.
    pub(crate) fn reserve(&mut self, name: impl Into<String>, params: u16, span: Span) -> FuncId {
        spend(256, Some(span));
        let name = name.into();
        self.model.functions.push(Function {
            name,
            params,
            locals: params,
            body: Vec::new(),
            result: None,
            span,
        })
    }
}

pub(crate) fn id(name: &str) -> Id {
    Id::from(name)
}
