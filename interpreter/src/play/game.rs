//! The machine: walks the phase graph, enumerates legal moves, makes them.
//!
//! A [`Game`] is a position and what is needed to play on from it. The position is one flat array of
//! cells and the seed, so that a look-ahead is one copy. Everything that a client sees is made
//! elsewhere; here everything is a number.

use std::sync::Arc;

use super::api::Origin;
use super::asking::Asked;
use super::chance::Seed;
use super::legal::{
    Open, completed, completions, default, each_fixed, numbers, open_domain, publicly_possible,
};
use super::log::Raw;
use super::one_match::Fault;
use super::open::below;
use super::ruleset::Ruleset;
use super::table::{Cache, Reader, Table, read};
use super::vm::{FUEL, REGISTERS, Trouble, TroubleKind, run};
use crate::check::ir::{FuncId, NONE};
use crate::check::model::{DomainModel, control, index_values};
use crate::compile::graph::{NOWHERE, NodeKind};

/// Steps of the machine between two questions.
const STEPS: u32 = 100_000;

/// A position: everything that distinguishes one moment of a match from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub(crate) cells: Box<[i32]>,
    pub(crate) seed: Seed,
}

/// A legal move with its fixed arguments; in the arena of [`Game`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfferRow {
    pub mv: u32,
    /// Its registers after the seat, in the arena.
    pub at: u32,
    pub len: u16,
    pub completions: u128,
}

/// A move with every argument: what the machine executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub mv: u32,
    /// Registers after the seat.
    pub args: Vec<i64>,
}

/// A move that the referee made.
#[derive(Clone, Debug)]
pub(crate) struct Forced {
    pub seat: u8,
    pub ask: u32,
    pub choice: Choice,
    /// First cells of the places of its spreads, as they were when it was made.
    pub plan: Vec<u32>,
}

/// A game under way, without history.
#[derive(Clone, Debug)]
pub struct Game {
    pub(crate) ruleset: Arc<Ruleset>,
    pub(crate) position: Position,
    pub(crate) offers: Vec<OfferRow>,
    pub(crate) arena: Vec<i64>,
    pub(super) registers: Vec<i64>,
    /// A question with one legal move is asked too.
    pub(super) ask_forced: bool,
    /// Everything that happens is logged, and moves that fault are undone.
    pub(crate) log: Option<Vec<Raw>>,
    /// Clauses whose rules ran; only with a traced ruleset.
    pub(crate) seen: Option<Vec<bool>>,
    /// Moves that the referee made since somebody looked.
    pub(crate) forced: Vec<Forced>,
    pub(super) raised: Vec<super::table::Raised>,
    /// Events under way, the innermost last.
    pub(super) agenda: Vec<super::follow::Following>,
    cache: Cache,
    /// What effects wrote since the endings were last looked at.
    pub(super) written: u64,
    /// What effects wrote since the watches were last looked at.
    pub(super) unwatched: u64,
    /// Seats that are asked, if the question is one to several.
    pub(super) waiting: Vec<u8>,
    /// Play rests when the phase that was staged is over, instead of having no way on.
    pub(crate) rests: bool,
}

/// The value of [`control::OVER`] of a game that rests: nobody is asked, and it has not ended.
const RESTS: i64 = -1;

impl Game {
    /// A game before its first step. With `logged`, events are kept and faulty moves undone.
    pub fn new(ruleset: Arc<Ruleset>, seed: Seed, ask_forced: bool, logged: bool) -> Game {
        let cells = ruleset.initial.clone().into_boxed_slice();
        Game {
            position: Position { cells, seed },
            offers: Vec::new(),
            arena: Vec::new(),
            registers: vec![0; REGISTERS],
            ask_forced,
            log: logged.then(Vec::new),
            seen: None,
            forced: Vec::new(),
            raised: Vec::new(),
            // Everything is new to the endings.
            written: u64::MAX,
            unwatched: 0,
            agenda: Vec::new(),
            waiting: Vec::new(),
            cache: Cache::default(),
            rests: false,
            ruleset,
        }
    }

    /// The ruleset.
    pub fn ruleset(&self) -> &Arc<Ruleset> {
        &self.ruleset
    }

    pub(crate) fn cell(&self, cell: u32) -> i32 {
        self.position.cells[cell as usize]
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        self.cell(control::OVER) != 0
    }

    /// Whether the match has ended, so that it has an outcome; a staged one may only rest.
    pub(crate) fn has_ended(&self) -> bool {
        self.cell(control::OVER) > 0
    }

