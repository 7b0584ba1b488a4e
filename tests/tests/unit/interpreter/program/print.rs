use interpreter::program::print::Excerpt;

#[test]
fn what_is_read_is_written_the_same() {
    for text in ["p3.2", "p3.2-4", "p3.2.1", "p12.20.1-4"] {
        let read = Excerpt::read(text).map(|excerpt| excerpt.to_string());
        assert_eq!(read.as_deref(), Some(text));
    }
    for text in [
        "", "p", "p3", "3.2", "p0.1", "p3.0", "p3.4-2", "p3.2.", "p3.2.1.1", "p+3.2", "p3.2-4.1",
    ] {
        assert_eq!(Excerpt::read(text), None, "{text}");
    }
}
