//! The same seeds played with both rulesets: where they part, and what that does to play.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use interpreter::Ruleset;
use interpreter::package::Language;
use interpreter::play::{ApplyError, Match, Move, Seat, Seed};
use interpreter::program::ids::TableId;
use serde::Serialize;

use crate::playouts::{One, Plan, play};
use crate::words::Words;
use referee_library::players::Policy;
use referee_library::players::Random;
use referee_store::numbers::float;

/// Decisions after which nobody looks for a difference any more.
const FAR: usize = 20_000;

/// Factor of a standard error that holds 95 of 100 cases.
const SURE: f64 = 1.96;

/// Where two games of the same seed part.
#[derive(Clone, Debug, Serialize)]
pub struct Parting {
    /// The seed.
    pub seed: u64,
    /// After how many moves.
    pub after: usize,
    /// The phases under way, outermost first.
    pub phases: Vec<String>,
    /// What happens with the first rules.
    pub before: Happened,
    /// With the second.
    pub then: Happened,
}

/// What happens at a parting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Happened {
    /// Who is asked, if anybody is.
    pub seat: Option<String>,
    /// By which step.
    pub step: Option<String>,
    /// What is offered.
    pub offers: Vec<String>,
    /// What the player of chance does.
    pub does: Option<String>,
    /// How the game ended, if it did.
    pub ended: Option<String>,
}

/// A number that a game has.
#[derive(Clone, Debug, Serialize)]
pub struct Measure {
    /// Which.
    pub of: String,
    /// The same in Polish; a row has its id in both languages.
    #[serde(skip)]
    pub of_polish: String,
    /// Its mean with the first rules.
    pub before: f64,
    /// With the second.
    pub after: f64,
    /// The mean of the differences of games of the same seed.
    pub difference: f64,
    /// Half of the interval around it that holds the true one in 95 of 100 cases.
    pub uncertain: f64,
    /// Whether the interval leaves zero out.
    pub clear: bool,
}

/// What the rules do to play.
#[derive(Clone, Debug, Serialize)]
pub struct Games {
    /// With how many players.
    pub players: u8,
    /// The first seed.
    pub seed: u64,
    /// Who played.
    #[serde(skip)]
    pub policy: Policy,
    /// How many seeds came to an end with both.
    pub games: usize,
    /// How many of them went the same way to the end, as far as their figures say.
    pub same: usize,
    /// Seeds that failed with either.
    pub failed: Vec<u64>,
    /// Where the first game parts that does.
    pub parting: Option<Parting>,
    /// Length, scores, seats, endings.
    pub measures: Vec<Measure>,
    /// Pieces with players at the end, by table and row.
    pub rows: Vec<Measure>,
}

/// Which games are played, and by whom.
#[derive(Clone, Copy, Debug)]
pub struct Play {
    /// The seed of the first.
    pub seed: u64,
    /// How many.
    pub games: u64,
    /// How the players decide.
    pub policy: Policy,
    /// How long at most: of the games that have begun until then, those are compared that were played with both.
    pub within: Option<Duration>,
}

/// Plays the same seeds with both. Where they part is looked for in games that are played at random.
pub fn compare(before: &Arc<Ruleset>, after: &Arc<Ruleset>, how: Play) -> Games {
    let Play { seed, games, .. } = how;
    let plan = Plan {
        seed,
        games,
        verify: false,
        policy: how.policy,
        each: true,
    };
    let played = |ruleset: &Arc<Ruleset>| {
        let began = Instant::now();
        // Half of the time for each of the two.
        play(ruleset, plan, &|| {
            how.within.is_none_or(|most| began.elapsed() < most / 2)
        })
    };
    let (first, second) = (played(before), played(after));
    let theirs: BTreeMap<u64, &One> = second.each.iter().map(|one| (one.seed, one)).collect();
    let pairs: Vec<(&One, &One)> = first
        .each
        .iter()
        .filter_map(|one| Some((one, *theirs.get(&one.seed)?)))
        .collect();
    let mut failed: Vec<u64> = first
        .failures
        .iter()
        .chain(&second.failures)
        .map(|failure| failure.seed)
        .collect();
    failed.sort_unstable();
    failed.dedup();
    let players = before.players();
    let same = pairs
        .iter()
        .filter(|(a, b)| {
            (a.decisions, &a.scores, &a.winners) == (b.decisions, &b.scores, &b.winners)
        })
        .count();
    Games {
        players,
        seed,
        policy: how.policy,
        games: pairs.len(),
        same,
        failed,
        parting: (seed..seed.saturating_add(games))
            .take(16)
            .find_map(|seed| parting(before, after, seed)),
        measures: measures(before, after, &pairs),
        rows: rows(before, after, &pairs),
    }
}

