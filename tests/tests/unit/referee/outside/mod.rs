//! Tests of the module `outside` and its parts.

mod identity;
mod web;
