//! The author's commands on the shipped ruleset and on a broken one.

use std::path::{Path, PathBuf};

use referee_tests::command::{Ran, json, run, run_words};
use referee_tests::{root, texts};

/// Compares with an accepted text below `tests/commands`.
macro_rules! shows {
    ($name:expr, $text:expr) => {
        insta::with_settings!({
            omit_expression => true,
            prepend_module_to_snapshot => false,
            snapshot_path => "commands",
        }, {
            insta::assert_snapshot!($name, $text);
        });
    };
}

/// A copy of Puerto Rico with changed files; each change is a file, what it says, what it says instead.
fn broken(changes: &[(&str, &str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("puerto-rico");
    for (file, mut text) in texts(&root().join("rulesets/puerto-rico")).files {
        for (_, from, to) in changes.iter().filter(|(changed, ..)| *changed == file) {
            assert!(text.contains(from), "`{file}` does not say `{from}`");
            text = text.replace(from, to);
        }
        let file = path.join(file);
        std::fs::create_dir_all(file.parent().expect("a folder above")).expect("writable");
        std::fs::write(file, text).expect("writable");
    }
    (folder, path)
}

const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "rules/roles.rules",
        "needs doubloons(p) + credit(p) >= price(p, b)",
        "needs dubloons(p) + credit(p) >= price(p, b)",
    ),
    (
        "rules/roles.rules",
        "move pass                                                             @captain.pass",
        "move pass                                                             @captain.pas",
    ),
    (
        "components/buildings.yaml",
        "pl: Nabrzeże}, cost: 9",
        "pl: Nabrzeże}, cost: nine",
    ),
];

fn without(path: &Path, text: &str) -> String {
    text.replace(&path.display().to_string(), "<ruleset>")
}

