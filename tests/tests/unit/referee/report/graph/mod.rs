//! Tests of the module `report::graph` and its parts.

mod dot;
mod mermaid;

use referee::report::graph::{Arrow, Meaning, together};

fn arrow(from: usize, to: usize, label: Option<&str>) -> Arrow {
    Arrow {
        from,
        to,
        meaning: Meaning::Next,
        label: label.map(str::to_owned),
    }
}

#[test]
fn arrows_between_the_same_boxes_are_one() {
    let all = together(vec![
        arrow(0, 1, Some("yes")),
        arrow(0, 1, Some("no")),
        arrow(1, 2, Some("no")),
        arrow(1, 2, None),
        arrow(2, 0, Some("done")),
        arrow(2, 0, Some("done")),
    ]);
    let expected = [
        arrow(0, 1, Some("no, yes")),
        arrow(1, 2, None),
        arrow(2, 0, Some("done")),
    ];
    assert_eq!(all, expected);
}
