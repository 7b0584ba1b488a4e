//! The course of play: phases, what they keep, their steps.

use super::Sight;
use crate::program::cell::Cell;
use crate::program::ids::*;
use crate::program::tree::{Addr, Ty};
use crate::source::{Id, Span};
/// A variable of a phase: a parameter, something kept, a loop's variable.
#[derive(Clone, Debug)]
pub struct VarModel {
    /// Its name.
    pub name: Id,
    /// Types and sizes of its indices.
    pub index: Vec<(Ty, u32)>,
    /// Its type.
    pub ty: Ty,
    /// First cell.
    pub base: Cell,
    /// Cells of one instance: more than one of a value that holds several things.
    pub width: u32,
    /// Cells in all.
    pub len: u32,
    /// Who sees it.
    pub sight: Sight,
}

impl VarModel {
    /// The address of its first cell.
    pub fn addr(&self) -> Addr {
        Addr {
            base: self.base,
            index: Vec::new(),
        }
    }
}

/// A phase.
#[derive(Clone, Debug)]
pub struct PhaseModel {
    /// Its name.
    pub name: Id,
    /// Its parameters, in order.
    pub params: Vec<VarModel>,
    /// What it keeps while it lasts.
    pub keeps: Vec<VarModel>,
    /// Cells that are reset when it begins: first and number, and the value.
    pub resets: Vec<(Cell, u32, i32)>,
    /// Its steps.
    pub steps: Vec<StepModel>,
    /// Done at its end, also when it is ended from within.
    pub ends: Vec<StepModel>,
    /// How often it may be under way at once, if it says so.
    pub depth: Option<i64>,
    /// Its own cells: first and number.
    pub own: Vec<(Cell, u32)>,
    /// Where its own cells are kept while it is visited again: the first cell, and for how many visits.
    pub saved: Option<(Cell, u32)>,
    /// Its clause.
    pub cite: Option<ClauseId>,
    /// Endings that are due after it.
    pub endings: Vec<EndingId>,
    /// It plays rows of a table, which need not be in play with every number of players.
    pub plays_rows: bool,
    /// Where it was written.
    pub span: Span,
}

/// A step.
#[derive(Clone, Debug)]
pub struct StepModel {
    /// Its address: `captain.loading`.
    pub name: Id,
    /// Else it is passed over.
    pub when: Option<FuncId>,
    /// How often and for whom.
    pub over: OverModel,
    /// What it does.
    pub body: BodyModel,
    /// Done when the step begins.
    pub at_start: Vec<StepModel>,
    /// Done when the step is over.
    pub at_end: Vec<StepModel>,
    /// Done before each turn (or before the step, if it has no turns).
    pub before_turn: Vec<StepModel>,
    /// Done after each turn.
    pub after_turn: Vec<StepModel>,
    /// The cells that remember who had a turn, and the cell of the player; only if somebody asks.
    pub had_turn: Option<(Cell, Cell)>,
    /// Its clause.
    pub cite: Option<ClauseId>,
    /// Where it was written.
    pub span: Span,
}

impl StepModel {
    /// A step that happens once and does nothing.
    pub fn plain(name: Id, span: Span) -> StepModel {
        StepModel {
            name,
            when: None,
            over: OverModel::Once,
            body: BodyModel::Steps(Vec::new()),
            at_start: Vec::new(),
            at_end: Vec::new(),
            before_turn: Vec::new(),
            after_turn: Vec::new(),
            had_turn: None,
            cite: None,
            span,
        }
    }
}

/// How often a step happens and for whom.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "a variant's text explains its fields")]
pub enum OverModel {
    /// Once.
    Once,
    /// Each player one turn: cells of the player and of the turns left.
    EachPlayer {
        var: Cell,
        left: Cell,
        from: FuncId,
        filter: Option<FuncId>,
    },
    /// Clockwise again and again.
    Cycle {
        var: Cell,
        since: Cell,
        from: FuncId,
        until: UntilModel,
    },
    /// Each row.
    EachRow {
        var: Cell,
        rows: u32,
        filter: Option<FuncId>,
    },
    /// Each number from the first to the second, which the cell `last` keeps while it lasts.
    EachNumber {
        var: Cell,
        last: Cell,
        from: FuncId,
        to: FuncId,
        filter: Option<FuncId>,
    },
    /// Again and again.
    Repeat { until: UntilModel },
}

/// When a cycle ends.
#[derive(Clone, Debug)]
pub enum UntilModel {
    /// When everybody had a turn since the event, whose raising resets the cell `since`.
    Lap,
    /// When this holds, judged before each turn.
    Condition(FuncId),
    /// When an ending does.
    Forever,
}

/// What a step does.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "a variant's text explains its fields")]
pub enum BodyModel {
    /// An effect.
    Effect(FuncId),
    /// A question.
    Ask(AskId),
    /// Another phase.
    Visit {
        phase: PhaseId,
        args: Vec<FuncId>,
        promise: Option<PromiseId>,
    },
    /// The phase that plays a row.
    Play {
        table: TableId,
        row: FuncId,
        args: Vec<FuncId>,
    },
    /// Steps.
    Steps(Vec<StepModel>),
    /// An enclosing step or phase ends: its address, and its phase.
    End { address: Id, phase: PhaseId },
}

impl PhaseModel {
    /// The cells of its parameters, in order: one for each argument.
    pub fn param_cells(&self) -> impl Iterator<Item = Cell> {
        self.params.iter().flat_map(|p| p.base.run(p.width))
    }

    /// What one of its cells holds when it begins.
    pub fn first_of(&self, cell: Cell) -> i32 {
        let mut resets = self.resets.iter();
        let reset = resets.find(|(base, len, _)| base.span(*len).contains(&cell.at()));
        reset.map_or(0, |(_, _, value)| *value)
    }
}
