//! Makes a golden set: has a referee write a store for each of many configurations, and keeps what it wrote and said.
//!
//! `cargo run --locked -p referee-campaigns --bin golden -- --referee target/release/referee --into tests/golden/2026-11-24-1.0.0`
//!
//! Nothing of the referee is called but its program: matches are hosted and played over gRPC, as by any client.

mod hosting;
mod plans;
mod program;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Parser;
use referee::client::Chooser;
use referee::wire::v1::MatchState;
use referee_tests::golden::table::{Table, state_hashes};
use referee_tests::golden::{
    Asked, Content, Continuation, FORM, Folder, Hosted, Manifest, Seen, Trouble, key_beside, pack,
};
use referee_tests::json;

use hosting::Host;
use plans::{PLANS, Plan};
use program::Program;

#[derive(Parser)]
struct Args {
    /// The program of the referee
    #[arg(long, value_name = "PROGRAM")]
    referee: PathBuf,
    /// The folder that is made
    #[arg(long, value_name = "FOLDER")]
    into: PathBuf,
    /// Which build it is, for people [default: what it says its version is]
    #[arg(long, value_name = "TEXT")]
    build: Option<String>,
    /// The day [default: the beginning of the folder's name]
    #[arg(long, value_name = "YYYY-MM-DD")]
    made: Option<String>,
    /// The build is of before the canonical state hash (log format 1): its hashes are left out
    #[arg(long)]
    without_state_hashes: bool,
    /// Only configurations whose names contain this; for trying it out
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

#[tokio::main]
async fn main() -> Result<(), Trouble> {
    let args = Args::parse();
    if args.into.exists() {
        let why =
            "is there already: a golden set is made once and never changed; name a new folder";
        return Err(format!("`{}` {why}", args.into.display()).into());
    }
    let name = args.into.file_name().unwrap_or_default().to_string_lossy();
    let made = args.made.unwrap_or_else(|| name.chars().take(10).collect());
    let program = Program::new(&args.referee)?;
    // Beside its place, so that nothing half made is ever there.
    let parent = args
        .into
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let half = tempfile::Builder::new()
        .prefix(".golden-")
        .tempdir_in(parent)?;
    let folder = Folder(half.path().join("set"));
    std::fs::create_dir(&folder.0)?;
    let mut manifest = Manifest {
        form: FORM.to_owned(),
        made,
        build: args.build.unwrap_or_else(|| program.version.clone()),
        version: program.version.clone(),
        configurations: Vec::new(),
    };
    // What kinds of entries there are; each must be somewhere.
    let mut kinds = BTreeSet::new();
    let mut texts = BTreeSet::new();
    let chosen = PLANS.iter().filter(|plan| plan.name.contains(&args.only));
    for (number, plan) in (1..).zip(chosen) {
        let told = |error: Trouble| format!("{}: {error}", plan.name);
        let mut maker = Maker {
            program: &program,
            folder: &folder,
            without_state_hashes: args.without_state_hashes,
            kinds: &mut kinds,
            texts: &mut texts,
        };
        maker.make(plan, number).await.map_err(told)?;
        manifest.configurations.push(plan.name.to_owned());
    }
    let absent: Vec<&str> = plans::KINDS
        .iter()
        .copied()
        .filter(|kind| !kinds.contains(*kind))
        .collect();
    if args.only.is_empty() && !absent.is_empty() {
        return Err(format!("no log says {}", absent.join(", ")).into());
    }
    let mut text = serde_json::to_string_pretty(&manifest)?;
    text.push('\n');
    folder.write_plain("manifest.json", text.as_bytes())?;
    std::fs::rename(&folder.0, &args.into)?;
    println!(
        "{} configurations in {}",
        manifest.configurations.len(),
        args.into.display()
    );
    Ok(())
}

/// What a set is made with.
struct Maker<'a> {
    program: &'a Program,
    folder: &'a Folder,
    without_state_hashes: bool,
    /// Kinds of entries that were met.
    kinds: &'a mut BTreeSet<String>,
    /// Digests of the texts that are kept.
    texts: &'a mut BTreeSet<String>,
}

/// What was played in one configuration, beside the copy of its store.
struct Played {
    /// All but the texts, which are still in the store.
    hosted: Hosted,
    seen: Seen,
    /// The archive of the finished match.
    archive: String,
    continuation: Continuation,
    /// The record of a game at the terminal.
    record: String,
}

