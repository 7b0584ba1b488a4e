//! A seat that is played: watch, look what is asked, answer.

use std::error::Error as _;
use std::time::Duration;

use tonic::{Code, Status};

use super::{Chooses, Client, error_info};
use crate::v1::{self, watch_match_response::Item};

/// Times that a call is repeated while the referee cannot be reached.
const PATIENCE: u32 = 50;

/// Time between two of them.
const PAUSE: Duration = Duration::from_millis(100);

/// Whether the referee could not be reached. A connection that breaks while a call is under way is told as an error of
/// the transport, whatever its code.
fn is_away(status: &Status) -> bool {
    let broken = || status.source()?.downcast_ref::<tonic::transport::Error>();
    status.code() == Code::Unavailable || broken().is_some()
}

/// One seat of one match.
#[derive(Clone)]
pub struct SeatClient {
    client: Client,
    name: String,
}

impl SeatClient {
    /// The seat that this client's token opens, of the match with this resource name.
    pub fn new(client: Client, name: impl Into<String>) -> SeatClient {
        SeatClient {
            client,
            name: name.into(),
        }
    }

    /// The connection, with the seat's token.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The match's resource name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the seat is asked now, with all offers; none while it waits for others.
    ///
    /// # Errors
    ///
    /// When the referee does not answer.
    pub async fn decision(&self) -> Result<Option<(v1::Decision, Vec<v1::Offer>)>, Status> {
        let asked = v1::ListDecisionsRequest {
            name: self.name.clone(),
            page_size: 1000,
            ..Default::default()
        };
        let decisions = self.client.call(asked).await?.decisions;
        let Some(decision) = decisions.into_iter().next() else {
            return Ok(None);
        };
        let mut offers = decision.offers.clone();
        let mut page_token = decision.next_page_token.clone();
        while !page_token.is_empty() {
            let asked = v1::ListMovesRequest {
                name: self.name.clone(),
                decision_id: decision.decision_id.clone(),
                page_size: 1000,
                page_token,
                ..Default::default()
            };
            let page = self.client.call(asked).await?;
            offers.extend(page.offers);
            page_token = page.next_page_token;
        }
        Ok(Some((decision, offers)))
    }

    /// Adds 32 bytes that nobody else can guess to the chance of a match that has not started.
    ///
    /// # Errors
    ///
    /// When the match has started, wants a commitment first, or the referee does not answer.
    pub async fn contribute(&self, entropy: [u8; 32]) -> Result<(), Status> {
        let asked = v1::ContributeEntropyRequest {
            entropy: entropy.to_vec(),
            ..v1::ContributeEntropyRequest::of(&self.name)
        };
        self.client.call(asked).await.map(drop)
    }

    /// Commits to what this seat, of a number from 1, will contribute when everybody has committed.
    ///
    /// # Errors
    ///
    /// When the match has started, wants no commitments, or the referee does not answer.
    pub async fn commit(&self, seat: u8, entropy: &[u8; 32]) -> Result<(), Status> {
        let id = self.name.trim_start_matches("matches/").as_bytes();
        let bound: [&[u8]; 5] = [b"referee/entropy/v1\n", id, b"\n", &[seat], entropy];
        let commitment = ring::digest::digest(&ring::digest::SHA256, &bound.concat());
        let asked = v1::ContributeEntropyRequest {
            commitment: commitment.as_ref().to_vec(),
            ..v1::ContributeEntropyRequest::of(&self.name)
        };
        self.client.call(asked).await.map(drop)
    }

    /// Everything that the seat was told, in pages of at most so many events.
    ///
    /// # Errors
    ///
    /// When the match has not started, or the referee does not answer.
    pub async fn events(&self, page_size: i32) -> Result<Vec<v1::Event>, Status> {
        let mut events = Vec::new();
        let mut asked = v1::ListEventsRequest {
            page_size,
            ..v1::ListEventsRequest::of(&self.name)
        };
        loop {
            let page = self.client.call(asked.clone()).await?;
            events.extend(page.events);
            asked.page_token = page.next_page_token;
            if asked.page_token.is_empty() {
                return Ok(events);
            }
        }
    }

    /// Makes a move.
    ///
    /// # Errors
    ///
    /// When it is refused or stale, or the referee does not answer.
    pub async fn submit(
        &self,
        decision_id: &str,
        mv: v1::Move,
    ) -> Result<v1::SubmitMoveResponse, Status> {
        let submit = v1::SubmitMoveRequest {
            decision_id: decision_id.to_owned(),
            r#move: Some(mv),
            ..v1::SubmitMoveRequest::of(&self.name)
        };
        // The same request again: if it was recorded, the answer is the recorded one.
        for _ in 0..PATIENCE {
            match self.client.call(submit.clone()).await {
                Err(status) if is_away(&status) => tokio::time::sleep(PAUSE).await,
                answered => return answered,
            }
        }
        self.client.call(submit).await
    }

    /// Plays to the end of the match, and gives its outcome. Survives a referee that restarts.
    ///
    /// # Errors
    ///
    /// When the referee refuses what it offered, or stays away.
    pub async fn play_out(&self, player: &mut dyn Chooses) -> Result<v1::Outcome, Status> {
        let mut resume_token = String::new();
        let mut patience = PATIENCE;
        loop {
            match self.follow(player, &mut resume_token).await {
                Err(status) if is_away(&status) && patience > 0 => {
                    patience -= 1;
                    tokio::time::sleep(PAUSE).await;
                }
                // Of another version of the referee: everything is looked at anew.
                Err(status)
                    if !resume_token.is_empty()
                        && error_info(&status)
                            .is_some_and(|info| info.reason == "RESUME_TOKEN_INVALID") =>
                {
                    resume_token.clear();
                }
                ended => return ended,
            }
        }
    }

    async fn follow(
        &self,
        player: &mut dyn Chooses,
        resume_token: &mut String,
    ) -> Result<v1::Outcome, Status> {
        let watch = v1::WatchMatchRequest::of(&self.name).going_on(resume_token);
        let mut stream = self.client.call(watch).await?;
        while let Some(message) = stream.message().await? {
            *resume_token = message.resume_token;
            if let Some(Item::Closed(closed)) = message.item {
                return closed
                    .outcome
                    .ok_or_else(|| Status::data_loss("a match ended without an outcome"));
            }
            if message
                .asked
                .is_some_and(|asked| !asked.questions.is_empty())
            {
                self.answer(player).await?;
            }
        }
        Err(Status::unavailable("the stream ended before the match"))
    }

    /// Answers until nothing more is asked.
    async fn answer(&self, player: &mut dyn Chooses) -> Result<(), Status> {
        while let Some((decision, offers)) = self.decision().await? {
            tokio::time::sleep(player.pause()).await;
            if let Some(mv) = player.dare(&decision, &offers) {
                match self.submit(&decision.decision_id, mv.clone()).await {
                    // It was legal after all: the question has changed.
                    Ok(_) => continue,
                    Err(status) => player.dared(&decision, mv, &status),
                }
            }
            let mv = player.choose(&decision, &offers);
            match self.submit(&decision.decision_id, mv).await {
                Ok(_) => {}
                // Somebody changed the question meanwhile: look again.
                Err(status)
                    if error_info(&status)
                        .is_some_and(|info| info.reason == "DECISION_SUPERSEDED") => {}
                Err(status) => return Err(status),
            }
        }
        Ok(())
    }
}
