//! Other secrets under the same view: for tests that nothing leaks.
//!
//! Whatever an audience is told must be the same when everything that it does not see is different.
//! [`Match::with_other_secrets`] makes that difference.

use super::api::Audience;
use super::legal::default;
use super::one_match::Match;
use super::open::below;
use super::project::sees;
use super::table::read;
use super::vm::REGISTERS;
use crate::check::ir::{NONE, Ty};
use crate::check::model::{PlaceModel, index_values, instances};

type Random<'a> = &'a mut dyn FnMut() -> u64;

impl Match {
    /// The same match, as far as this audience sees: hidden pieces are dealt anew among the places
    /// where they can be, hidden counters and markers get other values, and hidden numbers of pieces
    /// other numbers.
    pub fn with_other_secrets(&self, audience: Audience, random: Random<'_>) -> Match {
        let mut other = self.clone();
        let rs = self.ruleset().clone();
        let shown = self.game().shown_to(audience);
        let cells = &mut other.game_mut().position.cells;
        for table in 0..rs.model.tables.len() {
            // Instances whose pieces can be other ones: first cell, pile, and the number of pieces.
            let mut slots: Vec<(usize, bool, Option<usize>)> = Vec::new();
            let mut pool: Vec<i32> = Vec::new();
            let counted = |p: &&PlaceModel| p.table == table && !p.endless;
            for place in rs.model.places.iter().filter(counted) {
                for instance in 0..instances(&place.index) {
                    let index = index_values(&place.index, instance);
                    let counted = sees(place.count, &index, cells, audience);
                    if counted && sees(place.faces, &index, cells, audience) {
                        continue;
                    }
                    let first = (place.base + instance * place.width) as usize;
                    if shown.contains(&first) {
                        continue;
                    }
                    let before = pool.len();
                    if place.pile {
                        let size = cells[first] as usize;
                        pool.extend_from_slice(&cells[first + 1..=first + size]);
                    } else {
                        for row in 0..place.width {
                            let n = cells[first + row as usize];
                            pool.extend((0..n).map(|_| row as i32));
                        }
                    }
                    cells[first..first + place.width as usize].fill(0);
                    let size = pool.len() - before;
                    let fixed = counted || place.room.is_some();
                    slots.push((first, place.pile, fixed.then_some(size)));
                }
            }
            shuffle(&mut pool, random);
            let mut put = |first: usize, pile: bool, row: i32| {
                if pile {
                    cells[first] += 1;
                    cells[first + cells[first] as usize] = row;
                } else {
                    cells[first + row as usize] += 1;
                }
            };
            for (first, pile, size) in &slots {
                for row in pool.split_off(pool.len() - size.unwrap_or(0)) {
                    put(*first, *pile, row);
                }
            }
            let free: Vec<_> = slots.iter().filter(|s| s.2.is_none()).collect();
            for row in pool {
                let (first, pile, _) = free[below(free.len() as u128, random) as usize];
                put(*first, *pile, row);
            }
        }
        for counter in &rs.model.counters {
            for instance in 0..instances(&counter.index) {
                let index = index_values(&counter.index, instance);
                if sees(counter.sight, &index, cells, audience) {
                    continue;
                }
                let most = counter.most.map(|most| {
                    let mut registers = vec![0; REGISTERS / 8];
                    registers[..index.len()].copy_from_slice(&index);
                    read(&rs, cells, &mut registers, most).unwrap_or(0)
                });
                let cell = &mut cells[(counter.base + instance) as usize];
                let new = i64::from(*cell) / 2 + below(u128::from(*cell as u32) + 3, random) as i64;
                *cell = new.min(most.unwrap_or(new)) as i32;
            }
        }
        for marker in &rs.model.markers {
            for instance in 0..instances(&marker.index) {
                let index = index_values(&marker.index, instance);
                if sees(marker.sight, &index, cells, audience) {
                    continue;
                }
                let size = |ty: &Ty| match ty {
                    Ty::Row(t) => rs.model.tables[*t].rows.len() as u128,
                    Ty::Bool => 2,
                    _ => u128::from(rs.model.players),
                };
                let value = match &marker.ty {
                    Ty::Option(inner) => below(size(inner) + 1, random) as i64 + NONE,
                    ty => default(ty) + below(size(ty), random) as i64,
                };
                cells[(marker.base + instance) as usize] = value as i32;
            }
        }
        // The question may be answered differently now.
        let _ = other.game_mut().refresh();
        other
    }
}

fn shuffle(pieces: &mut [i32], random: Random<'_>) {
    for i in (1..pieces.len()).rev() {
        let j = below(i as u128 + 1, random) as usize;
        pieces.swap(i, j);
    }
}
