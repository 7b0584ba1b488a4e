//! What people are told: the names of what rules name, moves and events in sentences, values, reasons.
//!
//! In: a package, which has the ruleset's own names and [sentences](interpreter::package::Sentence), and values of play.
//! Out: text in one language, and for clients the sentences with their holes ([`templates`], [`phrases`]). Nothing of it
//! holds the number of a row, or a name of one letter that only the rules know.

mod narration;
mod phrases;
mod reasons;
pub mod templates;

use interpreter::package::{Filling, Language, Package, Table, Text};
use interpreter::play::{Id, Move, PlaceRef, RowRef, Seat, Value};

pub use phrases::{phrase, phrases};
use templates::{Kind, Shape, sentence_or};

/// The names of a package in one language. What has no name is called by its id.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    package: &'a Package,
    language: Language,
    /// Whether players stand as holes, for whoever knows what they are called.
    holes: bool,
}

impl<'a> Words<'a> {
    /// The names in a language.
    pub fn new(package: &'a Package, language: Language) -> Self {
        Words {
            package,
            language,
            holes: false,
        }
    }

    /// The same with a hole for each player: `money ({1})`.
    pub fn with_holes_for_players(self) -> Self {
        Words {
            holes: true,
            ..self
        }
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

    /// What stands behind a number of pieces of a row: `worker` behind 1, `workers` behind 2, and `× Small market` behind 2 of a
    /// row of which the package does not say how it is counted.
    pub fn behind(&self, number: i64, table: &str, row: &str) -> String {
        if number.abs() == 1 {
            return self.row(table, row);
        }
        match self.package.counted.get(&format!("{table}.{row}")) {
            Some(forms) => clean(forms.node.form(self.language, number)),
            None => format!("× {}", self.row(table, row)),
        }
    }

    /// What the pieces of a row are called behind numbers that are not 1.
    pub fn forms(&self, table: &str, row: &str) -> Vec<String> {
        let forms = self.package.counted.get(&format!("{table}.{row}"));
        let forms = forms.map_or(&[][..], |forms| forms.node.forms(self.language));
        forms.iter().map(|form| clean(form)).collect()
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

    /// One of the referee's own sentences, filled. What is empty is left out of the parts of the sentence.
    fn phrase(&self, id: &str, holes: &[(&str, String)]) -> String {
        phrase(id, self.language).filled(&mut |hole| {
            let (_, text) = holes.iter().find(|(name, _)| *name == hole)?;
            Some(match text.is_empty() {
                true => Filling::Nothing(String::new()),
                false => Filling::Said(text.clone()),
            })
        })
    }

    /// A move of a step: its name may be said of the step or of the phase.
    pub fn mv(&self, step: &str, name: &str) -> String {
        let found = self.package.of_move(&self.package.names, step, name);
        found.map_or_else(|| clean(name), |found| self.text(&found.node))
    }

    /// A place, a counter or a marker.
    pub fn site(&self, name: &str) -> String {
        ["place", "counter", "marker", "kept"]
            .iter()
            .find_map(|kind| self.named(kind, name))
            .unwrap_or_else(|| match name.rsplit_once('.') {
                // What a phase keeps, by its own name.
                Some((_, own)) => clean(&own.replace('_', " ")),
                None => clean(name),
            })
    }

    /// A parameter; one without a name for people is called as the rules call it.
    pub fn param(&self, name: &str) -> String {
        self.called("param", name)
    }

    /// What stands before a value: what its parameter is called, or else what kind of value it is.
    pub fn param_of(&self, name: &str, kind: Kind<'_>) -> String {
        self.named("param", name)
            .unwrap_or_else(|| self.kind(name, kind))
    }

    /// What something is called that has no name for people: by its kind, or as the rules call it, if that is a word.
    fn kind(&self, name: &str, kind: Kind<'_>) -> String {
        match kind {
            Kind::Of(table) => self.table_name(table),
            Kind::Player => self.phrase("player", &[]),
            Kind::Number if name.chars().count() == 1 => self.phrase("number", &[]),
            Kind::Number | Kind::Other => clean(&name.replace('_', " ")),
        }
    }

    /// What the rows of a table are: `good`.
    fn table_name(&self, id: &str) -> String {
        let named = self.table(id).map(|table| self.text(&table.names));
        named
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| clean(id))
    }

    /// An event.
    pub fn event(&self, name: &str) -> String {
        self.called("event", name)
    }

    /// An ending.
    pub fn ending(&self, name: &str) -> String {
        self.called("ending", name)
    }

    /// A query, if it has a name for people.
    pub fn query(&self, address: &str) -> Option<String> {
        self.named("query", address)
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
        let number = seat.0 + 1;
        match self.holes {
            true => format!("{{{number}}}"),
            false => format!("p{number}"),
        }
    }

    /// A place with its index: `hold (Ship 5)`, `staff (p2, Wharf)`.
    pub fn place(&self, place: &PlaceRef) -> String {
        let name = self.site(&place.name);
        match place.index.is_empty() {
            true => name,
            false => self.indexed(name, &place.index),
        }
    }

    fn indexed(&self, name: String, index: &[Value]) -> String {
        let holes = [("name", name), ("index", self.values(index))];
        self.phrase("indexed", &holes)
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
        match value {
            Value::Int(number) => number.to_string(),
            Value::Bool(true) => self.phrase("yes", &[]),
            Value::Bool(false) => self.phrase("no", &[]),
            Value::None => self.phrase("nothing", &[]),
            Value::Row { table, row } => self.row(table, row),
            Value::Player(seat) => self.seat(*seat),
            Value::Bag { table, counts } => {
                self.counts(counts.iter().map(|(row, n)| (table, row, i64::from(*n))))
            }
            Value::Record { parts, .. } => {
                let parts: Vec<String> = parts
                    .iter()
                    .filter(|(_, value)| !is_nothing(value))
                    .filter_map(|(name, value)| match value {
                        Value::Bag { .. } => Some(self.labelled(name, value)),
                        _ => self.argument(name, value),
                    })
                    .collect();
                match parts.is_empty() {
                    true => self.value(&Value::None),
                    false => parts.join(", "),
                }
            }
            Value::Hidden { count: None } => self.phrase("secret", &[]),
            Value::Hidden { count: Some(count) } => self.face_down(i64::from(*count)),
            Value::Spread(shares) => {
                let shares: Vec<String> = shares
                    .iter()
                    .map(|share| {
                        let RowRef { table, row } = &share.row;
                        let what = (table, row, i64::from(share.count));
                        let holes = [
                            ("pieces", self.counts([what])),
                            ("place", self.place(&share.place)),
                        ];
                        self.phrase("share", &holes)
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
        self.phrase("pieces.face_down", &[("count", count.to_string())])
    }

    /// Numbers of pieces by table and row: `2 workers, 1 noble`.
    pub fn counts<'r>(&self, counts: impl IntoIterator<Item = (&'r Id, &'r Id, i64)>) -> String {
        let counts: Vec<String> = counts
            .into_iter()
            .map(|(table, row, n)| {
                let row = self.behind(n, table, row);
                self.phrase("pieces", &[("count", n.to_string()), ("row", row)])
            })
            .collect();
        match counts.is_empty() {
            true => self.value(&Value::None),
            false => counts.join(", "),
        }
    }

    /// A move with its arguments: `load a ship: Corn, Ship 5`, in the ruleset's sentence if it has one.
    pub fn made(&self, step: &str, mv: &Move) -> String {
        self.offered(step, &mv.name, &mv.args, &[])
    }

    /// A move of which some parameters are still open: `keep goods: …`.
    pub fn offered(&self, step: &str, name: &str, fixed: &[(Id, Value)], open: &[&str]) -> String {
        let said = fixed
            .iter()
            .filter(|(_, value)| self.argument("", value).is_some());
        let params = said
            .map(|(name, value)| (&**name, Shape::of(value)))
            .chain(open.iter().map(|name| (*name, Shape::Labelled)));
        let params = params.map(|(name, shape)| (name, shape, false));
        let written = self.package.of_move(&self.package.sentences, step, name);
        let written = written.map(|pair| pair.get(self.language).clone());
        let label = |name: &str| match fixed.iter().find(|(param, _)| **param == *name) {
            Some((_, value)) => self.param_of(name, Kind::of(value)),
            None => self.param(name),
        };
        let sentence = sentence_or(written, || self.mv(step, name), params, &label);
        clean(&sentence.filled(&mut |hole| {
            if open.contains(&hole) {
                return Some(Filling::Said("…".to_owned()));
            }
            Some(match fixed.iter().find(|(name, _)| **name == *hole) {
                Some((name, value)) => self.filling(name, value),
                None => Filling::Nothing(self.value(&Value::None)),
            })
        }))
    }

    /// An event that the ruleset raises, in its sentence if it has one.
    pub fn raised(&self, event: &str, args: &[(Id, Value)]) -> String {
        let Some(written) = self.package.sentences.get(&format!("event {event}")) else {
            let holes = [
                ("event", self.event(event)),
                ("arguments", self.arguments(args)),
            ];
            return self.phrase("raised", &holes);
        };
        clean(&written.get(self.language).filled(&mut |hole| {
            let (name, value) = args.iter().find(|(name, _)| **name == *hole)?;
            Some(self.filling(name, value))
        }))
    }

    /// What is put where a sentence has a hole for a value.
    fn filling(&self, name: &str, value: &Value) -> Filling {
        match value {
            // Yes is told by what it is that is so.
            Value::Bool(true) => Filling::Said(self.param_of(name, Kind::Other)),
            Value::Spread(_) => match self.argument(name, value) {
                Some(text) if !is_nothing(value) => Filling::Said(text),
                _ => Filling::Nothing(self.value(value)),
            },
            _ if is_nothing(value) => Filling::Nothing(self.value(value)),
            _ => Filling::Said(self.value(value)),
        }
    }

    /// Arguments by name: `leader Ada, number 3`.
    fn arguments(&self, args: &[(Id, Value)]) -> String {
        let args = args.iter().map(|(name, value)| self.labelled(name, value));
        args.collect::<Vec<_>>().join(", ")
    }

    /// `number 3`
    fn labelled(&self, name: &str, value: &Value) -> String {
        let holes = [
            ("name", self.param_of(name, Kind::of(value))),
            ("value", self.value(value)),
        ];
        self.phrase("argument", &holes)
    }

    /// An argument of a move; what speaks for itself needs no name.
    pub fn argument(&self, name: &str, value: &Value) -> Option<String> {
        match value {
            Value::Row { .. } | Value::Bag { .. } | Value::Record { .. } => Some(self.value(value)),
            Value::Bool(true) => Some(self.param_of(name, Kind::Other)),
            Value::Bool(false) | Value::None => None,
            // Where they go, the events say.
            Value::Spread(shares) => {
                let mut counts: Vec<(&RowRef, i64)> = Vec::new();
                for share in shares {
                    match counts.iter_mut().find(|(known, _)| **known == share.row) {
                        Some((_, n)) => *n += i64::from(share.count),
                        None => counts.push((&share.row, i64::from(share.count))),
                    }
                }
                let counts = counts.iter().map(|(row, n)| (&row.table, &row.row, *n));
                Some(self.counts(counts))
            }
            _ => Some(self.labelled(name, value)),
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

/// Whether a value says that nothing is chosen or there.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Int(0) | Value::Bool(false) | Value::None => true,
        Value::Bag { counts, .. } => counts.is_empty(),
        Value::Spread(shares) => shares.is_empty(),
        Value::Record { parts, .. } => parts.iter().all(|(_, part)| is_nothing(part)),
        _ => false,
    }
}
