//! Hosts matches and plays them as their stories tell.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use referee::client::{Chooser, Client, SeatClient, error_info, request_id, seat_name};
use referee::wire::convert::of_seconds;
use referee::wire::v1::{self, BotKind, ProposalKind, SeatEntropy};
use referee_tests::golden::table::Table;
use referee_tests::golden::{Folder, Kept, Repeat, Trouble};
use referee_tests::json;
use serde_json::Value;
use tonic::Status;

use crate::plans::{Before, Deed, Plan, Story, Texts, Until};
use crate::program::{Serving, Tokens};

/// What players are called: texts that a store must keep as they are.
const NAMES: [&str; 5] = ["Ada", "Zofia Łęcka", "Jürgen", "美咲", "O’Brien \"Bob\" 🎲"];

/// A server of webhooks that the referee is allowed to call, and that there is not.
pub const WEBHOOK_HOST: &str = "hooks.invalid";

/// Moves of one match, at most: else something is wrong.
const LONGEST: usize = 20_000;

/// Moves that a bot makes room for.
const A_WHILE: usize = 10;

/// Whoever hosts the matches of one configuration.
pub struct Host<'a> {
    plan: &'a Plan,
    pub client: Client,
    pub tokens: Tokens,
    /// The revision that is played.
    revision: String,
    /// The revision that fails, if there is one.
    broken: Option<String>,
    seed: u64,
}

