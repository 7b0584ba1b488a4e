//! Proofs: a signed head of a log, by which later changes of earlier entries can be shown.

use crate::{MatchInfo, Parts, TableError};
use referee_store::{Hash, chain};

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
    verifier.read_on(&*parts.store, &info.id, |_| Ok::<_, TableError>(()))?;
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
