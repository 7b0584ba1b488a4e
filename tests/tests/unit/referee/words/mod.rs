//! Tests of the module `words` and its parts.

mod phrases;
