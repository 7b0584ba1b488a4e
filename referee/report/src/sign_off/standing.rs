//! How a thing stands: accepted as it is, never accepted, or open again, and what of it has changed.

use std::collections::BTreeMap;

use interpreter::package::{Acceptance, Part};

use super::things::Thing;

/// How a thing stands.
#[derive(Clone, Debug)]
pub enum Standing<'a> {
    /// Somebody has accepted it as it is.
    Accepted(Vec<&'a Acceptance>),
    /// Nobody has ever accepted it.
    Never,
    /// It was accepted and has changed since.
    Again {
        /// The last acceptance.
        last: &'a Acceptance,
        /// What has changed since.
        changed: Vec<Part>,
    },
}

impl Standing<'_> {
    /// Whether it has still to be accepted.
    pub fn is_open(&self) -> bool {
        !matches!(self, Standing::Accepted(_))
    }
}

/// What became of one acceptance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// It is of what is there.
    Yes,
    /// It is of something else: what has changed.
    No(Vec<Part>),
    /// Its digest and those of its parts do not belong together: somebody has written one of them by hand.
    Edited,
}

/// Whether an acceptance holds for a thing as it is now.
pub fn holds(acceptance: &Acceptance, thing: &Thing) -> Holds {
    let changed = changed(&acceptance.parts, &thing.marks());
    match (acceptance.digest.node == thing.digest(), changed.is_empty()) {
        (true, true) => Holds::Yes,
        (false, false) => Holds::No(changed),
        _ => Holds::Edited,
    }
}

fn changed(before: &BTreeMap<Part, String>, now: &BTreeMap<Part, String>) -> Vec<Part> {
    let parts = Part::ALL.iter().map(|(_, part)| *part);
    parts
        .filter(|part| before.get(part) != now.get(part))
        .collect()
}

/// How a thing stands by what was accepted.
pub fn standing<'a>(thing: &Thing, accepted: &'a [Acceptance]) -> Standing<'a> {
    let own = accepted
        .iter()
        .filter(|entry| entry.thing.node == thing.what);
    let own: Vec<&Acceptance> = own.collect();
    let held: Vec<&Acceptance> = own
        .iter()
        .copied()
        .filter(|entry| holds(entry, thing) == Holds::Yes)
        .collect();
    if !held.is_empty() {
        return Standing::Accepted(held);
    }
    match own.into_iter().max_by(|a, b| a.on.cmp(&b.on)) {
        None => Standing::Never,
        Some(last) => Standing::Again {
            last,
            changed: changed(&last.parts, &thing.marks()),
        },
    }
}

/// A part in words.
pub fn part_words(part: Part) -> &'static str {
    match part {
        Part::English => "the English words",
        Part::Polish => "the Polish words",
        Part::Kind => "the kind of the clause",
        Part::Rules => "the rules",
        Part::Figures => "the figures",
        Part::Print => "the tie to the print",
        Part::Scenarios => "the scenarios",
    }
}
