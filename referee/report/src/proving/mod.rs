//! Whether scenarios would notice mistakes in the rules: every mutant of a ruleset and its verdict, in parallel.
//!
//! In: the texts of a ruleset, what is laid over it, and verdicts that are known. Out: [`Proved`]. Begin at
//! [`Trial::prepare`]; [`marks`] are the mistakes of which somebody says that nobody could notice them, [`campaign`] tests these by games,
//! [`kept`] is what is kept of it all.
//!
//! A package itself is proved in two stages: by the scenarios that are played without modules, and what survives these by
//! those that are played with its modules. The rulesets of the second are made only if something survives the first.

pub mod campaign;
pub mod kept;
pub mod marks;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use interpreter::mutation::{
    Court, Mutant, NotReady, Operator, Over, Planted, Verdict, judged, mutants,
};
use interpreter::package::PackageTexts;
use interpreter::play::Rejected;
use interpreter::scenario::{Report, Setup, Suite, not_created};
use rayon::prelude::*;

use marks::Marks;
use referee_store::numbers::float;

/// A ruleset that is ready to be proved.
pub struct Trial {
    /// Its mutants, and the texts without mistakes.
    pub planted: Planted,
    /// The scenarios that prove it, by setup.
    pub courts: Vec<Court>,
    /// Those that are played with modules of it, once something has survived those that prove it.
    helping: OnceLock<Vec<Court>>,
    /// All scenarios of the ruleset.
    pub suite: Suite,
    /// Which mistakes are marked.
    pub marks: Marks,
    over: Over,
    base: PackageTexts,
    house: Vec<(String, PackageTexts)>,
}

/// By which scenarios a verdict was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Those that prove what is proved.
    Proving,
    /// All that may notice a mistake in it.
    All,
}

/// Why nothing can be proved.
pub enum NotProvable {
    /// The rules have mistakes as they are.
    Rejected(Box<Rejected>),
    /// A scenario fails as it is, or cannot be read.
    Failed(String),
    /// The document of marks cannot be read, or says what cannot be.
    Marks(String),
}

impl Trial {
    /// Finds the mutants, and plays the scenarios with the rules as they are.
    ///
    /// # Errors
    ///
    /// The ruleset, a scenario or a mark is wrong.
    pub fn prepare(
        base: &PackageTexts,
        house: &[(String, PackageTexts)],
        over: &Over,
    ) -> Result<Trial, NotProvable> {
        let rejected = |rejected| NotProvable::Rejected(Box::new(rejected));
        let planted = mutants(base, house, over).map_err(rejected)?;
        let marks = Marks::read(base, house, over).map_err(NotProvable::Marks)?;
        let suite = Suite::read(base, house);
        if suite.unread > 0 {
            return Err(NotProvable::Failed(
                "some scenarios cannot be read".to_owned(),
            ));
        }
        let mut trial = Trial {
            planted,
            courts: Vec::new(),
            helping: OnceLock::new(),
            suite,
            marks,
            over: over.clone(),
            base: base.clone(),
            house: house.to_vec(),
        };
        trial.courts = trial.open(|setup| over.proves(setup))?;
        Ok(trial)
    }

    /// Compiles the setups that are wanted, and plays their scenarios.
    fn open(&self, wanted: impl Fn(&Setup) -> bool) -> Result<Vec<Court>, NotProvable> {
        let suite = &self.suite;
        let setups: Vec<_> = suite.setups().into_iter().filter(|s| wanted(s)).collect();
        let opened: Vec<_> = setups
            .into_par_iter()
            .map(|setup| {
                let (scenarios, sources) = (&suite.scenarios, &suite.sources);
                let opened = Court::open(&self.base, &self.house, setup, scenarios, sources);
                (setup, opened)
            })
            .collect();
        let mut courts = Vec::new();
        for (setup, opened) in opened {
            match opened {
                Ok(court) => courts.push(court),
                Err(NotReady::Failed(report)) => return Err(NotProvable::Failed(failed(&report))),
                // Scenarios may be there to show that such a game cannot be created.
                Err(NotReady::Rejected(why)) => {
                    let of_it = suite
                        .scenarios
                        .iter()
                        .filter(|scenario| scenario.setup == *setup);
                    let mut reports = of_it.map(|scenario| not_created(scenario, &why));
                    if !reports.all(|report| report.is_some_and(|report| report.passed())) {
                        return Err(NotProvable::Rejected(Box::new(why)));
                    }
                }
            }
        }
        Ok(courts)
    }

