//! `referee test`: runs the scenarios of rulesets, like a test runner, and writes what happened into them.

use std::collections::BTreeSet;
use std::path::Path;

use interpreter::diagnostic::Report as Found;
use interpreter::package::Configuration;
use interpreter::scenario::{Change, Made, Report, updated};
use interpreter::source::Sources;
use serde::Serialize;

use super::format::{Format, json};
use super::library::LibraryOptions;
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::ruleset::{Chosen, OverArgs, open};
use referee_library::record::seat_name;
use referee_report::proofs::Proofs;

/// Arguments of `test`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
A scenario says itself with how many players, modules and options it is played. They are run on all
processors at once.

With `--update` what happened is written into the files in place of what `then:` and `expect:` say, for
you to read and to accept or to undo: values that differ, the moves that are exactly legal, and events.
The rest of each file stays as it is. What cannot be written is left to you: moves that are refused,
refusals that are none, and moves under `includes:` and `excludes:`.

Examples:
  referee test                                   every shipped ruleset
  referee test rulesets/puerto-rico
  referee test puerto-rico --filter captain      scenarios whose name or file contains the word
  referee test puerto-rico --with ./tournament   also the scenarios of a house rule
  referee test puerto-rico --filter wharf --trace  its moves, also those that the referee made by itself
  referee test puerto-rico --format json
  referee test ./my-game --update                then read what has changed: git diff

Exit codes: 0 all passed (with `--update`: what differed was written), 1 some failed, 2 they could not be run.")]
pub struct Args {
    /// A shipped ruleset by its name, or the folder of one; all that are shipped if left out
    #[arg(value_name = "RULESET")]
    pub ruleset: Option<String>,
    /// Only scenarios whose name or file contains this
    #[arg(long, value_name = "PART")]
    pub filter: Option<String>,
    /// Read the scenarios of the folder of a house rule as well; may be repeated
    #[arg(long, value_name = "FOLDER", value_delimiter = ',')]
    pub with: Vec<String>,
    /// Write what happened into the scenarios, in place of what they expect
    #[arg(long, requires = "ruleset")]
    pub update: bool,
    /// Show only what failed
    #[arg(long, short)]
    pub quiet: bool,
    /// List the moves of each scenario that is shown, those among them that the referee made by itself
    #[arg(long)]
    pub trace: bool,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub library: LibraryOptions,
}

/// What came of it, for machines. Fields are added, never renamed.
#[derive(Debug, Serialize)]
struct Tested {
    schema: &'static str,
    passed: usize,
    failed: usize,
    /// Files into which what happened was written.
    updated: Vec<String>,
    rulesets: Vec<TestedRuleset>,
}

#[derive(Debug, Serialize)]
struct TestedRuleset {
    ruleset: String,
    passed: usize,
    failed: usize,
    /// What is wrong with scenarios that could not be read, and with rulesets that could not be compiled.
    diagnostics: Vec<Found>,
    scenarios: Vec<TestedScenario>,
}

#[derive(Debug, Serialize)]
struct TestedScenario {
    name: String,
    file: String,
    line: u32,
    players: u8,
    modules: Vec<String>,
    passed: bool,
    moves: usize,
    /// The moves themselves, with `--trace`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    made: Vec<MadeMove>,
    cites: Vec<String>,
    exercised: Vec<String>,
    unproved: Vec<String>,
    diagnostics: Vec<Found>,
    /// What is otherwise than expected and could be written by `--update`.
    differences: Vec<TestedDifference>,
}

#[derive(Debug, Serialize)]
struct MadeMove {
    seat: String,
    step: String,
    #[serde(rename = "move")]
    text: String,
    /// Whether the referee made it by itself.
    forced: bool,
}

impl MadeMove {
    fn of(made: &Made) -> MadeMove {
        MadeMove {
            seat: seat_name(made.seat),
            step: made.step.to_string(),
            text: made.text.clone(),
            forced: made.forced,
        }
    }
}

