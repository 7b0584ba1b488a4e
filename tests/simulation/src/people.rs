//! Who lives in a world: hosts, players, watchers, an administrator, a publisher.
//!
//! Each does what the contract's guide says, and repeats what was not answered with the same request id. What they were
//! told is remembered, for [`audit`] to compare.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fastrand::Rng;
use referee::client::{Client, SeatClient, complete, error_info, request_id};
use referee::wire::v1::{self, event, watch_match_response, watch_public_match_response};
use tokio::time::Instant;
use tonic::Status;

use crate::audit;
use crate::trace::Step;
use crate::world::{World, is_final};

/// What is played where two worlds are compared: only the first seat has secrets.
const SECRETS: &str = "sealed-letters";

/// What is played.
const RULESETS: [&str; 3] = ["tea-house", "night-market", "san-juan"];

/// Reasons of whoever was not quick enough.
const CHANGED: &[&str] = &["DECISION_SUPERSEDED", "MATCH_OVER", "MATCH_PAUSED"];

/// The reason of a move that the rules forbid.
const REFUSED: &[&str] = &["MOVE_REFUSED"];

/// A match, as it is known from outside.
pub struct Table {
    /// Its number in this world.
    pub number: u64,
    /// Its resource name.
    pub name: String,
    /// Seconds for a question; zero is no limit.
    pub question_seconds: u32,
    /// By seat: the token; none of a bot.
    pub tokens: Vec<Option<String>>,
    /// A spectator's token.
    pub spectator: String,
    /// Moves that were acknowledged, as the answers told them.
    pub acknowledged: Mutex<Vec<Acknowledged>>,
    /// What streams told.
    pub heard: Mutex<Vec<Heard>>,
}

/// A move that was acknowledged.
pub struct Acknowledged {
    /// The seat, from zero.
    pub seat: usize,
    /// What the seat was told.
    pub events: Vec<v1::Event>,
    /// When.
    pub at: Instant,
}

/// What a stream told an audience, from its first event on.
pub struct Heard {
    /// The seat, from zero; none is the spectators.
    pub seat: Option<usize>,
    /// The number of the first event.
    pub first: u64,
    /// The events, in order.
    pub events: Vec<v1::Event>,
    /// When each came, and since when there was the connection on which it did; nothing of somebody who does not listen all
    /// the time.
    pub times: Vec<(Instant, Instant)>,
    /// Whether it told that the match is over.
    pub closed: bool,
}

/// Adds to what is remembered.
fn remember<T>(to: &Mutex<Vec<T>>, what: T) {
    to.lock().unwrap_or_else(PoisonError::into_inner).push(what);
}

/// Plays one match after the other until the world ends.
pub async fn host(world: Arc<World>, table: u64, token: String) {
    let mut random = world.random();
    let mut round = 0;
    while !world.is_over() {
        let number = round * 100 + table;
        if let Err(status) = play(&world, number, &token, &mut random).await {
            world.trace.fault(format!("match {number}: {status:?}"));
        }
        world.trace.count("matches");
        round += 1;
    }
}

