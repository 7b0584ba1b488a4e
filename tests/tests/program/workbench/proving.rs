//! `referee prove`: of every kind of mistake the one that no scenario notices is found, and none that one notices.

use interpreter::mutation::Operator;
use referee_tests::command::run;
use serde_json::Value;

use super::{committed, copied, invented, shown};

/// What is proved of two fairs with the same rules, of which scenarios prove the eastern one.
fn fairs() -> Value {
    let ran = run(format!(
        "prove {} --no-cache --format json",
        invented("two-fairs")
    ));
    assert_eq!((ran.code, ran.notes.as_str()), (1, ""), "{}", ran.notes);
    ran.json()
}

fn number(of: &Value, key: &str) -> u64 {
    of[key].as_u64().expect("a number")
}

fn mutants(proved: &Value) -> impl Iterator<Item = &Value> {
    proved["mutants"].as_array().expect("mutants").iter()
}

#[test]
fn every_operator_finds_the_mistake_that_nobody_notices() {
    let proved = fairs();
    for operator in Operator::ALL.map(Operator::id) {
        let count = &proved["operators"][operator];
        for end in ["killed", "survived"] {
            assert!(number(count, end) > 0, "{operator}: none {end}: {count}");
        }
    }
    // What no scenario plays notices nothing.
    // The end of the game alone comes by itself, if it comes at once.
    let is_west = |mutant: &&Value| {
        let file = mutant["file"].as_str().expect("a file");
        file.ends_with("west.rules") && mutant["clause"] != "west.full"
    };
    let west = mutants(&proved).filter(is_west);
    for mutant in west {
        assert!(
            mutant["outcome"] == "survived" || mutant["outcome"] == "invalid",
            "{mutant}"
        );
    }
    let dropped = mutants(&proved)
        .find(|mutant| mutant["operator"] == "condition-dropped" && mutant["clause"] == "west.own");
    let dropped = dropped.expect("a condition");
    assert_eq!(dropped["sentence"], "needs stock(p, w) > 0");
    let skeleton = dropped["skeleton"]
        .as_str()
        .expect("a scenario to begin with");
    let wanted =
        "at: west.selling\n  when:\n    - refused: {p1: {sell: {w: …}}}\n      by: west.own\n";
    assert!(skeleton.ends_with(wanted), "{skeleton}");
}

#[test]
fn every_mutant_has_one_end() {
    let proved = fairs();
    let sum = |of: &Value| -> u64 {
        let ends = ["invalid", "killed", "marked", "survived"];
        ends.iter().map(|end| number(of, end)).sum()
    };
    let operators = proved["operators"].as_object().expect("operators");
    for (operator, count) in operators {
        assert_eq!(number(count, "made"), sum(count), "{operator}");
    }
    assert_eq!(number(&proved, "made"), sum(&proved));
    assert_eq!(
        number(&proved, "made"),
        operators
            .values()
            .map(|count| number(count, "made"))
            .sum::<u64>()
    );
    let mut names: Vec<&str> = mutants(&proved)
        .filter_map(|mutant| mutant["mutant"].as_str())
        .collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "two mutants have the same name");
}

