//! Compiles the typed [model](crate::program::model) to what runs.
//!
//! In: a model. Out: [bytecode](crate::program::bytecode) of its functions and of [those that list its moves](mod@listings),
//! and the [phase graph](graph). Trees are first made cheaper ([`simplify`], [`hoist`], [`common_subexpressions`], [`unswitch`]); functions
//! and statements are lowered here, [`values`] and [`conditions`] below.

mod batch;
mod bounds;
mod canonical;
mod common_subexpressions;
mod conditions;
pub mod graph;
mod hoist;
mod link;
pub mod listings;
mod locals;
mod lookup;
pub mod query_plan;
mod row_sums;
mod row_tests;
mod simplify;
mod stretches;
mod unswitch;
mod values;

pub(crate) use link::program;

use std::borrow::Cow;

use crate::budget::spend;
use crate::numbers::{At as _, Fit as _};
use crate::program::bytecode::{Bytecode, Code, Op, Reg};
use crate::program::model::{ClauseId, ColumnId, FuncId, IndexVec, Model};
use crate::program::regions::Regions;
use crate::program::tree::{Domain, Function, St};
use crate::source::Span;
use hoist::hoisted;
use listings::{Listings, listings, numbered};
use query_plan::Plan;
use simplify::simplified;
use unswitch::unswitched;

/// Lowers every function of a model, and those that list its moves. `traced` adds instructions that report
/// clauses as they run.
pub(crate) fn lower(model: &Model, regions: &Regions, traced: bool) -> Bytecode {
    let plan = Plan::new(model, regions);
    let mut program = Bytecode {
        reads: plan.reads.clone(),
        queries: plan.memos.iter().flatten().count(),
        ..Bytecode::default()
    };
    let column_bases = model.columns.map(|column| {
        let base = program.columns.len().fit();
        let values = column.values.iter().map(|v| (*v).fit::<i32>());
        program.columns.extend(values);
        base
    });
    let listings = listings(model);
    let listed = listings.iter().flat_map(Listings::functions);
    // What reports clauses goes through every place by itself.
    let together = match traced {
        true => Vec::new(),
        false => batch::together(model, &plan),
    };
    let functions: IndexVec<FuncId, Cow<'_, Function>> = match traced {
        true => model
            .functions
            .iter()
            .chain(listed)
            .map(Cow::Borrowed)
            .collect(),
        false => {
            let simple = |function: &Function| simplified(model, &plan, function.clone());
            let own = model.functions.iter().map(simple);
            let listed = listed.map(|function| {
                unswitched(
                    model,
                    &plan,
                    simple(&hoisted(model, &plan, function.clone())),
                )
            });
            let together = together.iter().map(|(_, function)| simple(function));
            own.chain(listed).chain(together).map(Cow::Owned).collect()
        }
    };
    for (id, function) in functions.iter_enumerated() {
        let start: u32 = program.ops.len().fit();
        let cite = model.function_cites.get(&id).copied();
        let mut lowering = Lowering {
            model,
            functions: &functions,
            plan: &plan,
            column_bases: &column_bases,
            rows: match model.query_domains.contains_key(&id) {
                true => function.params,
                false => 0,
            },
            program: &mut program,
            frame: Frame::default(),
            next: function.locals.max(function.params),
            most: function.locals.max(function.params),
            loops: Vec::new(),
            traced,
        };
        lowering.function(function, cite);
        let registers = lowering.most + 1;
        stretches::weigh_stretches(&mut program, start);
        program.functions.push(Code {
            start,
            registers,
            params: function.params,
            is_at_hand: is_at_hand(&program.ops[start.at()..]),
            memo: plan.memos.get(id).copied().flatten(),
        });
    }
    program.listings = numbered(model, &listings);
    let numbers = functions.ids().skip(functions.len() - together.len());
    let queries = together.into_iter().map(|(query, _)| query);
    program.together = queries.zip(numbers).collect();
    program
}

/// Whether a function gives a constant or what lies in a cell, and that is all.
fn is_at_hand(ops: &[Op]) -> bool {
    match ops {
        [Op::ReturnConst { .. }] => true,
        [Op::Load { d, .. }, Op::Return { s }] => d == s,
        _ => false,
    }
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
    /// What is lowered, by number.
    functions: &'a IndexVec<FuncId, Cow<'a, Function>>,
    plan: &'a Plan,
    frame: Frame,
    column_bases: &'a IndexVec<ColumnId, u32>,
    /// So many of its first parameters are rows or seats, never `none`: all of them or nothing.
    rows: Reg,
    program: &'a mut Bytecode,
    /// The next free register.
    next: Reg,
    most: Reg,
    /// Jumps of `break` and `continue` to be patched, innermost loop last.
    loops: Vec<(Vec<u32>, Vec<u32>)>,
    traced: bool,
}

impl Lowering<'_> {
    fn emit(&mut self, op: Op, span: Span) -> u32 {
        spend(16, Some(span));
        let at = self.here();
        self.program.ops.push(op);
        self.program.spans.push(span);
        at
    }

    fn here(&self) -> u32 {
        self.program.ops.len().fit()
    }

    fn fresh(&mut self) -> Reg {
        let r = self.next;
        self.next += 1;
        self.most = self.most.max(self.next);
        r
    }

    /// The register of a local of the tree.
    fn local(&self, local: Reg) -> Reg {
        match self.frame.params.get(local.at()) {
            Some(register) => *register,
            None => self.frame.base + local,
        }
    }

    /// Points a jump at the next instruction.
    fn land(&mut self, jump: u32) {
        let here = self.here();
        if let Some(to) = self.program.ops[jump.at()].target() {
            *to = here;
        }
    }

    fn function(&mut self, function: &Function, cite: Option<ClauseId>) {
        if let (true, Some(clause)) = (self.traced, cite) {
            self.emit(Op::Cite { clause }, function.span);
        }
        self.block(&function.body);
        match &function.result {
            Some(ex) => self.give(ex),
            None => {
                self.emit(Op::ReturnConst { v: 0 }, function.span);
            }
        }
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
                let (condition, body) = match &body[..] {
                    [St::If(condition, then, otherwise)] if otherwise.is_empty() && !changed => {
                        (Some(condition), then)
                    }
                    _ => (None, body),
                };
                let turn = self.turn(*var, (counter, *bound), domain, condition, None, span);
                if changed {
                    self.emit(
                        Op::Copy {
                            d: *var,
                            s: counter,
                        },
                        span,
                    );
                }
                self.loops.push((turn.exits, turn.again));
                self.block(body);
                let (exits, again) = self.loops.pop().unwrap_or_default();
                self.patch(&again);
                self.emit(turn.next, turn.span);
                self.patch(&exits);
            }
            St::Return(ex) => self.give(ex),
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

    /// Sets a loop's variable and, if it is not known, its bound.
    fn start(&mut self, var: Reg, bound: Reg, domain: &Domain) -> Span {
        match domain {
            Domain::Upto(_) => {
                let span = self.last_span();
                self.emit(Op::Const { d: var, v: 0 }, span);
                span
            }
            Domain::Range(from, to) => {
                self.fill(var, from);
                self.fill(bound, to);
                from.span
            }
        }
    }
}

/// Whether a statement sets a register.
fn sets(st: &St, register: Reg) -> bool {
    match st {
        St::Set(r, _) => *r == register,
        St::If(_, then, otherwise) => then.iter().chain(otherwise).any(|st| sets(st, register)),
        St::While(_, body) | St::For(_, _, _, body) => body.iter().any(|st| sets(st, register)),
        St::Break | St::Continue | St::Do(_) | St::Return(_) => false,
    }
}
