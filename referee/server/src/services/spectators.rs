//! `SpectatorService`: the public table, for the host of a match and those whom the host invited.
//!
//! A spectator is an audience of its own, not a seat with a number: it sees what everybody sees.

use std::sync::Arc;

use interpreter::play::Audience;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::event_stream::{self, Start, Wrap};
use super::events;
use crate::Referee;
use crate::calls::{
    Caller, Failure, answer, goes_where_it_says, match_id, place_tokens, serves, status,
};
use crate::connections::accept::Arrived;
use referee_contract::catalog;
use referee_contract::v1::{
    self, Reason, spectator_service_server::SpectatorService, watch_public_match_request,
    watch_public_match_response,
};
use referee_store::MatchId;
use referee_table::{Queue, Snapshot, Table};

/// Answers spectators.
pub struct Spectators(pub Arc<Referee>);

serves! {
    SpectatorService for Spectators {
        get_public_view(GetPublicViewRequest) -> v1::GetPublicViewResponse = view;
        get_all_hands(GetAllHandsRequest) -> v1::GetAllHandsResponse = all_hands;
        list_public_events(ListPublicEventsRequest) -> v1::ListPublicEventsResponse = events;
    }
    whole {
        watch_public_match(WatchPublicMatchRequest) -> Messages = watch_public_match;
    }
    type WatchPublicMatchStream = Messages;
}

/// Messages of `WatchPublicMatch`.
type Messages = event_stream::Messages<v1::WatchPublicMatchResponse>;

impl Spectators {
    async fn watch_public_match(
        &self,
        request: Request<v1::WatchPublicMatchRequest>,
    ) -> Result<Response<Messages>, Status> {
        let (metadata, extensions, asked) = request.into_parts();
        let arrived = extensions.get().copied();
        let watched = match goes_where_it_says(&metadata, &asked) {
            Ok(()) => self.watch(&metadata, asked, arrived).await,
            Err(failure) => Err(failure),
        };
        answer(status::language(&metadata), watched)
    }

    async fn watched(
        &self,
        metadata: &MetadataMap,
        name: &str,
    ) -> Result<(MatchId, Arc<Table>), Failure> {
        if let Some(table) = self.0.watched_by_anybody(metadata, name).await? {
            return Ok((match_id(name)?, table));
        }
        let id = match self.0.auth.caller(metadata).await? {
            Caller::Host(host) => {
                let id = match_id(name)?;
                self.0.hosted(&id, host).await?;
                id
            }
            Caller::Spectator(id) if match_id(name)? == id => id,
            // A player watches what anybody may watch.
            Caller::Player(_) => {
                let table = self.0.public(name).await?;
                let table = table.ok_or_else(Failure::not_found)?;
                return Ok((match_id(name)?, table));
            }
            Caller::Spectator(_) => return Err(Failure::not_found()),
            other => return Err(other.wrong_kind("a host's or a spectator's")),
        };
        let table = self.0.table(&id).await?;
        Ok((id, table))
    }

    /// The match as its spectators must see it at least.
    async fn seen(
        &self,
        metadata: &MetadataMap,
        name: &str,
        at_least: &str,
    ) -> Result<(MatchId, Arc<Snapshot>), Failure> {
        let (id, table) = self.watched(metadata, name).await?;
        let live = self.0.at_least(&table, &id, Audience::Spectator, at_least);
        let (seen, _) = self
            .0
            .seen(&table, live.await?, Audience::Spectator)
            .await?;
        Ok((id, seen))
    }

    async fn view(
        &self,
        metadata: &MetadataMap,
        asked: v1::GetPublicViewRequest,
    ) -> Result<v1::GetPublicViewResponse, Failure> {
        let (id, snapshot) = self.seen(metadata, &asked.name, &asked.at_least).await?;
        let play = snapshot.visible()?.clone();
        let names = asked.include_names.then_some(catalog::VIEW_NAMES);
        let audience = Audience::Spectator;
        let seen = event_stream::seen(&self.0, play, audience, asked.at_event, names);
        let (view, place) = seen.await?;
        let resume_token = place_tokens::resume(self.0.keys(), &id, audience, place)?;
        Ok(v1::GetPublicViewResponse {
            view: Some(view),
            resume_token,
        })
    }

    async fn events(
        &self,
        metadata: &MetadataMap,
        asked: v1::ListPublicEventsRequest,
    ) -> Result<v1::ListPublicEventsResponse, Failure> {
        let (id, snapshot) = self.seen(metadata, &asked.name, &asked.at_least).await?;
        let wanted = (asked.page_size, &asked.page_token[..]);
        let page = events::page(&self.0, &id, Audience::Spectator, snapshot, wanted).await?;
        Ok(v1::ListPublicEventsResponse {
            events: page.events.into_iter().collect(),
            next_page_token: page.next_page_token,
            resume_token: page.resume_token,
        })
    }

    async fn all_hands(
        &self,
        metadata: &MetadataMap,
        asked: v1::GetAllHandsRequest,
    ) -> Result<v1::GetAllHandsResponse, Failure> {
        let (id, snapshot) = self.seen(metadata, &asked.name, &asked.at_least).await?;
        let play = snapshot.visible()?.clone();
        let end = play.end(Audience::Spectator);
        let names = asked.include_names.then_some(catalog::VIEW_NAMES);
        let work = move || {
            let hands = snapshot.all_hands()?;
            Some(event_stream::message(&play, &hands, end.number, names))
        };
        let view = self
            .0
            .workers()
            .run(Queue::Table, work)
            .await?
            .ok_or_else(|| {
                let why =
                    "all hands are shown when the match is over, or when every player has agreed";
                Failure::new(Reason::HandsHidden, why)
            })?;
        let resume_token = place_tokens::resume(self.0.keys(), &id, Audience::Spectator, end)?;
        Ok(v1::GetAllHandsResponse {
            view: Some(view),
            resume_token,
        })
    }

    async fn watch(
        &self,
        metadata: &MetadataMap,
        asked: v1::WatchPublicMatchRequest,
        arrived: Option<Arrived>,
    ) -> Result<event_stream::Messages<v1::WatchPublicMatchResponse>, Failure> {
        let (id, table) = self.watched(metadata, &asked.name).await?;
        let asked = event_stream::Asked {
            id,
            audience: Audience::Spectator,
            start: match asked.start {
                None => Start::First,
                Some(watch_public_match_request::Start::FromNow(_)) => Start::Now,
                Some(watch_public_match_request::Start::ResumeToken(token)) => Start::Behind(token),
            },
            max_batch: asked.max_batch,
            names: asked.include_names,
            language: status::language(metadata),
            arrived,
            credential: self.0.auth.credential(metadata).await?,
        };
        let wrap: Wrap<_> = |told, language| {
            use watch_public_match_response::Item;
            let message = told.map_err(|failure| failure.status(language))?;
            let item = match message.item {
                event_stream::Item::Snapshot(view) => Item::Snapshot(view),
                event_stream::Item::Events(events) => Item::Events(events),
                event_stream::Item::Checkpoint(checkpoint) => Item::Checkpoint(checkpoint),
                event_stream::Item::Closed(closed) => Item::Closed(closed),
            };
            Ok(v1::WatchPublicMatchResponse {
                item: Some(item),
                resume_token: message.resume_token,
                clocks: message.clocks,
            })
        };
        event_stream::open(self.0.clone(), table, asked, wrap).await
    }
}
