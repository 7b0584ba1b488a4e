//! Artifacts that were made lately, within a limit of bytes: made of the same texts, they are the same for ever.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use referee_contract::v1::ArtifactKind as Kind;
use referee_sandbox::limits::Limits;
use referee_store::Hash;
use referee_store::numbers::to_usize;

/// What was made lately.
pub struct ArtifactCache {
    /// Bytes that are remembered at most.
    room: usize,
    made: Mutex<Made>,
}

#[derive(Default)]
struct Made {
    texts: HashMap<Key, Arc<str>>,
    /// Bytes of all of them.
    bytes: usize,
}

/// What is the same for ever: of which compiled ruleset, what, in which language.
pub type Key = (Hash, Kind, &'static str);

impl ArtifactCache {
    /// With nothing made yet.
    pub fn new(limits: &Limits) -> ArtifactCache {
        ArtifactCache {
            room: to_usize(limits.artifact_cache_bytes),
            made: Mutex::default(),
        }
    }

    /// A text that was made before.
    pub fn known(&self, key: &Key) -> Option<Arc<str>> {
        self.made().texts.get(key).cloned()
    }

    /// Remembers a text; when there is no room for it, the memory starts anew.
    pub fn remember(&self, key: Key, text: &Arc<str>) {
        let mut made = self.made();
        if made.bytes + text.len() > self.room {
            *made = Made::default();
        }
        if text.len() <= self.room && made.texts.insert(key, text.clone()).is_none() {
            made.bytes += text.len();
        }
    }

    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
