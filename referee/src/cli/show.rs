//! `referee show`: the proofreader's view.

use std::collections::BTreeSet;

use interpreter::diagnostic::Diagnostics;
use interpreter::package::{Package, Rulebook};
use interpreter::play::{Audience, Match, Seed};
use interpreter::scenario::{Setup, Suite};
use interpreter::source::Sources;

use super::format::Lang;
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::ruleset::{Chosen, RulesetArgs};
use referee_library::compose;
use referee_report::board::board;
use referee_report::prose::{listed, wrapped};
use referee_report::rules::sheet::{Line, Mark, Sheet};
use referee_report::rules::things::{Proof, Thing};
use referee_report::rules::{Rules, composed};
use referee_report::words::Words;

/// Arguments of `show`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
What can be shown: a phase, a step, a move, a component, a table, a clause, a query, a place, a figure, an \
ending; and whatever `coverage` prints: a paragraph of the printed rulebook, a rule that cites, a scenario. Where a name means several things, say which: `phase captain`, `role captain`, `@captain`.

Examples:
  referee show puerto-rico                          an overview
  referee show puerto-rico captain                  the captain phase, with all that buildings add to it
  referee show puerto-rico captain.loading --lang pl
  referee show puerto-rico wharf                    a building: its figures and its rules
  referee show puerto-rico buildings                a table
  referee show puerto-rico @captain.must-load       a clause: who says it, cites it, proves it
  referee show puerto-rico 'captain loading item 2'   a paragraph of the printed rulebook, as `coverage` prints it
  referee show puerto-rico trader --with ./tournament
  referee show genoa --table                        the table as it is laid out

In the margin: `+` is said elsewhere and holds here, `~` stands in place of another rule, `-` was taken out.

Exit codes: 0 shown, 1 the ruleset has mistakes (what can be read is shown), 2 there is no such thing.")]
pub struct Args {
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub ruleset: RulesetArgs,
    /// What to show: a name, or a kind and a name; several are shown one after the other
    #[arg(value_name = "WHAT")]
    pub what: Vec<String>,
    /// Draw the table as `table.yaml` lays it out, at the first question of a match
    #[arg(long, conflicts_with = "what")]
    pub table: bool,
    /// Number of players at that table [default: the fewest that the ruleset allows]
    #[arg(long, value_name = "N", requires = "table")]
    pub players: Option<u8>,
    /// The language of clauses and names; in Polish also components, moves and phases are named
    #[arg(long, value_enum, default_value_t)]
    pub lang: Lang,
}

/// Words that may stand before a name, beside the names of tables.
const KINDS: [&str; 19] = [
    "phase",
    "step",
    "move",
    "table",
    "clause",
    "query",
    "figure",
    "option",
    "place",
    "counter",
    "marker",
    "event",
    "effect",
    "ending",
    "score",
    "record",
    "die",
    "watch",
    "paragraph",
];

/// Runs the command.
///
/// # Errors
///
/// When the ruleset cannot be found, or there is nothing of that name.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let chosen = args.ruleset.open()?;
    if args.table {
        return table(&chosen, args, out);
    }
    let players = chosen.players().map_or(0, |range| *range.start());
    let (package, sources, diagnostics) = chosen.package(players);
    let mut broken = diagnostics.has_errors();
    if broken {
        out.diagnostics_of(&sources, &diagnostics);
    }
    let Some(package) = package else {
        return Ok(Exit::Bad);
    };
    let suite = Suite::read(&chosen.base, &chosen.house);
    let items = composed(&package);
    let rules = Rules::new(&package, &sources, &items, args.lang.into());
    let proofs: Vec<Proof> = suite
        .scenarios
        .iter()
        .map(|scenario| Proof {
            name: scenario.name.node.clone(),
            place: place(&suite.sources, &package, &sources, scenario.name.span),
            cites: scenario
                .cites
                .iter()
                .map(|cite| cite.node.clone())
                .collect(),
        })
        .collect();
    let mut printer = Printer {
        rules: &rules,
        package: &package,
        told: BTreeSet::new(),
    };
    if args.what.is_empty() {
        printer.print(out, &rules.overview(proofs.len()))?;
        let name = &args.ruleset.ruleset;
        out.note(format_args!(
            "show a part: `referee show {name} <phase>`, `… <component>`, `… @<clause>`"
        ));
    }
    let mut played = Played::default();
    let mut labels = rules.labels();
    labels.extend(proofs.iter().map(|proof| proof.name.clone()));
    for (i, (kind, name)) in asked(&args.what, &package, &labels).into_iter().enumerate() {
        let things = rules.things(kind.as_deref(), &name);
        let Some(thing) = things.first() else {
            if let Some(at) = proofs.iter().position(|proof| proof.name == name) {
                let (package, sources, diagnostics) =
                    played.with(&suite.scenarios[at].setup, &chosen);
                if let Some(package) = package {
                    scenario(&proofs[at], package, sources, args.lang, out)?;
                } else {
                    out.diagnostics_of(sources, diagnostics);
                    broken = true;
                }
                continue;
            }
            let near = rules
                .near(&name)
                .map(|near| format!("; {near}"))
                .unwrap_or_default();
            let what = kind.map_or_else(
                || format!("nothing is called `{name}`"),
                |kind| format!("there is no {kind} `{name}`"),
            );
            return Err(Failure::Usage(format!("{what}{near}")));
        };
        if i > 0 {
            writeln!(out.data)?;
        }
        printer.print(out, &rules.sheet(thing, &proofs))?;
        if let Thing::Table(table) = thing {
            writeln!(out.data, "\n{}", grid(&rules.table_rows(table)))?;
        }
        if things.len() > 1 {
            let others: Vec<String> = things[1..]
                .iter()
                .map(|thing| format!("`{}`", thing.called()))
                .collect();
            out.note(format_args!(
                "`{name}` also means {}",
                listed(&others, "and")
            ));
        }
    }
    Ok(if broken { Exit::Bad } else { Exit::Clean })
}

