//! The referee as its clients meet it: a real server on a real socket.

mod audiences;
mod contract;
mod errors;
mod faults;
mod matches;
mod restart;
mod streams;
mod swap;
mod world;
