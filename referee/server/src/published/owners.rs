//! The owners of rulesets, in memory.

use std::collections::BTreeMap;

use crate::calls::issuing::OPERATOR;
use referee_store::OwnerRow;

/// Owners by ruleset.
#[derive(Clone, Default)]
pub struct Owners(BTreeMap<String, String>);

impl Owners {
    /// Those that a store keeps.
    pub fn of(rows: Vec<OwnerRow>) -> Owners {
        let rows = rows.into_iter();
        Owners(rows.map(|row| (row.ruleset, row.owner)).collect())
    }

    /// Whose a ruleset is that somebody has published, or the referee has brought.
    pub fn of_known(&self, ruleset: &str) -> &str {
        self.0.get(ruleset).map_or(OPERATOR, String::as_str)
    }

    /// Whether somebody has published under an id, or was given it.
    pub fn know(&self, ruleset: &str) -> bool {
        self.0.contains_key(ruleset)
    }

    /// A ruleset belongs to somebody from now on.
    pub fn give(&mut self, ruleset: &str, owner: String) {
        self.0.insert(ruleset.to_owned(), owner);
    }
}