    /// Looks at every ending again: somebody has written to the cells by hand.
    pub(crate) fn everything_is_new(&mut self) {
        self.written = u64::MAX;
    }

    /// The seat that is asked, unless the match is over.
    pub fn seat(&self) -> Option<u8> {
        (!self.is_over()).then(|| self.cell(control::SEAT) as u8)
    }

    /// The question that waits.
    pub(crate) fn ask(&self) -> Option<usize> {
        match self
            .ruleset
            .nodes
            .get(self.cell(control::NODE) as usize)
            .map(|n| &n.kind)
        {
            Some(NodeKind::Ask(ask)) if !self.is_over() => Some(*ask),
            _ => None,
        }
    }

    pub(super) fn pure(&mut self, function: FuncId) -> Result<i64, Trouble> {
        let mut fuel = FUEL;
        let mut world = Reader {
            ruleset: &self.ruleset,
            cells: &self.position.cells,
            seen: self.seen.as_mut(),
            cache: None,
        };
        run(
            &self.ruleset.program,
            &mut world,
            &mut self.registers,
            function,
            &mut fuel,
        )
    }

    fn watch(&mut self) -> Result<(), Trouble> {
        let mut table = Table {
            ruleset: &self.ruleset,
            cells: &mut self.position.cells,
            seed: &self.position.seed,
            log: self.log.as_mut(),
            seen: self.seen.as_mut(),
            raised: &mut self.raised,
            written: std::mem::take(&mut self.written),
        };
        table.watch(&mut self.registers)
    }

    pub(super) fn set(&mut self, cell: u32, value: i64) {
        self.position.cells[cell as usize] = value as i32;
    }

    fn goto(&mut self, node: u32) -> Result<(), Trouble> {
        if node == NOWHERE {
            return Err(Trouble {
                kind: TroubleKind::NoWayOn,
                op: 0,
            });
        }
        self.set(control::NODE, i64::from(node));
        Ok(())
    }

    fn push(&mut self, back: u32) -> Result<(), Trouble> {
        let depth = self.cell(control::DEPTH) as u32;
        if depth >= control::FRAMES {
            return Err(Trouble {
                kind: TroubleKind::TooDeep,
                op: 0,
            });
        }
        self.set(control::STACK + depth, i64::from(back));
        self.set(control::DEPTH, i64::from(depth) + 1);
        Ok(())
    }

    fn say(&mut self, raw: Raw) {
        if let Some(log) = &mut self.log {
            log.push(raw);
        }
    }

