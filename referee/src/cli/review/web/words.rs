//! What the page says of things, in its language.

use interpreter::package::{Acceptance, Language, Part, Reviewed, Unclaimed};

use super::looked::Found;
use referee_report::book::Labels;
use referee_report::sign_off::standing::{Holds, Standing, holds, part_words};
use referee_report::sign_off::things::Thing;

/// A part of what is accepted.
pub fn part(labels: Labels, part: Part) -> &'static str {
    let polish = match part {
        Part::English => "treść angielska",
        Part::Polish => "treść polska",
        Part::Kind => "rodzaj klauzuli",
        Part::Rules => "reguły",
        Part::Figures => "liczby",
        Part::Print => "powiązanie z drukiem",
        Part::Scenarios => "scenariusze",
    };
    labels.say(part_words(part), polish)
}

/// Parts that have changed: `changed: the rules, the figures`.
pub fn changed(labels: Labels, parts: &[Part]) -> String {
    if parts.is_empty() {
        let edited = labels.say("its digest was edited by hand", "skrót zmieniono ręcznie");
        return edited.to_owned();
    }
    let words: Vec<&str> = parts.iter().map(|one| part(labels, *one)).collect();
    let said = labels.say("changed", "zmieniło się");
    format!("{said}: {}", words.join(", "))
}

/// The kinds of things, as they are chosen.
pub const KINDS: [&str; 6] = ["rule", "ruling", "option", "note", "paragraph", "unclaimed"];

/// Of which kind a thing is.
pub fn kind_of(thing: &Thing) -> &str {
    match &thing.what {
        Reviewed::Clause(_) => {
            let said = thing.parts.get(&Part::Kind);
            let said = said.and_then(|said| said.first());
            said.map_or("", |said| said.split(',').next().unwrap_or_default())
        }
        Reviewed::Paragraph(_) => "paragraph",
        Reviewed::Unclaimed(_) => "unclaimed",
    }
}

/// A kind of things.
pub fn kind(labels: Labels, kind: &str) -> &'static str {
    match kind {
        "rule" => labels.say("rule", "zasada"),
        "ruling" => labels.say("ruling of ours", "nasze rozstrzygnięcie"),
        "ruling, not enforced" => labels.say(
            "ruling of ours that nothing enforces",
            "nasze rozstrzygnięcie, którego nic nie wymusza",
        ),
        "option" => labels.say("option", "opcja"),
        "note" => labels.say("note", "uwaga"),
        "paragraph" => labels.say("paragraph of the print", "akapit druku"),
        _ => labels.say("without a clause", "bez klauzuli"),
    }
}

/// What a thing is called.
pub fn called(labels: Labels, what: &Reviewed) -> String {
    match what {
        Reviewed::Clause(id) => format!("@{id}"),
        Reviewed::Paragraph(at) => at.clone(),
        Reviewed::Unclaimed(Unclaimed::Rules) => labels
            .say(
                "rules that no clause claims",
                "reguły, do których nie odwołuje się żadna klauzula",
            )
            .to_owned(),
        Reviewed::Unclaimed(Unclaimed::Figures) => labels
            .say(
                "figures that no clause uses",
                "liczby, których nie używa żadna klauzula",
            )
            .to_owned(),
    }
}

/// How a thing stands: a class for its looks, a sign, and words.
pub fn standing(labels: Labels, found: &Found<'_>) -> (&'static str, &'static str, String) {
    match found.stands() {
        Standing::Never => ("never", "○", labels.say("open", "otwarte").to_owned()),
        Standing::Again { changed: parts, .. } => {
            let again = labels.say("open again", "znów otwarte");
            (
                "again",
                "↻",
                format!("{again}, {}", changed(labels, &parts)),
            )
        }
        Standing::Accepted(entries) => {
            let who: Vec<&str> = entries.iter().map(|entry| entry.by.node.as_str()).collect();
            let accepted = labels.say("accepted by", "zaakceptowane przez:");
            ("accepted", "✓", format!("{accepted} {}", who.join(", ")))
        }
    }
}

/// What became of an acceptance; none if it holds.
pub fn outdated(labels: Labels, entry: &Acceptance, thing: &Thing) -> Option<String> {
    match holds(entry, thing) {
        Holds::Yes => None,
        Holds::No(parts) => Some(changed(labels, &parts)),
        Holds::Edited => Some(changed(labels, &[])),
    }
}

/// The other language of the page.
pub fn other(labels: Labels) -> Labels {
    Labels(match labels.0 {
        Language::English => Language::Polish,
        Language::Polish => Language::English,
    })
}
