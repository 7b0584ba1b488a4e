//! `referee coverage`: paragraph by paragraph, which rules and scenarios prove the rulebook.

use interpreter::package::Language;
use serde::Serialize;

use super::format::{Format, json};
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::ruleset::RulesetArgs;
use crate::report::coverage::{Clause, Coverage, Gap, coverage};
use crate::report::proofs::Proofs;
use crate::report::prose::{counted, listed, wrapped};
use crate::report::rules::{Rules, composed};

/// Arguments of `coverage`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
A scenario counts for a clause only if a rule that cites the clause ran or refused in it.

Examples:
  referee coverage puerto-rico
  referee coverage puerto-rico --gaps
  referee coverage rulesets/puerto-rico --threshold 100 --format json

Exit codes: 0 above the threshold, 1 below it or a scenario fails, 2 it could not be found out.")]
pub struct Args {
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub ruleset: RulesetArgs,
    /// Fail if fewer than this many per cent of the enforceable clauses are proven
    #[arg(long, value_name = "PCT", default_value_t = 0.0)]
    pub threshold: f64,
    /// Show only what is missing
    #[arg(long)]
    pub gaps: bool,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// For machines. Fields are added, never renamed.
#[derive(Debug, Serialize)]
struct Covered<'a> {
    schema: &'static str,
    ruleset: &'a str,
    version: &'a str,
    threshold: f64,
    scenarios_passed: usize,
    scenarios_failed: usize,
    #[serde(flatten)]
    coverage: &'a Coverage,
}

/// Runs the command.
///
/// # Errors
///
/// When the ruleset cannot be found or read.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let chosen = args.ruleset.open()?;
    let players = chosen.players().map_or(0, |range| *range.start());
    let (package, sources, diagnostics) = chosen.package(players);
    let Some(package) = package.filter(|_| !diagnostics.has_errors()) else {
        out.diagnostics_of(&sources, &diagnostics);
        return Ok(Exit::Bad);
    };
    let items = composed(&package);
    let rules = Rules::new(&package, &sources, &items, Language::English);
    let proofs = Proofs::run(&chosen.base, &chosen.house, None);
    for (_, rejected) in &proofs.rejected {
        out.rejected(rejected);
    }
    let (passed, failed) = proofs.counts();
    if !proofs.good() {
        out.error(format_args!(
            "{} of {} cannot prove anything; `referee test {}` says why",
            failed,
            counted(passed + failed, "scenario"),
            chosen.called,
        ));
    }
    let covered = coverage(&rules, &proofs);
    match args.format {
        Format::Human => print(&covered, args.gaps, out)?,
        Format::Json => json(
            out,
            &Covered {
                schema: "referee.coverage/1",
                ruleset: &package.id.node,
                version: &package.version,
                threshold: args.threshold,
                scenarios_passed: passed,
                scenarios_failed: failed,
                coverage: &covered,
            },
        )?,
    }
    let enough = covered.percent + 1e-9 >= args.threshold;
    if !enough {
        out.error(format_args!(
            "{:.1} % is below the threshold of {} %",
            covered.percent, args.threshold
        ));
    }
    Ok(if enough && proofs.good() {
        Exit::Clean
    } else {
        Exit::Bad
    })
}

