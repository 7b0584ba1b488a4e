//! `.rules` files: layout, grammar, reader, and what writes them anew.

use interpreter::diagnostic::Diagnostics;
use interpreter::source::Sources;
use interpreter::syntax::outline::outline;
use interpreter::syntax::rules;
use referee::report::layout::{Left, formatted};
use referee_tests::random::Random;

use super::diagnosed::sound;
use crate::Target;
use crate::mutate::text;
use crate::shelf;

/// Texts of rules.
pub const TARGET: Target = Target {
    name: "rules",
    about: "texts of rules: read twice the same, diagnostics point into the text, `fmt` keeps the meaning and writes its own \
            texts as they are",
    run,
    mutate,
    seeds: || {
        shelf::RULES
            .texts
            .iter()
            .map(|text| text.clone().into_bytes())
            .collect()
    },
    longest: 1 << 15,
};

fn mutate(input: &[u8], random: &mut Random) -> Vec<u8> {
    text::mutate(&String::from_utf8_lossy(input), &shelf::RULES, random).into_bytes()
}

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let read = || {
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
        let file = sources.add("fuzzed.rules", &*text);
        let tree = rules::parse(&sources, file, &mut diagnostics);
        (sources, file, diagnostics, tree)
    };
    let (sources, file, diagnostics, tree) = read();
    sound(&sources, &diagnostics);
    let says = outline(&tree);
    for placed in rules::placed(&sources, file) {
        assert!(
            sources
                .file(file)
                .text
                .is_char_boundary(placed.start as usize)
        );
    }
    let (_, _, again, tree) = read();
    assert_eq!(
        diagnostics.list, again.list,
        "read twice, diagnosed otherwise"
    );
    assert_eq!(says, outline(&tree), "read twice, read otherwise");
    match formatted("fuzzed.rules", &text) {
        Ok(written) => {
            let again = formatted("fuzzed.rules", &written);
            assert_eq!(
                again.ok(),
                Some(written),
                "`fmt` does not keep what it wrote"
            );
        }
        Err(Left::Meaning) => panic!("`fmt` would change the meaning"),
        Err(Left::Mistakes(sources, diagnostics)) => sound(&sources, &diagnostics),
    }
}
