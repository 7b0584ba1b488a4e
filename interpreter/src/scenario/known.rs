//! Names that a scenario takes from the rules, looked up before it is played: one that is misspelt would
//! else be a score line of no points, an event that was not raised, or a clause that refuses nothing.

use super::document::{Expectation, Scenario, Score, Step, Written, WrittenMove};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::play::{RefusalReason, Ruleset};
use crate::source::{Id, Spanned};
use crate::syntax::document::read::one_of;

/// Reports every name that the ruleset does not know.
pub(super) fn check_names(scenario: &Scenario, ruleset: &Ruleset, diagnostics: &mut Diagnostics) {
    for cite in &scenario.cites {
        clause(cite, ruleset, diagnostics);
    }
    for made in &scenario.given.after {
        diagnostics.list.extend(unknown_move(&made.mv, ruleset));
    }
    for step in &scenario.when {
        match step {
            Step::Move(mv) => diagnostics.list.extend(unknown_move(&mv.mv, ruleset)),
            Step::Forced { mv, instead } => {
                diagnostics.list.extend(unknown_move(&mv.mv, ruleset));
                if let Some((instead, by)) = instead {
                    diagnostics.list.extend(unknown_move(instead, ruleset));
                    by.iter().for_each(|by| clause(by, ruleset, diagnostics));
                }
            }
            Step::Refused { mv, by, reason } => {
                let reason = reason.as_ref().map(|reason| reason.node);
                if reason != Some(RefusalReason::UnknownMove) {
                    let meant = "if the rules are to have no such move, say `reason: unknown_move`";
                    let unknown = unknown_move(&mv.mv, ruleset);
                    diagnostics.list.extend(unknown.map(|d| d.note(meant)));
                }
                if let Some(by) = by {
                    clause(by, ruleset, diagnostics);
                }
            }
            Step::AllForced(moves) => forced(&moves.node, ruleset, diagnostics),
            Step::Expect(_) => {}
        }
    }
    for expected in scenario.expected() {
        expectation(expected, ruleset, diagnostics);
    }
}

fn expectation(expected: &Expectation, ruleset: &Ruleset, diagnostics: &mut Diagnostics) {
    for (_, legal) in &expected.legal {
        for written in legal.listed() {
            diagnostics.list.extend(unknown_move(written, ruleset));
        }
    }
    if let Some(moves) = &expected.forced {
        forced(&moves.node, ruleset, diagnostics);
    }
    for written in expected.events.iter().flat_map(|events| &events.node) {
        event(written, ruleset, diagnostics);
    }
    for (_, Score { lines, .. }) in &expected.scores {
        let known = || ruleset.model().scores.iter().map(|line| &line.name);
        for (name, _) in lines {
            one_of_these("line of the score", name, known, diagnostics);
        }
    }
    let ending = expected.over.iter().filter_map(|over| over.ending.as_ref());
    for name in ending {
        let known = || ruleset.model().endings.iter().map(|ending| &ending.name);
        one_of_these("ending", name, known, diagnostics);
    }
}

fn clause(id: &Spanned<String>, ruleset: &Ruleset, diagnostics: &mut Diagnostics) {
    let rulebook = &ruleset.package().rulebook;
    if rulebook.clause(&id.node).is_none() {
        let known = rulebook.clauses.iter().map(|c| c.id.node.as_str());
        diagnostics.push(
            Code::UnknownClauseInScenario
                .error(id.span, format!("there is no clause `{}`", id.node))
                .maybe_help(did_you_mean(&id.node, known)),
        );
    }
}

fn forced(moves: &[WrittenMove], ruleset: &Ruleset, diagnostics: &mut Diagnostics) {
    let unknown = moves.iter().filter_map(|mv| unknown_move(&mv.mv, ruleset));
    diagnostics.list.extend(unknown);
}

fn unknown_move(written: &Written, ruleset: &Ruleset) -> Option<Diagnostic> {
    let (name, moves) = (&written.name, &ruleset.model().moves);
    if moves.iter().any(|mv| *mv.name == *name.node) {
        return None;
    }
    let failure =
        Code::UnknownMoveInScenario.error(name.span, format!("no move is called `{}`", name.node));
    let known = moves.iter().map(|mv| &*mv.name);
    Some(failure.maybe_help(did_you_mean(&name.node, known)))
}

fn event(written: &Written, ruleset: &Ruleset, diagnostics: &mut Diagnostics) {
    let events = &ruleset.model().events;
    let known = || events.iter().map(|event| &event.name);
    if !one_of_these("event", &written.name, known, diagnostics) {
        return;
    }
    let model = events.iter().find(|e| *e.name == *written.name.node);
    for pair in &written.args {
        let known = || {
            model
                .iter()
                .flat_map(|e| e.params.iter().map(|(name, _)| name))
        };
        let what = format!("part of the event `{}`", written.name.node);
        one_of_these(&what, &pair.key, known, diagnostics);
    }
}

/// Whether a name is known; else it is reported.
fn one_of_these<'k, I: Iterator<Item = &'k Id>>(
    what: &str,
    name: &Spanned<String>,
    known: impl Fn() -> I,
    diagnostics: &mut Diagnostics,
) -> bool {
    let found = known().any(|known| **known == *name.node);
    if !found {
        let names = || known().map(|known| &**known);
        let help =
            did_you_mean(&name.node, names()).unwrap_or_else(|| one_of("there are", names()));
        diagnostics.push(
            Code::UnknownNameInExpectation
                .error(name.span, format!("no {what} is called `{}`", name.node))
                .help(help),
        );
    }
    found
}
