//! What scenarios say, apart from how it is written, and what two versions of one say otherwise.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_yaml::Value;

/// What of a scenario changed: where in it, what it said, what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Said {
    /// `then.p2.doubloons`, `when`, `cites`
    pub at: String,
    /// What the first says there, if anything.
    pub before: Option<String>,
    /// What the second says.
    pub after: Option<String>,
}

impl Said {
    /// Whether something was expected, or a clause was cited, that is no more.
    pub fn weaker(&self) -> bool {
        let expected =
            self.at.starts_with("then") || self.at.starts_with("when.expect") || self.at == "cites";
        let refusal =
            |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains("refused"));
        match (&self.before, &self.after) {
            (Some(_), None) => expected || refusal(&self.before),
            (Some(_), Some(_)) => refusal(&self.before) && !refusal(&self.after),
            _ => false,
        }
    }
}

/// A value on one line.
fn line(value: &Value) -> String {
    let text = serde_json::to_string(value).unwrap_or_default();
    // As people write it: without quotes.
    text.replace('"', "").replace(':', ": ").replace(',', ", ")
}

/// What a scenario says: each single thing with its place; items of a list share one.
fn single(at: &str, value: &Value, all: &mut Vec<(String, String)>) {
    let below = |key: &str| match at {
        "" => key.to_owned(),
        at => format!("{at}.{key}"),
    };
    match value {
        Value::Mapping(pairs) => {
            for (key, value) in pairs {
                let key = match key {
                    Value::String(key) => key.clone(),
                    key => line(key),
                };
                single(&below(&key), value, all);
            }
        }
        Value::Sequence(items) => {
            for item in items {
                match item.get("expect").filter(|_| at == "when") {
                    Some(expected) => single("when.expect", expected, all),
                    None => all.push((at.to_owned(), line(item))),
                }
            }
        }
        value => all.push((at.to_owned(), line(value))),
    }
}

/// What two versions of a scenario say otherwise, in order.
pub fn compare(before: &Value, after: &Value) -> Vec<Said> {
    let singles = |value: &Value| {
        let mut all = Vec::new();
        single("", value, &mut all);
        all
    };
    let (a, b) = (singles(before), singles(after));
    let mut gone = a.clone();
    let mut new = Vec::new();
    for said in &b {
        match gone.iter().position(|other| other == said) {
            Some(at) => {
                gone.remove(at);
            }
            None => new.push(said.clone()),
        }
    }
    let mut all: Vec<Said> = Vec::new();
    for (at, text) in gone {
        let now = new.iter().position(|(other, _)| *other == at);
        let now = now.map(|position| new.remove(position).1);
        all.push(Said {
            at,
            before: Some(text),
            after: now,
        });
    }
    all.extend(new.into_iter().map(|(at, text)| Said {
        at,
        before: None,
        after: Some(text),
    }));
    let moves = |all: &[(String, String)]| -> Vec<String> {
        let moves = all.iter().filter(|(at, _)| at == "when");
        moves.map(|(_, text)| text.clone()).collect()
    };
    if all.is_empty() && moves(&a) != moves(&b) {
        all.push(Said {
            at: "when".to_owned(),
            before: Some(moves(&a).join("; ")),
            after: Some(moves(&b).join("; ")),
        });
    }
    all
}

/// Every scenario of a file by its name, with the game of the file where it names none.
pub fn of_file(text: &str) -> BTreeMap<String, Value> {
    let Ok(file) = serde_yaml::from_str::<Value>(text) else {
        return BTreeMap::new();
    };
    let game = file.get("game");
    let listed = file.get("scenarios").and_then(Value::as_sequence);
    let mut all = BTreeMap::new();
    for scenario in listed.into_iter().flatten() {
        let (Some(mut own), Some(name)) = (
            scenario.as_mapping().cloned(),
            scenario.get("scenario").and_then(Value::as_str),
        ) else {
            continue;
        };
        if let Some(game) = game.filter(|_| !own.contains_key("game")) {
            own.insert("game".into(), game.clone());
        }
        own.remove("scenario");
        all.insert(name.to_owned(), Value::Mapping(own));
    }
    all
}
