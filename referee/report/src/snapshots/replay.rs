//! Playing pinned moves again, and what is another thing than it was.
//!
//! The moves are submitted one after the other, so that in which order legal moves are listed plays no part. Whatever
//! differs first is told; play goes on as long as the moves are legal.

use std::collections::BTreeMap;
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::package::Language;
use interpreter::play::{ApplyError, Match, RecordedMove, Refusal, RefusalReason, Seat, Seed};
use serde::{Deserialize, Serialize};

use super::moves;
use crate::prose::listed;
use crate::transcript::go_on;
use crate::words::Words;
use referee_library::players::{PlayedBy, Random};
use referee_library::record::{KeptMove, recorded, seat_name};
use referee_store::numbers::to_u64;

/// Hashes on a line.
const ON_A_LINE: usize = 6;

/// Digits of a hash on the way: enough to tell two states of a game apart.
const DIGITS: usize = 16;

/// What was played: every move, what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Played {
    /// Every move, forced ones too: see [`moves`].
    pub moves: Vec<String>,
    /// After how many moves the state had which hash (its first digits): `0 4f1a… 20 9c33…`.
    pub states: Vec<String>,
    /// The hash of the last state, whole.
    pub state: String,
    /// The ending.
    pub ending: String,
    /// The winner, or several who share the win.
    pub winners: Vec<String>,
    /// The score sheets, by seat.
    pub scores: Vec<Sheet>,
}

/// A score sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    /// Whose.
    pub seat: String,
    /// The sum.
    pub total: i64,
    /// Its lines by name.
    pub lines: BTreeMap<String, i64>,
    /// Values of the tie-break criteria, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tie_breaks: Vec<i64>,
}

/// How a game is played anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Anew {
    /// From where a pinned move is no longer legal, by the players who played it
    Rest,
    /// All of it
    Whole,
}

/// The first thing that differs from what is pinned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// `move`, `state`, `outcome`, `text`.
    pub what: &'static str,
    /// Of a move its number, of a state the number of moves before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// The move as it is pinned.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub made: Option<String>,
    /// The clause that forbids it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
    /// All of it in words, line by line.
    pub message: Vec<String>,
}

impl Difference {
    fn of(what: &'static str, message: Vec<String>) -> Difference {
        Difference {
            what,
            number: None,
            made: None,
            clause: None,
            message,
        }
    }

    /// The same moves to the same end, told in other words than were accepted, if any were.
    pub(super) fn text(accepted: bool) -> Difference {
        let text = match accepted {
            true => "its text is another one",
            false => "its text is new",
        };
        Difference::of("text", vec![text.to_owned()])
    }
}

/// A game under the rules as they are.
pub struct Replay {
    /// The match: over, unless it is stuck or failed.
    pub game: Match,
    /// What was played, if it is over.
    pub played: Option<Played>,
    /// What differs from what is pinned: the first thing, then where it is stuck or what came of it.
    pub differences: Vec<Difference>,
    /// It cannot go on: a pinned move is not legal, or there is none where somebody is asked.
    pub stuck: bool,
    /// A fault of the rules that ended it.
    pub fault: Option<String>,
}

/// A match with the hashes of its states.
struct Run {
    game: Match,
    states: Vec<(usize, String)>,
}

impl Run {
    fn begin(ruleset: &Arc<Ruleset>, seed: u64, by: PlayedBy) -> Result<Run, String> {
        let game = Match::new(ruleset.clone(), Seed::from_number(seed), false);
        let game = game.map_err(|fault| fault.to_string())?;
        let mut run = Run {
            // A search compares moves, so it wants them listed; others play as in a play-out of this seed.
            game: if by.searches() { game } else { game.drawing() },
            states: Vec::new(),
        };
        run.note();
        Ok(run)
    }

    fn note(&mut self) {
        note(&self.game, &mut self.states);
    }

