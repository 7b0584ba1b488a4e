//! Tests of the module `report::plots`.

use referee::report::plots::{Bar, bars, histogram};

#[test]
fn plots_say_what_they_show() {
    let text = histogram(
        "Length <1>",
        "moves",
        &[("all".to_owned(), vec![3, 4, 4, 9])],
    );
    assert!(text.starts_with("<svg") && text.contains("Length &lt;1&gt;"));
    let one = Bar {
        name: "p1".to_owned(),
        value: 0.5,
        uncertain: 0.1,
    };
    let text = bars(
        "Wins",
        "part",
        &[
            one.clone(),
            Bar {
                name: "p2".to_owned(),
                ..one
            },
        ],
    );
    assert!(text.contains("p1") && text.contains("p2") && text.contains("Wins"));
    assert_eq!(histogram("", "", &[]), "");
    assert_eq!(bars("", "", &[]), "");
}

#[test]
fn all_that_is_equal_is_plotted_too() {
    assert!(histogram("x", "y", &[("a".to_owned(), vec![7; 3])]).contains("<rect"));
}
