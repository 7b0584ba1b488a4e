//! Reading a ruleset.

use divan::Bencher;
use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::package::Configuration;
use referee_tests::{root, texts};

use crate::{GAMES, game};

/// Reads nothing from disk: composes, checks and compiles texts.
#[divan::bench(args = ["puerto-rico", "san-juan", "catan-rivals", "genoa"], sample_count = 20)]
fn load_and_check(bencher: Bencher, id: &str) {
    let texts = texts(&root().join("rulesets").join(id));
    let configuration = Configuration::base(2);
    bencher.bench(|| Ruleset::compile(&texts, &[], &configuration).expect("it checks"));
}

/// Makes machine code of what is compiled.
#[divan::bench(args = GAMES, sample_count = 20)]
fn make_machine_code(bencher: Bencher, name: &str) {
    let ruleset = game(name);
    bencher.bench(|| ruleset.natively().expect("this machine has a translator"));
}
