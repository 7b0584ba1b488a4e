//! A game under way.
//!
//! A [`Game`] is a position and what is needed to play on from it. The position is one flat array of
//! cells and the seed, so that a look-ahead is one copy. Everything that a client sees is made
//! elsewhere; here everything is a number.

use std::sync::Arc;

use smallvec::SmallVec;

use super::limits::{bounded, unless_spent};
use super::{Args, Choice, Forced, OfferRow};
use crate::api::Origin;
use crate::budget;
use crate::machine::choices::Open;
use crate::machine::open::below;
use crate::machine::{FUEL, Fault, Reader, Ruleset, Table, Trouble, TroubleKind, run};
use crate::numbers::{Fit as _, low};
use crate::program::causes::Causes;
use crate::program::graph::{NOWHERE, NodeKind};
use crate::program::model::{
    Answers, AskId, CauseId, Cell, ClauseId, EndingId, FuncId, IndexVec, MoveEffect, NodeId,
    control,
};
use crate::program::regions;
use crate::state::{Following, Looker, MadeMove, Memory, Raised, Raw, Registers, Said, Seed};

/// A position: everything that distinguishes one moment of a match from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub(crate) cells: Box<[i32]>,
    pub(crate) seed: Seed,
}

/// A game under way, without history.
#[derive(Clone, Debug)]
pub struct Game {
    pub(crate) ruleset: Arc<Ruleset>,
    pub(crate) position: Position,
    pub(crate) offers: Vec<OfferRow>,
    pub(crate) arena: Vec<i64>,
    /// What may be chosen for open parameters of the offers, as long as it is known.
    pub(super) opens: Vec<Open>,
    pub(crate) registers: Registers,
    /// A question with one legal move is asked too.
    pub(crate) ask_forced: bool,
    /// Everything that happens is logged, and moves that fault are undone. What was there before a move may
    /// be taken out.
    pub(crate) log: Option<Vec<Raw>>,
    /// Clauses whose rules ran; only with a traced ruleset.
    pub(crate) seen: Option<IndexVec<ClauseId, bool>>,
    /// Moves that the referee made since somebody looked.
    pub(crate) forced: Vec<Forced>,
    pub(crate) raised: Vec<Raised>,
    /// Events under way, the innermost last.
    pub(crate) agenda: Vec<Following>,
    pub(crate) memory: Memory,
    /// Seats that are asked, if the question is one to several.
    pub(crate) waiting: Vec<u8>,
    /// Moves whose choices are too many to count are drawn, and questions that have one not listed.
    pub(super) draws: bool,
    /// Promises forbid every answer to the question, so that only moves are left that are possible at any time.
    pub(super) held_back: bool,
    /// What everybody was told when play rested last; only of a logged game. Copies share it.
    pub(crate) said: Option<Arc<Said>>,
    /// Play rests when the phase that was staged is over, instead of having no way on.
    pub(crate) rests: bool,
}

/// The value of [`control::OVER`] of a game that rests: nobody is asked, and it has not ended.
pub(crate) const RESTS: i64 = -1;

impl Position {
    /// Returns the seed of all chance from this position on.
    pub fn seed(&self) -> Seed {
        self.seed
    }
}

impl Game {
    /// A game before its first step. With `logged`, events are kept and faulty moves undone.
    pub fn new(ruleset: Arc<Ruleset>, seed: Seed, ask_forced: bool, logged: bool) -> Game {
        let cells = ruleset.program.initial.clone().into_boxed_slice();
        Game {
            position: Position { cells, seed },
            offers: Vec::new(),
            arena: Vec::new(),
            opens: Vec::new(),
            registers: Registers::default(),
            ask_forced,
            log: logged.then(Vec::new),
            seen: None,
            forced: Vec::new(),
            raised: Vec::new(),
            memory: ruleset.memory.clone(),
            agenda: Vec::new(),
            waiting: Vec::new(),
            draws: false,
            held_back: false,
            said: None,
            rests: false,
            ruleset,
        }
    }

    /// A logged game at a position that another one of the same ruleset was at when it waited for somebody, or
    /// was over. Forced moves are asked.
    pub(crate) fn resumed(
        ruleset: Arc<Ruleset>,
        seed: Seed,
        cells: Box<[i32]>,
    ) -> Result<Game, Trouble> {
        let mut game = Game::new(ruleset, seed, true, true);
        game.position.cells = cells;
        game.everything_is_new();
        game.memory.settle(Looker::Watches);
        game.refresh()?;
        Ok(game)
    }

    /// The same where these seats are asked, in order.
    pub(crate) fn asked_at(
        ruleset: Arc<Ruleset>,
        seed: Seed,
        mut cells: Box<[i32]>,
        asked: &[u8],
    ) -> Result<Game, Trouble> {
        if let Some(first) = asked.first() {
            cells[control::SEAT] = i32::from(*first);
        }
        let mut game = Game::resumed(ruleset, seed, cells)?;
        if let Some(first) = game.waiting.first().copied() {
            game.turn_to(first)?;
        }
        Ok(game)
    }

