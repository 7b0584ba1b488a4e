//! A match in a file: what is needed to play it again, as a text that a person can read.
//!
//! ```yaml
//! schema: referee.record/1
//! ruleset: puerto-rico
//! players: 3
//! seed: 5f…
//! moves:
//!   - {seat: p1, at: turn.choosing, move: choose, with: {r: settler}}
//! ```
//!
//! The digest pins the ruleset: a record is played again with the rules it was made with, or not at all.

use std::collections::BTreeMap;

use interpreter::Ruleset;
use interpreter::package::Configuration;
use interpreter::play::{
    Digest, Id, Move, Origin, PlaceRef, Record, RecordedMove, RowRef, Seat, Seed, Share, Value,
};
use interpreter::program::ids::TableId;
use interpreter::program::model::{Model, MoveModel};
use interpreter::program::tree::Ty;
use serde::{Deserialize, Serialize};

use referee_store::secrets::hex;

/// The form of the file.
const SCHEMA: &str = "referee.record/1";

/// A record as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The form of the file.
    pub schema: String,
    /// The ruleset, by its id.
    pub ruleset: String,
    /// Its version, for people.
    pub version: String,
    /// The digest of the compiled ruleset.
    pub digest: String,
    /// Number of players.
    pub players: u8,
    /// Modules of the ruleset.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<String>,
    /// Options that differ from their defaults.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, i64>,
    /// Seats of people; all others are bots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<String>,
    /// The seed of all chance, as 64 hexadecimal digits.
    pub seed: String,
    /// Every move, forced ones too.
    pub moves: Vec<KeptMove>,
}

/// A move as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptMove {
    /// Who moved: `p1`.
    pub seat: String,
    /// The step that asked.
    pub at: String,
    /// The move.
    #[serde(rename = "move")]
    pub name: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub with: BTreeMap<String, serde_json::Value>,
    /// Made by the referee, because it was the only one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
}

/// Why a file is no record of a ruleset.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It is not written as a record is.
    #[error("this is no record of a match: {0}")]
    Form(String),
    /// It is of other rules.
    #[error(
        "the record was made with other rules (digest {made}…, these are {here}…); lay the same modules and options over the same version"
    )]
    Rules {
        /// Beginning of the digest in the record.
        made: String,
        /// Beginning of the digest of the ruleset at hand.
        here: String,
    },
    /// A move is not one of the ruleset.
    #[error("move {number}: {why}")]
    Move {
        /// Which, from one.
        number: usize,
        /// What is wrong.
        why: String,
    },
}

/// Writes a record.
pub fn keep(ruleset: &Ruleset, record: &Record, people: &[Seat]) -> Kept {
    let moves = record.moves.iter().map(kept_move);
    Kept {
        schema: SCHEMA.to_owned(),
        ruleset: record.ruleset.clone(),
        version: ruleset.package().version.clone(),
        digest: record.digest.to_string(),
        players: record.configuration.players,
        modules: record.configuration.modules.clone(),
        options: record.configuration.options.clone(),
        people: people.iter().copied().map(seat_name).collect(),
        seed: hex(&record.seed.0),
        moves: moves.collect(),
    }
}

impl Kept {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When it is not written as a record is.
    pub fn read(text: &str) -> Result<Kept, RecordError> {
        let kept: Kept =
            serde_yaml::from_str(text).map_err(|error| RecordError::Form(error.to_string()))?;
        if kept.schema != SCHEMA {
            return Err(RecordError::Form(format!(
                "its schema is `{}`, not `{SCHEMA}`",
                kept.schema
            )));
        }
        Ok(kept)
    }

    /// The file.
    pub fn write(&self) -> String {
        let text = serde_yaml::to_string(self).unwrap_or_default();
        // A comment ends with its line, and YAML has neither control characters nor the last two of the first plane
        // (YAML 1.2.2, 5.1).
        let is_shown = |c: &char| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
        let shown: String = self.ruleset.chars().filter(is_shown).collect();
        format!("# A match of {shown}: `referee play --record` goes on with it.\n{text}")
    }

