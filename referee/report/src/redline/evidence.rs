//! What stands beside the clauses: ties to the printed rulebook, scenarios, components, options and names.

use std::collections::{BTreeMap, BTreeSet};

use interpreter::diagnostic::Code;
use interpreter::package::{Language, SourceParagraph};

use super::contents::{Entry, Fact, Flag, Level};
use super::material::Material;
use crate::book::Labels;
use crate::diff::scenarios::{Came, Outcome};
use crate::diff::{Composed, Difference, What};
use crate::prose::counted;
use crate::words::Words;

/// What a paragraph is tied to: `@captain.load, @captain.pass (p3.2)`, or why to nothing.
fn tied(paragraph: &SourceParagraph, labels: Labels) -> String {
    paragraph.with_print(&said(paragraph, labels))
}

fn said(paragraph: &SourceParagraph, labels: Labels) -> String {
    match &paragraph.why_none {
        Some(why) => format!("{} {why}", labels.say("no clause:", "żadna klauzula:")),
        None => {
            let clauses = paragraph.clauses.iter();
            let clauses: Vec<String> = clauses.map(|clause| format!("@{}", clause.node)).collect();
            clauses.join(", ")
        }
    }
}

/// Ties to the printed rulebook that changed.
pub(super) fn ties(material: &Material<'_>) -> Vec<Entry> {
    let labels = Labels(material.language);
    // Several may stand at one place; they are told apart by their number there.
    let by_place = |paragraphs: &[SourceParagraph]| {
        let mut all: Vec<((String, usize), SourceParagraph)> = Vec::new();
        for paragraph in paragraphs {
            let at = &paragraph.at.node;
            let before = all.iter().filter(|((place, _), _)| place == at).count();
            all.push(((at.clone(), before), paragraph.clone()));
        }
        all
    };
    let old = by_place(&material.before.package.rulebook.sources);
    let new = by_place(&material.after.package.rulebook.sources);
    let known: BTreeMap<_, _> = new.iter().cloned().collect();
    let was: BTreeMap<_, _> = old.iter().cloned().collect();
    let mut all = Vec::new();
    for (place, before) in &old {
        let said = Some(tied(before, labels));
        let Some(after) = known.get(place) else {
            let text = labels.say(
                "this paragraph of the print is gone",
                "zniknął ten akapit druku",
            );
            all.push(Entry {
                of: place.0.clone(),
                lines: vec![(said, None)],
                about: Vec::new(),
                flags: vec![Flag::new(Level::Red, Fact::TieRemoved, text)],
            });
            continue;
        };
        let now = Some(tied(after, labels));
        let is_same_print = before.printed == after.printed;
        if said == now && is_same_print {
            continue;
        }
        // Nothing was pinned before, and the clauses are the same.
        let is_pinned_now = before.print.is_empty()
            && before.printed.is_empty()
            && self::said(before, labels) == self::said(after, labels);
        let flagged = match before.why_none.is_some() && after.why_none.is_some() {
            _ if is_pinned_now => Flag::new(
                Level::ToBeRead,
                Fact::TieAdded,
                labels.say(
                    "this paragraph is paired with sentences of the print now",
                    "ten akapit ma teraz swoje zdania w druku",
                ),
            ),
            _ if !is_same_print => Flag::new(
                Level::Red,
                Fact::TieChanged,
                labels.say(
                    "other sentences of the print stand here",
                    "stoją tu inne zdania druku",
                ),
            ),
            true => Flag::new(
                Level::ToBeRead,
                Fact::TieAdded,
                labels.say(
                    "another reason to have no clause",
                    "inny powód braku klauzuli",
                ),
            ),
            false => Flag::new(
                Level::Red,
                Fact::TieChanged,
                labels.say(
                    "this paragraph of the print is tied to something else",
                    "ten akapit druku powiązano z czym innym",
                ),
            ),
        };
        all.push(Entry {
            of: place.0.clone(),
            lines: vec![(said, now)],
            about: Vec::new(),
            flags: vec![flagged],
        });
    }
    for (place, after) in new.iter().filter(|(place, _)| !was.contains_key(place)) {
        let text = labels.say("a new paragraph of the print", "nowy akapit druku");
        all.push(Entry {
            of: place.0.clone(),
            lines: vec![(None, Some(tied(after, labels)))],
            about: Vec::new(),
            flags: vec![Flag::new(Level::ToBeRead, Fact::TieAdded, text)],
        });
    }
    all
}

