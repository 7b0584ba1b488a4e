//! Tests of the module `server::published::channels`.

use referee::server::published::channels::{LONGEST, is_channel};

#[test]
fn ids_of_channels_are_plain_and_short() {
    for good in ["stable", "next", "a", "rc-2"] {
        assert!(is_channel(good), "{good}");
    }
    let long = "x".repeat(LONGEST + 1);
    for bad in ["", "-a", "2a", "Next", "a_b", "a/b", "ż", long.as_str()] {
        assert!(!is_channel(bad), "{bad}");
    }
}