    /// The setups that may notice what those that prove do not; made when they are first needed.
    fn helping(&self) -> Result<&[Court], NotProvable> {
        if let Some(known) = self.helping.get() {
            return Ok(known);
        }
        let opened = self.open(|setup| self.over.helps(setup))?;
        Ok(self.helping.get_or_init(|| opened))
    }

    /// Judges mutants, except those whose verdict is known already; `told` hears of each verdict as it is given, and of
    /// which survived the first stage.
    ///
    /// # Errors
    ///
    /// A scenario that is played with modules fails as it is, or its ruleset is wrong.
    pub fn judge<'m>(
        &self,
        mutants: &[&'m Mutant],
        known: &(dyn Fn(&Mutant) -> Option<(Verdict, Stage)> + Sync),
        told: &(dyn Fn(&Mutant, &Verdict, Stage) + Sync),
    ) -> Result<Vec<(&'m Mutant, Verdict)>, NotProvable> {
        let one_stage = !self.suite.setups().iter().any(|s| self.over.helps(s));
        let first = |mutant: &&'m Mutant| {
            let (verdict, mut stage) = known(mutant).unwrap_or_else(|| {
                let verdict = judged(&self.courts, mutant, Vec::new());
                (verdict, Stage::Proving)
            });
            if one_stage || !matches!(verdict, Verdict::Survived { .. }) {
                stage = Stage::All;
            }
            told(mutant, &verdict, stage);
            (*mutant, verdict, stage)
        };
        // What takes long is spread over the list: the next free processor takes the next one.
        let verdicts: Vec<_> = mutants.par_iter().with_max_len(1).map(first).collect();
        let is_open = |(_, _, stage): &(_, _, Stage)| *stage == Stage::Proving;
        let helping = match verdicts.iter().any(is_open) {
            true => self.helping()?,
            false => &[],
        };
        let last = |(mutant, verdict, stage): (&'m Mutant, Verdict, Stage)| match verdict {
            Verdict::Survived { ran } if stage == Stage::Proving => {
                let verdict = judged(helping, mutant, ran);
                told(mutant, &verdict, Stage::All);
                (mutant, verdict)
            }
            known => (mutant, known),
        };
        Ok(verdicts.into_par_iter().with_max_len(1).map(last).collect())
    }

    /// How many scenarios are there that may notice a mistake.
    pub fn scenarios(&self) -> usize {
        let setups = self.suite.scenarios.iter().map(|scenario| &scenario.setup);
        setups
            .filter(|setup| self.over.proves(setup) || self.over.helps(setup))
            .count()
    }

    /// How many mutants of the package itself were noticed only with modules: by those of the scenario that did.
    pub fn noticed_with(&self, proved: &Proved<'_>) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for judged in &proved.judged {
            match &judged.outcome {
                Outcome::Killed { by } if self.over.is_nothing() && !by.modules.is_empty() => {
                    *counts.entry(by.modules.join(", ")).or_default() += 1;
                }
                _ => {}
            }
        }
        counts
    }

    /// Puts verdicts and marks together.
    pub fn proved<'t>(&'t self, verdicts: Vec<(&'t Mutant, Verdict)>) -> Proved<'t> {
        let judged = verdicts.into_iter().map(|(mutant, verdict)| {
            let mark = self.marks.of(&mutant.id);
            let outcome = match (verdict, mark) {
                (Verdict::Invalid { why }, _) => Outcome::Invalid { why },
                (Verdict::Killed(by), _) => Outcome::Killed { by },
                (Verdict::Survived { .. }, Some(mark)) => Outcome::Marked {
                    reason: mark.reason.clone(),
                },
                (Verdict::Survived { ran }, None) => Outcome::Survived { ran },
            };
            Judged { mutant, outcome }
        });
        let judged: Vec<Judged<'t>> = judged.collect();
        let lapsed = lapsed(&self.marks, &self.planted.mutants, &judged);
        Proved { judged, lapsed }
    }
}