fn print(covered: &Coverage, only_gaps: bool, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut told: Vec<&str> = Vec::new();
    for paragraph in covered
        .paragraphs
        .iter()
        .filter(|paragraph| paragraph.gap || !only_gaps)
    {
        writeln!(out.data, "{}", out.paint(Ink::Heading, &paragraph.at))?;
        if let Some(why) = &paragraph.why_none {
            writeln!(
                out.data,
                "    {}",
                out.paint(Ink::Dim, format!("no clause: {why}"))
            )?;
        }
        for id in &paragraph.clauses {
            let Some(clause) = covered.clauses.iter().find(|clause| clause.id == *id) else {
                continue;
            };
            if only_gaps && clause.gaps.is_empty() {
                continue;
            }
            let again = told.contains(&id.as_str());
            told.push(id);
            print_clause(clause, again, out)?;
        }
    }
    let rest: Vec<&Clause> = covered
        .clauses
        .iter()
        .filter(|clause| {
            !told.contains(&clause.id.as_str()) && (!only_gaps || !clause.gaps.is_empty())
        })
        .collect();
    if !rest.is_empty() {
        let title = if only_gaps {
            "(other clauses)"
        } else {
            "(clauses that no paragraph says)"
        };
        writeln!(out.data, "{}", out.paint(Ink::Heading, title))?;
        for clause in rest {
            print_clause(clause, false, out)?;
        }
    }
    let gaps: Vec<&Clause> = covered
        .clauses
        .iter()
        .filter(|clause| !clause.gaps.is_empty())
        .collect();
    writeln!(out.data)?;
    if !gaps.is_empty() {
        writeln!(out.data, "{}", out.paint(Ink::Bad, "gaps"))?;
        for clause in &gaps {
            let missing: Vec<&str> = clause.gaps.iter().map(|gap| missing(*gap)).collect();
            let mut text = format!("  @{}: {}", clause.id, listed(&missing, "and"));
            if !clause.unproven.is_empty() {
                text = format!(
                    "{text} (cited, but nothing of it ran, in: {})",
                    clause.unproven.join("; ")
                );
            }
            writeln!(out.data, "{text}")?;
        }
        writeln!(out.data)?;
    }
    let open = covered
        .paragraphs
        .iter()
        .filter(|paragraph| paragraph.gap)
        .count();
    let ink = if gaps.is_empty() { Ink::Good } else { Ink::Odd };
    let summary = format!(
        "{} of {} proven ({:.1} %); {} of {} without a gap",
        covered.proven,
        counted(covered.enforceable, "enforceable clause"),
        covered.percent,
        covered.paragraphs.len() - open,
        counted(covered.paragraphs.len(), "paragraph"),
    );
    writeln!(out.data, "{}", out.paint(ink, summary))?;
    Ok(())
}

fn missing(gap: Gap) -> &'static str {
    match gap {
        Gap::NoRule => "no rule cites it",
        Gap::NoScenario => "no scenario proves it",
    }
}

/// Scenarios that are named; more are counted.
const NAMED: usize = 3;

fn print_clause(clause: &Clause, again: bool, out: &mut Out<'_>) -> Result<(), Failure> {
    let mark = match (clause.gaps.is_empty(), clause.kind) {
        (false, _) => out.paint(Ink::Bad, "gap"),
        (true, "note") => out.paint(Ink::Dim, "   "),
        (true, _) => out.paint(Ink::Good, "ok "),
    };
    let kind = if clause.kind == "rule" {
        String::new()
    } else {
        format!(" ({})", clause.kind)
    };
    let id = out.paint(Ink::Clause, format!("@{}", clause.id));
    let above = if again {
        out.paint(Ink::Dim, " (above)")
    } else {
        String::new()
    };
    writeln!(out.data, "  {mark} {id}{kind}{above}")?;
    if again {
        return Ok(());
    }
    let rules: Vec<String> = clause
        .rules
        .iter()
        .map(|rule| format!("{} {}", rule.what, rule.place))
        .collect();
    paragraph("rules", &rules.join("; "), out)?;
    let mut scenarios: Vec<String> = clause.scenarios.iter().take(NAMED).cloned().collect();
    if clause.scenarios.len() > NAMED {
        scenarios.push(format!("and {} more", clause.scenarios.len() - NAMED));
    }
    paragraph("scenarios", &scenarios.join("; "), out)
}

fn paragraph(label: &str, text: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    if text.is_empty() {
        return Ok(());
    }
    for (i, line) in wrapped(text, out.width.saturating_sub(18).max(40))
        .into_iter()
        .enumerate()
    {
        let label = if i == 0 { label } else { "" };
        writeln!(
            out.data,
            "      {}",
            out.paint(Ink::Dim, format!("{label:<10}  {line}"))
        )?;
    }
    Ok(())
}
