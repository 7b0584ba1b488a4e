//! The oracle: the same functions, evaluated by Rhai.
//!
//! Bytecode is fast and ours; Rhai's evaluator is slow and somebody else's. [`Ruleset::with_oracle`]
//! gives a ruleset whose every query, condition and effect is printed as Rhai text
//! ([`compile::oracle`](crate::compile)) and run by Rhai, with the same graph, the same verbs and the
//! same state; whole matches run on either, and tests hold the two equal. Only for that: behind the
//! feature `oracle`, so that whoever plays carries no second evaluator. Beside `syntax::script` the only
//! module that names Rhai.
//!
//! Rhai's host functions own what they use, so the world of an evaluation (a copy of the state, the log)
//! is lent to a stack of this thread for as long as it runs, and given back after it.
//!
//! A strict oracle checks what bytecode leaves to the types: an address that leaves the place, counter
//! or marker for which it was computed is a fault, even if there is a cell.

mod text;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};

use crate::analysis::evaluate;
use crate::budget;
use crate::play::flow::game::{Game, Position};
use crate::play::machine::fault::Fault;
use crate::play::machine::lent::Lent;
use crate::play::machine::reader::{Found, Reader};
use crate::play::machine::ruleset::Ruleset;
use crate::play::machine::table::Table;
use crate::play::machine::world::{FUEL, Trouble, TroubleKind, World};
use crate::play::machine::{legal, ruleset, vm};
use crate::play::state::events::{Raised, Raw};
use crate::play::state::registers::REGISTERS;
use crate::program::bytecode::{Code, DEPTH, Op};
use crate::program::model::{BodyModel, Model, StepModel, instances};
use crate::program::regions::Region;
use crate::program::tree::{FuncId, Verb};
use rhai::packages::{BasicIteratorPackage, Package};
use rhai::{
    AST, Array, CallFnOptions, Dynamic, Engine, EvalAltResult, NativeCallContext,
    OptimizationLevel, Scope,
};
use text::Printed;

type Host<T> = Result<T, Box<EvalAltResult>>;

/// An evaluation under way.
struct Frame {
    lent: Lent,
    fuel: u64,
    depth: u32,
    /// Moves that a listing found: their numbers and registers.
    offered: Vec<(u32, Vec<i64>)>,
}

thread_local! {
    /// Evaluations under way, innermost last: a verb may evaluate a query.
    static FRAMES: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

/// All functions of a ruleset, ready to be run by Rhai.
pub(crate) struct Oracle {
    engine: Engine,
    ast: AST,
    names: Vec<String>,
    /// Line and column of the text: the number of its place among the program's.
    places: BTreeMap<(usize, usize), u32>,
}

impl fmt::Debug for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Oracle")
    }
}

impl Ruleset {
    /// The same ruleset, evaluated by Rhai instead of bytecode.
    ///
    /// In play every oracle may be `strict`. Outside of it the variable of a loop that is over may be a
    /// row that there is not, and reading there is no fault of bytecode's.
    pub fn with_oracle(&self, strict: bool) -> Arc<Ruleset> {
        Arc::new_cyclic(|this| {
            let mut ruleset = self.with_graph(self.program.graph.clone());
            let program = &mut ruleset.program;
            let traced = ruleset.options.traced;
            let printed = text::print(&program.model, &program.regions, traced);
            // Every function is asked of the oracle, each time.
            program.bytecode.together.clear();
            for code in &mut program.bytecode.functions {
                (code.memo, code.is_at_hand) = (None, false);
            }
            let oracle = Oracle::new(&mut ruleset, &printed, strict, this);
            ruleset.engine = Some(Arc::new(AssertUnwindSafe(oracle)));
            ruleset
        })
    }

    /// What the oracle evaluates.
    pub fn oracle_text(&self) -> String {
        text::print(
            &self.program.model,
            &self.program.regions,
            self.options.traced,
        )
        .text
    }

