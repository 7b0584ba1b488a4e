//! Makes a golden set: has a referee write a store for each of many configurations, and keeps what it wrote and said.
//!
//! `cargo run --locked -p referee-tests --example golden -- --referee target/dist/referee --into tests/golden/2026-11-24-1.0.0`
//!
//! Nothing of the referee is called but its program: matches are hosted and played over gRPC, as by any client.

mod hosting;
mod plans;
mod program;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Parser;
use referee::client::Chooser;
use referee::wire::json;
use referee::wire::v1::MatchState;
use referee_tests::golden::table::{Table, state_hashes};
use referee_tests::golden::{
    Asked, Content, Continuation, FORM, Folder, Hosted, Manifest, Seen, Trouble, key_beside, pack,
};

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
    let mut texts = BTreeMap::new();
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
    for (digest, text) in &texts {
        folder.write(&format!("texts/{digest}"), text)?;
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
    /// Texts of rulesets, by digest.
    texts: &'a mut BTreeMap<String, Vec<u8>>,
}

impl Maker<'_> {
    /// Has one configuration played, and keeps it.
    async fn make(&mut self, plan: &Plan, seed: u64) -> Result<(), Trouble> {
        let Maker {
            program,
            folder,
            without_state_hashes,
            kinds,
            texts,
        } = self;
        let work = tempfile::tempdir()?;
        let (store, copy) = (work.path().join("at-work"), work.path().join("copy"));
        let server = program.serve(&store)?;
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
        program.backup(&store, &copy)?;

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
        if !*without_state_hashes {
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
            hosting::kinds_in(archive, kinds)?;
        }
        for table in &other_tables {
            if table.described().await?.state() == MatchState::Finished {
                hosting::kinds_in(&table.archive().await?, kinds)?;
            }
        }
        drop(server);
        let record = program.record(plan, seed)?;

        let at = plan.name;
        let whole = pack::all_of(&copy)?;
        let rows = pack::take_out(&copy)?;
        let content = rows
            .iter()
            .find(|row| row.digest.starts_with(host.content()))
            .ok_or("the store does not keep the ruleset's texts")?
            .digest
            .clone();
        for row in &rows {
            texts
                .entry(row.digest.clone())
                .or_insert_with(|| row.text.clone());
        }
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
                content,
            },
            taken_ms,
            contents: rows
                .iter()
                .map(|row| Content {
                    row: row.row,
                    digest: row.digest.clone(),
                })
                .collect(),
            host: host.tokens.host.clone(),
            admin: host.tokens.admin.clone(),
            finished,
            running,
            others,
            record: record.ended,
        };
        let mut text = serde_json::to_string_pretty(&hosted)?;
        text.push('\n');
        let lean = pack::without_texts(&archive, &rows)?;
        let continuation = Continuation {
            moves,
            outcome: json::of("Outcome", &outcome),
        };
        folder.write_plain(&format!("{at}/configuration.json"), text.as_bytes())?;
        folder.write_plain(
            &format!("{at}/store.key"),
            &std::fs::read(key_beside(&copy))?,
        )?;
        folder.write(&format!("{at}/store"), &std::fs::read(&copy)?)?;
        folder.write(&format!("{at}/archive.jsonl"), lean.as_bytes())?;
        folder.write(&format!("{at}/record.yaml"), record.text.as_bytes())?;
        folder.write(
            &format!("{at}/continuation.json"),
            &serde_json::to_vec(&continuation)?,
        )?;
        folder.write(&format!("{at}/seen.json"), &serde_json::to_vec(&seen)?)?;

        // What was packed must be what there was.
        let again = work.path().join("again");
        std::fs::write(&again, std::fs::read(&copy)?)?;
        pack::put_back(&again, &rows)?;
        if pack::all_of(&again)? != whole {
            return Err("the store is not what it was when it is unpacked".into());
        }
        let known = |digest: &str| {
            let row = rows.iter().find(|row| row.digest == digest);
            Ok(row.ok_or("unknown texts")?.text.clone())
        };
        if pack::with_texts(&lean, known)? != archive {
            return Err("the archive is not what it was when it is unpacked".into());
        }
        println!(
            "{at}: {} moves after the copy, {} matches",
            continuation.moves.len(),
            2 + hosted.others.len()
        );
        Ok(())
    }
}