    /// From now on every value that queries are remembered to have given is compared with what they
    /// give; a difference is a panic.
    pub fn doubt_memory(&mut self) {
        self.memory.set_doubted();
    }

    /// Returns the position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The ruleset.
    pub fn ruleset(&self) -> &Arc<Ruleset> {
        &self.ruleset
    }

    pub(crate) fn cell(&self, cell: Cell) -> i32 {
        self.position.cells[cell]
    }

    /// The node on which the machine stands.
    pub(crate) fn node(&self) -> NodeId {
        NodeId::in_cell(self.cell(control::NODE))
    }

    /// How many visits are under way.
    pub(crate) fn depth(&self) -> u32 {
        self.cell(control::DEPTH).cast_unsigned()
    }

    /// The node to which the visit at this depth comes back.
    pub(crate) fn back(&self, depth: u32) -> NodeId {
        NodeId::in_cell(self.cell(control::STACK + depth))
    }

    /// The nodes to which visits come back, the outermost first.
    pub(crate) fn backs(&self) -> impl Iterator<Item = NodeId> {
        (0..self.depth()).map(|depth| self.back(depth))
    }

    /// The ending that is due.
    pub(crate) fn due(&self) -> Option<EndingId> {
        let number = self.cell(control::DUE).cast_unsigned().checked_sub(1)?;
        Some(EndingId(number))
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
        self.memory.forget();
        self.memory.renew(Looker::Endings);
    }

    /// The seat that is asked, unless the match is over.
    pub fn seat(&self) -> Option<u8> {
        (!self.is_over()).then(|| self.cell(control::SEAT).fit())
    }

    /// The question that waits.
    pub(crate) fn ask(&self) -> Option<AskId> {
        match self.ruleset.program.nodes.get(self.node()).map(|n| &n.kind) {
            Some(NodeKind::Ask(ask)) if !self.is_over() => Some(*ask),
            _ => None,
        }
    }

    /// A fault for the author: where no instruction is at fault, in the step that is under way.
    pub(crate) fn fault(&self, trouble: Trouble) -> Fault {
        let mut fault = self.ruleset.fault(trouble);
        let graph = &self.ruleset.program.graph.graph;
        if !self.ruleset.is_at_a_place(trouble)
            && let Some(node) = graph.node_weight(self.node().into())
        {
            fault.at = format!("the step `{}`", node.step);
        }
        fault
    }

    #[inline(never)]
    pub(crate) fn pure(&mut self, function: FuncId) -> Result<i64, Trouble> {
        self.pure_within(function, FUEL)
    }

    /// The same with so much fuel.
    #[inline]
    pub(crate) fn pure_within(&mut self, function: FuncId, mut fuel: u64) -> Result<i64, Trouble> {
        let mut world = Reader {
            ruleset: &self.ruleset,
            cells: &self.position.cells,
            // With coverage on, every query must run.
            memory: self.seen.is_none().then_some(&mut self.memory),
            seen: self.seen.as_mut(),
            sink: None,
            judged: None,
        };
        run(
            &self.ruleset,
            &mut world,
            &mut self.registers,
            function,
            &mut fuel,
        )
    }

    fn watch(&mut self) -> Result<(), Trouble> {
        let (since, is_first) = self.memory.look(Looker::Endings);
        let Some(since) = since else {
            return Ok(());
        };
        let mut table = Table {
            ruleset: &self.ruleset,
            cells: &mut self.position.cells,
            seed: &self.position.seed,
            log: self.log.as_mut(),
            seen: self.seen.as_mut(),
            raised: &mut self.raised,
            memory: &mut self.memory,
        };
        let mut watch = || table.watch(&mut self.registers, since);
        // How much is new at the first look depends on what is remembered, as after a match was restored: that is
        // bounded (`Ruleset::look_fuel`), not counted.
        match is_first {
            true => budget::apart(watch),
            false => watch(),
        }
    }

    /// Sets a run of cells to one value.
    pub(crate) fn fill(&mut self, first: Cell, len: u32, value: i32) {
        let cells = first.span(len);
        let mut touched = None;
        for region in self.ruleset.program.regions.of_all(cells.clone()) {
            if touched != Some(*region) {
                self.memory.touch(*region);
                touched = Some(*region);
            }
        }
        self.position.cells[cells].fill(value);
    }

    pub(crate) fn set(&mut self, cell: Cell, value: i64) {
        self.memory.touch(self.ruleset.program.regions.of(cell));
        self.position.cells[cell] = low(value);
    }

