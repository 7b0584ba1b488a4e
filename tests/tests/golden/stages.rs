//! What a golden store is held to, stage by stage.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::play::{CompileOptions, Match, Seat};
use referee::client::{Chooser, Client, request_id, seat_name};
use referee::clock::Clock;
use referee::library::{Edition, Library};
use referee::limits::Limits;
use referee::record::{self, Kept as Record};
use referee::secrets::Keys;
use referee::server::{Carried, Config, Running, StoreChoice, carry_over, check_store, start};
use referee::store::sqlite::{SCHEMA, Sqlite};
use referee::wire::v1::{self, event::Kind};
use referee_tests::golden::table::{Table, state_hashes};
use referee_tests::golden::{
    Continuation, Ended, Folder, Hosted, Kept, Seen, Trouble, key_beside, missing, revised,
};
use referee_tests::json;
use referee_tests::schemas::schema;
use rusqlite::Connection;
use serde_json::Value;

use crate::archive;

/// Moves between two verifications of a match that is played on by chance.
const VERIFIED_EVERY: usize = 60;

/// Moves with which a match is tried that was in the lobby.
const TRIED: usize = 20;

/// Hexadecimal digits of a hash that are pinned.
const PINNED: usize = 12;

/// Whoever reads them or adds to them.
static PINS: Mutex<()> = Mutex::new(());

/// One configuration of a set.
struct Held<'a> {
    set: &'a Folder,
    name: &'a str,
    hosted: Hosted,
    work: tempfile::TempDir,
}

/// A referee on a golden store.
struct Served {
    running: Running,
    client: Client,
}

/// Holds a store to everything that is kept with it; gives the last stage and how it ended.
pub async fn hold(set: &Folder, name: &str) -> (&'static str, Result<(), Trouble>) {
    let held = set.hosted(name).and_then(|hosted| {
        let work = tempfile::tempdir()?;
        Ok(Held {
            set,
            name,
            hosted,
            work,
        })
    });
    let held = match held {
        Ok(held) => held,
        Err(error) => return ("reading", Err(error)),
    };
    macro_rules! stage {
        ($what:literal, $done:expr) => {
            match $done {
                Ok(done) => done,
                Err(error) => return ($what, Err(error)),
            }
        };
    }
    stage!("the forms of archive and record", held.formed());
    let first = stage!("unpacking", held.unpacked("first"));
    stage!("checking the store as it was", held.checked(&first).await);
    let first = stage!("migrating", held.migrated(first));
    stage!("checking the store", held.checked(&first).await);
    stage!("replaying the record", held.replayed());
    stage!("telling of something more", held.told_more(&first).await);
    let served = stage!("serving", held.serve(StoreChoice::File(first)).await);
    stage!("greeting those who have tokens", held.known(&served).await);
    stage!("looking at every match", held.seen(&served).await);
    stage!("the finished match", held.finished(&served).await);
    stage!("importing its archive elsewhere", held.imported().await);
    stage!(
        "the running match, as it went on",
        held.continued(&served).await
    );
    for kept in &held.hosted.others {
        let told = |error: Trouble| format!("{}: {error}", kept.what).into();
        stage!(
            "other matches",
            held.other(&served, kept).await.map_err(told)
        );
    }
    served.running.stop().await;
    let second = stage!("unpacking again", held.unpacked("second"));
    let second = stage!("migrating again", held.migrated(second));
    let served = stage!("serving again", held.serve(StoreChoice::File(second)).await);
    stage!(
        "the running match, otherwise",
        held.otherwise(&served).await
    );
    served.running.stop().await;
    ("done", Ok(()))
}

