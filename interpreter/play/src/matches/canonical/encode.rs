//! A state as bytes: one walk over its cells in the order of the [`Plan`]. Places, the greatest part, are copied from how
//! an earlier state was written ([`Places`]) as long as nothing was written to them since.

use std::ops::Range;

use smallvec::SmallVec;

use super::item::{FALSE, LIST, MAP, NULL, TRUE, head, number, text};
use crate::numbers::{At as _, Fit as _};
use crate::program::canonical::{Name, Named, Part, PartKind, Phase, Place, Plan};
use crate::program::model::{
    AskId, Cell, EndingId, EventId, Idx as _, NodeId, TableId, WatchId, agenda, control,
};
use crate::program::tree::Ty;
use crate::state::Moment;

/// The form of what is written.
pub(super) const FORM: &str = "referee.state/1";

/// A state that is written.
pub(super) struct State<'a> {
    pub plan: &'a Plan,
    pub cells: &'a [i32],
    /// The seats that are asked.
    pub asked: &'a [u8],
    /// An earlier state of the match, if it is known how that was written.
    pub earlier: Option<Earlier<'a>>,
}

/// A state that was written.
#[derive(Clone, Copy)]
pub(super) struct Earlier<'a> {
    pub places: &'a Places,
    /// Whether nothing was written since to the run of places that has this cell.
    pub is_same: &'a dyn Fn(Cell) -> bool,
}

/// What is remembered of a state whose hash was asked for.
#[derive(Debug)]
pub(in crate::matches) struct Hashed {
    /// When the match was in it.
    pub(super) at: Moment,
    pub(super) places: Places,
}

/// The places of a state as they are written.
#[derive(Debug)]
pub(super) struct Places {
    bytes: Vec<u8>,
    /// What each run of the plan takes of them.
    runs: Vec<Taken>,
}

/// What a run of places takes when it is written.
#[derive(Clone, Copy, Debug)]
struct Taken {
    bytes: usize,
    /// How many of its places hold something.
    filled: u64,
}

impl State<'_> {
    /// Writes it behind what was written already.
    pub(super) fn encode(self, out: Vec<u8>) -> Vec<u8> {
        let mut writer = Writer::of(&self, out);
        writer.state(self.asked);
        writer.out
    }

    /// The same, with its places, for writing a later state of the match.
    pub(super) fn encode_with_places(self, out: Vec<u8>) -> (Vec<u8>, Places) {
        let mut writer = Writer::of(&self, out);
        writer.state(self.asked);
        let places = Places {
            bytes: writer.out[writer.places].to_vec(),
            runs: writer.runs,
        };
        (writer.out, places)
    }
}

struct Writer<'a> {
    plan: &'a Plan,
    cells: &'a [i32],
    earlier: Option<Earlier<'a>>,
    out: Vec<u8>,
    /// Where its places stand, and what each run takes of them.
    places: Range<usize>,
    runs: Vec<Taken>,
}

