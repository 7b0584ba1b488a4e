//! `referee diff` as a publisher reads it: what is red, what is to be read, and what is neither.
//!
//! Six changes as designers send them and three attacks, each made to a copy of a shipped title.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use referee_tests::command::run;
use referee_tests::root;
use serde_json::Value;

use super::{shown, write};

/// Scenarios of the base game that changes break or adjust; others would only be run.
const SCENARIOS: [&str; 2] = ["scenarios/builder.yaml", "scenarios/captain.yaml"];

/// The base game of *Puerto Rico* in a folder of its own, with some of its scenarios: without the others and without modules
/// a redline takes a tenth of the time.
fn base() -> &'static str {
    static FOLDER: LazyLock<tempfile::TempDir> =
        LazyLock::new(|| tempfile::tempdir().expect("a folder"));
    static PATH: LazyLock<String> = LazyLock::new(|| {
        let path = FOLDER.path().join("base");
        let texts = referee_tests::texts(&root().join("rulesets/puerto-rico"));
        for (file, text) in &texts.files {
            let offers = |line: &&str| file != "ruleset.yaml" || !line.starts_with("modules:");
            let text: Vec<&str> = text.lines().filter(offers).collect();
            let is_run = !file.starts_with("scenarios/") || SCENARIOS.contains(&file.as_str());
            if is_run && !file.starts_with("modules/") {
                write(&path, &[(file, &format!("{}\n", text.join("\n")))]);
            }
        }
        path.display().to_string()
    });
    &PATH
}

/// A copy of a ruleset with texts replaced: file, old, new.
fn changed(ruleset: &Path, changes: &[(&str, &str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("changed");
    for (file, mut text) in referee_tests::texts(ruleset).files {
        for (_, old, new) in changes.iter().filter(|(of, ..)| *of == file) {
            assert!(text.contains(old), "{file}: {old}");
            text = text.replacen(old, new, 1);
        }
        write(&path, &[(file.as_str(), text.as_str())]);
    }
    (folder, path)
}

/// The redline of a change to the base game, and the exit code of the command that refuses what is red.
fn redline(changes: &[(&str, &str, &str)]) -> (Value, u8) {
    redline_of(Path::new(base()), changes)
}

fn redline_of(ruleset: &Path, changes: &[(&str, &str, &str)]) -> (Value, u8) {
    let (_folder, path) = changed(ruleset, changes);
    let line = format!(
        "diff {} {} --games 0 --format json --fail-on red",
        ruleset.display(),
        path.display()
    );
    let ran = run(line);
    (ran.json()["redline"].clone(), ran.code)
}

/// Every flag as `red rule_without_clause captain.points`, in order; what has no clause is told by what it is of.
fn flags(redline: &Value) -> Vec<String> {
    let mut all = Vec::new();
    let mut add = |of: &str, flags: &Value| {
        for flag in flags.as_array().expect("flags") {
            let (level, fact) = (&flag["level"], &flag["fact"]);
            let text = |value: &Value| value.as_str().expect("a text").to_owned();
            all.push(format!("{} {} {of}", text(level), text(fact)));
        }
    };
    for clause in redline["clauses"].as_array().expect("clauses") {
        add(clause["id"].as_str().expect("an id"), &clause["flags"]);
    }
    for rule in redline["rules"].as_array().expect("rules") {
        add(rule[0]["of"].as_str().expect("a text"), &rule[1]);
    }
    for part in ["ties", "scenarios", "other"] {
        for entry in redline[part].as_array().expect("entries") {
            add(entry["of"].as_str().expect("a text"), &entry["flags"]);
        }
    }
    all.dedup();
    all
}

fn clause<'r>(redline: &'r Value, id: &str) -> &'r Value {
    let clauses = redline["clauses"].as_array().expect("clauses");
    let found = clauses.iter().find(|clause| clause["id"] == id);
    found.unwrap_or_else(|| panic!("@{id} is missing: {:?}", flags(redline)))
}

fn is_red(redline: &Value, flag: &str) {
    let all = flags(redline);
    assert!(
        all.iter().any(|found| *found == format!("red {flag}")),
        "{flag} is missing: {all:#?}"
    );
}