/// Marks that fit no mutant, and marks of mutants that were noticed after all.
fn lapsed(marks: &Marks, mutants: &[Mutant], judged: &[Judged<'_>]) -> Vec<Lapsed> {
    let mut lapsed = Vec::new();
    for (id, mark) in marks.iter() {
        let known = mutants.iter().find(|mutant| mutant.id == *id);
        let outcome = judged.iter().find(|judged| judged.mutant.id == *id);
        let why = match (known, outcome.map(|judged| &judged.outcome)) {
            (None, _) => {
                "no mutant has this name any more: the sentence that it was marked in has changed; \
                          look at it again, then remove the mark or renew it"
                    .to_owned()
            }
            (Some(mutant), _) if mutant.operator.id() != mark.operator => format!(
                "this mutant is one of `{}`, not of `{}`; correct the mark",
                mutant.operator.id(),
                mark.operator
            ),
            (_, Some(Outcome::Killed { by })) => format!(
                "the scenario `{}` notices this mistake; remove the mark",
                by.scenario
            ),
            (_, Some(Outcome::Invalid { .. })) => {
                "this mutant is no ruleset at all; remove the mark".to_owned()
            }
            _ => continue,
        };
        lapsed.push(Lapsed {
            mutant: id.clone(),
            place: mark.place.clone(),
            why,
        });
    }
    lapsed
}

fn failed(report: &Report) -> String {
    format!("the scenario `{}` fails already", report.name.node)
}

/// A mark that says nothing true any more.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Lapsed {
    /// The mutant that it names.
    pub mutant: String,
    /// Where it stands: `rulesets/puerto-rico/equivalents.yaml:4`.
    pub place: String,
    /// What is wrong with it, and what to do.
    pub why: String,
}

/// What came of the mutants.
pub struct Proved<'t> {
    /// Each of them.
    pub judged: Vec<Judged<'t>>,
    /// Marks that say nothing true any more.
    pub lapsed: Vec<Lapsed>,
}

/// A mutant and what came of it.
pub struct Judged<'t> {
    /// The mutant.
    pub mutant: &'t Mutant,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a mutant.
pub enum Outcome {
    /// It is no ruleset, or faults in every game.
    Invalid {
        /// Why.
        why: String,
    },
    /// A scenario noticed it.
    Killed {
        /// Which, by which expectation.
        by: interpreter::mutation::Killer,
    },
    /// Somebody says that nobody could notice it.
    Marked {
        /// Why.
        reason: String,
    },
    /// No scenario noticed it.
    Survived {
        /// The scenarios in which something of it ran.
        ran: Vec<String>,
    },
}

/// How many mutants of an operator came to which end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Count {
    pub made: usize,
    pub invalid: usize,
    pub killed: usize,
    pub marked: usize,
    pub survived: usize,
}

impl Count {
    fn add(&mut self, outcome: &Outcome) {
        self.made += 1;
        *match outcome {
            Outcome::Invalid { .. } => &mut self.invalid,
            Outcome::Killed { .. } => &mut self.killed,
            Outcome::Marked { .. } => &mut self.marked,
            Outcome::Survived { .. } => &mut self.survived,
        } += 1;
    }

    /// The part of the valid ones that are marked, in per cent.
    pub fn marked_percent(&self) -> f64 {
        match self.made - self.invalid {
            0 => 0.0,
            valid => 100.0 * float(self.marked) / float(valid),
        }
    }
}

impl Proved<'_> {
    /// How many came to which end, by operator.
    pub fn by_operator(&self) -> BTreeMap<Operator, Count> {
        let mut counts: BTreeMap<Operator, Count> = BTreeMap::new();
        for judged in &self.judged {
            counts
                .entry(judged.mutant.operator)
                .or_default()
                .add(&judged.outcome);
        }
        counts
    }

    /// How many came to which end.
    pub fn all(&self) -> Count {
        let mut count = Count::default();
        self.judged
            .iter()
            .for_each(|judged| count.add(&judged.outcome));
        count
    }

    /// By which expectations mutants were noticed: how many by each code.
    pub fn noticed_by(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for judged in &self.judged {
            if let Outcome::Killed { by } = &judged.outcome {
                *counts.entry(by.code.as_str()).or_default() += 1;
            }
        }
        counts
    }

    /// Whether every mistake would be noticed, or is marked by somebody who is still right.
    pub fn good(&self) -> bool {
        self.all().survived == 0 && self.lapsed.is_empty()
    }
}
