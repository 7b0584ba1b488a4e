//! A determinization, the table as it might be: the same for one who looks, and chance for all that they do not see.
//!
//! Players who think ahead imagine what they cannot know: [`Game::imagined`] deals it. What comes out
//! depends on what the seat sees and on the numbers that are drawn, and on nothing else; so a caller who
//! looks only at imagined games cannot know a secret. Not even how the game's own chance goes on: it is
//! another one.
//!
//! Hidden pieces are dealt anew among the places where they can be: as many to each as are seen to lie
//! there, any number where not even that is seen. Hidden counters are like those of the same name that
//! are seen; hidden markers, and what phases keep to themselves, are anything.

use super::one_match::Match;
use crate::api::Audience;
use crate::flow::Game;
use crate::machine::open::below;
use crate::machine::{Ruleset, Trouble, read};
use crate::numbers::{At as _, Fit as _, low};
use crate::program::model::{Cell, FuncId, PlaceModel, index_values, instances};
use crate::program::tree::{NONE, Ty};
use crate::program::value::Seat;
use crate::state::sees;
use crate::state::{Registers, Seed};

type Random<'a> = &'a mut dyn FnMut() -> u64;

/// An instance of a place whose pieces can be other ones.
struct Slot {
    /// Its first cell.
    first: usize,
    pile: bool,
    /// How many pieces lie here, if that is seen.
    size: Option<usize>,
    /// How many fit.
    room: usize,
}

impl Game {
    /// Deals a game, without history, that this seat cannot tell from the one under way: for looking ahead.
    ///
    /// # Errors
    /// A fault of the ruleset: its rules may rely on what was imagined otherwise.
    pub fn imagined(&self, seat: u8, random: Random<'_>) -> Result<Game, Trouble> {
        let mut other = self.fork();
        other.imagine(Audience::Seat(Seat(seat)), random);
        let mut words = [0; 32];
        for word in words.chunks_mut(8) {
            word.copy_from_slice(&random().to_le_bytes());
        }
        other.position.seed = Seed(words);
        other.everything_is_new();
        other.refresh()?;
        Ok(other)
    }

    /// Changes everything that this audience does not see.
    fn imagine(&mut self, audience: Audience, random: Random<'_>) {
        let rs = self.ruleset.clone();
        let cells = &mut self.position.cells;
        // Hidden counters with their limits, and what they may be like.
        let mut counters: Vec<(Cell, Vec<i64>, Option<FuncId>, i64)> = Vec::new();
        for counter in &rs.model().counters {
            let before = counters.len();
            // What is seen of others is the best that is known of these.
            let mut like = 2;
            for instance in 0..instances(&counter.index) {
                let index = index_values(&counter.index, instance);
                let cell = counter.base + instance;
                match sees(counter.sight, &index, cells, audience) {
                    true => like = like.max(i64::from(cells[cell])),
                    false => counters.push((cell, index.to_vec(), counter.most, 0)),
                }
            }
            for hidden in &mut counters[before..] {
                hidden.3 = like;
            }
        }
        let markers = rs.model().markers.iter();
        let markers = markers.map(|m| (m.base, &m.index, &m.ty, m.sight));
        let keeps = rs.model().phases.iter().flat_map(|phase| &phase.keeps);
        let kept = keeps.map(|v| (v.base, &v.index, &v.ty, v.sight));
        let mut others: Vec<(Cell, &Ty)> = Vec::new();
        for (base, index, ty, sight) in markers.chain(kept) {
            for instance in 0..instances(index) {
                let values = index_values(index, instance);
                if !sees(sight, &values, cells, audience) {
                    others.push((base + instance, ty));
                }
            }
        }
        // Limits may read what is hidden too: they must not find what it was.
        for (cell, ..) in &counters {
            cells[*cell] = 0;
        }
        for (cell, ty) in &others {
            let nothing = low(ty.nothing());
            cells[*cell] = nothing;
            // Nor what it was when its phase was visited again.
            for copy in copies(&rs, *cell) {
                cells[copy] = nothing;
            }
        }
        self.deal(audience, random);
        for (cell, index, most, like) in counters {
            let most = limit(self, most, &index).unwrap_or(i64::MAX);
            let value = below(like + 1, random);
            self.position.cells[cell] = low(value.min(most));
        }
        let size = |ty: &Ty| match ty {
            Ty::Row(table) => rs.model().tables[*table].rows.len().fit(),
            Ty::Bool => 2,
            Ty::Player => i64::from(rs.model().players),
            _ => 1,
        };
        for (cell, ty) in others {
            let value = match ty {
                Ty::Option(inner) => below(size(inner) + 1, random) + NONE,
                ty => ty.nothing() + below(size(ty), random),
            };
            self.position.cells[cell] = low(value);
        }
    }

