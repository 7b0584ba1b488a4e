//! The folders of a crate are stages in an order: each uses some of those before it, and never one behind it.

use std::collections::BTreeSet;
use std::path::Path;

use super::planted_crate;
use super::uses::Uses;

/// What a stage consists of, folders and files from the crate's root on, and the stages that it may use beside itself,
/// each by the first of what that one consists of.
#[derive(Clone, Debug)]
pub struct Stage {
    pub names: Vec<&'static str>,
    pub uses: Vec<&'static str>,
}

fn words(text: &'static str) -> Vec<&'static str> {
    text.split_whitespace().collect()
}

fn stages(table: &[(&'static str, &'static str)]) -> Vec<Stage> {
    let stages = table.iter().map(|(names, uses)| Stage {
        names: words(names),
        uses: words(uses),
    });
    stages.collect()
}

/// Stages of `interpreter/core/src`: what the crates of the interpreter share.
pub fn core() -> Vec<Stage> {
    stages(&[
        ("source budget.rs numbers.rs", ""),
        ("diagnostic", "source"),
        ("ast", "source"),
        // It carries the trees of its rules for tools that show them.
        ("program", "source ast"),
        ("analysis", "source program"),
    ])
}

/// Stages of `interpreter/play/src`: from a compiled program to a match.
pub fn play() -> Vec<Stage> {
    stages(&[
        ("api.rs", ""),
        ("state", "api.rs"),
        ("machine", "state"),
        ("flow", "api.rs state machine"),
        ("matches", "api.rs state machine flow"),
        ("players inspect.rs", "api.rs state machine flow matches"),
        ("native", "machine"),
        ("machine_code.rs", "machine native"),
    ])
}

/// Stages of `interpreter/src`: from trees to a compiled program, and what tries compiled rulesets.
pub fn interpreter() -> Vec<Stage> {
    stages(&[
        ("package", ""),
        ("resolve", "package"),
        ("types", "package resolve"),
        ("lower", ""),
        ("compile", "package types lower"),
        // It reads documents, and plays what it reads.
        ("scenario", "compile"),
        // It plants mistakes in what was parsed, and judges what is compiled of that by scenarios.
        ("mutation", "package compile scenario"),
    ])
}

/// Crates of both sides, each with those that it depends on.
pub fn crates() -> Vec<Stage> {
    stages(&[
        ("interpreter-core", ""),
        ("interpreter-syntax", "interpreter-core"),
        ("interpreter-play", "interpreter-core"),
        (
            "interpreter",
            "interpreter-core interpreter-syntax interpreter-play",
        ),
        ("referee-store", "interpreter-play"),
        ("referee-library", "interpreter referee-store"),
        (
            "referee-contract",
            "interpreter referee-store referee-library",
        ),
        (
            "referee-sandbox",
            "interpreter referee-store referee-library referee-contract",
        ),
        (
            "referee-table",
            "interpreter referee-store referee-library referee-sandbox",
        ),
        (
            "referee-report",
            "interpreter referee-store referee-library",
        ),
        (
            "referee-server",
            "interpreter referee-store referee-library referee-contract referee-sandbox referee-table referee-report",
        ),
        (
            "referee",
            "interpreter referee-store referee-library referee-contract referee-sandbox referee-table referee-report \
             referee-server",
        ),
    ])
}

/// Stages each of which may use all before it.
fn layers(layers: &[&'static str]) -> Vec<Stage> {
    let mut stages: Vec<Stage> = Vec::new();
    for names in layers.iter().copied().map(words) {
        let uses = stages.iter().map(|stage| stage.names[0]).collect();
        stages.push(Stage { names, uses });
    }
    stages
}

/// Layers of `referee/store/src`.
pub fn store() -> Vec<Stage> {
    layers(&[
        "clock.rs hashing.rs numbers.rs panics.rs",
        "secrets.rs threads.rs",
        "chain.rs conformance.rs copy.rs faults.rs journal.rs lock.rs memory.rs outcomes.rs postgres seals.rs sqlite",
        "log",
    ])
}

/// Layers of `referee/table/src`.
pub fn table() -> Vec<Stage> {
    layers(&[
        "at_once.rs traces.rs outside",
        "error.rs metrics.rs outages.rs request.rs seed.rs",
        "scheduling",
        "parts.rs alive.rs",
        "state",
        "replay",
        "turns",
        "archive",
        "registry.rs",
        "due.rs fellows.rs",
    ])
}

/// Layers of `referee/server/src`.
pub fn server() -> Vec<Stage> {
    layers(&[
        "calls",
        "connections",
        "published retention.rs",
        "referee.rs",
        "services",
        "lifecycle",
    ])
}

/// The stage of a file, which is named from the crate's root on: that of the longest name that it begins with.
fn stage_of<'a>(stages: &'a [Stage], file: &Path) -> Option<(&'a Stage, &'static str)> {
    let names = stages
        .iter()
        .flat_map(|stage| stage.names.iter().map(move |name| (stage, *name)));
    names
        .filter(|(_, name)| file.starts_with(name))
        .max_by_key(|(_, name)| name.len())
}

/// What breaks an order of stages in the crate whose root this is, a line each: uses of what a stage may not use, files
/// of no stage, names without files, and stages that may use a later one. The root hands on whatever it likes.
fn broken(root: &Path, stages: &[Stage]) -> Vec<String> {
    let folder = root.parent().expect("a folder");
    let inner = |file: &Path| file.strip_prefix(folder).unwrap_or(file).to_owned();
    let mut broken = Vec::new();
    let mut found = BTreeSet::new();
    let uses = Uses::of(root);
    for (path, used) in uses.by_file() {
        let file = inner(path);
        if path == root {
            continue;
        }
        let Some((stage, name)) = stage_of(stages, &file) else {
            broken.push(format!("{} is of no stage", file.display()));
            continue;
        };
        found.insert(name);
        let root = inner(root);
        // What the root names is of other crates.
        for other in used.into_iter().map(inner).filter(|other| *other != root) {
            let is_allowed = stage_of(stages, &other).is_some_and(|(its, _)| {
                its.names == stage.names || stage.uses.contains(&its.names[0])
            });
            if !is_allowed {
                broken.push(format!("{} uses {}", file.display(), other.display()));
            }
        }
    }
    let mut earlier = BTreeSet::new();
    for stage in stages {
        let (first, names, uses) = (stage.names[0], stage.names.iter(), stage.uses.iter());
        let empty = names.filter(|name| !found.contains(*name));
        broken.extend(empty.map(|name| format!("{name} has no file")));
        let later = uses.filter(|used| !earlier.contains(*used));
        broken.extend(later.map(|used| format!("{first} may use {used}, which is not before it")));
        earlier.insert(first);
    }
    broken
}

#[test]
fn folders_use_only_those_that_they_stand_on() {
    for (name, stages) in [
        ("interpreter/core", core()),
        ("interpreter/play", play()),
        ("interpreter", interpreter()),
        ("referee/store", store()),
        ("referee/table", table()),
        ("referee/server", server()),
    ] {
        let root = referee_tests::root().join(name).join("src/lib.rs");
        let root = root.canonicalize().expect("the crate");
        let broken = broken(&root, &stages);
        assert!(broken.is_empty(), "{name}:\n{}", broken.join("\n"));
    }
}

#[test]
fn crates_depend_on_those_that_the_table_names() {
    let table = crates();
    for Stage { names, uses } in &table {
        let folder = match names[0].split_once('-') {
            Some((folder, part)) => format!("{folder}/{part}"),
            None => names[0].to_owned(),
        };
        let manifest = referee_tests::root().join(folder).join("Cargo.toml");
        let manifest = std::fs::read_to_string(manifest).expect("the manifest");
        let dependencies = manifest
            .lines()
            .skip_while(|line| *line != "[dependencies]")
            .skip(1);
        let dependencies = dependencies.take_while(|line| !line.starts_with('['));
        let dependencies = dependencies.filter_map(|line| line.split_once(['.', ' ']));
        let found: BTreeSet<&str> = dependencies
            .map(|(name, _)| name)
            .filter(|name| table.iter().any(|other| other.names[0] == *name))
            .collect();
        assert_eq!(found, uses.iter().copied().collect(), "{}", names[0]);
    }
}

#[test]
fn planted_uses_of_other_stages_are_found_and_nothing_else() {
    let stage = |(names, uses)| Stage {
        names: words(names),
        uses: words(uses),
    };
    let order = |stages: [(&'static str, &'static str); 3]| stages.map(stage);
    let stages = [
        ("early.rs", ""),
        ("middle.rs middle", "early.rs"),
        ("late.rs", "middle.rs"),
    ];
    let (early, deep, late) = ("pub struct E;\n", "pub struct D;\n", "pub struct L;\n");
    let found = |stages, early: &str, deep: &str, late: &str| {
        let folder = planted_crate(&[
            ("lib.rs", "mod early;\nmod middle;\nmod late;\n"),
            ("early.rs", early),
            ("middle.rs", "mod deep;\npub use deep::D;\n"),
            ("middle/deep.rs", deep),
            ("late.rs", late),
        ]);
        broken(&folder.path().join("lib.rs"), &order(stages))
    };
    assert_eq!(found(stages, early, deep, late), [""; 0]);
    let uses_early = "use crate::early::E;\npub struct D(E);\n";
    assert_eq!(found(stages, early, uses_early, late), [""; 0]);
    let uses_late = "pub struct D(crate::late::L);\n";
    let told = found(stages, early, uses_late, late);
    assert_eq!(told, ["middle/deep.rs uses late.rs"]);
    // What is handed on is used where it is.
    let uses_middle = "pub struct E;\nfn f(_: crate::middle::D) {}\n";
    let told = found(stages, uses_middle, deep, late);
    assert_eq!(told, ["early.rs uses middle/deep.rs"]);
    // Earlier, and yet none of those that it may use.
    let uses_early = "use crate::early::E;\npub struct L(E);\n";
    let told = found(stages, early, deep, uses_early);
    assert_eq!(told, ["late.rs uses early.rs"]);
    let unknown = [("early.rs gone", ""), ("middle.rs middle", ""), stages[2]];
    assert_eq!(found(unknown, early, deep, late), ["gone has no file"]);
    let unknown = [
        ("early.rs", "middle.rs"),
        ("middle.rs", ""),
        ("late.rs", ""),
    ];
    let told = found(unknown, early, deep, late);
    let expected = [
        "middle/deep.rs is of no stage",
        "middle.rs uses middle/deep.rs",
        "early.rs may use middle.rs, which is not before it",
    ];
    assert_eq!(told, expected);
}
