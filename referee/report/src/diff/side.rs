//! The two sides of a comparison: rulesets with what is laid over them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use interpreter::diagnostic::Diagnostics;
use interpreter::package::{Configuration, Package, PackageTexts};
use interpreter::source::Sources;
use interpreter::syntax::Trees;

use referee_library::compose;

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
    /// Parsed trees of its texts. Every compilation of this ruleset uses and extends them.
    pub trees: Trees,
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
        let load = |players| {
            compose(
                &self.trees,
                &self.base,
                &self.house,
                &self.configuration(players),
            )
        };
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

impl Side {
    /// The same rules with the figures and components of another side: what still differs is no matter of figures.
    pub fn with_figures_of(&self, other: &Side) -> Side {
        let figures = figure_files(&other.base);
        let mut mixed = self.clone();
        for (path, text) in &mut mixed.base.files {
            if let Some(old) = other.base.get(path).filter(|_| figures.contains(path)) {
                old.clone_into(text);
            }
        }
        mixed
    }
}

/// The files of a ruleset and its modules that hold components and figures, as their manifests name them.
fn figure_files(texts: &PackageTexts) -> Vec<String> {
    let mut all = Vec::new();
    for (path, text) in &texts.files {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name != "ruleset.yaml" && name != "module.yaml" {
            continue;
        }
        let files = serde_yaml::from_str::<serde_yaml::Value>(text).ok();
        let files = files.as_ref().and_then(|manifest| manifest.get("files"));
        for key in ["components", "setup"] {
            let named = files.and_then(|files| files.get(key));
            let one = named.and_then(|named| named.as_str()).into_iter();
            let several = named.and_then(|named| named.as_sequence());
            let several = several
                .into_iter()
                .flatten()
                .filter_map(|file| file.as_str());
            all.extend(one.chain(several).map(|file| match folder {
                "" => file.to_owned(),
                folder => format!("{folder}/{file}"),
            }));
        }
    }
    all
}

/// The numbers of players that both rulesets allow; empty if there is none.
pub fn players_of_both(before: (u8, u8), after: (u8, u8)) -> RangeInclusive<u8> {
    before.0.max(after.0).max(1)..=before.1.min(after.1)
}
