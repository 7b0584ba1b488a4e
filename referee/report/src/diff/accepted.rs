//! The accepted games of the first, move by move under the rules of both: where each parts first, and by which rule.
//!
//! In: two sides and a list of games with their moves. Out: of the games that part, each cause once, with the first game that
//! shows it. Both are asked everything, also where there is only one move, so that moves which are forced in one alone are
//! compared as others are.

use std::collections::BTreeMap;
use std::sync::Arc;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::package::{Configuration, Language};
use interpreter::play::{
    ApplyError, Audience, CompileOptions, Event, Match, Move, Offer, Question, ScoreLine,
    ScoreSheet, Seat, Seed,
};
use rayon::prelude::*;
use serde::Serialize;

use super::Side;
use crate::event_lines::{EventLine, EventLines};
use crate::snapshots::{Games, Pinned, moves};
use crate::words::Words;
use referee_library::record::{recorded, seat_name};

/// Offers of one side that are named.
const NAMED: usize = 5;

/// What came of the accepted games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Accepted {
    /// How many were played under the rules of both.
    pub games: usize,
    /// How many of them go the same way to the end.
    pub same: usize,
    /// Those that could not be played: their modules or options are not there in both, or they are not as they were accepted.
    pub not_played: Vec<String>,
    /// Why the others part; the cause of most games first.
    pub causes: Vec<Cause>,
}

/// In what games part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Somebody else is asked, or something else.
    Asked,
    /// Other moves are legal.
    Offered,
    /// The move that was made is refused.
    Refused,
    /// Something else happens.
    Happens,
}

/// Why games part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// In what they do.
    pub how: How,
    /// The clause of the rule that makes the difference, if one is known.
    pub clause: Option<String>,
    /// The step, move or trigger that makes it, if one is known.
    pub rule: Option<String>,
    /// The games, in the order of the list. What follows is of the first.
    pub games: Vec<String>,
    /// After how many moves it parts.
    pub moves: usize,
    /// The last of these in words.
    pub made: Option<String>,
    /// What there is under the first rules.
    pub first: Option<String>,
    /// What there is under the second.
    pub second: Option<String>,
}

/// Plays the games of a list under the rules of both sides.
pub fn compare(before: &Side, after: &Side, listed: &Games, language: Language) -> Accepted {
    let mut groups: BTreeMap<String, Vec<(usize, &Pinned)>> = BTreeMap::new();
    for (at, game) in listed.games.iter().enumerate() {
        let configuration = format!("{:?}", game.configuration());
        groups.entry(configuration).or_default().push((at, game));
    }
    let groups: Vec<Vec<(usize, &Pinned)>> = groups.into_values().collect();
    let played = groups.par_iter().flat_map(|group| {
        let rules = group.first().and_then(|(_, game)| {
            let configuration = game.configuration();
            Some((
                compiled(before, &configuration)?,
                compiled(after, &configuration)?,
            ))
        });
        group.par_iter().map(move |(at, game)| {
            let walked = rules.as_ref().and_then(|(first, second)| {
                Walk::begin(game, first, second, language)?.parting(game)
            });
            (*at, *game, walked)
        })
    });
    let mut played: Vec<_> = played.collect();
    played.sort_by_key(|(at, ..)| *at);
    let mut all = Accepted::default();
    for (_, game, walked) in played {
        let name = game.name.clone();
        match walked {
            None => {
                all.not_played.push(name);
                continue;
            }
            Some(None) => all.same += 1,
            Some(Some(cause)) => {
                let is_same = |known: &&mut Cause| {
                    (known.how, &known.clause, &known.rule)
                        == (cause.how, &cause.clause, &cause.rule)
                };
                match all.causes.iter_mut().find(is_same) {
                    Some(known) => known.games.push(name),
                    None => all.causes.push(Cause {
                        games: vec![name],
                        ..cause
                    }),
                }
            }
        }
        all.games += 1;
    }
    all.causes
        .sort_by_key(|cause| std::cmp::Reverse(cause.games.len()));
    all
}

/// The rules of a side for a game, with what is laid over that side.
fn compiled(side: &Side, configuration: &Configuration) -> Option<Arc<Ruleset>> {
    let mut configuration = configuration.clone();
    for module in &side.modules {
        if !configuration.modules.contains(module) {
            configuration.modules.push(module.clone());
        }
    }
    configuration.options.extend(side.options.clone());
    let options = CompileOptions::default();
    Ruleset::compile_again(
        &side.base,
        &side.house,
        &configuration,
        options,
        &side.trees,
    )
    .ok()
}

