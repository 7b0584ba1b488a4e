//! From the bytes of a state back to its cells: the [`Plan`] read the other way.

use std::collections::BTreeMap;

use super::encode::FORM;
use super::item::{Item, encoded};
use crate::numbers::{At as _, Fit as _, low};
use crate::program::canonical::{Name, Named, Part, PartKind, Phase, Plan};
use crate::program::model::{Cell, EventId, Idx as _, NodeId, PhaseId, TableId, agenda, control};
use crate::program::tree::{NONE, Ty};

/// What a state says beside its cells.
pub(super) struct Read {
    pub cells: Box<[i32]>,
    /// The seats that are asked, in order.
    pub asked: Vec<u8>,
}

/// Why a state is none of this ruleset, for those who mend it.
type Wrong = String;

/// The cells of a state. `empty` are those in which nothing is.
pub(super) fn decode(plan: &Plan, empty: &[i32], state: &Item) -> Result<Read, Wrong> {
    let mut reader = Reader {
        plan,
        cells: empty.into(),
    };
    for (cell, ty) in plan.markers.things() {
        reader.cells[*cell] = match ty {
            Ty::Int | Ty::Bool => 0,
            _ => low(NONE),
        };
    }
    let asked = reader.state(state)?;
    // What is no option points at something from the beginning.
    let nowhere =
        |(cell, ty): &(Cell, Ty)| matches!(ty, Ty::Player | Ty::Row(_)) && reader.cells[*cell] < 0;
    if plan.markers.things().iter().any(nowhere) {
        return Err("a marker points at nothing".into());
    }
    Ok(Read {
        cells: reader.cells,
        asked,
    })
}

struct Reader<'a> {
    plan: &'a Plan,
    cells: Box<[i32]>,
}

fn map(item: &Item) -> Result<&[(String, Item)], Wrong> {
    match item {
        Item::Map(entries) => Ok(entries),
        other => Err(format!("a map is needed, not {other:?}")),
    }
}

fn list(item: &Item) -> Result<&[Item], Wrong> {
    match item {
        Item::List(items) => Ok(items),
        other => Err(format!("a list is needed, not {other:?}")),
    }
}

fn text(item: &Item) -> Result<&str, Wrong> {
    match item {
        Item::Text(text) => Ok(text),
        other => Err(format!("a name is needed, not {other:?}")),
    }
}

fn number<N: TryFrom<i64>>(item: &Item) -> Result<N, Wrong> {
    let number = match item {
        Item::Number(number) => N::try_from(*number).ok(),
        _ => None,
    };
    number.ok_or_else(|| format!("a number in its bounds is needed, not {item:?}"))
}

/// How many there are: never fewer than none.
fn count(item: &Item) -> Result<i32, Wrong> {
    let count: i32 = number(item)?;
    match count < 0 {
        true => Err(format!("fewer than none: {count}")),
        false => Ok(count),
    }
}

/// The place of a name in a list.
fn find<T>(list: &[T], name: &str, of: impl Fn(&T) -> &Name) -> Result<usize, Wrong> {
    let written = encoded(name);
    let found = list.iter().position(|one| **of(one) == *written);
    found.ok_or_else(|| format!("there is no `{name}`"))
}

/// What has a name.
fn named<'a, T>(all: &'a Named<T>, name: &str) -> Result<&'a T, Wrong> {
    let found = find(all.names(), name, |name| name)?;
    Ok(&all.things()[found])
}

