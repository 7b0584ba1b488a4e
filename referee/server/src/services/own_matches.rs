//! `PlayerService.WatchMyMatches`: all matches of a player in one stream.
//!
//! Each match is followed by a feed of its own, as [`event_stream`] makes it for a stream of one match, with a queue of its own: what
//! is slow in one match holds up no other. What the feeds tell is passed on as it comes, with a token that stands for the places in
//! all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use interpreter::package::Language;
use interpreter::play::{Audience, Seat};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{StreamExt as _, StreamMap};
use tonic::Status;
use tonic::metadata::MetadataMap;
use v1::watch_my_matches_response::Told;

use super::event_stream::{self, Asked, End, Item, Message, Start, ends, too_old, until};
use crate::Referee;
use crate::calls::auth::{Credential, Player, match_id, opens_nothing};
use crate::calls::place_tokens::{self, Places};
use crate::calls::{Failure, status};
use crate::connections::accept::Arrived;
use referee_contract::convert::seat_number;
use referee_contract::v1::{self, Reason, watch_my_matches_request};
use referee_store::numbers::to_usize;
use referee_store::{Hash, MatchId, MatchState};
use referee_table::at_once::Entered;
use referee_table::{Cursor, Payer, Payers, TableError};

/// Time between two looks for seats that the player has claimed meanwhile, and until a match is followed again whose table
/// had closed.
const PAUSE: Duration = Duration::from_secs(1);

/// What such a stream brings.
pub type Messages = event_stream::Messages<v1::WatchMyMatchesResponse>;

/// Follows the matches of a player.
///
/// # Errors
///
/// When the token is no player's, a match is not theirs to watch, or too many streams are open.
pub async fn watch(
    referee: &Arc<Referee>,
    metadata: &MetadataMap,
    asked: v1::WatchMyMatchesRequest,
    arrived: Option<Arrived>,
) -> Result<Messages, Failure> {
    let player = referee.auth.player(metadata).await?;
    let limits = referee.limits();
    let most = to_usize(limits.matches_per_stream);
    if asked.names.len() > most {
        return Err(TableError::Limit("matches_per_stream").into());
    }
    let entered = referee
        .own_watchers
        .enter(*player.id(), limits.streams_per_player);
    let watcher = entered.ok_or(TableError::Limit("streams_per_player"))?;
    let places = match &asked.start {
        None => Places::default(),
        Some(watch_my_matches_request::Start::FromNow(_)) => Places {
            from_now: true,
            ..Places::default()
        },
        Some(watch_my_matches_request::Start::ResumeToken(token)) => {
            place_tokens::resumed_all(referee.keys(), player.id(), token)?
        }
    };
    let mut named = BTreeMap::new();
    for (i, name) in asked.names.iter().enumerate() {
        let field = || format!("names[{i}]");
        let form = |_| Failure::field(field(), "is not of the form `matches/<id>`");
        let id = match_id(name).map_err(form)?;
        let audience = audience(referee, &player, &id).await?;
        let audience = audience.ok_or_else(Failure::not_found)?;
        named.insert(id, audience);
    }
    // One place more than the queue: it is reserved for the last word.
    let (queue, messages) = mpsc::channel(to_usize(limits.stream_queue) + 1);
    let last_word = queue
        .clone()
        .try_reserve_owned()
        .map_err(|_| Failure::internal("a new queue is full"))?;
    let language = status::language(metadata);
    let mut all = Everything {
        claims: referee.registry.parts().holders.subscribe(),
        follows_all: asked.names.is_empty(),
        language,
        max_batch: asked.max_batch,
        names: asked.include_names,
        credential: referee.auth.credential(metadata).await?,
        arrived,
        feeds: StreamMap::new(),
        places: Places {
            from_now: places.from_now,
            of: BTreeMap::new(),
        },
        begun: places.of,
        over: BTreeSet::new(),
        told: Instant::now(),
        referee: referee.clone(),
        player,
        queue,
        _watcher: watcher,
    };
    tokio::spawn(async move {
        if let Some(failure) = all.run(named).await {
            last_word.send(Err(failure.status(language)));
        }
    });
    Ok(Messages::from_queue(messages))
}

/// As whom a player watches a match: as the seat that they hold, or else as anybody, if anybody may.
async fn audience(
    referee: &Referee,
    player: &Player,
    id: &MatchId,
) -> Result<Option<Audience>, Failure> {
    if let Some(seat) = referee.auth.held(player, id).await? {
        return Ok(Some(Audience::Seat(seat)));
    }
    let public = referee.public(&format!("matches/{id}")).await?;
    Ok(public.map(|_| Audience::Spectator))
}

/// What a feed of one match tells.
type Fed = Result<Result<Message, Failure>, Status>;

