//! The shipped rulesets: a figure that changes while a clause still states what it was makes that clause false.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use interpreter::diagnostic::{Code, Diagnostics, Severity};
use interpreter::mutation::{Operator, Over, mutants};
use interpreter::package::{Configuration, Glimpse, Language, PackageTexts, load_again};
use interpreter::program::number_words::{Stated, stated};
use interpreter::source::{Sources, Span};
use interpreter::syntax::Trees;
use interpreter::syntax::document::{self, Node};
use referee_tests::random::Random;
use referee_tests::{root, texts};

use super::clause_numbers::found;

/// The clauses of a shipped ruleset that are false after a change, with any number of players.
fn false_clauses(
    trees: &Trees,
    base: &PackageTexts,
    modules: &[String],
    change: impl Fn(&mut Vec<(String, String)>),
) -> Option<BTreeSet<String>> {
    let mut base = base.clone();
    change(&mut base.files);
    let at = |players| Configuration {
        modules: modules.to_vec(),
        ..Configuration::base(players)
    };
    let quiet = &mut Diagnostics::default();
    let package = load_again(&mut Sources::default(), trees, &base, &[], &at(0), quiet)?;
    let mut clauses = BTreeSet::new();
    for players in package.players.0..=package.players.1 {
        for one in found(trees, &base, &[], &at(players)).1.list {
            match one.code {
                Code::FalseNumber => {
                    clauses.extend(one.message.split('`').nth(1).map(str::to_owned))
                }
                // What the tables must satisfy, or what no longer makes sense, is refused for itself.
                _ if one.severity == Severity::Error => return None,
                _ => {}
            }
        }
    }
    Some(clauses)
}

#[track_caller]
fn makes_false(
    ruleset: &str,
    modules: &[&str],
    (path, from, to): (&str, &str, &str),
    clauses: &[&str],
) {
    let base = texts(&root().join("rulesets").join(ruleset));
    let trees = Trees::growing();
    let modules: Vec<String> = modules.iter().map(|module| (*module).to_owned()).collect();
    let untouched = false_clauses(&trees, &base, &modules, |_| ());
    assert_eq!(
        untouched,
        Some(BTreeSet::new()),
        "{ruleset} {modules:?} as it is"
    );
    let changed = false_clauses(&trees, &base, &modules, |files| {
        let text = files.iter_mut().find(|(inside, _)| inside == path);
        let (_, text) = text.unwrap_or_else(|| panic!("no file {path}"));
        assert_eq!(text.matches(from).count(), 1, "{path}: {from}");
        *text = text.replace(from, to);
    });
    let expected = clauses.iter().map(|clause| (*clause).to_owned()).collect();
    assert_eq!(changed, Some(expected), "{ruleset}: {from} → {to}");
}

#[test]
fn figures_of_puerto_rico_are_tied() {
    let good = "components/goods.yaml";
    makes_false(
        "puerto-rico",
        &[],
        (good, "pieces: 9, price_of: 4", "pieces: 9, price_of: 5"),
        &["trader.price"],
    );
    let buildings = "rules/buildings.rules";
    makes_false(
        "puerto-rico",
        &[],
        (
            buildings,
            "trader.sale(p, g) by 1\n",
            "trader.sale(p, g) by 2\n",
        ),
        &["large-market", "small-market"],
    );
    makes_false(
        "puerto-rico",
        &[],
        (
            buildings,
            "trader.sale(p, g) by 2\n",
            "trader.sale(p, g) by 3\n",
        ),
        &["large-market"],
    );
    makes_false(
        "puerto-rico",
        &[],
        ("components/persons.yaml", "3: 58", "3: 59"),
        &["setup.workers"],
    );
    makes_false(
        "puerto-rico",
        &[],
        (
            "setup.yaml",
            "{2: 3, 3: 4, 4: 5, 5: 6}",
            "{2: 3, 3: 5, 4: 5, 5: 6}",
        ),
        &["settler.refill", "setup.plantations"],
    );
    makes_false(
        "puerto-rico",
        &[],
        (
            "components/tiles.yaml",
            "plantation_pieces: 10",
            "plantation_pieces: 11",
        ),
        &["setup.plantations"],
    );
    makes_false(
        "puerto-rico",
        &[],
        ("components/ships.yaml", "capacity: 7", "capacity: 8"),
        &["setup.ships"],
    );
    makes_false(
        "puerto-rico",
        &[],
        (
            "setup.yaml",
            "value: 12\n    cite: board.island",
            "value: 13\n    cite: board.island",
        ),
        &["board.island", "residence"],
    );
}

