//! Compares what a scenario expects with what is.

use std::collections::BTreeMap;

use super::differ::{Change, Differs, Findings};
use super::document::{Expectation, Over, Score, StateItem, Written};
use super::legal::check_legal;
use super::moves::event;
use super::names::{Rows, Site, place_name, resolve, seat_name, seat_names, shown, sites};
use super::queries::check_query;
use crate::diagnostic::Code;
use crate::numbers::{At as _, Fit as _};
use crate::play::{Audience, Event, Id, Match, PlaceView, Seat, Value, View};
use crate::program::model::Model;
use crate::source::{Span, Spanned};
use crate::syntax::document::Node;

/// Reports everything that is not as expected. `since` is the number of events before this moment
/// that an earlier expectation has looked at.
pub(super) fn check(played: &Match, expected: &Expectation, since: usize, found: &mut Findings) {
    let ruleset = played.ruleset();
    let rows = Rows::new(ruleset.package(), ruleset.players());
    if let Some(asked) = &expected.asked {
        let waiting = played.waiting();
        if waiting != asked.node {
            found.differs(Differs {
                code: Code::UnexpectedPlayerAsked,
                span: asked.span,
                of: "asked".to_owned(),
                message: "the wrong player is asked".to_owned(),
                expected: seat_names(&asked.node),
                found: seat_names(&waiting),
                change: Change::Value(seats_written(&waiting)),
            });
        }
    }
    let view = played.view(Audience::Referee);
    let model = played.ruleset().model();
    let of_table = |item: &&StateItem| {
        let name = &*item.pair.key.node;
        sites(&view).iter().any(|site| *site.place().name == *name)
    };
    let (of_table, others): (Vec<&StateItem>, Vec<&StateItem>) =
        expected.state.iter().partition(of_table);
    state(&view, model, &rows, of_table, found);
    for item in others {
        check_query(played, &view, &rows, item, found);
    }
    for (seat, items) in &expected.views {
        let audience = seat.node.map_or(Audience::Spectator, Audience::Seat);
        state(&played.view(audience), model, &rows, items.iter(), found);
    }
    for (seat, legal) in &expected.legal {
        check_legal(played, seat, legal, found);
    }
    if let Some(events) = &expected.events {
        check_events(played, &rows, events, since, found);
    }
    if let Some(over) = &expected.over {
        check_over(played, over, found);
    }
    for (seat, score) in &expected.scores {
        check_score(played, seat, score, found);
    }
}

/// Seats as a scenario writes them: `p1`, `[p1, p2]`, `nobody`.
fn seats_written(seats: &[Seat]) -> String {
    match seats {
        [] | [_] => seat_names(seats),
        seats => listed(seats.iter().map(|seat| seat_name(*seat))),
    }
}

