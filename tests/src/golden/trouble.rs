//! Whatever goes wrong.

use std::error::Error;

/// Whatever goes wrong; it is only told.
pub type Trouble = Box<dyn Error + Send + Sync>;