#[derive(Debug, Serialize)]
struct TestedDifference {
    line: u32,
    column: u32,
    of: String,
    expected: String,
    found: String,
}

/// Runs the command.
///
/// # Errors
///
/// When a ruleset cannot be found or read.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let over = OverArgs {
        with: args.with.clone(),
        options: Vec::new(),
    };
    let names = match &args.ruleset {
        Some(name) => vec![name.clone()],
        None => args
            .library
            .library()?
            .iter()
            .map(|edition| edition.id.clone())
            .collect(),
    };
    let mut tested = Tested {
        schema: "referee.test/1",
        passed: 0,
        failed: 0,
        updated: Vec::new(),
        rulesets: Vec::new(),
    };
    let mut good = true;
    for name in names {
        let mut chosen = open(&name, &over, &args.library)?;
        let mut proofs = Proofs::run(&chosen.base, &chosen.house, args.filter.as_deref());
        if args.update {
            tested.updated = update(&mut chosen, &mut proofs, args.filter.as_deref(), out)?;
        }
        let (passed, failed) = proofs.counts();
        tested.passed += passed;
        tested.failed += failed;
        good &= proofs.good();
        match args.format {
            Format::Human => print(&chosen, &proofs, args, out)?,
            Format::Json => tested.rulesets.push(ruleset(&chosen, &proofs, args.trace)),
        }
    }
    match args.format {
        Format::Human => {
            let ink = if good { Ink::Good } else { Ink::Bad };
            let summary = format!("{} passed, {} failed", tested.passed, tested.failed);
            writeln!(out.data, "{}", out.paint(ink, summary))?;
            if tested.passed + tested.failed == 0 {
                out.note("no scenario was run");
            }
        }
        Format::Json => json(out, &tested)?,
    }
    // A filter that fits nothing is most often a slip of the pen.
    let nothing = tested.passed + tested.failed == 0 && args.filter.is_some();
    Ok(if good && !nothing {
        Exit::Clean
    } else {
        Exit::Bad
    })
}

fn print(chosen: &Chosen, proofs: &Proofs, args: &Args, out: &mut Out<'_>) -> Result<(), Failure> {
    let (passed, failed) = proofs.counts();
    writeln!(
        out.data,
        "{}",
        out.paint(
            Ink::Heading,
            format!("{}: {} scenarios", chosen.called, passed + failed)
        )
    )?;
    for ((scenario, report), _) in proofs
        .suite
        .scenarios
        .iter()
        .zip(&proofs.reports)
        .zip(&proofs.wanted)
        .filter(|(_, wanted)| **wanted)
        .filter(|((_, report), _)| !args.quiet || report.as_ref().is_none_or(|r| !r.passed()))
    {
        let verdict = match report {
            Some(report) if report.passed() => out.paint(Ink::Good, "ok    "),
            Some(_) => out.paint(Ink::Bad, "FAILED"),
            None => out.paint(Ink::Bad, "NO RUN"),
        };
        let with = with(&scenario.setup.configuration, &scenario.setup.house);
        writeln!(
            out.data,
            "{verdict}  {}  {}",
            scenario.name.node,
            out.paint(Ink::Dim, format!("({with})"))
        )?;
        for made in report.iter().flat_map(|report| &report.made) {
            if args.trace {
                writeln!(out.data, "          {}", traced(made, out))?;
            }
        }
    }
    if !args.quiet {
        writeln!(out.data)?;
    }
    if !proofs.suite.diagnostics.list.is_empty() {
        let text = proofs
            .suite
            .diagnostics
            .render(&proofs.suite.sources, out.diagnostics());
        writeln!(out.data, "{text}")?;
    }
    for (setup, rejected) in &proofs.rejected {
        let with = with(&setup.configuration, &setup.house);
        writeln!(
            out.data,
            "{}",
            out.paint(
                Ink::Heading,
                format!("──── the ruleset with {with} has mistakes")
            )
        )?;
        writeln!(
            out.data,
            "{}",
            rejected
                .diagnostics
                .render(&rejected.sources, out.diagnostics())
        )?;
    }
    for (scenario, report) in proofs
        .ran()
        .filter(|(_, report)| !report.diagnostics.list.is_empty())
    {
        let title = format!("──── {} ({})", scenario.name.node, proofs.place(scenario));
        writeln!(out.data, "{}", out.paint(Ink::Heading, title))?;
        let beside = side_by_side(report, &proofs.suite.sources, out);
        let shown =
            |n: usize| beside.is_some() && report.differences.iter().any(|d| d.diagnostic == n);
        if let Some(table) = &beside {
            writeln!(out.data, "{table}\n")?;
            // What explains a value is not said by the value; the lists of moves and events are.
            let values = report.differences.iter();
            let values = values.filter(|d| matches!(d.change, Change::Value(_)));
            let notes = values.filter_map(|d| report.diagnostics.list[d.diagnostic].note.as_ref());
            for note in notes.collect::<BTreeSet<_>>() {
                writeln!(out.data, "{note}\n")?;
            }
        }
        let others = report.diagnostics.list.iter().enumerate();
        for (_, diagnostic) in others.filter(|(n, _)| !shown(*n)) {
            writeln!(
                out.data,
                "{}\n",
                diagnostic.render(&proofs.suite.sources, out.diagnostics())
            )?;
        }
    }
    Ok(())
}

