//! Tests of the module `table` and its parts.

mod metrics;
mod outages;
mod scheduling;
mod state;
mod turns;