/// A store of an earlier version as one of this version, by this clock: the one place where that is done. No entry that was
/// kept is another afterwards, so what was proved of its log stays proved.
fn migrated(store: PathBuf, clock: Clock) -> Result<PathBuf, Trouble> {
    let now = store.with_extension("now");
    let keys = Keys::load(&key_beside(&store))?;
    let before = entries(&store)?;
    if Sqlite::migrate(&store, &now, &keys)? == SCHEMA {
        return Ok(store);
    }
    std::fs::copy(key_beside(&store), key_beside(&now))?;
    let mut stay = Vec::new();
    carry_over(
        Sqlite::open(&now, &keys)?,
        keys,
        referee_tests::library(),
        None,
        clock,
        |id, carried| {
            if let Carried::Stays(why) = carried {
                stay.push(format!("matches/{id} stays as it was: {why}"));
            }
        },
    )?;
    if !stay.is_empty() {
        return Err(stay.join("; ").into());
    }
    let after = entries(&now)?;
    for (id, was) in before {
        let is = after.get(&id).ok_or("a match is missing")?;
        let more = is.len() - was.len().min(is.len());
        if is[..was.len().min(is.len())] != was || more > 1 {
            return Err(
                format!("matches/{id}: its entries are others, or more than one is new").into(),
            );
        }
    }
    Ok(now)
}

/// Entries of a log: what each says, and what ties it to those before it.
type Log = Vec<(Vec<u8>, Vec<u8>)>;

/// The logs in a store, by match.
fn entries(store: &Path) -> Result<BTreeMap<String, Log>, Trouble> {
    let file = Connection::open(store)?;
    let mut asked = file.prepare(
        "SELECT matches.id, entries.body, entries.chain FROM entries JOIN matches ON matches.ord = entries.match
         ORDER BY matches.ord, entries.sequence",
    )?;
    let mut rows = asked.query([])?;
    let mut logs: BTreeMap<String, Log> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        logs.entry(row.get(0)?)
            .or_default()
            .push((row.get(1)?, row.get(2)?));
    }
    Ok(logs)
}

/// Holds every line of an archive to the schema of its form.
fn fits(archive: &str) -> Result<(), Trouble> {
    let lines: Vec<Value> = archive
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let form = lines
        .first()
        .and_then(|line| line["record"]["form"].as_str());
    let schema = schema(form.ok_or("it says no form")?)?;
    for (number, line) in (1..).zip(&lines) {
        if let Err(error) = schema.validate(line) {
            return Err(format!("line {number} does not fit its schema: {error}").into());
        }
    }
    Ok(())
}

fn fit(form: &str, told: &Value) -> Result<(), Trouble> {
    let found = schema(form)?.validate(told).err();
    found.map_or(Ok(()), |error| {
        Err(format!("it does not fit its schema: {error}").into())
    })
}

/// Events without those that are told after every move by a build that tells more.
fn without_more(events: &[v1::Event]) -> Vec<v1::Event> {
    let mut after_a_move = false;
    let told = events.iter().filter(|event| {
        let more = after_a_move && matches!(event.kind, Some(Kind::EndingDue(_)));
        after_a_move = matches!(event.kind, Some(Kind::MoveMade(_)));
        !more
    });
    let numbered = (0..).zip(told.cloned());
    numbered
        .map(|(number, event)| v1::Event { number, ..event })
        .collect()
}

