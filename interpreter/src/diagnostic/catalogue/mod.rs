//! Every kind of mistake: its code, a title, an explanation and an example, for `referee explain` and the reference.
//!
//! One file for each stage; a mistake is added there in the same change that first reports it:
//!
//! ```text
//! TabInIndentation = 101, "a title",
//!     "A paragraph, with `code` in backticks.",
//!     wrong: "…",
//!     right: "…";
//! ```
//!
//! An example is what somebody writes into a package that is right without it. It is text of a `.rules` file, or of a
//! scenario if the mistake is one of scenarios. A line `# setup.yaml` begins the text of that document: its keys take
//! the place of those that the document has. `# … is missing` says that there is no such file, and
//! `# referee check market --players 5` how the match is configured.

#[macro_use]
mod rules;
#[macro_use]
mod scripts;
#[macro_use]
mod documents;
#[macro_use]
mod composition;
#[macro_use]
mod names;
#[macro_use]
mod audiences;
#[macro_use]
mod graph;
#[macro_use]
mod lints;
#[macro_use]
mod unplayable;
#[macro_use]
mod scenarios;

use std::fmt;
use std::str::FromStr;

macro_rules! catalogue {
    (; $(
        $code:ident = $number:literal, $title:literal,
            $explanation:literal,
            wrong: $wrong:literal,
            right: $right:literal;
    )*) => {
        /// A kind of mistake; its number, such as `RF0501`, never changes.
        ///
        /// The hundreds tell the stage: 01 syntax of rules, 02 scripts, 03 documents, 04 composition,
        /// 05 names and types, 06 audiences, 07 the phase graph, 08 lints, 09 constructs that are known but
        /// not yet playable, 10 scenarios.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Code {
            $(#[doc = $title] $code = $number,)*
        }

        const ENTRIES: &[Entry] = &[$(Entry {
            code: Code::$code,
            title: $title,
            explanation: $explanation,
            wrong: $wrong,
            right: $right,
        },)*];
    };
}

// Each stage hands its rows on to the next one, behind those that it was given.
rules! {
    scripts documents composition names audiences graph lints unplayable scenarios catalogue;
}

/// What is said of a code.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// A few words.
    pub title: &'static str,
    /// A paragraph: what is wrong, why it matters, how to mend it.
    pub explanation: &'static str,
    /// Something short that has this mistake.
    pub wrong: &'static str,
    /// The same, mended.
    pub right: &'static str,
}

impl Code {
    /// `501` of `RF0501`.
    pub const fn number(self) -> u16 {
        self as u16
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RF{:04}", self.number())
    }
}

impl FromStr for Code {
    type Err = ();

    /// Reads `RF0301`, `rf0301` and plain `301`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let digits = text
            .strip_prefix("RF")
            .or_else(|| text.strip_prefix("rf"))
            .unwrap_or(text);
        let number: u16 = digits.parse().map_err(|_| ())?;
        let mut codes = entries().map(|entry| entry.code);
        codes.find(|code| code.number() == number).ok_or(())
    }
}

/// Every entry, by code.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter()
}

/// What this code means.
///
/// # Panics
///
/// Never: every code has an entry.
pub fn explain(code: Code) -> &'static Entry {
    let at = ENTRIES.binary_search_by_key(&code, |entry| entry.code);
    &ENTRIES[at.expect("codes and entries are made of the same rows, which are in order")]
}

#[cfg(test)]
mod tests;
