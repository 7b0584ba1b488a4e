//! Golden sets: what a referee of one time has written, kept for ever, so that every later one is held to it.
//!
//! `tests/golden/README.md` says what lies in a set. The forms are here, since the maker (`campaigns/src/bin/golden`) writes
//! them and the suite (`tests/golden`) reads them; [`pack`] makes files small, [`table`] plays as clients do.

pub mod pack;
pub mod table;
mod trouble;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interpreter::package::Configuration;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use trouble::Trouble;

/// The form of the files of a set.
pub const FORM: &str = "referee.golden/1";

/// What a set says of itself: `manifest.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    /// [`FORM`].
    pub form: String,
    /// The day on which it was made.
    pub made: String,
    /// Which build made it, for people.
    pub build: String,
    /// What that build says its version is.
    pub version: String,
    /// Folders of the configurations, in their order.
    pub configurations: Vec<String>,
}

/// What was hosted in one configuration: `configuration.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Hosted {
    /// How it is configured.
    pub configuration: Asked,
    /// When the store was copied, in milliseconds of Unix time.
    pub taken_ms: i64,
    /// Texts that were taken out of the store, in the order of their rows.
    pub contents: Vec<Content>,
    /// Token of the host of every match.
    pub host: String,
    /// Token of an administrator.
    pub admin: String,
    /// The match that was played to its end.
    pub finished: Kept,
    /// The match that was under way, and whose continuation is kept.
    pub running: Kept,
    /// Matches for what else can happen at a table.
    pub others: Vec<Kept>,
    /// How the game of `record.yaml` ended.
    pub record: Ended,
}

/// Which ruleset is played, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Asked {
    /// Its id.
    pub ruleset: String,
    /// Number of players.
    pub players: u8,
    /// Modules, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<String>,
    /// Options that differ from their defaults.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, i64>,
    /// Digest of the texts of the ruleset.
    pub content: String,
}

impl Asked {
    /// As the interpreter takes it.
    pub fn configuration(&self) -> Configuration {
        Configuration {
            players: self.players,
            modules: self.modules.clone(),
            options: self.options.clone(),
        }
    }
}

/// A row that was taken out of a store: its content lies in the set's folder `texts`, once.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Content {
    /// Number of its row.
    pub row: i64,
    /// The digest under which the store keeps it.
    pub digest: String,
}

/// A match that is in the store.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Kept {
    /// What it is for.
    pub what: String,
    /// `matches/<id>`.
    pub name: String,
    /// Tokens of its seats; none of a bot's and of one that nobody has claimed.
    pub seats: Vec<Option<String>>,
    /// Codes that claim its seats, while it is in the lobby.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<String>,
    /// Token of a spectator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spectator: Option<String>,
    /// The last request for a move before the store was copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Repeat>,
    /// Of a suspended match: the revision with which it can go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<String>,
}

/// A request that was answered: whoever sends it again is told so.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Repeat {
    /// Who sent it, from 1.
    pub seat: usize,
    /// The `SubmitMoveRequest`.
    pub request: Value,
}

/// How a game ended, as somebody at a terminal is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ended {
    /// Points, by seat.
    pub totals: Vec<i64>,
    /// Seats that won: `p1`.
    pub winners: Vec<String>,
}

/// What clients saw when the store was copied: `seen.json`, by the match's name.
pub type Seen = BTreeMap<String, SeenMatch>;

/// What clients saw of one match.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SeenMatch {
    /// What `GetMatch` says.
    pub described: Value,
    /// What `GetPublicView` says; null before the start.
    pub public: Value,
    /// What `GetView` says, by seat; null where nobody could ask.
    pub views: Vec<Value>,
    /// What `ListDecisions` and `ListMoves` say, by seat; null where nothing is asked.
    pub decisions: Vec<Value>,
}

/// How the running match went on: `continuation.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Continuation {
    /// Moves of players, in order.
    pub moves: Vec<Made>,
    /// The `Outcome` that they led to.
    pub outcome: Value,
}

/// A move that a player made.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Made {
    /// Who, from 1.
    pub seat: usize,
    /// The `Move`.
    pub r#move: Value,
    /// Hash of the state after it, where the build that wrote it hashed states as builds of today do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_hash: Option<String>,
}

