//! Tests of the module `cli::prove::sample`.

use referee::cli::prove::sample::Part;

#[test]
fn a_part_is_said_by_its_number_and_how_many_there_are() {
    assert_eq!("7/20".parse(), Ok(Part { number: 7, of: 20 }));
    for wrong in ["7", "7/0", "/20", "-1/20", "a/b", ""] {
        assert!(wrong.parse::<Part>().is_err(), "{wrong}");
    }
}
