//! The reference of the language says what is true: its examples are read, its tables are those of the
//! reader, every word of the grammar occurs in it, and what cannot be played is what is refused.

use std::collections::BTreeSet;
use std::path::PathBuf;

use interpreter::diagnostic::{Diagnostics, Style};
use interpreter::source::Sources;
use interpreter::syntax::rules;
use interpreter::syntax::rules::kinds::{Kind, opening_words};

fn reference() -> String {
    std::fs::read_to_string(referee_tests::root().join("grammar/README.md")).expect("readable")
}

/// The blocks of rules of a text, each with the number of its first line.
fn blocks(text: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in text.lines().enumerate() {
        match &mut open {
            None if line.trim() == "```rules" => open = Some((number + 2, String::new())),
            Some(_) if line.trim() == "```" => blocks.extend(open.take()),
            Some((_, block)) => {
                block.push_str(line);
                block.push('\n');
            }
            None => {}
        }
    }
    blocks
}

#[test]
fn every_example_is_read() {
    let blocks = blocks(&reference());
    assert!(blocks.len() > 15, "the examples have gone");
    for (line, block) in blocks {
        let mut sources = Sources::default();
        let file = sources.add(format!("grammar/README.md, from line {line}"), block);
        let mut diagnostics = Diagnostics::default();
        let tree = rules::parse(&sources, file, &mut diagnostics);
        let reported = diagnostics.sorted().render(&sources, Style::Plain);
        assert!(reported.is_empty(), "{reported}");
        assert!(
            !tree.items.is_empty(),
            "line {line}: an example says nothing"
        );
    }
}

/// What may stand below what, as the reader has it.
fn kinds() -> String {
    let parents = [
        None,
        Some(Kind::Query),
        Some(Kind::Hint),
        Some(Kind::Phase),
        Some(Kind::Step),
        Some(Kind::Trigger),
        Some(Kind::Insertion),
        Some(Kind::Watch),
        Some(Kind::Effect),
        Some(Kind::Body),
        Some(Kind::Ask),
        Some(Kind::Group),
        Some(Kind::Addition),
        Some(Kind::AnyTime),
        Some(Kind::Move),
        Some(Kind::Extension),
        Some(Kind::Component),
        Some(Kind::Replacement),
        Some(Kind::Winner),
    ];
    let mut table = String::new();
    for parent in parents {
        let title = parent.map_or("the left margin", Kind::title);
        let words: Vec<String> = opening_words(parent)
            .iter()
            .map(|w| format!("`{w}`"))
            .collect();
        table.push_str(&format!("| {title} | {} |\n", words.join(" ")));
    }
    table
}

#[test]
fn what_stands_below_what_is_true() {
    let table = kinds();
    assert!(
        reference().contains(&table),
        "`grammar/README.md` should have this table:\n{table}"
    );
}

#[test]
fn every_word_of_the_grammar_occurs() {
    let grammar = std::fs::read_to_string(referee_tests::root().join("grammar/rules.pest"))
        .expect("readable");
    let reference = reference();
    let said: BTreeSet<&str> = reference
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .collect();
    let missing: Vec<&str> = grammar
        .lines()
        .filter_map(|l| l.strip_prefix("k_")?.split_whitespace().next())
        .filter(|word| !said.contains(word))
        .collect();
    assert!(
        missing.is_empty(),
        "`grammar/README.md` does not explain {missing:?}"
    );
}

/// What the checker refuses as not yet playable, from its own text.
fn refused() -> BTreeSet<String> {
    let mut phrases = BTreeSet::new();
    let folders = ["interpreter/src/resolve", "interpreter/src/types"];
    let files = folders.iter().flat_map(|folder| {
        let folder: PathBuf = referee_tests::root().join(folder);
        let files = std::fs::read_dir(folder).expect("readable");
        files.map(|entry| entry.expect("readable").path())
    });
    for file in files.filter(|path| path.is_file()) {
        let text = std::fs::read_to_string(file).expect("readable");
        for call in ["not_playable(", ".refuse(", ".refuse_if("] {
            for (at, _) in text.match_indices(call) {
                let argument = text[at..].split(';').next().unwrap_or_default();
                // The phrase is the first text behind the call.
                phrases.extend(
                    argument
                        .split('"')
                        .nth(1)
                        .filter(|p| !p.contains('{'))
                        .map(str::to_owned),
                );
            }
        }
    }
    phrases
}

#[test]
fn what_cannot_be_played_is_listed() {
    let reference = reference();
    let list = reference
        .split("## What can be played today")
        .nth(1)
        .expect("the section");
    let listed: BTreeSet<String> = list
        .lines()
        .filter_map(|l| l.strip_prefix("- "))
        .map(str::to_owned)
        .collect();
    let refused = refused();
    assert!(
        !refused.is_empty(),
        "nothing is refused: has the checker another way to say so?"
    );
    assert_eq!(
        listed, refused,
        "left: `grammar/README.md`, right: what the checker refuses"
    );
}
