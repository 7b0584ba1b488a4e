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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;
    use interpreter::package::Configuration;

    #[test]
    fn the_script_names_what_the_ruleset_has() {
        let script = Script::read();
        let library = Library::embedded().expect("they are readable");
        let id = script.ruleset.trim_start_matches("rulesets/");
        let edition = library.get(id).expect("it is shipped");
        let configuration = Configuration::base(4);
        let ruleset = library
            .compile(edition, &configuration)
            .expect("it is right");
        let model = ruleset.model();
        let table = |name: &String| model.tables.iter().any(|t| *t.name == **name);
        assert!(model.phases.iter().any(|p| *p.name == *script.round));
        assert!(model.markers.iter().any(|m| *m.name == *script.first));
        assert!(model.moves.iter().any(|m| *m.name == *script.opens));
        assert!(
            script
                .quiet
                .iter()
                .chain(&script.standing.tables)
                .all(table)
        );
        for counter in &script.standing.counters {
            assert!(model.counters.iter().any(|c| *c.name == **counter));
        }
        for step in [&script.dares.out_of_reach, &script.dares.forbidden_pass] {
            assert!(model.asks.iter().any(|ask| *ask.step == **step));
        }
    }
}
