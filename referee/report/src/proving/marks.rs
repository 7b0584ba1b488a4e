//! Mistakes that nobody could notice: equivalent mutants, each marked with a reason in `equivalents.yaml`.
//!
//! The name of a mutant is a digest of its sentence, among other things: a mark lapses with the sentence. A mark that fits
//! no mutant, or one that a scenario notices, is a mistake of its own.

use std::collections::BTreeMap;

use interpreter::mutation::{Operator, Over};
use interpreter::package::{EQUIVALENTS, PackageTexts};
use serde::Deserialize;

/// A mark.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Why nobody could notice the mistake.
    pub reason: String,
    /// The kind of mistake that it says it is.
    pub operator: String,
    /// Where it stands: `rulesets/puerto-rico/equivalents.yaml:4`.
    pub place: String,
}

/// The marks of what is proved, by mutant.
#[derive(Clone, Debug, Default)]
pub struct Marks(BTreeMap<String, Mark>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    equivalents: Vec<Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    mutant: String,
    operator: String,
    reason: String,
}

impl Marks {
    /// Reads the marks of what is proved: of a package, or of what is laid over it.
    pub fn read(
        base: &PackageTexts,
        house: &[(String, PackageTexts)],
        over: &Over,
    ) -> Result<Marks, String> {
        let mut marks = Marks::default();
        let of_modules = base.files.iter().filter(|(path, _)| {
            let inside = path
                .strip_prefix("modules/")
                .and_then(|rest| rest.split_once('/'));
            match inside {
                None => over.modules.is_empty() && over.house.is_empty() && path == EQUIVALENTS,
                Some((_, inside)) => !over.modules.is_empty() && inside == EQUIVALENTS,
            }
        });
        for (path, text) in of_modules {
            let module = path
                .strip_prefix("modules/")
                .and_then(|rest| rest.split_once('/'));
            if module.is_none_or(|(id, _)| over.modules.iter().any(|module| module == id)) {
                marks.add(&shown(base, path), text)?;
            }
        }
        for (_, texts) in house.iter().filter(|(name, _)| over.house.contains(name)) {
            if let Some(text) = texts.get(EQUIVALENTS) {
                marks.add(&shown(texts, EQUIVALENTS), text)?;
            }
        }
        Ok(marks)
    }

    fn add(&mut self, path: &str, text: &str) -> Result<(), String> {
        let document: Document =
            serde_yaml::from_str(text).map_err(|error| match error.location() {
                Some(at) => format!("{path}:{}:{}: {error}", at.line(), at.column()),
                None => format!("{path}: {error}"),
            })?;
        for written in document.equivalents {
            let names_it = |line: &str| {
                let said = line.split_once("mutant:");
                said.is_some_and(|(_, said)| said.contains(&written.mutant))
            };
            let line = text.lines().position(names_it);
            let place = format!("{path}:{}", line.map_or(1, |line| line + 1));
            if written.reason.trim().is_empty() {
                return Err(format!(
                    "{place}: the mark of `{}` says no reason; say why nobody could notice that mistake",
                    written.mutant
                ));
            }
            if Operator::of_id(&written.operator).is_none() {
                let ids = Operator::ALL.map(Operator::id).join(", ");
                return Err(format!(
                    "{place}: there is no operator `{}`; there are {ids}",
                    written.operator
                ));
            }
            let mark = Mark {
                reason: written.reason,
                operator: written.operator,
                place: place.clone(),
            };
            if self.0.insert(written.mutant.clone(), mark).is_some() {
                return Err(format!(
                    "{place}: the mutant `{}` is marked twice; keep one of both",
                    written.mutant
                ));
            }
        }
        Ok(())
    }

    /// The mark of a mutant.
    pub fn of(&self, mutant: &str) -> Option<&Mark> {
        self.0.get(mutant)
    }

    /// Every mark, by the mutant that it names.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Mark)> {
        self.0.iter()
    }
}

/// How a file of a folder is called in messages.
pub(super) fn shown(texts: &PackageTexts, path: &str) -> String {
    match texts.path.trim_end_matches('/') {
        "" => path.to_owned(),
        folder => format!("{folder}/{path}"),
    }
}