impl Held<'_> {
    /// A copy of the store.
    fn unpacked(&self, name: &str) -> Result<PathBuf, Trouble> {
        let store = self.work.path().join(name);
        self.set.unpack(self.name, &store)?;
        Ok(store)
    }

    fn migrated(&self, store: PathBuf) -> Result<PathBuf, Trouble> {
        migrated(store, self.clock())
    }

    /// Verifies every match of the store, of this version or an earlier one.
    async fn checked(&self, store: &Path) -> Result<(), Trouble> {
        let (store, matches) = (store.to_owned(), 2 + self.hosted.others.len() as u64);
        let check = move || -> Result<(), Trouble> {
            let keys = Keys::load_or_create(&key_beside(&store))?;
            let mut wrong = Vec::new();
            let sqlite = Sqlite::look(&store, &keys)?;
            sqlite.inspect(|finding| wrong.push(finding));
            let number = check_store(
                sqlite,
                keys,
                referee_tests::library(),
                None,
                0,
                |id, _, checked| {
                    wrong.extend(
                        checked
                            .findings
                            .iter()
                            .map(|found| format!("matches/{id}: {found}")),
                    );
                },
            )?;
            if number != matches {
                return Err(format!("it has {number} matches, not {matches}").into());
            }
            match wrong.is_empty() {
                true => Ok(()),
                false => Err(wrong.join("; ").into()),
            }
        };
        tokio::task::spawn_blocking(check).await?
    }

    /// What was written then is what the schema of its form says.
    fn formed(&self) -> Result<(), Trouble> {
        fits(&self.set.archive(self.name)?)?;
        let record = self.set.text(&format!("{}/record.yaml", self.name))?;
        fit("referee.record/1", &serde_yaml::from_str(&record)?)
    }

    /// A build that tells of one more kind of event gives the same history.
    async fn told_more(&self, store: &Path) -> Result<(), Trouble> {
        let mut told = Vec::new();
        for telling_more in [false, true] {
            let library = referee_tests::library().compiled_with(CompileOptions {
                telling_more,
                ..CompileOptions::default()
            });
            // Each on a copy: the moves of bots would be told, too.
            let copy = store.with_extension(if telling_more { "more" } else { "same" });
            Sqlite::backup(store, &copy)?;
            Sqlite::drop_snapshots(&copy)?;
            std::fs::copy(key_beside(store), key_beside(&copy))?;
            let served = self.serve_with(StoreChoice::File(copy), library).await?;
            let mut histories = Vec::new();
            let hosted = &self.hosted;
            let all = [&hosted.finished, &hosted.running];
            for kept in all.into_iter().chain(&hosted.others) {
                let table = self.table(&served, kept);
                let bot = kept.seats.iter().any(Option::is_none);
                if bot && table.described().await?.state() == v1::MatchState::Running {
                    continue;
                }
                if let Some(repeat) = &kept.repeat {
                    table.repeat(repeat).await?;
                }
                histories.push((kept.what.clone(), table.histories().await?));
            }
            served.running.stop().await;
            told.push(histories);
        }
        let (more, same) = (told.pop(), told.pop());
        for ((what, same), (_, more)) in same.iter().flatten().zip(more.iter().flatten()) {
            for (audience, (same, more)) in (1..).zip(same.iter().zip(more)) {
                if !same.is_empty() && same.len() == more.len() {
                    return Err(format!("{what}, seat {audience}: it tells nothing more").into());
                }
                if *same != without_more(more) {
                    return Err(format!("{what}, seat {audience}: another history").into());
                }
            }
        }
        Ok(())
    }

    /// The ruleset as it was then.
    fn ruleset(&self) -> Result<Arc<Ruleset>, Trouble> {
        let asked = &self.hosted.configuration;
        let edition = Edition::from_content(&self.set.content(&asked.content)?)?;
        let compiled = Ruleset::compile(&edition.texts, &[], &asked.configuration());
        compiled.map_err(|_| "the ruleset of then does not compile".into())
    }

    /// The record of a game at the terminal leads where it did.
    fn replayed(&self) -> Result<(), Trouble> {
        let kept = Record::read(&self.set.text(&format!("{}/record.yaml", self.name))?)?;
        let ruleset = self.ruleset()?;
        let game = Match::replay(ruleset.clone(), &kept.record(&ruleset)?)?;
        game.verify()?;
        let outcome = game.outcome().ok_or("it no longer ends")?;
        let ended = Ended {
            totals: outcome.scores.iter().map(|sheet| sheet.total).collect(),
            winners: outcome
                .winners
                .iter()
                .map(|seat: &Seat| record::seat_name(*seat))
                .collect(),
        };
        match ended == self.hosted.record {
            true => Ok(()),
            false => Err(format!(
                "it ended with {:?}, ends with {ended:?}",
                self.hosted.record
            )
            .into()),
        }
    }

    /// A clock that begins when the store was copied.
    fn clock(&self) -> Clock {
        Clock::from_ms(self.hosted.taken_ms)
    }

    /// Starts a referee by that clock.
    async fn serve(&self, store: StoreChoice) -> Result<Served, Trouble> {
        self.serve_with(store, referee_tests::library()).await
    }

    async fn serve_with(&self, store: StoreChoice, library: Library) -> Result<Served, Trouble> {
        let mut config = Config::new(([127, 0, 0, 1], 0).into(), store, library);
        config.clock = self.clock();
        config.limits = Limits {
            // Records of long games come with the texts of their rulesets.
            upload_bytes: 64 << 20,
            // Machines that test are busy: only a call that never ends is wrong.
            call_time: Duration::from_secs(120),
            ..Limits::default()
        };
        let running = start(config).await?;
        let client = Client::connect(&running.url()).await?;
        Ok(Served { running, client })
    }

    fn table(&self, served: &Served, kept: &Kept) -> Table {
        Table::of(&served.client, &self.hosted.host, kept)
    }

    /// Tokens of then are tokens of now, and new ones open what they should.
    async fn known(&self, served: &Served) -> Result<(), Trouble> {
        let host = served.client.with_token(&self.hosted.host);
        let list = v1::ListMatchesRequest::default();
        let listed = host.call(list).await?;
        if listed.matches.is_empty() {
            return Err("its host has no matches any more".into());
        }
        let mut fresh = Vec::new();
        for kind in [v1::TokenKind::Host, v1::TokenKind::Admin] {
            let create = v1::CreateTokenRequest {
                kind: kind.into(),
                label: "made later".into(),
                request_id: request_id(),
                ..Default::default()
            };
            let admin = served.client.with_token(&self.hosted.admin);
            let made = admin.call(create).await?;
            fresh.push(served.client.with_token(&made.token));
        }
        let asked = &self.hosted.configuration;
        let options = asked
            .options
            .iter()
            .map(|(option, value)| v1::OptionSetting {
                option: option.clone(),
                value: *value,
            });
        // The texts of then are played, whatever is offered now.
        let create = v1::CreateMatchRequest {
            ruleset: format!("rulesets/{}/revisions/{}", asked.ruleset, asked.content),
            configuration: Some(v1::Configuration {
                players: asked.players.into(),
                modules: asked.modules.clone(),
                options: options.collect(),
            }),
            request_id: request_id(),
            ..Default::default()
        };
        let created = fresh[0].call(create).await?;
        let name = created.r#match.ok_or("no match")?.name;
        let cancel = v1::CancelMatchRequest::of(&name);
        fresh[0].call(cancel).await?;
        for name in [&name, &self.hosted.finished.name, &self.hosted.running.name] {
            let mut table = Table::new(&served.client, "", name, &[]);
            table.host = fresh[1].clone();
            table.verified().await?;
        }
        Ok(())
    }

    /// Clients see what they saw.
    async fn seen(&self, served: &Served) -> Result<(), Trouble> {
        let seen: Seen = self.set.json(&format!("{}/seen.json", self.name))?;
        let hosted = &self.hosted;
        for kept in [&hosted.finished, &hosted.running]
            .into_iter()
            .chain(&hosted.others)
        {
            let told = |what: &str, found: Option<String>| match found {
                Some(found) => Err(format!("{}: {what}{found}", kept.what)),
                None => Ok(()),
            };
            let golden = seen.get(&kept.name).ok_or("nobody saw it")?;
            let now = self.table(served, kept).seen().await?;
            told(
                "match",
                missing(&revised(golden.described.clone()), &now.described),
            )?;
            if let Some(repeat) = &kept.repeat {
                let told = |error| format!("{}: repeating a request: {error}", kept.what);
                let table = self.table(served, kept);
                table.repeat(repeat).await.map_err(told)?;
            }
            // While a bot plays, the table does not stand still.
            let bot = kept.seats.iter().any(Option::is_none);
            if bot && golden.described["state"] == "MATCH_STATE_RUNNING" {
                continue;
            }
            told(
                "public view",
                missing(&revised(golden.public.clone()), &now.public),
            )?;
            told(
                "views",
                missing(&revised(golden.views.clone().into()), &now.views.into()),
            )?;
            told(
                "decisions",
                missing(
                    &revised(golden.decisions.clone().into()),
                    &now.decisions.into(),
                ),
            )?;
        }
        Ok(())
    }

    /// It is sound, and told as it was.
    async fn finished(&self, served: &Served) -> Result<(), Trouble> {
        let table = self.table(served, &self.hosted.finished);
        table.verified().await?;
        let archive = table.archive().await?;
        fits(&archive)?;
        archive::compare(&self.set.archive(self.name)?, &archive)
    }

    /// What was exported then is imported now by a referee that knows nothing of it.
    async fn imported(&self) -> Result<(), Trouble> {
        let served = self.serve(StoreChoice::Memory).await?;
        let golden = self.set.archive(self.name)?;
        let host = served.client.with_token(served.running.host_token());
        let import = v1::ImportRecordRequest {
            record: golden.clone().into_bytes(),
            request_id: request_id(),
        };
        let name = host.call(import).await?.name;
        let table = Table::new(&served.client, served.running.host_token(), &name, &[]);
        let found = table.verified().await?;
        if name != self.hosted.finished.name || found.signed_by.len() != 1 {
            return Err(
                format!("it was kept as {name}, signed by {}", found.signed_by.len()).into(),
            );
        }
        // It is told as it came, with one more signature.
        let before = |text: &str| text[..text.rfind("{\"end\"").unwrap_or(0)].to_owned();
        if before(&table.archive().await?) != before(&golden) {
            return Err("it is told otherwise than it was imported".into());
        }
        served.running.stop().await;
        Ok(())
    }

    /// The moves that were made then are made again, to the same states and the same end.
    async fn continued(&self, served: &Served) -> Result<(), Trouble> {
        let golden: Continuation = self.set.json(&format!("{}/continuation.json", self.name))?;
        let mut table = self.table(served, &self.hosted.running);
        table.resume().await?;
        for (number, made) in (1..).zip(&golden.moves) {
            let told = |error| format!("move {number}, {}: {error}", made.r#move);
            table.again(made).await.map_err(told)?;
        }
        let described = table.described().await?;
        let outcome = described.outcome.ok_or("it no longer ends")?;
        if let Some(found) = missing(
            &revised(golden.outcome.clone()),
            &json::of("Outcome", &outcome),
        ) {
            return Err(format!("outcome{found}").into());
        }
        table.verified().await?;
        let hashes = state_hashes(&table.archive().await?)?;
        let after = hashes.len().checked_sub(golden.moves.len());
        let now = &hashes[after.ok_or("its archive lacks moves")?..];
        let was: Option<Vec<String>> = golden
            .moves
            .iter()
            .map(|made| made.state_hash.clone())
            .collect();
        let was = match was {
            Some(was) => was,
            None => self.after_migration(now)?,
        };
        if was.len() != now.len() {
            return Err("there are hashes of another number of moves".into());
        }
        let differs = |(_, (was, now)): &(i32, (&String, &String))| !now.starts_with(was.as_str());
        match (1..).zip(was.iter().zip(now)).find(differs) {
            Some((number, _)) => {
                Err(format!("the state after move {number} has another hash").into())
            }
            None => Ok(()),
        }
    }

    /// The beginnings of the hashes of the states of the running match as it went on, which the build that wrote it named in a
    /// form of its own: since its migration they are of the canonical form, and pinned beside the sets.
    fn after_migration(&self, now: &[String]) -> Result<Vec<String>, Trouble> {
        let _one_at_a_time = PINS.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.set.0.with_file_name("after-migration.json");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_owned());
        let mut pinned: BTreeMap<String, Vec<String>> = serde_json::from_str(&text)?;
        let name = self.set.0.file_name().unwrap_or_default();
        let key = format!("{}/{}", name.to_string_lossy(), self.name);
        if let Some(known) = pinned.get(&key) {
            return Ok(known.clone());
        }
        if std::env::var_os("REFEREE_GOLDEN_PIN").is_none() {
            return Err(format!("{key} is not in {}", path.display()).into());
        }
        let begin = |hash: &String| hash.chars().take(PINNED).collect();
        let known: Vec<String> = now.iter().map(begin).collect();
        pinned.insert(key, known.clone());
        let lines = pinned.iter().map(|(key, hashes)| {
            let hashes = serde_json::to_string(hashes)?;
            Ok(format!("  {key:?}: {hashes}"))
        });
        let lines: Result<Vec<String>, serde_json::Error> = lines.collect();
        std::fs::write(&path, format!("{{\n{}\n}}\n", lines?.join(",\n")))?;
        Ok(known)
    }

    /// Moves of today, every piece counted again and again.
    async fn otherwise(&self, served: &Served) -> Result<(), Trouble> {
        let mut table = self.table(served, &self.hosted.running);
        played_out(&mut table, usize::MAX).await?;
        match table.described().await?.outcome {
            Some(_) => Ok(()),
            None => Err("it did not end by its rules".into()),
        }
    }

    /// What else there is goes on, if it can.
    async fn other(&self, served: &Served, kept: &Kept) -> Result<(), Trouble> {
        let mut kept = kept.clone();
        let host = served.client.with_token(&self.hosted.host);
        let described = self.table(served, &kept).described().await?;
        let mut most = usize::MAX;
        match described.state() {
            v1::MatchState::Finished => {
                let table = self.table(served, &kept);
                table.verified().await?;
                // It can be exported, line by line.
                return state_hashes(&table.archive().await?).map(drop);
            }
            v1::MatchState::Lobby => {
                for (seat, code) in (1..).zip(&kept.codes) {
                    let place = &mut kept.seats[seat as usize - 1];
                    if place.is_some() {
                        continue;
                    }
                    let claim = v1::ClaimSeatRequest {
                        claim_code: code.clone(),
                        display_name: "late".into(),
                        ..v1::ClaimSeatRequest::of(seat_name(&kept.name, seat))
                    };
                    let claimed = served.client.call(claim).await?;
                    *place = Some(claimed.seat_token);
                }
                let start = v1::StartMatchRequest::of(&kept.name);
                host.call(start).await?;
                most = TRIED;
            }
            v1::MatchState::Suspended => {
                let to = v1::MoveMatchRequest {
                    ruleset: kept.corrected.clone().ok_or("nothing corrects it")?,
                    ..v1::MoveMatchRequest::of(&kept.name)
                };
                host.call(to).await?;
            }
            _ => {}
        }
        played_out(&mut self.table(served, &kept), most).await
    }
}

/// Plays by chance to the end, or so many moves, and verifies everything on the way.
async fn played_out(table: &mut Table, most: usize) -> Result<(), Trouble> {
    table.resume().await?;
    let mut player = Chooser::new(4711);
    let mut moves = 0;
    while moves < most && table.step(&mut player).await?.is_some() {
        moves += 1;
        if moves.is_multiple_of(VERIFIED_EVERY) {
            table.verified().await?;
        }
    }
    let described = json::of("Match", &table.described().await?);
    if most == usize::MAX && described["state"] != "MATCH_STATE_FINISHED" {
        return Err(format!(
            "it stands still after {moves} moves: {}",
            described["state"]
        )
        .into());
    }
    table.verified().await.map(drop)
}
