//! Tests of the module `wire::routing`.

use referee::wire::routing::Routed as _;
use referee::wire::v1;

#[test]
fn what_is_about_a_match_says_its_id() {
    let of = |name: &str| {
        let asked = v1::GetViewRequest {
            name: name.into(),
            ..Default::default()
        };
        asked.routed_by().map(str::to_owned)
    };
    assert_eq!(of("matches/5f2c/seats/3").as_deref(), Some("5f2c"));
    assert_eq!(of("matches/5f2c").as_deref(), Some("5f2c"));
    assert_eq!(of("rulesets/puerto-rico"), None);
    assert_eq!(of("matches/"), None);
    assert_eq!(v1::ListMatchesRequest::default().routed_by(), None);
}
