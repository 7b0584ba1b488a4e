//! What the workbench does to files: `fmt`, `schema`, `snapshot`, `completions`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use interpreter::source::Sources;
use interpreter::syntax::document;
use referee::report::snapshots::{Shown, games};
use referee_tests::command::{Ran, run};
use referee_tests::root;

use super::{SHIPPED, copied, shown, write};

/// Files of a kind below a folder.
fn below(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("readable")
        .map(|entry| entry.expect("readable").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            below(&path, extension, found);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
}

fn files(extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["rulesets", "tests/rulesets", "grammar/examples"] {
        below(&root().join(folder), extension, &mut found);
    }
    found
}

/// Every rules file of the repository is written anew without a change of meaning, and once is enough.
#[test]
fn what_is_written_anew_means_the_same() {
    use referee::report::layout::formatted;
    let all = files("rules");
    assert!(all.len() > 25);
    for path in all {
        let text = std::fs::read_to_string(&path).expect("readable");
        let name = path.display().to_string();
        let Ok(written) = formatted(&name, &text) else {
            // The rehearsals of the grammar say what is not yet read.
            assert!(name.contains("examples"), "{name}");
            continue;
        };
        let again = formatted(&name, &written).unwrap_or_else(|_| panic!("{name}"));
        assert_eq!(again, written, "{name}");
        assert!(
            written.lines().all(|line| line == line.trim_end()),
            "{name}"
        );
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(&written), words(&text), "{name}");
    }
}

/// However a file is indented, it is written anew to the same text.
#[test]
fn indentation_is_found_again() {
    use referee::report::layout::formatted;
    for path in files("rules") {
        let text = std::fs::read_to_string(&path).expect("readable");
        let Ok(right) = formatted("x.rules", &text) else {
            continue;
        };
        let wide: Vec<String> = right
            .lines()
            .map(|line| {
                let lead = line.len() - line.trim_start().len();
                format!("{}{}   ", " ".repeat(lead * 3), line.trim_start())
            })
            .collect();
        let wide = formatted("x.rules", &wide.join("\r\n\r\n\r\n"))
            .unwrap_or_else(|_| panic!("{}", path.display()));
        let shape = |text: &str| -> Vec<String> {
            let lines = text
                .lines()
                .filter(|line| !line.is_empty() && line.contains('@'));
            lines.map(str::to_owned).collect()
        };
        // Lines that cite stand in sentences; these find their place whatever it was.
        let (a, b) = (shape(&wide), shape(&right));
        assert_eq!(a.len(), b.len(), "{}", path.display());
        let cites = |line: &String| line.rsplit_once('@').map(|(_, cite)| cite.to_owned());
        assert!(a.iter().map(cites).eq(b.iter().map(cites)));
    }
}

#[test]
fn fmt_checks_shows_and_writes() {
    let (_folder, path) = copied("tea-house");
    assert_eq!(run(format!("fmt {}", path.display())).code, 0);
    let file = path.join("rules/table.rules");
    let right = std::fs::read_to_string(&file).expect("readable");
    let crooked = right.replace("  @", "    @");
    std::fs::write(&file, &crooked).expect("writable");

    let checked = run(format!("fmt --check {}", path.display()));
    assert_eq!((checked.code, checked.data.trim_end()), (1, shown(&file)));
    assert_eq!(
        std::fs::read_to_string(&file).expect("readable"),
        crooked,
        "nothing is written"
    );
    let compared = run(format!("fmt --diff {}", file.display())).ends(0);
    assert!(
        compared
            .data
            .lines()
            .any(|line| line.starts_with("+place deck")),
        "{}",
        compared.data
    );
    let written = run(format!("fmt {}", path.display())).ends(0);
    written.notes("1 of 3 files written anew");
    assert_eq!(std::fs::read_to_string(&file).expect("readable"), right);

    write(&path, &[("rules/wrong.rules", "phase game\n  stepp one\n")]);
    let wrong = run(format!("fmt {}", path.display())).ends(1);
    wrong.notes("wrong.rules:2");
    let yaml = path.join("ruleset.yaml");
    let left = run(format!("fmt {}", yaml.display())).ends(2);
    left.notes("there is no `.rules` file in");
    // Others are passed over.
    run(format!("fmt --check {} {}", yaml.display(), file.display())).ends(0);
    let missing = path.join("rules/missing.rules");
    run(format!("fmt {}", missing.display())).ends(2);
}

