//! From text to trees: `.rules` files (pest), scripts (Rhai), documents (YAML).

pub mod ast;
mod depth;
pub mod document;
mod layout;
pub mod outline;
pub mod reserved;
pub mod rules;
pub mod script;
mod trees;

pub use trees::Trees;