    /// The same ruleset with one instruction of its bytecode changed, or `None` if this one cannot be:
    /// shows what a comparison with the oracle notices.
    pub fn mutated(&self, instruction: usize) -> Option<Arc<Ruleset>> {
        let changed = match *self.program.bytecode.ops.get(instruction)? {
            // Every row passes.
            Op::Scan { scan, .. } | Op::ScanNext { scan, .. } => {
                let mut ruleset = self.with_graph(self.program.graph.clone());
                ruleset.program.bytecode.scans[scan as usize].tests.clear();
                return Some(Arc::new(ruleset));
            }
            Op::Total { d, total } => {
                let mut ruleset = self.with_graph(self.program.graph.clone());
                let mut changed = self.program.bytecode.totals[total as usize].clone();
                changed.terms[0].negative ^= true;
                let total = ruleset.program.bytecode.totals.len() as u32;
                ruleset.program.bytecode.totals.push(changed);
                ruleset.program.bytecode.ops[instruction] = Op::Total { d, total };
                return Some(Arc::new(ruleset));
            }
            op => mutant(op)?,
        };
        let mut ruleset = self.with_graph(self.program.graph.clone());
        ruleset.program.bytecode.ops[instruction] = changed;
        Some(Arc::new(ruleset))
    }

    /// An instruction, with the function that it belongs to: for messages.
    pub fn instruction(&self, at: usize) -> String {
        let functions = self.program.bytecode.functions.iter();
        let function = functions.take_while(|f| f.start as usize <= at).count() - 1;
        let name = self.function_name(function);
        format!("{:?} of {name}", self.program.bytecode.ops[at])
    }

    /// The address of a function, by its number.
    pub(crate) fn function_name(&self, number: usize) -> String {
        if let Some(function) = self.program.model.functions.get(number) {
            return function.name.clone();
        }
        let id = FuncId(number as u32);
        let listings = self
            .program
            .bytecode
            .listings
            .iter()
            .zip(&self.program.model.moves);
        let mut names = listings.filter_map(|(listing, mv)| match listing {
            _ if listing.ascending == id => Some(format!("{}: listed", mv.address)),
            _ if listing.rotated == Some(id) => Some(format!("{}: drawn", mv.address)),
            _ if listing.public == Some(id) => Some(format!("{}: publicly", mv.address)),
            _ => None,
        });
        let mut together = self.program.bytecode.together.iter();
        names.next().unwrap_or_else(|| {
            let query = together.find(|(_, function)| *function == id);
            let query = query.map(|(query, _)| self.function_name(query.0 as usize));
            query.map_or_else(String::new, |query| format!("{query}: all"))
        })
    }

    /// How many instructions the bytecode has.
    pub fn instructions(&self) -> usize {
        self.program.bytecode.ops.len()
    }
}