#[test]
fn marks_hold_for_their_sentence_and_only_if_they_are_right() {
    let (_folder, path) = copied("two-fairs");
    let prove = || {
        run(format!(
            "prove {} --clause west.own --no-cache --format json",
            shown(&path)
        ))
    };
    let before = prove().json();
    let survived: Vec<&Value> = mutants(&before)
        .filter(|mutant| mutant["outcome"] == "survived")
        .collect();
    assert!(survived.len() > 1);
    let mark = |mutant: &Value| {
        format!(
            "  - mutant: {}\n    operator: {}\n    reason: whoever has nothing sells nothing\n",
            mutant["mutant"].as_str().expect("a name"),
            mutant["operator"].as_str().expect("an operator"),
        )
    };
    let marks: String = survived.iter().map(|mutant| mark(mutant)).collect();
    let file = path.join("equivalents.yaml");
    std::fs::write(&file, format!("equivalents:\n{marks}")).expect("writable");
    let ran = prove();
    assert_eq!(ran.code, 0, "{}", ran.data);
    assert_eq!(number(&ran.json(), "marked"), survived.len() as u64);
    // The document belongs to no ruleset that is played, and is no file that nothing reads.
    let checked = run(format!("check {} --fail-on-warn", shown(&path)));
    assert_eq!(checked.code, 0, "{}", checked.data);
    // A sentence that is changed has other mutants.
    let rules = path.join("rules/west.rules");
    let text = std::fs::read_to_string(&rules).expect("readable");
    let changed = text.replace("needs stock(p, w) > 0", "needs stock(p, w) >= 1");
    std::fs::write(&rules, changed).expect("writable");
    let ran = prove();
    let json = ran.json();
    let lapsed = json["lapsed"].as_array().expect("marks");
    assert_eq!((ran.code, lapsed.len()), (1, survived.len()));
    let why = lapsed[0]["why"].as_str().expect("a reason");
    assert!(
        why.contains("the sentence that it was marked in has changed"),
        "{why}"
    );
    std::fs::write(&rules, text).expect("writable");
    // Nor is a mark right that a scenario refutes.
    let proved = run(format!(
        "prove {} --clause east.own --no-cache --format json",
        shown(&path)
    ))
    .json();
    let killed = mutants(&proved)
        .find(|mutant| mutant["outcome"] == "killed")
        .expect("one");
    std::fs::write(&file, format!("equivalents:\n{}", mark(killed))).expect("writable");
    let ran = run(format!(
        "prove {} --clause east.own --no-cache",
        shown(&path)
    ));
    assert_eq!(ran.code, 1);
    assert!(
        ran.notes.contains("notices this mistake; remove the mark"),
        "{}",
        ran.notes
    );
}

#[test]
fn what_is_known_is_found_out_again_only_if_it_may_have_changed() {
    let (_folder, path) = copied("two-fairs");
    let cache = tempfile::tempdir().expect("a folder");
    let prove = || {
        let ran = run(format!(
            "prove {} --clause west.own --cache {} --format json",
            shown(&path),
            shown(cache.path())
        ));
        ran.json()
    };
    let kept = || {
        let mut files = std::fs::read_dir(cache.path()).expect("readable").flatten();
        let text =
            std::fs::read_to_string(files.next().expect("one file").path()).expect("readable");
        assert!(files.next().is_none(), "the rules are the same");
        text.lines().filter(|line| !line.is_empty()).count() as u64
    };
    let first = prove();
    assert_eq!(kept(), number(&first, "made"));
    assert_eq!(prove(), first);
    assert_eq!(kept(), number(&first, "made"), "all of it was known");
    let scenario = "game: {players: 2}\nscenarios:\n  - scenario: nobody sells what they have not\n    cites: [west.own]\n    \
                    given: {phase: {west: {holder: p1}}, p1: {stock: {figs: 1, salt: 0}}}\n    when:\n      \
                    - refused: {p1: {sell: {w: salt}}}\n        by: west.own\n";
    std::fs::write(path.join("scenarios/west.yaml"), scenario).expect("writable");
    let second = prove();
    assert!(
        number(&second, "survived") < number(&first, "survived"),
        "{second}"
    );
    assert_eq!(kept(), number(&first, "made") + number(&first, "survived"));
}

/// Two fairs with a module, and a scenario that is played with it and notices mistakes in the west.
fn with_a_module() -> (tempfile::TempDir, std::path::PathBuf) {
    let (folder, path) = copied("two-fairs");
    let manifest = std::fs::read_to_string(path.join("ruleset.yaml")).expect("readable");
    let module = "id: autumn\nextends: two-fairs\ntitles: {en: Autumn, pl: Jesień}\nfiles: {}\npatch:\n  figures: {west_start: 5}\n";
    let scenario = "game: {players: 2, modules: [autumn]}\nscenarios:\n  - scenario: nobody sells in autumn what they have not\n    \
                    cites: [west.own]\n    given: {phase: {west: {holder: p1}}, p1: {stock: {figs: 1, salt: 0}}}\n    when:\n      \
                    - refused: {p1: {sell: {w: salt}}}\n        by: west.own\n";
    for (file, text) in [
        (
            "ruleset.yaml",
            format!("{manifest}modules: [autumn]\n").as_str(),
        ),
        ("modules/autumn/module.yaml", module),
        ("modules/autumn/scenarios/west.yaml", scenario),
    ] {
        super::write(&path, &[(file, text)]);
    }
    (folder, path)
}

