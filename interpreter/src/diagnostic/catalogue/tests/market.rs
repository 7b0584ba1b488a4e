//! A small package that is right, into which the examples of the catalogue are put.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::package::{Configuration, PackageTexts, load};
use crate::play::Ruleset;
use crate::scenario::{Suite, run};
use crate::source::Sources;

/// Where an example stands that names no file.
const RULES: &str = "rules/example.rules";
const SCENARIO: &str = "scenarios/example.yaml";

const FILES: &[(&str, &str)] = &[
    (
        "ruleset.yaml",
        "\
id: market
version: \"0.1.0\"
language: 1
titles: {en: Market day, pl: Dzień targowy}
players: {from: 2, to: 4}
modules: [fair, tax]
options:
  open_purses: {names: {en: open purses, pl: jawne sakiewki}, default: false}
",
    ),
    (
        "components/goods.yaml",
        "\
table: good
plural: goods
names: {en: good, pl: towar}
columns: {price: int, fresh: bool}
rows:
  apple: {names: {en: apple, pl: jabłko}, price: 1, fresh: true}
  bread: {names: {en: bread, pl: chleb}, price: 2, fresh: true}
  cloth: {names: {en: cloth, pl: sukno}, price: 5}
",
    ),
    (
        "components/stalls.yaml",
        "\
table: stall
plural: stalls
names: {en: stall, pl: stragan}
columns: {rent: int}
rows:
  corner: {names: {en: corner stall, pl: stragan na rogu}, rent: 1}
  bakery: {names: {en: bakery, pl: piekarnia}, rent: 2}
  hall: {names: {en: market hall, pl: hala}, rent: 4, players: [3, 4]}
",
    ),
    (
        "components/jobs.yaml",
        "\
table: job
plural: jobs
names: {en: job, pl: praca}
rows:
  cook: {names: {en: cook, pl: kucharz}}
  guard: {names: {en: guard, pl: strażnik}}
",
    ),
    ("setup.yaml", "figures: {rounds: 6, most_taxes: 9}\n"),
    (
        "rulebook.yaml",
        "\
sections:
  - id: market
    titles: {en: The market, pl: Targ}
    clauses:
      - {id: end, en: The game ends when somebody is rich., pl: \"Gra kończy się, gdy ktoś jest bogaty.\"}
      - {id: purse.start, en: Everybody begins with two coins., pl: Każdy zaczyna z dwiema monetami.}
",
    ),
    ("names.yaml", "counters: {coins: {en: coins, pl: monety}}\n"),
    (
        "rules/table.rules",
        "\
place supply: good             starts each g with 2
place stock(p: player): good
place hand(p: player): good    seen by p
place deck: pile of good       face down  starts each g with 2
place cart(s: stall): good     room 2
counter coins(p: player)       starts 2                              @purse.start
counter taxes                  at most most_taxes
marker leader: player          starts first_player
marker owner(s: stall): option player
event sold(p: player, n: int)
query worth(g: good): int = price(g)
query owns(p: player, s: stall): bool = owner(s) is p
",
    ),
    (
        "rules/game.rules",
        "\
phase game
  step days: repeat until the game ends
    step turns: each p from leader
      ask p
        move buy(g: good)
          needs supply(g) > 0
          do { move(1, g, supply, stock(p)); }
        move pass
",
    ),
    (
        "rules/end.rules",
        "\
ending rich when any p in players: coins(p) > rounds                 @end
score coins for p: coins(p)
winner p with most coins(p)
",
    ),
    (
        "modules/fair/module.yaml",
        "\
id: fair
extends: market
titles: {en: The fair, pl: Jarmark}
",
    ),
    (
        "modules/tax/module.yaml",
        "\
id: tax
extends: market
titles: {en: Taxes, pl: Podatki}
",
    ),
];

/// What is said of the market with an example in it.
pub fn told(code: Code, example: &str) -> Vec<Diagnostic> {
    let stage = code.number() / 100;
    let (parts, configuration) = parts(example, if stage == 10 { SCENARIO } else { RULES });
    let holds = |end: &str| parts.keys().any(|path| path.ends_with(end));
    let documents = matches!(stage, 3 | 4) && !holds(".rules");
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
        match scenario.setup.compile(package, &[]) {
            Ok(ruleset) => told.extend(run(scenario, &ruleset).diagnostics.list),
            Err(rejected) => told.extend(rejected.diagnostics.list),
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
    let mut files: BTreeMap<String, String> = FILES
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
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
    listed(&mut files);
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
fn listed(files: &mut BTreeMap<String, String>) {
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
        if let Some(text) = files.get_mut(manifest)
            && !keys(text).any(|key| key == "files")
        {
            *text += &list;
        }
    }
}