#[test]
fn figures_of_san_juan_are_tied() {
    let cards = "components/cards.yaml";
    makes_false(
        "san-juan",
        &[],
        (cards, "copies: 10", "copies: 11"),
        &["cards.kinds"],
    );
    makes_false(
        "san-juan",
        &[],
        (
            cards,
            "cost: 3, points: 3, is_city: true, monument",
            "cost: 3, points: 4, is_city: true, monument",
        ),
        &["monuments"],
    );
    makes_false(
        "san-juan",
        &[],
        (cards, "cost: 5, points: 5", "cost: 5, points: 6"),
        &["monuments"],
    );
    makes_false(
        "san-juan",
        &[],
        (cards, "cost: 5, points: 5", "cost: 6, points: 5"),
        &["cards.kinds"],
    );
    let houses = "components/trading_houses.yaml";
    makes_false(
        "san-juan",
        &[],
        (
            houses,
            "1-1-2-2-3}, for_indigo: 1",
            "1-1-2-2-3}, for_indigo: 2",
        ),
        &["trader.houses"],
    );
    let two = (
        "setup.yaml",
        "councillor_cards:\n    value: 2",
        "councillor_cards:\n    value: 3",
    );
    makes_false(
        "san-juan",
        &[],
        two,
        &[
            "archive",
            "councillor.draw",
            "councillor.privilege",
            "library",
        ],
    );
}

#[test]
fn figures_of_genoa_are_tied() {
    makes_false(
        "genoa",
        &[],
        ("components/runs.yaml", "pays: 100", "pays: 90"),
        &["contracts.longer-runs", "contracts.runs"],
    );
    let pepper = (
        "components/tokens.yaml",
        "pl: pieprz}, is_good: true, pieces: 5",
        "pl: pieprz}, is_good: true, pieces: 6",
    );
    makes_false("genoa", &[], pepper, &["setup.goods"]);
}

#[test]
fn figures_of_the_rivals_are_tied() {
    let yule = (
        "setup.yaml",
        "events_below_yule:\n    value: 3",
        "events_below_yule:\n    value: 4",
    );
    makes_false(
        "catan-rivals",
        &[],
        yule,
        &["event.yule", "setup.event-deck"],
    );
    makes_false(
        "catan-rivals",
        &["era-of-gold"],
        yule,
        &["event.yule", "setup.event-deck"],
    );
    let feud = (
        "components/happenings.yaml",
        "pl: Zatarg}, event_copies: 1",
        "pl: Zatarg}, event_copies: 2",
    );
    makes_false("catan-rivals", &[], feud, &["setup.event-deck"]);
    makes_false(
        "catan-rivals",
        &[],
        (
            "components/base_cards.yaml",
            "costs_brick: 2",
            "costs_brick: 3",
        ),
        &["road"],
    );
}

#[test]
fn figures_of_modules_are_tied() {
    let most_loot = (
        "modules/corsair/setup.yaml",
        "most_loot:\n    value: 3",
        "most_loot:\n    value: 4",
    );
    makes_false(
        "puerto-rico",
        &["corsair"],
        most_loot,
        &["corsair.piracy", "corsair.raid"],
    );
    let union_hall = (
        "modules/new-buildings/rules/buildings.rules",
        "stock(p, g) / 2",
        "stock(p, g) / 3",
    );
    makes_false(
        "puerto-rico",
        &["new-buildings"],
        union_hall,
        &["union-hall"],
    );
}

/// A number of a ruleset, and one more or less.
struct Planted {
    path: String,
    span: std::ops::Range<usize>,
    was: i64,
    /// What it is: `good coffee price_of`.
    what: String,
    /// The clause that a figure names as its own.
    cite: Option<String>,
}

/// The numbers of a document of components or figures.
fn in_document(path: &str, text: &str, planted: &mut Vec<Planted>) {
    let mut sources = Sources::default();
    let file = sources.add(path, text);
    let Some(tree) = document::parse(&sources, file, &mut Diagnostics::default()) else {
        return;
    };
    let table = tree
        .get("table")
        .and_then(Node::scalar)
        .unwrap_or("figure")
        .to_owned();
    for (key, from) in [("rows", &tree), ("figures", &tree), ("columns", &tree)] {
        for pair in from.get(key).and_then(Node::pairs).unwrap_or_default() {
            let cite = pair
                .value
                .get("cite")
                .and_then(Node::scalar)
                .map(str::to_owned);
            numbers(
                path,
                &pair.value,
                &format!("{table} {}", pair.key.node),
                &cite,
                planted,
            );
        }
    }
}

