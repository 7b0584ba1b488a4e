//! Tests of the module `report::sign_off::standing`.

use std::collections::{BTreeMap, BTreeSet};

use interpreter::package::{Acceptance, Part, Reviewed};
use interpreter::source::{FileId, Span, Spanned};
use referee::report::sign_off::standing::{
    Holds, Standing, changed_figures, counting, holds, standing, withdrawal, withdrawn,
};
use referee::report::sign_off::things::Thing;
use referee::report::sign_off::written::{Accepting, accept, text, withdraw};

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
        prose: Vec::new(),
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
        withdraws: None,
        figures: Vec::new(),
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

fn by(name: &str, on: &str) -> Accepting {
    Accepting {
        by: name.to_owned(),
        on: on.to_owned(),
        comment: None,
    }
}

#[test]
fn what_was_withdrawn_counts_no_more_and_stays_in_the_file() {
    let thing = thing("You may.");
    let mut all = Vec::new();
    accept(&mut all, &thing, &by("anna", "2026-11-27"));
    assert!(!withdraw(
        &mut all,
        &thing.what,
        "ben",
        &by("ben", "2026-11-28")
    ));
    assert!(withdraw(
        &mut all,
        &thing.what,
        "anna",
        &by("anna", "2026-11-28")
    ));
    assert!(matches!(standing(&thing, &all), Standing::Never));
    assert_eq!(all.len(), 2);
    let told: Vec<String> = withdrawn(&thing.what, &all)
        .into_iter()
        .map(|(old, entry)| withdrawal(old, entry))
        .collect();
    assert_eq!(
        told,
        ["accepted by `anna` on 2026-11-27, withdrawn by `anna` on 2026-11-28"]
    );
    // Accepted again, it counts again, below what was withdrawn.
    accept(&mut all, &thing, &by("anna", "2026-11-29"));
    assert!(!standing(&thing, &all).is_open());
    let written = text(&all, &[thing]);
    let entries: Vec<&str> = written
        .lines()
        .filter(|line| line.contains(" on: "))
        .collect();
    assert_eq!(
        entries,
        [
            "    on: 2026-11-27",
            "    on: 2026-11-28",
            "    on: 2026-11-29"
        ]
    );
}

#[test]
fn a_corrected_name_accepts_in_place_of_the_wrong_one() {
    let thing = thing("You may.");
    let mut all = Vec::new();
    accept(&mut all, &thing, &by("ana", "2026-11-27"));
    assert!(withdraw(
        &mut all,
        &thing.what,
        "ana",
        &by("anna", "2026-11-28")
    ));
    let counts: Vec<&str> = counting(&thing.what, &all)
        .into_iter()
        .map(|entry| entry.by.node.as_str())
        .collect();
    assert_eq!(counts, ["anna"]);
    let gone = withdrawn(&thing.what, &all);
    assert_eq!(
        withdrawal(gone[0].0, gone[0].1),
        "accepted by `ana` on 2026-11-27, name corrected to `anna` on 2026-11-28"
    );
}

#[test]
fn figures_that_changed_are_named_with_what_they_were() {
    let with = |figures: &[&str]| {
        let mut thing = thing("You may.");
        let figures = figures.iter().map(|line| (*line).to_owned());
        thing.parts.insert(Part::Figures, figures.collect());
        thing
    };
    let old = with(&[
        "good fig cost = 9",
        "good fig: called Fig / Figa",
        "players 2 to 5",
    ]);
    let new = with(&[
        "good fig cost = 10",
        "good fig: called Date / Daktyl",
        "good nut cost = 1",
    ]);
    let mut all = Vec::new();
    accept(&mut all, &old, &by("anna", "2026-11-27"));
    assert_eq!(holds(&all[0], &old), Holds::Yes);
    assert_eq!(
        changed_figures(&all[0], &new),
        [
            "good fig called: Fig / Figa → Date / Daktyl",
            "good fig cost: 9 → 10",
            "good nut cost: nothing → 1",
            "players: 2 to 5 → nothing",
        ]
    );
    // Figures written by hand are told, and files of older versions have none.
    all[0].figures[0] = "good fig cost = 8".to_owned();
    assert_eq!(holds(&all[0], &old), Holds::Edited);
    all[0].figures.clear();
    assert_eq!(holds(&all[0], &old), Holds::Yes);
    assert!(changed_figures(&all[0], &new).is_empty());
}
