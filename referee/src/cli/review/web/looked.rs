//! What there is to accept, as the folder has it at this moment: whoever edits the rules meanwhile is not waited for.

use std::collections::BTreeMap;

use interpreter::diagnostic::Style;
use interpreter::package::REVIEW;

use crate::cli::review::asked::{Through, is_meant};
use crate::cli::review::disproved::failing;
use crate::cli::review::folder::{Desk, desks};
use crate::cli::ruleset::Chosen;
use referee_report::sign_off::standing::{Standing, standing};
use referee_report::sign_off::things::{Thing, key};

/// What was found in the folder.
pub struct Looked {
    chosen: Chosen,
    /// Folders, and what there is to accept in each.
    pub desks: Vec<Desk>,
    /// Scenarios that fail, by their names, with why.
    pub failing: BTreeMap<String, String>,
}

/// Why nothing can be shown.
pub enum Unreadable {
    /// There is no such folder, or it cannot be read.
    Folder(String),
    /// The rules have mistakes, as the terminal shows them.
    Mistakes(String),
}

/// A thing with what belongs to it.
#[derive(Clone, Copy)]
pub struct Found<'l> {
    /// Where it is accepted.
    pub desk: &'l Desk,
    /// The thing.
    pub thing: &'l Thing,
}

impl Found<'_> {
    /// How it stands.
    pub fn stands(&self) -> Standing<'_> {
        standing(self.thing, self.desk.layer.accepted())
    }

    /// The module in whose folder it is accepted; empty of the ruleset.
    pub fn module(&self) -> &str {
        self.desk.layer.module.as_deref().unwrap_or_default()
    }
}

impl Looked {
    /// Looks at the folder. What was found before is used where the texts are the same.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read, or the rules have mistakes.
    pub fn again(before: Option<Looked>, args: &Through) -> Result<Looked, Unreadable> {
        let told = |failure: crate::cli::outcome::Failure| Unreadable::Folder(failure.to_string());
        let chosen = args.ruleset.open().map_err(told)?;
        let same = |wanted: &dyn Fn(&str) -> bool| {
            let before = before.as_ref();
            before.is_some_and(|before| texts(&before.chosen, wanted) == texts(&chosen, wanted))
        };
        // Scenarios play the same, whatever was accepted.
        let are_rules_same = same(&|path| path.rsplit('/').next() != Some(REVIEW));
        let is_same = same(&|_| true);
        if let Some(before) = before {
            if is_same {
                return Ok(before);
            }
            if are_rules_same {
                return Looked::of(chosen, Some(before.failing));
            }
        }
        Looked::of(chosen, None)
    }

    fn of(chosen: Chosen, known: Option<BTreeMap<String, String>>) -> Result<Looked, Unreadable> {
        let desks = desks(&chosen).map_err(|wrong| {
            let (sources, diagnostics) = *wrong;
            Unreadable::Mistakes(diagnostics.render(&sources, Style::Plain))
        })?;
        let things = desks.iter().flat_map(|desk| &desk.layer.things);
        let failing = known.unwrap_or_else(|| failing(&chosen, things));
        Ok(Looked {
            chosen,
            desks,
            failing,
        })
    }

    /// Everything that the command was asked for, in the order of the rulebook.
    pub fn meant<'l>(&'l self, args: &Through) -> Vec<Found<'l>> {
        let all = self.desks.iter().flat_map(|desk| {
            let things = desk.layer.things.iter();
            things.map(move |thing| Found { desk, thing })
        });
        all.filter(|found| is_meant(args, found.thing, &found.stands()))
            .collect()
    }

    /// How many things are open of what the command was asked for.
    pub fn open(&self, args: &Through) -> usize {
        let meant = self.meant(args);
        meant
            .iter()
            .filter(|found| found.stands().is_open())
            .count()
    }

    /// A thing by its folder and its name.
    pub fn find(&self, name: &Name) -> Option<Found<'_>> {
        let mut all = self.desks.iter().flat_map(|desk| {
            let things = desk.layer.things.iter();
            things.map(move |thing| Found { desk, thing })
        });
        all.find(|found| Name::of(found) == *name)
    }

    /// The folder in which a thing is accepted.
    pub fn desk_of(&mut self, name: &Name) -> Option<&mut Desk> {
        let mut desks = self.desks.iter_mut();
        desks.find(|desk| desk.layer.module.as_deref().unwrap_or_default() == name.module)
    }

    /// The scenario that keeps a thing from being accepted, with why it fails.
    pub fn disproving<'l>(&'l self, thing: &'l Thing) -> Option<(&'l str, &'l str)> {
        let mut names = thing.scenarios.iter();
        names.find_map(|name| Some((name.as_str(), self.failing.get(name)?.as_str())))
    }
}

/// How a page calls a thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The module in whose folder it is accepted; empty of the ruleset.
    pub module: String,
    /// `clause`, `paragraph`, `unclaimed`
    pub is: String,
    /// `captain.load`
    pub name: String,
}

impl Name {
    /// That of a thing.
    pub fn of(found: &Found<'_>) -> Name {
        let (is, name) = key(&found.thing.what);
        Name {
            module: found.module().to_owned(),
            is: is.to_owned(),
            name: name.to_owned(),
        }
    }

    /// All of it in one word, in which nothing but a name may have a colon.
    pub fn whole(&self) -> String {
        let Name { module, is, name } = self;
        format!("{module}:{is}:{name}")
    }

    /// Reads such a word.
    pub fn read(whole: &str) -> Option<Name> {
        let (module, rest) = whole.split_once(':')?;
        let (is, name) = rest.split_once(':')?;
        Some(Name {
            module: module.to_owned(),
            is: is.to_owned(),
            name: name.to_owned(),
        })
    }

    /// That of a clause beside it.
    pub fn clause(&self, id: &str) -> Name {
        Name {
            module: self.module.clone(),
            is: "clause".to_owned(),
            name: id.to_owned(),
        }
    }
}

/// Those of its files that are wanted, with their paths.
fn texts<'c>(chosen: &'c Chosen, wanted: &dyn Fn(&str) -> bool) -> Vec<(&'c str, &'c str)> {
    let house = chosen.house.iter().map(|(_, texts)| texts);
    let files = std::iter::once(&chosen.base)
        .chain(house)
        .flat_map(|texts| &texts.files);
    let wanted = files.filter(|(path, _)| wanted(path));
    wanted
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect()
}