/// A move that was made: `p1: load: {g: corn}  captain.loading`.
fn traced(made: &Made, out: &Out<'_>) -> String {
    let step = out.paint(Ink::Dim, &made.step);
    let who = seat_name(made.seat);
    match made.forced {
        true => format!("{who}: {}  (the only move)  {step}", made.text),
        false => format!("{who}: {}  {step}", made.text),
    }
}

/// Fewest columns in which what was expected and what was found are easy to read beside each other.
const ROOM: usize = 72;

/// What was expected beside what was found, where there is room.
fn side_by_side(report: &Report, sources: &Sources, out: &Out<'_>) -> Option<String> {
    if report.differences.is_empty() || out.width < ROOM {
        return None;
    }
    let mut table = comfy_table::Table::new();
    table
        .load_style(comfy_table::presets::NOTHING)
        .set_content_arrangement(comfy_table::ContentArrangement::Dynamic)
        .set_width(u16::try_from(out.width).unwrap_or(u16::MAX))
        .set_header(["line", "", "expected", "found"]);
    match out.coloured {
        true => table.enforce_styling(),
        false => table.force_no_tty(),
    };
    let cell = |text: &str| comfy_table::Cell::new(text);
    table.add_rows(report.differences.iter().map(|difference| {
        let line = sources.line_column(difference.span).line.to_string();
        [
            cell(&line),
            cell(&difference.of),
            cell(&difference.expected).fg(comfy_table::Color::Green),
            cell(&difference.found).fg(comfy_table::Color::Red),
        ]
    }));
    Some(table.trim_fmt())
}

