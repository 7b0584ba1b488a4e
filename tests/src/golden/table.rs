//! A match as its clients have it: played by chance or as told, looked at, verified.

use std::time::Duration;

use referee::client::{Chooser, Chooses, Client, SeatClient, error_info, refusal};
use referee::wire::v1;
use serde_json::Value;
use tonic::Status;
use v1::verify_record_response::Item;

use crate::json;

use super::{Kept, Made, Repeat, SeenMatch, Trouble};

/// Time between two looks whether the referee has moved in the place of a bot.
const PAUSE: Duration = Duration::from_millis(5);

/// Looks until that takes too long.
const PATIENCE: usize = 6000;

/// Refusals of one question until something is wrong.
const REFUSED: usize = 50;

/// A match and whoever has its tokens.
pub struct Table {
    /// `matches/<id>`.
    pub name: String,
    /// Its host.
    pub host: Client,
    /// Its seats; none of a bot's.
    pub seats: Vec<Option<SeatClient>>,
    /// The last request for a move, and the seat, from 0, that sent it.
    pub submitted: Option<(usize, v1::SubmitMoveRequest)>,
    /// Who may watch it; the host if nobody was invited.
    spectator: Client,
    /// Who moved last: mostly the next question is the same seat's or its neighbour's.
    last: usize,
}

impl Table {
    /// The match, by these tokens.
    pub fn new(client: &Client, host: &str, name: &str, seats: &[Option<String>]) -> Table {
        let seat = |token: &Option<String>| {
            let token = token.as_ref()?;
            Some(SeatClient::new(client.with_token(token), name))
        };
        Table {
            name: name.to_owned(),
            host: client.with_token(host),
            submitted: None,
            spectator: client.with_token(host),
            seats: seats.iter().map(seat).collect(),
            last: 0,
        }
    }

    /// A match that was kept.
    pub fn of(client: &Client, host: &str, kept: &Kept) -> Table {
        let mut table = Table::new(client, host, &kept.name, &kept.seats);
        if let Some(token) = &kept.spectator {
            table.spectator = client.with_token(token);
        }
        table
    }

    /// What it is.
    ///
    /// # Errors
    ///
    /// When the referee does not say.
    pub async fn described(&self) -> Result<v1::Match, Status> {
        let name = self.name.clone();
        let asked = v1::GetMatchRequest::of(name);
        let got = self.host.call(asked).await?;
        got.r#match.ok_or_else(|| Status::data_loss("no match"))
    }

    /// Whose turn it is, and what is asked; none when nobody can move any more. Waits for bots.
    ///
    /// # Errors
    ///
    /// When the referee does not say, or nobody is asked although the match goes on.
    pub async fn asked(&mut self) -> Result<Option<(usize, v1::Decision, Vec<v1::Offer>)>, Status> {
        for _ in 0..PATIENCE {
            let number = self.seats.len();
            for i in (0..number).map(|i| (self.last + i) % number) {
                if let Some(seat) = &self.seats[i]
                    && let Some((decision, offers)) = seat.decision().await?
                {
                    self.last = i;
                    return Ok(Some((i, decision, offers)));
                }
            }
            let described = self.described().await?;
            if described.state() != v1::MatchState::Running || described.paused {
                return Ok(None);
            }
            tokio::time::sleep(PAUSE).await;
        }
        let why = format!("{} goes on, and nobody is asked", self.name);
        Err(Status::deadline_exceeded(why))
    }

    /// Makes a move by chance; none when nobody can move any more.
    ///
    /// # Errors
    ///
    /// When the referee refuses one move after the other.
    pub async fn step(&mut self, player: &mut Chooser) -> Result<Option<Made>, Status> {
        let mut refused = 0;
        let mut instead: Option<v1::Move> = None;
        loop {
            let Some((seat, decision, offers)) = self.asked().await? else {
                return Ok(None);
            };
            let mv = instead
                .take()
                .unwrap_or_else(|| player.choose(&decision, &offers));
            let told = json::of("Move", &mv);
            let Err(status) = self.submit(seat, &decision.decision_id, mv).await else {
                return Ok(Some(Made {
                    seat: seat + 1,
                    r#move: told,
                    state_hash: None,
                }));
            };
            // The referee has moved meanwhile for somebody else, and may have ended the match.
            let reason = error_info(&status).map(|info| info.reason);
            if ["DECISION_SUPERSEDED", "MATCH_OVER"]
                .map(Some)
                .contains(&reason.as_deref())
            {
                continue;
            }
            // What fills an offer by chance may not fit together: then a legal move nearby is told.
            let Some(refusal) = refusal(&status).filter(|_| refused < REFUSED) else {
                return Err(status);
            };
            refused += 1;
            let near = refusal.alternatives;
            instead = near.get(refused % near.len().max(1)).cloned();
        }
    }

    async fn submit(&mut self, seat: usize, decision: &str, mv: v1::Move) -> Result<(), Status> {
        let request = v1::SubmitMoveRequest {
            decision_id: decision.to_owned(),
            r#move: Some(mv),
            with_events: true,
            ..v1::SubmitMoveRequest::of(&self.name)
        };
        self.send(seat, request.clone()).await?;
        self.submitted = Some((seat, request));
        Ok(())
    }

    async fn send(
        &self,
        seat: usize,
        request: v1::SubmitMoveRequest,
    ) -> Result<v1::SubmitMoveResponse, Status> {
        let client = self.seats.get(seat).and_then(Option::as_ref);
        let client = client.ok_or_else(|| Status::not_found("nobody plays this seat"))?;
        client.client().call(request).await
    }

