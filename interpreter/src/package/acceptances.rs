//! Reads `review.yaml`: who has accepted what.
//!
//! In: the document of a base or of a module. Out: what was accepted, of which [`check`] then says whether there is such a
//! thing. Whether what is there is still what was accepted is no matter of a package: it plays the same.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostics, did_you_mean};
use crate::program::acceptance::{Acceptance, Part, Review, Reviewed, Unclaimed};
use crate::program::package::Rulebook;
use crate::source::{FileId, Span, Spanned};
use crate::syntax::document::Node;
use crate::syntax::document::read::{Fields, one_of};

/// The name of the document, which no manifest lists.
pub const REVIEW: &str = "review.yaml";

/// Digits of a whole digest.
const WHOLE: usize = 64;
/// Digits of the digest of a part.
const SHORT: usize = 8;

/// Reads a review.
pub(super) fn read(root: &Node, file: FileId, diagnostics: &mut Diagnostics) -> Review {
    let mut review = Review::empty(file);
    let Some(mut fields) = Fields::open(root, "a review", root.span.at_start(), diagnostics) else {
        return review;
    };
    let list = fields.require("accepted", diagnostics);
    fields.finish(diagnostics);
    let list = list.and_then(|node| node.list("what was accepted", diagnostics));
    for node in list.unwrap_or_default() {
        review.accepted.extend(acceptance(node, diagnostics));
    }
    doubled(&review.accepted, diagnostics);
    review
}

fn acceptance(node: &Node, diagnostics: &mut Diagnostics) -> Option<Acceptance> {
    let start = node.pairs().and_then(|pairs| pairs.first());
    let start = start.map_or(node.span, |pair| pair.key.span);
    let mut fields = Fields::open(node, "an acceptance", start, diagnostics)?;
    let thing = thing(&mut fields, diagnostics);
    let by = fields.require("by", diagnostics);
    let by = by.and_then(|node| name(node, diagnostics));
    let on = fields.require("on", diagnostics);
    let on = on.and_then(|node| date(node, diagnostics));
    let comment = fields.take("comment", diagnostics);
    let comment = comment.and_then(|node| node.text("a comment", diagnostics));
    let withdraws = fields.take("withdraws", diagnostics);
    let is_acceptance = withdraws.is_none();
    let withdraws = withdraws.and_then(|node| name(node, diagnostics));
    let figures = fields.take("figures", diagnostics);
    let figures = figures.and_then(|node| node.list("figures", diagnostics));
    let figures = figures.unwrap_or_default().iter();
    let figures = figures
        .filter_map(|node| Some(node.text("a figure", diagnostics)?.node))
        .collect();
    let digest = fields.require("digest", diagnostics);
    let digest = digest.and_then(|node| digits(node, WHOLE, diagnostics));
    let parts = match is_acceptance {
        true => fields.require("parts", diagnostics),
        false => fields.take("parts", diagnostics),
    };
    let parts = match parts {
        None if !is_acceptance => Some(BTreeMap::new()),
        parts => parts.and_then(|node| parts_of(node, diagnostics)),
    };
    fields.finish(diagnostics);
    Some(Acceptance {
        thing: thing?,
        by: by?,
        on: on?,
        comment: comment.map(|comment| comment.node),
        withdraws,
        figures,
        digest: digest?,
        parts: parts?,
        span: node.span,
    })
}

