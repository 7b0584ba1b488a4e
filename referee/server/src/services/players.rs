//! `PlayerService`: the matches of a player who holds many seats. The stream of them all is in `own_matches`.

use std::sync::Arc;

use interpreter::play::Seat;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::matches::{match_state, summaries};
use super::own_matches;
use crate::Referee;
use crate::calls::{Failure, answer, place_tokens, serves, status};
use referee_contract::convert::{seat_number, timestamp};
use referee_contract::v1::{self, player_service_server::PlayerService};
use referee_store::{HeldRow, MatchState};

/// Answers players.
pub struct Players(pub Arc<Referee>);

serves! {
    PlayerService for Players {
        list_my_matches(ListMyMatchesRequest) -> v1::ListMyMatchesResponse = list;
    }
    whole {
        watch_my_matches(WatchMyMatchesRequest) -> own_matches::Messages = watch_my_matches;
    }
    type WatchMyMatchesStream = own_matches::Messages;
}

impl Players {
    async fn watch_my_matches(
        &self,
        request: Request<v1::WatchMyMatchesRequest>,
    ) -> Result<Response<own_matches::Messages>, Status> {
        let (metadata, extensions, asked) = request.into_parts();
        let arrived = extensions.get().copied();
        let language = status::language(&metadata);
        let watched = own_matches::watch(&self.0, &metadata, asked, arrived).await;
        answer(language, watched)
    }

    async fn list(
        &self,
        metadata: &MetadataMap,
        asked: v1::ListMyMatchesRequest,
    ) -> Result<v1::ListMyMatchesResponse, Failure> {
        let player = self.0.auth.player(metadata).await?;
        let size = self.0.page_size(asked.page_size)?;
        let state = match_state(asked.state)?;
        let which = [state.map_or(0, MatchState::tag)];
        let list: [&[u8]; 3] = [b"my matches", player.id(), &which];
        let before = place_tokens::paged(self.0.keys(), &list, &asked.page_token)?;
        let (store, holder) = (self.0.registry.parts().store.clone(), player.holder());
        let work = move || store.held(&holder, state, before, size + 1);
        let mut held: Vec<HeldRow> = self.0.read(work).await?;
        let more = held.len() > size;
        held.truncate(size);
        let next_page_token = match held.last().filter(|_| more) {
            Some(last) => place_tokens::page(self.0.keys(), &list, last.order)?,
            None => String::new(),
        };
        let mut matches = Vec::new();
        for row in &held {
            let seat = Seat(row.seat);
            let mut one = v1::PlayerMatch {
                seat: seat_number(seat),
                ..v1::PlayerMatch::default()
            };
            // One that was deleted meanwhile is asked nothing.
            if asked.with_questions
                && row.row.state == MatchState::Running
                && let Some(table) = self.0.registry.open(&row.row.id).await?
            {
                let snapshot = table.snapshot();
                one.asked = snapshot.moving().is_ok_and(|play| play.asks(seat));
                let deadline = self.0.deadline(&snapshot, seat).filter(|_| one.asked);
                one.deadline = deadline.map(timestamp);
            }
            matches.push(one);
        }
        let rows = held.into_iter().map(|row| row.row).collect();
        let summaries = summaries(&self.0, rows).await?;
        for (one, (_, summary)) in matches.iter_mut().zip(summaries) {
            one.r#match = Some(summary);
        }
        Ok(v1::ListMyMatchesResponse {
            matches,
            next_page_token,
        })
    }
}
