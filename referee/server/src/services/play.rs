//! `PlayService`: what a seat sees, is asked, and does.
//!
//! The seat and its match come from the token, and every answer is made from what the interpreter
//! says to that seat. A request can name another match, but not another seat.

use std::sync::Arc;

use interpreter::play::{Audience, Move, Seat};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::event_stream::{self, Start, Wrap};
use super::events;
use super::offers::{self, Pages, Wanted};
use crate::Referee;
use crate::calls::status::move_field;
use crate::calls::{
    Failure, answer, goes_where_it_says, once, place_tokens, request, serves, status,
};
use crate::connections::accept::Arrived;
use referee_contract::convert::{self, timestamp};
use referee_contract::v1::{self, Reason, play_service_server::PlayService, watch_match_request};
use referee_contract::{catalog, preview};
use referee_store::numbers::to_usize;
use referee_store::{Hash, MatchId, Principal};
use referee_table::{Act, Queue, Snapshot, Submission, Submitted, Table, TableError, decision_id};

/// Answers seats.
pub struct Playing(pub Arc<Referee>);

/// The seat that calls, at its table.
struct Seated {
    principal: Principal,
    id: MatchId,
    seat: Seat,
    table: Arc<Table>,
}

impl Seated {
    fn audience(&self) -> Audience {
        Audience::Seat(self.seat)
    }
}

serves! {
    PlayService for Playing {
        get_view(GetViewRequest) -> v1::GetViewResponse = view;
        list_decisions(ListDecisionsRequest) -> v1::ListDecisionsResponse = decisions;
        list_moves(ListMovesRequest) -> v1::ListMovesResponse = moves;
        list_refusals(ListRefusalsRequest) -> v1::ListRefusalsResponse = refusals;
        check_move(CheckMoveRequest) -> v1::CheckMoveResponse = check;
        submit_move(SubmitMoveRequest) -> v1::SubmitMoveResponse = submit;
        list_events(ListEventsRequest) -> v1::ListEventsResponse = events;
        resign(ResignRequest) -> v1::ResignResponse = give_up;
        contribute_entropy(ContributeEntropyRequest) -> v1::ContributeEntropyResponse = contribute;
    }
    whole {
        watch_match(WatchMatchRequest) -> Messages = watch_match;
    }
    type WatchMatchStream = Messages;
}

/// Messages of `WatchMatch`.
type Messages = event_stream::Messages<v1::WatchMatchResponse>;

impl Playing {
    async fn watch_match(
        &self,
        request: Request<v1::WatchMatchRequest>,
    ) -> Result<Response<Messages>, Status> {
        let (metadata, extensions, asked) = request.into_parts();
        let arrived = extensions.get().copied();
        let watched = match goes_where_it_says(&metadata, &asked) {
            Ok(()) => self.watch(&metadata, asked, arrived).await,
            Err(failure) => Err(failure),
        };
        answer(status::language(&metadata), watched)
    }

    async fn seated(&self, metadata: &MetadataMap, name: &str) -> Result<Seated, Failure> {
        let (principal, id, seat) = self.0.auth.seat(metadata, name).await?;
        let table = self.0.table(&id).await?;
        table.note_presence(seat, self.0.now_ms());
        Ok(Seated {
            principal,
            id,
            seat,
            table,
        })
    }

    /// The match as the caller must see it at least.
    async fn seen(&self, seated: &Seated, at_least: &str) -> Result<Arc<Snapshot>, Failure> {
        let (table, id) = (&seated.table, &seated.id);
        self.0
            .at_least(table, id, seated.audience(), at_least)
            .await
    }

    async fn view(
        &self,
        metadata: &MetadataMap,
        asked: v1::GetViewRequest,
    ) -> Result<v1::GetViewResponse, Failure> {
        let seated = self.seated(metadata, &asked.name).await?;
        let audience = seated.audience();
        let snapshot = self.seen(&seated, &asked.at_least).await?;
        let play = snapshot.visible()?.clone();
        let names = asked.include_names.then_some(catalog::VIEW_NAMES);
        let seen = event_stream::seen(&self.0, play, audience, asked.at_event, names);
        let (view, place) = seen.await?;
        let resume_token = place_tokens::resume(self.0.keys(), &seated.id, audience, place)?;
        Ok(v1::GetViewResponse {
            view: Some(view),
            resume_token,
        })
    }

