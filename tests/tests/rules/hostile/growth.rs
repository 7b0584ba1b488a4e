//! How the work of making a ruleset grows with its text.
//!
//! What would double with every line if each pass looked through all that a line asks in turn: it must grow no faster
//! than the text.

use std::fmt::Write as _;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::Style;
use interpreter::package::{Configuration, PackageTexts};
use interpreter::play::{CompileWork, WORK};
use referee_tests::games::every_game;
use referee_tests::mini;

/// Lines made of their numbers, one for each of `n`.
fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(line).collect()
}

/// Rules in which every one of `n` things asks the one before it twice.
fn doubling(what: &str, n: usize) -> PackageTexts {
    let last = n - 1;
    let rules = match what {
        "queries" => lines(n, |i| match i {
            0 => "query q0: int = told(red)\n".into(),
            i => format!("query q{i}: int = q{0} + q{0}\n", i - 1),
        }),
        "queries of a number" => lines(n, |i| match i {
            0 => "query q0(x: int): int = x + told(red)\n".into(),
            i => format!("query q{i}(x: int): int = q{0}(x) + q{0}(x)\n", i - 1),
        }),
        "queries of a player" => lines(n, |i| match i {
            0 => "query q0(p: player): int = purse(p)\n".into(),
            i => format!("query q{i}(p: player): int = q{0}(p) + q{0}(p)\n", i - 1),
        }),
        "conditions" => lines(n, |i| match i {
            0 => "query q0(x: int): bool = x > told(red)\n".into(),
            i => format!(
                "query q{i}(x: int): bool = q{0}(x) or not q{0}(x + 1)\n",
                i - 1
            ),
        }),
        "sums" => lines(n, |i| match i {
            0 => "query q0(x: int): int = x + told(red)\n".into(),
            i => format!(
                "query q{i}(x: int): int = sum c in colours: q{0}(x) + q{0}(x)\n",
                i - 1
            ),
        }),
        "effects" => lines(n, |i| match i {
            0 => "effect e0(x: int)\n  do { gain(jar, x); }\n".into(),
            i => format!("effect e{i}(x: int)\n  do {{ e{0}(x); e{0}(x); }}\n", i - 1),
        }),
        "phases" => lines(n, |i| match i {
            0 => "phase v0\n  step a: do { gain(jar, 1); }\n".into(),
            i => format!(
                "phase v{i}\n  step a: visit v{0}\n  step b: visit v{0}\n",
                i - 1
            ),
        }),
        _ => String::new(),
    };
    let ask = match what {
        "queries" => format!("needs q{last} == 0"),
        "queries of a number" | "sums" => format!("needs q{last}(n) == 0"),
        "queries of a player" => format!("needs q{last}(p) == 0"),
        "conditions" => format!("needs q{last}(n)"),
        _ => String::new(),
    };
    let done = match what {
        "effects" => format!("e{last}(n);"),
        _ => "gain(purse(p), n);".into(),
    };
    let visit = match what {
        "phases" => format!("\n  step visiting: visit v{last}"),
        _ => String::new(),
    };
    let game = format!(
        "
phase game{visit}
  step going: repeat until the game ends
    step turns: each p from dealer
      ask p
        move act(n: 0 to 3)
          {ask}
          do {{ {done} }}
        move pass
ending rich when any p in players: purse(p) > 20
"
    );
    let mut package = mini::package(&format!("{rules}{game}"));
    if what == "modules" {
        let ids: Vec<String> = (0..n).map(|i| format!("m{i}")).collect();
        package.files[0].1 += &format!("modules: [{}]\n", ids.join(", "));
        for id in ids {
            let manifest = format!(
                "id: {id}\nextends: mini\nversion: \"0.1.0\"\nlanguage: 1\ntitles: {{en: M, pl: M}}\n"
            );
            let path = format!("modules/{id}/module.yaml");
            package.files.push((path, manifest));
        }
    }
    package
}

fn work(what: &str, n: usize) -> Result<CompileWork, String> {
    let modules = match what {
        "modules" => (0..n).map(|i| format!("m{i}")).collect(),
        _ => Vec::new(),
    };
    let configuration = Configuration {
        modules,
        ..Configuration::base(2)
    };
    Ruleset::compile(&doubling(what, n), &[], &configuration)
        .map(|ruleset| ruleset.work())
        .map_err(|rejected| rejected.diagnostics.render(&rejected.sources, Style::Plain))
}

#[test]
fn work_grows_no_faster_than_the_text() {
    let kinds = [
        "queries",
        "queries of a number",
        "queries of a player",
        "conditions",
        "sums",
        "effects",
        "phases",
        "modules",
    ];
    let mut table =
        String::from("what asks the one before twice   n    load   check   graph    link\n");
    for what in kinds {
        let mut ten = 0;
        for n in [10, 20, 40] {
            let work = work(what, n).unwrap_or_else(|shown| panic!("{what}, {n}:\n{shown}"));
            match n {
                10 => ten = work.all(),
                _ => assert!(
                    work.all() <= ten * n as u64 / 8,
                    "{what}: {ten}, then {work:?}"
                ),
            }
            writeln!(
                table,
                "{what:<30}{n:>4}{:>8}{:>8}{:>8}{:>8}",
                work.load, work.check, work.graph, work.link
            )
            .expect("a string takes everything");
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn shipped_games_take_a_small_part_of_what_is_allowed() {
    for (name, ruleset) in every_game() {
        let work = ruleset.work().all();
        assert!(work * 4 < WORK, "{name}: {work} of {WORK}");
    }
}
