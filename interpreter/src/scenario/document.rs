//! A scenario as written: its shape is checked, its names are not, because what they mean depends
//! on the ruleset that it is played with.

use std::collections::BTreeSet;

use super::setup::Setup;
use crate::diagnostic::Code;
use crate::play::{RefusalReason, Seat};
use crate::source::{Span, Spanned};
use crate::syntax::document::{Node, Pair};

/// One scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it shows, in a sentence.
    pub name: Spanned<String>,
    /// The clauses that it proves.
    pub cites: Vec<Spanned<String>>,
    /// What it is played with.
    pub setup: Setup,
    /// Where that is said.
    pub(super) game: Span,
    /// The ruleset that it says it is for.
    pub(super) ruleset: Option<Spanned<String>>,
    /// The seed of its chance.
    pub(super) seed: u64,
    /// Changes to the table as it is set up.
    pub(super) given: Given,
    /// Moves, in order.
    pub(super) when: Vec<Step>,
    /// What is true afterwards.
    pub(super) then: Option<Expectation>,
}

/// Changes to the table as it is set up.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// The phase from which play goes on, with its arguments.
    pub(super) phase: Option<(Spanned<String>, Vec<Pair>)>,
    /// The step from which play goes on.
    pub(super) at: Option<Spanned<String>>,
    /// Moves that are made before anything is changed, as through a set-up that asks.
    pub(super) after: Vec<WrittenMove>,
    /// A phase that is played to its end before that, whichever moves are made in it.
    pub(super) after_phase: Option<Spanned<String>>,
    /// Steps that each player has a turn in, and whose turn it is there.
    pub(super) turns: Vec<(Spanned<String>, Spanned<Seat>)>,
    /// Piles, and what is drawn from them next.
    pub(super) draws: Vec<Pair>,
    /// Dice, and what they show when they are rolled next.
    pub(super) rolls: Vec<Pair>,
    /// Places, counters and markers.
    pub(super) state: Vec<StateItem>,
}

/// Something said of a place, counter or marker, possibly of one player.
#[derive(Clone, Debug)]
pub(super) struct StateItem {
    /// The player under whom it is written.
    pub(super) seat: Option<Seat>,
    /// The name, and what is said of it.
    pub(super) pair: Pair,
}

/// One thing that happens.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A move is made.
    Move(WrittenMove),
    /// A move is refused.
    Refused {
        mv: WrittenMove,
        by: Option<Spanned<String>>,
        reason: Option<Spanned<RefusalReason>>,
    },
    /// The referee has made a move, because it was the only one.
    Forced {
        mv: WrittenMove,
        /// Another move of that question, and the clause that refuses it.
        instead: Option<(Written, Option<Spanned<String>>)>,
    },
    /// The referee has made these moves and no others.
    AllForced(Spanned<Vec<WrittenMove>>),
    /// Something is true in between.
    Expect(Expectation),
}

/// A move, an event: a name and arguments.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// Its name.
    pub(super) name: Spanned<String>,
    /// Its arguments.
    pub(super) args: Vec<Pair>,
    /// In how many ways a legal move can be made, all its arguments taken together; `None` is too many to
    /// count.
    pub(super) ways: Option<Spanned<Option<u128>>>,
    /// All of it, with its brackets.
    pub(super) whole: Span,
}

/// A move and who makes it.
#[derive(Clone, Debug)]
pub(super) struct WrittenMove {
    /// Who moves.
    pub(super) seat: Spanned<Seat>,
    /// The move.
    pub(super) mv: Written,
}

/// What is true at some moment.
#[derive(Clone, Debug)]
pub(super) struct Expectation {
    /// That no game can be created, and the mistake that is told instead.
    pub(super) no_game: Option<Spanned<Code>>,
    /// Who is asked.
    pub(super) asked: Option<Spanned<Vec<Seat>>>,
    /// What lies on the table, with every secret.
    pub(super) state: Vec<StateItem>,
    /// What seats may do.
    pub(super) legal: Vec<(Spanned<Seat>, Legal)>,
    /// What has been raised since the last expectation, in this order, perhaps with more between.
    pub(super) events: Option<Spanned<Vec<Written>>>,
    /// What the referee has made by itself since the last move that is written, in this order and nothing else.
    pub(super) forced: Option<Spanned<Vec<WrittenMove>>>,
    /// Scores.
    pub(super) scores: Vec<(Spanned<Seat>, Score)>,
    /// How the game has ended, or that it has not.
    pub(super) over: Option<Over>,
    /// What seats (or, `None`, spectators) see.
    pub(super) views: Vec<(Spanned<Option<Seat>>, Vec<StateItem>)>,
}

/// What a seat may do.
#[derive(Clone, Debug)]
pub(super) struct Legal {
    /// Whether these are all moves.
    pub(super) exactly: Option<Spanned<Vec<Written>>>,
    /// These are among the moves.
    pub(super) includes: Vec<Written>,
    /// These are not.
    pub(super) excludes: Vec<Written>,
}

