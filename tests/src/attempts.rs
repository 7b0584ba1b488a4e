//! Well-formed moves, legal or not: what a client might submit.
//!
//! Nothing here asks the engine what is legal. Values come from the types of parameters alone, so
//! that a move which the engine forgets to list is tried all the same.

use interpreter::play::{Id, Move, OpenDomain, PlaceRef, Question, RowRef, Seat, Share, Value};
use interpreter::program::model::{DomainModel, Model, MoveModel, ParamModel};
use interpreter::program::tree::Ty;

use crate::random::Random;

/// Numbers that are tried where a move names a number.
const NUMBERS: std::ops::RangeInclusive<i64> = -1..=5;

/// Every well-formed move of a question if there are at most `most` of one name, else so many at random.
pub fn attempts(model: &Model, question: &Question, most: u64, random: &mut Random) -> Vec<Move> {
    let ask = model
        .asks
        .iter()
        .find(|ask| ask.step == question.step)
        .expect("questions have their step");
    let mut all = Vec::new();
    for mv in ask.moves.iter().map(|m| &model.moves[*m]) {
        let values: Vec<Vec<Value>> = mv
            .params
            .iter()
            .map(|param| values(model, question, mv, param, random))
            .collect();
        let combinations = values.iter().map(|v| v.len() as u64).product::<u64>();
        for n in 0..combinations.min(most) {
            let mut i = if combinations > most {
                random.below(combinations)
            } else {
                n
            };
            let mut args = Vec::new();
            for (param, values) in mv.params.iter().zip(&values) {
                let n = values.len() as u64;
                args.push((param.name.clone(), values[(i % n) as usize].clone()));
                i /= n;
            }
            all.push(Move {
                name: mv.name.clone(),
                args,
            });
        }
    }
    all
}

/// Values of a parameter's type: all there are, or some of a bag or a spread.
fn values(
    model: &Model,
    question: &Question,
    mv: &MoveModel,
    param: &ParamModel,
    random: &mut Random,
) -> Vec<Value> {
    match &param.domain {
        DomainModel::Upto(_) | DomainModel::OptionUpto(_) => of_type(model, &param.ty),
        // What is there now is filled in.
        DomainModel::Same { .. } => Vec::new(),
        DomainModel::Range(..) | DomainModel::Amount { .. } => NUMBERS.map(Value::Int).collect(),
        DomainModel::Bag { table, .. } => {
            let table = &model.tables[*table];
            let bag = |random: &mut Random| Value::Bag {
                table: table.name.clone(),
                counts: some(&table.rows, random),
            };
            (0..12).map(|_| bag(random)).collect()
        }
        DomainModel::Spread(_) => {
            let domain = question.offers.iter().filter(|o| o.name == mv.name);
            let mut open = domain.flat_map(|o| &o.open);
            match open.find(|o| o.name == param.name).map(|o| &o.domain) {
                Some(OpenDomain::Spread {
                    pieces,
                    over,
                    overflow,
                }) => (0..30)
                    .map(|_| spread(pieces, over, overflow, random))
                    .collect(),
                _ => vec![Value::Spread(Vec::new())],
            }
        }
    }
}

fn of_type(model: &Model, ty: &Ty) -> Vec<Value> {
    match ty {
        Ty::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Ty::Player => (0..model.players).map(|s| Value::Player(Seat(s))).collect(),
        Ty::Row(table) => {
            let table = &model.tables[*table];
            let row = |row: &Id| Value::Row {
                table: table.name.clone(),
                row: row.clone(),
            };
            table.rows.iter().map(row).collect()
        }
        Ty::Option(inner) => {
            let mut all = vec![Value::None];
            all.extend(of_type(model, inner));
            all
        }
        other => panic!("a parameter of type {other:?}"),
    }
}

/// Some pieces of up to three rows, in the order of the rows.
fn some(rows: &[Id], random: &mut Random) -> Vec<(Id, u32)> {
    let mut counts = vec![0; rows.len()];
    for _ in 0..random.below(4) {
        counts[random.below(rows.len() as u64) as usize] += 1 + random.below(2) as u32;
    }
    let counted = rows.iter().cloned().zip(counts);
    counted.filter(|(_, n)| *n > 0).collect()
}

/// Every piece thrown somewhere, mostly where there is room; now and then one is lost or found.
fn spread(
    pieces: &[(RowRef, u32)],
    over: &[(PlaceRef, u32)],
    overflow: &PlaceRef,
    random: &mut Random,
) -> Value {
    let mut room: Vec<u32> = over.iter().map(|(_, room)| *room).collect();
    let mut counts = vec![vec![0u32; pieces.len()]; over.len() + 1];
    for (row, (_, n)) in pieces.iter().enumerate() {
        let n = match random.below(12) {
            0 => n + 1,
            1 => n - 1,
            _ => *n,
        };
        for _ in 0..n {
            let free: Vec<usize> = (0..over.len()).filter(|i| room[*i] > 0).collect();
            let reckless = random.below(20) == 0 && !over.is_empty();
            let at = if reckless {
                random.below(over.len() as u64 + 1) as usize
            } else if free.is_empty() {
                over.len()
            } else {
                *random.pick(&free)
            };
            if let Some(room) = room.get_mut(at) {
                *room = room.saturating_sub(1);
            }
            counts[at][row] += 1;
        }
    }
    let places = over.iter().map(|(place, _)| place).chain([overflow]);
    let mut shares = Vec::new();
    for (place, counts) in places.zip(counts) {
        for ((row, _), count) in pieces.iter().zip(counts) {
            if count > 0 {
                shares.push(Share {
                    place: place.clone(),
                    row: row.clone(),
                    count,
                });
            }
        }
    }
    Value::Spread(shares)
}
