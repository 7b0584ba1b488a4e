//! A thing as the reviewer sees it: words in both languages, rules, figures, print and proof.

use std::collections::BTreeMap;

use interpreter::package::{Acceptance, Part};

use super::folder::Desk;
use crate::cli::out::{Ink, Out};
use crate::cli::outcome::Failure;
use referee_report::printed::Sentence;
use referee_report::prose::{listed, wrapped};
use referee_report::sign_off::standing::{
    self, Standing, changed_figures, part_words, standing, withdrawal,
};
use referee_report::sign_off::things::{Thing, called};

/// Columns before a text.
const MARGIN: usize = 12;

/// Shows a thing.
///
/// # Errors
///
/// When the output cannot be written.
pub fn show(
    desk: &Desk,
    thing: &Thing,
    failing: &BTreeMap<String, String>,
    text: &[Sentence],
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    heading(desk, thing, out)?;
    for part in [Part::English, Part::Polish] {
        let said = thing.parts.get(&part).cloned().unwrap_or_default();
        paragraph(part.name(), &said.join(" / "), out)?;
    }
    for rule in &thing.rules {
        paragraph("rules", &format!("{}  {}", rule.what, rule.place), out)?;
        for line in rule.code.lines() {
            let line = out.paint(Ink::Dim, format!("{:MARGIN$}  {line}", ""));
            writeln!(out.data, "{line}")?;
        }
    }
    for part in [Part::Figures, Part::Print] {
        let said = thing.parts.get(&part).cloned().unwrap_or_default();
        paragraph(part.name(), &said.join("; "), out)?;
    }
    for printed in thing.places.iter().flat_map(|place| place.printed(text)) {
        let otherwise = match printed.is_pinned {
            true => "",
            false => "  (not what was pinned)",
        };
        let said = format!("“{}”{otherwise}", printed.sentence.text);
        paragraph(&printed.sentence.place(), &said, out)?;
    }
    for (name, prose) in thing.scenarios.iter().zip(&thing.prose) {
        let said = match failing.get(name) {
            Some(why) => format!("{name}: FAILS: {why}"),
            None => format!("{name}: passes"),
        };
        paragraph("scenario", &said, out)?;
        for line in prose {
            paragraph("", line, out)?;
        }
    }
    Ok(())
}

/// `@captain.load  (rule in The captain phase)  open again, changed: the rules (accepted by `anna` on 2026-11-27)`
pub fn heading(desk: &Desk, thing: &Thing, out: &mut Out<'_>) -> Result<(), Failure> {
    let name = out.paint(Ink::Clause, called(&thing.what));
    let mut kinds: Vec<String> = Vec::new();
    for kind in thing.parts.get(&Part::Kind).into_iter().flatten() {
        if !kinds.contains(kind) {
            kinds.push(kind.clone());
        }
    }
    let chapters: Vec<&str> = thing
        .chapters
        .iter()
        .map(|(_, titles)| titles.en.as_str())
        .collect();
    let about = [kinds.join(", "), chapters.join(", ")];
    let about: Vec<&String> = about.iter().filter(|text| !text.is_empty()).collect();
    let about = match about.is_empty() {
        true => String::new(),
        false => format!("  ({})", listed(&about, "in")),
    };
    let stands = standing(thing, desk.layer.accepted());
    let (ink, said) = match &stands {
        Standing::Accepted(entries) => {
            let who: Vec<String> = entries
                .iter()
                .map(|entry| {
                    let comment = entry.comment.as_ref();
                    let comment = comment.map_or_else(String::new, |said| format!(": {said}"));
                    format!("`{}` on {}{comment}", entry.by.node, entry.on)
                })
                .collect();
            (Ink::Good, format!("accepted by {}", listed(&who, "and")))
        }
        Standing::Never => (Ink::Odd, "open".to_owned()),
        Standing::Again { last, changed } => (
            Ink::Bad,
            format!(
                "open again, {} (accepted by `{}` on {})",
                changes(changed, last, thing),
                last.by.node,
                last.on
            ),
        ),
    };
    let said = out.paint(ink, said);
    writeln!(out.data, "{name}{about}  {said}")?;
    for line in withdrawn(thing, desk.layer.accepted()) {
        paragraph("", &line, out)?;
    }
    Ok(())
}

/// The acceptances of a thing that count no more, in words.
pub fn withdrawn(thing: &Thing, accepted: &[Acceptance]) -> Vec<String> {
    let all = standing::withdrawn(&thing.what, accepted).into_iter();
    all.map(|(old, entry)| withdrawal(old, entry)).collect()
}

/// What has changed, in words; of figures which, and from what.
fn changes(changed: &[Part], last: &Acceptance, thing: &Thing) -> String {
    let words = changed.iter().map(|part| {
        let figures = match part {
            Part::Figures => changed_figures(last, thing),
            _ => Vec::new(),
        };
        match figures.is_empty() {
            true => part_words(*part).to_owned(),
            false => format!("{} [{}]", part_words(*part), figures.join("; ")),
        }
    });
    let words: Vec<String> = words.collect();
    match words.is_empty() {
        true => "its digest was edited by hand".to_owned(),
        false => format!("changed: {}", listed(&words, "and")),
    }
}

fn paragraph(label: &str, text: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    if text.is_empty() {
        return Ok(());
    }
    let width = out.width.saturating_sub(MARGIN + 4).max(40);
    for (i, line) in wrapped(text, width).into_iter().enumerate() {
        let label = if i == 0 { label } else { "" };
        writeln!(out.data, "  {label:<10}  {line}")?;
    }
    Ok(())
}
