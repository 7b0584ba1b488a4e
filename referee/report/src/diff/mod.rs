//! What two rulesets differ in: figures, rules, clauses, scenarios, and how they are played.
//!
//! A [`Side`] is a ruleset with what is laid over it. [`texts`](texts::compare) compares what is written,
//! [`scenarios`](scenarios::compare) runs the scenarios of the first under the rules of the second, and
//! [`accepted`](accepted::compare) plays accepted games again, [`games`](games::compare) plays the same seeds with both; [`marks`](marks::compare) compares
//! which mistakes are said to be unnoticeable.

pub mod accepted;
pub mod games;
pub mod marks;
pub mod said;
pub mod scenarios;
mod side;
pub mod texts;

use std::collections::BTreeMap;

use serde::Serialize;

pub use side::{Composed, Side, players_of_both};

/// What happened to something between the first and the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Only the second has it.
    Added,
    /// Only the first has it.
    Removed,
    /// Both have it, and it is not the same.
    Changed,
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Of what: `building factory cost`, `clause captain.load`, `move captain.loading.load`.
    pub of: String,
    /// What happened.
    pub what: What,
    /// What the first says.
    pub before: Option<String>,
    /// What the second says.
    pub after: Option<String>,
}

/// Returns the differences between two maps, in the order of their keys.
pub fn between<V: AsRef<str>>(
    kind: &str,
    before: &BTreeMap<String, V>,
    after: &BTreeMap<String, V>,
) -> Vec<Difference> {
    let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
    keys.sort();
    keys.dedup();
    let mut all = Vec::new();
    for key in keys {
        let said = |map: &BTreeMap<String, V>| map.get(key).map(|v| v.as_ref().to_owned());
        let (before, after) = (said(before), said(after));
        let what = match (&before, &after) {
            (Some(a), Some(b)) if a == b => continue,
            (Some(_), Some(_)) => What::Changed,
            (Some(_), None) => What::Removed,
            _ => What::Added,
        };
        let of = match kind {
            "" => key.clone(),
            kind => format!("{kind} {key}"),
        };
        all.push(Difference {
            of,
            what,
            before,
            after,
        });
    }
    all
}
