//! Marks of mistakes that nobody could notice, compared: each frees its author from writing a scenario.

use std::collections::BTreeMap;

use interpreter::mutation::Over;

use super::{Difference, Side, between};
use crate::proving::marks::{Mark, Marks};

/// Compares the marks of two sides; a document that cannot be read says why in place of its marks.
pub fn compare(first: &Side, second: &Side) -> Vec<Difference> {
    between("mark", &marks(first), &marks(second))
}

fn marks(side: &Side) -> BTreeMap<String, String> {
    // Those of the package itself, and of what is laid over it.
    let of = |over: &Over| match Marks::read(&side.base, &side.house, over) {
        Ok(marks) => {
            let all = marks.iter();
            let said = |mark: &Mark| format!("{}: {}", mark.operator, mark.reason);
            all.map(|(mutant, mark)| (mutant.clone(), said(mark)))
                .collect()
        }
        Err(why) => BTreeMap::from([("unreadable".to_owned(), why)]),
    };
    let mut all = of(&Over::default());
    let over = Over {
        modules: side.modules.clone(),
        house: side.house.iter().map(|(name, _)| name.clone()).collect(),
    };
    all.extend(of(&over));
    all
}
