//! Compares what a seat may do with what a scenario says of it.
//!
//! Under `exactly` every move is said with all its arguments. What is open is said by listing every way to
//! choose it, or by all that can be chosen; where conditions leave less than that, by the number of ways too.

use super::differ::{Change, Findings};
use super::document::{Legal, Written};
use super::domains::{domain_line, same_domain};
use super::moves::{Pattern, matches, offered, pattern};
use super::names::{is_nothing, path, seat_name, seat_names, shown};
use crate::diagnostic::{Code, Diagnostics};
use crate::numbers::Fit as _;
use crate::play::{Id, Match, Move, Offer, OpenDomain, OpenParameter, PlaceRef, Seat, Value};
use crate::program::model::{DomainModel, MoveModel};
use crate::source::{Span, Spanned};

/// At most so many ways to make a move are listed one by one where something shorter says the same.
const LISTED: u128 = 4;

/// At most so many ways are compared with those that are listed.
const COMPARED: usize = 10_000;

/// Reports where the moves of a seat are not those that are expected.
pub(super) fn check_legal(
    played: &Match,
    seat: &Spanned<Seat>,
    legal: &Legal,
    found: &mut Findings,
) {
    let question = played.question(seat.node);
    let asked = Asked {
        played,
        seat: seat.node,
        offers: question.map(|q| q.offers).unwrap_or_default(),
    };
    for (list, wanted) in [(&legal.includes, true), (&legal.excludes, false)] {
        for written in list {
            asked.check_one(written, wanted, &mut found.failures);
        }
    }
    if let Some(exactly) = &legal.exactly {
        asked.check_all(seat.span, exactly, found);
    }
}

/// What a seat may do; nothing if it is not asked.
struct Asked<'m> {
    played: &'m Match,
    seat: Seat,
    offers: Vec<Offer>,
}

/// A move that is listed.
struct Listed<'w> {
    written: &'w Written,
    pattern: Pattern<'w>,
    legal: bool,
    /// It does not say exactly what it stands for, or not all of it.
    loose: bool,
}

/// How well an offer is said.
#[derive(PartialEq)]
enum Said {
    Exactly,
    Loosely,
    NotAtAll,
}

