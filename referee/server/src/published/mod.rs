//! What is published, beside the library: channels, owners, and artifacts that were made of it.
//!
//! In: rows of the store. Out: values that are replaced as a whole when something is published. Nothing here writes.

pub mod artifact_cache;
pub mod channels;
pub mod owners;
