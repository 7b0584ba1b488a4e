//! The scenarios of a ruleset, run in parallel.

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::package::PackageTexts;
use interpreter::play::Rejected;
use interpreter::scenario::{Report, Scenario, Setup, Suite, not_created, run};
use interpreter::syntax::Trees;
use rayon::prelude::*;

/// What came of the scenarios of a ruleset.
pub struct Proofs {
    /// The scenarios, and what is wrong with those that cannot be read.
    pub suite: Suite,
    /// By scenario of the suite: its report, if it was wanted and its ruleset could be compiled.
    pub reports: Vec<Option<Report>>,
    /// Setups whose ruleset has mistakes.
    pub rejected: Vec<(Setup, Rejected)>,
    /// By scenario of the suite: whether it was wanted.
    pub wanted: Vec<bool>,
}

impl Proofs {
    /// Runs the scenarios whose name or file contains the filter.
    pub fn run(
        base: &PackageTexts,
        house: &[(String, PackageTexts)],
        filter: Option<&str>,
    ) -> Proofs {
        let suite = Suite::read(base, house);
        let wants = |scenario: &Scenario| {
            let file = &suite.sources.file(scenario.name.span.file).path;
            // Where the packages lie says nothing of a scenario; to which house rule it belongs does.
            let below = |texts: &PackageTexts| {
                let folder = texts.path.trim_end_matches('/');
                let inside = file.strip_prefix(folder)?;
                (folder.is_empty() || inside.starts_with('/')).then_some(inside)
            };
            let of_house = house
                .iter()
                .find_map(|(name, texts)| Some(format!("{name}{}", below(texts)?)));
            let inside = of_house.or_else(|| below(base).map(str::to_owned));
            let inside = inside.as_ref().unwrap_or(file);
            filter.is_none_or(|part| scenario.name.node.contains(part) || inside.contains(part))
        };
        let wanted = suite.scenarios.iter().map(wants).collect();
        Proofs::of_suite(base, house, suite, wanted)
    }

    /// Runs the scenarios that somebody wants.
    pub fn of(
        base: &PackageTexts,
        house: &[(String, PackageTexts)],
        wants: impl Fn(&Scenario) -> bool,
    ) -> Proofs {
        let suite = Suite::read(base, house);
        let wanted = suite.scenarios.iter().map(wants).collect();
        Proofs::of_suite(base, house, suite, wanted)
    }

    fn of_suite(
        base: &PackageTexts,
        house: &[(String, PackageTexts)],
        suite: Suite,
        wanted: Vec<bool>,
    ) -> Proofs {
        let mut setups: Vec<&Setup> = Vec::new();
        for (scenario, _) in suite
            .scenarios
            .iter()
            .zip(&wanted)
            .filter(|(_, wanted)| **wanted)
        {
            if !setups.contains(&&scenario.setup) {
                setups.push(&scenario.setup);
            }
        }
        let trees = Trees::growing();
        let compiled: Vec<(Setup, Result<Arc<Ruleset>, Rejected>)> = setups
            .into_par_iter()
            .map(|setup| (setup.clone(), setup.compile(base, house, &trees)))
            .collect();
        let reports: Vec<Option<Report>> = suite
            .scenarios
            .par_iter()
            .zip(&wanted)
            .map(|(scenario, wanted)| {
                let found = compiled
                    .iter()
                    .find(|(setup, _)| *wanted && *setup == scenario.setup);
                found.and_then(|(_, compiled)| match compiled {
                    Ok(ruleset) => Some(run(scenario, ruleset)),
                    Err(rejected) => not_created(scenario, rejected),
                })
            })
            .collect();
        let without_report = |setup: &Setup| {
            let all = suite.scenarios.iter().zip(&reports).zip(&wanted);
            let mut all =
                all.filter(|((scenario, _), wanted)| **wanted && scenario.setup == *setup);
            all.any(|((_, report), _)| report.is_none())
        };
        let rejected = compiled
            .into_iter()
            .filter_map(|(setup, compiled)| Some((setup, compiled.err()?)))
            .filter(|(setup, _)| without_report(setup))
            .collect();
        Proofs {
            suite,
            reports,
            rejected,
            wanted,
        }
    }

    /// The scenarios that were run, with what came of them.
    pub fn ran(&self) -> impl Iterator<Item = (&Scenario, &Report)> {
        let all = self.suite.scenarios.iter().zip(&self.reports);
        all.filter_map(|(scenario, report)| Some((scenario, report.as_ref()?)))
    }

    /// How many passed, and how many failed, could not be run or could not even be read.
    pub fn counts(&self) -> (usize, usize) {
        let passed = self.ran().filter(|(_, report)| report.passed()).count();
        let wanted = self.wanted.iter().filter(|wanted| **wanted).count();
        (passed, wanted - passed + self.suite.unread)
    }

    /// Whether everything that was wanted could be read, was run and passed.
    pub fn good(&self) -> bool {
        self.counts().1 == 0 && self.rejected.is_empty() && !self.suite.diagnostics.has_errors()
    }

    /// Where a scenario is written: `rulesets/puerto-rico/scenarios/captain.yaml:8`.
    pub fn place(&self, scenario: &Scenario) -> String {
        let span = scenario.name.span;
        format!(
            "{}:{}",
            self.suite.sources.file(span.file).path,
            self.suite.sources.line_column(span).line
        )
    }
}
