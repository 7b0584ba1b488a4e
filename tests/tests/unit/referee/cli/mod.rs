//! Tests of the module `cli` and its parts.

mod demo;
mod kept;
mod lsp;
mod new;
mod play;
mod prove;
mod review;
mod serve;
mod settings;
