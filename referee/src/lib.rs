//! The referee.
pub mod library;
pub mod secrets;
pub mod store;
pub mod wire;
