//! `AdminService`: making, listing and revoking tokens. What it does with matches is in [`oversight`](super::oversight), and
//! whose rulesets are in [`ownership`](super::ownership).
//!
//! A token is derived from the request that made it, so that a repetition gets the same one although
//! only its hash is kept. Its id is a part of that hash: it finds the token and opens nothing.

use std::sync::Arc;
use std::time::Duration;

use prost::Message as _;
use tonic::metadata::MetadataMap;
use tracing::Instrument as _;

use crate::Referee;
use crate::calls::auth::{
    ADMIN_PREFIX, CREATOR_PREFIX, HOST_PREFIX, PLAYER_PREFIX, PUBLISHER_PREFIX,
};
use crate::calls::{
    Failure, Publisher, display_name, once, place_tokens, serves, token_name, token_of,
};
use referee_contract::convert::{self, timestamp};
use referee_contract::v1::{self, TokenKind, admin_service_server::AdminService};
use referee_store::log::v1::{DoneReceipt, Receipt, receipt};
use referee_store::numbers::to_usize;
use referee_store::secrets::{Purpose, token_hash};
use referee_store::{Appended, Change, Grant, Hash, RequestRow, Store, StoreError, TokenRow};
use referee_table::TableError;

/// Answers administrators.
pub struct Admin(pub Arc<Referee>);

serves! {
    AdminService for Admin {
        create_token(CreateTokenRequest) -> v1::CreateTokenResponse = create;
        list_tokens(ListTokensRequest) -> v1::ListTokensResponse = list;
        revoke_token(RevokeTokenRequest) -> v1::RevokeTokenResponse = revoke;
        list_all_matches(ListAllMatchesRequest) -> v1::ListAllMatchesResponse = list_matches;
        end_match(EndMatchRequest) -> v1::EndMatchResponse = end;
        delete_match(DeleteMatchRequest) -> v1::DeleteMatchResponse = delete;
        erase_names(EraseNamesRequest) -> v1::EraseNamesResponse = erase;
        set_ruleset_owner(SetRulesetOwnerRequest) -> v1::SetRulesetOwnerResponse = give;
    }
}

impl Admin {
    async fn create(
        &self,
        metadata: &MetadataMap,
        asked: v1::CreateTokenRequest,
    ) -> Result<v1::CreateTokenResponse, Failure> {
        let admin = self.0.auth.admin(metadata).await?;
        let request = once!(admin, "CreateToken", asked)?;
        let (grant, prefix) = match TokenKind::try_from(asked.kind) {
            Ok(TokenKind::Host) => (Grant::Host, HOST_PREFIX),
            Ok(TokenKind::Publisher) => (Grant::Publisher, PUBLISHER_PREFIX),
            Ok(TokenKind::Admin) => (Grant::Admin, ADMIN_PREFIX),
            Ok(TokenKind::Creator) => (Grant::Creator, CREATOR_PREFIX),
            Ok(TokenKind::Player) => (Grant::Player, PLAYER_PREFIX),
            Ok(TokenKind::Unspecified) | Err(_) => {
                return Err(Failure::field(
                    "kind",
                    "is missing, or no value of the enum",
                ));
            }
        };
        let longest = to_usize(self.0.limits().display_name_chars);
        let label = display_name(&asked.label, longest, "label")?;
        let parts: [&[u8]; 2] = [&admin.0, request.id.as_bytes()];
        let token = self.0.keys().token(Purpose::PersonToken, prefix, &parts);
        let hash = token_hash(&token);
        let now = self.0.now_ms();
        let lifetime = match &asked.lifetime {
            Some(time) => Some(convert::whole_seconds(time, Duration::MAX, "lifetime")?),
            None => None,
        };
        let row = TokenRow {
            hash,
            grant,
            label,
            created_ms: now,
            expires_ms: lifetime.map(|seconds| now.saturating_add(i64::from(seconds) * 1000)),
        };
        let granted = self.0.settle(Change::Grant(row), &request, |_| {});
        let replayed = granted.await?;
        Ok(v1::CreateTokenResponse {
            token,
            name: token_name(&hash),
            replayed,
        })
    }

