//! Tests of the module `wire` and its parts.

mod answer;
mod batch;
mod convert;
mod events;
mod layout;
mod routing;
mod writer;
