//! What people call things, as the ruleset's catalogue says.

use std::collections::HashMap;

use interpreter::package::{Filling, Sentence};

use referee_contract::v1;
use v1::value::Kind;

/// Names of a ruleset's things in English.
pub struct Words {
    ruleset: v1::Ruleset,
    rows: HashMap<(String, String), String>,
    others: HashMap<String, String>,
}

fn english(names: &Option<v1::Text>, id: &str) -> String {
    match names {
        Some(text) if !text.within("en").is_empty() => text.within("en").to_owned(),
        _ => id.replace('_', " "),
    }
}

impl Words {
    /// From a ruleset's catalogue.
    pub fn new(ruleset: v1::Ruleset) -> Words {
        let (mut rows, mut others) = (HashMap::new(), HashMap::new());
        for table in &ruleset.tables {
            for row in &table.rows {
                let called = english(&row.names, &row.id);
                rows.insert((table.id.clone(), row.id.clone()), called);
            }
        }
        let mut name = |of: String, names: &Option<v1::Text>, id: &str| {
            others.insert(of, english(names, id));
        };
        for place in &ruleset.places {
            name(format!("place {}", place.id), &place.names, &place.id);
        }
        for counter in &ruleset.counters {
            name(
                format!("counter {}", counter.id),
                &counter.names,
                &counter.id,
            );
        }
        for marker in &ruleset.markers {
            name(format!("marker {}", marker.id), &marker.names, &marker.id);
        }
        for mv in &ruleset.moves {
            name(format!("move {}.{}", mv.step, mv.name), &mv.names, &mv.name);
            for parameter in &mv.parameters {
                name(
                    format!("parameter {}", parameter.name),
                    &parameter.names,
                    &parameter.name,
                );
            }
        }
        for ending in &ruleset.endings {
            name(format!("ending {}", ending.id), &ending.names, &ending.id);
        }
        for line in &ruleset.score_lines {
            name(format!("score {}", line.id), &line.names, &line.id);
        }
        Words {
            ruleset,
            rows,
            others,
        }
    }

    /// The game's title.
    pub fn title(&self) -> String {
        self.ruleset
            .summary
            .as_ref()
            .map_or_else(String::new, |summary| {
                english(&summary.titles, &summary.name)
            })
    }

    /// The moves that questions of a step can offer.
    pub fn moves_of(&self, step: &str) -> impl Iterator<Item = &v1::MoveType> {
        self.ruleset.moves.iter().filter(move |mv| mv.step == step)
    }

    /// The rows of a table that are in play.
    pub fn rows_of(&self, table: &str) -> impl Iterator<Item = &v1::Row> {
        let tables = self.ruleset.tables.iter().filter(move |t| t.id == table);
        tables.flat_map(|t| &t.rows).filter(|row| row.in_play)
    }

    /// A row.
    pub fn row(&self, table: &str, row: &str) -> String {
        self.rows
            .get(&(table.to_owned(), row.to_owned()))
            .cloned()
            .unwrap_or_else(|| row.replace('_', " "))
    }

    /// Anything else: `counter doubloons`, `move captain.loading.load`.
    pub fn of(&self, kind: &str, id: &str) -> String {
        self.others
            .get(&format!("{kind} {id}"))
            .cloned()
            .unwrap_or_else(|| id.replace('_', " "))
    }

    /// A move as a line of its own phase has it: rows alone where they say enough.
    pub fn move_in_short(&self, step: &str, mv: &v1::Move) -> String {
        let open = mv.arguments.iter().any(|argument| {
            let kind = argument
                .value
                .as_ref()
                .and_then(|value| value.kind.as_ref());
            matches!(kind, Some(Kind::Bag(_) | Kind::Spread(_)))
        });
        let parts = self.arguments(mv);
        if open || parts.is_empty() {
            self.move_in_full(step, mv)
        } else {
            parts.join(", ")
        }
    }

    /// A move in full: in its sentence.
    pub fn move_in_full(&self, step: &str, mv: &v1::Move) -> String {
        let of = self.moves_of(step).find(|of| of.name == mv.name);
        let sentence = of.and_then(|of| of.sentence.as_ref());
        if let Some(Ok(sentence)) = sentence.map(|text| Sentence::parse(text.within("en"))) {
            let nothing = || Filling::Nothing("nothing".to_owned());
            return sentence.filled(&mut |hole| {
                let argument = mv.arguments.iter().find(|argument| argument.name == hole);
                let said = argument.and_then(|argument| self.argument(argument));
                Some(said.map_or_else(nothing, |said| match said.as_str() {
                    "" | "0" | "nothing" => Filling::Nothing(said),
                    _ => Filling::Said(said),
                }))
            });
        }
        let name = self.of("move", &format!("{step}.{}", mv.name));
        let parts = self.arguments(mv);
        if parts.is_empty() {
            name
        } else {
            format!("{name}: {}", parts.join(", "))
        }
    }

    /// Plural of a table: `goods`.
    pub fn plural(&self, table: &str) -> String {
        let found = self.ruleset.tables.iter().find(|t| t.id == table);
        found.map_or(table, |t| &t.plural).replace('_', " ")
    }

    fn arguments(&self, mv: &v1::Move) -> Vec<String> {
        mv.arguments
            .iter()
            .filter_map(|argument| self.argument(argument))
            .collect()
    }

    fn argument(&self, argument: &v1::Argument) -> Option<String> {
        let kind = argument.value.as_ref()?.kind.as_ref()?;
        Some(match kind {
            Kind::Boolean(false) | Kind::None(_) | Kind::Hidden(_) => return None,
            Kind::Boolean(true) => self.of("parameter", &argument.name),
            Kind::Integer(n) => n.to_string(),
            Kind::Row(row) => self.row(&row.table, &row.row),
            Kind::Seat(seat) => format!("player {seat}"),
            Kind::Bag(bag) if bag.counts.is_empty() => "nothing".to_owned(),
            Kind::Bag(bag) => {
                let counts = bag.counts.iter();
                counts
                    .map(|c| format!("{} {}", c.count, self.row(&bag.table, &c.row)))
                    .collect::<Vec<_>>()
                    .join(" + ")
            }
            Kind::Record(record) => {
                let parts = record.parts.iter();
                let parts: Vec<String> = parts.filter_map(|part| self.argument(part)).collect();
                parts.join(" + ")
            }
            Kind::Spread(spread) => spread
                .shares
                .iter()
                .map(|share| share.count)
                .sum::<u32>()
                .to_string(),
        })
    }
}
