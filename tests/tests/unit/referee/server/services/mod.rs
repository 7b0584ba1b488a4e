//! Tests of the module `server::services` and its parts.

mod differences;
mod matches;
mod publishing;