impl<'a> Writer<'a> {
    fn of(state: &State<'a>, out: Vec<u8>) -> Writer<'a> {
        Writer {
            plan: state.plan,
            cells: state.cells,
            earlier: state.earlier,
            out,
            places: 0..0,
            runs: Vec::with_capacity(state.plan.runs.len()),
        }
    }

    fn cell(&self, cell: Cell) -> i32 {
        self.cells[cell]
    }

    /// Writes entries, then puts the head in front that says how many they are; gives that number.
    fn several(&mut self, major: u8, write: impl FnOnce(&mut Self) -> u64) -> u64 {
        let at = self.out.len();
        // Most are few, and then their head is one byte.
        self.out.push(0);
        let count = write(self);
        if count < 24 {
            self.out[at] = major << 5 | count.fit::<u8>();
        } else {
            let end = self.out.len();
            head(&mut self.out, major, count);
            let longer: SmallVec<[u8; 9]> = self.out[end..].into();
            self.out.copy_within(at + 1..end, at + longer.len());
            self.out.truncate(end - 1 + longer.len());
            self.out[at..][..longer.len()].copy_from_slice(&longer);
        }
        count
    }

    /// Writes something under its name, unless it holds nothing; tells whether it does.
    fn under(&mut self, name: &Name, write: impl FnOnce(&mut Self) -> bool) -> u64 {
        let at = self.out.len();
        name.write(&mut self.out);
        self.unless_empty(at, write)
    }

    /// Writes something, or takes back what was written from a place on if it holds nothing; tells whether it does.
    fn unless_empty(&mut self, at: usize, write: impl FnOnce(&mut Self) -> bool) -> u64 {
        let holds = write(self);
        if !holds {
            self.out.truncate(at);
        }
        u64::from(holds)
    }

    /// Writes a section of the state, unless nothing is in it.
    fn section(&mut self, name: &str, write: impl FnOnce(&mut Self) -> u64) -> u64 {
        let at = self.out.len();
        text(&mut self.out, name);
        self.unless_empty(at, |to| to.several(MAP, write) > 0)
    }

    // In the order of the encoded names: the shorter first.
    fn state(&mut self, asked: &[u8]) {
        let plan = self.plan;
        self.several(MAP, |to| {
            let (due, over) = (to.cell(control::DUE), to.cell(control::OVER));
            let ending = |number: i32| {
                let number = u32::try_from(number).ok()?.checked_sub(1)?;
                plan.endings.get(EndingId(number))
            };
            let mut count = 0;
            if let Some(ending) = ending(due) {
                text(&mut to.out, "due");
                ending.write(&mut to.out);
                count += 1;
            }
            count += to.section("dice", Writer::dice);
            text(&mut to.out, "form");
            text(&mut to.out, FORM);
            count += 1;
            count += to.section("once", Writer::once);
            if over != 0 {
                text(&mut to.out, "over");
                match ending(over) {
                    Some(ending) => ending.write(&mut to.out),
                    None => to.out.push(NULL),
                }
                count += 1;
            }
            count += to.section("chance", |to| to.numbers(&plan.chance));
            count += to.section("places", Writer::places);
            // Their head may have taken more than one byte.
            to.places = to.out.len() - to.places.len()..to.out.len();
            text(&mut to.out, "visits");
            to.visits();
            count += 1;
            count += to.section("markers", Writer::markers);
            count += to.section("watches", Writer::watches);
            count += to.section("counters", |to| to.numbers(&plan.counters));
            if over == 0 {
                count += to.section("question", |to| to.question(asked));
            }
            count
        });
    }

    /// Writes a name and a number, in one piece if both are short, as they mostly are.
    #[inline]
    fn counted(&mut self, name: &Name, value: i32) {
        let small = (0..24).contains(&value);
        if !(small && name.write_with(&mut self.out, value.fit())) {
            name.write(&mut self.out);
            number(&mut self.out, i64::from(value));
        }
    }

    fn numbers(&mut self, cells: &Named<Cell>) -> u64 {
        let mut count = 0;
        for (name, cell) in cells.iter() {
            let value = self.cell(*cell);
            if value != 0 {
                self.counted(name, value);
                count += 1;
            }
        }
        count
    }

    fn places(&mut self) -> u64 {
        let plan = self.plan;
        let first = self.out.len();
        // What of the earlier state is the same, and not yet copied.
        let mut same = 0..0;
        for (number, run) in plan.runs.iter().enumerate() {
            if let Some(Earlier { places, is_same }) = self.earlier {
                let known = places.runs[number];
                if is_same(run.cell) {
                    same.end += known.bytes;
                    self.runs.push(known);
                    continue;
                }
                self.out.extend_from_slice(&places.bytes[same.clone()]);
                let next = same.end + known.bytes;
                same = next..next;
            }
            let begin = self.out.len();
            let places = plan.places[run.places.clone()].iter();
            let filled = places.map(|place| self.place(place)).sum();
            let bytes = self.out.len() - begin;
            self.runs.push(Taken { bytes, filled });
        }
        if let Some(Earlier { places, .. }) = self.earlier {
            self.out.extend_from_slice(&places.bytes[same]);
        }
        self.places = first..self.out.len();
        self.runs.iter().map(|run| run.filled).sum()
    }

    /// Writes a place, unless nothing lies there; tells whether something does.
    fn place(&mut self, place: &Place) -> u64 {
        let first = place.base.at();
        if place.pile {
            let size = self.cells[first].at();
            if size == 0 {
                return 0;
            }
            let rows = &self.plan.rows[place.table];
            place.name.write(&mut self.out);
            head(&mut self.out, LIST, size.fit());
            // From the top.
            for row in self.cells[first + 1..=first + size].iter().rev() {
                rows[row.at()].write(&mut self.out);
            }
            return 1;
        }
        let counts = &self.cells[first..][..place.width.at()];
        // Most are empty, and looking at all cells at once is faster than stopping at the first that is not.
        if counts.iter().fold(0, |all, count| all | count) == 0 {
            return 0;
        }
        place.name.write(&mut self.out);
        self.several(MAP, |to| to.counts(place.table, counts));
        1
    }

    /// Writes how many there are of each row of a table.
    fn counts(&mut self, table: TableId, counts: &[i32]) -> u64 {
        let plan = self.plan;
        let mut different = 0;
        for (row, name) in &plan.sorted[table] {
            let count = counts[row.at()];
            if count != 0 {
                self.counted(name, count);
                different += 1;
            }
        }
        different
    }

    fn markers(&mut self) -> u64 {
        let plan = self.plan;
        let markers = plan.markers.iter();
        markers
            .map(|(name, (cell, ty))| {
                let value = self.cell(*cell);
                match ty {
                    // Nobody and nothing, as they mostly are.
                    Ty::Player | Ty::Row(_) | Ty::Option(_) if value < 0 => 0,
                    ty => self.under(name, |to| to.value(ty, &[value])),
                }
            })
            .sum()
    }

    fn dice(&mut self) -> u64 {
        let plan = self.plan;
        let mut count = 0;
        for (name, (next, _, face)) in plan.dice.iter() {
            let set = self.cell(*next).cast_unsigned();
            if set > 0 {
                name.write(&mut self.out);
                head(&mut self.out, LIST, u64::from(set));
                for roll in 1..=set {
                    self.listed(face, self.cell(*next + roll));
                }
                count += 1;
            }
        }
        count
    }

    fn once(&mut self) -> u64 {
        let plan = self.plan;
        let once = plan.once.iter();
        once.map(|(name, (base, seats))| self.marks(name, *base, *seats))
            .sum()
    }

    fn watches(&mut self) -> u64 {
        let plan = self.plan;
        let watches = plan.watches.iter();
        watches
            .map(|(name, (base, seats, _))| self.marks(name, *base, *seats))
            .sum()
    }

    /// What is so: for everybody together, or the seats for which it is. Nothing if it is so for nobody, as it mostly is.
    fn marks(&mut self, name: &Name, base: Cell, seats: u8) -> u64 {
        let first = base.at();
        let cells = &self.cells[first..first + usize::from(seats.max(1))];
        if cells.iter().all(|cell| *cell == 0) {
            return 0;
        }
        name.write(&mut self.out);
        if seats > 0 {
            self.of_which(base, u32::from(seats));
        } else {
            self.out.push(TRUE);
        }
        1
    }

    /// The numbers, from 1, of cells that are not zero.
    fn of_which(&mut self, base: Cell, cells: u32) -> bool {
        let several = self.several(LIST, |to| {
            let mut count = 0;
            for at in 0..cells {
                if to.cell(base + at) != 0 {
                    number(&mut to.out, i64::from(at) + 1);
                    count += 1;
                }
            }
            count
        });
        several > 0
    }

    fn question(&mut self, asked: &[u8]) -> u64 {
        let plan = self.plan;
        let position = plan
            .positions
            .get(NodeId::in_cell(self.cell(control::NODE)));
        let Some(ask) = position.and_then(|position| position.ask) else {
            return 0;
        };
        text(&mut self.out, "step");
        plan.asks[ask].write(&mut self.out);
        text(&mut self.out, "seats");
        let mut seats: SmallVec<[u8; 8]> = asked.into();
        seats.sort_unstable();
        head(&mut self.out, LIST, seats.len().fit());
        for seat in seats {
            number(&mut self.out, i64::from(seat) + 1);
        }
        2
    }

    /// Visits under way, the outermost first.
    fn visits(&mut self) {
        let plan = self.plan;
        let cells = self.cells;
        let depth = cells[control::DEPTH].cast_unsigned();
        let frames = &cells[control::STACK.span(depth)];
        let last = &cells[control::NODE.span(1)];
        let standing = || frames.iter().chain(last);
        let mut layers = self.layers().into_iter();
        head(&mut self.out, LIST, u64::from(depth) + 1);
        for (level, node) in standing().enumerate() {
            // A graph with an edge that leads nowhere.
            let Some(position) = plan.positions.get(NodeId::in_cell(*node)) else {
                self.out.push(NULL);
                continue;
            };
            if position.follows {
                let layer = layers.next().unwrap_or_default();
                head(&mut self.out, MAP, 1);
                text(&mut self.out, "follows");
                head(&mut self.out, LIST, layer.len().fit());
                for entry in layer {
                    self.waiting(entry);
                }
                continue;
            }
            let same = |node: &&i32| {
                let other = plan.positions.get(NodeId::in_cell(**node));
                other.is_some_and(|other| other.phase == position.phase && !other.follows)
            };
            // Where the visit's values lie: the innermost of a phase has them at hand.
            let outer = standing().take(level).filter(same).count().fit::<u32>();
            let inner = standing().skip(level + 1).filter(same).count();
            let phase = &plan.phases[position.phase];
            let kept = phase.saved.filter(|_| inner > 0);
            let kept = kept.map(|(base, width)| base + outer * width);
            let at = move |base: Cell, offset: Option<u32>| match (kept, offset) {
                (None, _) if inner > 0 => None,
                (None, _) => Some(base),
                (Some(first), Some(offset)) => Some(first + offset),
                (Some(_), None) => None,
            };
            self.several(MAP, |to| {
                text(&mut to.out, "at");
                position.name.write(&mut to.out);
                text(&mut to.out, "phase");
                phase.name.write(&mut to.out);
                let steps = to.section("steps", |to| {
                    let steps = position.under_way.iter();
                    let steps = steps.map(|number| &phase.steps[*number]);
                    steps
                        .map(|step| {
                            let parts = &step.parts;
                            to.under(&step.name, |to| {
                                to.several(MAP, |to| to.parts(parts, position.ask, &at)) > 0
                            })
                        })
                        .sum()
                });
                let values = to.section("values", |to| to.values(phase, &at));
                2 + steps + values
            });
        }
    }

    fn parts(
        &mut self,
        parts: &[Part],
        ask: Option<AskId>,
        at: &impl Fn(Cell, Option<u32>) -> Option<Cell>,
    ) -> u64 {
        let mut count = 0;
        for part in parts {
            let Some(base) = at(part.base, part.kept) else {
                continue;
            };
            count += self.under(&part.name, |to| match &part.kind {
                PartKind::Value(ty) => {
                    let value = to.cell(base);
                    to.value(ty, &[value])
                }
                PartKind::Seats(seats) => to.of_which(base, u32::from(*seats)),
                PartKind::Numbers(numbers) => to.of_which(base, *numbers),
                PartKind::Open(of, seats) => {
                    ask == Some(*of) && to.of_which(base, u32::from(*seats))
                }
                PartKind::Answers(of) => {
                    let answers = to.cell(base);
                    ask == Some(*of) && to.value(&Ty::Int, &[answers])
                }
            });
        }
        count
    }

    fn values(&mut self, phase: &Phase, at: &impl Fn(Cell, Option<u32>) -> Option<Cell>) -> u64 {
        let cells = self.cells;
        let mut count = 0;
        for variable in &phase.values {
            let Some(base) = at(variable.base, variable.kept) else {
                continue;
            };
            count += self.under(&variable.name, |to| {
                to.value(&variable.ty, &cells[base.at()..])
            });
        }
        count
    }

    /// Writes a value, the first of these numbers; tells whether it is something.
    fn value(&mut self, ty: &Ty, numbers: &[i32]) -> bool {
        let plan = self.plan;
        let first = numbers[0];
        match ty {
            Ty::Bool => self.out.push(if first == 0 { FALSE } else { TRUE }),
            // Nobody, and no row.
            Ty::Player | Ty::Row(_) if first < 0 => return false,
            Ty::Player => {
                self.single("seat", |to| number(&mut to.out, i64::from(first) + 1));
                return true;
            }
            Ty::Row(table) => {
                let row = plan.rows[*table].get(first.at());
                row.into_iter().for_each(|row| row.write(&mut self.out));
                return row.is_some();
            }
            Ty::Option(inner) => match &**inner {
                Ty::Bag(_) | Ty::Record(_) if first == 0 => {}
                // What is there is something, and be it empty.
                wide @ (Ty::Bag(_) | Ty::Record(_)) => {
                    self.value(wide, &numbers[1..]);
                    return true;
                }
                Ty::Player | Ty::Row(_) => return self.value(inner, numbers),
                _ if first < 0 => {}
                inner => {
                    self.value(inner, numbers);
                    return true;
                }
            },
            Ty::Bag(table) => {
                let counts = &numbers[..plan.rows[*table].len()];
                self.single("bag", |to| {
                    to.several(MAP, |to| to.counts(*table, counts));
                });
                return counts.iter().any(|count| *count != 0);
            }
            Ty::Record(record) => {
                let mut count = 0;
                self.single("record", |to| {
                    count = to.several(MAP, |to| {
                        let parts = plan.records[*record].parts.iter();
                        parts
                            .map(|(name, at, ty)| {
                                to.under(name, |to| to.value(ty, &numbers[*at..]))
                            })
                            .sum()
                    });
                });
                return count > 0;
            }
            _ => number(&mut self.out, i64::from(first)),
        }
        first != 0 && !matches!(ty, Ty::Option(_))
    }

    /// A value in a list, where nothing has its place too.
    fn listed(&mut self, ty: &Ty, cell: i32) {
        let at = self.out.len();
        self.value(ty, &[cell]);
        if self.out.len() == at {
            self.out.push(NULL);
        }
    }

    /// A map of one entry.
    fn single(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        head(&mut self.out, MAP, 1);
        text(&mut self.out, name);
        write(self);
    }

    /// Events of which something still follows: a list for each phase that follows one, the outermost first.
    fn layers(&self) -> Vec<Vec<Cell>> {
        let Some(base) = self.plan.agenda else {
            return Vec::new();
        };
        let mut left = self.cell(base).cast_unsigned();
        let mut layers = Vec::new();
        while let Some(last) = left.checked_sub(1) {
            let size = self.cell(base + 1 + last * agenda::WIDTH).cast_unsigned();
            left = last - size;
            let entries = (left..last).map(|at| base + 1 + at * agenda::WIDTH);
            layers.push(entries.collect());
        }
        layers.reverse();
        layers
    }

    /// An event of which something still follows.
    fn waiting(&mut self, entry: Cell) {
        let plan = self.plan;
        let event = EventId(self.cell(entry).cast_unsigned());
        let next = self.cell(entry + 1);
        let (kind, name, args) = match plan.events.get(event) {
            Some(event) => ("event", &event.name, &event.args[..]),
            None => {
                let watch = WatchId::new(event.index() - plan.events.len());
                let mut watches = plan.watches.iter();
                let found = watches.find(|(_, (.., number))| *number == watch);
                let Some((name, (_, seats, _))) = found else {
                    head(&mut self.out, MAP, 0);
                    return;
                };
                let args: &[Ty] = if *seats > 0 { &[Ty::Player] } else { &[] };
                ("watch", name, args)
            }
        };
        self.several(MAP, |to| {
            let mut count = 2;
            if !args.is_empty() {
                text(&mut to.out, "args");
                head(&mut to.out, LIST, args.len().fit());
                for (at, ty) in (0..).zip(args) {
                    to.listed(ty, to.cell(entry + 2 + at));
                }
                count += 1;
            }
            text(&mut to.out, "next");
            number(&mut to.out, i64::from(next));
            text(&mut to.out, kind);
            name.write(&mut to.out);
            count
        });
    }
}
