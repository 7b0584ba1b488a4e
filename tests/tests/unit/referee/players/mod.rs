//! Tests of the module `players` and its parts.

mod played_by;
mod random;
