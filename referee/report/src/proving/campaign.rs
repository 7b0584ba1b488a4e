//! Marks are tested by games: whoever says that nobody could notice a mistake is believed only as far as games agree.
//!
//! In: marked mutants and how long to play. Out: of each how many games reached its rule, and whether they agree.

use std::time::{Duration, Instant};

use interpreter::mutation::{Court, Mutant, Pair, Parted, Until};
use rayon::prelude::*;

use super::{NotProvable, Trial};

/// How long a mark is tested that no game has reached yet, if its own time is shorter and this is no sample.
const PATIENCE: Duration = Duration::from_secs(300);

/// After so many games that have not reached it, none is believed to reach a rule.
const HOPELESS: u64 = 10_000;

/// How long a mark is tested.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Games that reach the rule.
    pub games: u64,
    /// Or as many as this gives. A mark that none has reached by then goes on until one does, [`PATIENCE`] at most.
    pub time: Duration,
    /// Whether all marks share a time, which may be less than one needs: a sample, no campaign.
    pub is_sample: bool,
    /// The seed of the first game; each other has the next one.
    pub seed: u64,
}

/// A mark that was tested.
#[derive(Debug)]
pub struct Tested<'t> {
    /// The mistake.
    pub mutant: &'t Mutant,
    /// Where its mark stands.
    pub place: &'t str,
    /// Games that were played.
    pub games: u64,
    /// Those among them that reached the rule.
    pub reached: u64,
    /// What came of it.
    pub end: End,
}

/// What came of a test.
#[derive(Debug)]
pub enum End {
    /// All games agree, and some reached the rule.
    Agree,
    /// The same is computed with and without the mistake: there is nothing to play.
    Same,
    /// No game reached the rule: nothing was tested.
    Unreached,
    /// The time of a sample ended before a game reached the rule: nothing was tested, and nothing is held against it.
    NoTime,
    /// A game tells the mistake.
    Parted {
        /// The seed of the game.
        seed: u64,
        /// Whether its moves were chosen greedily, not at random.
        greedy: bool,
        /// With how many players and which modules.
        setup: String,
        /// Where.
        parted: Parted,
    },
    /// The mistake is no ruleset.
    Invalid(String),
}

impl End {
    /// Whether nothing speaks against the mark.
    pub fn good(&self) -> bool {
        matches!(self, End::Agree | End::Same | End::NoTime)
    }
}

impl Trial {
    /// Tests the marks of mutants; the others are passed over. `told` hears when one is done.
    ///
    /// # Errors
    ///
    /// A scenario that is played with modules fails as it is, or its ruleset is wrong.
    pub fn test_marks<'t>(
        &'t self,
        mutants: &[&'t Mutant],
        limits: Limits,
        told: &(dyn Fn() + Sync),
    ) -> Result<Vec<Tested<'t>>, NotProvable> {
        let helping = self.helping()?;
        let marked: Vec<(&Mutant, &str)> = mutants
            .iter()
            .filter_map(|mutant| Some((*mutant, self.marks.of(&mutant.id)?.place.as_str())))
            .collect();
        let test = |(mutant, place): &(&'t Mutant, &'t str)| {
            let courts = self.courts.iter().chain(helping);
            let tested = tested(courts, mutant, place, limits);
            told();
            tested
        };
        Ok(marked.par_iter().with_max_len(1).map(test).collect())
    }
}

fn tested<'t>(
    courts: impl Iterator<Item = &'t Court>,
    mutant: &'t Mutant,
    place: &'t str,
    limits: Limits,
) -> Tested<'t> {
    let began = Instant::now();
    let (mut pairs, mut wrong) = (Vec::new(), None);
    for court in courts {
        match Pair::of(court, mutant) {
            Ok(pair) => pairs.push((court, pair)),
            Err(why) => wrong = Some(why),
        }
    }
    let mut test = Tested {
        mutant,
        place,
        games: 0,
        reached: 0,
        end: End::Unreached,
    };
    if let (true, Some(why)) = (pairs.is_empty(), wrong) {
        test.end = End::Invalid(why);
        return test;
    }
    pairs.retain(|(_, pair)| pair.differs());
    if pairs.is_empty() {
        test.end = End::Same;
        return test;
    }
    // Each setup plays a random game and a greedy one before any plays again.
    let kinds = [false, true].into_iter();
    let turns: Vec<_> = kinds
        .flat_map(|greedy| pairs.iter().map(move |pair| (greedy, pair)))
        .collect();
    let patience = match limits.is_sample {
        true => limits.time,
        false => limits.time.max(PATIENCE),
    };
    let until = Until {
        enough: began + limits.time,
        latest: began + patience,
    };
    for (greedy, (court, pair)) in turns.iter().cycle() {
        let end = match test.reached {
            0 => until.latest,
            _ => until.enough,
        };
        let is_over = test.games > 0 && Instant::now() >= end;
        let is_enough = test.reached >= limits.games;
        let is_hopeless = test.reached == 0 && test.games >= HOPELESS;
        if is_over || is_enough || is_hopeless {
            break;
        }
        let seed = limits.seed.wrapping_add(test.games);
        test.games += 1;
        match pair.game(seed, *greedy, until) {
            Ok(reached) => test.reached += u64::from(reached),
            Err(parted) => {
                let (greedy, setup) = (*greedy, told(court));
                test.end = End::Parted {
                    seed,
                    greedy,
                    setup,
                    parted,
                };
                return test;
            }
        }
    }
    if test.reached > 0 {
        test.end = End::Agree;
    } else if limits.is_sample && test.games < limits.games {
        test.end = End::NoTime;
    }
    test
}

/// With what a court plays.
fn told(court: &Court) -> String {
    let configuration = &court.setup().configuration;
    let with: Vec<&str> = configuration.modules.iter().map(String::as_str).collect();
    match &with[..] {
        [] => format!("{} players", configuration.players),
        with => format!("{} players with {}", configuration.players, with.join(", ")),
    }
}