fn path_of(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

#[test]
fn a_right_ruleset_is_clean() {
    let Ran { code, data, notes } = run("check puerto-rico");
    assert_eq!(
        (code, data.as_str(), notes.as_str()),
        (
            0,
            "puerto-rico 0.1.0, for 2, 3, 4 and 5 players: no errors\n",
            ""
        )
    );
}

#[test]
fn every_mistake_is_shown_at_once() {
    let (_folder, path) = broken(MISTAKES);
    let ran = run(format!("check {}", path.display())).ends(1);
    shows!("check_broken", without(&path, &ran.data));

    let ran = run(format!(
        "check {} --format json --players 4",
        path.display()
    ))
    .ends(1);
    let json = ran.json();
    assert_eq!(json["schema"], "referee.check/1");
    assert_eq!(json["players"], serde_json::json!([4]));
    let count = |key: &str| json[key].as_u64().unwrap_or(0) as usize;
    assert_eq!(
        Some(count("errors") + count("warnings")),
        json["diagnostics"].as_array().map(Vec::len)
    );
    let first = &json["diagnostics"][0];
    assert!(
        first["file"]
            .as_str()
            .is_some_and(|file| file.ends_with("components/buildings.yaml"))
    );
    assert!(first["line"].is_u64() && first["column"].is_u64() && first["code"].is_string());
    assert_eq!(first["severity"], "error");
}

#[test]
fn warnings_fail_only_when_asked() {
    let unread = ("ruleset.yaml", "    - hints.rules\n", "");
    let (_folder, path) = broken(&[unread]);
    let ran = run(format!("check {}", path.display()));
    ran.tells("warning[RF0321]");
    assert_eq!(ran.code, 0, "{}", ran.data);
    assert_eq!(
        run(format!("check {} --fail-on-warn", path.display())).code,
        1
    );
}

#[test]
fn wrong_usage_is_answered() {
    for (line, expected) in [
        ("check puerto-rica", "did you mean `puerto-rico`?"),
        ("check nowhere/at/all", "`nowhere/at/all` is no folder"),
        ("show puerto-rico captian", "did you mean `captain`?"),
        ("show puerto-rico table wharf", "there is no table `wharf`"),
        (
            "simulate puerto-rico --players 6",
            "is for 2 to 5 players, not 6",
        ),
        ("explain RF9999", "there is no code `RF9999`"),
        (
            "check puerto-rico --option a=b",
            "an option is `true`, `false` or a number",
        ),
        (
            "check puerto-rico --with ./nothing",
            "`./nothing` is no module",
        ),
        (
            "check puerto-rico --with nobels",
            "there is no module `nobels`",
        ),
    ] {
        let Ran { code, data, notes } = run(line);
        assert_eq!((code, data.as_str()), (2, ""), "{line}");
        let is_told = notes.starts_with("error: ") && notes.contains(expected);
        assert!(is_told, "{line}: {notes}");
    }
}

#[test]
fn a_phase_is_shown_with_everything_that_holds_in_it() {
    let ran = run("show puerto-rico captain").ends(0);
    assert_eq!(
        ran.notes,
        "note: `captain` also means `role captain` and `@captain`\n"
    );
    shows!("show_captain", ran.data);
}

#[test]
fn a_step_and_a_building_are_shown_in_polish() {
    let ran = run("show puerto-rico settler.picking building hospice --lang pl");
    assert_eq!((ran.code, ran.notes.as_str()), (0, ""));
    shows!("show_picking_hospice_pl", ran.data);
}

#[test]
fn tables_clauses_and_figures_are_shown() {
    let ran = run("show puerto-rico ships @captain.storage row_size event loaded");
    assert_eq!((ran.code, ran.notes.as_str()), (0, ""));
    shows!("show_things", ran.data);
}

/// Whatever `coverage` prints can be asked for, quoted or not.
#[test]
#[ignore = "slow"]
fn what_coverage_prints_can_be_asked_for() {
    for (asked, first, clause) in [
        (
            "'captain loading item 2'",
            "paragraph captain loading item 2 of the printed rulebook",
            "@captain.one-ship-per-kind",
        ),
        (
            "role table captain",
            "paragraph role table captain of the printed rulebook",
            "@captain.storage",
        ),
        (
            "wharf 1",
            "paragraph wharf 1 of the printed rulebook",
            "@wharf",
        ),
        (
            "'paragraph' 'captain loading 2'",
            "paragraph captain loading 2 of the printed rulebook",
            "@captain.storage",
        ),
        ("query captain.takes", "query takes", "@captain"),
        ("phase captain", "phase captain", "@captain"),
        ("building wharf", "building wharf", "@wharf"),
    ] {
        let ran = run(format!("show puerto-rico {asked}")).ends(0);
        let begins = ran.data.trim_start();
        assert!(begins.starts_with(first), "{asked}: {begins}");
        assert!(begins.contains(clause), "{asked}: {begins}");
    }
    let covered = json("coverage puerto-rico --format json");
    let list = |of: &'_ serde_json::Value| of.as_array().expect("a list").clone();
    let mut labels: Vec<serde_json::Value> = Vec::new();
    for paragraph in list(&covered["paragraphs"]) {
        labels.push(paragraph["at"].clone());
    }
    for clause in list(&covered["clauses"]) {
        labels.extend(
            list(&clause["rules"])
                .iter()
                .map(|rule| rule["what"].clone()),
        );
        labels.extend(list(&clause["scenarios"]).into_iter().take(2));
    }
    assert!(labels.len() > 400, "{}", labels.len());
    let words = labels.iter().map(|label| label.as_str().expect("a label"));
    run_words(["show", "puerto-rico"].into_iter().chain(words)).ends(0);
}

/// What a scenario cites is said with the places of the print, so that it can be held against the rulebook.
#[test]
fn a_scenario_is_shown_with_where_the_print_speaks_of_it() {
    let scenario = "two whole rounds with the corsair, derived by hand";
    let shown = run_words(["show", "puerto-rico", scenario]).ends(0);
    shown.tells("Where the printed rulebook speaks of it");
    shown.tells("@captain.privilege  captain 3 (p1.244)");
    // Nobody need say with what it is played.
    assert!(!shown.data.contains("no such clause"), "{}", shown.data);
}

/// A ruling is decided by us: nothing lists it as said by the print.
#[test]
fn a_ruling_is_not_said_by_the_print() {
    let ruling = run("show puerto-rico @captain.pass").ends(0).data;
    assert!(!ruling.contains("Said by the printed rulebook"), "{ruling}");
    let decides = "Decides what the printed rulebook leaves open\n    captain 5";
    assert!(ruling.contains(decides), "{ruling}");
    let loose = run("show genoa @scoring.shared").ends(0).data;
    assert!(!loose.contains("Said by the printed rulebook"), "{loose}");
    assert!(
        loose.contains("(a ruling of ours that no single rule carries out)"),
        "{loose}"
    );
    books_say_what_a_ruling_decides("en", false);
}

#[test]
#[ignore = "slow"]
fn a_ruling_is_not_said_by_the_print_on_pages_and_in_polish() {
    books_say_what_a_ruling_decides("en", true);
    books_say_what_a_ruling_decides("pl", true);
}

/// Holds the book of a language, and its page, to saying what a ruling decides, and not that the print says it.
fn books_say_what_a_ruling_decides(language: &str, has_page: bool) {
    for (lang, printed, decides) in [
        (
            "en",
            "- printed:",
            "- Decided by us, for the print leaves it open: captain 5",
        ),
        (
            "pl",
            "- w instrukcji:",
            "- Nasze rozstrzygnięcie tego, co instrukcja zostawia otwarte: captain 5",
        ),
    ] {
        if lang != language {
            continue;
        }
        let book = run(format!("doc puerto-rico --lang {lang}")).ends(0).data;
        let begins = "<a id=\"clause-captain.pass\">";
        let (_, clause) = book.split_once(begins).expect("the clause");
        let (clause, _) = clause.split_once("<a id=").expect("another");
        assert!(!clause.contains(printed), "{lang}: {clause}");
        assert!(clause.contains(decides), "{lang}: {clause}");
        if !has_page {
            continue;
        }
        let page = run(format!("doc puerto-rico --lang {lang} --format html"));
        let page = page.ends(0).data;
        let (_, clause) = page
            .split_once("id=\"clause-captain.pass\"")
            .expect("the clause");
        let (clause, _) = clause.split_once("id=\"clause-").expect("another");
        assert!(
            clause.contains(decides.trim_start_matches("- ")),
            "{lang}: {clause}"
        );
        for said in ["In the printed rulebook", "W drukowanej instrukcji"] {
            assert!(!clause.contains(said), "{lang}: {clause}");
        }
    }
}

#[test]
fn the_whole_is_shown_at_a_glance() {
    let ran = run("show puerto-rico").ends(0);
    shows!("show_overview", ran.data);
}

/// The table of every title as it is laid out, with a grid where a ruleset says where its cells lie.
#[test]
fn tables_are_drawn_as_they_are_laid_out() {
    for (snapshot, command) in [
        ("table_puerto_rico", "show puerto-rico --table --players 3"),
        (
            "table_puerto_rico_with_all",
            "show puerto-rico --table --players 3 --with new-buildings,nobles,corsair,festival",
        ),
        (
            "table_san_juan_pl",
            "show san-juan --table --lang pl --with new-buildings",
        ),
        ("table_genoa", "show genoa --table"),
        ("table_catan_rivals", "show catan-rivals --table"),
        (
            "table_catan_rivals_duel",
            "show catan-rivals --table --with era-of-gold,era-of-turmoil,era-of-progress,duel",
        ),
    ] {
        let ran = run(command);
        assert_eq!((ran.code, ran.notes.as_str()), (0, ""), "{command}");
        shows!(snapshot, ran.data);
    }
}

/// On a track in the middle stands what every seat has, also that of a module.
#[test]
fn a_track_shows_where_every_seat_stands() {
    let module = root().join("rulesets/house-rules/open-accounts");
    let command = format!(
        "show puerto-rico --table --players 3 --with {}",
        module.display()
    );
    let ran = run(command).ends(0);
    let on = |line: &str| line.contains("[0 p1, p2, p3] … 50");
    assert!(ran.data.lines().any(on), "{}", ran.data);
}

/// Without a layout everything is shown in the order of its declarations.
#[test]
fn a_table_without_a_layout_is_drawn_too() {
    let path = root().join("tests/rulesets/tea-house");
    let ran = run(format!("show {} --table", path.display())).ends(0);
    assert!(
        ran.notes.contains("it has no `table.yaml`"),
        "{}",
        ran.notes
    );
    assert!(!ran.data.contains("── "), "{}", ran.data);
}

#[test]
fn everything_can_be_shown_in_both_languages() {
    let package = texts(&root().join("rulesets/puerto-rico"));
    let ruleset = referee_tests::ruleset("puerto-rico", 3);
    let mut names: Vec<String> = ruleset
        .package()
        .rulebook
        .clauses
        .iter()
        .map(|c| format!("@{}", c.id.node))
        .collect();
    names.extend(
        ruleset
            .model()
            .phases
            .iter()
            .map(|phase| phase.name.to_string()),
    );
    for table in &ruleset.package().tables {
        names.push(table.plural.node.clone());
        names.extend(
            table
                .rows
                .iter()
                .map(|row| format!("{}.{}", table.name.node, row.id.node)),
        );
    }
    names.extend(ruleset.model().asks.iter().map(|ask| ask.step.to_string()));
    names.extend(
        ruleset
            .model()
            .moves
            .iter()
            .map(|mv| mv.address.to_string()),
    );
    names.extend(
        ruleset
            .model()
            .places
            .iter()
            .map(|place| place.name.to_string()),
    );
    assert!(!package.files.is_empty());
    for lang in ["en", "pl"] {
        let names = names.join(" ");
        let ran = run(format!("show puerto-rico --lang {lang} {names}")).ends(0);
        assert!(!ran.data.contains("(no such clause)"));
        for clause in &ruleset.package().rulebook.clauses {
            let text = clause.text.get(if lang == "pl" {
                interpreter::package::Language::Polish
            } else {
                interpreter::package::Language::English
            });
            let first = text.split_whitespace().next().unwrap_or_default();
            assert!(
                ran.data.contains(&format!("@{} {first}", clause.id.node)),
                "{lang}: {}",
                clause.id.node
            );
        }
    }
}

#[test]
fn a_replaced_clause_is_shown_with_the_one_that_holds() {
    let shown = |clause: &str| {
        let ran = run(format!("show puerto-rico --with nobles @{clause}")).ends(0);
        ran.data.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let replaced = shown("end.workers");
    let holds = "- replaced by @nobles.no-end The game does not end because workers or nobles";
    assert!(replaced.contains(holds), "{replaced}");
    let holds = shown("nobles.no-end");
    assert!(holds.contains("replaces @end.workers"), "{holds}");
    let restricted = shown("mayor.share");
    assert!(
        restricted.contains("~ restricted by @nobles.choice"),
        "{restricted}"
    );
}

#[test]
fn a_house_rule_is_shown_in_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let module = folder.path().join("tournament");
    std::fs::create_dir(&module).expect("writable");
    for (file, text) in [
        (
            "module.yaml",
            "id: tournament\nextends: puerto-rico\ntitles: {en: Tournament, pl: Turniej}\npatch:\n  building:\n    factory: {cost: 8}\nfiles:\n  rulebook: rulebook.yaml\n  rules: [corn.rules]\n",
        ),
        (
            "rulebook.yaml",
            "sections:\n  - id: tournament\n    titles: {en: Tournament rules, pl: Zasady turniejowe}\n    clauses:\n      - {id: tournament.corn, en: Corn sells for one doubloon more., pl: Kukurydza jest droższa.}\n      - {id: tournament.fleet, en: No ship sails., pl: Żaden statek nie odpływa.}\n",
        ),
        (
            "corn.rules",
            "modify trader.sale(p, g) by 1 when g is corn                @tournament.corn\ndisable captain.sailing                                     @tournament.fleet\nreplace trader.clearing:\n  step clearing when size(trading_house) > 0: do { move_all(trading_house, supply); }   @trader.clearing\n",
        ),
    ] {
        std::fs::write(module.join(file), text).expect("writable");
    }
    let with = path_of(&module);
    let checked = run(format!("check puerto-rico --with {with}")).ends(0);
    assert!(
        checked
            .data
            .contains("puerto-rico 0.1.0 with tournament, for 2, 3, 4 and 5 players")
    );
    // A step that was taken out is not there.
    run(format!(
        "show puerto-rico trader captain.sailing factory --with {with}"
    ))
    .ends(2);
    let ran = run(format!("show puerto-rico trader factory --with {with}")).ends(0);
    shows!("show_house_rule", without(&module, &ran.data));
    let ran = run(format!("show puerto-rico captain --with {with}"));
    let gone = ran
        .data
        .lines()
        .find(|line| line.contains("disable captain.sailing"));
    assert!(
        gone.is_some_and(|line| line.starts_with('-') && line.contains("module tournament")),
        "{}",
        ran.data
    );
    assert!(!ran.data.contains("step sailing"));
}

#[test]
fn scenarios_are_run_like_tests() {
    let ran = run("test puerto-rico --filter wharf").ends(0);
    shows!("test_wharf", ran.data);

    let (_folder, path) = broken(&[(
        "components/buildings.yaml",
        "cost: 5, victory_value: 2, group: 2, spaces: 1, slots: 1, utility: true, guild_value: 0}\n  large_market",
        "cost: 4, victory_value: 2, group: 2, spaces: 1, slots: 1, utility: true, guild_value: 0}\n  large_market",
    )]);
    let all = run(format!("test {} --format json", path.display()));
    let json = all.json();
    assert_eq!(json["schema"], "referee.test/1");
    let scenarios = json["rulesets"][0]["scenarios"]
        .as_array()
        .expect("scenarios");
    let passed = scenarios.iter().filter(|s| s["passed"] == true).count();
    assert_eq!(json["passed"], passed);
    assert_eq!(json["failed"], scenarios.len() - passed);
    assert_eq!(all.code, u8::from(passed < scenarios.len()));

    // Where the ruleset lies says nothing of its scenarios.
    let folder = path.file_name().expect("a folder").to_string_lossy();
    let none = run(format!("test {} --filter {folder}", path.display())).ends(1);
    assert!(none.data.ends_with("0 passed, 0 failed\n"), "{}", none.data);
}

#[test]
fn a_failed_scenario_shows_what_was_expected() {
    let (_folder, path) = broken(&[(
        "scenarios/captain.yaml",
        "p1: {stock: {coffee: 1}, points: {victory_point: 3}}",
        "p1: {stock: {coffee: 2}, points: {victory_point: 3}}",
    )]);
    let ran = run(format!(
        "test {} --filter 'no other ship takes coffee'",
        path.display()
    ))
    .ends(1);
    shows!("test_failed", without(&path, &ran.data));
}

/// A scenario of Puerto Rico of which every kind of expectation is wrong.
const WRONG: &str = "\
scenario: nothing is as it is said to be # but for the name
game: {players: 3, seed: 1}
given:
  phase: {captain: {holder: p1}}
  hold: {ship_4: {corn: 1}}
  p1: {stock: {corn: 5, sugar: 1}}
when:
  - expect: {asked: [p1, p2]} # only one
  - p1: {load: {g: corn, s: ship_4}}
then:
  over: true
  events:
    - loaded: {p: p2, n: 1} # nobody
  p1: {stock: {corn:  4}, points: 17} # two spaces
  table:
    hold: {ship_4: [corn]}
";

#[test]
fn what_happened_is_written_into_scenarios() {
    let (_folder, path) = broken(&[]);
    let file = path.join("scenarios/wrong.yaml");
    std::fs::write(&file, WRONG).expect("writable");
    let command = format!("test {} --filter wrong.yaml", path.display());

    let ran = run(&command).ends(1);
    shows!("test_side_by_side", without(&path, &ran.data));
    assert_eq!(std::fs::read_to_string(&file).expect("readable"), WRONG);

    let ran = run(format!("{command} --update --format json")).ends(0);
    let json = ran.json();
    assert_eq!(json["updated"][0], path_of(&file));
    shows!(
        "test_updated",
        std::fs::read_to_string(&file).expect("readable")
    );

    // Now there is nothing to write.
    let before = std::fs::read_to_string(&file).expect("readable");
    let ran = run(format!("{command} --update"));
    assert_eq!((ran.code, ran.notes.as_str()), (0, ""));
    assert_eq!(std::fs::read_to_string(&file).expect("readable"), before);
}

#[test]
fn what_cannot_be_written_is_left_to_the_author() {
    let (_folder, path) = broken(&[]);
    let file = path.join("scenarios/wrong.yaml");
    let refused = WRONG.replace("s: ship_4}}", "s: ship_9}}");
    std::fs::write(&file, &refused).expect("writable");
    let update = format!("test {} --filter wrong.yaml --update", path.display());
    run(&update).ends(1);
    let written = std::fs::read_to_string(&file).expect("readable");
    assert_eq!(
        written,
        refused.replace("[p1, p2]", "p1"),
        "the move is not"
    );

    // With rules that have mistakes nothing happened at all.
    let roles = path.join("rules/roles.rules");
    let rules = std::fs::read_to_string(&roles).expect("readable");
    std::fs::write(&roles, rules.replace("doubloons(p)", "dubloons(p)")).expect("writable");
    std::fs::write(&file, WRONG).expect("writable");
    run(&update).ends(1).notes("nothing is written");
    assert_eq!(std::fs::read_to_string(&file).expect("readable"), WRONG);
}

#[test]
fn coverage_names_every_gap() {
    let json = json("coverage puerto-rico --format json");
    assert_eq!(json["schema"], "referee.coverage/2");
    let percent = json["touched_percent"].as_f64().expect("a number");
    assert!(percent > 95.0, "{percent}");
    for clause in json["clauses"].as_array().expect("clauses") {
        // A note, or a ruling that no single rule carries out.
        let is_loose = clause["standing"].is_null();
        let is_fit = ["note", "ruling"].contains(&clause["kind"].as_str().unwrap_or_default());
        assert!(
            is_fit || !is_loose || clause["overruled"] == true,
            "{clause}"
        );
        assert!(
            !is_loose || clause["gaps"].as_array().is_some_and(Vec::is_empty),
            "{clause}"
        );
    }

    // Without the scenarios of the mayor nothing shows that the others follow clockwise.
    let (_folder, path) = broken(&[]);
    std::fs::remove_dir_all(path.join("modules")).expect("writable");
    let manifest = std::fs::read_to_string(path.join("ruleset.yaml")).expect("readable");
    let alone: Vec<&str> = manifest
        .lines()
        .filter(|line| !line.starts_with("modules:"))
        .collect();
    std::fs::write(path.join("ruleset.yaml"), alone.join("\n")).expect("writable");
    for file in std::fs::read_dir(path.join("scenarios")).expect("readable") {
        let file = file.expect("readable").path();
        if !file.ends_with("trader.yaml") {
            std::fs::remove_file(file).expect("writable");
        }
    }
    let ran = run(format!("coverage {} --gaps --touched 90", path.display())).ends(1);
    ran.notes("touched is below the threshold of 90 %")
        .tells("@captain.must-load: no scenario proves it");
    assert!(
        !ran.data.contains("@trader.full: no scenario proves it"),
        "{}",
        ran.data
    );
}

#[test]
fn coverage_is_shown_by_paragraph() {
    // Whether somebody has proved it is no matter here.
    let (_folder, path) = broken(&[]);
    let _ = std::fs::remove_file(path.join("proof.yaml"));
    let ran = run(format!("coverage {}", path.display()));
    let start = ran.data.find("captain loading 1").expect("the paragraph");
    let shown: Vec<&str> = ran.data[start..].lines().take(40).collect();
    shows!("coverage_captain", shown.join("\n"));
}

#[test]
fn play_outs_are_counted() {
    let ran =
        run("simulate puerto-rico --players 4 --games 10 --seed 7 --verify --format json").ends(0);
    let json = ran.json();
    for key in [
        "games_per_second",
        "decisions_per_second",
        "decisions_per_game",
    ] {
        assert!(json[key].as_f64().is_some_and(|n| n > 0.0), "{key}");
    }
    assert_eq!(
        (&json["players"], &json["policy"], &json["seed"]),
        (&4.into(), &"random".into(), &7.into())
    );
    let sum = |value: &serde_json::Value| -> u64 {
        value
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(_, n)| n.as_u64())
            .sum()
    };
    assert_eq!(sum(&json["end_reasons"]), 10);
    assert_eq!(
        sum(&json["moves"]),
        json["decisions"].as_u64().unwrap_or(0) + json["forced_moves"].as_u64().unwrap_or(0)
    );
    let wins: u64 = json["scores"]["by_seat"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|s| s["wins"].as_u64())
        .sum();
    assert!(wins <= 10);
    assert_eq!(
        json["uses"]["building"]
            .as_object()
            .map(serde_json::Map::len),
        Some(23)
    );
    assert!(json["failures"].as_array().is_some_and(Vec::is_empty));

    // The same games on one thread, and a single game of the run: what happens does not depend on that.
    let again = run("simulate puerto-rico --players 4 --games 10 --seed 7 --jobs 1 --format json");
    let again = again.json();
    for key in [
        "moves",
        "uses",
        "end_reasons",
        "scores",
        "refusals",
        "clauses",
        "unused",
        "length",
    ] {
        assert_eq!(json[key], again[key], "{key}");
    }
}

