//! What authors read when a document of a package is wrong.
//!
//! Every case of `corpus/diagnostics/documents/cases` is one mistake that somebody makes; its
//! snapshot holds the case and the messages together, so that a reviewer reads both.

use interpreter::diagnostic::{Diagnostics, Style};
use interpreter::package::{Configuration, PackageTexts, load};
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
    insta::glob!(
        "../../corpus/diagnostics/documents/cases",
        "*.case",
        |path| {
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
                snapshot_path => "../../corpus/diagnostics/documents/snapshots",
            }, {
                insta::assert_snapshot!(format!("{}\n────────\n{rendered}", text.trim_end()));
            });
        }
    );
}

/// Half-written files are what an editor sees most of the time.
#[test]
fn damaged_files_are_reported_and_never_panic() {
    damage_every(4);
}

#[test]
#[ignore = "slow"]
fn files_damaged_anywhere_are_reported_and_never_panic() {
    damage_every(1);
}

/// Loads the base package with one of so many places of its files damaged at a time.
fn damage_every(nth: usize) {
    let base = texts(&root().join("tests/corpus/diagnostics/documents/base"));
    let configuration = Configuration {
        modules: vec!["fair".to_owned(), "tax".to_owned()],
        ..Configuration::base(3)
    };
    let loads = |files: PackageTexts| {
        let mut sources = Sources::default();
        let mut diagnostics = Diagnostics::default();
        load(&mut sources, &files, &[], &configuration, &mut diagnostics);
        let rendered = diagnostics.sorted().render(&sources, Style::Plain);
        assert!(rendered.is_empty() || rendered.ends_with('\n'));
    };
    for (number, (path, text)) in base.files.iter().enumerate() {
        let damaged = |text: String| {
            let mut files = base.clone();
            files.files[number].1 = text;
            loads(files);
        };
        if !path.ends_with(".yaml") {
            continue;
        }
        let mut places = 0;
        for (at, sign) in text.char_indices() {
            if at % (5 * nth) == 0 {
                damaged(text[..at].to_owned());
            }
            places += usize::from(!sign.is_alphanumeric());
            if !sign.is_alphanumeric() && places % nth == 0 {
                damaged(format!("{}{}", &text[..at], &text[at + sign.len_utf8()..]));
                damaged(format!("{}\t\"{}", &text[..at], &text[at..]));
            }
        }
    }
}
