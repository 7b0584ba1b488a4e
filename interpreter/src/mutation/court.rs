//! Judges mutants by the scenarios of one setup.
//!
//! A court knows the original: what its scenarios exercise, and which functions run in each. A mutant is compiled by the
//! ordinary compiler, of texts of which only one is parsed anew; its scenarios are those in which a function runs that
//! differs, likeliest first, and the first that fails is enough. Nothing runs without end: making a ruleset has its budget,
//! and so has every move.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::chance::SplitMix;
use super::compare::{Difference, difference};
use super::mutant::Mutant;
use super::touched::Touched;
use crate::CompileRuleset as _;
use crate::diagnostic::{Code, OF_CLAUSES, Rejected, Severity};
use crate::package;
use crate::play::{CompileOptions, Game, Ruleset, Seed};
use crate::program::model::FuncId;
use crate::scenario::{Report, Scenario, Setup, run};
use crate::source::{LineColumn, PackageTexts, Sources};
use crate::syntax::Trees;

/// Random games by which it is found out whether a mutant faults in every game, and moves in each of them.
const GAMES: u64 = 3;
const MOVES: usize = 400;

/// Why a setup judges nothing.
#[derive(Debug)]
pub enum NotReady {
    /// The ruleset has mistakes as it is.
    Rejected(Rejected),
    /// A scenario fails as it is.
    Failed(Box<Report>),
}

/// Scenarios of one setup, and the ruleset as it is.
#[derive(Clone, Debug)]
pub struct Court {
    setup: Setup,
    base: PackageTexts,
    house: Vec<(String, PackageTexts)>,
    trees: Trees,
    original: Arc<Ruleset>,
    cases: Vec<Case>,
    scenarios: Sources,
}

/// A scenario, and what is known of it with the ruleset as it is.
#[derive(Clone, Debug)]
struct Case {
    scenario: Scenario,
    exercised: BTreeSet<String>,
    ran: BTreeSet<FuncId>,
    moves: usize,
}

/// What came of a mutant in one court.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The mutant is no ruleset: why, in a line.
    Rejected(String),
    /// It is the same as the original as far as these scenarios go.
    Same,
    /// It faults in every game with this setup.
    Faulty {
        /// How.
        why: String,
        /// The scenario that notices.
        killer: Killer,
    },
    /// A scenario fails.
    Killed(Killer),
    /// None of the scenarios in which something runs that differs fails: their names.
    Survived(Vec<String>),
}

/// What noticed a mistake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Killer {
    /// The scenario.
    pub scenario: String,
    /// The modules with which it is played.
    pub modules: Vec<String>,
    /// The code of the failed expectation.
    pub code: String,
    /// The expectation that failed: `scenarios/captain.yaml:12`.
    pub place: String,
    /// What it says.
    pub message: String,
}

/// What is known of a mutant in the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is no ruleset, or faults in every game.
    Invalid {
        /// Why.
        why: String,
    },
    /// A scenario noticed it.
    Killed(Killer),
    /// No scenario noticed it; something of it ran in these.
    Survived {
        /// Their names; none executed it if there are none.
        ran: Vec<String>,
    },
}

impl Court {
    /// Compiles the ruleset of a setup and plays its scenarios.
    ///
    /// # Errors
    /// The ruleset has mistakes, or a scenario fails: then nothing could be proved by it.
    pub fn open(
        base: &PackageTexts,
        house: &[(String, PackageTexts)],
        setup: &Setup,
        scenarios: &[Scenario],
        sources: &Sources,
    ) -> Result<Court, NotReady> {
        let house = house.iter().filter(|(name, _)| setup.house.contains(name));
        let house: Vec<_> = house
            .map(|(name, texts)| (name.clone(), bare(texts)))
            .collect();
        let base = bare(base);
        let original = compiled(setup, &base, &house, &Trees::default());
        let original = original.map_err(NotReady::Rejected)?;
        let mut court = Court {
            setup: setup.clone(),
            base,
            house,
            trees: Trees::of(original.sources()),
            original,
            cases: Vec::new(),
            scenarios: sources.clone(),
        };
        let (ruleset, touched) = Touched::of(&court.original);
        for scenario in scenarios.iter().filter(|scenario| scenario.setup == *setup) {
            let report = run(scenario, &ruleset);
            if !report.passed() {
                return Err(NotReady::Failed(Box::new(report)));
            }
            court.cases.push(Case {
                scenario: scenario.clone(),
                exercised: report.exercised,
                ran: touched.since(),
                moves: report.made.len(),
            });
        }
        Ok(court)
    }

