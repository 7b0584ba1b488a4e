//! Plays a scenario.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::differ::{Difference, Findings};
use super::document::{Expectation, Given, Scenario, StateItem, Step, Written, WrittenMove};
use super::expect::check;
use super::forced::Forced;
use super::known::check_names;
use super::moves::{read, read_anyhow, written};
use super::names::{Rows, Site, place_name, resolve, seat_name, seat_names, shown};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Rejected, Severity, did_you_mean};
use crate::play::{
    ApplyError, Audience, Compared, Fault, Id, Match, Origin, PlaceView, Refusal, RefusalReason,
    Ruleset, Seat, Seed, Staging, Subject, Value, View,
};
use crate::source::{Span, Spanned};
use crate::syntax::document::read::one_of;

/// How many moves are made at most until a phase is over: no set-up takes so many, and rules may let somebody pass for ever.
const PLAYED_THROUGH: usize = 1_000;

/// What came of a scenario.
#[derive(Clone, Debug)]
pub struct Report {
    /// What it shows.
    pub name: Spanned<String>,
    /// What is wrong: what it expects and is not so, and what it says and cannot be said.
    pub diagnostics: Diagnostics,
    /// What is otherwise than expected and can be written in place of it.
    pub differences: Vec<Difference>,
    /// The clauses whose rules ran or refused in it.
    pub exercised: BTreeSet<String>,
    /// The clauses that refused a move in it which the scenario expects to be refused.
    pub refused: BTreeSet<String>,
    /// Clauses that it cites although no rule of theirs ran or refused in it: either no rule cites
    /// them, or the scenario does not prove them.
    pub unproved: Vec<Spanned<String>>,
    /// Places, counters and markers of which it expects something.
    pub looked_at: BTreeSet<String>,
    /// The moves that were made, as far as it went.
    pub made: Vec<Made>,
}

/// A move that was made in a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Who moved.
    pub seat: Seat,
    /// The step that asked.
    pub step: Id,
    /// The move as scenarios write it: `load: {g: corn}`.
    pub text: String,
    /// Whether the referee made it by itself, because it was the only one.
    pub forced: bool,
}

impl Report {
    /// Whether everything is as the scenario says.
    pub fn passed(&self) -> bool {
        !self.diagnostics.has_errors()
    }
}

/// Plays a scenario with the ruleset of its setup, best one that [`Setup::compile`](super::Setup::compile)
/// made: others do not say what they exercise.
pub fn run(scenario: &Scenario, ruleset: &Arc<Ruleset>) -> Report {
    let mut runner = Runner {
        scenario,
        found: Findings::default(),
        refused_by: BTreeSet::new(),
        forced: Forced::default(),
        made: Vec::new(),
    };
    let played = runner.play(ruleset);
    let refused = runner.refused_by;
    let mut exercised: BTreeSet<String> = refused.clone();
    if let Some(played) = &played {
        exercised.extend(played.exercised().iter().map(|id| id.to_string()));
    }
    let Findings {
        failures: diagnostics,
        differences,
    } = runner.found;
    let cited = scenario.cites.iter();
    let unproved = cited.filter(|cite| !exercised.contains(&cite.node));
    let unproved = unproved.cloned().collect();
    Report {
        name: scenario.name.clone(),
        diagnostics,
        differences,
        exercised,
        refused,
        unproved,
        looked_at: scenario.looks_at(),
        made: runner.made,
    }
}

/// Mistakes of whoever says what is to be played, not of the rules.
const OF_THE_GAME: &[Code] = &[
    Code::UnknownModule,
    Code::MissingRequiredModule,
    Code::ExcludedModule,
    Code::UnsupportedPlayerCount,
    Code::UnknownOption,
];

