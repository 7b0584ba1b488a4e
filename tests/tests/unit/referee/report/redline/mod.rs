//! Tests of the module `report::redline` and its parts.

mod carried_out;
mod local_names;
mod marked;
mod watched;