    /// Deals hidden pieces anew.
    fn deal(&mut self, audience: Audience, random: Random<'_>) {
        let rs = self.ruleset.clone();
        let shown = self.shown_to(audience);
        for table in rs.model().tables.ids() {
            let mut slots: Vec<Slot> = Vec::new();
            let mut pool: Vec<i32> = Vec::new();
            let mut rooms: Vec<(Option<FuncId>, Vec<i64>)> = Vec::new();
            let counted = |p: &&PlaceModel| p.table == table && !p.endless;
            for place in rs.model().places.iter().filter(counted) {
                for instance in 0..instances(&place.index) {
                    let index = index_values(&place.index, instance);
                    let cells = &mut self.position.cells;
                    let counted = sees(place.count, &index, cells, audience);
                    if counted && sees(place.faces, &index, cells, audience) {
                        continue;
                    }
                    let first = place.first(instance).at();
                    if shown.contains(&first) {
                        continue;
                    }
                    let before = pool.len();
                    if place.pile {
                        let size = cells[first].at();
                        pool.extend_from_slice(&cells[first + 1..=first + size]);
                    } else {
                        for row in 0..place.width {
                            let n = cells[first + row.at()];
                            pool.extend((0..n).map(|_| row.cast_signed()));
                        }
                    }
                    cells[first..first + place.width.at()].fill(0);
                    let size = counted.then_some(pool.len() - before);
                    let capacity = match place.pile {
                        true => place.width.at() - 1,
                        false => usize::MAX,
                    };
                    rooms.push((place.room, index.to_vec()));
                    slots.push(Slot {
                        first,
                        pile: place.pile,
                        size,
                        room: capacity,
                    });
                }
            }
            for (slot, (room, index)) in slots.iter_mut().zip(rooms) {
                if let Some(room) = limit(self, room, &index) {
                    slot.room = slot.room.min(usize::try_from(room).unwrap_or(0));
                }
            }
            // How they lay is what must not be known.
            pool.sort_unstable();
            shuffle(&mut pool, random);
            let cells = &mut self.position.cells;
            let mut put = |slot: &Slot, row: i32| {
                if slot.pile {
                    cells[slot.first] += 1;
                    cells[slot.first + cells[slot.first].at()] = row;
                } else {
                    cells[slot.first + row.at()] += 1;
                }
            };
            for slot in &slots {
                for row in pool.split_off(pool.len() - slot.size.unwrap_or(0)) {
                    put(slot, row);
                }
            }
            let mut free: Vec<Slot> = slots.into_iter().filter(|s| s.size.is_none()).collect();
            for row in pool {
                free.retain(|slot| slot.room > 0);
                let at = below(free.len(), random);
                if let Some(slot) = free.get_mut(at) {
                    slot.room -= 1;
                    put(slot, row);
                }
            }
        }
    }
}

/// Where a cell of a phase's own is kept while the phase is visited again.
fn copies(rs: &Ruleset, cell: Cell) -> Vec<Cell> {
    let mut copies = Vec::new();
    for phase in &rs.model().phases {
        let Some((base, most)) = phase.saved else {
            continue;
        };
        let width: u32 = phase.own.iter().map(|(_, n)| n).sum();
        let mut before = 0;
        for (first, len) in &phase.own {
            if (*first..*first + *len).contains(&cell) {
                let at = base + before + (cell - *first);
                copies.extend((0..most.saturating_sub(1)).map(|level| at + level * width));
            }
            before += len;
        }
    }
    copies
}

/// What a limit of an instance says, as far as it can be known.
fn limit(game: &Game, function: Option<FuncId>, index: &[i64]) -> Option<i64> {
    let mut registers = Registers::of(index);
    let cells = &game.position.cells;
    read(&game.ruleset, cells, &mut registers, function?).ok()
}

fn shuffle(pieces: &mut [i32], random: Random<'_>) {
    for i in (1..pieces.len()).rev() {
        let j = below(i + 1, random);
        pieces.swap(i, j);
    }
}

impl Match {
    /// The same match, as far as this audience sees, with other secrets: to find out what may be told. Whatever an
    /// audience is told must be the same when everything that it does not see is different.
    pub fn with_other_secrets(&self, audience: Audience, random: Random<'_>) -> Match {
        let mut other = self.clone();
        let game = other.game_mut();
        game.imagine(audience, random);
        // The question may be answered differently now.
        game.everything_is_new();
        let _ = game.refresh();
        other
    }
}
