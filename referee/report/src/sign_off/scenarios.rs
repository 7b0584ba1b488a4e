//! What scenarios say, for whoever accepts a clause that they prove.

use interpreter::package::PackageTexts;
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