/// An instruction that does something else.
fn mutant(op: Op) -> Option<Op> {
    Some(match op {
        Op::Const { d, v } => Op::Const { d, v: v ^ 1 },
        Op::Consts { d, first, len } => Op::Consts {
            d,
            first,
            len: len - 1,
        },
        Op::CopyAll { d, s, len } => Op::CopyAll { d, s, len: len - 1 },
        Op::Add { d, a, b } => Op::Sub { d, a, b },
        Op::Sub { d, a, b } => Op::Add { d, a, b },
        Op::SubFrom { d, v, a } => Op::SubFrom { d, v: v + 1, a },
        Op::AddConst { d, a, v } => Op::AddConst { d, a, v: v + 1 },
        Op::Mul { d, a, b } => Op::Add { d, a, b },
        Op::Div { d, a, b } => Op::Mul { d, a, b },
        Op::Rem { d, a, b } => Op::Sub { d, a, b },
        Op::Eq { d, a, b } => Op::Ne { d, a, b },
        Op::Ne { d, a, b } => Op::Eq { d, a, b },
        Op::Lt { d, a, b } => Op::Le { d, a, b },
        Op::Le { d, a, b } => Op::Lt { d, a, b },
        Op::Is { d, a, v } => Op::IsNot { d, a, v },
        Op::IsNot { d, a, v } => Op::Is { d, a, v },
        Op::IsBelow { d, a, v } => Op::IsBelow { d, a, v: v + 1 },
        Op::IsNotBelow { d, a, v } => Op::IsNotBelow { d, a, v: v + 1 },
        Op::Min { d, a, b } => Op::Max { d, a, b },
        Op::Max { d, a, b } => Op::Min { d, a, b },
        Op::MinConst { d, a, v } => Op::MaxConst { d, a, v },
        Op::MaxConst { d, a, v } => Op::MinConst { d, a, v },
        Op::Extreme {
            acc,
            seen,
            s,
            is_max,
        } => Op::Extreme {
            acc,
            seen,
            s,
            is_max: !is_max,
        },
        Op::Choose { d, c, yes, no } => Op::Choose {
            d,
            c,
            yes: no,
            no: yes,
        },
        Op::Not { d, a } => Op::Copy { d, s: a },
        Op::JumpIf { c, to } => Op::JumpUnless { c, to },
        Op::JumpUnless { c, to } => Op::JumpIf { c, to },
        Op::JumpIfLess { a, b, to } => Op::JumpIfLess { a: b, b: a, to },
        Op::JumpUnlessLess { a, b, to } => Op::JumpUnlessLess { a: b, b: a, to },
        Op::JumpIfBelow { a, v, to } => Op::JumpIfBelow { a, v: v + 1, to },
        Op::JumpUnlessBelow { a, v, to } => Op::JumpUnlessBelow { a, v: v + 1, to },
        Op::JumpIfEqual { a, b, to } => Op::JumpUnlessEqual { a, b, to },
        Op::JumpUnlessEqual { a, b, to } => Op::JumpIfEqual { a, b, to },
        Op::JumpIfIs { a, v, to } => Op::JumpIfIs { a, v: v + 1, to },
        Op::JumpUnlessIs { a, v, to } => Op::JumpUnlessIs { a, v: v + 1, to },
        Op::Load { d, cell } => Op::Load { d, cell: cell + 1 },
        Op::LoadAt { d, base, i } => Op::LoadAt {
            d,
            base: base + 1,
            i,
        },
        Op::LoadScaled { d, base, i, by } => Op::LoadScaled {
            d,
            base: base + 1,
            i,
            by,
        },
        Op::LoadPair {
            d,
            base,
            i,
            by,
            j,
            step,
        } => Op::LoadPair {
            d,
            base: base + 1,
            i,
            by,
            j,
            step,
        },
        Op::Cell { d, base, i, by } => Op::Cell {
            d,
            base: base + 1,
            i,
            by,
        },
        Op::CellPair {
            d,
            base,
            i,
            by,
            j,
            step,
        } => Op::CellPair {
            d,
            base: base + 1,
            i,
            by,
            j,
            step,
        },
        Op::ScalePair { d, i, by, j, step } => Op::ScalePair {
            d,
            i,
            by: by + 1,
            j,
            step,
        },
        Op::ReturnConst { v } => Op::ReturnConst { v: v ^ 1 },
        Op::SumScaled {
            d,
            base,
            i,
            by,
            len,
        } => Op::SumScaled {
            d,
            base: base + 1,
            i,
            by,
            len,
        },
        Op::Scale { d, i, by } => Op::Scale { d, i, by: by + 1 },
        Op::AddScaled { d, a, i, by } => Op::AddScaled {
            d,
            a,
            i,
            by: by + 1,
        },
        _ => return None,
    })
}

/// What the evaluation of one function gave and did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// Its value, or its fault.
    pub value: Result<i64, Fault>,
    /// Fuel that was left.
    pub fuel: u64,
    /// The position after it.
    pub position: Position,
    /// What happened.
    happened: Vec<Raw>,
    /// Events that wait for what follows them.
    raised: Vec<Raised>,
    /// Regions that were written.
    written: Vec<Region>,
}

impl Game {
    /// This game in another position of the same ruleset.
    pub fn at(&self, position: Position) -> Game {
        let mut other = self.fork();
        other.position = position;
        other
    }

