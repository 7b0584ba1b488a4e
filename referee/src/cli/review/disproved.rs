//! Which things nobody should accept, because a scenario that proves them fails.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::ruleset::Chosen;
use referee_report::proofs::Proofs;
use referee_report::sign_off::things::{Thing, called};

/// The scenarios that fail among those that prove these things: by their names, with why.
pub fn failing<'t>(
    chosen: &Chosen,
    things: impl Iterator<Item = &'t Thing>,
) -> BTreeMap<String, String> {
    let names: BTreeSet<&str> = things
        .flat_map(|thing| thing.scenarios.iter().map(String::as_str))
        .collect();
    if names.is_empty() {
        return BTreeMap::new();
    }
    let proofs = Proofs::of(&chosen.base, &chosen.house, |scenario| {
        names.contains(scenario.name.node.as_str())
    });
    let mut failing = BTreeMap::new();
    for (scenario, report) in proofs.ran().filter(|(_, report)| !report.passed()) {
        let first = report.diagnostics.list.first();
        let why = first.map_or_else(String::new, |first| first.message.clone());
        failing.insert(scenario.name.node.clone(), why);
    }
    let unrun = proofs.suite.scenarios.iter().zip(&proofs.reports);
    for (scenario, report) in unrun
        .zip(&proofs.wanted)
        .filter_map(|(pair, wanted)| wanted.then_some(pair))
    {
        if report.is_none() {
            let why = "its game cannot be set up".to_owned();
            failing.insert(scenario.name.node.clone(), why);
        }
    }
    failing
}

/// Why nobody should accept a thing, if a scenario of it fails.
pub fn disproved(thing: &Thing, failing: &BTreeMap<String, String>) -> Option<String> {
    let name = thing
        .scenarios
        .iter()
        .find(|name| failing.contains_key(*name))?;
    Some(format!(
        "{} cannot be accepted: its scenario `{name}` fails ({})",
        called(&thing.what),
        failing.get(name).map_or("", String::as_str)
    ))
}