impl Asked<'_> {
    fn check_one(&self, written: &Written, wanted: bool, failures: &mut Diagnostics) {
        let Some(pattern) = pattern(self.played, self.seat, written, failures) else {
            return;
        };
        if self.is_legal(&pattern) == wanted {
            return;
        }
        let (not, expected) = match wanted {
            true => ("not ", "expected to be legal"),
            false => ("", "expected not to be legal"),
        };
        let message = format!("this move of {} is {not}legal", seat_name(self.seat));
        let failure = Code::UnexpectedLegalMoves.error(written.span(), message);
        let failure = failure.label(expected);
        failures.push(match wanted {
            true => failure.note(self.told()),
            false => failure,
        });
    }

    /// What the seat may do, or who is asked instead.
    fn told(&self) -> String {
        if self.offers.is_empty() {
            return format!("asked is {}", seat_names(&self.played.waiting()));
        }
        let lines: Vec<String> = self.offers.iter().map(offered).collect();
        format!("legal are\n- {}", lines.join("\n- "))
    }

    /// Whether an offer has what is said of a move.
    fn fits(pattern: &Pattern<'_>, offer: &Offer) -> bool {
        let domain = |(name, domain): &(Id, _)| {
            let mut open = offer.open.iter();
            open.any(|open| open.name == *name && same_domain(&open.domain, domain))
        };
        matches(offer, &pattern.mv)
            && pattern.domains.iter().all(domain)
            && pattern.ways.is_none_or(|ways| ways == offer.completions)
    }

    /// A move without its open arguments stands for all of them; one with them must be legal itself.
    fn is_legal(&self, pattern: &Pattern<'_>) -> bool {
        let mut fitting = self.offers.iter().filter(|o| Self::fits(pattern, o));
        let Some(first) = fitting.next() else {
            return false;
        };
        let chosen = std::iter::once(first)
            .chain(fitting)
            .any(|offer| pattern.chooses(offer));
        !chosen || self.played.check(self.seat, &pattern.mv).is_ok()
    }

    fn check_all(&self, seat: Span, exactly: &Spanned<Vec<Written>>, found: &mut Findings) {
        let mut listed = Vec::new();
        for written in &exactly.node {
            let pattern = pattern(self.played, self.seat, written, &mut found.failures);
            let Some(pattern) = pattern else { return };
            listed.push(Listed {
                legal: self.is_legal(&pattern),
                written,
                pattern,
                loose: false,
            });
        }
        let mut added = Vec::new();
        let mut unexpected = false;
        for (number, offer) in self.offers.iter().enumerate() {
            match self.said(number, offer, &mut listed) {
                Said::Exactly => {}
                Said::Loosely => added.extend(self.exact(number, offer)),
                Said::NotAtAll => {
                    unexpected = true;
                    added.extend(self.exact(number, offer));
                }
            }
        }
        let spans = |of: &dyn Fn(&Listed<'_>) -> bool| -> Vec<Span> {
            let those = listed.iter().filter(|l| of(l));
            those.map(|l| l.written.span()).collect()
        };
        let missing = spans(&|l| !l.legal);
        let loose = spans(&|l| l.legal && l.loose);
        let kept = listed.iter().filter(|l| l.legal && !l.loose);
        let kept: Vec<Span> = kept.map(|l| l.written.whole).collect();
        let (code, marked, label) = match () {
            () if !missing.is_empty() => (Code::UnexpectedLegalMoves, &missing, "not legal"),
            () if unexpected => (Code::UnexpectedLegalMoves, &missing, ""),
            () if !loose.is_empty() => {
                (Code::LooseLegalMoves, &loose, "this does not say all of it")
            }
            () => return,
        };
        let whose = seat_name(self.seat);
        let message = match code {
            Code::LooseLegalMoves => format!("the legal moves of {whose} are not said exactly"),
            _ => format!("the legal moves of {whose} are not exactly these"),
        };
        let (first, others) = match marked.split_first() {
            Some((first, others)) => (*first, others),
            None => (seat, &[][..]),
        };
        let mut failure = Code::error(code, first, message).label(match label {
            "" => "more is legal than is listed",
            label => label,
        });
        for span in others {
            failure = failure.also(*span, label);
        }
        if self.offers.is_empty() {
            failure = failure.note(self.told());
        } else if code == Code::LooseLegalMoves {
            failure = failure
                .note(format!("in their place write\n- {}", added.join("\n- ")))
                .help("`referee test FOLDER --update` writes it");
        } else if !added.is_empty() {
            let added = added.join("\n- ");
            failure = failure.note(format!("legal too, and not listed exactly, are\n- {added}"));
        }
        let expected: Vec<String> = exactly.node.iter().map(Written::line).collect();
        let offers = self.offers.iter().enumerate();
        let actual: Vec<String> = offers.flat_map(|(n, o)| self.exact(n, o)).collect();
        found.otherwise(
            failure,
            exactly.span,
            format!("legal moves of {whose}"),
            expected.join("\n"),
            actual.join("\n"),
            Change::Items { kept, added },
        );
    }

    /// How well an offer is said by the moves that are listed, of which those that do not say it exactly
    /// are marked.
    fn said(&self, number: usize, offer: &Offer, listed: &mut [Listed<'_>]) -> Said {
        let mut fitting: Vec<&mut Listed<'_>> = listed
            .iter_mut()
            .filter(|l| l.legal && Self::fits(&l.pattern, offer))
            .collect();
        if fitting.is_empty() {
            return Said::NotAtAll;
        }
        let exact = |l: &&mut Listed<'_>| {
            l.pattern.says_fixed(offer) && (offer.open.is_empty() || l.pattern.says_open(offer))
        };
        if fitting.iter().any(exact) {
            return Said::Exactly;
        }
        let chosen: Vec<Move> = fitting
            .iter()
            .filter(|l| l.pattern.chooses(offer) && l.pattern.says_fixed(offer))
            .map(|l| ordered(offer, &l.pattern.mv))
            .collect();
        if !chosen.is_empty() && self.are_all(number, offer, &chosen) {
            return Said::Exactly;
        }
        for listed in &mut fitting {
            listed.loose = true;
        }
        Said::Loosely
    }

    /// Whether these are all ways to make an offered move.
    fn are_all(&self, number: usize, offer: &Offer, chosen: &[Move]) -> bool {
        let different = chosen
            .iter()
            .enumerate()
            .filter(|(i, mv)| !chosen[..*i].contains(mv))
            .count();
        match offer.completions {
            Some(count) if count <= different.fit() => true,
            // A promise may forbid some of those that are counted.
            Some(count) if count <= COMPARED.fit() => {
                let all = self.ways(number, COMPARED);
                all.iter().all(|mv| chosen.contains(&ordered(offer, mv)))
            }
            _ => false,
        }
    }

    /// Legal ways to make an offered move.
    fn ways(&self, number: usize, limit: usize) -> Vec<Move> {
        let mut all = self.played.moves_of_offer(self.seat, number, limit);
        all.retain(|mv| self.played.check(self.seat, mv).is_ok());
        all
    }

    /// What says an offer exactly.
    fn exact(&self, number: usize, offer: &Offer) -> Vec<String> {
        let with = |open: &dyn Fn(&OpenParameter) -> String| {
            let fixed = offer.fixed.iter();
            let fixed = fixed.map(|(name, value)| format!("{name}: {}", shown(value)));
            let chosen = offer.open.iter();
            let chosen = chosen.map(|param| format!("{}: {}", param.name, open(param)));
            let args: Vec<String> = fixed.chain(chosen).collect();
            match args.is_empty() {
                true => offer.name.to_string(),
                false => format!("{}: {{{}}}", offer.name, args.join(", ")),
            }
        };
        let few = offer.completions.is_some_and(|count| count <= LISTED);
        if few && !offer.open.is_empty() {
            let ways = self.ways(number, usize::MAX);
            let lines = ways.iter().map(|mv| {
                with(&|open| {
                    let given = mv.args.iter().find(|(name, _)| *name == open.name);
                    given.map_or_else(
                        || nothing_line(&open.domain).to_owned(),
                        |(_, value)| shown(value),
                    )
                })
            });
            return lines.collect();
        }
        let whole = with(&|open| domain_line(&open.domain));
        let moves = &self.played.ruleset().model().moves;
        let mut named = moves.iter().filter(|mv| mv.name == offer.name);
        let ways = match offer.completions {
            _ if offer.open.is_empty() || named.all(tells_all) => return vec![whole],
            Some(count) => count.to_string(),
            None => "uncounted".to_owned(),
        };
        vec![format!("{{{whole}, ways: {ways}}}")]
    }
}