    /// Plays on until the end; gives the fault that ended it before. Players of another stream do not make again what
    /// those of the whole game made.
    fn go_on(&mut self, by: PlayedBy, seed: u64, stream: usize) -> Option<String> {
        let mut player = Random::new(seed, to_u64(stream));
        let states = &mut self.states;
        let seen = &mut |game: &Match| note(game, states);
        go_on(&mut self.game, by, &mut player, seen)
    }

    fn played(&self) -> Option<Played> {
        let outcome = self.game.outcome()?;
        let moves: Vec<RecordedMove> = self.game.moves().iter().collect();
        let states: Vec<String> = self
            .states
            .iter()
            .map(|(made, hash)| format!("{made} {hash}"))
            .collect();
        let sheets = outcome.scores.iter().map(|sheet| {
            let mut lines = BTreeMap::new();
            for line in &sheet.lines {
                *lines.entry(line.name.to_string()).or_default() += line.points;
            }
            Sheet {
                seat: seat_name(sheet.seat),
                total: sheet.total,
                lines,
                tie_breaks: sheet.tie_breaks.clone(),
            }
        });
        Some(Played {
            moves: moves::lines(&moves),
            states: states
                .chunks(ON_A_LINE)
                .map(|line| line.join(" "))
                .collect(),
            state: self.game.state_hash().to_string(),
            ending: outcome.ending.to_string(),
            winners: outcome.winners.iter().copied().map(seat_name).collect(),
            scores: sheets.collect(),
        })
    }

    fn ended(self, differences: Vec<Difference>, fault: Option<String>) -> Replay {
        Replay {
            played: self.played(),
            game: self.game,
            differences,
            stuck: false,
            fault,
        }
    }
}

/// Notes the state when somebody is asked, or all is over, for the first time after so many moves.
fn note(game: &Match, states: &mut Vec<(usize, String)>) {
    let made = game.moves().len();
    let next = |last: usize| (last / moves::TOGETHER + 1) * moves::TOGETHER;
    if states.last().is_none_or(|(last, _)| made >= next(*last)) {
        let hash = game.state_hash().to_string();
        states.push((made, hash[..DIGITS].to_owned()));
    }
}

/// Plays the game of a seed.
///
/// # Errors
///
/// A fault of the ruleset before the first question.
pub fn play(ruleset: &Arc<Ruleset>, by: PlayedBy, seed: u64) -> Result<Replay, String> {
    let mut run = Run::begin(ruleset, seed, by)?;
    let fault = run.go_on(by, seed, 0);
    Ok(run.ended(Vec::new(), fault))
}

