//! `referee new`: a ruleset or a module that checks and plays, to be changed into one's own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::format::{Format, json};
use super::library::LibraryOptions;
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::ruleset::{Chosen, OverArgs, open};
use referee_report::layout::formatted;

/// Arguments of `new`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee new ruleset my-game
  referee new module tournament --extends puerto-rico
  referee new ruleset my-game --format json

Exit codes: 0 written, 2 it could not be: the folder is there already, or there is no such ruleset.")]
pub struct Args {
    /// What to begin
    #[command(subcommand)]
    pub what: What,
    /// How the result is written
    #[arg(long, value_enum, default_value_t, global = true)]
    pub format: Format,
}

/// What was written, for machines. Fields are added, never renamed.
#[derive(Debug, Serialize)]
struct Begun {
    schema: &'static str,
    id: String,
    /// The ruleset that a module extends.
    extends: Option<String>,
    folder: String,
    files: Vec<String>,
    /// Commands that one may want to type next.
    next: Vec<String>,
}

/// What to begin.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum What {
    /// A ruleset: a small game of two tables of rules, scenarios and a rulebook
    Ruleset {
        /// The folder; its name becomes the id
        folder: PathBuf,
    },
    /// A module: an expansion, a variant or a house rule of a ruleset
    Module {
        /// The folder; its name becomes the id
        folder: PathBuf,
        /// The ruleset that it extends: a shipped one by its name, or the folder of one
        #[arg(long, value_name = "RULESET")]
        extends: String,
        #[command(flatten)]
        #[allow(missing_docs, reason = "explained by its type")]
        library: LibraryOptions,
    },
    /// Anything else, such as a folder alone, which does not say what to begin
    #[command(external_subcommand)]
    Unknown(Vec<OsString>),
}

/// A file of a skeleton: its path and its text, with words in double braces.
type Skeleton = [(&'static str, &'static str)];

const RULESET: &Skeleton = &[
    ("ruleset.yaml", include_str!("ruleset/ruleset.yaml")),
    ("setup.yaml", include_str!("ruleset/setup.yaml")),
    ("names.yaml", include_str!("ruleset/names.yaml")),
    ("table.yaml", include_str!("ruleset/table.yaml")),
    ("rulebook.yaml", include_str!("ruleset/rulebook.yaml")),
    ("sources.yaml", include_str!("ruleset/sources.yaml")),
    (
        "components/gems.yaml",
        include_str!("ruleset/components/gems.yaml"),
    ),
    ("rules/game.rules", include_str!("ruleset/rules/game.rules")),
    (
        "scenarios/round.yaml",
        include_str!("ruleset/scenarios/round.yaml"),
    ),
    ("README.md", include_str!("ruleset/README.md")),
];

const MODULE: &Skeleton = &[
    ("module.yaml", include_str!("module/module.yaml")),
    ("setup.yaml", include_str!("module/setup.yaml")),
    ("names.yaml", include_str!("module/names.yaml")),
    ("rulebook.yaml", include_str!("module/rulebook.yaml")),
    (
        "rules/{{id}}.rules",
        include_str!("module/rules/module.rules"),
    ),
    (
        "scenarios/tokens.yaml",
        include_str!("module/scenarios/tokens.yaml"),
    ),
];

/// Runs the command.
///
/// # Errors
///
/// When the folder is in use, its name is no id, or there is no such ruleset.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let begun = match &args.what {
        What::Ruleset { folder } => {
            let id = id_of(folder)?;
            let path = shown(folder);
            let words = [
                ("title", title(&id)),
                ("id", id.clone()),
                ("path", path.clone()),
            ];
            Begun {
                schema: "referee.new/1",
                files: write(folder, RULESET, &words)?,
                id,
                extends: None,
                folder: folder.display().to_string(),
                next: vec![
                    format!("referee check {path}"),
                    format!("referee test {path}"),
                    format!("referee play {path}"),
                    format!("referee watch {path}"),
                ],
            }
        }
        What::Module {
            folder,
            extends,
            library,
        } => {
            let id = id_of(folder)?;
            let base = open(extends, &OverArgs::default(), library)?;
            let (base_id, players) = about(&base)?;
            let path = shown(folder);
            let words = [
                ("title", title(&id)),
                ("name", id.replace('-', "_")),
                ("folder", id.clone()),
                ("id", id.clone()),
                ("base", base_id.clone()),
                ("called", extends.clone()),
                ("players", players.to_string()),
                ("path", path.clone()),
            ];
            Begun {
                schema: "referee.new/1",
                files: write(folder, MODULE, &words)?,
                extends: Some(base_id),
                folder: folder.display().to_string(),
                next: vec![
                    format!("referee check {extends} --with {path}"),
                    format!("referee test {extends} --with {path} --filter {id}/"),
                    format!("referee show {extends} --with {path}"),
                    format!("referee play {extends} --with {path}"),
                ],
                id,
            }
        }
        What::Unknown(words) => {
            // Behind a word that is none of these stands the folder.
            let folder = words.get(1).or(words.first());
            let folder = Path::new(folder.map_or("".as_ref(), OsString::as_os_str)).display();
            return Err(Failure::Usage(format!(
                "say what to begin: `referee new ruleset {folder}`, or `referee new module {folder} --extends <RULESET>`"
            )));
        }
    };
    match args.format {
        Format::Human => {
            for file in &begun.files {
                writeln!(out.data, "{file}")?;
            }
            writeln!(out.data, "\n{}", out.paint(Ink::Heading, "next:"))?;
            for command in &begun.next {
                writeln!(out.data, "  {command}")?;
            }
        }
        Format::Json => json(out, &begun)?,
    }
    Ok(Exit::Clean)
}

