//! The referee.
pub mod secrets;
pub mod store;
pub mod wire;
