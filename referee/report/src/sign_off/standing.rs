//! How a thing stands: accepted as it is, never accepted, or open again, and what of it has changed.

use std::collections::BTreeMap;

use interpreter::package::{Acceptance, Part, Reviewed};

use super::things::{Thing, mark};
use crate::diff::between;

/// How a thing stands.
#[derive(Clone, Debug)]
pub enum Standing<'a> {
    /// Somebody has accepted it as it is.
    Accepted(Vec<&'a Acceptance>),
    /// Nobody has ever accepted it.
    Never,
    /// It was accepted and has changed since.
    Again {
        /// The last acceptance.
        last: &'a Acceptance,
        /// What has changed since.
        changed: Vec<Part>,
    },
}

impl Standing<'_> {
    /// Whether it has still to be accepted.
    pub fn is_open(&self) -> bool {
        !matches!(self, Standing::Accepted(_))
    }
}

/// What became of one acceptance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// It is of what is there.
    Yes,
    /// It is of something else: what has changed.
    No(Vec<Part>),
    /// Its digest and those of its parts do not belong together: somebody has written one of them by hand.
    Edited,
}

/// Whether an acceptance holds for a thing as it is now.
pub fn holds(acceptance: &Acceptance, thing: &Thing) -> Holds {
    let changed = changed(&acceptance.parts, &thing.marks());
    let figures = &acceptance.figures;
    if !figures.is_empty()
        && acceptance.parts.get(&Part::Figures) != Some(&mark(Part::Figures, figures))
    {
        return Holds::Edited;
    }
    match (acceptance.digest.node == thing.digest(), changed.is_empty()) {
        (true, true) => Holds::Yes,
        (false, false) => Holds::No(changed),
        _ => Holds::Edited,
    }
}

fn changed(before: &BTreeMap<Part, String>, now: &BTreeMap<Part, String>) -> Vec<Part> {
    let parts = Part::ALL.iter().map(|(_, part)| *part);
    parts
        .filter(|part| before.get(part) != now.get(part))
        .collect()
}

/// What is accepted of a thing and was not withdrawn.
pub fn counting<'a>(what: &Reviewed, accepted: &'a [Acceptance]) -> Vec<&'a Acceptance> {
    let own = entries(what, accepted);
    let withdrawn = withdrawn(what, accepted);
    let counts = |entry: &&Acceptance| {
        !entry.is_withdrawal() && !withdrawn.iter().any(|(old, _)| std::ptr::eq(*old, *entry))
    };
    own.filter(counts).collect()
}

/// The acceptances of a thing that were withdrawn, each with the entry that withdraws it.
pub fn withdrawn<'a>(
    what: &Reviewed,
    accepted: &'a [Acceptance],
) -> Vec<(&'a Acceptance, &'a Acceptance)> {
    let (mut above, mut all): (Vec<&Acceptance>, Vec<_>) = (Vec::new(), Vec::new());
    for entry in entries(what, accepted) {
        let gone = above.iter().position(|old| old.is_withdrawn_by(entry));
        all.extend(gone.map(|at| (above.remove(at), entry)));
        above.push(entry);
    }
    all
}

fn entries<'a>(
    what: &Reviewed,
    accepted: &'a [Acceptance],
) -> impl Iterator<Item = &'a Acceptance> {
    accepted
        .iter()
        .filter(move |entry| entry.thing.node == *what)
}

/// Which figures changed since an acceptance, from what: `building wharf cost: 9 → 10`. Empty if it does not say what they were.
pub fn changed_figures(last: &Acceptance, thing: &Thing) -> Vec<String> {
    if last.figures.is_empty() && last.parts.contains_key(&Part::Figures) {
        return Vec::new();
    }
    let now = thing.parts.get(&Part::Figures);
    let [before, after] = [&last.figures, now.unwrap_or(&Vec::new())].map(|lines| {
        let each = lines.iter().map(|line| {
            let named = [" = ", ": called ", ": with ", " "].into_iter();
            let found = named.filter_map(|sign| Some((sign, line.split_once(sign)?)));
            match found.into_iter().next() {
                Some((" = ", (name, value))) => (name.to_owned(), value.to_owned()),
                Some((sign, (name, value))) => {
                    let sign = sign.trim_start_matches(':').trim();
                    (format!("{name} {sign}").trim().to_owned(), value.to_owned())
                }
                None => (line.clone(), String::new()),
            }
        });
        each.collect::<BTreeMap<_, _>>()
    });
    let differences = between("", &before, &after).into_iter();
    let lines = differences.map(|found| {
        let side = |text: Option<String>| text.unwrap_or_else(|| "nothing".to_owned());
        format!(
            "{}: {} → {}",
            found.of,
            side(found.before),
            side(found.after)
        )
    });
    lines.collect()
}

/// How a thing stands by what was accepted.
pub fn standing<'a>(thing: &Thing, accepted: &'a [Acceptance]) -> Standing<'a> {
    let own = counting(&thing.what, accepted);
    let held: Vec<&Acceptance> = own
        .iter()
        .copied()
        .filter(|entry| holds(entry, thing) == Holds::Yes)
        .collect();
    if !held.is_empty() {
        return Standing::Accepted(held);
    }
    match own.into_iter().max_by(|a, b| a.on.cmp(&b.on)) {
        None => Standing::Never,
        Some(last) => Standing::Again {
            last,
            changed: changed(&last.parts, &thing.marks()),
        },
    }
}

/// An acceptance that was withdrawn, and by whom, in words.
pub fn withdrawal(old: &Acceptance, entry: &Acceptance) -> String {
    let comment = entry.comment.as_ref();
    let comment = comment.map_or_else(String::new, |said| format!(": {said}"));
    let (by, on) = (&entry.by.node, &entry.on);
    let done = match entry.is_withdrawal() {
        true => format!("withdrawn by `{by}` on {on}"),
        false => format!("name corrected to `{by}` on {on}"),
    };
    format!(
        "accepted by `{}` on {}, {done}{comment}",
        old.by.node, old.on
    )
}

/// A part in words.
pub fn part_words(part: Part) -> &'static str {
    match part {
        Part::English => "the English words",
        Part::Polish => "the Polish words",
        Part::Kind => "the kind of the clause",
        Part::Rules => "the rules",
        Part::Figures => "the figures",
        Part::Print => "the tie to the print",
        Part::Scenarios => "the scenarios",
    }
}
