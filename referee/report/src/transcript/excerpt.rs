//! An excerpt of a game: what the modules of the ruleset bring to it.
//!
//! An event is told when it tells of something that a module declares (a row, a place, a phase, a question, a move, an
//! argument of one), or of a row that it changes, and when it was the first during which a clause of a module ran.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::package::{Language, Package};
use interpreter::play::{Audience, Event, Match, Move, PlaceRef, Record, RowRef, Value};
use interpreter::program::model::Model;
use interpreter::source::Span;
use interpreter::syntax::ast::Item;

use super::parts::Things;
use super::{Tables, parts};
use referee_library::players::PlayedBy;

/// Lines of an excerpt: with the head of its file 290.
const MOST: usize = 287;

/// The excerpt of a recorded game. The ruleset is the one with which it was played, but reports which clauses run.
///
/// # Errors
///
/// When it cannot be played again.
pub fn excerpt(
    traced: &Arc<Ruleset>,
    record: &Record,
    by: PlayedBy,
    language: Language,
) -> Result<String, String> {
    let brought = Brought::new(traced);
    let fault = |fault: interpreter::play::Fault| fault.to_string();
    let mut game = Match::traced(traced.clone(), record.seed)
        .map_err(fault)?
        .drawing();
    game.set_ask_forced(true).map_err(fault)?;
    // Clauses that ran, by the event with which what they did began.
    let mut known = BTreeSet::new();
    let mut ran: BTreeMap<usize, Things> = BTreeMap::new();
    let mut note = |game: &Match, from: usize| {
        for clause in game.exercised() {
            if brought.clauses.contains(&*clause) && known.insert(clause.clone()) {
                let things = ran.entry(from).or_default();
                things.insert(format!("clause {clause}"));
            }
        }
    };
    note(&game, 0);
    for made in record.moves.get(game.moves().len()..).unwrap_or(&[]) {
        let from = game.happened();
        let made = game.play_on(std::slice::from_ref(made));
        made.map_err(|why| why.in_full())?;
        note(&game, from);
    }
    let events = game.events(Audience::Referee, 0);
    let things = |at: usize| {
        let mut things = ran.get(&at).cloned().unwrap_or_default();
        if let Some(event) = events.get(at) {
            brought.tell(event, &mut things);
        }
        things
    };
    Ok(parts(&game, by, language, Tables::News, &things).excerpt(MOST))
}

/// What the modules of a ruleset bring.
struct Brought<'a> {
    model: &'a Model,
    package: &'a Package,
    /// Rows that they add or change, by table.
    rows: BTreeSet<(String, String)>,
    /// Phases, places, counters, markers, events, endings.
    named: BTreeSet<String>,
    clauses: BTreeSet<String>,
}

