//! Requests that change something, and the rows under which the store keeps their answers.

use prost::Message as _;

use super::error::TableError;
use crate::log::v1::{Receipt, receipt};
use crate::store::{Hash, Principal, RequestRow};

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

/// The row under which a request's answer is kept.
pub(in crate::table) fn request_row(request: &Request, kind: receipt::Kind) -> RequestRow {
    RequestRow {
        principal: request.principal,
        request_id: request.id.clone(),
        digest: request.digest,
        receipt: Receipt { kind: Some(kind) }.encode_to_vec(),
    }
}

/// Whether a row is of this very request, or of another that had the same id.
pub(in crate::table) fn same_request(
    row: &RequestRow,
    request: &Request,
) -> Result<(), TableError> {
    if row.digest == request.digest {
        Ok(())
    } else {
        Err(TableError::RequestIdReused)
    }
}