fn measures(before: &Ruleset, after: &Ruleset, pairs: &[(&One, &One)]) -> Vec<Measure> {
    let mut all = Vec::new();
    let mut add = |of: (String, String), value: &dyn Fn(&One, &Ruleset) -> f64| {
        let values: Vec<(f64, f64)> = pairs
            .iter()
            .map(|(a, b)| (value(a, before), value(b, after)))
            .collect();
        all.extend(paired(of, &values));
    };
    let both = |english: &str, polish: &str| (english.to_owned(), polish.to_owned());
    add(both("decisions", "decyzje"), &|one, _| float(one.decisions));
    add(both("mean score", "średni wynik"), &|one, _| {
        float(one.scores.iter().sum::<i64>()) / float(one.scores.len().max(1))
    });
    add(both("winning score", "wynik zwycięzcy"), &|one, _| {
        let of = |seat: &u8| one.scores.get(usize::from(*seat)).copied();
        float(one.winners.first().and_then(of).unwrap_or(0))
    });
    add(
        both("lead of the winner", "przewaga zwycięzcy"),
        &|one, _| {
            let mut scores = one.scores.clone();
            scores.sort_unstable();
            match scores[..] {
                [.., second, first] => float(first - second),
                _ => 0.0,
            }
        },
    );
    for seat in 0..before.players() {
        let player = seat + 1;
        let of = (format!("score of p{player}"), format!("wynik p{player}"));
        add(of, &|one, _| {
            float(one.scores.get(usize::from(seat)).copied().unwrap_or(0))
        });
    }
    for seat in 0..before.players() {
        let player = seat + 1;
        let of = (
            format!("wins of p{player}, part"),
            format!("zwycięstwa p{player}, udział"),
        );
        add(of, &|one, _| match one.winners.contains(&seat) {
            true => 1.0 / float(one.winners.len()),
            false => 0.0,
        });
    }
    let mut endings: Vec<&str> = Vec::new();
    for model in [before.model(), after.model()] {
        for ending in &model.endings {
            if !endings.contains(&&*ending.name) {
                endings.push(&ending.name);
            }
        }
    }
    for name in endings {
        let of = (
            format!("ended by {name}, part"),
            format!("koniec: {name}, udział"),
        );
        add(of, &|one, ruleset| {
            let ending = one.ending.and_then(|i| ruleset.model().endings.get(i));
            f64::from(u8::from(ending.is_some_and(|ending| *ending.name == *name)))
        });
    }
    all
}

fn rows(before: &Ruleset, after: &Ruleset, pairs: &[(&One, &One)]) -> Vec<Measure> {
    let index = |ruleset: &Ruleset| -> BTreeMap<String, (TableId, usize)> {
        let mut all = BTreeMap::new();
        for (t, table) in ruleset.model().tables.iter_enumerated() {
            for (r, row) in table.rows.iter().enumerate() {
                all.insert(format!("{} {row}", table.name), (t, r));
            }
        }
        all
    };
    let (a, b) = (index(before), index(after));
    let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
    names.sort();
    names.dedup();
    let placed = |one: &One, at: Option<&(TableId, usize)>| {
        float(
            at.and_then(|(t, r)| one.placed.get(*t)?.get(*r).copied())
                .unwrap_or(0),
        )
    };
    names
        .into_iter()
        .filter_map(|name| {
            let values: Vec<(f64, f64)> = pairs
                .iter()
                .map(|(one, other)| (placed(one, a.get(name)), placed(other, b.get(name))))
                .collect();
            paired((name.clone(), name.clone()), &values)
        })
        .filter(|measure| measure.before > 0.0 || measure.after > 0.0)
        .collect()
}

