//! Scripts: Rhai's parser, and what of Rhai's tree becomes ours.

use interpreter::diagnostic::Diagnostics;
use interpreter::source::Sources;
use interpreter::syntax::script;
use referee_tests::random::Random;

use super::diagnosed::sound;
use crate::Target;
use crate::mutate::text;
use crate::shelf;

/// Scripts within their braces.
pub const TARGET: Target = Target {
    name: "scripts",
    about: "scripts: read twice the same, diagnostics point into the text",
    run,
    mutate,
    seeds: || {
        shelf::SCRIPTS
            .texts
            .iter()
            .map(|text| text.clone().into_bytes())
            .collect()
    },
    longest: 1 << 13,
};

fn mutate(input: &[u8], random: &mut Random) -> Vec<u8> {
    text::mutate(&String::from_utf8_lossy(input), &shelf::SCRIPTS, random).into_bytes()
}

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let text = text.trim_matches(['{', '}']);
    let read = || {
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
        let file = sources.add("fuzzed.rules", format!("{{{text}}}"));
        let read = script::parse(&sources, sources.whole(file), &mut diagnostics);
        (sources, diagnostics, format!("{read:?}"))
    };
    let (sources, diagnostics, says) = read();
    sound(&sources, &diagnostics);
    let (_, again, anew) = read();
    assert_eq!(
        diagnostics.list, again.list,
        "read twice, diagnosed otherwise"
    );
    assert_eq!(says, anew, "read twice, read otherwise");
}
