//! What `referee prove` prints: survivors, and how many mutants of each operator came to which end.

use std::collections::BTreeMap;

use interpreter::diagnostic::catalogue::explain;
use interpreter::mutation::{Mutant, Operator, skeleton};
use interpreter::package::Language;
use interpreter::source::Sources;
use serde::Serialize;

use crate::cli::format;
use crate::cli::out::{Ink, Out};
use crate::cli::outcome::{Exit, Failure};
use referee_report::proving::{Count, Judged, Lapsed, Outcome, Proved, Trial};
use referee_store::numbers::float;

/// Scenarios that are named; more are counted.
const NAMED: usize = 3;

/// What came of it, for machines. Fields are added, never renamed.
#[derive(Serialize)]
struct ProvedReport<'a> {
    schema: &'static str,
    ruleset: &'a str,
    version: &'a str,
    scenarios: usize,
    #[serde(flatten)]
    all: Count,
    marked_percent: f64,
    operators: BTreeMap<&'static str, Count>,
    noticed_by: BTreeMap<&'a str, usize>,
    /// How many were noticed only with modules, by those of the scenario.
    noticed_with: BTreeMap<String, usize>,
    lapsed: &'a [Lapsed],
    mutants: Vec<MutantReport<'a>>,
}

#[derive(Serialize)]
struct MutantReport<'a> {
    mutant: &'a str,
    operator: &'static str,
    /// `invalid`, `killed`, `marked` or `survived`.
    outcome: &'static str,
    says: &'a str,
    file: &'a str,
    line: u32,
    clause: Option<&'a str>,
    sentence: &'a str,
    diff: String,
    /// Why it is invalid, or marked.
    why: Option<&'a str>,
    /// What noticed it: a scenario, the code of its expectation, and where that stands.
    killed_by: Option<[&'a str; 3]>,
    /// The modules with which that scenario is played.
    killed_with: &'a [String],
    /// Scenarios in which something of it ran, if none noticed it.
    ran: &'a [String],
    /// The beginning of a scenario that would notice it, if none did.
    skeleton: Option<String>,
}

/// Writes the result for programs.
pub(super) fn json(
    trial: &Trial,
    proved: &Proved<'_>,
    language: Language,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let package = &trial.planted.package;
    let operators = proved.by_operator().into_iter();
    let all = proved.all();
    let mutants = proved
        .judged
        .iter()
        .map(|judged| report(trial, judged, language));
    format::json(
        out,
        &ProvedReport {
            schema: "referee.prove/1",
            ruleset: &package.id.node,
            version: &package.version,
            scenarios: trial.scenarios(),
            all,
            marked_percent: all.marked_percent(),
            operators: operators
                .map(|(operator, count)| (operator.id(), count))
                .collect(),
            noticed_by: proved.noticed_by(),
            noticed_with: trial.noticed_with(proved),
            lapsed: &proved.lapsed,
            mutants: mutants.collect(),
        },
    )
}

fn report<'a>(trial: &'a Trial, judged: &'a Judged<'_>, language: Language) -> MutantReport<'a> {
    let (mutant, sources) = (judged.mutant, &trial.planted.sources);
    let (outcome, why, killed_by, ran) = match &judged.outcome {
        Outcome::Invalid { why } => ("invalid", Some(why.as_str()), None, &[][..]),
        Outcome::Killed { by } => {
            let by = [by.scenario.as_str(), by.code.as_str(), by.place.as_str()];
            ("killed", None, Some(by), &[][..])
        }
        Outcome::Marked { reason } => ("marked", Some(reason.as_str()), None, &[][..]),
        Outcome::Survived { ran } => ("survived", None, None, ran.as_slice()),
    };
    let killed_with = match &judged.outcome {
        Outcome::Killed { by } => by.modules.as_slice(),
        _ => &[],
    };
    MutantReport {
        mutant: &mutant.id,
        operator: mutant.operator.id(),
        outcome,
        says: mutant.says.get(language),
        file: &sources.file(mutant.sentence.file).path,
        line: line(mutant, sources),
        clause: mutant.site.clause.as_deref(),
        sentence: sources.text(mutant.sentence),
        diff: diff(mutant, sources),
        why,
        killed_by,
        killed_with,
        ran,
        skeleton: (outcome == "survived").then(|| begun(trial, mutant)),
    }
}