/// Plays pinned moves again. With `rest`, a game that is stuck is played on by these players.
///
/// # Errors
///
/// A fault of the ruleset before the first question, or moves that are not written as moves are.
pub fn replay(
    ruleset: &Arc<Ruleset>,
    seed: u64,
    pinned: &Played,
    rest: Option<PlayedBy>,
) -> Result<Replay, String> {
    let wanted = moves::read(&pinned.moves)?;
    let states = states(&pinned.states)?;
    let mut run = Run::begin(ruleset, seed, rest.unwrap_or_default())?;
    let total = wanted.len();
    let mut told = Vec::new();
    let mut at = 0;
    let stuck = 'play: loop {
        // What was made, and what the referee made by itself after it.
        let made: Vec<RecordedMove> = run.game.moves().from(at).collect();
        for made in made {
            let now = moves::written(&made);
            match wanted.get(at) {
                Some(pinned) if *pinned == now => {}
                Some(pinned) if moves::same_choice(pinned, &now) => {
                    first(&mut told, || otherwise(at, pinned, &now));
                }
                // The referee made another one.
                Some(pinned) => {
                    break 'play Some(illegal(ruleset, seed, &run.game, at, pinned, total));
                }
                None => first(&mut told, || more(at, &now)),
            }
            at += 1;
        }
        if let [before @ .., (made, hash)] = &run.states[..]
            && *made == at
            && let Some(known) = states.get(made)
            && known != hash
        {
            let before = before.last().map(|(made, _)| *made);
            first(&mut told, || another(at, before, known, hash));
        }
        let (asked, pinned) = match (run.game.waiting().first(), wanted.get(at)) {
            (None, None) => break None,
            (Some(asked), None) => break Some(unfinished(&run.game, at, *asked)),
            (asked, Some(pinned)) => (asked.is_some(), pinned),
        };
        let made = match recorded(ruleset.model(), pinned) {
            Ok(made) if asked => made,
            _ => break Some(illegal(ruleset, seed, &run.game, at, pinned, total)),
        };
        match run.game.apply(made.seat, &made.mv) {
            Ok(()) => {}
            Err(ApplyError::Fault(fault)) => return Ok(run.ended(told, Some(fault.to_string()))),
            Err(ApplyError::Refused(refusal)) => {
                break Some(refused(&run.game, at, pinned, total, &refusal));
            }
        }
        if let Err(broken) = run.game.verify() {
            return Ok(run.ended(told, Some(broken)));
        }
        run.note();
    };
    if let Some(stuck) = stuck {
        told.push(stuck);
        if let Some(by) = rest {
            let fault = run.go_on(by, seed, at);
            return Ok(run.ended(told, fault));
        }
        return Ok(Replay {
            stuck: true,
            ..run.ended(told, None)
        });
    }
    let now = run.played();
    let differs = now
        .as_ref()
        .map_or_else(Vec::new, |now| outcome(pinned, now));
    if !differs.is_empty() {
        told.push(Difference::of("outcome", differs));
    }
    // Somebody wrote into the list by hand.
    if told.is_empty() && now.as_ref() != Some(pinned) {
        let text = "the game is the same, but not everything that is pinned of it is written as it is played";
        told.push(Difference::of("text", vec![text.to_owned()]));
    }
    Ok(run.ended(told, None))
}

/// Tells what differs, if nothing was told before.
fn first(told: &mut Vec<Difference>, differs: impl FnOnce() -> Difference) {
    if told.is_empty() {
        told.push(differs());
    }
}

/// Whether what is pinned is written as it must be.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn readable(pinned: &Played) -> Result<(), String> {
    moves::read(&pinned.moves)?;
    states(&pinned.states)?;
    Ok(())
}

/// What differs between what is pinned and another game: the first move, then the outcome.
pub fn compared(pinned: &Played, now: &Played) -> Vec<Difference> {
    let mut told = Vec::new();
    let moves = |played: &Played| moves::read(&played.moves).unwrap_or_default();
    let (was, is) = (moves(pinned), moves(now));
    let differs = (0..was.len().max(is.len())).find(|at| was.get(*at) != is.get(*at));
    if let Some(at) = differs {
        told.push(match (was.get(at), is.get(at)) {
            (Some(was), Some(is)) => {
                let text = format!("{} is `{}` now", numbered(at, was), moves::text(is));
                of_move(at, was, vec![text])
            }
            (Some(was), None) => {
                let text = format!("{} is not made: the match is over", numbered(at, was));
                of_move(at, was, vec![text])
            }
            (None, Some(is)) => more(at, is),
            (None, None) => return told,
        });
    }
    let differs = outcome(pinned, now);
    if !differs.is_empty() {
        told.push(Difference::of("outcome", differs));
    }
    if told.is_empty() && pinned != now {
        let text = "states on the way are other ones".to_owned();
        told.push(Difference::of("state", vec![text]));
    }
    told
}

/// The hashes by the number of moves before.
fn states(lines: &[String]) -> Result<BTreeMap<usize, String>, String> {
    let words: Vec<&str> = lines
        .iter()
        .flat_map(|line| line.split_whitespace())
        .collect();
    let pairs = words.chunks(2).map(|pair| match pair {
        [made, hash] => Ok((
            made.parse()
                .map_err(|_| format!("the states: `{made}` is no number of moves"))?,
            (*hash).to_owned(),
        )),
        _ => Err(format!("the states: nothing stands behind `{}`", pair[0])),
    });
    pairs.collect()
}

/// "move 41, `p1 load {g: corn}`,"
fn numbered(at: usize, pinned: &KeptMove) -> String {
    format!("move {}, `{}`,", at + 1, moves::text(pinned))
}