fn numbers(path: &str, node: &Node, what: &str, cite: &Option<String>, planted: &mut Vec<Planted>) {
    if let Some(was) = node.plain().and_then(|plain| plain.parse().ok()) {
        let Span { start, end, .. } = node.span;
        planted.push(Planted {
            path: path.to_owned(),
            span: start as usize..end as usize,
            was,
            what: what.to_owned(),
            cite: cite.clone(),
        });
    }
    for pair in node.pairs().unwrap_or_default() {
        if !["names", "players", "cite"].contains(&pair.key.node.as_str()) {
            numbers(
                path,
                &pair.value,
                &format!("{what} {}", pair.key.node),
                cite,
                planted,
            );
        }
    }
}

/// A shipped ruleset with one number that is one more or less.
struct Change<'a> {
    title: &'a Title,
    planted: &'a Planted,
    now: i64,
}

/// A shipped ruleset, and its numbers.
struct Title {
    id: &'static str,
    base: PackageTexts,
    trees: Trees,
    planted: Vec<Planted>,
}

/// The modules with which a file of a ruleset is in play.
pub fn in_play(base: &PackageTexts, path: &str) -> Vec<String> {
    let inside = path.strip_prefix("modules/");
    let Some((id, _)) = inside.and_then(|inside| inside.split_once('/')) else {
        return Vec::new();
    };
    let manifest = base.get(&format!("modules/{id}/module.yaml"));
    let glimpse = Glimpse::of(manifest.unwrap_or_default());
    // Whoever joins modules is laid when all of them are chosen.
    let own = glimpse.joins.is_empty().then(|| id.to_owned());
    glimpse
        .joins
        .into_iter()
        .chain(glimpse.requires)
        .chain(own)
        .collect()
}

fn titles() -> Vec<Title> {
    let ids = ["puerto-rico", "san-juan", "catan-rivals", "genoa"];
    let titles = ids.into_iter().map(|id| {
        let base = texts(&root().join("rulesets").join(id));
        let mut planted = Vec::new();
        for (path, text) in &base.files {
            if path.ends_with(".yaml") && !path.contains("scenarios/") {
                in_document(path, text, &mut planted);
            }
        }
        Title {
            id,
            base,
            trees: Trees::growing(),
            planted,
        }
    });
    titles.collect()
}

/// Every number of the components and figures of all titles and their modules, one less and one more.
fn changes(titles: &[Title]) -> Vec<Change<'_>> {
    let all = titles.iter().flat_map(|title| {
        let planted = title.planted.iter();
        planted.flat_map(move |planted| {
            [planted.was - 1, planted.was + 1].map(|now| Change {
                title,
                planted,
                now,
            })
        })
    });
    all.collect()
}

impl Change<'_> {
    /// `puerto-rico: good coffee price_of: 4 → 5`
    fn name(&self) -> String {
        let Planted { what, was, .. } = self.planted;
        format!("{}: {what}: {was} → {}", self.title.id, self.now)
    }

    /// The modules with which the number is in play.
    fn modules(&self) -> Vec<String> {
        in_play(&self.title.base, &self.planted.path)
    }

    /// The clauses that it makes false; nothing if the tables do not allow it.
    fn false_clauses(&self) -> Option<BTreeSet<String>> {
        let Title { base, trees, .. } = self.title;
        let Planted { path, span, .. } = self.planted;
        false_clauses(trees, base, &self.modules(), |files| {
            let text = files.iter_mut().find(|(inside, _)| inside == path);
            text.expect("the file")
                .1
                .replace_range(span.clone(), &self.now.to_string());
        })
    }

    /// The clauses as they are, by id.
    fn clauses(&self) -> BTreeMap<String, String> {
        let configuration = Configuration {
            modules: self.modules(),
            ..Configuration::base(0)
        };
        let (sources, quiet) = (&mut Sources::default(), &mut Diagnostics::default());
        let Title { base, trees, .. } = self.title;
        let package = load_again(sources, trees, base, &[], &configuration, quiet);
        let clauses = package
            .into_iter()
            .flat_map(|package| package.rulebook.clauses);
        clauses
            .map(|clause| (clause.id.node, clause.text.en))
            .collect()
    }
}