    /// Plays on to the next question, or to the end.
    pub(crate) fn advance(&mut self) -> Result<(), Trouble> {
        let ruleset = self.ruleset.clone();
        let players = i64::from(ruleset.model.players);
        for _ in 0..STEPS {
            if self.is_over() {
                return Ok(());
            }
            self.trace_node(self.cell(control::NODE) as usize);
            let node = &ruleset.nodes[self.cell(control::NODE) as usize];
            let next = match &node.kind {
                NodeKind::Begin => {
                    let phase = &ruleset.model.phases[node.phase as usize];
                    for (base, len, value) in &phase.resets {
                        self.position.cells[*base as usize..(base + len) as usize].fill(*value);
                    }
                    if self.log.is_some() {
                        let args = phase
                            .params
                            .iter()
                            .map(|p| i64::from(self.cell(p.base)))
                            .collect();
                        self.say(Raw::Phase {
                            phase: node.phase,
                            args,
                        });
                    }
                    node.next
                }
                NodeKind::Return => {
                    self.check_trays(node.phase as usize)?;
                    let due = self.cell(control::DUE);
                    if due > 0
                        && ruleset.model.endings[due as usize - 1].after
                            == Some(node.phase as usize)
                    {
                        self.finish();
                        return Ok(());
                    }
                    let depth = self.cell(control::DEPTH);
                    if depth == 0 && self.rests {
                        self.set(control::OVER, RESTS);
                        self.offers.clear();
                        self.arena.clear();
                        return Ok(());
                    }
                    if depth == 0 {
                        return Err(Trouble {
                            kind: TroubleKind::NoWayOn,
                            op: 0,
                        });
                    }
                    self.set(control::DEPTH, i64::from(depth) - 1);
                    let back = self.cell(control::STACK + depth as u32 - 1) as u32;
                    self.take_back(node.phase as usize, back);
                    back
                }
                NodeKind::Effect(f) => {
                    self.run_effect(*f)?;
                    match self.follow_to(node.next)? {
                        Some(next) => next,
                        None => return Ok(()),
                    }
                }
                NodeKind::Follow => {
                    let depth = self.cell(control::DEPTH) - 1;
                    let back = self.cell(control::STACK + depth as u32) as u32;
                    self.set(control::DEPTH, i64::from(depth));
                    self.take_up();
                    match self.follow_to(back)? {
                        Some(next) => next,
                        None => return Ok(()),
                    }
                }
                NodeKind::Fill { base, len } => {
                    self.position.cells[*base as usize..(base + len) as usize].fill(0);
                    node.next
                }
                NodeKind::Mark { base, var } => {
                    let seat = self.cell(*var) as u32;
                    self.set(base + seat, 1);
                    node.next
                }
                NodeKind::Unwind { phase } => {
                    self.unwind(*phase)?;
                    node.next
                }
                NodeKind::Branch(f) => {
                    if self.pure(*f)? != 0 {
                        node.next
                    } else {
                        node.no
                    }
                }
                NodeKind::OpenAsk(ask) => {
                    self.open_ask(*ask)?;
                    node.next
                }
                NodeKind::Ask(ask) => match self.ask_seats(*ask)? {
                    Asked::Waits => return Ok(()),
                    Asked::Nobody => node.next,
                    Asked::Forced(seat, choice) => {
                        let plan = match self.log {
                            Some(_) => self.plan_of(&choice, i32::from(seat))?,
                            None => Vec::new(),
                        };
                        self.forced.push(Forced {
                            seat,
                            ask: *ask as u32,
                            choice: choice.clone(),
                            plan,
                        });
                        if self.make(&choice, Origin::Forced)? {
                            return Ok(());
                        }
                        continue;
                    }
                },
                NodeKind::StartTurns { var, left, from } => {
                    let from = self.pure(*from)?;
                    self.set(*var, from);
                    self.set(*left, players);
                    node.next
                }
                NodeKind::TurnsLeft { left } => {
                    if self.cell(*left) > 0 {
                        node.next
                    } else {
                        node.no
                    }
                }
                NodeKind::NextTurn { var, left } => {
                    self.set(*var, (i64::from(self.cell(*var)) + 1) % players);
                    self.set(*left, i64::from(self.cell(*left)) - 1);
                    node.next
                }
                NodeKind::StartCycle { var, since, from } => {
                    let from = self.pure(*from)?;
                    self.set(*var, from);
                    self.set(*since, 0);
                    node.next
                }
                NodeKind::LapUnderWay { since } => {
                    if i64::from(self.cell(*since)) < players {
                        node.next
                    } else {
                        node.no
                    }
                }
                NodeKind::CountTurn { since } => {
                    self.set(*since, i64::from(self.cell(*since)) + 1);
                    node.next
                }
                NodeKind::NextInCycle { var } => {
                    if *var != u32::MAX {
                        self.set(*var, (i64::from(self.cell(*var)) + 1) % players);
                    }
                    node.next
                }
                NodeKind::StartRows { var } => {
                    self.set(*var, 0);
                    node.next
                }
                NodeKind::RowsLeft { var, rows } => {
                    if (self.cell(*var) as u32) < *rows {
                        node.next
                    } else {
                        node.no
                    }
                }
                NodeKind::NextRow { var } => {
                    self.set(*var, i64::from(self.cell(*var)) + 1);
                    node.next
                }
                NodeKind::StartNumbers {
                    var,
                    last,
                    from,
                    to,
                } => {
                    let (from, to) = (self.pure(*from)?, self.pure(*to)?);
                    self.set(*var, from);
                    self.set(*last, to);
                    node.next
                }
                NodeKind::NumbersLeft { var, last } => {
                    if self.cell(*var) <= self.cell(*last) {
                        node.next
                    } else {
                        node.no
                    }
                }
                NodeKind::Visit { args } => {
                    let mut values = Vec::with_capacity(args.len());
                    for (_, f) in args {
                        values.push(self.pure(*f)?);
                    }
                    self.keep(node.enter)?;
                    for ((cell, _), value) in args.iter().zip(values) {
                        self.set(*cell, value);
                    }
                    self.push(node.next)?;
                    node.enter
                }
                NodeKind::Play { row, args, params } => {
                    let row = usize::try_from(self.pure(*row)?).unwrap_or(usize::MAX);
                    let (Some(cells), Some(enter)) = (params.get(row), node.plays.get(row)) else {
                        return Err(Trouble {
                            kind: TroubleKind::OutOfBounds,
                            op: 0,
                        });
                    };
                    let mut values = Vec::with_capacity(args.len());
                    for f in args {
                        values.push(self.pure(*f)?);
                    }
                    self.keep(*enter)?;
                    for (cell, value) in cells.iter().zip(values) {
                        self.set(*cell, value);
                    }
                    self.push(node.next)?;
                    *enter
                }
            };
            self.goto(next)?;
        }
        Err(Trouble {
            kind: TroubleKind::OutOfFuel,
            op: 0,
        })
    }

