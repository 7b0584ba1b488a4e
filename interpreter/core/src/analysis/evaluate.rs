//! Evaluates pure functions on the typed tree, slowly, and remembers why.
//!
//! Play never comes here. A refused move does: the trace tells which clauses and values decided.
//! The checker does too, for what must be known before the first move.

use super::visit::parts;
use crate::budget::spend;
use crate::numbers::{At as _, Fit as _};
use crate::program::model::{Cell, ClauseId, ColumnId, FuncId, Model, MoveId};
use crate::program::tree::{Addr, Aggregate, Domain, Ex, Kind, NONE, Op2, Ty};
use crate::source::Span;

/// What was seen while evaluating.
#[derive(Debug, Default)]
pub struct Trace {
    /// Clauses of the query cases that decided, in the order of evaluation.
    pub clauses: Vec<ClauseId>,
    /// What the condition, and the queries that it asks, compared; and what the names stand for that it uses.
    pub values: Vec<Compared>,
    /// The first of the conditions joined by `and` that does not hold.
    pub failed: Option<Span>,
}

/// An expression with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Where it is written.
    pub span: Span,
    /// Its value.
    pub value: i64,
    /// The type of the value.
    pub ty: Ty,
    /// What it reads.
    pub source: Source,
    /// Whether it stands in the condition itself, and not in a query that it asks. A name always does: those of a query
    /// stand for what the condition asks it of.
    pub own: bool,
}

/// Where an expression stands.
struct Scope<'s> {
    /// The types of what it is read with, as far as they are known.
    types: &'s [Ty],
    /// In a query that a condition asks: what its parameters stand for in that condition.
    given: Option<&'s [Option<Compared>]>,
    /// In how many queries it stands.
    depth: u32,
}

/// What an expression reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A parameter or a variable.
    Name,
    /// A cell of a place, a counter, a marker or what a phase keeps.
    Cell(Cell),
    /// How many pieces lie in the place of this cell.
    Size(Cell),
    /// How many pieces of a row lie in the pile that begins at this cell.
    InPile(Cell, i64),
    /// A column of a row.
    Column(ColumnId, i64),
    /// What a function gives for these arguments.
    Function(FuncId, Vec<(i64, Ty)>),
    /// A number that the rules say.
    Number,
    /// Two numbers added, subtracted or multiplied.
    Operation(Op2, Box<[Compared; 2]>),
    /// What is found among several.
    Aggregate(Aggregate),
    /// Anything else.
    Other,
}

/// So many compared values are remembered; more would explain nothing.
const COMPARED: usize = 8;

/// Answers `possible(move)` for a seat.
pub type Possible<'a> = &'a dyn Fn(MoveId, i64) -> bool;

/// Evaluates on one state.
pub(super) struct Walk<'a> {
    pub(super) model: &'a Model,
    cells: &'a [i32],
    possible: Option<Possible<'a>>,
    trace: Trace,
    pub(super) fuel: u32,
}

/// The value of a function that reads no state.
pub fn constant(model: &Model, function: FuncId, args: &[i64]) -> Option<i64> {
    Walk::of(model, &[]).function(function, args)
}

/// The value of a pure function and why; `None` if it faults. `types` are those of its arguments, as far
/// as they are known.
pub fn explain(
    model: &Model,
    cells: &[i32],
    possible: Possible<'_>,
    function: FuncId,
    args: &[i64],
    types: &[Ty],
) -> (Option<i64>, Trace) {
    let mut walk = Walk {
        model,
        cells,
        possible: Some(possible),
        trace: Trace::default(),
        fuel: 1_000_000,
    };
    let f = &model.functions[function];
    let mut registers = args.to_vec();
    registers.resize(f.locals.at(), 0);
    let value = f.result.as_ref().and_then(|ex| {
        let scope = Scope {
            types,
            given: None,
            depth: 0,
        };
        walk.parts(ex, &registers, &scope);
        walk.names(ex, &registers, &scope, f.params);
        walk.trace.failed = walk.failed(ex, &registers);
        walk.eval(ex, &mut registers)
    });
    (value, walk.trace)
}

/// The clause of the query that gives what a function says: of the case that decides, whatever modifies it.
pub fn clause_of(model: &Model, cells: &[i32], function: FuncId, args: &[i64]) -> Option<ClauseId> {
    let mut walk = Walk::of(model, cells);
    let f = &model.functions[function];
    let mut registers = args.to_vec();
    registers.resize(f.locals.max(f.params).at(), 0);
    walk.clause(f.result.as_ref()?, &registers)
}

