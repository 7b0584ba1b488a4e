//! Runs the functions of a ruleset.
//!
//! In: a [`Ruleset`] and a state, which conditions [read](reader) and effects [change](table). Out: values,
//! changes, [faults](fault). [`vm`] interprets bytecode, or enters machine code that was made of it, by the convention of
//! `compiled`. [`legal`] finds the legal moves of a kind, [`choices`] and [`open`] what may be chosen for open parameters.

pub(crate) mod choices;
#[cfg(feature = "native")]
pub(crate) mod compiled;
pub(crate) mod fault;
pub(crate) mod legal;
mod native_error;
pub mod open;
pub(crate) mod reader;
mod rows;
pub(crate) mod ruleset;
pub(crate) mod table;
mod trouble;
pub(crate) mod vm;
#[cfg(feature = "work")]
pub(crate) mod work;
pub(crate) mod world;

pub use fault::Fault;
pub use native_error::NativeError;
pub use reader::read;
pub use ruleset::{
    CompileOptions, CompileWork, Digest, Engine, LAID_OUT_AS_LOGGED, Reader, Ruleset,
    SEMANTIC_VERSION, Table, WORK,
};
pub(crate) use ruleset::{Found, Judged, Runs, Sink};
pub(crate) use trouble::FUEL;
pub use trouble::{Trouble, TroubleKind};
pub(crate) use vm::run;
pub use world::World;
