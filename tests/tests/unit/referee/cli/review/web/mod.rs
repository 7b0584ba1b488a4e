//! Tests of the module `cli::review::web` and its parts.

mod doors;
mod form;
