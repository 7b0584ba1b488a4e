//! `referee simulate`: many games, and what happens in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use interpreter::Ruleset;
use interpreter::package::Language;
use interpreter::play::{CompileOptions, NativeError};
use interpreter::program::ids::ClauseId;
use interpreter::program::model::Model;
use interpreter::scenario::{Report, Scenario};
use serde::Serialize;

use super::format::{Format, Lang, json};
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::policy::{Player, SearchArgs};
use super::ruleset::{Chosen, RulesetArgs};
use referee_library::players::{PlayedBy, Policy};
use referee_report::estimate::Estimate;
use referee_report::playouts::{Plan, Spread, Tally, exercised, play, refusing};
use referee_report::proofs::Proofs;
use referee_report::rules::{Rules, composed};
use referee_report::simulation::{Simulation, page, who};
use referee_report::transcript;
use referee_report::words::Words;
use referee_store::numbers::{float, to_u64};

/// Arguments of `simulate`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Game i of a run with seed s is the game of seed s + i; its transcript: --seed <s + i> --transcript.

Examples:
  referee simulate puerto-rico --players 4
  referee simulate puerto-rico --players 4 --games 10000 --jobs 1 --seed 1 --format json
  referee simulate puerto-rico --with ./tournament --verify
  referee simulate puerto-rico --players 3 --seed 17 --transcript --lang pl
  referee simulate puerto-rico --players 3 --policy greedy --csv games.csv --html report.html
  referee simulate san-juan --policy search --iterations 100 --games 20

Interrupting a run (Ctrl-C) ends it after the games under way and reports those that were played.

