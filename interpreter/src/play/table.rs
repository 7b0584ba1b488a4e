//! The table that effects change; conditions see it with [eyes](super::eyes) that only read.
//!
//! Pieces only ever go from place to place; counters never fall below zero; a marker points where
//! its type allows. Whatever changes is logged when somebody reads the log.

use smallvec::{SmallVec, smallvec};

use crate::check::ir::{FuncId, Verb};
use crate::check::model::{Sight, control, index_values};

use super::chance::{Draws, Seed};
use super::eyes::{Reader, read};
use super::facts::{PlaceFacts, Room};
use super::legal;
use super::log::Raw;
use super::memory::{Memory, Moment};
use super::ruleset::Ruleset;
use super::vm::{FUEL, Trouble, TroubleKind, World, run};

/// An event that was raised and waits for what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Raised {
    pub event: usize,
    pub args: [i64; 8],
}

/// A state that effects change.
pub(crate) struct Table<'a> {
    pub ruleset: &'a Ruleset,
    pub cells: &'a mut [i32],
    pub seed: &'a Seed,
    pub log: Option<&'a mut Vec<Raw>>,
    pub seen: Option<&'a mut Vec<bool>>,
    pub raised: &'a mut Vec<Raised>,
    pub memory: &'a mut Memory,
}

/// An instance of a place.
#[derive(Clone, Copy)]
struct Spot<'a> {
    /// Its first cell.
    cell: u32,
    place: &'a PlaceFacts,
}

impl Spot<'_> {
    /// Where the pieces of a kind lie.
    fn of(self, row: u32) -> usize {
        (self.cell + row) as usize
    }

    fn row(self, row: i64) -> Result<u32, TroubleKind> {
        let row = u32::try_from(row).ok();
        let row = row.filter(|row| *row < self.place.rows);
        row.ok_or(TroubleKind::OutOfBounds)
    }
}

/// The arguments of a verb, which are these registers.
#[inline]
fn args<const N: usize>(window: &[i64], at: usize) -> [i64; N] {
    *window[at..]
        .first_chunk()
        .expect("the compiler left room for them")
}

impl<'a> Table<'a> {
    /// Something is written to what a cell belongs to.
    #[inline]
    fn touch(&mut self, cell: u32) {
        self.memory.touch(self.ruleset.regions.of(cell));
    }

