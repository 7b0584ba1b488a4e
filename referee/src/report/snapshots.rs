//! Whole games as accepted texts: which there are, what is accepted, what is played today.
//!
//! The texts are those that `insta` checks under `cargo test`: a head between two lines of `---`, then the
//! transcript. `snapshots/games.json` says which game each of them is, so that it can be played without a
//! toolchain.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interpreter::Ruleset;
use interpreter::package::{Configuration, Language, PackageTexts};
use interpreter::play::Rejected;
use serde::{Deserialize, Serialize};

use super::transcript::{Tables, random_game, transcript};

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
    /// The name of its file.
    pub name: String,
    /// Number of players.
    pub players: u8,
    /// Modules of the ruleset.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<String>,
    /// Options that are not as the ruleset has them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, i64>,
    /// The seed.
    pub seed: u64,
    /// Of the table after each round only what is new: for games of very many rounds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub news: bool,
    /// The language: `en` if left out.
    #[serde(default, skip_serializing_if = "is_english")]
    pub lang: Spoken,
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

/// An accepted text, or none yet, and what is played today.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What was accepted.
    pub accepted: Option<String>,
    /// What is played.
    pub played: Result<String, String>,
}

impl Snapshot {
    /// Whether what is played is what was accepted.
    pub fn same(&self) -> bool {
        match (&self.accepted, &self.played) {
            (Some(accepted), Ok(played)) => accepted.trim_end() == played.trim_end(),
            _ => false,
        }
    }

    /// Accepts what is played.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn accept(&self) -> std::io::Result<()> {
        let Ok(played) = &self.played else {
            return Ok(());
        };
        // The head of a file that is there stays: it says which test checks it.
        let head = std::fs::read_to_string(&self.path)
            .ok()
            .and_then(|text| split(&text).map(|(head, _)| head.to_owned()))
            .unwrap_or_else(|| "---\nsource: snapshots/games.json\n---\n".to_owned());
        if let Some(above) = self.path.parent() {
            std::fs::create_dir_all(above)?;
        }
        std::fs::write(&self.path, format!("{head}{}\n", played.trim_end()))?;
        // What a test proposed is settled with it.
        let _ = std::fs::remove_file(proposed(&self.path));
        Ok(())
    }
}

/// The file in which a test proposes another text.
fn proposed(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    PathBuf::from(name)
}

/// Head and text of a file.
fn split(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix("---\n")?;
    let end = inside.find("\n---\n")? + "---\n".len() + "\n---\n".len();
    Some((&text[..end], &text[end..]))
}

/// Reads the list of games of a ruleset's folder; an empty one if there is none.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn games(folder: &Path) -> Result<Games, String> {
    let path = folder.join(GAMES);
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            serde_json::from_str(&text).map_err(|error| format!("`{}`: {error}", path.display()))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Games::default()),
        Err(error) => Err(format!("`{}`: {error}", path.display())),
    }
}

/// Plays a game of the list.
///
/// # Errors
///
/// What is wrong with the ruleset.
pub fn snapshot(
    folder: &Path,
    base: &PackageTexts,
    pinned: &Pinned,
) -> Result<Snapshot, Box<Rejected>> {
    let configuration = Configuration {
        modules: pinned.modules.clone(),
        options: pinned.options.clone(),
        ..Configuration::base(pinned.players)
    };
    let ruleset = Ruleset::compile(base, &[], &configuration).map_err(Box::new)?;
    let language = match pinned.lang {
        Spoken::En => Language::English,
        Spoken::Pl => Language::Polish,
    };
    let tables = match pinned.news {
        true => Tables::News,
        false => Tables::Whole,
    };
    let played = random_game(&ruleset, pinned.seed).and_then(|told| match told.fault {
        None => Ok(transcript(&told.game, language, tables)),
        Some(fault) => Err(fault),
    });
    let path = folder
        .join("snapshots")
        .join(format!("{}.snap", pinned.name));
    let accepted = std::fs::read_to_string(&path).ok();
    Ok(Snapshot {
        name: pinned.name.clone(),
        accepted: accepted
            .map(|text| split(&text).map_or(text.clone(), |(_, text)| text.to_owned())),
        path,
        played,
    })
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
        let text = |path: &Path| {
            let text = std::fs::read_to_string(path).ok()?;
            Some(split(&text).map_or(text.clone(), |(_, text)| text.to_owned()))
        };
        if !games.games.iter().any(|pinned| pinned.name == name) {
            all.push(Snapshot {
                name,
                accepted: text(&path),
                played: text(&new).ok_or_else(|| "it cannot be read".to_owned()),
                path,
            });
        }
    }
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn heads_are_told_from_texts() {
        let text = "---\nsource: a.rs\n---\nOne\n---\nTwo\n";
        assert_eq!(
            split(text),
            Some(("---\nsource: a.rs\n---\n", "One\n---\nTwo\n"))
        );
        assert_eq!(split("One\n"), None);
    }
}