/// The score of a seat.
#[derive(Clone, Debug)]
pub(super) struct Score {
    /// The sum.
    pub(super) total: Option<Spanned<i64>>,
    /// Some of its lines.
    pub(super) lines: Vec<(Spanned<String>, Spanned<i64>)>,
    /// Its place in the ranking, from 1.
    pub(super) place: Option<Spanned<i64>>,
    /// What decides where the sums are equal, in the order of the rules.
    pub(super) tie_breaks: Option<Spanned<Vec<i64>>>,
}

/// How the game has ended.
#[derive(Clone, Debug)]
pub(super) struct Over {
    /// Where this is said.
    pub(super) span: Span,
    /// Whether it has.
    pub(super) ended: bool,
    /// By which ending.
    pub(super) ending: Option<Spanned<String>>,
    /// Who has won.
    pub(super) winners: Option<Spanned<Vec<Seat>>>,
}

impl Scenario {
    /// Whether it says anything that could be otherwise.
    pub(super) fn can_fail(&self) -> bool {
        let says = |step: &Step| match step {
            // It says that the move is legal, or that it is not.
            Step::Move(_) | Step::Refused { .. } | Step::Forced { .. } | Step::AllForced(_) => true,
            Step::Expect(expected) => expected.says_anything(),
        };
        self.then.as_ref().is_some_and(Expectation::says_anything) || self.when.iter().any(says)
    }

    /// Everything that is expected, in order.
    pub(super) fn expected(&self) -> impl Iterator<Item = &Expectation> {
        let between = self.when.iter().filter_map(|step| match step {
            Step::Expect(expected) => Some(expected),
            Step::Move(_) | Step::Refused { .. } | Step::Forced { .. } | Step::AllForced(_) => None,
        });
        between.chain(&self.then)
    }

    /// Whether a step, or one after it before the next move, says what could not be done where a move was forced.
    pub(super) fn looks_behind(&self, from: usize) -> bool {
        let until_move = self.when[from..].iter();
        let mut until_move = until_move.take_while(|step| !matches!(step, Step::Move(_)));
        until_move.any(|step| matches!(step, Step::Forced { instead, .. } if instead.is_some()))
    }

    /// The places, counters and markers of which something is expected.
    pub(super) fn looks_at(&self) -> BTreeSet<String> {
        let items = self.expected().flat_map(|e| {
            let seen = e.views.iter().flat_map(|(_, items)| items);
            e.state.iter().chain(seen)
        });
        items.map(|item| item.pair.key.node.clone()).collect()
    }
}

impl WrittenMove {
    /// From who moves to the last argument.
    pub(super) fn span(&self) -> Span {
        self.seat.span.to(self.mv.whole)
    }
}

impl Written {
    /// From its name to its last argument.
    pub(super) fn span(&self) -> Span {
        self.args
            .iter()
            .fold(self.name.span, |span, pair| span.to(pair.value.span))
    }

    /// On one line, as it is written.
    pub(super) fn line(&self) -> String {
        match self.args.is_empty() {
            true => self.name.node.clone(),
            false => format!("{}: {}", self.name.node, map_line(&self.args)),
        }
    }
}

/// `{g: corn}`
fn map_line(pairs: &[Pair]) -> String {
    let pairs = pairs
        .iter()
        .map(|pair| format!("{}: {}", pair.key.node, node_line(&pair.value)));
    format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
}

/// A value on one line.
fn node_line(node: &Node) -> String {
    match (node.pairs(), node.items()) {
        (Some(pairs), _) => map_line(pairs),
        (_, Some(items)) => {
            let items: Vec<String> = items.iter().map(node_line).collect();
            format!("[{}]", items.join(", "))
        }
        _ => node.scalar().unwrap_or_default().to_owned(),
    }
}

impl Expectation {
    pub(super) fn says_anything(&self) -> bool {
        self.asked.is_some()
            || self.no_game.is_some()
            || self.events.is_some()
            || self.forced.is_some()
            || self.over.is_some()
            || !self.state.is_empty()
            || self.legal.iter().any(|(_, legal)| legal.says_anything())
            || self.scores.iter().any(|(_, score)| score.says_anything())
            || self.views.iter().any(|(_, seen)| !seen.is_empty())
    }
}

impl Legal {
    fn says_anything(&self) -> bool {
        self.exactly.is_some() || !self.includes.is_empty() || !self.excludes.is_empty()
    }

    /// Every move that is listed.
    pub(super) fn listed(&self) -> impl Iterator<Item = &Written> {
        let exactly = self.exactly.iter().flat_map(|list| &list.node);
        exactly.chain(&self.includes).chain(&self.excludes)
    }
}

impl Score {
    fn says_anything(&self) -> bool {
        self.total.is_some()
            || !self.lines.is_empty()
            || self.place.is_some()
            || self.tie_breaks.is_some()
    }
}

/// Nodes of state items, wherever they are.
impl StateItem {
    /// What is said.
    pub(super) fn node(&self) -> &Node {
        &self.pair.value
    }
}
