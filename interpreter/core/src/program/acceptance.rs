//! Who has accepted what of a ruleset: what `review.yaml` of a base or of a module says.
//!
//! Nothing in play hangs on it, and no digest that a match is pinned to. What a digest is made over, whoever shows rulesets
//! knows; here it is only said which there are.

use std::collections::BTreeMap;

use crate::source::{FileId, Span, Spanned};

/// What a `review.yaml` says.
#[derive(Clone, Debug)]
pub struct Review {
    /// The file.
    pub file: FileId,
    /// The module in whose folder it lies; none in that of the base.
    pub module: Option<String>,
    /// What was accepted, in order.
    pub accepted: Vec<Acceptance>,
}

impl Review {
    /// One that says nothing.
    pub fn empty(file: FileId) -> Review {
        Review {
            file,
            module: None,
            accepted: Vec::new(),
        }
    }
}

/// An acceptance of a thing, or its withdrawal.
#[derive(Clone, Debug)]
pub struct Acceptance {
    /// What.
    pub thing: Spanned<Reviewed>,
    /// Who: a name for which a file of allowed signers has a key.
    pub by: Spanned<String>,
    /// When: `2026-11-27`.
    pub on: String,
    /// What they have to say of it.
    pub comment: Option<String>,
    /// The name whose acceptance of the same thing and digest, written above, counts no more. With parts the entry is an
    /// acceptance under another name in its place.
    pub withdraws: Option<Spanned<String>>,
    /// The figures as they were, to tell later which of them changed. Empty in files of older versions.
    pub figures: Vec<String>,
    /// The digest over everything that was accepted, in hexadecimal digits.
    pub digest: Spanned<String>,
    /// Short digests of its parts, which tell what has changed since.
    pub parts: BTreeMap<Part, String>,
    /// All of it.
    pub span: Span,
}

impl Acceptance {
    /// Whether it withdraws an acceptance and puts none in its place.
    pub fn is_withdrawal(&self) -> bool {
        self.withdraws.is_some() && self.parts.is_empty()
    }

    /// Whether it is the acceptance that an entry below withdraws.
    pub fn is_withdrawn_by(&self, entry: &Acceptance) -> bool {
        let withdraws = entry.withdraws.as_ref();
        withdraws.is_some_and(|name| name.node == self.by.node)
            && entry.thing.node == self.thing.node
            && entry.digest.node == self.digest.node
            && !self.is_withdrawal()
    }
}

/// What can be accepted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reviewed {
    /// A clause.
    Clause(String),
    /// A paragraph of the printed rulebook, with the clauses that say it or why there are none.
    Paragraph(String),
    /// What no clause claims.
    Unclaimed(Unclaimed),
}

/// What no clause claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unclaimed {
    /// Rules that cite no clause and serve none.
    Rules,
    /// Figures, options and components that no clause uses.
    Figures,
}

impl Unclaimed {
    /// Both, as they are written.
    pub const ALL: [(&'static str, Unclaimed); 2] =
        [("rules", Unclaimed::Rules), ("figures", Unclaimed::Figures)];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Unclaimed::Rules => "rules",
            Unclaimed::Figures => "figures",
        }
    }
}

/// A part of what is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The words in English.
    English,
    /// The words in Polish.
    Polish,
    /// The kind of the clause.
    Kind,
    /// The rules that carry it out.
    Rules,
    /// The figures that these use.
    Figures,
    /// Where the printed rulebook says it.
    Print,
    /// The scenarios that prove it.
    Scenarios,
}

impl Part {
    /// All of them, as they are written.
    pub const ALL: [(&'static str, Part); 7] = [
        ("en", Part::English),
        ("pl", Part::Polish),
        ("kind", Part::Kind),
        ("rules", Part::Rules),
        ("figures", Part::Figures),
        ("print", Part::Print),
        ("scenarios", Part::Scenarios),
    ];

    /// As it is written.
    pub fn name(self) -> &'static str {
        let named = Part::ALL.iter().find(|(_, part)| *part == self);
        named.map_or("", |(name, _)| name)
    }
}
