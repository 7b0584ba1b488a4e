//! `referee demo`: a whole match between four bots, told as it happens.
//!
//! In: a ruleset and a script of what is worth telling. Out: lines on standard output. The referee is a server on a socket,
//! every bot is a client with a connection and a token of its own, and what is told is what a spectator sees. Begin at
//! [`story`].

mod bots;
pub mod script;
mod sheet;
mod story;
mod words;

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use clap::Args;
use interpreter::play::Seed;
use tokio::sync::mpsc;
use tonic::Status;

use super::environment::{data_folder, runtime};
use super::library::LibraryOptions;
use super::out::say;
use super::style::{FAINT, GOOD, HEAD, STRONG, paint};
use super::trouble::Trouble;
use bots::{Attempt, Bot, Dare};
use referee_contract::client::{Client, SeatClient};
use referee_contract::v1::{self, watch_public_match_response::Item};
use referee_server::{Config, StoreChoice, start};
use referee_store::secrets::{entropy, hex};
use referee_table::commitment;
use script::Script;
use story::Story;
use words::Words;

/// Who plays.
const NAMES: [&str; 5] = ["Ada", "Bruno", "Celina", "Dawid", "Ewa"];

/// As many can play.
const MOST: i64 = 5;
const _: () = assert!(NAMES.len() == 5);

/// Pause after a line on a terminal, so that eyes can follow.
const PACE: Duration = Duration::from_millis(45);

/// Time between two moves that somebody looks at.
const LOOKED_AT: Duration = Duration::from_millis(1200);

/// Plays a whole game between bots that speak gRPC, and tells it
#[derive(Debug, Args)]
#[command(after_help = "\
The referee listens on this machine only, on any free port, and stops when the game is over; with --watch when it is
interrupted.

Examples:
  referee demo
  referee demo --players 5 --seed 7
  referee demo --watch --pace 500")]
pub struct Demo {
    /// How many bots play
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(2..=MOST))]
    players: u8,

    /// Play this game again: the deal and the bots follow from the number
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// The file that keeps the record [default: a new one in the data folder of this user]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,

    /// Play on the page, for a browser on this machine: the game begins when somebody looks at it
    #[arg(long)]
    watch: bool,

    /// Milliseconds to wait after each line, or with --watch before each move [default: 45 on a terminal, else 0; 1200]
    #[arg(long, value_name = "MS")]
    pace: Option<u64>,

    #[command(flatten)]
    library: LibraryOptions,
}

impl Demo {
    /// Plays and tells.
    pub fn run(self) -> Result<ExitCode, Trouble> {
        runtime()?.block_on(self.show())
    }

