//! Games that meet what no accepted game does yet, chosen among many that are played.
//!
//! In: what is listed, and what its games do not meet. Out: as few games as that takes, to be listed as well. Every
//! configuration of the list plays as many games, in turn at random and greedily, until everything is met or all are
//! played; of those that meet something the one that meets most is chosen, then the one that meets most of the rest.

use std::collections::BTreeSet;
use std::sync::Arc;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::package::{Configuration, PackageTexts};
use interpreter::play::CompileOptions;
use interpreter::syntax::Trees;
use rayon::prelude::*;

use super::met::{Unmet, met, traced};
use super::{Games, Pinned, Shown, Spoken, replay};
use referee_library::players::{PlayedBy, Policy};
use referee_store::numbers::to_u64;

/// Games of a configuration that are played before it is looked whether anything is left.
const AT_ONCE: u64 = 50;

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Covered {
    /// The games that were chosen, with what each adds: clauses as `@captain.load`, rows as `building wharf`.
    pub chosen: Vec<(Pinned, Vec<String>)>,
    /// What none of the games met.
    pub left: Vec<String>,
    /// How many games were played.
    pub played: u64,
}

/// How many games are played, and from which seed on.
#[derive(Clone, Copy, Debug)]
pub struct Tries {
    /// For each configuration.
    pub games: u64,
    /// Of the first.
    pub seed: u64,
}

/// One configuration of the list.
struct Setting {
    like: Pinned,
    ruleset: Arc<Ruleset>,
    traced: Arc<Ruleset>,
}

/// A game that meets something.
struct Candidate<'s> {
    setting: &'s Setting,
    by: PlayedBy,
    seed: u64,
    meets: BTreeSet<String>,
}

/// Chooses games for a list of which `unmet` says what it misses. `told` hears of every few games how many have been played.
pub fn cover(
    base: &PackageTexts,
    listed: &Games,
    unmet: &Unmet,
    tries: Tries,
    told: &(dyn Fn(u64) + Sync),
) -> Covered {
    let settings = settings(base, listed);
    let clauses = unmet.unmet.iter();
    let clauses = clauses.filter(|clause| !unmet.met_elsewhere.contains(clause));
    let mut wanted: BTreeSet<String> = clauses.map(|clause| format!("@{clause}")).collect();
    wanted.extend(unmet.unused.iter().cloned());
    let mut unseen = wanted.clone();
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    let mut covered = Covered::default();
    let mut at = 0;
    while at < tries.games && !unseen.is_empty() {
        let until = tries.games.min(at + AT_ONCE);
        let turns: Vec<(&Setting, u64)> = settings
            .iter()
            .flat_map(|setting| (at..until).map(move |game| (setting, game)))
            .collect();
        let found = turns.par_iter().filter_map(|(setting, game)| {
            let by = PlayedBy::policy(match game % 2 {
                0 => Policy::Random,
                _ => Policy::Greedy,
            });
            setting.candidate(by, tries.seed.wrapping_add(*game), &wanted)
        });
        candidates.extend(found.collect::<Vec<_>>());
        for candidate in &candidates {
            unseen.retain(|what| !candidate.meets.contains(what));
        }
        covered.played += to_u64(turns.len());
        told(covered.played);
        at = until;
    }
    let mut number = 0;
    while let Some(best) = best(&candidates, &wanted) {
        let Some((pinned, adds)) = best.chosen(&wanted) else {
            break;
        };
        number = next(number, listed);
        wanted.retain(|what| !adds.contains(what));
        let name = named(number);
        covered.chosen.push((Pinned { name, ..pinned }, adds));
    }
    covered.left = wanted.into_iter().collect();
    covered
}

/// The configurations of a list, each once.
fn settings(base: &PackageTexts, listed: &Games) -> Vec<Setting> {
    let trees = Trees::growing();
    let mut seen: Vec<Configuration> = Vec::new();
    let mut found = Vec::new();
    for like in &listed.games {
        let configuration = like.configuration();
        if seen.contains(&configuration) {
            continue;
        }
        let plain =
            Ruleset::compile_again(base, &[], &configuration, CompileOptions::default(), &trees)
                .ok();
        if let (Some(ruleset), Some(traced)) = (plain, traced(base, &trees, &configuration)) {
            found.push(Setting {
                like: like.clone(),
                ruleset,
                traced,
            });
        }
        seen.push(configuration);
    }
    found
}

/// The one that meets most of what is wanted; the first of several.
fn best<'c, 's>(
    candidates: &'c [Candidate<'s>],
    wanted: &BTreeSet<String>,
) -> Option<&'c Candidate<'s>> {
    let mut best: Option<(&Candidate<'_>, usize)> = None;
    for candidate in candidates {
        let adds = candidate.meets.intersection(wanted).count();
        if adds > best.map_or(0, |(_, most)| most) {
            best = Some((candidate, adds));
        }
    }
    best.map(|(candidate, _)| candidate)
}

fn named(number: usize) -> String {
    format!("meets_{number}")
}

/// The next number whose name is free.
fn next(number: usize, listed: &Games) -> usize {
    let mut numbers = number + 1..;
    let is_free = |number: &usize| {
        let name = named(*number);
        listed.games.iter().all(|pinned| pinned.name != name)
    };
    numbers.find(is_free).unwrap_or(number)
}

impl Setting {
    /// Plays a game; nothing of one that meets nothing that is wanted, or that has no end.
    fn candidate(
        &self,
        by: PlayedBy,
        seed: u64,
        wanted: &BTreeSet<String>,
    ) -> Option<Candidate<'_>> {
        let replayed = replay::play(&self.ruleset, by, seed).ok()?;
        replayed.played.as_ref()?;
        let met = met(&self.traced, &replayed.game.record())?;
        let clauses = met.clauses.iter().map(|clause| format!("@{clause}"));
        let all: BTreeSet<String> = clauses.chain(met.rows).collect();
        let meets: BTreeSet<String> = all.intersection(wanted).cloned().collect();
        (!meets.is_empty()).then_some(Candidate {
            setting: self,
            by,
            seed,
            meets,
        })
    }
}

impl Candidate<'_> {
    /// The game as it is listed, without a name, and what it adds.
    fn chosen(&self, wanted: &BTreeSet<String>) -> Option<(Pinned, Vec<String>)> {
        let played = replay::play(&self.setting.ruleset, self.by, self.seed).ok()?;
        let pinned = Pinned {
            seed: self.seed,
            played_by: self.by,
            text: Shown::None,
            news: false,
            lang: Spoken::default(),
            played: Some(played.played?),
            ..self.setting.like.clone()
        };
        Some((pinned, self.meets.intersection(wanted).cloned().collect()))
    }
}
