//! Hashes, each for one purpose alone.

use std::sync::OnceLock;

use blake3::Hasher;
use blake3::hazmat::{ContextKey, HasherExt as _, hash_derive_key_context};

/// What a hash is for: the context of BLAKE3's key derivation, so that no two purposes share a hash.
#[derive(Debug)]
pub struct Context {
    text: &'static str,
    key: OnceLock<ContextKey>,
}

impl Context {
    /// A context, which must be the only one with this text.
    pub const fn new(text: &'static str) -> Context {
        Context {
            text,
            key: OnceLock::new(),
        }
    }

    /// A new hash. What the text makes of it is worked out once.
    pub fn hasher(&self) -> Hasher {
        let key = self.key.get_or_init(|| hash_derive_key_context(self.text));
        Hasher::new_from_context_key(key)
    }
}
