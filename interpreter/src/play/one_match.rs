//! One match: a game with its history.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::api::*;
use super::chance::Seed;
use super::choices::{Open, open_domain};
use super::game::{Choice, Forced, Game, OfferRow};
use super::legal::{default, possible, standing};
use super::log::Raw;
use super::open::AmountDomain;
use super::project;
use super::ruleset::{Digest, Ruleset};
use super::table::Reader;
use super::trail::Trail;
use super::vm::{REGISTERS, Trouble};
use crate::check::explain;
use crate::check::ir::NONE;
use crate::check::model::{Answers, DomainModel, MoveModel, ParamModel, control};
use crate::package::Configuration;

/// One play of a ruleset.
#[derive(Clone, Debug)]
pub struct Match {
    game: Game,
    moves: Trail<RecordedMove>,
    /// What happened, as far as the game has given it here; the rest is in its log.
    past: Trail<Raw>,
}

/// Why a move was not applied.
#[derive(Clone, Debug)]
pub enum ApplyError {
    /// The rules forbid it.
    Refused(Box<Refusal>),
    /// The ruleset is faulty; the match is as it was before the move.
    Fault(Fault),
}

/// A fault of the ruleset while playing: overflow, division by zero, exhausted fuel, a broken bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub message: String,
    /// Where: `path:line:column`.
    pub at: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {}", self.message, self.at)
    }
}

impl std::error::Error for Fault {}

/// What a match needs to be played again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The ruleset's id.
    pub ruleset: String,
    /// Its digest.
    pub digest: Digest,
    /// The configuration.
    pub configuration: Configuration,
    /// The seed.
    pub seed: Seed,
    /// Every move, in order.
    pub moves: Vec<RecordedMove>,
}

/// A move in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedMove {
    /// Who moved.
    pub seat: Seat,
    /// The step that asked.
    pub step: Id,
    /// The move.
    pub mv: Move,
    /// Whether the player or the referee made it.
    pub origin: Origin,
}

impl Ruleset {
    pub(crate) fn fault(&self, trouble: Trouble) -> Fault {
        let at = match self.program.spans.get(trouble.op as usize) {
            Some(span) => format!(
                "{}:{}",
                self.sources().file(span.file).path,
                self.sources().line_column(*span)
            ),
            None => "the phase graph".to_owned(),
        };
        Fault {
            message: trouble.kind.message().to_owned(),
            at,
        }
    }
}

impl Match {
    /// Sets up the table and plays on to the first question. Forced moves (a question with one legal
    /// move) are made by the match itself and recorded with [`Origin::Forced`] unless `ask_forced`.
    ///
    /// # Errors
    /// A fault of the ruleset before the first question.
    pub fn new(ruleset: Arc<Ruleset>, seed: Seed, ask_forced: bool) -> Result<Match, Fault> {
        Self::begin(ruleset, seed, ask_forced, false)
    }

    /// As [`new`](Self::new), but remembers which clauses' rules ran; for a traced ruleset.
    pub fn traced(ruleset: Arc<Ruleset>, seed: Seed) -> Result<Match, Fault> {
        Self::begin(ruleset, seed, false, true)
    }

    fn begin(
        ruleset: Arc<Ruleset>,
        seed: Seed,
        ask_forced: bool,
        traced: bool,
    ) -> Result<Match, Fault> {
        let mut game = Game::new(ruleset, seed, ask_forced, true);
        if traced {
            game.seen = Some(vec![false; game.ruleset.model.clauses.len()]);
        }
        game.advance().map_err(|t| game.ruleset.fault(t))?;
        Ok(Match::of(game))
    }

    fn of(game: Game) -> Match {
        let mut new = Match {
            game,
            moves: Trail::default(),
            past: Trail::default(),
        };
        new.rest();
        new
    }

    /// Plays on from a staged position.
    pub(super) fn staged(mut game: Game) -> Result<Match, Fault> {
        game.set_ask_forced(false)
            .map_err(|t| game.ruleset.fault(t))?;
        Ok(Match::of(game))
    }

