//! The verbs of effects: what each of them does with its arguments.

use smallvec::{SmallVec, smallvec};

use crate::machine::{Table, TroubleKind, read};
use crate::numbers::{At as _, Fit as _};
use crate::program::model::{Cell, DieId, FuncId, SpreadId, control, index_values};
use crate::program::tree::Verb;
use crate::state::{Draws, Raised, Raw};

/// The arguments of a verb, which are these registers.
#[inline]
fn args<const N: usize>(window: &[i64], at: usize) -> [i64; N] {
    *window[at..]
        .first_chunk()
        .expect("the compiler left room for them")
}

/// A number of pieces, or what a counter shows.
#[inline]
fn number(n: i64) -> Result<i32, TroubleKind> {
    match i32::try_from(n) {
        Ok(n) if n >= 0 => Ok(n),
        Ok(_) => Err(TroubleKind::Negative),
        Err(_) => Err(TroubleKind::Overflow),
    }
}

/// The number of a cell.
#[inline]
fn cell(n: i64) -> Result<Cell, TroubleKind> {
    Cell::try_from(n).map_err(|_| TroubleKind::OutOfBounds)
}

impl Table<'_> {
    /// Does a verb whose arguments are the registers of a window from one on; gives its value, or 0.
    #[inline(always)]
    pub(super) fn act(
        &mut self,
        verb: Verb,
        window: &[i64],
        at: usize,
        scratch: &mut [i64],
    ) -> Result<i64, TroubleKind> {
        Ok(match verb {
            Verb::Move => {
                let [n, row, from, to] = args(window, at);
                let (n, from) = (number(n)?, self.spot(cell(from)?)?);
                let row = from.row(row)?;
                if self.cells[from.of(row)] < n {
                    return Err(TroubleKind::NotThere);
                }
                let to = self.spot(cell(to)?)?;
                self.shift(from, to, row, n)?;
                self.fits(to, scratch)?;
                0
            }
            Verb::Take => {
                let [n, row, from, to] = args(window, at);
                let (n, from) = (number(n)?, self.spot(cell(from)?)?);
                let (row, to) = (from.row(row)?, self.spot(cell(to)?)?);
                let taken = self.take(n, row, from, to)?;
                self.fits(to, scratch)?;
                i64::from(taken)
            }
            Verb::TakeEither => {
                let [n, row, first, second, to] = args(window, at);
                let (n, first) = (number(n)?, self.spot(cell(first)?)?);
                let (row, to) = (first.row(row)?, self.spot(cell(to)?)?);
                let mut taken = self.take(n, row, first, to)?;
                taken += self.take(n - taken, row, self.spot(cell(second)?)?, to)?;
                self.fits(to, scratch)?;
                i64::from(taken)
            }
            Verb::MoveAll | Verb::MoveUnder => {
                let [from, to] = args(window, at);
                let (from, to) = (self.spot(cell(from)?)?, self.spot(cell(to)?)?);
                let moved = self.move_all(from, to, verb == Verb::MoveUnder)?;
                self.fits(to, scratch)?;
                i64::from(moved)
            }
            Verb::Draw => {
                let [n, pile, to] = args(window, at);
                let drawn = self.draw(number(n)?, cell(pile)?, cell(to)?, scratch)?;
                self.fits(self.spot(cell(to)?)?, scratch)?;
                i64::from(drawn)
            }
            Verb::TakeOut => {
                let [n, row, pile, to] = args(window, at);
                let (n, pile) = (number(n)?, self.spot(cell(pile)?)?);
                self.take_out(n, pile.row(row)?, pile.cell, cell(to)?)?;
                self.fits(self.spot(cell(to)?)?, scratch)?;
                0
            }
            Verb::PutOn | Verb::PutUnder => {
                let [n, row, from, pile] = args(window, at);
                let (n, from) = (number(n)?, self.spot(cell(from)?)?);
                let under = verb == Verb::PutUnder;
                self.put(n, from.row(row)?, from.cell, cell(pile)?, under)?;
                self.fits(self.spot(cell(pile)?)?, scratch)?;
                0
            }
            Verb::Shuffle => {
                let [pile] = args(window, at);
                let pile = cell(pile)?;
                let count = self.cells[pile].at();
                self.shuffle_bottom(pile, count)?;
                0
            }
            Verb::ShuffleInto => {
                let [from, pile] = args(window, at);
                let shuffled = self.shuffle_into(cell(from)?, cell(pile)?)?;
                self.fits(self.spot(cell(pile)?)?, scratch)?;
                shuffled
            }
            Verb::Gain => {
                let [counter, n] = args(window, at);
                let (cell, n) = (cell(counter)?, number(n)?);
                let new = i64::from(self.cells[cell]) + i64::from(n);
                let new = self.bounded(cell, new, scratch)?;
                self.set_counter(cell, new)?
            }
            Verb::Pay => {
                let [counter, n] = args(window, at);
                let (cell, n) = (cell(counter)?, number(n)?);
                let old = self.cells[cell];
                if old < n {
                    return Err(TroubleKind::Negative);
                }
                self.set_counter(cell, i64::from(old - n))?
            }
            Verb::Set => {
                let [what, to] = args(window, at);
                let cell = cell(what)?;
                let new = if self.ruleset.counter(cell).is_some() {
                    self.bounded(cell, i64::from(number(to)?), scratch)?
                } else {
                    to
                };
                self.set_counter(cell, new)?
            }
            Verb::Arrange(spread) => {
                let plan = window[at].fit();
                self.arrange(spread, window, plan, scratch)?
            }
            Verb::Roll(die) => i64::from(self.roll(die)),
            Verb::Raise(event) => {
                let params = self.ruleset.model().events[event].params.len();
                let mut args = [0; 8];
                args[..params].copy_from_slice(&window[at..at + params]);
                for cell in &self.ruleset.model().events[event].resets {
                    self.touch(*cell);
                    self.cells[*cell] = 0;
                }
                self.say(|| Raw::Raised {
                    event,
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

    /// What a counter can show of a number: the excess is lost.
    fn bounded(&self, cell: Cell, new: i64, scratch: &mut [i64]) -> Result<i64, TroubleKind> {
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

    fn set_counter(&mut self, cell: Cell, new: i64) -> Result<i64, TroubleKind> {
        let new = i32::try_from(new).map_err(|_| TroubleKind::Overflow)?;
        self.touch(cell);
        let old = std::mem::replace(&mut self.cells[cell], new);
        if old != new && self.log.is_some() && cell >= control::FIRST {
            if self.ruleset.counter(cell).is_some() {
                self.say(|| Raw::Counter {
                    cell,
                    from: old,
                    to: new,
                });
            } else if self.ruleset.marker(cell).is_some() {
                self.say(|| Raw::Marker { cell, to: new });
            }
        }
        Ok(0)
    }

    /// Rolls a die; what somebody has set comes first.
    fn roll(&mut self, die: DieId) -> i32 {
        let ruleset = self.ruleset;
        let model = &ruleset.model().dice[die];
        let next = model.next.at();
        let set = self.cells[next].at();
        let face = if set > 0 {
            let face = self.cells[next + 1];
            self.cells.copy_within(next + 2..next + 1 + set, next + 1);
            self.cells[next + set] = 0;
            self.cells[next] -= 1;
            face
        } else {
            let used = self.cells[model.chance].cast_unsigned();
            let mut draws = Draws::new(self.seed, ruleset.die_stream(die), used);
            let at = draws.below(model.faces.len().fit());
            self.cells[model.chance] = draws.used().cast_signed();
            model.faces[at.at()].fit()
        };
        let cell = ruleset.model().markers[model.marker].base;
        self.touch(cell);
        self.cells[cell] = face;
        // A roll is seen, whatever it shows.
        self.say(|| Raw::Marker { cell, to: face });
        face
    }

    /// Puts the pieces of a spread where the plan says; each piece moves at most once.
    #[inline(never)]
    fn arrange(
        &mut self,
        spread: SpreadId,
        window: &[i64],
        plan_at: usize,
        scratch: &mut [i64],
    ) -> Result<i64, TroubleKind> {
        let ruleset = self.ruleset;
        let model = &ruleset.model().spreads[spread];
        let rows = ruleset.model().tables[model.table].rows.len();
        let used = plan_at + model.instances.at() * rows;
        self.work(used.fit())?;
        let mut first = |cells: FuncId, table: &[i32]| {
            scratch[..used].copy_from_slice(&window[..used]);
            cell(read(ruleset, table, scratch, cells).map_err(|t| t.kind)?)
        };
        let mut places = Vec::with_capacity(model.instances.at());
        for target in &model.targets {
            let base = first(target.cells, self.cells)?;
            places.extend(target.offsets.iter().map(|o| base + *o));
        }
        let overflow = first(model.overflow, self.cells)?;
        for row in 0..rows {
            let mut surplus: SmallVec<[(Cell, i32); 8]> =
                smallvec![(overflow, self.cells[overflow.at() + row])];
            let mut wanted = SmallVec::<[(Cell, i32); 8]>::new();
            let plan = window[plan_at + row..used].iter().step_by(rows);
            for (place, plan) in places.iter().zip(plan) {
                let plan = number(*plan)?;
                let has = self.cells[place.at() + row];
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
                    self.shift(self.spot(*from)?, self.spot(to)?, row.fit(), k)?;
                    *left -= k;
                    n -= k;
                }
                if n > 0 {
                    return Err(TroubleKind::NotThere);
                }
            }
            for (from, left) in surplus {
                let left = if from == overflow { 0 } else { left };
                self.shift(self.spot(from)?, self.spot(overflow)?, row.fit(), left)?;
            }
        }
        Ok(0)
    }
}