    /// The same for a cell of the machine's own.
    #[inline]
    pub(crate) fn set_control(&mut self, cell: Cell, value: i64) {
        debug_assert_eq!(self.ruleset.program.regions.of(cell), regions::REST);
        self.memory.touch(regions::REST);
        self.position.cells[cell] = low(value);
    }

    pub(super) fn say(&mut self, raw: impl FnOnce(&Game) -> Raw) {
        if self.log.is_none() {
            return;
        }
        let raw = raw(self);
        if let Some(log) = &mut self.log {
            log.push(raw);
        }
    }

    /// What is said from now on is brought by a rule.
    #[inline]
    pub(super) fn because(&mut self, cause: impl FnOnce(&Causes) -> CauseId) {
        if self.log.is_some() {
            self.say(|game| Raw::By(cause(&game.ruleset.program.causes)));
        }
    }

    /// After an effect: endings that become due, and those that end the match at once.
    pub(super) fn settled(&mut self) -> Result<bool, Trouble> {
        self.watch()?;
        let endings = &self.ruleset.model().endings;
        let over = self.due().is_some_and(|due| endings[due].after.is_none());
        if over {
            self.finish();
        }
        Ok(over)
    }

    /// Nothing is offered.
    pub(crate) fn clear_offers(&mut self) {
        self.offers.clear();
        self.arena.clear();
        self.opens.clear();
    }

    pub(super) fn finish(&mut self) {
        let due = self.cell(control::DUE);
        self.set_control(control::OVER, i64::from(due.max(1)));
        self.clear_offers();
        self.say(|_| Raw::Over);
        self.trace_end();
    }

    /// Makes a legal move at the waiting question; true if the match is over.
    pub(crate) fn make(
        &mut self,
        ruleset: &Ruleset,
        choice: &Choice,
        origin: Origin,
    ) -> Result<bool, Trouble> {
        let node = self.node();
        let Some(ask) = self.ask() else {
            return Err(TroubleKind::NoWayOn.nowhere());
        };
        let seat = self.cell(control::SEAT);
        let mv = &ruleset.model().moves[choice.mv];
        self.because(|causes| causes.of_move(choice.mv));
        let entry = self.log.as_ref().map(Vec::len);
        if self.log.is_some() {
            let plan = self.plan_of(choice, seat)?;
            let args = choice.args.to_vec();
            self.say(|_| {
                Raw::Move(Box::new(MadeMove {
                    seat: seat.fit(),
                    ask,
                    mv: choice.mv,
                    args,
                    plan,
                    seen: Vec::new(),
                    origin,
                }))
            });
        }
        self.trace_move(ask, choice, i64::from(seat))?;
        if let Some(made) = mv.once() {
            self.set(made + seat.cast_unsigned(), 1);
        }
        // What is done is settled before anything is: an effect cannot switch another one off.
        let mut done: SmallVec<[FuncId; 8]> = SmallVec::new();
        for MoveEffect { when, effect } in &mv.effects {
            let applies = match when {
                Some(when) => {
                    self.bind(choice, seat);
                    self.pure(*when)? != 0
                }
                None => true,
            };
            if applies {
                done.push(*effect);
            }
        }
        for effect in done {
            self.bind(choice, seat);
            self.run_effect(effect)?;
            unless_spent(ruleset.start_of(effect))?;
        }
        if let Some(entry) = entry {
            self.witness(entry, choice, seat)?;
        }
        let mut back = match self.keeps_asking(ruleset, ask, choice.mv, seat.cast_unsigned()) {
            true => node,
            false => ruleset.program.nodes[node].next,
        };
        if let Some((phase, args)) = &mv.goes_on {
            let place = ruleset.model().asks[ask]
                .moves
                .iter()
                .position(|m| *m == choice.mv);
            let begin = place.and_then(|k| ruleset.program.nodes[node].plays.get(k));
            let cells = ruleset.model().phases[*phase].param_cells();
            let mut values = Args::new();
            for arg in args {
                self.bind(choice, seat);
                values.push(self.pure(*arg)?);
            }
            if let Some(begin) = begin {
                self.keep(ruleset, *begin)?;
            }
            for (cell, value) in cells.zip(values) {
                self.set(cell, value);
            }
            self.push(back)?;
            back = begin.copied().unwrap_or(NOWHERE);
        }
        let Some(next) = self.follow_to(ruleset, back)? else {
            return Ok(true);
        };
        if next != node {
            self.goto(next)?;
        }
        Ok(false)
    }

    /// A copy to look ahead with: the same position, no history.
    pub fn fork(&self) -> Game {
        Game {
            ruleset: self.ruleset.clone(),
            position: self.position.clone(),
            offers: self.offers.clone(),
            arena: self.arena.clone(),
            // Of the offers one is chosen at most: what may be chosen for it is found again.
            opens: Vec::new(),
            registers: Registers::default(),
            ask_forced: self.ask_forced,
            log: None,
            seen: None,
            forced: Vec::new(),
            raised: Vec::new(),
            memory: self.ruleset.memory.clone(),
            agenda: Vec::new(),
            waiting: self.waiting.clone(),
            draws: self.draws,
            held_back: self.held_back,
            said: None,
            rests: self.rests,
        }
    }

