//! Compares what a scenario expects with what is.

use std::collections::BTreeMap;

use super::document::{Expectation, Legal, Over, Score, StateItem, Written};
use super::moves::{event, matches, offered, read};
use super::sites::{Rows, Site, place_name, resolve, seat_name, seat_names, shown};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::play::{Audience, Event, Id, Match, Offer, PlaceView, Seat, Value, View};
use crate::source::{Span, Spanned};
use crate::syntax::document::Node;

/// Reports everything that is not as expected. `since` is the number of events before this moment
/// that an earlier expectation has looked at.
pub(super) fn check(
    played: &Match,
    expected: &Expectation,
    since: usize,
    failures: &mut Diagnostics,
) {
    let ruleset = played.ruleset();
    let rows = Rows::new(ruleset.package(), ruleset.players());
    if let Some(asked) = &expected.asked {
        let waiting = played.waiting();
        if waiting != asked.node {
            failures.push(differs(
                1011,
                asked.span,
                seat_names(&asked.node),
                seat_names(&waiting),
                "the wrong player is asked",
            ));
        }
    }
    let view = played.view(Audience::Referee);
    state(&view, &rows, &expected.state, failures);
    for (seat, items) in &expected.views {
        let audience = seat.node.map_or(Audience::Spectator, Audience::Seat);
        state(&played.view(audience), &rows, items, failures);
    }
    for (seat, legal) in &expected.legal {
        check_legal(played, seat, legal, failures);
    }
    if let Some(events) = &expected.events {
        check_events(played, &rows, events, since, failures);
    }
    if let Some(over) = &expected.over {
        check_over(played, over, failures);
    }
    for (seat, score) in &expected.scores {
        check_score(played, seat, score, failures);
    }
}

/// A failure: the expected and the actual side by side, at the place that says what is expected.
fn differs(code: u16, span: Span, expected: String, actual: String, message: &str) -> Diagnostic {
    Diagnostic::error(code, span, message).label(format!("expected {expected}, found {actual}"))
}

/// Compares places, counters and markers of a view.
fn state(view: &View, rows: &Rows<'_>, items: &[StateItem], failures: &mut Diagnostics) {
    for item in items {
        resolve(view, item, failures, &mut |site, node, _, failures| {
            let name = place_name(site.place());
            let wrong = format!("`{name}` is not as expected");
            let hidden = node.plain() == Some("hidden");
            match site {
                Site::Place(place) => check_place(place, rows, node, &wrong, failures),
                Site::Counter(_, value) if hidden || value.is_none() => {
                    secret(node, hidden, value, &wrong, failures)
                }
                Site::Counter(_, value) => {
                    let Some(expected) = node.int("a number", failures) else {
                        return;
                    };
                    if Some(expected.node) != value {
                        let actual = value.map(|n| n.to_string()).unwrap_or_default();
                        failures.push(differs(
                            1010,
                            node.span,
                            expected.node.to_string(),
                            actual,
                            &wrong,
                        ));
                    }
                }
                Site::Marker(_, value) if hidden || value.is_none() => {
                    secret(node, hidden, value.map(shown), &wrong, failures);
                }
                Site::Marker(_, value) => {
                    let Some(expected) = rows.value(node, failures) else {
                        return;
                    };
                    if Some(&expected) != value {
                        let actual = value.map(shown).unwrap_or_default();
                        failures.push(differs(1010, node.span, shown(&expected), actual, &wrong));
                    }
                }
            }
        });
    }
}

/// Compares what may be hidden with whether it is.
fn secret<T: ToString>(
    node: &Node,
    hidden: bool,
    value: Option<T>,
    wrong: &str,
    failures: &mut Diagnostics,
) {
    let actual = value.map_or_else(|| "hidden".to_owned(), |value| value.to_string());
    if !hidden || actual != "hidden" {
        let expected = node.scalar().unwrap_or("something seen").to_owned();
        failures.push(differs(1010, node.span, expected, actual, wrong));
    }
}