/// What a scenario writes where nothing is chosen for an open parameter.
fn nothing_line(domain: &OpenDomain) -> &'static str {
    match domain {
        OpenDomain::Amount { .. } => "0",
        OpenDomain::Values(values) if values.contains(&Value::Bool(false)) => "false",
        OpenDomain::Values(_) => "none",
        OpenDomain::Bag { .. } | OpenDomain::Spread { .. } => "{}",
    }
}

/// Whether what can be chosen for the open parameters of a move, each by itself, is all that is to be said
/// of them.
fn tells_all(model: &MoveModel) -> bool {
    let mut open = model.params.iter().filter(|param| param.is_open());
    !model.searched && open.all(|param| !param.read && !param.depends)
}

impl Pattern<'_> {
    /// Whether it chooses something for an open parameter of an offer.
    fn chooses(&self, offer: &Offer) -> bool {
        let given = |name: &Id| self.mv.args.iter().any(|(given, _)| given == name);
        offer.open.iter().any(|open| given(&open.name))
    }

    /// Whether it says every fixed argument of an offer: as a move it would be this one.
    fn says_fixed(&self, offer: &Offer) -> bool {
        offer.fixed.iter().all(|(name, value)| {
            let param = self.model.params.iter().find(|param| param.name == *name);
            let left_out = |domain: &DomainModel| match domain {
                DomainModel::Same { .. } => true,
                _ => is_nothing(value),
            };
            self.mv.args.iter().any(|(given, _)| given == name)
                || param.is_some_and(|p| p.may_be_left_out() && left_out(&p.domain))
        })
    }

    /// Whether it says all that can be chosen for an offer.
    fn says_open(&self, offer: &Offer) -> bool {
        let said = |name: &Id| self.domains.iter().any(|(said, _)| said == name);
        let counted = self.ways.is_some() || tells_all(self.model);
        counted && offer.open.iter().all(|open| said(&open.name))
    }
}

/// A way to make an offered move, so that two can be compared: what is chosen, in a fixed order.
fn ordered(offer: &Offer, mv: &Move) -> Move {
    let chosen = offer.open.iter().map(|open| {
        let given = mv.args.iter().find(|(name, _)| *name == open.name);
        let value = match given.map(|(_, value)| value.clone()) {
            Some(Value::Bag { table, mut counts }) => {
                counts.retain(|(_, n)| *n > 0);
                counts.sort();
                Value::Bag { table, counts }
            }
            Some(Value::Spread(mut shares)) => {
                let taken = |place: &PlaceRef| match &open.domain {
                    OpenDomain::Spread { overflow, .. } => overflow.name == place.name,
                    _ => false,
                };
                shares.retain(|share| share.count > 0 && !taken(&share.place));
                shares.sort_by_cached_key(|share| (path(&share.place), share.row.row.clone()));
                Value::Spread(shares)
            }
            Some(value) => value,
            None => Value::None,
        };
        let value = match is_nothing(&value) {
            true => Value::None,
            false => value,
        };
        (open.name.clone(), value)
    });
    Move {
        name: mv.name.clone(),
        args: chosen.collect(),
    }
}
