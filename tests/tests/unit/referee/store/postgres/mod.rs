//! Tests of the module `store::postgres` and its parts.

mod address;
mod database_clock;
mod fitness;
