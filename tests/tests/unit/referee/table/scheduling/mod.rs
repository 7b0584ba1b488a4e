//! Tests of the module `table::scheduling` and its parts.

mod queue;
mod workers;
