//! The language, the engine and the shipped rulesets.
//!
//! One program for all of these tests: each further one would be linked anew.

mod by_hand;
mod clause_numbers;
mod clause_relations;
mod document_diagnostics;
mod effects;
mod grammar_reference;
mod hostile;
mod mistakes;
mod oracle;
mod overlays;
mod probes;
mod properties;
mod rule_diagnostics;
mod scenario_diagnostics;
mod scenarios;
mod search;
mod shipped_rulesets;
mod snapshots;
mod syntax;
mod tied_figures;
mod vectors;
#[cfg(feature = "native")]
mod work;

/// Tests allocate as the program does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
