use std::collections::BTreeMap;

use interpreter::mutation::Over;
use interpreter::package::Configuration;
use interpreter::scenario::Setup;

#[test]
fn what_is_laid_together_is_helped_by_what_is_played_with_a_part_of_it() {
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let of = |modules: &[&str], house: &[&str]| Over {
        modules: names(modules),
        house: names(house),
    };
    let setup = |modules: &[&str], house: &[&str]| Setup {
        configuration: Configuration {
            players: 2,
            modules: names(modules),
            options: BTreeMap::new(),
        },
        house: names(house),
    };
    let said = |over: &Over, setup: &Setup| (over.proves(setup), over.helps(setup));
    let (base, both) = (of(&[], &[]), of(&["inns", "mills"], &["tax"]));
    assert_eq!(said(&base, &setup(&[], &[])), (true, false));
    assert_eq!(said(&base, &setup(&["inns"], &[])), (false, true));
    assert_eq!(said(&base, &setup(&["inns"], &["tax"])), (false, false));
    assert_eq!(
        said(&both, &setup(&["inns", "mills"], &["tax"])),
        (true, false)
    );
    assert_eq!(
        said(&both, &setup(&["inns", "mills", "ships"], &["tax"])),
        (true, false)
    );
    assert_eq!(said(&both, &setup(&["mills"], &[])), (false, true));
    assert_eq!(said(&both, &setup(&[], &["tax"])), (false, true));
    assert_eq!(
        said(&both, &setup(&["mills", "ships"], &[])),
        (false, false)
    );
    assert_eq!(said(&both, &setup(&[], &[])), (false, false));
}