impl Reader<'_> {
    fn set(&mut self, cell: Cell, value: i32) -> Result<(), Wrong> {
        let cell = self.cells.get_mut(cell.at());
        *cell.ok_or("there is no room for so much")? = value;
        Ok(())
    }

    fn state(&mut self, state: &Item) -> Result<Vec<u8>, Wrong> {
        let plan = self.plan;
        if state.get("form") != Some(&Item::Text(FORM.to_owned())) {
            return Err(format!("its form is not {FORM}"));
        }
        let mut asked = Vec::new();
        for (section, said) in map(state)? {
            let ending = |said: &Item| {
                let ending = find(&plan.endings, text(said)?, |ending| ending)?;
                Ok::<_, Wrong>(ending.fit::<i32>() + 1)
            };
            match &section[..] {
                "form" => {}
                "due" => self.set(control::DUE, ending(said)?)?,
                "over" => {
                    let over = match said {
                        Item::Nothing => -1,
                        said => ending(said)?,
                    };
                    self.set(control::OVER, over)?;
                }
                "chance" => self.numbers(said, &plan.chance)?,
                "counters" => self.numbers(said, &plan.counters)?,
                "places" => self.places(said)?,
                "markers" => {
                    for (name, value) in map(said)? {
                        let (cell, ty) = named(&plan.markers, name)?;
                        self.value(*cell, ty, value)?;
                    }
                }
                "dice" => {
                    for (name, rolls) in map(said)? {
                        let (next, room, face) = named(&plan.dice, name)?;
                        let rolls = list(rolls)?;
                        if rolls.len() >= room.at() {
                            return Err(format!("there is no room for {} rolls", rolls.len()));
                        }
                        self.set(*next, rolls.len().fit())?;
                        for (cell, roll) in (next.0 + 1..).map(Cell).zip(rolls) {
                            self.value(cell, face, roll)?;
                        }
                    }
                }
                "once" => {
                    for (name, marks) in map(said)? {
                        let (base, seats) = named(&plan.once, name)?;
                        self.marks(*base, (*seats).into(), marks)?;
                    }
                }
                "watches" => {
                    for (name, marks) in map(said)? {
                        let (base, seats, _) = named(&plan.watches, name)?;
                        self.marks(*base, (*seats).into(), marks)?;
                    }
                }
                "visits" => self.visits(list(said)?)?,
                "question" => {
                    let seats = said.get("seats").ok_or("nobody is asked")?;
                    for seat in list(seats)? {
                        asked.push(self.seat(seat)?);
                    }
                }
                other => return Err(format!("`{other}` is nothing known of a state")),
            }
        }
        Ok(asked)
    }

    fn numbers(&mut self, said: &Item, cells: &Named<Cell>) -> Result<(), Wrong> {
        for (name, value) in map(said)? {
            self.set(*named(cells, name)?, count(value)?)?;
        }
        Ok(())
    }

    fn places(&mut self, said: &Item) -> Result<(), Wrong> {
        let plan = self.plan;
        for (name, contents) in map(said)? {
            let place = &plan.places[find(&plan.places, name, |place| &place.name)?];
            if place.pile {
                let pieces = list(contents)?;
                // The first cell says how many there are.
                if pieces.len() >= place.width.at() {
                    return Err(format!("there is no room for {} pieces", pieces.len()));
                }
                self.set(place.base, pieces.len().fit())?;
                // Written from the top.
                for (at, piece) in (1..).zip(pieces.iter().rev()) {
                    let row = find(&plan.rows[place.table], text(piece)?, |row| row)?;
                    self.set(place.base + at, row.fit())?;
                }
            } else {
                self.counts(place.base, place.table, contents)?;
            }
        }
        Ok(())
    }

    fn counts(&mut self, base: Cell, table: TableId, said: &Item) -> Result<(), Wrong> {
        for (row, pieces) in map(said)? {
            let row = find(&self.plan.rows[table], row, |row| row)?;
            self.set(base + row.fit::<u32>(), count(pieces)?)?;
        }
        Ok(())
    }

    /// A seat, from zero; states count from one.
    fn seat(&self, said: &Item) -> Result<u8, Wrong> {
        let seat: u8 = number(said)?;
        let seat = seat.checked_sub(1).filter(|seat| *seat < self.plan.players);
        seat.ok_or_else(|| "there is no such seat".into())
    }

    fn marks(&mut self, base: Cell, most: u32, said: &Item) -> Result<(), Wrong> {
        match said {
            Item::Truth(true) => self.set(base, 1),
            said => self.of_which(base, most, said),
        }
    }

    /// Which of so many are meant, counted from one.
    fn of_which(&mut self, base: Cell, most: u32, said: &Item) -> Result<(), Wrong> {
        for one in list(said)? {
            let one: u32 = number(one)?;
            let one = one.checked_sub(1).filter(|one| *one < most);
            self.set(base + one.ok_or("there are not so many")?, 1)?;
        }
        Ok(())
    }

    /// Sets the cells of a value that is something.
    fn value(&mut self, base: Cell, ty: &Ty, said: &Item) -> Result<(), Wrong> {
        let plan = self.plan;
        match (ty, said) {
            (Ty::Option(inner), said) => match &**inner {
                wide @ (Ty::Bag(_) | Ty::Record(_)) => {
                    self.set(base, 1)?;
                    self.value(base + 1, wide, said)
                }
                inner => match said {
                    Item::Nothing => self.set(base, low(NONE)),
                    said => self.value(base, inner, said),
                },
            },
            (Ty::Bool, Item::Truth(truth)) => self.set(base, i32::from(*truth)),
            (Ty::Int, said) => self.set(base, number(said)?),
            (Ty::Player, said) => {
                let seat = self.seat(said.get("seat").ok_or("a seat is needed")?)?;
                self.set(base, seat.into())
            }
            (Ty::Row(table), Item::Text(row)) => {
                let row = find(&plan.rows[*table], row, |row| row)?;
                self.set(base, row.fit())
            }
            (Ty::Bag(table), said) => {
                self.counts(base, *table, said.get("bag").ok_or("a bag is needed")?)
            }
            (Ty::Record(record), said) => {
                let parts = &plan.records[*record].parts;
                // Options that are left out are none.
                for (_, at, ty) in parts {
                    if matches!(ty, Ty::Option(inner) if !matches!(**inner, Ty::Bag(_) | Ty::Record(_)))
                    {
                        self.set(base + at.fit::<u32>(), low(NONE))?;
                    }
                }
                for (name, value) in map(said.get("record").ok_or("a record is needed")?)? {
                    let (_, at, ty) = &parts[find(parts, name, |(name, ..)| name)?];
                    self.value(base + at.fit::<u32>(), ty, value)?;
                }
                Ok(())
            }
            (_, said) => Err(format!("{said:?} is no value of this type")),
        }
    }

    /// Lays the visits out: where play stands, where it comes back to, and what is each visit's own.
    fn visits(&mut self, visits: &[Item]) -> Result<(), Wrong> {
        let plan = self.plan;
        let mut standing = Vec::with_capacity(visits.len());
        let mut laid = 0;
        for visit in visits {
            let node = match visit.get("follows") {
                Some(waiting) => {
                    self.lay_down(&mut laid, list(waiting)?)?;
                    let follows = plan.positions.position(|position| position.follows);
                    follows.ok_or("nothing follows an event here")?
                }
                None => {
                    let at = text(visit.get("at").ok_or("a visit is nowhere")?)?;
                    NodeId::new(find(&plan.positions, at, |position| &position.name)?)
                }
            };
            standing.push(node);
        }
        let (last, frames) = standing.split_last().ok_or("play stands nowhere")?;
        if frames.len() > control::FRAMES.at() {
            return Err("too many phases are under way".into());
        }
        self.set(control::NODE, last.for_cell())?;
        self.set(control::DEPTH, frames.len().fit())?;
        for (frame, node) in (0..).zip(frames) {
            self.set(control::STACK + frame, node.for_cell())?;
        }
        let mut seen: BTreeMap<PhaseId, u32> = BTreeMap::new();
        for (level, (node, visit)) in standing.iter().zip(visits).enumerate() {
            let position = &plan.positions[*node];
            if position.follows {
                continue;
            }
            let outer = seen.entry(position.phase).or_default();
            let inner = standing[level + 1..].iter().any(|other| {
                let other = &plan.positions[*other];
                other.phase == position.phase && !other.follows
            });
            let phase = &plan.phases[position.phase];
            let kept = match (inner, phase.saved) {
                (true, Some((base, width))) => Some(Some(base + *outer * width)),
                (true, None) => None,
                (false, _) => Some(None),
            };
            *outer += 1;
            if let Some(kept) = kept {
                self.visit(phase, kept, visit)?;
            }
        }
        Ok(())
    }

    /// What is a visit's own; `kept` is where it lies, unless it is at hand.
    fn visit(&mut self, phase: &Phase, kept: Option<Cell>, visit: &Item) -> Result<(), Wrong> {
        let at = |base: Cell, offset: Option<u32>| match kept {
            None => Some(base),
            Some(first) => offset.map(|offset| first + offset),
        };
        for variable in &phase.values {
            if let (Ty::Option(inner), Some(base)) =
                (&variable.ty, at(variable.base, variable.kept))
                && !matches!(**inner, Ty::Bag(_) | Ty::Record(_))
            {
                self.set(base, low(NONE))?;
            }
        }
        let nothing = Item::Map(Vec::new());
        for (name, value) in map(visit.get("values").unwrap_or(&nothing))? {
            let variable = &phase.values[find(&phase.values, name, |variable| &variable.name)?];
            let base = at(variable.base, variable.kept).ok_or("it is kept nowhere")?;
            self.value(base, &variable.ty, value)?;
        }
        for (name, parts) in map(visit.get("steps").unwrap_or(&nothing))? {
            let step = &phase.steps[find(&phase.steps, name, |step| &step.name)?];
            for (name, value) in map(parts)? {
                let part: &Part = &step.parts[find(&step.parts, name, |part| &part.name)?];
                let base = at(part.base, part.kept).ok_or("it is kept nowhere")?;
                match &part.kind {
                    PartKind::Value(ty) => self.value(base, ty, value)?,
                    PartKind::Answers(_) => self.set(base, number(value)?)?,
                    PartKind::Seats(seats) | PartKind::Open(_, seats) => {
                        self.of_which(base, (*seats).into(), value)?;
                    }
                    PartKind::Numbers(numbers) => self.of_which(base, *numbers, value)?,
                }
            }
        }
        Ok(())
    }

    /// Lays down what waits for the end of a phase that follows an event.
    fn lay_down(&mut self, laid: &mut u32, waiting: &[Item]) -> Result<(), Wrong> {
        let plan = self.plan;
        let base = plan.agenda.ok_or("nothing follows an event here")?;
        if *laid + waiting.len().fit::<u32>() + 1 > agenda::MOST {
            return Err("too many events wait".into());
        }
        for entry in waiting {
            let cell = base + 1 + *laid * agenda::WIDTH;
            let (event, args): (EventId, &[Ty]) = match (entry.get("event"), entry.get("watch")) {
                (Some(event), _) => {
                    let event = find(&plan.events, text(event)?, |event| &event.name)?;
                    let event = EventId::new(event);
                    (event, &plan.events[event].args)
                }
                (_, Some(watch)) => {
                    let (_, seats, number) = named(&plan.watches, text(watch)?)?;
                    let args: &[Ty] = if *seats > 0 { &[Ty::Player] } else { &[] };
                    (EventId::new(plan.events.len() + number.index()), args)
                }
                _ => return Err("something waits for no event".into()),
            };
            self.set(cell, event.0.cast_signed())?;
            self.set(
                cell + 1,
                number(entry.get("next").ok_or("nothing comes next")?)?,
            )?;
            if let Some(given) = entry.get("args") {
                for (at, (ty, value)) in (2..).zip(args.iter().zip(list(given)?)) {
                    self.value(cell + at, ty, value)?;
                }
            }
            *laid += 1;
        }
        let cell = base + 1 + *laid * agenda::WIDTH;
        self.set(cell, waiting.len().fit())?;
        *laid += 1;
        self.set(base, laid.cast_signed())
    }
}
