//! From text to trees: `.rules` files (pest), scripts (Rhai), documents (YAML).

pub mod ast;
pub mod document;
