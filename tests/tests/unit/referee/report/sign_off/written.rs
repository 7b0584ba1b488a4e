//! Tests of the module `report::sign_off::written`.

use referee::report::sign_off::written::quoted;

#[test]
fn texts_of_people_stay_texts() {
    for text in ["no", "a: b", "# a", "it's \"so\" \\ and", "12", "Żółw"] {
        let read: String = serde_yaml::from_str(&quoted(text)).expect("YAML");
        assert_eq!(read, text);
    }
    assert_eq!(quoted("two\n  lines"), "\"two lines\"");
    assert_eq!(quoted("a\u{7}bell"), "\"a bell\"");
}