    /// Does what follows from effects; gives where play goes on, which is `back` when all is done. None:
    /// the match is over.
    fn follow_to(&mut self, back: u32) -> Result<Option<u32>, Trouble> {
        let interrupted = self.follow()?;
        if self.settled()? {
            return Ok(None);
        }
        let Some(phase) = interrupted else {
            return Ok(Some(back));
        };
        self.push(back)?;
        self.push(self.ruleset.follow)?;
        Ok(Some(self.ruleset.graph.begins[phase].index() as u32))
    }

    /// How often a phase is under way, in frames and where the machine stands.
    fn visits(&self, phase: usize, standing: u32) -> u32 {
        let depth = self.cell(control::DEPTH) as u32;
        let frames = (0..depth).map(|i| self.cell(control::STACK + i) as u32);
        let nodes = &self.ruleset.nodes;
        frames
            .chain([standing])
            .filter(|node| {
                nodes.get(*node as usize).is_some_and(|n| {
                    n.phase as usize == phase && !matches!(n.kind, NodeKind::Follow)
                })
            })
            .count() as u32
    }

    /// Keeps what is a phase's own if it is under way already and is about to be visited again.
    fn keep(&mut self, begin: u32) -> Result<(), Trouble> {
        let ruleset = self.ruleset.clone();
        let Some(phase) = ruleset.nodes.get(begin as usize).map(|n| n.phase as usize) else {
            return Ok(());
        };
        let Some((base, most)) = ruleset.model.phases[phase].saved else {
            return Ok(());
        };
        let visits = self.visits(phase, self.cell(control::NODE) as u32);
        if visits >= most {
            return Err(Trouble {
                kind: TroubleKind::TooDeep,
                op: 0,
            });
        }
        if let Some(level) = visits.checked_sub(1) {
            let own = &ruleset.model.phases[phase].own;
            let width: u32 = own.iter().map(|(_, n)| n).sum();
            let mut at = (base + level * width) as usize;
            for (first, len) in own {
                let (first, len) = (*first as usize, *len as usize);
                self.position.cells.copy_within(first..first + len, at);
                at += len;
            }
        }
        Ok(())
    }

    /// Gives a phase that goes on what was its own before it was visited again.
    fn take_back(&mut self, phase: usize, standing: u32) {
        let ruleset = self.ruleset.clone();
        let Some((base, _)) = ruleset.model.phases[phase].saved else {
            return;
        };
        if let Some(level) = self.visits(phase, standing).checked_sub(1) {
            let own = &ruleset.model.phases[phase].own;
            let width: u32 = own.iter().map(|(_, n)| n).sum();
            let from = (base + level * width) as usize;
            let mut at = from;
            for (first, len) in own {
                let len = *len as usize;
                self.position
                    .cells
                    .copy_within(at..at + len, *first as usize);
                at += len;
            }
            // What is not in use is the same in every state.
            self.position.cells[from..at].fill(0);
        }
    }

    /// Ends visits until this phase is the innermost.
    fn unwind(&mut self, phase: usize) -> Result<(), Trouble> {
        let ruleset = self.ruleset.clone();
        loop {
            let node = &ruleset.nodes[self.cell(control::NODE) as usize];
            if node.phase as usize == phase && !matches!(node.kind, NodeKind::Follow) {
                return Ok(());
            }
            if matches!(node.kind, NodeKind::Follow) {
                self.take_up();
                self.agenda.clear();
            } else {
                self.check_trays(node.phase as usize)?;
            }
            let depth = self.cell(control::DEPTH) - 1;
            if depth < 0 {
                return Err(Trouble {
                    kind: TroubleKind::NoWayOn,
                    op: 0,
                });
            }
            self.set(control::DEPTH, i64::from(depth));
            let back = self.cell(control::STACK + depth as u32);
            if !matches!(node.kind, NodeKind::Follow) {
                self.take_back(node.phase as usize, back as u32);
            }
            self.set(control::NODE, i64::from(back));
        }
    }

