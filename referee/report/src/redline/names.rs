//! What a redline says of what it found, in its language.

use interpreter::package::{Clause, ClauseKind, Language, Package};

use super::carried_out::Rule;
use super::figures::FigureChange;
use super::watched::{Class, Shift};
use crate::book::Labels;
use crate::words::Words;

/// The kind of a clause with its article.
pub(super) fn kind(clause: &Clause, labels: Labels) -> &'static str {
    match clause.kind {
        ClauseKind::Rule => labels.say("a rule", "zasada"),
        ClauseKind::Ruling if !clause.is_enforced => labels.say(
            "a ruling of ours that nothing enforces",
            "nasze rozstrzygnięcie, którego nic nie wymusza",
        ),
        ClauseKind::Ruling => labels.say("a ruling of ours", "nasze rozstrzygnięcie"),
        ClauseKind::Option => labels.say("an option", "opcja"),
        ClauseKind::Note => labels.say(
            "a note that nothing enforces",
            "uwaga, której nic nie wymusza",
        ),
    }
}

fn class(class: Class, labels: Labels) -> &'static str {
    match class {
        Class::Obligation => labels.say("obligation", "obowiązek"),
        Class::Permission => labels.say("permission", "pozwolenie"),
        Class::Negation => labels.say("negation", "przeczenie"),
        Class::Number => labels.say("number", "liczba"),
        Class::Bound => labels.say("bound", "granica"),
        Class::Time => labels.say("time", "czas"),
        Class::Extent => labels.say("extent", "zakres"),
        Class::Opposite => labels.say("one of two opposites", "jedno z przeciwieństw"),
        Class::Subject => labels.say("subject", "o kim lub o czym"),
    }
}

/// Watched words that changed.
pub(super) fn shift(shift: &Shift, language: Language, labels: Labels) -> String {
    let (before, after) = (&shift.before, &shift.after);
    let class = class(shift.class, labels);
    let tongue = match language {
        Language::English => labels.say("English", "po angielsku"),
        Language::Polish => labels.say("Polish", "po polsku"),
    };
    let text = match (labels.0, before.is_empty(), after.is_empty()) {
        (Language::English, false, false) => format!("“{before}” became “{after}”"),
        (Language::English, false, true) => format!("“{before}” is gone"),
        (Language::English, true, _) => format!("“{after}” is new"),
        (Language::Polish, false, false) => format!("zamiast „{before}” jest „{after}”"),
        (Language::Polish, false, true) => format!("nie ma już „{before}”"),
        (Language::Polish, true, _) => format!("doszło „{after}”"),
    };
    format!("{text} ({tongue}; {class})")
}

/// A clause that states a figure as it was.
pub(super) fn stale(figure: &FigureChange, language: Language, labels: Labels) -> String {
    let FigureChange {
        name,
        before,
        after,
        ..
    } = figure;
    let tongue = match language {
        Language::English => labels.say("the English", "tekst angielski"),
        Language::Polish => labels.say("the Polish", "tekst polski"),
    };
    match labels.0 {
        Language::English => {
            format!("{tongue} is probably false now: {name} was {before} and is {after}")
        }
        Language::Polish => {
            format!("{tongue} jest teraz prawdopodobnie błędny: {name}: {before} → {after}")
        }
    }
}

fn quoted(name: String, labels: Labels) -> String {
    match labels.0 {
        Language::English => format!("“{name}”"),
        Language::Polish => format!("„{name}”"),
    }
}

/// What a query is called; with its phase, if that of another phase is called the same.
fn query(
    address: &str,
    (package, words): (&Package, &Words<'_>),
    labels: Labels,
) -> Option<String> {
    let name = quoted(words.query(address)?, labels);
    let known = package.names.keys();
    let mut queries = known.filter_map(|key| key.strip_prefix("query "));
    let is_shared =
        queries.any(|other| other != address && words.query(other) == words.query(address));
    Some(match address.split_once('.') {
        Some((phase, _)) if is_shared => format!("{name} ({})", words.phase(phase)),
        _ => name,
    })
}

/// What a sentence of the rules is, in words: `move “load a ship”`.
pub(super) fn rule(rule: &Rule, side: (&Package, &Words<'_>), labels: Labels) -> String {
    // A change names a query of its own phase as the rules there do.
    if let (Some(name), Some(phase)) = (rule.what.strip_prefix("change of "), &rule.phase)
        && let Some(name) = query(&format!("{phase}.{name}"), side, labels)
    {
        return format!("{} {name}", labels.say("a change of", "zmiana:"));
    }
    named(&rule.what, side, labels)
}

fn named(what: &str, side: (&Package, &Words<'_>), labels: Labels) -> String {
    let words = side.1;
    if let Some(event) = what.strip_prefix("what follows ") {
        let (event, whose) = event.split_once(" of ").unwrap_or((event, ""));
        let name = words.event(event);
        let text = match labels.0 {
            Language::English => format!("what follows “{name}”"),
            Language::Polish => format!("co następuje po „{name}”"),
        };
        return match whose.split_once(' ') {
            Some((_, row)) => format!("{text} ({})", words.any_row(row).unwrap_or_default()),
            None => text,
        };
    }
    if let Some((part, whole)) = what.split_once(" of ") {
        let part = match part {
            "condition" => labels.say("a condition of", "warunek:"),
            "limit" => labels.say("a limit of", "ograniczenie:"),
            "script" => labels.say("what is done at", "co się dzieje:"),
            "question" => labels.say("the question of", "pytanie:"),
            "change" => labels.say("a change of", "zmiana:"),
            "extension" => labels.say("an extension of", "rozszerzenie:"),
            "removal" => labels.say("the removal of", "usunięcie:"),
            "replacement" => labels.say("the replacement of", "zastąpienie:"),
            _ => return what.to_owned(),
        };
        return match whole.contains(' ') {
            true => format!("{part} {}", named(whole, side, labels)),
            false if what.starts_with("change of ") => match query(whole, side, labels) {
                Some(name) => format!("{part} {name}"),
                None => format!("{part} `{whole}`"),
            },
            false => format!("{part} {}", quoted(words.step(whole), labels)),
        };
    }
    let Some((kind, address)) = what.split_once(' ') else {
        return what.to_owned();
    };
    let quoted = |name: String| quoted(name, labels);
    let (kind, name) = match kind {
        "move" => match address.rsplit_once('.') {
            Some((step, name)) => (labels.say("the move", "ruch"), words.mv(step, name)),
            None => return what.to_owned(),
        },
        "phase" => (labels.say("the phase", "faza"), words.phase(address)),
        "step" => (labels.say("the step", "krok"), words.step(address)),
        "ending" => (
            labels.say("the ending", "zakończenie"),
            words.ending(address),
        ),
        "score" => (
            labels.say("the score", "pozycja punktacji"),
            words.score(address),
        ),
        "event" => (labels.say("the event", "zdarzenie"), words.event(address)),
        "query" => {
            let kind = labels.say("the query", "zapytanie");
            return match query(address, side, labels) {
                Some(name) => format!("{kind} {name}"),
                None => format!("{kind} `{address}`"),
            };
        }
        _ => {
            return words
                .any_row(address)
                .map_or_else(|| what.to_owned(), quoted);
        }
    };
    format!("{kind} {}", quoted(name))
}
