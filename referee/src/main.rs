//! The `referee` command. Everything it does is in the library's [`cli`](referee::cli).

#![forbid(unsafe_code)]

/// Games allocate much and little at a time, on every thread.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    referee::cli::run()
}
