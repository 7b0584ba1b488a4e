//! The referee as its clients meet it: a real server on a real socket.

mod audiences;
mod bargaining;
mod contract;
mod delay;
mod entropy;
mod errors;
mod faults;
mod lifecycle;
mod matches;
mod memory;
mod people;
mod publishing;
mod records;
mod restart;
mod revisions;
mod snapshots;
mod streams;
mod swap;
mod talk;
mod transport;
mod world;