/// What came of a scenario whose ruleset could not be compiled, if the scenario expects that or if its
/// `game:` is why.
pub fn not_created(scenario: &Scenario, rejected: &Rejected) -> Option<Report> {
    let list = &rejected.diagnostics.list;
    let errors = || list.iter().filter(|d| d.severity == Severity::Error);
    let mut diagnostics = Diagnostics::default();
    let wanted = scenario
        .then
        .as_ref()
        .and_then(|then| then.no_game.as_ref());
    match wanted {
        Some(code) if errors().any(|error| error.code == code.node) => {}
        _ if !errors().all(|error| OF_THE_GAME.contains(&error.code)) => return None,
        Some(code) => {
            let codes: Vec<String> = errors().map(|error| error.code.to_string()).collect();
            let failure = Code::GameCreation
                .error(code.span, "no game can be created, but for another reason")
                .label(format!(
                    "expected {}, found {}",
                    code.node,
                    codes.join(", ")
                ));
            let messages: Vec<&str> = errors().map(|error| &*error.message).collect();
            diagnostics.push(failure.note(messages.join("\n")));
        }
        None => {
            for error in errors() {
                let told = error.code.error(scenario.game, error.message.clone());
                diagnostics.push(told.maybe_help(error.help.clone()));
            }
        }
    }
    Some(Report {
        name: scenario.name.clone(),
        diagnostics,
        differences: Vec::new(),
        exercised: BTreeSet::new(),
        refused: BTreeSet::new(),
        unproved: scenario.cites.clone(),
        looked_at: BTreeSet::new(),
        made: Vec::new(),
    })
}

/// The moves of a match.
fn made(played: &Match) -> Vec<Made> {
    let moves = played.moves();
    let made = moves.iter().map(|made| Made {
        seat: made.seat,
        step: made.step,
        text: written(&made.mv),
        forced: made.origin == Origin::Forced,
    });
    made.collect()
}

/// Something that a phase keeps is named while the phase is not under way.
fn not_under_way(span: Span, failures: &mut Diagnostics) {
    failures.push(
        Code::ImpossiblePosition
            .error(span, "the phase that keeps this is not under way")
            .help("begin it: `phase: {name: {parameter: value}}`, or `at: name.step`"),
    );
}

struct Runner<'s> {
    scenario: &'s Scenario,
    found: Findings,
    refused_by: BTreeSet<String>,
    /// How far it has spoken of the moves that were made.
    forced: Forced,
    /// The moves that were made, once it is over.
    made: Vec<Made>,
}