/// Scenarios that are gone, say other things, or fail under the new rules, of which some clauses changed.
pub(super) fn scenarios(material: &Material<'_>, changed: &BTreeSet<&str>) -> Vec<Entry> {
    let labels = Labels(material.language);
    let found = material.scenarios;
    let mut all = Vec::new();
    for name in &found.removed {
        let renamed = found.renamed.iter().find(|(old, _)| old == name);
        let flagged = match renamed {
            Some((_, now)) => {
                let text = format!("{} {now}", labels.say("is called now:", "nowa nazwa:"));
                Flag::new(Level::ToBeRead, Fact::ScenarioRenamed, text)
            }
            None => Flag::new(
                Level::Red,
                Fact::ScenarioRemoved,
                labels.say("the scenario is gone", "scenariusz znikł"),
            ),
        };
        all.push(Entry {
            of: name.clone(),
            lines: Vec::new(),
            about: Vec::new(),
            flags: vec![flagged],
        });
    }
    for rewritten in &found.differences {
        let outcome = found
            .changed
            .iter()
            .find(|outcome| outcome.name == rewritten.name);
        let mut flags = Vec::new();
        if rewritten.said.iter().any(|said| said.weaker()) {
            let text = labels.say(
                "the scenario expects less than it did",
                "scenariusz oczekuje mniej niż przedtem",
            );
            flags.push(Flag::new(Level::Red, Fact::ScenarioWeakened, text));
        }
        // As it was, it holds under the new rules, or it would but for figures that are told as such.
        let harmless = match outcome {
            None => true,
            Some(outcome) => outcome.after == Came::Passed || outcome.by_figures,
        };
        if flags.is_empty() {
            flags.push(match (harmless, outcome.is_some()) {
                (true, true) => Flag::new(
                    Level::ToBeRead,
                    Fact::ScenarioRewritten,
                    labels.say(
                        "the scenario says other things, for a figure changed",
                        "scenariusz mówi co innego, bo zmieniła się liczba",
                    ),
                ),
                (true, false) => Flag::new(
                    Level::ToBeRead,
                    Fact::ScenarioRewritten,
                    labels.say(
                        "the scenario says other things; as it was, it still holds",
                        "scenariusz mówi co innego; w dawnym brzmieniu nadal się zgadza",
                    ),
                ),
                (false, _) => Flag::new(
                    Level::Red,
                    Fact::ScenarioRewritten,
                    labels.say(
                        "the scenario was adjusted: as it was, it fails under these rules, and no figure is the cause",
                        "scenariusz dopasowano: w dawnym brzmieniu nie zgadza się z tymi regułami, a przyczyną nie jest liczba",
                    ),
                ),
            });
        }
        let lines = rewritten.said.iter().map(|said| {
            let line =
                |text: &Option<String>| text.as_ref().map(|text| format!("{}: {text}", said.at));
            (line(&said.before), line(&said.after))
        });
        all.push(Entry {
            of: rewritten.name.clone(),
            lines: lines.collect(),
            about: Vec::new(),
            flags,
        });
    }
    all.extend(marks(material, labels));
    all.extend(failing(material, changed, labels));
    all
}

/// Mistakes of which it is newly said that nobody could notice them, so that no scenario has to. A mark that is gone asks for
/// more, not less.
fn marks(material: &Material<'_>, labels: Labels) -> Option<Entry> {
    let new = material.marks.iter();
    let new = new.filter(|mark| mark.what != What::Removed);
    let lines: Vec<_> = new
        .map(|mark| (mark.before.clone(), mark.after.clone()))
        .collect();
    if lines.is_empty() {
        return None;
    }
    let text = labels.say(
        "no scenario has to notice these mistakes any more: are the reasons true?",
        "tych błędów nie musi już zauważyć żaden scenariusz: czy powody są prawdziwe?",
    );
    Some(Entry {
        of: "equivalents.yaml".to_owned(),
        lines,
        about: Vec::new(),
        flags: vec![Flag::new(Level::ToBeRead, Fact::MarkAdded, text)],
    })
}

/// How a scenario fails, in the language of the redline.
fn how(outcome: &Outcome, labels: Labels) -> String {
    let why = match &outcome.after {
        Came::Failed(why) | Came::NotPlayable(why) if labels.0 == Language::English => why,
        Came::NotPlayable(_) => return "nie da się go rozłożyć".to_owned(),
        _ => return in_polish(outcome.code).to_owned(),
    };
    why.clone()
}

