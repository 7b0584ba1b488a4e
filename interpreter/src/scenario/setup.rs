//! What a scenario is played with.

use std::sync::Arc;

use crate::CompileRuleset as _;
use crate::diagnostic::OF_CLAUSES;
use crate::diagnostic::Rejected;
use crate::play::{CompileOptions, Ruleset};
use crate::program::package::Configuration;
use crate::source::PackageTexts;
use crate::syntax::Trees;

/// What a scenario is played with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Players, modules and options.
    pub configuration: Configuration,
    /// House rules, by name.
    pub house: Vec<String>,
}

impl Setup {
    /// Compiles the ruleset of this setup, so that it reports what its rules exercise. Setups of one ruleset share `trees`.
    ///
    /// # Errors
    /// What is wrong with the ruleset.
    pub fn compile(
        &self,
        base: &PackageTexts,
        house: &[(String, PackageTexts)],
        trees: &Trees,
    ) -> Result<Arc<Ruleset>, Rejected> {
        let house: Vec<_> = house
            .iter()
            .filter(|(name, _)| self.house.contains(name))
            .cloned()
            .collect();
        let options = CompileOptions {
            traced: true,
            // Scenarios judge rules; what clauses say of them, `check` does.
            tolerated: OF_CLAUSES,
            ..CompileOptions::default()
        };
        Ruleset::compile_again(base, &house, &self.configuration, options, trees)
    }
}
