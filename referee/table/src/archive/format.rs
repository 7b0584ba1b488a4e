//! The lines of an archive. JSON Schemas of every form are in `proto/archive`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use interpreter::play::Item;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::TableError;
use referee_library::record::bytes;
use referee_store::log::names;
use referee_store::log::v1::PackageFile;
use referee_store::secrets::{self, hex};
use referee_store::{Hash, NameRow};

/// The form of the text: with the table that it starts from and the state that it ends in.
pub(super) const FORM: &str = "referee.record/4";

/// The same before it said by what terms the match was played and what its bots were called.
const TERMLESS: &str = "referee.record/3";

/// The form without either, of matches whose last state is named in the form of before.
pub(super) const STATELESS: &str = "referee.record/2";

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Header {
    pub(super) form: String,
    pub(super) r#match: String,
    pub(super) ruleset: String,
    pub(super) version: String,
    pub(super) semantic_version: u32,
    /// Digest of the texts that the match ended with, and of those with its configuration.
    pub(super) content: String,
    pub(super) digest: String,
    /// The digest that the commitment is bound to.
    pub(super) committed_digest: String,
    /// Texts that the match was created with.
    pub(super) first_content: String,
    pub(super) players: u32,
    pub(super) modules: Vec<String>,
    pub(super) options: BTreeMap<String, i64>,
    pub(super) ask_forced: bool,
    pub(super) question_ms: u64,
    pub(super) open_seats: Vec<u32>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) bank_ms: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) increment_ms: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) take_back: bool,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) public: bool,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) labels: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) spectator_delay_moves: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) spectator_delay_ms: u64,
    pub(super) created_ms: i64,
    pub(super) seed_commitment: String,
    pub(super) seed: String,
    /// What players added to the chance, and the seed that all of it was drawn from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) seat_entropy: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) contributions: Vec<Given>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) game_seed: Option<String>,
    /// Rows of every table, in their order: indices of piles are numbers of rows.
    pub(super) tables: BTreeMap<String, Vec<String>>,
    /// How many events belong to the set-up, and what lay in every pile after it.
    #[serde(default)]
    pub(super) set_up_events: u64,
    #[serde(default)]
    pub(super) piles: Vec<Pile>,
    /// What lies on the table before anything happens, as a state says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) start: Option<Item>,
    /// Places that never run dry, of which no state tells what lies there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) endless: Option<Vec<String>>,
}

/// What a player added to the chance.
#[derive(Serialize, Deserialize)]
pub(super) struct Given {
    pub(super) seat: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) commitment: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) entropy: Option<String>,
}

fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

