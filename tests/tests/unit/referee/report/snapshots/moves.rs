//! Tests of the module `report::snapshots::moves`.

use referee::report::snapshots::moves::{read, text};

#[test]
fn what_is_written_is_read() {
    let line = "1 turn.choosing: p1 choose {r: mayor}; mayor.placing: p1 place! {plan: [1 worker fields p1 quarry, \
                    2 noble city p1 3]}, p2 pay {left: {corn: 1, sugar: 2}, more: null, twice: true, what: 'null'}";
    let moves = read(&[line.to_owned()]).expect("it is well written");
    assert_eq!(moves.len(), 3);
    assert_eq!((&*moves[2].at, &*moves[2].seat), ("mayor.placing", "p2"));
    assert!(moves[1].forced && !moves[0].forced);
    assert_eq!(moves[1].with["plan"][1]["of"], serde_json::json!(["p1", 3]));
    assert_eq!(moves[2].with["what"], "null");
    let texts: Vec<String> = moves.iter().map(text).collect();
    let again = format!(
        "1 turn.choosing: {}; mayor.placing: {}, {}",
        texts[0], texts[1], texts[2]
    );
    assert_eq!(again, line);
}

#[test]
fn what_is_wrong_is_said() {
    for (line, expected) in [
        ("p1", "a line is a number and moves"),
        ("3 a.b: p1 pass", "the first of them is move 1, not 3"),
        ("1 p1 pass", "nothing asks before `p1 pass`"),
        ("1 a.b: pass", "a move is a seat, a name, and arguments"),
        ("1 a.b: p1 pass {plan: [2 corn]}", "is no `1 worker fields"),
        ("1 a.b: p1 pass {plan", "`p1 pass {plan`"),
    ] {
        let error = read(&[line.to_owned()]).expect_err("it is wrong");
        assert!(error.contains(expected), "{line}: {error}");
    }
}
