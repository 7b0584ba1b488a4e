//! `referee check`: every mistake of a ruleset at once.

use std::collections::BTreeSet;
use std::path::PathBuf;

use interpreter::diagnostic::{Diagnostic, Diagnostics, Report, Severity};
use interpreter::package::Package;
use interpreter::play::CompileOptions;
use interpreter::scenario::Suite;
use interpreter::source::Sources;
use serde::Serialize;

use super::format::{Format, json};
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::review::{allowed_signers, desks};
use super::ruleset::{Chosen, Players, RulesetArgs};
use referee_report::prose::listed;
use referee_report::sign_off::audit::Allowed;
use referee_report::sign_off::days::moment;
use referee_store::clock::Clock;

/// Arguments of `check`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee check puerto-rico
  referee check rulesets/puerto-rico --players 4
  referee check puerto-rico --with ~/house-rules/cheap-factory --format json
  referee check rulesets/puerto-rico --signed --keys allowed_signers

Exit codes: 0 no errors, 1 errors (or warnings with --fail-on-warn), 2 it could not be checked.")]
pub struct Args {
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub ruleset: RulesetArgs,
    /// Check for this number of players only
    #[arg(long, value_name = "N|all", default_value = "all")]
    pub players: Players,
    /// Warnings count as errors
    #[arg(long)]
    pub fail_on_warn: bool,
    /// Whatever is not accepted as it is and signed by whoever accepted it counts as an error: for a release
    #[arg(long, requires = "keys")]
    pub signed: bool,
    /// Who may sign under which name: a file of allowed signers, as OpenSSH has it
    #[arg(long, value_name = "FILE", requires = "signed")]
    pub keys: Option<PathBuf>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What was found, for machines. Fields are added, never renamed.
#[derive(Debug, Serialize)]
struct CheckedReport {
    schema: &'static str,
    ruleset: Option<String>,
    version: Option<String>,
    modules: Vec<String>,
    players: Vec<u8>,
    /// Digests of the compiled rulesets, by number of players; only where there are no errors.
    digests: Vec<(u8, String)>,
    errors: usize,
    warnings: usize,
    /// Further messages that would only follow from these.
    left_out: usize,
    diagnostics: Vec<Found>,
}

#[derive(Debug, Serialize)]
struct Found {
    #[serde(flatten)]
    report: Report,
    /// The numbers of players with which it is found.
    players: Vec<u8>,
}

/// Everything found with any number of players.
#[derive(Default)]
struct Findings {
    list: Vec<(Diagnostic, BTreeSet<u8>)>,
    left_out: usize,
}

impl Findings {
    fn add(&mut self, players: u8, diagnostics: &Diagnostics) {
        self.left_out = self.left_out.max(diagnostics.left_out);
        for diagnostic in &diagnostics.list {
            match self.list.iter_mut().find(|(known, _)| known == diagnostic) {
                Some((_, with)) => drop(with.insert(players)),
                None => self
                    .list
                    .push((diagnostic.clone(), BTreeSet::from([players]))),
            }
        }
    }

    /// All of them in the order of the texts; what is found with some numbers of players only, says so.
    fn diagnostics(&self, checked: &[u8]) -> Diagnostics {
        let mut all = Diagnostics {
            left_out: self.left_out,
            ..Diagnostics::default()
        };
        for (diagnostic, with) in &self.list {
            let mut diagnostic = diagnostic.clone();
            if with.len() < checked.len() {
                let numbers: Vec<String> = with.iter().map(u8::to_string).collect();
                let only = format!("with {} players", listed(&numbers, "and"));
                diagnostic.note = Some(match diagnostic.note.take() {
                    Some(note) => format!("{note}; {only}"),
                    None => only,
                });
            }
            all.push(diagnostic);
        }
        all.sorted()
    }
}

/// Runs the command.
///
/// # Errors
///
/// When the ruleset cannot be found or read.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let chosen = args.ruleset.open()?;
    // What scenarios say needs play to be judged; that they can be read does not.
    let (suite, checked) = std::thread::scope(|threads| {
        let suite = threads.spawn(|| Suite::read(&chosen.base, &chosen.house));
        let checked = Checked::of(&chosen, args.players);
        (suite.join(), checked)
    });
    let suite = suite.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let mut aside = vec![(suite.sources, suite.diagnostics)];
    // What is wrong with the rules comes first: nobody has accepted that.
    if let Some(keys) = args
        .keys
        .as_deref()
        .filter(|_| !checked.diagnostics().has_errors())
    {
        let signers = allowed_signers(keys)?;
        let now = moment(Clock::system().now_ms());
        let allowed = Allowed {
            signers: &signers,
            now: &now,
        };
        match desks(&chosen) {
            Ok(desks) => {
                for desk in &desks {
                    aside.push(desk.audit(&allowed)?);
                }
            }
            // A module is accepted over what it needs alone, where it may lack what another one has brought.
            Err(wrong) => aside.push(*wrong),
        }
    }
    report(args, out, &checked, &aside)
}

/// A ruleset checked for some numbers of players.
pub(super) struct Checked {
    /// As it is composed; none if not even the manifest can be read.
    pub(super) package: Option<Package>,
    /// The texts.
    pub(super) sources: Sources,
    findings: Findings,
    players: Vec<u8>,
    digests: Vec<(u8, String)>,
}

