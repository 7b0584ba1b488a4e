//! `AdminService`, what it does with matches of any host: finding, ending and deleting them, and erasing names.

use tonic::metadata::MetadataMap;

use super::admin::Admin;
use super::matches::{Listed, listed, match_state};
use crate::calls::{Failure, match_id, once, token_name, token_of};
use referee_contract::convert::seat_number;
use referee_contract::v1::{self, Reason};
use referee_store::{MatchId, Principal, Wanted};
use referee_table::{Act, Acted, Request};

impl Admin {
    pub(super) async fn list_matches(
        &self,
        metadata: &MetadataMap,
        asked: v1::ListAllMatchesRequest,
    ) -> Result<v1::ListAllMatchesResponse, Failure> {
        self.0.auth.admin(metadata).await?;
        let state = match_state(asked.state)?;
        let host = match &asked.host[..] {
            "" => None,
            name => Some(Principal(token_of(name, "host")?)),
        };
        let player = Some(asked.display_name.trim().to_owned()).filter(|name| !name.is_empty());
        let (of_host, of_state, of_player) = (
            host.map_or_else(Vec::new, |host| host.0.to_vec()),
            [state.map_or(0, |state| state.tag())],
            player.clone().unwrap_or_default(),
        );
        let list: [&[u8]; 4] = [b"all matches", &of_host, &of_state, of_player.as_bytes()];
        let page = (asked.page_size, &asked.page_token[..]);
        let Listed {
            matches,
            next_page_token,
        } = listed(&self.0, &list, page, move |store, before, limit| {
            let wanted = Wanted {
                host,
                state,
                player: player.as_deref(),
            };
            store.list(wanted, before, limit)
        })
        .await?;
        let matches = matches.into_iter().map(|(host, summary)| v1::HostedMatch {
            summary: Some(summary),
            host: token_name(&host.0),
        });
        Ok(v1::ListAllMatchesResponse {
            matches: matches.collect(),
            next_page_token,
        })
    }

    /// Does something at a table that is not the caller's.
    async fn act(&self, id: &MatchId, act: Act, request: Request) -> Result<Acted, Failure> {
        Ok(self.0.table(id).await?.act(act, request).await?)
    }

    pub(super) async fn end(
        &self,
        metadata: &MetadataMap,
        asked: v1::EndMatchRequest,
    ) -> Result<v1::EndMatchResponse, Failure> {
        let admin = self.0.auth.admin(metadata).await?;
        let request = once!(admin, "EndMatch", asked)?;
        let id = match_id(&asked.name)?;
        let acted = self.act(&id, Act::Cancel, request).await?;
        tracing::info!(%id, "an administrator has ended a match");
        let matches = super::matches::Matches(self.0.clone());
        Ok(v1::EndMatchResponse {
            r#match: Some(matches.describe(acted.snapshot).await?),
            replayed: acted.replayed,
        })
    }

    pub(super) async fn delete(
        &self,
        metadata: &MetadataMap,
        asked: v1::DeleteMatchRequest,
    ) -> Result<v1::DeleteMatchResponse, Failure> {
        let admin = self.0.auth.admin(metadata).await?;
        let request = once!(admin, "DeleteMatch", asked)?;
        let id = match_id(&asked.name)?;
        match self.act(&id, Act::Delete, request.clone()).await {
            Ok(acted) => {
                tracing::info!(%id, "an administrator has deleted a match");
                self.0.auth.forget_match(&id);
                Ok(v1::DeleteMatchResponse {
                    replayed: acted.replayed,
                })
            }
            // What it was asked to delete is gone, perhaps by this very request.
            Err(failure) if failure.reason() == Reason::NotFound => {
                match self.0.has_answered(Some(id), &request).await? {
                    true => Ok(v1::DeleteMatchResponse { replayed: true }),
                    false => Err(failure),
                }
            }
            Err(failure) => Err(failure),
        }
    }

    pub(super) async fn erase(
        &self,
        metadata: &MetadataMap,
        asked: v1::EraseNamesRequest,
    ) -> Result<v1::EraseNamesResponse, Failure> {
        let admin = self.0.auth.admin(metadata).await?;
        let request = once!(admin, "EraseNames", asked)?;
        let id = match_id(&asked.name)?;
        let called = Some(asked.display_name.trim().to_owned()).filter(|name| !name.is_empty());
        let act = Act::EraseNames {
            called: called.clone(),
        };
        let acted = self.act(&id, act, request).await?;
        tracing::info!(%id, erased = acted.erased, "an administrator has erased names");
        // As the match is read anew, without them.
        let snapshot = self.0.table(&id).await?.snapshot();
        let seats = (0..)
            .map(interpreter::play::Seat)
            .zip(snapshot.info.seats.iter());
        let named = seats.filter(|(_, seat)| {
            let player = seat.player.as_deref().unwrap_or_default();
            !player.is_empty() && called.as_deref().is_none_or(|called| called == player)
        });
        Ok(v1::EraseNamesResponse {
            erased: acted.erased,
            seats_named_in_log: named.map(|(seat, _)| seat_number(seat)).collect(),
            replayed: acted.replayed,
        })
    }
}
