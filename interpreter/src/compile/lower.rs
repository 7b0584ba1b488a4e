//! From the typed tree to bytecode.

use super::bytecode::{Code, Op, Program, Reg};
use super::queries::Plan;
use super::scan::{Scan, Surroundings, conjuncts};
use crate::check::ir::{Addr, Aggregate, Arg, Domain, Ex, FuncId, Function, Kind, NONE, Op2, St};
use crate::check::model::Model;
use crate::check::regions::Regions;
use crate::source::Span;

/// Lowers every function of a model. `traced` adds instructions that report clauses as they run.
pub fn lower(model: &Model, regions: &Regions, traced: bool) -> Program {
    let plan = Plan::new(model, regions);
    let mut program = Program {
        reads: plan.reads.clone(),
        queries: plan.memos.iter().flatten().count(),
        ..Program::default()
    };
    let mut column_bases = Vec::new();
    for column in &model.columns {
        column_bases.push(program.columns.len() as u32);
        program
            .columns
            .extend(column.values.iter().map(|v| *v as i32));
    }
    for (i, function) in model.functions.iter().enumerate() {
        let start = program.ops.len() as u32;
        let cite = model.function_cites.get(&FuncId(i as u32)).copied();
        let mut lowering = Lowering {
            model,
            plan: &plan,
            column_bases: &column_bases,
            program: &mut program,
            frame: Frame::default(),
            next: function.locals.max(function.params),
            most: function.locals.max(function.params),
            loops: Vec::new(),
            traced,
        };
        lowering.function(function, cite);
        let registers = lowering.most + 1;
        program.functions.push(Code {
            start,
            registers,
            params: function.params,
            memo: plan.memos[i],
        });
    }
    program
}

/// Where the locals of the function whose tree is lowered lie.
#[derive(Clone, Debug, Default)]
struct Frame {
    /// Registers of its parameters, if it is put where it is asked.
    params: Vec<Reg>,
    /// The register of the first local behind them, as if they lay before it.
    base: Reg,
}

struct Lowering<'a> {
    model: &'a Model,
    plan: &'a Plan,
    frame: Frame,
    column_bases: &'a [u32],
    program: &'a mut Program,
    /// The next free register.
    next: Reg,
    most: Reg,
    /// Jumps of `break` and `continue` to be patched, innermost loop last.
    loops: Vec<(Vec<u32>, Vec<u32>)>,
    traced: bool,
}