    /// Becomes what a [`fork`](Self::fork) of another game of the same ruleset would be, and keeps what it
    /// remembers of cells that are the same in both: for trying one move after the other.
    pub(crate) fn return_to(&mut self, other: &Game) {
        let cells = &mut self.position.cells;
        for (cell, (own, others)) in cells.iter_mut().zip(&other.position.cells).enumerate() {
            if own != others {
                *own = *others;
                self.memory
                    .touch(self.ruleset.program.regions.of(Cell(cell.fit())));
            }
        }
        self.position.seed = other.position.seed;
        self.offers.clone_from(&other.offers);
        self.arena.clone_from(&other.arena);
        self.opens.clone_from(&other.opens);
        self.waiting.clone_from(&other.waiting);
        self.held_back = other.held_back;
        self.forced.clear();
        self.raised.clear();
        self.agenda.clear();
        self.memory.renew(Looker::Endings);
        self.memory.settle(Looker::Watches);
    }

    /// Gives back the room of everything that can be found again: a game waits long for its next move, and
    /// many wait at once.
    pub(crate) fn rest(&mut self) {
        self.registers.release();
        self.memory.release();
        self.opens = Vec::new();
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

    /// Makes a move and plays on; on a fault nothing has changed if the game is logged.
    pub(crate) fn play(&mut self, choice: &Choice, origin: Origin) -> Result<(), Trouble> {
        self.play_by(&self.ruleset.clone(), choice, origin)
    }

    /// The same for a caller that holds the ruleset already.
    fn play_by(
        &mut self,
        ruleset: &Ruleset,
        choice: &Choice,
        origin: Origin,
    ) -> Result<(), Trouble> {
        let saved = self
            .log
            .as_ref()
            .map(|log| (self.position.clone(), log.len(), self.forced.len()));
        let before = saved
            .is_some()
            .then(|| self.rested(origin == Origin::Forced));
        self.raised.clear();
        self.agenda.clear();
        self.memory.begin();
        let result = bounded(|| match self.make(ruleset, choice, origin) {
            Ok(true) => Ok(()),
            Ok(false) => self.walk(ruleset),
            Err(trouble) => Err(trouble),
        });
        let (Some((position, logged, forced)), Some(before)) = (saved, before) else {
            return result;
        };
        if result.is_ok() {
            self.say_what_waits(before, logged);
        } else {
            self.position = position;
            self.memory.forget();
            self.forced.truncate(forced);
            if let Some(log) = &mut self.log {
                log.truncate(logged);
            }
            self.refresh()?;
        }
        result
    }

    /// From now on questions are not listed that have a move whose choices are too many to count: what is
    /// played at random is drawn without knowing all there is.
    #[must_use]
    pub fn drawing(mut self) -> Game {
        self.draws = true;
        self
    }

    /// Who plays next where nobody says who is quicker: of several seats that are asked, if the seat that answers
    /// first may close the question, one at random; else the one to which the machine is turned.
    pub(crate) fn quickest(&self, random: &mut dyn FnMut() -> u64) -> Option<u8> {
        let several = self.ask().and_then(|ask| {
            let several = self.ruleset.model().asks[ask].several.as_ref();
            several.filter(|several| several.until != Answers::All)
        });
        match self.waiting.len() {
            n if several.is_some() && n > 1 => Some(self.waiting[below(n, random)]),
            _ => self.seat(),
        }
    }

    /// Turns the machine to the seat that plays next.
    pub(crate) fn pick_seat(&mut self, random: &mut dyn FnMut() -> u64) -> Result<(), Trouble> {
        match self.quickest(random) {
            Some(seat) => self.turn_to(seat),
            None => Ok(()),
        }
    }

    /// Sets up the table and plays on to the first question.
    ///
    /// # Errors
    /// A fault of the ruleset.
    pub fn start(&mut self) -> Result<(), Fault> {
        self.advance().map_err(|t| self.fault(t))
    }

    /// Makes a move drawn uniformly among the offers of the waiting question, then uniformly among
    /// their completions.
    ///
    /// # Errors
    /// A fault of the ruleset.
    pub fn play_random(&mut self, random: &mut dyn FnMut() -> u64) -> Result<(), Fault> {
        let ruleset = self.ruleset.clone();
        let made = self
            .pick_seat(random)
            .and_then(|()| self.sample_by(&ruleset, random))
            .and_then(|choice| self.play_by(&ruleset, &choice, Origin::Player));
        self.forced.clear();
        made.map_err(|t| self.fault(t))
    }
}
