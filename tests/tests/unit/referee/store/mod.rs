//! Tests of the module `store` and its parts.

mod copy;
mod journal;
mod lock;
mod memory;
mod postgres;
mod sqlite;
