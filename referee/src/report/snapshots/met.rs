//! What accepted games meet of the rules, and what they do not: a change of a rule that a game meets is sure to be seen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::package::{Configuration, Language, PackageTexts};
use interpreter::play::{Audience, CompileOptions, Event, Match, PlaceRef, Record, RowRef, Value};
use rayon::prelude::*;
use serde::Serialize;

use super::{Pinned, Shown};
use crate::report::coverage::declares;
use crate::report::rules::{Rules, composed};

/// What the games of a list do not meet. Fields are added, never renamed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Unmet {
    /// Rows of tables that the games could use.
    pub components: usize,
    /// `building fortress`: those that no game uses, because none has them in a move or with a player.
    pub unused: Vec<String>,
    /// Clauses that something says that runs.
    pub clauses: usize,
    /// Those whose rules run in no annotated game.
    pub unmet: Vec<String>,
    /// Of these, those that a game without a text meets, so that a change is seen though nobody reads it.
    pub met_elsewhere: Vec<String>,
    /// Modules that no game has.
    pub unplayed_modules: Vec<String>,
}

/// What one game meets.
#[derive(Default)]
struct Met {
    clauses: BTreeSet<String>,
    rows: BTreeSet<String>,
}

/// What there is to be met.
#[derive(Default)]
struct All {
    clauses: BTreeSet<String>,
    rows: BTreeSet<String>,
    modules: BTreeSet<String>,
}

/// Looks at games that were played: what was listed of each and what came of it.
pub fn unmet(base: &PackageTexts, games: &[(&Pinned, Record)]) -> Unmet {
    // Games of one configuration share their rules.
    let mut groups: BTreeMap<String, Vec<&(&Pinned, Record)>> = BTreeMap::new();
    for game in games {
        let configuration = format!("{:?}", game.0.configuration());
        groups.entry(configuration).or_default().push(game);
    }
    let groups: Vec<Vec<&(&Pinned, Record)>> = groups.into_values().collect();
    let looked = groups.par_iter().filter_map(|group| {
        let (pinned, _) = group.first()?;
        let ruleset = traced(base, &pinned.configuration())?;
        let met = group.iter().filter_map(|(pinned, record)| {
            Some((pinned.text != Shown::None, met(&ruleset, record)?))
        });
        Some((all(&ruleset), met.collect::<Vec<_>>()))
    });
    let looked: Vec<_> = looked.collect();
    let (mut there, mut told, mut untold) = (All::default(), Met::default(), Met::default());
    for (all, games) in looked {
        there.clauses.extend(all.clauses);
        there.rows.extend(all.rows);
        there.modules.extend(all.modules);
        for (annotated, met) in games {
            let into = if annotated { &mut told } else { &mut untold };
            into.clauses.extend(met.clauses);
            into.rows.extend(met.rows);
        }
    }
    let unmet: Vec<String> = there.clauses.difference(&told.clauses).cloned().collect();
    let unused = there.rows.iter();
    let unused = unused.filter(|row| !told.rows.contains(*row) && !untold.rows.contains(*row));
    let played = |module: &&String| games.iter().any(|(game, _)| game.modules.contains(module));
    Unmet {
        components: there.rows.len(),
        unused: unused.cloned().collect(),
        clauses: there.clauses.len(),
        met_elsewhere: unmet
            .iter()
            .filter(|clause| untold.clauses.contains(*clause))
            .cloned()
            .collect(),
        unmet,
        unplayed_modules: there
            .modules
            .iter()
            .filter(|module| !played(module))
            .cloned()
            .collect(),
    }
}

fn traced(base: &PackageTexts, configuration: &Configuration) -> Option<Arc<Ruleset>> {
    let options = CompileOptions {
        traced: true,
        ..CompileOptions::default()
    };
    Ruleset::compile_with(base, &[], configuration, options).ok()
}

/// The clauses that something says that runs, and the rows that are in play.
fn all(ruleset: &Ruleset) -> All {
    let package = ruleset.package();
    let items = composed(package);
    let rules = Rules::new(package, ruleset.sources(), &items, Language::English);
    let said = rules.citations();
    // What is only declared, or carried out by the columns of a row alone, has nothing that runs.
    let runs = said.iter().filter(|citation| !declares(&citation.what));
    let known: BTreeSet<&str> = ruleset
        .model()
        .clauses
        .iter()
        .map(|clause| &**clause)
        .collect();
    let clauses = runs.map(|citation| citation.clause.clone());
    let tables = ruleset.model().tables.iter();
    let rows = tables.flat_map(|table| {
        let rows = table.rows.iter();
        rows.map(|row| format!("{} {row}", table.name))
    });
    All {
        clauses: clauses.filter(|clause| known.contains(&**clause)).collect(),
        rows: rows.collect(),
        modules: package
            .offered
            .iter()
            .map(|module| module.id.clone())
            .collect(),
    }
}

/// What a game meets; nothing is known of one that these rules cannot play again.
fn met(traced: &Arc<Ruleset>, record: &Record) -> Option<Met> {
    let game = Match::traced(traced.clone(), record.seed).ok()?;
    let mut game = game.drawing();
    game.set_ask_forced(true).ok()?;
    let rest = record.moves.get(game.moves().len()..)?;
    game.play_on(rest).ok()?;
    let mut met = Met {
        clauses: game.exercised().iter().map(ToString::to_string).collect(),
        rows: BTreeSet::new(),
    };
    for event in game.events(Audience::Referee, 0) {
        met.event(&event);
    }
    Some(met)
}

impl Met {
    /// Rows that a player chose, had or was told of. What lies in the middle of the table is not used yet.
    fn event(&mut self, event: &Event) {
        match event {
            Event::Moved { mv, .. } => self.values(mv.args.iter().map(|(_, value)| value)),
            Event::PhaseBegan { args, .. } | Event::Raised { args, .. } => {
                self.values(args.iter().map(|(_, value)| value));
            }
            Event::Marker { to, .. } | Event::Kept { to, .. } => self.values(to),
            Event::Pieces { from, to, row, .. } => {
                let owned = |place: &PlaceRef| {
                    let mut index = place.index.iter();
                    index.any(|value| matches!(value, Value::Player(_)))
                };
                if owned(from) || owned(to) {
                    self.rows.extend(row.iter().map(named));
                    self.values(from.index.iter().chain(to.index.iter()));
                }
            }
            _ => {}
        }
    }

    fn values<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) {
        values.into_iter().for_each(|value| self.value(value));
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Row { table, row } => {
                self.rows.insert(format!("{table} {row}"));
            }
            Value::Bag { table, counts } => {
                let rows = counts.iter();
                self.rows
                    .extend(rows.map(|(row, _)| format!("{table} {row}")));
            }
            Value::Spread(shares) => {
                for share in shares {
                    self.rows.insert(named(&share.row));
                    self.values(share.place.index.iter());
                }
            }
            Value::Record { parts, .. } => self.values(parts.iter().map(|(_, value)| value)),
            Value::Int(_) | Value::Bool(_) | Value::Player(_) | Value::None => {}
            Value::Hidden { .. } => {}
        }
    }
}

/// `building fortress`
fn named(row: &RowRef) -> String {
    format!("{} {}", row.table, row.row)
}
