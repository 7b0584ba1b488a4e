//! Tests of the module `server::services::differences`.

use referee::server::services::differences::{TEXT, cut, page};
use referee::wire::v1;

#[test]
fn a_page_has_room_for_one_at_least_and_for_no_more_than_fit() {
    let long = |n: usize| v1::RevisionDifference {
        before: Some("x".repeat(n)),
        ..Default::default()
    };
    let all = vec![long(50), long(50), long(500), long(1)];
    let count = |from, size| page(all.clone(), from, size, 120).len();
    assert_eq!(
        (count(0, 9), count(0, 1), count(2, 9), count(3, 9)),
        (2, 1, 1, 1)
    );
    assert_eq!(count(9, 9), 0);
}

#[test]
fn long_texts_end_with_an_ellipsis_between_two_letters() {
    assert_eq!(cut("short".into()), "short");
    let cut = cut("ż".repeat(TEXT));
    assert!(cut.len() <= TEXT && cut.ends_with("ż…"));
}
