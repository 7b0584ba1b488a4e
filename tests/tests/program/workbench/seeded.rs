//! Sixty changes to the shipped titles, made by somebody who had not read how the redline finds its flags
//! (`tests/redline/seeded.yaml`): every harmful one is red, and hardly a harmless one.

use std::collections::BTreeMap;

use interpreter::package::{Language, PackageTexts};
use interpreter::syntax::Trees;
use referee::report::diff::{Composed, Side, marks, scenarios, texts};
use referee::report::redline::{Level, Material, Redline, redline};
use referee_tests::command::run;
use referee_tests::root;
use referee_tests::sample::turn;
use serde::Deserialize;

use super::{shown, write};

/// Harmless changes that may be red: words that are watched are also left out where they say nothing.
const RED_AND_HARMLESS: usize = 3;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Seeded {
    changes: Vec<Change>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Harm {
    Harmful,
    Harmless,
}

/// A change as `tests/redline/seeded.yaml` has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    id: String,
    harm: Harm,
    title: String,
    #[serde(rename = "why")]
    _why: String,
    ruleset: String,
    #[serde(default)]
    with: Vec<String>,
    edits: Vec<Edit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    file: String,
    from: String,
    to: String,
}

fn changes() -> Vec<Change> {
    let path = root().join("tests/redline/seeded.yaml");
    let text = std::fs::read_to_string(path).expect("the changes");
    let seeded: Seeded = serde_yaml::from_str(&text).expect("changes as they are written");
    seeded.changes
}

impl Change {
    /// The texts of its ruleset, with what it changes.
    fn made(&self, shipped: &PackageTexts) -> PackageTexts {
        let mut all = shipped.clone();
        for edit in &self.edits {
            let file = all.files.iter_mut().find(|(path, _)| *path == edit.file);
            let (_, text) = file.unwrap_or_else(|| panic!("{}: no {}", self.id, edit.file));
            let found = text.matches(&edit.from).count();
            assert_eq!(found, 1, "{}: in {}: {}", self.id, edit.file, edit.from);
            *text = text.replacen(&edit.from, &edit.to, 1);
        }
        all
    }

    fn side(&self, base: PackageTexts, trees: &Trees) -> Side {
        Side {
            called: self.ruleset.clone(),
            base,
            house: Vec::new(),
            modules: self.with.clone(),
            options: BTreeMap::new(),
            trees: trees.clone(),
        }
    }

    /// What it changes, made ready.
    fn shipped(&self) -> Shipped {
        let trees = Trees::growing();
        let side = self.side(shipped(&self.ruleset), &trees);
        let composed = composed(&side, &self.id);
        Shipped {
            side,
            composed,
            trees,
        }
    }

    /// What a publisher reads of it before any scenario has been run.
    fn read(&self, shipped: &Shipped) -> Redline {
        let sides = (
            &shipped.side,
            self.side(self.made(&shipped.side.base), &shipped.trees),
        );
        let (before, after) = (&*shipped.composed, composed(&sides.1, &self.id));
        redline(&Material {
            before,
            after: &after,
            texts: &texts::compare(before, &after),
            scenarios: &scenarios::written(sides.0, &sides.1),
            marks: &marks::compare(sides.0, &sides.1),
            unread: &[],
            language: Language::English,
        })
    }
}

/// A ruleset that changes are made to.
struct Shipped {
    side: Side,
    composed: Box<Composed>,
    trees: Trees,
}

fn composed(side: &Side, id: &str) -> Box<Composed> {
    side.composed(None).unwrap_or_else(|wrong| {
        let (sources, diagnostics) = *wrong;
        let style = interpreter::diagnostic::Style::Plain;
        panic!("{id}:\n{}", diagnostics.render(&sources, style))
    })
}

/// Whether all are tried rather than a part of them, another one with each commit.
fn all_of_them() -> bool {
    std::env::var("REFEREE_SEEDED").is_ok_and(|asked| asked == "all")
}

fn shipped(ruleset: &str) -> PackageTexts {
    referee_tests::texts(&root().join("rulesets").join(ruleset))
}

/// What is red, in a line each.
fn red(redline: &Redline) -> String {
    let flags = redline.flags().filter(|flag| flag.level == Level::Red);
    let lines = flags.map(|flag| format!("    {:?}: {}\n", flag.fact, flag.text));
    lines.collect()
}

#[test]
fn every_harmful_change_is_red_and_hardly_a_harmless_one() {
    let changes = changes();
    for harm in [Harm::Harmful, Harm::Harmless] {
        let of = changes.iter().filter(|change| change.harm == harm);
        assert_eq!(of.count(), 30);
    }
    let (all, sixth) = (all_of_them(), usize::try_from(turn() % 6).expect("0 to 5"));
    let some = changes.iter().enumerate();
    let some = some.filter(|(at, _)| all || at % 6 == sixth);
    let mut known: BTreeMap<(&str, &[String]), Shipped> = BTreeMap::new();
    let (mut missed, mut told) = (Vec::new(), Vec::new());
    for (_, change) in some {
        let shipped = known
            .entry((&change.ruleset, &change.with))
            .or_insert_with(|| change.shipped());
        let found = change.read(shipped);
        match (change.harm, found.red > 0) {
            (Harm::Harmful, false) => missed.push(format!("{}: {}", change.id, change.title)),
            (Harm::Harmless, true) => {
                told.push(format!("{}: {}\n{}", change.id, change.title, red(&found)));
            }
            _ => {}
        }
    }
    println!("harmless and red:\n{}", told.join("\n"));
    assert!(missed.is_empty(), "harmful and not red: {missed:#?}");
    assert!(
        told.len() <= RED_AND_HARMLESS,
        "{} harmless changes are red:\n{}",
        told.len(),
        told.join("\n")
    );
}

/// The command runs the scenarios too, which takes most of its time: two changes, others with each commit, or all with
/// `REFEREE_SEEDED=all`. What is red by kind, `redline.rs` tries.
#[test]
#[ignore = "slow"]
fn the_command_refuses_what_is_red() {
    let changes = changes();
    let all = all_of_them();
    let first = usize::try_from(turn() % 30).expect("a small number");
    // Harmful ones come first in the file, so that this takes one of each.
    let some = |at: &usize| all || at % 30 == first;
    for (at, change) in changes.iter().enumerate().filter(|(at, _)| some(at)) {
        let base = shipped(&change.ruleset);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(&change.ruleset);
        for (file, text) in change.made(&base).files {
            write(&path, &[(file.as_str(), text.as_str())]);
        }
        let mut line = format!(
            "diff {} {} --games 0 --format json --fail-on red",
            change.ruleset,
            shown(&path)
        );
        for module in &change.with {
            line.push_str(&format!(" --with {module}"));
        }
        let ran = run(line);
        let expected = match change.harm {
            Harm::Harmful => 1,
            Harm::Harmless => u8::from(change.read(&change.shipped()).red > 0),
        };
        assert_eq!(ran.code, expected, "{at} {}: {}", change.id, ran.notes);
    }
}
