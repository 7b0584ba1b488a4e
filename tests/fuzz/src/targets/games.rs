//! Rules that nobody would write and that check, played.
//!
//! An input is a stream of choices. Some of its bytes choose the flow of a game over the [mini] table: phases, steps,
//! questions of every kind, moves with every kind of parameter, triggers, components, endings. The rest are the seed of queries,
//! what is contributed to them, and effects ([generated]).

use interpreter::CompileRuleset as _;
use std::fmt::Write as _;

use proptest::strategy::{BoxedStrategy, Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use referee_tests::random::Random;
use referee_tests::{generated, mini};

use super::diagnosed::sound;
use super::played;
use crate::Target;
use crate::mutate::bytes;

/// Streams of choices.
pub const TARGET: Target = Target {
    name: "games",
    about: "random rulesets that check, played at random: views hide what is hidden, states and saved matches come back, records \
            are played again, listed moves are accepted or fail as when they are made, refusals and faults change nothing, three evaluators agree",
    run,
    mutate: |input, random: &mut Random| bytes::mutate(input, random),
    seeds,
    longest: FLOW + 8,
};

/// Bytes for the flow; those after them are the seed of functions.
const FLOW: usize = 192;

fn seeds() -> Vec<Vec<u8>> {
    let seed = |number| {
        let mut random = Random::new(number);
        (0..FLOW + 8).map(|_| random.word() as u8).collect()
    };
    (0..64).map(seed).collect()
}

/// Choices that bytes make; when there are no more, the first of everything.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.0.next().map_or(0, |byte| usize::from(*byte) % n)
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn maybe(&mut self, text: &str) -> String {
        match self.below(3) {
            1 => text.to_owned(),
            _ => String::new(),
        }
    }
}

/// What everybody sees and can be asked of a player `p`.
const TRUTHS: [&str; 10] = [
    "purse(p) >= 2",
    "jar < 6",
    "size(shelf) > 1",
    "mark is none",
    "dealer is p",
    "size(box(p)) <= 9",
    "any x in colours: told(x) > 1",
    "(count x in colours where warm(x)) > 0 and jar < 8",
    "not (friend(p) is p)",
    "position(p, dealer) < 2",
];

/// Parameters of moves of a player `p`: how it is declared, what may be needed of it, what is done with it.
const PARAMETERS: [[&str; 3]; 12] = [
    ["n: 0 to 3", "purse(p) >= n", "gain(purse(p), n);"],
    ["n: 0 to min(4, purse(p))", "n < 4", "pay(purse(p), n);"],
    ["c: colour", "shelf(c) > 0", "take(1, c, shelf, box(p));"],
    ["c: colour", "box(p, c) > 0", "move(1, c, box(p), shelf);"],
    ["r: player", "r is not p", "set(friend(p), r);"],
    ["b: bool", "b or jar > 0", "if b { gain(jar, 1); }"],
    [
        "o: option colour",
        "o is none or told(o) < 3",
        "set(mark, o);",
    ],
    [
        "m: amount 0 to purse(p) by 2",
        "m <= 6",
        "pay(purse(p), m);",
    ],
    [
        "some: bag of box(p), at most 3",
        "size(some) < 4",
        "gain(jar, size(some));",
    ],
    [
        "mine: bag of pocket(p), at most 2 kinds",
        "size(mine) < 3",
        "for x in colours { take(mine(x), x, pocket(p), box(p)); }",
    ],
    [
        "h: colour secretly",
        "pocket(p, h) > 0",
        "move(1, h, pocket(p), box(p));",
    ],
    [
        "w: set of colours_of(p), at most 2",
        "size(w) < 3",
        "for x in colours { if w(x) > 0 { gain(told(x), 1); } }",
    ],
];

/// What a script may do for a player `p`.
const EFFECTS: [&str; 14] = [
    "gain(purse(p), 1);",
    "gain(jar, 1);",
    "draw(1, heap, pocket(p));",
    "draw(2, heap, box(p));",
    "shuffle_into(shelf, heap);",
    "shuffle(heap);",
    "raise(noted(p, 2));",
    "raise(done);",
    "e0(p, red, 1);",
    "e1(p, green, 2);",
    "e2(p, blue, jar);",
    "set(dealer, next(dealer));",
    "take(1, red, box(p), shelf);",
    "for x in colours { set(told(x), q0(p, x, 1) % 5); }",
];

