//! Tests of the module `report::sign_off` and its parts.

mod days;
mod printed;
mod scenarios;
mod signatures;
mod signers;
mod standing;
mod written;