/// A document as JSON, as the package reader reads it.
fn json(path: &Path) -> serde_json::Value {
    fn value(node: &document::Node) -> serde_json::Value {
        if let Some(pairs) = node.pairs() {
            let pairs = pairs
                .iter()
                .map(|pair| (pair.key.node.clone(), value(&pair.value)));
            return serde_json::Value::Object(pairs.collect());
        }
        if let Some(items) = node.items() {
            return items.iter().map(value).collect();
        }
        match node.plain() {
            Some("true") => true.into(),
            Some("false") => false.into(),
            Some(text) => text
                .parse::<i64>()
                .map_or(text.into(), serde_json::Value::from),
            None => node.scalar().unwrap_or_default().into(),
        }
    }
    let text = std::fs::read_to_string(path).expect("readable");
    let mut sources = Sources::default();
    let file = sources.add(path.display().to_string(), text);
    let mut diagnostics = interpreter::diagnostic::Diagnostics::default();
    let node = document::parse(&sources, file, &mut diagnostics);
    value(&node.unwrap_or_else(|| panic!("{}", path.display())))
}

/// Which schema a file of a ruleset has.
fn kind(path: &Path) -> Option<&'static str> {
    let text = path.display().to_string().replace('\\', "/");
    let name = path.file_stem()?.to_str()?;
    if text.contains("/scenarios/") {
        return Some("scenarios");
    }
    match name {
        "ruleset" => Some("ruleset"),
        "module" => Some("module"),
        "rulebook" => Some("rulebook"),
        "sources" => Some("sources"),
        "names" => Some("names"),
        "setup" => Some("setup"),
        "table" => Some("table"),
        "equivalents" => Some("equivalents"),
        "print" => Some("print"),
        "proof" => Some("proof"),
        "review" => Some("review"),
        _ => Some("components"),
    }
}

#[test]
fn every_yaml_file_is_as_its_schema_says() {
    let mut checked = std::collections::BTreeMap::new();
    for path in files("yaml") {
        let Some(kind) = kind(&path) else { continue };
        let (validator, checked) = checked.entry(kind).or_insert_with(|| {
            let schema = run(format!("schema {kind}")).json();
            (jsonschema::validator_for(&schema).expect("a schema"), 0)
        });
        *checked += 1;
        let document = json(&path);
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(
            errors.is_empty(),
            "{}:\n{}",
            path.display(),
            errors.join("\n")
        );
    }
    let counts: Vec<_> = checked.iter().map(|(kind, (_, n))| (kind, n)).collect();
    assert_eq!(counts.len(), 13, "every schema is tried: {counts:?}");
}

