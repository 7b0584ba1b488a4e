//! Tests of the module `cli::prove` and its parts.

mod sample;
