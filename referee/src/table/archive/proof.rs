//! Proofs of what a record is so far: with one at hand it can be told later whether anything before it was changed.

use crate::store::{Hash, chain};
use crate::table::{MatchInfo, Parts, TableError};

/// Entries that are read at a time.
const PAGE: usize = 1000;

/// What stands before what is signed.
const SIGNED: &[u8] = b"referee/proof/v1\n";

/// What the record of a match is at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Entries of the log.
    pub entries: u64,
    /// The hash that ties the last to all before it.
    pub head: Hash,
    /// The referee's key.
    pub key: Hash,
    /// Its signature of all that, of the match and of the promise of its seed.
    pub signature: Vec<u8>,
}

/// Proves what the record of a match is, once it was verified to be what was written. Takes its time: not for async
/// threads.
///
/// # Errors
///
/// When the store fails, or the log is damaged.
pub fn prove(parts: &Parts, info: &MatchInfo) -> Result<Proof, TableError> {
    let mut verifier = chain::Verifier::new(&info.id);
    loop {
        let entries = parts.store.read(&info.id, verifier.verified(), PAGE)?;
        if entries.is_empty() {
            break;
        }
        for entry in &entries {
            verifier.verify(entry)?;
        }
    }
    let (entries, head) = (verifier.verified(), verifier.head());
    let signed = [
        SIGNED,
        info.id.as_str().as_bytes(),
        b"\n",
        &entries.to_le_bytes(),
        &head,
        &info.commitment,
        &info.committed.0,
    ]
    .concat();
    let signer = parts.keys.signer();
    Ok(Proof {
        entries,
        head,
        key: signer.public(),
        signature: signer.sign(&signed),
    })
}
