//! Whole games as somebody accepted them: which there are, what is accepted, what is played today.
//!
//! `snapshots/games.json` lists the games. It pins what was played: every move, hashes of the states, the outcome.
//! [`replay`] plays these moves again, so that no order in which moves are listed plays a part. Of some games there is a
//! text as well, whole or an excerpt: the texts are those that `insta` checks under `cargo test`, a head between two
//! lines of `---`, then the transcript.

pub mod cover;
mod layout;
pub mod met;
pub mod moves;
pub mod replay;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::package::{Configuration, Language, PackageTexts};
use interpreter::play::{CompileOptions, Match, Record, Rejected};
use interpreter::syntax::Trees;
use serde::{Deserialize, Serialize};

use super::transcript::{Tables, excerpt, transcript};
use referee_library::players::PlayedBy;
use replay::{Anew, Difference, Played};

/// The list of games.
pub const GAMES: &str = "snapshots/games.json";

/// What `games.json` says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Games {
    /// The games, in order.
    pub games: Vec<Pinned>,
}

/// A game that is played to be compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pinned {
    /// Its name, and that of its text.
    pub name: String,
    /// Number of players.
    pub players: u8,
    /// Modules of the ruleset.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<String>,
    /// Options that are not as the ruleset has them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, i64>,
    /// The seed of the deal, and of the players when the game is played anew.
    pub seed: u64,
    /// Who plays when it is played: at random if left out.
    #[serde(default, skip_serializing_if = "PlayedBy::is_random")]
    pub played_by: PlayedBy,
    /// What of it is told in a text.
    #[serde(default, skip_serializing_if = "is_whole")]
    pub text: Shown,
    /// Of the table after each round only what is new: for games of very many rounds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub news: bool,
    /// The language: `en` if left out.
    #[serde(default, skip_serializing_if = "is_english")]
    pub lang: Spoken,
    /// What was played and accepted; not yet anything of a game that somebody has just listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<Played>,
}

/// What of a game is told in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Shown {
    /// All of it
    #[default]
    Whole,
    /// What its modules bring, in at most 290 lines
    Excerpt,
    /// Nothing: only the moves, the states and the outcome are compared
    None,
}

fn is_whole(shown: &Shown) -> bool {
    *shown == Shown::Whole
}

/// A language of transcripts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spoken {
    /// English.
    #[default]
    En,
    /// Polish.
    Pl,
}

fn is_english(spoken: &Spoken) -> bool {
    *spoken == Spoken::En
}

impl Pinned {
    /// With how many players, which modules and options it is played.
    pub fn configuration(&self) -> Configuration {
        Configuration {
            modules: self.modules.clone(),
            options: self.options.clone(),
            ..Configuration::base(self.players)
        }
    }

    fn language(&self) -> Language {
        match self.lang {
            Spoken::En => Language::English,
            Spoken::Pl => Language::Polish,
        }
    }

    fn tables(&self) -> Tables {
        match self.news {
            true => Tables::News,
            false => Tables::Whole,
        }
    }

    /// The file of its text.
    fn path(&self, folder: &Path) -> PathBuf {
        folder.join("snapshots").join(format!("{}.snap", self.name))
    }
}

/// Why there is nothing that could be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unplayed {
    /// The rules failed.
    Fault(String),
    /// A pinned move is not legal, or there is none where somebody is asked: [`Snapshot::differences`] says which.
    Stuck,
}

/// A game as it was accepted, or not yet, and as it is played today.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Its name.
    pub name: String,
    /// Its file: of its text if it has one, else of the list.
    pub path: PathBuf,
    /// The text that was accepted.
    pub accepted: Option<String>,
    /// The text that is told now, if there is to be one.
    pub told: Result<Option<String>, Unplayed>,
    /// What is pinned.
    pub pinned: Option<Played>,
    /// What is played; nothing of a text that a test proposes.
    pub played: Option<Played>,
    /// By whom.
    pub played_by: PlayedBy,
    /// What is needed to play it again, if it came to its end.
    pub record: Option<Record>,
    /// What differs from what is pinned, the first thing first.
    pub differences: Vec<Difference>,
}

impl Snapshot {
    /// Whether what is played is what was accepted.
    pub fn same(&self) -> bool {
        self.told.is_ok()
            && self.differences.is_empty()
            && self.pinned.is_some() == self.played.is_some()
    }