    async fn show(self) -> Result<ExitCode, Trouble> {
        let began = Instant::now();
        let store = match &self.store {
            Some(path) => path.clone(),
            None => fresh_store(),
        };
        let kept = StoreChoice::File(store.clone());
        let address = ([127, 0, 0, 1], 0).into();
        let mut config = Config::new(address, kept, self.library.library()?);
        // Only a referee for tests lets anybody choose a seed.
        config.testing = self.seed.is_some();
        config.page = self.watch;
        let running = start(config).await?;
        let url = running.url();
        let host = Client::connect(&url)
            .await?
            .with_token(running.host_token());

        let script = Script::read();
        let described_ruleset = ruleset(&host, &script.ruleset, self.players).await;
        let words = Words::new(described_ruleset.map_err(refused)?);
        let table = Table::lay(&host, &url, &script.ruleset, self.players, self.seed).await?;
        say(format!(
            "\n{}, played by {} bots over gRPC",
            paint(HEAD, words.title()),
            self.players
        ));
        note(
            "referee",
            format!("{url}, matches kept in {}", store.display()),
        );
        note("match", &table.name);
        note(
            "seats",
            format!(
                "{}: a connection and a token each",
                table.players().join(", ")
            ),
        );
        note(
            "seed",
            format!("promised as {}…", &hex(&table.promise)[..16]),
        );

        let mut interrupted = pin!(tokio::signal::ctrl_c());
        if self.watch {
            let invite = v1::InviteSpectatorRequest::of(&table.name);
            let invited = host.call(invite).await.map_err(refused)?;
            let id = table.name.trim_start_matches("matches/");
            let token = invited.spectator_token;
            note("page", paint(GOOD, format!("{url}/#/watch/{id}/{token}")));
            note("", "the game begins when somebody looks at it there");
        }
        // The story's own stream is one, the page's the other.
        let ready = async {
            if self.watch {
                running.watched(2).await;
            }
        };
        let outcome = tokio::select! {
            _ = &mut interrupted, if self.watch => {
                running.stop().await;
                return Ok(ExitCode::SUCCESS);
            }
            outcome = table.play(&host, (&script, &words), self.paces(), self.seed, ready) => outcome?,
        };
        let over = described(&host, &table.name).await.map_err(refused)?;
        let shown = match self.watch {
            true => Some(running),
            false => {
                running.stop().await;
                None
            }
        };

        say(format!("\n{}", paint(HEAD, "Final scores")));
        say(sheet::sheet(&outcome, &words, &table.players()));
        say(sheet::verdict(&outcome, &words, &table.players()));
        say("");
        note("seed", seed_verdict(&over));
        note("record", format!("{} in {}", table.name, store.display()));
        note(
            "time",
            format!(
                "{:.1} s, every move validated and on disk before it was answered",
                began.elapsed().as_secs_f64()
            ),
        );
        what_next(&store);
        if let Some(running) = shown {
            note("page", "stays until this is interrupted");
            // Whoever cannot be told of an interruption ends it otherwise.
            let _ = interrupted.await;
            running.stop().await;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn paces(&self) -> Paces {
        let said = self.pace.map(Duration::from_millis);
        match self.watch {
            true => Paces {
                line: Duration::ZERO,
                mv: said.unwrap_or(LOOKED_AT),
            },
            false => Paces {
                line: said.unwrap_or(match std::io::stdout().is_terminal() {
                    true => PACE,
                    false => Duration::ZERO,
                }),
                mv: Duration::ZERO,
            },
        }
    }
}

/// How long it is waited.
#[derive(Clone, Copy)]
struct Paces {
    /// After a line that is told.
    line: Duration,
    /// Before a move.
    mv: Duration,
}

/// A match whose seats are all taken, by bots.
struct Table {
    name: String,
    promise: Vec<u8>,
    seats: Vec<SeatClient>,
}

impl Table {
    /// Creates the match and seats the bots, each through a connection of its own.
    async fn lay(
        host: &Client,
        url: &str,
        ruleset: &str,
        players: u8,
        seed: Option<u64>,
    ) -> Result<Table, Trouble> {
        let create = v1::CreateMatchRequest {
            test_seed: seed
                .map(|seed| Seed::from_number(seed).0.to_vec())
                .unwrap_or_default(),
            ..v1::CreateMatchRequest::of(ruleset, players.into())
        };
        let created = host.call(create).await.map_err(refused)?;
        let described = created.r#match.unwrap_or_default();
        let mut seats = Vec::new();
        for (code, name) in created.claim_codes.into_iter().zip(NAMES) {
            let client = Client::connect(url).await?;
            let claim = v1::ClaimSeatRequest::by(&code, name);
            let claimed = client.call(claim).await.map_err(refused)?;
            seats.push(SeatClient::new(
                client.with_token(&claimed.seat_token),
                described.name.as_str(),
            ));
        }
        Ok(Table {
            name: described.name,
            promise: described.seed_commitment,
            seats,
        })
    }

    fn players(&self) -> Vec<String> {
        NAMES
            .iter()
            .take(self.seats.len())
            .map(|name| (*name).to_owned())
            .collect()
    }

    /// What the bot of a seat tries although it may not. Two of them do.
    fn dare(&self, seat: u32, script: &Script, words: &Words) -> Option<Dare> {
        let passing = if self.seats.len() > 2 { 3 } else { 1 };
        match seat {
            2 => Dare::out_of_reach(&script.dares.out_of_reach, words),
            seat if seat == passing => {
                Some(Dare::ForbiddenPass(script.dares.forbidden_pass.clone()))
            }
            _ => None,
        }
    }

    /// Starts the match, waits until all is ready, and tells it to its end.
    async fn play(
        &self,
        host: &Client,
        (script, words): (&Script, &Words),
        paces: Paces,
        seed: Option<u64>,
        ready: impl Future<Output = ()>,
    ) -> Result<v1::Outcome, Trouble> {
        // The spectator's stream opens before the match starts, so that nothing is missed.
        let watch = v1::WatchPublicMatchRequest::of(&self.name);
        let mut events = host.call(watch).await.map_err(refused)?;
        let begin = v1::StartMatchRequest::of(&self.name);
        host.call(begin).await.map_err(refused)?;

        // Nobody has moved yet: this is the table after set-up.
        let asked = v1::GetPublicViewRequest::of(&self.name);
        let seen = host.call(asked).await.map_err(refused)?;
        let table = seen.view.unwrap_or_default();
        ready.await;

        let (attempts, mut attempted) = mpsc::unbounded_channel::<Attempt>();
        let mut bots = tokio::task::JoinSet::new();
        let bot_seed = match seed {
            Some(seed) => seed,
            None => u64::from_le_bytes(entropy()?),
        };
        for (number, seat) in (1..).zip(self.seats.iter().cloned()) {
            let mut bot = Bot::new(
                number,
                bot_seed.wrapping_mul(31).wrapping_add(number.into()),
                self.dare(number, script, words),
                paces.mv,
                attempts.clone(),
            );
            bots.spawn(async move { seat.play_out(&mut bot).await });
        }
        drop(attempts);

        let mut story = Story::new(script, words, self.players(), paces.line, &table);
        loop {
            let message = events.message().await.map_err(refused)?;
            match message.and_then(|message| message.item) {
                Some(Item::Events(batch)) => {
                    for event in batch {
                        // Whoever moves has heard every refusal of what they tried before.
                        while let Ok(attempt) = attempted.try_recv() {
                            story.hear(attempt);
                        }
                        story.tell(event).await;
                    }
                }
                Some(Item::Closed(closed)) => {
                    story.end().await;
                    while let Some(bot) = bots.join_next().await {
                        bot?.map_err(refused)?;
                    }
                    return closed
                        .outcome
                        .ok_or_else(|| Trouble::new("the match ended without an outcome"));
                }
                Some(Item::Snapshot(_) | Item::Checkpoint(_)) => {}
                None => return Err(Trouble::new("the stream ended before the match")),
            }
        }
    }
}

async fn ruleset(client: &Client, name: &str, players: u8) -> Result<v1::Ruleset, Status> {
    let configuration = v1::Configuration {
        players: players.into(),
        ..Default::default()
    };
    let asked = v1::GetRulesetRequest {
        name: name.into(),
        configuration: Some(configuration),
    };
    let got = client.call(asked).await?;
    got.ruleset
        .ok_or_else(|| Status::data_loss("no ruleset came"))
}

async fn described(host: &Client, name: &str) -> Result<v1::Match, Status> {
    let got = host.call(v1::GetMatchRequest::of(name)).await?;
    got.r#match
        .ok_or_else(|| Status::data_loss("no match came"))
}

fn refused(status: Status) -> Trouble {
    Trouble::new(format!("the referee answered: {}", status.message()))
}

/// A file that no other demo uses, in the data folder or else the temporary one.
fn fresh_store() -> PathBuf {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let folder = data_folder().unwrap_or_else(|_| std::env::temp_dir());
    forget_old(&folder);
    folder.join(format!(
        "demo-{}-{}.sqlite",
        since.as_secs(),
        std::process::id()
    ))
}

/// How many records of earlier demos are kept.
const KEPT: usize = 3;

/// Removes the records of demos but the newest few: nobody asked for them.
fn forget_old(folder: &std::path::Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    // `demo-1795278184-6879.sqlite`, and what lies beside it: `….sqlite-wal`, `….sqlite.key`.
    let mut runs: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().and_then(|name| name.to_str());
        let run = name.and_then(|name| name.strip_prefix("demo-")?.split_once(".sqlite"));
        if let Some((run, _)) = run {
            runs.entry(run.to_owned()).or_default().push(path);
        }
    }
    let old = runs.len().saturating_sub(KEPT);
    for path in runs.into_values().take(old).flatten() {
        // What cannot be removed stays; the demo does not depend on it.
        let _ = std::fs::remove_file(path);
    }
}

fn note(what: &str, text: impl std::fmt::Display) {
    say(format!("  {} {text}", paint(FAINT, format!("{what:<8}"))));
}

/// Whether the seed that was shown is the one that was promised.
fn seed_verdict(over: &v1::Match) -> String {
    let kept = || {
        let id = referee_store::MatchId::parse(over.name.strip_prefix("matches/")?)?;
        let digest = interpreter::play::Digest(over.digest.as_slice().try_into().ok()?);
        let seed = Seed(over.seed.as_slice().try_into().ok()?);
        Some(commitment(&id, digest, seed)[..] == over.seed_commitment[..])
    };
    match kept() {
        Some(true) => format!(
            "{}… shown now, {}",
            &hex(&over.seed)[..16],
            paint(GOOD, "as promised")
        ),
        _ => "was not shown as it was promised".to_owned(),
    }
}

fn what_next(store: &std::path::Path) {
    // Cargo sets the variable for the program that `cargo run` starts.
    let referee = if std::env::var_os("CARGO").is_some() {
        "cargo run --"
    } else {
        "referee"
    };
    say(format!("\n{}", paint(HEAD, "What next")));
    for (command, why) in [
        (
            format!("{referee} show puerto-rico captain"),
            "read the captain's phase with all that belongs to it",
        ),
        (
            format!("{referee} simulate puerto-rico --players 4 --games 1000"),
            "a thousand games, and who wins them",
        ),
        (
            format!("{referee} serve --store {}", store.display()),
            "serve this record and new matches; proto/README.md tells how to play",
        ),
        (format!("{referee} --help"), "everything else"),
    ] {
        say(format!(
            "  {}\n      {}",
            paint(STRONG, command),
            paint(FAINT, why)
        ));
    }
}
