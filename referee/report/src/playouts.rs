//! What happens in many random games: lengths, ends, scores, and the use of everything.
//!
//! Game `i` of a run with seed `s` is the game of seed `s + i`: its chance and its players are drawn
//! from that number alone, so one game of a run is repeated by its own seed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use interpreter::Ruleset;
use interpreter::play::{CONSIDERED, Game, Played, Seed};
use interpreter::program::ids::{
    ClauseId, EndingId, FuncId, Idx as _, IndexVec, MoveId, PhaseId, PlaceId, TableId,
};
use interpreter::program::model::{
    BodyModel, DomainModel, GateKind, Model, StepModel, index_values, instances,
};
use interpreter::program::tree::{Ex, Kind, Ty};
use rayon::prelude::*;

use referee_library::players::{Policy, Random};
use referee_store::numbers::{float, to_i64, to_u64, to_usize};
use referee_store::panics::caught;

/// A win, so that it can be shared by up to sixteen without a remainder: sums do not depend on their order.
pub const WIN: u64 = 720_720;

/// Decisions after which a game counts as endless.
const LONGEST: u64 = 100_000;
/// One decision in so many is used to try a move that may be illegal.
const PROBE_EVERY: u64 = 24;

/// Numbers of pieces and uses of the rows of one table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowUse {
    /// Moves that named the row.
    pub named: u64,
    /// Pieces of it that lay with players at the ends of games.
    pub placed: u64,
    /// Games in which one lay with a player at the end.
    pub games: u64,
    /// Players who held one at the end.
    pub holders: u64,
    /// Wins of such players, each counted as [`WIN`]; a shared win is a part of one.
    pub wins: u64,
    /// Scores of such players, all together.
    pub points: i64,
}

impl RowUse {
    /// Which part of its holders won; zero without any.
    pub fn won(&self) -> f64 {
        float(self.wins) / float(WIN) / float(self.holders.max(1))
    }

    /// The mean score of its holders; zero without any.
    pub fn score(&self) -> f64 {
        float(self.points) / float(self.holders.max(1))
    }
}

/// Numbers whose mean and spread are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    count: u64,
    sum: i64,
    squares: i128,
    least: i64,
    most: i64,
}

impl Spread {
    fn add(&mut self, value: i64) {
        self.merge(Spread {
            count: 1,
            sum: value,
            squares: i128::from(value) * i128::from(value),
            least: value,
            most: value,
        });
    }

    /// Adds other numbers.
    pub fn merge(&mut self, other: Spread) {
        if other.count == 0 {
            return;
        }
        *self = match self.count {
            0 => other,
            _ => Spread {
                count: self.count + other.count,
                sum: self.sum + other.sum,
                squares: self.squares + other.squares,
                least: self.least.min(other.least),
                most: self.most.max(other.most),
            },
        };
    }

    /// How many numbers.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their sum.
    pub fn sum(&self) -> i64 {
        self.sum
    }

    /// Their mean; zero of none.
    pub fn mean(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            float(self.sum) / float(self.count)
        }
    }

    /// Their standard deviation.
    pub fn deviation(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let count = i128::from(self.count);
        let spread = count * self.squares - i128::from(self.sum) * i128::from(self.sum);
        (float(spread.max(0))).sqrt() / float(self.count)
    }

    /// The least and the greatest.
    pub fn range(&self) -> (i64, i64) {
        (self.least, self.most)
    }
}

/// What happened in games.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Games that came to an end.
    pub games: u64,
    /// Decisions of players.
    pub decisions: u64,
    /// Moves that were the only legal ones.
    pub forced: u64,
    /// Decisions of a game.
    pub length: Spread,
    /// How often each phase began in a game, as numbered in the model: of the first games alone, if they are many.
    pub begun: Vec<Spread>,
    /// Games by ending, as numbered in the model.
    pub endings: Vec<u64>,
    /// Moves made, as numbered in the model.
    pub moves: Vec<u64>,
    /// Uses of rows, by table and row.
    pub rows: Vec<Vec<RowUse>>,
    /// Moves that were tried and refused, by clause.
    pub refused: BTreeMap<String, u64>,
    /// Moves that were tried and refused without a clause.
    pub refused_silently: u64,
    /// Moves that were tried.
    pub probes: u64,
    /// Scores by seat.
    pub scores: Vec<Spread>,
    /// Scores of winners.
    pub winning: Spread,
    /// Games won alone, by seat.
    pub won: Vec<u64>,
    /// Games whose win was shared, by seat.
    pub shared: Vec<u64>,
    /// Games that did not come to an end, by their seeds.
    pub failures: Vec<Failure>,
    /// Each game for itself, if that is wanted.
    pub each: Vec<One>,
}

