//! Why a move is not legal: the clause, the condition, what it compared, what could be done instead.

use std::collections::BTreeMap;

use interpreter::package::Language;
use interpreter::play::{
    ApplyError, Id, Match, Move, OpenDomain, Refusal, RefusalReason, Seat, Value,
};
use interpreter::program::model::{DomainModel, Model, ParamModel};
use interpreter::program::tree::Ty;

use super::choices::{Choices, Entry};
use super::reading::{meant, no_such_move};
use referee_library::record::seat_name;
use referee_report::words::Words;

/// Ways to complete a move in words that are tried.
const WAYS: usize = 400;

/// Explains a move in words, or by its number.
pub fn why_not(
    game: &Match,
    seat: Seat,
    choices: &Choices,
    words: &Words<'_>,
    text: &str,
) -> Vec<String> {
    let polish = words.language() == Language::Polish;
    let say = |en: &str, pl: &str| if polish { pl } else { en }.to_owned();
    if let Ok(number) = text.trim().parse::<usize>() {
        let entry = number.checked_sub(1).and_then(|i| choices.entries.get(i));
        return vec![match entry {
            Some(Entry::Move(_) | Entry::Open(_)) => {
                format!(
                    "{} {number}.",
                    say("It is legal: move", "Jest dozwolony: ruch")
                )
            }
            None => no_such_move(choices, words.language()),
        }];
    }
    if text.trim().is_empty() {
        return vec![say(
            "Name a move: `why not build wharf`.",
            "Nazwij ruch: `czemu nie build wharf`.",
        )];
    }
    let meant = match meant(game, choices, words, text) {
        Ok(meant) => meant,
        Err(why) => return vec![why],
    };
    let model = game.ruleset().model();
    let mut legal: Vec<Move> = Vec::new();
    let mut refused: BTreeMap<(Option<String>, String), (Refusal, Move, usize)> = BTreeMap::new();
    for mv in ways(
        model,
        &meant.mv.params,
        &meant.mv.name,
        &[meant.args, meant.open].concat(),
        choices,
    ) {
        match game.check(seat, &mv) {
            // Of a condition that faults making the move says more.
            Ok(()) | Err(ApplyError::Fault(_)) => legal.push(mv),
            Err(ApplyError::Refused(refusal)) => {
                let clause = refusal.clause.as_ref().map(|clause| clause.to_string());
                let condition = refusal.condition.clone().unwrap_or_default();
                let known = refused.entry((clause, condition));
                known
                    .and_modify(|(_, _, n)| *n += 1)
                    .or_insert((*refusal, mv, 1));
            }
        }
    }
    let mut lines = Vec::new();
    for mv in legal.iter().take(3) {
        let text = say("This is legal:", "To jest dozwolone:");
        lines.push(format!("{text} {}", words.made(&choices.step, mv)));
    }
    let several = refused.values().map(|(.., n)| n).sum::<usize>() > 1;
    for (why, mv, n) in refused.values() {
        if several {
            let made = words.made(&choices.step, mv);
            lines.push(match n {
                1 => format!("{made}:"),
                n => format!(
                    "{made} ({} {}):",
                    say("and so refused:", "tak samo odrzuconych:"),
                    n
                ),
            });
        }
        lines.extend(refusal(game, seat, words, why));
    }
    lines
}

/// Moves of a name with what was said, and everything that was not.
fn ways(
    model: &Model,
    params: &[ParamModel],
    name: &Id,
    said: &[(Id, Value)],
    choices: &Choices,
) -> Vec<Move> {
    let mut all: Vec<Vec<(Id, Value)>> = vec![Vec::new()];
    for param in params {
        let is_said = said.iter().any(|(name, _)| *name == param.name);
        // What must be repeated is what is there, if it is left out.
        if matches!(param.domain, DomainModel::Same { .. }) && !is_said {
            continue;
        }
        let values = match said.iter().find(|(name, _)| *name == param.name) {
            Some((_, value)) => vec![value.clone()],
            None => values(model, &param.ty, param, choices),
        };
        let mut next = Vec::new();
        for args in &all {
            for value in &values {
                let mut args = args.clone();
                args.push((param.name.clone(), value.clone()));
                next.push(args);
            }
        }
        next.truncate(WAYS);
        all = next;
    }
    all.into_iter()
        .map(|args| Move {
            name: name.clone(),
            args,
        })
        .collect()
}

