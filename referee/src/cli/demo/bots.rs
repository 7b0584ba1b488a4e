//! The bots: clients that play by chance, and now and then try what is not allowed.

use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tonic::Status;

use super::words::Words;
use referee_contract::client::{Chooser, Chooses, refusal};
use referee_contract::v1::{self, value::Kind};

/// Something that a bot tried although it was not offered, and what the referee answered.
pub struct Attempt {
    /// The bot's seat.
    pub seat: u32,
    /// How many moves the bot had made before.
    pub after: u64,
    /// The step that asked.
    pub step: String,
    /// The move.
    pub mv: v1::Move,
    /// The refusal.
    pub refusal: v1::Refusal,
}

/// What a bot tries once in a match.
pub enum Dare {
    /// At a step, a move with a row that no offer names.
    OutOfReach {
        /// The step.
        step: String,
        /// The move.
        mv: String,
        /// Its first parameter, and the table of that.
        parameter: String,
        /// See `parameter`.
        table: String,
        /// The rows of the table.
        rows: Vec<String>,
    },
    /// At a step, to pass where that is not offered.
    ForbiddenPass(String),
}

impl Dare {
    /// To name a row that is not offered, if a move of the step begins with one.
    pub fn out_of_reach(step: &str, words: &Words) -> Option<Dare> {
        words.moves_of(step).find_map(|mv| {
            let parameter = mv.parameters.first()?;
            let table = match &parameter.r#type {
                Some(ty) if ty.kind() == v1::TypeKind::Row => &ty.of,
                _ => return None,
            };
            let rows: Vec<String> = words.rows_of(table).map(|row| row.id.clone()).collect();
            (!rows.is_empty()).then(|| Dare::OutOfReach {
                step: step.to_owned(),
                mv: mv.name.clone(),
                parameter: parameter.name.clone(),
                table: table.clone(),
                rows,
            })
        })
    }

    /// The move to try, if this is the question for it.
    fn tried(&self, decision: &v1::Decision, offers: &[v1::Offer]) -> Option<v1::Move> {
        match self {
            Dare::ForbiddenPass(step) => {
                let offered = offers.iter().any(|offer| offer.name == "pass");
                (*step == decision.step && !offered).then(|| v1::Move {
                    name: "pass".into(),
                    arguments: Vec::new(),
                })
            }
            Dare::OutOfReach {
                step,
                mv,
                parameter,
                table,
                rows,
            } => {
                if *step != decision.step {
                    return None;
                }
                let row = rows.iter().rev().find(|row| !names(offers, row))?;
                let row = v1::RowRef {
                    table: table.clone(),
                    row: row.clone(),
                };
                let argument = v1::Argument {
                    name: parameter.clone(),
                    value: Some(v1::Value {
                        kind: Some(Kind::Row(row)),
                    }),
                };
                Some(v1::Move {
                    name: mv.clone(),
                    arguments: vec![argument],
                })
            }
        }
    }
}

/// Whether one of these offers names a row.
fn names(offers: &[v1::Offer], row: &str) -> bool {
    let mut fixed = offers.iter().flat_map(|offer| &offer.fixed);
    fixed.any(|argument| {
        let value = argument.value.as_ref();
        matches!(value.and_then(|v| v.kind.as_ref()), Some(Kind::Row(r)) if r.row == *row)
    })
}

/// A client that plays by chance.
pub struct Bot {
    seat: u32,
    chance: Chooser,
    dare: Option<Dare>,
    /// How long it thinks.
    pause: Duration,
    /// How many it has made.
    moves: u64,
    attempts: UnboundedSender<Attempt>,
}

impl Bot {
    /// A bot for a seat.
    pub fn new(
        seat: u32,
        seed: u64,
        dare: Option<Dare>,
        pause: Duration,
        attempts: UnboundedSender<Attempt>,
    ) -> Bot {
        Bot {
            seat,
            chance: Chooser::new(seed),
            moves: 0,
            dare,
            pause,
            attempts,
        }
    }
}

impl Chooses for Bot {
    fn pause(&self) -> Duration {
        self.pause
    }

    fn choose(&mut self, decision: &v1::Decision, offers: &[v1::Offer]) -> v1::Move {
        self.moves += 1;
        self.chance.choose(decision, offers)
    }

    fn dare(&mut self, decision: &v1::Decision, offers: &[v1::Offer]) -> Option<v1::Move> {
        self.dare.as_ref()?.tried(decision, offers)
    }

    fn dared(&mut self, decision: &v1::Decision, mv: v1::Move, status: &Status) {
        let Some(refusal) = refusal(status) else {
            return;
        };
        // Once is enough.
        self.dare = None;
        let attempt = Attempt {
            seat: self.seat,
            after: self.moves,
            step: decision.step.clone(),
            mv,
            refusal,
        };
        // If nobody listens any more, nobody is told.
        let _ = self.attempts.send(attempt);
    }
}