/// What lay in a pile, from its top.
#[derive(Serialize, Deserialize)]
pub(super) struct Pile {
    pub(super) place: Value,
    pub(super) table: String,
    pub(super) rows: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct File {
    pub(super) content: String,
    pub(super) path: String,
    pub(super) text: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EntryLine {
    pub(super) sequence: u64,
    pub(super) at_ms: i64,
    /// What ties it to all entries before it, in the log from which it was exported.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) chain: String,
    /// Its 16 random bytes; entries of before there were any have none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) salt: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<String>,
    #[serde(default)]
    pub(super) says: Value,
}

/// The last line of a record.
#[derive(Serialize, Deserialize)]
pub(super) struct End {
    pub(super) sha256: String,
    #[serde(default)]
    pub(super) signatures: Vec<Signature>,
}

/// A referee's word that a record is what it exported: of [`SIGNED`] and the sum.
#[derive(Serialize, Deserialize)]
pub(super) struct Signature {
    pub(super) key: String,
    pub(super) signature: String,
}

/// What stands before the sum where it is signed.
pub(super) const SIGNED: &[u8] = b"referee/record/v1\n";

impl Signature {
    /// The key, if it has signed this sum.
    pub(super) fn fits(&self, sum: &[u8]) -> Option<Hash> {
        let key = bytes(&self.key)?;
        let signature: [u8; 64] = bytes(&self.signature)?;
        secrets::signed(&key, &[SIGNED, sum].concat(), &signature).then_some(key)
    }
}

/// What a player is called; its digest stands in an entry.
#[derive(Serialize, Deserialize)]
pub(super) struct Name {
    pub(super) digest: String,
    pub(super) salt: String,
    pub(super) name: String,
}

/// Adds a line.
pub(super) fn line(text: &mut String, kind: &str, what: &impl Serialize) {
    let value = serde_json::to_value(what).unwrap_or(Value::Null);
    // Writing to a text cannot fail.
    let _ = writeln!(text, "{}", json!({ kind: value }));
}

pub(super) fn wrong(what: impl Into<String>) -> TableError {
    TableError::Record(what.into())
}

/// A record as it is written, once it is known to be whole and signed by whom it says.
pub(super) struct Lines {
    pub(super) header: Header,
    pub(super) files: BTreeMap<String, Vec<PackageFile>>,
    /// Entries after the first.
    pub(super) bodies: Vec<Vec<u8>>,
    /// Bytes before its end.
    pub(super) before: usize,
    /// Bytes up to its end: all that was signed, and the signatures.
    pub(super) signed: usize,
    names: Vec<Name>,
}

impl Lines {
    /// Reads an archive.
    ///
    /// # Errors
    ///
    /// [`TableError::Record`] says in which line what is wrong.
    pub(super) fn of(text: &str) -> Result<(Lines, End), TableError> {
        let mut header: Option<Header> = None;
        let mut files: BTreeMap<String, Vec<PackageFile>> = BTreeMap::new();
        let mut bodies: Vec<Vec<u8>> = Vec::new();
        let mut before = 0;
        let mut ended: Option<End> = None;
        let (mut signed, mut names) = (0, Vec::new());
        for (number, written) in (1..).zip(text.lines()) {
            let bad = |why: &str| wrong(format!("line {number}: {why}"));
            let mut value: Value =
                serde_json::from_str(written).map_err(|error| bad(&error.to_string()))?;
            let mut take = |kind: &str| value.get_mut(kind).map(Value::take);
            if ended.is_some() {
                let given = take("name").ok_or_else(|| bad("nothing but names follows the end"))?;
                let name = serde_json::from_value(given);
                names.push(name.map_err(|error| bad(&error.to_string()))?);
                continue;
            }
            if let Some(given) = take("record") {
                let read: Header =
                    serde_json::from_value(given).map_err(|error| bad(&error.to_string()))?;
                if ![FORM, TERMLESS, STATELESS].contains(&&read.form[..]) {
                    return Err(bad("this is no record of a form that is known here"));
                }
                header = Some(read);
            } else if let Some(given) = take("file") {
                let file: File =
                    serde_json::from_value(given).map_err(|error| bad(&error.to_string()))?;
                files.entry(file.content).or_default().push(PackageFile {
                    path: file.path,
                    text: file.text,
                });
            } else if let Some(given) = take("entry") {
                let entry: EntryLine =
                    serde_json::from_value(given).map_err(|error| bad(&error.to_string()))?;
                let body = entry.body.map(|body| STANDARD.decode(body)).transpose();
                let body = body.map_err(|_| bad("the body of an entry cannot be read"))?;
                bodies.extend(body);
            } else if let Some(given) = take("end") {
                let end: End =
                    serde_json::from_value(given).map_err(|error| bad(&error.to_string()))?;
                let sum = digest(&SHA256, &text.as_bytes()[..before]);
                if end.sha256 != hex(sum.as_ref()) {
                    return Err(bad("the record is not what was written: its sum differs"));
                }
                let forged = |one: &&Signature| one.fits(sum.as_ref()).is_none();
                if let Some(forged) = end.signatures.iter().find(forged) {
                    let key: String = forged.key.chars().take(64).collect();
                    return Err(bad(&format!("the key {key} has not signed this record")));
                }
                ended = Some(end);
                signed = (before + written.len() + 1).min(text.len());
                continue;
            } else if take("event").is_none() && take("state").is_none() {
                return Err(bad("this is nothing that a record says"));
            }
            before += written.len() + 1;
        }
        let header = header.ok_or_else(|| wrong("it does not say what it is a record of"))?;
        let end = ended.ok_or_else(|| wrong("its end is missing"))?;
        let lines = Lines {
            header,
            files,
            bodies,
            before,
            signed,
            names,
        };
        Ok((lines, end))
    }

    /// What players are called, as far as that was not struck out.
    ///
    /// # Errors
    ///
    /// [`TableError::Record`] when a name is not what its digest is of.
    pub(super) fn names(&self) -> Result<Vec<NameRow>, TableError> {
        let rows = self.names.iter().map(|given| {
            let row = NameRow {
                digest: bytes(&given.digest)
                    .ok_or_else(|| wrong("the digest of a name has not 64 hexadecimal digits"))?,
                salt: bytes(&given.salt)
                    .ok_or_else(|| wrong("the salt of a name has not 32 hexadecimal digits"))?,
                name: given.name.clone(),
            };
            match names::fits(&row) {
                true => Ok(row),
                false => Err(wrong("a name is not the one that was signed")),
            }
        });
        rows.collect()
    }
}