    /// This game by a ruleset that differs from its own in nothing but its evaluator.
    pub fn by(&self, ruleset: &Arc<Ruleset>) -> Game {
        let mut other = self.fork();
        other.ruleset = ruleset.clone();
        other
    }

    /// The value of a query or condition as explanations find it; `None` if it faults.
    pub fn explained(&self, function: FuncId, args: &[i64]) -> Option<i64> {
        let ruleset = self.ruleset();
        let cells = &self.position.cells;
        let possible = |mv: usize, seat: i64| {
            let mut registers = [0; REGISTERS / 8];
            let mut reader = Reader::new(ruleset, cells);
            reader
                .is_possible(mv, seat, &mut registers)
                .unwrap_or(false)
        };
        evaluate::explain(
            &ruleset.program.model,
            cells,
            &possible,
            function,
            args,
            &[],
        )
        .0
    }

    /// Evaluates a function of a ruleset, which must differ from this game's in nothing but its
    /// evaluator, on a copy of the position.
    pub fn evaluate(&self, ruleset: &Ruleset, function: FuncId, args: &[i64]) -> Evaluated {
        let mut position = self.position.clone();
        let mut happened = Vec::new();
        let mut raised = Vec::new();
        let mut fuel = FUEL;
        let mut registers = vec![0; REGISTERS];
        registers[..args.len()].copy_from_slice(args);
        let mut memory = ruleset.memory.clone();
        let began = memory.now();
        let mut table = Table {
            ruleset,
            cells: &mut position.cells,
            seed: &position.seed,
            log: Some(&mut happened),
            seen: None,
            raised: &mut raised,
            memory: &mut memory,
        };
        // As a move is made: the oracle knows nothing of long stretches.
        let value = budget::bounded(vm::MOVE_WORK, || {
            vm::run(ruleset, &mut table, &mut registers, function, &mut fuel)
        });
        let written = table.memory.written_since(began);
        Evaluated {
            value: value.map_err(|t| ruleset.fault(t)),
            fuel,
            position,
            happened,
            raised,
            written,
        }
    }
}

/// What a listing found, and whether it came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The registers of each legal move.
    pub moves: Vec<Vec<i64>>,
    /// Whether it ended because these were enough.
    pub enough: Result<bool, Fault>,
}

impl Game {
    /// Goes through at most so many legal moves of a kind for a seat, in ascending order or, with random
    /// numbers, rotated, by a ruleset that differs from this game's in nothing but its evaluator.
    pub fn listed(
        &self,
        ruleset: &Ruleset,
        (mv, seat): (usize, u8),
        most: usize,
        random: Option<&mut dyn FnMut() -> u64>,
    ) -> Listed {
        let mut reader = Reader::new(ruleset, &self.position.cells);
        let mut registers = vec![0; REGISTERS];
        let width = ruleset.program.model.moves[mv].registers as usize;
        let mut moves = Vec::new();
        let mut sink = |_: &mut Reader<'_>, mut found: Found<'_>| {
            moves.push(found.registers()[..width].to_vec());
            Ok(moves.len() >= most)
        };
        let (seat, all) = (i64::from(seat), &mut registers);
        let enough = match random {
            None => legal::each_fixed(&mut reader, mv, seat, all, &mut sink),
            Some(random) => legal::each_fixed_drawn(&mut reader, mv, seat, all, random, &mut sink),
        };
        let enough = enough.map_err(|trouble| ruleset.fault(trouble));
        Listed { moves, enough }
    }

    /// What a query gives for each of so many values of its last parameter, by a ruleset that differs from this
    /// game's in nothing but its evaluator.
    ///
    /// # Errors
    /// The first fault.
    pub fn each(
        &self,
        ruleset: &Ruleset,
        query: FuncId,
        args: &[i64],
        count: usize,
    ) -> Result<Vec<i64>, Fault> {
        let mut registers = vec![0; REGISTERS];
        registers[..args.len()].copy_from_slice(args);
        let mut given = Vec::with_capacity(count);
        Reader::new(ruleset, &self.position.cells)
            .read_each(&mut registers, query, count, &mut |n| given.push(n))
            .map_err(|trouble| ruleset.fault(trouble))?;
        Ok(given)
    }
}