impl Lowering<'_> {
    fn emit(&mut self, op: Op, span: Span) -> u32 {
        self.program.ops.push(op);
        self.program.spans.push(span);
        self.program.ops.len() as u32 - 1
    }

    fn here(&self) -> u32 {
        self.program.ops.len() as u32
    }

    fn fresh(&mut self) -> Reg {
        let r = self.next;
        self.next += 1;
        self.most = self.most.max(self.next);
        r
    }

    /// The register of a local of the tree.
    fn local(&self, local: Reg) -> Reg {
        match self.frame.params.get(local as usize) {
            Some(register) => *register,
            None => self.frame.base + local,
        }
    }

    /// Points a jump at the next instruction.
    fn land(&mut self, jump: u32) {
        let here = self.here();
        match &mut self.program.ops[jump as usize] {
            Op::Jump { to }
            | Op::JumpIf { to, .. }
            | Op::JumpUnless { to, .. }
            | Op::JumpUnlessLess { to, .. }
            | Op::Scan { to, .. } => {
                *to = here;
            }
            _ => {}
        }
    }

    fn function(&mut self, function: &Function, cite: Option<usize>) {
        if let (true, Some(clause)) = (self.traced, cite) {
            self.emit(
                Op::Cite {
                    clause: clause as u32,
                },
                function.span,
            );
        }
        self.block(&function.body);
        let s = match &function.result {
            Some(ex) => self.value(ex),
            None => {
                let d = self.fresh();
                self.emit(Op::Const { d, v: 0 }, function.span);
                d
            }
        };
        self.emit(Op::Return { s }, function.span);
    }

    fn block(&mut self, body: &[St]) {
        for st in body {
            let free = self.next;
            self.statement(st);
            self.next = free;
        }
    }

    fn statement(&mut self, st: &St) {
        match st {
            St::Set(r, ex) => self.fill(*r, ex),
            St::Do(ex) => {
                self.value(ex);
            }
            St::If(c, then, otherwise) => {
                let no = self.unless(c);
                self.block(then);
                if otherwise.is_empty() {
                    self.patch(&no);
                } else {
                    let end = self.emit(Op::Jump { to: 0 }, c.span);
                    self.patch(&no);
                    self.block(otherwise);
                    self.land(end);
                }
            }
            St::While(c, body) => {
                let top = self.here();
                let exit = self.unless(c);
                self.loops.push((exit, Vec::new()));
                self.block(body);
                let (exits, again) = self.loops.pop().unwrap_or_default();
                self.patch(&again);
                self.emit(Op::Back { to: top }, c.span);
                self.patch(&exits);
            }
            St::For(var, bound, domain, body) => {
                // A script may change the variable, which changes nothing about the turns to come.
                let changed = body.iter().any(|st| sets(st, *var));
                let counter = if changed { self.fresh() } else { *var };
                let span = self.start(counter, *bound, domain);
                let top = self.here();
                let (condition, body) = match &body[..] {
                    [St::If(condition, then, otherwise)] if otherwise.is_empty() && !changed => {
                        (Some(condition), then)
                    }
                    _ => (None, body),
                };
                let (exit, again) =
                    self.turn(*var, (counter, *bound), domain, condition, None, span);
                if changed {
                    self.emit(
                        Op::Copy {
                            d: *var,
                            s: counter,
                        },
                        span,
                    );
                }
                self.loops.push((vec![exit], again));
                self.block(body);
                let (exits, again) = self.loops.pop().unwrap_or_default();
                self.patch(&again);
                self.emit(
                    Op::AddConst {
                        d: counter,
                        a: counter,
                        v: 1,
                    },
                    span,
                );
                self.emit(Op::Back { to: top }, span);
                self.patch(&exits);
            }
            St::Break => {
                let span = self.last_span();
                let jump = self.emit(Op::Jump { to: 0 }, span);
                if let Some((exits, _)) = self.loops.last_mut() {
                    exits.push(jump);
                }
            }
            St::Continue => {
                let span = self.last_span();
                let jump = self.emit(Op::Jump { to: 0 }, span);
                if let Some((_, again)) = self.loops.last_mut() {
                    again.push(jump);
                }
            }
        }
    }

    fn last_span(&self) -> Span {
        self.program.spans.last().copied().unwrap_or(Span {
            file: crate::source::FileId(0),
            start: 0,
            end: 0,
        })
    }

    fn patch(&mut self, jumps: &[u32]) {
        for jump in jumps {
            self.land(*jump);
        }
    }

    /// Begins a turn of a loop over a variable and its bound: the jump out of the loop, and those to the
    /// next turn for what does not meet the condition. `unwanted` is what must not hold.
    fn turn(
        &mut self,
        local: Reg,
        (var, bound): (Reg, Reg),
        domain: &Domain,
        condition: Option<&Ex>,
        unwanted: Option<&Ex>,
        span: Span,
    ) -> (u32, Vec<u32>) {
        let mut conditions = Vec::new();
        if let Some(condition) = condition {
            conjuncts(condition, &mut conditions);
        }
        let (tests, place) = match domain {
            Domain::Upto(rows) => Surroundings {
                model: self.model,
                inlined: &self.plan.inlined,
                column_bases: self.column_bases,
                register: &|local| self.local(local),
                traced: self.traced,
                rows: *rows,
            }
            .tests(&conditions, local),
            Domain::Range(..) => (Vec::new(), None),
        };
        let rest = conditions.split_off(tests.len());
        let exit = if tests.is_empty() {
            Op::JumpUnlessLess {
                a: var,
                b: bound,
                to: 0,
            }
        } else {
            self.program.scans.push(Scan { var, bound, tests });
            Op::Scan {
                scan: (self.program.scans.len() - 1) as u32,
                to: 0,
            }
        };
        let exit = self.emit(exit, place.unwrap_or(span));
        let mut again = Vec::new();
        for condition in rest {
            again.extend(self.unless(condition));
        }
        if let Some(unwanted) = unwanted {
            again.extend(self.when(unwanted));
        }
        (exit, again)
    }

    /// Sets a loop's variable and bound.
    fn start(&mut self, var: Reg, bound: Reg, domain: &Domain) -> Span {
        match domain {
            Domain::Upto(n) => {
                let span = self.last_span();
                self.emit(Op::Const { d: var, v: 0 }, span);
                self.emit(
                    Op::Const {
                        d: bound,
                        v: *n as i32,
                    },
                    span,
                );
                span
            }
            Domain::Range(from, to) => {
                self.fill(var, from);
                self.fill(bound, to);
                from.span
            }
        }
    }

    /// Jumps to be patched that are taken when a condition does not hold.
    fn unless(&mut self, c: &Ex) -> Vec<u32> {
        match &c.kind {
            Kind::And(a, b) => {
                let mut jumps = self.unless(a);
                jumps.extend(self.unless(b));
                jumps
            }
            Kind::Or(a, b) => {
                let yes = self.when(a);
                let no = self.unless(b);
                self.patch(&yes);
                no
            }
            Kind::Not(a) => self.when(a),
            Kind::Binary(Op2::Lt, a, b) => {
                let free = self.next;
                let a = self.value(a);
                let b = self.value(b);
                self.next = free;
                vec![self.emit(Op::JumpUnlessLess { a, b, to: 0 }, c.span)]
            }
            _ => {
                let free = self.next;
                let r = self.value(c);
                self.next = free;
                vec![self.emit(Op::JumpUnless { c: r, to: 0 }, c.span)]
            }
        }
    }

    /// Jumps to be patched that are taken when a condition holds.
    fn when(&mut self, c: &Ex) -> Vec<u32> {
        match &c.kind {
            Kind::Or(a, b) => {
                let mut jumps = self.when(a);
                jumps.extend(self.when(b));
                jumps
            }
            Kind::And(a, b) => {
                let no = self.unless(a);
                let yes = self.when(b);
                self.patch(&no);
                yes
            }
            Kind::Not(a) => self.unless(a),
            _ => {
                let free = self.next;
                let r = self.value(c);
                self.next = free;
                vec![self.emit(Op::JumpIf { c: r, to: 0 }, c.span)]
            }
        }
    }

    /// A register that holds the value; locals are not copied.
    fn value(&mut self, ex: &Ex) -> Reg {
        if let Kind::Local(r) = ex.kind {
            return self.local(r);
        }
        let d = self.fresh();
        self.fill(d, ex);
        d
    }

    fn fill(&mut self, d: Reg, ex: &Ex) {
        let free = self.next;
        self.compute(d, ex);
        self.next = free;
    }

    fn compute(&mut self, d: Reg, ex: &Ex) {
        let span = ex.span;
        match &ex.kind {
            Kind::Const(c) => {
                self.emit(Op::Const { d, v: *c as i32 }, span);
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
            Kind::Load(addr) => match self.offset(addr, span, false) {
                (base, None) => {
                    self.emit(Op::Load { d, cell: base }, span);
                }
                (base, Some(i)) => {
                    self.emit(Op::LoadAt { d, base, i }, span);
                }
            },
            Kind::SumCells { addr, len } => {
                let len = *len as u16;
                match self.offset(addr, span, false) {
                    (base, None) => self.emit(Op::Sum { d, base, len }, span),
                    (base, Some(i)) => self.emit(Op::SumAt { d, base, i, len }, span),
                };
            }
            Kind::CountIn { addr, row } => {
                let cell = self.fresh();
                match self.offset(addr, span, true) {
                    (base, None) => self.emit(
                        Op::Const {
                            d: cell,
                            v: base as i32,
                        },
                        span,
                    ),
                    (base, Some(i)) => self.emit(
                        Op::AddConst {
                            d: cell,
                            a: i,
                            v: base as i32,
                        },
                        span,
                    ),
                };
                let row = self.value(row);
                self.emit(Op::CountIn { d, cell, row }, span);
            }
            Kind::Column { column, row } => {
                let i = self.value(row);
                let base = self.column_bases[*column];
                let len = self.model.columns[*column].values.len() as u16;
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
            Kind::And(..) | Kind::Or(..) => {
                let no = self.unless(ex);
                self.emit(Op::Const { d, v: 1 }, span);
                let end = self.emit(Op::Jump { to: 0 }, span);
                self.patch(&no);
                self.emit(Op::Const { d, v: 0 }, span);
                self.land(end);
            }
            Kind::If(c, a, b) => {
                let no = self.unless(c);
                self.fill(d, a);
                let end = self.emit(Op::Jump { to: 0 }, span);
                self.patch(&no);
                self.fill(d, b);
                self.land(end);
            }
            Kind::Call(f, args) if self.plan.inlined[f.0 as usize] => {
                self.inline(d, *f, args, span);
            }
            Kind::Call(f, args) => {
                let at = self.next;
                for arg in args {
                    let r = self.fresh();
                    self.fill(r, arg);
                }
                // The callee's window starts at the arguments.
                self.fresh();
                self.emit(
                    Op::Call {
                        d,
                        function: f.0,
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
                self.emit(
                    Op::Possible {
                        d,
                        mv: *mv as u32,
                        seat,
                    },
                    span,
                );
            }
            Kind::Verb(verb, args) => {
                let at = self.next;
                for arg in args {
                    let r = self.fresh();
                    match arg {
                        Arg::Value(ex) => self.fill(r, ex),
                        Arg::Cells(addr) => match self.offset(addr, span, true) {
                            (base, None) => {
                                self.emit(
                                    Op::Const {
                                        d: r,
                                        v: base as i32,
                                    },
                                    span,
                                );
                            }
                            (base, Some(i)) => {
                                self.emit(
                                    Op::AddConst {
                                        d: r,
                                        a: i,
                                        v: base as i32,
                                    },
                                    span,
                                );
                            }
                        },
                        // The verb finds the window by this number.
                        Arg::Window(w) => {
                            self.emit(
                                Op::Const {
                                    d: r,
                                    v: i32::from(*w),
                                },
                                span,
                            );
                        }
                    }
                    self.next = r + 1;
                }
                let verbs = &mut self.program.verbs;
                let number = verbs.iter().position(|v| v == verb).unwrap_or_else(|| {
                    verbs.push(*verb);
                    verbs.len() - 1
                });
                self.emit(
                    Op::Verb {
                        d,
                        verb: number as u16,
                        at,
                    },
                    span,
                );
            }
            Kind::Case(clause, inner) => {
                self.fill(d, inner);
                if let (true, Some(clause)) = (self.traced, clause) {
                    self.emit(
                        Op::Cite {
                            clause: *clause as u32,
                        },
                        span,
                    );
                }
            }
        }
    }

    /// A function put where it is asked.
    fn inline(&mut self, d: Reg, id: FuncId, args: &[Ex], span: Span) {
        let model = self.model;
        let function = &model.functions[id.0 as usize];
        let params: Vec<Reg> = args.iter().map(|arg| self.value(arg)).collect();
        let base = self.next;
        self.next += function.locals;
        self.most = self.most.max(self.next);
        if let (true, Some(clause)) = (self.traced, model.function_cites.get(&id)) {
            let clause = *clause as u32;
            self.emit(Op::Cite { clause }, function.span);
        }
        let frame = std::mem::replace(&mut self.frame, Frame { params, base });
        match &function.result {
            Some(result) => self.fill(d, result),
            None => {
                self.emit(Op::Const { d, v: 0 }, span);
            }
        }
        self.frame = frame;
    }

    /// A bound of a query: its clause is reported only if it decides.
    fn bound(&mut self, d: Reg, op: Op2, a: &Ex, bound: &Ex, clause: usize, span: Span) {
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
        self.emit(
            Op::Cite {
                clause: clause as u32,
            },
            span,
        );
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
            _ => {}
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
                    self.emit(
                        Op::AddScaled {
                            d,
                            a,
                            i,
                            by: *stride as u16,
                        },
                        span,
                    );
                    d
                }
            });
        }
        (base, sum)
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
        // `acc` is a register of its own, so that a nested aggregate cannot overwrite it.
        let var = self.local(local);
        let bound = var + 1;
        let start = match op {
            Aggregate::All => 1,
            Aggregate::First => NONE as i32,
            _ => 0,
        };
        self.emit(Op::Const { d: acc, v: start }, span);
        let seen = matches!(op, Aggregate::Max | Aggregate::Min).then(|| self.fresh());
        if let Some(d) = seen {
            self.emit(Op::Const { d, v: 0 }, span);
        }
        self.start(var, bound, domain);
        let top = self.here();
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
        let pair = (var, bound);
        let (exit, again) = self.turn(local, pair, domain, joined.as_ref(), unwanted, span);
        let mut exits = vec![exit];
        match (op, body) {
            (Aggregate::Any | Aggregate::All, Some(_)) => {
                let found = i32::from(op == Aggregate::Any);
                self.emit(Op::Const { d: acc, v: found }, span);
                exits.push(self.emit(Op::Jump { to: 0 }, span));
            }
            (Aggregate::First, _) => {
                self.emit(Op::Copy { d: acc, s: var }, span);
                exits.push(self.emit(Op::Jump { to: 0 }, span));
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
                    let first = self.emit(Op::JumpUnless { c: seen, to: 0 }, span);
                    let op = if op == Aggregate::Max {
                        Op::Max {
                            d: acc,
                            a: acc,
                            b: r,
                        }
                    } else {
                        Op::Min {
                            d: acc,
                            a: acc,
                            b: r,
                        }
                    };
                    self.emit(op, span);
                    let done = self.emit(Op::Jump { to: 0 }, span);
                    self.land(first);
                    self.emit(Op::Copy { d: acc, s: r }, span);
                    self.emit(Op::Const { d: seen, v: 1 }, span);
                    self.land(done);
                }
                self.next = free;
            }
            (_, None) => {}
        }
        self.patch(&again);
        self.emit(
            Op::AddConst {
                d: var,
                a: var,
                v: 1,
            },
            span,
        );
        self.emit(Op::Back { to: top }, span);
        self.patch(&exits);
        self.emit(Op::Copy { d, s: acc }, span);
    }
}

/// Whether a statement sets a register.
fn sets(st: &St, register: Reg) -> bool {
    match st {
        St::Set(r, _) => *r == register,
        St::If(_, then, otherwise) => then.iter().chain(otherwise).any(|st| sets(st, register)),
        St::While(_, body) | St::For(_, _, _, body) => body.iter().any(|st| sets(st, register)),
        St::Break | St::Continue | St::Do(_) => false,
    }
}
