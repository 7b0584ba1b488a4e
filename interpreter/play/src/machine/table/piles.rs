//! Piles: pieces that lie one on another, drawn from the top, put on or under, shuffled.

use super::WORKED;
use crate::machine::{Reader, Table, TroubleKind};
use crate::numbers::{At as _, Fit as _};
use crate::program::model::{Cell, index_values};
use crate::state::{Draws, Raw};

impl Table<'_> {
    /// Lays a piece into a place; onto a pile or, `under`, below it.
    pub(super) fn lay(&mut self, to: Cell, row: i32, under: bool) -> Result<(), TroubleKind> {
        let place = self.place(to)?;
        self.work(WORKED)?;
        if !place.pile {
            if !place.endless {
                self.add(to.at() + row.at(), 1)?;
            }
            return Ok(());
        }
        let size = self.cells[to].cast_unsigned();
        if size + 1 >= place.width {
            return Err(TroubleKind::NoRoom);
        }
        let (first, end) = ((to + 1).at(), (to + 1 + size).at());
        if under {
            self.work(size)?;
            self.cells.copy_within(first..end, first + 1);
            self.cells[first] = row;
        } else {
            self.cells[end] = row;
        }
        self.cells[to] += 1;
        Ok(())
    }

    pub(super) fn draw(
        &mut self,
        n: i32,
        pile: Cell,
        to: Cell,
        scratch: &mut [i64],
    ) -> Result<i32, TroubleKind> {
        self.touch(pile);
        self.touch(to);
        for drawn in 0..n {
            if self.cells[pile] == 0 && !self.refill(pile, scratch)? {
                return Ok(drawn);
            }
            // The top of a pile is the last of its cells.
            let at = pile + self.cells[pile].cast_unsigned();
            let row = std::mem::take(&mut self.cells[at]);
            self.cells[pile] -= 1;
            self.lay(to, row, false)?;
            self.say_went((pile, to), row.cast_unsigned(), 1);
        }
        Ok(n)
    }

    /// Shuffles into an empty pile what it is refilled from; whether there is something now.
    fn refill(&mut self, pile: Cell, scratch: &mut [i64]) -> Result<bool, TroubleKind> {
        let ruleset = self.ruleset;
        let place = &ruleset.model().places[self.place(pile)?.number];
        let Some(refill) = place.refill else {
            return Ok(false);
        };
        let index = index_values(&place.index, place.instance(pile));
        scratch[..index.len()].copy_from_slice(&index);
        let from = Reader::new(ruleset, self.cells).cell(scratch, refill);
        Ok(self.shuffle_into(from.map_err(|t| t.kind)?, pile)? > 0)
    }

    /// Puts pieces of a kind onto or below a pile.
    pub(super) fn put(
        &mut self,
        n: i32,
        row: u32,
        from: Cell,
        pile: Cell,
        under: bool,
    ) -> Result<(), TroubleKind> {
        if self.cells[from + row] < n {
            return Err(TroubleKind::NotThere);
        }
        self.touch(pile);
        self.touch(from);
        for _ in 0..n {
            self.lay(pile, row.cast_signed(), under)?;
        }
        if n > 0 {
            if !self.place(from)?.endless {
                self.cells[from + row] -= n;
            }
            self.say_went((from, pile), row, n);
        }
        Ok(())
    }

    pub(super) fn take_out(
        &mut self,
        n: i32,
        row: u32,
        pile: Cell,
        to: Cell,
    ) -> Result<(), TroubleKind> {
        self.touch(pile);
        self.touch(to);
        for _ in 0..n {
            let size = self.cells[pile].cast_unsigned();
            self.work(size)?;
            let at = (1..=size)
                .rev()
                .find(|k| self.cells[pile + *k] == row.cast_signed());
            let Some(at) = at else {
                return Err(TroubleKind::NotThere);
            };
            for k in at..size {
                self.cells[pile + k] = self.cells[pile + k + 1];
            }
            self.cells[pile + size] = 0;
            self.cells[pile] -= 1;
            self.lay(to, row.cast_signed(), false)?;
            self.say_went((pile, to), row, 1);
        }
        Ok(())
    }

    /// Shuffles `count` pieces that lie in a pile from its bottom.
    pub(super) fn shuffle_bottom(&mut self, pile: Cell, count: usize) -> Result<(), TroubleKind> {
        self.touch(pile);
        self.work(count.fit::<u32>() * WORKED)?;
        let place = self.place(pile)?.number;
        let counter = self.ruleset.model().chance_cell(place, pile);
        let used = self.cells[counter].cast_unsigned();
        let mut draws = Draws::new(self.seed, self.ruleset.stream(place, pile), used);
        let first = pile.at() + 1;
        draws.shuffle(&mut self.cells[first..first + count]);
        self.cells[counter] = draws.used().cast_signed();
        if self.log.is_some() {
            let order = self.cells[first..first + count].to_vec();
            self.say(|| Raw::Shuffled { cell: pile, order });
        }
        Ok(())
    }

    pub(super) fn shuffle_into(&mut self, from: Cell, pile: Cell) -> Result<i64, TroubleKind> {
        self.touch(from);
        self.touch(pile);
        let place = self.place(from)?;
        if place.pile {
            return self.pile_into(from, pile);
        }
        let rows = place.width;
        self.work(rows)?;
        let of_row = |row: u32| i64::from(self.cells[from + row]);
        let count: i64 = (0..rows).map(of_row).sum();
        let size = self.cells[pile];
        let width = i64::from(self.place(pile)?.width);
        let count = i32::try_from(count).ok();
        let Some(count) = count.filter(|count| i64::from(size) + i64::from(*count) < width) else {
            return Err(TroubleKind::NoRoom);
        };
        // What lies in the pile stays on top.
        let mut at = pile.at() + 1;
        self.cells.copy_within(at..at + size.at(), at + count.at());
        for row in 0..rows {
            let n = self.cells[from + row];
            for _ in 0..n {
                self.cells[at] = row.cast_signed();
                at += 1;
            }
            if n > 0 {
                self.cells[from + row] = 0;
                self.say_went((from, pile), row, n);
            }
        }
        self.cells[pile] = size + count;
        self.shuffle_bottom(pile, count.at())?;
        Ok(i64::from(count))
    }

    /// Shuffles one pile below another.
    fn pile_into(&mut self, from: Cell, pile: Cell) -> Result<i64, TroubleKind> {
        if from == pile {
            return Ok(0);
        }
        let count = self.move_all(self.spot(from)?, self.spot(pile)?, true)?;
        self.shuffle_bottom(pile, count.at())?;
        Ok(i64::from(count))
    }
}