    #[inline]
    fn place(&self, cell: u32) -> Result<&'a PlaceFacts, TroubleKind> {
        let place = self.ruleset.facts.place(cell);
        place.ok_or(TroubleKind::OutOfBounds)
    }

    #[inline]
    fn spot(&self, cell: u32) -> Result<Spot<'a>, TroubleKind> {
        let place = self.place(cell)?;
        Ok(Spot { cell, place })
    }

    #[inline]
    fn say(&mut self, raw: impl FnOnce() -> Raw) {
        if self.log.is_some() {
            self.write_down(raw());
        }
    }

    fn write_down(&mut self, mut raw: Raw) {
        if let Raw::Pieces {
            from, to, shown, ..
        } = &mut raw
        {
            *shown = self.holder(*from) | self.holder(*to);
        }
        if let Some(log) = &mut self.log {
            log.push(raw);
        }
    }

    /// The seat that sees a place because of what its phase is about, as a bit.
    fn holder(&self, cell: u32) -> u16 {
        match self.ruleset.find_place(cell).map(|p| p.faces) {
            Some(Sight::Holder(holder)) => 1 << self.cells[holder as usize],
            _ => 0,
        }
    }

    /// Moves pieces that are known to be there.
    fn shift(&mut self, from: Spot<'_>, to: Spot<'_>, row: u32, n: i32) {
        if n > 0 && from.cell != to.cell {
            self.memory.touch(from.place.region);
            self.memory.touch(to.place.region);
            if !from.place.endless {
                self.cells[from.of(row)] -= n;
            }
            if !to.place.endless {
                self.cells[to.of(row)] += n;
            }
            self.say(|| Raw::Pieces {
                from: from.cell,
                to: to.cell,
                row: row as u16,
                count: n,
                total: 0,
                shown: 0,
            });
        }
    }

    fn number(n: i64) -> Result<i32, TroubleKind> {
        match i32::try_from(n) {
            Ok(n) if n >= 0 => Ok(n),
            Ok(_) => Err(TroubleKind::Negative),
            Err(_) => Err(TroubleKind::Overflow),
        }
    }

    /// Moves as many as there are, at most so many; gives how many.
    fn take(&mut self, n: i32, row: u32, from: Spot<'_>, to: Spot<'_>) -> i32 {
        let n = n.min(self.cells[from.of(row)]);
        self.shift(from, to, row, n);
        n
    }

    /// Lays a piece into a place; onto a pile or, `under`, below it.
    fn lay(&mut self, to: u32, row: i32, under: bool) -> Result<(), TroubleKind> {
        let place = self.place(to)?;
        if !place.pile {
            if !place.endless {
                self.cells[(to as i32 + row) as usize] += 1;
            }
            return Ok(());
        }
        let size = self.cells[to as usize] as u32;
        if size + 1 >= place.width {
            return Err(TroubleKind::NoRoom);
        }
        let (first, end) = ((to + 1) as usize, (to + 1 + size) as usize);
        if under {
            self.cells.copy_within(first..end, first + 1);
            self.cells[first] = row;
        } else {
            self.cells[end] = row;
        }
        self.cells[to as usize] += 1;
        Ok(())
    }

    fn draw(
        &mut self,
        n: i32,
        pile: u32,
        to: u32,
        scratch: &mut [i64],
    ) -> Result<i32, TroubleKind> {
        self.touch(pile);
        self.touch(to);
        for drawn in 0..n {
            if self.cells[pile as usize] == 0 && !self.refill(pile, scratch)? {
                return Ok(drawn);
            }
            // The top of a pile is the last of its cells.
            let at = pile + self.cells[pile as usize] as u32;
            let row = std::mem::take(&mut self.cells[at as usize]);
            self.cells[pile as usize] -= 1;
            self.lay(to, row, false)?;
            self.say(|| Raw::Pieces {
                from: pile,
                to,
                row: row as u16,
                count: 1,
                total: 0,
                shown: 0,
            });
        }
        Ok(n)
    }

    /// Shuffles into an empty pile what it is refilled from; whether there is something now.
    fn refill(&mut self, pile: u32, scratch: &mut [i64]) -> Result<bool, TroubleKind> {
        let ruleset = self.ruleset;
        let place = &ruleset.model.places[self.place(pile)?.number];
        let Some(refill) = place.refill else {
            return Ok(false);
        };
        let index = index_values(&place.index, (pile - place.base) / place.width);
        scratch[..index.len()].copy_from_slice(&index);
        let from = read(ruleset, self.cells, scratch, refill).map_err(|t| t.kind)?;
        Ok(self.shuffle_into(from as u32, pile)? > 0)
    }

    /// Rolls a die; what somebody has set comes first.
    fn roll(&mut self, die: usize) -> i32 {
        let ruleset = self.ruleset;
        let model = &ruleset.model.dice[die];
        let next = model.next as usize;
        let set = self.cells[next] as usize;
        let face = if set > 0 {
            let face = self.cells[next + 1];
            self.cells.copy_within(next + 2..next + 1 + set, next + 1);
            self.cells[next + set] = 0;
            self.cells[next] -= 1;
            face
        } else {
            let used = self.cells[model.chance as usize] as u32;
            let mut draws = Draws::new(self.seed, ruleset.die_stream(die), used);
            let at = draws.below(model.faces.len() as u32);
            self.cells[model.chance as usize] = draws.used() as i32;
            model.faces[at as usize] as i32
        };
        let cell = ruleset.model.markers[model.marker].base;
        self.touch(cell);
        self.cells[cell as usize] = face;
        // A roll is seen, whatever it shows.
        self.say(|| Raw::Marker { cell, to: face });
        face
    }

    /// Puts pieces of a kind onto or below a pile.
    fn put(
        &mut self,
        n: i32,
        row: u32,
        from: u32,
        pile: u32,
        under: bool,
    ) -> Result<(), TroubleKind> {
        if self.cells[(from + row) as usize] < n {
            return Err(TroubleKind::NotThere);
        }
        self.touch(pile);
        self.touch(from);
        for _ in 0..n {
            self.lay(pile, row as i32, under)?;
        }
        if n > 0 {
            if !self.place(from)?.endless {
                self.cells[(from + row) as usize] -= n;
            }
            self.say(|| Raw::Pieces {
                from,
                to: pile,
                row: row as u16,
                count: n,
                total: 0,
                shown: 0,
            });
        }
        Ok(())
    }

    fn take_out(&mut self, n: i32, row: u32, pile: u32, to: u32) -> Result<(), TroubleKind> {
        self.touch(pile);
        self.touch(to);
        for _ in 0..n {
            let size = self.cells[pile as usize] as u32;
            let at = (1..=size)
                .rev()
                .find(|k| self.cells[(pile + k) as usize] == row as i32);
            let Some(at) = at else {
                return Err(TroubleKind::NotThere);
            };
            for k in at..size {
                self.cells[(pile + k) as usize] = self.cells[(pile + k + 1) as usize];
            }
            self.cells[(pile + size) as usize] = 0;
            self.cells[pile as usize] -= 1;
            self.lay(to, row as i32, false)?;
            self.say(|| Raw::Pieces {
                from: pile,
                to,
                row: row as u16,
                count: 1,
                total: 0,
                shown: 0,
            });
        }
        Ok(())
    }

    /// Shuffles `count` pieces that lie in a pile from its bottom.
    fn shuffle_bottom(&mut self, pile: u32, count: usize) -> Result<(), TroubleKind> {
        self.touch(pile);
        let place = self.place(pile)?.number;
        let counter = self.ruleset.model.chance_cell(place, pile);
        let used = self.cells[counter as usize] as u32;
        let mut draws = Draws::new(self.seed, self.ruleset.stream(place, pile), used);
        let first = pile as usize + 1;
        draws.shuffle(&mut self.cells[first..first + count]);
        self.cells[counter as usize] = draws.used() as i32;
        if self.log.is_some() {
            let order = self.cells[first..first + count].to_vec();
            self.say(|| Raw::Shuffled { cell: pile, order });
        }
        Ok(())
    }

    fn shuffle_into(&mut self, from: u32, pile: u32) -> Result<i64, TroubleKind> {
        self.touch(from);
        self.touch(pile);
        let place = self.place(from)?;
        if place.pile {
            return self.pile_into(from, pile);
        }
        let rows = place.width;
        let count: i32 = (0..rows).map(|r| self.cells[(from + r) as usize]).sum();
        let size = self.cells[pile as usize];
        if (size + count) as u32 >= self.place(pile)?.width {
            return Err(TroubleKind::NoRoom);
        }
        // What lies in the pile stays on top.
        for k in (1..=size).rev() {
            self.cells[(pile as i32 + k + count) as usize] = self.cells[(pile as i32 + k) as usize];
        }
        let mut at = pile as usize + 1;
        for row in 0..rows {
            let n = self.cells[(from + row) as usize];
            for _ in 0..n {
                self.cells[at] = row as i32;
                at += 1;
            }
            if n > 0 {
                self.cells[(from + row) as usize] = 0;
                self.say(|| Raw::Pieces {
                    from,
                    to: pile,
                    row: row as u16,
                    count: n,
                    total: 0,
                    shown: 0,
                });
            }
        }
        self.cells[pile as usize] = size + count;
        self.shuffle_bottom(pile, count as usize)?;
        Ok(i64::from(count))
    }

    /// Shuffles one pile below another.
    fn pile_into(&mut self, from: u32, pile: u32) -> Result<i64, TroubleKind> {
        if from == pile {
            return Ok(0);
        }
        let count = self.move_all(self.spot(from)?, self.spot(pile)?, true)?;
        self.shuffle_bottom(pile, count as usize)?;
        Ok(i64::from(count))
    }

    /// Moves everything: a pile from its top, else by rows; onto a pile or, `under`, below it.
    fn move_all(&mut self, from: Spot<'_>, to: Spot<'_>, under: bool) -> Result<i32, TroubleKind> {
        if from.cell == to.cell {
            return Ok(0);
        }
        if from.place.pile {
            self.memory.touch(from.place.region);
            self.memory.touch(to.place.region);
            let count = self.cells[from.of(0)];
            for k in (1..=count as u32).rev() {
                let row = std::mem::take(&mut self.cells[from.of(k)]);
                self.cells[from.of(0)] -= 1;
                self.lay(to.cell, row, under)?;
                self.say(|| Raw::Pieces {
                    from: from.cell,
                    to: to.cell,
                    row: row as u16,
                    count: 1,
                    total: 0,
                    shown: 0,
                });
            }
            return Ok(count);
        }
        let mut all = 0;
        for row in 0..from.place.width {
            let n = self.cells[from.of(row)];
            if to.place.pile {
                self.put(n, row, from.cell, to.cell, under)?;
            } else {
                self.shift(from, to, row, n);
            }
            all += n;
        }
        Ok(all)
    }

    /// What a counter can show of a number: the excess is lost.
    fn bounded(&self, cell: u32, new: i64, scratch: &mut [i64]) -> Result<i64, TroubleKind> {
        let Some(counter) = self.ruleset.counter(cell) else {
            return Ok(new);
        };
        let Some(most) = counter.most else {
            return Ok(new);
        };
        let index = index_values(&counter.index, cell - counter.base);
        scratch[..index.len()].copy_from_slice(&index);
        let most = read(self.ruleset, self.cells, scratch, most).map_err(|t| t.kind)?;
        Ok(new.min(most))
    }

    /// No more pieces lie in a place than there is room for.
    #[inline]
    fn fits(&self, to: Spot<'_>, scratch: &mut [i64]) -> Result<(), TroubleKind> {
        match to.place.room {
            Room::Any => Ok(()),
            _ => self.fits_room(to, scratch),
        }
    }

    fn fits_room(
        &self,
        Spot { cell, place }: Spot<'_>,
        scratch: &mut [i64],
    ) -> Result<(), TroubleKind> {
        let instance = (cell - place.base) / place.width;
        let room = match &place.room {
            Room::Any => return Ok(()),
            Room::Known(rooms) => rooms[instance as usize],
            Room::Asked(room) => {
                let model = &self.ruleset.model.places[place.number];
                let index = index_values(&model.index, instance);
                scratch[..index.len()].copy_from_slice(&index);
                read(self.ruleset, self.cells, scratch, *room).map_err(|t| t.kind)?
            }
        };
        let first = cell as usize;
        let size: i64 = match place.pile {
            true => i64::from(self.cells[first]),
            false => self.cells[first..first + place.width as usize]
                .iter()
                .map(|n| i64::from(*n))
                .sum(),
        };
        match size > room {
            true => Err(TroubleKind::NoRoom),
            false => Ok(()),
        }
    }

    fn set_counter(&mut self, cell: u32, new: i64) -> Result<i64, TroubleKind> {
        let new = i32::try_from(new).map_err(|_| TroubleKind::Overflow)?;
        self.touch(cell);
        let old = std::mem::replace(&mut self.cells[cell as usize], new);
        if old != new && self.log.is_some() && cell >= control::FIRST {
            if self.ruleset.counter(cell).is_some() {
                self.say(|| Raw::Counter {
                    cell,
                    from: old,
                    to: new,
                });
            } else if self.ruleset.model.is_marker(cell) {
                self.say(|| Raw::Marker { cell, to: new });
            }
        }
        Ok(0)
    }

    /// Puts the pieces of a spread where the plan says; each piece moves at most once.
    fn arrange(
        &mut self,
        spread: usize,
        window: &[i64],
        plan_at: usize,
        scratch: &mut [i64],
    ) -> Result<i64, TroubleKind> {
        let ruleset = self.ruleset;
        let model = &ruleset.model.spreads[spread];
        let rows = ruleset.model.tables[model.table].rows.len();
        let used = plan_at + model.instances as usize * rows;
        let mut first = |cells: FuncId, table: &[i32]| {
            scratch[..used].copy_from_slice(&window[..used]);
            read(ruleset, table, scratch, cells)
                .map(|first| first as u32)
                .map_err(|t| t.kind)
        };
        let mut places = SmallVec::<[u32; 32]>::new();
        for target in &model.targets {
            let base = first(target.cells, self.cells)?;
            places.extend(target.offsets.iter().map(|o| base + o));
        }
        let overflow = first(model.overflow, self.cells)?;
        for row in 0..rows {
            let mut surplus: SmallVec<[(u32, i32); 8]> =
                smallvec![(overflow, self.cells[overflow as usize + row])];
            let mut wanted = SmallVec::<[(u32, i32); 8]>::new();
            let plan = window[plan_at + row..used].iter().step_by(rows);
            for (place, plan) in places.iter().zip(plan) {
                let plan = Self::number(*plan)?;
                let has = self.cells[*place as usize + row];
                match has - plan {
                    n if n > 0 => surplus.push((*place, n)),
                    n if n < 0 => wanted.push((*place, -n)),
                    _ => {}
                }
            }
            for (to, mut n) in wanted {
                // The surplus of places that are given up goes first, so that the overflow keeps what it can.
                for (from, left) in surplus.iter_mut().rev() {
                    let k = n.min(*left);
                    self.shift(self.spot(*from)?, self.spot(to)?, row as u32, k);
                    *left -= k;
                    n -= k;
                }
                if n > 0 {
                    return Err(TroubleKind::NotThere);
                }
            }
            for (from, left) in surplus {
                let left = if from == overflow { 0 } else { left };
                self.shift(self.spot(from)?, self.spot(overflow)?, row as u32, left);
            }
        }
        Ok(0)
    }
}

