//! A checked and compiled ruleset, ready to be played.

use std::sync::Arc;

use super::api::Id;
use super::canonical;
use super::chance;
use super::facts::Facts;
use super::memory::Memory;
use super::requirements;
use super::shuffle;
use super::sites::Sites;
use super::vm::FUEL;
use crate::budget::{self, Budget, Ended};
use crate::check::explain;
use crate::check::ir::NONE;
use crate::check::model::{CounterModel, MarkerModel, Model, PlaceModel, index_values, instances};
use crate::check::regions::{Reads, Regions};
use crate::check::registers_read;
use crate::check::{self, ir::FuncId};
use crate::compile::bytecode::Program;
use crate::compile::graph::{Linked, PhaseGraph};
use crate::compile::{graph, lower};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
#[cfg(feature = "native")]
use crate::native;
use crate::package::{self, Configuration, Package, PackageTexts};
use crate::source::Sources;

/// The meaning of rulesets changes with this number: it is part of every digest.
///
/// It rises when a text that was accepted before can lead a match elsewhere than before: another legal move, another
/// outcome of a move, another draw, another order of what follows, another ending or score. It does not rise for what
/// cannot be seen in play: speed, layout, messages, new constructs, new errors. The golden continuations of
/// `tests/golden` notice when it must have risen and has not: old moves are then refused, or lead to other states.
///
/// A match that was begun under another number is played again by this engine, and goes on if every state on the way
/// is the one that its log names.
pub const SEMANTIC_VERSION: u32 = 1;

/// Whether this compiler lays states out as those did that wrote logs of the first format: only then their hashes
/// can be compared ([`Match::cells_hash`](super::Match::cells_hash)). Whoever changes the layout sets it to false, once
/// and for ever; such logs are then held to their moves, forced moves and endings.
pub const LAID_OUT_AS_LOGGED: bool = true;

/// Units of [work](crate::budget) that the making of one ruleset may take: some five times what the largest of the shipped
/// ones takes, most of which is reading its texts.
pub const WORK: u64 = 50_000_000;

impl CompileWork {
    /// All of it.
    pub fn all(&self) -> u64 {
        self.load + self.check + self.graph + self.link
    }
}

/// A ruleset that is not playable: what is wrong, and the texts to show it in.
#[derive(Debug)]
pub struct Rejected {
    /// The texts.
    pub sources: Sources,
    /// What is wrong.
    pub diagnostics: Diagnostics,
}

impl Rejected {
    /// Whether it was given up because it takes too much [work](WORK).
    pub fn takes_too_much(&self) -> bool {
        self.diagnostics
            .list
            .iter()
            .any(|found| found.code == Code(706))
    }
}

