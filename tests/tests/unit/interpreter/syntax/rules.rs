//! Whole files are read as they ship.

use std::path::Path;

use interpreter::diagnostic::{Diagnostics, Style};
use interpreter::source::Sources;
use interpreter::syntax::rules::parse;

/// Reads every `.rules` file of a folder and gives what was reported.
fn reported(folder: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(&root)
        .expect("readable")
        .flatten()
        .map(|e| e.path())
        .collect();
    paths.sort();
    let mut sources = Sources::default();
    let mut diagnostics = Diagnostics::default();
    for path in paths
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "rules"))
    {
        let text = std::fs::read_to_string(path).expect("readable");
        let file = sources.add(path.file_name().expect("a name").to_string_lossy(), text);
        let tree = parse(&sources, file, &mut diagnostics);
        assert!(!tree.items.is_empty(), "{} says nothing", path.display());
    }
    diagnostics.sorted().render(&sources, Style::Plain)
}

#[test]
fn the_rules_of_puerto_rico_are_read() {
    let reported = reported("rulesets/puerto-rico/rules");
    assert!(reported.is_empty(), "{reported}");
}

#[test]
fn the_examples_of_the_grammar_are_read() {
    for folder in [
        "genoa-bargaining/rules",
        "house-rule",
        "puerto-rico-captain/rules",
        "puerto-rico-mayor-with-nobles/modules/nobles/rules",
        "puerto-rico-mayor-with-nobles/rules",
        "rivals-roll-and-events/rules",
        "san-juan-builder/rules",
    ] {
        let reported = reported(&format!("grammar/examples/{folder}"));
        assert!(reported.is_empty(), "{reported}");
    }
}

/// What is reported for a text, on a stack as small as a thread has.
fn on_a_small_stack(text: String) -> String {
    let read = move || {
        let mut sources = Sources::default();
        let file = sources.add("test.rules", text);
        let mut diagnostics = Diagnostics::default();
        drop(parse(&sources, file, &mut diagnostics));
        diagnostics.sorted().render(&sources, Style::Plain)
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(read);
    thread
        .expect("a thread")
        .join()
        .expect("no panic and no overflow")
}

#[test]
fn nesting_is_bounded() {
    for expression in [
        format!("{}1{}", "(".repeat(5000), ")".repeat(5000)),
        format!("{}1{}", "(".repeat(32), ")".repeat(32)),
        format!("{}1{}", "f(".repeat(33), ")".repeat(33)),
        format!("{}1", "1 + ".repeat(1000)),
        format!("{}1", "not ".repeat(1000)),
        format!("{}1", "-".repeat(4000)),
        format!("a{}", ".b".repeat(2000)),
        format!("{}1", "any x in y: ".repeat(31)),
        format!("{}1", "sum x in y: ".repeat(300)),
        format!("{}1", "first x in ".repeat(300)),
        format!("{}1", "a is ".repeat(800)),
        format!("{}1", "a and ".repeat(600)),
    ] {
        on_a_small_stack(format!("query q: int = {expression}\n"));
        on_a_small_stack(format!("query q: {expression}\n"));
    }
    on_a_small_stack(format!("query q: {}good = 1", "option ".repeat(500)));
    on_a_small_stack(format!("query q: {}good = 1", "record(a: ".repeat(500)));
    let steps: String = (0..500)
        .map(|n| format!("{}step s: do {{ }}\n", " ".repeat(n)))
        .collect();
    on_a_small_stack(format!("phase p\n{steps}"));
    on_a_small_stack(format!("on e: do {{ {} }}", "{ ".repeat(5000)));
}

#[test]
fn no_text_makes_the_reader_panic() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../rulesets/puerto-rico/rules/roles.rules");
    let text = std::fs::read_to_string(root).expect("readable");
    let lines: Vec<&str> = text.lines().collect();
    // A deterministic walk through damaged texts: cut, doubled, swapped and defaced.
    let mut seed = 1u64;
    let mut next = move |below: usize| {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below.max(1)
    };
    let signs = [
        "{", "}", "(", ")", "@", "@x y", "\"", "'", "#", "/*", "\t", "é", "ł", "\r\n", "do", ":",
        "->", "and", "or", "\u{0}", "`",
    ];
    for _ in 0..300 {
        let mut damaged: Vec<String> = lines
            .iter()
            .skip(next(lines.len()))
            .take(12)
            .map(|l| (*l).to_owned())
            .collect();
        for _ in 0..next(4) + 1 {
            let line = next(damaged.len());
            let Some(text) = damaged.get_mut(line) else {
                continue;
            };
            let at = (0..=next(text.len() + 1))
                .rev()
                .find(|n| text.is_char_boundary(*n))
                .unwrap_or(0);
            match next(3) {
                0 => text.truncate(at),
                1 => text.insert_str(at, signs[next(signs.len())]),
                _ => *text = text.split_off(at),
            }
        }
        on_a_small_stack(damaged.join("\n"));
    }
}
