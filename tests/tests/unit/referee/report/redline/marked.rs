//! Tests of the module `report::redline::marked`.

use referee::report::redline::marked::{Piece, marked, stale};

fn shown(pieces: &[Piece]) -> String {
    let each = pieces.iter().map(|piece| match piece {
        Piece::Same(text) => text.clone(),
        Piece::Gone(text) => format!("[-{text}-]"),
        Piece::New(text) => format!("{{+{text}+}}"),
        Piece::Stale(text, now) => format!("{text}(={now})"),
    });
    each.collect()
}

#[test]
fn words_are_marked_and_signs_stand_alone() {
    assert_eq!(
        shown(&marked(
            "Whoever can load must load.",
            "Whoever can load\n may load."
        )),
        "Whoever can load [-must-]{+may+} load."
    );
    assert_eq!(
        shown(&marked(
            "Może zachować 1 towar, a oprócz",
            "Może zachować dwa towary, a oprócz"
        )),
        "Może zachować [-1 towar-]{+dwa towary+}, a oprócz"
    );
    assert_eq!(shown(&marked("a, b", "a b")), "a[-,-] b");
    assert_eq!(shown(&marked("", "a b")), "{+a b+}");
    assert_eq!(shown(&marked("a  b", "a b")), "a b");
}

#[test]
fn a_number_that_is_so_no_more_is_marked_where_it_stands() {
    let text = "The owner, besides the one-time bonus, keeps one.";
    let at = referee::report::redline::watched::words(text).len() - 1;
    assert_eq!(
        shown(&stale(text, &[(at, "2".to_owned())])),
        "The owner, besides the one-time bonus, keeps one(=2)."
    );
}