/// Draws the table of a match that is always the same, as somebody sees it who only watches.
fn table(chosen: &Chosen, args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let Some(ruleset) = chosen.compiled(args.players, out)? else {
        return Ok(Exit::Bad);
    };
    let game = match Match::new(ruleset.clone(), Seed::from_number(1), false) {
        Ok(game) => game,
        Err(fault) => {
            out.error(format_args!("the table cannot be set up: {fault}"));
            return Ok(Exit::Bad);
        }
    };
    let words = Words::new(ruleset.package(), args.lang.into());
    let drawn = board(
        &game.view(Audience::Spectator),
        &ruleset,
        &words,
        None,
        out.width,
    );
    write!(out.data, "{drawn}")?;
    if ruleset.package().layout.is_none() {
        out.note("it has no `table.yaml`: this follows from what its rules declare");
    }
    Ok(Exit::Clean)
}

/// What scenarios are played with, each composed once: most of them are played with the same.
#[derive(Default)]
struct Played {
    composed: Vec<(Setup, Composed)>,
}

type Composed = (Option<Package>, Sources, Diagnostics);

impl Played {
    fn with(&mut self, setup: &Setup, chosen: &Chosen) -> &Composed {
        let found = self.composed.iter().position(|(other, _)| other == setup);
        let at = found.unwrap_or_else(|| {
            let mut house = chosen.house.clone();
            house.retain(|(name, _)| setup.house.contains(name));
            let composed = compose(&chosen.trees, &chosen.base, &house, &setup.configuration);
            self.composed.push((setup.clone(), composed));
            self.composed.len() - 1
        });
        &self.composed[at].1
    }
}

/// Prints a scenario with the clauses that it cites, and where the print says them: all as it is with what the scenario is
/// played with.
fn scenario(
    proof: &Proof,
    package: &Package,
    sources: &Sources,
    lang: Lang,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let items = composed(package);
    let mut printer = Printer {
        rules: &Rules::new(package, sources, &items, lang.into()),
        package,
        told: BTreeSet::new(),
    };
    printer.print(out, &cited(proof, &package.rulebook))
}

/// A scenario with the clauses that it cites, and where the print says them.
fn cited(proof: &Proof, rulebook: &Rulebook) -> Sheet {
    let mut sheet = Sheet::default();
    let line = sheet.line(0, Mark::Own, format!("scenario {}", proof.name));
    line.cites.clone_from(&proof.cites);
    sheet.line(1, Mark::Remark, &proof.place);
    let printed = proof.cites.iter().flat_map(|clause| {
        let paragraphs = rulebook.printed(clause);
        paragraphs.map(move |paragraph| (clause, paragraph))
    });
    for (i, (clause, paragraph)) in printed.enumerate() {
        if i == 0 {
            sheet.heading("Where the printed rulebook speaks of it");
        }
        let line = format!("@{clause}  {}", paragraph.place());
        sheet.line(1, Mark::Own, line).at(paragraph.at.span);
    }
    sheet
}