/// One game.
#[derive(Clone, Debug, PartialEq)]
pub struct One {
    /// Its seed.
    pub seed: u64,
    /// Decisions of players.
    pub decisions: u64,
    /// Its ending, as numbered in the model.
    pub ending: Option<EndingId>,
    /// Scores by seat.
    pub scores: Vec<i64>,
    /// Winners, by seat.
    pub winners: Vec<u8>,
    /// Pieces that lay with players at the end, by table and row.
    pub placed: IndexVec<TableId, Vec<u64>>,
}

/// A game that did not come to an end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Failure {
    /// Its seed.
    pub seed: u64,
    /// What went wrong.
    pub message: String,
}

impl Tally {
    /// How many minutes a game takes if each decision takes so many seconds. Moves that are the only ones take none.
    pub fn minutes(&self, pace: u32) -> f64 {
        let free = float(self.decisions.saturating_sub(self.forced));
        free * f64::from(pace) / 60.0 / float(self.games.max(1))
    }

    /// What a game goes through again and again, and how often: its rounds, or its turns.
    pub fn rounds(&self, model: &Model) -> Vec<(PhaseId, Spread)> {
        let rounds = rounds(model).into_iter();
        rounds
            .map(|phase| (phase, self.begun[phase.index()]))
            .filter(|(_, begun)| begun.range().1 > 1)
            .collect()
    }

    fn of(model: &Model) -> Tally {
        let seats = usize::from(model.players);
        Tally {
            begun: vec![Spread::default(); model.phases.len()],
            endings: vec![0; model.endings.len()],
            moves: vec![0; model.moves.len()],
            rows: model
                .tables
                .iter()
                .map(|table| vec![RowUse::default(); table.rows.len()])
                .collect(),
            scores: vec![Spread::default(); seats],
            won: vec![0; seats],
            shared: vec![0; seats],
            ..Tally::default()
        }
    }

    /// Adds what happened in other games of the same ruleset.
    fn merge(mut self, other: Tally) -> Tally {
        fn add(into: &mut [u64], from: &[u64]) {
            into.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        }
        self.games += other.games;
        self.decisions += other.decisions;
        self.forced += other.forced;
        self.length.merge(other.length);
        for (begun, other) in self.begun.iter_mut().zip(&other.begun) {
            begun.merge(*other);
        }
        add(&mut self.endings, &other.endings);
        add(&mut self.moves, &other.moves);
        for (rows, others) in self.rows.iter_mut().zip(&other.rows) {
            for (row, other) in rows.iter_mut().zip(others) {
                row.named += other.named;
                row.placed += other.placed;
                row.games += other.games;
                row.holders += other.holders;
                row.wins += other.wins;
                row.points += other.points;
            }
        }
        for (clause, count) in other.refused {
            *self.refused.entry(clause).or_default() += count;
        }
        self.refused_silently += other.refused_silently;
        self.probes += other.probes;
        for (spread, other) in self.scores.iter_mut().zip(&other.scores) {
            spread.merge(*other);
        }
        self.winning.merge(other.winning);
        add(&mut self.won, &other.won);
        add(&mut self.shared, &other.shared);
        self.failures.extend(other.failures);
        self.each.extend(other.each);
        self
    }
}

/// The phases that the outermost phase visits: among them are the rounds or turns that a game goes through.
fn rounds(model: &Model) -> Vec<PhaseId> {
    fn visited(steps: &[StepModel], into: &mut Vec<PhaseId>) {
        for step in steps {
            match &step.body {
                BodyModel::Visit { phase, .. } => into.push(*phase),
                BodyModel::Steps(inner) => visited(inner, into),
                _ => {}
            }
        }
    }
    let of = |phase: PhaseId| {
        let mut all = Vec::new();
        visited(&model.phases[phase].steps, &mut all);
        all
    };
    let phases = || model.phases.iter_enumerated().map(|(phase, _)| phase);
    let within: BTreeSet<PhaseId> = phases().flat_map(of).collect();
    let outermost = phases().find(|phase| !within.contains(phase));
    outermost.map(of).unwrap_or_default()
}

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The seed of the first game.
    pub seed: u64,
    /// How many games.
    pub games: u64,
    /// Whether conservation is proven after every move.
    pub verify: bool,
    /// How the players play.
    pub policy: Policy,
    /// Whether every game is kept for itself.
    pub each: bool,
}