    /// Whether nothing of it was accepted yet.
    pub fn is_new(&self) -> bool {
        self.pinned.is_none() && (self.played.is_some() || self.accepted.is_none())
    }

    /// What was accepted and what is played as texts to lay side by side: the transcripts, if they differ, or else
    /// what is pinned.
    pub fn sides(&self) -> (String, String) {
        let text = |text: Option<&String>| text.cloned().unwrap_or_default();
        let told = self.told.as_ref().ok().and_then(Option::as_ref);
        let (accepted, told) = (text(self.accepted.as_ref()), text(told));
        if accepted.trim_end() != told.trim_end() {
            return (accepted, told);
        }
        let pins = |played: &Option<Played>| {
            let written = played.as_ref().map(layout::written);
            written.unwrap_or_default()
        };
        (pins(&self.pinned), pins(&self.played))
    }

    /// Accepts what is played: into its text, and into the list, which [`write()`] then writes.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn accept(&self, games: &mut Games) -> std::io::Result<()> {
        let Ok(told) = &self.told else {
            return Ok(());
        };
        if let Some(told) = told {
            accept_text(&self.path, told)?;
        }
        let mut listed = games.games.iter_mut();
        if let Some(game) = listed.find(|game| game.name == self.name)
            && self.played.is_some()
        {
            game.played.clone_from(&self.played);
            game.played_by = self.played_by;
        }
        Ok(())
    }
}

fn accept_text(path: &Path, text: &str) -> std::io::Result<()> {
    // The head of a file that is there stays: it says which test checks it.
    let head = std::fs::read_to_string(path)
        .ok()
        .and_then(|text| split(&text).map(|(head, _)| head.to_owned()))
        .unwrap_or_else(|| "---\nsource: snapshots/games.json\n---\n".to_owned());
    if let Some(above) = path.parent() {
        std::fs::create_dir_all(above)?;
    }
    std::fs::write(path, format!("{head}{}\n", text.trim_end()))?;
    // What a test proposed is settled with it.
    let _ = std::fs::remove_file(proposed(path));
    Ok(())
}

/// The file in which a test proposes another text.
fn proposed(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    PathBuf::from(name)
}

/// Splits a file into its head and its text.
pub fn split(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix("---\n")?;
    let end = inside.find("\n---\n")? + "---\n".len() + "\n---\n".len();
    Some((&text[..end], &text[end..]))
}

/// The text of a file, without its head.
fn text_in(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(split(&text).map_or(text.clone(), |(_, text)| text.to_owned()))
}

/// Reads the list of games of a ruleset's folder; an empty one if there is none.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn games(folder: &Path) -> Result<Games, String> {
    let path = folder.join(GAMES);
    match std::fs::read_to_string(&path) {
        Ok(text) => read(&text).map_err(|error| format!("`{}`: {error}", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Games::default()),
        Err(error) => Err(format!("`{}`: {error}", path.display())),
    }
}

/// Reads a list of games.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn read(text: &str) -> Result<Games, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Writes the list of games.
///
/// # Errors
///
/// When the file cannot be written.
pub fn write(folder: &Path, games: &Games) -> std::io::Result<()> {
    let path = folder.join(GAMES);
    if let Some(above) = path.parent() {
        std::fs::create_dir_all(above)?;
    }
    std::fs::write(path, layout::written(games))
}

/// Why a game of the list cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum NotCompared {
    /// The ruleset has mistakes.
    #[error("the ruleset has mistakes")]
    Rejected(Box<Rejected>),
    /// What the list says of it is not written as it must be.
    #[error("`{GAMES}`: {0}")]
    List(String),
}

