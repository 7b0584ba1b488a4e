//! Tests of the whole system: what several of them need is here, the tests are in `tests/`.

pub mod case;
pub mod folder;