impl Oracle {
    fn new(ruleset: &mut Ruleset, printed: &Printed, strict: bool, this: &Weak<Ruleset>) -> Oracle {
        let model = &ruleset.program.model;
        let mut engine = Engine::new_raw();
        engine
            .set_optimization_level(OptimizationLevel::None)
            .set_strict_variables(true)
            .set_max_expr_depths(0, 0)
            .set_max_call_levels(256);
        engine.register_global_module(BasicIteratorPackage::new().as_shared_module());
        reads(&mut engine, model, strict);
        verbs(&mut engine, this);
        let ast = engine
            .compile(&printed.text)
            .unwrap_or_else(|e| panic!("the oracle's own text: {e}\n{}", printed.text));
        // Places of the text come after those of the instructions, so that a fault names either.
        let places = printed
            .places
            .iter()
            .map(|(at, span)| {
                ruleset.program.bytecode.spans.push(*span);
                (*at, ruleset.program.bytecode.spans.len() as u32 - 1)
            })
            .collect();
        Oracle {
            engine,
            ast,
            names: (0..ruleset.program.bytecode.functions.len())
                .map(|f| text::name(FuncId(f as u32)))
                .collect(),
            places,
        }
    }

    /// Runs a function; its arguments are the first registers of `registers`.
    fn evaluate(
        &self,
        code: Code,
        world: &mut dyn World,
        registers: &[i64],
        number: usize,
        fuel: &mut u64,
    ) -> Result<i64, Trouble> {
        let frame = Frame {
            lent: world.lend(),
            fuel: *fuel,
            depth: 0,
            offered: Vec::new(),
        };
        FRAMES.with_borrow_mut(|frames| frames.push(frame));
        let args = registers[..code.params as usize].to_vec();
        let result = self.engine.call_fn_with_options::<i64>(
            CallFnOptions::new().eval_ast(false),
            &mut Scope::new(),
            &self.ast,
            &self.names[number],
            args,
        );
        let Some(frame) = FRAMES.with_borrow_mut(Vec::pop) else {
            unreachable!("what was pushed is there");
        };
        *fuel = frame.fuel;
        world.take_back(frame.lent);
        // Whoever lists is told when all is found, and may have enough before something goes wrong.
        for (mv, mut found) in frame.offered {
            let free = found.len();
            found.resize(free + REGISTERS / 8, 0);
            if world.offer(mv, &mut found, free)? {
                return Ok(1);
            }
        }
        result.map_err(|error| self.trouble(&error, code.start))
    }

    fn trouble(&self, error: &EvalAltResult, start: u32) -> Trouble {
        if let EvalAltResult::ErrorInFunctionCall(_, _, inner, _) = error {
            return self.trouble(inner, start);
        }
        let kind = match error {
            EvalAltResult::ErrorArithmetic(text, _)
                if text.contains("by zero") && text.ends_with(" 0") =>
            {
                TroubleKind::DivisionByZero
            }
            EvalAltResult::ErrorArithmetic(..) => TroubleKind::Overflow,
            EvalAltResult::ErrorStackOverflow(_) => TroubleKind::TooDeep,
            EvalAltResult::ErrorRuntime(token, _) => match token.clone().try_cast::<Token>() {
                Some(Token(kind)) => kind,
                None => panic!("the oracle failed of itself: {error}"),
            },
            _ => panic!("the oracle failed of itself: {error}"),
        };
        let at = error.position();
        let at = (at.line().unwrap_or(0), at.position().unwrap_or(0));
        let op = self.places.get(&at).copied().unwrap_or(start);
        Trouble { kind, op }
    }
}