/// The folder of a golden set.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    /// Every set of this repository, the oldest first.
    ///
    /// # Errors
    ///
    /// When the folder cannot be listed.
    pub fn every() -> Result<Vec<Folder>, Trouble> {
        let mut sets = Vec::new();
        for entry in std::fs::read_dir(crate::root().join("tests/golden"))? {
            let path = entry?.path();
            if path.join("manifest.json").is_file() {
                sets.push(Folder(path));
            }
        }
        sets.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(sets)
    }

    /// What it says of itself.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or is of a form that is not known here.
    pub fn manifest(&self) -> Result<Manifest, Trouble> {
        let path = self.0.join("manifest.json");
        let manifest: Manifest = serde_json::from_slice(&std::fs::read(&path)?)?;
        if manifest.form != FORM {
            return Err(format!("{} is of the form `{}`", path.display(), manifest.form).into());
        }
        Ok(manifest)
    }

    /// What was hosted in a configuration.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn hosted(&self, configuration: &str) -> Result<Hosted, Trouble> {
        let path = self.0.join(configuration).join("configuration.json");
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    }

    /// A compressed file.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, Trouble> {
        let path = self.0.join(format!("{path}.gz"));
        let told = |error: std::io::Error| format!("{}: {error}", path.display());
        let packed = std::fs::read(&path).map_err(told)?;
        Ok(pack::expand(&packed).map_err(told)?)
    }

    /// A compressed text.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn text(&self, path: &str) -> Result<String, Trouble> {
        Ok(String::from_utf8(self.read(path)?)?)
    }

    /// A compressed file of JSON.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn json<T: DeserializeOwned>(&self, path: &str) -> Result<T, Trouble> {
        Ok(serde_json::from_slice(&self.read(path)?)?)
    }

    /// Compresses a file into it.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or is there already: what is in a set never changes.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Trouble> {
        self.write_plain(&format!("{path}.gz"), &pack::compress(bytes)?)
    }

    /// Writes a file into it as it is.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or is there already.
    pub fn write_plain(&self, path: &str, bytes: &[u8]) -> Result<(), Trouble> {
        let path = self.0.join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = std::fs::File::create_new(&path)?;
        std::io::Write::write_all(&mut file, bytes)?;
        Ok(())
    }

    /// The texts of a ruleset, by their digest.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn content(&self, digest: &str) -> Result<Vec<u8>, Trouble> {
        self.read(&format!("texts/{digest}"))
    }

    /// Writes the store of a configuration as it was into a new file, with its key beside it.
    ///
    /// # Errors
    ///
    /// When something cannot be read or written.
    pub fn unpack(&self, configuration: &str, to: &Path) -> Result<(), Trouble> {
        std::fs::write(to, self.read(&format!("{configuration}/store"))?)?;
        let mut rows = Vec::new();
        for content in self.hosted(configuration)?.contents {
            let text = self.content(&content.digest)?;
            rows.push(pack::Row {
                row: content.row,
                digest: content.digest,
                text,
            });
        }
        pack::put_back(to, &rows)?;
        let key = self.0.join(configuration).join("store.key");
        std::fs::copy(key, key_beside(to))?;
        Ok(())
    }

    /// The archive of the finished match of a configuration.
    ///
    /// # Errors
    ///
    /// When something cannot be read.
    pub fn archive(&self, configuration: &str) -> Result<String, Trouble> {
        let lean = self.text(&format!("{configuration}/archive.jsonl"))?;
        pack::with_texts(&lean, |digest| self.content(digest))
    }
}

/// Where the key of a store lies.
pub fn key_beside(store: &Path) -> PathBuf {
    let mut key = store.to_owned().into_os_string();
    key.push(".key");
    key.into()
}

/// What is not compared: later builds tell of more kinds of events, so that they count more; who was there then is not there now;
/// and turns end later by the time in which there was no referee.
const FLEETING: [&str; 3] = ["eventCount", "presence", "deadline"];

/// What messages of the contract said before its revision of November 2026, as they say it now. Archives say clauses so still.
#[must_use]
pub fn revised(said: Value) -> Value {
    let seconds = |value: &Value| format!("{}s", value.as_u64().unwrap_or_default());
    match said {
        Value::Array(all) => all.into_iter().map(revised).collect(),
        Value::Object(said) => {
            let said = said.into_iter();
            let said = said.filter(|(name, _)| !FLEETING.contains(&&name[..]));
            let said = said.map(|(name, value)| match &name[..] {
                "clause" if value.is_object() => (name, value["id"].clone()),
                "piecesMoved" => {
                    let names = [("from", "source"), ("to", "destination")];
                    (name, renamed(value, &names))
                }
                "counterChanged" => {
                    let names = [("from", "before"), ("to", "after")];
                    (name, renamed(value, &names))
                }
                "markerSet" => (name, renamed(value, &[("to", "value")])),
                "questionSeconds" => ("questionTime".into(), seconds(&value).into()),
                "spectatorDelay" if value.get("seconds").is_some() => (
                    name,
                    serde_json::json!({"time": seconds(&value["seconds"])}),
                ),
                _ => (name, revised(value)),
            });
            Value::Object(said.collect())
        }
        said => said,
    }
}

/// A message whose fields had other names.
fn renamed(said: Value, names: &[(&str, &str)]) -> Value {
    let Value::Object(said) = said else {
        return said;
    };
    let said = said.into_iter().map(|(name, value)| {
        let now = names.iter().find(|(before, _)| *before == name);
        let now = now.map_or(name.clone(), |(_, now)| (*now).to_owned());
        (now, revised(value))
    });
    Value::Object(said.collect())
}

/// What of `golden` is not in `now`, and where: what was said once must still be said; more may be said.
pub fn missing(golden: &Value, now: &Value) -> Option<String> {
    fn find(path: &str, golden: &Value, now: &Value) -> Option<String> {
        match (golden, now) {
            (Value::Object(golden), Value::Object(now)) => {
                golden.iter().find_map(|(name, value)| {
                    find(
                        &format!("{path}.{name}"),
                        value,
                        now.get(name).unwrap_or(&Value::Null),
                    )
                })
            }
            (Value::Array(golden), Value::Array(now)) if golden.len() == now.len() => {
                let both = golden.iter().zip(now).enumerate();
                let mut found =
                    both.map(|(i, (golden, now))| find(&format!("{path}[{i}]"), golden, now));
                found.find_map(|found| found)
            }
            _ if golden == now => None,
            _ => Some(format!("{path} was {}, is {}", short(golden), short(now))),
        }
    }
    find("", golden, now)
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(300) {
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], text.len()),
        None => text,
    }
}