impl Runner<'_> {
    /// Plays to the end, or as far as it goes.
    fn play(&mut self, ruleset: &Arc<Ruleset>) -> Option<Match> {
        if let Some(wanted) = &self.scenario.ruleset
            && wanted.node != ruleset.package().id.node
        {
            self.found.failures.push(
                Code::ScenarioOfOtherRuleset
                    .error(
                        wanted.span,
                        format!("this scenario is for `{}`", wanted.node),
                    )
                    .label(format!("played with `{}`", ruleset.package().id.node)),
            );
            return None;
        }
        let then = self.scenario.then.as_ref();
        if let Some(code) = then.and_then(|then| then.no_game.as_ref()) {
            self.found.failures.push(
                Code::GameCreation
                    .error(code.span, "this game can be created")
                    .label(format!("expected {} instead", code.node)),
            );
            return None;
        }
        check_names(self.scenario, ruleset, &mut self.found.failures);
        if self.found.failures.has_errors() {
            return None;
        }
        let mut played = self.stage(ruleset)?;
        let mut since = played.events(Audience::Referee, 0).len();
        for (at, step) in self.scenario.when.iter().enumerate() {
            let go_on = match step {
                Step::Move(mv) => {
                    let looks_behind = self.scenario.looks_behind(at + 1);
                    self.make(&mut played, mv, looks_behind)
                }
                Step::Refused { mv, by, reason } => {
                    self.refused(&played, mv, by.as_ref(), reason.as_ref());
                    true
                }
                Step::Forced { mv, instead } => {
                    let was_made = self.forced.is_made(&played, mv);
                    let before = self.forced.before(&played, mv);
                    self.forced.check_one(&played, mv, &mut self.found);
                    if let (Some((instead, by)), true) = (instead, was_made) {
                        self.instead(before.as_ref(), mv, instead, by.as_ref());
                    }
                    true
                }
                Step::AllForced(moves) => {
                    self.forced.check_all(&played, moves, &mut self.found);
                    true
                }
                Step::Expect(expected) => {
                    self.check(&played, expected, since);
                    since = played.events(Audience::Referee, 0).len();
                    true
                }
            };
            // What follows a move that could not be made would only fail for the same reason.
            if !go_on {
                self.made = made(&played);
                return None;
            }
        }
        if let Some(then) = &self.scenario.then {
            self.check(&played, then, since);
        }
        self.made = made(&played);
        Some(played)
    }

    /// Whether something else could not be done where a move was forced, in the match as it was then.
    fn instead(
        &mut self,
        before: Option<&Match>,
        forced: &WrittenMove,
        instead: &Written,
        by: Option<&Spanned<String>>,
    ) {
        let seat = forced.seat.clone();
        let mv = instead.clone();
        match before {
            Some(before) => self.refused(before, &WrittenMove { seat, mv }, by, None),
            None => self.found.failures.push(
                Code::ForcedMovesDiffer
                    .error(instead.span(), "nothing tells what could be done there")
                    .note("the match cannot be played up to that question with forced moves asked for")
                    .help("write `forced:` without `instead_of:`"),
            ),
        }
    }

    fn check(&mut self, played: &Match, expected: &Expectation, since: usize) {
        check(played, expected, since, &mut self.found);
        if let Some(forced) = &expected.forced {
            self.forced.check_all(played, forced, &mut self.found);
        }
    }

    fn fault(&mut self, span: Span, fault: &Fault) {
        self.found.failures.push(
            Code::RulesetFault
                .error(span, "the ruleset is faulty here")
                .note(fault.to_string()),
        );
    }

    fn stage(&mut self, ruleset: &Arc<Ruleset>) -> Option<Match> {
        let name = self.scenario.name.span;
        let seed = Seed::from_number(self.scenario.seed);
        let Given {
            after, after_phase, ..
        } = &self.scenario.given;
        let staging = match after.is_empty() && after_phase.is_none() {
            true => Staging::new(ruleset.clone(), seed, true),
            false => match Match::traced(ruleset.clone(), seed) {
                Ok(mut played) => {
                    if let Some(phase) = after_phase {
                        self.play_through(&mut played, phase)?;
                    }
                    if !after.iter().all(|mv| self.make(&mut played, mv, false)) {
                        return None;
                    }
                    Staging::of(played)
                }
                Err(fault) => Err(fault),
            },
        };
        let mut staging = match staging {
            Ok(staging) => staging,
            Err(fault) => {
                self.fault(name, &fault);
                return None;
            }
        };
        let before = self.found.failures.counts().0;
        self.given(&mut staging, &self.scenario.given, ruleset);
        if self.found.failures.counts().0 > before {
            return None;
        }
        if self.scenario.looks_behind(0) {
            self.forced.ask(staging.clone().play_asking().ok(), 0);
        }
        match staging.play() {
            Ok(played) => Some(played),
            Err(fault) => {
                self.fault(name, &fault);
                None
            }
        }
    }

    /// Plays until a phase is over that is under way: each time the first legal move.
    fn play_through(&mut self, played: &mut Match, phase: &Spanned<String>) -> Option<()> {
        let is_under_way = |played: &Match| {
            let phases = played.view(Audience::Referee).phases;
            phases.iter().any(|(name, _)| **name == *phase.node)
        };
        if !is_under_way(played) {
            let phases = &played.ruleset().model().phases;
            let near = did_you_mean(&phase.node, phases.iter().map(|p| &*p.name));
            let why = format!(
                "no phase `{}` waits for anybody after the set-up",
                phase.node
            );
            self.found.failures.push(
                Code::ImpossiblePosition
                    .error(phase.span, why)
                    .maybe_help(near),
            );
            return None;
        }
        for _ in 0..PLAYED_THROUGH {
            if !is_under_way(played) {
                return Some(());
            }
            let asked = played.waiting().first().copied();
            let first = asked.and_then(|seat| Some((seat, played.legal_moves(seat, 1).pop()?)));
            let Some((seat, mv)) = first else {
                break;
            };
            match played.apply(seat, &mv) {
                Ok(_) => {}
                Err(ApplyError::Fault(fault)) => {
                    self.fault(phase.span, &fault);
                    return None;
                }
                Err(ApplyError::Refused(_)) => break,
            }
        }
        let why = format!(
            "the first legal move each time does not lead out of `{}`",
            phase.node
        );
        let error = Code::ImpossiblePosition.error(phase.span, why);
        let help = "say which moves are made: `after: [p1: {pass: {}}, …]`";
        self.found.failures.push(error.help(help));
        None
    }

    fn given(&mut self, staging: &mut Staging, given: &Given, ruleset: &Ruleset) {
        let rows = Rows::new(ruleset.package(), ruleset.players());
        let view = staging.view();
        let set = |result: Result<(), String>, span: Span, failures: &mut Diagnostics| {
            if let Err(why) = result {
                failures.push(Code::ImpossiblePosition.error(span, why));
            }
        };
        // What phases keep can be said only once they are under way.
        let model = ruleset.model();
        let (kept, table): (Vec<&StateItem>, Vec<&StateItem>) = given
            .state
            .iter()
            .partition(|item| model.kept(&item.pair.key.node).is_some());
        for item in table {
            resolve(
                &view,
                item,
                &mut self.found.failures,
                &mut |site, node, span, failures| match site {
                    Site::Place(place) if place.pile && node.scalar().is_none() => {
                        if let Some(order) = rows.order(&place.table, node, failures) {
                            let order: Vec<&str> = order.iter().map(|row| &**row).collect();
                            set(staging.pile(&place.place, &order), node.span, failures);
                        }
                    }
                    Site::Place(_) if node.scalar().is_some() => failures.push(
                        Code::ImpossiblePosition
                            .error(node.span, "this does not say which pieces lie there")
                            .help("number them by kind: `{kind: 2}`, or list all of them"),
                    ),
                    // A list says all that lies there.
                    Site::Place(place) if node.items().is_some() => {
                        if let Some(all) = rows.order(&place.table, node, failures) {
                            let all: Vec<&str> = all.iter().map(|row| &**row).collect();
                            set(staging.fill(&place.place, &all), node.span, failures);
                        }
                    }
                    Site::Place(place) => {
                        for (row, count) in rows.counts(&place.table, node, failures) {
                            set(
                                staging.put(&place.place, &row, count.node),
                                count.span,
                                failures,
                            );
                        }
                    }
                    Site::Counter(counter, _) => {
                        if let Some(value) = node.int("a number", failures) {
                            if value.node < 0 {
                                let of = place_name(counter);
                                failures.push(
                                    Code::PositionAgainstRules
                                        .warning(node.span, format!("`{of}` is below zero"))
                                        .help("give a number that play could lead to"),
                                );
                            }
                            set(staging.counter(counter, value.node), node.span, failures);
                        }
                    }
                    Site::Marker(marker, _) => {
                        if let Some(value) = rows.value(node, failures) {
                            set(staging.marker(marker, &value), node.span, failures);
                        }
                    }
                    Site::Kept(..) => not_under_way(span, failures),
                },
            );
        }
        for pair in &given.draws {
            let item = StateItem {
                seat: None,
                pair: pair.clone(),
            };
            resolve(
                &view,
                &item,
                &mut self.found.failures,
                &mut |site, node, span, failures| match site {
                    Site::Place(place) => {
                        if let Some(order) = rows.order(&place.table, node, failures) {
                            let names: Vec<&str> = order.iter().map(|row| &**row).collect();
                            if let Err(why) = staging.draws(&place.place, &names) {
                                let failure = Code::ImpossiblePosition.error(node.span, why);
                                let now = staging.view();
                                failures.push(failure.note(where_they_lie(&now, place, &order)));
                            }
                        }
                    }
                    _ => failures
                        .push(Code::ImpossiblePosition.error(span, "nothing is drawn from this")),
                },
            );
        }
        for pair in &given.rolls {
            let item = StateItem {
                seat: None,
                pair: pair.clone(),
            };
            resolve(
                &view,
                &item,
                &mut self.found.failures,
                &mut |site, node, span, failures| match site {
                    Site::Marker(die, _) => {
                        let Some(items) = node.list("faces, in the order of the rolls", failures)
                        else {
                            return;
                        };
                        let mut faces = Vec::new();
                        for item in items {
                            faces.extend(rows.value(item, failures));
                        }
                        set(staging.rolls(die, &faces), node.span, failures);
                    }
                    _ => failures.push(Code::ImpossiblePosition.error(span, "this is not a die")),
                },
            );
        }
        self.begin(staging, given, &rows);
        let view = staging.view();
        for item in kept {
            let name = &item.pair.key;
            if !view.kept.iter().any(|(kept, _)| *kept.name == *name.node) {
                not_under_way(name.span, &mut self.found.failures);
                continue;
            }
            resolve(
                &view,
                item,
                &mut self.found.failures,
                &mut |site, node, _, failures| {
                    let Some(var) = model.kept(&site.place().name) else {
                        return;
                    };
                    if let Some(value) = rows.whole(model, &var.ty, node, failures) {
                        set(staging.keep(site.place(), &value), node.span, failures);
                    }
                },
            );
        }
        let anew = given.phase.is_none() && given.at.is_none();
        for (step, seat) in &given.turns {
            if let Err(why) = staging.turn(&step.node, seat.node, anew) {
                let phases = &staging.ruleset().model().phases;
                let steps = phases.iter().flat_map(|p| &p.steps).map(|s| &*s.name);
                let known = steps.clone().any(|name| *name == *step.node);
                let near = did_you_mean(&step.node, steps);
                self.found.failures.push(
                    Code::ImpossiblePosition
                        .error(step.span, why)
                        .maybe_help(near.filter(|_| !known)),
                );
            }
        }
        self.overfull(staging, given);
    }

    /// Warns of places that hold more than there is room for.
    fn overfull(&mut self, staging: &Staging, given: &Given) {
        // A place whose room cannot be worked out fails in play, where that is told.
        for (place, why) in staging.overfull().unwrap_or_default() {
            let mut items = given.state.iter();
            let item = items.find(|item| *item.pair.key.node == *place.name);
            let span = item.map_or(self.scenario.name.span, |item| item.pair.key.span);
            let of = place_name(&place);
            self.found.failures.push(
                Code::PositionAgainstRules
                    .warning(span, format!("`{of}` is fuller than it can be"))
                    .label(why)
                    .help("give fewer pieces, or what they need to lie there"),
            );
        }
    }

    fn begin(&mut self, staging: &mut Staging, given: &Given, rows: &Rows<'_>) {
        let step = given.at.as_ref();
        let (phase, pairs) = match (&given.phase, step) {
            (Some((phase, args)), _) => (phase.clone(), &args[..]),
            (None, Some(step)) => {
                let phase = step.node.split('.').next().unwrap_or_default().to_owned();
                (Spanned::new(phase, step.span), &[][..])
            }
            (None, None) => return,
        };
        let mut args: Vec<(&str, Value)> = Vec::new();
        for pair in pairs {
            let Some(value) = rows.value(&pair.value, &mut self.found.failures) else {
                return;
            };
            args.push((&pair.key.node, value));
        }
        if let Err(why) = staging.begin(&phase.node, &args, step.map(|step| step.node.as_str())) {
            let phases = &staging.ruleset().model().phases;
            let (name, near) = match step {
                Some(step) => {
                    let steps = phases.iter().flat_map(|p| &p.steps).map(|s| &*s.name);
                    (step, did_you_mean(&step.node, steps))
                }
                None => (
                    &phase,
                    did_you_mean(&phase.node, phases.iter().map(|p| &*p.name)),
                ),
            };
            // A name that is right needs no other; then something else is wrong.
            let known = phases.iter().any(|p| *p.name == *name.node);
            let failure = Code::ImpossiblePosition.error(name.span, why);
            self.found
                .failures
                .push(failure.maybe_help(near.filter(|_| !known)));
        }
    }

    /// Makes a move; whether the scenario can go on.
    fn make(&mut self, played: &mut Match, written_move: &WrittenMove, looks_behind: bool) -> bool {
        let seat = written_move.seat.node;
        let span = written_move.seat.span.to(written_move.mv.span());
        let message = || format!("{} may not do this", seat_name(seat));
        if let Some(open) = open_question_without(played, written_move)
            && !self.forced.is_made(played, written_move)
        {
            let failure = Code::MoveRefused.error(span, message()).label(open);
            self.found.failures.push(failure);
            return false;
        }
        let Some(mv) = read(played, seat, &written_move.mv, &mut self.found.failures) else {
            return false;
        };
        let before = played.moves().len();
        let asking = looks_behind.then(|| {
            let mut asking = played.clone();
            asking.set_ask_forced(true).ok()?;
            asking.apply(seat, &mv).ok()?;
            Some(asking)
        });
        match played.apply(seat, &mv) {
            Ok(()) => {
                self.forced.moved(before);
                self.forced.ask(asking.flatten(), before + 1);
                true
            }
            Err(ApplyError::Fault(fault)) => {
                self.fault(span, &fault);
                false
            }
            Err(ApplyError::Refused(refusal)) => {
                // Whoever writes a forced move too says nothing wrong.
                if self.forced.was_made(played, written_move) {
                    return true;
                }
                let mut notes = Vec::new();
                if refusal.reason == RefusalReason::NotAsked {
                    notes.push(format!("asked is {}", seat_names(&played.waiting())));
                }
                notes.extend(self.forced.told(played));
                let mut failure = Code::MoveRefused
                    .error(span, message())
                    .label(why(&refusal));
                if !notes.is_empty() {
                    failure = failure.note(notes.join("\n"));
                }
                self.found.failures.push(with_details(failure, &refusal));
                false
            }
        }
    }

    /// Tries a move that must be refused.
    fn refused(
        &mut self,
        played: &Match,
        written_move: &WrittenMove,
        by: Option<&Spanned<String>>,
        reason: Option<&Spanned<RefusalReason>>,
    ) {
        let seat = written_move.seat.node;
        let span = written_move.seat.span.to(written_move.mv.span());
        let as_it_is = matches!(
            reason.map(|reason| reason.node),
            Some(RefusalReason::UnknownMove | RefusalReason::MalformedArgument)
        );
        let failures = &mut self.found.failures;
        let before = failures.list.len();
        let mv = match as_it_is {
            true => Some(read_anyhow(played, seat, &written_move.mv)),
            false => read(played, seat, &written_move.mv, failures),
        };
        let Some(mv) = mv else {
            for failure in &mut failures.list[before..] {
                let meant = "if the move is to be refused for that, say `reason: malformed`";
                failure.note.get_or_insert_with(|| meant.to_owned());
            }
            return;
        };
        let refusal = match played.check(seat, &mv) {
            Ok(()) => {
                let mut failure = Code::MoveNotRefused
                    .error(span, format!("{} may do this", seat_name(seat)))
                    .label("expected to be refused");
                if let Some(by) = by {
                    failure = failure.also(by.span, "by this clause");
                }
                self.found.failures.push(failure);
                return;
            }
            Err(ApplyError::Refused(refusal)) => refusal,
            Err(ApplyError::Fault(fault)) => return self.fault(span, &fault),
        };
        self.refused_by
            .extend(refusal.clause.iter().map(|id| id.to_string()));
        if let Some(by) = by
            && refusal.clause.as_deref() != Some(by.node.as_str())
        {
            let failure = Code::RefusedForOtherReason
                .error(by.span, "this is refused for another reason")
                .label(format!("expected this clause, found: {}", why(&refusal)));
            self.found.failures.push(with_details(failure, &refusal));
        }
        if let Some(reason) = reason
            && refusal.reason != reason.node
        {
            let failure = Code::RefusedForOtherReason
                .error(reason.span, "this is refused for another reason")
                .label(format!("expected this, found: {}", why(&refusal)));
            self.found.failures.push(with_details(failure, &refusal));
        }
        // Whoever writes neither means the rules, not a slip in who is asked or in what a move is called.
        if (by, reason) == (None, None) && refusal.reason != RefusalReason::Forbidden {
            let failure = Code::RefusedForOtherReason
                .error(span, "this is refused, but not by a rule")
                .label(why(&refusal))
                .help("if that is meant, say `reason:`");
            self.found.failures.push(with_details(failure, &refusal));
        }
    }
}

