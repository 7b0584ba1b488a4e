//! What the print says of a thing, for whoever has its text: the project keeps digests of it alone.

use interpreter::package::Excerpt;

use crate::printed::Sentence;

/// A paragraph of `sources.yaml` as it names the print.
#[derive(Clone, Debug)]
pub struct Place {
    /// What it calls the place: `captain 3`.
    pub at: String,
    /// The sentences that it stands for.
    pub excerpts: Vec<Excerpt>,
    /// The digests of these sentences.
    pub pinned: Vec<String>,
}

/// A sentence of a text of the print.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'t> {
    /// The sentence.
    pub sentence: &'t Sentence,
    /// Whether it is one that was pinned for this place. One that is not belongs to another edition, or to another print.
    pub is_pinned: bool,
}

impl Place {
    /// What a text of the print says here.
    pub fn printed<'t>(&self, text: &'t [Sentence]) -> Vec<Printed<'t>> {
        let named = |sentence: &&Sentence| {
            self.excerpts.iter().any(|excerpt| {
                excerpt.has(sentence.number)
                    && excerpt.paragraphs().any(|one| one == sentence.paragraph)
            })
        };
        let said = text.iter().filter(named);
        said.map(|sentence| Printed {
            sentence,
            is_pinned: self.pinned.contains(&sentence.digest),
        })
        .collect()
    }
}
