//! Clauses of modules beside those of the layers below: which replace and restrict which, and what is reported.

use std::fmt::Write as _;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::{Code, Diagnostics, Severity};
use interpreter::package::{Configuration, Package, PackageTexts, load};
use interpreter::resolve::ClauseRelations;
use interpreter::source::Sources;
use interpreter::syntax::Trees;
use referee_tests::{mini, root, texts};

use super::clause_numbers::found;

const RULES: &str = "
phase game
  step going: repeat until the game ends
    step turns: each p from dealer                         @turns
      ask p
        move act(n: 1 to 3)                                @act
          needs n < most                                   @act.few
          do { gain(purse(p), n); }
        move pass                                          @pass
colour red for p when owned                                @red
  modify worth(p) by 1
query owned(p: player, c: colour): bool = box(p, c) > 0
query worth(p: player): int = purse(p)                     @worth
query is_free(p: player): bool = true                      @turns
ending rich when any p in players: worth(p) > 20           @rich
";

const RULEBOOK: &str = "
sections:
- id: all
  titles: {en: All, pl: Wszystko}
  clauses:
  - {id: turns, en: A., pl: A.}
  - {id: act, en: A., pl: A.}
  - {id: act.few, en: A., pl: A.}
  - {id: most, en: A., pl: A.}
  - {id: pass, en: A., pl: A.}
  - {id: red, en: A., pl: A.}
  - {id: worth, en: A., pl: A.}
  - {id: rich, en: A., pl: A.}
  - {id: remark, kind: note, en: A., pl: A.}
";

fn base() -> PackageTexts {
    let mut base = mini::package(RULES);
    for (path, text) in &mut base.files {
        if path == "ruleset.yaml" {
            text.push_str("  rulebook: rulebook.yaml\n  setup: setup.yaml\n");
        }
    }
    base.files.push(("rulebook.yaml".into(), RULEBOOK.into()));
    let figures = "figures: {most: {value: 3, cite: most}}\n";
    base.files.push(("setup.yaml".into(), figures.into()));
    base
}

/// A house rule over the mini table: its rules, what its clause says beside its words, and more of its manifest.
fn house(rules: &str, top: &str, clause: &str, manifest: &str) -> [(String, PackageTexts); 1] {
    let manifest = format!(
        "id: house\nextends: mini\ntitles: {{en: House, pl: Dom}}\n{manifest}files: {{rules: [house.rules], rulebook: rulebook.yaml}}\n"
    );
    let rulebook = format!(
        "{top}sections:\n- id: house\n  titles: {{en: House, pl: Dom}}\n  clauses:\n  - {{id: house, en: A., pl: A.{clause}}}\n"
    );
    let files = [
        ("module.yaml", manifest.as_str()),
        ("house.rules", rules),
        ("rulebook.yaml", &rulebook),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    [("house".to_owned(), PackageTexts::new("house", files.into()))]
}

fn package(base: &PackageTexts, house: &[(String, PackageTexts)], modules: &[&str]) -> Package {
    let configuration = Configuration {
        modules: modules.iter().map(|module| (*module).to_owned()).collect(),
        ..Configuration::base(0)
    };
    let (mut sources, mut found) = (Sources::default(), Diagnostics::default());
    let package = load(&mut sources, base, house, &configuration, &mut found);
    package.unwrap_or_else(|| panic!("{modules:?}: {:?}", found.list))
}

/// `rich replaced by house`, in the order of clauses.
fn listed(package: &Package) -> Vec<String> {
    let relations = ClauseRelations::of(package);
    let clauses = package.rulebook.clauses.iter();
    let lines = clauses.flat_map(|clause| {
        let id = &clause.id.node;
        let all = [
            ("replaced", relations.replaced_by(id)),
            ("restricted", relations.restricted_by(id)),
        ];
        let all = all.into_iter().filter(|(_, by)| !by.is_empty());
        all.map(|(how, by)| format!("{id} {how} by {}", by.join(", ")))
            .collect::<Vec<_>>()
    });
    lines.collect()
}

/// `error RF0414 nothing carries out …`
fn reported(base: &PackageTexts, house: &[(String, PackageTexts)]) -> Vec<String> {
    let (_, found) = found(&Trees::default(), base, house, &Configuration::base(2));
    let found = found.sorted().list.into_iter();
    let lines = found
        .filter(|one| one.code != Code::UnnamedNumber)
        .map(|one| {
            let severity = match one.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            format!("{severity} {} {}", one.code, one.message)
        });
    lines.collect()
}

#[track_caller]
fn derives(rules: &str, manifest: &str, expected: &[&str]) {
    let house = house(rules, "", "", manifest);
    assert_eq!(listed(&package(&base(), &house, &[])), expected, "{rules}");
}

#[test]
fn a_clause_whose_only_rule_is_replaced_or_disabled_is_replaced() {
    let other = "ending poor after game  @house\n";
    derives(
        &format!("disable rich  @house\n{other}"),
        "",
        &["rich replaced by house"],
    );
    let query = "replace worth\n  query worth(p: player): int = 1  @house\n";
    derives(query, "", &["worth replaced by house"]);
    let mv = "replace game.pass  @house\n  move pass\n";
    derives(mv, "", &["pass replaced by house"]);
}

#[test]
fn a_clause_that_other_rules_cite_is_restricted() {
    let step = "
replace game.turns                                         @house
  step turns: each p from dealer
    ask p
      move act(n: 1 to 3)                                  @act
        needs n < most                                     @act.few
      move pass                                            @house
";
    // What the module cites itself for a part of the step holds on.
    let expected = ["turns restricted by house", "pass replaced by house"];
    derives(step, "", &expected);
}

#[test]
fn changes_of_queries_and_conditions_of_moves_restrict() {
    derives(
        "modify worth(p) by 2  @house\n",
        "",
        &["worth restricted by house"],
    );
    derives(
        "extend game.act\n  needs n < 2  @house\n",
        "",
        &["act restricted by house"],
    );
    let parameter = "extend game.act with twice: bool  @house\n  needs not twice or n < 2\n";
    derives(parameter, "", &[]);
    derives("forbid is_free(p) when purse(p) > 3  @house\n", "", &[]);
    derives("", "", &[]);
}

#[test]
fn a_figure_that_is_patched_with_another_citation_replaces() {
    let patch = "patch: {figures: {most: {value: 2, cite: house}}}\n";
    derives("", patch, &["most replaced by house"]);
    derives("", "patch: {figures: {most: 2}}\n", &[]);
}

#[test]
fn an_author_names_what_no_citation_shows() {
    let own = ", kind: note, replaces: [remark, act.few], restricts: [act]";
    let house = house("", "", own, "");
    let expected = [
        "act restricted by house",
        "act.few replaced by house",
        "remark replaced by house",
    ];
    assert_eq!(listed(&package(&base(), &house, &[])), expected);
    assert_eq!(reported(&base(), &house), [""; 0]);
    let ruleset = Ruleset::compile(&base(), &house, &Configuration::base(2));
    let ruleset = ruleset.unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics.list));
    let cited: Vec<&str> = ruleset.model().clauses.iter().map(|id| &**id).collect();
    assert!(
        cited.contains(&"house") && !cited.contains(&"act.few"),
        "{cited:?}"
    );
}

