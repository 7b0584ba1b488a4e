//! Tests of the module `report::sign_off::standing`.

use std::collections::{BTreeMap, BTreeSet};

use interpreter::package::{Acceptance, Part, Reviewed};
use interpreter::source::{FileId, Span, Spanned};
use referee::report::sign_off::standing::{Holds, Standing, holds, standing};
use referee::report::sign_off::things::Thing;

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