/// Writes the result for people.
pub(super) fn print(
    trial: &Trial,
    proved: &Proved<'_>,
    language: Language,
    seconds: f64,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    for judged in &proved.judged {
        if let Outcome::Survived { ran } = &judged.outcome {
            survivor(trial, judged.mutant, ran, language, out)?;
        }
    }
    for lapsed in &proved.lapsed {
        let told = format!(
            "{}: the mark of `{}`: {}",
            lapsed.place, lapsed.mutant, lapsed.why
        );
        out.error(told);
    }
    table(proved, language, out)?;
    let noticed = proved.noticed_by();
    if !noticed.is_empty() {
        let mut noticed: Vec<_> = noticed.into_iter().collect();
        noticed.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let words = noticed.into_iter().map(|(code, count)| {
            let title = code.parse().map(|code| explain(code).title.as_str());
            format!("{count} {code} ({})", title.unwrap_or_default())
        });
        let words: Vec<String> = words.collect();
        writeln!(out.data, "noticed by: {}", words.join(", "))?;
    }
    let noticed = trial.noticed_with(proved);
    if !noticed.is_empty() {
        let words = noticed
            .into_iter()
            .map(|(modules, count)| format!("{count} with {modules}"));
        let words: Vec<String> = words.collect();
        writeln!(out.data, "noticed only with modules: {}", words.join("; "))?;
    }
    let all = proved.all();
    let ink = if proved.good() { Ink::Good } else { Ink::Bad };
    let summary = format!(
        "{} made: {} invalid, {} killed, {} marked ({:.1} %), {} survived; {} scenarios, {seconds:.1} s ({:.0} in a second)",
        all.made,
        all.invalid,
        all.killed,
        all.marked,
        all.marked_percent(),
        all.survived,
        trial.scenarios(),
        float(all.made) / seconds.max(0.001),
    );
    writeln!(out.data, "{}", out.paint(ink, summary))?;
    Ok(())
}

fn survivor(
    trial: &Trial,
    mutant: &Mutant,
    ran: &[String],
    language: Language,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let sources = &trial.planted.sources;
    let verdict = match ran {
        [] => "survived: no scenario executes it",
        _ => "survived",
    };
    let place = format!(
        "{}:{}",
        sources.file(mutant.sentence.file).path,
        line(mutant, sources)
    );
    writeln!(
        out.data,
        "{}  {}  {}  {}",
        out.paint(Ink::Bad, verdict),
        mutant.operator.id(),
        mutant.id,
        out.paint(Ink::Dim, place),
    )?;
    if let Some(clause) = &mutant.site.clause {
        let said = trial.planted.package.rulebook.clause(clause);
        let said = said.map_or("", |clause| clause.text.get(language));
        writeln!(
            out.data,
            "    {}  {said}",
            out.paint(Ink::Clause, format!("@{clause}"))
        )?;
    }
    writeln!(out.data, "    {}", mutant.says.get(language))?;
    for line in diff(mutant, sources).lines() {
        let ink = match line.starts_with('-') {
            true => Ink::Bad,
            false => Ink::Good,
        };
        writeln!(out.data, "      {}", out.paint(ink, line))?;
    }
    if !ran.is_empty() {
        let mut names: Vec<String> = ran
            .iter()
            .take(NAMED)
            .map(|name| format!("`{name}`"))
            .collect();
        if ran.len() > NAMED {
            names.push(format!("{} more", ran.len() - NAMED));
        }
        let text = format!("pass all the same: {}", names.join(", "));
        writeln!(out.data, "    {}", out.paint(Ink::Dim, text))?;
    }
    for line in begun(trial, mutant).lines() {
        writeln!(out.data, "      {}", out.paint(Ink::Dim, line))?;
    }
    writeln!(out.data)?;
    Ok(())
}

fn table(proved: &Proved<'_>, language: Language, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING).set_header([
        "operator", "made", "invalid", "killed", "marked", "survived", "marked %", "",
    ]);
    for (operator, count) in proved.by_operator() {
        table.add_row([
            operator.id().to_owned(),
            count.made.to_string(),
            count.invalid.to_string(),
            count.killed.to_string(),
            count.marked.to_string(),
            count.survived.to_string(),
            format!("{:.1}", count.marked_percent()),
            operator.says(language).to_owned(),
        ]);
    }
    writeln!(out.data, "{}", table.trim_fmt())?;
    Ok(())
}

/// Lists the operators.
pub(super) fn operators(language: Language, out: &mut Out<'_>) -> Result<Exit, Failure> {
    for operator in Operator::ALL {
        writeln!(
            out.data,
            "{:<22}  {}",
            operator.id(),
            operator.says(language)
        )?;
    }
    Ok(Exit::Clean)
}

/// The beginning of a scenario that would notice a mutant, with as many players as most scenarios have.
fn begun(trial: &Trial, mutant: &Mutant) -> String {
    let most = trial.courts.iter().max_by_key(|court| court.size());
    let players = most.map_or(2, |court| court.setup().configuration.players);
    skeleton(mutant, &trial.planted.package, players)
}

fn line(mutant: &Mutant, sources: &Sources) -> u32 {
    let at = mutant
        .edits
        .first()
        .map_or(mutant.sentence, |edit| edit.span);
    sources.line_column(at).line
}

/// The lines that differ.
fn diff(mutant: &Mutant, sources: &Sources) -> String {
    let before = &sources.file(mutant.sentence.file).text;
    let after = mutant.applied(before);
    let diff = similar::TextDiff::from_lines(before.as_str(), after.as_str());
    let mut shown = String::new();
    for change in diff.iter_all_changes() {
        let sign = match change.tag() {
            similar::ChangeTag::Delete => '-',
            similar::ChangeTag::Insert => '+',
            similar::ChangeTag::Equal => continue,
        };
        shown.push(sign);
        shown.push_str(change.value());
        if !shown.ends_with('\n') {
            shown.push('\n');
        }
    }
    shown
}
