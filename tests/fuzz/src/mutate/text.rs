//! Texts of lines and words: rules, YAML, scripts.
//!
//! Words, lines and blocks (a line and the deeper ones below it) are left out, doubled, exchanged, and taken from the
//! shipped texts of the same kind.

use referee_tests::random::Random;

use super::parts::{block, indentation, split};
use super::{NUMBERS, bytes, once_in, place, rounds};
use crate::shelf::Shelf;

/// Another text, near to this one.
pub fn mutate(text: &str, shelf: &Shelf, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..rounds(random) {
        text = match random.below(16) {
            0..=7 => words(&text, shelf, random),
            8..=10 => lines(&text, shelf, random),
            11..=14 => blocks(&text, shelf, random),
            _ => {
                let bytes = bytes::mutate(text.as_bytes(), random);
                String::from_utf8_lossy(&bytes).into_owned()
            }
        };
    }
    text
}

fn is_said(word: &str) -> bool {
    !word.trim().is_empty()
}

fn words(text: &str, shelf: &Shelf, random: &mut Random) -> String {
    let mut words: Vec<&str> = split(text);
    let said: Vec<usize> = (0..words.len()).filter(|i| is_said(words[*i])).collect();
    if said.is_empty() {
        return shelf.line(random).to_owned();
    }
    let at = *random.pick(&said);
    let other = *random.pick(&said);
    let number = random.pick(NUMBERS).to_string();
    match random.below(10) {
        0 => {
            words.remove(at);
        }
        1 => words.insert(at, words[at]),
        2 => words.swap(at, other),
        // Another word of the same text: a name that is declared.
        3 | 4 => words[at] = words[other],
        5 | 6 => words[at] = shelf.word(random),
        7 => {
            words.insert(at, " ");
            words.insert(at, shelf.word(random));
        }
        8 => words[at] = &number,
        _ => {
            let numbers: Vec<usize> = said
                .iter()
                .copied()
                .filter(|i| words[*i].bytes().all(|b| b.is_ascii_digit()))
                .collect();
            if !numbers.is_empty() {
                let at = *random.pick(&numbers);
                words[at] = &number;
            }
        }
    }
    words.concat()
}

fn lines(text: &str, shelf: &Shelf, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let at = place(lines.len(), random);
    let other = place(lines.len(), random);
    match random.below(7) {
        0 => {
            lines.remove(at);
        }
        1 => lines.insert(other, lines[at].clone()),
        2 => lines.swap(at, other),
        3 => lines[at].insert_str(0, "  "),
        4 => {
            if let Some(less) = lines[at].strip_prefix("  ") {
                lines[at] = less.to_owned();
            }
        }
        5 => {
            let indent = " ".repeat(indentation(&lines[at]));
            lines.insert(at, format!("{indent}{}", shelf.line(random).trim_start()));
        }
        _ => {
            let next = lines.get(at + 1).cloned().unwrap_or_default();
            lines[at].push_str(next.trim_start());
        }
    }
    lines.join("\n")
}

/// A block as it stands at another depth.
fn indented(block: &[&str], depth: usize) -> Vec<String> {
    let was = block.first().map_or(0, |line| indentation(line));
    let shifted = |line: &&str| {
        let own = indentation(line).saturating_sub(was);
        format!(
            "{}{}",
            " ".repeat(depth + own),
            line.trim_start_matches(' ')
        )
    };
    block.iter().map(shifted).collect()
}

fn blocks(text: &str, shelf: &Shelf, random: &mut Random) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let at = place(lines.len(), random);
    let own = block(&lines, at);
    let to = place(lines.len(), random);
    let depth = indentation(lines[to]) + if once_in(3, random) { 2 } else { 0 };
    let mut all: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let cut = at..at + own.len();
    match random.below(5) {
        0 => {
            all.drain(cut);
        }
        1 => {
            all.splice(at..at, indented(&own, indentation(own[0])));
        }
        2 => {
            all.splice(to..to, indented(&own, depth));
        }
        3 => {
            let taken = shelf.block(random);
            all.splice(to..to, indented(&taken, depth));
        }
        _ => {
            let taken = shelf.block(random);
            all.splice(cut, indented(&taken, indentation(own[0])));
        }
    }
    all.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shelf;

    #[test]
    fn words_put_together_are_the_text() {
        let text = "place hand(p: player):  card\n\tżółw 3";
        assert_eq!(split(text).concat(), text);
        assert!(split(text).contains(&"żółw"));
    }

    #[test]
    fn a_block_is_a_line_and_the_deeper_ones() {
        let lines = ["a", "  b", "    c", "  d", "e"];
        assert_eq!(block(&lines, 1), ["  b", "    c"]);
        assert_eq!(indented(&["  b", "    c"], 4), ["    b", "      c"]);
    }

    #[test]
    fn changes_are_the_same_again() {
        let text = &shelf::RULES.texts[0];
        let made = |seed| mutate(text, &shelf::RULES, &mut Random::new(seed));
        assert!((0..50).all(|seed| made(seed) == made(seed)));
        assert!((0..50).filter(|seed| made(*seed) != *text).count() > 30);
    }
}