/// The registers of parameters, and the cells without an index, that an expression reads; each name once.
fn named(ex: &Ex, params: u16, found: &mut Vec<Ex>) {
    let name = match &ex.kind {
        Kind::Local(register) => *register < params,
        Kind::Load(addr) => addr.index.is_empty(),
        _ => false,
    };
    if name && !found.iter().any(|known| known.kind == ex.kind) {
        found.push(ex.clone());
    }
    parts(ex, &mut |part| named(part, params, found));
}

/// An expression without the clauses that are said of it.
fn without_case(ex: &Ex) -> &Ex {
    match &ex.kind {
        Kind::Case(_, inner) => without_case(inner),
        _ => ex,
    }
}

impl<'a> Walk<'a> {
    /// On a state, if there is one; for what asks of no move whether it is possible.
    pub(super) fn of(model: &'a Model, cells: &'a [i32]) -> Walk<'a> {
        Walk {
            model,
            cells,
            possible: None,
            trace: Trace::default(),
            fuel: 100_000,
        }
    }

    /// Values of the sides of the comparisons that decide, also in the queries that are asked.
    fn parts(&mut self, ex: &Ex, registers: &[i64], scope: &Scope<'_>) {
        let Some(left) = self.fuel.checked_sub(1) else {
            return;
        };
        self.fuel = left;
        match &ex.kind {
            Kind::And(a, b) | Kind::Or(a, b) => {
                // One side that does not hold decides `and`, one that does decides `or`: the first of them.
                let decisive = i64::from(matches!(ex.kind, Kind::Or(..)));
                let decides = |walk: &mut Self, side: &Ex| {
                    let truth = walk.quietly(side, registers);
                    truth.is_some_and(|value| i64::from(value != 0) == decisive)
                };
                let a_decides = decides(self, a);
                if a_decides || !decides(self, b) {
                    self.parts(a, registers, scope);
                }
                if !a_decides {
                    self.parts(b, registers, scope);
                }
            }
            Kind::Not(a) | Kind::Case(_, a) => self.parts(a, registers, scope),
            Kind::If(condition, yes, no) => {
                let Some(holds) = self.quietly(condition, registers) else {
                    return;
                };
                // One that does not hold matters only if it would give something else.
                let [would, would_not] = [yes, no].map(|case| self.quietly(case, registers));
                if holds != 0 || would != would_not {
                    self.parts(condition, registers, scope);
                }
                let case = if holds == 0 { no } else { yes };
                self.parts(case, registers, scope);
            }
            Kind::Binary(Op2::Eq | Op2::Ne | Op2::Lt | Op2::Le, a, b) => {
                for side in [a, b] {
                    if self.trace.values.len() < COMPARED
                        && !matches!(side.kind, Kind::Const(_))
                        && let Some(value) = self.quietly(side, registers)
                        && let Some(compared) = self.compared(side, value, registers, scope)
                        && compared.source != Source::Number
                    {
                        self.remember(compared);
                    }
                }
            }
            Kind::Call(f, args) if scope.depth < 4 => {
                let types = self.types_of(*f, args, scope.types);
                let f = &self.model.functions[*f];
                let values: Option<Vec<i64>> = args
                    .iter()
                    .map(|arg| self.quietly(arg, registers))
                    .collect();
                if let (Some(mut values), Some(result), true) =
                    (values, &f.result, f.body.is_empty())
                {
                    let given = args.iter().zip(&values);
                    let given: Vec<Option<Compared>> = given
                        .map(|(arg, value)| self.compared(arg, *value, registers, scope))
                        .collect();
                    values.resize(f.locals.max(f.params).at(), 0);
                    let inside = Scope {
                        types: &types,
                        given: Some(&given),
                        depth: scope.depth + 1,
                    };
                    self.parts(result, &values, &inside);
                }
            }
            _ => {}
        }
    }

    /// What the names stand for that a condition uses. `params` are the registers of its own parameters: what lies
    /// behind runs through something.
    fn names(&mut self, ex: &Ex, registers: &[i64], scope: &Scope<'_>, params: u16) {
        let mut found = Vec::new();
        named(ex, params, &mut found);
        for name in &found {
            let known = self
                .trace
                .values
                .iter()
                .any(|known| known.span == name.span);
            if let (false, Some(value)) = (known, self.quietly(name, registers))
                && let Some(compared) = self.compared(name, value, registers, scope)
            {
                self.remember(compared);
            }
        }
    }

    /// The first of the conditions joined by `and` that does not hold.
    fn failed(&mut self, ex: &Ex, registers: &[i64]) -> Option<Span> {
        match &ex.kind {
            Kind::And(a, b) => self
                .failed(a, registers)
                .or_else(|| self.failed(b, registers)),
            _ => (self.quietly(ex, registers) == Some(0)).then_some(ex.span),
        }
    }

    /// Remembers what was compared, once, if one number says it.
    fn remember(&mut self, compared: Compared) {
        let of_one = match &compared.ty {
            Ty::Option(inner) => &**inner,
            ty => ty,
        };
        let wide = matches!(of_one, Ty::Bag(_) | Ty::Record(_) | Ty::Spread);
        let known = self.trace.values.iter().any(|known| {
            (&known.source, known.value, known.own)
                == (&compared.source, compared.value, compared.own)
                && (compared.source != Source::Name || known.span == compared.span)
        });
        if !wide && !known {
            self.trace.values.push(compared);
        }
    }

    /// An expression with its value, type, and what it reads; none if it is a variable inside a query that stands for nothing
    /// in the condition: whoever is shown only the condition does not know its name.
    fn compared(
        &mut self,
        ex: &Ex,
        value: i64,
        registers: &[i64],
        scope: &Scope<'_>,
    ) -> Option<Compared> {
        if let (Kind::Local(register), Some(given)) = (&without_case(ex).kind, scope.given) {
            return given.get(register.at()).cloned().flatten();
        }
        Some(Compared {
            span: ex.span,
            value,
            ty: self.type_of(ex, scope.types, 0),
            source: self.source(ex, registers, scope),
            own: scope.given.is_none(),
        })
    }

    /// What an expression reads.
    fn source(&mut self, ex: &Ex, registers: &[i64], scope: &Scope<'_>) -> Source {
        let mut at = |addr: &Addr| -> Option<Cell> {
            let cell: i64 = self.cell(addr, &mut registers.to_vec())?.fit();
            Some(cell.fit())
        };
        let cell = match &ex.kind {
            Kind::Load(addr) => at(addr).map(Source::Cell),
            Kind::SumCells { addr, .. } => at(addr).map(Source::Size),
            Kind::CountIn { addr, row } => {
                let pile = at(addr);
                let row = self.quietly(row, registers);
                pile.zip(row).map(|(pile, row)| Source::InPile(pile, row))
            }
            Kind::Case(_, inner) => Some(self.source(inner, registers, scope)),
            Kind::Const(_) => Some(Source::Number),
            Kind::Aggregate { op, .. } => Some(Source::Aggregate(*op)),
            Kind::Binary(op @ (Op2::Add | Op2::Sub | Op2::Mul), a, b) => {
                let sides = [a, b].map(|side| {
                    let value = self.quietly(side, registers)?;
                    self.compared(side, value, registers, scope)
                });
                match sides {
                    [Some(a), Some(b)] => Some(Source::Operation(*op, Box::new([a, b]))),
                    _ => None,
                }
            }
            Kind::Local(_) => Some(Source::Name),
            Kind::Column { column, row } => self
                .quietly(row, registers)
                .map(|row| Source::Column(*column, row)),
            Kind::Call(f, args) => {
                let asked = self.asked_of(*f, args, scope.types);
                let values: Option<Vec<(i64, Ty)>> = asked
                    .into_iter()
                    .map(|(at, ty)| Some((self.quietly(&args[at], registers)?, ty)))
                    .collect();
                values.map(|values| Source::Function(*f, values))
            }
            _ => None,
        };
        cell.unwrap_or(Source::Other)
    }

    /// What a function is asked of, by place among its arguments, with the types that it declares, or else what the
    /// arguments are. A bag or a record, which is many numbers, is left out: no word stands for it.
    fn asked_of(&mut self, f: FuncId, args: &[Ex], types: &[Ty]) -> Vec<(usize, Ty)> {
        let model = self.model;
        let mut queries = model.queries.values();
        if let Some(query) = queries.find(|query| query.function == f) {
            let mut next = 0;
            let mut asked = Vec::new();
            for ty in &query.params {
                let width = model.width(ty).at();
                if width == 1 {
                    asked.push((next, ty.clone()));
                }
                next += width;
            }
            if next == args.len() {
                return asked;
            }
        }
        self.types_of(f, args, types)
            .into_iter()
            .enumerate()
            .collect()
    }

    /// The types of a function's arguments: those that it declares, or else what the arguments are.
    fn types_of(&mut self, f: FuncId, args: &[Ex], types: &[Ty]) -> Vec<Ty> {
        let mut queries = self.model.queries.values();
        if let Some(query) = queries.find(|query| query.function == f)
            && query.params.len() == args.len()
        {
            return query.params.clone();
        }
        args.iter().map(|arg| self.type_of(arg, types, 0)).collect()
    }

    /// The clause of the query that gives a number, or that it begins with.
    fn clause(&mut self, ex: &Ex, registers: &[i64]) -> Option<ClauseId> {
        self.fuel = self.fuel.checked_sub(1)?;
        match &ex.kind {
            Kind::Case(Some(clause), _) => Some(*clause),
            Kind::Case(None, inner) | Kind::Minus(inner) => self.clause(inner, registers),
            Kind::Binary(_, a, b) => {
                let first = self.clause(a, registers);
                first.or_else(|| self.clause(b, registers))
            }
            Kind::If(condition, a, b) => match self.quietly(condition, registers)? {
                0 => self.clause(b, registers),
                _ => self.clause(a, registers),
            },
            Kind::Call(f, args) => {
                let f = &self.model.functions[*f];
                let args = args.iter().map(|arg| self.quietly(arg, registers));
                let mut registers = args.collect::<Option<Vec<i64>>>()?;
                registers.resize(f.locals.max(f.params).at(), 0);
                self.clause(f.result.as_ref()?, &registers)
            }
            _ => None,
        }
    }

    /// The value of a part, without the clauses that decided it.
    pub(super) fn quietly(&mut self, ex: &Ex, registers: &[i64]) -> Option<i64> {
        let clauses = self.trace.clauses.len();
        let value = self.eval(ex, &mut registers.to_vec());
        self.trace.clauses.truncate(clauses);
        value
    }

    /// What a value is, as far as that can be told: the typed tree keeps the types of declarations only.
    fn type_of(&mut self, ex: &Ex, types: &[Ty], depth: u32) -> Ty {
        let Some(left) = self.fuel.checked_sub(1) else {
            return Ty::Int;
        };
        self.fuel = left;
        let model = self.model;
        if let Some(ty) = model.written.get(&ex.span) {
            return ty.clone();
        }
        let of_marker = |base: Cell| {
            let marker = model.markers.iter().find(|m| m.base == base);
            marker.map(|m| m.ty.clone())
        };
        let ty = match &ex.kind {
            Kind::Local(r) => types.get(r.at()).cloned(),
            Kind::Load(addr) => of_marker(addr.base),
            Kind::Column { column, .. } => Some(model.columns[*column].ty.clone()),
            Kind::Case(_, inner) | Kind::If(_, inner, _) => {
                Some(self.type_of(inner, types, depth + 1))
            }
            Kind::Call(f, args) if depth < 8 => {
                let mut queries = model.queries.values();
                if let Some(query) = queries.find(|query| query.function == *f) {
                    return query.ty.clone();
                }
                let inner: Vec<Ty> = args
                    .iter()
                    .map(|arg| self.type_of(arg, types, depth + 1))
                    .collect();
                let result = &model.functions[*f].result;
                result
                    .as_ref()
                    .map(|ex| self.type_of(ex, &inner, depth + 1))
            }
            _ => None,
        };
        ty.unwrap_or(Ty::Int)
    }

    fn function(&mut self, function: FuncId, args: &[i64]) -> Option<i64> {
        let f = &self.model.functions[function];
        if !f.body.is_empty() {
            return None;
        }
        let mut registers = args.to_vec();
        registers.resize(f.locals.max(f.params).at(), 0);
        let model = self.model;
        self.eval(model.functions[function].result.as_ref()?, &mut registers)
    }

    pub(super) fn cell(&mut self, addr: &Addr, registers: &mut Vec<i64>) -> Option<usize> {
        let mut cell = i64::from(addr.base);
        for (ex, stride) in &addr.index {
            let i = self.eval(ex, registers)?;
            if i < 0 {
                return None;
            }
            cell = i.checked_mul(i64::from(*stride))?.checked_add(cell)?;
        }
        usize::try_from(cell).ok()
    }

    fn eval(&mut self, ex: &Ex, registers: &mut Vec<i64>) -> Option<i64> {
        self.fuel = self.fuel.checked_sub(1)?;
        spend(1, Some(ex.span));
        Some(match &ex.kind {
            Kind::Const(c) => *c,
            Kind::Local(r) => registers[r.at()],
            Kind::LocalAt { base, len, index } => {
                let i = self.eval(index, registers)?;
                let i = usize::try_from(i).ok().filter(|i| *i < len.at())?;
                registers[base.at() + i]
            }
            Kind::Registers { .. } | Kind::Cells { .. } | Kind::Together(_) => {
                unreachable!("the checker takes such values apart")
            }
            Kind::SumLocals { base, len } => registers[base.at()..(*base + *len).at()]
                .iter()
                .try_fold(0i64, |sum, n| sum.checked_add(*n))?,
            Kind::Load(addr) => {
                let cell = self.cell(addr, registers)?;
                i64::from(*self.cells.get(cell)?)
            }
            Kind::SumCells { addr, len } => {
                let cell = self.cell(addr, registers)?;
                self.cells
                    .get(cell..cell + len.at())?
                    .iter()
                    .map(|c| i64::from(*c))
                    .sum()
            }
            Kind::CountIn { addr, row } => {
                let cell = self.cell(addr, registers)?;
                let row = self.eval(row, registers)?;
                crate::program::model::count_in(self.cells, cell.fit(), row)?.0
            }
            Kind::Column { column, row } => {
                let row = self.eval(row, registers)?;
                *self.model.columns[*column]
                    .values
                    .get(usize::try_from(row).ok()?)?
            }
            Kind::Minus(a) => self.eval(a, registers)?.checked_neg()?,
            Kind::Not(a) => i64::from(self.eval(a, registers)? == 0),
            Kind::Binary(op, a, b) => {
                let bound = matches!(b.kind, Kind::Case(..));
                let a = self.eval(a, registers)?;
                let before = self.trace.clauses.len();
                let b = self.eval(b, registers)?;
                let decides = match op {
                    Op2::Min => b < a,
                    Op2::Max => a < b,
                    _ => true,
                };
                if bound && !decides {
                    // A bound that does not decide explains nothing.
                    self.trace.clauses.truncate(before);
                }
                op.of(a, b)?
            }
            Kind::And(a, b) => {
                i64::from(self.eval(a, registers)? != 0 && self.eval(b, registers)? != 0)
            }
            Kind::Or(a, b) => {
                let before = self.trace.clauses.len();
                if self.eval(a, registers)? != 0 {
                    return Some(1);
                }
                let between = self.trace.clauses.len();
                let other = self.eval(b, registers)? != 0;
                if other {
                    self.trace.clauses.drain(before..between);
                } else if between > before {
                    // Neither holds: the first says what forbids, the others are exceptions to it.
                    self.trace.clauses.truncate(between);
                }
                i64::from(other)
            }
            Kind::If(c, a, b) => {
                if self.eval(c, registers)? != 0 {
                    self.eval(a, registers)?
                } else {
                    self.eval(b, registers)?
                }
            }
            Kind::Call(f, args) => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.eval(arg, registers)?);
                }
                self.function(*f, &values)?
            }
            Kind::Aggregate {
                op,
                var,
                domain,
                filter,
                body,
                ..
            } => {
                let (from, to) = match domain {
                    Domain::Upto(n) => (0, i64::from(*n)),
                    Domain::Range(a, b) => (self.eval(a, registers)?, self.eval(b, registers)?),
                };
                self.aggregate(
                    *op,
                    var.at(),
                    from..to,
                    filter.as_deref(),
                    body.as_deref(),
                    registers,
                )?
            }
            Kind::Possible { mv, seat } => {
                let seat = self.eval(seat, registers)?;
                i64::from(self.possible?(*mv, seat))
            }
            Kind::Verb(..) | Kind::Offer { .. } | Kind::Standing { .. } => return None,
            Kind::Case(clause, inner) => {
                let value = self.eval(inner, registers)?;
                self.trace.clauses.extend(clause);
                value
            }
        })
    }

    fn aggregate(
        &mut self,
        op: Aggregate,
        var: usize,
        range: std::ops::Range<i64>,
        filter: Option<&Ex>,
        body: Option<&Ex>,
        registers: &mut Vec<i64>,
    ) -> Option<i64> {
        let mut seen = false;
        let mut acc = match op {
            Aggregate::All => 1,
            Aggregate::First => NONE,
            _ => 0,
        };
        for i in range {
            registers[var] = i;
            if let Some(filter) = filter
                && self.eval(filter, registers)? == 0
            {
                continue;
            }
            registers[var] = i;
            let value = match body {
                Some(body) => self.eval(body, registers)?,
                None => 1,
            };
            match op {
                Aggregate::Any if value != 0 => return Some(1),
                Aggregate::All if value == 0 => return Some(0),
                Aggregate::First => return Some(i),
                Aggregate::Sum | Aggregate::Count => acc = acc.checked_add(value)?,
                Aggregate::Max => acc = if seen { acc.max(value) } else { value },
                Aggregate::Min => acc = if seen { acc.min(value) } else { value },
                _ => {}
            }
            seen = true;
        }
        Some(acc)
    }
}