/// The same with the number of all.
fn numbered_of(at: usize, of: usize, pinned: &KeptMove) -> String {
    format!("move {} of {of}, `{}`,", at + 1, moves::text(pinned))
}

fn of_move(at: usize, pinned: &KeptMove, message: Vec<String>) -> Difference {
    Difference {
        number: Some(at + 1),
        made: Some(moves::text(pinned)),
        ..Difference::of("move", message)
    }
}

/// The same move was made, but asked elsewhere, or by somebody else than it was.
fn otherwise(at: usize, pinned: &KeptMove, now: &KeptMove) -> Difference {
    let how = match (pinned.at == now.at, now.forced) {
        (false, _) => format!("answers `{}` now, not `{}`", now.at, pinned.at),
        (true, true) => "is the only one now".to_owned(),
        (true, false) => "is no longer the only one".to_owned(),
    };
    of_move(at, pinned, vec![format!("{} {how}", numbered(at, pinned))])
}

fn more(at: usize, now: &KeptMove) -> Difference {
    let text = format!(
        "{} is made now: the pinned moves end before it",
        numbered(at, now)
    );
    of_move(at, now, vec![text])
}

/// Another state, after so many moves; with how many moves the one before it was looked at.
fn another(made: usize, before: Option<usize>, known: &str, hash: &str) -> Difference {
    let text = match (made, before) {
        (0, _) => "the state after the set-up is another one".to_owned(),
        (_, None) => format!(
            "the state after move {made} is another one: something in the set-up, or that the moves up to it do"
        ),
        (_, Some(before)) => format!(
            "the state after move {made} is another one: something that the moves {} to {made} do",
            before + 1
        ),
    };
    Difference {
        number: Some(made),
        ..Difference::of("state", vec![format!("{text} ({known}…, now {hash}…)")])
    }
}

fn unfinished(game: &Match, at: usize, asked: Seat) -> Difference {
    let step = step(game, asked);
    let text = format!(
        "the pinned moves end after move {at}, and the match goes on: {} is asked at `{step}`",
        seat_name(asked)
    );
    Difference {
        number: Some(at),
        ..Difference::of("move", vec![text])
    }
}

/// The step that asks.
fn step(game: &Match, asked: Seat) -> String {
    let question = game.question(asked);
    question.map_or_else(String::new, |question| question.step.to_string())
}

/// Why a pinned move cannot be made: asked of a match in which nobody made another one instead.
fn illegal(
    ruleset: &Arc<Ruleset>,
    seed: u64,
    game: &Match,
    at: usize,
    pinned: &KeptMove,
    of: usize,
) -> Difference {
    let unknown = |why: String| {
        let text = format!(
            "{} is unknown to these rules: {why}",
            numbered_of(at, of, pinned)
        );
        of_move(at, pinned, vec![text])
    };
    let made = match recorded(ruleset.model(), pinned) {
        Ok(made) => made,
        Err(why) => return unknown(why),
    };
    let before: Vec<RecordedMove> = game.moves().iter().take(at).collect();
    let asking = Match::new(ruleset.clone(), Seed::from_number(seed), true);
    let asking = asking.map_err(|fault| fault.to_string()).and_then(|game| {
        let mut game = game.drawing();
        let made = game.play_on(&before);
        made.map(|()| game).map_err(|why| why.in_full())
    });
    match asking {
        Ok(asking) => match asking.check(made.seat, &made.mv) {
            Err(ApplyError::Refused(refusal)) => refused(&asking, at, pinned, of, &refusal),
            Err(ApplyError::Fault(fault)) => unknown(fault.to_string()),
            Ok(()) => unknown("the referee makes another move before it".to_owned()),
        },
        Err(why) => unknown(why),
    }
}

