//! Which ruleset a command is about: a shipped name or a folder, with modules and options.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::{Diagnostics, did_you_mean};
use interpreter::package::{Configuration, Glimpse, Package, PackageTexts};
use interpreter::play::{CompileOptions, Rejected};
use interpreter::source::Sources;
use interpreter::syntax::Trees;

use super::library::LibraryOptions;
use super::out::Out;
use super::outcome::Failure;
use referee_library::{compose, read_folder, shipped};
use referee_report::proving::kept::Kept;

/// The manifest of a ruleset and of a module.
const MANIFESTS: (&str, &str) = ("ruleset.yaml", "module.yaml");

/// Arguments that name a ruleset and how it is configured.
#[derive(Clone, Debug, clap::Args)]
pub struct RulesetArgs {
    /// A shipped ruleset by its name, or the folder of one
    #[arg(value_name = "RULESET")]
    pub ruleset: String,
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub over: OverArgs,
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub library: LibraryOptions,
}

/// What is laid over a ruleset.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct OverArgs {
    /// Lay a module over it: one that it offers, or the folder of a house rule; may be repeated
    #[arg(long, value_name = "MODULE", value_delimiter = ',')]
    pub with: Vec<String>,
    /// Set an option of the ruleset: `name`, `name=false` or `name=3`; may be repeated
    #[arg(long = "option", value_name = "NAME[=VALUE]", value_delimiter = ',')]
    pub options: Vec<String>,
}

/// A ruleset with what is laid over it, not yet compiled.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// Its texts.
    pub base: PackageTexts,
    /// Folders of house rules.
    pub house: Vec<(String, PackageTexts)>,
    /// Modules that it offers itself.
    pub modules: Vec<String>,
    /// Options that differ from their defaults.
    pub options: BTreeMap<String, i64>,
    /// How the user called it, for commands to repeat.
    pub called: String,
    /// Parsed trees of its texts. Every compilation of this ruleset uses and extends them.
    pub trees: Trees,
}

impl RulesetArgs {
    /// Finds the ruleset and reads its texts.
    ///
    /// # Errors
    ///
    /// When there is no such ruleset, or a file cannot be read.
    pub fn open(&self) -> Result<Chosen, Failure> {
        open(&self.ruleset, &self.over, &self.library)
    }
}

/// Finds a ruleset and reads its texts.
///
/// # Errors
///
/// When there is no such ruleset, or a file cannot be read.
pub fn open(called: &str, over: &OverArgs, library: &LibraryOptions) -> Result<Chosen, Failure> {
    let base = find(called, library)?;
    let (mut house, mut modules) = (Vec::new(), Vec::new());
    for with in &over.with {
        let folder = Path::new(with);
        if folder.join(MANIFESTS.1).is_file() {
            let name = folder
                .file_name()
                .map_or_else(|| with.clone(), |n| n.to_string_lossy().into_owned());
            house.push((name, read_folder(folder)?));
        } else if is_path(with) {
            return Err(Failure::Usage(format!(
                "`{with}` is no module: it has no `{}`",
                MANIFESTS.1
            )));
        } else {
            let offered: Vec<&str> = base
                .files
                .iter()
                .filter_map(|(path, _)| path.strip_prefix("modules/")?.strip_suffix("/module.yaml"))
                .collect();
            if !offered.contains(&with.as_str()) {
                return Err(Failure::Usage(no_module(with, called, &offered)));
            }
            modules.push(with.clone());
        }
    }
    let options = over
        .options
        .iter()
        .map(|text| option(text))
        .collect::<Result<_, _>>()?;
    Ok(Chosen {
        base,
        house,
        modules,
        options,
        called: called.to_owned(),
        trees: Trees::growing(),
    })
}

