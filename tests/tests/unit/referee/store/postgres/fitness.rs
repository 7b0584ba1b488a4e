//! Tests of the module `store::postgres::fitness`.

use referee::store::postgres::address::SEARCH_PATH;
use referee::store::postgres::fitness::Said;

#[test]
fn versions_that_are_not_known_are_refused_by_name() {
    let of = |major: i32| Said {
        major,
        version: format!("{major}.2"),
        is_standby: false,
        fsync: "on".into(),
        full_page_writes: "on".into(),
        synchronous_commit: "on".into(),
        synchronous_standbys: String::new(),
        search_path: SEARCH_PATH.into(),
    };
    for known in 14..=18 {
        assert_eq!(of(known).refusal(), None, "{known}");
    }
    for other in [13, 19] {
        let refusal = of(other).refusal().unwrap_or_default();
        let expected = format!("PostgreSQL {other}.2 is not supported: 14 to 18 are");
        assert_eq!(refusal, expected);
    }
}