impl Checked {
    /// Checks a ruleset.
    pub(super) fn of(chosen: &Chosen, players: Players) -> Checked {
        let players: Vec<u8> = match players {
            Players::Number(number) => vec![number],
            Players::All => match chosen.players() {
                Ok(range) => range.collect(),
                Err(rejected) => {
                    return Checked {
                        package: None,
                        findings: Findings::of(&rejected.diagnostics),
                        sources: rejected.sources,
                        players: Vec::new(),
                        digests: Vec::new(),
                    };
                }
            },
        };
        let (mut findings, mut digests) = (Findings::default(), Vec::new());
        let (package, mut sources, _) = chosen.package(players.first().copied().unwrap_or(0));
        for number in &players {
            match chosen.compile(*number, CompileOptions::default()) {
                Ok(ruleset) => {
                    findings.add(*number, ruleset.warnings());
                    digests.push((*number, ruleset.digest().to_string()));
                    sources = ruleset.sources().clone();
                }
                Err(rejected) => {
                    findings.add(*number, &rejected.diagnostics);
                    sources = rejected.sources;
                }
            }
        }
        Checked {
            package,
            sources,
            findings,
            players,
            digests,
        }
    }
}

impl Checked {
    /// All that is wrong, in the order of the texts.
    pub(super) fn diagnostics(&self) -> Diagnostics {
        self.findings.diagnostics(&self.players)
    }
}

impl Findings {
    fn of(diagnostics: &Diagnostics) -> Findings {
        let mut findings = Findings::default();
        findings.add(0, diagnostics);
        findings
    }
}

fn report(
    args: &Args,
    out: &mut Out<'_>,
    checked: &Checked,
    aside: &[(Sources, Diagnostics)],
) -> Result<Exit, Failure> {
    let Checked {
        package,
        sources,
        findings,
        players,
        digests,
    } = checked;
    let package = package.as_ref();
    let all = checked.diagnostics();
    // Scenarios and what is signed are texts of their own.
    let beside = aside
        .iter()
        .flat_map(|(sources, found)| found.list.iter().map(move |one| (sources, one)));
    let rest: Vec<Diagnostic> = beside.clone().map(|(_, one)| one.clone()).collect();
    let both = Diagnostics {
        list: [&all.list[..], &rest[..]].concat(),
        left_out: all.left_out,
        ..Diagnostics::default()
    };
    let (errors, warnings) = both.counts();
    match args.format {
        Format::Human => {
            for diagnostic in &all.list {
                writeln!(
                    out.data,
                    "{}\n",
                    diagnostic.render(sources, out.diagnostics())
                )?;
            }
            for (sources, diagnostic) in beside {
                let shown = diagnostic.render(sources, out.diagnostics());
                writeln!(out.data, "{shown}\n")?;
            }
            let ink = match (errors, warnings) {
                (0, 0) => Ink::Good,
                (0, _) => Ink::Odd,
                _ => Ink::Bad,
            };
            let subject =
                package.map_or_else(|| args.ruleset.ruleset.clone(), |p| subject(p, players));
            let summary = out.paint(ink, both.summary());
            writeln!(out.data, "{subject}: {summary}")?;
            let errors = both.list.iter().filter(|d| d.severity == Severity::Error);
            if let Some(first) = errors.chain(&both.list).next() {
                let code = first.code;
                out.note(format_args!(
                    "`referee explain {code}` says more about a mistake"
                ));
            }
        }
        Format::Json => {
            let list = findings.list.iter().map(|(diagnostic, with)| Found {
                report: diagnostic.report(sources),
                players: with.iter().copied().filter(|n| *n > 0).collect(),
            });
            let unread = beside.map(|(sources, diagnostic)| Found {
                report: diagnostic.report(sources),
                players: Vec::new(),
            });
            let mut list: Vec<Found> = list.chain(unread).collect();
            list.sort_by(|a, b| {
                let place = |found: &Found| {
                    (
                        found.report.file.clone(),
                        found.report.line,
                        found.report.column,
                    )
                };
                place(a).cmp(&place(b))
            });
            let checked = CheckedReport {
                schema: "referee.check/1",
                ruleset: package.map(|p| p.id.node.clone()),
                version: package.map(|p| p.version.clone()),
                modules: package.map(|p| p.modules.clone()).unwrap_or_default(),
                players: players.clone(),
                digests: digests.clone(),
                errors,
                warnings,
                left_out: all.left_out,
                diagnostics: list,
            };
            json(out, &checked)?;
        }
    }
    let bad = errors > 0 || (args.fail_on_warn && warnings > 0);
    Ok(if bad { Exit::Bad } else { Exit::Clean })
}

/// `puerto-rico 0.1.0 with nobles, for 3, 4 and 5 players`
fn subject(package: &Package, players: &[u8]) -> String {
    let with = match package.modules.is_empty() {
        true => String::new(),
        false => format!(" with {}", listed(&package.modules, "and")),
    };
    let numbers: Vec<String> = players.iter().map(u8::to_string).collect();
    format!(
        "{} {}{with}, for {} players",
        package.id.node,
        package.version,
        listed(&numbers, "and")
    )
}
