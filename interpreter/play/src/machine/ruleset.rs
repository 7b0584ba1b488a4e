//! A checked and compiled ruleset, ready to be played.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

#[cfg(feature = "native")]
use super::compiled::Compiled;
use super::{FUEL, Trouble};
use crate::diagnostic::{Code, Diagnostics};
use crate::numbers::Fit as _;
use crate::program::Program;
use crate::program::graph::PhaseGraph;
use crate::program::model::{
    Cell, ClauseId, CounterModel, DieId, FuncId, IndexVec, MarkerModel, Model, MoveId, PlaceId,
    PlaceModel, index_values,
};
use crate::program::package::{Configuration, Package};
use crate::source::{Id, Sources};
use crate::state::{Memory, Raised, Raw, Seed, chance};

/// Whether this compiler lays states out as those did that wrote logs of the first format: only then their hashes
/// can be compared ([`Match::cells_hash`](crate::Match::cells_hash)). A change of the layout sets it to false, once
/// and for ever; such logs are then held to their moves, forced moves and endings.
pub const LAID_OUT_AS_LOGGED: bool = true;

/// A digest of 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The meaning of rulesets changes with this number: it is part of every digest.
///
/// It rises when a text that was accepted before can lead a match elsewhere than before: another legal move, another
/// outcome of a move, another draw, another order of what follows, another ending or score. It does not rise for what
/// cannot be seen in play: speed, layout, messages, new constructs, new errors. The golden continuations of
/// `tests/golden` notice when it must have risen and has not: old moves are then refused, or lead to other states.
///
/// A match that was begun under another number is played again by this engine, and goes on if every state on the way
/// is the one that its log names; otherwise it is suspended, and its host can move it. So it is, too, if the number should
/// have risen and has not, but then whoever checks the match is told that its record is not sound.
///
/// It has been 1 since the beginning. One fault was mended under it before there was a release: of a move with more than
/// sixty-four effects all from the sixty-fourth on were done if one of them applied. No ruleset that is kept here has such a move.
pub const SEMANTIC_VERSION: u32 = 1;

/// Units of [work](crate::budget) that the making of one ruleset may take: four and a half times what the largest of the shipped
/// ones takes, most of which is reading its texts.
pub const WORK: u64 = 60_000_000;

/// What runs the functions of a ruleset.
#[derive(Clone, Debug)]
pub(crate) enum Runs {
    /// The [interpreter](super::vm) of bytecode.
    Interpreter,
    /// Machine code.
    #[cfg(feature = "native")]
    Compiled(Arc<Compiled>),
    /// Something else.
    Engine(Arc<dyn Engine>),
}

/// Another way to run functions than by interpreting their bytecode or by machine code: an oracle of tests. Values, faults
/// and fuel are the same.
pub trait Engine: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Runs a function that only reads; its arguments are the first of the registers. Calls are nested so deeply already.
    fn read(
        &self,
        ruleset: &Ruleset,
        world: &mut Reader<'_>,
        registers: &mut [i64],
        function: FuncId,
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble>;

    /// Runs a function that may change the table.
    fn act(
        &self,
        ruleset: &Ruleset,
        world: &mut Table<'_>,
        registers: &mut [i64],
        function: FuncId,
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble>;
}

/// A state that is only read.
pub struct Reader<'a> {
    pub(crate) ruleset: &'a Ruleset,
    pub(crate) cells: &'a [i32],
    pub(crate) seen: Option<&'a mut IndexVec<ClauseId, bool>>,
    pub(crate) memory: Option<&'a mut Memory>,
    /// Who is shown what a listing finds; nobody has enough.
    pub(crate) sink: Option<Sink<'a>>,
    /// The question whose moves are gone through, as far as that was done.
    pub(crate) judged: Option<Judged<'a>>,
}

/// The sink of a listing: it is shown each legal move, and says whether that is enough.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(&mut Reader<'_>, Found<'_>) -> Result<bool, Trouble>;

/// A legal move, as it is found.
pub(crate) struct Found<'r> {
    /// The seat and the move's other registers are the first; those between belong to the listing that found it.
    pub(crate) registers: &'r mut [i64],
    pub(crate) width: usize,
    pub(crate) free: usize,
}

