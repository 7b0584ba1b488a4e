//! What accepted games meet of the rules, and what they do not: a change of a rule that a game meets is sure to be seen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::package::{Configuration, Language, PackageTexts};
use interpreter::play::{Audience, CompileOptions, Event, Match, PlaceRef, Record, RowRef, Value};
use interpreter::program::model::{Model, TableId};
use interpreter::program::tree::Ty;
use interpreter::syntax::Trees;
use rayon::prelude::*;
use serde::Serialize;

use super::{Pinned, Shown};
use crate::coverage::declares;
use crate::rules::{Rules, composed};

/// What the games of a list do not meet. Fields are added, never renamed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Unmet {
    /// Rows that the games could use: of tables that have pieces, or that a move names. The rows of others are words of the
    /// rules, such as the kinds of cards.
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
#[derive(Clone, Debug, Default)]
pub(super) struct Met {
    /// Clauses whose rules ran.
    pub clauses: BTreeSet<String>,
    /// Rows that a player used: `building wharf`.
    pub rows: BTreeSet<String>,
}

/// What there is to be met.
#[derive(Default)]
struct All {
    clauses: BTreeSet<String>,
    rows: BTreeSet<String>,
    modules: BTreeSet<String>,
}

/// Looks at games that were played: what was listed of each and what came of it.
pub fn unmet(base: &PackageTexts, trees: &Trees, games: &[(&Pinned, Record)]) -> Unmet {
    // Games of one configuration share their rules.
    let mut groups: BTreeMap<String, Vec<&(&Pinned, Record)>> = BTreeMap::new();
    for game in games {
        let configuration = format!("{:?}", game.0.configuration());
        groups.entry(configuration).or_default().push(game);
    }
    let groups: Vec<Vec<&(&Pinned, Record)>> = groups.into_values().collect();
    let looked = groups.par_iter().filter_map(|group| {
        let (pinned, _) = group.first()?;
        let ruleset = traced(base, trees, &pinned.configuration())?;
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

/// The rules of a configuration, which note the clauses that they carry out.
pub(super) fn traced(
    base: &PackageTexts,
    trees: &Trees,
    configuration: &Configuration,
) -> Option<Arc<Ruleset>> {
    let options = CompileOptions {
        traced: true,
        ..CompileOptions::default()
    };
    Ruleset::compile_again(base, &[], configuration, options, trees).ok()
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
    let components = components(ruleset.model());
    let tables = ruleset.model().tables.iter_enumerated();
    let tables = tables.filter(|(id, _)| components.contains(id));
    let rows = tables.flat_map(|(_, table)| {
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

/// Tables that have pieces, or whose rows a move names.
fn components(model: &Model) -> BTreeSet<TableId> {
    let mut found: BTreeSet<TableId> = model.places.iter().map(|place| place.table).collect();
    let moves = model.moves.iter();
    let mut types: Vec<&Ty> = moves
        .flat_map(|mv| mv.params.iter().map(|param| &param.ty))
        .collect();
    while let Some(ty) = types.pop() {
        match ty {
            Ty::Row(table) | Ty::Bag(table) => {
                found.insert(*table);
            }
            Ty::Option(inner) => types.push(inner),
            Ty::Record(record) => {
                types.extend(model.records[*record].parts.iter().map(|(_, ty)| ty));
            }
            // Its pieces lie in places.
            Ty::Spread | Ty::Int | Ty::Bool | Ty::Player | Ty::None | Ty::Unit => {}
        }
    }
    found
}

/// What a game meets; nothing is known of one that these rules cannot play again.
pub(super) fn met(traced: &Arc<Ruleset>, record: &Record) -> Option<Met> {
    let game = Match::traced(traced.clone(), record.seed).ok()?;
    let mut game = game.drawing();
    game.set_ask_forced(true).ok()?;
    let rest = record.moves.get(game.moves().len()..)?;
    game.play_on(rest).ok()?;
    let mut met = Met {
        clauses: game.exercised().iter().map(ToString::to_string).collect(),
        rows: BTreeSet::new(),
    };
    let shared = shared(traced.model());
    for event in game.events(Audience::Referee, 0) {
        met.event(&event, &shared);
    }
    Some(met)
}

/// Tables whose pieces no player ever has: they are used where they lie.
fn shared(model: &Model) -> BTreeSet<&str> {
    let is_owned = |table: TableId| {
        let places = model.places.iter().filter(|place| place.table == table);
        let mut index = places.flat_map(|place| place.index.iter());
        index.any(|(ty, _)| *ty == Ty::Player)
    };
    let tables = model.tables.iter_enumerated();
    let shared = tables.filter(|(table, _)| !is_owned(*table));
    shared.map(|(_, table)| &*table.name).collect()
}

impl Met {
    /// Rows that a player chose, had or was told of, and those of `shared` tables that were moved. Of other tables, what lies
    /// in the middle of the table is not used yet.
    fn event(&mut self, event: &Event, shared: &BTreeSet<&str>) {
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
                let is_shared = row.as_ref().is_some_and(|row| shared.contains(&*row.table));
                if owned(from) || owned(to) || is_shared {
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