#[test]
fn what_survives_is_tried_with_the_modules_of_the_package() {
    let before = run(format!(
        "prove {} --clause west.own --no-cache --format json",
        invented("two-fairs")
    ));
    let before = before.json();
    assert_eq!(before["noticed_with"], serde_json::json!({}));
    let (_folder, path) = with_a_module();
    let cache = tempfile::tempdir().expect("a folder");
    let prove = |format: &str| {
        run(format!(
            "prove {} --clause west.own --cache {} --format {format}",
            shown(&path),
            shown(cache.path())
        ))
    };
    let told = prove("human").data;
    let after = prove("json").json();
    let with = number(&after["noticed_with"], "autumn");
    assert!(with > 0, "{after}");
    assert_eq!(
        number(&after, "survived") + with,
        number(&before, "survived")
    );
    assert!(told.contains(&format!("noticed only with modules: {with} with autumn\n")));
    let killed = mutants(&after).filter(|mutant| mutant["killed_with"][0] == "autumn");
    for mutant in killed {
        let by = &mutant["killed_by"];
        assert_eq!(
            by[0], "nobody sells in autumn what they have not",
            "{mutant}"
        );
    }
    // A run that is interrupted between both goes on there.
    let files = std::fs::read_dir(cache.path()).expect("readable").flatten();
    let file = files.map(|file| file.path()).next().expect("one file");
    let kept = std::fs::read_to_string(&file).expect("readable");
    let first: Vec<&str> = kept
        .lines()
        .filter(|line| {
            line.contains("is_open") || !(line.contains("survived") || line.contains("autumn"))
        })
        .collect();
    let open = first.iter().filter(|line| line.contains("is_open")).count() as u64;
    assert_eq!(open, number(&before, "survived"));
    std::fs::write(&file, format!("{}\n", first.join("\n"))).expect("writable");
    assert_eq!(prove("json").json(), after);
    let again = std::fs::read_to_string(&file).expect("readable");
    let again = again.lines().filter(|line| line.contains("is_open"));
    assert_eq!(again.count() as u64, open, "nothing is found out twice");
}