    /// Sends a request again that was answered before.
    ///
    /// # Errors
    ///
    /// When it is not told that it was.
    pub async fn repeat(&self, repeat: &Repeat) -> Result<(), Trouble> {
        let request = json::read("SubmitMoveRequest", &repeat.request)?;
        match self.send(repeat.seat - 1, request).await?.replayed {
            true => Ok(()),
            false => Err("a move was made twice".into()),
        }
    }

    /// Makes a move that was made before.
    ///
    /// # Errors
    ///
    /// When its seat is asked nothing, or the referee refuses it.
    pub async fn again(&mut self, made: &Made) -> Result<(), Trouble> {
        let seat = made.seat - 1;
        let client = self.seats.get(seat).and_then(Option::as_ref);
        let client = client.ok_or("nobody plays this seat")?;
        let asked = v1::ListDecisionsRequest {
            name: self.name.clone(),
            page_size: 1,
            ..Default::default()
        };
        let asked = client.client().call(asked).await?;
        let decisions = asked.decisions;
        let decision = decisions.first().ok_or("this seat is asked nothing")?;
        let mv: v1::Move = json::read("Move", &made.r#move)?;
        Ok(self.submit(seat, &decision.decision_id, mv).await?)
    }

    /// What its clients see now.
    ///
    /// # Errors
    ///
    /// When the referee does not say.
    pub async fn seen(&self) -> Result<SeenMatch, Status> {
        let described = self.described().await?;
        let (mut views, mut decisions) = (Vec::new(), Vec::new());
        let begun = described.start_time.is_some();
        let goes_on = described.state() == v1::MatchState::Running;
        for seat in &self.seats {
            let (mut view, mut decision) = (Value::Null, Value::Null);
            if let Some(seat) = seat.as_ref().filter(|_| begun) {
                let asked = v1::GetViewRequest::of(&self.name);
                let seen = seat.client().call(asked).await?;
                view = json::of("View", &seen.view.unwrap_or_default());
                if goes_on && let Some((asked, offers)) = seat.decision().await? {
                    let asked = v1::Decision {
                        // What is only good for this one answer, and what depends on the clock.
                        decision_id: String::new(),
                        next_page_token: String::new(),
                        deadline: None,
                        offers,
                        ..asked
                    };
                    decision = json::of("Decision", &asked);
                }
            }
            views.push(view);
            decisions.push(decision);
        }
        let mut public = Value::Null;
        if begun {
            let asked = v1::GetPublicViewRequest::of(&self.name);
            let seen = self.spectator.call(asked).await?;
            public = json::of("View", &seen.view.unwrap_or_default());
        }
        Ok(SeenMatch {
            public,
            described: json::of("Match", &described),
            views,
            decisions,
        })
    }

    /// Everything that its seats were told, in order; nothing for a seat of a bot, or before it has begun.
    ///
    /// # Errors
    ///
    /// When the referee does not say.
    pub async fn histories(&self) -> Result<Vec<Vec<v1::Event>>, Status> {
        let begun = self.described().await?.start_time.is_some();
        let mut all = Vec::new();
        for seat in &self.seats {
            all.push(match seat {
                Some(seat) if begun => seat.events(1000).await?,
                _ => Vec::new(),
            });
        }
        Ok(all)
    }

    /// Lets it go on if it is paused.
    ///
    /// # Errors
    ///
    /// When the referee refuses.
    pub async fn resume(&self) -> Result<(), Status> {
        if self.described().await?.paused {
            let asked = v1::ResumeMatchRequest::of(&self.name);
            self.host.call(asked).await?;
        }
        Ok(())
    }

    /// What somebody finds who verifies its record: it, every piece on the table, every move.
    ///
    /// # Errors
    ///
    /// When the referee does not say, or something is not sound.
    pub async fn verified(&self) -> Result<v1::VerifyResult, Trouble> {
        let name = self.name.clone();
        let asked = v1::VerifyRecordRequest::of(name);
        let mut stream = self.host.call(asked).await?;
        while let Some(message) = stream.message().await? {
            if let Some(Item::Result(found)) = message.item {
                return match found.sound {
                    true => Ok(found),
                    false => {
                        Err(format!("{} is not sound: {:?}", self.name, found.findings).into())
                    }
                };
            }
        }
        Err("a verification ended without a result".into())
    }

    /// Its archive.
    ///
    /// # Errors
    ///
    /// When the referee does not give it.
    pub async fn archive(&self) -> Result<String, Trouble> {
        let name = self.name.clone();
        let asked = v1::ExportRecordRequest { name };
        let mut stream = self.host.call(asked).await?;
        let mut bytes = Vec::new();
        while let Some(piece) = stream.message().await? {
            bytes.extend(piece.data);
        }
        Ok(String::from_utf8(bytes)?)
    }
}

/// The hashes of the states after each move of players, as an archive tells them.
///
/// # Errors
///
/// When it is no archive.
pub fn state_hashes(archive: &str) -> Result<Vec<String>, Trouble> {
    let mut hashes = Vec::new();
    for line in archive.lines() {
        let line: Value = serde_json::from_str(line)?;
        if let Some(hash) = line["entry"]["says"]["moved"]["stateHash"].as_str() {
            hashes.push(hash.to_owned());
        }
    }
    Ok(hashes)
}
