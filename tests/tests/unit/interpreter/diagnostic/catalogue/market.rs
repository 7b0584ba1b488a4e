//! A small package that is right, into which the examples of the catalogue are put.

use std::collections::BTreeMap;
use std::path::Path;

use super::files_in;
use interpreter::CompileRuleset as _;
use interpreter::diagnostic::{Code, Diagnostic, Diagnostics};
use interpreter::package::{Configuration, PackageTexts, load};
use interpreter::play::Ruleset;
use interpreter::scenario::{Suite, not_created, run};
use interpreter::source::Sources;
use interpreter::syntax::Trees;

/// Where an example stands that names no file.
const RULES: &str = "rules/example.rules";
const SCENARIO: &str = "scenarios/example.yaml";

/// What is said of the market with an example in it.
pub fn told(code: Code, example: &str) -> Vec<Diagnostic> {
    let stage = code.number() / 100;
    let (parts, configuration) = parts(example, if stage == 10 { SCENARIO } else { RULES });
    let holds = |end: &str| parts.keys().any(|path| path.ends_with(end));
    // What a layout names and what a number of a clause stands for is known when the rules have been read.
    let numbers = [Code::UntiedNumber, Code::FalseNumber, Code::UnstatedNumber].contains(&code);
    let read_first = numbers || holds(".rules") || holds("table.yaml");
    let documents = matches!(stage, 3 | 4) && !read_first;
    let scenarios = parts.keys().any(|path| path.starts_with("scenarios/"));
    let package = package(&parts);
    if scenarios {
        return played(&package);
    }
    if documents {
        let mut diagnostics = Diagnostics::default();
        let sources = &mut Sources::default();
        load(sources, &package, &[], &configuration, &mut diagnostics);
        return diagnostics.list;
    }
    match Ruleset::compile(&package, &[], &configuration) {
        Ok(ruleset) => ruleset.warnings().list.clone(),
        Err(rejected) => rejected.diagnostics.list,
    }
}

/// What is said of the scenarios of a package, and of their play.
fn played(package: &PackageTexts) -> Vec<Diagnostic> {
    let suite = Suite::read(package, &[]);
    let mut told = suite.diagnostics.list;
    for scenario in &suite.scenarios {
        match scenario.setup.compile(package, &[], &Trees::default()) {
            Ok(ruleset) => told.extend(run(scenario, &ruleset).diagnostics.list),
            Err(rejected) => match not_created(scenario, &rejected) {
                Some(report) => told.extend(report.diagnostics.list),
                None => told.extend(rejected.diagnostics.list),
            },
        }
    }
    told
}

/// The texts of an example by their files, `None` for one that is missing, and how the match is configured.
fn parts<'e>(
    example: &'e str,
    unnamed: &'e str,
) -> (BTreeMap<&'e str, Option<String>>, Configuration) {
    let mut parts: BTreeMap<&str, Option<String>> = BTreeMap::new();
    let mut configuration = Configuration::base(2);
    let mut at = unnamed;
    for line in example.lines() {
        let named = line.strip_prefix("# ").unwrap_or_default();
        if let Some(words) = named.strip_prefix("referee check market ") {
            configured(&mut configuration, words);
        } else if let Some(path) = named.strip_suffix(" is missing") {
            parts.insert(path, None);
        } else if [".yaml", ".rules"].iter().any(|end| named.ends_with(end)) {
            at = named;
            parts.insert(at, Some(String::new()));
        } else {
            let part = parts.entry(at).or_default().get_or_insert_default();
            *part += line;
            part.push('\n');
        }
    }
    (parts, configuration)
}

fn configured(configuration: &mut Configuration, words: &str) {
    let words: Vec<&str> = words.split(' ').collect();
    for pair in words.chunks(2) {
        match pair {
            ["--players", players] => configuration.players = players.parse().expect("a number"),
            ["--with", with] => configuration.modules = with.split(',').map(String::from).collect(),
            ["--option", name] => _ = configuration.options.insert((*name).to_owned(), 1),
            _ => panic!("an example cannot say {pair:?}"),
        }
    }
}

/// The market with these parts of its files.
fn package(parts: &BTreeMap<&str, Option<String>>) -> PackageTexts {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/unit/interpreter/diagnostic/catalogue/market");
    let mut files = files_in(&folder);
    for (path, part) in parts {
        let Some(part) = part else {
            files.remove(*path);
            continue;
        };
        if path.starts_with("scenarios/") {
            let game = "scenario: an example\ngame: {ruleset: market, players: 2, seed: 1}\n";
            files.insert((*path).to_owned(), game.to_owned());
        }
        if *path == RULES && part.contains("phase game\n") {
            files.insert("rules/game.rules".to_owned(), String::new());
        }
        let whole = path.ends_with(".rules") || keys(part).next().is_none();
        let file = files.entry((*path).to_owned()).or_default();
        *file = match whole {
            true => part.clone(),
            false => merged(file, part),
        };
    }
    listed(&mut files, parts);
    PackageTexts::new("market", files.into_iter().collect())
}

/// The keys at the left margin of a document.
fn keys(text: &str) -> impl Iterator<Item = &str> {
    let keys = text
        .lines()
        .filter_map(|line| Some(line.split_once(':')?.0));
    keys.filter(|key| key.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

/// A document in which the keys of a part have taken the place of its own.
fn merged(document: &str, part: &str) -> String {
    let mut replaced: Vec<&str> = keys(part).collect();
    if replaced.contains(&"scenarios") {
        replaced.push("scenario");
    }
    let mut kept = true;
    let mut merged = String::new();
    for line in document.lines() {
        if let Some(key) = keys(line).next() {
            kept = !replaced.contains(&key);
        }
        if kept {
            merged += line;
            merged.push('\n');
        }
    }
    merged + part
}

/// Lists the files in their manifests, where an example does not do so itself.
fn listed(files: &mut BTreeMap<String, String>, parts: &BTreeMap<&str, Option<String>>) {
    let in_folder = |folder: &str| {
        let paths = files.keys().filter(|path| path.starts_with(folder));
        paths.cloned().collect::<Vec<_>>().join(", ")
    };
    let mut all = format!(
        "files:\n  components: [{}]\n  rules: [{}]\n  setup: setup.yaml\n  rulebook: rulebook.yaml\n  names: names.yaml\n",
        in_folder("components/"),
        in_folder("rules/")
    );
    if files.contains_key("sources.yaml") {
        all += "  sources: sources.yaml\n";
    }
    let of_module = "files: {rules: [fair.rules]}\n".to_owned();
    let has_rules = files.contains_key("modules/fair/fair.rules");
    let module = has_rules.then_some(("modules/fair/module.yaml", of_module));
    for (manifest, list) in [("ruleset.yaml", all)].into_iter().chain(module) {
        let written = parts.get(manifest).and_then(Option::as_ref);
        if let Some(text) = files.get_mut(manifest)
            && !written.is_some_and(|part| keys(part).any(|key| key == "files"))
        {
            *text = merged(text, &list);
        }
    }
}