/// A digest of 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// A checked and compiled ruleset in one configuration; immutable and shared by all its matches.
#[derive(Clone, Debug)]
pub struct Ruleset {
    package: Package,
    sources: Arc<Sources>,
    warnings: Diagnostics,
    configuration: Configuration,
    digest: Digest,
    pub(crate) model: Model,
    pub(crate) program: Program,
    pub(crate) graph: PhaseGraph,
    pub(crate) nodes: Vec<Linked>,
    /// What is asked at every step.
    pub(crate) facts: Facts,
    /// What places, counters and markers are called.
    pub(crate) sites: Sites,
    /// The state before the first step.
    pub(crate) initial: Vec<i32>,
    /// The parts of the state that change together.
    pub(crate) regions: Regions,
    /// For each ending, what its condition reads.
    pub(crate) endings_read: Vec<Reads>,
    /// Fuel of a condition of an ending or a watch: all of them together take no more than a condition of a move may.
    pub(crate) look_fuel: u64,
    /// Conditions of each move that read open parameters, by the last of them.
    pub(crate) open_needs: Vec<Vec<Vec<OpenNeed>>>,
    /// For each watch, what its condition reads.
    pub(crate) watches_read: Vec<Reads>,
    /// What a game remembers before its first step.
    pub(crate) memory: Memory,
    /// The node that takes up what follows from events.
    pub(crate) follow: u32,
    /// Places that last as long as a phase, by phase.
    pub(crate) trays: Vec<Vec<Tray>>,
    /// In which order a state is written.
    pub(crate) plan: canonical::Plan,
    pub(crate) options: CompileOptions,
    /// What it took to make it.
    work: CompileWork,
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

/// A condition that reads an open parameter.
#[derive(Clone, Debug)]
pub(crate) struct OpenNeed {
    pub condition: FuncId,
    /// The parameters that it reads: a bit for each.
    pub parameters: u64,
    /// The registers that it reads of the last of them, counted from that parameter's first.
    pub registers: Vec<usize>,
}

/// The cells of a place that lasts as long as a phase, and where that is written.
#[derive(Clone, Debug)]
pub(crate) struct Tray {
    pub cells: std::ops::Range<usize>,
    pub op: u32,
}

/// How a ruleset is compiled.
#[derive(Clone, Copy, Debug)]
pub struct CompileOptions {
    /// Rules report their clauses as they run: for coverage.
    pub traced: bool,
    /// Codes of errors that do not keep a ruleset from being played: those that are newer than the texts. They are
    /// told as warnings.
    pub tolerated: &'static [u16],
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
    /// Loads, composes, checks and compiles. `house_rules` are further module folders, laid over
    /// after the configuration's own modules.
    pub fn compile(
        base: &PackageTexts,
        house_rules: &[(String, PackageTexts)],
        configuration: &Configuration,
    ) -> Result<Arc<Ruleset>, Rejected> {
        Self::compile_with(base, house_rules, configuration, CompileOptions::default())
    }

    /// As [`compile`](Self::compile), with options.
    pub fn compile_with(
        base: &PackageTexts,
        house_rules: &[(String, PackageTexts)],
        configuration: &Configuration,
        options: CompileOptions,
    ) -> Result<Arc<Ruleset>, Rejected> {
        let mut sources = Arc::default();
        let mut diagnostics = Diagnostics::tolerating(options.tolerated);
        let (made, _) = budget::within(&Budget::of(options.work), || {
            let texts = (base, house_rules);
            Self::made(
                texts,
                configuration,
                options,
                &mut sources,
                &mut diagnostics,
            )
        });
        let made = made.unwrap_or_else(|ended| {
            diagnostics.push(too_much_work(ended, options.work));
            None
        });
        let found = diagnostics.settled(&sources);
        match made {
            Some(ruleset) if !found.has_errors() => Ok(Arc::new(Ruleset {
                warnings: found,
                ..ruleset
            })),
            _ => Err(Rejected {
                diagnostics: found,
                sources: Arc::unwrap_or_clone(sources),
            }),
        }
    }

