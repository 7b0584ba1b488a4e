//! Reads `print.yaml`, and holds the ties of `sources.yaml` against it.
//!
//! In: the document of a base or of a module, and paragraphs with the places of the print that they name. Out: the digests of
//! those places with each tie; and a mistake for every place that there is not, and for every sentence that nobody has tied.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostics};
use crate::numbers::Fit;
use crate::program::package::SourceParagraph;
use crate::program::print::{Excerpt, Paragraph, Print};
use crate::source::{FileId, Span, Spanned};
use crate::syntax::document::Node;
use crate::syntax::document::read::Fields;

/// The name of the document, which no manifest lists.
pub const PRINT: &str = "print.yaml";

/// How paragraphs become sentences and digests; another way would be another number.
const FORM: i64 = 1;
/// Digits of the digest of a sentence.
const DIGITS: usize = 16;
/// Sentences that are named in one message.
const NAMED: usize = 6;

/// Reads a print.
pub(super) fn read(root: &Node, file: FileId, diagnostics: &mut Diagnostics) -> Print {
    let mut print = Print {
        file,
        paragraphs: BTreeMap::new(),
    };
    let Some(mut fields) = Fields::open(root, "a print", root.span.at_start(), diagnostics) else {
        return print;
    };
    if let Some(form) = fields.require("form", diagnostics) {
        form.int_within("the form of a print", FORM, FORM, diagnostics);
    }
    // About the edition, for whoever opens the file.
    fields.take("edition", diagnostics);
    let list = fields.require("paragraphs", diagnostics);
    fields.finish(diagnostics);
    let list = list.and_then(|node| node.list("paragraphs", diagnostics));
    for node in list.unwrap_or_default() {
        let Some((place, digests)) = paragraph(node, diagnostics) else {
            continue;
        };
        if let Some(first) = print.paragraphs.get(&place) {
            diagnostics.push(
                Code::DuplicateId
                    .error(node.span, format!("there are two paragraphs {place}"))
                    .also(first.span, "first here"),
            );
            continue;
        }
        print
            .paragraphs
            .insert(place, Spanned::new(digests, node.span));
    }
    print
}

fn paragraph(node: &Node, diagnostics: &mut Diagnostics) -> Option<(Paragraph, Vec<String>)> {
    let mut fields = Fields::open(node, "a paragraph", node.span.at_start(), diagnostics)?;
    let mut number = |key, what: &str, diagnostics: &mut Diagnostics| {
        let node = fields.require(key, diagnostics)?;
        let number = node.int_within(what, 1, i64::from(u32::MAX), diagnostics)?;
        u32::try_from(number.node).ok()
    };
    let page = number("page", "the number of a page", diagnostics);
    let paragraph = number("paragraph", "the number of a paragraph", diagnostics);
    let sentences = fields.require("sentences", diagnostics);
    fields.finish(diagnostics);
    let digests = sentences?
        .list("digests of sentences", diagnostics)?
        .iter()
        .filter_map(|node| digest(node, diagnostics))
        .collect();
    let place = Paragraph {
        page: page?,
        number: paragraph?,
    };
    Some((place, digests))
}

fn digest(node: &Node, diagnostics: &mut Diagnostics) -> Option<String> {
    let text = node.text("the digest of a sentence", diagnostics)?;
    let is_digest = text.node.len() == DIGITS
        && text
            .node
            .chars()
            .all(|c| matches!(c, '0'..='9' | 'a'..='f'));
    if !is_digest {
        diagnostics.push(
            Code::InvalidDigest
                .error(text.span, "this is no digest of a sentence")
                .help(format!(
                    "`referee source pin` writes them, {DIGITS} of the digits 0 to 9 and a to f each"
                )),
        );
        return None;
    }
    Some(text.node)
}

/// Reads the places of the print that a paragraph of `sources.yaml` names.
pub(super) fn excerpts(node: &Node, diagnostics: &mut Diagnostics) -> Vec<Spanned<Excerpt>> {
    let mut all = Vec::new();
    for node in node
        .list("places of the print", diagnostics)
        .unwrap_or_default()
    {
        let Some(text) = node.text("a place of the print", diagnostics) else {
            continue;
        };
        match Excerpt::read(&text.node) {
            Some(excerpt) => all.push(Spanned::new(excerpt, text.span)),
            None => diagnostics.push(
                Code::UnknownInPrint
                    .error(text.span, format!("`{}` is no place of a print", text.node))
                    .help(
                        "write `p3.2` for the second paragraph of page 3, `p3.2-4` for it and the next two, \
                         `p3.2.1` for its first sentence, `p3.2.1-4` for the first four",
                    ),
            ),
        }
    }
    all
}

