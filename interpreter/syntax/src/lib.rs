//! From text to trees: `.rules` files (pest), scripts (Rhai), documents (YAML).

#![allow(rustdoc::private_intra_doc_links)]
#![deny(clippy::as_conversions)]

mod depth;
pub mod document;
mod layout;
pub mod outline;
pub mod reserved;
pub mod rules;
pub mod script;
mod trees;

pub use interpreter_core::ast;
use interpreter_core::{budget, diagnostic, numbers, source};
pub use trees::Trees;