/// Names with the words before them that say of which kind they are. A label of several words need not be quoted.
fn asked(what: &[String], package: &Package, labels: &[String]) -> Vec<(Option<String>, String)> {
    let is_kind = |word: &String| {
        KINDS.contains(&word.as_str()) || package.tables.iter().any(|t| t.name.node == *word)
    };
    let labels: BTreeSet<&str> = labels.iter().map(String::as_str).collect();
    let words = labels.iter().map(|label| label.split(' ').count()).max();
    let mut asked = Vec::new();
    let mut rest = what;
    while let [first, after @ ..] = rest {
        let most = rest.len().min(words.unwrap_or(0));
        let longest = (2..=most).rev().find(|n| {
            let is_named = *n == 2 && is_kind(first);
            !is_named && labels.contains(rest[..*n].join(" ").as_str())
        });
        rest = match (longest, after) {
            (Some(n), _) => {
                asked.push((None, rest[..n].join(" ")));
                &rest[n..]
            }
            (None, [name, after @ ..]) if is_kind(first) => {
                asked.push((Some(first.clone()), name.clone()));
                after
            }
            (None, _) => {
                asked.push((None, first.clone()));
                after
            }
        };
    }
    asked
}

/// Where a scenario is written, as seen from the folder of the ruleset.
fn place(
    suite: &Sources,
    package: &Package,
    sources: &Sources,
    span: interpreter::source::Span,
) -> String {
    let manifest = &sources.file(package.id.span.file).path;
    let folder = manifest.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = &suite.file(span.file).path;
    let path = path
        .strip_prefix(folder)
        .map_or(path.as_str(), |rest| rest.trim_start_matches('/'));
    format!("{path}:{}", suite.line_column(span).line)
}

/// Prints sheets; a clause is quoted the first time it is met.
struct Printer<'r> {
    rules: &'r Rules<'r>,
    package: &'r Package,
    told: BTreeSet<String>,
}

impl Printer<'_> {
    fn print(&mut self, out: &mut Out<'_>, sheet: &Sheet) -> Result<(), Failure> {
        for line in &sheet.lines {
            self.line(out, line)?;
        }
        Ok(())
    }

    fn line(&mut self, out: &mut Out<'_>, line: &Line) -> Result<(), Failure> {
        if line.text.is_empty() {
            writeln!(out.data)?;
            return Ok(());
        }
        let (sign, ink) = match line.mark {
            Mark::Own => (" ", None),
            Mark::Added => ("+", Some(Ink::Added)),
            Mark::Replaced => ("~", Some(Ink::Odd)),
            Mark::Gone => ("-", Some(Ink::Bad)),
            Mark::Heading => (" ", Some(Ink::Heading)),
            Mark::Remark => (" ", Some(Ink::Dim)),
        };
        let indent = "  ".repeat(line.depth);
        let left = format!("{sign} {indent}{}", line.text);
        let painted = match ink {
            Some(ink) => out.paint(ink, &left),
            None if line.depth == 0 => out.paint(Ink::Heading, &left),
            None => left.clone(),
        };
        match line.place {
            None => writeln!(out.data, "{painted}")?,
            Some(span) => {
                let module = self
                    .package
                    .origin(span)
                    .map(|module| format!("module {module}, "))
                    .unwrap_or_default();
                let place = format!("{module}{}", self.rules.place(span));
                let used = left.chars().count() + place.chars().count();
                let gap = " ".repeat(out.width.saturating_sub(used).max(2));
                writeln!(out.data, "{painted}{gap}{}", out.paint(Ink::Dim, place))?;
            }
        }
        for clause in &line.cites {
            self.clause(out, line.depth, clause)?;
        }
        Ok(())
    }

    fn clause(&mut self, out: &mut Out<'_>, depth: usize, clause: &str) -> Result<(), Failure> {
        let indent = "  ".repeat(depth + 4);
        let label = format!("@{clause}");
        let text = match self.rules.words.clause(clause) {
            Some(_) if !self.told.insert(clause.to_owned()) => "(above)".to_owned(),
            Some(text) => format!("{text}{}", self.rules.relations.remark(clause)),
            None => "(no such clause)".to_owned(),
        };
        let room = out.width.saturating_sub(indent.len()).max(40);
        let lines = wrapped(&format!("{label} {text}"), room);
        for (i, text) in lines.iter().enumerate() {
            let text = match (i, text.strip_prefix(&label)) {
                (0, Some(rest)) => format!(
                    "{}{}",
                    out.paint(Ink::Clause, &label),
                    out.paint(Ink::Dim, rest)
                ),
                _ => out.paint(Ink::Dim, text),
            };
            writeln!(out.data, "{indent}{text}")?;
        }
        Ok(())
    }
}

/// A table as text.
fn grid(rows: &[Vec<String>]) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    table
        .load_style(comfy_table::presets::NOTHING)
        .set_content_arrangement(comfy_table::ContentArrangement::Disabled);
    if let Some((heads, rows)) = rows.split_first() {
        table.set_header(heads.clone());
        table.add_rows(rows.iter().cloned());
        for (i, column) in table.column_iter_mut().enumerate() {
            let numbers = rows
                .iter()
                .all(|row| row.get(i).is_some_and(|cell| cell.parse::<i64>().is_ok()));
            if numbers {
                column.set_cell_alignment(comfy_table::CellAlignment::Right);
            }
        }
    }
    table
}
