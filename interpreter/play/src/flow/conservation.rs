//! Proof that the table is whole: every place holds what it may, and nothing was lost.

use super::Game;
use crate::machine::read;
use crate::numbers::At as _;
use crate::program::model::{Cell, Model, TableId, index_values, instances};
use crate::state::Registers;

impl Game {
    /// Whether every place holds what it may, no count is negative, and nothing was lost.
    pub fn verify(&self) -> Result<(), String> {
        let model = self.ruleset.model();
        let cells = &self.position.cells;
        for (t, table) in model.tables.iter_enumerated() {
            let (now, first) = (
                pieces(model, cells, t),
                pieces(model, &self.ruleset.program.initial, t),
            );
            let endless = model.places.iter().any(|p| p.table == t && p.endless);
            if now != first && !endless {
                return Err(format!(
                    "{} of `{}`: {first:?} at first, {now:?} now",
                    table.plural, table.name
                ));
            }
        }
        for place in &model.places {
            for instance in 0..instances(&place.index) {
                let here = &cells[place.first(instance).span(place.width)];
                if here.iter().any(|n| *n < 0) {
                    return Err(format!(
                        "`{}` holds a negative number of pieces: {here:?}",
                        place.name
                    ));
                }
            }
        }
        match self.overfull()?.first() {
            Some((_, why)) => Err(why.clone()),
            None => Ok(()),
        }
    }

    /// Places that hold more than there is room for: their first cells, and that in words.
    pub(crate) fn overfull(&self) -> Result<Vec<(Cell, String)>, String> {
        let cells = &self.position.cells;
        let mut registers = Registers::default();
        let mut found = Vec::new();
        for place in &self.ruleset.model().places {
            let Some(room) = place.room else { continue };
            for instance in 0..instances(&place.index) {
                let first = place.first(instance);
                let here = &cells[first.span(place.width)];
                let size = match place.pile {
                    true => i64::from(here[0]),
                    false => here.iter().map(|n| i64::from(*n)).sum(),
                };
                let index = index_values(&place.index, instance);
                registers[..index.len()].copy_from_slice(&index);
                let room = read(&self.ruleset, cells, &mut registers, room)
                    .map_err(|t| format!("{t:?}"))?;
                if size > room {
                    let name = &place.name;
                    let why = format!("`{name}` holds {size} pieces, but has room for {room}");
                    found.push((first, why));
                }
            }
        }
        Ok(found)
    }
}

/// How many pieces of each row there are on the table.
fn pieces(model: &Model, cells: &[i32], table: TableId) -> Vec<i64> {
    let mut all = vec![0; model.tables[table].rows.len()];
    for place in model.places.iter().filter(|p| p.table == table) {
        let instances = instances(&place.index);
        for instance in 0..instances {
            let first = place.first(instance).at();
            if place.pile {
                for k in 0..cells[first].at() {
                    all[cells[first + 1 + k].at()] += 1;
                }
            } else {
                for (row, n) in all.iter_mut().enumerate() {
                    *n += i64::from(cells[first + row]);
                }
            }
        }
    }
    all
}