/// A hundred of the changes with the clauses that they make false, to be read.
#[test]
#[ignore = "slow"]
fn a_hundred_figures_one_more_or_less() {
    let titles = titles();
    let mut left = changes(&titles);
    let mut random = Random::new(1);
    let mut shown = String::new();
    for _ in 0..100 {
        let at = random.below(left.len() as u64) as usize;
        let change = left.swap_remove(at);
        let Some(clauses) = change.false_clauses() else {
            _ = writeln!(shown, "{}\n    refused by the tables", change.name());
            continue;
        };
        _ = writeln!(shown, "{}", change.name());
        let texts = change.clauses();
        for id in clauses {
            _ = writeln!(shown, "    false: {id}: {}", texts[&id]);
        }
    }
    insta::assert_snapshot!(shown);
}

/// A clause that a figure names as its own and that states the figure's number is false when the figure is one more or less.
#[test]
#[ignore = "slow"]
fn every_figure_one_more_or_less_makes_its_own_clause_false() {
    let titles = titles();
    let (mut missed, mut known) = (Vec::new(), BTreeMap::new());
    for change in changes(&titles) {
        let planted = change.planted;
        let Some(own) = planted.cite.as_ref() else {
            continue;
        };
        // The clause of a card states some of its cells, and which one a number means is not said by the number.
        if !planted.what.starts_with("figure ") {
            continue;
        }
        let clauses = known
            .entry((change.title.id, change.modules()))
            .or_insert_with(|| change.clauses());
        let numbers = clauses
            .get(own)
            .map(|text| stated(text, Language::English))
            .unwrap_or_default();
        let was = Stated::Number(planted.was);
        if !numbers.iter().any(|(number, _)| *number == was) {
            continue;
        }
        let clauses = change.false_clauses();
        if clauses.is_some_and(|clauses| !clauses.contains(own)) {
            missed.push(format!("{}: {own}", change.name()));
        }
    }
    // With more than two players a role card each is stated by `round`; "one at a time" is no figure.
    missed.retain(|line| !line.contains("figure roles_each"));
    assert_eq!(missed, [""; 0]);
}

/// A number within a rule that the rule's clause states. One is left out: `one` is said of anything, and rules count by one.
#[test]
#[ignore = "slow"]
fn every_number_of_a_rule_one_more_or_less_makes_its_clause_false() {
    let (mut missed, mut tried) = (Vec::new(), 0);
    for title in &titles() {
        let paths = title
            .base
            .files
            .iter()
            .map(|(path, _)| in_play(&title.base, path));
        for modules in paths.collect::<BTreeSet<_>>() {
            let over = Over {
                modules: modules.clone(),
                ..Over::default()
            };
            let planted = mutants(&title.base, &[], &over).expect("it is sound");
            let of_rules = planted.mutants.iter().filter(|mutant| {
                mutant.operator == Operator::NumberChanged && mutant.path.ends_with(".rules")
            });
            for mutant in of_rules {
                let was = planted.sources.text(mutant.edits[0].span);
                let clause = mutant.site.clause.as_ref();
                let clause = clause.and_then(|id| planted.package.rulebook.clause(id));
                let (Some(clause), Ok(number @ (0 | 2..))) = (clause, was.parse()) else {
                    continue;
                };
                let number = Stated::Number(number);
                let mut states = stated(&clause.text.en, Language::English).into_iter();
                if !states.any(|(stated, _)| stated == number) {
                    continue;
                }
                tried += 1;
                let found = false_clauses(&title.trees, &title.base, &modules, |files| {
                    let text = files.iter_mut().find(|(path, _)| *path == mutant.path);
                    let (_, text) = text.expect("the file");
                    *text = mutant.applied(text);
                });
                if found.is_some_and(|found| !found.contains(&clause.id.node)) {
                    missed.push(format!(
                        "{}: {}: {}",
                        mutant.path, mutant.says.en, clause.id.node
                    ));
                }
            }
        }
    }
    assert!(tried > 50, "{tried} numbers are stated");
    // Of the formula for the cloister's points the clause states values, and its numbers are tied to nothing.
    missed.retain(|line| !line.ends_with(": cloister"));
    assert_eq!(missed, [""; 0]);
}
