//! Packages that are right but for some changed files, as [`Case`](referee_tests::case::Case) reads them.
//!
//! ```text
//! ruleset rulesets/puerto-rico
//! players 3
//! modules nobles
//! === rules/captain.rules
//! …
//! ```

use referee_tests::random::Random;

use super::{once_in, place, text};
use crate::shelf::{self, Shelf};

/// A case taken into its head and its files.
struct Parts {
    ruleset: String,
    head: Vec<String>,
    files: Vec<(String, String)>,
}

fn parts(input: &str) -> Parts {
    let mut sections = input.split("\n=== ");
    let mut head = sections.next().unwrap_or_default().lines();
    let first = head.next().unwrap_or_default();
    Parts {
        ruleset: first.strip_prefix("ruleset ").unwrap_or(first).to_owned(),
        head: head.map(str::to_owned).collect(),
        files: sections
            .map(|section| section.split_once('\n').unwrap_or((section, "")))
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .collect(),
    }
}

fn written(parts: &Parts) -> String {
    let mut out = format!("ruleset {}\n", parts.ruleset);
    for line in &parts.head {
        out += line;
        out.push('\n');
    }
    for (path, text) in &parts.files {
        // The line break before a section is not of the text.
        if out.ends_with('\n') {
            out.pop();
        }
        out += &format!("\n=== {path}\n{text}");
    }
    out
}

/// Files that are changed at once at most.
const FILES: usize = 4;

/// Changes a case: a file that is changed already, another file of the package, or how it is configured. Only files
/// that `wanted` wants are taken up.
pub fn mutate(input: &[u8], random: &mut Random, wanted: fn(&str) -> bool) -> Vec<u8> {
    let mut case = parts(&String::from_utf8_lossy(input));
    let package = shelf::package(&case.ruleset);
    let ours: Vec<&(String, String)> = package
        .iter()
        .flat_map(|package| &package.files)
        .filter(|(path, _)| wanted(path))
        .collect();
    let fresh = case.files.is_empty() || (case.files.len() < FILES && once_in(6, random));
    if fresh && !ours.is_empty() {
        let (path, text) = random.pick(&ours);
        if !case.files.iter().any(|(known, _)| known == path) {
            case.files.push((path.clone(), text.clone()));
        }
    }
    if once_in(12, random) {
        configure(&mut case.head, random);
    }
    if once_in(20, random) && !case.files.is_empty() {
        let at = place(case.files.len(), random);
        match random.below(3) {
            0 => {
                case.files.remove(at);
            }
            1 => {
                let path = format!("{} removed", case.files[at].0);
                case.files[at] = (path, String::new());
            }
            _ => case.files[at].0 += "x",
        }
    }
    if !case.files.is_empty() {
        let at = place(case.files.len(), random);
        let (path, text) = &mut case.files[at];
        *text = text::mutate(text, Shelf::of(path), random);
    }
    written(&case).into_bytes()
}

fn configure(head: &mut Vec<String>, random: &mut Random) {
    match random.below(4) {
        0 => {
            head.retain(|line| !line.starts_with("players "));
            head.push(format!("players {}", random.below(7)));
        }
        1 => head.retain(|line| !line.starts_with("modules ")),
        2 => head.push(format!(
            "option {} {}",
            shelf::RULES.word(random).trim(),
            random.below(3)
        )),
        _ if head.is_empty() => {}
        _ => {
            let at = place(head.len(), random);
            head.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_written_as_it_was_read() {
        let text = "ruleset tests/rulesets/tea-house\nplayers 3\n=== a.rules\nplace x: y\n  z\n=== b.yaml\nq: 1";
        assert_eq!(written(&parts(text)), text);
    }
}
