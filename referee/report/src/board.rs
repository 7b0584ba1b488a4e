//! The table as one audience sees it, drawn for a terminal: what is common, then the players side by side.
//!
//! In: a view, and where things belong ([`arrangement`](super::arrangement)). Out: lines of text. Boards whose cells lie
//! somewhere are drawn as grids ([`grid`]).

use std::collections::BTreeMap;

use comfy_table::{ContentArrangement, Table as Grid, presets};
use interpreter::Ruleset;
use interpreter::play::{Id, PlaceRef, PlaceView, Seat, Value, View};
use interpreter::program::ids::TableId;
use interpreter::program::model::Model;

use super::arrangement::{Arrangement, Entry, Section, Shown, Title};
use super::cells::{Cell, cells};
use super::grid;
use super::prose::wrapped;
use super::track;
use super::words::Words;

/// Of a board with more cells than this, those are named on which something lies.
const MOST_EMPTY: usize = 12;

/// Draws a view. `me` is the seat whose secrets it shows, if any.
pub fn board(
    view: &View,
    ruleset: &Ruleset,
    words: &Words<'_>,
    me: Option<Seat>,
    width: usize,
) -> String {
    let arrangement = Arrangement::of(ruleset.package(), ruleset.model());
    let board = Board {
        view,
        ruleset,
        model: ruleset.model(),
        words,
        width,
    };
    let mut text = String::new();
    for section in &arrangement.table {
        let lines = board.common(section);
        if lines.is_empty() {
            continue;
        }
        if let Some(heading) = board.heading(section) {
            text.push_str(&format!("{heading}\n"));
        }
        for line in lines {
            match line {
                // A picture is not broken into lines.
                Line::Drawn(line) => text.push_str(&format!("{line}\n")),
                Line::Said(line) => text.push_str(&board.broken(&line)),
            }
        }
    }
    if let Some(line) = board.kept() {
        text.push_str(&board.broken(&line));
    }
    text.push('\n');
    text.push_str(&board.players(&arrangement.mat, me));
    text.push('\n');
    text.push_str(&board.mats(&arrangement.mat, me));
    text
}

enum Line {
    Said(String),
    Drawn(String),
}

struct Board<'a> {
    view: &'a View,
    ruleset: &'a Ruleset,
    model: &'a Model,
    words: &'a Words<'a>,
    width: usize,
}

