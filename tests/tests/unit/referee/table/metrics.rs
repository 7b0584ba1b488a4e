//! Tests of the module `table::metrics`.

use referee::table::Metric;

#[test]
fn each_is_counted_in_its_own_place() {
    for (place, (what, ..)) in Metric::ALL.into_iter().enumerate() {
        assert_eq!(what.place(), place);
    }
}
