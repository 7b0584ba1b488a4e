//! Plays a scenario.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::differ::{Difference, Findings};
use super::document::{Given, Scenario, StateItem, Step, WrittenMove};
use super::expect::check;
use super::moves::{read, written};
use super::names::{Rows, Site, resolve, seat_name, seat_names, shown};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::play::{
    ApplyError, Audience, Fault, Match, Refusal, RefusalReason, Ruleset, Seed, Staging, Value,
};
use crate::source::{Span, Spanned};

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
    /// Clauses that it cites although no rule of theirs ran or refused in it: either no rule cites
    /// them, or the scenario does not prove them.
    pub unproved: Vec<Spanned<String>>,
    /// Places, counters and markers of which it expects something.
    pub looked_at: BTreeSet<String>,
    /// How many moves were made, forced ones included.
    pub moves: usize,
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
    };
    let played = runner.play(ruleset);
    let mut exercised: BTreeSet<String> = runner.refused_by;
    let mut moves = 0;
    if let Some(played) = &played {
        exercised.extend(played.exercised().iter().map(|id| id.to_string()));
        moves = played.moves().len();
    }
    let Findings {
        failures: mut diagnostics,
        differences,
    } = runner.found;
    let unproved = cited(scenario, ruleset, &exercised, &mut diagnostics);
    Report {
        name: scenario.name.clone(),
        diagnostics,
        differences,
        exercised,
        unproved,
        looked_at: scenario.looks_at(),
        moves,
    }
}

/// Looks at what a scenario cites; gives what it does not prove.
fn cited(
    scenario: &Scenario,
    ruleset: &Ruleset,
    exercised: &BTreeSet<String>,
    diagnostics: &mut Diagnostics,
) -> Vec<Spanned<String>> {
    let rulebook = &ruleset.package().rulebook;
    for cite in &scenario.cites {
        if rulebook.clause(&cite.node).is_none() {
            let ids = rulebook
                .clauses
                .iter()
                .map(|clause| clause.id.node.as_str());
            diagnostics.push(
                Code::UnknownClauseInScenario
                    .error(cite.span, format!("there is no clause `{}`", cite.node))
                    .maybe_help(did_you_mean(&cite.node, ids)),
            );
        }
    }
    let unproved = scenario
        .cites
        .iter()
        .filter(|cite| !exercised.contains(&cite.node));
    unproved.cloned().collect()
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
        let mut played = self.stage(ruleset)?;
        let mut since = played.events(Audience::Referee, 0).len();
        for step in &self.scenario.when {
            let go_on = match step {
                Step::Move(mv) => self.make(&mut played, mv),
                Step::Refused { mv, by, reason } => {
                    self.refused(&played, mv, by.as_ref(), reason.as_ref());
                    true
                }
                Step::Expect(expected) => {
                    check(&played, expected, since, &mut self.found);
                    since = played.events(Audience::Referee, 0).len();
                    true
                }
            };
            // What follows a move that could not be made would only fail for the same reason.
            if !go_on {
                return None;
            }
        }
        if let Some(then) = &self.scenario.then {
            check(&played, then, since, &mut self.found);
        }
        Some(played)
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
        let mut staging = match Staging::new(ruleset.clone(), seed, true) {
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
        match staging.play() {
            Ok(played) => Some(played),
            Err(fault) => {
                self.fault(name, &fault);
                None
            }
        }
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
                    Site::Place(place) if place.pile => {
                        if let Some(order) = rows.order(&place.table, node, failures) {
                            let order: Vec<&str> = order.iter().map(|row| &**row).collect();
                            set(staging.pile(&place.place, &order), node.span, failures);
                        }
                    }
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
                            let order: Vec<&str> = order.iter().map(|row| &**row).collect();
                            set(staging.draws(&place.place, &order), node.span, failures);
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
    fn make(&mut self, played: &mut Match, written_move: &WrittenMove) -> bool {
        let seat = written_move.seat.node;
        let span = written_move.seat.span.to(written_move.mv.span());
        let Some(mv) = read(played, seat, &written_move.mv, &mut self.found.failures) else {
            return false;
        };
        let waiting = seat_names(&played.waiting());
        match played.apply(seat, &mv) {
            Ok(()) => true,
            Err(ApplyError::Fault(fault)) => {
                self.fault(span, &fault);
                false
            }
            Err(ApplyError::Refused(refusal)) => {
                let mut failure = Code::MoveRefused
                    .error(span, format!("{} may not do this", seat_name(seat)))
                    .label(why(&refusal));
                if refusal.reason == RefusalReason::NotAsked {
                    failure = failure.note(format!("asked is {waiting}"));
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
        let Some(mv) = read(played, seat, &written_move.mv, &mut self.found.failures) else {
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
        Some(clause) => format!("{reason} by `{clause}`"),
        None => reason.to_owned(),
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
            .map(|(text, value)| format!("- `{text}` is {}", shown(value))),
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
