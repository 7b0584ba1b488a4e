//! Rhai's evaluator as an engine of the machine.
//!
//! Rhai's host functions own what they use, so the world of an evaluation stands on a stack of this thread for as long as
//! it runs.
//!
//! Why this is sound: a frame is pushed when an evaluation begins and popped before it ends, and only the innermost
//! one is looked at. Its pointers are those of references that [`Oracle::run`] holds meanwhile and does not use itself. A
//! verb, which may evaluate something within, takes its frame down first, so that no two references to a world are used
//! at once.

#![allow(
    unsafe_code,
    reason = "host functions reach the world of their evaluation through a pointer; the module says why that is sound"
)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;

use interpreter::Ruleset;
use interpreter::play::{self, REGISTERS, Reader, Table, Trouble, TroubleKind, World};
use interpreter::program::Program;
use interpreter::program::bytecode::DEPTH;
use interpreter::program::cell::Cell;
use interpreter::program::ids::{
    ClauseId, DieId, EndingId, EventId, FuncId, IndexVec, MoveId, SpreadId,
};
use interpreter::program::model::{BodyModel, Model, StepModel, count_in, instances};
use interpreter::program::tree::Verb;
use rhai::packages::{BasicIteratorPackage, Package};
use rhai::{
    AST, Array, CallFnOptions, Dynamic, Engine, EvalAltResult, NativeCallContext,
    OptimizationLevel, Scope,
};

use crate::text::{self, Printed};

type Host<T> = Result<T, Box<EvalAltResult>>;

/// An evaluation under way.
struct Frame {
    ruleset: NonNull<Ruleset>,
    world: NonNull<dyn World>,
    fuel: u64,
    depth: u32,
    /// Moves that a listing found: their numbers and registers.
    offered: Vec<(MoveId, Vec<i64>)>,
}

thread_local! {
    /// Evaluations under way, innermost last: a verb may evaluate a query.
    static FRAMES: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

/// All functions of a ruleset, ready to be run by Rhai.
pub(crate) struct Oracle {
    rhai: AssertUnwindSafe<(Engine, AST)>,
    names: IndexVec<FuncId, String>,
    /// Line and column of the text: the number of its place among the program's.
    places: BTreeMap<(usize, usize), u32>,
    /// What an evaluation has at most.
    fuel: u64,
}

impl fmt::Debug for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Oracle")
    }
}