impl World for Table<'_> {
    #[inline]
    fn cells(&self) -> &[i32] {
        self.cells
    }

    fn verb(
        &mut self,
        verb: Verb,
        registers: &mut [i64],
        at: usize,
        free: usize,
    ) -> Result<i64, TroubleKind> {
        let (window, scratch) = registers.split_at_mut(free);
        self.act(verb, window, at, scratch)
    }

    fn possible(&mut self, mv: u32, seat: i64, scratch: &mut [i64]) -> Result<bool, TroubleKind> {
        let mut eyes = Reader {
            memory: match self.seen {
                Some(_) => None,
                None => Some(&mut *self.memory),
            },
            ..Reader::new(self.ruleset, self.cells)
        };
        legal::possible(&mut eyes, mv as usize, seat, scratch).map_err(|t| t.kind)
    }

    fn offer(&mut self, _: u32, _: &mut [i64], _: usize) -> Result<bool, Trouble> {
        Ok(false)
    }

    fn cite(&mut self, clause: u32) {
        if let Some(seen) = &mut self.seen {
            seen[clause as usize] = true;
        }
    }

    #[inline]
    fn memory(&mut self) -> Option<&mut Memory> {
        // Whoever notes which clauses ran wants every query to run.
        self.seen.is_none().then_some(&mut *self.memory)
    }

    #[cfg(feature = "oracle")]
    fn lend(&mut self) -> super::oracle::Lent {
        super::oracle::Lent::table(self)
    }

    #[cfg(feature = "oracle")]
    fn take_back(&mut self, lent: super::oracle::Lent) {
        lent.return_to(self);
    }
}