    async fn list(
        &self,
        metadata: &MetadataMap,
        asked: v1::ListTokensRequest,
    ) -> Result<v1::ListTokensResponse, Failure> {
        self.0.auth.admin(metadata).await?;
        let size = self.0.page_size(asked.page_size)?;
        let list: [&[u8]; 1] = [b"tokens"];
        let before = place_tokens::paged(self.0.keys(), &list, &asked.page_token)?;
        let store = self.0.registry.parts().store.clone();
        let mut rows = self.0.read(move || store.tokens(before, size + 1)).await?;
        let more = rows.len() > size;
        rows.truncate(size);
        let next_page_token = match rows.last().filter(|_| more) {
            Some(last) => place_tokens::page(self.0.keys(), &list, last.order)?,
            None => String::new(),
        };
        let tokens = rows.into_iter().map(|token| v1::TokenInfo {
            name: token_name(&token.row.hash),
            kind: match token.row.grant {
                Grant::Host => TokenKind::Host,
                Grant::Publisher => TokenKind::Publisher,
                Grant::Admin => TokenKind::Admin,
                Grant::Creator => TokenKind::Creator,
                Grant::Player => TokenKind::Player,
                Grant::Seat { .. } | Grant::Spectator { .. } => TokenKind::Unspecified,
            }
            .into(),
            label: token.row.label,
            create_time: Some(timestamp(token.row.created_ms)),
            expire_time: token.row.expires_ms.map(timestamp),
            revoked: token.revoked,
        });
        Ok(v1::ListTokensResponse {
            tokens: tokens.collect(),
            next_page_token,
        })
    }

    async fn revoke(
        &self,
        metadata: &MetadataMap,
        asked: v1::RevokeTokenRequest,
    ) -> Result<v1::RevokeTokenResponse, Failure> {
        let admin = self.0.auth.admin(metadata).await?;
        let request = once!(admin, "RevokeToken", asked)?;
        let hash: Hash = token_of(&asked.name, "name")?;
        if hash == admin.0 {
            return Err(Failure::field(
                "name",
                "is the token that asks: another administrator revokes it",
            ));
        }
        let store = self.0.registry.parts().store.clone();
        if !self.0.read(move || was_granted(&*store, &hash)).await? {
            return Err(Failure::not_found());
        }
        let forget = move |referee: &Referee| referee.auth.forget(&hash);
        let revoked = self.0.settle(Change::Revoke(hash), &request, forget);
        let replayed = revoked.await?;
        Ok(v1::RevokeTokenResponse { replayed })
    }
}

/// Returns whether a token with this hash was ever granted, revoked or not.
fn was_granted(store: &dyn Store, hash: &Hash) -> Result<bool, StoreError> {
    const PAGE: usize = 1000;
    if store.token(hash, None)?.is_some() {
        return Ok(true);
    }
    let mut before = None;
    loop {
        let page = store.tokens(before, PAGE)?;
        if page.iter().any(|token| token.row.hash == *hash) {
            return Ok(true);
        }
        match page.last() {
            Some(last) if page.len() == PAGE => before = Some(last.order),
            _ => return Ok(false),
        }
    }
}

impl Referee {
    /// Makes a change outside of any match, then in memory what comes of it, if it was not made before by the same request;
    /// tells whether it was. A caller who goes away meanwhile leaves nothing half done.
    pub(super) async fn settle(
        self: &Arc<Self>,
        change: Change,
        request: &referee_table::Request,
        learn: impl FnOnce(&Referee) + Send + 'static,
    ) -> Result<bool, Failure> {
        self.settle_by(None, change, request, learn).await
    }

    /// The same by a publisher, of a ruleset that must be theirs.
    ///
    /// # Errors
    ///
    /// As [`settle`](Self::settle), and `RULESET_OWNED` when it has become another's, which this referee had not heard of.
    pub(super) async fn settle_by(
        self: &Arc<Self>,
        publisher: Option<&Publisher>,
        change: Change,
        request: &referee_table::Request,
        learn: impl FnOnce(&Referee) + Send + 'static,
    ) -> Result<bool, Failure> {
        let done = receipt::Kind::Done(DoneReceipt::default());
        let row = RequestRow {
            principal: request.principal,
            request_id: request.id.clone(),
            digest: request.digest,
            receipt: Receipt { kind: Some(done) }.encode_to_vec(),
        };
        let referee = self.clone();
        let by = publisher.map(|publisher| publisher.name.clone());
        let ruleset = change.ruleset().map(str::to_owned);
        let to_its_end = async move {
            let store = referee.registry.parts().store.clone();
            let settle = move || store.settle_by(by.as_deref(), &change, &row);
            let settled = referee.read(settle).await?;
            if settled == Appended::Done {
                learn(&referee);
            }
            Ok::<_, Failure>(settled)
        };
        let settled = tokio::spawn(to_its_end.in_current_span()).await;
        match settled.map_err(|error| Failure::internal(&error.to_string()))?? {
            Appended::Done => Ok(false),
            Appended::Duplicate(row) if row.digest == request.digest => Ok(true),
            Appended::Conflict => match ruleset.zip(publisher) {
                Some((ruleset, publisher)) => {
                    Err(self.owned_meanwhile(&ruleset, publisher).await?)
                }
                None => Err(Failure::internal("a change conflicts with nothing")),
            },
            Appended::Duplicate(_) | Appended::Busy(_) => Err(TableError::RequestIdReused.into()),
        }
    }
}