    /// A ruleset, unless there are mistakes; the reasons are in `diagnostics`.
    fn made(
        (base, house_rules): (&PackageTexts, &[(String, PackageTexts)]),
        configuration: &Configuration,
        options: CompileOptions,
        sources: &mut Arc<Sources>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Ruleset> {
        let mut work = CompileWork::default();
        let texts = Arc::make_mut(sources);
        let load = || package::load(texts, base, house_rules, configuration, diagnostics);
        let package;
        (package, work.load) = budget::counted(load);
        let package = package?;
        let model;
        // A package that loads with mistakes is still checked, so that the author sees all of them.
        (model, work.check) =
            budget::counted(|| check::check(&package, configuration, diagnostics));
        let model = model?;
        let graph;
        (graph, work.graph) = budget::counted(|| {
            let graph = graph::build(&model);
            graph::analyse(&graph, &model, diagnostics);
            graph
        });
        if diagnostics.has_errors() {
            return None;
        }
        let digest = digest(&package, sources, base, house_rules, configuration);
        let ruleset;
        (ruleset, work.link) = budget::counted(|| {
            let ruleset = Self::link(
                package,
                sources.clone(),
                Diagnostics::default(),
                configuration.clone(),
                digest,
                model,
                graph,
                options,
            );
            diagnostics.list.extend(requirements::unmet(&ruleset));
            ruleset
        });
        Some(Ruleset { work, ..ruleset })
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of a ruleset")]
    fn link(
        package: Package,
        sources: Arc<Sources>,
        warnings: Diagnostics,
        configuration: Configuration,
        digest: Digest,
        model: Model,
        graph: PhaseGraph,
        options: CompileOptions,
    ) -> Ruleset {
        let regions = Regions::new(&model);
        let mut program = lower::lower(&model, &regions, options.traced);
        let read = |when: FuncId| regions.reads(&model, when);
        let seats = |each: bool| if each { usize::from(model.players) } else { 1 };
        let watched: usize = model.watches.iter().map(|watch| seats(watch.each)).sum();
        let look_fuel = FUEL / (model.endings.len() + watched).max(1) as u64;
        let endings = model.endings.iter();
        let endings_read: Vec<Reads> = endings
            .map(|ending| ending.when.map_or(Reads::Some(Vec::new()), read))
            .collect();
        let watches = model.watches.iter();
        let watches_read: Vec<Reads> = watches
            .map(|watch| match watch.under {
                // Phases come and go without a write that shows it.
                Some(_) => Reads::Everything,
                None => read(watch.when),
            })
            .collect();
        let mut trays = vec![Vec::new(); model.phases.len()];
        for place in &model.places {
            if let Some(phase) = place.phase {
                let cells = place.cells();
                // A fault names the place as it names an instruction.
                program.spans.push(place.span);
                trays[phase].push(Tray {
                    cells: cells.start as usize..cells.end as usize,
                    op: program.spans.len() as u32 - 1,
                });
            }
        }
        let nodes = graph::link(&graph);
        let game = model
            .phases
            .iter()
            .position(|p| &*p.name == "game")
            .unwrap_or(0);
        let start = graph.begins[game].index() as u32;
        let facts = Facts::new(&model, &regions);
        let sites = Sites::new(&model);
        let memory = Memory::new(&regions, &endings_read, &watches_read);
        let plan = canonical::Plan::new(&model, &graph, &nodes, &sites);
        let follow = nodes
            .iter()
            .position(|n| matches!(n.kind, graph::NodeKind::Follow))
            .unwrap_or(0) as u32;
        let initial = initial(&model, start);
        let open_needs = model
            .moves
            .iter()
            .map(|mv| {
                let mut last = vec![Vec::new(); mv.params.len()];
                for need in mv.needs.iter().filter(|n| n.open) {
                    let open = mv.params[..need.after].iter().rposition(|p| p.is_open());
                    let open = open.unwrap_or(0);
                    let param = &mv.params[open];
                    let of_it = param.register..param.register + param.len;
                    let read = registers_read(&model, need.condition);
                    let read = read.into_iter().filter(|r| of_it.contains(r));
                    last[open].push(OpenNeed {
                        condition: need.condition,
                        parameters: need.reads,
                        registers: read.map(|r| usize::from(r - param.register)).collect(),
                    });
                }
                last
            })
            .collect();
        Ruleset {
            package,
            sources,
            warnings,
            configuration,
            digest,
            model,
            program,
            graph,
            nodes,
            facts,
            sites,
            initial,
            open_needs,
            regions,
            endings_read,
            look_fuel,
            watches_read,
            memory,
            follow,
            trays,
            plan,
            options,
            work: CompileWork::default(),
        }
    }

    /// What it took to make it.
    pub fn work(&self) -> CompileWork {
        self.work
    }

    /// The same ruleset with another phase graph: for tools that ask what an edge is worth.
    pub fn with_graph(&self, graph: PhaseGraph) -> Ruleset {
        let (package, sources, warnings) = (
            self.package.clone(),
            self.sources.clone(),
            self.warnings.clone(),
        );
        let configuration = self.configuration.clone();
        let options = self.options;
        Self::link(
            package,
            sources,
            warnings,
            configuration,
            self.digest,
            self.model.clone(),
            graph,
            options,
        )
    }

    /// The same ruleset with the cells of its state and the nodes of its phase graph in an order drawn from a number:
    /// for tests of what must not hang on it.
    pub fn laid_out_otherwise(&self, number: u64) -> Arc<Ruleset> {
        let layout = shuffle::layout(&self.model, number);
        let (package, configuration) = (self.package.clone(), self.configuration.clone());
        let mut diagnostics = Diagnostics::default();
        let model =
            check::check_laid_out(&package, &configuration, Some(&layout), &mut diagnostics);
        let model = model.expect("it was checked before");
        let graph = shuffle::renumbered(&graph::build(&model), number);
        Arc::new(Self::link(
            package,
            self.sources.clone(),
            self.warnings.clone(),
            configuration,
            self.digest,
            model,
            graph,
            self.options,
        ))
    }

    /// The same ruleset with its bytecode as machine code: it plays the same games, faster. To make it takes
    /// up to a fifth of a second, so it is for whoever plays many.
    ///
    /// # Errors
    /// There is no translator for this machine, or the ruleset is traced.
    #[cfg(feature = "native")]
    pub fn natively(&self) -> Result<Arc<Ruleset>, native::NativeError> {
        use native::{Native, NativeError};

        if self.options.traced {
            return Err(NativeError::Traced);
        }
        let mut ruleset = self.clone();
        native::forget_light(&mut ruleset.program);
        let native = Native::of(&ruleset.program, ruleset.initial.len())?;
        ruleset.program.native = Some(Arc::new(native));
        Ok(Arc::new(ruleset))
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
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The phase graph that runs.
    pub fn phase_graph(&self) -> &PhaseGraph {
        &self.graph
    }

    /// The cells of a state in which nothing is.
    pub(crate) fn empty(&self) -> Vec<i32> {
        let mut cells = vec![0; self.initial.len()];
        for place in self.model.places.iter().filter(|place| place.endless) {
            let first = place.base as usize;
            let all = first..first + (instances(&place.index) * place.width) as usize;
            cells[all.clone()].copy_from_slice(&self.initial[all]);
        }
        cells
    }

    /// The number of players.
    pub fn players(&self) -> u8 {
        self.model.players
    }

    /// The first instruction of a function.
    pub(crate) fn start_of(&self, function: FuncId) -> u32 {
        self.program.functions[function.0 as usize].start
    }

    pub(crate) fn clause(&self, number: Option<usize>) -> Option<Id> {
        number.map(|n| self.model.clauses[n].clone())
    }

    /// The counter at a cell, if it is one.
    pub(crate) fn counter(&self, cell: u32) -> Option<&CounterModel> {
        let counter = self.facts.counter(cell)?;
        self.model.counters.get(counter)
    }

    /// The marker at a cell, if it is one.
    pub(crate) fn marker(&self, cell: u32) -> Option<&MarkerModel> {
        let marker = self.facts.marker(cell)?;
        self.model.markers.get(marker)
    }

    /// The place to which a cell belongs, if it belongs to one.
    pub(crate) fn find_place(&self, cell: u32) -> Option<&PlaceModel> {
        let place = self.facts.place(cell)?;
        self.model.places.get(place.number)
    }

    /// The place to which a cell of a place belongs.
    pub(crate) fn place_of(&self, cell: u32) -> &PlaceModel {
        self.find_place(cell).expect("pieces lie in places")
    }

    /// The stream of a die.
    pub(crate) fn die_stream(&self, die: usize) -> u64 {
        let marker = self.model.dice[die].marker;
        chance::stream(&self.model.markers[marker].name)
    }

    /// The stream of a pile that starts at a cell.
    pub(crate) fn stream(&self, place: usize, cell: u32) -> u64 {
        let place = &self.model.places[place];
        let values = index_values(&place.index, (cell - place.base) / place.width);
        let mut purpose = place.name.to_string();
        if !values.is_empty() {
            let list: Vec<String> = values.iter().map(i64::to_string).collect();
            purpose = format!("{purpose}({})", list.join(","));
        }
        chance::stream(&purpose)
    }
}

/// Content, configuration and semantic version, hashed in a stated order.
fn digest(
    package: &Package,
    sources: &Sources,
    base: &PackageTexts,
    house_rules: &[(String, PackageTexts)],
    configuration: &Configuration,
) -> Digest {
    let mut hasher = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    part(b"referee/ruleset/v1");
    part(&SEMANTIC_VERSION.to_le_bytes());
    part(&[configuration.players]);
    for module in &configuration.modules {
        part(module.as_bytes());
    }
    for (option, value) in &configuration.options {
        part(option.as_bytes());
        part(&value.to_le_bytes());
    }
    let mut files: Vec<_> = sources
        .iter()
        .filter(|(id, _)| !package.scenarios.contains(id))
        .map(|(_, f)| (inside(&f.path, base, house_rules), &f.text))
        .collect();
    files.sort();
    for (path, text) in files {
        part(path.as_bytes());
        part(text.as_bytes());
    }
    Digest(*hasher.finalize().as_bytes())
}

/// A path as the package knows it, wherever its folder lies: a ruleset is the same in another place.
fn inside(path: &str, base: &PackageTexts, house_rules: &[(String, PackageTexts)]) -> String {
    let below = |folder: &str| {
        let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
        rest.strip_prefix('/').filter(|_| !folder.is_empty())
    };
    for (name, texts) in house_rules {
        if let Some(rest) = below(&texts.path) {
            return format!("{name}/{rest}");
        }
    }
    below(&base.path).unwrap_or(path).to_owned()
}

/// What is reported of a text that takes too much work.
fn too_much_work(ended: Ended, work: u64) -> Diagnostic {
    let message = format!("making this ruleset takes more than {work} units of work");
    let diagnostic = match ended {
        Ended::Spent(Some(at)) => Diagnostic::error(706, at, message).label("here it was given up"),
        Ended::Spent(None) | Ended::Stopped => Diagnostic::without_place(706, message),
    };
    diagnostic.help("use fewer or smaller tables, or queries that ask less of each other")
}

/// The state before the first step: first contents, counters and markers.
fn initial(model: &Model, start: u32) -> Vec<i32> {
    let mut cells = vec![0i32; model.cells as usize];
    cells[crate::check::model::control::NODE as usize] = start as i32;
    for place in &model.places {
        if place.endless {
            let of_place = place.cells();
            cells[of_place.start as usize..of_place.end as usize]
                .fill(crate::check::model::ENDLESS);
        }
        let Some(starts) = place.starts else { continue };
        for instance in 0..instances(&place.index) {
            let first = (place.base + instance * place.width) as usize;
            for row in 0..model.tables[place.table].rows.len() {
                let n = explain::constant(model, starts, &[row as i64])
                    .unwrap_or(0)
                    .max(0) as i32;
                if place.pile {
                    for _ in 0..n {
                        let size = cells[first] as usize;
                        cells[first + 1 + size] = row as i32;
                        cells[first] += 1;
                    }
                } else {
                    cells[first + row] = n;
                }
            }
        }
    }
    let never: explain::Possible<'_> = &|_, _| false;
    let counters = model
        .counters
        .iter()
        .map(|c| (&c.index, c.base, c.starts, 0));
    let markers = model
        .markers
        .iter()
        .map(|m| (&m.index, m.base, m.starts, NONE as i32));
    for (index, base, starts, default) in counters.chain(markers) {
        for instance in 0..instances(index) {
            let args = index_values(index, instance);
            let value = match starts {
                Some(f) => explain::explain(model, &cells, never, f, &args, &[])
                    .0
                    .unwrap_or(0) as i32,
                None => default,
            };
            cells[(base + instance) as usize] = value;
        }
    }
    // What is true from the beginning does not become true.
    for watch in model.watches.iter().filter(|w| w.under.is_none()) {
        for player in 0..if watch.each { model.players } else { 1 } {
            let args = [i64::from(player)];
            let (holds, _) = explain::explain(model, &cells, never, watch.when, &args, &[]);
            cells[(watch.memory + u32::from(player)) as usize] = holds.unwrap_or(0) as i32;
        }
    }
    cells
}