    /// The setup of its scenarios.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// How many scenarios it has.
    pub fn size(&self) -> usize {
        self.cases.len()
    }

    /// How much is to be expected of it for a clause: what its best scenario for that is worth.
    fn worth(&self, clause: Option<&str>) -> u8 {
        let worths = self.cases.iter().map(|case| case.worth(clause));
        worths.max().unwrap_or(0)
    }

    /// Judges a mutant.
    pub fn hear(&self, mutant: &Mutant) -> Heard {
        let heard = catch_unwind(AssertUnwindSafe(|| self.heard(mutant)));
        heard.unwrap_or_else(|panic| {
            let said = panic.downcast_ref::<String>().cloned();
            let said = said.or_else(|| panic.downcast_ref::<&str>().map(|said| (*said).to_owned()));
            Heard::Rejected(format!(
                "the engine fails on it: {}",
                said.unwrap_or_default()
            ))
        })
    }

    /// The ruleset as it is.
    pub(super) fn original(&self) -> &Arc<Ruleset> {
        &self.original
    }

    /// The ruleset with a mistake.
    ///
    /// # Errors
    /// Why it is none, in a line.
    pub(super) fn with(&self, mutant: &Mutant) -> Result<Arc<Ruleset>, String> {
        let (mut base, mut house) = (self.base.clone(), self.house.clone());
        let folder = match &mutant.house {
            None => Some(&mut base),
            Some(name) => house
                .iter_mut()
                .find(|(house, _)| house == name)
                .map(|(_, texts)| texts),
        };
        let files = folder.into_iter().flat_map(|folder| &mut folder.files);
        for (_, text) in files.filter(|(path, _)| *path == mutant.path) {
            *text = mutant.applied(text);
        }
        let compiled = compiled(&self.setup, &base, &house, &self.trees);
        compiled.map_err(|rejected| first_error(&rejected))
    }

    fn heard(&self, mutant: &Mutant) -> Heard {
        let ruleset = match self.with(mutant) {
            Ok(ruleset) => ruleset,
            Err(why) => return Heard::Rejected(why),
        };
        let mut cases: Vec<&Case> = self.cases.iter().collect();
        let differs = difference(self.original.program(), ruleset.program());
        match &differs {
            _ if mutant.is_structural => {}
            Difference::Nothing => return Heard::Same,
            Difference::Functions(functions) => {
                cases.retain(|case| !case.ran.is_disjoint(functions));
            }
            Difference::Everything => {}
        }
        let clause = mutant.site.clause.as_deref();
        cases.sort_by_key(|case| (u8::MAX - case.worth(clause), case.ran.len(), case.moves));
        let mut is_sound = false;
        for case in &cases {
            let report = run(&case.scenario, &ruleset);
            if report.passed() {
                is_sound = true;
                continue;
            }
            let killer = self.killer(&report);
            let is_fault = killer.code == Code::RulesetFault.to_string();
            if is_fault
                && !is_sound
                && let Some(fault) = faults_everywhere(&ruleset)
            {
                return Heard::Faulty { why: fault, killer };
            }
            return Heard::Killed(killer);
        }
        // Where anything may differ, those count that exercise the clause.
        let may_differ = mutant.is_structural || differs == Difference::Everything;
        let ran = cases.into_iter().filter(|case| {
            !may_differ || clause.is_none_or(|clause| case.exercised.contains(clause))
        });
        Heard::Survived(ran.map(|case| case.scenario.name.node.clone()).collect())
    }