    /// With how many players, which modules and options it is played.
    pub fn configuration(&self) -> Configuration {
        Configuration {
            players: self.players,
            modules: self.modules.clone(),
            options: self.options.clone(),
        }
    }

    /// The seats of people.
    pub fn seats(&self) -> Vec<Seat> {
        self.people.iter().filter_map(|name| seat(name)).collect()
    }

    /// What a match of the ruleset is played again from.
    ///
    /// # Errors
    ///
    /// When it is of other rules, or says what they do not know.
    pub fn record(&self, ruleset: &Ruleset) -> Result<Record, RecordError> {
        let here = ruleset.digest().to_string();
        if self.digest != here {
            let short = |digest: &str| digest.chars().take(12).collect();
            return Err(RecordError::Rules {
                made: short(&self.digest),
                here: short(&here),
            });
        }
        let digest: Option<Digest> = bytes(&self.digest).map(Digest);
        let seed = bytes(&self.seed).map(Seed);
        let (Some(digest), Some(seed)) = (digest, seed) else {
            return Err(RecordError::Form(
                "the seed is not 64 hexadecimal digits".to_owned(),
            ));
        };
        let mut moves = Vec::new();
        for (i, kept) in self.moves.iter().enumerate() {
            let made = recorded(ruleset.model(), kept);
            moves.push(made.map_err(|why| RecordError::Move { number: i + 1, why })?);
        }
        Ok(Record {
            ruleset: self.ruleset.clone(),
            digest,
            configuration: self.configuration(),
            seed,
            moves,
        })
    }
}

/// So many bytes from twice as many hexadecimal digits.
pub fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if text.len() != 2 * N || !text.is_ascii() {
        return None;
    }
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// `p1`
pub fn seat_name(seat: Seat) -> String {
    format!("p{}", u32::from(seat.0) + 1)
}

/// The seat of a name such as `p1`.
pub fn seat(name: &str) -> Option<Seat> {
    let number: u8 = name.strip_prefix('p')?.parse().ok()?;
    number.checked_sub(1).map(Seat)
}

/// A move as it is written.
pub fn kept_move(made: &RecordedMove) -> KeptMove {
    let args = made.mv.args.iter();
    KeptMove {
        seat: seat_name(made.seat),
        at: made.step.to_string(),
        name: made.mv.name.to_string(),
        with: args
            .map(|(name, value)| (name.to_string(), written(value)))
            .collect(),
        forced: made.origin == Origin::Forced,
    }
}

fn written(value: &Value) -> serde_json::Value {
    use serde_json::{Map, Value as Json, json};
    match value {
        Value::Int(number) => json!(number),
        Value::Bool(truth) => json!(truth),
        Value::Row { row, .. } => json!(&**row),
        Value::Player(seat) => json!(seat_name(*seat)),
        // What is hidden stands in no record.
        Value::None | Value::Hidden { .. } => Json::Null,
        Value::Bag { counts, .. } => {
            let counts = counts.iter().map(|(row, n)| (row.to_string(), json!(n)));
            Json::Object(counts.collect::<Map<_, _>>())
        }
        Value::Record { parts, .. } => {
            let parts = parts
                .iter()
                .map(|(name, part)| (name.to_string(), written(part)));
            Json::Object(parts.collect::<Map<_, _>>())
        }
        Value::Spread(shares) => shares
            .iter()
            .map(|share| {
                json!({
                    "count": share.count,
                    "row": &*share.row.row,
                    "to": &*share.place.name,
                    "of": share.place.index.iter().map(written).collect::<Vec<_>>(),
                })
            })
            .collect(),
    }
}