/// Moves of a question that were gone through for a seat: asking whether they are possible need not do so
/// again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged<'a> {
    pub(crate) seat: i64,
    pub(crate) moves: &'a [MoveId],
    /// How many of them were gone through.
    pub(crate) count: usize,
    /// Which of the first 64 are possible, a bit for each.
    pub(crate) possible: u64,
}

/// A state that effects change.
pub struct Table<'a> {
    pub(crate) ruleset: &'a Ruleset,
    pub(crate) cells: &'a mut [i32],
    pub(crate) seed: &'a Seed,
    pub(crate) log: Option<&'a mut Vec<Raw>>,
    pub(crate) seen: Option<&'a mut IndexVec<ClauseId, bool>>,
    pub(crate) raised: &'a mut Vec<Raised>,
    pub(crate) memory: &'a mut Memory,
}

/// A checked and compiled ruleset in one configuration; immutable and shared by all its matches.
#[derive(Clone, Debug)]
pub struct Ruleset {
    pub(crate) package: Package,
    pub(crate) sources: Arc<Sources>,
    pub(crate) warnings: Diagnostics,
    pub(crate) configuration: Configuration,
    pub(crate) digest: Digest,
    pub(crate) program: Program,
    /// Fuel of a condition of an ending or a watch: all of them together take no more than a condition of a move may.
    pub(crate) look_fuel: u64,
    /// What a game remembers before its first step.
    pub(crate) memory: Memory,
    pub(crate) runs: Runs,
    pub(crate) options: CompileOptions,
    /// What it took to make it.
    pub(crate) work: CompileWork,
}

/// Units of [work](crate::budget) that each stage of the making of a ruleset took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompileWork {
    /// Reading the texts and laying modules over them.
    pub load: u64,
    /// Checking.
    pub check: u64,
    /// Building the phase graph.
    pub graph: u64,
    /// Compiling, and laying out the first state.
    pub link: u64,
}

impl CompileWork {
    /// All of it.
    pub fn all(&self) -> u64 {
        self.load + self.check + self.graph + self.link
    }
}

/// How a ruleset is compiled.
#[derive(Clone, Copy, Debug)]
pub struct CompileOptions {
    /// Rules report their clauses as they run: for coverage.
    pub traced: bool,
    /// Codes of errors that do not keep a ruleset from being played: those that are newer than the texts. They are
    /// told as warnings.
    pub tolerated: &'static [Code],
    /// Everybody is told of something more after every move, as if there were one more kind of event: for tests of what
    /// must not hang on which kinds there are.
    pub telling_more: bool,
    /// Units of work that it may take.
    pub work: u64,
}

impl Default for CompileOptions {
    fn default() -> Self {
        CompileOptions {
            traced: false,
            tolerated: &[],
            telling_more: false,
            work: WORK,
        }
    }
}

impl Ruleset {
    /// Returns the ruleset of a program and what that was made from.
    pub fn of(
        program: Program,
        package: Package,
        sources: Arc<Sources>,
        configuration: Configuration,
        digest: Digest,
        options: CompileOptions,
    ) -> Ruleset {
        Ruleset {
            look_fuel: look_fuel(&program.model),
            memory: Memory::new(
                program.regions.count(),
                &program.endings_read,
                &program.watches_read,
            ),
            program,
            package,
            sources,
            warnings: Diagnostics::default(),
            configuration,
            digest,
            runs: Runs::Interpreter,
            options,
            work: CompileWork::default(),
        }
    }

    /// Returns whether functions of this ruleset run as machine code.
    pub fn is_native(&self) -> bool {
        match self.runs {
            #[cfg(feature = "native")]
            Runs::Compiled(_) => true,
            Runs::Interpreter | Runs::Engine(_) => false,
        }
    }

    /// Returns the same ruleset with these warnings.
    #[must_use]
    pub fn with_warnings(self, warnings: Diagnostics) -> Ruleset {
        Ruleset { warnings, ..self }
    }

    /// Returns the same ruleset with the work that its compilation took.
    #[must_use]
    pub fn with_work(self, work: CompileWork) -> Ruleset {
        Ruleset { work, ..self }
    }

