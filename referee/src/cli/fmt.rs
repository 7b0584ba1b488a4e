//! `referee fmt`: `.rules` files written anew, so that nobody argues about blanks.

use std::path::{Path, PathBuf};

use super::author::{Exit, Failure};
use super::out::{Ink, Out};
use crate::report::layout::{Left, formatted};
use crate::report::prose::counted;

/// Arguments of `fmt`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Sentences are indented by two spaces, citations stand in column 77, no line ends in blanks. What continues a \
sentence, scripts and lines in brackets move along as they are. YAML is left alone. A file is parsed before and \
after: if it would mean anything else it is not touched.

Examples:
  referee fmt my-game
  referee fmt --check rulesets                (for continuous integration)
  referee fmt --diff my-game/rules/turn.rules
  referee fmt - < turn.rules                  (for editors)

Exit codes: 0 written, or nothing to do; 1 a file has mistakes, or --check found one to be written anew; 2 it \
could not be read or written.")]
pub struct Args {
    /// Files and folders; `-` reads one file from standard input and writes it to standard output
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Change nothing; end with 1 if a file would be written anew
    #[arg(long)]
    pub check: bool,
    /// Change nothing; show what would change
    #[arg(long)]
    pub diff: bool,
}

/// Runs the command.
///
/// # Errors
///
/// When a file cannot be read or written.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    if args.paths == [Path::new("-")] {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut std::io::stdin().lock(), &mut text)?;
        return Ok(match anew("-", &text, out) {
            Some(written) => {
                write!(out.data, "{written}")?;
                Exit::Clean
            }
            // Whoever pipes a file through must not lose it.
            None => {
                write!(out.data, "{text}")?;
                Exit::Bad
            }
        });
    }
    let mut files = Vec::new();
    for path in &args.paths {
        gather(path, &mut files)?;
    }
    if files.is_empty() {
        let named: Vec<String> = args
            .paths
            .iter()
            .map(|p| format!("`{}`", p.display()))
            .collect();
        return Err(Failure::Usage(format!(
            "there is no `.rules` file in {}; others are left alone",
            named.join(", ")
        )));
    }
    let (mut changed, mut bad) = (0, false);
    for file in &files {
        let text = std::fs::read_to_string(file)
            .map_err(|error| Failure::Usage(format!("`{}`: {error}", file.display())))?;
        let shown = file.display().to_string();
        let Some(written) = anew(&shown, &text, out) else {
            bad = true;
            continue;
        };
        if written == text {
            continue;
        }
        changed += 1;
        if args.diff {
            difference(&shown, &text, &written, out)?;
        } else {
            writeln!(out.data, "{shown}")?;
        }
        if !args.check && !args.diff {
            std::fs::write(file, &written)
                .map_err(|error| Failure::Usage(format!("`{shown}`: {error}")))?;
        }
    }
    let what = match args.check || args.diff {
        true => "would be written anew",
        false => "written anew",
    };
    out.note(format_args!(
        "{} of {} {what}",
        changed,
        counted(files.len(), "file")
    ));
    Ok(match bad || (args.check && changed > 0) {
        true => Exit::Bad,
        false => Exit::Clean,
    })
}

/// A file written anew; none if it is left alone, and why is told.
fn anew(path: &str, text: &str, out: &mut Out<'_>) -> Option<String> {
    match formatted(path, text) {
        Ok(written) => Some(written),
        Err(Left::Mistakes(sources, diagnostics)) => {
            out.diagnostics_of(&sources, &diagnostics);
            None
        }
        Err(Left::Meaning) => {
            out.error(format_args!(
                "`{path}` is left alone: written anew it would mean something else, which is a bug of ours"
            ));
            None
        }
    }
}

/// The `.rules` files of a path. Others are passed over, so that a shell may name all files of a folder.
fn gather(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failed = |error| Failure::Usage(format!("`{}`: {error}", path.display()));
    if !path.is_dir() {
        if !path.exists() {
            return Err(Failure::Usage(format!("there is no `{}`", path.display())));
        }
        let rules = path.extension().is_some_and(|e| e == "rules");
        files.extend(rules.then(|| path.to_owned()));
        return Ok(());
    }
    let mut entries: Vec<PathBuf> = std::fs::read_dir(path)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    entries.sort();
    for entry in entries {
        let hidden = entry
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !hidden {
            gather(&entry, files)?;
        }
    }
    Ok(())
}

fn difference(path: &str, before: &str, after: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    writeln!(out.data, "{}", out.paint(Ink::Heading, path))?;
    let diff = similar::TextDiff::from_lines(before, after);
    for hunk in diff.unified_diff().context_radius(1).iter_hunks() {
        for change in hunk.iter_changes() {
            let (sign, ink) = match change.tag() {
                similar::ChangeTag::Delete => ("-", Ink::Bad),
                similar::ChangeTag::Insert => ("+", Ink::Added),
                similar::ChangeTag::Equal => (" ", Ink::Dim),
            };
            let text = change.value().trim_end_matches('\n');
            writeln!(out.data, "{}", out.paint(ink, format!("{sign}{text}")))?;
        }
    }
    Ok(())
}
