//! Names and texts for people.

/// A name or text for people, in the languages of the ruleset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// English.
    pub en: String,
    /// Polish.
    pub pl: String,
}

impl Text {
    /// The text in a language (`en`, `pl`); English if there is none.
    pub fn get(&self, language: Language) -> &str {
        match language {
            Language::Polish if !self.pl.is_empty() => &self.pl,
            _ => &self.en,
        }
    }
}

/// Languages of names and clauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// `en`
    #[default]
    English,
    /// `pl`
    Polish,
}
