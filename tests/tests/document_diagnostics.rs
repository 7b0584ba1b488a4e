//! What authors read when a document of a package is wrong.
//!
//! Every case of `corpus/diagnostics/documents/cases` is one mistake that somebody makes; its
//! snapshot holds the case and the messages together, so that a reviewer reads both.

use interpreter::diagnostic::{Diagnostics, Style};
use interpreter::package::{Configuration, load};
use interpreter::source::Sources;
use referee_tests::case::Case;
use referee_tests::{root, texts};

#[test]
fn the_right_package_is_right() {
    let base = texts(&root().join("tests/corpus/diagnostics/documents/base"));
    for modules in [&[][..], &["fair"], &["tax"], &["fair", "tax"]] {
        for players in 2..=4 {
            let modules = modules.iter().map(|m| (*m).to_owned()).collect();
            let configuration = Configuration {
                modules,
                ..Configuration::base(players)
            };
            let mut sources = Sources::default();
            let mut diagnostics = Diagnostics::default();
            load(&mut sources, &base, &[], &configuration, &mut diagnostics)
                .expect("it can be read");
            assert_eq!(diagnostics.render(&sources, Style::Plain), "");
        }
    }
}

#[test]
fn every_case() {
    let base = texts(&root().join("tests/corpus/diagnostics/documents/base"));
    insta::glob!("../corpus/diagnostics/documents/cases", "*.case", |path| {
        let text = std::fs::read_to_string(path).expect("readable");
        let case = Case::new(&base, &text);
        let mut sources = Sources::default();
        let mut diagnostics = Diagnostics::default();
        load(
            &mut sources,
            &case.base,
            &case.house,
            &case.configuration,
            &mut diagnostics,
        );
        let rendered = diagnostics.sorted().render(&sources, Style::Plain);
        assert!(!rendered.is_empty(), "{}: nothing is wrong", path.display());
        insta::with_settings!({
            omit_expression => true,
            prepend_module_to_snapshot => false,
            snapshot_path => "../corpus/diagnostics/documents/snapshots",
        }, {
            insta::assert_snapshot!(format!("{}\n────────\n{rendered}", text.trim_end()));
        });
    });
}
