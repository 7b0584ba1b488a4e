//! Tests of the module `server::published` and its parts.

mod channels;
