//! The two sides of a comparison: rulesets with what is laid over them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use interpreter::diagnostic::Diagnostics;
use interpreter::package::{Configuration, Package, PackageTexts};
use interpreter::source::Sources;

use crate::library::compose;

/// One of two rulesets.
#[derive(Clone, Debug)]
pub struct Side {
    /// How the user called it, with what is laid over it.
    pub called: String,
    /// Its texts.
    pub base: PackageTexts,
    /// House rules.
    pub house: Vec<(String, PackageTexts)>,
    /// Modules of its own.
    pub modules: Vec<String>,
    /// Options that differ from their defaults.
    pub options: BTreeMap<String, i64>,
}

/// A package as it is composed, with its texts; its rules are not checked.
pub struct Composed {
    /// The package.
    pub package: Package,
    /// Its texts.
    pub sources: Sources,
}

impl Side {
    /// For a number of players.
    pub fn configuration(&self, players: u8) -> Configuration {
        Configuration {
            players,
            modules: self.modules.clone(),
            options: self.options.clone(),
        }
    }

    /// Composes the package for a number of players; without one, for the fewest that it allows.
    ///
    /// # Errors
    ///
    /// Its mistakes, with the texts that they are in.
    pub fn composed(
        &self,
        players: Option<u8>,
    ) -> Result<Box<Composed>, Box<(Sources, Diagnostics)>> {
        let load = |players| compose(&self.base, &self.house, &self.configuration(players));
        // Whatever is wrong with no players is wrong with some, too, and is told then.
        let fewest = || load(0).0.map_or(0, |package| package.players.0.max(1));
        match load(players.unwrap_or_else(fewest)) {
            (Some(package), sources, diagnostics) if !diagnostics.has_errors() => {
                Ok(Box::new(Composed { package, sources }))
            }
            (_, sources, diagnostics) => Err(Box::new((sources, diagnostics))),
        }
    }
}

/// The numbers of players that both rulesets allow; empty if there is none.
pub fn players_of_both(before: (u8, u8), after: (u8, u8)) -> RangeInclusive<u8> {
    before.0.max(after.0).max(1)..=before.1.min(after.1)
}