    /// What lasts as long as a phase is empty when it ends.
    fn check_trays(&self, phase: usize) -> Result<(), Trouble> {
        for tray in &self.ruleset.trays[phase] {
            let cells = &self.position.cells[tray.cells.clone()];
            if cells.iter().any(|n| *n != 0) {
                return Err(Trouble {
                    kind: TroubleKind::TrayNotEmpty,
                    op: tray.op,
                });
            }
        }
        Ok(())
    }

    /// After an effect: endings that become due, and those that end the match at once.
    fn settled(&mut self) -> Result<bool, Trouble> {
        self.watch()?;
        let due = self.cell(control::DUE);
        if due > 0 && self.ruleset.model.endings[due as usize - 1].after.is_none() {
            self.finish();
            return Ok(true);
        }
        Ok(false)
    }

    fn finish(&mut self) {
        let due = self.cell(control::DUE);
        self.set(control::OVER, i64::from(due.max(1)));
        self.offers.clear();
        self.arena.clear();
        self.say(Raw::Over);
        self.trace_end();
    }

    /// Makes a legal move at the waiting question; true if the match is over.
    fn make(&mut self, choice: &Choice, origin: Origin) -> Result<bool, Trouble> {
        let ruleset = self.ruleset.clone();
        let node = self.cell(control::NODE);
        let Some(ask) = self.ask() else {
            return Err(Trouble {
                kind: TroubleKind::NoWayOn,
                op: 0,
            });
        };
        let seat = self.cell(control::SEAT);
        let mv = &ruleset.model.moves[choice.mv as usize];
        let entry = self.log.as_ref().map(Vec::len);
        if self.log.is_some() {
            let plan = self.plan_of(choice, seat)?;
            let args = choice.args.clone();
            self.say(Raw::Move {
                seat: seat as u8,
                ask: ask as u32,
                mv: choice.mv,
                args,
                plan,
                seen: Vec::new(),
                origin,
            });
        }
        self.trace_move(ask, choice, i64::from(seat))?;
        if let Some((base, _)) = mv.once {
            self.set(base + seat as u32, 1);
        }
        // What is done is settled before anything is: an effect cannot switch another one off.
        let mut done = 0u64;
        for (i, effect) in mv.effects.iter().enumerate() {
            let applies = match effect.when {
                Some(when) => {
                    self.bind(choice, seat);
                    self.pure(when)? != 0
                }
                None => true,
            };
            done |= u64::from(applies) << i.min(63);
        }
        for (i, effect) in mv.effects.iter().enumerate() {
            if done >> i.min(63) & 1 != 0 {
                self.bind(choice, seat);
                self.run_effect(effect.effect)?;
            }
        }
        if let Some(entry) = entry {
            self.witness(entry, choice, seat)?;
        }
        let mut back = match self.keeps_asking(ask, choice.mv as usize, seat as u32) {
            true => node as u32,
            false => ruleset.nodes[node as usize].next,
        };
        if let Some((phase, args)) = &mv.goes_on {
            let place = ruleset.model.asks[ask]
                .moves
                .iter()
                .position(|m| *m == choice.mv as usize);
            let begin = place.and_then(|k| ruleset.nodes[node as usize].plays.get(k));
            let params = &ruleset.model.phases[*phase].params;
            let mut values = Vec::with_capacity(args.len());
            for arg in args {
                self.bind(choice, seat);
                values.push(self.pure(*arg)?);
            }
            if let Some(begin) = begin {
                self.keep(*begin)?;
            }
            for (param, value) in params.iter().zip(values) {
                self.set(param.base, value);
            }
            self.push(back)?;
            back = begin.copied().unwrap_or(NOWHERE);
        }
        let Some(next) = self.follow_to(back)? else {
            return Ok(true);
        };
        if next != node as u32 {
            self.goto(next)?;
        }
        Ok(false)
    }

    /// Puts a move's arguments into the registers.
    pub(super) fn bind(&mut self, choice: &Choice, seat: i32) {
        self.registers[0] = i64::from(seat);
        self.registers[1..1 + choice.args.len()].copy_from_slice(&choice.args);
    }

