//! Unit tests of the crates, in modules that mirror their source files.
//!
//! All of them are one program: a crate with unit tests of its own would be compiled a second time for them.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it is"
)]

mod interpreter;
mod referee;

/// Tests allocate as the program does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
