//! From each paragraph of the printed rulebook to its clauses, to the rules that cite them, to the
//! scenarios that prove them; and every gap.
//!
//! A scenario proves a clause only if a rule that cites it ran or refused in it: the engine says so,
//! not the scenario. A clause that is cited by declarations alone has nothing that could run; it is
//! proven by a scenario that passes, cites it, and, if places, counters or markers are declared,
//! expects something of one of them.
//!
//! A clause without a gap is *touched*. It is *proven* if, beyond that, a scenario sees it refuse where it forbids, and no
//! mistake that is planted in its rules survives, as the last `referee prove … --keep` of the same texts says.

use std::collections::{BTreeMap, BTreeSet};

use interpreter::package::{Language, Package};
use serde::Serialize;

use super::proofs::Proofs;
use super::proving::kept::{Doubt, Kept};
use super::rules::Rules;
use referee_store::numbers::float;

/// What proves a ruleset.
#[derive(Clone, Debug, Serialize)]
pub struct Coverage {
    /// The paragraphs of the printed rulebook, in order.
    pub paragraphs: Vec<Paragraph>,
    /// The clauses, in order.
    pub clauses: Vec<Clause>,
    /// Clauses that somebody has to enforce.
    pub enforceable: usize,
    /// Those among them that are proven.
    pub proven: usize,
    /// Part of the enforceable clauses that are proven, in per cent.
    pub percent: f64,
    /// Those among them without a gap, proven or not.
    pub touched: usize,
    /// Part of the enforceable clauses that are touched or proven, in per cent.
    pub touched_percent: f64,
}

/// The same for machines. Fields are added, never renamed.
#[derive(Debug, Serialize)]
pub struct Told<'a> {
    schema: &'static str,
    ruleset: &'a str,
    version: &'a str,
    scenarios_passed: usize,
    scenarios_failed: usize,
    #[serde(flatten)]
    coverage: &'a Coverage,
}

impl<'a> Told<'a> {
    /// What the scenarios of a package prove of it.
    pub fn of(package: &'a Package, proofs: &Proofs, coverage: &'a Coverage) -> Told<'a> {
        let (scenarios_passed, scenarios_failed) = proofs.counts();
        Told {
            schema: "referee.coverage/2",
            ruleset: &package.id.node,
            version: &package.version,
            scenarios_passed,
            scenarios_failed,
            coverage,
        }
    }
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
    /// Whether a clause of a module replaces it, or every rule that cites it was replaced or disabled: it is not in force.
    pub overruled: bool,
    /// What is missing so that it is touched.
    pub gaps: Vec<Gap>,
    /// How far it is proven; none of a clause that nobody has to enforce.
    pub standing: Option<Standing>,
    /// What is missing so that it is proven, if it is touched.
    pub missing: Vec<Missing>,
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

/// How far a clause is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Scenarios see its rules act, and refuse where they forbid, and no mistake in them survives.
    Proven,
    /// Scenarios see its rules act.
    Touched,
    /// Not even that.
    Gap,
}

/// What is missing so that a clause that is touched is proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// It forbids, and no scenario sees it refuse.
    Refusal,
    /// So many mistakes in its rules survive.
    Survive(usize),
    /// Nobody has planted mistakes in these texts: those of a module, or, if it names none, of the package itself.
    Proof(Option<String>),
}

impl Missing {
    /// What is missing, in words.
    pub fn words(&self, language: Language) -> String {
        match (self, language) {
            (Missing::Refusal, Language::English) => "not seen refusing".to_owned(),
            (Missing::Refusal, Language::Polish) => "nie widać odmowy".to_owned(),
            (Missing::Survive(1), Language::English) => "1 mistake survives".to_owned(),
            (Missing::Survive(n), Language::English) => format!("{n} mistakes survive"),
            (Missing::Survive(n), Language::Polish) => format!("niezauważone błędy: {n}"),
            (Missing::Proof(_), Language::English) => "not proved yet".to_owned(),
            (Missing::Proof(_), Language::Polish) => "jeszcze bez dowodu".to_owned(),
        }
    }
}

impl Clause {
    /// Whether more is missing than that somebody plants mistakes.
    pub fn lacks(&self) -> bool {
        let known = |missing: &Missing| !matches!(missing, Missing::Proof(_));
        !self.gaps.is_empty() || self.missing.iter().any(known)
    }
}

/// What is known of who cites a clause.
struct Known {
    citing: Citing,
    runs: bool,
    layer: Option<String>,
}

