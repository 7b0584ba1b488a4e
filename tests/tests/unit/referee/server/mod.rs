//! Tests of the module `server` and its parts.

mod calls;
mod connections;
mod published;
mod services;