fn check_place(
    place: &PlaceView,
    rows: &Rows<'_>,
    node: &Node,
    wrong: &str,
    failures: &mut Diagnostics,
) {
    let size = || {
        place
            .size
            .map_or("hidden".to_owned(), |size| size.to_string())
    };
    if node.plain() == Some("uncounted") {
        // Neither what lies there nor how much.
        if let Some(size) = place.size {
            failures.push(differs(
                1010,
                node.span,
                "uncounted".to_owned(),
                size.to_string(),
                wrong,
            ));
        }
        return;
    }
    if node.plain() == Some("hidden") {
        if let Some(contents) = &place.contents {
            failures.push(differs(
                1010,
                node.span,
                "hidden".to_owned(),
                runs(contents),
                wrong,
            ));
        }
        return;
    }
    if node.scalar().is_some() {
        // One number: how many pieces lie there, whatever they are.
        let Some(expected) = node.int("a number of pieces, or numbers by kind", failures) else {
            return;
        };
        if place.size.map(i64::from) != Some(expected.node) {
            failures.push(differs(
                1010,
                node.span,
                expected.node.to_string(),
                size(),
                wrong,
            ));
        }
        return;
    }
    let Some(contents) = &place.contents else {
        failures.push(differs(
            1010,
            node.span,
            "something seen".to_owned(),
            "hidden".to_owned(),
            wrong,
        ));
        return;
    };
    if node.items().is_some() {
        let Some(mut expected) = rows.order(&place.table, node, failures) else {
            return;
        };
        let mut actual: Vec<Id> = contents
            .iter()
            .flat_map(|(row, n)| std::iter::repeat_n(row.clone(), *n as usize))
            .collect();
        // Only the pieces of a pile have an order.
        if !place.pile {
            expected.sort();
            actual.sort();
        }
        if actual != expected {
            failures.push(differs(
                1010,
                node.span,
                list(&expected),
                list(&actual),
                wrong,
            ));
        }
        return;
    }
    let mut counts: BTreeMap<&Id, u32> = BTreeMap::new();
    for (row, count) in contents {
        *counts.entry(row).or_default() += count;
    }
    for (row, expected) in rows.counts(&place.table, node, failures) {
        let actual = counts.get(&row).copied().unwrap_or(0);
        if actual != expected.node {
            let wrong = format!(
                "the number of `{row}` in `{}` is not as expected",
                place_name(&place.place)
            );
            failures.push(differs(
                1010,
                expected.span,
                expected.node.to_string(),
                actual.to_string(),
                &wrong,
            ));
        }
    }
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

fn check_legal(played: &Match, seat: &Spanned<Seat>, legal: &Legal, failures: &mut Diagnostics) {
    let Some(question) = played.question(seat.node) else {
        let waiting = seat_names(&played.waiting());
        failures.push(differs(
            1015,
            seat.span,
            seat_name(seat.node),
            waiting,
            "this player is not asked",
        ));
        return;
    };
    let offers = &question.offers;
    // A move without its open arguments stands for all of them; one with them must be legal itself.
    let is_legal = |written: &Written, failures: &mut Diagnostics| -> Option<(bool, Vec<bool>)> {
        let mv = read(played, seat.node, written, failures)?;
        let fits: Vec<bool> = offers.iter().map(|offer| matches(offer, &mv)).collect();
        let open = offers
            .iter()
            .zip(&fits)
            .filter(|(_, fits)| **fits)
            .any(|(offer, _)| {
                offer
                    .open
                    .iter()
                    .any(|open| mv.args.iter().any(|(name, _)| *name == open.name))
            });
        let legal = fits.contains(&true) && (!open || played.check(seat.node, &mv).is_ok());
        Some((legal, fits))
    };
    for written in &legal.includes {
        if let Some((false, _)) = is_legal(written, failures) {
            failures.push(
                Diagnostic::error(
                    1015,
                    written.span(),
                    format!("this move of {} is not legal", seat_name(seat.node)),
                )
                .label("expected to be legal")
                .note(format!("legal are\n{}", lines(offers))),
            );
        }
    }
    for written in &legal.excludes {
        if let Some((true, _)) = is_legal(written, failures) {
            failures.push(
                Diagnostic::error(
                    1015,
                    written.span(),
                    format!("this move of {} is legal", seat_name(seat.node)),
                )
                .label("expected not to be legal"),
            );
        }
    }
    let Some(exactly) = &legal.exactly else {
        return;
    };
    let mut met = vec![false; offers.len()];
    let mut missing = Vec::new();
    for written in &exactly.node {
        let Some((legal, fits)) = is_legal(written, failures) else {
            return;
        };
        if !legal {
            missing.push(written.span());
        }
        for (met, fits) in met.iter_mut().zip(fits) {
            *met |= fits;
        }
    }
    let unexpected: Vec<&Offer> = offers
        .iter()
        .zip(&met)
        .filter(|(_, met)| !**met)
        .map(|(offer, _)| offer)
        .collect();
    if missing.is_empty() && unexpected.is_empty() {
        return;
    }
    let mut failure = Diagnostic::error(
        1015,
        missing.first().copied().unwrap_or(seat.span),
        format!(
            "the legal moves of {} are not exactly these",
            seat_name(seat.node)
        ),
    );
    if missing.is_empty() {
        failure = failure.label("more is legal than is listed");
    } else {
        failure = failure.label("not legal");
        for span in &missing[1..] {
            failure = failure.also(*span, "not legal");
        }
    }
    if !unexpected.is_empty() {
        failure = failure.note(format!(
            "legal too, but not expected, are\n{}",
            lines(unexpected)
        ));
    }
    failures.push(failure);
}

/// Offers, each on a line.
fn lines<'o>(offers: impl IntoIterator<Item = &'o Offer>) -> String {
    offers
        .into_iter()
        .map(|offer| format!("- {}", offered(offer)))
        .collect::<Vec<_>>()
        .join("\n")
}

