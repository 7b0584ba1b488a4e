//! `referee snapshot cover`: games are added until the list meets every rule, or as many as were played do.

use interpreter::syntax::Trees;
use std::path::PathBuf;

use indicatif::ProgressBar;
use rayon::prelude::*;
use serde::Serialize;

use super::folder::ruleset;
use crate::cli::format::{Format, json};
use crate::cli::out::{Ink, Out};
use crate::cli::outcome::{Exit, Failure};
use referee_report::prose::{counted, wrapped};
use referee_report::snapshots::cover::{Tries, cover};
use referee_report::snapshots::met::unmet;
use referee_report::snapshots::{GAMES, games, snapshot, write};

/// Games that meet what none does.
#[derive(Clone, Debug, clap::Args)]
pub struct Cover {
    /// The folder of the ruleset
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// How many games each configuration of the list plays at most, in turn at random and greedily
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..))]
    pub games: u64,
    /// The seed of the first game; each other has the next one
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Say which games would be added, and add none
    #[arg(long)]
    pub dry_run: bool,
}

/// For machines. Fields are added, never renamed.
#[derive(Debug, Serialize)]
struct Told {
    schema: &'static str,
    ruleset: String,
    played: u64,
    added: Vec<Added>,
    /// What none of the games met.
    left: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Added {
    name: String,
    players: u8,
    modules: Vec<String>,
    played_by: String,
    seed: u64,
    /// `@captain.load`, `building wharf`: what no game before it meets.
    meets: Vec<String>,
}

/// Runs the command.
///
/// # Errors
///
/// When the folder is no ruleset, an accepted game cannot be played, or the list cannot be written.
pub(super) fn run(args: &Cover, format: Format, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let folder = &args.folder;
    let base = ruleset(folder)?;
    let mut known = games(folder).map_err(Failure::Usage)?;
    let shown = folder.display();
    if known.games.is_empty() {
        return Err(Failure::Usage(format!(
            "`{}` lists no games, so that there is no number of players to play with: \
             `referee snapshot add {shown} <name> --players <n>` adds one",
            folder.join(GAMES).display()
        )));
    }
    let trees = Trees::growing();
    let records = known.games.par_iter().map(|pinned| {
        let one = snapshot(folder, &base, &trees, pinned, None).ok()?;
        Some((pinned, one.record?))
    });
    let Some(records) = records.collect::<Option<Vec<_>>>() else {
        return Err(Failure::Usage(format!(
            "not every accepted game can be played, so that what they meet is not known: `referee snapshot check {shown}` \
             says why"
        )));
    };
    let missing = unmet(&base, &trees, &records);
    let tries = Tries {
        games: args.games,
        seed: args.seed,
    };
    let bar = match out.live {
        true => ProgressBar::new_spinner(),
        false => ProgressBar::hidden(),
    };
    let told = |played: u64| bar.set_message(format!("{played} games"));
    let covered = cover(&base, &known, &missing, tries, &told);
    bar.finish_and_clear();
    let added = covered.chosen.iter().map(|(pinned, meets)| Added {
        name: pinned.name.clone(),
        players: pinned.players,
        modules: pinned.modules.clone(),
        played_by: pinned.played_by.to_string(),
        seed: pinned.seed,
        meets: meets.clone(),
    });
    let added: Vec<Added> = added.collect();
    let (played, left) = (covered.played, covered.left);
    if !args.dry_run && !added.is_empty() {
        let chosen = covered.chosen.into_iter();
        known.games.extend(chosen.map(|(pinned, _)| pinned));
        write(folder, &known)?;
    }
    match format {
        Format::Json => json(
            out,
            &Told {
                schema: "referee.snapshot-cover/1",
                ruleset: shown.to_string(),
                played,
                added,
                left,
            },
        )?,
        Format::Human => tell(args, played, &added, &left, out)?,
    }
    Ok(Exit::Clean)
}

fn tell(
    args: &Cover,
    played: u64,
    added: &[Added],
    left: &[String],
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for game in added {
        let modules: Vec<String> = game
            .modules
            .iter()
            .map(|id| format!(" --with {id}"))
            .collect();
        let head = format!(
            "{}  {} players{}, {}, seed {}",
            game.name,
            game.players,
            modules.concat(),
            game.played_by,
            game.seed
        );
        lines.push((0, head));
        lines.push((4, game.meets.join(", ")));
    }
    if !left.is_empty() {
        lines.push((0, format!("no game met: {}", left.join(", "))));
    }
    for (indent, line) in lines {
        let room = out.width.saturating_sub(indent + 2);
        for (i, part) in wrapped(&line, room).iter().enumerate() {
            let further = if i > 0 { "  " } else { "" };
            writeln!(out.data, "{:indent$}{further}{part}", "")?;
        }
    }
    let verb = if args.dry_run {
        "would be added"
    } else {
        "added"
    };
    let summary = format!(
        "{} played, {} {verb}, {} left",
        counted(usize::try_from(played).unwrap_or(usize::MAX), "game"),
        added.len(),
        left.len()
    );
    writeln!(out.data, "{}", out.paint(Ink::Good, summary))?;
    if added.is_empty() && left.is_empty() {
        out.note("the games that are listed meet everything");
    }
    Ok(())
}
