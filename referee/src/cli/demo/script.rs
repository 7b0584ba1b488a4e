//! What the demo knows of the game that it shows: names of its ruleset, kept in `story.yaml`.

use serde::Deserialize;

/// Names of the ruleset that the story is made of.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The ruleset, by resource name.
    pub ruleset: String,
    /// The phase that is a round.
    pub round: String,
    /// The marker that names who begins a round.
    pub first: String,
    /// The move that opens a line.
    pub opens: String,
    /// Tables whose pieces come and go without being told.
    pub quiet: Vec<String>,
    /// What is counted for everybody after a round.
    pub standing: Standing,
    /// Where bots try what is not allowed.
    pub dares: Dares,
}

/// What is counted for everybody.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    /// Counters.
    pub counters: Vec<String>,
    /// Pieces, by table.
    pub tables: Vec<String>,
}

/// Steps at which bots try what is not allowed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dares {
    /// Here one names a row that is not offered.
    pub out_of_reach: String,
    /// Here one passes although that is not offered.
    pub forbidden_pass: String,
}

impl Script {
    /// The script that the command contains.
    pub fn read() -> Script {
        serde_yaml::from_str(include_str!("story.yaml")).expect("a test reads it")
    }
}
