//! Tests of the module `cli::lsp` and its parts.

mod place;
mod project;
