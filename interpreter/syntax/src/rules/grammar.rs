//! The parser that pest makes of `grammar/rules.pest`.

#![allow(
    missing_docs,
    reason = "generated from the grammar, which explains itself"
)]

/// Matches one sentence against one rule of the grammar.
#[derive(pest_derive::Parser)]
#[grammar = "../../grammar/rules.pest"]
pub struct Grammar;
