//! What there is to accept in which folder: of a ruleset all of it, of a module what it adds and what it changes.
//!
//! A module is looked at over what it needs and nothing else, so that what was accepted holds whatever else is laid.

use std::collections::BTreeMap;

use interpreter::diagnostic::Diagnostics;
use interpreter::package::{Acceptance, Glimpse, PackageTexts, Review};
use interpreter::source::{FileId, Sources};

use super::scenarios::scenarios;
use super::things::{Thing, key, things};
use crate::diff::{Composed, Side};

/// A folder with its `review.yaml`, and what is accepted in it.
pub struct Layer {
    /// The module; none is the ruleset itself.
    pub module: Option<String>,
    /// What there is to accept.
    pub things: Vec<Thing>,
    /// What is written in its `review.yaml`, if it has one.
    pub review: Option<Review>,
    /// The texts over which it was looked at.
    pub sources: Sources,
}

impl Layer {
    /// What was accepted.
    pub fn accepted(&self) -> &[Acceptance] {
        self.review.as_ref().map_or(&[], |review| &review.accepted)
    }

    /// Takes over what is accepted now and stands in no text that was read.
    pub fn set_accepted(&mut self, accepted: Vec<Acceptance>) {
        let file = self.review.as_ref().map_or(FileId(0), |review| review.file);
        let review = self.review.get_or_insert_with(|| Review::empty(file));
        review.accepted = accepted;
    }

    /// The text of its `review.yaml` as it was read.
    pub fn text(&self) -> Option<&str> {
        let review = self.review.as_ref()?;
        Some(&self.sources.file(review.file).text)
    }
}

/// The mistakes of a package, with its texts.
pub type Wrong = Box<(Sources, Diagnostics)>;

/// What a side says is to be accepted: without modules the ruleset, with modules those that are laid over it.
///
/// # Errors
///
/// The mistakes of the package.
pub fn layers(side: &Side) -> Result<Vec<Layer>, Wrong> {
    let whole = side.composed(None)?;
    if whole.package.modules.is_empty() {
        return Ok(vec![layer(side, *whole, None)]);
    }
    let needs = Needs::of(side);
    let mut all = Vec::new();
    for module in whole.package.modules.clone() {
        let (with, without) = needs.around(side, &module);
        let composed = with.composed(None)?;
        let mut own = layer(&with, *composed, Some(module));
        // Below it, mistakes are none of its own: where a module that joins others is taken out, it is missed.
        let (below, sources, _) = referee_library::compose(
            &without.trees,
            &without.base,
            &without.house,
            &without.configuration(0),
        );
        if let Some(package) = below {
            let said = scenarios(
                &without.base,
                &without.house,
                &offered(&package.modules, &without),
            );
            let known: BTreeMap<_, String> = things(&Composed { package, sources }, &said)
                .iter()
                .map(|thing| (thing.what.clone(), thing.digest()))
                .collect();
            own.things
                .retain(|thing| known.get(&thing.what) != Some(&thing.digest()));
        }
        all.push(own);
    }
    Ok(all)
}

fn layer(side: &Side, composed: Composed, module: Option<String>) -> Layer {
    let modules = offered(&composed.package.modules, side);
    let said = scenarios(&side.base, &side.house, &modules);
    let things = things(&composed, &said);
    let reviews = &composed.package.reviews;
    Layer {
        review: reviews
            .iter()
            .find(|review| review.module == module)
            .cloned(),
        module,
        things,
        sources: composed.sources,
    }
}

/// Those among modules that lie in the folder of the ruleset.
fn offered(modules: &[String], side: &Side) -> Vec<String> {
    let inside = modules.iter();
    inside
        .filter(|module| manifest(&side.base, module).is_some())
        .cloned()
        .collect()
}

fn manifest<'t>(base: &'t PackageTexts, module: &str) -> Option<&'t str> {
    base.get(&format!("modules/{module}/module.yaml"))
}

/// What modules need beside them.
struct Needs {
    /// House rules by their ids: what they are called, and what they need.
    house: BTreeMap<String, (String, Vec<String>)>,
}

impl Needs {
    fn of(side: &Side) -> Needs {
        let mut house = BTreeMap::new();
        for (name, texts) in &side.house {
            let glimpse = Glimpse::of(texts.get("module.yaml").unwrap_or_default());
            let id = glimpse.id.clone().unwrap_or_else(|| name.clone());
            house.insert(id, (name.clone(), needed(glimpse)));
        }
        Needs { house }
    }

    /// A side with a module and what it needs, and one with what it needs alone.
    fn around(&self, side: &Side, module: &str) -> (Side, Side) {
        let mut all = vec![module.to_owned()];
        let mut next = 0;
        while let Some(id) = all.get(next).cloned() {
            let needed = match self.house.get(&id) {
                Some((_, needed)) => needed.clone(),
                None => manifest(&side.base, &id)
                    .map(|text| needed(Glimpse::of(text)))
                    .unwrap_or_default(),
            };
            for id in needed {
                if !all.contains(&id) {
                    all.push(id);
                }
            }
            next += 1;
        }
        // The order in which they were named is that in which they are laid.
        let laid = |wanted: &dyn Fn(&str) -> bool| {
            let own = side.modules.iter().filter(|id| wanted(id)).cloned();
            let mut modules: Vec<String> = own.collect();
            let rest = all.iter().filter(|id| !self.house.contains_key(*id));
            for id in rest.filter(|id| wanted(id)) {
                if !modules.contains(id) {
                    modules.push(id.clone());
                }
            }
            let house = side.house.iter().filter(|(name, _)| {
                let mut known = self.house.iter();
                known.any(|(id, (called, _))| called == name && wanted(id))
            });
            Side {
                called: side.called.clone(),
                base: side.base.clone(),
                house: house.cloned().collect(),
                modules,
                options: BTreeMap::new(),
                trees: side.trees.clone(),
            }
        };
        let with = laid(&|id| all.iter().any(|known| known == id));
        let mut without = laid(&|id| id != module && all.iter().any(|known| known == id));
        // A module that joins others is laid wherever they are.
        let folder = format!("modules/{module}/");
        without
            .base
            .files
            .retain(|(path, _)| !path.starts_with(&folder));
        (with, without)
    }
}

fn needed(glimpse: Glimpse) -> Vec<String> {
    glimpse.requires.into_iter().chain(glimpse.joins).collect()
}

/// What things are called as they are written, for whoever looks one up: `captain.load`, `@captain.load`, `captain 3`,
/// `paragraph:captain 3`, `unclaimed rules`.
pub fn is_called(thing: &Thing, name: &str) -> bool {
    let (kind, own) = key(&thing.what);
    let rest = match name.strip_prefix('@') {
        Some(rest) if kind == "clause" => rest,
        _ => name,
    };
    match rest.split_once(':') {
        Some((said, rest)) if said == kind => rest == own,
        _ if kind == "unclaimed" => rest.strip_prefix("unclaimed ") == Some(own),
        _ => rest == own,
    }
}
