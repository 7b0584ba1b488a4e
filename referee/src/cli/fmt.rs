//! `referee fmt`: `.rules` files written anew, so that nobody argues about blanks.

use std::path::{Path, PathBuf};

use interpreter::diagnostic::Report;
use serde::Serialize;

use super::format::{Format, json};
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use referee_report::layout::{Left, formatted};
use referee_report::prose::counted;

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
  referee fmt --check --format json my-game

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
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What was done, for machines. Fields are added, never renamed.
#[derive(Debug, Serialize)]
struct Formatted {
    schema: &'static str,
    /// Whether what differs was written; not with `--check` and `--diff`.
    written: bool,
    files: usize,
    /// Files that differ from what would be written.
    changed: Vec<Changed>,
    /// Files that have mistakes.
    left_alone: Vec<LeftAlone>,
}

#[derive(Debug, Serialize)]
struct Changed {
    file: String,
    /// The lines that differ, with `--diff`.
    diff: Option<String>,
}

#[derive(Debug, Serialize)]
struct LeftAlone {
    file: String,
    diagnostics: Vec<Report>,
}

/// Runs the command.
///
/// # Errors
///
/// When a file cannot be read or written.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    if args.paths == [Path::new("-")] {
        if args.format == Format::Json {
            return Err(Failure::Usage(
                "what is read from standard input is written to standard output: leave `--format` out"
                    .to_owned(),
            ));
        }
        let mut text = String::new();
        std::io::Read::read_to_string(&mut std::io::stdin().lock(), &mut text)?;
        return Ok(match formatted("-", &text) {
            Ok(written) => {
                write!(out.data, "{written}")?;
                Exit::Clean
            }
            // Whoever pipes a file through must not lose it.
            Err(left) => {
                told("-", &left, out);
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
    let writes = !args.check && !args.diff;
    let human = args.format == Format::Human;
    let (mut changed, mut left_alone) = (Vec::new(), Vec::new());
    for file in &files {
        let text = std::fs::read_to_string(file)
            .map_err(|error| Failure::Usage(format!("`{}`: {error}", file.display())))?;
        let shown = file.display().to_string();
        let written = match formatted(&shown, &text) {
            Ok(written) => written,
            Err(left) => {
                // A bug of ours has no place in the text.
                if human || matches!(left, Left::Meaning) {
                    told(&shown, &left, out);
                }
                left_alone.push(LeftAlone {
                    diagnostics: left.reports(),
                    file: shown,
                });
                continue;
            }
        };
        if written == text {
            continue;
        }
        let lines = args.diff.then(|| difference(&text, &written));
        match &lines {
            _ if !human => {}
            Some(lines) => {
                writeln!(out.data, "{}", out.paint(Ink::Heading, &shown))?;
                for line in lines {
                    let ink = match line.as_bytes().first() {
                        Some(b'-') => Ink::Bad,
                        Some(b'+') => Ink::Added,
                        _ => Ink::Dim,
                    };
                    writeln!(out.data, "{}", out.paint(ink, line))?;
                }
            }
            None => writeln!(out.data, "{shown}")?,
        }
        if writes {
            std::fs::write(file, &written)
                .map_err(|error| Failure::Usage(format!("`{shown}`: {error}")))?;
        }
        changed.push(Changed {
            file: shown,
            diff: lines.map(|lines| lines.join("\n")),
        });
    }
    let bad = !left_alone.is_empty() || (args.check && !changed.is_empty());
    match human {
        true => {
            let what = match writes {
                true => "written anew",
                false => "would be written anew",
            };
            out.note(format_args!(
                "{} of {} {what}",
                changed.len(),
                counted(files.len(), "file")
            ));
        }
        false => json(
            out,
            &Formatted {
                schema: "referee.fmt/1",
                written: writes,
                files: files.len(),
                changed,
                left_alone,
            },
        )?,
    }
    Ok(match bad {
        true => Exit::Bad,
        false => Exit::Clean,
    })
}

/// Tells why a file is left alone.
fn told(path: &str, left: &Left, out: &mut Out<'_>) {
    match left {
        Left::Mistakes(sources, diagnostics) => out.diagnostics_of(sources, diagnostics),
        Left::Meaning => out.error(format_args!(
            "`{path}` is left alone: written anew it would mean something else, which is a bug of ours"
        )),
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

/// The lines that differ, each with its sign, and a line around them.
fn difference(before: &str, after: &str) -> Vec<String> {
    let diff = similar::TextDiff::from_lines(before, after);
    let mut lines = Vec::new();
    for hunk in diff.unified_diff().context_radius(1).iter_hunks() {
        lines.extend(hunk.iter_changes().map(|change| {
            let sign = match change.tag() {
                similar::ChangeTag::Delete => "-",
                similar::ChangeTag::Insert => "+",
                similar::ChangeTag::Equal => " ",
            };
            format!("{sign}{}", change.value().trim_end_matches('\n'))
        }));
    }
    lines
}
