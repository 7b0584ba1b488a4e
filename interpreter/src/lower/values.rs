//! Values: expressions into registers.

use super::conditions::{Against, Turn, against_constant};
use super::{Frame, Lowering, row_sums};
use crate::numbers::{Fit as _, low};
use crate::program::bytecode::Total;
use crate::program::bytecode::{Op, Reg};
use crate::program::ids::{ClauseId, FuncId};
use crate::program::tree::{Addr, Aggregate, Arg, Domain, Ex, Kind, NONE, Op2};
use crate::source::Span;

impl Lowering<'_> {
    /// A register that holds the value; locals are not copied.
    pub(super) fn value(&mut self, ex: &Ex) -> Reg {
        if let Kind::Local(r) = ex.kind {
            return self.local(r);
        }
        let d = self.fresh();
        self.fill(d, ex);
        d
    }

    /// Ends the function with a value.
    pub(super) fn give(&mut self, ex: &Ex) {
        let free = self.next;
        match &ex.kind {
            Kind::Const(c) => {
                self.emit(Op::ReturnConst { v: low(*c) }, ex.span);
            }
            Kind::If(c, a, b) if !is_chosen(c, a, b) => {
                let no = self.unless(c);
                self.give(a);
                self.patch(&no);
                self.give(b);
            }
            Kind::And(..) | Kind::Or(..) => {
                let no = self.unless(ex);
                self.emit(Op::ReturnConst { v: 1 }, ex.span);
                self.patch(&no);
                self.emit(Op::ReturnConst { v: 0 }, ex.span);
            }
            Kind::Case(_, inner) if !self.traced => self.give(inner),
            _ => {
                let s = self.value(ex);
                self.emit(Op::Return { s }, ex.span);
            }
        }
        self.next = free;
    }

    pub(super) fn fill(&mut self, d: Reg, ex: &Ex) {
        let free = self.next;
        self.compute(d, ex);
        self.next = free;
    }

    fn compute(&mut self, d: Reg, ex: &Ex) {
        let span = ex.span;
        match &ex.kind {
            Kind::Const(c) => {
                self.emit(Op::Const { d, v: low(*c) }, span);
            }
            Kind::Local(s) => {
                let s = self.local(*s);
                if s != d {
                    self.emit(Op::Copy { d, s }, span);
                }
            }
            Kind::LocalAt { base, len, index } => {
                let i = self.value(index);
                self.emit(
                    Op::RegisterAt {
                        d,
                        base: *base,
                        i,
                        len: *len,
                    },
                    span,
                );
            }
            Kind::Registers { .. } | Kind::Cells { .. } | Kind::Together(_) => {
                unreachable!("the checker takes such values apart")
            }
            Kind::SumLocals { base, len } => {
                self.emit(
                    Op::SumRegisters {
                        d,
                        base: *base,
                        len: *len,
                    },
                    span,
                );
            }
            Kind::Load(addr) => {
                let load = self.load(d, addr, span);
                self.emit(load, span);
            }
            Kind::SumCells { addr, len } => {
                let (base, running) = running(addr);
                if let ([(index, by @ 2..)], Ok(len)) = (&running[..], u8::try_from(*len))
                    && let Ok(by) = u16::try_from(*by)
                {
                    let i = self.value(index);
                    let sum = Op::SumScaled {
                        d,
                        base,
                        i,
                        by,
                        len,
                    };
                    self.emit(sum, span);
                    return;
                }
                let len = len.fit();
                match self.offset(addr, span, false) {
                    (base, None) => self.emit(Op::Sum { d, base, len }, span),
                    (base, Some(i)) => self.emit(Op::SumAt { d, base, i, len }, span),
                };
            }
            Kind::CountIn { addr, row } => {
                let cell = self.fresh();
                self.cell(cell, addr, span);
                let row = self.value(row);
                self.emit(Op::CountIn { d, cell, row }, span);
            }
            Kind::Column { column, row } => {
                let i = self.value(row);
                let base = self.column_bases[*column];
                let len = self.model.columns[*column].values.len().fit();
                self.emit(Op::Column { d, base, i, len }, span);
            }
            Kind::Minus(a) => {
                let a = self.value(a);
                self.emit(Op::Neg { d, a }, span);
            }
            Kind::Not(a) => {
                let a = self.value(a);
                self.emit(Op::Not { d, a }, span);
            }
            Kind::Binary(op, a, b) => self.binary(d, *op, a, b, span),
            Kind::And(..) | Kind::Or(..) | Kind::Offer { .. } => {
                let no = self.unless(ex);
                self.emit(Op::Const { d, v: 1 }, span);
                let end = self.emit(Op::Jump { to: 0 }, span);
                self.patch(&no);
                self.emit(Op::Const { d, v: 0 }, span);
                self.land(end);
            }
            Kind::If(c, a, b) => {
                if let (Kind::Local(c), Some((yes, no))) = (&c.kind, short(a).zip(short(b))) {
                    let c = self.local(*c);
                    self.emit(Op::Choose { d, c, yes, no }, span);
                    return;
                }
                if let (true, Some((yes, no))) = (is_chosen(c, a, b), short(a).zip(short(b))) {
                    self.fill(d, c);
                    if (yes, no) != (1, 0) {
                        self.emit(Op::Choose { d, c: d, yes, no }, span);
                    }
                    return;
                }
                let no = self.unless(c);
                self.fill(d, a);
                let end = self.emit(Op::Jump { to: 0 }, span);
                self.patch(&no);
                self.fill(d, b);
                self.land(end);
            }
            Kind::Call(f, args) if self.plan.inlined[*f] => {
                self.inlined(*f, args, |this, result| match result {
                    Some(result) => this.fill(d, result),
                    None => {
                        this.emit(Op::Const { d, v: 0 }, span);
                    }
                });
            }
            Kind::Call(f, args) => {
                let given: Vec<Given<'_>> = args.iter().map(Given::Value).collect();
                let at = self.window(&given, span);
                // The callee's window starts at the arguments.
                self.fresh();
                self.emit(
                    Op::Call {
                        d,
                        function: *f,
                        at,
                    },
                    span,
                );
            }
            Kind::Aggregate {
                op,
                var,
                acc,
                domain,
                filter,
                body,
            } => {
                self.aggregate(
                    d,
                    *op,
                    *var,
                    self.local(*acc),
                    domain,
                    filter.as_deref(),
                    body.as_deref(),
                    span,
                );
            }
            Kind::Possible { mv, seat } => {
                let seat = self.value(seat);
                self.emit(Op::Possible { d, mv: *mv, seat }, span);
            }
            Kind::Standing {
                first,
                at,
                len,
                optional,
            } => {
                let first = self.value(first);
                let standing = Op::Standing {
                    d,
                    first,
                    at: *at,
                    len: *len,
                    optional: *optional,
                };
                self.emit(standing, span);
            }
            Kind::Verb(verb, args) => {
                let given = args.iter().map(|arg| match arg {
                    Arg::Value(ex) => Given::Value(ex),
                    Arg::Cells(addr) => Given::Cell(addr),
                    // The verb finds the window by this number.
                    Arg::Window(w) => Given::Number(i32::from(*w)),
                });
                let given: Vec<Given<'_>> = given.collect();
                let at = self.window(&given, span);
                let verbs = &mut self.program.verbs;
                let number = verbs.iter().position(|v| v == verb).unwrap_or_else(|| {
                    verbs.push(*verb);
                    verbs.len() - 1
                });
                self.emit(
                    Op::Verb {
                        d,
                        verb: number.fit(),
                        at,
                    },
                    span,
                );
            }
            Kind::Case(clause, inner) => {
                self.fill(d, inner);
                if let (true, Some(clause)) = (self.traced, clause) {
                    self.emit(Op::Cite { clause: *clause }, span);
                }
            }
        }
    }

    /// Puts arguments side by side; gives where they begin. What is only copied cannot fail, so that it need not
    /// wait for what is computed before it: constants come first, then locals, each as many at once as lie together.
    fn window(&mut self, given: &[Given<'_>], span: Span) -> Reg {
        let at = self.next;
        self.next += given.len().fit::<Reg>();
        self.most = self.most.max(self.next);
        let constants = given.iter().map(|given| given.constant());
        let constants: Vec<Option<i32>> = constants.collect();
        let register = |i: usize| at + i.fit::<Reg>();
        let mut i = 0;
        while i < constants.len() {
            let Some(v) = constants[i] else {
                i += 1;
                continue;
            };
            // What lies between is overwritten.
            let near = |i: usize| {
                let mut next = constants
                    .iter()
                    .enumerate()
                    .skip(i + 1)
                    .take(CONSTANTS_APART);
                next.find(|(_, c)| c.is_some()).map(|(next, _)| next)
            };
            let mut last = i;
            while let Some(next) = near(last) {
                last = next;
            }
            let d = register(i);
            if last == i {
                self.emit(Op::Const { d, v }, span);
            } else {
                let first = self.program.constants.len().fit();
                let all = constants[i..=last].iter();
                let all = all.map(|c| i64::from(c.unwrap_or(0)));
                self.program.constants.extend(all);
                let len = (last - i + 1).fit();
                self.emit(Op::Consts { d, first, len }, span);
            }
            i = last + 1;
        }
        let local = |this: &Self, i: usize| match given.get(i) {
            Some(Given::Value(ex)) => match ex.kind {
                Kind::Local(local) => Some(this.local(local)),
                _ => None,
            },
            _ => None,
        };
        let mut i = 0;
        while i < given.len() {
            let Some(s) = local(self, i) else {
                i += 1;
                continue;
            };
            let mut len = 1;
            while local(self, i + len) == Some(s + len.fit::<Reg>()) {
                len += 1;
            }
            let d = register(i);
            match len {
                1 => self.emit(Op::Copy { d, s }, span),
                _ => self.emit(
                    Op::CopyAll {
                        d,
                        s,
                        len: len.fit(),
                    },
                    span,
                ),
            };
            i += len;
        }
        for (i, given) in given.iter().enumerate() {
            match given {
                _ if constants[i].is_some() || local(self, i).is_some() => {}
                Given::Value(ex) => self.fill(register(i), ex),
                Given::Cell(addr) => {
                    let free = self.next;
                    self.cell(register(i), addr, span);
                    self.next = free;
                }
                Given::Number(_) => {}
            }
        }
        at
    }

    /// The number of the first of some cells.
    fn cell(&mut self, d: Reg, addr: &Addr, span: Span) {
        let (base, running) = running(addr);
        if let [(index, by)] = running[..]
            && let Ok(by) = u16::try_from(*by)
        {
            let i = self.value(index);
            self.emit(Op::Cell { d, base, i, by }, span);
            return;
        }
        if let [(outer, by), (inner, step)] = running[..]
            && let (Kind::Local(j), Ok(base)) = (&inner.kind, u16::try_from(base))
            && let (Ok(by), Ok(step)) = (u16::try_from(*by), u8::try_from(*step))
        {
            let (i, j) = (self.value(outer), self.local(*j));
            let pair = Op::CellPair {
                d,
                base,
                i,
                by,
                j,
                step,
            };
            self.emit(pair, span);
            return;
        }
        let (base, offset) = self.offset(addr, span, true);
        let v = base.cast_signed();
        match offset {
            None => self.emit(Op::Const { d, v }, span),
            Some(a) => self.emit(Op::AddConst { d, a, v }, span),
        };
    }

    /// Lowers what a function gives where it is asked.
    pub(super) fn inlined<T>(
        &mut self,
        id: FuncId,
        args: &[Ex],
        lower: impl FnOnce(&mut Self, Option<&Ex>) -> T,
    ) -> T {
        let functions = self.functions;
        let function = &functions[id];
        let params: Vec<Reg> = args.iter().map(|arg| self.value(arg)).collect();
        let base = self.next;
        self.next += function.locals;
        self.most = self.most.max(self.next);
        if let (true, Some(clause)) = (self.traced, self.model.function_cites.get(&id)) {
            let clause = *clause;
            self.emit(Op::Cite { clause }, function.span);
        }
        let frame = std::mem::replace(&mut self.frame, Frame { params, base });
        let lowered = lower(self, function.result.as_ref());
        self.frame = frame;
        lowered
    }

    /// A bound of a query: its clause is reported only if it decides.
    fn bound(&mut self, d: Reg, op: Op2, a: &Ex, bound: &Ex, clause: ClauseId, span: Span) {
        let a = self.value(a);
        let b = self.value(bound);
        let (less, more) = match op {
            Op2::Max => (a, b),
            _ => (b, a),
        };
        let stays = self.emit(
            Op::JumpUnlessLess {
                a: less,
                b: more,
                to: 0,
            },
            span,
        );
        self.emit(Op::Cite { clause }, span);
        self.land(stays);
        self.emit(
            match op {
                Op2::Max => Op::Max { d, a, b },
                _ => Op::Min { d, a, b },
            },
            span,
        );
    }

    fn binary(&mut self, d: Reg, op: Op2, a: &Ex, b: &Ex, span: Span) {
        if let (true, Op2::Max | Op2::Min, Kind::Case(Some(clause), bound)) =
            (self.traced, op, &b.kind)
        {
            self.bound(d, op, a, bound, *clause, span);
            return;
        }
        let constant = |ex: &Ex| match ex.kind {
            Kind::Const(c) => i32::try_from(c).ok(),
            _ => None,
        };
        if let (Op2::Sub, Some(v)) = (op, constant(a)) {
            let a = self.value(b);
            self.emit(Op::SubFrom { d, v, a }, span);
            return;
        }
        match (op, constant(b)) {
            (Op2::Add, Some(v)) => {
                let a = self.value(a);
                self.emit(Op::AddConst { d, a, v }, span);
                return;
            }
            (Op2::Sub, Some(v)) if v != i32::MIN => {
                let a = self.value(a);
                self.emit(Op::AddConst { d, a, v: -v }, span);
                return;
            }
            (Op2::Min, Some(v)) => {
                let a = self.value(a);
                self.emit(Op::MinConst { d, a, v }, span);
                return;
            }
            (Op2::Max, Some(v)) => {
                let a = self.value(a);
                self.emit(Op::MaxConst { d, a, v }, span);
                return;
            }
            _ => {}
        }
        if let Some((a, against)) = against_constant(op, a, b) {
            let a = self.value(a);
            let op = match against {
                Against::Is(v) => Op::Is { d, a, v },
                Against::IsNot(v) => Op::IsNot { d, a, v },
                Against::IsBelow(v) => Op::IsBelow { d, a, v },
                Against::IsNotBelow(v) => Op::IsNotBelow { d, a, v },
            };
            self.emit(op, span);
            return;
        }
        let a = self.value(a);
        let b = self.value(b);
        let op = match op {
            Op2::Add => Op::Add { d, a, b },
            Op2::Sub => Op::Sub { d, a, b },
            Op2::Mul => Op::Mul { d, a, b },
            Op2::Div => Op::Div { d, a, b },
            Op2::Rem => Op::Rem { d, a, b },
            Op2::Eq => Op::Eq { d, a, b },
            Op2::Ne => Op::Ne { d, a, b },
            Op2::Lt => Op::Lt { d, a, b },
            Op2::Le => Op::Le { d, a, b },
            Op2::Min => Op::Min { d, a, b },
            Op2::Max => Op::Max { d, a, b },
        };
        self.emit(op, span);
    }

    /// The instruction that loads a cell, its indices in registers.
    fn load(&mut self, d: Reg, addr: &Addr, span: Span) -> Op {
        let (base, running) = running(addr);
        if let [(index, by)] = running[..]
            && let (2.., Ok(by)) = (*by, u16::try_from(*by))
        {
            let i = self.value(index);
            return Op::LoadScaled { d, base, i, by };
        }
        // An index that is computed may be a fault that comes after the first one's.
        if let [(outer, by), (inner, step)] = running[..]
            && let (Kind::Local(j), Ok(base)) = (&inner.kind, u16::try_from(base))
            && let (Ok(by), Ok(step)) = (u16::try_from(*by), u8::try_from(*step))
        {
            let (i, j) = (self.value(outer), self.local(*j));
            return Op::LoadPair {
                d,
                base,
                i,
                by,
                j,
                step,
            };
        }
        if let [(outer, by), (middle, next), (inner, step)] = running[..]
            && let (Kind::Local(second), Kind::Local(j)) = (&middle.kind, &inner.kind)
            && let (Ok(base), Ok(step)) = (u16::try_from(base), u8::try_from(*step))
            && let (Ok(by), Ok(next)) = (u16::try_from(*by), u16::try_from(*next))
        {
            let (first, second, j) = (self.value(outer), self.local(*second), self.local(*j));
            let i = self.fresh();
            let pair = Op::ScalePair {
                d: i,
                i: first,
                by,
                j: second,
                step: next,
            };
            self.emit(pair, span);
            let by = 1;
            return Op::LoadPair {
                d,
                base,
                i,
                by,
                j,
                step,
            };
        }
        match self.offset(addr, span, false) {
            (cell, None) => Op::Load { d, cell },
            (base, Some(i)) => Op::LoadAt { d, base, i },
        }
    }

    /// Base cell and a register with the offset; constants are folded into the base. Loads check that a
    /// lone index is not `none`; what is handed to a verb must have been checked (`checked`).
    fn offset(&mut self, addr: &Addr, span: Span, checked: bool) -> (u32, Option<Reg>) {
        let mut base = addr.base;
        let mut sum: Option<Reg> = None;
        for (ex, stride) in &addr.index {
            if let Kind::Const(c) = ex.kind
                && let Ok(c) = u32::try_from(c)
            {
                base += c * stride;
                continue;
            }
            let i = self.value(ex);
            sum = Some(match sum {
                None if *stride == 1 && !checked => i,
                None => {
                    let d = self.fresh();
                    self.emit(Op::Scale { d, i, by: *stride }, span);
                    d
                }
                Some(a) => {
                    let d = self.fresh();
                    match u16::try_from(*stride) {
                        Ok(by) => self.emit(Op::AddScaled { d, a, i, by }, span),
                        Err(_) => {
                            self.emit(Op::Scale { d, i, by: *stride }, span);
                            self.emit(Op::Add { d, a, b: d }, span)
                        }
                    };
                    d
                }
            });
        }
        (base.0, sum)
    }

    /// Begins a turn of an aggregate's loop.
    fn turn_of(
        &mut self,
        op: Aggregate,
        local: Reg,
        domain: &Domain,
        (filter, body): (Option<&Ex>, Option<&Ex>),
        span: Span,
    ) -> Turn {
        let var = self.local(local);
        self.start(var, var + 1, domain);
        // What decides a whole is tested like a condition.
        let (joined, unwanted) = match (op, filter, body) {
            (Aggregate::Any, Some(filter), Some(body)) => {
                let both = Kind::And(Box::new(filter.clone()), Box::new(body.clone()));
                (Some(Ex { kind: both, span }), None)
            }
            (Aggregate::Any, None, Some(body)) => (Some(body.clone()), None),
            (Aggregate::All, _, body) => (filter.cloned(), body),
            _ => (filter.cloned(), None),
        };
        let joined = joined.map(|condition| self.prepared(condition, local));
        let pair = (var, var + 1);
        self.turn(local, pair, domain, joined.as_ref(), unwanted, span)
    }

    /// Jumps to be patched that are taken when `any` or `all` gives what is said.
    pub(super) fn quantified(
        &mut self,
        op: Aggregate,
        local: Reg,
        domain: &Domain,
        tested: (Option<&Ex>, Option<&Ex>),
        holds: bool,
        span: Span,
    ) -> Vec<u32> {
        let free = self.next;
        let mut turn = self.turn_of(op, local, domain, tested, span);
        // This row decides: one that is so, or one that is not.
        let decided = self.emit(Op::Jump { to: 0 }, span);
        self.patch(&turn.again);
        self.emit(turn.next, turn.span);
        self.next = free;
        if holds == (op == Aggregate::Any) {
            self.patch(&turn.exits);
            return vec![decided];
        }
        turn.exits.push(self.emit(Op::Jump { to: 0 }, span));
        self.land(decided);
        turn.exits
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one sentence")]
    fn aggregate(
        &mut self,
        d: Reg,
        op: Aggregate,
        local: Reg,
        acc: Reg,
        domain: &Domain,
        filter: Option<&Ex>,
        body: Option<&Ex>,
        span: Span,
    ) {
        if let (Aggregate::Sum, Domain::Upto(rows), None, Some(body)) = (op, domain, filter, body)
            && let Some((terms, place)) =
                row_sums::terms(self.model, body, (local, *rows), self.column_bases, &|r| {
                    self.local(r)
                })
        {
            let (total, rows) = (self.program.totals.len().fit(), *rows);
            self.program.totals.push(Total { rows, terms });
            self.emit(Op::Total { d, total }, place);
            return;
        }
        // `acc` is a register of its own, so that a nested aggregate cannot overwrite it.
        let var = self.local(local);
        let start = match op {
            Aggregate::All => 1,
            Aggregate::First => low(NONE),
            _ => 0,
        };
        self.emit(Op::Const { d: acc, v: start }, span);
        let seen = matches!(op, Aggregate::Max | Aggregate::Min).then(|| self.fresh());
        if let Some(d) = seen {
            self.emit(Op::Const { d, v: 0 }, span);
        }
        let mut turn = self.turn_of(op, local, domain, (filter, body), span);
        match (op, body) {
            (Aggregate::Any | Aggregate::All, Some(_)) => {
                let found = i32::from(op == Aggregate::Any);
                self.emit(Op::Const { d: acc, v: found }, span);
                turn.exits.push(self.emit(Op::Jump { to: 0 }, span));
            }
            (Aggregate::First, _) => {
                self.emit(Op::Copy { d: acc, s: var }, span);
                turn.exits.push(self.emit(Op::Jump { to: 0 }, span));
            }
            (Aggregate::Count, _) => {
                self.emit(
                    Op::AddConst {
                        d: acc,
                        a: acc,
                        v: 1,
                    },
                    span,
                );
            }
            (Aggregate::Sum, Some(body)) => {
                let free = self.next;
                let r = self.value(body);
                self.emit(
                    Op::Add {
                        d: acc,
                        a: acc,
                        b: r,
                    },
                    span,
                );
                self.next = free;
            }
            (_, Some(body)) => {
                let free = self.next;
                let r = self.value(body);
                if let Some(seen) = seen {
                    let extreme = Op::Extreme {
                        acc,
                        seen,
                        s: r,
                        is_max: op == Aggregate::Max,
                    };
                    self.emit(extreme, span);
                }
                self.next = free;
            }
            (_, None) => {}
        }
        self.patch(&turn.again);
        self.emit(turn.next, turn.span);
        self.patch(&turn.exits);
        self.emit(Op::Copy { d, s: acc }, span);
    }
}

/// What is handed to a function or a verb.
enum Given<'e> {
    Value(&'e Ex),
    /// The first of some cells, by its number.
    Cell(&'e Addr),
    Number(i32),
}

impl Given<'_> {
    fn constant(&self) -> Option<i32> {
        match self {
            Given::Value(ex) => match ex.kind {
                Kind::Const(c) => Some(low(c)),
                _ => None,
            },
            Given::Cell(addr) => match running(addr) {
                (base, running) if running.is_empty() => Some(base.cast_signed()),
                _ => None,
            },
            Given::Number(number) => Some(*number),
        }
    }
}

/// Constants that are loaded together though something else lies between them are at most so far apart.
const CONSTANTS_APART: usize = 4;

/// Whether one of two constants is chosen without a jump.
fn is_chosen(c: &Ex, a: &Ex, b: &Ex) -> bool {
    let is_at_hand = match c.kind {
        Kind::Local(_) => true,
        Kind::Binary(op, ..) => matches!(op, Op2::Eq | Op2::Ne | Op2::Lt | Op2::Le),
        _ => false,
    };
    is_at_hand && short(a).is_some() && short(b).is_some()
}

/// The first cell as far as indices are known, and those that are not.
fn running(addr: &Addr) -> (u32, Vec<&(Ex, u32)>) {
    let mut base = addr.base;
    let mut running = Vec::new();
    for index in &addr.index {
        match index.0.kind {
            Kind::Const(c) if u32::try_from(c).is_ok() => base += c.fit::<u32>() * index.1,
            _ => running.push(index),
        }
    }
    (base.0, running)
}

/// A constant that an instruction holds beside another one.
fn short(ex: &Ex) -> Option<i16> {
    match ex.kind {
        Kind::Const(c) => i16::try_from(c).ok(),
        _ => None,
    }
}