impl Board<'_> {
    fn broken(&self, line: &str) -> String {
        let lines = wrapped(line, self.width.saturating_sub(4).max(20));
        let mut text = String::new();
        for (i, part) in lines.iter().enumerate() {
            text.push_str(if i > 0 { "    " } else { "" });
            text.push_str(part);
            text.push('\n');
        }
        text
    }

    fn title(&self, section: &Section<'_>) -> Option<String> {
        match section.title {
            Title::None => None,
            Title::Area(titles) => Some(self.words.text(titles)),
            Title::Rest => Some(self.words.say("Besides", "Poza tym").to_owned()),
        }
    }

    fn heading(&self, section: &Section<'_>) -> Option<String> {
        let title = self.title(section)?;
        let room = self
            .width
            .min(100)
            .saturating_sub(title.chars().count() + 4);
        Some(format!("── {title} {}", "─".repeat(room)))
    }

    fn common(&self, section: &Section<'_>) -> Vec<Line> {
        let is_laid_out = self.ruleset.package().layout.is_some();
        let mut lines = Vec::new();
        let mut marks: Vec<String> = Vec::new();
        let done = |marks: &mut Vec<String>, lines: &mut Vec<Line>| {
            if !marks.is_empty() {
                lines.push(Line::Said(marks.join(" · ")));
                marks.clear();
            }
        };
        for entry in &section.entries {
            match entry {
                // Markers stand side by side.
                Entry::Thing(thing) if self.is_marker(thing.name) => {
                    marks.extend(self.marks(thing.name, !thing.also_empty && is_laid_out));
                }
                Entry::Thing(thing) => {
                    done(&mut marks, &mut lines);
                    lines.extend(self.thing(thing).into_iter().map(Line::Said));
                }
                Entry::Board { table, things } => {
                    done(&mut marks, &mut lines);
                    match self.grid(*table, things, None) {
                        Some(drawn) => lines.extend(drawn.into_iter().map(Line::Drawn)),
                        None => lines.push(Line::Said(self.list(*table, things))),
                    }
                }
                Entry::Track { counters, ends } => {
                    done(&mut marks, &mut lines);
                    lines.push(Line::Said(self.track(counters, *ends)));
                }
            }
        }
        done(&mut marks, &mut lines);
        lines
    }

    /// A board that is no picture: its cells, and what lies on them.
    fn list(&self, table: TableId, things: &[&str]) -> String {
        let name = &*self.model.tables[table].name;
        let rows = &self.model.tables[table].rows;
        let cells = rows.iter().filter_map(|row| {
            let cell = Cell {
                table,
                row: row.clone(),
                squares: Vec::new(),
            };
            let lies = self.lying(&cell, things, None).join(" ");
            let lies = match (lies.is_empty(), rows.len() <= MOST_EMPTY) {
                (true, true) => "–".to_owned(),
                (true, false) => return None,
                (false, _) => lies,
            };
            Some(format!("{}: {lies}", self.words.row(name, row)))
        });
        cells.collect::<Vec<_>>().join("; ")
    }

    /// The steps of a track, and which counters stand on them.
    fn track(&self, counters: &[&str], ends: (i64, i64)) -> String {
        let of = self.view.counters.iter();
        let of = of.filter(|(counter, _)| counters.contains(&&*counter.name));
        let stands = of.map(|(counter, value)| {
            let who = owner(counter).map(|seat| self.words.seat(seat));
            let name = || self.words.site(&counter.name);
            // One counter has given its name to the line.
            let said = match (who, counters.len()) {
                (Some(who), 1) => Some(who),
                (Some(who), _) => Some(format!("{who} ({})", name())),
                (None, 1) => None,
                (None, _) => Some(name()),
            };
            (*value, said)
        });
        let names: Vec<String> = counters.iter().map(|name| self.words.site(name)).collect();
        format!(
            "{}: {}",
            names.join(", "),
            track::drawn(ends, stands.collect())
        )
    }

    fn is_marker(&self, name: &str) -> bool {
        self.model
            .markers
            .iter()
            .any(|marker| *marker.name == *name)
    }

    fn marks(&self, name: &str, only_said: bool) -> Vec<String> {
        let of = self.view.markers.iter();
        let of = of.filter(|(marker, _)| *marker.name == *name && owner(marker).is_none());
        let says = |value: &Option<Value>| {
            !only_said || !matches!(value, Some(Value::None | Value::Bool(false)))
        };
        of.filter(|(_, value)| says(value))
            .map(|(marker, value)| {
                let value = match value {
                    Some(value) => self.words.value(value),
                    None => "?".to_owned(),
                };
                format!("{}: {value}", self.words.place(marker))
            })
            .collect()
    }

    /// What a place or counter of nobody's says, in a line for each group of its pieces.
    fn thing(&self, thing: &Shown<'_>) -> Vec<String> {
        let name = self.words.site(thing.name);
        let is_only = |place: &&PlaceView| {
            *place.place.name == *thing.name && place.place.index.is_empty() && !place.pile
        };
        let place = self.view.places.iter().find(is_only);
        let contents = place.and_then(|place| Some((place, place.contents.as_ref()?)));
        if let Some((place, contents)) = contents
            && !contents.is_empty()
            && !place.endless
        {
            let groups = self.groups(&place.table, contents, thing);
            let single = groups.len() == 1;
            let said = groups.into_iter().map(|(group, rows)| {
                let counts = rows
                    .iter()
                    .map(|(row, n)| (&place.table, row, i64::from(*n)));
                let counts = self.words.counts(counts);
                match group.filter(|_| !single) {
                    Some(group) => format!("{name} {group}: {counts}"),
                    None => format!("{name}: {counts}"),
                }
            });
            return said.collect();
        }
        let parts = self.parts(thing.name, None);
        match parts.is_empty() {
            true if thing.also_empty => vec![format!("{name}: –")],
            true => Vec::new(),
            false => vec![format!("{name}: {}", parts.join("; "))],
        }
    }

    /// Pieces in the order and in the groups that the layout wants.
    fn groups(
        &self,
        table: &str,
        contents: &[(Id, u32)],
        thing: &Shown<'_>,
    ) -> BTreeMap<Option<i64>, Vec<(Id, u32)>> {
        let value = |column: Option<&str>, row: &Id| {
            let column = column?;
            let mut columns = self.model.columns.iter();
            let found = columns
                .find(|c| *c.name == *column && *self.model.tables[c.table].name == *table)?;
            let rows = &self.model.tables[found.table].rows;
            let at = rows.iter().position(|known| known == row)?;
            found.values.get(at).copied()
        };
        let mut ordered = contents.to_vec();
        ordered.sort_by_key(|(row, _)| value(thing.order, row));
        let mut groups: BTreeMap<Option<i64>, Vec<(Id, u32)>> = BTreeMap::new();
        for (row, count) in ordered {
            let group = value(thing.group, &row);
            groups.entry(group).or_default().push((row, count));
        }
        groups
    }

    fn parts(&self, name: &str, seat: Option<Seat>) -> Vec<String> {
        let is = |place: &PlaceRef| *place.name == *name && owner(place) == seat;
        let counters = self.view.counters.iter();
        // A counter of nobody's that stands at nothing says nothing.
        let counters = counters.filter(|(c, value)| is(c) && (seat.is_some() || *value != Some(0)));
        let counters = counters.map(|(counter, value)| self.indexed(counter, &number(*value)));
        let markers = self.view.markers.iter().filter(|(marker, _)| is(marker));
        let markers = markers.filter(|_| seat.is_some()).map(|(marker, value)| {
            let value = value.as_ref();
            let value = value.map_or_else(|| "?".to_owned(), |value| self.words.value(value));
            self.indexed(marker, &value)
        });
        let places = self.view.places.iter().filter(|place| is(&place.place));
        let places = places.filter_map(|place| {
            let contents = self.contents(place)?;
            Some(self.indexed(&place.place, &contents))
        });
        counters.chain(markers).chain(places).collect()
    }

    /// A board as a picture, with what lies on its cells.
    fn grid(&self, table: TableId, things: &[&str], seat: Option<Seat>) -> Option<Vec<String>> {
        let mut cells = cells(self.ruleset.package(), self.model, table)?;
        if cells.tables.len() > 1 {
            cells = cells.cropped(|cell| !self.lying(cell, things, seat).is_empty());
        }
        grid::drawn(&cells, self.width, &mut |at| {
            let cell = &cells.cells[at];
            let name = &*self.model.tables[cell.table].name;
            let lies = self.lying(cell, things, seat);
            (self.words.row(name, &cell.row), lies.join(" "))
        })
    }

    /// What lies on a cell, in a few signs.
    fn lying(&self, cell: &Cell, things: &[&str], seat: Option<Seat>) -> Vec<String> {
        let table = &*self.model.tables[cell.table].name;
        let here = |value: &Value| matches!(value, Value::Row { table: of, row } if **of == *table && *row == cell.row);
        let at = |place: &PlaceRef| {
            things.contains(&&*place.name) && owner(place) == seat && place.index.iter().any(&here)
        };
        let mut lies = Vec::new();
        for (_, value) in self.view.counters.iter().filter(|(c, _)| at(c)) {
            if *value != Some(0) {
                lies.push(number(*value));
            }
        }
        for (marker, value) in &self.view.markers {
            let Some(value) = value else { continue };
            if at(marker) {
                match value {
                    Value::None | Value::Bool(false) => {}
                    Value::Bool(true) => lies.push("*".to_owned()),
                    value => lies.push(self.words.value(value)),
                }
            } else if things.contains(&&*marker.name) && here(value) {
                // A marker that stands here, or says where a piece lies.
                match marker.index.first() {
                    // Where a seat stands on a board that all share.
                    Some(Value::Player(who)) if seat.is_none() => {
                        lies.push(format!("<{}>", self.words.seat(*who)));
                    }
                    None => lies.push(format!("<{}>", self.words.site(&marker.name))),
                    Some(piece) if self.has(piece, seat) => {
                        let amount = self.amount_on(piece).map(|n| format!("[{n}] "));
                        let name = self.words.value(piece);
                        lies.push(format!("{}{name}", amount.unwrap_or_default()));
                    }
                    Some(_) => {}
                }
            }
        }
        for place in self.view.places.iter().filter(|place| at(&place.place)) {
            lies.extend(self.contents(place));
        }
        lies
    }

    /// Whether a piece lies in an open place of a seat, or of nobody.
    fn has(&self, piece: &Value, seat: Option<Seat>) -> bool {
        let Value::Row { table, row } = piece else {
            return false;
        };
        self.view.places.iter().any(|place| {
            let contents = place.contents.as_ref();
            let lies = contents.is_some_and(|all| all.iter().any(|(r, n)| r == row && *n > 0));
            place.table == *table && owner(&place.place) == seat && lies
        })
    }

    /// What a counter of a piece says, if there is one of it alone.
    fn amount_on(&self, piece: &Value) -> Option<i64> {
        let mut counters = self.view.counters.iter();
        let counted = counters.find(|(c, _)| matches!(&*c.index, [only] if only == piece));
        counted.and_then(|(_, value)| *value).filter(|n| *n != 0)
    }

    /// What phases under way keep and is nobody's own, as far as it has a name for people and says anything.
    fn kept(&self) -> Option<String> {
        let kept = self.view.kept.iter();
        let kept = kept.filter(|(kept, value)| owner(kept).is_none() && self.says(kept, value));
        let kept: Vec<String> = kept
            .filter_map(|(kept, value)| {
                let value = self.words.value(value.as_ref()?);
                Some(format!("{}: {value}", self.words.place(kept)))
            })
            .collect();
        (!kept.is_empty()).then(|| kept.join(" · "))
    }

    /// Whether anything may have set what a phase keeps since the phase began.
    fn is_set(&self, kept: &PlaceRef) -> bool {
        let asking = self.view.asking.as_ref();
        let mut phases = self.model.phases.iter();
        let found = phases.find_map(|phase| {
            let name = kept.name.strip_prefix(&*phase.name)?.strip_prefix('.')?;
            let var = phase.keeps.iter().find(|var| *var.name == *name)?;
            Some(self.ruleset.steps_before_set(phase, var))
        });
        !found.is_some_and(|before| asking.is_some_and(|step| before.contains(step)))
    }

    /// Whether what a phase keeps is told: the rest is the ruleset's own book-keeping.
    fn says(&self, kept: &PlaceRef, value: &Option<Value>) -> bool {
        let names = &self.ruleset.package().names;
        match value {
            Some(Value::Record { .. }) => true,
            None | Some(Value::None | Value::Bool(false) | Value::Int(0)) => false,
            Some(_) => names.contains_key(&format!("kept {}", kept.name)) && self.is_set(kept),
        }
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
                .map(|(row, n)| (&place.table, row, i64::from(*n)));
            self.words.counts(counts)
        };
        Some(match (&place.contents, place.size) {
            (Some(contents), _) if contents.is_empty() => return None,
            (Some(contents), _) => faces(contents),
            (None, Some(size)) => self.words.value(&Value::Hidden { count: Some(size) }),
            (None, None) => "?".to_owned(),
        })
    }

    fn players(&self, sections: &[Section<'_>], me: Option<Seat>) -> String {
        let seats: Vec<Seat> = (0..self.model.players).map(Seat).collect();
        let mut grid = Grid::new();
        grid.load_style(presets::UTF8_FULL_CONDENSED)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(self.width).unwrap_or(100));
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
        for section in sections {
            let rows = self.rows(section, &seats);
            if rows.is_empty() {
                continue;
            }
            if let Some(title) = self.title(section) {
                let mut row = vec![format!("── {title}")];
                row.resize(seats.len() + 1, String::new());
                grid.add_row(row);
            }
            for row in rows {
                grid.add_row(row);
            }
        }
        for row in self.kept_rows(&seats) {
            grid.add_row(row);
        }
        grid.to_string()
    }

    /// A row for each thing of which any seat has something.
    fn rows(&self, section: &Section<'_>, seats: &[Seat]) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        let mut say = |name: &str| {
            // Places with much in them stand below each other.
            let is_place = self.model.places.iter().any(|place| *place.name == *name);
            let between = if is_place { "\n" } else { "; " };
            let of = |seat: &Seat| self.parts(name, Some(*seat)).join(between);
            let cells: Vec<String> = seats.iter().map(of).collect();
            if cells.iter().any(|cell| !cell.is_empty()) {
                let mut row = vec![self.words.site(name)];
                row.extend(cells);
                rows.push(row);
            }
        };
        for entry in &section.entries {
            match entry {
                Entry::Thing(thing) => say(thing.name),
                // What is drawn as a picture below says it all.
                Entry::Board { table, things } if !self.draws(*table, things) => {
                    things.iter().for_each(|name| say(name));
                }
                // Tracks belong to all.
                Entry::Board { .. } | Entry::Track { .. } => {}
            }
        }
        rows
    }

    /// Of what phases keep, what is a player's own.
    fn kept_rows(&self, seats: &[Seat]) -> Vec<Vec<String>> {
        let kept = self.view.kept.iter();
        let kept = kept.filter(|(kept, value)| owner(kept).is_some() && self.says(kept, value));
        let mut names: Vec<&Id> = kept.map(|(kept, _)| &kept.name).collect();
        names.dedup();
        let row = |name: &Id| {
            let of = |seat: &Seat| {
                let values = self.view.kept.iter().filter(|(kept, value)| {
                    kept.name == *name && owner(kept) == Some(*seat) && self.says(kept, value)
                });
                let values: Vec<String> = values
                    .filter_map(|(kept, value)| {
                        let value = self.words.value(value.as_ref()?);
                        Some(self.indexed(kept, &value))
                    })
                    .collect();
                values.join("; ")
            };
            let mut row = vec![self.words.site(name)];
            row.extend(seats.iter().map(of));
            row
        };
        names.into_iter().map(row).collect()
    }

    /// Whether there is room to draw a board.
    fn draws(&self, table: TableId, things: &[&str]) -> bool {
        let mut seats = (0..self.model.players).map(Seat);
        seats.all(|seat| self.grid(table, things, Some(seat)).is_some())
    }

    /// The boards that every seat has for itself.
    fn mats(&self, sections: &[Section<'_>], me: Option<Seat>) -> String {
        let mut text = String::new();
        let mut seats: Vec<Seat> = (0..self.model.players).map(Seat).collect();
        // The own one stands last, where the eye is.
        seats.sort_by_key(|seat| Some(*seat) == me);
        for seat in seats {
            for entry in sections.iter().flat_map(|section| &section.entries) {
                let Entry::Board { table, things } = entry else {
                    continue;
                };
                let lines = self.grid(*table, things, Some(seat));
                let Some(lines) = lines.filter(|_| self.draws(*table, things)) else {
                    continue;
                };
                text.push_str(&format!("{}\n", self.words.seat(seat)));
                lines
                    .iter()
                    .for_each(|line| text.push_str(&format!("{line}\n")));
            }
        }
        text
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