/// Where pieces lie that are to be drawn from a pile, in words.
fn where_they_lie(view: &View, pile: &PlaceView, rows: &[Id]) -> String {
    let kinds: BTreeSet<&Id> = rows.iter().collect();
    let lines = kinds.into_iter().map(|row| {
        let lying = view.places.iter().filter(|place| place.table == pile.table);
        let lying = lying.filter_map(|place| {
            let contents = place.contents.iter().flatten();
            let here: u32 = contents.filter(|(r, _)| r == row).map(|(_, n)| n).sum();
            (here > 0).then(|| format!("{} has {here}", place_name(&place.place)))
        });
        let lying: Vec<String> = lying.collect();
        match lying.is_empty() {
            true => format!("- {row}: there is none"),
            false => format!("- {row}: {}", lying.join(", ")),
        }
    });
    let lines: Vec<String> = lines.collect();
    format!("on the table, as it is given:\n{}", lines.join("\n"))
}

/// That a seat is asked something that has no such move, if that is so.
fn open_question_without(played: &Match, written_move: &WrittenMove) -> Option<String> {
    let question = played.question(written_move.seat.node)?;
    let model = played.ruleset().model();
    let asks = model.asks.iter().filter(|ask| ask.step == question.step);
    let moves: Vec<&str> = asks
        .flat_map(|ask| &ask.moves)
        .map(|mv| &*model.moves[*mv].name)
        .collect();
    let unknown = !moves.contains(&written_move.mv.name.node.as_str());
    unknown.then(|| {
        let whose = seat_name(written_move.seat.node);
        let moves = one_of("whose moves are", moves);
        format!("`{}` asks {whose}, {moves}", question.step)
    })
}

