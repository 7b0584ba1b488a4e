//! Tests of the module `report::diff::games`.

use referee::report::diff::games::paired;

#[test]
fn differences_are_of_pairs() {
    let named = || ("x".to_owned(), "x".to_owned());
    // Every game is longer by two, however different the games are: there is no doubt about it.
    let same = paired(named(), &[(10.0, 12.0), (50.0, 52.0), (90.0, 92.0)]);
    let same = same.expect("some values");
    assert!(same.clear && same.uncertain == 0.0 && same.difference == 2.0);
    let noise = paired(named(), &[(0.0, 5.0), (0.0, -4.0), (0.0, 1.0)]);
    let noise = noise.expect("some values");
    // The standard deviation is 4.51; divided by the root of three and times 1.96 that is 5.1.
    assert!(
        !noise.clear && (noise.uncertain - 5.1).abs() < 0.01,
        "{noise:?}"
    );
    assert!(paired(named(), &[]).is_none());
    assert!(!paired(named(), &[(1.0, 2.0)]).expect("a value").clear);
}