/// A game under the rules of both.
struct Walk {
    first: Match,
    second: Match,
    language: Language,
    /// How many things that happened were compared.
    seen: usize,
    /// How many moves were made, and the last of them.
    moves: usize,
    made: Option<String>,
}

impl Walk {
    fn begin(
        game: &Pinned,
        first: &Arc<Ruleset>,
        second: &Arc<Ruleset>,
        language: Language,
    ) -> Option<Walk> {
        let begin = |ruleset: &Arc<Ruleset>| {
            let game = Match::new(ruleset.clone(), Seed::from_number(game.seed), true);
            Some(game.ok()?.drawing())
        };
        Some(Walk {
            first: begin(first)?,
            second: begin(second)?,
            language,
            seen: 0,
            moves: 0,
            made: None,
        })
    }

    /// Where it parts; nothing inside if it does not, and nothing at all if the first rules cannot play it.
    fn parting(mut self, game: &Pinned) -> Option<Option<Cause>> {
        let pinned = moves::read(&game.played.as_ref()?.moves).ok()?;
        for kept in &pinned {
            let made = recorded(self.first.ruleset().model(), kept).ok()?;
            if let Some(cause) = self.happened().or_else(|| self.asked(made.seat)) {
                return Some(Some(cause));
            }
            let said = self.words().made(&kept.at, &made.mv);
            self.first.apply(made.seat, &made.mv).ok()?;
            match self.second.apply(made.seat, &made.mv) {
                Ok(()) => {}
                Err(ApplyError::Refused(refusal)) => {
                    let clause = refusal.clause.as_ref().map(ToString::to_string);
                    let condition = refusal.condition.clone();
                    return Some(Some(Cause {
                        first: Some(said),
                        second: condition,
                        ..self.cause(How::Refused, clause, None)
                    }));
                }
                Err(ApplyError::Fault(fault)) => {
                    return Some(Some(Cause {
                        first: Some(said),
                        second: Some(fault.to_string()),
                        ..self.cause(How::Happens, None, None)
                    }));
                }
            }
            self.moves += 1;
            self.made = Some(said);
        }
        self.first.waiting().is_empty().then(|| self.happened())
    }