    /// Plays a record again.
    ///
    /// # Errors
    /// Names the first move that differs.
    pub fn replay(ruleset: Arc<Ruleset>, record: &Record) -> Result<Match, String> {
        if ruleset.digest() != record.digest {
            return Err(format!(
                "the record is of the ruleset {}, not of {}",
                record.digest,
                ruleset.digest()
            ));
        }
        // Every move is in the record, forced ones too, so that replay does not depend on who made them.
        let mut played = Self::new(ruleset, record.seed, true).map_err(|f| f.to_string())?;
        for (i, recorded) in record.moves.iter().enumerate() {
            let wrong = |why: String| format!("move {}: {why}", i + 1);
            match played.game.asking_step() {
                Some(step) if step == recorded.step => {}
                Some(step) => return Err(wrong(format!("`{step}` asks, not `{}`", recorded.step))),
                None => return Err(wrong("the match is over".to_owned())),
            }
            played
                .make(recorded.seat, &recorded.mv, recorded.origin)
                .map_err(|e| wrong(format!("{e:?}")))?;
        }
        Ok(played)
    }

    /// From now on the referee makes forced moves (or, if `ask`, asks for them too).
    pub fn set_ask_forced(&mut self, ask: bool) -> Result<(), Fault> {
        self.game
            .set_ask_forced(ask)
            .map_err(|t| self.game.ruleset.fault(t))?;
        self.rest();
        Ok(())
    }

    /// After the game has played on: keeps what happened where copies share it.
    fn rest(&mut self) {
        self.record_forced();
        if let Some(log) = &mut self.game.log {
            self.past.extend(log.drain(..));
            log.shrink_to(0);
        }
        self.game.rest();
    }

    fn record_forced(&mut self) {
        for forced in std::mem::take(&mut self.game.forced) {
            let Forced {
                seat,
                ask,
                choice,
                plan,
            } = forced;
            let mv = self.game.ruleset.move_of(&choice, &plan);
            let step = self.game.ruleset.model.asks[ask as usize].step.clone();
            self.moves.push(RecordedMove {
                seat: Seat(seat),
                step,
                mv,
                origin: Origin::Forced,
            });
        }
    }

    /// The ruleset.
    pub fn ruleset(&self) -> &Arc<Ruleset> {
        &self.game.ruleset
    }

    /// The game without its history: for look-ahead.
    pub fn game(&self) -> &Game {
        &self.game
    }

    #[cfg(feature = "oracle")]
    pub(crate) fn game_mut(&mut self) -> &mut Game {
        &mut self.game
    }

