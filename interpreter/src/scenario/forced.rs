//! Moves that the referee makes by itself, because each is the only one: what a scenario says of them.
//!
//! A scenario need not speak of them. It may write one like any other move, say that one was made, or say which were made
//! and that these were all.

use super::differ::{Change, Findings};
use super::document::WrittenMove;
use super::moves::{contains, read, written};
use super::names::seat_name;
use crate::diagnostic::{Code, Diagnostics};
use crate::play::{Match, Move, Origin, RecordedMove, Seat};
use crate::source::Spanned;

/// How far a scenario has spoken of the moves that were made.
#[derive(Debug, Default)]
pub(super) struct Forced {
    /// How many of them it has spoken of, or passed over.
    told: usize,
    /// The match behind so many moves, with forced moves asked for, if the scenario looks at questions that forced one.
    asking: Option<(Match, usize)>,
}

impl Forced {
    /// The scenario has made a move, before which there were so many.
    pub(super) fn moved(&mut self, before: usize) {
        self.told = before + 1;
    }

    /// Whether the referee has made a move since the scenario last spoke of one; if so, the scenario has spoken of it now.
    pub(super) fn was_made(&mut self, played: &Match, said: &WrittenMove) -> bool {
        let at = self.position(played, said);
        self.told = at.map_or(self.told, |at| at + 1);
        at.is_some()
    }

    /// Whether it has, of which the scenario goes on to speak.
    pub(super) fn is_made(&self, played: &Match, said: &WrittenMove) -> bool {
        self.position(played, said).is_some()
    }

    /// From here on a scenario looks at what could not be done where a move was forced: the match behind so many moves, with
    /// forced moves asked for.
    pub(super) fn ask(&mut self, asking: Option<Match>, moves: usize) {
        self.asking = asking.map(|asking| (asking, moves));
    }

    /// The match as it was when a move was forced, if the scenario looks at that.
    pub(super) fn before(&self, played: &Match, said: &WrittenMove) -> Option<Match> {
        let at = self.position(played, said)?;
        let (asking, behind) = self.asking.as_ref()?;
        let mut asking = asking.clone();
        for made in played.moves().from(*behind).take(at - behind) {
            asking.apply(made.seat, &made.mv).ok()?;
        }
        Some(asking)
    }

    /// Reports a move that the referee has not made.
    pub(super) fn check_one(&mut self, played: &Match, said: &WrittenMove, found: &mut Findings) {
        if understood(played, said, &mut found.failures).is_none() || self.was_made(played, said) {
            return;
        }
        let whose = seat_name(said.seat.node);
        found.failures.push(
            Code::ForcedMovesDiffer
                .error(said.span(), format!("{whose} was not forced to do this"))
                .note(self.told_or_none(played)),
        );
    }

    /// Reports if the moves that the referee has made are not exactly these; the scenario has spoken of all of them now.
    pub(super) fn check_all(
        &mut self,
        played: &Match,
        said: &Spanned<Vec<WrittenMove>>,
        found: &mut Findings,
    ) {
        let mut moves = Vec::new();
        for one in &said.node {
            let Some(mv) = understood(played, one, &mut found.failures) else {
                return;
            };
            moves.push((one.seat.node, mv));
        }
        let made: Vec<RecordedMove> = self.since(played).map(|(_, made)| made).collect();
        let is_same = |(made, (seat, mv)): (&RecordedMove, &(Seat, Move))| {
            made.seat == *seat && contains(&made.mv, mv) && contains(mv, &made.mv)
        };
        let agree = made.iter().zip(&moves).take_while(|pair| is_same(*pair));
        let agree = agree.count();
        if agree < made.len().max(moves.len()) {
            // In a list that ends too early the place is that of the list.
            let first = said.node.get(agree);
            let message = "the referee has not made exactly these moves by itself";
            let failure =
                Code::ForcedMovesDiffer.error(first.map_or(said.span, WrittenMove::span), message);
            let failure = failure.note(self.told_or_none(played));
            let kept = said.node[..agree].iter().map(WrittenMove::span);
            let of = |seat: Seat, text: String, is_plain: bool| match is_plain {
                true => format!("{}: {text}", seat_name(seat)),
                false => format!("{}: {{{text}}}", seat_name(seat)),
            };
            let line =
                |made: &RecordedMove| of(made.seat, written(&made.mv), made.mv.args.is_empty());
            let expected = said.node.iter();
            let expected =
                expected.map(|one| of(one.seat.node, one.mv.line(), one.mv.args.is_empty()));
            let expected: Vec<String> = expected.collect();
            let actual: Vec<String> = made.iter().map(line).collect();
            found.otherwise(
                failure,
                said.span,
                "forced moves".to_owned(),
                expected.join("\n"),
                actual.join("\n"),
                Change::Items {
                    kept: kept.collect(),
                    added: actual[agree..].to_vec(),
                },
            );
        }
        self.told = played.moves().len();
    }

    /// What the referee has made since then, in words, if anything.
    pub(super) fn told(&self, played: &Match) -> Option<String> {
        let lines: Vec<String> = self
            .since(played)
            .map(|(_, made)| format!("- {}: {}", seat_name(made.seat), written(&made.mv)))
            .collect();
        (!lines.is_empty()).then(|| format!("was forced and has been made:\n{}", lines.join("\n")))
    }

    fn told_or_none(&self, played: &Match) -> String {
        let told = self.told(played);
        told.unwrap_or_else(|| "no move was forced since the last one".to_owned())
    }

    /// What the referee has made since then, and where it stands among all moves.
    fn since<'m>(&self, played: &'m Match) -> impl Iterator<Item = (usize, RecordedMove)> + 'm {
        let numbered = (self.told..).zip(played.moves().from(self.told));
        numbered.filter(|(_, made)| made.origin == Origin::Forced)
    }

    fn position(&self, played: &Match, said: &WrittenMove) -> Option<usize> {
        let mv = understood(played, said, &mut Diagnostics::default())?;
        let mut since = self.since(played);
        let found = since.find(|(_, made)| made.seat == said.seat.node && contains(&made.mv, &mv));
        found.map(|(at, _)| at)
    }
}

fn understood(played: &Match, said: &WrittenMove, failures: &mut Diagnostics) -> Option<Move> {
    read(played, said.seat.node, &said.mv, failures)
}
