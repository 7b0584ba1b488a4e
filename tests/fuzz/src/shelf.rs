//! What is shipped: texts to begin with, and words, lines and blocks to put elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use interpreter::package::PackageTexts;
use referee_tests::case::Case;
use referee_tests::random::Random;
use referee_tests::{mini, root, texts};

use crate::mutate::parts::{block, split};
use crate::mutate::place;

/// The folders of packages, from the top of the repository.
const FOLDERS: [&str; 3] = ["rulesets", "tests/rulesets", "grammar/examples"];

/// Every ruleset that is shipped or invented, by its folder, and the [mini](referee_tests::mini) table.
static PACKAGES: LazyLock<BTreeMap<String, PackageTexts>> = LazyLock::new(|| {
    let mut all = BTreeMap::new();
    for folder in FOLDERS {
        for package in below(&root().join(folder)) {
            let texts = texts(&root().join(folder).join(&package));
            if texts.get("ruleset.yaml").is_some() {
                all.insert(format!("{folder}/{package}"), texts);
            }
        }
    }
    all.insert("mini".to_owned(), mini::package(mini::GAME));
    all
});

fn below(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> = folders
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A package by its folder.
pub fn package(folder: &str) -> Option<&'static PackageTexts> {
    PACKAGES.get(folder)
}

/// The folders of all packages.
pub fn packages() -> impl Iterator<Item = (&'static str, &'static PackageTexts)> {
    PACKAGES.iter().map(|(folder, texts)| (&**folder, texts))
}

/// House rules: their folders, what they extend, and their files.
pub fn house_rules() -> Vec<(String, String, PackageTexts)> {
    let mut all = Vec::new();
    for (folder, names) in [
        (
            "rulesets/house-rules",
            below(&root().join("rulesets/house-rules")),
        ),
        ("grammar/examples", vec!["house-rule".to_owned()]),
    ] {
        for name in names {
            let texts = texts(&root().join(folder).join(&name));
            let extends = texts.get("module.yaml").and_then(|manifest| {
                let line = manifest
                    .lines()
                    .find_map(|line| line.strip_prefix("extends:"));
                line.map(|of| format!("rulesets/{}", of.trim()))
            });
            if let Some(extends) = extends {
                all.push((name, extends, texts));
            }
        }
    }
    all
}

/// Texts of one kind.
pub struct Shelf {
    /// Whole.
    pub texts: Vec<String>,
    words: Vec<String>,
    lines: Vec<String>,
}

/// Rules.
pub static RULES: LazyLock<Shelf> =
    LazyLock::new(|| Shelf::of_files(|path| path.ends_with(".rules"), &["tests/corpus/syntax"]));

/// YAML.
pub static YAML: LazyLock<Shelf> =
    LazyLock::new(|| Shelf::of_files(|path| path.ends_with(".yaml"), &[]));

/// Scripts: what stands between the braces of rules.
pub static SCRIPTS: LazyLock<Shelf> = LazyLock::new(|| {
    let mut scripts = BTreeSet::new();
    for text in &RULES.texts {
        for (at, _) in text.match_indices("do {") {
            let from = at + 3;
            let mut depth = 0;
            for (i, b) in text[from..].bytes().enumerate() {
                depth += i32::from(b == b'{') - i32::from(b == b'}');
                if depth == 0 {
                    scripts.insert(text[from..=from + i].to_owned());
                    break;
                }
            }
        }
    }
    Shelf::new(scripts.into_iter().collect())
});

impl Shelf {
    /// Texts of the kind of a file.
    pub fn of(path: &str) -> &'static Shelf {
        match path.ends_with(".rules") {
            true => &RULES,
            false => &YAML,
        }
    }

    fn of_files(wanted: fn(&str) -> bool, more: &[&str]) -> Shelf {
        let houses = house_rules();
        let packages = PACKAGES
            .values()
            .chain(houses.iter().map(|(_, _, texts)| texts));
        let mut all: Vec<String> = packages
            .flat_map(|texts| &texts.files)
            .filter(|(path, _)| wanted(path))
            .map(|(_, text)| text.clone())
            .collect();
        for folder in more {
            let files = texts(&root().join(folder)).files;
            let files = files.into_iter().filter(|(path, _)| wanted(path));
            all.extend(files.map(|(_, text)| text));
        }
        Shelf::new(all)
    }

    fn new(texts: Vec<String>) -> Shelf {
        let words: BTreeSet<&str> = texts.iter().flat_map(|text| split(text)).collect();
        let words = words.into_iter().filter(|word| !word.trim().is_empty());
        let lines = texts.iter().flat_map(|text| text.lines());
        Shelf {
            words: words.map(str::to_owned).collect(),
            lines: lines
                .filter(|line| !line.trim().is_empty())
                .map(str::to_owned)
                .collect(),
            texts,
        }
    }

    /// A word of one of them.
    pub fn word(&self, random: &mut Random) -> &str {
        self.words
            .get(place(self.words.len(), random))
            .map_or("", String::as_str)
    }

    /// A line of one of them.
    pub fn line(&self, random: &mut Random) -> &str {
        self.lines
            .get(place(self.lines.len(), random))
            .map_or("", String::as_str)
    }

    /// A line of one of them with the deeper ones below it.
    pub fn block(&self, random: &mut Random) -> Vec<&str> {
        let Some(text) = self.texts.get(place(self.texts.len(), random)) else {
            return vec![""];
        };
        let lines: Vec<&str> = text.lines().collect();
        match lines.is_empty() {
            true => vec![""],
            false => block(&lines, place(lines.len(), random)),
        }
    }
}

/// A case of the package that its first line names.
pub fn case_of(input: &[u8]) -> Option<Case> {
    let text = String::from_utf8_lossy(input);
    let (first, rest) = text.split_at(text.find('\n').unwrap_or(text.len()));
    let right = package(first.strip_prefix("ruleset ")?)?;
    Case::read(right, rest).ok()
}