    async fn decisions(
        &self,
        metadata: &MetadataMap,
        asked: v1::ListDecisionsRequest,
    ) -> Result<v1::ListDecisionsResponse, Failure> {
        let seated = self.seated(metadata, &asked.name).await?;
        let size = self.0.page_size(asked.page_size)?;
        let snapshot = self.seen(&seated, &asked.at_least).await?;
        let play = match snapshot.playing() {
            Ok(play) => play.clone(),
            // When the match is over, nobody is asked anything: that is no failure.
            Err(TableError::Over) => return Ok(v1::ListDecisionsResponse::default()),
            Err(error) => return Err(error.into()),
        };
        let referee = self.0.clone();
        let (names, with_targets) = (asked.include_names, asked.with_targets);
        let deadline = self.0.deadline(&snapshot, seated.seat);
        let laps = snapshot.info.laps;
        let work = move || {
            let mut response = v1::ListDecisionsResponse::default();
            if let Some(question) = play.question(seated.seat) {
                let decision_id = decision_id(
                    referee.keys(),
                    &seated.id,
                    seated.seat,
                    question.number,
                    laps,
                );
                let pages = Pages::of(&seated.id, seated.seat, &decision_id, &Wanted::default());
                let offers = question.offers.iter().enumerate();
                let (offers, next_page_token) = pages.page(referee.keys(), offers, 0, size)?;
                let offers = offers::offers(&play, seated.seat, &offers, with_targets);
                response.decisions.push(v1::Decision {
                    decision_id,
                    step: question.step.to_string(),
                    clause: convert::cited(&question.cite),
                    offers,
                    offer_count: u32::try_from(question.offers.len()).unwrap_or(u32::MAX),
                    next_page_token,
                    deadline: deadline.map(timestamp),
                });
                if names {
                    let decisions = response.decisions.iter();
                    let cited = decisions.flat_map(|decision| {
                        let offers = decision.offers.iter().map(|offer| &offer.clause);
                        offers.chain([&decision.clause])
                    });
                    let cited = cited.map(String::as_str).collect();
                    let kinds = catalog::QUESTION_NAMES;
                    response.glossary = Some(catalog::glossary(play.ruleset(), kinds, cited));
                }
            }
            Ok(response)
        };
        self.0.workers().run(Queue::Table, work).await?
    }

    async fn moves(
        &self,
        metadata: &MetadataMap,
        asked: v1::ListMovesRequest,
    ) -> Result<v1::ListMovesResponse, Failure> {
        let seated = self.seated(metadata, &asked.name).await?;
        let size = self.0.page_size(asked.page_size)?;
        let wanted = Wanted::read(asked.move_name, asked.fixed)?;
        let pages = Pages::of(&seated.id, seated.seat, &asked.decision_id, &wanted);
        let first = pages.first(self.0.keys(), &asked.page_token)?;
        let snapshot = self.seen(&seated, &asked.at_least).await?;
        let play = snapshot.playing()?.clone();
        let referee = self.0.clone();
        let work = move || {
            wanted.exists(&play)?;
            play.waits(
                referee.registry.parts(),
                (&seated.id, snapshot.info.laps),
                seated.seat,
                &asked.decision_id,
            )?;
            let offers = play
                .question(seated.seat)
                .map_or(&[][..], |question| &question.offers);
            let offers = offers.iter().enumerate();
            let offers = offers.filter(|(_, offer)| wanted.has(offer));
            let (offers, next_page_token) = pages.page(referee.keys(), offers, first, size)?;
            Ok(v1::ListMovesResponse {
                offers: offers::offers(&play, seated.seat, &offers, asked.with_targets),
                next_page_token,
            })
        };
        self.0.workers().run(Queue::Table, work).await?
    }

