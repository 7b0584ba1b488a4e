//! `referee schema`: JSON Schemas of the YAML files, so that editors complete and check them.

use std::path::PathBuf;

use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};

/// Arguments of `schema`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Schemas say what a file may look like; whether it fits its ruleset, `referee check` says.

Examples:
  referee schema                               lists them
  referee schema scenarios                     prints one
  referee schema --write .schemas              writes all, and says what editors need

An editor with a YAML language server reads the first line of a file:
  # yaml-language-server: $schema=.schemas/scenarios.schema.json")]
pub struct Args {
    /// The kind of file
    #[arg(value_enum, value_name = "FILE")]
    pub file: Option<Kind>,
    /// Write all of them into a folder
    #[arg(long, value_name = "DIR", conflicts_with = "file")]
    pub write: Option<PathBuf>,
}

/// Kinds of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// `ruleset.yaml`
    Ruleset,
    /// `module.yaml`
    Module,
    /// `components/*.yaml`
    Components,
    /// `setup.yaml`
    Setup,
    /// `rulebook.yaml`
    Rulebook,
    /// `sources.yaml`
    Sources,
    /// `print.yaml`
    Print,
    /// `names.yaml`
    Names,
    /// `table.yaml`
    Table,
    /// `scenarios/**/*.yaml`
    Scenarios,
    /// `proof.yaml`
    Proof,
    /// `equivalents.yaml`
    Equivalents,
    /// `review.yaml`
    Review,
}

/// Each kind with its name, the files it is for, and its schema.
pub const SCHEMAS: [(Kind, &str, &str, &str); 13] = [
    (
        Kind::Ruleset,
        "ruleset",
        "ruleset.yaml",
        include_str!("../../schemas/ruleset.schema.json"),
    ),
    (
        Kind::Module,
        "module",
        "module.yaml",
        include_str!("../../schemas/module.schema.json"),
    ),
    (
        Kind::Components,
        "components",
        "components/*.yaml",
        include_str!("../../schemas/components.schema.json"),
    ),
    (
        Kind::Setup,
        "setup",
        "setup.yaml",
        include_str!("../../schemas/setup.schema.json"),
    ),
    (
        Kind::Rulebook,
        "rulebook",
        "rulebook.yaml",
        include_str!("../../schemas/rulebook.schema.json"),
    ),
    (
        Kind::Sources,
        "sources",
        "sources.yaml",
        include_str!("../../schemas/sources.schema.json"),
    ),
    (
        Kind::Print,
        "print",
        "print.yaml",
        include_str!("../../schemas/print.schema.json"),
    ),
    (
        Kind::Names,
        "names",
        "names.yaml",
        include_str!("../../schemas/names.schema.json"),
    ),
    (
        Kind::Table,
        "table",
        "table.yaml",
        include_str!("../../schemas/table.schema.json"),
    ),
    (
        Kind::Scenarios,
        "scenarios",
        "scenarios/**/*.yaml",
        include_str!("../../schemas/scenarios.schema.json"),
    ),
    (
        Kind::Proof,
        "proof",
        "proof.yaml",
        include_str!("../../schemas/proof.schema.json"),
    ),
    (
        Kind::Equivalents,
        "equivalents",
        "equivalents.yaml",
        include_str!("../../schemas/equivalents.schema.json"),
    ),
    (
        Kind::Review,
        "review",
        "review.yaml",
        include_str!("../../schemas/review.schema.json"),
    ),
];

/// Runs the command.
///
/// # Errors
///
/// When a schema cannot be written.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    if let Some(kind) = args.file {
        for (_, _, _, text) in SCHEMAS.iter().filter(|(known, ..)| *known == kind) {
            write!(out.data, "{text}")?;
        }
        return Ok(Exit::Clean);
    }
    if let Some(folder) = &args.write {
        let failed =
            |error: std::io::Error| Failure::Usage(format!("`{}`: {error}", folder.display()));
        std::fs::create_dir_all(folder).map_err(failed)?;
        let mut settings = serde_json::Map::new();
        for (_, name, files, text) in SCHEMAS {
            let path = folder.join(format!("{name}.schema.json"));
            std::fs::write(&path, text).map_err(failed)?;
            writeln!(out.data, "{}", path.display())?;
            let pattern = format!("**/{files}");
            settings.insert(path.display().to_string(), pattern.into());
        }
        out.note("for Visual Studio Code, in `.vscode/settings.json`:");
        let settings = serde_json::json!({ "yaml.schemas": settings });
        let text = serde_json::to_string_pretty(&settings)
            .map_err(|error| Failure::Internal(error.to_string()))?;
        writeln!(out.notes, "{text}")?;
        return Ok(Exit::Clean);
    }
    for (_, name, files, _) in SCHEMAS {
        let name = out.paint(Ink::Clause, format!("{name:<11}"));
        writeln!(out.data, "{name} {files}")?;
    }
    Ok(Exit::Clean)
}