fn in_polish(code: Option<Code>) -> &'static str {
    match code {
        Some(Code::UnexpectedState) => "stan gry jest inny, niż oczekiwano",
        Some(Code::UnexpectedPlayerAsked) => "pytany jest inny gracz",
        Some(Code::UnexpectedLegalMoves | Code::LooseLegalMoves) => "dozwolone są inne ruchy",
        Some(Code::MoveRefused) => "ruch jest odrzucany",
        Some(Code::MoveNotRefused) => "ruch, który miał być odrzucony, jest dozwolony",
        Some(Code::RefusedForOtherReason) => "ruch jest odrzucany z innego powodu",
        Some(Code::UnexpectedEvents) => "zachodzą inne zdarzenia",
        Some(Code::UnexpectedEnd) => "koniec gry jest inny, niż oczekiwano",
        Some(Code::UnexpectedScore) => "punktacja jest inna, niż oczekiwano",
        Some(Code::ForcedMovesDiffer) => "wymuszone są inne ruchy",
        Some(Code::ImpossiblePosition | Code::PositionAgainstRules) => {
            "takiej sytuacji nie da się rozłożyć"
        }
        _ => "przebieg jest inny, niż oczekiwano",
    }
}

/// Scenarios that fail, a line for each cause: the changed clauses that they cite, with the first of them.
fn by_cause(failing: &[&Outcome], changed: &BTreeSet<&str>, labels: Labels) -> Vec<String> {
    let mut causes: Vec<(BTreeSet<&str>, Vec<&Outcome>)> = Vec::new();
    for outcome in failing {
        let cites = outcome.cites.iter().map(String::as_str);
        let cause: BTreeSet<&str> = cites.filter(|id| changed.contains(id)).collect();
        match causes.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, own)) => own.push(outcome),
            None => causes.push((cause, vec![outcome])),
        }
    }
    causes.sort_by_key(|(cause, own)| (cause.is_empty(), std::cmp::Reverse(own.len())));
    let lines = causes.iter().filter_map(|(cause, own)| {
        let first = own.first()?;
        let named: Vec<String> = cause.iter().map(|id| format!("@{id}")).collect();
        let named = match named.is_empty() {
            true => labels
                .say("cites no changed clause", "bez zmienionej klauzuli")
                .to_owned(),
            false => named.join(", "),
        };
        let (name, how) = (&first.name, how(first, labels));
        Some(match (labels.0, own.len()) {
            (Language::English, 1) => format!("{named}: “{name}”: {how}"),
            (Language::English, many) => {
                format!("{named}: {many} scenarios, first “{name}”: {how}")
            }
            (Language::Polish, 1) => format!("{named}: „{name}”: {how}"),
            (Language::Polish, many) => {
                format!("{named}: scenariuszy: {many}, pierwszy „{name}”: {how}")
            }
        })
    });
    lines.collect()
}

/// Scenarios of the first that fail under the new rules as they are: told together, by their cause.
fn failing(material: &Material<'_>, changed: &BTreeSet<&str>, labels: Labels) -> Vec<Entry> {
    let found = material.scenarios;
    let mut all = Vec::new();
    for by_figures in [false, true] {
        let mut failing = Vec::new();
        for outcome in found
            .changed
            .iter()
            .filter(|outcome| outcome.by_figures == by_figures)
        {
            let told =
                found.removed.contains(&outcome.name) || found.rewritten.contains(&outcome.name);
            if outcome.before == Came::Passed && !told {
                failing.push(outcome);
            }
        }
        if failing.is_empty() {
            continue;
        }
        let of = match labels.code() {
            "en" => counted(failing.len(), "old scenario"),
            _ => format!("dawne scenariusze: {}", failing.len()),
        };
        let (level, text) = match by_figures {
            true => (
                Level::ToBeRead,
                labels.say(
                    "fail now, because a figure changed",
                    "już się nie zgadzają, bo zmieniła się liczba",
                ),
            ),
            false => (
                Level::Red,
                labels.say(
                    "hold under the old rules and fail under the new ones",
                    "zgadzają się z dawnymi regułami, a z nowymi nie",
                ),
            ),
        };
        all.push(Entry {
            of,
            lines: Vec::new(),
            about: by_cause(&failing, changed, labels),
            flags: vec![Flag::new(level, Fact::ScenarioFails, text)],
        });
    }
    all
}

