//! Tests of the module `cli::demo` and its parts.

mod script;