const CHEAPER_WHARF: (&str, &str, &str) = (
    "components/buildings.yaml",
    "pl: Nabrzeże}, cost: 9",
    "pl: Nabrzeże}, cost: 8",
);

const TWO_POINTS: (&str, &str, &str) = (
    "rules/roles.rules",
    "on loaded(p, n): do { award(p, n); }",
    "on loaded(p, n): do { award(p, 2 * n); }",
);

#[test]
fn a_price_is_to_be_read() {
    let (found, refused) = redline(&[CHEAPER_WHARF]);
    assert_eq!(
        (&found["red"], refused),
        (&0.into(), 0),
        "{:?}",
        flags(&found)
    );
    let figures = found["figures"].as_array().expect("figures");
    let told: Vec<_> = figures
        .iter()
        .map(|figure| (&figure["name"], &figure["before"], &figure["after"]))
        .collect();
    assert_eq!(
        told,
        [(&"Wharf: cost in doubloons".into(), &"9".into(), &"8".into())]
    );
    // The scenarios that pay nine doubloons fail, and the price is the reason.
    assert!(
        flags(&found)
            .iter()
            .any(|flag| flag.starts_with("to_be_read scenario_fails")),
        "{:?}",
        flags(&found)
    );
}

#[test]
fn a_scenario_adjusted_to_a_price_is_to_be_read() {
    let (found, refused) = redline(&[
        CHEAPER_WHARF,
        (
            "scenarios/builder.yaml",
            "    asked: p2\n    p1: {doubloons: 0, city: {wharf: 1}}",
            "    asked: p2\n    p1: {doubloons: 1, city: {wharf: 1}}",
        ),
    ]);
    let scenario = "nine doubloons pay for the wharf, ten for a large building";
    let all = flags(&found);
    assert!(
        all.contains(&format!("to_be_read scenario_rewritten {scenario}")),
        "{all:?}"
    );
    assert_eq!(
        (&found["red"], refused),
        (&0.into(), 0),
        "{:?}",
        flags(&found)
    );
}

#[test]
fn a_limit_makes_other_clauses_false() {
    let (found, refused) = redline(&[
        (
            "rules/roles.rules",
            "query loose_goods(p: player): int = 1",
            "query loose_goods(p: player): int = 2",
        ),
        (
            "rulebook.yaml",
            "each player may keep 1 good and, in addition,",
            "each player may keep 2 goods and, in addition,",
        ),
        (
            "rulebook.yaml",
            "może zachować 1 towar, a oprócz niego",
            "może zachować 2 towary, a oprócz nich",
        ),
    ]);
    assert_eq!(refused, 1);
    is_red(&found, "watched_words captain.storage");
    is_red(&found, "rule_with_clause captain.storage");
    // "In addition to the one good that every player may keep" is false now, and nobody touched it.
    is_red(&found, "stale_figure small-warehouse");
    is_red(&found, "stale_figure large-warehouse");
    let said = &clause(&found, "small-warehouse")["text"];
    let stale = serde_json::json!({"is": "stale", "text": ["one", "2"]});
    assert!(said.as_array().expect("pieces").contains(&stale), "{said}");
    let stale: Vec<String> = flags(&found)
        .into_iter()
        .filter(|flag| flag.contains("stale_figure"))
        .collect();
    assert_eq!(stale.len(), 2, "{stale:?}");
}

#[test]
fn a_figure_is_marked_in_the_sentence_that_states_it() {
    let (found, refused) = redline(&[(
        "setup.yaml",
        "  island_spaces:\n    value: 12",
        "  island_spaces:\n    value: 13",
    )]);
    assert_eq!(refused, 1);
    is_red(&found, "stale_figure board.island");
    let said = &clause(&found, "board.island")["text"];
    let stale = serde_json::json!({"is": "stale", "text": ["12", "13"]});
    assert!(said.as_array().expect("pieces").contains(&stale), "{said}");
    // The city has twelve spaces too, by a figure of its own.
    assert!(
        !flags(&found).iter().any(|flag| flag.contains("board.city")),
        "{:?}",
        flags(&found)
    );
}