    /// Whether everybody can see that this is the only legal move. If only its player can, that the
    /// referee makes it would tell the others why.
    pub(super) fn publicly_forced(
        &mut self,
        ask: usize,
        only: OfferRow,
        seat: i64,
    ) -> Result<bool, Trouble> {
        let ruleset = self.ruleset.clone();
        let moves = &ruleset.model.moves;
        let hides = |mv: usize| {
            let model = &moves[mv];
            model.needs.iter().any(|n| n.hidden) || model.params.iter().any(|p| p.hidden)
        };
        if !ruleset.model.asks[ask].moves.iter().any(|mv| hides(*mv)) {
            return Ok(true);
        }
        if moves[only.mv as usize]
            .params
            .iter()
            .any(|p| p.hidden && p.is_open())
        {
            return Ok(false);
        }
        let mut eyes = Reader::new(&ruleset, &self.position.cells);
        let mut found = 0;
        for mv in &ruleset.model.asks[ask].moves {
            let registers = &mut self.registers;
            found += publicly_possible(&mut eyes, *mv, seat, registers, 2 - found)?;
            if found > 1 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether some offer is more than a move that is possible at any time.
    pub(super) fn answerable(&self) -> bool {
        let moves = &self.ruleset.model.moves;
        self.offers.iter().any(|o| !moves[o.mv as usize].any_time)
    }

    /// First cells of the places of a spread argument, so that they can be named.
    pub(crate) fn plan_of(&self, choice: &Choice, seat: i32) -> Result<Vec<u32>, Trouble> {
        let mv = &self.ruleset.model.moves[choice.mv as usize];
        let mut cells = Vec::new();
        for param in &mv.params {
            if let DomainModel::Spread(s) = param.domain {
                for target in &self.ruleset.model.spreads[s].targets {
                    let mut registers = vec![0; REGISTERS / 8];
                    registers[0] = i64::from(seat);
                    registers[1..1 + choice.args.len()].copy_from_slice(&choice.args);
                    let base = read(
                        &self.ruleset,
                        &self.position.cells,
                        &mut registers,
                        target.cells,
                    )? as u32;
                    cells.extend(target.offsets.iter().map(|o| base + o));
                }
            }
        }
        Ok(cells)
    }

    /// A copy to look ahead with: the same position, no history.
    pub fn fork(&self) -> Game {
        Game {
            ruleset: self.ruleset.clone(),
            position: self.position.clone(),
            offers: self.offers.clone(),
            arena: self.arena.clone(),
            registers: vec![0; REGISTERS],
            ask_forced: self.ask_forced,
            log: None,
            seen: None,
            forced: Vec::new(),
            raised: Vec::new(),
            // Everything is new to the endings.
            written: u64::MAX,
            unwatched: 0,
            agenda: Vec::new(),
            waiting: self.waiting.clone(),
            cache: Cache::default(),
            rests: self.rests,
        }
    }

    /// Whether questions with one legal move are asked too.
    pub(crate) fn set_ask_forced(&mut self, ask: bool) -> Result<(), Trouble> {
        self.ask_forced = ask;
        if !ask && !self.is_over() {
            self.advance()
        } else {
            Ok(())
        }
    }

    /// The completion of an offer at an index.
    pub(crate) fn completion(&mut self, offer: OfferRow, index: u128) -> Result<Choice, Trouble> {
        let mut left = index;
        self.complete_with(offer, &mut |count| {
            let here = left % count.max(1);
            left /= count.max(1);
            here
        })
    }

    /// Makes a move and plays on; on a fault nothing has changed if the game is logged.
    pub(crate) fn play(&mut self, choice: &Choice, origin: Origin) -> Result<(), Trouble> {
        let saved = self
            .log
            .as_ref()
            .map(|log| (self.position.clone(), log.len(), self.forced.len()));
        self.raised.clear();
        self.agenda.clear();
        let result = match self.make(choice, origin) {
            Ok(true) => Ok(()),
            Ok(false) => self.advance(),
            Err(trouble) => Err(trouble),
        };
        if let (Err(_), Some((position, logged, forced))) = (&result, saved) {
            self.position = position;
            self.forced.truncate(forced);
            if let Some(log) = &mut self.log {
                log.truncate(logged);
            }
            self.refresh()?;
        }
        result
    }

    /// Finds the offers of the waiting question again.
    pub(crate) fn refresh(&mut self) -> Result<(), Trouble> {
        if let Some(ask) = self.ask() {
            self.look_for_waiting(ask)?;
            let seat = i64::from(self.cell(control::SEAT));
            self.find_offers(ask, seat)?;
        }
        Ok(())
    }

    pub(super) fn find_offers(&mut self, ask: usize, seat: i64) -> Result<(), Trouble> {
        self.offers.clear();
        self.arena.clear();
        let ruleset = self.ruleset.clone();
        self.cache.forget();
        let (offers, arena) = (&mut self.offers, &mut self.arena);
        let mut eyes = Reader {
            ruleset: &ruleset,
            cells: &self.position.cells,
            seen: None,
            cache: Some(&mut self.cache),
        };
        for mv in &ruleset.model.asks[ask].moves {
            let model = &ruleset.model.moves[*mv];
            let len = model.registers - 1;
            each_fixed(
                &mut eyes,
                *mv,
                seat,
                &mut self.registers,
                &mut |eyes, registers| {
                    let at = arena.len();
                    arena.extend_from_slice(&registers[1..=len as usize]);
                    let completions = completions(eyes, *mv, registers)?;
                    if completions > 0 {
                        offers.push(OfferRow {
                            mv: *mv as u32,
                            at: at as u32,
                            len,
                            completions,
                        });
                    } else {
                        arena.truncate(at);
                    }
                    Ok(false)
                },
            )?;
        }
        Ok(())
    }

    pub(crate) fn offer_args(&self, offer: OfferRow) -> &[i64] {
        &self.arena[offer.at as usize..offer.at as usize + offer.len as usize]
    }

    /// Draws the open arguments of an offer.
    pub(crate) fn complete(
        &mut self,
        offer: OfferRow,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<Choice, Trouble> {
        self.complete_with(offer, &mut |count| below(count, random))
    }

    fn complete_with(
        &mut self,
        offer: OfferRow,
        index: &mut dyn FnMut(u128) -> u128,
    ) -> Result<Choice, Trouble> {
        let mut args = self.offer_args(offer).to_vec();
        let ruleset = self.ruleset.clone();
        let model = &ruleset.model.moves[offer.mv as usize];
        let seat = i64::from(self.cell(control::SEAT));
        if model.params.iter().any(|p| p.read) {
            self.registers[0] = seat;
            self.registers[1..1 + args.len()].copy_from_slice(&args);
            let mut eyes = Reader::new(&ruleset, &self.position.cells);
            let index = index(offer.completions);
            completed(&mut eyes, offer.mv as usize, &mut self.registers, index)?;
            let args = self.registers[1..1 + args.len()].to_vec();
            return Ok(Choice { mv: offer.mv, args });
        }
        for param in &model.params {
            let at = param.register as usize - 1;
            if let (true, Some(when)) = (param.is_open(), param.when) {
                self.registers[0] = seat;
                self.registers[1..1 + args.len()].copy_from_slice(&args);
                if self.pure(when)? == 0 {
                    continue;
                }
            }
            self.registers[0] = seat;
            self.registers[1..1 + args.len()].copy_from_slice(&args);
            match open_domain(
                &mut Reader::new(&ruleset, &self.position.cells),
                &param.domain,
                &mut self.registers,
            )? {
                None | Some(Open::Nothing(_)) => {}
                Some(Open::Bag(bag)) => {
                    let counts = bag.pick(index(bag.count()));
                    for (arg, n) in args[at..].iter_mut().zip(counts) {
                        *arg = i64::from(n);
                    }
                }
                Some(Open::Spread(spread)) => {
                    let plan = spread.pick(index(spread.count()));
                    for (arg, n) in args[at..].iter_mut().zip(plan) {
                        *arg = i64::from(n);
                    }
                }
            }
        }
        Ok(Choice { mv: offer.mv, args })
    }

    /// Draws a legal move: uniformly among offers, then uniformly among completions.
    pub(crate) fn sample(&mut self, random: &mut dyn FnMut() -> u64) -> Result<Choice, Trouble> {
        let index = below(self.offers.len() as u128, random) as usize;
        match self.offers.get(index) {
            Some(&offer) => self.complete(offer, random),
            None => Err(Trouble {
                kind: TroubleKind::NoWayOn,
                op: 0,
            }),
        }
    }

    /// Sets up the table and plays on to the first question.
    ///
    /// # Errors
    /// A fault of the ruleset.
    pub fn start(&mut self) -> Result<(), Fault> {
        self.advance().map_err(|t| self.ruleset.fault(t))
    }

    /// Makes a move drawn uniformly among the offers of the waiting question, then uniformly among
    /// their completions.
    ///
    /// # Errors
    /// A fault of the ruleset.
    pub fn play_random(&mut self, random: &mut dyn FnMut() -> u64) -> Result<(), Fault> {
        let made = self
            .sample(random)
            .and_then(|choice| self.play(&choice, Origin::Player));
        self.forced.clear();
        made.map_err(|t| self.ruleset.fault(t))
    }

    /// Whether a complete choice is legal, without looking at the offers.
    pub(crate) fn is_legal(&mut self, choice: &Choice, seat: i64) -> Result<bool, Trouble> {
        let Some(ask) = self.ask() else {
            return Ok(false);
        };
        let ruleset = self.ruleset.clone();
        if !ruleset.model.asks[ask]
            .moves
            .contains(&(choice.mv as usize))
        {
            return Ok(false);
        }
        let model = &ruleset.model.moves[choice.mv as usize];
        if let Some((base, _)) = model.once
            && self.cell(base + seat as u32) != 0
        {
            return Ok(false);
        }
        if let Some((changes, most)) = model.bounded
            && i64::from(self.cell(changes)) >= self.pure(most)?
        {
            return Ok(false);
        }
        if model.under.is_some_and(|phase| !self.is_under_way(phase)) {
            return Ok(false);
        }
        let load = |registers: &mut Vec<i64>| {
            registers[0] = seat;
            registers[1..1 + choice.args.len()].copy_from_slice(&choice.args);
        };
        for param in &model.params {
            let at = param.register as usize - 1;
            load(&mut self.registers);
            let offered = match param.when {
                Some(when) => self.pure(when)? != 0,
                None => true,
            };
            load(&mut self.registers);
            let value = choice.args[at];
            let fits = match &param.domain {
                _ if !offered && param.is_open() => choice.args[at..at + param.len as usize]
                    .iter()
                    .all(|n| *n == 0),
                _ if !offered => value == default(&param.ty),
                DomainModel::Upto(n) => (0..i64::from(*n)).contains(&value),
                DomainModel::OptionUpto(n) => (NONE..i64::from(*n)).contains(&value),
                DomainModel::Range(from, to) => {
                    let from = self.pure(*from)?;
                    load(&mut self.registers);
                    (from..=self.pure(*to)?).contains(&value)
                }
                open => {
                    match open_domain(
                        &mut Reader::new(&ruleset, &self.position.cells),
                        open,
                        &mut self.registers,
                    )? {
                        Some(Open::Bag(bag)) => {
                            bag.contains(&numbers(&choice.args[at..at + bag.available.len()]))
                        }
                        Some(Open::Spread(spread)) => {
                            let len = spread.rooms.len() * spread.pieces.len();
                            spread.contains(&numbers(&choice.args[at..at + len]))
                        }
                        Some(Open::Nothing(_)) | None => false,
                    }
                }
            };
            if !fits {
                return Ok(false);
            }
        }
        for need in &model.needs {
            load(&mut self.registers);
            if self.pure(need.condition)? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether every place holds what it may, no count is negative, and nothing was lost.
    pub fn verify(&self) -> Result<(), String> {
        let model = &self.ruleset.model;
        let cells = &self.position.cells;
        let mut registers = vec![0; REGISTERS / 8];
        for (t, table) in model.tables.iter().enumerate() {
            let (now, first) = (
                pieces(model, cells, t),
                pieces(model, &self.ruleset.initial, t),
            );
            let endless = model.places.iter().any(|p| p.table == t && p.endless);
            if now != first && !endless {
                return Err(format!(
                    "{} of `{}`: {first:?} at first, {now:?} now",
                    table.plural, table.name
                ));
            }
        }
        for place in &model.places {
            let instances: u32 = place.index.iter().map(|(_, n)| n).product();
            for instance in 0..instances {
                let first = (place.base + instance * place.width) as usize;
                let here = &cells[first..first + place.width as usize];
                if here.iter().any(|n| *n < 0) {
                    return Err(format!(
                        "`{}` holds a negative number of pieces: {here:?}",
                        place.name
                    ));
                }
                let size = if place.pile {
                    here[0]
                } else {
                    here.iter().sum()
                };
                if let Some(room) = place.room {
                    let index = index_values(&place.index, instance);
                    registers[..index.len()].copy_from_slice(&index);
                    let room = read(&self.ruleset, cells, &mut registers, room)
                        .map_err(|t| format!("{t:?}"))?;
                    if i64::from(size) > room {
                        return Err(format!(
                            "`{}` holds {size} pieces, but has room for {room}",
                            place.name
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

/// How many pieces of each row there are on the table.
fn pieces(model: &crate::check::model::Model, cells: &[i32], table: usize) -> Vec<i64> {
    let mut all = vec![0; model.tables[table].rows.len()];
    for place in model.places.iter().filter(|p| p.table == table) {
        let instances: u32 = place.index.iter().map(|(_, n)| n).product();
        for instance in 0..instances {
            let first = (place.base + instance * place.width) as usize;
            if place.pile {
                for k in 0..cells[first] as usize {
                    all[cells[first + 1 + k] as usize] += 1;
                }
            } else {
                for (row, n) in all.iter_mut().enumerate() {
                    *n += i64::from(cells[first + row]);
                }
            }
        }
    }
    all
}
