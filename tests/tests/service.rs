//! The referee as its clients meet it: a real server on a real socket.

#[path = "service/world.rs"]
mod world;

#[path = "service/audiences.rs"]
mod audiences;
#[path = "service/contract.rs"]
mod contract;
#[path = "service/errors.rs"]
mod errors;
#[path = "service/faults.rs"]
mod faults;
#[path = "service/matches.rs"]
mod matches;
#[path = "service/restart.rs"]
mod restart;
#[path = "service/streams.rs"]
mod streams;