/// Plays a match from its creation to its audit.
async fn play(
    world: &Arc<World>,
    number: u64,
    token: &str,
    random: &mut Rng,
) -> Result<(), Status> {
    let who = &format!("host of {number}")[..];
    let client = world.client();
    let host = client.with_token(token);
    let ruleset = match random.u8(0..10) {
        _ if world.secrets().is_some() => SECRETS,
        0..5 => RULESETS[0],
        5..9 => RULESETS[1],
        _ => RULESETS[2],
    };
    let players = random.u32(2..=3);
    // Whoever moves in a player's place draws by the match's own chance.
    let alone = world.secrets().is_some();
    let question_seconds = if random.bool() && !alone {
        random.u32(2..6)
    } else {
        0
    };
    let delay = match random.u8(0..4) {
        0 => Some(v1::spectator_delay::Delay::Moves(random.u32(1..4))),
        1 => Some(v1::spectator_delay::Delay::Seconds(random.u32(1..5))),
        _ => None,
    };
    let create = v1::CreateMatchRequest {
        ruleset: format!("rulesets/{ruleset}"),
        configuration: Some(v1::Configuration {
            players,
            ..Default::default()
        }),
        forced_moves: v1::ForcedMoves::Asked.into(),
        question_seconds,
        spectator_delay: delay.map(|delay| v1::SpectatorDelay { delay: Some(delay) }),
        request_id: request_id(),
        test_seed: match world.secrets() {
            Some(which) => blake3::hash(format!("{number} {which}").as_bytes())
                .as_bytes()
                .to_vec(),
            None => Vec::new(),
        },
        ..Default::default()
    };
    let created = twice(world, who, "CreateMatch", random, || {
        let mut matches = host.matches();
        let create = create.clone();
        async move { matches.create_match(create).await }
    })
    .await?;
    let name = created.r#match.map(|made| made.name).unwrap_or_default();
    let mut tokens = Vec::new();
    for code in &created.claim_codes {
        if !alone && tokens.len() as u32 == players - 1 && random.u8(0..4) == 0 {
            let seat = v1::SeatBotRequest {
                name: name.clone(),
                seat: code.seat,
                bot: v1::BotKind::Random.into(),
                request_id: request_id(),
            };
            twice(world, who, "SeatBot", random, || {
                let (mut matches, seat) = (host.matches(), seat.clone());
                async move { matches.seat_bot(seat).await }
            })
            .await?;
            tokens.push(None);
            continue;
        }
        tokens.push(Some(claim(world, who, &client, &name, code, random).await?));
    }
    if random.u8(0..8) == 0 {
        tokens[0] = Some(claim_again(world, who, (&host, &client), &name, &tokens, random).await?);
    }
    let invite = v1::InviteSpectatorRequest {
        name: name.clone(),
        request_id: request_id(),
    };
    let invited = twice(world, who, "InviteSpectator", random, || {
        let (mut matches, invite) = (host.matches(), invite.clone());
        async move { matches.invite_spectator(invite).await }
    })
    .await?;
    let begin = v1::StartMatchRequest {
        name: name.clone(),
        request_id: request_id(),
    };
    twice(world, who, "StartMatch", random, || {
        let (mut matches, begin) = (host.matches(), begin.clone());
        async move { matches.start_match(begin).await }
    })
    .await?;
    let table = Arc::new(Table {
        number,
        name,
        question_seconds,
        tokens,
        spectator: invited.spectator_token,
        acknowledged: Mutex::default(),
        heard: Mutex::default(),
    });
    let mut there = Vec::new();
    for (seat, token) in table.tokens.iter().enumerate() {
        let Some(token) = token else { continue };
        let player = Player::new(world.clone(), table.clone(), seat, token);
        there.push(tokio::spawn(player.play()));
    }
    for _ in 0..random.u8(1..4) {
        there.push(tokio::spawn(watch(world.clone(), table.clone())));
    }
    for one in there {
        if let Err(error) = one.await {
            world
                .trace
                .fault(format!("match {number}: somebody stopped: {error}"));
        }
    }
    audit::of_a_match(world, &table).await
}

/// Insists, and now and then sends the same request twice at once: both are answered alike.
async fn twice<T, F>(
    world: &World,
    who: &str,
    what: &'static str,
    random: &mut Rng,
    mut call: impl FnMut() -> F,
) -> Result<T, Status>
where
    T: Debug,
    F: Future<Output = Result<tonic::Response<T>, Status>>,
{
    if random.u8(0..12) == 0 {
        let (one, other) = tokio::join!(world.ask(who, what, call()), world.ask(who, what, call()));
        world.trace.count("doubled requests");
        let refused = |answer: &Result<T, Status>| match answer {
            Err(status) if is_final(status) => error_info(status).map(|info| info.reason),
            _ => None,
        };
        let differ = match (&one, &other) {
            (Ok(_), refusal) | (refusal, Ok(_)) => refused(refusal),
            _ => None,
        };
        if let Some(reason) = differ {
            let said = format!("{who} {what}: the same request was done and refused: {reason}");
            world.trace.fault(said);
        }
    }
    world.insist(who, what, call).await
}

