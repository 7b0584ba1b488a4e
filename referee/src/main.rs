//! The `referee` command. Everything it does is in the library's [`cli`](referee::cli); here is how it allocates.

#![allow(
    unsafe_code,
    reason = "an option of the allocator is set by a function of C"
)]

use std::ffi::{c_int, c_long};

/// Games allocate much and little at a time, on every thread.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

unsafe extern "C" {
    /// Of mimalloc 2 (`mimalloc.h`): sets an option that the environment does not.
    fn mi_option_set_default(option: c_int, value: c_long);
}

/// `mi_option_purge_delay`: after how many milliseconds memory that nobody uses is given back to the system.
const PURGE_DELAY: c_int = 15;

fn main() -> std::process::ExitCode {
    // The library's ten milliseconds are shorter than the pause between two moves, which need the same memory again: then the
    // system clears pages for every move. `MIMALLOC_PURGE_DELAY` says otherwise.
    // SAFETY: it writes a number that the allocator reads; no other thread runs yet.
    unsafe {
        mi_option_set_default(PURGE_DELAY, 1_000);
    }
    referee::cli::run()
}
