//! Tests of the module `report::track`.

use referee::report::track::drawn;

#[test]
fn what_stands_on_a_track_is_told_at_its_step() {
    let at = |step, name: &str| (Some(step), (!name.is_empty()).then(|| name.to_owned()));
    assert_eq!(drawn((3, 1), vec![at(2, "")]), "3 [2] 1");
    let both = vec![at(1, "Ada"), at(1, "Ben")];
    assert_eq!(drawn((0, 2), both), "0 [1 Ada, Ben] 2");
    let long = vec![
        at(31, "Ada"),
        at(104, "Ben"),
        (None, Some("Eve".to_owned())),
    ];
    assert_eq!(
        drawn((0, 100), long),
        "0 … [31 Ada] … 100 · Ben: 104 · Eve: ?"
    );
}
