//! What the referee asks and tells other servers: the identity provider that its operator trusts, and platforms that are told
//! whose turn it is.
//!
//! In: addresses that the operator has named, and what is to be told. Out: who a signed token is of; notices, told. [`web`]
//! makes every call: it follows nobody elsewhere, takes no more than it wants, and waits no longer than it may. Begin there.

pub mod identity;
pub mod notices;
mod signatures;
pub mod web;
