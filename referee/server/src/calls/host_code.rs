//! A code that opens a host's token once: it goes into a link that a terminal shows, so that a browser on the same machine can
//! host without a token being copied.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use referee_store::Hash;
use referee_store::secrets::{base64url, entropy, token_hash};

/// Prefix of such codes.
const PREFIX: &str = "rfo_";

/// How long a code opens.
const LIFETIME: Duration = Duration::from_secs(10 * 60);

/// The code that opens now, if there is one.
#[derive(Default)]
pub struct HostCode(Mutex<Option<Known>>);

struct Known {
    hash: Hash,
    /// From when on it opens nothing.
    until_ms: i64,
}

impl HostCode {
    /// Makes a code, and forgets the one before.
    ///
    /// # Errors
    ///
    /// When the operating system has no entropy to give.
    pub fn make(&self, now_ms: i64) -> std::io::Result<String> {
        let drawn: [u8; 32] = entropy()?;
        let code = format!("{PREFIX}{}", base64url(&drawn));
        let lifetime = i64::try_from(LIFETIME.as_millis()).unwrap_or(i64::MAX);
        *self.known() = Some(Known {
            hash: token_hash(&code),
            until_ms: now_ms.saturating_add(lifetime),
        });
        Ok(code)
    }

    /// Whether this code opens. It does so once.
    pub fn open(&self, code: &str, now_ms: i64) -> bool {
        let hash = token_hash(code);
        let opens = |known: &mut Known| known.hash == hash && now_ms < known.until_ms;
        self.known().take_if(opens).is_some()
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Option<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
