use interpreter::package::{is_date, is_name};

#[test]
fn dates_are_days_of_the_calendar() {
    for date in ["2026-11-27", "2024-02-29", "2000-02-29", "2026-12-31"] {
        assert!(is_date(date), "{date}");
    }
    for none in [
        "2026-02-29",
        "1900-02-29",
        "2026-11-31",
        "2026-13-01",
        "2026-00-10",
        "2026-10-00",
        "26-11-27",
        "2026-1-27",
        "2026-11-27-1",
        "27.11.2026",
        "+026-11-27",
        "",
    ] {
        assert!(!is_date(none), "{none}");
    }
}

#[test]
fn names_are_such_as_lists_of_signers_have() {
    for name in ["anna@example.org", "Anna Nowak", "Żaneta"] {
        assert!(is_name(name), "{name}");
    }
    for none in ["", " ", "a,b", "*@example.org", "!anna", "an\"na", "a\nb"] {
        assert!(!is_name(none), "{none:?}");
    }
}
