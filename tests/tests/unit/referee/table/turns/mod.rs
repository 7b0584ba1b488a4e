//! Tests of the module `table::turns` and its parts.

mod presence;
mod table;
