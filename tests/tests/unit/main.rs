//! Unit tests: what the modules of the crates promise, in one program, so that the crates are built once.

mod referee;
