//! Players: they watch, look what is asked, and answer.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use fastrand::Rng;
use referee::client::{complete, request_id};
use referee::wire::v1::{self, watch_match_response};
use tokio::time::Instant;
use tonic::Status;

use super::{Acknowledged, Heard, Look, Table, is_reason, remember, twice};
use crate::caller::Caller;
use crate::trace::Step;
use crate::world::{World, is_final};

/// Reasons of whoever was not quick enough.
const CHANGED: &[&str] = &["DECISION_SUPERSEDED", "MATCH_OVER", "MATCH_PAUSED"];

/// The reason of a move that the rules forbid.
const REFUSED: &[&str] = &["MOVE_REFUSED"];

/// A seat that is played: watch, look what is asked, answer.
pub(super) struct Player {
    world: Arc<World>,
    table: Arc<Table>,
    seat: usize,
    who: String,
    client: Caller,
    random: Rng,
    /// The question that waits for an answer, and how often the referee had crashed when it was told.
    waits: Option<(String, u64)>,
    /// Events that were told or answered, and what stands for them: a referee that has not heard of them has to wait.
    seen: (u64, String),
}

impl Player {
    pub(super) fn new(world: Arc<World>, table: Arc<Table>, seat: usize, token: &str) -> Player {
        let random = world.random();
        let client = world.client().with_token(token);
        Player {
            who: format!("seat {} of {}", seat + 1, table.number),
            client,
            random,
            world,
            table,
            seat,
            waits: None,
            seen: Default::default(),
        }
    }

    pub(super) async fn play(mut self) {
        let mut token = String::new();
        let mut heard: Option<Heard> = None;
        loop {
            match self.follow(&mut token, &mut heard).await {
                Ok(true) => break,
                Ok(false) => {}
                Err(status) if is_final(&status) => {
                    let said = format!("{}: {status:?}", self.who);
                    self.world.trace.fault(said);
                    break;
                }
                Err(_) => {
                    let pause = self.random.u64(20..600);
                    tokio::time::sleep(Duration::from_millis(pause)).await;
                }
            }
        }
        if let Some(heard) = heard {
            remember(&self.table.heard, heard);
        }
    }

    /// Follows the match on one stream; tells whether it is over.
    async fn follow(
        &mut self,
        token: &mut String,
        heard: &mut Option<Heard>,
    ) -> Result<bool, Status> {
        let watch = v1::WatchMatchRequest {
            max_batch: self.random.u32(0..4),
            ..v1::WatchMatchRequest::of(&self.table.name).going_on(token)
        };
        let mut stream = self.world.ask(&self.who, &self.client, watch).await?;
        let mut is_new = true;
        loop {
            let Some(message) = stream.message().await? else {
                return Ok(false);
            };
            let said = match &message.item {
                Some(watch_match_response::Item::Snapshot(_)) => "the table",
                Some(watch_match_response::Item::Events(_)) => "events",
                Some(watch_match_response::Item::Checkpoint(_)) | None => "a checkpoint",
                Some(watch_match_response::Item::Closed(_)) => "the end",
            };
            self.world
                .trace
                .step(Step::Message, format!("{} hears {said}", self.who));
            self.world.told(&self.who, &message);
            *token = message.resume_token.clone();
            // As the guide says: the stream tells what waits, whether it goes on or begins.
            let asked = message.asked.as_ref();
            let rests = matches!(
                message.item,
                Some(watch_match_response::Item::Checkpoint(_))
            );
            is_new = self.is_told(asked, is_new, rests);
            let is_asked = asked.is_some_and(|asked| !asked.questions.is_empty());
            let mut happened = true;
            match message.item {
                Some(watch_match_response::Item::Snapshot(view)) => {
                    self.sees(view.event_count, message.resume_token);
                    *heard = Some(Heard {
                        seat: Some(self.seat),
                        first: view.event_count,
                        events: Vec::new(),
                        times: Vec::new(),
                        closed: false,
                    });
                }
                Some(watch_match_response::Item::Events(batch)) => {
                    // Whoever listens from the lobby on is told no table first.
                    let first = batch.first().map_or(0, |event| event.number);
                    let heard = heard.get_or_insert_with(|| Heard {
                        seat: Some(self.seat),
                        first,
                        events: Vec::new(),
                        times: Vec::new(),
                        closed: false,
                    });
                    heard.events.extend(batch);
                    let events = heard.first + heard.events.len() as u64;
                    self.sees(events, message.resume_token);
                }
                Some(watch_match_response::Item::Closed(_)) => {
                    if let Some(heard) = heard {
                        heard.closed = true;
                    }
                    let ends = self.table.ends.lock();
                    let mut ends = ends.unwrap_or_else(PoisonError::into_inner);
                    ends.insert(self.seat, message.resume_token);
                    return Ok(true);
                }
                Some(watch_match_response::Item::Checkpoint(_)) | None => happened = false,
            }
            if happened {
                self.look(6).await?;
                self.talk().await?;
            }
            if is_asked {
                self.answer().await?;
            }
            // Somebody whose connection is bad, or who looks at another page for a while.
            if !self.world.is_calm() && self.random.u8(0..40) == 0 {
                return Ok(false);
            }
        }
    }

