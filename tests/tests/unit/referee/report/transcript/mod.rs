//! Tests of the module `report::transcript` and its parts.

mod parts;