    /// Returns the options that it was compiled with.
    pub fn options(&self) -> CompileOptions {
        self.options
    }

    /// The same ruleset with another program.
    pub fn with_program(&self, program: Program) -> Ruleset {
        let warnings = self.warnings.clone();
        let (package, sources) = (self.package.clone(), self.sources.clone());
        let configuration = self.configuration.clone();
        let of = Ruleset::of(
            program,
            package,
            sources,
            configuration,
            self.digest,
            self.options,
        );
        Ruleset { warnings, ..of }
    }

    /// The same ruleset with its functions run by another engine.
    pub fn with_engine(self, engine: Arc<dyn Engine>) -> Ruleset {
        Ruleset {
            runs: Runs::Engine(engine),
            ..self
        }
    }

    /// What runs.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Whether rules report their clauses as they run.
    pub fn is_traced(&self) -> bool {
        self.options.traced
    }

    /// What it took to make it.
    pub fn work(&self) -> CompileWork {
        self.work
    }

    /// The composed package: names, clauses, tables.
    pub fn package(&self) -> &Package {
        &self.package
    }

    /// The texts it was compiled from.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Warnings.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// The configuration.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// The digest of content, configuration and the engine's semantic version.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The checked ruleset: places, moves, phases.
    #[inline]
    pub fn model(&self) -> &Model {
        &self.program.model
    }

    /// The phase graph that runs.
    pub fn phase_graph(&self) -> &PhaseGraph {
        &self.program.graph
    }

    /// The cells of a state in which nothing is.
    pub(crate) fn empty(&self) -> Vec<i32> {
        let mut cells = vec![0; self.program.initial.len()];
        for place in self.model().places.iter().filter(|place| place.endless) {
            cells[place.span()].copy_from_slice(&self.program.initial[place.span()]);
        }
        cells
    }

    /// The number of players.
    pub fn players(&self) -> u8 {
        self.model().players
    }

    /// The first instruction of a function.
    pub(crate) fn start_of(&self, function: FuncId) -> u32 {
        self.program.bytecode.functions[function].start
    }

    pub(crate) fn clause(&self, number: Option<ClauseId>) -> Option<Id> {
        number.map(|n| self.model().clauses[n].clone())
    }

    /// The counter at a cell, if it is one.
    pub(crate) fn counter(&self, cell: Cell) -> Option<&CounterModel> {
        let counter = self.program.lookup.counter(cell)?;
        self.model().counters.get(counter)
    }

    /// The marker at a cell, if it is one.
    pub(crate) fn marker(&self, cell: Cell) -> Option<&MarkerModel> {
        let marker = self.program.lookup.marker(cell)?;
        self.model().markers.get(marker)
    }

    /// The place to which a cell belongs, if it belongs to one.
    pub(crate) fn find_place(&self, cell: Cell) -> Option<&PlaceModel> {
        let place = self.program.lookup.place(cell)?;
        self.model().places.get(place.number)
    }

    /// The place to which a cell of a place belongs.
    pub(crate) fn place_of(&self, cell: Cell) -> &PlaceModel {
        self.find_place(cell).expect("pieces lie in places")
    }

    /// The stream of a die.
    pub(crate) fn die_stream(&self, die: DieId) -> u64 {
        let marker = self.model().dice[die].marker;
        chance::stream(&self.model().markers[marker].name)
    }

    /// The stream of a pile that starts at a cell.
    pub(crate) fn stream(&self, place: PlaceId, cell: Cell) -> u64 {
        let place = &self.model().places[place];
        let values = index_values(&place.index, place.instance(cell));
        let mut purpose = place.name.to_string();
        if !values.is_empty() {
            let list: Vec<String> = values.iter().map(i64::to_string).collect();
            purpose = format!("{purpose}({})", list.join(","));
        }
        chance::stream(&purpose)
    }
}

/// Fuel of a condition of an ending or a watch.
fn look_fuel(model: &Model) -> u64 {
    let seats = |each: bool| if each { usize::from(model.players) } else { 1 };
    let watched: usize = model.watches.iter().map(|watch| seats(watch.each)).sum();
    FUEL / (model.endings.len() + watched).max(1).fit::<u64>()
}
