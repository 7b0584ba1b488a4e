//! The table as events change it.

use interpreter::play::{Id, PlaceRef, RowRef, Seat, Value, View};
use interpreter::program::model::Model;
use interpreter::program::tree::Ty;

use crate::words::Words;

/// What lies where.
pub(super) struct Table {
    places: Vec<Place>,
    counters: Vec<(PlaceRef, i64)>,
    markers: Vec<(PlaceRef, Value)>,
}

struct Place {
    place: PlaceRef,
    table: Id,
    pile: bool,
    counts: Vec<(Id, i64)>,
}

impl Place {
    fn add(&mut self, row: &Id, n: i64) {
        match self.counts.iter_mut().find(|(known, _)| known == row) {
            Some((_, count)) => *count += n,
            None => self.counts.push((row.clone(), n)),
        }
    }

    fn size(&self) -> i64 {
        self.counts.iter().map(|(_, n)| n).sum()
    }

    /// `2 Corn, 1 Sugar`, in the order of the table.
    fn contents(&self, words: &Words<'_>, model: &Model) -> String {
        if self.pile {
            return self.size().to_string();
        }
        let rows = model
            .tables
            .iter()
            .find(|table| table.name == self.table)
            .map(|table| &table.rows);
        let order = |row: &Id| rows.and_then(|rows| rows.iter().position(|r| r == row));
        let mut counts: Vec<&(Id, i64)> = self.counts.iter().filter(|(_, n)| *n != 0).collect();
        counts.sort_by_key(|(row, _)| order(row));
        words.counts(counts.into_iter().map(|(row, n)| (&self.table, row, *n)))
    }
}

impl Table {
    /// As a view with all secrets shows it.
    pub(super) fn new(view: &View) -> Table {
        let mut places = Vec::new();
        for seen in &view.places {
            let mut place = Place {
                place: seen.place.clone(),
                table: seen.table.clone(),
                pile: seen.pile,
                counts: Vec::new(),
            };
            for (row, n) in seen.contents.iter().flatten() {
                place.add(row, i64::from(*n));
            }
            places.push(place);
        }
        let counters = view
            .counters
            .iter()
            .map(|(counter, value)| (counter.clone(), value.unwrap_or(0)));
        let markers = view
            .markers
            .iter()
            .map(|(marker, value)| (marker.clone(), value.clone().unwrap_or(Value::None)));
        Table {
            places,
            counters: counters.collect(),
            markers: markers.collect(),
        }
    }

    pub(super) fn moved(&mut self, from: &PlaceRef, to: &PlaceRef, row: &RowRef, n: i64) {
        for (place, n) in [(from, -n), (to, n)] {
            if let Some(place) = self.places.iter_mut().find(|p| p.place == *place) {
                place.add(&row.row, n);
            }
        }
    }

    pub(super) fn counted(&mut self, counter: &PlaceRef, value: i64) {
        if let Some((_, known)) = self.counters.iter_mut().find(|(c, _)| c == counter) {
            *known = value;
        }
    }

    pub(super) fn marked(&mut self, marker: &PlaceRef, value: &Value) {
        if let Some((_, known)) = self.markers.iter_mut().find(|(m, _)| m == marker) {
            *known = value.clone();
        }
    }

    /// Lines with their depth: what is common, then what each player has.
    pub(super) fn lines(&self, words: &Words<'_>, model: &Model) -> Vec<(usize, String)> {
        let mut lines = Vec::new();
        // Of a family those that say something.
        let told = self
            .markers
            .iter()
            .filter(|(marker, value)| marker.index.is_empty() || *value != Value::None);
        for (marker, value) in told {
            lines.push((
                0,
                format!("{}: {}", words.place(marker), words.value(value)),
            ));
        }
        self.of(None, words, model, 0, &mut lines);
        for seat in 0..model.players {
            let seat = Seat(seat);
            let counters: Vec<String> = self
                .counters
                .iter()
                .filter(|(counter, _)| owner(counter) == Some(seat))
                .map(|(counter, value)| format!("{} {value}", inner(counter, words)))
                .collect();
            lines.push((0, format!("{}: {}", words.seat(seat), counters.join(", "))));
            self.of(Some(seat), words, model, 1, &mut lines);
        }
        lines
    }

    fn of(
        &self,
        seat: Option<Seat>,
        words: &Words<'_>,
        model: &Model,
        depth: usize,
        lines: &mut Vec<(usize, String)>,
    ) {
        // Instances of one name stand together.
        for declared in &model.places {
            let mut parts = Vec::new();
            let instances = self
                .places
                .iter()
                .filter(|place| place.place.name == declared.name);
            for place in instances.filter(|place| owner(&place.place) == seat && place.size() != 0)
            {
                let contents = place.contents(words, model);
                let rest: Vec<Value> = rest(&place.place);
                parts.push(match rest.is_empty() {
                    true => contents,
                    false => format!("{} {contents}", words.values(&rest)),
                });
            }
            if !parts.is_empty() {
                lines.push((
                    depth,
                    format!("{}: {}", words.site(&declared.name), parts.join("; ")),
                ));
            }
        }
        if seat.is_none() {
            for declared in model
                .counters
                .iter()
                .filter(|c| !c.index.iter().any(|(ty, _)| *ty == Ty::Player))
            {
                let values = self
                    .counters
                    .iter()
                    .filter(|(c, value)| c.name == declared.name && *value != 0);
                let values: Vec<String> = values
                    .map(|(counter, value)| match counter.index.is_empty() {
                        true => value.to_string(),
                        false => format!("{} {value}", words.values(&counter.index)),
                    })
                    .collect();
                if !values.is_empty() {
                    lines.push((
                        depth,
                        format!("{}: {}", words.site(&declared.name), values.join("; ")),
                    ));
                }
            }
        }
    }
}

/// Whose a place is: the first player of its index.
fn owner(place: &PlaceRef) -> Option<Seat> {
    place.index.iter().find_map(|value| match value {
        Value::Player(seat) => Some(*seat),
        _ => None,
    })
}

/// The index of a place without its owner.
fn rest(place: &PlaceRef) -> Vec<Value> {
    let owner = owner(place).map(Value::Player);
    let at = place
        .index
        .iter()
        .position(|value| Some(value) == owner.as_ref());
    place
        .index
        .iter()
        .enumerate()
        .filter(|(i, _)| Some(*i) != at)
        .map(|(_, value)| value.clone())
        .collect()
}

/// The name of something of a player, seen by that player.
fn inner(place: &PlaceRef, words: &Words<'_>) -> String {
    let rest = rest(place);
    match rest.is_empty() {
        true => words.site(&place.name),
        false => format!("{} ({})", words.site(&place.name), words.values(&rest)),
    }
}