/// Why a pinned move is refused, in words.
fn refused(game: &Match, at: usize, pinned: &KeptMove, of: usize, refusal: &Refusal) -> Difference {
    let words = Words::new(game.ruleset().package(), Language::English);
    let asked: Vec<Seat> = game.waiting();
    let asks = asked
        .first()
        .map(|seat| step(game, *seat))
        .unwrap_or_default();
    let names: Vec<String> = asked.iter().copied().map(seat_name).collect();
    let condition = refusal.condition.as_deref().unwrap_or_default();
    let why = match refusal.reason {
        RefusalReason::MatchOver => "the match is over".to_owned(),
        RefusalReason::NotAsked => format!(
            "{} is not asked: {} is, at `{asks}`",
            pinned.seat,
            listed(&names, "or")
        ),
        RefusalReason::UnknownMove => format!(
            "`{asks}` asks, not `{}`, and has no move `{}`",
            pinned.at, pinned.name
        ),
        RefusalReason::MalformedArgument => condition.to_owned(),
        RefusalReason::Forbidden => match &refusal.clause {
            Some(clause) => format!("@{clause} forbids it"),
            None => format!("`{asks}` does not allow it"),
        },
    };
    let mut message = vec![format!(
        "{} is no longer legal: {why}",
        numbered_of(at, of, pinned)
    )];
    if refusal.reason == RefusalReason::Forbidden {
        if let Some(text) = refusal
            .clause
            .as_ref()
            .and_then(|clause| words.clause(clause))
        {
            message.push(text);
        }
        if !condition.is_empty() {
            let values = refusal.values.iter();
            let values = values.map(|compared| words.compared(compared));
            let values: Vec<String> = values.collect();
            // Of a choice outside of its limits it is said in words.
            let holds = match condition.starts_with('`') {
                true => condition.to_owned(),
                false => format!("`{condition}` does not hold"),
            };
            message.push(match values.is_empty() {
                true => holds,
                false => format!("{holds}: {}", values.join(", ")),
            });
        }
    }
    Difference {
        clause: refusal.clause.as_ref().map(ToString::to_string),
        ..of_move(at, pinned, message)
    }
}

/// What is another outcome.
fn outcome(pinned: &Played, now: &Played) -> Vec<String> {
    let mut lines = Vec::new();
    if pinned.ending != now.ending {
        lines.push(format!(
            "the ending is `{}`, not `{}`",
            now.ending, pinned.ending
        ));
    }
    if pinned.winners != now.winners {
        lines.push(format!(
            "the winner is {}, not {}",
            listed(&now.winners, "and"),
            listed(&pinned.winners, "and")
        ));
    }
    for now in &now.scores {
        let Some(pinned) = pinned.scores.iter().find(|sheet| sheet.seat == now.seat) else {
            lines.push(format!("{} has a score now: {}", now.seat, now.total));
            continue;
        };
        let mut parts = Vec::new();
        let mut told = |name: &str, was: Option<i64>, is: Option<i64>| {
            let points = |points: Option<i64>| points.map_or("none".to_owned(), |n| n.to_string());
            if was != is {
                parts.push(format!("{name} {}, not {}", points(is), points(was)));
            }
        };
        let names = pinned.lines.keys().chain(now.lines.keys());
        for name in names.collect::<std::collections::BTreeSet<_>>() {
            told(
                name,
                pinned.lines.get(name).copied(),
                now.lines.get(name).copied(),
            );
        }
        told("total", Some(pinned.total), Some(now.total));
        if pinned.tie_breaks != now.tie_breaks {
            parts.push(format!(
                "tie-breaks {:?}, not {:?}",
                now.tie_breaks, pinned.tie_breaks
            ));
        }
        if !parts.is_empty() {
            lines.push(format!("the score of {}: {}", now.seat, parts.join("; ")));
        }
    }
    for sheet in &pinned.scores {
        if !now.scores.iter().any(|now| now.seat == sheet.seat) {
            lines.push(format!("{} has no score any more", sheet.seat));
        }
    }
    if lines.is_empty() && pinned.state != now.state {
        lines.push(format!(
            "the last state is another one ({}, now {})",
            pinned.state, now.state
        ));
    }
    lines
}
