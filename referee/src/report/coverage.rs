//! From each paragraph of the printed rulebook to its clauses, to the rules that cite them, to the
//! scenarios that prove them; and every gap.
//!
//! A scenario proves a clause only if a rule that cites it ran or refused in it: the engine says so,
//! not the scenario. A clause that is cited by declarations alone has nothing that could run; it is
//! proven by a scenario that passes, cites it, and, if places, counters or markers are declared,
//! expects something of one of them.

use std::collections::BTreeMap;

use interpreter::package::ClauseKind;
use serde::Serialize;

use super::proofs::Proofs;
use super::rules::Rules;
use crate::numbers::float;

/// What proves a ruleset.
#[derive(Clone, Debug, Serialize)]
pub struct Coverage {
    /// The paragraphs of the printed rulebook, in order.
    pub paragraphs: Vec<Paragraph>,
    /// The clauses, in order.
    pub clauses: Vec<Clause>,
    /// Clauses that somebody has to enforce.
    pub enforceable: usize,
    /// Those among them without a gap.
    pub proven: usize,
    /// Part of the enforceable clauses that are proven, in per cent.
    pub percent: f64,
}

/// A paragraph.
#[derive(Clone, Debug, Serialize)]
pub struct Paragraph {
    /// Where it stands.
    pub at: String,
    /// Its clauses.
    pub clauses: Vec<String>,
    /// Why it has none.
    pub why_none: Option<String>,
    /// Whether one of its clauses has a gap, or it has neither clauses nor a reason.
    pub gap: bool,
}

/// A clause.
#[derive(Clone, Debug, Serialize)]
pub struct Clause {
    /// Its id.
    pub id: String,
    /// `rule`, `ruling`, `option`, `note`
    pub kind: &'static str,
    /// The rules that cite it.
    pub rules: Vec<Citing>,
    /// Scenarios in which such a rule ran or refused.
    pub scenarios: Vec<String>,
    /// Scenarios that cite it and prove nothing of it.
    pub unproven: Vec<String>,
    /// Whether every rule that cites it was replaced or disabled by a module: it is not in force.
    pub overruled: bool,
    /// What is missing.
    pub gaps: Vec<Gap>,
    /// Whether a paragraph of the printed rulebook says it.
    pub printed: bool,
}

/// A rule that cites a clause.
#[derive(Clone, Debug, Serialize)]
pub struct Citing {
    /// Which.
    pub what: String,
    /// Where: `rules/roles.rules:40`.
    pub place: String,
}

/// What is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Gap {
    /// No rule cites it.
    NoRule,
    /// No scenario proves it.
    NoScenario,
}

/// Finds out what proves what.
pub fn coverage(rules: &Rules<'_>, proofs: &Proofs) -> Coverage {
    let mut citing: BTreeMap<String, Vec<(Citing, bool)>> = BTreeMap::new();
    for citation in rules.citations() {
        let place = rules.place(citation.span);
        let runs = !declares(&citation.what);
        citing.entry(citation.clause).or_default().push((
            Citing {
                what: citation.what,
                place,
            },
            runs,
        ));
    }
    let mut printed: Vec<&str> = Vec::new();
    for paragraph in &rules.package.rulebook.sources {
        printed.extend(paragraph.clauses.iter().map(|clause| clause.node.as_str()));
    }
    let mut clauses = Vec::new();
    for clause in &rules.package.rulebook.clauses {
        let id = &clause.id.node;
        let citing = citing.remove(id).unwrap_or_default();
        let nothing_runs = citing.iter().all(|(_, runs)| !runs) && !citing.is_empty();
        let declared: Vec<&str> = citing
            .iter()
            .filter_map(|(c, _)| table_thing(&c.what))
            .collect();
        let (mut scenarios, mut unproven) = (Vec::new(), Vec::new());
        for (scenario, report) in proofs.ran().filter(|(_, report)| report.passed()) {
            let cites = scenario.cites.iter().any(|cite| cite.node == *id);
            let looked_at = || {
                declared.is_empty() || declared.iter().any(|name| report.looked_at.contains(*name))
            };
            if report.exercised.contains(id) || (nothing_runs && cites && looked_at()) {
                scenarios.push(scenario.name.node.clone());
            } else if cites {
                unproven.push(scenario.name.node.clone());
            }
        }
        let overruled = citing.is_empty() && rules.package.cites(id);
        let mut gaps = Vec::new();
        if clause.kind != ClauseKind::Note && !overruled {
            if citing.is_empty() {
                gaps.push(Gap::NoRule);
            }
            if scenarios.is_empty() {
                gaps.push(Gap::NoScenario);
            }
        }
        clauses.push(Clause {
            id: id.clone(),
            kind: match clause.kind {
                ClauseKind::Rule => "rule",
                ClauseKind::Ruling => "ruling",
                ClauseKind::Option => "option",
                ClauseKind::Note => "note",
            },
            rules: citing.into_iter().map(|(citing, _)| citing).collect(),
            scenarios,
            unproven,
            overruled,
            gaps,
            printed: printed.contains(&id.as_str()),
        });
    }
    let paragraphs = rules.package.rulebook.sources.iter().map(|paragraph| {
        let ids: Vec<String> = paragraph
            .clauses
            .iter()
            .map(|clause| clause.node.clone())
            .collect();
        let open = |id: &String| {
            clauses
                .iter()
                .any(|clause| clause.id == *id && !clause.gaps.is_empty())
        };
        let gap = ids.iter().any(open) || (ids.is_empty() && paragraph.why_none.is_none());
        Paragraph {
            at: paragraph.at.node.clone(),
            clauses: ids,
            why_none: paragraph.why_none.clone(),
            gap,
        }
    });
    let paragraphs = paragraphs.collect();
    let enforceable = clauses
        .iter()
        .filter(|clause| clause.kind != "note" && !clause.overruled)
        .count();
    let proven = clauses
        .iter()
        .filter(|clause| clause.kind != "note" && !clause.overruled && clause.gaps.is_empty())
        .count();
    let percent = match enforceable {
        0 => 100.0,
        all => 100.0 * float(proven) / float(all),
    };
    Coverage {
        paragraphs,
        clauses,
        enforceable,
        proven,
        percent,
    }
}

/// The name of the place, counter or marker at whose declaration a citation stands.
fn table_thing(what: &str) -> Option<&str> {
    let (kind, name) = what.split_once(' ')?;
    matches!(kind, "place" | "counter" | "marker" | "die").then_some(name)
}

/// Whether a citation stands at something that only says what there is.
pub fn declares(what: &str) -> bool {
    let kinds = [
        "place ", "counter ", "marker ", "event ", "figure ", "option ", "what ", "removal ",
        "row ", "die ", "record ",
    ];
    kinds.iter().any(|kind| what.starts_with(kind)) && !what.starts_with("what follows")
}
