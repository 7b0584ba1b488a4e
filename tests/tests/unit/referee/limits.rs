//! Tests of the module `limits`.

use std::time::Duration;

use referee::limits::Limits;

#[test]
fn limits_are_set_as_they_are_written() {
    let usual = Limits::default();
    let mut set = usual.clone();
    for (name, value) in usual.all() {
        set.set(name, &value).unwrap();
    }
    assert_eq!(set, usual);
    for (text, ms) in [
        ("500ms", 500),
        ("90s", 90_000),
        ("3m", 180_000),
        ("2h", 7_200_000),
    ] {
        set.set("heartbeat", text).unwrap();
        assert_eq!(set.heartbeat, Duration::from_millis(ms));
        let written = set.all().find(|(name, _)| *name == "heartbeat");
        assert_eq!(written, Some(("heartbeat", text.to_owned())));
    }
    for (name, value, why) in [
        ("heartbeat", "10", "takes a time such as"),
        ("heartbeat", "0s", "must be longer"),
        ("heartbeat", "1y", "takes a time such as"),
        ("heartbeat", "99999999999999999999d", "takes a time such as"),
        ("heartbeat", "40000d", "a hundred years at most"),
        ("open_matches", "0", "must be at least 1"),
        ("open_matches", "3s", "takes a whole number"),
        ("open_matchs", "3", "did you mean `open_matches`"),
    ] {
        let said = set.set(name, value).unwrap_err();
        assert!(said.contains(why), "{said}");
    }
}
