//! Tests of the module `server::calls` and its parts.

mod host_code;
mod place_tokens;
mod status;