/// What is said of `--with` when neither the ruleset nor a folder has such a module.
fn no_module(with: &str, called: &str, offered: &[&str]) -> String {
    let folders = std::fs::read_dir(".").into_iter().flatten().flatten();
    let near: Vec<String> = folders
        .filter(|entry| entry.path().join(MANIFESTS.1).is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let known = || {
        offered
            .iter()
            .copied()
            .chain(near.iter().map(String::as_str))
    };
    let hint = did_you_mean(with, known()).unwrap_or_else(|| match offered {
        [] => format!("`{called}` offers no modules; a house rule is named by its folder"),
        _ => format!(
            "`{called}` offers {}; a house rule is named by its folder",
            offered.join(", ")
        ),
    });
    format!(
        "there is no module `{with}`, nor a folder of that name with a `{}`; {hint}",
        MANIFESTS.1
    )
}

fn find(called: &str, library: &LibraryOptions) -> Result<PackageTexts, Failure> {
    let folder = Path::new(called);
    // What lies before the author's eyes is meant rather than what was shipped under its name.
    if folder.join(MANIFESTS.0).is_file() {
        return Ok(read_folder(folder)?);
    }
    if folder.join(MANIFESTS.1).is_file() {
        return Err(Failure::Usage(format!(
            "`{called}` is a module: name the ruleset that it extends, and the module behind `--with`"
        )));
    }
    if is_path(called) {
        let what = if folder.is_dir() {
            "is no ruleset: it has no `ruleset.yaml`"
        } else {
            "is no folder"
        };
        return Err(Failure::Usage(format!("`{called}` {what}")));
    }
    if library.rulesets.is_empty()
        && let Some(texts) = shipped(called)
    {
        return Ok(texts);
    }
    let library = library.library()?;
    if let Some(edition) = library.get(called) {
        return Ok(edition.texts.clone());
    }
    let names: Vec<&str> = library.iter().map(|edition| edition.id.as_str()).collect();
    let hint = did_you_mean(called, names.iter().copied()).unwrap_or_else(|| {
        format!(
            "shipped are {}; anything else is named by the path of its folder",
            names.join(", ")
        )
    });
    Err(Failure::Usage(format!(
        "there is no ruleset `{called}`; {hint}"
    )))
}

fn is_path(text: &str) -> bool {
    text.contains(['/', std::path::MAIN_SEPARATOR])
        || text == "."
        || text == ".."
        || Path::new(text).is_dir()
}

/// `name`, `name=false` or `name=3`.
///
/// # Errors
///
/// When the value is none of these.
pub fn option(text: &str) -> Result<(String, i64), Failure> {
    let (name, value) = text.split_once('=').unwrap_or((text, "true"));
    let value = match value {
        "true" => 1,
        "false" => 0,
        number => number.parse().map_err(|_| {
            Failure::Usage(format!(
                "`{text}`: an option is `true`, `false` or a number"
            ))
        })?,
    };
    Ok((name.to_owned(), value))
}

impl Chosen {
    /// What is kept of proofs of it and of what is laid over it.
    ///
    /// # Errors
    ///
    /// When a file of a proof is none.
    pub fn kept(&self) -> Result<Kept, String> {
        Kept::read(&self.base, &self.house, &self.modules)
    }

    /// The command that proves it, or what is laid over it, and keeps the proof: `prove rulesets/puerto-rico --keep`. It takes
    /// the folder, also where the ruleset was named that comes with the program.
    pub fn proving(&self, layer: Option<&str>) -> String {
        let house = |layer: &str| {
            let found = self.house.iter().find(|(name, _)| name == layer);
            found.map(|(_, texts)| texts.path.clone())
        };
        let mut with: Vec<String> = layer.iter().map(|layer| (*layer).to_owned()).collect();
        // What it needs beside it, and what that needs.
        let mut next = 0;
        while let Some(manifest) = with
            .get(next)
            .map(|name| format!("modules/{name}/{}", MANIFESTS.1))
        {
            let needed = self.base.get(&manifest).map(Glimpse::of);
            for needed in needed.into_iter().flat_map(|needed| needed.requires) {
                if !with.contains(&needed) {
                    with.push(needed);
                }
            }
            next += 1;
        }
        let with = with
            .iter()
            .map(|name| house(name).unwrap_or_else(|| name.clone()));
        let with: String = with
            .map(|with| format!(" --with {}", quoted(&with)))
            .collect();
        // The proof of a house rule is kept beside that.
        let is_kept_here =
            layer.is_none_or(|layer| self.house.iter().all(|(name, _)| name != layer));
        let folder = match is_kept_here && !Path::new(&self.called).is_dir() {
            true => format!("path/to/{}", self.called),
            false => self.called.clone(),
        };
        format!("prove {}{with} --keep", quoted(&folder))
    }

    /// The configuration for a number of players.
    pub fn configuration(&self, players: u8) -> Configuration {
        Configuration {
            players,
            modules: self.modules.clone(),
            options: self.options.clone(),
        }
    }

    /// The modules that are laid over it, in their order: those that it offers, then house rules, by the ids in their manifests.
    pub fn layers(&self) -> Vec<String> {
        let offered = self.modules.iter().cloned();
        let house = self.house.iter().map(|(name, texts)| {
            let glimpse = Glimpse::of(texts.get(MANIFESTS.1).unwrap_or_default());
            glimpse.id.unwrap_or_else(|| name.clone())
        });
        offered.chain(house).collect()
    }

    /// The folder of the base, or of a module that is laid over it; none of what comes with the program.
    pub fn folder(&self, module: Option<&str>) -> Option<PathBuf> {
        let base = Path::new(&self.called);
        let base = base.join(MANIFESTS.0).is_file().then(|| base.to_owned());
        let Some(module) = module else { return base };
        let own = self.house.iter().find(|(name, texts)| {
            let glimpse = Glimpse::of(texts.get(MANIFESTS.1).unwrap_or_default());
            glimpse.id.as_deref().unwrap_or(name) == module
        });
        match own {
            Some((_, texts)) => Some(PathBuf::from(&texts.path)),
            None => base.map(|base| base.join("modules").join(module)),
        }
    }

    /// Loads and composes the package without checking its rules. None if not even the manifest can
    /// be read; the reasons are in the diagnostics.
    pub fn package(&self, players: u8) -> (Option<Package>, Sources, Diagnostics) {
        compose(
            &self.trees,
            &self.base,
            &self.house,
            &self.configuration(players),
        )
    }

    /// The numbers of players that the composed package allows; the mistakes if it cannot be read.
    ///
    /// # Errors
    ///
    /// When not even the manifest can be read.
    pub fn players(&self) -> Result<std::ops::RangeInclusive<u8>, Box<Rejected>> {
        let (package, sources, diagnostics) = self.package(0);
        match package {
            // A manifest with a mistake here is reported by whoever compiles; a range must not run wild.
            Some(package) => Ok(package.players.0.max(1)..=package.players.1.clamp(1, 16)),
            None => Err(Box::new(Rejected {
                diagnostics: diagnostics.settled(&sources),
                sources,
            })),
        }
    }

    /// The ruleset for the number of players that was asked for, or for the fewest; none if it has mistakes, which are
    /// then told.
    ///
    /// # Errors
    ///
    /// When the ruleset does not allow so many.
    pub fn compiled(
        &self,
        asked: Option<u8>,
        out: &mut Out<'_>,
    ) -> Result<Option<Arc<Ruleset>>, Failure> {
        let tell = |rejected: Box<Rejected>| out.rejected(&rejected);
        let Some(allowed) = self.players().map_err(tell).ok() else {
            return Ok(None);
        };
        let players = asked.unwrap_or(*allowed.start());
        if !allowed.contains(&players) {
            let (from, to) = allowed.into_inner();
            return Err(Failure::Usage(format!(
                "`{}` is for {from} to {to} players, not {players}",
                self.called
            )));
        }
        let tell = |rejected: Box<Rejected>| out.rejected(&rejected);
        let ruleset = self.compile(players, CompileOptions::default());
        Ok(ruleset.map_err(tell).ok())
    }

    /// Compiles for a number of players.
    ///
    /// # Errors
    ///
    /// When the ruleset has mistakes.
    pub fn compile(
        &self,
        players: u8,
        options: CompileOptions,
    ) -> Result<Arc<Ruleset>, Box<Rejected>> {
        Ruleset::compile_again(
            &self.base,
            &self.house,
            &self.configuration(players),
            options,
            &self.trees,
        )
        .map_err(Box::new)
    }

    /// What to write in a command line to mean this ruleset with all that is laid over it.
    pub fn words(&self, over: &OverArgs) -> String {
        let mut words = vec![quoted(&self.called)];
        words.extend(
            over.with
                .iter()
                .map(|with| format!("--with {}", quoted(with))),
        );
        words.extend(
            over.options
                .iter()
                .map(|option| format!("--option {}", quoted(option))),
        );
        words.join(" ")
    }
}

/// A word as a shell reads it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,+:@".contains(c);
    match word.chars().all(plain) && !word.is_empty() {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A number of players, or every number that the ruleset allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Players {
    /// Every number.
    #[default]
    All,
    /// This number.
    Number(u8),
}

impl std::str::FromStr for Players {
    type Err = String;

    fn from_str(text: &str) -> Result<Players, String> {
        match text {
            "all" => Ok(Players::All),
            number => number
                .parse()
                .map(Players::Number)
                .map_err(|_| "a number of players, or `all`".to_owned()),
        }
    }
}