    fn killer(&self, report: &Report) -> Killer {
        let list = &report.diagnostics.list;
        let failed = list.iter().find(|found| found.severity == Severity::Error);
        let place = failed
            .and_then(|failed| failed.labels.first())
            .map(|label| {
                let LineColumn { line, .. } = self.scenarios.line_column(label.span);
                format!("{}:{line}", self.scenarios.file(label.span.file).path)
            });
        Killer {
            scenario: report.name.node.clone(),
            modules: self.setup.configuration.modules.clone(),
            code: failed
                .map(|failed| failed.code.to_string())
                .unwrap_or_default(),
            place: place.unwrap_or_default(),
            message: failed
                .map(|failed| failed.message.to_string())
                .unwrap_or_default(),
        }
    }
}

impl Case {
    /// How likely it is to notice a mistake in the rules of a clause.
    fn worth(&self, clause: Option<&str>) -> u8 {
        let Some(clause) = clause else { return 0 };
        let cites = self.scenario.cites.iter().any(|cite| cite.node == clause);
        2 * u8::from(cites) + u8::from(self.exercised.contains(clause))
    }
}

/// Judges a mutant by courts, that from which most is expected first. `ran` are scenarios of other courts in which something
/// of it ran and that noticed nothing.
pub fn judged(courts: &[Court], mutant: &Mutant, mut ran: Vec<String>) -> Verdict {
    let clause = mutant.site.clause.as_deref();
    let mut courts: Vec<&Court> = courts.iter().collect();
    courts.sort_by_key(|court| (u8::MAX - court.worth(clause), usize::MAX - court.size()));
    let mut rejected = None;
    for court in courts {
        match court.hear(mutant) {
            Heard::Killed(killer) => return Verdict::Killed(killer),
            // Where others went on with it, it does not fault in every game: somebody notices.
            Heard::Faulty { killer, .. } if !ran.is_empty() => return Verdict::Killed(killer),
            Heard::Faulty { why, .. } => return Verdict::Invalid { why },
            Heard::Rejected(why) => rejected = rejected.or(Some(why)),
            Heard::Same => {}
            Heard::Survived(names) => ran.extend(names),
        }
    }
    match rejected {
        Some(why) if ran.is_empty() => Verdict::Invalid { why },
        _ => Verdict::Survived { ran },
    }
}

fn compiled(
    setup: &Setup,
    base: &PackageTexts,
    house: &[(String, PackageTexts)],
    trees: &Trees,
) -> Result<Arc<Ruleset>, Rejected> {
    // What makes play fast is left out with this, and what is left out is most of the making.
    let options = CompileOptions {
        traced: true,
        // A mistake that only makes a clause false is still one that scenarios have to notice.
        tolerated: OF_CLAUSES,
        ..CompileOptions::default()
    };
    Ruleset::compile_again(base, house, &setup.configuration, options, trees)
}

/// The texts that say what the rules are: without scenarios, recorded games, marks, proofs and reviews.
pub fn bare(texts: &PackageTexts) -> PackageTexts {
    let is_rule = |path: &str| {
        let inside = path
            .strip_prefix("modules/")
            .and_then(|rest| rest.split_once('/'));
        let inside = inside.map_or(path, |(_, inside)| inside);
        !inside.starts_with("scenarios/")
            && !inside.starts_with("snapshots/")
            && ![package::EQUIVALENTS, package::PROOF, package::REVIEW].contains(&inside)
    };
    let files = texts.files.iter().filter(|(path, _)| is_rule(path));
    PackageTexts::new(texts.path.clone(), files.cloned().collect())
}

fn first_error(rejected: &Rejected) -> String {
    let list = &rejected.diagnostics.list;
    let first = list.iter().find(|found| found.severity == Severity::Error);
    first.map_or_else(String::new, |found| {
        format!("{}: {}", found.code, found.message)
    })
}

/// The fault of a ruleset of which no game comes far, if that is so.
fn faults_everywhere(ruleset: &Arc<Ruleset>) -> Option<String> {
    let mut fault = None;
    for number in 0..GAMES {
        let mut game = Game::new(ruleset.clone(), Seed::from_number(number), false, false);
        let mut generator = SplitMix(number);
        let mut random = move || generator.next();
        let mut played = game.start().map(|()| 0);
        while let Ok(moves) = played
            && moves < MOVES
            && !game.is_over()
        {
            played = game.play_random(&mut random).map(|()| moves + 1);
        }
        fault = Some(played.err()?.message);
    }
    fault
}