/// Games of which it is counted how often their phases begin.
const LOGGED: u64 = 200;

/// Plays games on the threads of the current pool. `done` is called after each; once it says no, games that
/// have not begun are left out.
pub fn play(ruleset: &Arc<Ruleset>, plan: Plan, done: &(dyn Fn() -> bool + Sync)) -> Tally {
    let counter = Counter::new(ruleset);
    let on = AtomicBool::new(true);
    let mut tally = (0..plan.games)
        .into_par_iter()
        .fold(
            || Tally::of(ruleset.model()),
            |mut tally, game| {
                if on.load(Ordering::Relaxed) {
                    counter.game(plan.seed.wrapping_add(game), plan, &mut tally);
                    if !done() {
                        on.store(false, Ordering::Relaxed);
                    }
                }
                tally
            },
        )
        .reduce(|| Tally::of(ruleset.model()), Tally::merge);
    // Which thread met them says nothing.
    tally.failures.sort();
    tally.each.sort_by_key(|one| one.seed);
    tally
}

/// What is looked up once for all games.
struct Counter<'r> {
    ruleset: &'r Arc<Ruleset>,
    /// By move: registers that hold rows, with their tables.
    rows_at: IndexVec<MoveId, Vec<(usize, TableId)>>,
    /// By move: bags, with their tables.
    bags_at: IndexVec<MoveId, Vec<(usize, TableId)>>,
    /// Places that belong to players.
    with_players: Vec<PlaceId>,
}

impl<'r> Counter<'r> {
    fn new(ruleset: &'r Arc<Ruleset>) -> Self {
        let model = ruleset.model();
        let (mut rows_at, mut bags_at) = (IndexVec::default(), IndexVec::default());
        for mv in &model.moves {
            let (mut rows, mut bags) = (Vec::new(), Vec::new());
            for param in &mv.params {
                let at = usize::from(param.register).saturating_sub(1);
                match (&param.domain, &param.ty) {
                    (DomainModel::Bag { table, .. }, _) => bags.push((at, *table)),
                    (_, Ty::Row(table)) => rows.push((at, *table)),
                    (_, Ty::Option(inner)) => {
                        if let Ty::Row(table) = **inner {
                            rows.push((at, table));
                        }
                    }
                    _ => {}
                }
            }
            rows_at.push(rows);
            bags_at.push(bags);
        }
        let places = model.places.iter_enumerated();
        let with_players = places
            .filter(|(_, place)| place.index.iter().any(|(ty, _)| *ty == Ty::Player))
            .map(|(i, _)| i)
            .collect();
        Counter {
            ruleset,
            rows_at,
            bags_at,
            with_players,
        }
    }

    /// Plays one game; whatever goes wrong in it is its failure and nobody else's.
    fn game(&self, seed: u64, plan: Plan, tally: &mut Tally) {
        let mut one = Tally::of(self.ruleset.model());
        let played = caught(|| self.played(seed, plan, &mut one));
        let failed = match played {
            Ok(Ok(())) => None,
            Ok(Err(message)) => Some(message),
            Err(_) => Some("the engine panicked, which is a bug of ours".to_owned()),
        };
        match failed {
            None => one.games = 1,
            Some(message) => one.failures.push(Failure { seed, message }),
        }
        let all = std::mem::take(tally);
        *tally = all.merge(one);
    }