/// Gives each tie the digests of what it names. `own`: the print is of these paragraphs, so that each of its sentences is tied.
pub(super) fn tie(
    print: Option<&Print>,
    own: bool,
    paragraphs: &mut [SourceParagraph],
    diagnostics: &mut Diagnostics,
) {
    let Some(print) = print else {
        let named = paragraphs.iter().flat_map(|tie| &tie.print);
        for excerpt in named {
            diagnostics.push(
                Code::UnknownInPrint
                    .error(
                        excerpt.span,
                        format!("there is no `{PRINT}` to look this up in"),
                    )
                    .help("`referee source pin` makes it of the text of the printed rulebook"),
            );
        }
        return;
    };
    let mut open: BTreeMap<Paragraph, Vec<bool>> = print
        .paragraphs
        .iter()
        .map(|(place, digests)| (*place, vec![true; digests.node.len()]))
        .collect();
    for tie in paragraphs {
        for excerpt in &tie.print {
            for place in excerpt.node.paragraphs() {
                let Some(digests) = print.paragraphs.get(&place) else {
                    unknown(print, excerpt.span, place, None, diagnostics);
                    break;
                };
                let last = excerpt.node.sentences.map_or(0, |(_, last)| last);
                if last > digests.node.len().fit() {
                    unknown(print, excerpt.span, place, Some(last), diagnostics);
                }
                for (at, digest) in digests.node.iter().enumerate() {
                    if excerpt.node.has(at.fit::<u32>() + 1) {
                        tie.printed.push(digest.clone());
                        open.entry(place).or_default()[at] = false;
                    }
                }
            }
        }
    }
    if own {
        untied(print, &open, diagnostics);
    }
}

/// Tells of a paragraph that there is not, or of one that has fewer sentences.
fn unknown(
    print: &Print,
    span: Span,
    place: Paragraph,
    sentence: Option<u32>,
    diagnostics: &mut Diagnostics,
) {
    let what = sentence.map_or(place.to_string(), |sentence| format!("{place}.{sentence}"));
    let on_page = Paragraph { number: 0, ..place }..=Paragraph {
        number: u32::MAX,
        ..place
    };
    let last = print.paragraphs.range(on_page).next_back();
    let last = last.or_else(|| print.paragraphs.last_key_value());
    let known = match print.paragraphs.get(&place) {
        Some(own) => Some((
            own.span,
            format!("the last one of {place} is {place}.{}", own.node.len()),
        )),
        None => last.map(|(last, own)| (own.span, format!("the last one is {last}"))),
    };
    let mut message = Code::UnknownInPrint.error(span, format!("the print has no {what}"));
    if let Some((span, known)) = known {
        message = message.also(span, known);
    }
    diagnostics.push(message);
}

/// Tells of sentences without a tie, those of a paragraph at once.
fn untied(print: &Print, open: &BTreeMap<Paragraph, Vec<bool>>, diagnostics: &mut Diagnostics) {
    for (place, open) in open {
        let all = open.len();
        let missing: Vec<String> = open
            .iter()
            .enumerate()
            .filter(|(_, open)| **open)
            .map(|(at, _)| format!("{place}.{}", at + 1))
            .collect();
        if missing.is_empty() {
            continue;
        }
        let what = match missing.len() == all || missing.len() > NAMED {
            true => place.to_string(),
            false => missing.join(", "),
        };
        diagnostics.push(
            Code::UntiedSentence
                .error(
                    print.paragraphs[place].span,
                    format!("nothing says what becomes of {what} of the print"),
                )
                .help(format!(
                    "name it in `sources.yaml`: `{{at: …, print: [{}], clauses: [captain.load]}}`, or with `none: why no rule follows from it`",
                    missing.first().map_or("p1.1", |first| first)
                )),
        );
    }
}
