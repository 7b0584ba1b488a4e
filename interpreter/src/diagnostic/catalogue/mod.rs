//! Every code with a title and an explanation, for `referee explain` and the reference.
//!
//! One file for each stage; a code is added here in the same change that first reports it, and a
//! test holds the two together. An entry is written
//! `entry(101, "a title", "A paragraph, with `code` in backticks.")`.

mod audiences;
mod composition;
mod documents;
mod entry;
mod graph;
mod lints;
mod names;
mod rules;
mod scenarios;
mod scripts;
mod unplayable;

use super::Code;
pub use entry::Entry;

/// The tables, in the order of the stages.
const TABLES: &[&[Entry]] = &[
    rules::ENTRIES,
    scripts::ENTRIES,
    documents::ENTRIES,
    composition::ENTRIES,
    names::ENTRIES,
    audiences::ENTRIES,
    graph::ENTRIES,
    lints::ENTRIES,
    unplayable::ENTRIES,
    scenarios::ENTRIES,
];

/// Every entry, by code.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// What this code means.
pub fn explain(code: Code) -> Option<&'static Entry> {
    entries().find(|entry| entry.code == code)
}

#[cfg(test)]
mod tests;