#[test]
fn a_building_of_a_house_rule_breaks_what_scenarios_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let module = folder.path().join("counting-house");
    write(
        &module,
        &[
            (
                "module.yaml",
                "id: counting-house\nextends: puerto-rico\nversion: \"0.1.0\"\ntitles: {en: Counting house, pl: Kantor}\nfiles: {components: [buildings.yaml], rules: [house.rules], rulebook: rulebook.yaml}\n",
            ),
            (
                "buildings.yaml",
                "table: building\nrows:\n  counting_house: {names: {en: Counting house, pl: Kantor}, cost: 6, victory_value: 2, group: 2, spaces: 1, slots: 1, utility: true, guild_value: 0}\n",
            ),
            (
                "rulebook.yaml",
                "sections:\n  - id: counting-house\n    titles: {en: House, pl: Dom}\n    clauses:\n      - {id: counting-house.interest, en: At the end of a round the owner takes one doubloon., pl: Na koniec rundy właściciel bierze jednego dublona.}\n",
            ),
            (
                "house.rules",
                "building counting_house for p when active    @counting-house.interest\n  after round.payday\n    do { gain(doubloons(p), 1); }\n",
            ),
        ],
    );
    let line = format!(
        "diff puerto-rico --with {} --games 0 --format json --fail-on red",
        shown(&module)
    );
    let ran = run(line);
    assert_eq!(ran.code, 1);
    let found = ran.json()["redline"].clone();
    let all = flags(&found);
    assert!(
        all.contains(&"to_be_read clause_added counting-house.interest".to_owned()),
        "{all:#?}"
    );
    // "All 49 buildings" are one more, and what says so is not laid anew.
    assert!(
        all.iter()
            .any(|flag| flag.starts_with("red scenario_fails")),
        "{all:#?}"
    );
    // The rule came with its clause.
    assert!(!all.iter().any(|flag| flag.contains("rule_")), "{all:#?}");
}