/// A game over the mini table, without its functions.
fn flow(choices: &mut Choices) -> String {
    let mut out = String::from(
        "query colours_of(p: player, c: colour): int = min(1, box(p, c))\n\
         query owns(p: player, c: colour): bool = box(p, c) > 1\n",
    );
    out += "phase game\n  step going: repeat until the game ends\n    step rounds: visit round(dealer)\n";
    out += "    step onward: do { gain(jar, 1); }\n";
    let phases = 1 + choices.below(3);
    for phase in 0..phases {
        let name = ["round", "fair", "late"][phase];
        let _ = writeln!(out, "phase {name}(t: player)");
        if choices.below(2) == 1 {
            out += "  keeps had(c: colour): int\n";
        }
        let steps = 1 + choices.below(3);
        for step in 0..steps {
            let next = ["", "fair", "late"]
                .get(phase + 1)
                .filter(|_| phase + 1 < phases);
            step_of(&mut out, step, next.copied(), choices);
        }
    }
    for number in 0..choices.below(3) {
        let does = choices.pick(&EFFECTS);
        let truth = choices.pick(&TRUTHS);
        let _ = match choices.below(6) {
            0 => writeln!(out, "on noted(p, n) when n > 1: do {{ {does} }}"),
            1 => writeln!(out, "on done: do {{ gain(jar, 1); }}"),
            2 => writeln!(
                out,
                "when {truth} becomes true for each p as seen{number}: do {{ gain(purse(p), 1); }}"
            ),
            3 => writeln!(
                out,
                "before round.s0 as early{number}: do {{ gain(jar, 1); }}"
            ),
            4 => writeln!(out, "after each turn of p in round.s0: do {{ {does} }}"),
            _ => writeln!(
                out,
                "at any time for each p when purse(p) > 3\n  free move spend{number}\n    needs purse(p) > 1\n    do {{ pay(purse(p), 2); }}"
            ),
        };
    }
    if choices.below(3) == 1 {
        let row = choices.pick(&["red", "green", "blue"]);
        let does = choices.pick(&EFFECTS);
        let _ = writeln!(out, "colour {row} for p when owns");
        let _ = match choices.below(3) {
            0 => writeln!(out, "  on noted(p, n): do {{ {does} }}"),
            1 => writeln!(out, "  score: purse(p) / 2"),
            _ => writeln!(out, "  modify q0(p, c, n) by 1"),
        };
    }
    out += "score coins for p: purse(p)\n";
    out += "ending rich when any p in players: purse(p) > 20\n";
    out += "ending full when jar >= 9\n";
    out
}

fn step_of(out: &mut String, step: usize, next: Option<&str>, choices: &mut Choices) {
    let (over, player) = match choices.below(6) {
        0 | 1 => ("each p from dealer", true),
        2 => ("each p from t where purse(p) < 15", true),
        3 => ("cycle p from t until a lap without done", true),
        4 => ("for c in colours", false),
        _ => ("", false),
    };
    let condition = match choices.below(5) {
        0 => " when jar < 7",
        _ => "",
    };
    let head = match over.is_empty() {
        true => format!("  step s{step}{condition}"),
        false => format!("  step s{step}{condition}: {over}"),
    };
    let _ = writeln!(out, "{head}");
    let mover = if player { "p" } else { "t" };
    match choices.below(7) {
        0 => {
            let does = choices.pick(&EFFECTS).replace("(p", &format!("({mover}"));
            let _ = writeln!(out, "    do {{ {does} }}");
        }
        1 if next.is_some() => {
            let _ = writeln!(out, "    visit {}({mover})", next.unwrap_or_default());
        }
        2 if over.is_empty() => {
            out.truncate(out.trim_end().len());
            *out += ": ask each p from t, all answer\n";
            moves(out, step, "p", false, choices);
        }
        3 if over.is_empty() => {
            out.truncate(out.trim_end().len());
            *out += ": ask players, first answers\n    for each p\n";
            for line in of_moves(step, "p", false, choices).lines() {
                let _ = writeln!(out, "  {line}");
            }
        }
        4 if over.is_empty() => {
            out.truncate(out.trim_end().len());
            *out += ": ask players until a move closes it, at most 6 changes\n    for each p\n";
            for line in of_moves(step, "p", true, choices).lines() {
                let _ = writeln!(out, "  {line}");
            }
        }
        _ => {
            let _ = writeln!(out, "    ask {mover}");
            let text = of_moves(step, mover, false, choices);
            for line in text.lines() {
                let _ = writeln!(out, "  {line}");
            }
        }
    }
}

fn moves(out: &mut String, step: usize, mover: &str, closes: bool, choices: &mut Choices) {
    *out += &of_moves(step, mover, closes, choices);
}

