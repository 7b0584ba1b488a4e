//! Tests of the module `report::sign_off::days`.

use referee::report::sign_off::days::{DAY, date, moment};

#[test]
fn days_are_those_of_the_calendar() {
    for (days, said) in [
        (0, "1970-01-01"),
        (-1, "1969-12-31"),
        (59, "1970-03-01"),
        (11_016, "2000-02-29"),
        (11_017, "2000-03-01"),
        (20_784, "2026-11-27"),
        (47_540, "2100-02-28"),
        (47_541, "2100-03-01"),
    ] {
        assert_eq!(date(days * DAY), said);
        assert_eq!(date(days * DAY + DAY - 1), said);
    }
    assert_eq!(moment(20_784 * DAY + 45_296_789), "20261127123456");
}
