//! `referee diff`.

use referee_tests::command::{json, run};
use serde_json::Value;

use super::{SHIPPED, committed, copied, invented, shown, shows, write};

/// A house rule of the tea house: a dearer kettle, no race, another clause.
fn module(folder: &std::path::Path) -> std::path::PathBuf {
    let module = folder.join("strict");
    write(
        &module,
        &[
            (
                "module.yaml",
                "id: strict\nextends: tea-house\ntitles: {en: Strict, pl: Surowo}\npatch: {dish: {kettle: {cost: 3}}, figures: {most_bid: 2}}\nfiles: {rulebook: rulebook.yaml, rules: [strict.rules]}\n",
            ),
            (
                "rulebook.yaml",
                "sections:\n  - id: strict\n    titles: {en: Strict, pl: Surowo}\n    clauses:\n      - {id: strict.race, en: Nobody races., pl: Nikt się nie ściga.}\n",
            ),
            ("strict.rules", "disable round.race    @strict.race\n"),
        ],
    );
    module
}

#[test]
fn everything_that_a_module_changes_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let with = module(folder.path());
    let tea = invented("tea-house");
    let ran = run(format!(
        "diff {tea} --with {} --players 2 --games 60",
        with.display()
    ))
    .ends(0);
    let text = ran
        .data
        .replace(&tea, "<tea-house>")
        .replace(shown(&with), "<strict>");
    shows!("diff_strict", text);

    let found = json(format!(
        "diff {tea} --with {} --players 2 --games 60 --format json",
        with.display()
    ));
    assert_eq!(
        (&found["schema"], &found["different"]),
        (&"referee.diff/1".into(), &true.into())
    );
    let of = |part: &str| -> Vec<&str> {
        let all = found["texts"][part].as_array().expect("a list");
        all.iter().filter_map(|one| one["of"].as_str()).collect()
    };
    assert_eq!(of("rows"), ["dish kettle cost"]);
    assert_eq!(of("figures"), ["figure most_bid"]);
    assert_eq!(of("clauses"), ["clause strict.race"]);
    assert!(
        of("rules").iter().any(|of| of.contains("round.race")),
        "{:?}",
        of("rules")
    );
    for measure in found["games"]["measures"].as_array().expect("measures") {
        let number = |key: &str| measure[key].as_f64().expect("a number");
        let difference = number("after") - number("before");
        assert!(
            (difference - number("difference")).abs() < 1e-9,
            "{measure}"
        );
        assert!(number("uncertain") >= 0.0, "{measure}");
    }
}

#[test]
fn a_ruleset_is_the_same_as_itself() {
    is_the_same_as_itself("san-juan");
}

#[test]
#[ignore = "slow"]
fn every_shipped_ruleset_is_the_same_as_itself() {
    SHIPPED.into_iter().for_each(is_the_same_as_itself);
}

/// Compares a ruleset with itself: texts, scenarios and games.
fn is_the_same_as_itself(id: &str) {
    let found = json(format!("diff {id} {id} --games 6 --format json"));
    assert_eq!(found["different"], false, "{id}");
    assert_eq!(found["games"]["same"], found["games"]["games"], "{id}");
    assert_eq!(found["games"]["parting"], Value::Null, "{id}");
    assert!(
        found["scenarios"]["run"]
            .as_u64()
            .is_some_and(|run| run > 50),
        "{id}"
    );
    for part in ["manifest", "figures", "rows", "rules", "clauses", "names"] {
        assert_eq!(found["texts"][part], serde_json::json!([]), "{id}: {part}");
    }
}

#[test]
fn the_first_move_that_differs_is_found() {
    let (_folder, path) = copied("tea-house");
    let table = path.join("rules/table.rules");
    let text = std::fs::read_to_string(&table).expect("readable");
    // Everybody draws one card more: hands differ from the first question on.
    let changed = text.replace(
        "draw(start_hand, deck, hand(p))",
        "draw(start_hand + 1, deck, hand(p))",
    );
    assert_ne!(changed, text);
    std::fs::write(&table, changed).expect("writable");
    let tea = invented("tea-house");
    let found = json(format!(
        "diff {tea} {} --games 20 --format json",
        path.display()
    ));
    let parting = &found["games"]["parting"];
    assert_eq!(parting["seed"], 1);
    assert_ne!(parting["before"], parting["then"], "{parting}");
    let changed = found["texts"]["rules"].as_array().expect("rules");
    assert_eq!(changed.len(), 1, "{changed:?}");
    assert!(
        changed[0]["after"]
            .as_str()
            .is_some_and(|after| after.contains("start_hand + 1"))
    );
    run(format!(
        "diff {tea} {} --games 0 --exit-code",
        path.display()
    ))
    .ends(1);
    assert_eq!(
        run(format!("diff {tea} {tea} --games 0 --exit-code")).code,
        0
    );
}

#[test]
fn revisions_of_git_are_compared() {
    let (folder, path) = copied("tea-house");
    let shown = path.display();
    run(format!("snapshot add {shown} game --players 2")).ends(0);
    committed(folder.path());
    let setup = path.join("setup.yaml");
    let text = std::fs::read_to_string(&setup).expect("readable");
    std::fs::write(
        &setup,
        text.replace("house_size: {value: 5", "house_size: {value: 4"),
    )
    .expect("writable");
    let new = path.display();
    let found = json(format!("diff {new}@HEAD {new} --games 10 --format json"));
    let figures = found["texts"]["figures"].as_array().expect("figures");
    assert_eq!(figures.len(), 1, "{figures:?}");
    assert_eq!(
        (&figures[0]["before"], &figures[0]["after"]),
        (&"5".into(), &"4".into())
    );
    // The games that were accepted then are played again.
    assert_eq!(found["accepted"]["games"], 1, "{}", found["accepted"]);
    let wrong = run(format!("diff {new}@nowhere {new}")).ends(2);
    wrong.notes("@nowhere`: ");
}

#[test]
fn wrong_usage_is_answered() {
    let tea = invented("tea-house");
    for (line, expected) in [
        (format!("diff {tea}"), "compare with what?"),
        (
            format!("diff {tea} puerto-rico --players 5"),
            "both are for 2 to 3 players, not 5",
        ),
        (
            format!("diff {tea} puerto-rica"),
            "did you mean `puerto-rico`?",
        ),
    ] {
        run(line).ends(2).notes(expected);
    }
}
