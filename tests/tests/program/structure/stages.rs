//! Folders of the interpreter are stages: texts become a match from the first to the last, and each uses only some of
//! those before it.

use std::path::Path;

use super::planted_crate;
use super::uses::Uses;

/// What a stage consists of, folders or files without their ending, and the stages that it may use beside itself, each by
/// the first of what it consists of.
pub type Stage = (&'static [&'static str], &'static [&'static str]);

/// The stages in order. What plays (`play`, `native`) uses nothing of what makes a ruleset but the program.
pub const STAGES: [Stage; 18] = [
    (&["source", "budget", "numbers"], &[]),
    (&["diagnostic"], &["source"]),
    (&["syntax"], &["source", "diagnostic"]),
    // It carries the trees of its rules for whoever shows them.
    (&["program"], &["source", "syntax"]),
    (&["analysis"], &["source", "program"]),
    (&["package"], &["source", "diagnostic", "syntax", "program"]),
    (
        &["resolve"],
        &["source", "diagnostic", "syntax", "program", "package"],
    ),
    (
        &["types"],
        &[
            "source",
            "diagnostic",
            "syntax",
            "program",
            "analysis",
            "package",
            "resolve",
        ],
    ),
    (&["lower"], &["source", "diagnostic", "program", "analysis"]),
    (&["play/api"], &["source", "program"]),
    (&["play/state"], &["source", "program", "play/api"]),
    (
        &["play/machine"],
        &["source", "diagnostic", "program", "play/state"],
    ),
    (
        &["play/flow"],
        &[
            "source",
            "program",
            "play/api",
            "play/state",
            "play/machine",
        ],
    ),
    (
        &["play/matches"],
        &[
            "source",
            "program",
            "analysis",
            "play/api",
            "play/state",
            "play/machine",
            "play/flow",
        ],
    ),
    (
        &["play/players", "play"],
        &[
            "source",
            "program",
            "analysis",
            "play/api",
            "play/state",
            "play/machine",
            "play/flow",
            "play/matches",
        ],
    ),
    (&["native"], &["source", "program", "play/machine"]),
    (
        &["compile"],
        &[
            "source",
            "diagnostic",
            "program",
            "package",
            "types",
            "lower",
            "play/state",
            "play/machine",
            "native",
        ],
    ),
    // It reads documents, and plays what it reads.
    (
        &["scenario"],
        &[
            "source",
            "diagnostic",
            "syntax",
            "program",
            "play/state",
            "play/machine",
            "play/matches",
            "play/players",
        ],
    ),
];

/// The stage of a file, which is named from the crate's root: that of the longest name that it begins with.
fn stage_of<'a>(stages: &'a [Stage], file: &Path) -> Option<&'a Stage> {
    let file = file.with_extension("");
    let named = stages.iter().flat_map(|stage| {
        let names = stage.0.iter().filter(|name| file.starts_with(name));
        names.map(move |name| (name.len(), stage))
    });
    named
        .max_by_key(|(length, _)| *length)
        .map(|(_, stage)| stage)
}

/// What does not keep to the order of the stages in the crate whose root this is.
fn violations(stages: &[Stage], root: &Path) -> Vec<String> {
    let source = root.parent().expect("a folder");
    let uses = Uses::of(root);
    let mut found = Vec::new();
    for (file, used) in uses.by_file() {
        let within = |file: &Path| {
            file.strip_prefix(source)
                .expect("a file of the crate")
                .to_owned()
        };
        let file = within(file);
        if file == Path::new("lib.rs") {
            continue;
        }
        let Some((names, allowed)) = stage_of(stages, &file) else {
            found.push(format!("{} is of no stage", file.display()));
            continue;
        };
        for other in used.into_iter().map(within) {
            let is_allowed = stage_of(stages, &other)
                .is_some_and(|(others, _)| others == names || allowed.contains(&others[0]));
            if !is_allowed {
                found.push(format!("{} uses {}", file.display(), other.display()));
            }
        }
    }
    found
}

#[test]
fn no_stage_uses_a_later_one() {
    let root = referee_tests::root().join("interpreter/src/lib.rs");
    let found = violations(&STAGES, &root);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_table_of_stages_is_an_order() {
    for (number, (names, allowed)) in STAGES.iter().enumerate() {
        for stage in *allowed {
            let earlier = STAGES[..number].iter();
            let is_earlier = earlier
                .map(|(names, _)| names[0])
                .any(|name| name == *stage);
            assert!(is_earlier, "{} uses {stage}, which comes later", names[0]);
        }
    }
}

#[test]
fn planted_uses_of_later_stages_are_found_and_nothing_else() {
    let stages: [Stage; 3] = [
        (&["early"], &[]),
        (&["middle", "middle/deep"], &["early"]),
        (&["late"], &["middle"]),
    ];
    let found = |early: &str, middle: &str, late: &str| {
        let folder = planted_crate(&[
            ("lib.rs", "mod early;\nmod middle;\nmod late;\n"),
            ("early.rs", early),
            ("middle/mod.rs", middle),
            ("late.rs", late),
        ]);
        violations(&stages, &folder.path().join("lib.rs"))
    };
    let none: [&str; 0] = [];
    let (early, middle, late) = ("pub struct E;\n", "pub struct M;\n", "pub struct L;\n");
    assert_eq!(found(early, middle, late), none);
    let uses_early = "use crate::early::E;\npub struct M(E);\n";
    assert_eq!(found(early, uses_early, late), none);
    let uses_late = "pub struct M(crate::late::L);\n";
    assert_eq!(
        found(early, uses_late, late),
        ["middle/mod.rs uses late.rs"]
    );
    // Earlier, and yet none of those that it may use.
    let uses_early = "use crate::early::E;\npub struct L(E);\n";
    assert_eq!(found(early, middle, uses_early), ["late.rs uses early.rs"]);
    let folder = planted_crate(&[("lib.rs", "mod other;\n"), ("other.rs", early)]);
    let of_none = violations(&stages, &folder.path().join("lib.rs"));
    assert_eq!(of_none, ["other.rs is of no stage"]);
}
