//! Refusals held against the rules: near misses of games, each refusal of which must name what forbids the move.
//!
//! In: rulesets and how many refused moves are wanted. Out: what contradicted itself, and each thing that a refusal says
//! once, as people read it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::package::Language;
use interpreter::play::{
    ApplyError, Bound, Id, Limit, Match, Missed, NearMiss, Refusal, RefusalReason, Seed, Subject,
    near_misses,
};
use interpreter::program::model::AskModel;
use referee::words::Words;

use crate::games::{DUEL, EXPANSIONS, rivals, shipped};
use crate::random::Random;

/// Moves with another argument that are tried at each question.
const ARGUMENTS: usize = 4;

/// The shipped titles, each with the configurations that are played in turn.
pub fn titles() -> Vec<(&'static str, Vec<Arc<Ruleset>>)> {
    vec![
        (
            "puerto-rico",
            vec![
                shipped("puerto-rico", 3, &[]),
                shipped("puerto-rico", 3, &EXPANSIONS),
                shipped("puerto-rico", 4, &["first-edition"]),
                shipped("puerto-rico", 2, &[]),
            ],
        ),
        (
            "san-juan",
            vec![
                shipped("san-juan", 3, &[]),
                shipped("san-juan", 4, &["new-buildings"]),
                shipped("san-juan", 2, &[]),
            ],
        ),
        (
            "catan-rivals",
            vec![
                rivals(&[]),
                rivals(&["era-of-gold"]),
                rivals(&["era-of-turmoil"]),
                rivals(&["era-of-progress"]),
                rivals(&DUEL),
            ],
        ),
        (
            "genoa",
            vec![
                shipped("genoa", 3, &[]),
                shipped("genoa", 2, &[]),
                shipped("genoa", 5, &[]),
            ],
        ),
    ]
}

/// How many games are played, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Refused moves that are wanted.
    pub refused: usize,
    /// Questions of one game at most.
    pub questions: usize,
    /// Whether every other game is played by greedy moves.
    pub greedy: bool,
}

/// What came of near misses.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many were refused, by what they miss.
    pub refused: BTreeMap<Missed, usize>,
    /// Of these how many for each kind of reason, written as in the code.
    pub reasons: BTreeMap<String, usize>,
    /// How many of them cite no clause.
    pub without_clause: usize,
    /// How many were held against gates, and how many of those several gates refuse.
    pub weighed: (usize, usize),
    /// How many were legal all the same.
    pub legal: usize,
    /// What contradicts a refusal, each once by clause and kind.
    pub wrong: BTreeMap<String, String>,
    /// What refusals say, each once.
    pub texts: BTreeMap<String, Said>,
}

/// A refusal as people read it.
#[derive(Clone, Debug)]
pub struct Said {
    /// What was asked for.
    pub asked: [String; 2],
    /// The clause, or what kind of refusal it is where none speaks.
    pub clause: [String; 2],
    /// The limit and what was read.
    pub why: [String; 2],
}

impl Tally {
    /// How many moves were refused.
    pub fn all_refused(&self) -> usize {
        self.refused.values().sum()
    }

    /// The texts, one block each.
    pub fn told(&self) -> String {
        let mut told = String::new();
        for said in self.texts.values() {
            for (language, clause) in said.clause.iter().enumerate() {
                let _ = writeln!(told, "{}", said.asked[language]);
                let _ = writeln!(told, "  {clause}");
                if !said.why[language].is_empty() {
                    let _ = writeln!(told, "  {}", said.why[language]);
                }
            }
            told.push('\n');
        }
        told
    }

    fn add(&mut self, played: &Match, judge: &Match, near: &NearMiss) {
        let refusal = match played.check(near.seat, &near.mv) {
            Ok(()) => {
                self.legal += 1;
                return;
            }
            Err(ApplyError::Refused(refusal)) => *refusal,
            Err(ApplyError::Fault(fault)) => {
                let place = format!("fault: {fault}");
                self.wrong.insert(place, format!("{near:?}"));
                return;
            }
        };
        *self.refused.entry(near.missed).or_default() += 1;
        let reason = format!("{:?}", refusal.reason);
        *self.reasons.entry(reason).or_default() += 1;
        self.without_clause += usize::from(refusal.clause.is_none());
        if refusal.reason == RefusalReason::Forbidden {
            self.weigh(judge, near, &refusal);
        }
        let known = self.texts.entry(key(&refusal));
        known.or_insert_with(|| said(played, near, &refusal));
    }

    fn weigh(&mut self, judge: &Match, near: &NearMiss, refusal: &Refusal) {
        let Some(weighed) = judge.weigh(near.seat, &near.mv, refusal) else {
            let about = format!("{:?}: nothing refuses it", refusal.clause);
            self.wrong.entry(about).or_insert(format!("{near:?}"));
            return;
        };
        self.weighed.0 += 1;
        self.weighed.1 += usize::from(weighed.refusing > 1);
        if let Some(wrong) = weighed.wrong {
            let clause = refusal.clause.as_deref().unwrap_or("no clause");
            let about = format!("@{clause}: {wrong}");
            self.wrong
                .entry(about)
                .or_insert(format!("{near:?}: {:?}", refusal.condition));
        }
    }
}

