//! The rulesets of the repository are right, for every number of players that they allow.

use interpreter::diagnostic::{Diagnostics, Style};
use interpreter::package::{Configuration, load};
use interpreter::source::Sources;
use referee_tests::{root, texts};

#[test]
fn documents_are_right() {
    let base = texts(&root().join("rulesets/puerto-rico"));
    for players in 2..=5 {
        let mut sources = Sources::default();
        let mut diagnostics = Diagnostics::default();
        load(
            &mut sources,
            &base,
            &[],
            &Configuration::base(players),
            &mut diagnostics,
        )
        .expect("it can be read");
        assert_eq!(diagnostics.sorted().render(&sources, Style::Plain), "");
    }
}
