//! Which mistakes are planted where not all of them are: those in what has changed, and a part of all, another one each time.

use std::collections::BTreeSet;
use std::path::Path;
use std::str::FromStr;

use interpreter::mutation::{Mutant, Over, mutants};
use interpreter::package::PackageTexts;

use crate::cli::at_revision::at_revision;
use crate::cli::outcome::Failure;
use crate::cli::ruleset::Chosen;
use referee_report::proving::marks::Marks;

/// One of so many parts of all mistakes, of which each is as large as any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of the part; numbers go round.
    pub number: u64,
    /// Number of parts, at least one.
    pub of: u64,
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let (number, of) = text.split_once('/').unwrap_or((text, ""));
        match (number.parse(), of.parse()) {
            (Ok(number), Ok(of)) if of > 0 => Ok(Part { number, of }),
            _ => Err("write which part of how many: `7/20`".to_owned()),
        }
    }
}

impl Part {
    /// Whether a mistake is in it. Numbers go round: the part 27 of 20 is the part 7.
    fn has(self, mutant: &Mutant) -> bool {
        let digits = mutant.id.split('-').next().unwrap_or_default();
        let number = u64::from_str_radix(digits, 16).unwrap_or(0);
        number % self.of == self.number % self.of
    }
}

/// What there was at an earlier revision.
struct Before {
    mutants: BTreeSet<String>,
    marks: Marks,
}

/// The mistakes that are looked at.
pub(super) struct Sample {
    before: Option<Before>,
    part: Option<Part>,
    of_marks: bool,
}

impl Sample {
    /// What has changed since a revision of git and what is in a part; everything if neither is said. Where marks are tested,
    /// one that is new has changed too.
    pub(super) fn of(
        since: Option<&str>,
        part: Option<Part>,
        of_marks: bool,
        chosen: &Chosen,
        over: &Over,
    ) -> Result<Sample, Failure> {
        let before = since.map(|revision| {
            if !Path::new(&chosen.called).is_dir() {
                return Err(Failure::Usage(format!(
                    "`--since` asks git: name the folder of the ruleset instead of `{}`",
                    chosen.called
                )));
            }
            let texts = at_revision(&chosen.called, revision)?;
            Before::of(&texts, &chosen.house, over)
        });
        Ok(Sample {
            before: before.transpose()?,
            part,
            of_marks,
        })
    }

    /// Whether it is all there is.
    pub(super) fn is_everything(&self) -> bool {
        self.before.is_none() && self.part.is_none()
    }

    pub(super) fn has(&self, mutant: &Mutant) -> bool {
        let is_new = |before: &Before| {
            !before.mutants.contains(&mutant.id)
                || (self.of_marks && before.marks.of(&mutant.id).is_none())
        };
        self.is_everything()
            || self.before.as_ref().is_some_and(is_new)
            || self.part.is_some_and(|part| part.has(mutant))
    }
}

impl Before {
    fn of(
        texts: &PackageTexts,
        house: &[(String, PackageTexts)],
        over: &Over,
    ) -> Result<Before, Failure> {
        // Of what was no ruleset everything has changed.
        let planted = mutants(texts, house, over).map(|planted| planted.mutants);
        let mutants = planted.unwrap_or_default().into_iter();
        Ok(Before {
            mutants: mutants.map(|mutant| mutant.id).collect(),
            marks: Marks::read(texts, house, over).map_err(Failure::Usage)?,
        })
    }
}