impl Table<'_> {
    fn act(
        &mut self,
        verb: Verb,
        window: &[i64],
        at: usize,
        scratch: &mut [i64],
    ) -> Result<i64, TroubleKind> {
        let number = |n| Self::number(n);
        Ok(match verb {
            Verb::Move => {
                let [n, row, from, to] = args(window, at);
                let (n, from) = (number(n)?, self.spot(from as u32)?);
                let row = from.row(row)?;
                if self.cells[from.of(row)] < n {
                    return Err(TroubleKind::NotThere);
                }
                let to = self.spot(to as u32)?;
                self.shift(from, to, row, n);
                self.fits(to, scratch)?;
                0
            }
            Verb::Take => {
                let [n, row, from, to] = args(window, at);
                let (n, from) = (number(n)?, self.spot(from as u32)?);
                let (row, to) = (from.row(row)?, self.spot(to as u32)?);
                let taken = self.take(n, row, from, to);
                self.fits(to, scratch)?;
                i64::from(taken)
            }
            Verb::TakeEither => {
                let [n, row, first, second, to] = args(window, at);
                let (n, first) = (number(n)?, self.spot(first as u32)?);
                let (row, to) = (first.row(row)?, self.spot(to as u32)?);
                let mut taken = self.take(n, row, first, to);
                taken += self.take(n - taken, row, self.spot(second as u32)?, to);
                self.fits(to, scratch)?;
                i64::from(taken)
            }
            Verb::MoveAll | Verb::MoveUnder => {
                let [from, to] = args(window, at);
                let (from, to) = (self.spot(from as u32)?, self.spot(to as u32)?);
                let moved = self.move_all(from, to, verb == Verb::MoveUnder)?;
                self.fits(to, scratch)?;
                i64::from(moved)
            }
            Verb::Draw => {
                let [n, pile, to] = args(window, at);
                let drawn = self.draw(number(n)?, pile as u32, to as u32, scratch)?;
                self.fits(self.spot(to as u32)?, scratch)?;
                i64::from(drawn)
            }
            Verb::TakeOut => {
                let [n, row, pile, to] = args(window, at);
                let (n, pile) = (number(n)?, self.spot(pile as u32)?);
                self.take_out(n, pile.row(row)?, pile.cell, to as u32)?;
                self.fits(self.spot(to as u32)?, scratch)?;
                0
            }
            Verb::PutOn | Verb::PutUnder => {
                let [n, row, from, pile] = args(window, at);
                let (n, from) = (number(n)?, self.spot(from as u32)?);
                let under = verb == Verb::PutUnder;
                self.put(n, from.row(row)?, from.cell, pile as u32, under)?;
                self.fits(self.spot(pile as u32)?, scratch)?;
                0
            }
            Verb::Shuffle => {
                let [pile] = args(window, at).map(|cell| cell as u32);
                let count = self.cells[pile as usize] as usize;
                self.shuffle_bottom(pile, count)?;
                0
            }
            Verb::ShuffleInto => {
                let [from, pile] = args(window, at).map(|cell| cell as u32);
                let shuffled = self.shuffle_into(from, pile)?;
                self.fits(self.spot(pile)?, scratch)?;
                shuffled
            }
            Verb::Gain => {
                let [cell, n] = args(window, at);
                let (cell, n) = (cell as u32, number(n)?);
                let new = i64::from(self.cells[cell as usize]) + i64::from(n);
                let new = self.bounded(cell, new, scratch)?;
                self.set_counter(cell, new)?
            }
            Verb::Pay => {
                let [cell, n] = args(window, at);
                let (cell, n) = (cell as u32, number(n)?);
                let old = self.cells[cell as usize];
                if old < n {
                    return Err(TroubleKind::Negative);
                }
                self.set_counter(cell, i64::from(old - n))?
            }
            Verb::Set => {
                let [cell, to] = args(window, at);
                let cell = cell as u32;
                let new = if self.ruleset.counter(cell).is_some() {
                    self.bounded(cell, i64::from(number(to)?), scratch)?
                } else {
                    to
                };
                self.set_counter(cell, new)?
            }
            Verb::Arrange(spread) => {
                let plan = window[at] as usize;
                self.arrange(spread, window, plan, scratch)?
            }
            Verb::Roll(die) => i64::from(self.roll(die)),
            Verb::Raise(event) => {
                let params = self.ruleset.model.events[event].params.len();
                let mut args = [0; 8];
                args[..params].copy_from_slice(&window[at..at + params]);
                for cell in &self.ruleset.model.events[event].resets {
                    self.touch(*cell);
                    self.cells[*cell as usize] = 0;
                }
                self.say(|| Raw::Raised {
                    event: event as u32,
                    args: args[..params].to_vec(),
                });
                self.raised.push(Raised { event, args });
                0
            }
            Verb::Finish(ending) => {
                self.due(ending);
                0
            }
        })
    }
}

