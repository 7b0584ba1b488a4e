//! One ruleset for each way to burn time or memory: at reading, checking, compiling, set-up, listing moves, playing and
//! counting points. Each ends within its budget with an error that a reader can act on.

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::budget;
use interpreter::diagnostic::{Code, Severity};
use interpreter::package::{Configuration, PackageTexts};
use interpreter::play::{CompileOptions, Match, Seed, WORK};
use interpreter::syntax::Trees;
use referee_tests::mini;

/// Lines made of their numbers, one for each of `n`.
fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(line).collect()
}

/// The mini table with further rules, and rows of its one table.
fn package(rules: &str, rows: usize) -> PackageTexts {
    let mut package = mini::package(&format!("{rules}{}", mini::GAME));
    let more = |i| format!("  r{i}: {{names: {{en: r, pl: r}}, weight: 1, twin: blue}}\n");
    package.files[1].1 += &lines(rows, more);
    package
}

/// The mini table with a game of its own.
fn game(game: &str) -> PackageTexts {
    let end = "ending rich when any p in players: purse(p) > 20\n";
    mini::package(&format!("{game}{end}"))
}

/// What is wrong with a ruleset, as codes; that it was found out within a budget of this work.
fn refused(package: &PackageTexts, work: u64) -> Vec<Code> {
    let options = CompileOptions {
        work,
        ..CompileOptions::default()
    };
    let configuration = Configuration::base(2);
    let compile =
        || Ruleset::compile_again(package, &[], &configuration, options, &Trees::default());
    let (compiled, spent) = budget::counted(compile);
    // Telling what is wrong has a budget of its own.
    assert!(spent <= work + WORK, "{spent} of {work}");
    let Err(rejected) = compiled else {
        return Vec::new();
    };
    let errors = rejected.diagnostics.list.iter();
    let errors = errors.filter(|found| found.severity == Severity::Error);
    assert!(errors.clone().count() <= 1000);
    let mut codes: Vec<Code> = errors.map(|found| found.code).collect();
    codes.dedup();
    codes
}

#[test]
fn too_much_to_read_or_check_or_compile_is_refused() {
    too_much_is_refused(10);
}

#[test]
#[ignore = "slow"]
fn too_much_to_read_or_check_or_compile_is_refused_within_the_whole_budget() {
    too_much_is_refused(1);
}

