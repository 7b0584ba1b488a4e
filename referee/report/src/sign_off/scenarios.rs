//! What scenarios say, for whoever accepts a clause that they prove.

use std::collections::BTreeMap;

use interpreter::package::{Package, PackageTexts};
use serde_yaml::Value;

use crate::diff::said::of_file;

/// A scenario as a value.
#[derive(Clone, Debug)]
pub struct Said {
    /// Its name.
    pub name: String,
    /// The clauses that it cites.
    pub cites: Vec<String>,
    says: Value,
}

impl Said {
    /// All that it says, however it is laid out.
    pub fn text(&self) -> String {
        format!("{}: {}", self.name, canonical(&self.says))
    }

    /// The same in sentences: what is given, each move, what is expected.
    pub fn prose(&self, names: &Names) -> Vec<String> {
        let mut lines = Vec::new();
        for (key, word) in [("game", "Game"), ("given", "Given")] {
            if let Some(value) = self.says.get(key) {
                lines.push(format!("{word}: {}.", names.list(value, "; ")));
            }
        }
        let when = self.says.get("when").and_then(Value::as_sequence);
        for step in when.into_iter().flatten() {
            lines.push(format!("{}.", names.step(step)));
        }
        if let Some(value) = self.says.get("then") {
            lines.push(format!("Then: {}.", names.list(value, "; ")));
        }
        lines
    }
}

/// What the ids of a package are called, in English.
pub struct Names(BTreeMap<String, String>);

impl Names {
    /// Those of its rows, places, counters, markers and moves.
    pub fn of(package: &Package) -> Names {
        let mut all = BTreeMap::new();
        for (address, text) in &package.names {
            let id = address.rsplit([' ', '.']).next().unwrap_or(address);
            all.entry(id.to_owned())
                .or_insert_with(|| text.node.en.clone());
        }
        for row in package.tables.iter().flat_map(|table| &table.rows) {
            all.insert(row.id.node.clone(), row.names.en.clone());
        }
        Names(all)
    }

    fn name(&self, id: &str) -> String {
        let known = self.0.get(id.trim_start_matches('@'));
        known.cloned().unwrap_or_else(|| id.replace('_', " "))
    }

    /// A move, what is expected after it, or a move that is refused.
    fn step(&self, step: &Value) -> String {
        let Value::Mapping(pairs) = step else {
            return self.list(step, "; ");
        };
        let about = pairs.iter().map(|(key, value)| {
            let key = canonical(key).trim_matches('"').to_owned();
            match key.as_str() {
                "expect" => format!("Expected: {}", self.list(value, "; ")),
                "refused" => format!("Refused: {}", self.list(value, "; ")),
                // A clause is cited by its id.
                "by" => format!(
                    "by @{}",
                    value.as_str().unwrap_or_default().trim_start_matches('@')
                ),
                _ => format!("{}: {}", self.name(&key), self.list(value, ", ")),
            }
        });
        about.collect::<Vec<_>>().join(", ")
    }

    /// A value with names in place of ids.
    fn list(&self, value: &Value, between: &str) -> String {
        match value {
            Value::Mapping(pairs) => {
                let each = pairs.iter().map(|(key, value)| {
                    let key = self.list(key, ", ");
                    match value {
                        // The letter of a parameter says nothing to a reader.
                        _ if key.chars().count() == 1 => self.list(value, ", "),
                        Value::Mapping(_) if between == "; " => {
                            format!("{key}: {}", self.list(value, ", "))
                        }
                        Value::Mapping(_) | Value::Sequence(_) => {
                            format!("{key} ({})", self.list(value, ", "))
                        }
                        _ => format!("{key} {}", self.list(value, ", ")),
                    }
                });
                each.collect::<Vec<_>>().join(between)
            }
            Value::Sequence(items) => {
                let each = items.iter().map(|item| self.list(item, ", "));
                each.collect::<Vec<_>>().join(", ")
            }
            Value::String(text) => self.name(text),
            Value::Tagged(tagged) => self.list(&tagged.value, between),
            Value::Bool(true) => "yes".to_owned(),
            Value::Bool(false) => "no".to_owned(),
            value => canonical(value),
        }
    }
}

/// The scenarios of a package with some of its modules, and of house rules that are laid over it.
pub fn scenarios(
    base: &PackageTexts,
    house: &[(String, PackageTexts)],
    modules: &[String],
) -> Vec<Said> {
    let own = std::iter::once((base, "scenarios/".to_owned()));
    let modules = modules
        .iter()
        .map(|module| (base, format!("modules/{module}/scenarios/")));
    let house = house
        .iter()
        .map(|(_, texts)| (texts, "scenarios/".to_owned()));
    let mut all = Vec::new();
    for (texts, folder) in own.chain(modules).chain(house) {
        for (path, text) in &texts.files {
            if !path.starts_with(&folder) || !path.ends_with(".yaml") {
                continue;
            }
            for (name, says) in of_file(text) {
                let cites = says.get("cites").and_then(Value::as_sequence);
                let cites = cites.into_iter().flatten().filter_map(Value::as_str);
                all.push(Said {
                    name,
                    cites: cites
                        .map(|id| id.trim_start_matches('@').to_owned())
                        .collect(),
                    says,
                });
            }
        }
    }
    all
}

/// Writes a value on one line, with its keys in a fixed order.
pub fn canonical(value: &Value) -> String {
    match value {
        Value::Mapping(pairs) => {
            let mut pairs: Vec<String> = pairs
                .iter()
                .map(|(key, value)| format!("{}: {}", canonical(key), canonical(value)))
                .collect();
            pairs.sort();
            format!("{{{}}}", pairs.join(", "))
        }
        Value::Sequence(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(", "))
        }
        Value::String(text) => format!("{text:?}"),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Null => "none".to_owned(),
        Value::Tagged(tagged) => canonical(&tagged.value),
    }
}
