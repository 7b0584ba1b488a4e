//! Legal moves: the fixed arguments that conditions allow, as listings (`interpreter::lower::listings`) find them.
//! What remains open is in [`choices`](super::choices).
//!
//! Everything here only looks. Queries are remembered while the state stays as it is.

use super::choices::{completions, open_domain};
use super::vm;
use super::{FUEL, Found, Reader, Sink, Trouble, TroubleKind, run};
use crate::budget;
use crate::numbers::{At as _, Fit as _};
use crate::program::model::{FuncId, Gate, GateKind, MoveId, MoveModel, ParamModel};

/// Fuel for going through the moves of a kind.
const LISTING_FUEL: u64 = 64 * FUEL;

/// Calls a function with every assignment of a move's fixed parameters that its conditions allow, in
/// ascending order; open parameters are at nothing. `true` stops.
pub(crate) fn each_fixed(
    reader: &mut Reader<'_>,
    mv: MoveId,
    seat: i64,
    registers: &mut [i64],
    sink: Sink<'_>,
) -> Result<bool, Trouble> {
    let listing = reader.ruleset.program.bytecode.listings[mv].ascending;
    list(reader, mv, seat, &[], listing, registers, sink)
}

/// As [`each_fixed`], but the values of each parameter are gone through from one that is drawn, and around.
pub(crate) fn each_fixed_drawn(
    reader: &mut Reader<'_>,
    mv: MoveId,
    seat: i64,
    registers: &mut [i64],
    random: &mut dyn FnMut() -> u64,
    sink: Sink<'_>,
) -> Result<bool, Trouble> {
    let Some(listing) = reader.ruleset.program.bytecode.listings[mv].rotated else {
        return each_fixed(reader, mv, seat, registers, sink);
    };
    let params = &reader.ruleset.model().moves[mv].params;
    // Half of what fits, so that a number can be added.
    let starts: Vec<i64> = params
        .iter()
        .map(|_| (random() >> 2).cast_signed())
        .collect();
    list(reader, mv, seat, &starts, listing, registers, sink)
}

/// What is known of who goes through gates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    /// Everything.
    All,
    /// What everybody sees, without how often a question was answered.
    Public,
}

/// Whether the gates of a kind of move are open that the state alone decides. Those that read anything use the registers.
fn may_begin(
    reader: &mut Reader<'_>,
    model: &MoveModel,
    seat: i64,
    registers: &mut [i64],
    known: Known,
) -> Result<bool, Trouble> {
    for gate in model.gates.iter().take_while(|gate| gate.is_first()) {
        if !first_is_open(reader, gate, seat, registers, known)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a gate is open that the state alone decides. One that reads anything uses the registers.
pub(crate) fn first_is_open(
    reader: &mut Reader<'_>,
    gate: &Gate,
    seat: i64,
    registers: &mut [i64],
    known: Known,
) -> Result<bool, Trouble> {
    Ok(match gate.kind {
        GateKind::Under(phase) => reader.is_under_way(phase),
        GateKind::Once { made, .. } => reader.cells[made + seat.fit()] == 0,
        GateKind::AtMost { changes, most } if known == Known::All => {
            i64::from(reader.cells[changes]) < reader.read(registers, most)?
        }
        _ => true,
    })
}

fn list(
    reader: &mut Reader<'_>,
    mv: MoveId,
    seat: i64,
    starts: &[i64],
    listing: FuncId,
    registers: &mut [i64],
    sink: Sink<'_>,
) -> Result<bool, Trouble> {
    let model = &reader.ruleset.model().moves[mv];
    if !may_begin(reader, model, seat, registers, Known::All)? {
        return Ok(false);
    }
    go_through(reader, mv, seat, starts, listing, registers, sink)
}

/// Runs a listing of a move, whatever else there is to know of it.
#[inline(always)]
fn go_through(
    reader: &mut Reader<'_>,
    mv: MoveId,
    seat: i64,
    starts: &[i64],
    listing: FuncId,
    registers: &mut [i64],
    sink: Sink<'_>,
) -> Result<bool, Trouble> {
    let width = reader.ruleset.model().moves[mv].registers.max(1).at();
    registers[0] = seat;
    // Closed parameters are bound before they are read.
    if !reader.ruleset.program.lookup.of_move(mv).closed {
        registers[1..width].fill(0);
    }
    for (register, start) in registers[width..].iter_mut().zip(starts) {
        *register = *start;
    }
    let mut lister = reader.listing(sink);
    let mut fuel = LISTING_FUEL.min(budget::left() / vm::TURN);
    let ruleset = lister.ruleset;
    let enough = run(ruleset, &mut lister, registers, listing, &mut fuel)?;
    Ok(enough != 0)
}

/// What lies in the cells that a parameter must repeat; `None` if nothing does.
pub(crate) fn standing(
    reader: &mut Reader<'_>,
    cells: FuncId,
    optional: bool,
    len: u16,
    registers: &mut [i64],
) -> Result<Option<Vec<i64>>, Trouble> {
    let first = reader.read(registers, cells)?;
    let mut there = vec![0; len.at()];
    match vm::standing(reader.cells, first, optional, &mut there) {
        Some(stands) => Ok(stands.then_some(there)),
        None => Err(Trouble {
            kind: TroubleKind::OutOfBounds,
            op: reader.ruleset.program.bytecode.functions[cells].start,
        }),
    }
}

/// How many assignments of a move's fixed parameters are legal as far as everybody can see, up to `most`:
/// conditions and domains that depend on secrets count as if they allowed everything.
pub(crate) fn publicly_possible(
    reader: &mut Reader<'_>,
    mv: MoveId,
    seat: i64,
    registers: &mut [i64],
    most: u32,
) -> Result<u32, Trouble> {
    let model = &reader.ruleset.model().moves[mv];
    if !may_begin(reader, model, seat, registers, Known::Public)? {
        return Ok(0);
    }
    let listings = reader.ruleset.program.bytecode.listings[mv];
    let listing = listings.public.unwrap_or(listings.ascending);
    // Of a number that is secret one is offered, where there may be any.
    let each = match model.params.iter().any(ParamModel::is_secret_number) {
        true => most,
        false => 1,
    };
    let params = model.params.iter();
    let bound = params.take_while(|param| !param.is_secret_number());
    let open = bound.filter(|param| param.is_open() && !param.hidden && !param.depends);
    let mut found = 0;
    let mut count = |reader: &mut Reader<'_>, mut one: Found<'_>| {
        for param in open.clone() {
            let open = open_domain(reader, param, one.registers())?;
            if let Some(open) = open
                && open.count()? == 0
            {
                return Ok(false);
            }
        }
        found += each;
        Ok(found >= most)
    };
    go_through(reader, mv, seat, &[], listing, registers, &mut count)?;
    Ok(found)
}

impl Reader<'_> {
    /// Whether some move of this kind is legal for a seat.
    pub(crate) fn is_possible(
        &mut self,
        mv: MoveId,
        seat: i64,
        registers: &mut [i64],
    ) -> Result<bool, Trouble> {
        let closed = self.ruleset.program.lookup.of_move(mv).closed;
        let left = budget::left();
        let possible = each_fixed(self, mv, seat, registers, &mut |reader, mut found| {
            Ok(closed || completions(reader, mv, found.registers())?.count != Some(0))
        });
        // Charged to the evaluation within which it is asked.
        if let Some(memory) = &mut self.memory {
            memory.worked += left - budget::left();
        }
        possible
    }
}
