//! The printed rulebook as digests of its sentences: what `print.yaml` says, and the places in it that `sources.yaml` names.
//!
//! Nothing in play hangs on it. How a text becomes sentences and digests, whoever pins it knows; here they are only kept.

use std::collections::BTreeMap;
use std::fmt;

use crate::source::{FileId, Spanned};

/// Where a paragraph stands: the page, and its number on that page, both counted from 1. Written as `p3.2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Paragraph {
    /// The page.
    pub page: u32,
    /// Its number there.
    pub number: u32,
}

impl fmt::Display for Paragraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}.{}", self.page, self.number)
    }
}

/// What a `print.yaml` says.
#[derive(Clone, Debug)]
pub struct Print {
    /// The file.
    pub file: FileId,
    /// The digests of the sentences of each paragraph, in order; the span is that of the paragraph's line.
    pub paragraphs: BTreeMap<Paragraph, Spanned<Vec<String>>>,
}

/// Neighbouring paragraphs of one page, or neighbouring sentences of one paragraph: `p3.2`, `p3.2-4`, `p3.2.1`, `p3.2.1-4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The page.
    pub page: u32,
    /// The first and the last paragraph.
    pub paragraphs: (u32, u32),
    /// The first and the last sentence, counted from 1, of the one paragraph; none if all are meant.
    pub sentences: Option<(u32, u32)>,
}

impl Excerpt {
    /// Reads one; none if it is written otherwise, counts from 0, or ends before it begins.
    pub fn read(text: &str) -> Option<Excerpt> {
        let number = |text: &str| match text.starts_with(|c: char| c.is_ascii_digit()) {
            true => text.parse().ok().filter(|number: &u32| *number > 0),
            false => None,
        };
        let range = |text: &str| {
            let (from, to) = text.split_once('-').unwrap_or((text, text));
            let (from, to) = (number(from)?, number(to)?);
            (from <= to).then_some((from, to))
        };
        let (page, rest) = text.strip_prefix('p')?.split_once('.')?;
        let page = number(page)?;
        match rest.split_once('.') {
            None => Some(Excerpt {
                page,
                paragraphs: range(rest)?,
                sentences: None,
            }),
            Some((paragraph, sentences)) => {
                let paragraph = number(paragraph)?;
                Some(Excerpt {
                    page,
                    paragraphs: (paragraph, paragraph),
                    sentences: Some(range(sentences)?),
                })
            }
        }
    }

    /// The paragraphs that it names.
    pub fn paragraphs(&self) -> impl Iterator<Item = Paragraph> {
        let page = self.page;
        (self.paragraphs.0..=self.paragraphs.1).map(move |number| Paragraph { page, number })
    }

    /// Whether it names this sentence, counted from 1, of one of its paragraphs.
    pub fn has(&self, sentence: u32) -> bool {
        self.sentences
            .is_none_or(|(from, to)| (from..=to).contains(&sentence))
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |(from, to): (u32, u32)| match from == to {
            true => from.to_string(),
            false => format!("{from}-{to}"),
        };
        write!(f, "p{}.{}", self.page, range(self.paragraphs))?;
        match self.sentences {
            Some(sentences) => write!(f, ".{}", range(sentences)),
            None => Ok(()),
        }
    }
}
