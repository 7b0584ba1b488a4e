//! Rulesets that ask for more work or room than there is: each ends soon, with an error that says where.

mod growth;
mod suite;