/// Moves of a player, at the depth of a step's question.
fn of_moves(step: usize, mover: &str, closes: bool, choices: &mut Choices) -> String {
    let mut out = String::new();
    let own = |text: &str| match mover {
        "p" => text.to_owned(),
        other => {
            let text = text
                .replace("(p)", &format!("({other})"))
                .replace("(p,", &format!("({other},"));
            let text = text
                .replace("is p", &format!("is {other}"))
                .replace("is not p", &format!("is not {other}"));
            text.replace("dealer is p", &format!("dealer is {other}"))
        }
    };
    for number in 0..1 + choices.below(3) {
        let mut parameters: Vec<[&str; 3]> = Vec::new();
        for _ in 0..choices.below(3) {
            let one = PARAMETERS[choices.below(PARAMETERS.len())];
            let name = |parameter: &str| parameter.split(':').next().unwrap_or_default().to_owned();
            if !parameters
                .iter()
                .any(|known| name(known[0]) == name(one[0]))
            {
                parameters.push(one);
            }
        }
        let declared: Vec<String> = parameters
            .iter()
            .map(|parameter| own(parameter[0]))
            .collect();
        let list = match declared.is_empty() {
            true => String::new(),
            false => format!("({})", declared.join(", ")),
        };
        let free = choices.below(8) == 1;
        let once = choices.maybe("  once per round");
        let word = if free { "free move" } else { "move" };
        let _ = writeln!(out, "    {word} act{step}_{number}{list}{once}");
        for parameter in &parameters {
            if choices.below(4) < 3 {
                let _ = writeln!(out, "      needs {}", own(parameter[1]));
            }
        }
        if choices.below(3) == 1 {
            let _ = writeln!(out, "      needs {}", own(choices.pick(&TRUTHS)));
        }
        if free {
            let _ = writeln!(out, "      needs purse({mover}) > 2");
        }
        let mut does: Vec<String> = parameters
            .iter()
            .map(|parameter| own(parameter[2]))
            .collect();
        for _ in 0..choices.below(3) {
            does.push(own(choices.pick(&EFFECTS)));
        }
        if free {
            does.push(format!("pay(purse({mover}), 1);"));
        }
        if !does.is_empty() {
            let _ = writeln!(out, "      do {{ {} }}", does.join(" "));
        }
        if choices.below(6) == 1 {
            let _ = writeln!(out, "      ensures purse({mover}) >= 0");
        }
        if closes && choices.below(2) == 1 && !free {
            out += "      closes\n";
        }
    }
    let _ = writeln!(out, "    move pass{step}");
    if closes {
        out += "      closes\n";
    }
    out
}

/// The rules that an input chooses.
pub fn rules(input: &[u8]) -> String {
    let (chosen, rest) = input.split_at(input.len().min(FLOW));
    let mut text = flow(&mut Choices(chosen.iter()));
    // Functions are drawn as the tests of evaluators draw them, from a seed: a stream that ends would be drawn from for
    // ever.
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(
        config,
        TestRng::from_seed(RngAlgorithm::ChaCha, blake3::hash(rest).as_bytes()),
    );
    // A strategy is a large thing, made once.
    thread_local!(static DRAWN: BoxedStrategy<generated::Rules> = generated::rules().boxed());
    if let Ok(tree) = DRAWN.with(|drawn| drawn.new_tree(&mut runner)) {
        text += &tree.current().functions();
    }
    text
}

fn run(input: &[u8]) {
    let text = rules(input);
    let package = mini::package(&text);
    let players = 2 + input.first().map_or(0, |byte| byte % 2);
    let configuration = interpreter::package::Configuration::base(players);
    match interpreter::Ruleset::compile(&package, &[], &configuration) {
        Err(rejected) => sound(&rejected.sources, &rejected.diagnostics),
        Ok(ruleset) => {
            let hash = blake3::hash(input);
            let seed = u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap_or_default());
            played::at_length(&ruleset, seed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rules that do not check are not played: nothing would be tried.
    #[test]
    fn most_random_rules_check() {
        let (mut checked, mut why) = (0, std::collections::BTreeMap::new());
        let all = seeds();
        for seed in &all {
            match mini::compile(&rules(seed), 2) {
                Ok(_) => checked += 1,
                Err(shown) => {
                    let code = shown.lines().next().unwrap_or_default().to_owned();
                    *why.entry(code).or_insert(0) += 1;
                }
            }
        }
        assert!(
            checked * 10 >= all.len() * 6,
            "{checked} of {}: {why:#?}",
            all.len()
        );
    }
}
