//! A text of the print beside its ties: sentence by sentence, what `sources.yaml` says of it, and whether it is what was pinned.

use std::collections::BTreeMap;

use interpreter::package::{Package, Paragraph, Print, SourceParagraph};
use serde::Serialize;

use super::Sentence;
use crate::coverage::{Coverage, Standing};

/// A sentence and what is said of it.
#[derive(Clone, Debug, Serialize)]
pub struct Beside {
    /// `p3.2.1`
    pub place: String,
    /// What is printed; none of a sentence that was pinned and that the text does not have.
    pub text: Option<String>,
    /// Whether the text says at this place what was pinned; none if nothing was pinned there.
    pub as_pinned: Option<bool>,
    /// The lines of `sources.yaml` that name it.
    pub said: Vec<Said>,
}

/// A line of `sources.yaml`.
#[derive(Clone, Debug, Serialize)]
pub struct Said {
    /// How it calls the place.
    pub at: String,
    /// Its clauses.
    pub clauses: Vec<Tied>,
    /// Why it has none.
    pub why_none: Option<String>,
}

/// A clause that is said to say a sentence.
#[derive(Clone, Debug, Serialize)]
pub struct Tied {
    /// Its id.
    pub id: String,
    /// How far it is proven; none of a clause that nobody has to enforce.
    pub standing: Option<Standing>,
}

/// The sentences of a text, and those that were pinned and are not in it, with the ties of a package. `is_meant` says of which
/// lines: modules may have prints of their own.
pub fn beside(
    sentences: &[Sentence],
    print: Option<&Print>,
    package: &Package,
    is_meant: &dyn Fn(&SourceParagraph) -> bool,
    coverage: &Coverage,
) -> Vec<Beside> {
    let mut pinned: BTreeMap<(Paragraph, u32), &str> = BTreeMap::new();
    for (paragraph, digests) in print.iter().flat_map(|print| &print.paragraphs) {
        let digests = (1..).zip(&digests.node);
        pinned.extend(digests.map(|(number, digest)| ((*paragraph, number), digest.as_str())));
    }
    let standing = |id: &str| {
        let clause = coverage.clauses.iter().find(|clause| clause.id == id)?;
        clause.standing
    };
    let said = |paragraph: Paragraph, number: u32| -> Vec<Said> {
        let lines = package
            .rulebook
            .sources
            .iter()
            .filter(|line| is_meant(line));
        let names = |line: &&SourceParagraph| {
            line.print.iter().any(|excerpt| {
                excerpt.node.has(number) && excerpt.node.paragraphs().any(|one| one == paragraph)
            })
        };
        let named = lines.filter(names);
        named
            .map(|line| Said {
                at: line.at.node.clone(),
                clauses: line
                    .clauses
                    .iter()
                    .map(|id| Tied {
                        id: id.node.clone(),
                        standing: standing(&id.node),
                    })
                    .collect(),
                why_none: line.why_none.clone(),
            })
            .collect()
    };
    let mut all: BTreeMap<(Paragraph, u32), Beside> = BTreeMap::new();
    for sentence in sentences {
        let key = (sentence.paragraph, sentence.number);
        let beside = Beside {
            place: sentence.place(),
            text: Some(sentence.text.clone()),
            as_pinned: pinned.get(&key).map(|digest| *digest == sentence.digest),
            said: said(sentence.paragraph, sentence.number),
        };
        all.insert(key, beside);
    }
    for (paragraph, number) in pinned.into_keys() {
        all.entry((paragraph, number)).or_insert_with(|| Beside {
            place: format!("{paragraph}.{number}"),
            text: None,
            as_pinned: Some(false),
            said: said(paragraph, number),
        });
    }
    all.into_values().collect()
}
