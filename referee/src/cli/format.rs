//! How results are written: for people or programs, and in which language.

use super::out::Out;
use super::outcome::Failure;

/// How the result is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Human,
    /// For programs.
    Json,
}

/// Languages of names and clauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Polish.
    Pl,
}

impl From<Lang> for interpreter::package::Language {
    fn from(lang: Lang) -> Self {
        match lang {
            Lang::En => interpreter::package::Language::English,
            Lang::Pl => interpreter::package::Language::Polish,
        }
    }
}

/// Writes data for programs.
pub(super) fn json(out: &mut Out<'_>, value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::Internal(error.to_string()))?;
    writeln!(out.data, "{text}")?;
    Ok(())
}