#[test]
#[cfg(feature = "native")]
fn machine_code_plays_the_games_that_are_interpreted() {
    let simulated = |more: &str| {
        let games = "simulate puerto-rico --players 3 --games 120 --seed 9 --format json";
        let mut json = json(format!("{games} {more}"));
        let told = json.as_object_mut().expect("an object");
        let before = told.len();
        told.retain(|key, _| !key.contains("second"));
        assert!(told.len() < before, "it tells how long it took");
        let evaluator = told.remove("evaluator");
        (evaluator, json)
    };
    let (compiled, interpreted) = (simulated(""), simulated("--interpreted"));
    assert_eq!(compiled.0, Some("machine code".into()));
    assert_eq!(interpreted.0, Some("interpreter".into()));
    assert_eq!(compiled.1, interpreted.1);
}

#[test]
fn the_transcript_is_of_the_game_that_is_simulated() {
    let told = run("simulate puerto-rico --players 3 --seed 11 --transcript").ends(0);
    let simulated = run("simulate puerto-rico --players 3 --seed 11 --games 1 --format json");
    let json = simulated.json();
    let totals: Vec<String> = json["scores"]["by_seat"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|seat| seat["score"]["most"].to_string())
        .collect();
    let line = told
        .data
        .lines()
        .find(|line| line.starts_with("total"))
        .expect("the sums");
    assert_eq!(line.split_whitespace().skip(1).collect::<Vec<_>>(), totals);
}

