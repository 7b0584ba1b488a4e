//! `referee source`: a printed rulebook is pinned by digests, and every sentence of it is accounted for.

use std::fs;
use std::path::{Path, PathBuf};

use referee_tests::command::{Ran, json, run};

use super::shown;

const TEXT: &str = "MY GAME\n\nFour gems lie in the mine. Everybody takes\none.\n\n\u{c}• The game ends when the mine is\nex-\nhausted.\n";

/// Where each of its four sentences stands: a heading, two of a set-up, the end on the next page.
const PLACES: [&str; 4] = ["p1.1.1", "p1.2.1", "p1.2.2", "p2.1.1"];

struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::tempdir().expect("a folder");
        let desk = Desk { folder };
        run(format!("new ruleset {}", shown(&desk.game()))).ends(0);
        desk.print(TEXT);
        desk
    }

    fn game(&self) -> PathBuf {
        self.folder.path().join("my-game")
    }

    fn text(&self) -> PathBuf {
        self.folder.path().join("print.txt")
    }

    fn print(&self, text: &str) {
        fs::write(self.text(), text).expect("a file");
    }

    fn pin(&self) -> String {
        let (game, text) = (self.game(), self.text());
        let line = format!("source pin {} {}", shown(&game), shown(&text));
        run(line).ends(0).data
    }

    fn list(&self, rest: &str) -> Ran {
        let (game, text) = (self.game(), self.text());
        run(format!(
            "source list {} {} {rest}",
            shown(&game),
            shown(&text)
        ))
    }

    /// The codes of what `check` says, and all that it says.
    fn check(&self) -> (Vec<String>, String) {
        let found = run(format!("check {} --format json", shown(&self.game())));
        let codes = found.json()["diagnostics"]
            .as_array()
            .expect("diagnostics")
            .iter()
            .map(|found| found["code"].as_str().expect("a code").to_owned())
            .collect();
        let Ran { data, notes, .. } = run(format!("check {}", shown(&self.game())));
        (codes, format!("{data}{notes}"))
    }

    /// Writes lines of `sources.yaml`: the places of each, and what it says.
    fn tie(&self, lines: [&str; 3]) {
        let [heading, setup, end] = lines;
        let text = format!(
            "paragraphs:\n  - {{at: introduction 1, print: [{heading}], none: what the game is about}}\n  \
             - {{at: setup 1, print: [{setup}], clauses: [setup.mine, setup.first-gems]}}\n  \
             - {{at: round 1, clauses: [round.order, round.take, round.in-mine, round.must-take]}}\n  \
             - {{at: end 1, print: [{end}], clauses: [end.exhausted, end.points, end.winner]}}\n"
        );
        fs::write(self.game().join("sources.yaml"), text).expect("a file");
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

#[test]
fn every_sentence_that_was_pinned_is_accounted_for() {
    let desk = Desk::new();
    assert!(
        desk.pin()
            .contains("4 sentences of 3 paragraphs on 2 pages")
    );
    let pinned = read(&desk.game().join("print.yaml"));
    for word in ["gems", "mine", "game ends", "exhausted"] {
        assert!(!pinned.contains(word), "`{word}` is printed: {pinned}");
    }
    // Nobody has said yet what becomes of them: one message a paragraph.
    assert_eq!(desk.check().0, ["RF0361"; 3]);
    desk.tie(["p1.1", "p1.2.1", "p2.1.1"]);
    let (codes, told) = desk.check();
    assert_eq!(codes, ["RF0361"]);
    assert!(
        told.contains("p1.2.2") && told.contains("print.yaml:") && !told.contains("p1.2.1,"),
        "{told}"
    );
    desk.tie(["p1.1", "p1.2.1-2", "p2.1.1"]);
    assert_eq!(desk.check().0, [""; 0]);
    // What is named and is not there.
    for (place, told) in [
        ("p1.3", "the print has no p1.3"),
        ("p1.2.3", "the print has no p1.2.3"),
        ("p3.1", "the print has no p3.1"),
        ("1.2", "`1.2` is no place of a print"),
    ] {
        desk.tie([&format!("p1.1, {place}"), "p1.2", "p2.1"]);
        let (codes, said) = desk.check();
        assert_eq!(codes, ["RF0362"], "{place}");
        assert!(said.contains(told), "{said}");
    }
    desk.tie(["p1.1", "p1.2", "p2.1"]);
    fs::remove_file(desk.game().join("print.yaml")).expect("it is there");
    assert_eq!(desk.check().0, ["RF0362"; 3]);
}

#[test]
fn the_print_stands_beside_its_clauses() {
    let desk = Desk::new();
    desk.pin();
    desk.tie(["p1.1", "p1.2", "p2.1"]);
    let told = desk.list("").ends(0).data;
    for place in PLACES {
        assert!(told.contains(&format!("{place}  ")), "{place}: {told}");
    }
    assert!(
        told.contains("• The game ends when the mine is exhausted.")
            && told.contains("→ @end.exhausted (touched), @end.points")
            && told.contains("→ no clause: what the game is about [introduction 1]"),
        "{told}"
    );
    let page = desk.list("--format html --lang pl").ends(0).data;
    assert!(
        page.contains("<html lang=\"pl\">")
            && page.contains("Everybody takes one.")
            && page.contains("@setup.first-gems")
            && !page.contains("class=\"bad\""),
        "{page}"
    );
    let open = desk.list("--open").ends(0).data;
    assert_eq!(open, "4 sentences, 0 without a tie; 0 not as pinned\n");
    // The next edition: one sentence says something else, one is new.
    desk.print(&format!("{}\nA new\nrule.\n", TEXT.replace("Four", "Five")));
    let Ran { code, data, .. } = desk.list("--open --format json");
    assert_eq!(code, 1);
    let open: serde_json::Value = serde_json::from_str(&data).expect("JSON");
    let open = open["sentences"].as_array().expect("sentences");
    let open: Vec<_> = open
        .iter()
        .map(|open| (open["place"].as_str().expect("a place"), &open["as_pinned"]))
        .collect();
    assert_eq!(
        open,
        [
            ("p1.2.1", &false.into()),
            ("p2.2.1", &serde_json::Value::Null)
        ]
    );
    let told = desk.pin();
    assert!(
        told.contains("2 new, 1 gone\n  p1.2.1\n  p2.2.1\n"),
        "{told}"
    );
    assert_eq!(desk.check().0, ["RF0361"]);
}

#[test]
fn other_sentences_behind_the_same_tie_are_red() {
    let (before, after) = (Desk::new(), Desk::new());
    let flags = || {
        let (old, new) = (before.game(), after.game());
        let line = format!(
            "diff {} {} --games 0 --format json",
            shown(&old),
            shown(&new)
        );
        let ties = json(line)["redline"]["ties"].clone();
        let ties = ties.as_array().expect("ties").clone();
        let mut all: Vec<String> = Vec::new();
        for tie in &ties {
            for flag in tie["flags"].as_array().expect("flags") {
                let part = |name: &str| flag[name].as_str().expect("a text").to_owned();
                all.push(format!("{} {}", part("level"), part("fact")));
            }
        }
        all
    };
    after.pin();
    after.tie(["p1.1", "p1.2", "p2.1"]);
    assert_eq!(flags(), ["to_be_read tie_added"; 3]);
    before.pin();
    before.tie(["p1.1", "p1.2", "p2.1"]);
    assert_eq!(flags(), [""; 0]);
    // The print says something else.
    after.print(&TEXT.replace("Four", "Five"));
    after.pin();
    assert_eq!(flags(), ["red tie_changed"]);
    // A rule of the print is put where nobody looks.
    after.print(TEXT);
    after.pin();
    after.tie(["p1.1, p1.2.2", "p1.2.1", "p2.1"]);
    assert_eq!(flags(), ["red tie_changed"; 2]);
}

#[test]
fn what_cannot_be_pinned_is_said() {
    let desk = Desk::new();
    let text = desk.text();
    let told = |line: String| {
        let Ran { code, notes, .. } = run(line);
        assert_eq!(code, 2, "{notes}");
        notes
    };
    let shipped = told(format!("source pin puerto-rico {}", shown(&text)));
    assert!(shipped.contains("comes with the program"), "{shipped}");
    desk.print("* * *\n");
    let empty = told(format!(
        "source pin {} {}",
        shown(&desk.game()),
        shown(&text)
    ));
    assert!(empty.contains("has no sentence"), "{empty}");
    fs::write(&text, [0xff, 0xfe]).expect("a file");
    let bytes = told(format!(
        "source pin {} {}",
        shown(&desk.game()),
        shown(&text)
    ));
    assert!(bytes.contains("no text in UTF-8"), "{bytes}");
}
