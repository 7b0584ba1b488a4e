//! Tests of the module `report::printed`.

use referee::report::printed::{pinned, sentences};

fn told(text: &str) -> Vec<(String, String)> {
    let all = sentences(text).into_iter();
    all.map(|sentence| (sentence.place(), sentence.text))
        .collect()
}

#[test]
fn a_text_is_pages_paragraphs_and_sentences() {
    let text = "THE AIM\n\nTake 2 goods. Sell\nthem, and win!\n\n• a ship\n• 12 work-\ners. They wait.\n\n* * *\n\u{c}Next page";
    let place = |place: &str, text: &str| (place.to_owned(), text.to_owned());
    assert_eq!(
        told(text),
        [
            place("p1.1.1", "THE AIM"),
            place("p1.2.1", "Take 2 goods."),
            place("p1.2.2", "Sell them, and win!"),
            place("p1.3.1", "• a ship"),
            place("p1.3.2", "• 12 workers."),
            place("p1.3.3", "They wait."),
            place("p2.1.1", "Next page"),
        ]
    );
}

#[test]
fn an_edition_that_is_extracted_otherwise_has_the_same_digests() {
    let one = "A spe\u{ad}cial of\u{fb01}ce gives the well-known  1 doubloon:\ntwo-\nthirds of it.";
    let other = "A special office gives the well-\nknown 1 doubloon: two-thirds\u{a0}of it.";
    let digests =
        |text: &str| -> Vec<String> { sentences(text).into_iter().map(|s| s.digest).collect() };
    assert_eq!(digests(one), digests(other));
    let changed = [
        "A special office gives the well-known 2 doubloon: two-thirds of it.",
        "A special office gives the well-known 1 doubloon; two-thirds of it.",
        "A special Office gives the well-known 1 doubloon: two-thirds of it.",
    ];
    for text in changed {
        assert_ne!(digests(one), digests(text), "{text}");
    }
    assert_ne!(digests("2-3 players"), digests("23 players"));
}

#[test]
fn nothing_printed_is_pinned() {
    let text = pinned(&sentences("A secret word."), Some("first \"edition\""));
    assert!(!text.contains("secret"), "{text}");
    assert!(
        text.contains("edition: \"first \\\"edition\\\"\"\n"),
        "{text}"
    );
    assert!(
        text.contains("  - {page: 1, paragraph: 1, sentences: [\""),
        "{text}"
    );
    assert!(pinned(&[], None).ends_with("paragraphs: []\n"));
}
