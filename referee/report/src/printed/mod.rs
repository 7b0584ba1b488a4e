//! The printed rulebook: from the text of an edition to sentences with digests, and beside them what `sources.yaml` says of each.
//!
//! In: a text as any program extracts it from the printed file, pages apart by form feeds, paragraphs by empty lines. Out:
//! [`sentences`], of which `print.yaml` ([`pinned`]) keeps digests alone. The text itself stays with whoever has printed it.
//!
//! # The normal form
//!
//! The same edition, extracted twice, gives the same digests. In a paragraph lines are joined; a line that begins with a bullet
//! begins a sentence of its own, all others end where UAX #29 says. What has no letter and no digit is no sentence, and a paragraph
//! without a sentence is none. A digest is of the sentence in Unicode's form NFKC (ligatures are letters), without white space,
//! without soft hyphens, and without hyphens between letters, at the ends of lines as elsewhere; capitals, figures, signs and
//! punctuation count.

mod beside;
pub mod html;

use interpreter::package::Paragraph;
use unicode_normalization::UnicodeNormalization as _;
use unicode_segmentation::UnicodeSegmentation as _;

pub use beside::{Beside, Said, Tied, beside};

use referee_store::hashing::Context;

static SENTENCES: Context = Context::new("referee source pin: a sentence of the print, 1");

/// Digits of a digest.
const DIGITS: usize = 16;

/// A sentence of the print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Its paragraph.
    pub paragraph: Paragraph,
    /// Its number there, counted from 1.
    pub number: u32,
    /// What it says.
    pub text: String,
    /// The digest of its normal form.
    pub digest: String,
}

impl Sentence {
    /// `p3.2.1`
    pub fn place(&self) -> String {
        format!("{}.{}", self.paragraph, self.number)
    }
}

/// The sentences of a text.
pub fn sentences(text: &str) -> Vec<Sentence> {
    let mut all = Vec::new();
    for (page, text) in (1..).zip(text.split('\u{c}')) {
        let mut number = 0;
        for paragraph in paragraphs(text) {
            let texts: Vec<String> = paragraph.iter().flat_map(|part| split(part)).collect();
            if texts.is_empty() {
                continue;
            }
            number += 1;
            let paragraph = Paragraph { page, number };
            all.extend((1..).zip(texts).map(|(number, text)| Sentence {
                paragraph,
                number,
                digest: digest(&text),
                text,
            }));
        }
    }
    all
}

/// The paragraphs of a page, each as its items, lines joined.
fn paragraphs(page: &str) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    for line in page.lines().map(str::trim) {
        let Some(items) = all.last_mut() else { break };
        if line.is_empty() {
            if !items.is_empty() {
                all.push(Vec::new());
            }
            continue;
        }
        match items.last_mut() {
            Some(item) if !is_item(line) => join(item, line),
            _ => items.push(line.to_owned()),
        }
    }
    all
}

/// Whether a line begins with a bullet.
fn is_item(line: &str) -> bool {
    let mut signs = line.chars();
    let bullet = signs
        .next()
        .is_some_and(|sign| "•‣◦▪▫●○■□►–—*·-".contains(sign));
    bullet && signs.next().is_none_or(char::is_whitespace)
}

fn is_hyphen(sign: char) -> bool {
    matches!(sign, '-' | '\u{2010}' | '\u{ad}')
}

/// Adds a line to those before it; a word that was broken at their end is whole again.
fn join(before: &mut String, line: &str) {
    let mut signs = before.chars().rev();
    let is_broken = signs.next().is_some_and(is_hyphen)
        && signs.next().is_some_and(char::is_alphabetic)
        && line.starts_with(char::is_lowercase);
    match is_broken {
        true => {
            before.pop();
        }
        false => before.push(' '),
    }
    before.push_str(line);
}

fn split(item: &str) -> Vec<String> {
    let sentences = item.split_sentence_bounds().map(str::trim);
    let said = sentences.filter(|sentence| sentence.contains(char::is_alphanumeric));
    said.map(str::to_owned).collect()
}

/// The digest of the normal form of a sentence.
fn digest(sentence: &str) -> String {
    let signs: Vec<char> = sentence
        .nfkc()
        .filter(|sign| !sign.is_whitespace() && *sign != '\u{ad}')
        .collect();
    let is_letter = |at: Option<usize>| {
        at.and_then(|at| signs.get(at))
            .is_some_and(|sign| sign.is_alphabetic())
    };
    let counts = |at: usize| {
        !(is_hyphen(signs[at]) && is_letter(at.checked_sub(1)) && is_letter(Some(at + 1)))
    };
    let normal: String = (0..signs.len())
        .filter(|at| counts(*at))
        .map(|at| signs[at])
        .collect();
    let mut hasher = SENTENCES.hasher();
    hasher.update(normal.as_bytes());
    let mut digest = hasher.finalize().to_hex().to_string();
    digest.truncate(DIGITS);
    digest
}

/// The first lines of `print.yaml`.
const HEAD: &str = "\
# The printed rulebook as digests of its sentences, a line a paragraph. `referee source pin` writes this file of the text of the
# edition, which stays with whoever has printed it.
form: 1
";

/// The text of `print.yaml`. `edition` says which one it is.
pub fn pinned(sentences: &[Sentence], edition: Option<&str>) -> String {
    let mut text = HEAD.to_owned();
    if let Some(edition) = edition {
        let quoted = serde_json::Value::from(edition);
        text += &format!("edition: {quoted}\n");
    }
    let lines = sentences
        .chunk_by(|a, b| a.paragraph == b.paragraph)
        .filter_map(|of| {
            let Paragraph { page, number } = of.first()?.paragraph;
            let digests: Vec<String> = of.iter().map(|s| format!("\"{}\"", s.digest)).collect();
            Some(format!(
                "  - {{page: {page}, paragraph: {number}, sentences: [{}]}}\n",
                digests.join(", ")
            ))
        });
    let lines: String = lines.collect();
    match lines.is_empty() {
        true => text + "paragraphs: []\n",
        false => format!("{text}paragraphs:\n{lines}"),
    }
}