#[test]
fn an_overruled_clause_without_successor_is_an_error_only_for_whoever_asks() {
    let over = "nothing carries out the clause `rich` any more, and no clause replaces it";
    let rules = "disable rich\nending poor after game  @house\n";
    let silent = house(rules, "", "", "");
    assert_eq!(
        reported(&base(), &silent),
        [format!("warning RF0414 {over}")]
    );
    let strict = "overruled: replaced\n";
    let asking = house(rules, strict, "", "");
    assert_eq!(reported(&base(), &asking), [format!("error RF0414 {over}")]);
    let said = house(rules, strict, ", replaces: [rich]", "");
    assert_eq!(reported(&base(), &said), [""; 0]);
    let patch = "patch: {rich: {en: B., pl: B., kind: note}}\n";
    let reworded = house(rules, &format!("{strict}{patch}"), "", "");
    assert_eq!(reported(&base(), &reworded), [""; 0]);
    let removed = "patch: {colour: {blue: {twin: green}}}\nremove: {colour: [red]}\n";
    let row = house("disable red\n", strict, ", kind: note", removed);
    assert_eq!(
        reported(&base(), &row),
        [over.replace("rich", "red")].map(|it| format!("error RF0414 {it}"))
    );
}

#[test]
fn only_clauses_of_lower_layers_are_replaced() {
    let itself = house("", "", ", kind: note, replaces: [house]", "");
    assert_eq!(
        reported(&base(), &itself),
        ["error RF0415 the words of `house` are of no lower layer"]
    );
    let unknown = house("", "", ", kind: note, restricts: [rick]", "");
    let told = reported(&base(), &unknown);
    assert_eq!(told, ["error RF0328 there is no clause `rick`"]);
}

/// The modules of each shipped title, each with what it needs.
const SHIPPED: [(&str, &[&[&str]]); 3] = [
    (
        "puerto-rico",
        &[
            &["new-buildings"],
            &["nobles"],
            &["corsair"],
            &["festival"],
            &["first-edition"],
            &["new-buildings", "nobles", "corsair", "festival"],
            &["first-edition", "new-buildings"],
        ],
    ),
    (
        "catan-rivals",
        &[
            &["era-of-gold"],
            &["era-of-turmoil"],
            &["era-of-progress"],
            &["era-of-gold", "era-of-turmoil", "era-of-progress", "duel"],
        ],
    ),
    ("san-juan", &[&["new-buildings"], &["dearer-poor-house"]]),
];

#[test]
fn shipped_modules_replace_and_restrict_these_clauses() {
    let mut shown = String::new();
    for (ruleset, all) in SHIPPED {
        let base = texts(&root().join("rulesets").join(ruleset));
        for modules in all {
            let lines = listed(&package(&base, &[], modules)).join("\n  ");
            _ = writeln!(shown, "{ruleset} with {}\n  {lines}", modules.join(", "));
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn the_base_does_not_contradict_its_modules() {
    let relation = |ruleset: &str, modules: &[&str], clause: &str| {
        let base = texts(&root().join("rulesets").join(ruleset));
        let relations = ClauseRelations::of(&package(&base, &[], modules));
        relations.remark(clause).trim().to_owned()
    };
    assert_eq!(
        relation(
            "puerto-rico",
            &["first-edition"],
            "builder.several-production"
        ),
        "(replaced by @builder.once)"
    );
    assert_eq!(
        relation("puerto-rico", &["nobles"], "end.workers"),
        "(replaced by @nobles.no-end)"
    );
    assert_eq!(
        relation("puerto-rico", &["new-buildings"], "setup.buildings"),
        "(restricted by @draft)"
    );
    let duel = ["era-of-gold", "era-of-turmoil", "era-of-progress", "duel"];
    for (clause, by) in [
        ("open-stack", "no-open-stack"),
        ("gold.stacks", "stacks"),
        ("turmoil.stacks", "stacks"),
        ("progress.stacks", "stacks"),
    ] {
        let remark = format!("(replaced by @duel.{by})");
        assert_eq!(relation("catan-rivals", &duel, clause), remark);
    }
}