#[test]
fn schemas_find_what_is_wrong() {
    for (kind, wrong) in [
        (
            "ruleset",
            serde_json::json!({"id": "x", "version": "1", "language": 1, "titles": {"en": "x"}, "players": {"from": 1, "to": 2}, "files": {}}),
        ),
        (
            "module",
            serde_json::json!({"id": "x", "extend": "y", "titles": {"en": "x", "pl": "x"}}),
        ),
        (
            "components",
            serde_json::json!({"table": "good", "columns": {"price": "number of"}}),
        ),
        ("setup", serde_json::json!({"figures": {"a": "twelve"}})),
        (
            "rulebook",
            serde_json::json!({"sections": [{"id": "a", "titles": {"en": "a", "pl": "a"}, "clauses": [{"id": "a.b", "en": "x"}]}]}),
        ),
        (
            "rulebook",
            serde_json::json!({"sections": [{"id": "a", "titles": {"en": "a", "pl": "a"}, "clauses": [{"id": "a.b", "kind": "note", "enforced": false, "en": "x", "pl": "x"}]}]}),
        ),
        (
            "sources",
            serde_json::json!({"paragraphs": [{"at": "a 1"}]}),
        ),
        (
            "sources",
            serde_json::json!({"paragraphs": [{"at": "a 1", "print": ["3.2"], "none": "x"}]}),
        ),
        (
            "print",
            serde_json::json!({"form": 1, "paragraphs": [{"page": 1, "paragraph": 1, "sentences": ["a printed word"]}]}),
        ),
        ("names", serde_json::json!({"place": {}})),
        (
            "table",
            serde_json::json!({"looks": {"good": {"colour": "url(x)"}}}),
        ),
        ("table", serde_json::json!({"table": [{"area": "a"}]})),
        (
            "scenarios",
            serde_json::json!({"scenario": "x", "game": {"player": 2}}),
        ),
        (
            "proof",
            serde_json::json!({"rests_on": "0123", "mistakes": {"made": 1}}),
        ),
        (
            "review",
            serde_json::json!({"accepted": [{"clause": "a", "by": "anna", "on": "27.11.2026", "digest": "0".repeat(64), "parts": {}}]}),
        ),
        (
            "equivalents",
            serde_json::json!({"equivalents": [{"mutant": "0123456789a", "operator": "number-changed"}]}),
        ),
    ] {
        let schema = run(format!("schema {kind}")).json();
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        assert!(!validator.is_valid(&wrong), "{kind}");
    }
}

#[test]
fn schemas_are_written_for_editors() {
    let folder = tempfile::tempdir().expect("a folder");
    let schemas = folder.path().join("schemas");
    let Ran { code, data, notes } = run(format!("schema --write {}", schemas.display()));
    assert_eq!((code, data.lines().count()), (0, 13));
    assert!(notes.contains("\"yaml.schemas\""), "{notes}");
    assert_eq!(run("schema").data.lines().count(), 13);
}

#[test]
fn shells_complete_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let Ran { code, data, .. } = run(format!("completions {shell}"));
        assert_eq!(code, 0);
        for command in ["check", "play", "snapshot", "serve"] {
            assert!(data.contains(command), "{shell}: {command}");
        }
    }
}