/// What was accepted: exactly one of three keys says it.
fn thing(fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> Option<Spanned<Reviewed>> {
    let clause = fields.take("clause", diagnostics);
    let paragraph = fields.take("paragraph", diagnostics);
    let unclaimed = fields.take("unclaimed", diagnostics);
    match (clause, paragraph, unclaimed) {
        (Some(node), None, None) => {
            let id = node.address("the id of a clause", diagnostics)?;
            Some(Spanned::new(Reviewed::Clause(id.node), id.span))
        }
        (None, Some(node), None) => {
            let at = node.text("where the paragraph stands in the rulebook", diagnostics)?;
            Some(Spanned::new(Reviewed::Paragraph(at.node), at.span))
        }
        (None, None, Some(node)) => {
            let what = node.choice("what no clause claims", &Unclaimed::ALL, diagnostics)?;
            Some(Spanned::new(Reviewed::Unclaimed(what), node.span))
        }
        (None, None, None) => {
            let keys = ["clause", "paragraph", "unclaimed"];
            diagnostics.push(
                Code::MissingKey
                    .error(fields.at(), "an acceptance says what was accepted")
                    .help(one_of("write one of", keys)),
            );
            None
        }
        _ => {
            diagnostics.push(
                Code::RepeatedAcceptance
                    .error(fields.at(), "an acceptance is of one thing")
                    .help("write an entry for each of them"),
            );
            None
        }
    }
}

/// Who accepts: as lists of allowed signers name them, in which commas and patterns mean something.
fn name(node: &Node, diagnostics: &mut Diagnostics) -> Option<Spanned<String>> {
    let name = node.text("the name of whoever accepts", diagnostics)?;
    if is_name(&name.node) {
        return Some(name);
    }
    diagnostics.push(
        Code::InvalidReviewer
            .error(name.span, "nobody can sign under this name")
            .help("a name is not empty and has none of the signs `,`, `*`, `?`, `!` and `\"`"),
    );
    None
}

/// Whether somebody can sign under this name: lists of allowed signers can say it.
pub fn is_name(name: &str) -> bool {
    let is_sign = |c: char| ",*?!\"".contains(c) || c.is_control();
    !name.trim().is_empty() && !name.contains(is_sign)
}

/// `2026-11-27`
fn date(node: &Node, diagnostics: &mut Diagnostics) -> Option<String> {
    let date = node.text("a date", diagnostics)?;
    if is_date(&date.node) {
        return Some(date.node);
    }
    diagnostics.push(
        Code::InvalidDate
            .error(date.span, format!("`{}` is no date", date.node))
            .help("write year, month and day: `2026-11-27`"),
    );
    None
}

/// Returns whether a text is a day of the calendar, written as `2026-11-27`.
pub fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else {
        return false;
    };
    let number = |text: &str, digits: usize| -> Option<u32> {
        let plain = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| text.parse().ok()).flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn digits(node: &Node, many: usize, diagnostics: &mut Diagnostics) -> Option<Spanned<String>> {
    let text = node.text("a digest", diagnostics)?;
    let is_digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    if text.node.len() == many && text.node.bytes().all(is_digit) {
        return Some(text);
    }
    diagnostics.push(
        Code::InvalidDigest
            .error(text.span, "this is no digest")
            .note(format!(
                "it has {many} of the digits 0 to 9 and a to f; `referee review` writes it"
            ))
            .help("take the entry out and accept the thing again"),
    );
    None
}

fn parts_of(node: &Node, diagnostics: &mut Diagnostics) -> Option<BTreeMap<Part, String>> {
    let mut parts = BTreeMap::new();
    for pair in node.map("parts and their digests", diagnostics)? {
        let key = Node::of_key(&pair.key);
        let part = key.choice("a part", &Part::ALL, diagnostics);
        let short = digits(&pair.value, SHORT, diagnostics);
        if let (Some(part), Some(short)) = (part, short) {
            parts.insert(part, short.node);
        }
    }
    Some(parts)
}

/// Nobody accepts the same twice, or withdraws what is not accepted above.
fn doubled(accepted: &[Acceptance], diagnostics: &mut Diagnostics) {
    let mut known: BTreeMap<(&Reviewed, &str, &str), Span> = BTreeMap::new();
    for entry in accepted {
        let of = |name| (&entry.thing.node, name, entry.digest.node.as_str());
        if let Some(name) = &entry.withdraws
            && known.remove(&of(name.node.as_str())).is_none()
        {
            diagnostics.push(
                Code::UnknownInReview
                    .error(
                        name.span,
                        format!("no acceptance of this by `{}` is above", name.node),
                    )
                    .help("`referee review --withdraw` and `--corrects` write such entries"),
            );
        }
        if entry.is_withdrawal() {
            continue;
        }
        let key = of(entry.by.node.as_str());
        match known.get(&key) {
            Some(first) => diagnostics.push(
                Code::RepeatedAcceptance
                    .error(
                        entry.thing.span,
                        format!("`{}` has accepted this twice", entry.by.node),
                    )
                    .also(*first, "first here")
                    .help("take the older entry out"),
            ),
            None => drop(known.insert(key, entry.thing.span)),
        }
    }
}

/// Reports what was accepted and is not there: a clause or a paragraph that neither this layer has nor those below it.
pub(super) fn check(
    review: &Review,
    rulebook: &Rulebook,
    lost_clauses: bool,
    diagnostics: &mut Diagnostics,
) {
    if lost_clauses {
        return;
    }
    let mut unknown = |span: Span, what: String, near: Option<String>| {
        let help = near.unwrap_or_else(|| {
            "it was renamed or is gone: take the entry out, and accept what stands in its place"
                .to_owned()
        });
        diagnostics.push(Code::UnknownInReview.error(span, what).help(help));
    };
    for entry in &review.accepted {
        let span = entry.thing.span;
        match &entry.thing.node {
            Reviewed::Clause(id) if rulebook.clause(id).is_none() => {
                let known = rulebook.clauses.iter().map(|c| c.id.node.as_str());
                let near = did_you_mean(id, known);
                unknown(span, format!("there is no clause `{id}`"), near);
            }
            Reviewed::Paragraph(at) if !rulebook.sources.iter().any(|p| p.at.node == *at) => {
                let known = rulebook.sources.iter().map(|p| p.at.node.as_str());
                let near = did_you_mean(at, known);
                unknown(span, format!("there is no paragraph `{at}`"), near);
            }
            _ => {}
        }
    }
}