    fn played(&self, seed: u64, plan: Plan, tally: &mut Tally) -> Result<(), String> {
        let verify = plan.verify;
        let (mut player, mut prober) = (Random::new(seed, 0), Random::new(seed, 1));
        let logged = seed.wrapping_sub(plan.seed) < LOGGED;
        let game = Game::new(self.ruleset.clone(), Seed::from_number(seed), false, logged);
        // A search compares moves, so it wants them listed.
        let mut game = match plan.policy {
            Policy::Search(_) => game,
            Policy::Random | Policy::Greedy => game.drawing(),
        };
        game.start().map_err(|fault| fault.to_string())?;
        if verify {
            game.verify()?;
        }
        while !game.is_over() {
            if tally.decisions >= LONGEST {
                return Err(format!("the game did not end within {LONGEST} decisions"));
            }
            if prober.word() % PROBE_EVERY == 0 {
                tally.probes += 1;
                if let Some(probe) = game.probe(&mut || prober.word()) {
                    match probe.clause {
                        Some(clause) => *tally.refused.entry(clause.to_string()).or_default() += 1,
                        None => tally.refused_silently += 1,
                    }
                }
            }
            tally.decisions += 1;
            let mut seen = |played: Played<'_>| {
                tally.moves[played.mv.index()] += 1;
                tally.forced += u64::from(played.forced);
                for (at, table) in &self.rows_at[played.mv] {
                    let row = played
                        .args
                        .get(*at)
                        .and_then(|row| usize::try_from(*row).ok());
                    if let Some(row) = row.and_then(|row| tally.rows[table.index()].get_mut(row)) {
                        row.named += 1;
                    }
                }
                for (at, table) in &self.bags_at[played.mv] {
                    for (row, count) in tally.rows[table.index()]
                        .iter_mut()
                        .zip(&played.args[*at..])
                    {
                        row.named += u64::from(*count > 0);
                    }
                }
            };
            match plan.policy {
                Policy::Random => game.play_random_seen(&mut || player.word(), &mut seen),
                Policy::Greedy => {
                    game.play_greedy_seen(CONSIDERED, &mut || player.word(), &mut seen)
                }
                Policy::Search(search) => {
                    game.play_searched_seen(search, &mut || player.word(), &mut seen)
                }
            }
            .map_err(|fault| fault.to_string())?;
            if verify {
                game.verify()?;
            }
        }
        self.ended(&game, seed, plan, tally);
        Ok(())
    }

    fn ended(&self, game: &Game, seed: u64, plan: Plan, tally: &mut Tally) {
        let model = self.ruleset.model();
        tally.length.add(to_i64(tally.decisions));
        if seed.wrapping_sub(plan.seed) < LOGGED {
            for (begun, times) in tally.begun.iter_mut().zip(&game.phases_begun()) {
                begun.add(i64::from(*times));
            }
        }
        let mut placed = model.tables.map(|table| vec![0u64; table.rows.len()]);
        // Which seats hold which rows.
        let seats = usize::from(model.players);
        let mut held = placed.map(|rows| vec![vec![false; seats]; rows.len()]);
        for place in &self.with_players {
            let declared = &model.places[*place];
            for instance in 0..instances(&declared.index) {
                let cells = game.cells_of(*place, instance);
                let owner = index_values(&declared.index, instance)
                    .into_iter()
                    .zip(&declared.index)
                    .find(|(_, (ty, _))| *ty == Ty::Player)
                    .map_or(0, |(seat, _)| to_usize(seat));
                let held = &mut held[declared.table];
                if declared.pile {
                    let size = cells.first().map_or(0, |size| to_usize(*size));
                    for row in cells.iter().skip(1).take(size) {
                        placed[declared.table][to_usize(*row)] += 1;
                        held[to_usize(*row)][owner] = true;
                    }
                } else {
                    let rows = placed[declared.table].iter_mut().zip(held);
                    for ((row, held), count) in rows.zip(cells) {
                        *row += u64::try_from(*count).unwrap_or(0);
                        held[owner] |= *count > 0;
                    }
                }
            }
        }
        for (rows, placed) in tally.rows.iter_mut().zip(&placed) {
            for (row, count) in rows.iter_mut().zip(placed) {
                row.placed += count;
                row.games += u64::from(*count > 0);
            }
        }
        let Some(outcome) = game.outcome() else {
            return;
        };
        let endings = &model.endings;
        let ending = endings.position(|e| e.name == outcome.ending);
        if let Some(ending) = ending {
            tally.endings[ending.index()] += 1;
        }
        let share = WIN / to_u64(outcome.winners.len().max(1));
        for (rows, held) in tally.rows.iter_mut().zip(&held) {
            for (row, held) in rows.iter_mut().zip(held) {
                for sheet in &outcome.scores {
                    if held[usize::from(sheet.seat.0)] {
                        row.holders += 1;
                        row.points += sheet.total;
                        row.wins += match outcome.winners.contains(&sheet.seat) {
                            true => share,
                            false => 0,
                        };
                    }
                }
            }
        }
        if plan.each {
            tally.each.push(One {
                seed,
                decisions: tally.decisions,
                ending,
                scores: outcome.scores.iter().map(|sheet| sheet.total).collect(),
                winners: outcome.winners.iter().map(|seat| seat.0).collect(),
                placed,
            });
        }
        for sheet in &outcome.scores {
            tally.scores[usize::from(sheet.seat.0)].add(sheet.total);
        }
        for winner in &outcome.winners {
            let seat = usize::from(winner.0);
            match outcome.winners.len() {
                1 => tally.won[seat] += 1,
                _ => tally.shared[seat] += 1,
            }
        }
        if let Some(sheet) = outcome
            .winners
            .first()
            .and_then(|w| outcome.scores.get(usize::from(w.0)))
        {
            tally.winning.add(sheet.total);
        }
    }
}