#[test]
fn games_are_pinned_reviewed_and_accepted() {
    let (_folder, path) = copied("tea-house");
    let path_text = shown(&path);
    run(format!(
        "snapshot add {path_text} first_game --players 2 --seed 4"
    ))
    .ends(0);
    let snap = path.join("snapshots/first_game.snap");
    let text = std::fs::read_to_string(&snap).expect("a file");
    assert!(
        text.starts_with("---\nsource: ") && text.contains("Tea house 0.1.0, 2 players"),
        "{text}"
    );
    assert_eq!(run(format!("snapshot check {path_text}")).code, 0);
    assert_eq!(
        run(format!("check {path_text} --fail-on-warn")).code,
        0,
        "the list is no part of the rules"
    );

    // A rule changes, and a move that was made is no longer legal: nothing is accepted until the game is recorded
    // again from there on.
    let setup = path.join("setup.yaml");
    let figures = std::fs::read_to_string(&setup).expect("readable");
    std::fs::write(
        &setup,
        figures.replace(
            "start_hand: {value: {2: 4, 3: 3}",
            "start_hand: {value: {2: 5, 3: 3}",
        ),
    )
    .expect("writable");
    let checked = run(format!("snapshot check {path_text}")).ends(1);
    assert!(
        checked.data.starts_with("stuck    first_game\n"),
        "{}",
        checked.data
    );
    checked.notes(&format!("snapshot review {path_text} --anew rest"));
    assert_eq!(run(format!("snapshot accept {path_text}")).code, 1);
    assert_eq!(std::fs::read_to_string(&snap).expect("a file"), text);
    let accept = format!("snapshot accept {path_text} --filter first");
    run(format!("{accept} --anew rest")).ends(0);
    let anew = std::fs::read_to_string(&snap).expect("a file");
    assert_ne!(anew, text);
    assert_eq!(run(format!("snapshot check {path_text}")).code, 0);

    // A rule changes that forbids nothing: the difference is shown, and accepted.
    let rules = path.join("rules/table.rules");
    let written = std::fs::read_to_string(&rules).expect("readable");
    let other = written.replace(
        "score calm for p: calm(p) ",
        "score calm for p: 2 * calm(p) ",
    );
    std::fs::write(&rules, other).expect("writable");
    let checked = run(format!("snapshot check {path_text}")).ends(1);
    assert!(
        checked.data.starts_with("differs  first_game\n"),
        "{}",
        checked.data
    );
    run(&accept).ends(0);
    assert_ne!(std::fs::read_to_string(&snap).expect("a file"), anew);
    assert_eq!(run(format!("snapshot check {path_text}")).code, 0);

    // What a test proposed is accepted from its file.
    let other = path.join("snapshots/other.snap.new");
    std::fs::write(&other, "---\nsource: a.rs\n---\nhello\n").expect("writable");
    assert_eq!(run(format!("snapshot check {path_text}")).code, 1);
    assert_eq!(run(format!("snapshot accept {path_text}")).code, 0);
    assert!(!other.exists() && path.join("snapshots/other.snap").exists());

    run(format!("snapshot add {path_text} first_game --players 2")).ends(2);
    let nowhere = run(format!(
        "snapshot check {}",
        path.parent().expect("above").display()
    ));
    assert!(
        nowhere.code == 2 && nowhere.notes.contains("is no folder of a ruleset"),
        "{}",
        nowhere.notes
    );
}

/// The lists of the shipped rulesets name the games that `rules/snapshots.rs` checks, and every text that is accepted; the
/// command checks those of the shortest title.
#[test]
fn shipped_games_are_accepted() {
    listed_games_are_accepted(&["san-juan"]);
}

#[test]
#[ignore = "slow"]
fn shipped_games_of_every_title_are_accepted() {
    let mut all = SHIPPED.to_vec();
    all.push("genoa");
    listed_games_are_accepted(&all);
}

/// Holds the lists of all titles to name the texts that there are, and the command to accept the games of some.
fn listed_games_are_accepted(checked: &[&str]) {
    for id in SHIPPED.iter().chain(&["genoa"]) {
        let folder = root().join("rulesets").join(id);
        let listed = games(&folder).expect("a list").games;
        if checked.contains(id) {
            let ran = run(format!("snapshot check {}", folder.display())).ends(0);
            let same = ran.data.lines().filter(|line| line.starts_with("same"));
            assert_eq!(same.count(), listed.len(), "{id}");
        }
        let told = listed.iter().filter(|game| game.text != Shown::None);
        let told: BTreeSet<String> = told.map(|game| format!("{}.snap", game.name)).collect();
        let files = std::fs::read_dir(folder.join("snapshots")).expect("readable");
        let files = files
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            // The Polish one is an excerpt.
            .filter(|name| name.ends_with(".snap") && !name.ends_with("_pl.snap"))
            .collect();
        assert_eq!(told, files, "{id}");
    }
}

fn told(line: impl AsRef<str>) -> (u8, serde_json::Value) {
    let ran = run(line);
    (ran.code, ran.json())
}

