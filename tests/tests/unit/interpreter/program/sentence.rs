use interpreter::program::sentence::{Filling, Piece, Sentence};

fn filled(text: &str) -> String {
    let sentence = Sentence::parse(text).expect("a sentence");
    assert_eq!(sentence.to_string(), text);
    sentence.filled(&mut |hole| match hole {
        "tile" => Some(Filling::Said("Quarry".to_owned())),
        "from" => Some(Filling::Nothing("nothing".to_owned())),
        _ => None,
    })
}

#[test]
fn holes_are_filled_and_parts_without_anything_to_say_are_left_out() {
    assert_eq!(filled("take {tile}"), "take Quarry");
    assert_eq!(
        filled("take {tile} from {from}"),
        "take Quarry from nothing"
    );
    assert_eq!(filled("take {tile}[ from {from}]!"), "take Quarry!");
    assert_eq!(filled("take[ the {tile}]"), "take the Quarry");
    assert_eq!(
        filled("weź żeton: {tile}[, {tile} i {from}]"),
        "weź żeton: Quarry"
    );
    assert_eq!(filled("{other}[ and {other}]"), "{other}");
    assert_eq!(filled(""), "");
}

#[test]
fn what_is_no_sentence_is_said_with_its_place() {
    let flaw = |text: &str| {
        let flaw = Sentence::parse(text).unwrap_err();
        format!("{:?}: {}", &text[flaw.at], flaw.problem)
    };
    assert_eq!(flaw("żółw {tile"), r#""{tile": this `{` is never closed"#);
    assert_eq!(flaw("a {b[ c]}"), r#""{b": this `{` is never closed"#);
    assert_eq!(flaw("tile}"), r#""}": this `}` closes nothing"#);
    assert_eq!(flaw("a {} b"), r#""{}": `` is no name of something"#);
    assert_eq!(
        flaw("a {The Tile}"),
        r#""{The Tile}": `The Tile` is no name of something"#
    );
    assert_eq!(
        flaw("a [b {c} d"),
        r#""[b {c} d": this `[` is never closed"#
    );
    assert_eq!(flaw("a]"), r#""]": this `]` closes nothing"#);
    assert_eq!(flaw("[{a}[{b}]]"), r#""[": a part stands within a part"#);
    assert_eq!(
        flaw("a[ of the bank]"),
        r#""[ of the bank]": this part has no hole, so it would always be said"#
    );
}

#[test]
fn parts_for_what_is_not_there_go() {
    let sentence = Sentence::parse("build {b}[ {helper}][ over {over}]").unwrap();
    assert!(sentence.may_go_unsaid("over") && !sentence.may_go_unsaid("b"));
    assert_eq!(
        sentence.for_holes(&["b", "over"]).to_string(),
        "build {b}[ over {over}]"
    );
}

#[test]
fn a_sentence_made_of_names_has_no_marks_but_its_own() {
    let pieces = vec![
        Piece::Text("{a} [b]".to_owned()),
        Piece::Hole("c".to_owned()),
    ];
    let sentence = Sentence::of(pieces);
    assert_eq!(sentence.to_string(), "(a) (b){c}");
    assert_eq!(
        Sentence::parse("(a) (b){c}").unwrap().holes(),
        sentence.holes()
    );
}
