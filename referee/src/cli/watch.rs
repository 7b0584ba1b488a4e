//! `referee watch`: checks and tests a ruleset whenever a file of it is saved.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use notify::{EventKind, RecursiveMode, Watcher as _};
use serde::Serialize;
use serde_json::Value;

use super::format::Format;
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::ruleset::{Players, RulesetArgs};
use super::{check, test};

/// Arguments of `watch`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee watch my-game
  referee watch puerto-rico --with ./tournament        watches the module
  referee watch my-game --filter captain               only these scenarios
  referee watch my-game --format json                  a line of JSON for each look

Ends with Ctrl-C. Exit codes: 0 ended, 2 there is nothing to watch.")]
pub struct Args {
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub ruleset: RulesetArgs,
    /// Only scenarios whose name or file contains this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Only check, run no scenarios
    #[arg(long)]
    pub no_test: bool,
    /// How the result is written; JSON is one line for each look
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// End after so many rounds
    #[arg(long, value_name = "N", hide = true)]
    pub rounds: Option<u32>,
}

/// A look at the ruleset, for machines. Fields are added, never renamed.
#[derive(Debug, Serialize)]
struct Look {
    schema: &'static str,
    /// Files that were saved since the last look.
    changed: Vec<String>,
    /// What `check --format json` says.
    check: Option<Value>,
    /// What `test --format json` says; nothing if the ruleset has mistakes.
    test: Option<Value>,
    /// Why something could not be looked at.
    errors: Vec<String>,
    /// How long checking took, and all of it.
    checked_ms: u128,
    done_ms: u128,
}

/// Editors write a file in several strokes: they are waited for.
const QUIET: Duration = Duration::from_millis(40);

/// Runs the command.
///
/// # Errors
///
/// When the ruleset cannot be found, or nothing of it is a folder.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    // Whether it is there at all is said before anything is waited for.
    args.ruleset.open()?;
    let named = std::iter::once(&args.ruleset.ruleset).chain(&args.ruleset.over.with);
    let folders: Vec<PathBuf> = named
        .map(PathBuf::from)
        .filter(|path| path.is_dir())
        .collect();
    if folders.is_empty() {
        return Err(Failure::Usage(format!(
            "`{}` is shipped in this program, there is nothing to watch; name the folder of a ruleset, or a module's behind `--with`",
            args.ruleset.ruleset
        )));
    }
    let (saved, saves) = mpsc::channel::<PathBuf>();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        if matches!(event.kind, EventKind::Access(_) | EventKind::Other) {
            return;
        }
        for path in event.paths {
            let shown = path.to_string_lossy();
            let hidden = path
                .file_name()
                .is_none_or(|name| name.to_string_lossy().starts_with('.'));
            if !hidden && referee_library::ruleset_files::belongs(&shown) {
                let _ = saved.send(path);
            }
        }
    })
    .map_err(|error| Failure::Usage(format!("files cannot be watched: {error}")))?;
    for folder in &folders {
        watcher
            .watch(folder, RecursiveMode::Recursive)
            .map_err(|error| Failure::Usage(format!("`{}`: {error}", folder.display())))?;
    }
    let mut rounds = 0;
    let mut changed: Vec<PathBuf> = Vec::new();
    loop {
        match args.format {
            Format::Human => round(args, &changed, out)?,
            Format::Json => line(args, &changed, out)?,
        }
        rounds += 1;
        if args.rounds.is_some_and(|most| rounds >= most) {
            return Ok(Exit::Clean);
        }
        let Ok(first) = saves.recv() else {
            return Ok(Exit::Clean);
        };
        changed = vec![first];
        while let Ok(more) = saves.recv_timeout(QUIET) {
            changed.push(more);
        }
        changed.sort();
        changed.dedup();
    }
}

fn round(args: &Args, changed: &[PathBuf], out: &mut Out<'_>) -> Result<(), Failure> {
    if out.live {
        // A clean screen, as if nothing had been before.
        write!(out.data, "\u{1b}[2J\u{1b}[H")?;
    }
    let names: Vec<String> = changed.iter().map(|path| short(path)).collect();
    if !names.is_empty() {
        let text = format!("── {}", names.join(", "));
        writeln!(out.data, "{}", out.paint(Ink::Heading, text))?;
    }
    let began = Instant::now();
    let checked = check::run(&checking(args), out);
    // A file that is being written, or a folder that is gone for a moment, is no reason to stop.
    let clean = match checked {
        Ok(exit) => exit == Exit::Clean,
        Err(Failure::Output(error)) => return Err(error.into()),
        Err(failure) => {
            out.error(&failure);
            false
        }
    };
    let took = began.elapsed();
    if clean && !args.no_test {
        match test::run(&testing(args), out) {
            Err(Failure::Output(error)) => return Err(error.into()),
            Err(failure) => out.error(&failure),
            Ok(_) => {}
        }
    }
    let text = format!(
        "checked in {} ms, done in {} ms; waiting for a save",
        took.as_millis(),
        began.elapsed().as_millis()
    );
    writeln!(out.data, "{}", out.paint(Ink::Dim, text))?;
    out.data.flush()?;
    Ok(())
}

fn checking(args: &Args) -> check::Args {
    check::Args {
        ruleset: args.ruleset.clone(),
        players: Players::All,
        format: args.format,
        fail_on_warn: false,
        signed: false,
        keys: None,
    }
}

fn testing(args: &Args) -> test::Args {
    test::Args {
        ruleset: Some(args.ruleset.ruleset.clone()),
        with: args.ruleset.over.with.clone(),
        filter: args.filter.clone(),
        format: args.format,
        library: args.ruleset.library.clone(),
        quiet: true,
        trace: false,
        update: false,
    }
}

/// A look as a line of JSON.
fn line(args: &Args, changed: &[PathBuf], out: &mut Out<'_>) -> Result<(), Failure> {
    let began = Instant::now();
    let mut errors = Vec::new();
    let mut said = |run: &dyn Fn(&mut Out<'_>) -> Result<Exit, Failure>| {
        let (mut data, mut notes) = (Vec::new(), Vec::new());
        match run(&mut Out::plain(&mut data, &mut notes)) {
            Ok(exit) => Some((exit, serde_json::from_slice::<Value>(&data).ok()?)),
            Err(failure) => {
                errors.push(failure.to_string());
                None
            }
        }
    };
    let checked = said(&|out| check::run(&checking(args), out));
    let checked_ms = began.elapsed().as_millis();
    let clean = matches!(checked, Some((Exit::Clean, _)));
    let tested = match clean && !args.no_test {
        true => said(&|out| test::run(&testing(args), out)),
        false => None,
    };
    let look = Look {
        schema: "referee.watch/1",
        changed: changed
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
        check: checked.map(|(_, value)| value),
        test: tested.map(|(_, value)| value),
        errors,
        checked_ms,
        done_ms: began.elapsed().as_millis(),
    };
    let text =
        serde_json::to_string(&look).map_err(|error| Failure::Internal(error.to_string()))?;
    writeln!(out.data, "{text}")?;
    out.data.flush()?;
    Ok(())
}

/// The last two parts of a path: `rules/turn.rules`.
fn short(path: &Path) -> String {
    let parts: Vec<String> = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    parts[parts.len().saturating_sub(2)..].join("/")
}