/// What a refusal says, without the values.
fn key(refusal: &Refusal) -> String {
    let clause = refusal.clause.as_deref().unwrap_or("");
    let what = match &refusal.limit {
        None if refusal.reason == RefusalReason::Forbidden => {
            refusal.condition.clone().unwrap_or_default()
        }
        None => String::new(),
        Some(Limit::Elsewhere { step }) => format!("elsewhere {step}"),
        Some(Limit::Under { phase }) => format!("under {phase}"),
        Some(Limit::Once { phase, .. }) => format!("once {phase}"),
        Some(Limit::Answers { .. }) => "answers".to_owned(),
        Some(Limit::NotOffered(chosen)) => format!("not offered {}", chosen.name),
        Some(Limit::NotThere(chosen)) => format!("not there {}", chosen.name),
        Some(Limit::Outside(chosen, bound)) => {
            let bound = match bound {
                None => "",
                Some(Bound::Number { from, to, .. }) if to < from => "nothing",
                Some(Bound::Number { .. }) => "number",
                Some(Bound::Kind { .. }) => "kind",
                Some(Bound::Pieces { .. }) => "pieces",
                Some(Bound::Kinds { .. }) => "kinds",
                Some(Bound::Loose { .. }) => "loose",
                Some(Bound::Room { .. }) => "room",
                Some(Bound::Unplaced { .. }) => "unplaced",
            };
            format!("outside {} {bound}", chosen.name)
        }
    };
    format!("{clause} {:?} {what}", refusal.reason)
}

/// The step that has a move of this name: the one that asks, or else another one.
fn step_of(played: &Match, name: &str) -> Id {
    let model = played.ruleset().model();
    let has = |ask: &&AskModel| ask.moves.iter().any(|mv| *model.moves[*mv].name == *name);
    let asking = played.asking_step();
    let mut asks = model.asks.iter().filter(has);
    let here = asks.clone().find(|ask| Some(&ask.step) == asking.as_ref());
    let ask = here.or_else(|| asks.next());
    ask.expect("some question has it").step.clone()
}

fn said(played: &Match, near: &NearMiss, refusal: &Refusal) -> Said {
    let step = step_of(played, &near.mv.name);
    let of = |language| {
        let words = Words::new(played.ruleset().package(), language);
        let clause = refusal.clause.as_ref().map(|clause| {
            let text = words.clause(clause).unwrap_or_default();
            format!("@{clause} {text}")
        });
        let kind = match refusal.reason {
            RefusalReason::NotAsked => ["is not asked", "nie ma teraz ruchu"],
            RefusalReason::UnknownMove => [
                "no move of this question",
                "to pytanie nie ma takiego ruchu",
            ],
            _ => ["a rule forbids it", "zabrania tego zasada"],
        };
        let kind = words.say(kind[0], kind[1]).to_owned();
        let limit = refusal.limit.iter().map(|limit| words.limit(limit));
        let values = refusal.values.iter();
        let values = values.filter_map(|value| words.reading(value));
        // What has no name for people is called as the rules call it.
        let raw = refusal.values.iter().filter(|value| match &value.subject {
            Subject::Query { query, .. } => words.query(query).is_none(),
            _ => false,
        });
        let raw = raw.map(|value| format!("unnamed `{}`", value.expression));
        let why: Vec<String> = limit.chain(values).chain(raw).collect();
        let made = words.made(&step, &near.mv);
        (
            format!("{}: {made}", words.seat(near.seat)),
            match clause {
                Some(clause) if refusal.reason == RefusalReason::Forbidden => clause,
                Some(clause) => format!("{kind}: {clause}"),
                None => kind,
            },
            why.join("; "),
        )
    };
    let (en, pl) = (of(Language::English), of(Language::Polish));
    Said {
        asked: [en.0, pl.0],
        clause: [en.1, pl.1],
        why: [en.2, pl.2],
    }
}

/// Plays games of rulesets in turn, and holds what each says of near misses against its own gates, or those of another
/// reading of the same rules, with which it shares everything but clauses.
///
/// # Panics
/// If a ruleset faults, or refuses nothing for many games.
pub fn refusals(rulesets: &[(Arc<Ruleset>, Arc<Ruleset>)], extent: Extent) -> Tally {
    let mut tally = Tally::default();
    let most = 40 * rulesets.len() as u64 + extent.refused as u64 / 8;
    for game in 0..most {
        let (of, by) = &rulesets[game as usize % rulesets.len()];
        let each = extent.refused.div_ceil(4 * rulesets.len());
        let is_same = Arc::ptr_eq(of, by);
        let mut random = Random::new(game);
        let seed = Seed::from_number(game);
        let greedy = extent.greedy && (game / rulesets.len() as u64) % 2 == 1;
        let mut judge = Match::new(by.clone(), seed, true).expect("the match begins");
        let before = tally.all_refused();
        let mut look = |played: &Match, near: &NearMiss| {
            if is_same {
                tally.add(played, played, near);
            } else {
                let made = played.moves().from(judge.moves().len());
                let made: Vec<_> = made.collect();
                judge.play_on(&made).expect("the same game");
                tally.add(played, &judge, near);
            }
            let refused = tally.all_refused();
            // So that each ruleset has its share, in several games.
            refused < extent.refused && refused - before < each
        };
        let extent_of_game = (extent.questions, ARGUMENTS);
        near_misses(
            of,
            seed,
            greedy,
            extent_of_game,
            &mut || random.word(),
            &mut look,
        )
        .expect("no fault");
        if tally.all_refused() >= extent.refused {
            return tally;
        }
    }
    panic!("too little is refused: {tally:?}");
}
