//! Tests of the module `report::proving::marks`.

use interpreter::mutation::Over;
use interpreter::package::{EQUIVALENTS, PackageTexts};
use referee::report::proving::marks::Marks;

fn read(text: &str) -> Result<Marks, String> {
    let files = vec![(EQUIVALENTS.to_owned(), text.to_owned())];
    let base = PackageTexts::new("rulesets/game", files);
    Marks::read(&base, &[], &Over::default())
}

#[test]
fn marks_say_which_mistake_and_why() {
    let marks = read(
        "equivalents:\n  - mutant: 0123abc\n    operator: number-changed\n    reason: nothing is below zero\n",
    );
    let marks = marks.expect("right");
    assert_eq!(
        marks.of("0123abc").map(|mark| mark.reason.as_str()),
        Some("nothing is below zero")
    );
    let (_, mark) = marks.iter().next().expect("one");
    assert_eq!(mark.place, "rulesets/game/equivalents.yaml:2");
}

#[test]
fn wrong_marks_are_told_with_their_place() {
    for (wrong, told) in [
        (
            "equivalents:\n  - mutant: a\n    operator: number-changed\n    reason: ''\n",
            "equivalents.yaml:2: the mark of `a` says no reason",
        ),
        (
            "equivalents:\n  - mutant: a\n    operator: nothing\n    reason: it is\n",
            "equivalents.yaml:2: there is no operator `nothing`",
        ),
        (
            "equivalents:\n  - mutant: a\n    reason: it is\n",
            "equivalents.yaml:2:5: ",
        ),
        (
            "equivalents:\n  - {mutant: a, operator: number-changed, reason: x}\n  - {mutant: a, operator: number-changed, reason: y}\n",
            "the mutant `a` is marked twice",
        ),
    ] {
        let error = read(wrong).expect_err("wrong");
        assert!(error.contains(told), "{error}");
    }
}
