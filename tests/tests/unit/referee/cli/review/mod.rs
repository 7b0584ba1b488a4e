//! Tests of the module `cli::review` and its parts.

mod dialogue;
mod web;