#[test]
fn a_clause_is_proven_if_no_mistake_in_its_rules_survives() {
    let (_folder, path) = copied("two-fairs");
    let file = path.join("proof.yaml");
    let committed = std::fs::read_to_string(&file).expect("a proof");
    std::fs::remove_file(&file).expect("writable");
    let coverage = || {
        let ran = run(format!("coverage {} --format json", shown(&path)));
        assert_eq!(ran.code, 0, "{}", ran.notes);
        ran.json()
    };
    let clause = |covered: &Value, id: &str| {
        let clauses = covered["clauses"].as_array().expect("clauses");
        let found = clauses.iter().find(|clause| clause["id"] == id);
        found.expect("the clause").clone()
    };
    let before = coverage();
    assert_eq!(number(&before, "proven"), 0, "{before}");
    assert!(number(&before, "touched") > 0);
    let own = clause(&before, "east.own");
    assert_eq!(own["standing"], "touched");
    assert_eq!(own["missing"], serde_json::json!([{"proof": null}]));
    let told = run(format!("coverage {}", shown(&path)));
    let command = format!("run `referee prove {} --keep`", shown(&path));
    assert!(told.data.contains(&command), "{}", told.data);

    let keep = run(format!("prove {} --no-cache --keep", shown(&path)));
    assert!(
        keep.notes.contains("the proof is kept in "),
        "{}",
        keep.notes
    );
    assert_eq!(
        std::fs::read_to_string(&file).expect("a proof"),
        committed,
        "what is committed is of other texts or mistakes: `referee prove tests/rulesets/two-fairs --keep`"
    );
    let after = coverage();
    assert_eq!(clause(&after, "east.own")["standing"], "proven");
    assert_eq!(clause(&after, "west.own")["standing"], "gap");
    let survive = |covered: &Value| {
        let clauses = covered["clauses"].as_array().expect("clauses").clone();
        let missing = clauses
            .iter()
            .flat_map(|clause| clause["missing"].as_array());
        missing
            .flatten()
            .filter(|missing| missing["survive"].is_u64())
            .count()
    };
    assert!(survive(&after) > 0, "{after}");
    assert_eq!(after["touched"], before["touched"]);
    let (proven, all) = (number(&after, "proven"), number(&after, "enforceable"));
    assert!(0 < proven && proven < number(&after, "touched"), "{after}");
    let told = run(format!("coverage {} --threshold 100", shown(&path)));
    assert_eq!(told.code, 1);
    let summary = format!("{proven} of {all} enforceable clauses proven (");
    assert!(told.data.contains(&summary), "{}", told.data);
    assert!(told.data.contains("  proven  @east.own"), "{}", told.data);
    assert!(told.data.contains("survive"), "{}", told.data);
    let book = run(format!("doc {}", shown(&path))).data;
    assert!(book.contains("**@east.own** (proven)"), "{book}");

    // No mistake depends on the words of a clause, nor on a clause that nothing cites.
    let rulebook = path.join("rulebook.yaml");
    let words = std::fs::read_to_string(&rulebook).expect("readable");
    let held = "In the east a fair is held.";
    assert!(words.contains(held));
    let reworded = words.replacen(held, "A fair is held in the east.", 1);
    std::fs::write(&rulebook, &reworded).expect("writable");
    assert_eq!(number(&coverage(), "proven"), proven);
    let added = reworded.replacen(
        "      - id: days\n",
        "      - {id: thanks, kind: note, en: Thank the host., pl: Podziękuj gospodarzowi.}\n      - id: days\n",
        1,
    );
    std::fs::write(&rulebook, added).expect("writable");
    assert_eq!(number(&coverage(), "proven"), proven);
    std::fs::write(&rulebook, &words).expect("writable");

    // A scenario that sees no refusal any more says less, and the proof was of another text.
    let scenarios = path.join("scenarios/east.yaml");
    let text = std::fs::read_to_string(&scenarios).expect("readable");
    let refused = "      - refused: {p1: {sell: {w: salt}}}\n        by: east.own\n";
    assert!(text.contains(refused));
    std::fs::write(&scenarios, text.replacen(refused, "", 1)).expect("writable");
    let changed = coverage();
    let own = clause(&changed, "east.own");
    assert_eq!(
        own["missing"],
        serde_json::json!(["refusal", {"proof": null}])
    );
    let told = run(format!("coverage {}", shown(&path)));
    assert!(
        told.data
            .contains("was proved before it, or what is planted, was changed")
    );
    assert!(
        told.data.contains("  @east.own: not seen refusing"),
        "{}",
        told.data
    );
}

#[test]
fn a_proof_is_kept_beside_what_is_proved() {
    let (_folder, path) = with_a_module();
    let ran = run(format!(
        "prove {} --with autumn --no-cache --keep",
        shown(&path)
    ));
    assert!(
        ran.notes.contains("modules/autumn/proof.yaml"),
        "{}",
        ran.notes
    );
    let proof = std::fs::read_to_string(path.join("modules/autumn/proof.yaml")).expect("kept");
    assert!(proof.contains("with:\n- autumn\n"), "{proof}");
    let told = run(format!("coverage {} --with autumn", shown(&path)));
    assert!(
        !told.data.contains("`autumn` "),
        "it is proved: {}",
        told.data
    );
    let checked = run(format!(
        "check {} --with autumn --fail-on-warn",
        shown(&path)
    ));
    assert_eq!(checked.code, 0, "{}", checked.data);
    // What was shipped has no folder.
    let shipped = run("prove puerto-rico --keep --no-cache");
    assert!(
        shipped.code == 2 && shipped.notes.contains("name the folder of the ruleset"),
        "{}",
        shipped.notes
    );
}

#[test]
fn marks_are_tested_by_games() {
    marks_agree(&["turn-order-changed"], 1);
}

#[test]
#[ignore = "slow"]
fn marks_of_more_operators_are_tested_by_games() {
    marks_agree(&["turn-order-changed", "number-changed"], 2);
}