    /// The outcome, once the match is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game
            .has_ended()
            .then(|| project::outcome(&self.game.ruleset, &self.game.position.cells))
    }

    /// The seats that are asked something; empty when the match is over.
    pub fn waiting(&self) -> Vec<Seat> {
        self.game.seats().into_iter().map(Seat).collect()
    }

    /// Finds the legal moves of the waiting question again, from the state alone: for measuring what that
    /// costs. Nothing else changes.
    ///
    /// # Errors
    ///
    /// When a condition faults; then the question could not be asked in the first place.
    pub fn look_again(&mut self) -> Result<(), Fault> {
        let found = self.game.refresh();
        found.map_err(|trouble| self.game.ruleset.fault(trouble))
    }

    /// What this seat is asked.
    pub fn question(&self, seat: Seat) -> Option<Question> {
        if let Some(turned) = self.turned(seat) {
            return turned.question(seat);
        }
        let ask = self.game.ask()?;
        if self.game.seat() != Some(seat.0) {
            return None;
        }
        let ruleset = &self.game.ruleset;
        let model = &ruleset.model.asks[ask];
        let offers: Vec<Offer> = self
            .game
            .offers
            .iter()
            .map(|o| self.offer(*o, seat))
            .collect();
        Some(Question {
            number: self.number(ask, seat, &offers),
            seat,
            step: model.step.clone(),
            cite: ruleset.clause(model.cite),
            offers,
        })
    }

    /// The number of what this seat is asked: that of its [`question`](Self::question), without making it
    /// where the number does not depend on what is offered.
    pub fn question_number(&self, seat: Seat) -> Option<u64> {
        let ask = self.game.ask()?;
        match &self.game.ruleset.model.asks[ask].several {
            Some(several) if several.until != Answers::All => Some(self.question(seat)?.number),
            _ if self.game.seats().contains(&seat.0) => Some(self.number(ask, seat, &[])),
            _ => None,
        }
    }

    /// This match with the machine turned to another seat that is asked.
    fn turned(&self, seat: Seat) -> Option<Match> {
        if self.game.seat() == Some(seat.0) || !self.game.seats().contains(&seat.0) {
            return None;
        }
        let mut other = self.clone();
        other.game.turn_to(seat.0).ok()?;
        Some(other)
    }

    /// The number of the question that waits for a seat: answers of others to the same question leave it as
    /// it is, unless they change what this seat can answer.
    fn number(&self, ask: usize, seat: Seat, offers: &[Offer]) -> u64 {
        let model = &self.game.ruleset.model.asks[ask];
        let made = self.moves.len();
        match &model.several {
            None => made as u64 + 1,
            Some(several) if several.until == Answers::All => {
                let others = self.moves.iter().rev();
                let others = others.take_while(|m| m.step == model.step && m.seat != seat);
                (made - others.count()) as u64 + 1
            }
            Some(several) => {
                // Whoever thinks while others bargain is not interrupted by what does not concern them.
                let mut hasher = DefaultHasher::new();
                let changes = self.game.cell(several.changes);
                (self.opened(ask, changes), offers).hash(&mut hasher);
                hasher.finish()
            }
        }
    }

    /// How many moves were made when a question was put that so many answers have not closed.
    fn opened(&self, ask: usize, changes: i32) -> usize {
        let model = &self.game.ruleset.model;
        let asked = &model.asks[ask];
        let keeps_asking = |made: &RecordedMove| {
            let mut moves = asked.moves.iter().map(|mv| &model.moves[*mv]);
            moves.any(|mv| mv.name == made.mv.name && mv.free)
        };
        let mut left = changes;
        let mut opened = self.moves.len();
        for made in self.moves.iter().rev() {
            if left == 0 || made.step != asked.step {
                break;
            }
            opened -= 1;
            left -= i32::from(!keeps_asking(made));
        }
        opened
    }

    fn offer(&self, row: OfferRow, seat: Seat) -> Offer {
        let ruleset = &self.game.ruleset;
        let model = &ruleset.model.moves[row.mv as usize];
        let args = self.game.offer_args(row);
        let mut fixed = Vec::new();
        let mut open = Vec::new();
        for param in &model.params {
            let at = param.register as usize - 1;
            let given = &args[at..at + param.len as usize];
            let offered = self.is_offered(model, at, seat, args);
            if !param.is_open() {
                let absent = param.is_left_out() && given[0] == default(&param.ty);
                if !absent || offered {
                    fixed.push((param.name.clone(), ruleset.whole(&param.ty, given)));
                }
                continue;
            }
            // Whether it is offered at all may depend on what else is chosen.
            if !offered && !param.depends {
                continue;
            }
            let mut registers = self.registers(seat, args);
            let mut eyes = Reader::new(ruleset, &self.game.position.cells);
            if let Ok(Some(domain)) = open_domain(&mut eyes, param, &mut registers) {
                let choice = Choice {
                    mv: row.mv,
                    args: args.to_vec(),
                };
                let plan = self.game.plan_of(&choice, i32::from(seat.0));
                let plan = plan.unwrap_or_default();
                open.push(OpenParameter {
                    name: param.name.clone(),
                    domain: self.open(domain, param, &plan, seat, args),
                    depends: param.depends,
                });
            }
        }
        Offer {
            name: model.name.clone(),
            cite: ruleset.clause(model.cite),
            fixed,
            open,
            completions: row.completions,
            free: model.free,
        }
    }

    fn is_offered(&self, model: &MoveModel, at: usize, seat: Seat, args: &[i64]) -> bool {
        let Some(param) = model.params.iter().find(|p| p.register as usize == at + 1) else {
            return false;
        };
        let Some(when) = param.when else { return true };
        let mut registers = self.registers(seat, args);
        super::table::read(
            &self.game.ruleset,
            &self.game.position.cells,
            &mut registers,
            when,
        )
        .unwrap_or(0)
            != 0
    }

    fn registers(&self, seat: Seat, args: &[i64]) -> Vec<i64> {
        let mut registers = vec![0; REGISTERS / 8];
        registers[0] = i64::from(seat.0);
        registers[1..1 + args.len()].copy_from_slice(args);
        registers
    }

    fn open(
        &self,
        open: Open,
        param: &ParamModel,
        plan: &[u32],
        seat: Seat,
        args: &[i64],
    ) -> OpenDomain {
        let ruleset = &self.game.ruleset;
        match (open, &param.domain) {
            (Open::Amount(AmountDomain { from, to, step }), _) => {
                OpenDomain::Amount { from, to, step }
            }
            (Open::Values(from, to), _) => {
                let values = (from..to).map(|n| ruleset.value(&param.ty, n));
                OpenDomain::Values(values.collect())
            }
            (Open::Bag(bag), DomainModel::Bag { table, .. }) => {
                let model = &ruleset.model.tables[*table];
                let all: u32 = bag.available.iter().sum();
                let available = model
                    .rows
                    .iter()
                    .zip(&bag.available)
                    .filter(|(_, n)| **n > 0);
                OpenDomain::Bag {
                    table: model.name.clone(),
                    available: available.map(|(r, n)| (r.clone(), *n)).collect(),
                    size: (bag.least, bag.most.min(all)),
                    loose_beyond: bag.loose_beyond,
                    kinds: bag.kinds,
                }
            }
            (Open::Spread(spread), DomainModel::Spread(s)) => {
                let model = &ruleset.model.spreads[*s];
                let mut registers = self.registers(seat, args);
                let cells = &self.game.position.cells;
                let overflow = super::table::read(ruleset, cells, &mut registers, model.overflow)
                    .unwrap_or(0) as u32;
                let pieces = spread.pieces.iter().enumerate().filter(|(_, n)| **n > 0);
                let rooms = plan
                    .iter()
                    .zip(&spread.rooms)
                    .filter(|(_, room)| **room > 0);
                OpenDomain::Spread {
                    pieces: pieces
                        .map(|(row, n)| (ruleset.row_ref(model.table, row), *n))
                        .collect(),
                    over: rooms
                        .map(|(cell, room)| (ruleset.place_at(*cell), *room))
                        .collect(),
                    overflow: ruleset.place_at(overflow),
                }
            }
            (Open::Bag(_) | Open::Spread(_) | Open::Nothing(_), _) => OpenDomain::Bag {
                table: Id::from(""),
                available: Vec::new(),
                size: (0, 0),
                loose_beyond: None,
                kinds: None,
            },
        }
    }

    /// Whether a move is legal now; changes nothing.
    ///
    /// # Errors
    /// The refusal, with the clause that forbids the move.
    pub fn check(&self, seat: Seat, mv: &Move) -> Result<(), Refusal> {
        if let Some(turned) = self.turned(seat) {
            return turned.check(seat, mv);
        }
        match self.choice(seat, mv) {
            Ok(_) => Ok(()),
            Err(ApplyError::Refused(refusal)) => Err(*refusal),
            // A faulty condition forbids nothing; making the move says what is wrong.
            Err(ApplyError::Fault(_)) => Ok(()),
        }
    }

    /// Makes a move and plays on to the next question. Atomic: on an error nothing has changed.
    ///
    /// # Errors
    /// A refusal, or a fault of the ruleset.
    pub fn apply(&mut self, seat: Seat, mv: &Move) -> Result<(), ApplyError> {
        self.make(seat, mv, Origin::Player)
    }

    fn make(&mut self, seat: Seat, mv: &Move, origin: Origin) -> Result<(), ApplyError> {
        if let Some(turned) = self.turned(seat) {
            turned.choice(seat, mv)?;
            self.game
                .turn_to(seat.0)
                .map_err(|t| ApplyError::Fault(self.game.ruleset.fault(t)))?;
        }
        let (number, choice) = self.read(seat, mv)?;
        // Clauses are noted whose rules are carried out, not those that are looked at.
        let seen = self.game.seen.take();
        let legal = self.game.is_legal(&choice, i64::from(seat.0));
        self.game.seen = seen;
        self.judged(seat, number, &choice, legal)?;
        let step = self.game.asking_step().unwrap_or_else(|| Id::from(""));
        let plan = self
            .game
            .plan_of(&choice, i32::from(seat.0))
            .unwrap_or_default();
        let canonical = self.game.ruleset.move_of(&choice, &plan);
        self.game
            .play(&choice, origin)
            .map_err(|t| ApplyError::Fault(self.game.ruleset.fault(t)))?;
        self.moves.push(RecordedMove {
            seat,
            step,
            mv: canonical,
            origin,
        });
        self.rest();
        Ok(())
    }

    /// A submitted move as the machine's choice, if it is legal.
    fn choice(&self, seat: Seat, mv: &Move) -> Result<Choice, ApplyError> {
        let (number, choice) = self.read(seat, mv)?;
        // Legality needs scratch registers; a fork of the game is one copy of the state.
        let legal = self.game.fork().is_legal(&choice, i64::from(seat.0));
        self.judged(seat, number, &choice, legal)?;
        Ok(choice)
    }

    fn judged(
        &self,
        seat: Seat,
        number: usize,
        choice: &Choice,
        legal: Result<bool, Trouble>,
    ) -> Result<(), ApplyError> {
        match legal {
            Ok(true) => Ok(()),
            Ok(false) => {
                let refusal = self.refusal(seat, number, choice);
                Err(ApplyError::Refused(Box::new(refusal)))
            }
            Err(trouble) => Err(ApplyError::Fault(self.game.ruleset.fault(trouble))),
        }
    }

    /// A submitted move as the machine's choice, legal or not, and the number of its kind.
    fn read(&self, seat: Seat, mv: &Move) -> Result<(usize, Choice), ApplyError> {
        let refused = |refusal| ApplyError::Refused(Box::new(refusal));
        let bare = |reason, condition: Option<String>| Refusal {
            reason,
            clause: None,
            condition,
            values: Vec::new(),
            alternatives: Vec::new(),
        };
        let plain = |reason, condition| refused(bare(reason, condition));
        let ruleset = &self.game.ruleset;
        let Some(ask) = self.game.ask() else {
            return Err(plain(RefusalReason::MatchOver, None));
        };
        if self.game.seat() != Some(seat.0) {
            return Err(plain(RefusalReason::NotAsked, None));
        }
        let moves = &ruleset.model.asks[ask].moves;
        let Some(&number) = moves
            .iter()
            .find(|m| ruleset.model.moves[**m].name == mv.name)
        else {
            let mut refusal = bare(RefusalReason::UnknownMove, None);
            refusal.alternatives = self.alternatives(None);
            return Err(refused(refusal));
        };
        let model = &ruleset.model.moves[number];
        let blank = Choice {
            mv: number as u32,
            args: vec![0; model.registers as usize - 1],
        };
        let plan = self
            .game
            .plan_of(&blank, i32::from(seat.0))
            .unwrap_or_default();
        let args = match ruleset.arguments(model, mv, &plan) {
            Ok(args) => args,
            Err(why) => return Err(plain(RefusalReason::MalformedArgument, Some(why))),
        };
        let args = self.with_what_is_there(seat, model, mv, args);
        let choice = Choice {
            mv: number as u32,
            args,
        };
        Ok((number, choice))
    }

    /// The arguments of a move, what must be repeated filled in where the move leaves it out.
    fn with_what_is_there(
        &self,
        seat: Seat,
        model: &MoveModel,
        mv: &Move,
        mut args: Vec<i64>,
    ) -> Vec<i64> {
        for param in &model.params {
            let given = mv.args.iter().any(|(name, _)| *name == param.name);
            if let (DomainModel::Same { cells, optional }, false) = (&param.domain, given) {
                let mut registers = self.registers(seat, &args);
                let mut eyes = Reader::new(&self.game.ruleset, &self.game.position.cells);
                let there = standing(&mut eyes, *cells, *optional, param.len, &mut registers);
                if let Ok(Some(there)) = there {
                    let at = param.register as usize - 1;
                    args[at..at + there.len()].copy_from_slice(&there);
                }
            }
        }
        args
    }

    /// Why a well-formed move is not legal.
    fn refusal(&self, seat: Seat, number: usize, choice: &Choice) -> Refusal {
        let ruleset = &self.game.ruleset;
        let model = &ruleset.model.moves[number];
        // Where the move has no clause of its own, that of the question.
        let asked = self.game.ask().and_then(|ask| ruleset.model.asks[ask].cite);
        let mut refusal = Refusal {
            reason: RefusalReason::Forbidden,
            clause: ruleset.clause(model.cite.or(asked)),
            condition: None,
            values: Vec::new(),
            alternatives: self.alternatives(Some(choice)),
        };
        if let Some((base, Some(phase))) = model.once
            && self.game.cell(base + u32::from(seat.0)) != 0
        {
            refusal.condition = Some(format!("once per {}", ruleset.model.phases[phase].name));
            return refusal;
        }
        if let Some((changes, most)) = model.bounded
            && let mut registers = self.registers(seat, &[])
            && let Ok(most) =
                super::table::read(ruleset, &self.game.position.cells, &mut registers, most)
            && i64::from(self.game.cell(changes)) >= most
        {
            refusal.condition = Some(format!("at most {most} changes"));
            let ask = self.game.ask().and_then(|a| ruleset.model.asks[a].cite);
            refusal.clause = ruleset.clause(ask).or(refusal.clause);
            return refusal;
        }
        let mut args = vec![i64::from(seat.0)];
        args.extend(&choice.args);
        let cells = &self.game.position.cells;
        let can = |mv: usize, seat: i64| {
            let mut registers = vec![0; REGISTERS / 8];
            possible(&mut Reader::new(ruleset, cells), mv, seat, &mut registers).unwrap_or(false)
        };
        let types = model.register_types();
        for need in &model.needs {
            let (value, trace) =
                explain::explain(&ruleset.model, cells, &can, need.condition, &args, &types);
            if value == Some(0) || value.is_none() {
                refusal.clause = ruleset
                    .clause(need.cite)
                    .or_else(|| trace.clauses.last().and_then(|c| ruleset.clause(Some(*c))))
                    .or(refusal.clause);
                refusal.condition = Some(ruleset.sources().text(need.span).to_owned());
                // The mover may not see what such a condition compares.
                if need.reveals {
                    return refusal;
                }
                refusal.values = trace
                    .values
                    .into_iter()
                    .map(|(span, value, ty)| {
                        let text = ruleset.sources().text(span).to_owned();
                        (text, ruleset.value(&ty, value))
                    })
                    .collect();
                return refusal;
            }
        }
        // No condition failed: an argument is outside of its domain.
        for param in &model.params {
            let at = param.register as usize - 1;
            let mut registers = self.registers(seat, &choice.args);
            let given = &choice.args[at..at + param.len as usize];
            let nothing = given[0] == default(&param.ty) && given[1..].iter().all(|n| *n == 0);
            let offered = self.is_offered(model, at, seat, &choice.args);
            let mut eyes = Reader::new(ruleset, cells);
            let mut bound = |f| eyes.read(&mut self.registers(seat, &choice.args), f);
            let outside = match &param.domain {
                DomainModel::Upto(n) => !(0..i64::from(*n)).contains(&given[0]),
                DomainModel::OptionUpto(n) => !(NONE..i64::from(*n)).contains(&given[0]),
                DomainModel::Range(from, to) => match (bound(*from), bound(*to)) {
                    (Ok(from), Ok(to)) => !(from..=to).contains(&given[0]),
                    _ => false,
                },
                _ => false,
            };
            let condition = match (&param.domain, open_domain(&mut eyes, param, &mut registers)) {
                _ if !offered && nothing => continue,
                _ if !offered => "this choice is not offered now",
                _ if outside => "this choice is outside of its limits",
                (DomainModel::Same { cells, optional }, _) => {
                    let len = param.len;
                    match standing(&mut eyes, *cells, *optional, len, &mut registers) {
                        Ok(there) if there.as_deref() != Some(given) => {
                            "this is not what is there now"
                        }
                        _ => continue,
                    }
                }
                (_, Ok(Some(open))) if !open.contains(given) => match open {
                    Open::Bag(_) => "this bag is outside of its limits",
                    Open::Spread(_) => "every piece must be placed while there is room",
                    _ => "this choice is outside of its limits",
                },
                _ => continue,
            };
            refusal.clause = ruleset.clause(param.cite).or(refusal.clause);
            refusal.condition = Some(format!("`{}`: {condition}", param.name));
            return refusal;
        }
        if let Ok(Some(promise)) = self.game.breaks(choice) {
            refusal.clause = ruleset.clause(promise.cite).or(refusal.clause);
            refusal.condition = Some(ruleset.sources().text(promise.span).to_owned());
        }
        refusal
    }

    /// Some legal moves, those nearest to a move first: of the same name, with the fewest other fixed
    /// arguments.
    fn alternatives(&self, near: Option<&Choice>) -> Vec<Move> {
        let mut rows: Vec<OfferRow> = self.game.offers.clone();
        rows.sort_by_cached_key(|row| match near {
            Some(near) if near.mv == row.mv => self.fixed_otherwise(row, near),
            _ => usize::MAX,
        });
        let mut out = Vec::new();
        for row in rows.into_iter().take(5) {
            let mut game = self.game.fork();
            let Ok(choice) = game.complete(row, &mut || 0) else {
                continue;
            };
            let seat = i32::from(self.game.seat().unwrap_or(0));
            let plan = self.game.plan_of(&choice, seat).unwrap_or_default();
            out.push(self.game.ruleset.move_of(&choice, &plan));
        }
        out
    }

    /// How many fixed parameters of a move differ between an offer and a choice.
    fn fixed_otherwise(&self, row: &OfferRow, choice: &Choice) -> usize {
        let offered = &self.game.arena[row.at as usize..][..row.len as usize];
        let params = &self.game.ruleset.model.moves[choice.mv as usize].params;
        let differs = |param: &&ParamModel| {
            let at = param.register as usize - 1;
            let registers = at..at + param.len as usize;
            !param.is_open() && offered.get(registers.clone()) != choice.args.get(registers)
        };
        params.iter().filter(differs).count()
    }

    /// Who plays next in a match that is played at random: of several seats that are asked, if whoever
    /// answers first may close the question, one at random; else the first.
    pub fn quickest(&self, random: &mut dyn FnMut() -> u64) -> Option<Seat> {
        self.game.quickest(random).map(Seat)
    }

    /// From now on moves are drawn as play-outs draw them ([`Game::drawing`]): questions that have a move
    /// whose choices are too many to count are not listed.
    #[must_use]
    pub fn drawing(mut self) -> Match {
        self.game = self.game.drawing();
        self
    }

    /// Draws a legal move: uniformly among offers, then uniformly among their completions.
    pub fn sample(&self, seat: Seat, random: &mut dyn FnMut() -> u64) -> Option<Move> {
        self.choose(seat, &mut |game| game.fork().sample(random).ok())
    }

    /// The move that is chosen for a seat that is asked, by its name.
    pub(super) fn choose(
        &self,
        seat: Seat,
        choice: &mut dyn FnMut(&Game) -> Option<Choice>,
    ) -> Option<Move> {
        if let Some(turned) = self.turned(seat) {
            return turned.choose(seat, choice);
        }
        if self.game.seat() != Some(seat.0) {
            return None;
        }
        let choice = choice(&self.game)?;
        let plan = self
            .game
            .plan_of(&choice, i32::from(seat.0))
            .unwrap_or_default();
        Some(self.game.ruleset.move_of(&choice, &plan))
    }

    /// Every legal move of the waiting question, with open parameters completed, at most `limit`.
    pub fn legal_moves(&self, seat: Seat, limit: usize) -> Vec<Move> {
        if let Some(turned) = self.turned(seat) {
            return turned.legal_moves(seat, limit);
        }
        if self.game.seat() != Some(seat.0) {
            return Vec::new();
        }
        let mut out = Vec::new();
        for row in &self.game.offers {
            let left = limit - out.len();
            if left == 0 {
                break;
            }
            let mut game = self.game.fork();
            let choices = match row.completions {
                Some(count) => {
                    let indices = 0..count.min(left as u128);
                    indices
                        .filter_map(|index| game.completion(*row, index).ok())
                        .collect()
                }
                None => game.complete_all(*row, left).unwrap_or_default(),
            };
            for choice in choices {
                let plan = self
                    .game
                    .plan_of(&choice, i32::from(seat.0))
                    .unwrap_or_default();
                out.push(self.game.ruleset.move_of(&choice, &plan));
            }
        }
        out
    }

    /// The table as this audience sees it.
    pub fn view(&self, audience: Audience) -> View {
        self.game.view(audience)
    }

    /// Everything that happened, as this audience sees it, from its event number `from` (from zero).
    pub fn events(&self, audience: Audience, from: usize) -> Vec<Event> {
        self.seen(audience, 0)
            .map(|(_, event)| event)
            .skip(from)
            .collect()
    }

    /// How many things have happened, whoever saw them.
    pub fn happened(&self) -> usize {
        self.past.len() + self.game.log.as_ref().map_or(0, Vec::len)
    }

    /// What this audience saw of the things that happened from the `from`th on (from zero), each with
    /// its place among them. Reading on from where one stopped costs nothing for what went before.
    pub fn seen(&self, audience: Audience, from: usize) -> impl Iterator<Item = (usize, Event)> {
        self.raw(from).filter_map(move |(at, raw)| {
            project::event(&self.game.ruleset, &self.game.position.cells, raw, audience)
                .map(|event| (at, event))
        })
    }

    /// How many of the things that happened from the `from`th on (from zero) this audience saw something of:
    /// as many as [`seen`](Self::seen) gives, without making any.
    pub fn seen_count(&self, audience: Audience, from: usize) -> usize {
        let ruleset = &self.game.ruleset;
        self.raw(from)
            .filter(|(_, raw)| project::is_seen(ruleset, raw, audience))
            .count()
    }

    fn raw(&self, from: usize) -> impl Iterator<Item = (usize, &Raw)> {
        let log = self.game.log.as_deref().unwrap_or(&[]);
        let log = log.get(from.saturating_sub(self.past.len())..);
        (from..).zip(self.past.from(from).chain(log.unwrap_or(&[])))
    }

    /// What is needed to play the match again.
    pub fn record(&self) -> Record {
        let rs = &self.game.ruleset;
        Record {
            ruleset: rs.package().id.node.clone(),
            digest: rs.digest(),
            configuration: rs.configuration().clone(),
            seed: self.game.position.seed,
            moves: self.moves.iter().cloned().collect(),
        }
    }

    /// Moves made so far, forced ones included.
    pub fn moves(&self) -> &Trail<RecordedMove> {
        &self.moves
    }

    /// A hash of the state; equal states have equal hashes.
    pub fn state_hash(&self) -> Digest {
        let cells = &self.game.position.cells;
        let mut bytes = Vec::with_capacity(cells.len() * 4);
        for (cell, at) in cells.iter().zip(0u32..) {
            // Whether forced moves are asked shows in nothing but the seat of a finished question.
            if at != control::SEAT {
                bytes.extend_from_slice(&cell.to_le_bytes());
            }
        }
        Digest(*blake3::hash(&bytes).as_bytes())
    }

    /// Clauses whose rules ran so far; only of a [`traced`](Self::traced) match.
    pub fn exercised(&self) -> Vec<Id> {
        let seen = self.game.seen.as_deref().unwrap_or(&[]);
        let clauses = self.game.ruleset.model.clauses.iter();
        clauses
            .zip(seen)
            .filter(|(_, seen)| **seen)
            .map(|(c, _)| c.clone())
            .collect()
    }

    /// Proves that no piece was lost and every place holds what it may.
    ///
    /// # Errors
    /// Says what is broken.
    pub fn verify(&self) -> Result<(), String> {
        self.game.verify()
    }
}