async fn claim(
    world: &World,
    who: &str,
    client: &Client,
    name: &str,
    code: &v1::ClaimCode,
    random: &mut Rng,
) -> Result<String, Status> {
    let claim = v1::ClaimSeatRequest {
        name: name.to_owned(),
        seat: code.seat,
        claim_code: code.code.clone(),
        display_name: format!("player {}", code.seat),
        request_id: request_id(),
    };
    let claimed = twice(world, who, "ClaimSeat", random, || {
        let (mut matches, claim) = (client.matches(), claim.clone());
        async move { matches.claim_seat(claim).await }
    })
    .await?;
    Ok(claimed.seat_token)
}

/// Gives the first seat to somebody else before the match begins: the token of before opens nothing any more.
async fn claim_again(
    world: &World,
    who: &str,
    (host, client): (&Client, &Client),
    name: &str,
    tokens: &[Option<String>],
    random: &mut Rng,
) -> Result<String, Status> {
    let release = v1::ReleaseSeatRequest {
        name: name.to_owned(),
        seat: 1,
        request_id: request_id(),
    };
    let released = twice(world, who, "ReleaseSeat", random, || {
        let (mut matches, release) = (host.matches(), release.clone());
        async move { matches.release_seat(release).await }
    })
    .await?;
    let old = tokens.first().cloned().flatten().unwrap_or_default();
    let seat = client.with_token(&old).play();
    let asked = v1::GetViewRequest {
        name: name.to_owned(),
        ..Default::default()
    };
    let opened = world.insist(who, "GetView with a revoked token", || {
        let (mut seat, asked) = (seat.clone(), asked.clone());
        async move { seat.get_view(asked).await }
    });
    must_be_refused(world, who, opened.await.map(drop));
    let code = released.claim_code.unwrap_or_default();
    claim(world, who, client, name, &code, random).await
}

/// A token that was revoked opens nothing.
fn must_be_refused(world: &World, who: &str, answered: Result<(), Status>) {
    let reason = answered.as_ref().err().and_then(error_info);
    let reason = reason.map(|info| info.reason);
    if reason.as_deref() != Some("TOKEN_INVALID") {
        world
            .trace
            .fault(format!("{who}: a revoked token: {answered:?}"));
    }
    world.trace.count("revoked tokens tried");
}

// ---- players

/// A seat that is played: watch, look what is asked, answer.
struct Player {
    world: Arc<World>,
    table: Arc<Table>,
    seat: usize,
    who: String,
    client: SeatClient,
    random: Rng,
}

impl Player {
    fn new(world: Arc<World>, table: Arc<Table>, seat: usize, token: &str) -> Player {
        let random = world.random();
        let client = SeatClient::new(world.client().with_token(token), table.name.as_str());
        Player {
            who: format!("seat {} of {}", seat + 1, table.number),
            client,
            random,
            world,
            table,
            seat,
        }
    }

