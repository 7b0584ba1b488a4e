//! A store in PostgreSQL, from which any number of referees serve at once.
//!
//! In: an [`Address`] and the root key. Out: a store ([`Postgres`]), which does what every engine does ([`contract`]) and what
//! only those do from which several serve ([`shared`]). What is safe hangs on one thing alone: an append says how the log
//! ends, and its statement ([`append`]) writes where that is so. Tables and their parts are in [`schema`]; what referees tell
//! each other goes by [`wake_ups`]; time is the database's ([`database_clock`]). A write whose outcome nobody knows is an
//! error, never a success: no cancel is ever sent, and a warning that comes while something is committed (a standby that did
//! not confirm) means that it is unknown, too.
//!
//! The driver is tokio-postgres, not sqlx: it hands on whatever a connection is told between answers (those warnings, and
//! notifications), sends the columns of a group as arrays with gaps, and takes statements as they stand here, without a database to
//! compile against.

pub mod address;
mod append;
mod check;
mod connection;
mod contract;
pub mod database_clock;
mod engine;
pub mod fitness;
mod matches;
mod people;
mod plans;
mod schema;
mod shared;
mod values;
mod wake_ups;
mod whole;

pub use address::{Address, is_address};
pub use engine::Postgres;
pub use plans::Plan;
pub use schema::{OF_MATCHES, SCHEMA};