Exit codes: 0 every game came to its end, 1 the ruleset has mistakes or a game failed, 2 it could not be run.")]
pub struct Args {
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub ruleset: RulesetArgs,
    /// Number of players [default: the fewest that the ruleset allows]
    #[arg(long, value_name = "N")]
    pub players: Option<u8>,
    /// How many games
    #[arg(long, value_name = "G", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub games: u64,
    /// How many games at the same time [default: as many as there are processors]
    #[arg(long, value_name = "J", default_value_t = 0, hide_default_value = true)]
    pub jobs: usize,
    /// Seed of the first game; each further game has the next one
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// How the players play
    #[arg(long, value_enum, default_value_t)]
    pub policy: Player,
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub search: SearchArgs,
    /// Begin no game after so many seconds of play, and say how many were played
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub within: Option<u64>,
    /// Say how many minutes a game takes if whoever has a choice thinks so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub pace: Option<u32>,
    /// Write every game into a file: seed, decisions, ending, scores, winners
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write a page with tables and plots that needs nothing else
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Interpret the rules, do not make machine code of them: the same games take longer
    #[arg(long)]
    pub interpreted: bool,
    /// Prove after every move that no piece was lost and every place holds what it may
    #[arg(long)]
    pub verify: bool,
    /// Play the one game of the seed and print it move by move
    #[arg(long, conflicts_with_all = ["games", "jobs", "verify", "format", "csv", "html", "policy", "iterations", "horizon", "within", "pace", "interpreted"])]
    pub transcript: bool,
    /// The language of the transcript and of names
    #[arg(long, value_enum, default_value_t)]
    pub lang: Lang,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Games that are played once more with a traced ruleset, to see which clauses run.
const TRACED: u64 = 200;

/// To make machine code takes longer than fewer games than these do.
const NATIVE: u64 = 100;

/// What happened, for machines. Fields are added, never renamed.
#[derive(Debug, Serialize)]
struct Simulated {
    schema: &'static str,
    ruleset: String,
    version: String,
    modules: Vec<String>,
    digest: String,
    players: u8,
    policy: &'static str,
    /// How many games a player who searches imagines for each decision.
    iterations: Option<u32>,
    /// After how many decisions at random it judges them.
    horizon: Option<u32>,
    seed: u64,
    games: u64,
    /// How many were played: fewer than asked for if somebody interrupted the run.
    played: u64,
    interrupted: bool,
    jobs: usize,
    /// What ran the rules: `machine code` or `interpreter`.
    evaluator: &'static str,
    verified: bool,
    seconds: f64,
    games_per_second: f64,
    decisions_per_second: f64,
    decisions_per_game: f64,
    decisions: u64,
    forced_moves: u64,
    length: Figures,
    /// How often each phase began in a game, of the first 200 games.
    phases: BTreeMap<String, Figures>,
    /// Those of them that a game goes through again and again.
    rounds: Vec<String>,
    /// Seconds that a decision takes, and how many minutes a game takes then.
    pace: Option<u32>,
    minutes_per_game: Option<f64>,
    end_reasons: BTreeMap<String, u64>,
    scores: Scores,
    moves: BTreeMap<String, u64>,
    /// By table and row: how often moves named it, and how many lay with players at the ends.
    uses: BTreeMap<String, BTreeMap<String, Use>>,
    refusals: Refusals,
    clauses: Clauses,
    /// What was used zero times, and the scenarios that cover it.
    unused: Vec<Unused>,
    failures: Vec<Failed>,
}

#[derive(Debug, Serialize)]
struct Figures {
    mean: f64,
    deviation: f64,
    least: i64,
    most: i64,
}

impl From<Spread> for Figures {
    fn from(spread: Spread) -> Figures {
        let (least, most) = spread.range();
        Figures {
            mean: spread.mean(),
            deviation: spread.deviation(),
            least,
            most,
        }
    }
}

#[derive(Debug, Serialize)]
struct Scores {
    all: Figures,
    winners: Figures,
    by_seat: Vec<SeatScores>,
}

#[derive(Debug, Serialize)]
struct SeatScores {
    seat: usize,
    score: Figures,
    wins: u64,
    shared_wins: u64,
    /// The part of the games that were won, with the interval in which it lies in 95 of 100 cases.
    win_share: Estimate,
}

#[derive(Debug, Serialize)]
struct Use {
    named: u64,
    placed: u64,
    games: u64,
    /// Of those who held one at the end: how many there were, their part of the wins, their mean score.
    holders: u64,
    holders_won: f64,
    holders_score: f64,
    /// Their part of the wins, with the interval in which it lies in 95 of 100 cases.
    owners_win: Estimate,
}

impl Use {
    fn is_used(&self) -> bool {
        self.named > 0 || self.placed > 0
    }
}

#[derive(Debug, Serialize)]
struct Refusals {
    tried: u64,
    refused: u64,
    without_clause: u64,
    by_clause: BTreeMap<String, u64>,
}

#[derive(Debug, Serialize)]
struct Clauses {
    /// How many games were played to see which clauses run.
    games: u64,
    /// In how many of them each clause ran.
    ran: BTreeMap<String, u64>,
}

#[derive(Debug, Serialize)]
struct Unused {
    kind: &'static str,
    id: String,
    scenarios: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Failed {
    seed: u64,
    message: String,
    command: String,
}

/// Runs the command.
///
/// # Errors
///
/// When the ruleset cannot be found or read, or does not allow the number of players.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let asked = Instant::now();
    let policy = args.policy.policy("--policy", args.search)?;
    let chosen = args.ruleset.open()?;
    let Some(ruleset) = chosen.compiled(args.players, out)? else {
        return Ok(Exit::Bad);
    };
    let players = ruleset.model().players;
    if args.transcript {
        return told(args, &ruleset, out);
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.jobs)
        .build()
        .map_err(|error| Failure::Internal(error.to_string()))?;
    let bar = progress(args.games, out);
    let plan = Plan {
        seed: args.seed,
        games: args.games,
        verify: args.verify,
        policy,
        each: args.csv.is_some() || args.html.is_some(),
    };
    let fast = natively(args, &ruleset, out);
    let interrupt = Interrupt::watch();
    let began = Instant::now();
    let tally = pool.install(|| {
        play(&fast, plan, &|| {
            bar.inc(1);
            let is_in_time = args
                .within
                .is_none_or(|most| began.elapsed().as_secs() < most);
            is_in_time && !interrupt.happened()
        })
    });
    let seconds = began.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let played = tally.games + to_u64(tally.failures.len());
    if interrupt.happened() {
        out.note(format_args!(
            "interrupted after {played} of {} games; what follows is of those",
            args.games
        ));
    }
    if played < args.games && !interrupt.happened() {
        out.note(format_args!(
            "{played} of {} games were played within the time; what follows is of those",
            args.games
        ));
    }
    let traced = Plan {
        games: played.min(TRACED),
        verify: false,
        ..plan
    };
    let ran = match chosen.compile(
        players,
        CompileOptions {
            traced: true,
            ..CompileOptions::default()
        },
    ) {
        Ok(ruleset) => clauses(&ruleset, &pool.install(|| exercised(&ruleset, traced))),
        Err(_) => BTreeMap::new(),
    };
    let clauses = Clauses {
        games: traced.games,
        ran,
    };
    let command = |seed: u64| {
        let words = chosen.words(&args.ruleset.over);
        let again = match policy {
            // A transcript is of a game that is played at random.
            Policy::Random => "--transcript".to_owned(),
            Policy::Greedy => "--games 1 --policy greedy".to_owned(),
            Policy::Search(search) => format!(
                "--games 1 --policy search --iterations {} --horizon {}",
                search.iterations, search.horizon
            ),
        };
        format!("referee simulate {words} --players {players} --seed {seed} {again}")
    };
    let unused = unused(&chosen, &ruleset, &tally, &clauses);
    let simulated = simulated(
        args,
        policy,
        &fast,
        &tally,
        seconds,
        pool.current_num_threads(),
        clauses,
        unused,
        &command,
        interrupt.happened(),
    );
    let words = Words::new(ruleset.package(), args.lang.into());
    if let Some(path) = &args.csv {
        file(path, &csv(&tally, ruleset.model()), out)?;
    }
    if let Some(path) = &args.html {
        let page = page(&Simulation {
            ruleset: &ruleset,
            words: &words,
            tally: &tally,
            policy,
            seed: args.seed,
            pace: args.pace,
        });
        file(path, &page, out)?;
    }
    match args.format {
        Format::Human => print(&simulated, policy, &words, asked.elapsed(), out)?,
        Format::Json => json(out, &simulated)?,
    }
    for failed in &simulated.failures {
        out.error(format_args!(
            "the game of seed {} failed: {}\n       again: {}",
            failed.seed, failed.message, failed.command
        ));
    }
    Ok(match simulated.failures.is_empty() {
        true => Exit::Clean,
        false => Exit::Bad,
    })
}

/// Returns the ruleset as machine code if enough games are played to pay for the translation; the result of the
/// command names the evaluator.
fn natively(args: &Args, ruleset: &Arc<Ruleset>, out: &mut Out<'_>) -> Arc<Ruleset> {
    let many = args.games >= NATIVE || matches!(args.policy, Player::Search);
    if args.interpreted || !many {
        return ruleset.clone();
    }
    ruleset.natively().unwrap_or_else(|error| {
        if !matches!(error, NativeError::NotBuilt) {
            out.note(format_args!("{error}; interpreting instead"));
        }
        ruleset.clone()
    })
}

fn progress(games: u64, out: &Out<'_>) -> ProgressBar {
    if !out.live {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(games);
    if let Ok(style) = ProgressStyle::with_template(
        "{bar:40} {pos}/{len} games, {per_sec}, {elapsed} so far, {eta} left",
    ) {
        bar.set_style(style);
    }
    // A game of players who think may take minutes: the time tells that it goes on.
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// One game, move by move.
fn told(args: &Args, ruleset: &Arc<Ruleset>, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let played = match transcript::random_game(ruleset, args.seed) {
        Ok(played) => played,
        Err(fault) => {
            out.error(format_args!("the table cannot be set up: {fault}"));
            return Ok(Exit::Bad);
        }
    };
    let by = PlayedBy::default();
    let tables = transcript::Tables::Whole;
    let text = transcript::transcript(&played.game, by, args.lang.into(), tables);
    write!(out.data, "{text}")?;
    Ok(match played.fault {
        None => Exit::Clean,
        Some(fault) => {
            out.error(format_args!("the game failed here: {fault}"));
            Exit::Bad
        }
    })
}

fn clauses(ruleset: &Ruleset, ran: &[u64]) -> BTreeMap<String, u64> {
    let names = ruleset.model().clauses.iter();
    names
        .zip(ran)
        .map(|(clause, games)| (clause.to_string(), *games))
        .collect()
}

#[allow(clippy::too_many_arguments, reason = "the parts of the result")]
fn simulated(
    args: &Args,
    policy: Policy,
    ruleset: &Ruleset,
    tally: &Tally,
    seconds: f64,
    jobs: usize,
    clauses: Clauses,
    unused: Vec<Unused>,
    command: &dyn Fn(u64) -> String,
    interrupted: bool,
) -> Simulated {
    let (model, package) = (ruleset.model(), ruleset.package());
    let count = |counts: &[u64], names: Vec<String>| {
        let mut all = BTreeMap::new();
        for (name, count) in names.into_iter().zip(counts) {
            *all.entry(name).or_default() += count;
        }
        all
    };
    let addresses = model.moves.iter().map(|mv| mv.address.to_string());
    let endings = model.endings.iter().map(|ending| ending.name.to_string());
    let mut all = Spread::default();
    tally.scores.iter().for_each(|spread| all.merge(*spread));
    let by_seat = tally
        .scores
        .iter()
        .enumerate()
        .map(|(i, score)| SeatScores {
            seat: i + 1,
            score: (*score).into(),
            wins: tally.won[i],
            shared_wins: tally.shared[i],
            win_share: Estimate::of(float(tally.won[i]) / float(tally.games.max(1)), tally.games),
        });
    let tables = model.tables.iter().zip(&tally.rows).map(|(table, uses)| {
        let rows = table.rows.iter().zip(uses).map(|(row, used)| {
            let used = Use {
                named: used.named,
                placed: used.placed,
                games: used.games,
                holders: used.holders,
                holders_won: used.won(),
                holders_score: used.score(),
                owners_win: Estimate::of(used.won(), used.holders),
            };
            (row.to_string(), used)
        });
        (table.name.to_string(), rows.collect())
    });
    let refused = tally.refused.values().sum::<u64>() + tally.refused_silently;
    let search = match policy {
        Policy::Search(search) => Some(search),
        Policy::Random | Policy::Greedy => None,
    };
    Simulated {
        schema: "referee.simulate/1",
        ruleset: package.id.node.clone(),
        version: package.version.clone(),
        modules: package.modules.clone(),
        digest: ruleset.digest().to_string(),
        players: model.players,
        policy: args.policy.name(),
        iterations: search.map(|search| search.iterations),
        horizon: search.map(|search| search.horizon),
        seed: args.seed,
        games: args.games,
        played: tally.games + to_u64(tally.failures.len()),
        interrupted,
        jobs,
        evaluator: match ruleset.is_native() {
            true => "machine code",
            false => "interpreter",
        },
        verified: args.verify,
        seconds,
        games_per_second: float(tally.games) / seconds,
        decisions_per_second: float(tally.decisions) / seconds,
        decisions_per_game: tally.length.mean(),
        decisions: tally.decisions,
        forced_moves: tally.forced,
        length: tally.length.into(),
        phases: model
            .phases
            .iter()
            .zip(&tally.begun)
            .map(|(phase, begun)| (phase.name.to_string(), (*begun).into()))
            .collect(),
        rounds: tally
            .rounds(model)
            .iter()
            .map(|(phase, _)| model.phases[*phase].name.to_string())
            .collect(),
        pace: args.pace,
        minutes_per_game: args.pace.map(|pace| tally.minutes(pace)),
        end_reasons: count(&tally.endings, endings.collect()),
        scores: Scores {
            all: all.into(),
            winners: tally.winning.into(),
            by_seat: by_seat.collect(),
        },
        moves: count(&tally.moves, addresses.collect()),
        uses: tables.collect(),
        refusals: Refusals {
            tried: tally.probes,
            refused,
            without_clause: tally.refused_silently,
            by_clause: tally.refused.clone(),
        },
        clauses,
        unused,
        failures: tally
            .failures
            .iter()
            .map(|failure| Failed {
                seed: failure.seed,
                message: failure.message.clone(),
                command: command(failure.seed),
            })
            .collect(),
    }
}

/// What was used zero times, with the scenarios in which a clause of it ran or refused.
fn unused(chosen: &Chosen, ruleset: &Ruleset, tally: &Tally, clauses: &Clauses) -> Vec<Unused> {
    let model = ruleset.model();
    let name = |clause: Option<ClauseId>| clause.map(|c| model.clauses[c].to_string());
    let items = composed(ruleset.package());
    let rules = Rules::new(
        ruleset.package(),
        ruleset.sources(),
        &items,
        Language::English,
    );
    let citations = rules.citations();
    // Kind, id, and the clauses that say it.
    let mut found: Vec<(&'static str, String, BTreeSet<String>)> = Vec::new();
    for (ending, count) in model.endings.iter().zip(&tally.endings) {
        if *count == 0 {
            let clauses = name(ending.cite).into_iter().collect();
            found.push(("end_reason", ending.name.to_string(), clauses));
        }
    }
    for (mv, count) in model.moves.iter().zip(&tally.moves) {
        if *count == 0 {
            let cites = mv.gates.iter().map(|gate| gate.cite).chain([mv.cite]);
            let clauses = cites.filter_map(name).collect();
            found.push(("move", mv.address.to_string(), clauses));
        }
    }
    for (table, uses) in model.tables.iter().zip(&tally.rows) {
        for (row, used) in table.rows.iter().zip(uses) {
            if used.named == 0 && used.placed == 0 {
                let brought = format!("{} {row}", table.name);
                let about = citations.iter().filter(|citation| {
                    citation.what == brought || citation.what.ends_with(&format!(" of {brought}"))
                });
                let clauses = about.map(|citation| citation.clause.clone()).collect();
                found.push(("component", brought, clauses));
            }
        }
    }
    for clause in refusing(model) {
        if !tally.refused.contains_key(&clause) {
            found.push(("refusal", clause.clone(), BTreeSet::from([clause])));
        }
    }
    // Declarations have nothing that runs.
    let runs: BTreeSet<&str> = citations
        .iter()
        .filter(|citation| !referee_report::coverage::declares(&citation.what))
        .map(|citation| citation.clause.as_str())
        .collect();
    for (clause, games) in &clauses.ran {
        if *games == 0 && runs.contains(clause.as_str()) {
            found.push(("clause", clause.clone(), BTreeSet::from([clause.clone()])));
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    let proofs = Proofs::run(&chosen.base, &chosen.house, None);
    let unused = found.into_iter().map(|(kind, id, clauses)| {
        let scenarios = covering(&proofs, &clauses, kind);
        Unused {
            kind,
            id,
            scenarios,
        }
    });
    unused.collect()
}

/// Scenarios that pass and cite one of the clauses, best those in which a rule of it ran or refused.
fn covering(proofs: &Proofs, clauses: &BTreeSet<String>, kind: &str) -> Vec<String> {
    let cites = |scenario: &Scenario, clause: &String| {
        scenario.cites.iter().any(|cite| cite.node == *clause)
    };
    let named = |wanted: &dyn Fn(&Scenario, &Report, &String) -> bool| -> Vec<String> {
        proofs
            .ran()
            .filter(|(_, report)| report.passed())
            .filter(|(scenario, report)| clauses.iter().any(|c| wanted(scenario, report, c)))
            .map(|(scenario, _)| scenario.name.node.clone())
            .collect()
    };
    let mut found = named(&|scenario, report, clause| {
        cites(scenario, clause) && report.exercised.contains(clause)
    });
    if found.is_empty() {
        found = named(&|scenario, _, clause| cites(scenario, clause));
    }
    // That a rule ran does not show that it refuses.
    if found.is_empty() && kind != "refusal" {
        found = named(&|_, report, clause| report.exercised.contains(clause));
    }
    found
}

fn print(
    simulated: &Simulated,
    policy: Policy,
    words: &Words<'_>,
    took: Duration,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mut title = format!(
        "{} {}: {} games of {} players {}, from seed {}",
        simulated.ruleset,
        simulated.version,
        simulated.played,
        simulated.players,
        who(policy, words.language()),
        simulated.seed
    );
    if !simulated.modules.is_empty() {
        title += &format!(", with {}", simulated.modules.join(" and "));
    }
    writeln!(out.data, "{}", out.paint(Ink::Heading, title))?;
    writeln!(
        out.data,
        "{:.1} s, of which {:.1} s of play with {} jobs by {}: {:.0} games/s, {:.0} decisions/s; \
         {:.1} decisions in a game ({} to {})",
        took.as_secs_f64(),
        simulated.seconds,
        simulated.jobs,
        simulated.evaluator,
        simulated.games_per_second,
        simulated.decisions_per_second,
        simulated.decisions_per_game,
        simulated.length.least,
        simulated.length.most,
    )?;
    let mut long: Vec<String> = Vec::new();
    for round in &simulated.rounds {
        let begun = &simulated.phases[round];
        let (name, mean) = (words.phase(round), begun.mean);
        long.push(format!(
            "{name}: {mean:.1} ({} to {})",
            begun.least, begun.most
        ));
    }
    if let (Some(pace), Some(minutes)) = (simulated.pace, simulated.minutes_per_game) {
        long.push(format!("{minutes:.0} minutes at {pace} s a decision"));
    }
    if !long.is_empty() {
        writeln!(out.data, "in a game: {}", long.join("; "))?;
    }
    writeln!(out.data)?;
    let games = float(simulated.played.max(1));
    let share = |count: u64| format!("{:.1} %", 100.0 * float(count) / games);

    let mut endings = table(&["ended because", "games", ""]);
    for (ending, count) in &simulated.end_reasons {
        endings.add_row([words.ending(ending), count.to_string(), share(*count)]);
    }
    writeln!(out.data, "{endings}\n")?;

    let mut seats = table(&[
        "seat",
        "mean score",
        "spread",
        "least",
        "most",
        "games won",
        "share",
        "shared",
    ]);
    for seat in &simulated.scores.by_seat {
        seats.add_row([
            format!("p{}", seat.seat),
            format!("{:.1}", seat.score.mean),
            format!("{:.1}", seat.score.deviation),
            seat.score.least.to_string(),
            seat.score.most.to_string(),
            seat.wins.to_string(),
            sure(seat.win_share, out),
            seat.shared_wins.to_string(),
        ]);
    }
    writeln!(out.data, "{seats}\n")?;

    let mut is_held = false;
    for (name, rows) in &simulated.uses {
        let used: Vec<(&String, &Use)> = rows.iter().filter(|(_, used)| used.is_used()).collect();
        if used.is_empty() {
            continue;
        }
        let mut uses = table(&[
            name,
            "chosen in moves",
            "with players at the end",
            "in games",
            "its owners win",
            "its owners' score",
        ]);
        for (row, used) in used {
            uses.add_row([
                words.row(name, row),
                used.named.to_string(),
                format!("{:.2} per game", float(used.placed) / games),
                share(used.games),
                held(used, sure(used.owners_win, out)),
                held(used, format!("{:.1}", used.holders_score)),
            ]);
            is_held |= used.holders > 0;
        }
        writeln!(out.data, "{uses}\n")?;
    }
    if is_held {
        writeln!(
            out.data,
            "{}\n",
            out.paint(
                Ink::Dim,
                "behind a share, in per cent, where it lies in 95 of 100 cases; owning something need not be why somebody \
                 wins: whoever does well may buy more"
            )
        )?;
    }

    let mut moves = table(&["move", "times made", "per game"]);
    for (mv, count) in &simulated.moves {
        moves.add_row([
            mv.clone(),
            count.to_string(),
            format!("{:.2}", float(*count) / games),
        ]);
    }
    writeln!(out.data, "{moves}\n")?;

    let tried = format!(
        "refused ({} of {} moves tried)",
        simulated.refusals.refused, simulated.refusals.tried
    );
    let mut refusals = table(&[&tried, "times"]);
    for (clause, count) in &simulated.refusals.by_clause {
        refusals.add_row([format!("@{clause}"), count.to_string()]);
    }
    writeln!(out.data, "{refusals}\n")?;

    if simulated.unused.is_empty() {
        writeln!(out.data, "{}", out.paint(Ink::Good, "everything was used"))?;
        return Ok(());
    }
    let title = "never used in these games, so nothing is said of what it is worth";
    writeln!(out.data, "{}", out.paint(Ink::Odd, title))?;
    for unused in &simulated.unused {
        let covered = match &unused.scenarios[..] {
            [] => out.paint(Ink::Bad, "no scenario uses it either"),
            [first] => format!("a scenario uses it: {first}"),
            [first, rest @ ..] => format!("scenarios use it: {first}, and {} more", rest.len()),
        };
        writeln!(
            out.data,
            "  {} {}: {covered}",
            unused.kind.replace('_', " "),
            unused.id
        )?;
    }
    Ok(())
}

/// A share with its interval, pale if it says nothing by itself.
fn sure(share: Estimate, out: &Out<'_>) -> String {
    match share.is_weak {
        true => out.paint(Ink::Dim, format!("{share} few")),
        false => share.to_string(),
    }
}

/// What is said of holders, if there are any.
fn held(used: &Use, text: String) -> String {
    match used.holders {
        0 => "–".to_owned(),
        _ => text,
    }
}

/// One line for each game.
fn csv(tally: &Tally, model: &Model) -> String {
    let mut text = String::from("seed,decisions,ending");
    for seat in 1..=model.players {
        text.push_str(&format!(",score_p{seat}"));
    }
    text.push_str(",winners\n");
    for one in &tally.each {
        let ending = one.ending.map_or("", |ending| &*model.endings[ending].name);
        text.push_str(&format!("{},{},{ending}", one.seed, one.decisions));
        for score in &one.scores {
            text.push_str(&format!(",{score}"));
        }
        let winners: Vec<String> = one.winners.iter().map(|w| format!("p{}", w + 1)).collect();
        text.push_str(&format!(",{}\n", winners.join(" ")));
    }
    text
}

fn file(path: &Path, text: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    std::fs::write(path, text)
        .map_err(|error| Failure::Usage(format!("`{}`: {error}", path.display())))?;
    out.note(format_args!("written: {}", path.display()));
    Ok(())
}

/// Whether somebody wants a run to end.
struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Watches for it from now on; a second one ends the process at once.
    fn watch() -> Interrupt {
        let happened = Arc::new(AtomicBool::new(false));
        let noted = happened.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            let Ok(runtime) = runtime else { return };
            runtime.block_on(async {
                if tokio::signal::ctrl_c().await.is_ok() {
                    noted.store(true, Ordering::Relaxed);
                }
                if tokio::signal::ctrl_c().await.is_ok() {
                    std::process::exit(130);
                }
            });
        });
        Interrupt(happened)
    }

    fn happened(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A table whose first column is text and whose others are numbers.
fn table(heads: &[&str]) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_content_arrangement(comfy_table::ContentArrangement::Disabled);
    table.set_header(heads);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(comfy_table::CellAlignment::Right);
    }
    table
}