/// Tests the marks of these operators that *San Juan* has, and one that no game reaches.
fn marks_agree(operators: &[&str], games: u64) {
    let within = |ruleset: &str, operators: &[&str], limits: &str| {
        let operators = operators.iter().map(|id| format!("--operator {id} "));
        let operators: String = operators.collect();
        let ran = run(format!(
            "prove {ruleset} --marks {operators}{limits} --format json"
        ));
        (ran.code, ran.json())
    };
    // The one mark of two fairs.
    let fairs = |limits: &str| within(&invented("two-fairs"), &["number-changed"], limits);
    // The number of games ends it, not the time.
    let limits = format!("--seconds 300 --games {games}");
    let test = |ruleset: &str| within(ruleset, operators, &limits);
    let (code, tested) = test("san-juan");
    let marks = tested["marks"].as_array().expect("marks");
    assert_eq!(code, 0, "{tested}");
    assert!(
        marks
            .iter()
            .all(|mark| mark["end"] == "agree" && number(mark, "reached") == games)
    );
    // Twice the time, so only where there is enough of it.
    if games > 1 {
        assert_eq!(
            test("san-juan").1,
            tested,
            "the same games are played again"
        );
    }
    // A mark whose rule no game reaches is not tested: two fairs end before anybody sells in the west.
    let (code, tested) = fairs("--seconds 1 --games 2");
    let mark = &tested["marks"][0];
    assert_eq!((code, mark["end"].as_str()), (1, Some("unreached")));
    let why = mark["why"].as_str().expect("a reason");
    assert!(why.contains("nothing was tested"), "{why}");
    // In a sample that had no time for it this is told, and nothing is held against the mark, however its time was bounded.
    for limits in [
        "--seconds 5 --games 2 --within 0",
        "--seconds 1 --games 1000000 --within 600",
    ] {
        let (code, tested) = fairs(limits);
        let mark = &tested["marks"][0];
        assert_eq!(
            (code, mark["end"].as_str()),
            (0, Some("no-time")),
            "{limits}"
        );
        let why = mark["why"].as_str().expect("a reason");
        assert!(why.contains("not tested"), "{why}");
    }
}

#[test]
fn a_mark_that_is_false_is_found_by_a_game() {
    let (_folder, path) = copied("tea-house");
    let proved = run(format!(
        "prove {} --operator number-changed --no-cache --format json",
        shown(&path)
    ))
    .json();
    let noticed = mutants(&proved).filter(|mutant| mutant["outcome"] == "killed");
    // Each takes two seconds if no game reaches it.
    let marks: String = noticed
        .take(8)
        .map(|mutant| {
            format!(
                "  - mutant: \"{}\"\n    operator: number-changed\n    reason: it is false\n",
                mutant["mutant"].as_str().expect("a name")
            )
        })
        .collect();
    let file = path.join("equivalents.yaml");
    std::fs::write(&file, format!("equivalents:\n{marks}")).expect("writable");
    let ran = run(format!(
        "prove {} --marks --operator number-changed --seconds 2 --games 50 --format json",
        shown(&path)
    ));
    let tested = ran.json();
    let parted: Vec<&Value> = tested["marks"]
        .as_array()
        .expect("marks")
        .iter()
        .filter(|mark| mark["end"] == "parted")
        .collect();
    assert!(ran.code == 1 && !parted.is_empty(), "{tested}");
    let why = parted[0]["why"].as_str().expect("a reason");
    // Moves are told as scenarios write them.
    let moves = parted
        .iter()
        .filter_map(|mark| mark["why"].as_str()?.split_once(" (`"));
    let moves: Vec<&str> = moves.map(|(_, rest)| rest).collect();
    let is_move = |text: &&str| (1..=4).any(|seat| text.starts_with(&format!("p{seat}: ")));
    assert!(!moves.is_empty() && moves.iter().all(is_move), "{moves:?}");
    assert!(
        why.starts_with("a game notices it (")
            && why.contains("seed ")
            && why.contains("remove the mark"),
        "{why}"
    );
}

#[test]
fn only_what_was_asked_for_is_proved() {
    let fairs = invented("two-fairs");
    let ran = run(format!(
        "prove {fairs} --clause west.own --operator number-changed --no-cache"
    ));
    assert_eq!(ran.code, 1);
    assert!(ran.data.contains("0 made: "), "{}", ran.data);
    let ran = run(format!("prove {fairs} --clause west.onw --no-cache"));
    assert_eq!(ran.code, 2);
    assert!(
        ran.notes.contains("did you mean `west.own`?"),
        "{}",
        ran.notes
    );
    let ran = run("prove puerto-rico --operators --lang pl");
    assert_eq!(ran.data.lines().count(), Operator::ALL.len());
    assert!(ran.data.contains("pominięty warunek"), "{}", ran.data);
}

