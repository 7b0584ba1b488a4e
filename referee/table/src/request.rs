//! Requests that change something, and the rows under which the store keeps their answers.

use prost::Message as _;

use super::error::TableError;
use referee_store::log::v1::{Receipt, receipt};
use referee_store::secrets::{Keys, Purpose};
use referee_store::{Hash, MatchId, Principal, RequestRow};

/// A request that changes something, as the store tells requests apart.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who asks.
    pub principal: Principal,
    /// The id that the client chose.
    pub id: String,
    /// Digest of the rest of the request.
    pub digest: Hash,
}

/// The id of the match that a request creates: nobody else can tell it, and whoever asks again is led to the same one.
pub fn match_id_of(keys: &Keys, request: &Request) -> MatchId {
    let parts: [&[u8]; 2] = [&request.principal.0, request.id.as_bytes()];
    let [first @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] =
        keys.derive(Purpose::MatchId, &parts);
    MatchId::of_bytes(first)
}

/// The row under which a request's answer is kept.
pub(crate) fn request_row(request: &Request, kind: receipt::Kind) -> RequestRow {
    RequestRow {
        principal: request.principal,
        request_id: request.id.clone(),
        digest: request.digest,
        receipt: Receipt { kind: Some(kind) }.encode_to_vec(),
    }
}

/// What a request was answered before, by its row; none if that cannot be read.
///
/// # Errors
///
/// [`TableError::RequestIdReused`] when the row is of another request that had the same id.
pub(crate) fn answered(
    row: &RequestRow,
    request: &Request,
) -> Result<Option<receipt::Kind>, TableError> {
    match row.digest == request.digest {
        true => Ok(Receipt::decode(&row.receipt[..])
            .ok()
            .and_then(|receipt| receipt.kind)),
        false => Err(TableError::RequestIdReused),
    }
}