/// Components, options and names, and modules that nobody has read.
pub(super) fn other(material: &Material<'_>) -> Vec<Entry> {
    let labels = Labels(material.language);
    let texts = material.texts;
    let entry = |difference: &Difference, flagged: Flag| Entry {
        of: subject(difference, material),
        lines: vec![(difference.before.clone(), difference.after.clone())],
        about: Vec::new(),
        flags: vec![flagged],
    };
    let mut all = Vec::new();
    let called = texts.rows.iter().filter(|row| is_row(row));
    let called: Vec<&Difference> = called.chain(&texts.names).collect();
    let renamed = |difference: &Difference| match exchanged(difference, &called) {
        Some(with) => {
            let text = match labels.code() {
                "en" => format!("is called what {} was called", with.of),
                _ => format!(
                    "nazywa się tak, jak nazywało się: {}",
                    subject(with, material)
                ),
            };
            Flag::new(Level::Red, Fact::NamesExchanged, text)
        }
        None => {
            let text = labels.say("is called otherwise", "nazywa się inaczej");
            Flag::new(Level::ToBeRead, Fact::Names, text)
        }
    };
    for difference in &texts.manifest {
        let weighty = difference.of == "players"
            || difference.of == "id"
            || difference.of.starts_with("option ");
        if weighty {
            let text = labels.say(
                "what can be played changed",
                "zmieniło się, w co można grać",
            );
            all.push(entry(
                difference,
                Flag::new(Level::Red, Fact::Manifest, text),
            ));
        }
    }
    for difference in &texts.rows {
        if !is_row(difference) {
            continue;
        }
        let flagged = match difference.what {
            What::Added => {
                let text = labels.say("a new component", "nowy element");
                Flag::new(Level::ToBeRead, Fact::RowAdded, text)
            }
            What::Removed => {
                let text = labels.say("the component is gone", "element znikł");
                Flag::new(Level::Red, Fact::RowRemoved, text)
            }
            What::Changed => renamed(difference),
        };
        all.push(entry(difference, flagged));
    }
    for difference in &texts.names {
        // Names that come or go with what they name say nothing new.
        if difference.what == What::Changed {
            all.push(entry(difference, renamed(difference)));
        }
    }
    for module in material.unread {
        let text = match labels.code() {
            "en" => format!(
                "its files changed and are not read here; compare with `--with {module}` as well"
            ),
            _ => format!(
                "jego pliki się zmieniły, a nie są tu czytane; porównaj też z `--with {module}`"
            ),
        };
        all.push(Entry {
            of: format!("{} {module}", labels.say("module", "moduł")),
            lines: Vec::new(),
            about: Vec::new(),
            flags: vec![Flag::new(Level::Red, Fact::ModuleUnread, text)],
        });
    }
    all
}

/// What a difference is about, in the language of the redline; English readers know the addresses of the rules.
fn subject(difference: &Difference, material: &Material<'_>) -> String {
    let of = &difference.of;
    if material.language == Language::English {
        return of.clone();
    }
    let row = |side: &Composed| {
        let (_, row) = of.split_once(' ')?;
        Words::new(&side.package, material.language).any_row(row)
    };
    match of.split_once(' ') {
        _ if of == "players" => "liczba graczy".to_owned(),
        _ if of == "id" => "identyfikator".to_owned(),
        Some(("option", id)) => format!("opcja {id}"),
        _ => row(material.after)
            .or_else(|| row(material.before))
            .unwrap_or_else(|| of.clone()),
    }
}

/// Whether it is of a row, `building wharf`; its cells have a third word and are told as figures.
fn is_row(difference: &Difference) -> bool {
    difference.of.split(' ').count() == 2
}

/// Another thing that had a name, in either language, that this one has now. A name is written `Wharf / Nabrzeże`.
fn exchanged<'d>(difference: &Difference, called: &[&'d Difference]) -> Option<&'d Difference> {
    let both = |said: &Option<String>| -> Vec<String> {
        let said = said.as_deref().unwrap_or_default().split(" / ").take(2);
        said.map(str::to_owned).collect()
    };
    let (before, after) = (both(&difference.before), both(&difference.after));
    let mut others = called.iter().filter(|other| other.of != difference.of);
    let found = others.find(|other| {
        let theirs = both(&other.before);
        let mut languages = theirs.iter().zip(&after).zip(&before);
        languages.any(|((was, is), own)| was == is && is != own)
    });
    found.copied()
}