/// A stream of all matches.
struct Everything {
    referee: Arc<Referee>,
    player: Player,
    /// Whether it follows every match of the player, and not only those that were named.
    follows_all: bool,
    claims: broadcast::Receiver<Arc<str>>,
    language: Language,
    max_batch: u32,
    names: bool,
    credential: Option<Credential>,
    arrived: Option<Arrived>,
    feeds: StreamMap<MatchId, ReceiverStream<Fed>>,
    /// Where its reader is in each match that is followed, after the last message that was queued.
    places: Places,
    /// Where the reader was, as its token says, in matches that are not followed yet.
    begun: BTreeMap<MatchId, (Audience, Cursor)>,
    /// Matches of which no more is told.
    over: BTreeSet<MatchId>,
    /// When the last message was queued.
    told: Instant,
    queue: mpsc::Sender<Result<Box<v1::WatchMyMatchesResponse>, Status>>,
    _watcher: Entered<Hash>,
}

impl Everything {
    /// Follows all of it; gives the reason if it ends.
    async fn run(&mut self, named: BTreeMap<MatchId, Audience>) -> Option<Failure> {
        match self.follow(named).await {
            Ok(()) | Err(End::Quiet) => None,
            Err(End::Failed(failure)) => {
                // Whatever ended it, the reader can continue.
                let token = self.token().unwrap_or_default();
                Some(failure.with("resume_token", token))
            }
        }
    }

    async fn follow(&mut self, named: BTreeMap<MatchId, Audience>) -> Result<(), End> {
        let (referee, queue) = (self.referee.clone(), self.queue.clone());
        let limits = referee.limits();
        let credential = self.credential.clone();
        let (aged, expires) = ends(&referee, self.arrived, credential.as_ref());
        let mut revocations = referee.auth.revocations();
        let mut stopping = pin!(referee.stopping());
        let mut aged = pin!(until(aged));
        let mut expired = pin!(until(expires));
        let mut gone = pin!(queue.closed());
        for (id, audience) in named {
            self.begin(id, audience);
        }
        // When it is looked next for matches that are the player's.
        let mut look = self.follows_all.then(Instant::now);
        let mut looked = Instant::now();
        loop {
            let heartbeat = self.told + limits.heartbeat;
            tokio::select! {
                biased;
                () = &mut stopping => return Err(Failure::stopping().into()),
                () = &mut aged => return Err(too_old().into()),
                () = &mut gone => return Err(End::Quiet),
                () = &mut expired => return Err(opens_nothing().into()),
                revoked = revocations.changed(), if credential.is_some() => {
                    if let (Ok(()), Some(credential)) = (revoked, &credential) {
                        referee.auth.still(credential).await?;
                    }
                }
                claimed = self.claims.recv(), if self.follows_all => {
                    let is_own = match &claimed {
                        Ok(holder) => holder.is_empty() || **holder == *self.player.holder(),
                        Err(RecvError::Lagged(_)) => true,
                        Err(RecvError::Closed) => false,
                    };
                    if is_own && look.is_none() {
                        look = Some(looked + PAUSE);
                    }
                }
                () = until(look), if look.is_some() => {
                    (look, looked) = (None, Instant::now());
                    self.look().await?;
                }
                Some((id, fed)) = self.feeds.next(), if !self.feeds.is_empty() => {
                    self.pass(id, fed).await?;
                }
                () = tokio::time::sleep_until(heartbeat) => {
                    if let Some(credential) = &credential {
                        referee.auth.still(credential).await?;
                    }
                    self.send(None, 0, None).await?;
                }
            }
        }
    }

    /// Begins to follow every match of the player that is not followed yet, the latest first.
    async fn look(&mut self) -> Result<(), End> {
        let most = to_usize(self.referee.limits().matches_per_stream);
        let store = self.referee.registry.parts().store.clone();
        let holder = self.player.holder();
        let work = move || {
            let of = |state| store.held(&holder, Some(state), None, most);
            let mut held = of(MatchState::Running)?;
            held.extend(of(MatchState::Lobby)?);
            held.sort_by_key(|row| std::cmp::Reverse(row.order));
            Ok(held)
        };
        let held = self.referee.read(work).await?;
        // What its reader has begun to read is told to its end, though the match be over.
        for id in self.begun.keys().cloned().collect::<Vec<_>>() {
            match audience(&self.referee, &self.player, &id).await? {
                Some(audience) => self.begin(id, audience),
                None => {
                    self.begun.remove(&id);
                    self.end(id, 0, &opens_nothing()).await?;
                }
            }
        }
        for row in held {
            let seat = Seat(row.seat);
            self.begin(row.row.id, Audience::Seat(seat));
        }
        Ok(())
    }

    /// Begins to follow a match, unless it is followed, is over, or there is no room for it.
    fn begin(&mut self, id: MatchId, audience: Audience) {
        let most = to_usize(self.referee.limits().matches_per_stream);
        let is_known = self.places.of.contains_key(&id) || self.over.contains(&id);
        if is_known || self.places.of.len() >= most {
            return;
        }
        let known = self.begun.remove(&id);
        // What somebody else saw is no place of this one.
        let place = known.filter(|(by, _)| *by == audience);
        let start = match place {
            Some((_, cursor)) => self.behind(&id, audience, cursor),
            None if self.places.from_now => Start::Now,
            None => Start::First,
        };
        let place = place.map(|(_, cursor)| cursor).unwrap_or_default();
        self.places.of.insert(id.clone(), (audience, place));
        self.feed(id, audience, start, Duration::ZERO);
    }

