//! `referee coverage`: paragraph by paragraph, which rules and scenarios prove the rulebook.

use std::collections::BTreeSet;

use interpreter::diagnostic::did_you_mean;
use interpreter::package::Language;
use serde::Serialize;

use super::format::{Format, Lang, json};
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::ruleset::{Chosen, RulesetArgs};
use referee_report::coverage::{Clause, Coverage, Gap, Missing, Standing, Told, coverage};
use referee_report::proofs::Proofs;
use referee_report::prose::{counted, listed, wrapped};
use referee_report::proving::kept::Kept;
use referee_report::rules::{Rules, composed};
use referee_report::words::Words;

/// Arguments of `coverage`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
A scenario counts for a clause only if a rule that cites the clause ran or refused in it: the clause is *touched*. It is
*proven* if a scenario also sees it refuse where it forbids, and no mistake that is planted in its rules survives; that is
what `referee prove … --keep` has found out, and says nothing any more once a text has changed.

Examples:
  referee coverage puerto-rico
  referee coverage puerto-rico --gaps
  referee coverage puerto-rico --phase captain --lang pl
  referee coverage rulesets/puerto-rico --touched 100 --threshold 90 --format json

Exit codes: 0 above both thresholds, 1 below one or a scenario fails, 2 it could not be found out.")]
pub struct Args {
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub ruleset: RulesetArgs,
    /// Fail if fewer than this many per cent of the enforceable clauses are proven
    #[arg(long, value_name = "PCT", default_value_t = 0.0)]
    pub threshold: f64,
    /// Fail if fewer than this many per cent of the enforceable clauses are touched or proven
    #[arg(long, value_name = "PCT", default_value_t = 0.0)]
    pub touched: f64,
    /// Show only what is missing
    #[arg(long)]
    pub gaps: bool,
    /// Only the clauses of a section of the rulebook; thresholds are of those
    #[arg(long, value_name = "SECTION")]
    pub section: Option<String>,
    /// Only the clauses that rules of a phase cite
    #[arg(long, value_name = "PHASE")]
    pub phase: Option<String>,
    /// Tell what each clause says, in this language
    #[arg(long, value_enum, value_name = "LANG")]
    pub lang: Option<Lang>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// For machines: what was asked for as well.
#[derive(Debug, Serialize)]
struct Covered<'a> {
    threshold: f64,
    #[serde(flatten)]
    told: Told<'a>,
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
    let kept = match chosen.kept() {
        Ok(kept) => kept,
        Err(why) => {
            out.error(why);
            return Ok(Exit::Bad);
        }
    };
    let mut covered = coverage(&rules, &proofs, &kept);
    if let Some(section) = &args.section {
        known(
            "section",
            section,
            package
                .rulebook
                .sections
                .iter()
                .map(|known| known.id.node.as_str()),
        )?;
        let clauses = package.rulebook.clauses.iter();
        let inside = clauses.filter(|clause| clause.section == *section);
        let inside: BTreeSet<&str> = inside.map(|clause| clause.id.node.as_str()).collect();
        covered = covered.only(&|clause| inside.contains(clause.id.as_str()));
    }
    if let Some(phase) = &args.phase {
        let phases: Vec<&str> = rules
            .phases()
            .map(|phase| phase.name.node.as_str())
            .collect();
        known("phase", phase, phases.iter().copied())?;
        covered = covered.only(&|clause| clause.is_of_phase(phase));
    }
    let texts = args.lang.map(|lang| Words::new(&package, lang.into()));
    match args.format {
        Format::Human => {
            print(&covered, args.gaps, texts.as_ref(), out)?;
            unproved(&chosen, &kept, out)?;
        }
        Format::Json => json(
            out,
            &Covered {
                threshold: args.threshold,
                told: Told::of(&package, &proofs, &covered),
            },
        )?,
    }
    let mut enough = true;
    for (what, percent, threshold) in [
        ("proven", covered.percent, args.threshold),
        ("touched", covered.touched_percent, args.touched),
    ] {
        if percent + 1e-9 < threshold {
            enough = false;
            out.error(format_args!(
                "{percent:.1} % {what} is below the threshold of {threshold} %"
            ));
        }
    }
    Ok(if enough && proofs.good() {
        Exit::Clean
    } else {
        Exit::Bad
    })
}