/// Finds out what proves what.
pub fn coverage(rules: &Rules<'_>, proofs: &Proofs, kept: &Kept) -> Coverage {
    let mut citing: BTreeMap<String, Vec<Known>> = BTreeMap::new();
    for citation in rules.citations() {
        let place = rules.place(citation.span);
        let runs = !declares(&citation.what);
        let layer = rules.package.origin(citation.span).map(str::to_owned);
        citing.entry(citation.clause).or_default().push(Known {
            citing: Citing {
                what: citation.what,
                place,
            },
            runs,
            layer,
        });
    }
    let mut printed: Vec<&str> = Vec::new();
    for paragraph in &rules.package.rulebook.sources {
        printed.extend(paragraph.clauses.iter().map(|clause| clause.node.as_str()));
    }
    let mut clauses = Vec::new();
    for clause in &rules.package.rulebook.clauses {
        let id = &clause.id.node;
        let citing = citing.remove(id).unwrap_or_default();
        let nothing_runs = citing.iter().all(|known| !known.runs) && !citing.is_empty();
        let declared: Vec<&str> = citing
            .iter()
            .filter_map(|known| table_thing(&known.citing.what))
            .collect();
        let (mut scenarios, mut unproven) = (Vec::new(), Vec::new());
        let mut is_seen_refusing = false;
        for (scenario, report) in proofs.ran().filter(|(_, report)| report.passed()) {
            let cites = scenario.cites.iter().any(|cite| cite.node == *id);
            is_seen_refusing |= report.refused.contains(id);
            let looked_at = || {
                declared.is_empty() || declared.iter().any(|name| report.looked_at.contains(*name))
            };
            if report.exercised.contains(id) || (nothing_runs && cites && looked_at()) {
                scenarios.push(scenario.name.node.clone());
            } else if cites {
                unproven.push(scenario.name.node.clone());
            }
        }
        let is_replaced = !rules.relations.replaced_by(id).is_empty();
        let overruled = is_replaced || citing.is_empty() && rules.package.cites(id);
        let mut gaps = Vec::new();
        if clause.is_enforced && !overruled {
            if citing.is_empty() {
                gaps.push(Gap::NoRule);
            }
            if scenarios.is_empty() {
                gaps.push(Gap::NoScenario);
            }
        }
        let is_enforced = clause.is_enforced && !overruled;
        let mut missing = Vec::new();
        if is_enforced && gaps.is_empty() {
            let does_forbid = citing.iter().any(|known| forbids(&known.citing.what));
            missing.extend((does_forbid && !is_seen_refusing).then_some(Missing::Refusal));
            let layers: BTreeSet<Option<&str>> =
                citing.iter().map(|known| known.layer.as_deref()).collect();
            let doubt = kept.doubt(id, layers.into_iter());
            missing.extend(doubt.map(|doubt| match doubt {
                Doubt::Unknown(layer) => Missing::Proof(layer),
                Doubt::Survive(count) => Missing::Survive(count),
            }));
        }
        let standing = match (gaps.is_empty(), missing.is_empty()) {
            (false, _) => Standing::Gap,
            (true, false) => Standing::Touched,
            (true, true) => Standing::Proven,
        };
        clauses.push(Clause {
            id: id.clone(),
            kind: clause.kind.word(),
            rules: citing.into_iter().map(|known| known.citing).collect(),
            scenarios,
            unproven,
            overruled,
            gaps,
            standing: is_enforced.then_some(standing),
            missing,
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
    Coverage::counted(paragraphs.collect(), clauses)
}

impl Coverage {
    fn counted(paragraphs: Vec<Paragraph>, clauses: Vec<Clause>) -> Coverage {
        let standings: Vec<Standing> = clauses
            .iter()
            .filter_map(|clause| clause.standing)
            .collect();
        let count = |wanted: &dyn Fn(Standing) -> bool| {
            let fit = standings.iter().filter(|standing| wanted(**standing));
            fit.count()
        };
        let enforceable = standings.len();
        let proven = count(&|standing| standing == Standing::Proven);
        let touched = count(&|standing| standing != Standing::Gap);
        let percent = |part| match enforceable {
            0 => 100.0,
            all => 100.0 * float(part) / float(all),
        };
        Coverage {
            paragraphs,
            clauses,
            enforceable,
            proven,
            percent: percent(proven),
            touched,
            touched_percent: percent(touched),
        }
    }

    /// Only some of the clauses, and the paragraphs that one of them carries out.
    pub fn only(self, wanted: &dyn Fn(&Clause) -> bool) -> Coverage {
        let clauses: Vec<Clause> = self.clauses.into_iter().filter(|one| wanted(one)).collect();
        let is_there = |id: &String| clauses.iter().any(|clause| clause.id == *id);
        let paragraphs = self.paragraphs.into_iter().filter_map(|mut paragraph| {
            paragraph.clauses.retain(is_there);
            (!paragraph.clauses.is_empty()).then_some(paragraph)
        });
        Coverage::counted(paragraphs.collect(), clauses)
    }
}

impl Clause {
    /// Whether a rule of a phase cites it.
    pub fn is_of_phase(&self, phase: &str) -> bool {
        self.rules.iter().any(|rule| {
            let words = rule.what.split_whitespace();
            let mut names = words.map(|word| word.split('.').next().unwrap_or(word));
            names.any(|name| name == phase)
        })
    }
}

/// Whether a citation stands at something that refuses moves.
fn forbids(what: &str) -> bool {
    what.starts_with("condition of ") || what.starts_with("limit of ")
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