impl Maker<'_> {
    /// Has one configuration played, and keeps it.
    async fn make(&mut self, plan: &Plan, seed: u64) -> Result<(), Trouble> {
        let work = tempfile::tempdir()?;
        let copy = work.path().join("copy");
        let played = self
            .play(plan, seed, &work.path().join("at-work"), &copy)
            .await?;
        println!(
            "{}: {} moves after the copy, {} matches",
            plan.name,
            played.continuation.moves.len(),
            2 + played.hosted.others.len()
        );
        self.keep(plan.name, played, &copy)
    }

    /// Has matches hosted on a new store, which is copied while one of them is under way.
    async fn play(
        &mut self,
        plan: &Plan,
        seed: u64,
        store: &Path,
        copy: &Path,
    ) -> Result<Played, Trouble> {
        let server = self.program.serve(store)?;
        let mut host = Host::new(&server, plan, seed).await?;
        let (finished, table) = host.play(&plan.finished).await?;
        let archive = table.archive().await?;
        let (running, mut going_on) = host.play(&plan.running).await?;
        let (mut others, mut other_tables) = (Vec::new(), Vec::new());
        for story in plan.others {
            let (kept, table) = host.play(story).await?;
            others.push(kept);
            other_tables.push(table);
        }
        let mut seen = Seen::new();
        for kept in others.iter().chain([&finished, &running]) {
            let table = Table::of(&host.client, &host.tokens.host, kept);
            seen.insert(kept.name.clone(), table.seen().await?);
        }
        let taken_ms = hosting::now_ms()?;
        self.program.backup(store, copy)?;

        let mut player = Chooser::new(seed.wrapping_mul(977));
        let mut moves = Vec::new();
        going_on.resume().await?;
        while let Some(made) = going_on.step(&mut player).await? {
            moves.push(made);
        }
        going_on.verified().await?;
        let described = going_on.described().await?;
        let outcome = described
            .outcome
            .ok_or("the running match did not end by its rules")?;
        let ended = going_on.archive().await?;
        if !self.without_state_hashes {
            let hashes = state_hashes(&ended)?;
            let after = hashes
                .len()
                .checked_sub(moves.len())
                .ok_or("an archive lacks moves")?;
            for (made, hash) in moves.iter_mut().zip(&hashes[after..]) {
                made.state_hash = Some(hash.clone());
            }
        }
        for archive in [&archive, &ended] {
            hosting::kinds_in(archive, self.kinds)?;
        }
        for table in &other_tables {
            if table.described().await?.state() == MatchState::Finished {
                hosting::kinds_in(&table.archive().await?, self.kinds)?;
            }
        }
        drop(server);
        let record = self.program.record(plan, seed)?;
        let hosted = Hosted {
            configuration: Asked {
                ruleset: plan.ruleset.to_owned(),
                players: plan.players,
                modules: plan.modules.iter().map(|name| (*name).to_owned()).collect(),
                options: plan
                    .options
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), *value))
                    .collect(),
                content: host.content().to_owned(),
            },
            taken_ms,
            contents: Vec::new(),
            host: host.tokens.host.clone(),
            admin: host.tokens.admin.clone(),
            finished,
            running,
            others,
            record: record.ended,
        };
        Ok(Played {
            hosted,
            seen,
            archive,
            continuation: Continuation {
                moves,
                outcome: json::of("Outcome", &outcome),
            },
            record: record.text,
        })
    }

    /// Writes what was played, without the texts, which are kept once; it must be what it was when it is unpacked.
    fn keep(&mut self, name: &str, played: Played, copy: &Path) -> Result<(), Trouble> {
        let folder = self.folder;
        let whole = pack::all_of(copy)?;
        let rows = pack::take_out(copy)?;
        let mut hosted = played.hosted;
        for pack::Row { row, digest, text } in &rows {
            hosted.contents.push(Content {
                row: *row,
                digest: digest.clone(),
            });
            if self.texts.insert(digest.clone()) {
                folder.write(&format!("texts/{digest}"), text)?;
            }
        }
        let lean = pack::without_texts(&played.archive, &rows)?;
        let mut text = serde_json::to_string_pretty(&hosted)?;
        text.push('\n');
        let key = std::fs::read(key_beside(copy))?;
        folder.write_plain(&format!("{name}/configuration.json"), text.as_bytes())?;
        folder.write_plain(&format!("{name}/store.key"), &key)?;
        for (file, bytes) in [
            ("store", std::fs::read(copy)?),
            ("archive.jsonl", lean.into_bytes()),
            ("record.yaml", played.record.into_bytes()),
            (
                "continuation.json",
                serde_json::to_vec(&played.continuation)?,
            ),
            ("seen.json", serde_json::to_vec(&played.seen)?),
        ] {
            folder.write(&format!("{name}/{file}"), &bytes)?;
        }
        let again = tempfile::tempdir()?;
        let again = again.path().join("store");
        folder.unpack(name, &again)?;
        if pack::all_of(&again)? != whole {
            return Err("the store is not what it was when it is unpacked".into());
        }
        if folder.archive(name)? != played.archive {
            return Err("the archive is not what it was when it is unpacked".into());
        }
        Ok(())
    }
}
