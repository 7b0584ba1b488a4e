//! Issues tokens on the machine itself: the first ones of a store, and those of `referee token`.
//!
//! They are drawn and shown once; the store keeps their hashes.

use std::time::Duration;

use super::auth::prefix;
use referee_store::secrets::{base64url, entropy, token_hash};
use referee_store::{Grant, Store, StoreError, TokenRow};

/// The label of the operator's tokens: what the referee brought itself, and what was published before
/// rulesets had owners, is published by these.
pub const OPERATOR: &str = "operator";

/// How long a token opens something if nothing else is said.
pub const LIFETIME: Duration = Duration::from_secs(365 * 24 * 3600);

/// Makes a token; gives it. Nobody can find it out again.
///
/// # Errors
///
/// When it cannot be kept, or the operating system has no entropy to give.
pub fn issue(
    store: &dyn Store,
    grant: Grant,
    label: &str,
    now_ms: i64,
    lifetime: Option<Duration>,
) -> Result<String, StoreError> {
    let drawn: [u8; 32] = entropy().map_err(|error| StoreError::Engine(error.to_string()))?;
    let token = format!("{}{}", prefix(&grant), base64url(&drawn));
    let lifetime = lifetime.map(|time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
    store.grant(&TokenRow {
        hash: token_hash(&token),
        grant,
        label: label.to_owned(),
        created_ms: now_ms,
        expires_ms: lifetime.map(|ms| now_ms.saturating_add(ms)),
    })?;
    Ok(token)
}

/// Tokens of a host, an administrator and a publisher.
pub struct FirstTokens {
    /// The host's.
    pub host: String,
    /// The administrator's.
    pub admin: String,
    /// The publisher's.
    pub publisher: String,
}

/// Whether nobody has a token yet, not even one that was revoked.
///
/// # Errors
///
/// When the store fails.
pub fn nobody_has_one(store: &dyn Store) -> Result<bool, StoreError> {
    Ok(store.tokens(None, 1)?.is_empty())
}

/// Makes the first tokens of a store.
///
/// # Errors
///
/// When they cannot be kept.
pub fn first(store: &dyn Store, now_ms: i64) -> Result<FirstTokens, StoreError> {
    let one = |grant| issue(store, grant, OPERATOR, now_ms, Some(LIFETIME));
    Ok(FirstTokens {
        host: one(Grant::Host)?,
        admin: one(Grant::Admin)?,
        publisher: one(Grant::Publisher)?,
    })
}