/// Compiles what takes more than this part of the work that is allowed.
fn too_much_is_refused(part: usize) {
    let mut found = Vec::new();
    let mut case = |what: &str, package: &PackageTexts, code: Code| {
        let codes = refused(package, WORK / part as u64);
        if !codes.contains(&code) {
            found.push(format!("{what}: {codes:?}, not {code:?}"));
        }
    };
    let figures = |n| {
        let mut package = package("", 0);
        let manifest = &mut package.files[0].1;
        *manifest = manifest.replace("files:\n", "files:\n  setup: setup.yaml\n");
        let setup = format!("figures:\n{}", lines(n, |i| format!("  f{i}: {i}\n")));
        package.files.push(("setup.yaml".into(), setup));
        package
    };
    case("figures", &figures(60_000 / part), Code::WorkLimitExceeded);
    case("rows", &package("", 30_000 / part), Code::WorkLimitExceeded);
    case(
        "keys",
        &{
            let mut package = package("", 0);
            package.files[0].1 += &lines(25_000 / part, |i| format!("key{i}: 1\n"));
            package
        },
        Code::UnknownKey,
    );
    let unknown = lines(4000, |i| format!("query q{i}: int = nobody{i}\n"));
    case(
        "names that nobody knows",
        &package(&unknown, 0),
        Code::WorkLimitExceeded,
    );
    case(
        "two tables against each other",
        &package("counter big(a: colour, b: colour)\n", 600),
        Code::CapacityExceeded,
    );
    let three = "counter big(a: colour, b: colour, c: colour)\n";
    case(
        "three tables against each other",
        &package(three, 70),
        Code::CapacityExceeded,
    );
    case(
        "many of them",
        &package(three, 60_000 / part),
        Code::WorkLimitExceeded,
    );
    case(
        "places of squared rows",
        &package("place big(a: colour, b: colour): colour\n", 100),
        Code::CapacityExceeded,
    );
    let pile = "place big(a: colour): pile of colour  starts each c with 100\n";
    case(
        "piles of everything",
        &package(pile, 30),
        Code::CapacityExceeded,
    );
    case(
        "a requirement of a hundred million pairs",
        &package(
            "require all a in 1 to 9_999: all b in 1 to 9_999: a + b > 0\n",
            0,
        ),
        Code::WorkLimitExceeded,
    );
    let sum = "sum x in colours: sum y in colours: sum z in colours: weight(x) * weight(y)";
    let starts = format!("counter big(a: colour)   starts {sum}\n");
    case(
        "first values that are summed up",
        &package(&starts, 200),
        Code::WorkLimitExceeded,
    );
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What keeps a match of a ruleset from being begun, or from going on after the first move of each player.
fn fails(package: &PackageTexts) -> String {
    let compiled = Ruleset::compile(package, &[], &Configuration::base(2));
    let ruleset = compiled.unwrap_or_else(|rejected| {
        panic!("{:?}", rejected.diagnostics.list);
    });
    let (begun, spent) = budget::counted(|| Match::new(ruleset, Seed::from_number(1), false));
    let most = 40_000_000;
    assert!(spent <= most, "{spent} to begin");
    let mut played = match begun {
        Ok(begun) => begun,
        Err(fault) => return fault.to_string(),
    };
    for _ in 0..2 {
        let seat = played.quickest(&mut || 0).expect("somebody is asked");
        let mv = played.sample(seat, &mut || 0).expect("there is a move");
        let (moved, spent) = budget::counted(|| played.apply(seat, &mv));
        assert!(spent <= most, "{spent} to move");
        if let Err(error) = moved {
            return format!("{error:?}");
        }
        let (_, spent) = budget::counted(|| played.view(interpreter::play::Audience::Spectator));
        assert!(spent <= most, "{spent} to look");
    }
    String::new()
}

/// A game that does something at set-up, so many times, before anybody is asked; with rules of its own.
fn burning(rules: &str, times: u32, script: &str) -> PackageTexts {
    game(&format!(
        "{rules}phase game
  step burning: for n in 1 to {times}
    do {{ {script} }}
  step going: repeat until the game ends
    step turns: each p from dealer
      ask p
        move pass
"
    ))
}

/// A script that does something nearly as often as it may.
fn often(body: &str) -> String {
    format!("let i = 0; while i < 900000 {{ i += 1; {body} }}")
}

/// What sums up three to the power of so many numbers.
fn sums(n: usize) -> String {
    let sums = lines(n, |i| format!("sum c{i} in colours: "));
    format!("query heavy: int = {sums}told(c0)\n")
}

const FUEL: &str = "did not end within a million steps";
const WORK_OF_A_MOVE: &str = "more to be done than is allowed";

#[test]
fn a_match_that_takes_too_much_is_a_fault_of_its_rules() {
    let long = "set(jar, (jar + 1) % 9);".repeat(1000);
    let raised = lines(25, |i| {
        let next = match i {
            24 => "set(jar, 0);".to_owned(),
            i => format!("raise(e{0}); raise(e{0});", i + 1),
        };
        format!("event e{i}\non e{i} as f{i}: do {{ {next} }}\n")
    });
    let sides = "place left: colour  starts each c with 2\nplace right: colour\n";
    let deck = "place deck: pile of colour  face down  refilled from bin\nplace bin: colour  starts each c with 2\n";
    let ending = "ending odd when heavy < 0 and jar >= 0\n";
    let watch = "when heavy < 0 and jar >= 0 becomes true as odd: do { set(jar, 0); }\n";
    for (what, package, why) in [
        (
            "steps that each take long",
            burning("", 1000, &often("")),
            WORK_OF_A_MOVE,
        ),
        (
            "a loop with a long body",
            burning("", 1, &often(&long)),
            WORK_OF_A_MOVE,
        ),
        (
            "a loop that calls what is long",
            burning(
                &format!("effect long()\n  do {{ {long} }}\n"),
                1,
                &often("long();"),
            ),
            WORK_OF_A_MOVE,
        ),
        (
            "a loop that moves much",
            burning(
                sides,
                1000,
                &often("move_all(left, right); move_all(right, left);"),
            ),
            WORK_OF_A_MOVE,
        ),
        (
            "drawing what comes back at once",
            burning(deck, 1, "draw(2000000000, deck, bin);"),
            WORK_OF_A_MOVE,
        ),
        (
            "an ending that is looked at for long",
            burning(&format!("{}{ending}", sums(13)), 1, "set(jar, 1);"),
            FUEL,
        ),
        (
            "an ending that is looked at often",
            burning(&format!("{}{ending}", sums(8)), 2000, "set(jar, n % 9);"),
            WORK_OF_A_MOVE,
        ),
        (
            "a watch that is looked at often",
            burning(&format!("{}{watch}", sums(8)), 2000, "set(jar, n % 9);"),
            WORK_OF_A_MOVE,
        ),
        (
            "events that follow from each other",
            burning(&raised, 1, "raise(e0);"),
            WORK_OF_A_MOVE,
        ),
        (
            "a script that does not end",
            burning("", 1, "let i = 0; while i < 2000000 { i += 1; }"),
            FUEL,
        ),
        (
            "steps without end",
            game("phase game\n  step going: repeat until the game ends\n    do { set(jar, 0); }\n"),
            WORK_OF_A_MOVE,
        ),
        (
            "more moves than anybody can list",
            game(
                "phase game
  step going: repeat until the game ends
    step turns: each p from dealer
      ask p
        move act(a: 0 to 999, b: 0 to 999, c: 0 to 999)
          do { gain(purse(p), 1); }
",
            ),
            WORK_OF_A_MOVE,
        ),
        (
            "after the moves of all",
            game(&format!(
                "phase game
  step going: repeat until the game ends
    step turns: each p from dealer
      ask p
        move pass
    step burning: for n in 1 to 1000
      do {{ {} }}
",
                often("")
            )),
            WORK_OF_A_MOVE,
        ),
    ] {
        let failed = fails(&package);
        assert!(failed.contains(why), "{what}: {failed}");
    }
}