    async fn check(
        &self,
        metadata: &MetadataMap,
        asked: v1::CheckMoveRequest,
    ) -> Result<v1::CheckMoveResponse, Failure> {
        let seated = self.seated(metadata, &asked.name).await?;
        let moves = self.read_moves(asked.r#move.as_ref(), &asked.further_moves)?;
        let snapshot = self.seen(&seated, &asked.at_least).await?;
        self.judge(&seated, &snapshot, asked.decision_id, moves.clone())
            .await?;
        if !asked.with_preview {
            return Ok(v1::CheckMoveResponse::default());
        }
        let play = snapshot.moving()?.clone();
        let look_ahead = move || {
            let told = play.end(seated.audience()).number;
            let foreseen = play.preview(seated.seat, &moves);
            preview::preview(play.ruleset().package(), &foreseen, told)
        };
        let preview = self.0.workers().run(Queue::Table, look_ahead).await?;
        Ok(v1::CheckMoveResponse {
            preview: Some(preview),
        })
    }

    async fn refusals(
        &self,
        metadata: &MetadataMap,
        asked: v1::ListRefusalsRequest,
    ) -> Result<v1::ListRefusalsResponse, Failure> {
        let seated = self.seated(metadata, &asked.name).await?;
        let size = self.0.page_size(asked.page_size)?;
        if asked.move_name.is_empty() {
            return Err(Failure::field("move_name", "is missing"));
        }
        let wanted = Wanted::read(asked.move_name, asked.fixed)?;
        let pages = Pages::of_refused(&seated.id, seated.seat, &asked.decision_id, &wanted);
        let first = pages.first(self.0.keys(), &asked.page_token)?;
        let snapshot = self.seen(&seated, &asked.at_least).await?;
        let play = snapshot.playing()?.clone();
        let referee = self.0.clone();
        let work = move || {
            wanted.exists(&play)?;
            play.waits(
                referee.registry.parts(),
                (&seated.id, snapshot.info.laps),
                seated.seat,
                &asked.decision_id,
            )?;
            let closed = wanted.closed(&play, seated.seat, first, size)?;
            let package = play.ruleset().package();
            let moves = closed.moves.iter();
            let moves: Vec<_> = moves.map(|mv| convert::refused(mv, package)).collect();
            let next_page_token = match closed.next {
                None => String::new(),
                Some(next) => pages.token(referee.keys(), next)?,
            };
            let glossary = asked.include_names.then(|| {
                let cited = moves.iter().map(|refused| &*refused.clause).collect();
                catalog::glossary(play.ruleset(), catalog::QUESTION_NAMES, cited)
            });
            Ok(v1::ListRefusalsResponse {
                moves,
                next_page_token,
                glossary,
            })
        };
        self.0.workers().run(Queue::Table, work).await?
    }

    async fn submit(
        &self,
        metadata: &MetadataMap,
        mut asked: v1::SubmitMoveRequest,
    ) -> Result<v1::SubmitMoveResponse, Failure> {
        let seated = self.seated(metadata, &asked.name).await?;
        let request_id = std::mem::take(&mut asked.request_id);
        let at_least = std::mem::take(&mut asked.at_least);
        let with_view = std::mem::take(&mut asked.with_view);
        let with_events = std::mem::take(&mut asked.with_events);
        // What is left is what is done: how it is told may differ when it is asked again.
        let request = request(seated.principal, "SubmitMove", &request_id, &asked)?;
        let moves = self.read_moves(asked.r#move.as_ref(), &asked.further_moves)?;
        let snapshot = self.seen(&seated, &at_least).await?;
        // What was before the move is let go where it was made: by the table.
        drop(snapshot);
        let audience = seated.audience();
        let submission = Submission {
            seat: seated.seat,
            decision: read_decision(asked.decision_id)?,
            moves,
            request,
        };
        let Submitted {
            from,
            until,
            made,
            replayed,
            snapshot,
        } = seated.table.submit(submission).await?;
        let play = snapshot.visible()?.clone();
        let times = snapshot.info.times.clone();
        let tell = move || {
            let events = match with_events {
                true => {
                    let count = usize::try_from(until.number - from.number).unwrap_or(usize::MAX);
                    events::events(&play, &times, audience, from, count).0
                }
                false => v1::EventBatch::default(),
            };
            let view = with_view.then(|| event_stream::view(&play, audience, None));
            (events, view)
        };
        // What has just happened is at hand; what happened long ago takes its time, and so does a view.
        let (events, view) = if replayed || with_view {
            self.0.workers().run(Queue::Table, tell).await?
        } else {
            tell()
        };
        let resume_token = place_tokens::resume(self.0.keys(), &seated.id, audience, until)?;
        Ok(v1::SubmitMoveResponse {
            events,
            resume_token,
            view,
            replayed,
            moves_made: made,
        })
    }

    async fn watch(
        &self,
        metadata: &MetadataMap,
        asked: v1::WatchMatchRequest,
        arrived: Option<Arrived>,
    ) -> Result<event_stream::Messages<v1::WatchMatchResponse>, Failure> {
        let seated = self.seated(metadata, &asked.name).await?;
        let audience = seated.audience();
        let asked = event_stream::Asked {
            id: seated.id,
            audience,
            start: match asked.start {
                None => Start::First,
                Some(watch_match_request::Start::FromNow(_)) => Start::Now,
                Some(watch_match_request::Start::ResumeToken(token)) => Start::Behind(token),
            },
            max_batch: asked.max_batch,
            names: asked.include_names,
            language: status::language(metadata),
            arrived,
            credential: self.0.auth.credential(metadata).await?,
        };
        let wrap: Wrap<_> = |told, language| {
            let told = told.map(event_stream::Message::of_seat);
            told.map_err(|failure| failure.status(language))
        };
        event_stream::open(self.0.clone(), seated.table, asked, wrap).await
    }

    async fn events(
        &self,
        metadata: &MetadataMap,
        asked: v1::ListEventsRequest,
    ) -> Result<v1::ListEventsResponse, Failure> {
        let seated = self.seated(metadata, &asked.name).await?;
        let snapshot = self.seen(&seated, &asked.at_least).await?;
        let wanted = (asked.page_size, &asked.page_token[..]);
        let (id, audience) = (&seated.id, seated.audience());
        let page = events::page(&self.0, id, audience, snapshot, wanted).await?;
        Ok(v1::ListEventsResponse {
            events: page.events.into_iter().collect(),
            next_page_token: page.next_page_token,
            resume_token: page.resume_token,
        })
    }

    /// The moves of a request, one after the other.
    fn read_moves(
        &self,
        first: Option<&v1::Move>,
        further: &[v1::Move],
    ) -> Result<Vec<Move>, Failure> {
        if further.len() >= to_usize(self.0.limits().moves_per_request) {
            return Err(TableError::Limit("moves_per_request").into());
        }
        let first = first.ok_or_else(|| Failure::field("move", "is missing"))?;
        let all = [first].into_iter().chain(further).enumerate();
        let read = all.map(|(index, mv)| convert::move_in(mv, move_field(index)));
        Ok(read.collect::<Result<_, _>>()?)
    }

    /// Whether moves would be made now; changes nothing.
    async fn judge(
        &self,
        seated: &Seated,
        snapshot: &Snapshot,
        decision: String,
        moves: Vec<Move>,
    ) -> Result<(), Failure> {
        let decision = read_decision(decision)?;
        let play = snapshot.moving()?.clone();
        let (referee, id, seat) = (self.0.clone(), seated.id.clone(), seated.seat);
        let laps = snapshot.info.laps;
        let judged = self
            .0
            .workers()
            .run(Queue::Table, move || {
                play.judge(
                    referee.registry.parts(),
                    (&id, laps),
                    seat,
                    &decision,
                    &moves,
                )
            })
            .await?;
        judged.map_err(|error| match error {
            // Nothing is made, so nothing is suspended.
            TableError::Fault(_) => Failure::new(
                Reason::RulesetFault,
                "the ruleset fails at this move: to submit it would suspend the match; choose another, and tell who \
                 publishes the ruleset",
            ),
            error => error.into(),
        })
    }

    async fn contribute(
        &self,
        metadata: &MetadataMap,
        asked: v1::ContributeEntropyRequest,
    ) -> Result<v1::ContributeEntropyResponse, Failure> {
        let seated = self.seated(metadata, &asked.name).await?;
        let read = |field: &str, bytes: &[u8]| match bytes {
            [] => Ok(None),
            bytes => Hash::try_from(bytes)
                .map(Some)
                .map_err(|_| Failure::field(field, "is not 32 bytes")),
        };
        let act = Act::Contribute {
            seat: seated.seat,
            commitment: read("commitment", &asked.commitment)?,
            entropy: read("entropy", &asked.entropy)?,
        };
        let request = once!(seated.principal, "ContributeEntropy", asked)?;
        let acted = seated.table.act(act, request).await?;
        Ok(v1::ContributeEntropyResponse {
            replayed: acted.replayed,
        })
    }

    async fn give_up(
        &self,
        metadata: &MetadataMap,
        asked: v1::ResignRequest,
    ) -> Result<v1::ResignResponse, Failure> {
        let seated = self.seated(metadata, &asked.name).await?;
        let rest = v1::ResignRequest {
            request_id: String::new(),
            ..asked.clone()
        };
        let request = request(seated.principal, "Resign", &asked.request_id, &rest)?;
        let act = Act::Resign { seat: seated.seat };
        let acted = seated.table.act(act, request).await?;
        Ok(v1::ResignResponse {
            replayed: acted.replayed,
        })
    }
}

fn read_decision(decision: String) -> Result<String, Failure> {
    if decision.is_empty() {
        Err(Failure::field("decision_id", "is missing"))
    } else {
        Ok(decision)
    }
}