impl Host<'_> {
    pub async fn new<'a>(
        serving: &Serving,
        plan: &'a Plan,
        seed: u64,
    ) -> Result<Host<'a>, Trouble> {
        let client = Client::connect(&serving.url).await?;
        let mut host = Host {
            plan,
            client,
            tokens: serving.tokens.clone(),
            revision: String::new(),
            broken: None,
            seed: seed * 1000,
        };
        if plan.texts == Texts::Faulty {
            host.broken = Some(host.publish(true).await?);
        }
        if plan.texts != Texts::Shipped {
            host.publish(false).await?;
        }
        let name = format!("rulesets/{}", plan.ruleset);
        let asked = v1::GetRulesetRequest {
            name,
            ..Default::default()
        };
        let found = host.client.call(asked).await?;
        host.revision = found
            .ruleset
            .and_then(|ruleset| ruleset.summary)
            .unwrap_or_default()
            .revision;
        Ok(host)
    }

    /// The digest of the texts that are played.
    pub fn content(&self) -> &str {
        self.revision.rsplit('/').next().unwrap_or_default()
    }

    /// Publishes an invented game; one that fails at the end of its first round, or one that does not.
    async fn publish(&self, broken: bool) -> Result<String, Trouble> {
        const ROUND: &str = "do { gain(rounds, 1); }";
        let texts = referee_tests::texts(&self.plan.folder());
        let mut found = false;
        let files = texts.files.into_iter().map(|(path, mut text)| {
            if broken && text.contains(ROUND) {
                found = true;
                text = text.replacen(ROUND, "do { loop { let n = 1; } gain(rounds, 1); }", 1);
            }
            v1::PackageFile { path, text }
        });
        let files = files.collect();
        if broken && !found {
            return Err("the rules of the tea house have changed: let another effect fail".into());
        }
        let asked = v1::PublishPackageRequest {
            package: Some(v1::Package { files }),
            request_id: request_id(),
            ..Default::default()
        };
        let publisher = self.client.with_token(&self.tokens.publisher);
        let published = publisher.call(asked).await?;
        Ok(published.revision)
    }

    fn host(&self) -> Client {
        self.client.with_token(&self.tokens.host)
    }

    /// Plays a match as its story tells; gives what is kept of it, and the match.
    pub async fn play(&mut self, story: &Story) -> Result<(Kept, Table), Trouble> {
        self.seed += 1;
        let told = |error: Trouble| format!("{}: {error}", story.what).into();
        self.told(story).await.map_err(told)
    }

    async fn told(&self, story: &Story) -> Result<(Kept, Table), Trouble> {
        if story.until == Until::Imported {
            return self.imported(story).await;
        }
        let mut kept = self.seated(story).await?;
        let mut table = Table::of(&self.client, &self.tokens.host, &kept);
        if story.until == Until::Lobby {
            return Ok((kept, table));
        }
        kept.codes.clear();
        if !story.before.contains(&Before::Webhook) {
            let start = v1::StartMatchRequest::of(&kept.name);
            self.host().call(start).await?;
        }
        let mut player = Chooser::new(self.seed);
        let fails = matches!(
            story.until,
            Until::Fault | Until::EndAfterFault | Until::MovesAfterFault(_)
        );
        if fails {
            self.until_it_fails(&mut table, &mut player).await?;
            kept.corrected = Some(self.revision.clone());
        }
        if fails && story.until != Until::Fault {
            let asked = v1::MoveMatchRequest {
                ruleset: self.revision.clone(),
                ..v1::MoveMatchRequest::of(&kept.name)
            };
            self.host().call(asked).await?;
            kept.corrected = None;
        }
        let most = match story.until {
            Until::Moves(moves) | Until::MovesAfterFault(moves) => moves,
            Until::Fault | Until::Lobby | Until::Imported => 0,
            Until::End | Until::EndAfterFault => LONGEST,
        };
        let mut deeds = story.deeds.iter().peekable();
        let mut moves = 0;
        loop {
            while let Some((_, deed)) = deeds.next_if(|(at, _)| *at <= moves) {
                let mut done = self.deed(&mut kept, &mut table, &mut player, *deed).await?;
                while !done {
                    if table.step(&mut player).await?.is_none() {
                        return Err("it ended before everything was done".into());
                    }
                    moves += 1;
                    done = self.deed(&mut kept, &mut table, &mut player, *deed).await?;
                }
            }
            if moves >= most || table.step(&mut player).await?.is_none() {
                break;
            }
            moves += 1;
        }
        if deeds.next().is_some() {
            return Err("it ended before everything was done".into());
        }
        let state = table.described().await?.state();
        let meant = match story.until {
            Until::Lobby => v1::MatchState::Lobby,
            Until::Fault => v1::MatchState::Suspended,
            Until::Moves(_) | Until::MovesAfterFault(_) => v1::MatchState::Running,
            Until::End | Until::EndAfterFault | Until::Imported => v1::MatchState::Finished,
        };
        if state != meant {
            return Err(format!("it is {} after {moves} moves", state.as_str_name()).into());
        }
        kept.repeat = table.submitted.as_ref().map(|(seat, request)| Repeat {
            seat: seat + 1,
            request: json::of("SubmitMoveRequest", request),
        });
        Ok((kept, table))
    }

    /// Imports what was played elsewhere: this configuration's archive of the latest set that there is.
    async fn imported(&self, story: &Story) -> Result<(Kept, Table), Trouble> {
        let latest = Folder::every()?.pop().ok_or("there is no set yet")?;
        let import = v1::ImportRecordRequest {
            record: latest.archive(self.plan.name)?.into_bytes(),
            request_id: request_id(),
        };
        let kept = Kept {
            what: story.what.to_owned(),
            name: self.host().call(import).await?.name,
            seats: vec![None; self.plan.players.into()],
            codes: Vec::new(),
            spectator: None,
            repeat: None,
            corrected: None,
        };
        let table = Table::of(&self.client, &self.tokens.host, &kept);
        Ok((kept, table))
    }

    /// Creates a match and seats everybody.
    async fn seated(&self, story: &Story) -> Result<Kept, Trouble> {
        let before = |what: Before| story.before.contains(&what);
        let players = self.plan.players;
        let options = self
            .plan
            .options
            .iter()
            .map(|(option, value)| v1::OptionSetting {
                option: (*option).to_owned(),
                value: *value,
            });
        let mut create = v1::CreateMatchRequest {
            ruleset: match story.until {
                Until::Fault | Until::EndAfterFault | Until::MovesAfterFault(_) => {
                    self.broken.clone().ok_or("nothing fails here")?
                }
                _ => self.revision.clone(),
            },
            configuration: Some(v1::Configuration {
                players: players.into(),
                modules: self
                    .plan
                    .modules
                    .iter()
                    .map(|name| (*name).to_owned())
                    .collect(),
                options: options.collect(),
            }),
            request_id: request_id(),
            ..Default::default()
        };
        let mut bot = None;
        for what in story.before {
            match what {
                Before::Committed => create.seat_entropy = SeatEntropy::Committed.into(),
                Before::OpenSeats => create.open_seats = (2..=players.into()).collect(),
                Before::AskForced => create.forced_moves = v1::ForcedMoves::Asked.into(),
                Before::Clock(seconds) => create.question_time = Some(of_seconds(*seconds)),
                Before::Behind(moves) => {
                    create.spectator_delay = Some(v1::SpectatorDelay {
                        delay: Some(v1::spectator_delay::Delay::Moves(*moves)),
                    });
                }
                Before::Bot(kind) => bot = Some((*kind, "")),
                Before::NamedBot(kind) => bot = Some((*kind, "Żuraw 🤖")),
                Before::Bank(seconds, more) => {
                    create.time_bank = Some(of_seconds(*seconds));
                    create.time_increment = Some(of_seconds(*more));
                }
                Before::TakesBack => create.take_back = true,
                Before::Public => {
                    create.public = true;
                    create.labels = [("round", "3"), ("cup/name", "Liga Łódź")]
                        .map(|(key, value)| (key.to_owned(), value.to_owned()))
                        .into();
                }
                Before::Webhook => {
                    // Nobody listens there: what is to be told is kept, and tried again.
                    create.turn_webhook = format!("https://{WEBHOOK_HOST}/turn");
                    create.hide_presence = true;
                    create.start_when_full = true;
                }
                Before::Entropy | Before::Leaves => {}
            }
        }
        let open = create.open_seats.clone();
        let created = self.host().call(create).await?;
        let name = created.r#match.ok_or("no match")?.name;
        let mut kept = Kept {
            what: story.what.to_owned(),
            name: name.clone(),
            seats: vec![None; players.into()],
            codes: created
                .claim_codes
                .iter()
                .map(|code| code.code.clone())
                .collect(),
            spectator: None,
            repeat: None,
            corrected: None,
        };
        for code in &created.claim_codes {
            let last = code.seat == u32::from(players);
            if story.until == Until::Lobby && code.seat > 1 {
                continue;
            }
            match bot.filter(|_| last) {
                Some((kind, called)) => self.seat_bot(&name, code.seat, kind, called).await?,
                None => {
                    let code = match open.contains(&code.seat) {
                        true => v1::ClaimCode {
                            code: String::new(),
                            ..code.clone()
                        },
                        false => code.clone(),
                    };
                    kept.seats[code.seat as usize - 1] = Some(self.claim(&code).await?);
                }
            }
        }
        if before(Before::Leaves) {
            let token = kept.seats[1].as_ref().ok_or("nobody sits there")?;
            let leave = v1::LeaveSeatRequest::of(&name);
            self.client.with_token(token).call(leave).await?;
            let code = v1::ClaimCode {
                name: seat_name(&name, 2),
                seat: 2,
                code: String::new(),
            };
            kept.seats[1] = Some(self.claim(&code).await?);
        }
        self.add_to_the_chance(story, &kept).await?;
        Ok(kept)
    }

    async fn add_to_the_chance(&self, story: &Story, kept: &Kept) -> Result<(), Trouble> {
        let committed = story.before.contains(&Before::Committed);
        let seats = (1u8..).zip(&kept.seats).filter_map(|(number, token)| {
            let token = token.as_ref()?;
            let client = SeatClient::new(self.client.with_token(token), kept.name.as_str());
            Some((number, client, [number.wrapping_mul(37); 32]))
        });
        let mut seats: Vec<(u8, SeatClient, [u8; 32])> = seats.collect();
        if !committed && !story.before.contains(&Before::Entropy) {
            return Ok(());
        }
        if committed {
            for (number, seat, entropy) in &seats {
                seat.commit(*number, entropy).await?;
            }
        } else {
            seats.retain(|(number, ..)| *number == 1 || *number == self.plan.players);
        }
        for (_, seat, entropy) in &seats {
            seat.contribute(*entropy).await?;
        }
        Ok(())
    }

    async fn claim(&self, code: &v1::ClaimCode) -> Result<String, Trouble> {
        let called = NAMES[(code.seat as usize - 1) % NAMES.len()];
        let claim = v1::ClaimSeatRequest::by(code, called);
        Ok(self.client.call(claim).await?.seat_token)
    }

    async fn seat_bot(
        &self,
        name: &str,
        seat: u32,
        bot: BotKind,
        called: &str,
    ) -> Result<(), Trouble> {
        let asked = v1::SeatBotRequest {
            bot: bot.into(),
            display_name: called.to_owned(),
            ..v1::SeatBotRequest::of(seat_name(name, seat))
        };
        self.host().call(asked).await?;
        Ok(())
    }

    async fn release(&self, name: &str, seat: u32) -> Result<v1::ClaimCode, Trouble> {
        let asked = v1::ReleaseSeatRequest::of(seat_name(name, seat));
        let released = self.host().call(asked).await?;
        Ok(released.claim_code.ok_or("no claim code")?)
    }

    async fn until_it_fails(&self, table: &mut Table, player: &mut Chooser) -> Result<(), Trouble> {
        for _ in 0..LONGEST {
            match table.step(player).await {
                Ok(Some(_)) => {}
                Ok(None) => return Err("it ended and did not fail".into()),
                Err(status) if has_reason(&status, "RULESET_FAULT") => return Ok(()),
                Err(status) => return Err(status.into()),
            }
        }
        Err("it does not fail".into())
    }

    /// Does something at the table; says whether it could be done now.
    async fn deed(
        &self,
        kept: &mut Kept,
        table: &mut Table,
        player: &mut Chooser,
        deed: Deed,
    ) -> Result<bool, Trouble> {
        let name = kept.name.clone();
        let last = kept.seats.len() - 1;
        let number = last as u32 + 1;
        match deed {
            Deed::Undo => return agree(table, ProposalKind::Undo).await,
            Deed::TakeBack => {
                let Some(made) = table.step(player).await? else {
                    return Ok(false);
                };
                let back = v1::TakeBackRequest::of(&name);
                return match seat(table, made.seat - 1)?.client().call(back).await {
                    Ok(_) => Ok(true),
                    Err(status) if has_reason(&status, "UNDO_IMPOSSIBLE") => Ok(false),
                    Err(status) => Err(status.into()),
                };
            }
            Deed::Decline | Deed::Withdraw | Deed::Lapse => {
                let Some((proposal, by)) = propose(table, ProposalKind::Undo).await? else {
                    return Ok(false);
                };
                match deed {
                    Deed::Decline => {
                        let other = people(table).into_iter().find(|seat| *seat != by);
                        respond(
                            table,
                            other.ok_or("nobody else is there")?,
                            &proposal,
                            false,
                        )
                        .await?;
                    }
                    Deed::Withdraw => {
                        let withdraw = v1::WithdrawRequest::of(proposal);
                        seat(table, by)?.client().call(withdraw).await?;
                    }
                    _ => drop(table.step(player).await?.ok_or("nobody can move")?),
                }
            }
            Deed::PauseAndResume => {
                agree(table, ProposalKind::Pause).await?;
                agree(table, ProposalKind::Resume).await?;
            }
            Deed::PauseUntilHost => {
                agree(table, ProposalKind::Pause).await?;
                table.resume().await?;
            }
            Deed::Pause => drop(agree(table, ProposalKind::Pause).await?),
            Deed::ShowHands => drop(agree(table, ProposalKind::ShowHands).await?),
            Deed::Draw => drop(agree(table, ProposalKind::Draw).await?),
            Deed::Abandon => drop(agree(table, ProposalKind::Abandon).await?),
            Deed::NewPlayer | Deed::BotForAWhile => {
                let mut code = self.release(&name, number).await?;
                if deed == Deed::BotForAWhile {
                    table.seats[last] = None;
                    self.seat_bot(&name, number, BotKind::Random, "").await?;
                    for _ in 0..A_WHILE {
                        table.step(player).await?.ok_or("it ended too early")?;
                    }
                    code = self.release(&name, number).await?;
                }
                let token = self.claim(&code).await?;
                table.seats[last] = Some(SeatClient::new(self.client.with_token(&token), name));
                kept.seats[last] = Some(token);
            }
            Deed::Resign | Deed::AllResign => {
                let first = if deed == Deed::Resign { last } else { 1 };
                for i in first..=last {
                    let resign = v1::ResignRequest::of(&name);
                    seat(table, i)?.client().call(resign).await?;
                    table.seats[i] = None;
                }
            }
            Deed::Invite => {
                let invite = v1::InviteSpectatorRequest::of(name);
                let invited = self.host().call(invite).await?;
                kept.spectator = Some(invited.spectator_token);
            }
            Deed::TimeUp => {
                let (before, decision, _) = table.asked().await?.ok_or("nobody is asked")?;
                loop {
                    let now = seat(table, before)?.decision().await?;
                    if now.is_none_or(|(now, _)| now.decision_id != decision.decision_id) {
                        break;
                    }
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
            Deed::Cancel => {
                let cancel = v1::CancelMatchRequest::of(name);
                self.host().call(cancel).await?;
            }
        }
        Ok(true)
    }
}

/// Seats that a person plays.
fn people(table: &Table) -> Vec<usize> {
    let seats = table.seats.iter().enumerate();
    seats
        .filter(|(_, seat)| seat.is_some())
        .map(|(i, _)| i)
        .collect()
}

fn seat(table: &Table, number: usize) -> Result<&SeatClient, Trouble> {
    let seat = table.seats.get(number).and_then(Option::as_ref);
    seat.ok_or_else(|| "nobody plays this seat".into())
}

fn has_reason(status: &Status, reason: &str) -> bool {
    error_info(status).is_some_and(|info| info.reason == reason)
}

/// Proposes something; gives the proposal and who proposed. None if moves cannot be taken back now.
async fn propose(table: &Table, kind: ProposalKind) -> Result<Option<(String, usize)>, Trouble> {
    let first = *people(table).first().ok_or("nobody is there")?;
    let propose = v1::ProposeRequest {
        kind: kind.into(),
        moves: u32::from(kind == ProposalKind::Undo),
        ..v1::ProposeRequest::of(&table.name)
    };
    match seat(table, first)?.client().call(propose).await {
        Ok(made) => Ok(Some((made.name, first))),
        Err(status) if has_reason(&status, "UNDO_IMPOSSIBLE") => Ok(None),
        Err(status) => Err(status.into()),
    }
}

async fn respond(table: &Table, number: usize, proposal: &str, agree: bool) -> Result<(), Trouble> {
    let respond = v1::RespondRequest {
        agree,
        ..v1::RespondRequest::of(proposal)
    };
    seat(table, number)?.client().call(respond).await?;
    Ok(())
}

/// Everybody agrees on something; says whether it could be proposed.
async fn agree(table: &Table, kind: ProposalKind) -> Result<bool, Trouble> {
    let Some((proposal, by)) = propose(table, kind).await? else {
        return Ok(false);
    };
    for other in people(table).into_iter().filter(|other| *other != by) {
        respond(table, other, &proposal, true).await?;
    }
    Ok(true)
}

/// Milliseconds of Unix time.
pub fn now_ms() -> Result<i64, Trouble> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    Ok(i64::try_from(since.as_millis())?)
}

