//! Tests of the module `report::book` and its parts.

mod words;
