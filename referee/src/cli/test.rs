//! `referee test`: runs the scenarios of rulesets, like a test runner.

use interpreter::diagnostic::Report as Found;
use interpreter::package::Configuration;
use serde::Serialize;

use super::LibraryOptions;
use super::author::{Exit, Failure, Format, json};
use super::out::{Ink, Out};
use super::ruleset::{Chosen, OverArgs, open};
use crate::report::proofs::Proofs;

/// Arguments of `test`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
A scenario says itself with how many players, modules and options it is played.

Examples:
  referee test                                   every shipped ruleset
  referee test rulesets/puerto-rico
  referee test puerto-rico --filter captain      scenarios whose name or file contains the word
  referee test puerto-rico --with ./tournament   also the scenarios of a house rule
  referee test puerto-rico --format json

Exit codes: 0 all passed, 1 some failed, 2 they could not be run.")]
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
    /// Show only what failed
    #[arg(long, short)]
    pub quiet: bool,
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
    cites: Vec<String>,
    exercised: Vec<String>,
    unproved: Vec<String>,
    diagnostics: Vec<Found>,
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
        rulesets: Vec::new(),
    };
    let mut good = true;
    for name in names {
        let chosen = open(&name, &over, &args.library)?;
        let proofs = Proofs::run(&chosen.base, &chosen.house, args.filter.as_deref());
        let (passed, failed) = proofs.counts();
        tested.passed += passed;
        tested.failed += failed;
        good &= proofs.good();
        match args.format {
            Format::Human => print(&chosen, &proofs, args.quiet, out)?,
            Format::Json => tested.rulesets.push(ruleset(&chosen, &proofs)),
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

fn print(chosen: &Chosen, proofs: &Proofs, quiet: bool, out: &mut Out<'_>) -> Result<(), Failure> {
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
        .filter(|((_, report), _)| !quiet || report.as_ref().is_none_or(|r| !r.passed()))
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
    }
    if !quiet {
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
        for diagnostic in &report.diagnostics.list {
            writeln!(
                out.data,
                "{}\n",
                diagnostic.render(&proofs.suite.sources, out.diagnostics())
            )?;
        }
    }
    Ok(())
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

fn ruleset(chosen: &Chosen, proofs: &Proofs) -> TestedRuleset {
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
            moves: report.as_ref().map_or(0, |report| report.moves),
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