/// Adds what kinds of entries an archive has, and what else they say (`plans::KINDS`).
pub fn kinds_in(archive: &str, kinds: &mut BTreeSet<String>) -> Result<(), Trouble> {
    for line in archive.lines() {
        let line: Value = serde_json::from_str(line)?;
        let terms = line["record"].as_object();
        kinds.extend(
            terms
                .into_iter()
                .flatten()
                .map(|(term, _)| format!("terms.{term}")),
        );
        if line["entry"]["says"]["noted"]["botSeated"]["displayName"].is_string() {
            kinds.insert("called.bot".to_owned());
        }
        let says = line["entry"]["says"].as_object();
        for (kind, said) in says.into_iter().flatten() {
            if kind != "noted" {
                kinds.insert(kind.clone());
            }
            for made in said["moves"].as_array().into_iter().flatten() {
                kinds.insert(format!(
                    "maker.{}",
                    made["maker"].as_str().unwrap_or_default()
                ));
                if made["forced"] == true {
                    kinds.insert("forced".to_owned());
                }
            }
            for (noted, said) in said
                .as_object()
                .into_iter()
                .flatten()
                .filter(|_| kind == "noted")
            {
                kinds.insert(format!("noted.{noted}"));
                if let Some(end) = said["end"].as_str() {
                    kinds.insert(format!("end.{end}"));
                }
            }
        }
    }
    Ok(())
}