impl Oracle {
    pub(crate) fn new(program: &mut Program, printed: &Printed, strict: bool, fuel: u64) -> Oracle {
        let model = &program.model;
        let mut engine = Engine::new_raw();
        engine
            .set_optimization_level(OptimizationLevel::None)
            .set_strict_variables(true)
            .set_max_expr_depths(0, 0)
            .set_max_call_levels(256);
        engine.register_global_module(BasicIteratorPackage::new().as_shared_module());
        reads(&mut engine, model, strict);
        verbs(&mut engine);
        let ast = engine
            .compile(&printed.text)
            .unwrap_or_else(|e| panic!("the oracle's own text: {e}\n{}", printed.text));
        // Places of the text come after those of the instructions, so that a fault names either.
        let places = printed
            .places
            .iter()
            .map(|(at, span)| {
                program.bytecode.spans.push(*span);
                (*at, program.bytecode.spans.len() as u32 - 1)
            })
            .collect();
        Oracle {
            rhai: AssertUnwindSafe((engine, ast)),
            names: program.bytecode.functions.ids().map(text::name).collect(),
            places,
            fuel,
        }
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

impl play::Engine for Oracle {
    fn read(
        &self,
        ruleset: &Ruleset,
        world: &mut Reader<'_>,
        registers: &mut [i64],
        function: FuncId,
        fuel: &mut u64,
        _: u32,
    ) -> Result<i64, Trouble> {
        self.run(ruleset, world, registers, function, fuel)
    }

    fn act(
        &self,
        ruleset: &Ruleset,
        world: &mut Table<'_>,
        registers: &mut [i64],
        function: FuncId,
        fuel: &mut u64,
        _: u32,
    ) -> Result<i64, Trouble> {
        self.run(ruleset, world, registers, function, fuel)
    }
}

impl Oracle {
    /// Runs a function; its arguments are the first of the registers.
    fn run(
        &self,
        ruleset: &Ruleset,
        world: &mut dyn World,
        registers: &[i64],
        function: FuncId,
        fuel: &mut u64,
    ) -> Result<i64, Trouble> {
        let code = ruleset.program().bytecode.functions[function];
        // SAFETY: only the lifetime is another one; the frame is popped before the borrow ends.
        let lent = unsafe {
            std::mem::transmute::<NonNull<dyn World + '_>, NonNull<dyn World>>(NonNull::from(
                &mut *world,
            ))
        };
        let frame = Frame {
            ruleset: NonNull::from(ruleset),
            world: lent,
            fuel: self.fuel.min(*fuel),
            depth: 0,
            offered: Vec::new(),
        };
        FRAMES.with_borrow_mut(|frames| frames.push(frame));
        let args = registers[..code.params as usize].to_vec();
        let (engine, ast) = &*self.rhai;
        let result = engine.call_fn_with_options::<i64>(
            CallFnOptions::new().eval_ast(false),
            &mut Scope::new(),
            ast,
            &self.names[function],
            args,
        );
        let frame = take_down();
        *fuel = frame.fuel;
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

/// The innermost evaluation, taken from the stack.
fn take_down() -> Frame {
    match FRAMES.with_borrow_mut(Vec::pop) {
        Some(frame) => frame,
        None => unreachable!("host functions are called by evaluations"),
    }
}

/// Reads the cells of the state of the innermost evaluation.
fn with_cells<T>(f: impl FnOnce(&[i32]) -> T) -> T {
    // SAFETY: as the module says.
    with_frame(|frame| f(unsafe { frame.world.as_ref() }.cells()))
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
        let value = with_cells(|cells| {
            let value = cells.get(usize::try_from(cell).ok()?)?;
            Some(i64::from(*value))
        });
        value.map_or_else(|| fail(&c, TroubleKind::OutOfBounds), Ok)
    });
    engine.register_fn("total", |c: C<'_>, cell: i64, len: i64| {
        let value = with_cells(|cells| {
            let first = usize::try_from(cell).ok()?;
            let cells = cells.get(first..first + len as usize)?;
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
        let count = with_cells(|cells| count_in(cells, cell, row));
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
        with_frame(|f| f.offered.push((MoveId(mv as u32), numbers(&list))));
        0_i64
    });
    engine.register_fn(
        "standing",
        |c: C<'_>, first: i64, len: i64, optional: bool| {
            let mut there = vec![0; len as usize];
            let stands = with_cells(|cells| play::standing(cells, first, optional, &mut there));
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
        // SAFETY: as the module says.
        with_frame(|frame| unsafe { frame.world.as_mut() }.cite(ClauseId(clause as u32)));
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
        let range = base.0 as usize..(base + len).0 as usize;
        owners[range].fill(base.0 as usize);
    }
    owners
}

/// The memories of steps that ask who had a turn.
fn had_turns(steps: &[StepModel], out: &mut Vec<Cell>) {
    for step in steps {
        out.extend(step.had_turn.map(|(base, _)| base));
        if let BodyModel::Steps(inner) = &step.body {
            had_turns(inner, out);
        }
    }
}

/// The host functions that change the table, and `possible`.
fn verbs(engine: &mut Engine) {
    type C<'a> = NativeCallContext<'a>;
    macro_rules! verb {
        ($verb:expr, $($arg:ident),+) => {
            engine.register_fn(
                text::host_name($verb),
                |c: C<'_>, $($arg: i64),+| act(&c, $verb, vec![$($arg),+], 0),
            );
        };
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
    engine.register_fn(
        text::host_name(Verb::Raise(EventId(0))),
        |c: C<'_>, event: i64, args: Array| {
            act(&c, Verb::Raise(EventId(event as u32)), numbers(&args), 0)
        },
    );
    engine.register_fn(
        text::host_name(Verb::Roll(DieId(0))),
        |c: C<'_>, die: i64| act(&c, Verb::Roll(DieId(die as u32)), vec![], 0),
    );
    engine.register_fn(
        text::host_name(Verb::Finish(EndingId(0))),
        |c: C<'_>, ending: i64| act(&c, Verb::Finish(EndingId(ending as u32)), vec![], 0),
    );
    engine.register_fn(
        text::host_name(Verb::Arrange(SpreadId(0))),
        |c: C<'_>, spread: i64, registers: Array, plan: i64| {
            let mut window = numbers(&registers);
            let at = window.len();
            window.push(plan);
            act(&c, Verb::Arrange(SpreadId(spread as u32)), window, at)
        },
    );
    engine.register_fn("possible", |c: C<'_>, mv: i64, seat: i64| {
        // What is asked is evaluated within.
        let frame = take_down();
        // SAFETY: as the module says.
        let (ruleset, world) = unsafe { (frame.ruleset.as_ref(), frame.world.as_ref()) };
        let possible = ruleset.is_possible(world.cells(), MoveId(mv as u32), seat);
        FRAMES.with_borrow_mut(|frames| frames.push(frame));
        possible.map_or_else(|kind| fail(&c, kind), |possible| Ok(i64::from(possible)))
    });
}

/// A verb on the innermost evaluation, by the same code that bytecode calls.
fn act(context: &NativeCallContext<'_>, verb: Verb, mut window: Vec<i64>, at: usize) -> Host<i64> {
    // The verb may evaluate a query, which looks at the innermost evaluation too: take this one down.
    let mut frame = take_down();
    let free = window.len();
    window.resize(free + REGISTERS / 8, 0);
    // SAFETY: as the module says.
    let done = unsafe { frame.world.as_mut() }.verb(verb, &mut window, at, free);
    FRAMES.with_borrow_mut(|frames| frames.push(frame));
    done.or_else(|kind| fail(context, kind))
}
