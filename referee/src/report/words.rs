//! What people call the things that rules name.

use interpreter::package::{Language, Package, Table, Text};
use interpreter::play::{Move, PlaceRef, RowRef, Seat, Value};

/// The names of a package in one language. What has no name is called by its id.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    package: &'a Package,
    language: Language,
}

impl<'a> Words<'a> {
    /// The names in a language.
    pub fn new(package: &'a Package, language: Language) -> Self {
        Words { package, language }
    }

    /// The language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Words in the language.
    pub fn say<'t>(&self, english: &'t str, polish: &'t str) -> &'t str {
        match self.language {
            Language::English => english,
            Language::Polish => polish,
        }
    }

    /// A text in the language.
    pub fn text(&self, text: &Text) -> String {
        clean(text.get(self.language))
    }

    fn named(&self, kind: &str, id: &str) -> Option<String> {
        let name = self.package.names.get(&format!("{kind} {id}"))?;
        Some(self.text(&name.node))
    }

    fn called(&self, kind: &str, id: &str) -> String {
        self.named(kind, id).unwrap_or_else(|| clean(id))
    }

    fn table(&self, name: &str) -> Option<&'a Table> {
        self.package
            .tables
            .iter()
            .find(|table| table.name.node == name)
    }

    /// A row: `Small market`.
    pub fn row(&self, table: &str, row: &str) -> String {
        let found = self
            .table(table)
            .and_then(|t| t.rows.iter().find(|r| r.id.node == row));
        found.map_or_else(|| clean(row), |r| self.text(&r.names))
    }

    /// A row whose table is not known.
    pub fn any_row(&self, row: &str) -> Option<String> {
        let mut rows = self.package.tables.iter().flat_map(|table| &table.rows);
        rows.find(|r| r.id.node == row).map(|r| self.text(&r.names))
    }

    /// A phase: `captain phase`.
    pub fn phase(&self, phase: &str) -> String {
        self.called("phase", phase)
    }

    /// A step by its address: `captain.loading`.
    pub fn step(&self, address: &str) -> String {
        self.called("step", address)
    }

    /// A move of a step: its name may be said of the step or of the phase.
    pub fn mv(&self, step: &str, name: &str) -> String {
        let phase = step.split('.').next().unwrap_or(step);
        self.named("move", &format!("{step}.{name}"))
            .or_else(|| self.named("move", &format!("{phase}.{name}")))
            .or_else(|| self.named_elsewhere(name))
            .unwrap_or_else(|| clean(name))
    }

    /// What a move is called that stands beside questions of other phases: by its own name, if no two have it.
    fn named_elsewhere(&self, name: &str) -> Option<String> {
        let end = format!(".{name}");
        let found = |(key, _): &(&String, _)| key.starts_with("move ") && key.ends_with(&end);
        let mut all = self.package.names.iter().filter(found);
        let (_, only) = all.next()?;
        all.next().is_none().then(|| self.text(&only.node))
    }

    /// A place, a counter or a marker.
    pub fn site(&self, name: &str) -> String {
        ["place", "counter", "marker", "kept"]
            .iter()
            .find_map(|kind| self.named(kind, name))
            .unwrap_or_else(|| clean(name))
    }

    /// A parameter.
    pub fn param(&self, name: &str) -> String {
        self.called("param", name)
    }

    /// An event.
    pub fn event(&self, name: &str) -> String {
        self.called("event", name)
    }

    /// An ending.
    pub fn ending(&self, name: &str) -> String {
        self.called("ending", name)
    }

    /// A line of the score sheet; a component's line is called as the component.
    pub fn score(&self, name: &str) -> String {
        self.named("score", name)
            .or_else(|| self.any_row(name))
            .unwrap_or_else(|| clean(name))
    }

    /// The text of a clause.
    pub fn clause(&self, id: &str) -> Option<String> {
        self.package
            .rulebook
            .clause(id)
            .map(|clause| self.text(&clause.text))
    }

    /// A player: `p1`, as in scenarios.
    pub fn seat(&self, seat: Seat) -> String {
        format!("p{}", seat.0 + 1)
    }

    /// A place with its index: `hold of Ship 5`, `staff of p2, Wharf`.
    pub fn place(&self, place: &PlaceRef) -> String {
        let name = self.site(&place.name);
        match place.index.is_empty() {
            true => name,
            false => format!("{name} ({})", self.values(&place.index)),
        }
    }

    /// Values, divided by commas.
    pub fn values(&self, values: &[Value]) -> String {
        values
            .iter()
            .map(|value| self.value(value))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// A value.
    pub fn value(&self, value: &Value) -> String {
        let polish = self.language == Language::Polish;
        match value {
            Value::Int(number) => number.to_string(),
            Value::Bool(true) => if polish { "tak" } else { "yes" }.to_owned(),
            Value::Bool(false) => if polish { "nie" } else { "no" }.to_owned(),
            Value::None => if polish { "nic" } else { "nothing" }.to_owned(),
            Value::Row { table, row } => self.row(table, row),
            Value::Player(seat) => self.seat(*seat),
            Value::Bag { table, counts } => {
                let counts = counts
                    .iter()
                    .map(|(row, n)| (self.row(table, row), i64::from(*n)));
                self.counts(counts)
            }
            Value::Record { parts, .. } => {
                let parts: Vec<String> = parts
                    .iter()
                    .filter(|(_, value)| !is_nothing(value))
                    .filter_map(|(name, value)| match value {
                        Value::Bag { .. } => {
                            Some(format!("{} {}", self.param(name), self.value(value)))
                        }
                        _ => self.argument(name, value),
                    })
                    .collect();
                match parts.is_empty() {
                    true => self.value(&Value::None),
                    false => parts.join(", "),
                }
            }
            Value::Hidden { count: None } => if polish { "tajne" } else { "secret" }.to_owned(),
            Value::Hidden { count: Some(count) } => self.face_down(i64::from(*count)),
            Value::Spread(shares) => {
                let shares: Vec<String> = shares
                    .iter()
                    .map(|share| {
                        let what = self.row_ref(&share.row);
                        format!("{} {what} → {}", share.count, self.place(&share.place))
                    })
                    .collect();
                match shares.is_empty() {
                    true => self.value(&Value::None),
                    false => shares.join(", "),
                }
            }
        }
    }

    /// `3 face down`
    pub fn face_down(&self, count: i64) -> String {
        let word = match (self.language, count) {
            (Language::English, _) => "face down",
            (Language::Polish, 1) => "zakryta",
            (Language::Polish, n)
                if (2..=4).contains(&(n % 10)) && !(12..=14).contains(&(n % 100)) =>
            {
                "zakryte"
            }
            (Language::Polish, _) => "zakrytych",
        };
        format!("{count} {word}")
    }

    /// `2 Corn, 1 Sugar`
    pub fn counts(&self, counts: impl IntoIterator<Item = (String, i64)>) -> String {
        let counts: Vec<String> = counts
            .into_iter()
            .map(|(name, n)| format!("{n} {name}"))
            .collect();
        match counts.is_empty() {
            true => self.value(&Value::None),
            false => counts.join(", "),
        }
    }

    /// A move with its arguments: `load a ship: Corn, Ship 5`.
    pub fn made(&self, step: &str, mv: &Move) -> String {
        let args: Vec<String> = mv
            .args
            .iter()
            .filter_map(|(name, value)| self.argument(name, value))
            .collect();
        let name = self.mv(step, &mv.name);
        match args.is_empty() {
            true => name,
            false => format!("{name}: {}", args.join(", ")),
        }
    }

    /// An argument of a move; what speaks for itself needs no name.
    pub fn argument(&self, name: &str, value: &Value) -> Option<String> {
        match value {
            Value::Row { .. } | Value::Bag { .. } | Value::Record { .. } => Some(self.value(value)),
            Value::Bool(true) => Some(self.param(name)),
            Value::Bool(false) | Value::None => None,
            // Where they go, the events say.
            Value::Spread(shares) => {
                let mut counts: Vec<(String, i64)> = Vec::new();
                for share in shares {
                    let row = self.row_ref(&share.row);
                    match counts.iter_mut().find(|(known, _)| *known == row) {
                        Some((_, n)) => *n += i64::from(share.count),
                        None => counts.push((row, i64::from(share.count))),
                    }
                }
                Some(self.counts(counts))
            }
            _ => Some(format!("{} {}", self.param(name), self.value(value))),
        }
    }

    /// A row of a table.
    pub fn row_ref(&self, row: &RowRef) -> String {
        self.row(&row.table, &row.row)
    }
}

/// Without characters that would move a terminal's cursor or turn the direction of the text.
fn clean(text: &str) -> String {
    let odd = |c: &char| {
        c.is_control()
            || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().filter(|c| !odd(c)).collect()
}

/// Whether a part of a record says nothing.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Int(0) | Value::Bool(false) | Value::None => true,
        Value::Bag { counts, .. } => counts.is_empty(),
        _ => false,
    }
}