/// Plays a game of the list: its pinned moves, or by its seed if it has none or if `anew` asks for that. Games of one ruleset
/// share `trees`.
///
/// # Errors
///
/// What is wrong with the ruleset, or with the list.
pub fn snapshot(
    folder: &Path,
    base: &PackageTexts,
    trees: &Trees,
    pinned: &Pinned,
    anew: Option<Anew>,
) -> Result<Snapshot, NotCompared> {
    let compile = |options| {
        Ruleset::compile_again(base, &[], &pinned.configuration(), options, trees)
            .map_err(|rejected| NotCompared::Rejected(Box::new(rejected)))
    };
    let ruleset = compile(CompileOptions::default())?;
    let path = pinned.path(folder);
    let of_text = pinned.text != Shown::None;
    let mut snapshot = Snapshot {
        name: pinned.name.clone(),
        accepted: text_in(&path).filter(|_| of_text),
        path: if of_text { path } else { folder.join(GAMES) },
        told: Ok(None),
        pinned: pinned.played.clone(),
        played: None,
        played_by: pinned.played_by,
        record: None,
        differences: Vec::new(),
    };
    // Whoever searches imagines thousands of games.
    let native = || match pinned.played_by.searches() {
        true => ruleset.natively().unwrap_or_else(|_| ruleset.clone()),
        false => ruleset.clone(),
    };
    let replayed = match (&pinned.played, anew) {
        (Some(played), None | Some(Anew::Rest)) => {
            // The list is looked at first: a mistake in it is none of the rules.
            replay::readable(played)
                .map_err(|why| NotCompared::List(format!("`{}`: {why}", pinned.name)))?;
            match anew {
                None => replay::replay(&ruleset, pinned.seed, played, None),
                Some(_) => {
                    let rest = Some(pinned.played_by);
                    replay::replay(&native(), pinned.seed, played, rest)
                }
            }
        }
        (None, _) | (_, Some(Anew::Whole)) => {
            replay::play(&native(), pinned.played_by, pinned.seed)
        }
    };
    let replayed = match replayed {
        Ok(replayed) => replayed,
        Err(fault) => {
            snapshot.told = Err(Unplayed::Fault(fault));
            return Ok(snapshot);
        }
    };
    snapshot.played = replayed.played;
    snapshot.differences = replayed.differences;
    snapshot.told = match (replayed.fault, replayed.stuck) {
        (Some(fault), _) => Err(Unplayed::Fault(fault)),
        (None, true) => Err(Unplayed::Stuck),
        (None, false) => {
            snapshot.record = Some(replayed.game.record());
            let told = match pinned.text {
                Shown::Whole => Some(transcript(
                    &replayed.game,
                    pinned.played_by,
                    pinned.language(),
                    pinned.tables(),
                )),
                Shown::Excerpt => {
                    let traced = compile(CompileOptions {
                        traced: true,
                        ..CompileOptions::default()
                    })?;
                    Some(excerpted(&traced, &replayed.game, pinned))
                }
                Shown::None => None,
            };
            Ok(told)
        }
    };
    if anew == Some(Anew::Whole)
        && let (Some(was), Some(is)) = (&snapshot.pinned, &snapshot.played)
    {
        snapshot.differences = replay::compared(was, is);
    }
    if let (Ok(Some(told)), true) = (&snapshot.told, snapshot.differences.is_empty())
        && snapshot.accepted.as_ref().map(|text| text.trim_end()) != Some(told.trim_end())
    {
        snapshot
            .differences
            .push(Difference::text(snapshot.accepted.is_some()));
    }
    Ok(snapshot)
}

/// The excerpt of a game that was played: played once more by a ruleset that reports its clauses.
fn excerpted(traced: &std::sync::Arc<Ruleset>, game: &Match, pinned: &Pinned) -> String {
    let told = excerpt(traced, &game.record(), pinned.played_by, pinned.language());
    told.unwrap_or_else(|fault| format!("{fault}\n"))
}

/// Texts that tests propose for files that no game of the list has.
pub fn proposals(folder: &Path, games: &Games) -> Vec<Snapshot> {
    let mut all = Vec::new();
    let entries = std::fs::read_dir(folder.join("snapshots"));
    for entry in entries.into_iter().flatten().flatten() {
        let new = entry.path();
        let Some(path) = new.to_str().and_then(|path| path.strip_suffix(".new")) else {
            continue;
        };
        let path = PathBuf::from(path);
        let name = path
            .file_stem()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if games.games.iter().any(|pinned| pinned.name == name) {
            continue;
        }
        let (accepted, told) = (text_in(&path), text_in(&new));
        let differs = told.as_ref().map(|text| text.trim_end())
            != accepted.as_ref().map(|text| text.trim_end());
        all.push(Snapshot {
            name,
            differences: match differs {
                true => vec![Difference::text(accepted.is_some())],
                false => Vec::new(),
            },
            accepted,
            told: match told {
                Some(told) => Ok(Some(told)),
                None => Err(Unplayed::Fault("it cannot be read".to_owned())),
            },
            path,
            pinned: None,
            played: None,
            played_by: PlayedBy::default(),
            record: None,
        });
    }
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}
