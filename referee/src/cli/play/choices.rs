//! The legal moves of a question, numbered.

use interpreter::play::{Id, Match, Move, Offer, OpenDomain, OpenParameter, Seat, Value};

use referee_report::event_lines::EventLines;
use referee_report::words::Words;
use referee_store::numbers::to_usize;

/// Offers with at most so many completions are listed move by move.
const FEW: u128 = 6;

/// Numbered moves.
pub struct Choices {
    /// The seat that is asked.
    pub seat: Seat,
    /// The step that asks.
    pub step: Id,
    /// The clause of the step.
    pub cite: Option<Id>,
    /// What is offered, in the order of the question.
    pub offers: Vec<Offer>,
    /// The numbered lines.
    pub entries: Vec<Entry>,
}

/// A numbered line.
pub enum Entry {
    /// A move of which nothing remains to be chosen.
    Move(Move),
    /// An offer, by its number, of which something does.
    Open(usize),
}

impl Choices {
    /// Numbers the moves that a seat may make.
    pub fn new(game: &Match, seat: Seat) -> Choices {
        let question = game.question(seat);
        let (step, cite, offers) = match question {
            Some(question) => (question.step, question.cite, question.offers),
            None => (Id::from(""), None, Vec::new()),
        };
        let counts = offers.iter().map(|offer| offer.completions);
        let few = counts.map(|count| count.filter(|count| *count <= FEW));
        let few: Option<u128> = few.sum();
        let mut entries = Vec::new();
        // The engine lists moves in the order of the offers.
        let mut listed = Vec::new();
        if let Some(few) = few {
            listed = game.legal_moves(seat, to_usize(few));
        }
        if listed.is_empty() {
            for (i, offer) in offers.iter().enumerate() {
                entries.push(match offer.open.is_empty() {
                    true => Entry::Move(in_order(game, seat, offer, offer.fixed.clone())),
                    false => Entry::Open(i),
                });
            }
        } else {
            entries.extend(listed.into_iter().map(Entry::Move));
        }
        Choices {
            seat,
            step,
            cite,
            offers,
            entries,
        }
    }

    /// Each move in words, with what it costs and brings.
    pub(super) fn lines(&self, game: &Match, words: &Words<'_>) -> Vec<(String, String)> {
        let lines = EventLines::new(words, game.ruleset().model());
        let line = |entry: &Entry| match entry {
            Entry::Move(mv) => (
                words.made(&self.step, mv),
                lines.effect(game, self.seat, mv),
            ),
            Entry::Open(offer) => {
                let offer = &self.offers[*offer];
                let open: Vec<&str> = offer.open.iter().map(|open| &*open.name).collect();
                let limits: Vec<String> = offer.open.iter().map(|o| limits(words, o)).collect();
                (
                    words.offered(&self.step, &offer.name, &offer.fixed, &open),
                    limits.join("; "),
                )
            }
        };
        self.entries.iter().map(line).collect()
    }
}

/// `1–4 of 3 Corn, 2 Sugar`
fn limits(words: &Words<'_>, open: &OpenParameter) -> String {
    match &open.domain {
        OpenDomain::Amount { from, to, .. } => {
            format!("{} {from}–{to}", words.param(&open.name))
        }
        OpenDomain::Values(values) => {
            format!("{}: {}", words.param(&open.name), words.values(values))
        }
        OpenDomain::Bag {
            table,
            available,
            size: (least, most),
            ..
        } => {
            let available =
                words.counts(available.iter().map(|(row, n)| (table, row, i64::from(*n))));
            let size = match least == most {
                true => least.to_string(),
                false => format!("{least}–{most}"),
            };
            format!("{size}: {available}")
        }
        OpenDomain::Spread { pieces, over, .. } => {
            let pieces = words.counts(
                pieces
                    .iter()
                    .map(|(row, n)| (&row.table, &row.row, i64::from(*n))),
            );
            format!("{pieces} → {} …", over.len())
        }
    }
}

/// A move with its arguments in the order of the parameters.
pub(super) fn in_order(game: &Match, seat: Seat, offer: &Offer, args: Vec<(Id, Value)>) -> Move {
    let model = game.ruleset().model();
    let step = game.question(seat).map(|question| question.step);
    let ask = model
        .asks
        .iter()
        .find(|ask| Some(&ask.step) == step.as_ref());
    let mv = ask
        .into_iter()
        .flat_map(|ask| &ask.moves)
        .map(|mv| &model.moves[*mv])
        .find(|mv| mv.name == offer.name);
    let mut args = args;
    if let Some(mv) = mv {
        let place = |name: &Id| mv.params.iter().position(|param| param.name == *name);
        args.sort_by_key(|(name, _)| place(name));
    }
    Move {
        name: offer.name.clone(),
        args,
    }
}
