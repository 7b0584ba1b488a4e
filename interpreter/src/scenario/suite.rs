//! All scenarios of a package, and the rulesets that they are played with.

use super::document::Scenario;
use super::read::read;
use super::setup::Setup;
use crate::diagnostic::{Code, Diagnostics};
use crate::source::{PackageTexts, Sources};

/// The scenarios of a package: those of its base, of the modules in it, and of house rules.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// Their texts; every place in a report is a place in these.
    pub sources: Sources,
    /// The scenarios that could be read, in the order of their files.
    pub scenarios: Vec<Scenario>,
    /// What is wrong with those that could not.
    pub diagnostics: Diagnostics,
    /// How many could not, as far as they can be told apart.
    pub unread: usize,
}

impl Suite {
    /// Reads every `scenarios/**/*.yaml` of a package, of its modules and of house rules.
    pub fn read(base: &PackageTexts, house: &[(String, PackageTexts)]) -> Suite {
        let mut suite = Suite::default();
        let names: Vec<String> = house.iter().map(|(name, _)| name.clone()).collect();
        let own = std::iter::once((None, base));
        for (name, texts) in own.chain(
            house
                .iter()
                .map(|(name, texts)| (Some(name.as_str()), texts)),
        ) {
            let mut files: Vec<_> = texts
                .files
                .iter()
                .filter(|(path, _)| is_scenario(path))
                .collect();
            files.sort();
            for (path, text) in files {
                let file = suite.sources.add(texts.shown(path), text.as_str());
                let found = read(&suite.sources, file, &names, name, &mut suite.diagnostics);
                suite.unread += found.iter().filter(|scenario| scenario.is_none()).count();
                suite.scenarios.extend(found.into_iter().flatten());
            }
        }
        suite.unique();
        suite
    }

    /// The setups that the scenarios need, each once, in the order in which they are first needed.
    pub fn setups(&self) -> Vec<&Setup> {
        let mut setups: Vec<&Setup> = Vec::new();
        for scenario in &self.scenarios {
            if !setups.contains(&&scenario.setup) {
                setups.push(&scenario.setup);
            }
        }
        setups
    }

    /// Reports scenarios of the same name: nobody could say which of them failed.
    fn unique(&mut self) {
        for (i, scenario) in self.scenarios.iter().enumerate() {
            let name = &scenario.name;
            if let Some(first) = self.scenarios[..i]
                .iter()
                .find(|s| s.name.node == name.node)
            {
                self.diagnostics.push(
                    Code::DuplicateScenario
                        .error(name.span, "two scenarios have the same name")
                        .also(first.name.span, "the other one"),
                );
            }
        }
    }
}

/// `scenarios/**/*.yaml`, of a package or of a module in it.
fn is_scenario(path: &str) -> bool {
    let inside = match path
        .strip_prefix("modules/")
        .and_then(|rest| rest.split_once('/'))
    {
        Some((_, inside)) => inside,
        None => path,
    };
    inside.starts_with("scenarios/") && inside.ends_with(".yaml")
}
