//! Tests of the module `report::sign_off::printed`.

use interpreter::package::Excerpt;
use referee::report::printed::sentences;
use referee::report::sign_off::printed::Place;

#[test]
fn a_place_is_read_in_the_text_and_another_edition_is_told() {
    let text = sentences("One. Two.\n\nThree.\u{c}Four.");
    let place = |excerpts: &[&str]| Place {
        at: "captain 3".to_owned(),
        excerpts: excerpts.iter().filter_map(|at| Excerpt::read(at)).collect(),
        pinned: vec![text[1].digest.clone(), text[3].digest.clone()],
    };
    let told = |excerpts: &[&str]| -> Vec<(String, bool)> {
        let printed = place(excerpts).printed(&text);
        printed
            .iter()
            .map(|one| (one.sentence.text.clone(), one.is_pinned))
            .collect()
    };
    let said = |text: &str, is_pinned| (text.to_owned(), is_pinned);
    assert_eq!(
        told(&["p1.1.2", "p2.1"]),
        [said("Two.", true), said("Four.", true)]
    );
    assert_eq!(told(&["p1.2"]), [said("Three.", false)]);
    assert_eq!(told(&["p3.1"]), []);
}