impl ruleset::Engine for AssertUnwindSafe<Oracle> {
    fn run(
        &self,
        ruleset: &Ruleset,
        world: &mut dyn World,
        registers: &mut [i64],
        function: u32,
        fuel: &mut u64,
        _: u32,
    ) -> Result<i64, Trouble> {
        let number = function as usize;
        let code = ruleset.program.bytecode.functions[number];
        self.evaluate(code, world, registers, number, fuel)
    }
}

/// A fault on its way through Rhai.
#[derive(Clone)]
struct Token(TroubleKind);

fn fail<T>(context: &NativeCallContext<'_>, kind: TroubleKind) -> Host<T> {
    let token = Dynamic::from(Token(kind));
    Err(EvalAltResult::ErrorRuntime(token, context.call_position()).into())
}

/// Works on the innermost evaluation.
fn with_frame<T>(f: impl FnOnce(&mut Frame) -> T) -> T {
    FRAMES.with_borrow_mut(|frames| match frames.last_mut() {
        Some(frame) => f(frame),
        None => unreachable!("host functions are called by evaluations"),
    })
}

fn numbers(list: &[Dynamic]) -> Vec<i64> {
    list.iter().map(|n| n.as_int().unwrap_or(0)).collect()
}

/// The host functions that read.
fn reads(engine: &mut Engine, model: &Model, strict: bool) {
    type C<'a> = NativeCallContext<'a>;
    engine.register_fn("enter", |c: C<'_>| {
        let entered = with_frame(|f| {
            f.depth += 1;
            if f.depth > 1 {
                f.fuel = f.fuel.checked_sub(1).ok_or(TroubleKind::OutOfFuel)?;
            }
            if f.depth > DEPTH + 1 {
                return Err(TroubleKind::TooDeep);
            }
            Ok(())
        });
        entered.or_else(|kind| fail(&c, kind))
    });
    engine.register_fn("enter_inlined", || with_frame(|f| f.depth += 1));
    engine.register_fn("leave", |value: i64| {
        with_frame(|f| f.depth -= 1);
        value
    });
    engine.register_fn("tick", |c: C<'_>| {
        let left = with_frame(|f| {
            f.fuel = f.fuel.checked_sub(1)?;
            Some(())
        });
        left.map_or_else(|| fail(&c, TroubleKind::OutOfFuel), Ok)
    });
    engine.register_fn("min", |a: i64, b: i64| a.min(b));
    engine.register_fn("max", |a: i64, b: i64| a.max(b));
    engine.register_fn("load", |c: C<'_>, cell: i64| {
        let value = with_frame(|f| {
            let value = f.lent.cells.get(usize::try_from(cell).ok()?)?;
            Some(i64::from(*value))
        });
        value.map_or_else(|| fail(&c, TroubleKind::OutOfBounds), Ok)
    });
    engine.register_fn("total", |c: C<'_>, cell: i64, len: i64| {
        let value = with_frame(|f| {
            let first = usize::try_from(cell).ok()?;
            let cells = f.lent.cells.get(first..first + len as usize)?;
            Some(cells.iter().map(|c| i64::from(*c)).sum::<i64>())
        });
        value.map_or_else(|| fail(&c, TroubleKind::OutOfBounds), Ok)
    });
    engine.register_fn("step", |c: C<'_>, cell: i64, index: i64, stride: i64| {
        if index < 0 {
            return fail(&c, TroubleKind::OutOfBounds);
        }
        let further = index
            .checked_mul(stride)
            .and_then(|step| cell.checked_add(step));
        further.map_or_else(|| fail(&c, TroubleKind::Overflow), Ok)
    });
    engine.register_fn("count_in", |c: C<'_>, cell: i64, row: i64| {
        let count = with_frame(|f| crate::program::model::count_in(&f.lent.cells, cell, row));
        count.map_or_else(
            || fail(&c, TroubleKind::OutOfBounds),
            |(count, _)| Ok(count),
        )
    });
    let owners = owners(model);
    engine.register_fn("within", move |c: C<'_>, cell: i64, base: i64| {
        let owner = |cell: i64| usize::try_from(cell).ok().and_then(|c| owners.get(c));
        match owner(cell) {
            _ if !strict => Ok(cell),
            Some(here) if Some(here) == owner(base) => Ok(cell),
            _ => fail(&c, TroubleKind::OutOfBounds),
        }
    });
    let columns: Vec<Vec<i64>> = model.columns.iter().map(|c| c.values.clone()).collect();
    engine.register_fn("column", move |c: C<'_>, column: i64, row: i64| {
        let row = usize::try_from(row).unwrap_or(usize::MAX);
        match columns[column as usize].get(row) {
            Some(value) => Ok(*value),
            None => fail(&c, TroubleKind::OutOfBounds),
        }
    });
    engine.register_fn(
        "pick",
        |c: C<'_>, list: Array, index: i64| match usize::try_from(index)
            .ok()
            .and_then(|i| list.get(i))
        {
            Some(value) => Ok(value.as_int().unwrap_or(0)),
            None => fail(&c, TroubleKind::OutOfBounds),
        },
    );
    engine.register_fn("offer", |mv: i64, list: Array| {
        with_frame(|f| f.offered.push((mv as u32, numbers(&list))));
        0_i64
    });
    engine.register_fn(
        "standing",
        |c: C<'_>, first: i64, len: i64, optional: bool| {
            let mut there = vec![0; len as usize];
            let stands = with_frame(|f| vm::standing(&f.lent.cells, first, optional, &mut there));
            match stands {
                Some(true) => Ok(there.into_iter().map(Dynamic::from).collect::<Array>()),
                Some(false) => Ok(Array::new()),
                None => fail(&c, TroubleKind::OutOfBounds),
            }
        },
    );
    engine.register_fn("empty", |list: Array| list.is_empty());
    engine.register_fn("add", |c: C<'_>, list: Array| {
        let sum = numbers(&list)
            .iter()
            .try_fold(0i64, |sum, n| sum.checked_add(*n));
        sum.map_or_else(|| fail(&c, TroubleKind::Overflow), Ok)
    });
    let note = |clause: i64| {
        with_frame(|f| {
            if let Some(seen) = &mut f.lent.seen {
                seen[clause as usize] = true;
            }
        });
    };
    engine.register_fn("ran", note);
    engine.register_fn("cite", move |value: i64, clause: i64| {
        note(clause);
        value
    });
}