    async fn play(mut self) {
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
            name: self.table.name.clone(),
            resume_token: token.clone(),
            snapshot_first: token.is_empty(),
            max_batch: self.random.u32(0..4),
        };
        let mut play = self.client.client().play();
        let called = play.watch_match(watch);
        let mut stream = self.world.ask(&self.who, "WatchMatch", called).await?;
        // As the guide says: what was asked before is not told again to whoever goes on.
        if !token.is_empty() && self.answer().await? {
            return Ok(false);
        }
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
            *token = message.resume_token;
            match message.item {
                Some(watch_match_response::Item::Snapshot(view)) => {
                    *heard = Some(Heard {
                        seat: Some(self.seat),
                        first: view.event_count,
                        events: Vec::new(),
                        times: Vec::new(),
                        closed: false,
                    });
                }
                Some(watch_match_response::Item::Events(batch)) => {
                    if let Some(heard) = heard {
                        heard.events.extend(batch);
                    }
                }
                Some(watch_match_response::Item::Closed(_)) => {
                    if let Some(heard) = heard {
                        heard.closed = true;
                    }
                    return Ok(true);
                }
                Some(watch_match_response::Item::Checkpoint(_)) | None => continue,
            }
            if self.answer().await? {
                return Ok(false);
            }
            // Somebody whose connection is bad, or who looks at another page for a while.
            if !self.world.is_calm() && self.random.u8(0..40) == 0 {
                return Ok(false);
            }
        }
    }

    /// Answers until nothing more is asked; tells whether the stream is to be left meanwhile.
    async fn answer(&mut self) -> Result<bool, Status> {
        self.talk().await?;
        loop {
            let asked = v1::ListDecisionsRequest {
                name: self.table.name.clone(),
                page_size: 1000,
                omit_names: true,
                ..Default::default()
            };
            let mut play = self.client.client().play();
            let call = play.list_decisions(asked);
            let listed = match self.world.ask(&self.who, "ListDecisions", call).await {
                // It is over: the stream says so.
                Err(status) if is_reason(&status, &["MATCH_OVER"]) => return Ok(false),
                listed => listed?,
            };
            let Some(decision) = listed.decisions.into_iter().next() else {
                return Ok(false);
            };
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
                return Ok(false);
            };
            let submit = v1::SubmitMoveRequest {
                name: self.table.name.clone(),
                decision_id: decision.decision_id.clone(),
                r#move: Some(chosen),
                request_id: request_id(),
                ..Default::default()
            };
            if self.random.u8(0..10) == 0 {
                self.try_first(&submit).await?;
            }
            let client = self.client.client().clone();
            let submitted = twice(
                &self.world,
                &self.who,
                "SubmitMove",
                &mut self.random,
                || {
                    let (mut play, submit) = (client.play(), submit.clone());
                    async move { play.submit_move(submit).await }
                },
            )
            .await;
            match submitted {
                Ok(answer) => {
                    self.world.trace.count("acknowledged moves");
                    let acknowledged = Acknowledged {
                        seat: self.seat,
                        events: answer.events.into_iter().collect(),
                        at: Instant::now(),
                    };
                    remember(&self.table.acknowledged, acknowledged);
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
        let only = v1::SubmitMoveRequest {
            validate_only: true,
            request_id: request_id(),
            ..submit.clone()
        };
        let mut play = self.client.client().play();
        let call = play.submit_move(only);
        match self.world.ask(&self.who, "SubmitMove to try", call).await {
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
        let client = self.client.client().clone();
        if self.random.u8(0..60) == 0 {
            let propose = v1::ProposeRequest {
                name: self.table.name.clone(),
                kind: v1::ProposalKind::Undo.into(),
                moves: self.random.u32(1..3),
                request_id: request_id(),
            };
            let proposed = self.world.insist(&self.who, "Propose", || {
                let (mut talk, propose) = (client.talk(), propose.clone());
                async move { talk.propose(propose).await }
            });
            match proposed.await {
                Ok(_) => self.world.trace.count("proposals"),
                Err(status) if is_reason(&status, &talks) => {}
                Err(status) => return Err(status),
            }
        }
        let asked = v1::GetTableTalkRequest {
            name: self.table.name.clone(),
            ..Default::default()
        };
        let mut talk = client.talk();
        let call = talk.get_table_talk(asked);
        let talk = self.world.ask(&self.who, "GetTableTalk", call).await?;
        let me = self.seat as u32 + 1;
        let Some(proposal) = talk.proposal.filter(|open| open.awaited.contains(&me)) else {
            return Ok(());
        };
        let respond = v1::RespondRequest {
            name: self.table.name.clone(),
            proposal_id: proposal.proposal_id,
            agree: self.random.u8(0..3) > 0,
            request_id: request_id(),
        };
        let responded = self.world.insist(&self.who, "Respond", || {
            let (mut talk, respond) = (client.talk(), respond.clone());
            async move { talk.respond(respond).await }
        });
        match responded.await {
            Ok(_) => Ok(()),
            Err(status) if is_reason(&status, &talks) => Ok(()),
            Err(status) => Err(status),
        }
    }
}

fn is_reason(status: &Status, reasons: &[&str]) -> bool {
    error_info(status).is_some_and(|info| reasons.contains(&&info.reason[..]))
}

// ---- watchers

/// Watches a match to its end: as a spectator, or beside the player of a seat.
async fn watch(world: Arc<World>, table: Arc<Table>) {
    let mut random = world.random();
    let seats: Vec<usize> = (0..table.tokens.len())
        .filter(|seat| table.tokens[*seat].is_some())
        .collect();
    let seat = if random.bool() {
        None
    } else {
        random.choice(seats)
    };
    let token = match seat {
        Some(seat) => table.tokens[seat].clone().unwrap_or_default(),
        None => table.spectator.clone(),
    };
    let who = match seat {
        Some(seat) => format!("watcher of seat {} of {}", seat + 1, table.number),
        None => format!("spectator of {}", table.number),
    };
    let client = world.client().with_token(&token);
    let mut heard = Heard {
        seat,
        first: 0,
        events: Vec::new(),
        times: Vec::new(),
        closed: false,
    };
    let mut resume = String::new();
    while !heard.closed {
        let listened = listen(
            &world,
            &who,
            &client,
            &table,
            (&mut resume, &mut heard),
            &mut random,
        );
        match listened.await {
            Err(status) if is_final(&status) => {
                world.trace.fault(format!("{who}: {status:?}"));
                break;
            }
            _ => tokio::time::sleep(Duration::from_millis(random.u64(10..700))).await,
        }
    }
    remember(&table.heard, heard);
}

/// Listens to one stream for a while.
async fn listen(
    world: &World,
    who: &str,
    client: &Client,
    table: &Table,
    (resume, heard): (&mut String, &mut Heard),
    random: &mut Rng,
) -> Result<(), Status> {
    let name = table.name.clone();
    let max_batch = random.u32(0..4);
    macro_rules! listen {
        ($service:ident, $method:ident, $request:ident, $item:ident) => {{
            let watch = v1::$request {
                name,
                resume_token: resume.clone(),
                snapshot_first: false,
                max_batch,
            };
            let mut service = client.$service();
            let call = service.$method(watch);
            let mut stream = world.ask(who, stringify!($method), call).await?;
            let since = Instant::now();
            while let Some(message) = stream.message().await? {
                world.trace.step(Step::Message, format!("{who} hears"));
                world.told(who, &message);
                *resume = message.resume_token;
                match message.item {
                    Some($item::Item::Events(batch)) => {
                        heard.events.extend(batch);
                        let times = (Instant::now(), since);
                        heard.times.resize(heard.events.len(), times);
                    }
                    Some($item::Item::Closed(_)) => {
                        heard.closed = true;
                        return Ok(());
                    }
                    _ => {}
                }
                if !world.is_calm() && random.u8(0..30) == 0 {
                    return Ok(());
                }
            }
        }};
    }
    match heard.seat {
        Some(_) => listen!(play, watch_match, WatchMatchRequest, watch_match_response),
        None => listen!(
            spectators,
            watch_public_match,
            WatchPublicMatchRequest,
            watch_public_match_response
        ),
    }
    Ok(())
}

// ---- administrators and publishers

/// Makes tokens, uses them, revokes them, and tries them again for ever.
pub async fn administrator(world: Arc<World>, token: String) {
    let mut random = world.random();
    let client = world.client();
    let admin = client.with_token(&token);
    let who = "the administrator";
    let mut revoked: Vec<String> = Vec::new();
    while !world.is_over() {
        tokio::time::sleep(Duration::from_millis(random.u64(50..1500))).await;
        let create = v1::CreateTokenRequest {
            kind: v1::TokenKind::Host.into(),
            label: "a host".into(),
            request_id: request_id(),
            ..Default::default()
        };
        let made = twice(&world, who, "CreateToken", &mut random, || {
            let (mut admin, create) = (admin.admin(), create.clone());
            async move { admin.create_token(create).await }
        });
        let made = match made.await {
            Ok(made) => made,
            Err(status) => {
                world.trace.fault(format!("{who}: {status:?}"));
                return;
            }
        };
        let holder = client.with_token(&made.token);
        if let Err(status) = matches_of(&world, who, &holder).await {
            world
                .trace
                .fault(format!("a new token opens nothing: {status:?}"));
        }
        let revoke = v1::RevokeTokenRequest {
            token_id: made.token_id,
            request_id: request_id(),
        };
        let gone = twice(&world, who, "RevokeToken", &mut random, || {
            let (mut admin, revoke) = (admin.admin(), revoke.clone());
            async move { admin.revoke_token(revoke).await }
        });
        if let Err(status) = gone.await {
            world.trace.fault(format!("{who}: {status:?}"));
            continue;
        }
        revoked.push(made.token);
        let old = random.choice(&revoked).cloned().unwrap_or_default();
        for token in revoked.last().into_iter().chain([&old]) {
            let answered = matches_of(&world, who, &client.with_token(token)).await;
            must_be_refused(&world, who, answered);
        }
        if revoked.len() > 50 {
            revoked.remove(0);
        }
    }
}

async fn matches_of(world: &World, who: &str, host: &Client) -> Result<(), Status> {
    let listed = world.insist(who, "ListMatches", || {
        let mut matches = host.matches();
        async move {
            matches
                .list_matches(v1::ListMatchesRequest::default())
                .await
        }
    });
    listed.await.map(drop)
}

/// Publishes a ruleset again and again, each time a little otherwise: what was acknowledged is offered.
pub async fn publisher(world: Arc<World>, token: String) {
    let mut random = world.random();
    let publisher = world.client().with_token(&token);
    let who = "the publisher";
    let Some(edition) = world.library().get(RULESETS[0]).cloned() else {
        world.trace.fault("there is nothing to publish".into());
        return;
    };
    let mut version = 0;
    while !world.is_over() {
        tokio::time::sleep(Duration::from_millis(random.u64(3000..20_000))).await;
        version += 1;
        let files = edition
            .texts
            .files
            .iter()
            .map(|(path, text)| v1::PackageFile {
                path: path.clone(),
                text: match &path[..] {
                    "ruleset.yaml" => text.replace("0.1.0", &format!("0.1.{version}")),
                    _ => text.clone(),
                },
            });
        let publish = v1::PublishPackageRequest {
            package: Some(v1::Package {
                files: files.collect(),
            }),
            request_id: request_id(),
            ..Default::default()
        };
        let published = twice(&world, who, "PublishPackage", &mut random, || {
            let (mut service, publish) = (publisher.publishing(), publish.clone());
            async move { service.publish_package(publish).await }
        });
        let revision = match published.await {
            Ok(published) => published.revision,
            Err(status) => {
                world.trace.fault(format!("{who}: {status:?}"));
                return;
            }
        };
        world.trace.count("revisions");
        let asked = v1::GetRulesetRequest {
            name: format!("rulesets/{}", RULESETS[0]),
            ..Default::default()
        };
        let offered = world.insist(who, "GetRuleset", || {
            let (mut rulesets, asked) = (publisher.rulesets(), asked.clone());
            async move { rulesets.get_ruleset(asked).await }
        });
        let offered = offered.await.map(|answer| format!("{answer:?}"));
        if !offered.as_ref().is_ok_and(|said| said.contains(&revision)) {
            world
                .trace
                .fault(format!("{revision} was published, and is not offered"));
        }
    }
}

/// Whether an event is a move that a player made.
pub fn is_own_move(event: &v1::Event, seat: usize) -> bool {
    match &event.kind {
        Some(event::Kind::MoveMade(made)) => {
            made.origin() == v1::MoveOrigin::Player && made.seat as usize == seat + 1
        }
        _ => false,
    }
}
