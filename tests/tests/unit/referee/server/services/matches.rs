//! Tests of the module `server::services::matches`.

use referee::server::calls::display_name;

#[test]
fn names_are_one_visible_line() {
    assert_eq!(display_name("  Ada ", 64, "name").unwrap(), "Ada");
    assert_eq!(display_name("Żółć", 4, "name").unwrap(), "Żółć");
    for bad in ["", "   ", "a\nb", "\u{1b}[31mred", "\u{202e}abc", "12345"] {
        assert!(display_name(bad, 4, "name").is_err(), "{bad:?}");
    }
}