/// The id of a ruleset and the fewest players it allows.
fn about(base: &Chosen) -> Result<(String, u8), Failure> {
    let (package, _, diagnostics) = base.package(0);
    let package = package.ok_or_else(|| {
        let first = diagnostics.sorted().list.first().map(|d| d.message.clone());
        Failure::Usage(format!(
            "`{}` cannot be read: {}",
            base.called,
            first.unwrap_or_default()
        ))
    })?;
    Ok((package.id.node, package.players.0.max(1)))
}

/// Returns the id that the name of a folder gives.
///
/// # Errors
///
/// When the name is not an id; the message proposes one.
pub fn id_of(folder: &Path) -> Result<String, Failure> {
    let absolute = std::path::absolute(folder)?;
    let name = absolute
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let sound = name.chars().all(plain)
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.ends_with('-')
        && !name.contains("--");
    if sound {
        return Ok(name);
    }
    let mut mended = String::new();
    for c in name.to_lowercase().chars() {
        match c {
            c if c.is_ascii_lowercase() || (c.is_ascii_digit() && !mended.is_empty()) => {
                mended.push(c)
            }
            _ if !mended.is_empty() && !mended.ends_with('-') => mended.push('-'),
            _ => {}
        }
    }
    let mended = mended.trim_end_matches('-');
    Err(Failure::Usage(format!(
        "`{name}` is no id: it consists of small letters, digits and single hyphens and begins with a letter{}",
        match mended {
            "" => String::new(),
            mended => format!("; call the folder `{mended}`"),
        }
    )))
}

/// Returns the title that a skeleton gets from its id: `My game` for `my-game`.
pub fn title(id: &str) -> String {
    let mut letters = id.replace('-', " ");
    if let Some(first) = letters.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    letters
}

/// A path as it is written in a command.
fn shown(folder: &Path) -> String {
    let text = folder.display().to_string();
    // A bare word would be taken for the name of a shipped ruleset or module.
    match text.contains(std::path::MAIN_SEPARATOR) {
        true => text,
        false => format!("./{text}"),
    }
}

/// Writes the files of a skeleton, and says which.
fn write(
    folder: &Path,
    skeleton: &Skeleton,
    words: &[(&str, String)],
) -> Result<Vec<String>, Failure> {
    let taken = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => {
            return Err(Failure::Usage(format!("`{}`: {error}", folder.display())));
        }
    };
    if taken {
        return Err(Failure::Usage(format!(
            "`{}` is there already and not empty; name another folder",
            folder.display()
        )));
    }
    let filled = |text: &str| {
        words.iter().fold(text.to_owned(), |text, (name, word)| {
            text.replace(&format!("{{{{{name}}}}}"), word)
        })
    };
    let mut written = Vec::new();
    for (path, text) in skeleton {
        let path = folder.join(filled(path));
        if let Some(above) = path.parent() {
            std::fs::create_dir_all(above)?;
        }
        let text = filled(text);
        // What was filled in has moved the citations out of their column.
        let text = match path.extension().is_some_and(|e| e == "rules") {
            true => formatted(&path.display().to_string(), &text).unwrap_or(text),
            false => text,
        };
        std::fs::write(&path, text)?;
        written.push(path.display().to_string());
    }
    Ok(written)
}
