//! Piles: pieces that lie one on another, drawn from the top, put on or under, shuffled.

use super::WORKED;
use crate::play::machine::{Table, TroubleKind, read};
use crate::play::state::{Draws, Raw};
use crate::program::model::index_values;

impl Table<'_> {
    /// Lays a piece into a place; onto a pile or, `under`, below it.
    pub(super) fn lay(&mut self, to: u32, row: i32, under: bool) -> Result<(), TroubleKind> {
        let place = self.place(to)?;
        self.work(WORKED)?;
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
            self.work(size)?;
            self.cells.copy_within(first..end, first + 1);
            self.cells[first] = row;
        } else {
            self.cells[end] = row;
        }
        self.cells[to as usize] += 1;
        Ok(())
    }

    pub(super) fn draw(
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
            self.say_went((pile, to), row as u32, 1);
        }
        Ok(n)
    }

    /// Shuffles into an empty pile what it is refilled from; whether there is something now.
    fn refill(&mut self, pile: u32, scratch: &mut [i64]) -> Result<bool, TroubleKind> {
        let ruleset = self.ruleset;
        let place = &ruleset.model().places[self.place(pile)?.number];
        let Some(refill) = place.refill else {
            return Ok(false);
        };
        let index = index_values(&place.index, (pile - place.base) / place.width);
        scratch[..index.len()].copy_from_slice(&index);
        let from = read(ruleset, self.cells, scratch, refill).map_err(|t| t.kind)?;
        Ok(self.shuffle_into(from as u32, pile)? > 0)
    }

    /// Puts pieces of a kind onto or below a pile.
    pub(super) fn put(
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
            self.say_went((from, pile), row, n);
        }
        Ok(())
    }

    pub(super) fn take_out(
        &mut self,
        n: i32,
        row: u32,
        pile: u32,
        to: u32,
    ) -> Result<(), TroubleKind> {
        self.touch(pile);
        self.touch(to);
        for _ in 0..n {
            let size = self.cells[pile as usize] as u32;
            self.work(size)?;
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
            self.say_went((pile, to), row, 1);
        }
        Ok(())
    }

    /// Shuffles `count` pieces that lie in a pile from its bottom.
    pub(super) fn shuffle_bottom(&mut self, pile: u32, count: usize) -> Result<(), TroubleKind> {
        self.touch(pile);
        self.work(count as u32 * WORKED)?;
        let place = self.place(pile)?.number;
        let counter = self.ruleset.model().chance_cell(place, pile);
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

    pub(super) fn shuffle_into(&mut self, from: u32, pile: u32) -> Result<i64, TroubleKind> {
        self.touch(from);
        self.touch(pile);
        let place = self.place(from)?;
        if place.pile {
            return self.pile_into(from, pile);
        }
        let rows = place.width;
        self.work(rows)?;
        let of_row = |row| i64::from(self.cells[(from + row) as usize]);
        let count: i64 = (0..rows).map(of_row).sum();
        let size = self.cells[pile as usize];
        let width = i64::from(self.place(pile)?.width);
        let count = i32::try_from(count).ok();
        let Some(count) = count.filter(|count| i64::from(size) + i64::from(*count) < width) else {
            return Err(TroubleKind::NoRoom);
        };
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
                self.say_went((from, pile), row, n);
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
}