/// Writes what happened into the scenarios that were run, and runs them again; gives the files.
fn update(
    chosen: &mut Chosen,
    proofs: &mut Proofs,
    filter: Option<&str>,
    out: &mut Out<'_>,
) -> Result<Vec<String>, Failure> {
    if !proofs.rejected.is_empty() {
        out.error(
            "nothing is written: the rules have mistakes, so what happened with them says nothing",
        );
        return Ok(Vec::new());
    }
    let differences = proofs.ran().flat_map(|(_, report)| &report.differences);
    let changed = updated(&proofs.suite.sources, differences);
    let mut written = Vec::new();
    for (file, text) in changed {
        let path = proofs.suite.sources.file(file).path.clone();
        // What is shipped inside the binary lies in no folder.
        if !Path::new(&path).is_file() {
            return Err(Failure::Usage(format!(
                "`{}` is shipped with this command and cannot be written: name the folder of a ruleset",
                chosen.called
            )));
        }
        let house = chosen.house.iter_mut().map(|(_, texts)| texts);
        for folder in std::iter::once(&mut chosen.base).chain(house) {
            let inside = path
                .strip_prefix(folder.path.trim_end_matches('/'))
                .and_then(|path| path.strip_prefix('/'));
            for (_, known) in folder
                .files
                .iter_mut()
                .filter(|(name, _)| Some(name.as_str()) == inside)
            {
                known.clone_from(&text);
            }
        }
        written.push((path, text));
    }
    if written.is_empty() {
        return Ok(Vec::new());
    }
    let again = Proofs::run(&chosen.base, &chosen.house, filter);
    if again.suite.unread > proofs.suite.unread {
        return Err(Failure::Internal(
            "what happened could not be written so that it can be read; nothing is changed"
                .to_owned(),
        ));
    }
    *proofs = again;
    for (path, text) in &written {
        std::fs::write(path, text)
            .map_err(|error| Failure::Usage(format!("`{path}` cannot be written: {error}")))?;
        out.note(format_args!(
            "`{path}` now says what happened: read what has changed"
        ));
    }
    Ok(written.into_iter().map(|(path, _)| path).collect())
}

/// `4 players`, `4 players, nobles`
fn with(configuration: &Configuration, house: &[String]) -> String {
    let mut words = vec![format!("{} players", configuration.players)];
    words.extend(configuration.modules.iter().chain(house).cloned());
    words.extend(
        configuration
            .options
            .iter()
            .map(|(name, value)| format!("{name}={value}")),
    );
    words.join(", ")
}

fn ruleset(chosen: &Chosen, proofs: &Proofs, trace: bool) -> TestedRuleset {
    let sources = &proofs.suite.sources;
    let (passed, failed) = proofs.counts();
    let mut diagnostics: Vec<Found> = proofs
        .suite
        .diagnostics
        .list
        .iter()
        .map(|d| d.report(sources))
        .collect();
    for (_, rejected) in &proofs.rejected {
        diagnostics.extend(
            rejected
                .diagnostics
                .list
                .iter()
                .map(|d| d.report(&rejected.sources)),
        );
    }
    let wanted = proofs
        .suite
        .scenarios
        .iter()
        .zip(&proofs.reports)
        .zip(&proofs.wanted)
        .filter(|(_, wanted)| **wanted);
    let scenarios = wanted.map(|((scenario, report), _)| {
        let span = scenario.name.span;
        TestedScenario {
            name: scenario.name.node.clone(),
            file: sources.file(span.file).path.clone(),
            line: sources.line_column(span).line,
            players: scenario.setup.configuration.players,
            modules: scenario.setup.configuration.modules.clone(),
            passed: report.as_ref().is_some_and(|report| report.passed()),
            moves: report.as_ref().map_or(0, |report| report.made.len()),
            made: report
                .iter()
                .filter(|_| trace)
                .flat_map(|report| report.made.iter().map(MadeMove::of))
                .collect(),
            cites: scenario
                .cites
                .iter()
                .map(|cite| cite.node.clone())
                .collect(),
            exercised: report
                .iter()
                .flat_map(|report| report.exercised.iter().cloned())
                .collect(),
            unproved: report
                .iter()
                .flat_map(|report| report.unproved.iter().map(|c| c.node.clone()))
                .collect(),
            diagnostics: report
                .iter()
                .flat_map(|report| report.diagnostics.list.iter().map(|d| d.report(sources)))
                .collect(),
            differences: report
                .iter()
                .flat_map(|report| &report.differences)
                .map(|difference| {
                    let place = sources.line_column(difference.span);
                    TestedDifference {
                        line: place.line,
                        column: place.column,
                        of: difference.of.clone(),
                        expected: difference.expected.clone(),
                        found: difference.found.clone(),
                    }
                })
                .collect(),
        }
    });
    TestedRuleset {
        ruleset: chosen.called.clone(),
        passed,
        failed,
        scenarios: scenarios.collect(),
        diagnostics,
    }
}