#[test]
fn codes_are_explained() {
    let ran = run("explain rf0321").ends(0);
    assert!(ran.data.starts_with("RF0321: "));
    let shown = |heading| ran.data.contains(heading);
    assert!(shown("\nWrong:\n\n    # ") && shown("\nRight:\n\n    # "));
    let all = run("explain");
    assert!(all.data.lines().count() > 50);
}

#[test]
fn a_trace_lists_the_moves_that_the_referee_makes_by_itself() {
    let asked = "test puerto-rico --filter mayor.yaml --trace";
    let ran = run(asked);
    assert_eq!(ran.code, 0, "{}", ran.data);
    for told in [
        "          p1: hire  mayor.privilege\n",
        "          p1: pass  (the only move)  mayor.privilege\n",
    ] {
        assert!(ran.data.contains(told), "{told}\n{}", ran.data);
    }
    let made = |asked: &str| {
        let tested = json(asked);
        let scenarios = tested["rulesets"][0]["scenarios"].clone();
        let all = scenarios.as_array().expect("scenarios").clone();
        let made = all
            .iter()
            .filter_map(|scenario| scenario["made"].as_array());
        let forced = made.flatten().filter(|made| made["forced"] == true);
        forced.count()
    };
    assert!(made(&format!("{asked} --format json")) > 0);
    assert_eq!(
        made("test puerto-rico --filter mayor.yaml --format json"),
        0
    );
}