#[test]
fn survivors_are_shown_with_sentence_difference_and_skeleton() {
    let fairs = invented("two-fairs");
    let ran = run(format!(
        "prove {fairs} --clause west.heavy --operator contribution-removed --no-cache"
    ));
    assert_eq!(ran.code, 1);
    for told in [
        "survived: no scenario executes it  contribution-removed  ",
        "@west.heavy  What is heavy costs one more.",
        "-modify west_price(w) by 1 when heavy(w) as west_load                        @west.heavy\n      - scenario",
        "- scenario: What is heavy costs one more",
        "1 made: 0 invalid, 0 killed, 0 marked (0.0 %), 1 survived; ",
    ] {
        assert!(ran.data.contains(told), "{told}\n{}", ran.data);
    }
}

#[test]
fn what_has_changed_is_proved_and_a_part_of_the_rest() {
    let (folder, path) = copied("two-fairs");
    committed(folder.path());
    let prove = |arguments: &str| {
        let ruleset = shown(&path);
        run(format!(
            "prove {ruleset} --no-cache --format json {arguments}"
        ))
    };
    let names = |proved: &Value| -> Vec<String> {
        let names = mutants(proved).filter_map(|mutant| mutant["mutant"].as_str());
        names.map(str::to_owned).collect()
    };
    let ran = prove("--since HEAD");
    assert_eq!((ran.code, number(&ran.json(), "made")), (0, 0));
    // Every mistake is in one part, and parts go round.
    let all = names(&prove("--operator number-changed").json());
    let parts = (0..4)
        .map(|part| names(&prove(&format!("--operator number-changed --part {part}/4")).json()));
    let parts: Vec<Vec<String>> = parts.collect();
    assert!(parts.iter().filter(|part| !part.is_empty()).count() > 1);
    let mut together = parts.concat();
    together.sort_unstable();
    let mut sorted = all.clone();
    sorted.sort_unstable();
    assert_eq!(together, sorted);
    let again = prove("--operator number-changed --part 5/4").json();
    assert_eq!(names(&again), parts[1]);
    // What stands in a sentence that is new, beside a part of the rest.
    let rules = path.join("rules/west.rules");
    let text = std::fs::read_to_string(&rules).expect("readable");
    let changed = text.replacen("needs stock(p, w) > 0", "needs stock(p, w) >= 1", 1);
    std::fs::write(&rules, changed).expect("writable");
    let ran = prove("--since HEAD");
    let proved = ran.json();
    assert!(ran.code == 1 && number(&proved, "made") > 1, "{proved}");
    let sentences = mutants(&proved).map(|mutant| mutant["sentence"].as_str());
    // Steps that are exchanged are a sentence too.
    for sentence in sentences {
        let sentence = sentence.expect("a sentence");
        assert!(sentence.contains("needs stock(p, w) >= 1"), "{sentence}");
    }
    let with_part = prove("--since HEAD --part 1/4 --operator number-changed").json();
    assert_eq!(names(&with_part), parts[1]);
    // A mark that is new is tested, though its sentence is old.
    let marks = |since: &str| {
        let ruleset = shown(&path);
        let asked = "--marks --games 1 --seconds 1 --within 1 --format json";
        let tested = run(format!("prove {ruleset} {asked} {since}")).json();
        tested["marks"].as_array().expect("marks").len()
    };
    assert_eq!((marks(""), marks("--since HEAD")), (1, 0));
    let file = path.join("equivalents.yaml");
    let old = std::fs::read_to_string(&file).expect("readable");
    let new = format!(
        "{old}  - mutant: \"{}\"\n    operator: number-changed\n    reason: it is new\n",
        all[0]
    );
    std::fs::write(&file, new).expect("writable");
    assert_eq!((marks(""), marks("--since HEAD")), (2, 1));
    // Git is asked, so it needs a folder; and a part is one of some.
    let ran = run("prove puerto-rico --since HEAD");
    assert_eq!(ran.code, 2);
    assert!(ran.notes.contains("name the folder"), "{}", ran.notes);
}