#[test]
fn a_clause_reworded_harmlessly_is_to_be_read() {
    let (found, refused) = redline(&[
        (
            "rulebook.yaml",
            "Finally the goods of each full ship go back to the supply",
            "At last, the goods of each full ship return to the supply",
        ),
        (
            "rulebook.yaml",
            "Na koniec towary z każdego pełnego statku wracają do zasobów",
            "Wreszcie towary z każdego pełnego statku trafiają z powrotem do zasobów",
        ),
    ]);
    assert_eq!(
        (flags(&found), refused),
        (
            vec!["to_be_read clause_without_rule captain.unload".to_owned()],
            0
        )
    );
    let said = clause(&found, "captain.unload")["text"].to_string();
    assert!(said.contains(r#"{"is":"gone","text":"Finally"}"#), "{said}");
}

#[test]
fn must_that_became_may_is_red() {
    let (found, refused) = redline(&[
        (
            "rulebook.yaml",
            "ships must load, either",
            "ships may load, either",
        ),
        (
            "rulebook.yaml",
            "musi dokonać załadunku na",
            "może dokonać załadunku na",
        ),
    ]);
    assert_eq!(refused, 1);
    is_red(&found, "watched_words captain.must-load");
    is_red(&found, "clause_without_rule captain.must-load");
    let polish = redline(&[(
        "rulebook.yaml",
        "musi dokonać załadunku na",
        "może dokonać załadunku na",
    )]);
    assert_eq!(polish.1, 1);
    is_red(&polish.0, "watched_words captain.must-load");
    let all = flags(&polish.0);
    assert!(
        all.contains(&"to_be_read one_language captain.must-load".to_owned()),
        "{all:?}"
    );
}

#[test]
fn a_rule_that_changed_without_its_clause_is_red() {
    let (found, refused) = redline(&[TWO_POINTS]);
    assert_eq!(refused, 1);
    is_red(&found, "rule_without_clause captain.points");
}

#[test]
fn exchanged_names_are_red() {
    let small = "{en: Small warehouse, pl: Mały magazyn}";
    let large = "{en: Large warehouse, pl: Duży magazyn}";
    let (found, refused) = redline(&[
        ("components/buildings.yaml", small, "{en: @, pl: @}"),
        ("components/buildings.yaml", large, small),
        ("components/buildings.yaml", "{en: @, pl: @}", large),
    ]);
    assert_eq!(refused, 1);
    is_red(&found, "names_exchanged building small_warehouse");
    is_red(&found, "names_exchanged building large_warehouse");
}

#[test]
fn a_name_that_changed_in_one_place_is_red_in_every_clause_that_says_it() {
    let stale = |old: &str, new: &str| {
        let (found, refused) = redline(&[("components/buildings.yaml", old, new)]);
        assert_eq!(refused, 1);
        let all = flags(&found).into_iter();
        all.filter_map(|flag| Some(flag.strip_prefix("red stale_name ")?.to_owned()))
            .collect::<Vec<_>>()
    };
    // “Wharf's”, “Nabrzeża”; and where only the Polish name changed.
    assert_eq!(
        stale("{en: Wharf, pl: Nabrzeże}", "{en: Dock, pl: Dok}"),
        ["wharf", "wharf.any-size"]
    );
    assert_eq!(
        stale("{en: Wharf, pl: Nabrzeże}", "{en: Wharf, pl: Dok}"),
        ["wharf", "wharf.any-size"]
    );
    // A large market is no market of another name.
    assert_eq!(
        stale(
            "{en: Small market, pl: Mały targ}",
            "{en: Market, pl: Targ}"
        ),
        ["small-market"]
    );
}

#[test]
fn layout_and_comments_of_a_rule_are_nothing() {
    let (found, refused) = redline(&[(
        "rules/roles.rules",
        "on loaded(p, n): do { award(p, n); }      ",
        "on loaded( p,n ):   do { award(p,  n); /* said so */ }",
    )]);
    assert_eq!((flags(&found), refused), (vec![], 0));
}

#[test]
fn a_scenario_adjusted_to_hide_a_change_is_red() {
    let scenario = "the owner of a wharf who can load must load, there or on a common ship";
    let (found, refused) = redline(&[
        TWO_POINTS,
        (
            "scenarios/captain.yaml",
            "    p1: {points: {victory_point: 3}, stock: {corn: 0}}\n    table: {supply: {corn: 10}, hold:",
            "    p1: {points: {victory_point: 5}, stock: {corn: 0}}\n    table: {supply: {corn: 10}, hold:",
        ),
    ]);
    assert_eq!(refused, 1);
    is_red(&found, &format!("scenario_rewritten {scenario}"));
    let entries = found["scenarios"].as_array().expect("entries");
    let entry = entries.iter().find(|entry| entry["of"] == scenario);
    let lines = entry.expect("the scenario")["lines"].clone();
    assert_eq!(
        lines,
        serde_json::json!([[
            "then.p1.points.victory_point: 3",
            "then.p1.points.victory_point: 5"
        ]])
    );
}

#[test]
fn a_scenario_that_expects_less_or_is_gone_is_red() {
    let (found, refused) = redline(&[(
        "scenarios/captain.yaml",
        "    p1: {points: {victory_point: 3}, stock: {corn: 0}}\n    table: {supply: {corn: 10}, hold:",
        "    p1: {stock: {corn: 0}}\n    table: {supply: {corn: 10}, hold:",
    )]);
    assert_eq!(refused, 1);
    let all = flags(&found);
    assert!(
        all.iter()
            .any(|flag| flag.starts_with("red scenario_weakened")),
        "{all:?}"
    );
    let (found, refused) = redline(&[(
        "scenarios/captain.yaml",
        "- scenario: a ship with tobacco takes no indigo",
        "- scenario: a ship with tobacco takes no indigo at all",
    )]);
    assert_eq!(refused, 0, "{:?}", flags(&found));
    assert_eq!(
        flags(&found),
        ["to_be_read scenario_renamed a ship with tobacco takes no indigo"]
    );
}

#[test]
fn attacks_on_the_tie_to_the_print_are_red() {
    let paragraph = "- {at: role table captain, print: [p1.85-86], clauses: [captain, captain.must-load, captain.storage]}\n";
    let (relinked, refused) = redline(&[(
        "sources.yaml",
        paragraph,
        "- {at: role table captain, print: [p1.85-86], clauses: [captain, captain.load, captain.storage]}\n",
    )]);
    assert_eq!(refused, 1);
    is_red(&relinked, "tie_changed role table captain");

    // Deleted alone it leaves sentences without a tie, which is a mistake; hidden behind another tie they are red.
    let (_folder, path) = changed(Path::new(base()), &[("sources.yaml", paragraph, "")]);
    let compared = run(format!("diff {} {}", base(), path.display())).ends(1);
    compared.notes("RF0361");
    let (deleted, refused) = redline(&[
        ("sources.yaml", paragraph, ""),
        ("sources.yaml", "print: [p1.87]", "print: [p1.85-87]"),
    ]);
    assert_eq!(refused, 1);
    is_red(&deleted, "tie_removed role table captain");
    is_red(&deleted, "tie_changed role table captain privilege");

    let (note, refused) = redline(&[(
        "rulebook.yaml",
        "  - id: captain.must-load\n    kind: rule",
        "  - id: captain.must-load\n    kind: note",
    )]);
    assert_eq!(refused, 1);
    is_red(&note, "kind captain.must-load");

    let (loose, refused) = redline(&[(
        "rulebook.yaml",
        "  - id: captain.pass\n    kind: ruling",
        "  - id: captain.pass\n    kind: ruling\n    enforced: false",
    )]);
    assert_eq!(refused, 1);
    is_red(&loose, "kind captain.pass");
}

#[test]
fn a_mistake_that_is_newly_marked_is_to_be_read() {
    let mark = "equivalents:\n  - {mutant: 0123456789a, operator: number-changed, reason: nobody would notice}\n";
    let file = "equivalents.yaml";
    let (redline, _) = redline(&[(file, "equivalents:\n", mark)]);
    assert_eq!(flags(&redline), ["to_be_read mark_added equivalents.yaml"]);
    let line = &redline["scenarios"][0]["lines"][0];
    assert_eq!(line[1], "number-changed: nobody would notice", "{line}");
}

#[test]
fn a_module_that_nobody_reads_is_red() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole");
    for (file, text) in referee_tests::texts(&root().join("rulesets/puerto-rico")).files {
        if !file.contains("scenarios/") {
            write(&whole, &[(&file, &text)]);
        }
    }
    let change = ("modules/nobles/rulebook.yaml", "noble", "nobleman");
    let (found, refused) = redline_of(&whole, &[change]);
    assert_eq!(refused, 1);
    is_red(&found, "module_unread module nobles");
}

#[test]
fn the_documents_say_the_same_in_both_languages() {
    let changes = [
        TWO_POINTS,
        CHEAPER_WHARF,
        (
            "rulebook.yaml",
            "ships must load, either",
            "ships may load, either",
        ),
    ];
    let (_folder, path) = changed(Path::new(base()), &changes);
    let line = |rest: &str| format!("diff {} {} --games 0 {rest}", base(), path.display());
    let html = run(line("--format html")).ends(0).data;
    assert!(html.contains("<del>must</del><ins>may</ins>"), "{html}");
    assert!(
        html.contains("<p>what follows “goods were loaded”: changed ")
            && !html.contains("<details"),
        "{html}"
    );
    for text in ["<th>Name</th>", "<th>Date</th>", "is not as expected"] {
        assert!(html.contains(text), "{text}: {html}");
    }
    let html = run(line("--format html --lang pl")).ends(0).data;
    for text in [
        "<html lang=\"pl\">",
        "zamiast „must” jest „may” (po angielsku; obowiązek)",
        "Nabrzeże: koszt w dublonach",
        "<th>Imię i nazwisko</th>",
        "stan gry jest inny, niż oczekiwano",
    ] {
        assert!(html.contains(text), "{text}: {html}");
    }
    assert!(!html.contains("is not as expected"), "{html}");
    let markdown = run(line("--format markdown")).ends(0).data;
    assert!(
        markdown.contains("ships ~~must~~**may** load,"),
        "{markdown}"
    );
    assert!(
        markdown.contains("- Wharf: cost in doubloons: ~~9~~ **8**"),
        "{markdown}"
    );
    let text = run(line("")).ends(0).data;
    for told in [
        "@captain.must-load",
        "[-must-]{+may+} load,",
        "!! “must” became “may” (English; obligation)",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
}
