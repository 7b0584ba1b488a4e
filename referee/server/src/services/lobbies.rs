//! Matches that are listed for everybody: a page of them, and a stream of what changes.
//!
//! In: what somebody looks for. Out: lobbies. Whoever follows the list is told at most once a second, from the same reading as
//! whoever asks for a page.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use interpreter::package::Language;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::described::{delay_out, labels, seats_out, state_out, time_out};
use crate::Referee;
use crate::calls::{Failure, place_tokens};
use crate::connections::accept::Arrived;
use referee_contract::catalog;
use referee_contract::convert::timestamp;
use referee_contract::v1::{self, Reason, SeatEntropy};
use referee_store::numbers::to_usize;
use referee_store::{MatchRow, MatchState};
use referee_table::at_once::Entered;
use referee_table::{MatchInfo, Payer, Payers, TableError};

/// Time between two looks at a list that changes.
const PAUSE: Duration = Duration::from_secs(1);

/// What somebody looks for.
struct Wanted {
    ruleset: Option<String>,
    /// Zero is any number.
    players: u32,
    state: MatchState,
    labels: BTreeMap<String, String>,
}

impl Wanted {
    /// # Errors
    ///
    /// `MALFORMED_REQUEST`, for what cannot be looked for.
    fn read(
        ruleset: &str,
        players: u32,
        kind: i32,
        with: &BTreeMap<String, String>,
    ) -> Result<Wanted, Failure> {
        let ruleset = match ruleset.strip_prefix("rulesets/") {
            _ if ruleset.is_empty() => None,
            Some(id) if !id.is_empty() && !id.contains('/') => Some(id.to_owned()),
            _ => {
                let why = "must have the form `rulesets/<id>`";
                return Err(Failure::field("ruleset", why));
            }
        };
        let state = match v1::LobbyKind::try_from(kind) {
            Ok(v1::LobbyKind::Unspecified | v1::LobbyKind::Open) => MatchState::Lobby,
            Ok(v1::LobbyKind::Public) => MatchState::Running,
            Err(_) => return Err(Failure::field("kind", "is no value of the enum")),
        };
        Ok(Wanted {
            ruleset,
            players,
            state,
            labels: labels(with)?,
        })
    }

    /// Whether it is one, now: somebody may have taken the last open seat.
    fn is(&self, info: &MatchInfo) -> bool {
        let labelled = |(key, is): (&String, &String)| info.terms.labels.get(key) == Some(is);
        self.ruleset.as_ref().is_none_or(|id| **id == *info.ruleset)
            && (self.players == 0 || u32::from(info.configuration.players) == self.players)
            && self.labels.iter().all(labelled)
            && info.is_listed()
            && info.state == self.state
    }

    /// Those of these matches that are.
    async fn among(
        &self,
        referee: &Arc<Referee>,
        rows: Vec<MatchRow>,
    ) -> Result<Vec<v1::Lobby>, Failure> {
        let mut lobbies = Vec::new();
        for row in rows {
            // It may be deleted meanwhile.
            let Some(table) = referee.registry.open(&row.id).await? else {
                continue;
            };
            let snapshot = table.snapshot();
            if self.is(&snapshot.info) {
                lobbies.push(lobby(&snapshot.info));
            }
        }
        Ok(lobbies)
    }
}

fn lobby(info: &MatchInfo) -> v1::Lobby {
    v1::Lobby {
        name: format!("matches/{}", info.id),
        ruleset: catalog::ruleset_name(&info.ruleset),
        configuration: Some(catalog::configuration(&info.configuration)),
        seats: seats_out(info),
        question_time: time_out(info.question_ms),
        create_time: Some(timestamp(info.created_ms)),
        spectator_delay: info.delay.map(delay_out),
        seat_entropy: SeatEntropy::from(info.entropy).into(),
        state: state_out(info.state).into(),
        time_bank: time_out(info.terms.bank_ms),
        time_increment: time_out(info.terms.increment_ms),
        take_back: info.terms.take_back,
        public: info.terms.public,
        labels: info.terms.labels.clone(),
        start_when_full: info.terms.starts_when_full,
    }
}

/// A page of what is listed.
pub(super) async fn list(
    referee: &Arc<Referee>,
    asked: &v1::ListLobbiesRequest,
) -> Result<v1::ListLobbiesResponse, Failure> {
    let size = referee.page_size(asked.page_size)?;
    let wanted = Wanted::read(&asked.ruleset, asked.players, asked.kind, &asked.labels)?;
    let said = wanted.labels.iter();
    let said: String = said.map(|(key, is)| format!("{key}={is}\n")).collect();
    let list: [&[u8]; 5] = [
        b"lobbies",
        asked.ruleset.as_bytes(),
        &asked.players.to_be_bytes(),
        &[wanted.state.tag()],
        said.as_bytes(),
    ];
    let before = place_tokens::paged(referee.keys(), &list, &asked.page_token)?;
    let mut rows = rows(referee, wanted.state, before, size + 1).await?;
    let more = rows.len() > size;
    rows.truncate(size);
    let next_page_token = match rows.last().filter(|_| more) {
        Some(last) => place_tokens::page(referee.keys(), &list, last.order)?,
        None => String::new(),
    };
    Ok(v1::ListLobbiesResponse {
        lobbies: wanted.among(referee, rows).await?,
        next_page_token,
    })
}

