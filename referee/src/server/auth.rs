//! Who calls: bearer tokens and what they open.
//!
//! Tokens are 256 bits that nobody can guess, so they are kept as plain hashes and looked up by hash;
//! nothing secret is ever compared byte by byte. Which token may call what is decided by the service
//! called: each has one kind of caller.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use interpreter::play::Seat;
use tonic::metadata::MetadataMap;

use super::status::Failure;
use crate::secrets::token_hash;
use crate::store::{Grant, Hash, MatchId, Principal, Store};
use crate::wire::v1::Reason;

/// Prefix of hosts' tokens.
pub const HOST_PREFIX: &str = "rfh_";
/// Prefix of seats' tokens.
pub const SEAT_PREFIX: &str = "rfs_";
/// Prefix of claim codes.
pub const CLAIM_PREFIX: &str = "rfc_";

/// Longer tokens are none of ours and are not even hashed.
const LONGEST: usize = 128;

/// Tokens that are remembered; beyond that the memory starts anew.
const REMEMBERED: usize = 1 << 16;

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A host.
    Host(Principal),
    /// A seat of a match.
    Seat {
        /// The caller, for telling requests apart.
        principal: Principal,
        /// The match.
        id: MatchId,
        /// The seat.
        seat: Seat,
    },
}

/// Looks tokens up.
pub struct Auth {
    store: Arc<dyn Store>,
    /// What tokens open never changes, so what was found may be remembered.
    known: Mutex<HashMap<Hash, Grant>>,
}

impl Auth {
    /// With the tokens of this store.
    pub fn new(store: Arc<dyn Store>) -> Auth {
        Auth {
            store,
            known: Mutex::default(),
        }
    }

    /// Who calls with this metadata.
    ///
    /// # Errors
    ///
    /// `TOKEN_INVALID` without a good token, whatever is wrong with it.
    pub async fn caller(&self, metadata: &MetadataMap) -> Result<Caller, Failure> {
        let invalid = || {
            Failure::new(
                Reason::TokenInvalid,
                "a bearer token of this referee is needed",
            )
        };
        let token = metadata
            .get("authorization")
            .and_then(|value| value.to_str().ok())
            .and_then(|value| {
                value
                    .strip_prefix("Bearer ")
                    .or_else(|| value.strip_prefix("bearer "))
            })
            .map(str::trim)
            .filter(|token| token.len() <= LONGEST)
            .ok_or_else(invalid)?;
        let hash = token_hash(token);
        let grant = self.grant(hash).await?.ok_or_else(invalid)?;
        Ok(match grant {
            Grant::Host => Caller::Host(Principal(hash)),
            Grant::Seat { id, seat } => Caller::Seat {
                principal: Principal(hash),
                id,
                seat: Seat(seat),
            },
        })
    }

    /// The host that calls.
    ///
    /// # Errors
    ///
    /// `TOKEN_INVALID`, or `TOKEN_KIND_WRONG` with a seat's token.
    pub async fn host(&self, metadata: &MetadataMap) -> Result<Principal, Failure> {
        match self.caller(metadata).await? {
            Caller::Host(principal) => Ok(principal),
            Caller::Seat { .. } => Err(wrong_kind(
                "a host's token (`rfh_…`) is needed, this is a seat's",
            )),
        }
    }

    /// The seat that calls, and that it is one of the match it names.
    ///
    /// # Errors
    ///
    /// `TOKEN_INVALID`, `TOKEN_KIND_WRONG` with a host's token, `NOT_FOUND` for another match.
    pub async fn seat(
        &self,
        metadata: &MetadataMap,
        name: &str,
    ) -> Result<(Principal, MatchId, Seat), Failure> {
        match self.caller(metadata).await? {
            Caller::Seat {
                principal,
                id,
                seat,
            } if match_id(name)? == id => Ok((principal, id, seat)),
            Caller::Seat { .. } => Err(Failure::not_found()),
            Caller::Host(_) => Err(wrong_kind(
                "a seat's token (`rfs_…`) is needed, this is a host's",
            )),
        }
    }

    async fn grant(&self, hash: Hash) -> Result<Option<Grant>, Failure> {
        if let Some(grant) = self
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&hash)
        {
            return Ok(Some(grant.clone()));
        }
        let store = self.store.clone();
        let found = tokio::task::spawn_blocking(move || store.token(&hash)).await;
        let found = found.map_err(|error| Failure::internal(&error.to_string()))??;
        if let Some(grant) = &found {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= REMEMBERED {
                known.clear();
            }
            known.insert(hash, grant.clone());
        }
        Ok(found)
    }
}

fn wrong_kind(message: &str) -> Failure {
    Failure::new(Reason::TokenKindWrong, message)
}

/// The match that a resource name names.
///
/// # Errors
///
/// `MALFORMED_REQUEST` when it has not the form of one.
pub fn match_id(name: &str) -> Result<MatchId, Failure> {
    let form = || Failure::field("name", "is not of the form `matches/<id>`");
    name.strip_prefix("matches/")
        .and_then(MatchId::parse)
        .ok_or_else(form)
}
