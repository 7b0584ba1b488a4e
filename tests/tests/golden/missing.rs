//! What was said once must still be said.

use referee_tests::golden::missing;
use serde_json::json;

#[test]
fn what_is_missing_is_found_wherever_it_is_and_what_is_added_is_not() {
    let golden = json!({"a": [{"b": 1}, {"c": "x"}]});
    let more = json!({"a": [{"b": 1, "d": 2}, {"c": "x"}], "e": 3});
    assert_eq!(missing(&golden, &more), None);
    for (now, told) in [
        (
            json!({"a": [{"b": 1}, {"c": "y"}]}),
            ".a[1].c was \"x\", is \"y\"",
        ),
        (json!({"a": [{"b": 1}, {}]}), ".a[1].c was \"x\", is null"),
        (
            json!({"a": [{"b": 1}]}),
            ".a was [{\"b\":1},{\"c\":\"x\"}], is [{\"b\":1}]",
        ),
    ] {
        assert_eq!(missing(&golden, &now).as_deref(), Some(told));
    }
}
