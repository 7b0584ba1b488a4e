//! Tests of the module `report` and its parts.

mod book;
mod diff;
mod estimate;
mod graph;
mod grid;
mod layout;
mod plots;
mod printed;
mod prose;
mod proving;
mod redline;
mod sign_off;
mod snapshots;
mod track;
mod transcript;