/// A written move as the rules know it.
///
/// # Errors
///
/// Says what of it they do not know.
pub fn recorded(model: &Model, kept: &KeptMove) -> Result<RecordedMove, String> {
    let seat = seat(&kept.seat).filter(|seat| seat.0 < model.players);
    let seat = seat.ok_or_else(|| format!("there is no seat `{}`", kept.seat))?;
    let ask = model.asks.iter().find(|ask| *ask.step == *kept.at);
    let ask = ask.ok_or_else(|| format!("no step `{}` asks", kept.at))?;
    let mut moves = ask.moves.iter().map(|mv| &model.moves[*mv]);
    let mv = moves
        .find(|mv| *mv.name == *kept.name)
        .ok_or_else(|| format!("`{}` has no move `{}`", kept.at, kept.name))?;
    if let Some(unknown) = kept
        .with
        .keys()
        .find(|name| !mv.params.iter().any(|param| *param.name == ***name))
    {
        return Err(format!("`{}` has no parameter `{unknown}`", kept.name));
    }
    let mut args: Vec<(Id, Value)> = Vec::new();
    for param in &mv.params {
        if let Some(value) = kept.with.get(&*param.name) {
            let read = value_of(model, mv, &param.ty, value);
            let read = read.ok_or_else(|| format!("`{value}` is no `{}`", param.name))?;
            args.push((param.name.clone(), read));
        }
    }
    Ok(RecordedMove {
        seat,
        step: ask.step.clone(),
        mv: Move {
            name: mv.name.clone(),
            args,
        },
        origin: match kept.forced {
            true => Origin::Forced,
            false => Origin::Player,
        },
    })
}

fn value_of(model: &Model, mv: &MoveModel, ty: &Ty, json: &serde_json::Value) -> Option<Value> {
    let row = |table: TableId, id: &str| {
        let table = &model.tables[table];
        let row = table.rows.iter().find(|row| ***row == *id)?;
        Some((table.name.clone(), row.clone()))
    };
    Some(match ty {
        Ty::Int => Value::Int(json.as_i64()?),
        Ty::Bool => Value::Bool(json.as_bool()?),
        Ty::Player => Value::Player(seat(json.as_str()?)?),
        Ty::Row(table) => {
            let (table, row) = row(*table, json.as_str()?)?;
            Value::Row { table, row }
        }
        Ty::Option(_) if json.is_null() => Value::None,
        Ty::Option(inner) => value_of(model, mv, inner, json)?,
        Ty::Bag(table) => {
            let mut counts = Vec::new();
            // In the order of the table, as the engine writes them.
            let given = json.as_object()?;
            for id in &model.tables[*table].rows {
                if let Some(n) = given.get(&**id) {
                    counts.push((id.clone(), u32::try_from(n.as_u64()?).ok()?));
                }
            }
            if counts.len() != given.len() {
                return None;
            }
            Value::Bag {
                table: model.tables[*table].name.clone(),
                counts,
            }
        }
        Ty::Record(record) => {
            let record = &model.records[*record];
            let given = json.as_object()?;
            let mut parts = Vec::new();
            for (name, ty) in &record.parts {
                parts.push((name.clone(), value_of(model, mv, ty, given.get(&**name)?)?));
            }
            if parts.len() != given.len() {
                return None;
            }
            Value::Record {
                record: record.name.clone(),
                parts,
            }
        }
        Ty::Spread => {
            let mut shares = Vec::new();
            for share in json.as_array()? {
                shares.push(share_of(model, mv, share)?);
            }
            Value::Spread(shares)
        }
        Ty::None | Ty::Unit => return None,
    })
}

fn share_of(model: &Model, mv: &MoveModel, json: &serde_json::Value) -> Option<Share> {
    let name = json.get("to")?.as_str()?;
    let place = model.places.iter().find(|place| *place.name == *name)?;
    let given = json.get("of")?.as_array()?;
    if given.len() != place.index.len() {
        return None;
    }
    let mut index = Vec::new();
    for ((ty, _), value) in place.index.iter().zip(given) {
        index.push(value_of(model, mv, ty, value)?);
    }
    let table = &model.tables[place.table];
    let row = json.get("row")?.as_str()?;
    let row = table.rows.iter().find(|known| ***known == *row)?;
    Some(Share {
        place: PlaceRef {
            name: place.name.clone(),
            index: index.into(),
        },
        row: RowRef {
            table: table.name.clone(),
            row: row.clone(),
        },
        count: u32::try_from(json.get("count")?.as_u64()?).ok()?,
    })
}
