//! The bots: clients that play by chance, and now and then try what is not allowed.

use std::collections::BTreeSet;

use tokio::sync::mpsc::UnboundedSender;
use tonic::Status;

use super::words::Words;
use crate::client::{Chooser, Chooses, refusal};
use crate::wire::v1::{self, value::Kind};

/// Something that a bot tried although it was not offered, and what the referee answered.
pub struct Attempt {
    /// The bot's seat.
    pub seat: u32,
    /// The step that asked.
    pub step: String,
    /// The move.
    pub mv: v1::Move,
    /// The refusal.
    pub refusal: v1::Refusal,
}

/// How often each kind of attempt is made in a match.
const ATTEMPTS: usize = 1;

/// What a step's moves could be, for finding one that is not offered.
struct Known {
    name: String,
    parameters: Vec<v1::Parameter>,
}

/// A client that plays by chance.
pub struct Bot {
    seat: u32,
    chance: Chooser,
    /// Moves by step, and rows by table.
    moves: Vec<(String, Known)>,
    rows: Vec<(String, Vec<String>)>,
    attempts: UnboundedSender<Attempt>,
    /// Clauses that it has been taught.
    taught: BTreeSet<String>,
}

impl Bot {
    /// A bot for a seat. The second seat tries what it cannot have, the third to pass where it must not.
    pub fn new(seat: u32, seed: u64, words: &Words, attempts: UnboundedSender<Attempt>) -> Bot {
        let steps = ["builder.building", "captain.loading"];
        let moves = steps.iter().flat_map(|step| {
            words.moves_of(step).map(|mv| {
                (
                    (*step).to_owned(),
                    Known {
                        name: mv.name.clone(),
                        parameters: mv.parameters.clone(),
                    },
                )
            })
        });
        let moves: Vec<(String, Known)> = moves.collect();
        let tables: BTreeSet<String> = moves
            .iter()
            .flat_map(|(_, mv)| mv.parameters.iter().map(|p| p.r#type.clone()))
            .collect();
        let rows = tables.into_iter().map(|table| {
            let rows = words.rows_of(&table).map(|row| row.id.clone()).collect();
            (table, rows)
        });
        let rows = rows.collect();
        Bot {
            seat,
            chance: Chooser::new(seed),
            moves,
            rows,
            attempts,
            taught: BTreeSet::new(),
        }
    }

    /// A row that a move of this name takes and that no offer names.
    fn out_of_reach(&self, decision: &v1::Decision, offers: &[v1::Offer]) -> Option<v1::Move> {
        let (_, known) = self.moves.iter().find(|(step, mv)| {
            *step == decision.step
                && mv
                    .parameters
                    .first()
                    .is_some_and(|p| self.rows.iter().any(|(t, _)| *t == p.r#type))
        })?;
        let parameter = known.parameters.first()?;
        let (table, rows) = self
            .rows
            .iter()
            .find(|(table, _)| *table == parameter.r#type)?;
        let offered = |row: &str| {
            offers
                .iter()
                .flat_map(|offer| &offer.fixed)
                .any(|argument| {
                    let kind = argument
                        .value
                        .as_ref()
                        .and_then(|value| value.kind.as_ref());
                    matches!(kind, Some(Kind::Row(r)) if r.row == *row)
                })
        };
        let row = rows.iter().rev().find(|row| !offered(row))?;
        let value = v1::Value {
            kind: Some(Kind::Row(v1::RowRef {
                table: table.clone(),
                row: row.clone(),
            })),
        };
        let argument = v1::Argument {
            name: parameter.name.clone(),
            value: Some(value),
        };
        Some(v1::Move {
            name: known.name.clone(),
            arguments: vec![argument],
        })
    }

    /// A pass that the step knows and that is not offered.
    fn forbidden_pass(&self, decision: &v1::Decision, offers: &[v1::Offer]) -> Option<v1::Move> {
        let known = self
            .moves
            .iter()
            .any(|(step, mv)| *step == decision.step && mv.name == "pass");
        let offered = offers.iter().any(|offer| offer.name == "pass");
        (known && !offered).then(|| v1::Move {
            name: "pass".into(),
            arguments: Vec::new(),
        })
    }
}

impl Chooses for Bot {
    fn choose(&mut self, decision: &v1::Decision, offers: &[v1::Offer]) -> v1::Move {
        self.chance.choose(decision, offers)
    }

    fn dare(&mut self, decision: &v1::Decision, offers: &[v1::Offer]) -> Option<v1::Move> {
        if self.taught.len() >= ATTEMPTS {
            return None;
        }
        match self.seat {
            2 if decision.step == "builder.building" => self.out_of_reach(decision, offers),
            3 => self.forbidden_pass(decision, offers),
            _ => None,
        }
    }

    fn dared(&mut self, decision: &v1::Decision, mv: v1::Move, status: &Status) {
        let Some(refusal) = refusal(status) else {
            return;
        };
        self.taught.insert(
            refusal
                .clause
                .as_ref()
                .map(|clause| clause.id.clone())
                .unwrap_or_default(),
        );
        let attempt = Attempt {
            seat: self.seat,
            step: decision.step.clone(),
            mv,
            refusal,
        };
        // If nobody listens any more, nobody is told.
        let _ = self.attempts.send(attempt);
    }
}
