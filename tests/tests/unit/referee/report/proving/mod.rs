//! Tests of the module `report::proving` and its parts.

mod marks;