/// A refusal in a few words.
fn why(refusal: &Refusal) -> String {
    let reason = match refusal.reason {
        RefusalReason::MatchOver => "nobody is asked any more",
        RefusalReason::NotAsked => "this player is not asked",
        RefusalReason::UnknownMove => "this question has no such move",
        RefusalReason::MalformedArgument => "an argument is missing or wrong",
        RefusalReason::Forbidden => "forbidden",
    };
    match &refusal.clause {
        Some(clause) if refusal.reason == RefusalReason::Forbidden => {
            format!("{reason} by `{clause}`")
        }
        Some(clause) => format!("{reason}: `{clause}` says when"),
        None => reason.to_owned(),
    }
}

/// A value with what it is, as far as an expression that is only a name does not say it: `the good corn`.
fn described(compared: &Compared) -> String {
    let value = shown(&compared.value);
    match (&compared.subject, &compared.value) {
        (Subject::Name(_), Value::Row { table, .. }) => format!("the {table} {value}"),
        (Subject::Name(_), Value::Player(_)) => format!("the player {value}"),
        (Subject::Name(_), Value::Int(_)) => format!("the number {value}"),
        _ => value,
    }
}

/// The condition that failed, its values, and what could have been done instead.
fn with_details(failure: Diagnostic, refusal: &Refusal) -> Diagnostic {
    let mut lines: Vec<String> = failure.note.iter().cloned().collect();
    // What no condition of the rules forbids is said in a sentence, with names in backticks.
    let forbidden = refusal.reason == RefusalReason::Forbidden;
    lines.extend(
        refusal
            .condition
            .iter()
            .map(|condition| match condition.contains('`') {
                false if forbidden => format!("the condition is `{condition}`"),
                _ => condition.clone(),
            }),
    );
    lines.extend(
        refusal
            .values
            .iter()
            .map(|compared| format!("- `{}` is {}", compared.expression, described(compared))),
    );
    if !refusal.alternatives.is_empty() {
        let moves: Vec<_> = refusal.alternatives.iter().map(written).collect();
        lines.push(format!("legal would be {}", moves.join("; ")));
    }
    match lines.is_empty() {
        true => failure,
        false => failure.note(lines.join("\n")),
    }
}
