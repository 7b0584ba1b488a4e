//! Whoever keeps a table by what is told of it has the table that can be looked at.

use std::collections::HashMap;

use interpreter::Ruleset;
use interpreter::play::{Audience, Event, Id, Match, PlaceRef, Seat, Value, View};
use referee_tests::games::{every_game, nth, walk};

/// A table as an audience keeps it: what lay there when it looked first, and what it was told since.
struct Kept<'r> {
    ruleset: &'r Ruleset,
    sizes: HashMap<PlaceRef, i64>,
    pieces: HashMap<PlaceRef, HashMap<Id, i64>>,
    counters: HashMap<PlaceRef, Option<i64>>,
    markers: HashMap<PlaceRef, Option<Value>>,
    /// Phases under way, each with what it keeps.
    phases: Vec<(Id, HashMap<PlaceRef, Option<Value>>)>,
    waiting: Vec<Seat>,
}

impl<'r> Kept<'r> {
    fn of(ruleset: &'r Ruleset, view: &View) -> Kept<'r> {
        let mut kept = Kept {
            ruleset,
            sizes: HashMap::new(),
            pieces: HashMap::new(),
            counters: view.counters.iter().cloned().collect(),
            markers: view.markers.iter().cloned().collect(),
            phases: Vec::new(),
            waiting: view.waiting.clone(),
        };
        for place in view.places.iter().filter(|place| !place.endless) {
            if let Some(size) = place.size {
                kept.sizes.insert(place.place.clone(), size.into());
            }
            if let Some(contents) = &place.contents {
                kept.pieces.insert(place.place.clone(), counted(contents));
            }
        }
        for (name, _) in &view.phases {
            kept.phases.push((name.clone(), HashMap::new()));
        }
        for (at, value) in &view.kept {
            let phase = at.name.split('.').next().expect("a phase and its own name");
            let frames = &mut kept.phases;
            let frame = frames.iter_mut().rfind(|(name, _)| **name == *phase);
            let (_, values) = frame.expect("what is kept is of a phase under way");
            values.insert(at.clone(), value.clone());
        }
        kept
    }

    fn hear(&mut self, event: &Event) {
        match event {
            Event::PhaseBegan { phase, .. } => {
                self.phases.push((phase.clone(), HashMap::new()));
            }
            Event::PhaseEnded { phase } => {
                let ended = self.phases.pop();
                assert_eq!(ended.map(|(name, _)| name).as_ref(), Some(phase));
            }
            Event::Kept { kept, to } => {
                let phase = kept.name.split('.').next().expect("a name");
                let frames = &mut self.phases;
                let frame = frames.iter_mut().rfind(|(name, _)| **name == *phase);
                let (_, values) = frame.expect("what is kept is of a phase under way");
                values.insert(kept.clone(), to.clone());
            }
            Event::Asked { seats, .. } => self.waiting.clone_from(seats),
            Event::Pieces {
                from,
                to,
                row,
                count,
            } => {
                for (place, sign) in [(from, -1), (to, 1)] {
                    if let (Some(size), Some(count)) = (self.sizes.get_mut(place), count) {
                        *size += sign * i64::from(*count);
                    }
                    if let (Some(pieces), Some(row), Some(count)) =
                        (self.pieces.get_mut(place), row, count)
                    {
                        *pieces.entry(row.row.clone()).or_default() += sign * i64::from(*count);
                        pieces.retain(|_, n| *n != 0);
                    }
                }
            }
            Event::Counter { counter, to, .. } => {
                self.counters.insert(counter.clone(), *to);
            }
            Event::Marker { marker, to } => {
                self.markers.insert(marker.clone(), to.clone());
            }
            Event::Moved { .. }
            | Event::Shuffled { .. }
            | Event::Raised { .. }
            | Event::EndingDue { .. }
            | Event::Over { .. } => {}
        }
    }

    /// What phases under way keep: each begins with what the ruleset says.
    fn kept(&self) -> HashMap<PlaceRef, Option<Value>> {
        let model = self.ruleset.model();
        let mut all = HashMap::new();
        // The innermost visit of a phase is the one that is shown.
        for (name, values) in &self.phases {
            let phase = model.phases.iter().find(|phase| phase.name == *name);
            let phase = phase.expect("it is declared");
            all.retain(|at: &PlaceRef, _| at.name.split('.').next() != Some(&**name));
            for var in &phase.keeps {
                let first = self.ruleset.kept_first(phase, var);
                for at in self.ruleset.kept_places(phase, var) {
                    let value = values.get(&at).cloned();
                    all.insert(at, value.unwrap_or(Some(first.clone())));
                }
            }
        }
        all
    }

    /// Compares it with the table that is looked at; gives how much was compared.
    fn compare(&self, view: &View, what: &str) -> usize {
        let mut compared = 0;
        for place in view.places.iter().filter(|place| !place.endless) {
            if let (Some(size), Some(kept)) = (place.size, self.sizes.get(&place.place)) {
                assert_eq!(i64::from(size), *kept, "{what}: {:?}", place.place);
                compared += 1;
            }
            if let (Some(contents), Some(kept)) = (&place.contents, self.pieces.get(&place.place)) {
                assert_eq!(&counted(contents), kept, "{what}: {:?}", place.place);
                compared += 1;
            }
        }
        for (counter, value) in &view.counters {
            assert_eq!(&self.counters[counter], value, "{what}: {counter:?}");
        }
        for (marker, value) in &view.markers {
            assert_eq!(&self.markers[marker], value, "{what}: {marker:?}");
        }
        if view.outcome.is_none() {
            let names = |phases: &[(Id, _)]| -> Vec<Id> {
                phases.iter().map(|(name, _)| name.clone()).collect()
            };
            let under_way: Vec<Id> = view.phases.iter().map(|(name, _)| name.clone()).collect();
            assert_eq!(names(&self.phases), under_way, "{what}");
            assert_eq!(in_order(&self.waiting), in_order(&view.waiting), "{what}");
            let kept = self.kept();
            for (at, value) in &view.kept {
                // Who does not see a value is not told what it is at first either.
                if value.is_some() {
                    assert_eq!(&kept[at], value, "{what}: {at:?}");
                    compared += 1;
                }
            }
            assert_eq!(kept.len(), view.kept.len(), "{what}");
        }
        compared + view.counters.len() + view.markers.len()
    }
}

fn in_order(seats: &[Seat]) -> Vec<Seat> {
    let mut seats = seats.to_vec();
    seats.sort();
    seats
}

fn counted(contents: &[(Id, u32)]) -> HashMap<Id, i64> {
    let mut counts = HashMap::new();
    for (row, n) in contents {
        *counts.entry(row.clone()).or_default() += i64::from(*n);
    }
    counts
}

#[test]
fn a_table_that_is_kept_by_what_is_told_is_the_one_that_is_looked_at() {
    for (name, ruleset) in every_game() {
        let nth = nth(&name, 5);
        let players = ruleset.players();
        let seats = (0..players).map(|seat| Audience::Seat(Seat(seat)));
        let audiences: Vec<Audience> = seats
            .chain([Audience::Spectator, Audience::Referee])
            .collect();
        let mut tables: Vec<(Kept, usize)> = Vec::new();
        let (mut n, mut compared, mut kept) = (0, 0, 0);
        walk(&ruleset, 4, false, |game: &Match| {
            n += 1;
            if tables.is_empty() || game.moves().is_empty() {
                tables = audiences
                    .iter()
                    .map(|who| (Kept::of(&ruleset, &game.view(*who)), game.happened()))
                    .collect();
                return;
            }
            if n % nth != 0 && game.outcome().is_none() {
                return;
            }
            for (who, (table, told)) in audiences.iter().zip(&mut tables) {
                for (_, event) in game.seen(*who, *told) {
                    kept += usize::from(matches!(event, Event::Kept { .. }));
                    table.hear(&event);
                }
                *told = game.happened();
                compared += table.compare(&game.view(*who), &format!("{name}, {who:?}"));
            }
        });
        println!("{name}: {compared} facts, {kept} of them told of what phases keep");
        assert!(compared > 1000, "{name}: {compared}");
    }
}