#[test]
fn what_is_done_to_files_is_told_to_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = folder.path().join("my-game");
    let game = shown(&game);
    let (code, begun) = told(format!("new ruleset {game} --format json"));
    assert_eq!((code, &begun["schema"]), (0, &"referee.new/1".into()));
    assert_eq!(
        (&begun["id"], &begun["folder"]),
        (&"my-game".into(), &game.into())
    );
    let files = begun["files"].as_array().expect("a list");
    assert!(
        files
            .iter()
            .all(|file| Path::new(file.as_str().expect("a path")).is_file())
    );
    assert_eq!(begun["next"][0], format!("referee check {game}"));

    // Nothing to write anew, something, and something that cannot be.
    let rules = Path::new(game).join("rules/game.rules");
    let (code, written) = told(format!("fmt --check --format json {game}"));
    assert_eq!((code, &written["schema"]), (0, &"referee.fmt/1".into()));
    assert_eq!(
        (&written["files"], &written["changed"]),
        (&1.into(), &serde_json::json!([]))
    );
    let right = std::fs::read_to_string(&rules).expect("readable");
    std::fs::write(&rules, right.replace("  @end.points", " @end.points")).expect("writable");
    let (code, written) = told(format!("fmt --diff --check --format json {game}"));
    assert_eq!((code, &written["written"]), (1, &false.into()));
    assert_eq!(written["changed"][0]["file"], shown(&rules));
    let diff = written["changed"][0]["diff"].as_str().expect("a text");
    assert!(
        diff.contains("-score gems") && diff.contains("+score gems"),
        "{diff}"
    );
    let (code, written) = told(format!("fmt --format json {game}"));
    assert_eq!((code, &written["written"]), (0, &true.into()));
    assert_eq!(std::fs::read_to_string(&rules).expect("readable"), right);
    std::fs::write(&rules, right.replace("phase round", "phase round(")).expect("writable");
    let (code, written) = told(format!("fmt --format json {game}"));
    assert_eq!((code, &written["changed"]), (1, &serde_json::json!([])));
    let left = &written["left_alone"][0];
    assert_eq!(left["file"], shown(&rules));
    assert!(left["diagnostics"][0]["line"].is_u64(), "{left}");
    assert_eq!(run("fmt --format json -").code, 2);

    // Games: with mistakes, added, the same, another one.
    let add = format!("snapshot add {game} first --players 2 --format json");
    let (code, added) = told(&add);
    assert_eq!((code, &added["games"][0]["state"]), (1, &"mistakes".into()));
    assert!(
        added["games"][0]["diagnostics"][0]["code"].is_string(),
        "{added}"
    );
    std::fs::write(&rules, &right).expect("writable");
    let (code, added) = told(&add);
    assert_eq!((code, &added["games"][0]["state"]), (0, &"accepted".into()));
    let file = added["games"][0]["file"]
        .as_str()
        .expect("a path")
        .to_owned();
    let check = format!("snapshot check {game} --format json");
    let (code, same) = told(&check);
    assert_eq!((code, &same["schema"]), (0, &"referee.snapshot/1".into()));
    assert_eq!(same["games"][0]["state"], "same");
    std::fs::write(&file, "another game\n").expect("writable");
    let (code, other) = told(&check);
    assert_eq!((code, &other["games"][0]["state"]), (1, &"differs".into()));
    assert_eq!(other["not_accepted"], 1);
    let (code, accepted) = told(format!("snapshot accept {game} --format json"));
    assert_eq!(
        (code, &accepted["games"][0]["state"]),
        (0, &"accepted".into())
    );
    assert_eq!(told(&check).0, 0);
    assert_eq!(run(format!("snapshot review {game} --format json")).code, 2);
}

#[test]
fn codes_are_explained_to_programs() {
    let (code, one) = told("explain rf0301 --format json");
    assert_eq!((code, &one["schema"]), (0, &"referee.explain/1".into()));
    assert_eq!(one["codes"][0]["code"], "RF0301");
    assert_eq!(one["codes"].as_array().map(Vec::len), Some(1));
    let example = &one["codes"][0]["example"];
    assert!(example["wrong"].is_string() && example["right"].is_string());
    let (_, all) = told("explain --format json");
    let all = all["codes"].as_array().expect("a list");
    assert!(
        all.len() > 100 && all.contains(&one["codes"][0]),
        "{}",
        all.len()
    );
}