    /// Notes which question waits, and whether one that a crash came before the answer to is told again over a new
    /// connection; gives whether that has yet to say what waits. It may not rest before it does.
    fn is_told(&mut self, asked: Option<&v1::Asked>, is_new: bool, rests: bool) -> bool {
        let trace = &self.world.trace;
        let Some(asked) = asked else {
            if is_new && rests {
                trace.fault(format!("{} is not told what waits", self.who));
            }
            return is_new;
        };
        let crashes = trace.crashes();
        let told = asked
            .questions
            .first()
            .map(|question| &question.decision_id);
        let again =
            |(waits, then): &(String, u64)| is_new && *then < crashes && Some(waits) == told;
        if self.waits.as_ref().is_some_and(again) {
            trace.count("questions asked again after a crash");
        }
        self.waits = told.map(|told| (told.clone(), crashes));
        false
    }

    /// So many events have been told, or more.
    fn sees(&mut self, events: u64, token: String) {
        if events >= self.seen.0 {
            self.seen = (events, token);
        }
    }

    /// Looks at the table, one time of so many: as it is known where it asks, or with all that it has seen already.
    async fn look(&mut self, one_of: u8) -> Result<(), Status> {
        if self.random.u8(0..one_of) > 0 {
            return Ok(());
        }
        let (at_least, token) = match self.random.bool() {
            true => self.seen.clone(),
            false => Default::default(),
        };
        let called = Instant::now();
        let asked = v1::GetViewRequest {
            at_least: token,
            ..v1::GetViewRequest::of(&self.table.name)
        };
        let view = match self.world.ask(&self.who, &self.client, asked).await {
            // Where it has not been heard that it has begun.
            Err(status) if is_reason(&status, &["MATCH_NOT_STARTED"]) => return Ok(()),
            Err(status) if is_final(&status) => return Err(status),
            Err(_) => return Ok(()),
            Ok(answer) => answer.view.unwrap_or_default(),
        };
        let look = Look {
            seat: self.seat,
            events: view.event_count,
            at_least,
            called,
            at: Instant::now(),
        };
        remember(&self.table.looks, look);
        Ok(())
    }