/// Measures the mean of paired differences, and how certain it is; `None` without pairs.
pub fn paired((of, of_polish): (String, String), values: &[(f64, f64)]) -> Option<Measure> {
    let count = float(values.len());
    if values.is_empty() {
        return None;
    }
    let mean = |value: &dyn Fn(&(f64, f64)) -> f64| values.iter().map(value).sum::<f64>() / count;
    let (before, after) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
    let difference = after - before;
    let squares: f64 = values
        .iter()
        .map(|(a, b)| (b - a - difference).powi(2))
        .sum();
    let uncertain = match values.len() {
        1 => f64::INFINITY,
        _ => SURE * (squares / (count - 1.0) / count).sqrt(),
    };
    Some(Measure {
        of,
        of_polish,
        before,
        after,
        difference,
        uncertain: if uncertain.is_finite() {
            uncertain
        } else {
            0.0
        },
        clear: uncertain.is_finite() && difference.abs() > uncertain,
    })
}

/// A game that is played on move by move.
struct Walk {
    game: Match,
    player: Random,
    /// Moves that were looked at.
    read: usize,
}

impl Walk {
    fn new(ruleset: &Arc<Ruleset>, seed: u64) -> Option<Walk> {
        let game = Match::new(ruleset.clone(), Seed::from_number(seed), false).ok()?;
        Some(Walk {
            game: game.drawing(),
            player: Random::new(seed, 0),
            read: 0,
        })
    }

    /// The next move that is made; none when the game is over.
    fn next(&mut self) -> Option<(Seat, String, Move)> {
        if self.read == self.game.moves().len() {
            let seat = self.game.quickest(&mut || self.player.word())?;
            let mv = self.player.choose(&self.game, seat)?;
            match self.game.apply(seat, &mv) {
                Ok(()) => {}
                Err(ApplyError::Refused(_) | ApplyError::Fault(_)) => return None,
            }
        }
        let made = self.game.moves().get(self.read)?;
        self.read += 1;
        Some((made.seat, made.step.to_string(), made.mv))
    }
}

/// The first move at which games of a seed differ; none if they are the same to the end.
fn parting(before: &Arc<Ruleset>, after: &Arc<Ruleset>, seed: u64) -> Option<Parting> {
    let (mut first, mut second) = (Walk::new(before, seed)?, Walk::new(after, seed)?);
    // The matches as they stood before the last decision that was drawn.
    let (mut stood, mut stands) = (first.game.clone(), second.game.clone());
    for after_moves in 0..FAR {
        if first.read == first.game.moves().len() {
            stood = first.game.clone();
        }
        if second.read == second.game.moves().len() {
            stands = second.game.clone();
        }
        let (one, other) = (first.next(), second.next());
        if one.is_none() && other.is_none() {
            let ended = |game: &Match| game.outcome().map(|o| (o.ending.to_string(), o.scores));
            if ended(&first.game) == ended(&second.game) {
                return None;
            }
        } else if one == other {
            continue;
        }
        let phases = stood.view(interpreter::play::Audience::Spectator).phases;
        return Some(Parting {
            seed,
            after: after_moves,
            phases: phases.iter().map(|(phase, _)| phase.to_string()).collect(),
            before: happened(&stood, &first.game, one),
            then: happened(&stands, &second.game, other),
        });
    }
    None
}

fn happened(stood: &Match, game: &Match, made: Option<(Seat, String, Move)>) -> Happened {
    let package = stood.ruleset().package();
    let words = Words::new(package, Language::English);
    let offers = match &made {
        Some((seat, ..)) => stood
            .question(*seat)
            .map(|question| {
                let one = |offer: &interpreter::play::Offer| {
                    let open: Vec<&str> = offer.open.iter().map(|open| &*open.name).collect();
                    words.offered(&question.step, &offer.name, &offer.fixed, &open)
                };
                question.offers.iter().map(one).collect()
            })
            .unwrap_or_default(),
        None => Vec::new(),
    };
    Happened {
        seat: made
            .as_ref()
            .map(|(seat, ..)| referee_library::record::seat_name(*seat)),
        step: made.as_ref().map(|(_, step, _)| step.clone()),
        offers,
        does: made.as_ref().map(|(_, step, mv)| words.made(step, mv)),
        ended: match made {
            Some(_) => None,
            None => game.outcome().map(|outcome| {
                let totals: Vec<String> = outcome
                    .scores
                    .iter()
                    .map(|sheet| sheet.total.to_string())
                    .collect();
                format!("{} ({})", words.ending(&outcome.ending), totals.join(", "))
            }),
        },
    }
}
