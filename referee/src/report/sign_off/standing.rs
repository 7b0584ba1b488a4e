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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use interpreter::package::Reviewed;
    use interpreter::source::{FileId, Span, Spanned};

    use super::*;

    fn thing(words: &str) -> Thing {
        Thing {
            what: Reviewed::Clause("a".to_owned()),
            chapters: Vec::new(),
            phases: BTreeSet::new(),
            clauses: Vec::new(),
            at: None,
            parts: BTreeMap::from([
                (Part::English, vec![words.to_owned()]),
                (Part::Kind, vec!["rule".to_owned()]),
            ]),
            rules: Vec::new(),
            scenarios: Vec::new(),
            places: Vec::new(),
        }
    }

    fn accepted(thing: &Thing, on: &str) -> Acceptance {
        let span = Span {
            file: FileId(0),
            start: 0,
            end: 0,
        };
        Acceptance {
            thing: Spanned::new(thing.what.clone(), span),
            by: Spanned::new("anna".to_owned(), span),
            on: on.to_owned(),
            comment: None,
            digest: Spanned::new(thing.digest(), span),
            parts: thing.marks(),
            span,
        }
    }

    #[test]
    fn what_has_changed_is_told() {
        let (old, new) = (thing("You may."), thing("You must."));
        let entry = accepted(&old, "2026-11-27");
        assert_eq!(holds(&entry, &old), Holds::Yes);
        assert_eq!(holds(&entry, &new), Holds::No(vec![Part::English]));
        let mut gone = old.clone();
        gone.parts.remove(&Part::Kind);
        assert_eq!(holds(&entry, &gone), Holds::No(vec![Part::Kind]));
    }

    #[test]
    fn a_digest_or_a_part_written_by_hand_is_told() {
        let (old, new) = (thing("You may."), thing("You must."));
        let mut whole = accepted(&old, "2026-11-27");
        whole.digest.node = new.digest();
        assert_eq!(holds(&whole, &new), Holds::Edited);
        assert_eq!(holds(&whole, &old), Holds::Edited);
        let mut parts = accepted(&old, "2026-11-27");
        parts.parts = new.marks();
        assert_eq!(holds(&parts, &new), Holds::Edited);
    }

    #[test]
    fn one_acceptance_that_holds_is_enough() {
        let (old, new) = (thing("You may."), thing("You must."));
        let both = [accepted(&old, "2026-11-28"), accepted(&new, "2026-11-27")];
        assert!(!standing(&new, &both).is_open());
        assert!(matches!(standing(&new, &both[..0]), Standing::Never));
        let Standing::Again { changed, .. } = standing(&new, &both[..1]) else {
            panic!("open again");
        };
        assert_eq!(changed, [Part::English]);
    }

    #[test]
    fn a_digest_is_of_one_thing_alone() {
        let mut other = thing("You may.");
        other.what = Reviewed::Paragraph("a".to_owned());
        assert_ne!(thing("You may.").digest(), other.digest());
    }
}