/// `[corn, corn]`
fn listed(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// Compares places, counters and markers of a view.
fn state<'i>(
    view: &View,
    model: &Model,
    rows: &Rows<'_>,
    items: impl IntoIterator<Item = &'i StateItem>,
    found: &mut Findings,
) {
    for item in items {
        let mut sites: Vec<(Site<'_>, Node)> = Vec::new();
        resolve(view, item, &mut found.failures, &mut |site, node, _, _| {
            sites.push((site, node.clone()));
        });
        for (site, node) in sites {
            check_site(site, model, rows, &node, found);
        }
    }
}

fn check_site(site: Site<'_>, model: &Model, rows: &Rows<'_>, node: &Node, found: &mut Findings) {
    let hidden = node.plain() == Some("hidden");
    let of = place_name(site.place());
    match site {
        Site::Place(place) => check_place(place, rows, node, found),
        Site::Counter(_, value) if hidden || value.is_none() => {
            secret(node, hidden, value, of, found)
        }
        Site::Counter(_, value) => {
            let Some(expected) = node.int("a number", &mut found.failures) else {
                return;
            };
            if Some(expected.node) != value {
                let actual = value.map(|n| n.to_string()).unwrap_or_default();
                found.differs(Differs::value(
                    node.span,
                    of,
                    expected.node.to_string(),
                    actual,
                ));
            }
        }
        Site::Marker(_, value) | Site::Kept(_, value) if hidden || value.is_none() => {
            secret(node, hidden, value.map(shown), of, found);
        }
        Site::Marker(_, value) | Site::Kept(_, value) => {
            let kept = model.kept(&site.place().name).map(|var| &var.ty);
            let expected = match kept {
                Some(ty) => rows.whole(model, ty, node, &mut found.failures),
                None => rows.value(node, &mut found.failures),
            };
            let Some(expected) = expected else {
                return;
            };
            if Some(&expected) != value {
                let actual = value.map(shown).unwrap_or_default();
                found.differs(Differs::value(node.span, of, shown(&expected), actual));
            }
        }
    }
}

/// Compares what may be hidden with whether it is.
fn secret<T: ToString>(
    node: &Node,
    hidden: bool,
    value: Option<T>,
    of: String,
    found: &mut Findings,
) {
    let actual = value.map_or_else(|| "hidden".to_owned(), |value| value.to_string());
    if !hidden || actual != "hidden" {
        let expected = node.scalar().unwrap_or("something seen").to_owned();
        found.differs(Differs::value(node.span, of, expected, actual));
    }
}

fn check_place(place: &PlaceView, rows: &Rows<'_>, node: &Node, found: &mut Findings) {
    let of = place_name(&place.place);
    let differs =
        |expected: String, actual: String| Differs::value(node.span, of.clone(), expected, actual);
    if node.plain() == Some("uncounted") {
        // Neither what lies there nor how much.
        if let Some(size) = place.size {
            found.differs(differs("uncounted".to_owned(), size.to_string()));
        }
        return;
    }
    if node.plain() == Some("hidden") {
        if let Some(contents) = &place.contents {
            let all = match place.pile {
                true => listed(each(contents).iter().map(Id::to_string)),
                false => runs(contents),
            };
            found.differs(Differs {
                change: Change::Value(all),
                ..differs("hidden".to_owned(), runs(contents))
            });
        }
        return;
    }
    if node.scalar().is_some() {
        // One number: how many pieces lie there, whatever they are.
        let expected = node.int(
            "a number of pieces, or numbers by kind",
            &mut found.failures,
        );
        let Some(expected) = expected else {
            return;
        };
        if place.size.map(i64::from) != Some(expected.node) {
            let (actual, written) = match place.size {
                Some(size) => (size.to_string(), size.to_string()),
                None => ("hidden".to_owned(), "uncounted".to_owned()),
            };
            found.differs(Differs {
                change: Change::Value(written),
                ..differs(expected.node.to_string(), actual)
            });
        }
        return;
    }
    let Some(contents) = &place.contents else {
        found.differs(differs("something seen".to_owned(), "hidden".to_owned()));
        return;
    };
    if node.items().is_some() {
        let Some(mut expected) = rows.order(&place.table, node, &mut found.failures) else {
            return;
        };
        let mut actual = each(contents);
        // Only the pieces of a pile have an order.
        if !place.pile {
            expected.sort();
            actual.sort();
        }
        if actual != expected {
            found.differs(Differs {
                change: Change::Value(listed(actual.iter().map(Id::to_string))),
                ..differs(list(&expected), list(&actual))
            });
        }
        return;
    }
    let said = rows.without_size(&place.table, node);
    if let Some(size) = &said.1 {
        let expected = size.int("a number of pieces", &mut found.failures);
        let actual = place.size.map(i64::from);
        if let Some(expected) = expected.filter(|n| Some(n.node) != actual) {
            found.differs(Differs::value(
                expected.span,
                format!("{of}: size"),
                expected.node.to_string(),
                actual.map_or_else(|| "hidden".to_owned(), |n| n.to_string()),
            ));
        }
    }
    let mut counts: BTreeMap<&Id, u32> = BTreeMap::new();
    for (row, count) in contents {
        *counts.entry(row).or_default() += count;
    }
    for (row, expected) in rows.counts(&place.table, &said.0, &mut found.failures) {
        let actual = counts.get(&row).copied().unwrap_or(0);
        if actual != expected.node {
            found.differs(Differs {
                message: format!("the number of `{row}` in `{of}` is not as expected"),
                ..Differs::value(
                    expected.span,
                    format!("{of}: {row}"),
                    expected.node.to_string(),
                    actual.to_string(),
                )
            });
        }
    }
}

/// Every piece by itself.
fn each(contents: &[(Id, u32)]) -> Vec<Id> {
    contents
        .iter()
        .flat_map(|(row, n)| std::iter::repeat_n(row.clone(), n.at()))
        .collect()
}

fn runs(contents: &[(Id, u32)]) -> String {
    let counts: Vec<_> = contents
        .iter()
        .map(|(row, n)| format!("{row}: {n}"))
        .collect();
    format!("{{{}}}", counts.join(", "))
}

fn list(rows: &[Id]) -> String {
    const MOST: usize = 12;
    let mut shown: Vec<&str> = rows.iter().take(MOST).map(|row| &**row).collect();
    if rows.len() > MOST {
        shown.push("…");
    }
    format!("[{}]", shown.join(", "))
}

fn check_events(
    played: &Match,
    rows: &Rows<'_>,
    expected: &Spanned<Vec<Written>>,
    since: usize,
    found: &mut Findings,
) {
    let raised: Vec<(Id, Vec<(Id, Value)>)> = played
        .events(Audience::Referee, since)
        .into_iter()
        .filter_map(|event| match event {
            Event::Raised { event, args } => Some((event, args)),
            _ => None,
        })
        .collect();
    if expected.node.is_empty() && !raised.is_empty() {
        let all = happened(&raised, &[]);
        found.otherwise(
            Code::UnexpectedEvents
                .error(
                    expected.span,
                    "something was raised since the last expectation",
                )
                .note(format!(
                    "raised was, in this order:\n- {}",
                    all.join("\n- ")
                )),
            expected.span,
            "events".to_owned(),
            String::new(),
            all.join("\n"),
            Change::Items {
                kept: Vec::new(),
                added: all,
            },
        );
        return;
    }
    let mut rest = &raised[..];
    for written in &expected.node {
        let mut wanted = Vec::new();
        for pair in &written.args {
            let Some(value) = rows.value(&pair.value, &mut found.failures) else {
                return;
            };
            wanted.push((&pair.key.node, value));
        }
        let at = rest.iter().position(|(name, args)| {
            **name == *written.name.node
                && wanted.iter().all(|(key, value)| {
                    args.iter()
                        .any(|(name, arg)| **name == ***key && arg == value)
                })
        });
        match at {
            Some(at) => rest = &rest[at + 1..],
            None => {
                let all: Vec<_> = raised
                    .iter()
                    .map(|(name, args)| format!("- {}", event(name, args)))
                    .collect();
                let note = match all.is_empty() {
                    true => "nothing was raised since the last expectation".to_owned(),
                    false => format!(
                        "raised since the last expectation, in this order:\n{}",
                        all.join("\n")
                    ),
                };
                let failure = Code::UnexpectedEvents
                    .error(written.span(), "this was not raised, or not in this order")
                    .note(note);
                let happened = happened(&raised, &expected.node);
                found.otherwise(
                    failure,
                    expected.span,
                    "events".to_owned(),
                    expected
                        .node
                        .iter()
                        .map(Written::line)
                        .collect::<Vec<_>>()
                        .join("\n"),
                    happened.join("\n"),
                    Change::Items {
                        kept: Vec::new(),
                        added: happened,
                    },
                );
                return;
            }
        }
    }
}

/// What was raised of the events that are expected, with the arguments of which something is expected;
/// everything, if it is none of them.
fn happened(raised: &[(Id, Vec<(Id, Value)>)], expected: &[Written]) -> Vec<String> {
    let looked_at = |name: &Id| {
        let named = expected.iter().filter(|w| *w.name.node == **name);
        named.collect::<Vec<_>>()
    };
    let some: Vec<String> = raised
        .iter()
        .filter(|(name, _)| !looked_at(name).is_empty())
        .map(|(name, args)| {
            let of = looked_at(name);
            let args: Vec<_> = args
                .iter()
                .filter(|(arg, _)| {
                    of.iter()
                        .any(|w| w.args.iter().any(|pair| *pair.key.node == **arg))
                })
                .cloned()
                .collect();
            event(name, &args)
        })
        .collect();
    match some.is_empty() {
        true => raised
            .iter()
            .map(|(name, args)| event(name, args))
            .collect(),
        false => some,
    }
}

fn check_over(played: &Match, over: &Over, found: &mut Findings) {
    let outcome = played.outcome();
    let told = |ended: bool| {
        if ended {
            "a game that is over"
        } else {
            "a game that goes on"
        }
    };
    let Some(outcome) = outcome.as_ref().filter(|_| over.ended) else {
        if over.ended != outcome.is_some() {
            let written = match &outcome {
                Some(outcome) => format!(
                    "{{ending: {}, winners: {}}}",
                    outcome.ending,
                    seats_written(&outcome.winners)
                ),
                None => "false".to_owned(),
            };
            found.differs(Differs {
                code: Code::UnexpectedEnd,
                span: over.span,
                of: "over".to_owned(),
                message: "the end is not as expected".to_owned(),
                expected: told(over.ended).to_owned(),
                found: told(outcome.is_some()).to_owned(),
                change: Change::Value(written),
            });
        }
        return;
    };
    if let Some(ending) = &over.ending
        && *outcome.ending != *ending.node
    {
        found.differs(Differs {
            code: Code::UnexpectedEnd,
            span: ending.span,
            of: "ending".to_owned(),
            message: "the game has ended otherwise".to_owned(),
            expected: format!("`{}`", ending.node),
            found: format!("`{}`", outcome.ending),
            change: Change::Value(outcome.ending.to_string()),
        });
    }
    if let Some(winners) = &over.winners
        && outcome.winners != winners.node
    {
        found.differs(Differs {
            code: Code::UnexpectedEnd,
            span: winners.span,
            of: "winners".to_owned(),
            message: "somebody else has won".to_owned(),
            expected: seat_names(&winners.node),
            found: seat_names(&outcome.winners),
            change: Change::Value(seats_written(&outcome.winners)),
        });
    }
}

fn check_score(played: &Match, seat: &Spanned<Seat>, score: &Score, found: &mut Findings) {
    let Some(outcome) = played.outcome() else {
        found.failures.push(
            Code::UnexpectedScore.error(seat.span, "there is no score yet: the game is not over"),
        );
        return;
    };
    let Some(sheet) = outcome.scores.iter().find(|sheet| sheet.seat == seat.node) else {
        return;
    };
    if let Some(place) = &score.place {
        let actual: i64 = played.rank(seat.node).fit();
        if actual != place.node {
            let of = format!("place of {}", seat_name(seat.node));
            found.differs(Differs {
                code: Code::UnexpectedScore,
                message: format!("the {of} is not as expected"),
                ..Differs::value(place.span, of, place.node.to_string(), actual.to_string())
            });
        }
    }
    if let Some(tie_breaks) = &score.tie_breaks
        && tie_breaks.node != sheet.tie_breaks
    {
        let written = |numbers: &[i64]| listed(numbers.iter().map(i64::to_string));
        let actual = written(&sheet.tie_breaks);
        found.differs(Differs {
            code: Code::UnexpectedScore,
            span: tie_breaks.span,
            of: format!("tie breaks of {}", seat_name(seat.node)),
            message: "what decides between equal scores is not as expected".to_owned(),
            expected: written(&tie_breaks.node),
            found: actual.clone(),
            change: Change::Value(actual),
        });
    }
    let all: Vec<_> = sheet
        .lines
        .iter()
        .map(|line| format!("- {}: {}", line.name, line.points))
        .collect();
    let note = format!(
        "the score of {} is\n{}\n- total: {}",
        seat_name(seat.node),
        all.join("\n"),
        sheet.total
    );
    let mut wrong = |span: Span, what: &str, expected: i64, actual: i64| {
        if expected != actual {
            let of = format!("{what} of {}", seat_name(seat.node));
            found.otherwise(
                Code::UnexpectedScore
                    .error(span, format!("{of} is not as expected"))
                    .label(format!("expected {expected}, found {actual}"))
                    .note(note.clone()),
                span,
                of,
                expected.to_string(),
                actual.to_string(),
                Change::Value(actual.to_string()),
            );
        }
    };
    if let Some(total) = &score.total {
        wrong(total.span, "the score", total.node, sheet.total);
    }
    for (name, points) in &score.lines {
        // A line that does not apply is worth nothing.
        let actual = sheet
            .lines
            .iter()
            .filter(|line| *line.name == *name.node)
            .map(|line| line.points)
            .sum();
        wrong(
            points.span,
            &format!("the line `{}`", name.node),
            points.node,
            actual,
        );
    }
}