    fn behind(&self, id: &MatchId, audience: Audience, cursor: Cursor) -> Start {
        let token = place_tokens::resume(self.referee.keys(), id, audience, cursor);
        token.map_or(Start::First, Start::Behind)
    }

    /// Follows a match from there on, after a pause.
    fn feed(&mut self, id: MatchId, audience: Audience, start: Start, pause: Duration) {
        let (queue, fed) = mpsc::channel(1);
        let referee = self.referee.clone();
        let payers = Payers::of([Payer::Match(id.clone()), Payer::Token(*self.player.id())]);
        let asked = Asked {
            id: id.clone(),
            audience,
            start,
            max_batch: self.max_batch,
            names: self.names,
            language: self.language,
            // The whole stream has a connection and a token, which end it.
            arrived: None,
            credential: None,
        };
        let opened = async move {
            tokio::time::sleep(pause).await;
            let table = referee.table(&asked.id).await?;
            event_stream::open(referee, table, asked, |told, _| Ok(told)).await
        };
        tokio::spawn(async move {
            match payers.calling_for(None, opened).await {
                Ok(mut told) => {
                    let pass_on = async {
                        while let Some(told) = told.next().await {
                            if queue.send(told).await.is_err() {
                                return;
                            }
                        }
                    };
                    // It ends with its reader and not with the next message: until then it is one of those who watch the seat.
                    tokio::select! {
                        () = queue.closed() => {}
                        () = pass_on => {}
                    }
                }
                // If nobody listens any more, nobody needs to know.
                Err(failure) => drop(queue.send(Ok(Err(failure))).await),
            }
        });
        self.feeds.insert(id, ReceiverStream::new(fed));
    }

    /// Passes on what was told of a match.
    async fn pass(&mut self, id: MatchId, fed: Fed) -> Result<(), End> {
        let Some((audience, place)) = self.places.of.get(&id).copied() else {
            return Ok(());
        };
        let seat = match audience {
            Audience::Seat(seat) => seat_number(seat),
            Audience::Spectator | Audience::Referee => 0,
        };
        let told = fed.map_err(|status| Failure::internal(&status.to_string()))?;
        match told {
            Ok(message) => {
                self.places.of.insert(id.clone(), (audience, message.after));
                if message.is_empty() {
                    return Ok(());
                }
                if matches!(message.item, Item::Closed(_)) {
                    self.forget(&id);
                }
                let told = Told::Message(message.of_seat());
                self.send(Some(&id), seat, Some(told)).await
            }
            Err(failure) => match failure.reason() {
                Reason::ShuttingDown | Reason::ReaderTooSlow => Err(failure.into()),
                // The table closed: it is opened anew.
                Reason::StoreUnavailable => {
                    let start = self.behind(&id, audience, place);
                    self.feed(id, audience, start, PAUSE);
                    Ok(())
                }
                _ => self.end(id, seat, &failure).await,
            },
        }
    }

    fn forget(&mut self, id: &MatchId) {
        self.places.of.remove(id);
        self.feeds.remove(id);
        self.over.insert(id.clone());
    }

    /// Tells that no more is told of a match, and why. It may be claimed again; if it is the reader's still, they go on where
    /// they are when it is tried again.
    async fn end(&mut self, id: MatchId, seat: u32, why: &Failure) -> Result<(), End> {
        let place = self.places.of.get(&id).copied();
        self.forget(&id);
        self.over.remove(&id);
        let is_lost = [Reason::TokenInvalid, Reason::NotFound].contains(&why.reason());
        if let Some(place) = place.filter(|_| !is_lost) {
            self.begun.insert(id.clone(), place);
        }
        let ended = Told::Ended(v1::WatchEnded {
            reason: why.reason().into(),
            message: why.text(self.language),
        });
        self.send(Some(&id), seat, Some(ended)).await
    }

    fn token(&self) -> Result<String, Failure> {
        let mut places = self.places.clone();
        // Those that are not followed yet are where they were.
        for (id, place) in &self.begun {
            places.of.entry(id.clone()).or_insert(*place);
        }
        place_tokens::resume_all(self.referee.keys(), self.player.id(), &places)
    }

    async fn send(
        &mut self,
        id: Option<&MatchId>,
        seat: u32,
        told: Option<Told>,
    ) -> Result<(), End> {
        let message = v1::WatchMyMatchesResponse {
            name: id.map_or_else(String::new, |id| format!("matches/{id}")),
            seat,
            told,
            resume_token: self.token()?,
        };
        let stall = self.referee.limits().stream_stall;
        match tokio::time::timeout(stall, self.queue.send(Ok(Box::new(message)))).await {
            Ok(Ok(())) => {
                self.told = Instant::now();
                Ok(())
            }
            Ok(Err(_)) => Err(End::Quiet),
            Err(_) => {
                let why = "the stream was not read; continue with the resume token";
                Err(Failure::new(Reason::ReaderTooSlow, why).into())
            }
        }
    }
}