/// What is declared at each cell: places, counters, markers and values of phases by number, other
/// cells each by themselves.
fn owners(model: &Model) -> Vec<usize> {
    let mut owners: Vec<usize> = (0..model.cells as usize).collect();
    let places = model
        .places
        .iter()
        .map(|p| (p.base, instances(&p.index) * p.width));
    let counters = model.counters.iter().map(|c| (c.base, instances(&c.index)));
    let markers = model.markers.iter().map(|m| (m.base, instances(&m.index)));
    let kept = model.phases.iter().flat_map(|p| {
        let resets = p.resets.iter().map(|(base, len, _)| (*base, *len));
        p.params.iter().map(|v| (v.base, v.len)).chain(resets)
    });
    let mut turns = Vec::new();
    for phase in &model.phases {
        had_turns(&phase.steps, &mut turns);
    }
    let players = u32::from(model.players);
    let turns = turns.into_iter().map(|base| (base, players));
    for (base, len) in places
        .chain(counters)
        .chain(markers)
        .chain(kept)
        .chain(turns)
    {
        owners[base as usize..(base + len) as usize].fill(base as usize);
    }
    owners
}

/// The memories of steps that ask who had a turn.
fn had_turns(steps: &[StepModel], out: &mut Vec<u32>) {
    for step in steps {
        out.extend(step.had_turn.map(|(base, _)| base));
        if let BodyModel::Steps(inner) = &step.body {
            had_turns(inner, out);
        }
    }
}

