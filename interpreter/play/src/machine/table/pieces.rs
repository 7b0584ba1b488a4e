//! Pieces that go from place to place by their kinds, and the room that there is for them.

use crate::machine::{Table, TroubleKind, read};
use crate::numbers::At as _;
use crate::program::lookup::{PlaceFacts, Room};
use crate::program::model::{Cell, index_values};

/// An instance of a place.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a> {
    /// Its first cell.
    pub cell: Cell,
    pub place: &'a PlaceFacts,
}

impl Spot<'_> {
    /// Where the pieces of a kind lie.
    pub fn of(self, row: u32) -> usize {
        (self.cell + row).at()
    }

    pub fn row(self, row: i64) -> Result<u32, TroubleKind> {
        let row = u32::try_from(row).ok();
        let row = row.filter(|row| *row < self.place.rows);
        row.ok_or(TroubleKind::OutOfBounds)
    }
}

impl<'a> Table<'a> {
    #[inline]
    pub(super) fn place(&self, cell: Cell) -> Result<&'a PlaceFacts, TroubleKind> {
        let place = self.ruleset.program.lookup.place(cell);
        place.ok_or(TroubleKind::OutOfBounds)
    }

    #[inline]
    pub(super) fn spot(&self, cell: Cell) -> Result<Spot<'a>, TroubleKind> {
        let place = self.place(cell)?;
        Ok(Spot { cell, place })
    }
}

impl Table<'_> {
    /// Moves pieces that are known to be there.
    pub(super) fn shift(
        &mut self,
        from: Spot<'_>,
        to: Spot<'_>,
        row: u32,
        n: i32,
    ) -> Result<(), TroubleKind> {
        if n > 0 && from.cell != to.cell {
            self.memory.touch(from.place.region);
            self.memory.touch(to.place.region);
            if !from.place.endless {
                self.cells[from.of(row)] -= n;
            }
            if !to.place.endless {
                self.add(to.of(row), n)?;
            }
            self.say_went((from.cell, to.cell), row, n);
        }
        Ok(())
    }

    /// Adds pieces to those of their kind. What comes out of an endless place is not bounded by what there was at first.
    #[inline]
    pub(super) fn add(&mut self, cell: usize, n: i32) -> Result<(), TroubleKind> {
        let sum = self.cells[cell].checked_add(n);
        self.cells[cell] = sum.ok_or(TroubleKind::Overflow)?;
        Ok(())
    }

    /// Moves as many as there are, at most so many; gives how many.
    pub(super) fn take(
        &mut self,
        n: i32,
        row: u32,
        from: Spot<'_>,
        to: Spot<'_>,
    ) -> Result<i32, TroubleKind> {
        let n = n.min(self.cells[from.of(row)]);
        self.shift(from, to, row, n)?;
        Ok(n)
    }

    /// Moves everything: a pile from its top, else by rows; onto a pile or, `under`, below it.
    pub(super) fn move_all(
        &mut self,
        from: Spot<'_>,
        to: Spot<'_>,
        under: bool,
    ) -> Result<i32, TroubleKind> {
        if from.cell == to.cell {
            return Ok(0);
        }
        self.work(from.place.width)?;
        if from.place.pile {
            self.memory.touch(from.place.region);
            self.memory.touch(to.place.region);
            let count = self.cells[from.of(0)];
            for k in (1..=count.cast_unsigned()).rev() {
                let row = std::mem::take(&mut self.cells[from.of(k)]);
                self.cells[from.of(0)] -= 1;
                self.lay(to.cell, row, under)?;
                self.say_went((from.cell, to.cell), row.cast_unsigned(), 1);
            }
            return Ok(count);
        }
        let mut all = 0_i32;
        for row in 0..from.place.width {
            let n = self.cells[from.of(row)];
            if to.place.pile {
                self.put(n, row, from.cell, to.cell, under)?;
            } else {
                self.shift(from, to, row, n)?;
            }
            all = all.checked_add(n).ok_or(TroubleKind::Overflow)?;
        }
        Ok(all)
    }

    /// No more pieces lie in a place than there is room for.
    #[inline]
    pub(super) fn fits(&self, to: Spot<'_>, scratch: &mut [i64]) -> Result<(), TroubleKind> {
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
        self.work(place.width)?;
        let instance = (cell - place.base) / place.width;
        let room = match &place.room {
            Room::Any => return Ok(()),
            Room::Known(rooms) => rooms[instance.at()],
            Room::Asked(room) => {
                let model = &self.ruleset.model().places[place.number];
                let index = index_values(&model.index, instance);
                scratch[..index.len()].copy_from_slice(&index);
                read(self.ruleset, self.cells, scratch, *room).map_err(|t| t.kind)?
            }
        };
        let first = cell.at();
        let size: i64 = match place.pile {
            true => i64::from(self.cells[first]),
            false => self.cells[first..first + place.width.at()]
                .iter()
                .map(|n| i64::from(*n))
                .sum(),
        };
        match size > room {
            true => Err(TroubleKind::NoRoom),
            false => Ok(()),
        }
    }
}
