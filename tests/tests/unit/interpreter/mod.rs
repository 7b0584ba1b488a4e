//! Unit tests of the crate `interpreter`.

mod budget;
mod compile;
mod diagnostic;
mod mutation;
mod package;
mod play;
mod program;
mod scenario;
mod syntax;
