//! `referee doc`.

use std::collections::BTreeSet;

use referee_tests::command::run;

use super::{SHIPPED, invented, shows};

fn book(line: impl AsRef<str>) -> String {
    run(line).ends(0).data
}

/// Values of an attribute, in order.
fn attributes<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let opening = format!("{name}=\"");
    text.split(&opening)
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect()
}

#[test]
fn the_book_of_a_small_ruleset_reads_well() {
    let tea = invented("tea-house");
    let text = book(format!("doc {tea}"));
    shows!("book_tea_house_md", text);
    let text = book(format!("doc {tea} --lang pl --format html"));
    shows!("book_tea_house_pl_html", text);
}

#[test]
fn players_read_no_code_and_find_what_is_done_in_a_phase_in_its_chapter() {
    let tea = invented("tea-house");
    let text = book(format!("doc {tea} --for players"));
    shows!("book_tea_house_players_md", text);
    let page = book(format!("doc {tea} --for players --lang pl --format html"));
    for (text, form) in [(&text, "markdown"), (&page, "html")] {
        for code in ["rules/", "scenarios/", "```", "clause-", "needs ", ".yaml"] {
            assert!(!text.contains(code), "{form}: {code}");
        }
    }
    let (_, kitchen) = text.split_once("## The kitchen").expect("a chapter");
    let (kitchen, _) = kitchen.split_once("## Picking").expect("the next one");
    assert!(kitchen.contains("*Dishes, 3*"), "{kitchen}");
}

/// Language and form of a book.
type Form = (&'static str, &'static str);

const FORMS: [Form; 4] = [
    ("en", "markdown"),
    ("pl", "markdown"),
    ("en", "html"),
    ("pl", "html"),
];

/// Makes these books of a title and holds them to say everything; no link of a page leads nowhere.
fn everything_stands_in_books(id: &str, forms: &[Form]) {
    let ruleset = referee_tests::ruleset(id, 2);
    let package = ruleset.package();
    for &(lang, format) in forms {
        let text = book(format!("doc {id} --lang {lang} --format {format}"));
        let ids = attributes(&text, "id");
        let anchors: BTreeSet<&str> = ids.iter().copied().collect();
        for clause in &package.rulebook.clauses {
            let anchor = format!("clause-{}", clause.id.node);
            assert!(anchors.contains(anchor.as_str()), "{id} {format}: {anchor}");
        }
        for table in &package.tables {
            for row in &table.rows {
                let anchor = format!("{}-{}", table.name.node, row.id.node);
                assert!(anchors.contains(anchor.as_str()), "{id} {format}: {anchor}");
            }
        }
        for phase in &ruleset.model().phases {
            let anchor = format!("phase-{}", phase.name);
            let written = package.rules.iter().any(|file| {
                let text = &ruleset.sources().file(file.file).text;
                text.contains(&format!("phase {}", phase.name))
            });
            assert!(
                !written || anchors.contains(anchor.as_str()),
                "{id} {format}: {anchor}"
            );
        }
        if format != "html" {
            continue;
        }
        assert_eq!(anchors.len(), ids.len(), "{id}: an id is used twice");
        for link in attributes(&text, "href") {
            let anchor = link
                .strip_prefix('#')
                .unwrap_or_else(|| panic!("{id}: {link}"));
            assert!(anchors.contains(anchor), "{id}: #{anchor}");
        }
        for foreign in ["<script", "<link", "src=", "@import"] {
            assert!(!text.contains(foreign), "{id}: {foreign}");
        }
    }
}

#[test]
fn clauses_of_modules_stand_in_the_place_of_those_that_they_replace() {
    let example = referee_tests::root().join("grammar/examples/puerto-rico-mayor-with-nobles");
    let doc = format!("doc {} --with nobles", example.display());
    let text = book(&doc);
    let place = |id: &str| text.find(&format!("**@{id}**"));
    assert_eq!(place("end.workers"), None);
    assert!(place("nobles.no-end") > place("mayor.refill-least"));
    assert!(place("nobles.no-end") < place("frame.governor"));
    assert!(text.contains("*(restricted by [@nobles.choice](#clause-nobles.choice))*"));
    let page = book(format!("{doc} --format html"));
    let ids = attributes(&page, "id");
    let anchors: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(anchors.len(), ids.len(), "an id is used twice");
    for link in attributes(&page, "href") {
        assert!(anchors.contains(link.trim_start_matches('#')), "{link}");
    }
    let players = book(format!("{doc} --for players --lang pl"));
    assert!(
        !players.contains("dogrywa się rundę i gra się kończy"),
        "{players}"
    );
    assert!(
        players.contains("*(ograniczone przez: Szlachcice, 3)*"),
        "{players}"
    );
}

/// A test for each title, so that they run side by side, of some forms; all of them are slow.
macro_rules! books {
    ($($test:ident, $all:ident: $id:literal, $forms:expr;)*) => {
        $(#[test]
        fn $test() {
            everything_stands_in_books($id, $forms);
        }

        #[test]
        #[ignore = "slow"]
        fn $all() {
            everything_stands_in_books($id, &FORMS);
        })*

        #[test]
        fn every_shipped_title_has_its_test() {
            assert_eq!(SHIPPED, [$($id),*]);
        }
    };
}

books! {
    everything_stands_in_a_book_of_puerto_rico, everything_stands_in_the_books_of_puerto_rico: "puerto-rico", &[("en", "html")];
    everything_stands_in_two_books_of_san_juan, everything_stands_in_the_books_of_san_juan: "san-juan", &[("en", "markdown"), ("pl", "html")];
    everything_stands_in_a_book_of_the_rivals, everything_stands_in_the_books_of_the_rivals: "catan-rivals", &[("pl", "markdown")];
}

#[test]
fn a_module_shows_in_the_book() {
    let plain = book("doc san-juan");
    let with = book("doc san-juan --with new-buildings");
    let clause = "<a id=\"clause-new-buildings.cards";
    assert!(with.contains(clause));
    assert!(!plain.contains(clause), "the base knows no new buildings");
    assert!(with.contains("- with `new-buildings`: New buildings"));
    assert!(
        with.contains("(`new-buildings`, "),
        "clauses say whose they are"
    );
}

#[test]
fn programs_read_the_book_too() {
    let json = book(format!("doc {} --format json", invented("tea-house")));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["schema"], "referee.doc/1");
    assert_eq!(json["setup"][0]["values"], serde_json::json!(["4", "3"]));
    let proven = json["proven"].as_array().expect("two numbers");
    assert!(proven[0].as_u64() <= proven[1].as_u64());
}