impl Table<'_> {
    /// Whether an ending counts now: the first one does, but what ends the match at once waits for no other.
    fn counts(&self, ending: usize) -> bool {
        let endings = &self.ruleset.model.endings;
        match self.cells[control::DUE as usize] {
            0 => true,
            due => endings[ending].after.is_none() && endings[due as usize - 1].after.is_some(),
        }
    }

    /// An ending becomes due; the first one counts, unless a later one ends the match at once.
    pub(crate) fn due(&mut self, ending: usize) {
        if self.counts(ending) {
            self.touch(control::DUE);
            self.cells[control::DUE as usize] = ending as i32 + 1;
            if let (Some(seen), Some(cite)) =
                (&mut self.seen, self.ruleset.model.endings[ending].cite)
            {
                seen[cite] = true;
            }
            self.say(|| Raw::Due {
                ending: ending as u32,
            });
        }
    }

    /// Runs an effect; the events that it raises wait for what follows them.
    #[inline(never)]
    pub(crate) fn effect(
        &mut self,
        function: FuncId,
        registers: &mut [i64],
    ) -> Result<(), Trouble> {
        let mut fuel = FUEL;
        run(&self.ruleset.program, self, registers, function, &mut fuel)?;
        Ok(())
    }

    /// Endings whose condition holds become due. Those that read nothing that was written since they were
    /// looked at still do not hold.
    pub(crate) fn watch(&mut self, registers: &mut [i64], since: Moment) -> Result<(), Trouble> {
        let ruleset = self.ruleset;
        for (i, ending) in ruleset.model.endings.iter().enumerate() {
            if let Some(when) = ending.when
                && self.memory.is_new(&ruleset.endings_read[i], since)
                && self.counts(i)
            {
                let mut fuel = FUEL;
                if run(&ruleset.program, self, registers, when, &mut fuel)? != 0 {
                    self.due(i);
                }
            }
        }
        Ok(())
    }
}
