//! Disclosure of arguments: who learns what somebody chose.
//!
//! An argument that speaks of hidden things is known to the mover, to those to whom it is shown, and to
//! everybody who saw, before or after the move, the pieces that it moved or the number that it set.

use crate::api::Audience;
use crate::flow::{Choice, Game};
use crate::machine::Trouble;
use crate::numbers::{At as _, Fit as _};
use crate::program::model::{ArgumentAudience, ParamModel, TableId, index_values};
use crate::program::tree::{NONE, Ty};
use crate::program::value::Seat;
use crate::state::Raw;
use crate::state::{EVERYBODY, sees};

impl Game {
    /// Notes in the log, at the entry of a move that was made, who learns its arguments.
    pub(crate) fn witness(&mut self, at: usize, choice: &Choice, seat: i32) -> Result<(), Trouble> {
        let ruleset = self.ruleset.clone();
        let model = &ruleset.model().moves[choice.mv];
        if model
            .params
            .iter()
            .all(|p| p.audience == ArgumentAudience::Everybody)
        {
            return Ok(());
        }
        let mut all = Vec::with_capacity(model.params.len());
        for param in &model.params {
            let mut seen = match param.audience {
                ArgumentAudience::Everybody => EVERYBODY,
                ArgumentAudience::Witnesses => self.witnesses(at, param, choice),
                ArgumentAudience::Mover => 0,
            };
            seen |= 1 << seat;
            if let Some(shown) = param.shown {
                self.bind(choice, seat);
                seen |= 1 << self.pure(shown)?;
            }
            all.push(seen);
        }
        if let Some(Raw::Move(made)) = self.log.as_mut().and_then(|log| log.get_mut(at)) {
            made.seen = all;
        }
        Ok(())
    }

    /// Who saw everything of which an argument speaks.
    fn witnesses(&self, at: usize, param: &ParamModel, choice: &Choice) -> u32 {
        let first = param.register.at() - 1;
        let args = &choice.args[first..first + param.len.at()];
        match &param.ty {
            Ty::Bag(table) => {
                let rows = args.iter().enumerate().filter(|(_, n)| **n > 0);
                rows.fold(EVERYBODY, |seen, (row, _)| {
                    seen & self.saw_row(at, *table, row.fit())
                })
            }
            Ty::Row(table) => self.saw_row(at, *table, args[0]) | self.saw_number(at, args[0]),
            Ty::Option(_) if args[0] == NONE => EVERYBODY,
            Ty::Option(inner) => match &**inner {
                Ty::Row(table) => self.saw_row(at, *table, args[0]) | self.saw_number(at, args[0]),
                _ => self.saw_number(at, args[0]),
            },
            _ => self.saw_number(at, args[0]),
        }
    }

    /// Who saw pieces of this row go from place to place since an entry of the log.
    fn saw_row(&self, at: usize, table: TableId, wanted: i64) -> u32 {
        let rs = &self.ruleset;
        let mut saw = 0;
        for raw in self.log.iter().flat_map(|log| &log[at..]) {
            let Raw::Pieces {
                from,
                to,
                row,
                shown,
                ..
            } = raw
            else {
                continue;
            };
            let place = rs.place_of(*from);
            if place.table != table || i64::from(*row) != wanted {
                continue;
            }
            saw |= u32::from(*shown);
            for cell in [from, to] {
                let place = rs.place_of(*cell);
                let index = index_values(&place.index, place.instance(*cell));
                saw |= self.who(&|audience| {
                    sees(place.count, &index, &[], audience)
                        && sees(place.faces, &index, &[], audience)
                });
            }
        }
        saw
    }

    /// Who saw a counter or marker become this since an entry of the log.
    fn saw_number(&self, at: usize, wanted: i64) -> u32 {
        let mut saw = 0;
        for raw in self.log.iter().flat_map(|log| &log[at..]) {
            let (cell, to) = match raw {
                Raw::Counter { cell, to, .. } | Raw::Marker { cell, to } => (*cell, *to),
                _ => continue,
            };
            if i64::from(to) != wanted {
                continue;
            }
            let (counter, marker) = (self.ruleset.counter(cell), self.ruleset.marker(cell));
            let counter = counter.map(|c| (c.base, &c.index, c.sight));
            let sight = counter.or(marker.map(|m| (m.base, &m.index, m.sight)));
            let sight = sight.map(|(base, index, sight)| (sight, index_values(index, cell - base)));
            if let Some((sight, index)) = sight {
                saw |= self.who(&|audience| sees(sight, &index, &[], audience));
            }
        }
        saw
    }

    fn who(&self, sees: &dyn Fn(Audience) -> bool) -> u32 {
        if sees(Audience::Spectator) {
            return EVERYBODY;
        }
        (0..self.ruleset.model().players)
            .filter(|seat| sees(Audience::Seat(Seat(*seat))))
            .fold(0, |all, seat| all | 1 << seat)
    }
}