fn values(model: &Model, ty: &Ty, param: &ParamModel, choices: &Choices) -> Vec<Value> {
    match ty {
        Ty::Bool => vec![Value::Bool(false)],
        Ty::Player => (0..model.players)
            .map(|seat| Value::Player(Seat(seat)))
            .collect(),
        Ty::Row(table) => {
            let table = &model.tables[*table];
            let row = |row: &Id| Value::Row {
                table: table.name.clone(),
                row: row.clone(),
            };
            table.rows.iter().map(row).collect()
        }
        Ty::Option(_) => vec![Value::None],
        Ty::Int => (0..=6).map(Value::Int).collect(),
        Ty::Bag(table) => {
            // What would be chosen where it is offered; else nothing.
            let offered = choices.offers.iter().flat_map(|offer| &offer.open);
            let counts =
                offered
                    .filter(|open| open.name == param.name)
                    .find_map(|open| match &open.domain {
                        OpenDomain::Bag {
                            available, size, ..
                        } => {
                            let mut left = size.0;
                            let take = available.iter().map(|(row, n)| {
                                let n = (*n).min(left);
                                left -= n;
                                (row.clone(), n)
                            });
                            Some(take.filter(|(_, n)| *n > 0).collect())
                        }
                        _ => None,
                    });
            vec![Value::Bag {
                table: model.tables[*table].name.clone(),
                counts: counts.unwrap_or_default(),
            }]
        }
        Ty::Spread => vec![Value::Spread(Vec::new())],
        Ty::None | Ty::Unit | Ty::Record(_) => vec![Value::None],
    }
}

/// A refusal in words.
pub(super) fn refusal(
    game: &Match,
    seat: Seat,
    words: &Words<'_>,
    refusal: &Refusal,
) -> Vec<String> {
    let polish = words.language() == Language::Polish;
    let say = |en: &str, pl: &str| if polish { pl } else { en }.to_owned();
    let mut lines = Vec::new();
    let kind = match refusal.reason {
        RefusalReason::MatchOver => say("The match is over.", "Partia jest skończona."),
        RefusalReason::NotAsked => format!(
            "{} {}.",
            seat_name(seat),
            say("is not asked", "nie ma teraz ruchu")
        ),
        RefusalReason::UnknownMove => {
            say("There is no such move here.", "Nie ma tu takiego ruchu.")
        }
        RefusalReason::MalformedArgument => say(
            "Something is missing or of the wrong kind.",
            "Czegoś brakuje albo jest niewłaściwego rodzaju.",
        ),
        RefusalReason::Forbidden => say("A rule forbids it.", "Zabrania tego zasada."),
    };
    // A clause says what forbids the move; of a move that is not asked for it says only when it would be.
    if refusal.clause.is_none() || refusal.reason != RefusalReason::Forbidden {
        lines.push(format!("  {kind}"));
    }
    if let Some(clause) = &refusal.clause {
        lines.push(format!(
            "  @{clause} {}",
            words.clause(clause).unwrap_or_default()
        ));
    }
    if let Some(limit) = &refusal.limit {
        lines.push(format!("  {}", words.limit(limit)));
    }
    let values = refusal.values.iter();
    let values: Vec<String> = values.filter_map(|value| words.reading(value)).collect();
    if !values.is_empty() {
        lines.push(format!("  {} {}", say("now:", "teraz:"), values.join(", ")));
    }
    // As the rules write it only where there are no words for it.
    if let (None, None, true) = (&refusal.clause, &refusal.limit, values.is_empty())
        && let Some(condition) = &refusal.condition
    {
        lines.push(format!("  {} {condition}", say("needs", "wymaga:")));
    }
    let step = game.question(seat).map(|question| question.step);
    if let Some(step) = step
        && !refusal.alternatives.is_empty()
    {
        let instead: Vec<String> = refusal
            .alternatives
            .iter()
            .take(3)
            .map(|mv| words.made(&step, mv))
            .collect();
        lines.push(format!(
            "  {} {}",
            say("instead:", "zamiast tego:"),
            instead.join("; ")
        ));
    }
    lines
}