fn check_events(
    played: &Match,
    rows: &Rows<'_>,
    expected: &[Written],
    since: usize,
    failures: &mut Diagnostics,
) {
    let raised: Vec<(Id, Vec<(Id, Value)>)> = played
        .events(Audience::Referee, since)
        .into_iter()
        .filter_map(|event| match event {
            Event::Raised { event, args } => Some((event, args)),
            _ => None,
        })
        .collect();
    let mut rest = &raised[..];
    for written in expected {
        let mut wanted = Vec::new();
        for pair in &written.args {
            let Some(value) = rows.value(&pair.value, failures) else {
                return;
            };
            wanted.push((&pair.key.node, value));
        }
        let found = rest.iter().position(|(name, args)| {
            **name == *written.name.node
                && wanted.iter().all(|(key, value)| {
                    args.iter()
                        .any(|(name, arg)| **name == ***key && arg == value)
                })
        });
        match found {
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
                failures.push(
                    Diagnostic::error(
                        1016,
                        written.span(),
                        "this was not raised, or not in this order",
                    )
                    .note(note),
                );
                return;
            }
        }
    }
}

fn check_over(played: &Match, over: &Over, failures: &mut Diagnostics) {
    let outcome = played.outcome();
    let said = |ended: bool| {
        if ended {
            "a game that is over"
        } else {
            "a game that goes on"
        }
    };
    let Some(outcome) = outcome.as_ref().filter(|_| over.ended) else {
        if over.ended != outcome.is_some() {
            let (expected, actual) = (
                said(over.ended).to_owned(),
                said(outcome.is_some()).to_owned(),
            );
            failures.push(differs(
                1018,
                over.span,
                expected,
                actual,
                "the end is not as expected",
            ));
        }
        return;
    };
    if let Some(ending) = &over.ending
        && *outcome.ending != *ending.node
    {
        let (expected, actual) = (
            format!("`{}`", ending.node),
            format!("`{}`", outcome.ending),
        );
        failures.push(differs(
            1018,
            ending.span,
            expected,
            actual,
            "the game has ended otherwise",
        ));
    }
    if let Some(winners) = &over.winners
        && outcome.winners != winners.node
    {
        let (expected, actual) = (seat_names(&winners.node), seat_names(&outcome.winners));
        failures.push(differs(
            1018,
            winners.span,
            expected,
            actual,
            "somebody else has won",
        ));
    }
}

fn check_score(played: &Match, seat: &Spanned<Seat>, score: &Score, failures: &mut Diagnostics) {
    let Some(outcome) = played.outcome() else {
        failures.push(Diagnostic::error(
            1017,
            seat.span,
            "there is no score yet: the game is not over",
        ));
        return;
    };
    let Some(sheet) = outcome.scores.iter().find(|sheet| sheet.seat == seat.node) else {
        return;
    };
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
            let message = format!("{what} of {} is not as expected", seat_name(seat.node));
            let failure = differs(
                1017,
                span,
                expected.to_string(),
                actual.to_string(),
                &message,
            );
            failures.push(failure.note(note.clone()));
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
