//! Tests of the module `wire::layout`.

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::package::{Configuration, PackageTexts};
use referee::wire::catalog;
use referee::wire::v1::LayoutArea;
use referee::wire::v1::layout_part::Part;

/// The parts of an area and of those within it.
fn parts<'a>(area: &'a LayoutArea) -> Vec<&'a Part> {
    let all = area.parts.iter().filter_map(|part| part.part.as_ref());
    let each = |part: &'a Part| match part {
        Part::Area(within) => parts(within),
        _ => vec![part],
    };
    all.flat_map(each).collect()
}

#[test]
fn a_track_is_told_with_its_ends_and_what_stands_on_it() {
    let library = referee_tests::library();
    let edition = library
        .iter()
        .find(|edition| edition.id == "genoa")
        .unwrap();
    let configuration = Configuration::base(3);
    let ruleset = library.compile(edition, &configuration).unwrap();
    let layout = catalog::ruleset(edition, &ruleset).layout.unwrap();
    let table = layout.table.unwrap();
    let track = parts(&table).into_iter().find_map(|part| match part {
        Part::Track(track) => Some(track),
        _ => None,
    });
    let track = track.expect("the board has one");
    assert_eq!(track.counters, ["rounds_left"]);
    assert_eq!((track.first, track.last), (12, 1));
}

/// Every title says how its table lies, and whoever takes that away plays the same match.
#[test]
fn shipped_layouts_reach_clients_and_change_no_digest() {
    let library = referee_tests::library();
    for edition in library.iter() {
        let players = edition.players.0.max(2);
        let configuration = Configuration::base(players);
        let ruleset = library.compile(edition, &configuration).unwrap();
        let said = catalog::ruleset(edition, &ruleset);
        let layout = said.layout.as_ref().expect(&edition.id);
        for root in [&layout.table, &layout.mat] {
            let parts = &root.as_ref().unwrap().parts;
            assert!(!parts.is_empty(), "{}", edition.id);
            for part in parts {
                if let Some(Part::Area(area)) = &part.part
                    && let Some(titles) = &area.titles
                {
                    assert_eq!(titles.by_language.len(), 2, "{}", area.id);
                }
            }
        }
        for look in &layout.looks {
            for row in &look.rows {
                let colour = &row.look.as_ref().unwrap().colour;
                assert!(colour.is_empty() || colour.starts_with('#'), "{colour}");
            }
        }
        let files = edition.texts.files.iter();
        let files = files.filter(|(path, _)| !path.ends_with("table.yaml"));
        let without = PackageTexts::new(edition.texts.path.as_str(), files.cloned().collect());
        let bare = Ruleset::compile(&without, &[], &configuration).unwrap();
        assert_eq!(bare.digest().0, ruleset.digest().0, "{}", edition.id);
        assert!(catalog::ruleset(edition, &bare).layout.is_none());
    }
}