/// The host functions that change the table, and `possible`.
fn verbs(engine: &mut Engine, ruleset: &Weak<Ruleset>) {
    type C<'a> = NativeCallContext<'a>;
    macro_rules! verb {
        ($verb:expr, $($arg:ident),+) => {{
            let ruleset = ruleset.clone();
            engine.register_fn(
                text::host_name($verb),
                move |c: C<'_>, $($arg: i64),+| act(&c, &ruleset, $verb, vec![$($arg),+], 0),
            );
        }};
    }
    verb!(Verb::Move, n, row, from, to);
    verb!(Verb::Take, n, row, from, to);
    verb!(Verb::TakeEither, n, row, first, second, to);
    verb!(Verb::MoveAll, from, to);
    verb!(Verb::MoveUnder, from, pile);
    verb!(Verb::Draw, n, pile, to);
    verb!(Verb::TakeOut, n, row, pile, to);
    verb!(Verb::PutOn, n, row, from, pile);
    verb!(Verb::PutUnder, n, row, from, pile);
    verb!(Verb::Shuffle, pile);
    verb!(Verb::ShuffleInto, from, pile);
    verb!(Verb::Gain, counter, n);
    verb!(Verb::Pay, counter, n);
    verb!(Verb::Set, cell, value);
    let this = ruleset.clone();
    engine.register_fn(
        text::host_name(Verb::Raise(0)),
        move |c: C<'_>, event: i64, args: Array| {
            act(&c, &this, Verb::Raise(event as usize), numbers(&args), 0)
        },
    );
    let this = ruleset.clone();
    engine.register_fn(text::host_name(Verb::Roll(0)), move |c: C<'_>, die: i64| {
        act(&c, &this, Verb::Roll(die as usize), vec![], 0)
    });
    let this = ruleset.clone();
    engine.register_fn(
        text::host_name(Verb::Finish(0)),
        move |c: C<'_>, ending: i64| act(&c, &this, Verb::Finish(ending as usize), vec![], 0),
    );
    let this = ruleset.clone();
    engine.register_fn(
        text::host_name(Verb::Arrange(0)),
        move |c: C<'_>, spread: i64, registers: Array, plan: i64| {
            let mut window = numbers(&registers);
            let at = window.len();
            window.push(plan);
            act(&c, &this, Verb::Arrange(spread as usize), window, at)
        },
    );
    let this = ruleset.clone();
    engine.register_fn("possible", move |c: C<'_>, mv: i64, seat: i64| {
        let ruleset = alive(&this);
        let cells = with_frame(|f| f.lent.cells.clone());
        match Reader::new(&ruleset, &cells).possible(mv as u32, seat, &mut [0; REGISTERS / 8]) {
            Ok(possible) => Ok(i64::from(possible)),
            Err(kind) => fail(&c, kind),
        }
    });
}

fn alive(ruleset: &Weak<Ruleset>) -> Arc<Ruleset> {
    match ruleset.upgrade() {
        Some(ruleset) => ruleset,
        None => unreachable!("a ruleset lives as long as its functions run"),
    }
}

/// A verb on the innermost evaluation, by the same code that bytecode calls.
fn act(
    context: &NativeCallContext<'_>,
    ruleset: &Weak<Ruleset>,
    verb: Verb,
    mut window: Vec<i64>,
    at: usize,
) -> Host<i64> {
    // The verb may evaluate a query, which looks at the innermost evaluation too: take this one down.
    let Some(mut frame) = FRAMES.with_borrow_mut(Vec::pop) else {
        unreachable!("host functions are called by evaluations");
    };
    let ruleset = alive(ruleset);
    let Lent {
        cells,
        seen,
        table: lent,
    } = &mut frame.lent;
    let done = match lent {
        Some(lent) => {
            let mut table = Table {
                ruleset: &ruleset,
                cells,
                seed: &lent.seed,
                log: lent.log.as_mut(),
                seen: seen.as_mut(),
                raised: &mut lent.raised,
                memory: &mut lent.memory,
            };
            let free = window.len();
            window.resize(free + REGISTERS / 8, 0);
            table.verb(verb, &mut window, at, free)
        }
        None => Err(TroubleKind::EffectInQuery),
    };
    FRAMES.with_borrow_mut(|frames| frames.push(frame));
    done.or_else(|kind| fail(context, kind))
}
