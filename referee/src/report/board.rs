//! The table as one audience sees it, drawn for a terminal: what is common, then the players side by side.

use comfy_table::{ContentArrangement, Table as Grid, presets};
use interpreter::play::{Id, PlaceRef, PlaceView, Seat, Value, View};
use interpreter::program::model::Model;

use super::prose::wrapped;
use super::words::Words;

/// Draws a view. `me` is the seat whose secrets it shows, if any.
pub fn board(
    view: &View,
    model: &Model,
    words: &Words<'_>,
    me: Option<Seat>,
    width: usize,
) -> String {
    let board = Board { view, model, words };
    let mut text = String::new();
    for line in board.common() {
        let lines = wrapped(&line, width.saturating_sub(4).max(20));
        for (i, part) in lines.iter().enumerate() {
            text.push_str(if i > 0 { "    " } else { "" });
            text.push_str(part);
            text.push('\n');
        }
    }
    text.push('\n');
    text.push_str(&board.players(me, width));
    text.push('\n');
    text
}

struct Board<'a> {
    view: &'a View,
    model: &'a Model,
    words: &'a Words<'a>,
}

impl Board<'_> {
    fn common(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let nobody = |place: &PlaceRef| owner(place).is_none();
        let marks: Vec<String> = self
            .view
            .markers
            .iter()
            .filter(|(marker, _)| nobody(marker))
            .map(|(marker, value)| {
                let value = match value {
                    Some(value) => self.words.value(value),
                    None => "?".to_owned(),
                };
                format!("{}: {value}", self.words.place(marker))
            })
            .collect();
        if !marks.is_empty() {
            lines.push(marks.join("   "));
        }
        for declared in &self.model.counters {
            let values: Vec<String> = self
                .view
                .counters
                .iter()
                .filter(|(counter, value)| {
                    counter.name == declared.name && nobody(counter) && *value != Some(0)
                })
                .map(|(counter, value)| self.indexed(counter, &number(*value)))
                .collect();
            if !values.is_empty() {
                let name = self.words.site(&declared.name);
                lines.push(format!("{name}: {}", values.join("; ")));
            }
        }
        for declared in &self.model.places {
            let parts: Vec<String> = self
                .view
                .places
                .iter()
                .filter(|place| place.place.name == declared.name && nobody(&place.place))
                .filter_map(|place| {
                    let contents = self.contents(place)?;
                    Some(self.indexed(&place.place, &contents))
                })
                .collect();
            if !parts.is_empty() {
                let name = self.words.site(&declared.name);
                lines.push(format!("{name}: {}", parts.join("; ")));
            }
        }
        lines
    }

    fn indexed(&self, place: &PlaceRef, what: &str) -> String {
        let rest = rest(place);
        match rest.is_empty() {
            true => what.to_owned(),
            false => format!("{}: {what}", self.words.values(&rest)),
        }
    }

    /// What lies in a place; none if nothing does, or it never runs dry.
    fn contents(&self, place: &PlaceView) -> Option<String> {
        if place.endless || place.size == Some(0) {
            return None;
        }
        let faces = |contents: &[(interpreter::play::Id, u32)]| {
            let counts = contents
                .iter()
                .map(|(row, n)| (self.words.row(&place.table, row), i64::from(*n)));
            self.words.counts(counts)
        };
        Some(match (&place.contents, place.size) {
            (Some(contents), _) if contents.is_empty() => return None,
            (Some(contents), _) => faces(contents),
            (None, Some(size)) => self.words.value(&Value::Hidden { count: Some(size) }),
            (None, None) => "?".to_owned(),
        })
    }

    fn players(&self, me: Option<Seat>, width: usize) -> String {
        let seats: Vec<Seat> = (0..self.model.players).map(Seat).collect();
        let mut grid = Grid::new();
        grid.load_style(presets::UTF8_FULL_CONDENSED)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(width).unwrap_or(100));
        let mut heads = vec![String::new()];
        heads.extend(seats.iter().map(|seat| {
            let mut name = self.words.seat(*seat);
            if Some(*seat) == me {
                name = format!("» {name} «");
            }
            if self.view.waiting.contains(seat) {
                name.push('?');
            }
            name
        }));
        grid.set_header(heads);
        for (name, cells) in self.rows(&seats) {
            if cells.iter().any(|cell| !cell.is_empty()) {
                let mut row = vec![name];
                row.extend(cells);
                grid.add_row(row);
            }
        }
        grid.to_string()
    }

    fn rows(&self, seats: &[Seat]) -> Vec<(String, Vec<String>)> {
        let mut rows = Vec::new();
        for declared in &self.model.counters {
            let of = |seat: &Seat| {
                let values: Vec<String> = self
                    .view
                    .counters
                    .iter()
                    .filter(|(c, _)| c.name == declared.name && owner(c) == Some(*seat))
                    .map(|(counter, value)| self.indexed(counter, &number(*value)))
                    .collect();
                values.join("; ")
            };
            rows.push((
                self.words.site(&declared.name),
                seats.iter().map(of).collect(),
            ));
        }
        for declared in &self.model.markers {
            let of = |seat: &Seat| {
                let values: Vec<String> = self
                    .view
                    .markers
                    .iter()
                    .filter(|(m, _)| m.name == declared.name && owner(m) == Some(*seat))
                    .map(|(marker, value)| {
                        let value = value
                            .as_ref()
                            .map_or_else(|| "?".to_owned(), |value| self.words.value(value));
                        self.indexed(marker, &value)
                    })
                    .collect();
                values.join("; ")
            };
            rows.push((
                self.words.site(&declared.name),
                seats.iter().map(of).collect(),
            ));
        }
        for declared in &self.model.places {
            let of = |seat: &Seat| {
                let parts: Vec<String> = self
                    .view
                    .places
                    .iter()
                    .filter(|p| p.place.name == declared.name && owner(&p.place) == Some(*seat))
                    .filter_map(|place| {
                        let contents = self.contents(place)?;
                        Some(self.indexed(&place.place, &contents))
                    })
                    .collect();
                parts.join("\n")
            };
            rows.push((
                self.words.site(&declared.name),
                seats.iter().map(of).collect(),
            ));
        }
        // Of what phases keep, what is said in the open: offers, terms.
        let terms = |value: &Option<Value>| matches!(value, Some(Value::Record { .. }));
        let kept = self.view.kept.iter().filter(|(_, value)| terms(value));
        let mut names: Vec<&Id> = kept.map(|(kept, _)| &kept.name).collect();
        names.dedup();
        for name in names {
            let of = |seat: &Seat| {
                let values: Vec<String> = self
                    .view
                    .kept
                    .iter()
                    .filter(|(kept, value)| {
                        kept.name == *name && owner(kept) == Some(*seat) && terms(value)
                    })
                    .filter_map(|(kept, value)| {
                        let value = self.words.value(value.as_ref()?);
                        Some(self.indexed(kept, &value))
                    })
                    .collect();
                values.join("; ")
            };
            rows.push((self.words.site(name), seats.iter().map(of).collect()));
        }
        rows
    }
}

fn number(value: Option<i64>) -> String {
    value.map_or_else(|| "?".to_owned(), |value| value.to_string())
}

/// Whose a place is: the first player of its index.
pub fn owner(place: &PlaceRef) -> Option<Seat> {
    place.index.iter().find_map(|value| match value {
        Value::Player(seat) => Some(*seat),
        _ => None,
    })
}

/// The index of a place without its owner.
pub fn rest(place: &PlaceRef) -> Vec<Value> {
    let mut owned = false;
    let mut rest = Vec::new();
    for value in &*place.index {
        match value {
            Value::Player(_) if !owned => owned = true,
            value => rest.push(value.clone()),
        }
    }
    rest
}