impl<'a> Brought<'a> {
    fn new(ruleset: &'a Ruleset) -> Brought<'a> {
        let (model, package) = (ruleset.model(), ruleset.package());
        let ours = |span: Span| package.origin(span).is_some();
        let mut rows = BTreeSet::new();
        for table in &package.tables {
            let added = table.rows.iter().filter(|row| ours(row.id.span));
            rows.extend(added.map(|row| (table.name.node.clone(), row.id.node.clone())));
        }
        for change in &package.changes {
            // `building factory cost`
            let mut words = change.address.split(' ').map(str::to_owned);
            if let (Some(table), Some(row)) = (words.next(), words.next()) {
                rows.insert((table, row));
            }
        }
        let mut named = BTreeSet::new();
        let mut add = |name: &str, span: Span| {
            if ours(span) {
                named.insert(name.to_owned());
            }
        };
        model.phases.iter().for_each(|it| add(&it.name, it.span));
        model.places.iter().for_each(|it| add(&it.name, it.span));
        model.counters.iter().for_each(|it| add(&it.name, it.span));
        model.markers.iter().for_each(|it| add(&it.name, it.span));
        for item in package.rules.iter().flat_map(|file| &file.tree.items) {
            match item {
                Item::Event(it) => add(&it.name.node, it.span),
                Item::Ending(it) => add(&it.name.node, it.span),
                _ => {}
            }
        }
        let clauses = package.rulebook.clauses.iter();
        let clauses = clauses.filter(|clause| ours(clause.id.span));
        Brought {
            model,
            package,
            rows,
            named,
            clauses: clauses.map(|clause| clause.id.node.clone()).collect(),
        }
    }

    /// Of what an event tells.
    fn tell(&self, event: &Event, things: &mut Things) {
        match event {
            Event::PhaseBegan { phase, args } => {
                self.name(phase, things);
                args.iter().for_each(|(_, value)| self.value(value, things));
            }
            // Of these another event has told when they came.
            Event::PhaseEnded { .. } | Event::Kept { .. } | Event::Asked { .. } => {}
            Event::Moved { step, mv, .. } => self.moved(step, mv, things),
            Event::Pieces { from, to, row, .. } => {
                self.place(from, things);
                self.place(to, things);
                row.iter().for_each(|row| self.row(row, things));
            }
            Event::Counter { counter, .. } => self.place(counter, things),
            Event::Marker { marker, to } => {
                self.place(marker, things);
                to.iter().for_each(|value| self.value(value, things));
            }
            Event::Shuffled { pile, .. } => self.place(pile, things),
            Event::Raised { event, args } => {
                self.name(event, things);
                args.iter().for_each(|(_, value)| self.value(value, things));
            }
            Event::EndingDue { ending, .. } | Event::Over { ending, .. } => {
                self.name(ending, things);
            }
        }
    }

    fn moved(&self, step: &str, mv: &Move, things: &mut Things) {
        let Some(ask) = self.model.asks.iter().find(|ask| *ask.step == *step) else {
            return;
        };
        let ours = |span: Span| self.package.origin(span).is_some();
        if ours(ask.span) {
            things.insert(format!("question {step}"));
        }
        let mut moves = ask.moves.iter().map(|mv| &self.model.moves[*mv]);
        if let Some(model) = moves.find(|model| model.name == mv.name) {
            if ours(model.span) {
                things.insert(format!("move {}", model.address));
            }
            for (name, _) in &mv.args {
                let param = model.params.iter().find(|param| param.name == *name);
                let clause = param.and_then(|param| self.model.clauses.get(param.cite?));
                if clause.is_some_and(|clause| self.clauses.contains(&**clause)) {
                    things.insert(format!("argument {name} of {}", model.address));
                }
            }
        }
        mv.args
            .iter()
            .for_each(|(_, value)| self.value(value, things));
    }

    fn name(&self, name: &str, things: &mut Things) {
        if self.named.contains(name) {
            things.insert(name.to_owned());
        }
    }

    fn row(&self, row: &RowRef, things: &mut Things) {
        if self
            .rows
            .contains(&(row.table.to_string(), row.row.to_string()))
        {
            things.insert(format!("{} {}", row.table, row.row));
        }
    }

    fn place(&self, place: &PlaceRef, things: &mut Things) {
        self.name(&place.name, things);
        place
            .index
            .iter()
            .for_each(|value| self.value(value, things));
    }

    fn value(&self, value: &Value, things: &mut Things) {
        let row = |table, row| RowRef { table, row };
        match value {
            Value::Row { table, row: of } => self.row(&row(table.clone(), of.clone()), things),
            Value::Bag { table, counts } => {
                for (of, _) in counts {
                    self.row(&row(table.clone(), of.clone()), things);
                }
            }
            Value::Spread(shares) => {
                for share in shares {
                    self.place(&share.place, things);
                    self.row(&share.row, things);
                }
            }
            Value::Record { parts, .. } => {
                parts
                    .iter()
                    .for_each(|(_, value)| self.value(value, things));
            }
            Value::Int(_) | Value::Bool(_) | Value::Player(_) | Value::None => {}
            Value::Hidden { .. } => {}
        }
    }
}