async fn rows(
    referee: &Arc<Referee>,
    state: MatchState,
    before: Option<u64>,
    limit: usize,
) -> Result<Vec<MatchRow>, Failure> {
    let store = referee.registry.parts().store.clone();
    let listed = referee.read(move || store.listed(state, before, limit));
    listed.await
}

/// What a stream of lobbies brings.
pub(super) type Changes = ReceiverStream<Result<v1::WatchLobbiesResponse, Status>>;

/// Follows what is listed.
///
/// # Errors
///
/// `MALFORMED_REQUEST`, or `LIMIT_REACHED` when too many follow already.
pub(super) fn watch(
    referee: &Arc<Referee>,
    asked: v1::WatchLobbiesRequest,
    arrived: Option<Arrived>,
    language: Language,
) -> Result<Changes, Failure> {
    let wanted = Wanted::read(&asked.ruleset, asked.players, asked.kind, &asked.labels)?;
    let limits = referee.limits();
    let most = limits.lobby_watchers;
    let address = Payers::calling().address().cloned();
    let entered = referee
        .lobby_watchers
        .enter_among(address, most.div_ceil(16), Some(most));
    let watcher = entered.map_err(|_| TableError::Limit("lobby_watchers"))?;
    // One place more: it is reserved for the last word.
    let (queue, messages) = mpsc::channel(2);
    let last_word = queue
        .clone()
        .try_reserve_owned()
        .map_err(|_| Failure::internal("a new queue is full"))?;
    let feed = Feed {
        listing: referee.registry.parts().listing.subscribe(),
        end: arrived.map(|arrived| arrived.at + limits.connection_age),
        referee: referee.clone(),
        wanted,
        queue,
        told: BTreeMap::new(),
        _watcher: watcher,
    };
    tokio::spawn(async move {
        if let Err(Some(failure)) = feed.follow().await {
            last_word.send(Err(failure.status(language)));
        }
    });
    Ok(ReceiverStream::new(messages))
}

struct Feed {
    referee: Arc<Referee>,
    wanted: Wanted,
    listing: watch::Receiver<u64>,
    queue: mpsc::Sender<Result<v1::WatchLobbiesResponse, Status>>,
    /// What its reader knows, by name.
    told: BTreeMap<String, v1::Lobby>,
    /// When its connection is as old as connections get.
    end: Option<Instant>,
    _watcher: Entered<Option<Payer>>,
}

impl Feed {
    /// Tells what changes until its reader goes away; gives the reason if it ends before that.
    async fn follow(mut self) -> Result<(), Option<Failure>> {
        let referee = self.referee.clone();
        let limits = referee.limits();
        let mut begun = false;
        let mut heartbeat = Instant::now() + limits.heartbeat;
        loop {
            self.listing.mark_unchanged();
            let change = self.look().await.map_err(Some)?;
            let is_due = !begun || heartbeat <= Instant::now();
            if is_due || !change.changed.is_empty() || !change.removed.is_empty() {
                let sent = tokio::time::timeout(limits.stream_stall, self.queue.send(Ok(change)));
                match sent.await {
                    Ok(Ok(())) => {}
                    Ok(Err(_)) => return Err(None),
                    Err(_) => {
                        let why = "the stream was not read; open it again";
                        return Err(Some(Failure::new(Reason::ReaderTooSlow, why)));
                    }
                }
                begun = true;
                heartbeat = Instant::now() + limits.heartbeat;
            }
            let looked = Instant::now();
            tokio::select! {
                biased;
                () = referee.stopping() => return Err(Some(Failure::stopping())),
                () = self.queue.closed() => return Err(None),
                () = super::event_stream::until(self.end) => {
                    let why = "this connection is as old as connections get; connect anew and open the stream again";
                    return Err(Some(Failure::new(Reason::ConnectionAged, why)));
                }
                changed = self.listing.changed() => if changed.is_err() {
                    return Err(None);
                },
                () = tokio::time::sleep_until(heartbeat) => {}
            }
            // What changes within a second is told together.
            tokio::time::sleep_until(heartbeat.min(looked + PAUSE)).await;
        }
    }

    /// Reads the list, and finds what its reader does not know.
    async fn look(&mut self) -> Result<v1::WatchLobbiesResponse, Failure> {
        let most = to_usize(self.referee.limits().max_page_size);
        let rows = rows(&self.referee, self.wanted.state, None, most).await?;
        let lobbies = self.wanted.among(&self.referee, rows).await?;
        let mut before = std::mem::take(&mut self.told);
        let mut changed = Vec::new();
        for lobby in lobbies {
            if before.remove(&lobby.name).as_ref() != Some(&lobby) {
                changed.push(lobby.clone());
            }
            self.told.insert(lobby.name.clone(), lobby);
        }
        Ok(v1::WatchLobbiesResponse {
            changed,
            removed: before.into_keys().collect(),
        })
    }
}
