//! People who play through all referees, each call at any of them, and go on until they are answered.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use referee::client::{Call, Chooser, Chooses as _, Client};
use referee::wire::v1::{self, event::Kind, watch_match_response::Item};
use referee_tests::random::Random;

use crate::Trouble;

/// How long a question may be answered where somebody does not answer.
pub const QUESTION_TIME: Duration = Duration::from_secs(1);

/// What everybody shares.
pub struct League {
    urls: Mutex<Vec<String>>,
    clients: tokio::sync::Mutex<BTreeMap<String, Client>>,
    host: String,
    random: Mutex<Random>,
    /// Moves so far.
    pub acknowledged: AtomicU64,
    /// Nobody begins anything any more.
    pub over: AtomicBool,
}

impl League {
    /// Of referees at these places, whose host has this token.
    pub fn of(urls: Vec<String>, host: String, seed: u64) -> League {
        League {
            urls: Mutex::new(urls),
            clients: tokio::sync::Mutex::default(),
            host,
            random: Mutex::new(Random::new(seed)),
            acknowledged: AtomicU64::new(0),
            over: AtomicBool::new(false),
        }
    }

    /// A referee is somewhere else from now on.
    pub fn moves(&self, referee: usize, url: String) {
        let mut urls = self.urls.lock().unwrap_or_else(PoisonError::into_inner);
        urls[referee] = url;
    }

    /// A number below another, by chance.
    pub fn below(&self, most: usize) -> usize {
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        usize::try_from(random.word() % most.max(1) as u64).unwrap_or(0)
    }

    /// Any referee, with a token; none if it cannot be reached.
    async fn anybody(&self, token: &str) -> Option<Client> {
        let url = {
            let urls = self.urls.lock().unwrap_or_else(PoisonError::into_inner);
            urls[self.below(urls.len())].clone()
        };
        let mut clients = self.clients.lock().await;
        if let Some(client) = clients.get(&url) {
            return Some(with(client, token));
        }
        let client = Client::connect(&url).await.ok()?;
        clients.insert(url, client.clone());
        Some(with(&client, token))
    }