/// In how many games of a run each clause of a traced ruleset ran, by its number in the model.
pub fn exercised(ruleset: &Arc<Ruleset>, plan: Plan) -> Vec<u64> {
    let clauses = ruleset.model().clauses.len();
    let sum = |mut all: Vec<u64>, one: Vec<u64>| {
        all.iter_mut().zip(one).for_each(|(a, b)| *a += b);
        all
    };
    (0..plan.games)
        .into_par_iter()
        .map(|game| {
            let seed = plan.seed.wrapping_add(game);
            let mut player = Random::new(seed, 0);
            let mut game = Game::traced(ruleset.clone(), Seed::from_number(seed)).drawing();
            let mut decisions = 0;
            let mut on = game.start().is_ok();
            while on && !game.is_over() && decisions < LONGEST {
                decisions += 1;
                on = game.play_random(&mut || player.word()).is_ok();
            }
            game.exercised()
                .iter()
                .map(|seen| u64::from(*seen))
                .collect()
        })
        .reduce(|| vec![0; clauses], sum)
}

/// Clauses that a refusal of some move may name.
pub fn refusing(model: &Model) -> BTreeSet<String> {
    let mut clauses = BTreeSet::new();
    for mv in &model.moves {
        for gate in &mv.gates {
            let mut of_gate = BTreeSet::from_iter(gate.cite);
            match gate.kind {
                // Whatever is written for another parameter is one of its values.
                GateKind::Domain(param)
                    if !matches!(
                        mv.params[param].domain,
                        DomainModel::Bag { .. } | DomainModel::Spread(_)
                    ) =>
                {
                    continue;
                }
                GateKind::Need(condition) if of_gate.is_empty() => {
                    deciding(model, condition, &mut BTreeSet::new(), &mut of_gate);
                }
                _ => {}
            }
            if of_gate.is_empty() {
                of_gate.extend(mv.cite);
            }
            clauses.extend(of_gate);
        }
    }
    clauses
        .into_iter()
        .map(|clause| model.clauses[clause].to_string())
        .collect()
}

/// Clauses of the cases of a condition and of the queries that it calls.
fn deciding(
    model: &Model,
    function: FuncId,
    seen: &mut BTreeSet<FuncId>,
    clauses: &mut BTreeSet<ClauseId>,
) {
    if !seen.insert(function) {
        return;
    }
    let function = &model.functions[function];
    if let Some(result) = &function.result {
        cases(model, result, seen, clauses);
    }
}

fn cases(model: &Model, ex: &Ex, seen: &mut BTreeSet<FuncId>, clauses: &mut BTreeSet<ClauseId>) {
    let mut all = |parts: &[&Ex]| {
        parts
            .iter()
            .for_each(|part| cases(model, part, seen, clauses))
    };
    match &ex.kind {
        Kind::Case(cite, inner) => {
            all(&[inner]);
            clauses.extend(*cite);
        }
        Kind::Minus(a) | Kind::Not(a) => all(&[a]),
        Kind::Binary(_, a, b) | Kind::And(a, b) => all(&[a, b]),
        // Exceptions to what forbids do not forbid, nor does what chooses between cases.
        Kind::Or(a, _) => all(&[a]),
        Kind::If(_, a, b) => all(&[a, b]),
        Kind::Call(function, args) => {
            args.iter().for_each(|arg| all(&[arg]));
            deciding(model, *function, seen, clauses);
        }
        _ => {}
    }
}