    /// Answers until nothing more is asked.
    async fn answer(&mut self) -> Result<(), Status> {
        loop {
            let asked = v1::ListDecisionsRequest {
                name: self.table.name.clone(),
                page_size: 1000,
                at_least: self.seen.1.clone(),
                ..Default::default()
            };
            let client = self.client.clone();
            let listed = match self.world.ask(&self.who, &client, asked).await {
                // It is over: the stream says so.
                Err(status) if is_reason(&status, &["MATCH_OVER"]) => return Ok(()),
                listed => listed?,
            };
            let Some(decision) = listed.decisions.into_iter().next() else {
                return Ok(());
            };
            self.waits = Some((decision.decision_id.clone(), self.world.trace.crashes()));
            let sleepy = self.table.question_seconds > 0 && self.random.u8(0..6) == 0;
            if sleepy {
                let time = u64::from(self.table.question_seconds) * 1000 + 700;
                tokio::time::sleep(Duration::from_millis(time)).await;
                self.world
                    .trace
                    .step(Step::Alarm, format!("{} wakes", self.who));
                continue;
            }
            let Some((chosen, depends)) = self.choose(&decision) else {
                self.world
                    .trace
                    .fault(format!("{} is asked, and nothing is offered", self.who));
                return Ok(());
            };
            let submit = v1::SubmitMoveRequest {
                decision_id: decision.decision_id.clone(),
                r#move: Some(chosen),
                with_events: true,
                at_least: self.seen.1.clone(),
                ..v1::SubmitMoveRequest::of(&self.table.name)
            };
            if self.random.u8(0..10) == 0 {
                self.try_first(&submit).await?;
            }
            let called = Instant::now();
            let submitted = twice(&self.world, &self.who, &client, &mut self.random, submit).await;
            match submitted {
                Ok(answer) => {
                    self.world.trace.count("acknowledged moves");
                    self.waits = None;
                    let acknowledged = Acknowledged {
                        seat: self.seat,
                        events: answer.events.into_iter().collect(),
                        called,
                        at: Instant::now(),
                    };
                    if let Some(last) = acknowledged.events.last() {
                        self.sees(last.number + 1, answer.resume_token);
                    }
                    remember(&self.table.acknowledged, acknowledged);
                    self.look(3).await?;
                }
                // The time was up, moves were taken back, or it is over.
                Err(status) if is_reason(&status, CHANGED) => {}
                Err(status) if depends && is_reason(&status, REFUSED) => {
                    self.world.trace.count("refused moves");
                }
                Err(status) => return Err(status),
            }
        }
    }

    /// Chooses among what is offered, rather something than passing; says whether some of it depends on the rest, so that
    /// it may be refused.
    fn choose(&mut self, decision: &v1::Decision) -> Option<(v1::Move, bool)> {
        // How often chance is asked may hang on what is offered.
        let mut random = self.random.fork();
        let does = |offer: &&v1::Offer| offer.name != "pass";
        let active: Vec<&v1::Offer> = decision.offers.iter().filter(does).collect();
        let pass = active.is_empty() || random.u8(0..12) == 0;
        let offer = match pass {
            true => random.choice(&decision.offers),
            false => random.choice(active),
        }?;
        let depends = offer.open.iter().any(|parameter| parameter.depends);
        Some((complete(offer, |n| random.usize(0..n.max(1))), depends))
    }

    /// Asks whether a move would be made, which changes nothing.
    async fn try_first(&mut self, submit: &v1::SubmitMoveRequest) -> Result<(), Status> {
        let check = submit.check();
        match self.world.ask(&self.who, &self.client, check).await {
            Err(status) if is_reason(&status, CHANGED) || is_reason(&status, REFUSED) => Ok(()),
            Err(status) if is_final(&status) => Err(status),
            _ => Ok(()),
        }
    }

    /// Answers what others propose, and now and then proposes to take a move back.
    async fn talk(&mut self) -> Result<(), Status> {
        let talks = [
            "PROPOSAL_CLOSED",
            "PROPOSAL_OPEN",
            "MATCH_OVER",
            "UNDO_IMPOSSIBLE",
            "MATCH_STATE_WRONG",
            "MATCH_PAUSED",
        ];
        let client = self.client.clone();
        if self.random.u8(0..60) == 0 {
            let propose = v1::ProposeRequest {
                name: self.table.name.clone(),
                kind: v1::ProposalKind::Undo.into(),
                moves: self.random.u32(1..3),
                request_id: request_id(),
            };
            let proposed = self.world.insist(&self.who, &client, propose);
            match proposed.await {
                Ok(_) => self.world.trace.count("proposals"),
                Err(status) if is_reason(&status, &talks) => {}
                Err(status) => return Err(status),
            }
        }
        let asked = v1::GetTableTalkRequest::of(&self.table.name);
        let talk = match self.world.ask(&self.who, &client, asked).await {
            Err(status) if is_reason(&status, &talks) => return Ok(()),
            talk => talk?,
        };
        let me = self.seat as u32 + 1;
        let Some(proposal) = talk.proposal.filter(|open| open.awaited.contains(&me)) else {
            return Ok(());
        };
        let respond = v1::RespondRequest {
            name: proposal.name,
            agree: self.random.u8(0..3) > 0,
            request_id: request_id(),
        };
        let responded = self.world.insist(&self.who, &client, respond);
        match responded.await {
            Ok(_) => Ok(()),
            Err(status) if is_reason(&status, &talks) => Ok(()),
            Err(status) => Err(status),
        }
    }
}