    /// Asks any referee, and the next one if it does not answer, until one does; what it refuses is given back.
    pub async fn ask<R: Call + Clone>(
        &self,
        token: &str,
        request: R,
    ) -> Result<R::Answer, tonic::Status> {
        loop {
            if let Some(client) = self.anybody(token).await {
                let asked =
                    tokio::time::timeout(Duration::from_secs(10), client.call(request.clone()));
                match asked.await {
                    Ok(Err(status)) if is_passing(&status) => {}
                    Ok(answered) => return answered,
                    Err(_) => {}
                }
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

fn with(client: &Client, token: &str) -> Client {
    match token.is_empty() {
        true => client.clone(),
        false => client.with_token(token),
    }
}

/// Whether the same request may be answered by another referee, or later.
fn is_passing(status: &tonic::Status) -> bool {
    use tonic::Code;
    matches!(
        status.code(),
        Code::Unavailable
            | Code::Unknown
            | Code::Cancelled
            | Code::DeadlineExceeded
            | Code::ResourceExhausted
    )
}

/// A match that was played.
pub struct Played {
    /// Its resource name.
    pub name: String,
    /// The tokens of its seats.
    pub tokens: Vec<String>,
    /// When it was about to begin.
    began: Instant,
    /// Its moves in their order.
    pub moves: Vec<Acknowledged>,
    /// What its watcher heard.
    pub told: Vec<Told>,
    /// Whether the watcher was told that there is nothing more to hear.
    pub closed: bool,
}

/// Who sits at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Three people, who all answer.
    People,
    /// Two who answer and one who never does, by a clock.
    Timed,
    /// Two who answer, and a bot.
    Bots,
}

/// A move that was acknowledged.
pub struct Acknowledged {
    /// The seat, counted from 0.
    pub seat: usize,
    /// What was asked for.
    pub request: v1::SubmitMoveRequest,
    /// When it was asked for first.
    sent: Instant,
}

/// An event that somebody heard.
pub struct Told {
    /// What.
    pub event: v1::Event,
    heard: Instant,
}

impl Played {
    /// Turns that were ended because their time was up, and those of them that cannot have lasted as long as they may: a question is
    /// asked after the move before it was sent.
    pub fn turns(&self) -> (u64, u64) {
        let (mut ended, mut early) = (0, 0);
        let (mut asked, mut moves) = (self.began, self.moves.iter());
        for told in &self.told {
            let Some(Kind::MoveMade(made)) = &told.event.kind else {
                continue;
            };
            match made.origin() {
                v1::MoveOrigin::Player => {
                    asked = moves.next().map_or(asked, |made| made.sent);
                }
                v1::MoveOrigin::Timeout => {
                    asked += QUESTION_TIME;
                    ended += 1;
                    // Times are kept in milliseconds.
                    if told.heard + Duration::from_millis(2) < asked {
                        early += 1;
                        println!("{}: a turn ended {:?} early", self.name, asked - told.heard);
                    }
                }
                _ => {}
            }
        }
        (ended, early)
    }
}

/// Plays a match, each call at any referee, until all is over.
pub async fn play(league: Arc<League>, seed: u64, lane: Lane) -> Result<Played, Trouble> {
    let mut create = v1::CreateMatchRequest::of("rulesets/puerto-rico", 3);
    match lane {
        Lane::People => {}
        Lane::Timed => create.question_time = Some(QUESTION_TIME.try_into()?),
        Lane::Bots => create.bots.push(v1::SeatedBot {
            seat: 3,
            bot: v1::BotKind::Random.into(),
            ..Default::default()
        }),
    }
    let created = league.ask(&league.host, create).await?;
    let name = created.r#match.ok_or("no match")?.name;
    let mut tokens = Vec::new();
    let bot = |code: &&v1::ClaimCode| lane == Lane::Bots && code.seat == 3;
    for code in created.claim_codes.iter().filter(|code| !bot(code)) {
        let claim = v1::ClaimSeatRequest::by(code, format!("player {}", code.seat));
        tokens.push(league.ask("", claim).await?.seat_token);
    }
    let began = Instant::now();
    league
        .ask(&league.host, v1::StartMatchRequest::of(&name))
        .await?;
    let watcher = tokio::spawn(watch(league.clone(), name.clone(), tokens[0].clone()));
    let (mut player, mut moves) = (Chooser::new(seed), Vec::new());
    let there = tokens.len() - usize::from(lane == Lane::Timed);
    'playing: while !league.over.load(Ordering::Relaxed) {
        let mut asked_nobody = true;
        for (seat, token) in tokens.iter().enumerate().take(there) {
            let asked = v1::ListDecisionsRequest {
                name: name.clone(),
                page_size: 1000,
                ..Default::default()
            };
            // Whoever answers may not have heard yet that the match has begun, or has gone on.
            let Ok(decisions) = league.ask(token, asked).await else {
                continue;
            };
            let Some(decision) = decisions.decisions.into_iter().next() else {
                continue;
            };
            asked_nobody = false;
            let request = v1::SubmitMoveRequest {
                r#move: Some(player.choose(&decision, &decision.offers)),
                decision_id: decision.decision_id.clone(),
                ..v1::SubmitMoveRequest::of(&name)
            };
            let sent = Instant::now();
            match league.ask(token, request.clone()).await {
                Ok(_) => {
                    league.acknowledged.fetch_add(1, Ordering::Relaxed);
                    moves.push(Acknowledged {
                        seat,
                        request,
                        sent,
                    });
                }
                // Somebody has moved already, or the move was chosen badly.
                Err(status)
                    if matches!(
                        status.code(),
                        tonic::Code::Aborted | tonic::Code::FailedPrecondition
                    ) => {}
                Err(status) => return Err(format!("{name}: {status}").into()),
            }
        }
        let asked = v1::GetMatchRequest::of(&name);
        let found = league.ask(&league.host, asked).await?;
        let found = found.r#match.ok_or("no match")?;
        if found.state() == v1::MatchState::Finished {
            break 'playing;
        }
        if asked_nobody {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    let (told, closed) = watcher.await??;
    Ok(Played {
        name,
        tokens,
        began,
        moves,
        told,
        closed,
    })
}

/// Watches a match at any referee, and goes on at another when a stream breaks; tells what was heard, and whether that was said to
/// be all.
async fn watch(
    league: Arc<League>,
    name: String,
    token: String,
) -> Result<(Vec<Told>, bool), Trouble> {
    let (mut told, mut resume) = (Vec::new(), String::new());
    loop {
        let Some(client) = league.anybody(&token).await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let watch = v1::WatchMatchRequest::of(&name);
        let watch = match resume.is_empty() {
            true => watch,
            false => watch.behind(resume.clone()),
        };
        let Ok(mut stream) = client.call(watch).await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        loop {
            let next = tokio::time::timeout(Duration::from_secs(2), stream.message()).await;
            match next {
                Ok(Ok(Some(message))) => {
                    resume = message.resume_token;
                    match message.item {
                        Some(Item::Events(events)) => {
                            let heard = Instant::now();
                            let events = events.into_iter();
                            told.extend(events.map(|event| Told { event, heard }));
                        }
                        Some(Item::Closed(_)) => return Ok((told, true)),
                        _ => {}
                    }
                }
                Err(_) if league.over.load(Ordering::Relaxed) => return Ok((told, false)),
                Err(_) => {}
                Ok(_) => break,
            }
        }
    }
}
