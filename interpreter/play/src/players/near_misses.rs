//! Moves that are nearly legal: what somebody tries who has nearly understood.
//!
//! In: a ruleset, and random words. Out: at each question of a game moves that differ from a legal one in one respect. Most
//! are not legal, but some are: whoever wants to know asks the match.

use std::sync::Arc;

use super::greedy::CONSIDERED;
use crate::api::{Id, Move, Seat, Value};
use crate::machine::open::below;
use crate::machine::{Fault, Ruleset};
use crate::matches::one_match::{ApplyError, Match};
use crate::numbers::Fit as _;
use crate::program::model::{DomainModel, Model, MoveModel, ParamModel};
use crate::program::tree::Ty;
use crate::state::Seed;

type Random<'a> = &'a mut dyn FnMut() -> u64;

/// In what a move differs from a legal one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Missed {
    /// One argument is another.
    Argument,
    /// It is legal at the next question.
    Early,
    /// It is somebody else's.
    Seat,
}

/// A move that is nearly legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss {
    /// Who makes it.
    pub seat: Seat,
    /// The move.
    pub mv: Move,
    /// In what it differs from a legal one.
    pub missed: Missed,
}

/// Plays a game, by random moves or greedy ones, and shows at each question, forced ones too, near misses: one of the next
/// question, one of another seat, and so many with another argument. It goes on until it is over, so many moves were made,
/// or nobody wants to be shown more.
///
/// # Errors
/// A fault of the ruleset.
pub fn near_misses(
    ruleset: &Arc<Ruleset>,
    seed: Seed,
    greedy: bool,
    (moves, arguments): (usize, usize),
    random: Random<'_>,
    look: &mut dyn FnMut(&Match, &NearMiss) -> bool,
) -> Result<(), Fault> {
    let mut played = Match::new(ruleset.clone(), seed, true)?.drawing();
    for _ in 0..moves {
        let Some(seat) = played.quickest(random) else {
            break;
        };
        let chosen = match greedy {
            true => played.greedy(seat, CONSIDERED, random),
            false => played.sample(seat, random),
        };
        let Some(chosen) = chosen else { break };
        let mut next = played.clone();
        match next.apply(seat, &chosen) {
            Ok(()) => {}
            Err(ApplyError::Fault(fault)) => return Err(fault),
            Err(ApplyError::Refused(_)) => break,
        }
        let mut all = Vec::new();
        if let Some(seat) = next.quickest(random)
            && let Some(mv) = next.sample(seat, random)
        {
            let missed = Missed::Early;
            all.push(NearMiss { seat, mv, missed });
        }
        let others = ruleset.players() - 1;
        if others > 0 {
            let after = 1 + below(u32::from(others), random);
            let seat = Seat(((u32::from(seat.0) + after) % u32::from(ruleset.players())).fit());
            let (mv, missed) = (chosen.clone(), Missed::Seat);
            all.push(NearMiss { seat, mv, missed });
        }
        for _ in 0..arguments {
            let Some(legal) = played.sample(seat, random) else {
                break;
            };
            if let Some(mv) = otherwise(&played, &legal, random) {
                let missed = Missed::Argument;
                all.push(NearMiss { seat, mv, missed });
            }
        }
        if !all.iter().all(|near| look(&played, near)) {
            break;
        }
        played = next;
    }
    Ok(())
}

/// A move of the open question with one argument changed; none if it has none.
fn otherwise(played: &Match, legal: &Move, random: Random<'_>) -> Option<Move> {
    let model = played.ruleset().model();
    let step = played.asking_step()?;
    let ask = model.asks.iter().find(|ask| ask.step == step)?;
    let mut moves = ask.moves.iter().map(|mv| &model.moves[*mv]);
    let mv: &MoveModel = moves.find(|mv| mv.name == legal.name)?;
    if mv.params.is_empty() {
        return None;
    }
    let param = &mv.params[below(mv.params.len(), random)];
    let given = legal.args.iter().find(|(name, _)| *name == param.name);
    let changed = other_value(model, param, given.map(|(_, value)| value), random)?;
    let mut args = Vec::new();
    for other in &mv.params {
        let value = match other.name == param.name {
            true => Some(&changed),
            false => {
                let given = legal.args.iter().find(|(name, _)| *name == other.name);
                given.map(|(_, value)| value)
            }
        };
        args.extend(value.map(|value| (other.name.clone(), value.clone())));
    }
    let name = legal.name.clone();
    Some(Move { name, args })
}

/// Another value for a parameter, near to one that is given; none if there is none.
fn other_value(
    model: &Model,
    param: &ParamModel,
    given: Option<&Value>,
    random: Random<'_>,
) -> Option<Value> {
    match (&param.domain, given) {
        (DomainModel::Bag { table, .. }, given) => {
            let table = &model.tables[*table];
            let counts = match given {
                Some(Value::Bag { counts, .. }) => counts.clone(),
                _ => Vec::new(),
            };
            let count = |row: &Id| {
                let known = counts.iter().find(|(name, _)| name == row);
                known.map_or(0, |(_, count)| *count)
            };
            let rows = table.rows.iter();
            let mut all: Vec<(Id, u32)> = rows.map(|row| (row.clone(), count(row))).collect();
            let there: Vec<usize> = (0..all.len()).filter(|row| all[*row].1 > 0).collect();
            let turn = below(3, random);
            if turn > 0 && !there.is_empty() {
                all[there[below(there.len(), random)]].1 -= 1;
            }
            if turn < 2 || there.is_empty() {
                // Pieces of which there are some are mostly the ones to choose from.
                let more = match turn == 0 && !there.is_empty() {
                    true => there[below(there.len(), random)],
                    false => below(all.len(), random),
                };
                all[more].1 += 1;
            }
            all.retain(|(_, count)| *count > 0);
            Some(Value::Bag {
                table: table.name.clone(),
                counts: all,
            })
        }
        (DomainModel::Spread(_), Some(Value::Spread(shares))) if !shares.is_empty() => {
            let mut shares = shares.clone();
            let from = below(shares.len(), random);
            let to = below(shares.len(), random);
            match to == from {
                true => shares[from].count += 1,
                false => {
                    shares[from].count -= 1;
                    shares[to].count += 1;
                }
            }
            shares.retain(|share| share.count > 0);
            Some(Value::Spread(shares))
        }
        (DomainModel::Spread(_), _) => None,
        _ => other_of(model, &param.ty, given, random),
    }
}

fn other_of(model: &Model, ty: &Ty, given: Option<&Value>, random: Random<'_>) -> Option<Value> {
    let nothing = Value::None;
    let given = given.unwrap_or(&nothing);
    let other = match ty {
        Ty::Int => {
            let number = match given {
                Value::Int(number) => *number,
                _ => 0,
            };
            let by = match below(4, random) {
                0 => 2 + below(12_i64, random),
                1 => -1,
                _ => 1,
            };
            Value::Int(number + by)
        }
        Ty::Bool => Value::Bool(*given != Value::Bool(true)),
        Ty::Player => Value::Player(Seat(below(u32::from(model.players), random).fit())),
        Ty::Row(table) => {
            let table = &model.tables[*table];
            Value::Row {
                table: table.name.clone(),
                row: table
                    .rows
                    .get(below(table.rows.len().max(1), random))?
                    .clone(),
            }
        }
        Ty::Option(inner) => match *given == Value::None || below(3, random) > 0 {
            true => other_of(model, inner, Some(given), random)?,
            false => Value::None,
        },
        _ => return None,
    };
    (other != *given).then_some(other)
}
