//! The command and the service, as people and clients meet them.

mod commands;
mod readme;
mod service;
mod structure;
mod workbench;
