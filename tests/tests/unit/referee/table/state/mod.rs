//! Tests of the module `table::state` and its parts.

mod info;
mod times;