/// Says what has not been proved as it is, and how it is.
fn unproved(chosen: &Chosen, kept: &Kept, out: &mut Out<'_>) -> Result<(), Failure> {
    for (layer, was_before) in kept.unknown() {
        let what = layer.map_or_else(|| chosen.called.clone(), |layer| format!("`{layer}`"));
        let why = match was_before {
            true => "was proved before it, or what is planted, was changed",
            false => "is not proved yet",
        };
        let command = chosen.proving(layer);
        writeln!(out.data, "{what} {why}: run `referee {command}`")?;
    }
    Ok(())
}

/// Whether a name is one of those that there are.
fn known<'a>(
    what: &str,
    name: &str,
    there: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), Failure> {
    if there.clone().any(|known| known == name) {
        return Ok(());
    }
    let near = did_you_mean(name, there.clone());
    let all: Vec<&str> = there.collect();
    let help = near.unwrap_or_else(|| format!("there are {}", listed(&all, "and")));
    Err(Failure::Usage(format!(
        "there is no {what} `{name}`: {help}"
    )))
}

fn print(
    covered: &Coverage,
    only_gaps: bool,
    texts: Option<&Words<'_>>,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mut told: Vec<&str> = Vec::new();
    for paragraph in covered.paragraphs.iter().filter(|paragraph| {
        let lacks = |id: &String| covered.clauses.iter().any(|c| c.id == *id && c.lacks());
        paragraph.gap || !only_gaps || paragraph.clauses.iter().any(lacks)
    }) {
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
            if only_gaps && !clause.lacks() {
                continue;
            }
            let again = told.contains(&id.as_str());
            told.push(id);
            print_clause(clause, again, texts, out)?;
        }
    }
    let rest: Vec<&Clause> = covered
        .clauses
        .iter()
        .filter(|clause| !told.contains(&clause.id.as_str()) && (!only_gaps || clause.lacks()))
        .collect();
    if !rest.is_empty() {
        let title = if only_gaps {
            "(other clauses)"
        } else {
            "(clauses that no paragraph says)"
        };
        writeln!(out.data, "{}", out.paint(Ink::Heading, title))?;
        for clause in rest {
            print_clause(clause, false, texts, out)?;
        }
    }
    let gaps: Vec<&Clause> = covered.clauses.iter().filter(|c| c.lacks()).collect();
    writeln!(out.data)?;
    if !gaps.is_empty() {
        writeln!(out.data, "{}", out.paint(Ink::Bad, "gaps"))?;
        for clause in &gaps {
            let missing = clause.missing.iter();
            let missing = missing.map(|missing| missing.words(Language::English));
            let gaps = clause.gaps.iter().map(|gap| missing_of(*gap).to_owned());
            let missing: Vec<String> = gaps.chain(missing).collect();
            let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
            let mut text = format!("  @{}: {}", clause.id, listed(&missing, "and"));
            if !clause.gaps.is_empty() && !clause.unproven.is_empty() {
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
        "{} of {} proven ({:.1} %), {} touched or proven ({:.1} %); {} of {} without a gap",
        covered.proven,
        counted(covered.enforceable, "enforceable clause"),
        covered.percent,
        covered.touched,
        covered.touched_percent,
        covered.paragraphs.len() - open,
        counted(covered.paragraphs.len(), "paragraph"),
    );
    writeln!(out.data, "{}", out.paint(ink, summary))?;
    Ok(())
}

fn missing_of(gap: Gap) -> &'static str {
    match gap {
        Gap::NoRule => "no rule cites it",
        Gap::NoScenario => "no scenario proves it",
    }
}

/// Scenarios that are named; more are counted.
const NAMED: usize = 3;

fn print_clause(
    clause: &Clause,
    again: bool,
    texts: Option<&Words<'_>>,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mark = match clause.standing {
        Some(Standing::Gap) => out.paint(Ink::Bad, "gap    "),
        Some(Standing::Touched) => out.paint(Ink::Odd, "touched"),
        Some(Standing::Proven) => out.paint(Ink::Good, "proven "),
        None => out.paint(Ink::Dim, "       "),
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
    let says = texts.and_then(|texts| texts.clause(&clause.id));
    paragraph("says", &says.unwrap_or_default(), out)?;
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
    paragraph("scenarios", &scenarios.join("; "), out)?;
    // What concerns all clauses is said once, below.
    let missing = clause
        .missing
        .iter()
        .filter(|m| !matches!(m, Missing::Proof(_)));
    let missing: Vec<String> = missing.map(|m| m.words(Language::English)).collect();
    paragraph("missing", &missing.join("; "), out)
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
