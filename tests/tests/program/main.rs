//! The command and the service, as people and clients meet them.

mod commands;
mod readme;
mod service;
mod structure;
mod workbench;

/// Tests allocate as the program does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