    fn words(&self) -> Words<'_> {
        Words::new(self.first.ruleset().package(), self.language)
    }

    fn cause(&self, how: How, clause: Option<String>, rule: Option<String>) -> Cause {
        Cause {
            how,
            clause,
            rule,
            games: Vec::new(),
            moves: self.moves,
            made: self.made.clone(),
            first: None,
            second: None,
        }
    }

    /// Compares what has happened since the last look.
    fn happened(&mut self) -> Option<Cause> {
        let since = |game: &Match| -> Vec<_> {
            game.happenings(Audience::Referee, self.seen)
                .map(|happening| (happening.event, happening.cause.cloned()))
                .collect()
        };
        let (first, second) = (since(&self.first), since(&self.second));
        self.seen = self.first.happened();
        let most = first.len().max(second.len());
        let at = (0..most).find(|at| {
            let event = |all: &[(Event, _)]| all.get(*at).map(|(event, _)| event.clone());
            event(&first) != event(&second)
        })?;
        let (one, other) = (first.get(at), second.get(at));
        let cause = [other, one].into_iter().flatten();
        let cause = cause.filter_map(|(_, cause)| cause.as_ref()).next();
        if let (Some((Event::Over { scores: a, .. }, _)), Some((Event::Over { scores: b, .. }, _))) =
            (one, other)
            && let Some(found) = self.scored(a, b)
        {
            return Some(found);
        }
        let clause = cause.and_then(|cause| cause.cite.as_ref());
        let clause = clause.map(ToString::to_string);
        let rule = cause.map(|cause| cause.rule.to_string());
        let told = |game: &Match, one: Option<&(Event, _)>| {
            let words = Words::new(game.ruleset().package(), self.language);
            let lines = EventLines::new(&words, game.ruleset().model());
            let lines = lines.lines(&[one?.0.clone()]);
            let texts = lines.into_iter().map(|line| match line {
                EventLine::Phase(text) | EventLine::Moved(_, text) | EventLine::Followed(text) => {
                    text
                }
            });
            Some(texts.collect::<Vec<_>>().join("; "))
        };
        Some(Cause {
            first: told(&self.first, one),
            second: told(&self.second, other),
            ..self.cause(How::Happens, clause, rule)
        })
    }

    /// The first line of the score sheets that differs.
    fn scored(&self, first: &[ScoreSheet], second: &[ScoreSheet]) -> Option<Cause> {
        let lines = |sheets: &[ScoreSheet]| -> Vec<(Seat, ScoreLine)> {
            let of = |sheet: &ScoreSheet| {
                let seat = sheet.seat;
                let lines = sheet.lines.clone().into_iter();
                lines.map(move |line| (seat, line))
            };
            sheets.iter().flat_map(of).collect()
        };
        let (first, second) = (lines(first), lines(second));
        let most = first.len().max(second.len());
        let at = (0..most).find(|at| first.get(*at) != second.get(*at))?;
        let (one, other) = (first.get(at), second.get(at));
        let told = |line: Option<&(Seat, ScoreLine)>| {
            let (seat, line) = line?;
            let name = self.words().score(&line.name);
            Some(format!("{}: {name} {}", seat_name(*seat), line.points))
        };
        let (_, line) = other.or(one)?;
        let clause = line.cite.as_ref().map(ToString::to_string);
        Some(Cause {
            first: told(one),
            second: told(other),
            ..self.cause(How::Happens, clause, Some(format!("score {}", line.name)))
        })
    }

    /// Compares who is asked, and what this seat may answer.
    fn asked(&self, seat: Seat) -> Option<Cause> {
        let question = |game: &Match| game.question(seat);
        let (first, second) = (question(&self.first), question(&self.second));
        let step = |question: &Option<Question>| question.as_ref().map(|q| q.step.to_string());
        if self.first.waiting() != self.second.waiting() || step(&first) != step(&second) {
            return Some(Cause {
                first: step(&first),
                second: step(&second),
                ..self.cause(How::Asked, None, step(&second).or_else(|| step(&first)))
            });
        }
        let (first, second) = (first?, second?);
        let alone = |of: &Question, other: &Question| -> Vec<Offer> {
            let is_there = |offer: &&Offer| other.offers.iter().any(|known| same(known, offer));
            let offers = of.offers.iter();
            offers.filter(|offer| !is_there(offer)).cloned().collect()
        };
        let (gone, new) = (alone(&first, &second), alone(&second, &first));
        if gone.is_empty() && new.is_empty() {
            return None;
        }
        // What one side alone offers is forbidden by the other.
        let forbids = |game: &Match, offers: &[Offer]| {
            offers.iter().find_map(|offer| {
                let mv = Move {
                    name: offer.name.clone(),
                    args: offer.fixed.clone(),
                };
                match game.check(seat, &mv) {
                    Err(ApplyError::Refused(refusal)) => Some(refusal.clause.as_ref()?.to_string()),
                    _ => None,
                }
            })
        };
        let clause = forbids(&self.second, &gone).or_else(|| forbids(&self.first, &new));
        let name = |offer: &Offer| format!("{}.{}", first.step, offer.name);
        let rule = gone.first().or(new.first()).map(name);
        Some(Cause {
            first: self.offered(&first, &gone),
            second: self.offered(&second, &new),
            ..self.cause(How::Offered, clause, rule)
        })
    }

    /// Offers in words, the first few of them.
    fn offered(&self, question: &Question, offers: &[Offer]) -> Option<String> {
        let words = self.words();
        let named = offers.iter().take(NAMED).map(|offer| {
            let open: Vec<&str> = offer.open.iter().map(|open| &*open.name).collect();
            words.offered(&question.step, &offer.name, &offer.fixed, &open)
        });
        let mut named: Vec<String> = named.collect();
        if offers.len() > NAMED {
            named.push(format!("… (+{})", offers.len() - NAMED));
        }
        (!named.is_empty()).then(|| named.join("; "))
    }
}

/// Whether two offers are the same to whoever makes a move; another clause behind one is no other move.
fn same(a: &Offer, b: &Offer) -> bool {
    (&a.name, &a.fixed, &a.open, a.free) == (&b.name, &b.fixed, &b.open, b.free)
}
