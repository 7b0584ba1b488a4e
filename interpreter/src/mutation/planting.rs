//! From the texts of a package to all its mutants.

use std::collections::{BTreeMap, BTreeSet};

use super::mutant::Mutant;
use super::uses::Uses;
use super::{rules, tables};
use crate::diagnostic::{Diagnostics, Rejected};
use crate::package;
use crate::program::package::{Configuration, Package};
use crate::scenario::Setup;
use crate::source::{FileId, PackageTexts, Sources};
use crate::syntax::document;

/// What is laid over a package. If nothing is, the package itself is proved, by the scenarios that are played without
/// modules and, where none of them notices, by those that are played with its modules; else what is laid over it, by those
/// that are played with all of that and, where none of them notices, by those that are played with a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Over {
    /// Modules of the package.
    pub modules: Vec<String>,
    /// House rules, by name.
    pub house: Vec<String>,
}

impl Over {
    /// Whether scenarios with a setup prove something of what is proved.
    pub fn proves(&self, setup: &Setup) -> bool {
        let modules = &setup.configuration.modules;
        match self.is_nothing() {
            true => modules.is_empty() && setup.house.is_empty(),
            false => {
                self.modules.iter().all(|module| modules.contains(module))
                    && self.house.iter().all(|house| setup.house.contains(house))
            }
        }
    }

    /// Whether scenarios with a setup may notice what those that prove do not: of the package itself those that are played
    /// with its modules, since much in a base is there for them; of modules that are laid together those that are played
    /// with some of them.
    pub fn helps(&self, setup: &Setup) -> bool {
        let (modules, house) = (&setup.configuration.modules, &setup.house);
        match self.is_nothing() {
            true => !modules.is_empty() && house.is_empty(),
            false => {
                let with_some = !modules.is_empty() || !house.is_empty();
                with_some
                    && !self.proves(setup)
                    && modules.iter().all(|module| self.modules.contains(module))
                    && house.iter().all(|house| self.house.contains(house))
            }
        }
    }

    /// Whether nothing is laid over the package.
    pub fn is_nothing(&self) -> bool {
        self.modules.is_empty() && self.house.is_empty()
    }
}

/// The mutants of a package, and the texts in which they were planted.
#[derive(Clone, Debug)]
pub struct Planted {
    /// The mutants, in the order of files and places; no two have the same id.
    pub mutants: Vec<Mutant>,
    /// Every place of a mutant is a place in these.
    pub sources: Sources,
    /// The package without mistakes.
    pub package: Package,
}

/// Plants every mistake that the operators know, one in each mutant.
///
/// # Errors
/// What is wrong with the package as it is.
pub fn mutants(
    base: &PackageTexts,
    house: &[(String, PackageTexts)],
    over: &Over,
) -> Result<Planted, Rejected> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    // Which mutants there are does not depend on how many play; a number that is not allowed is no matter here.
    let configuration = Configuration {
        players: 0,
        modules: over.modules.clone(),
        options: BTreeMap::new(),
    };
    let laid: Vec<_> = house
        .iter()
        .filter(|(name, _)| over.house.contains(name))
        .cloned()
        .collect();
    let loaded = package::load(&mut sources, base, &laid, &configuration, &mut diagnostics);
    let Some(package) = loaded else {
        return Err(Rejected {
            diagnostics: diagnostics.settled(&sources),
            sources,
        });
    };
    let in_layers: BTreeSet<FileId> = package
        .layers
        .iter()
        .flat_map(|layer| layer.files.clone())
        .collect();
    let aside: BTreeSet<FileId> = package
        .scenarios
        .iter()
        .chain(&package.layouts)
        .copied()
        .chain(package.reviews.iter().map(|review| review.file))
        .chain(package.prints.iter().map(|(_, print)| print.file))
        .collect();
    let folders = laid.iter().map(|(name, texts)| (Some(name), texts));
    let mut paths: BTreeMap<String, (Option<&String>, &String)> = BTreeMap::new();
    for (name, texts) in std::iter::once((None, base)).chain(folders) {
        let files = texts.files.iter();
        paths.extend(files.map(|(path, _)| (texts.shown(path), (name, path))));
    }
    let uses = Uses::of(std::iter::once(base).chain(house.iter().map(|(_, texts)| texts)));
    let mut mutants = Vec::new();
    for (file, source) in sources.iter() {
        let is_meant = in_layers.contains(&file) != over.is_nothing() && !aside.contains(&file);
        let Some((house, path)) = paths.get(&source.path).filter(|_| is_meant) else {
            continue;
        };
        let known = mutants.len();
        match package.rules.iter().find(|rules| rules.file == file) {
            Some(found) => mutants.extend(rules::mutants(&sources, file, &found.tree, path, &uses)),
            None => {
                let mut ignored = Diagnostics::default();
                let root = document::parse(&sources, file, &mut ignored);
                let found = root.map(|root| tables::mutants(&sources, file, &root, path, &uses));
                mutants.extend(found.into_iter().flatten());
            }
        }
        for mutant in &mut mutants[known..] {
            mutant.house = house.cloned();
        }
    }
    // Sentences that are written twice have the same mutants twice.
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    for mutant in &mut mutants {
        let count = told.entry(mutant.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            mutant.id = format!("{}-{count}", mutant.id);
        }
    }
    Ok(Planted {
        mutants,
        sources,
        package,
    })
}
