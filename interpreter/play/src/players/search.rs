//! A player for any game: information-set Monte Carlo tree search.
//!
//! It asks the machine for moves and what comes of them, and knows nothing of any game. Each iteration
//! imagines all that the seat cannot see ([`Game::imagined`]), goes down a tree of the moves that were
//! tried so far, tries one more, and plays on at random; every seat on the way wants what is best for
//! itself. The tree is one for all that is imagined, so a move is judged by what it brings over all
//! that might be. What an open parameter leaves open is drawn, not listed: the more often a position was
//! visited, the more of its moves are looked at.
//!
//! Numbers are added, multiplied, divided and rooted, which every machine does alike: the same seed
//! finds the same move everywhere. A move that faults in an imagined game says nothing about the move.

use super::playout::Played;
use crate::api::{Move, Origin};
use crate::budget;
use crate::flow::{Choice, Game};
use crate::machine::{Fault, Trouble, TroubleKind};
use crate::matches::one_match::Match;
use crate::matches::views;
use crate::numbers::Fit as _;
use crate::program::model::control;
use crate::program::value::Seat;

type Random<'a> = &'a mut dyn FnMut() -> u64;

/// How much is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// How many games are imagined for a decision.
    pub iterations: u32,
    /// After how many decisions at random a game is judged as it then stands.
    pub horizon: u32,
}

impl Search {
    /// A search of so many iterations that plays games to their ends, or for very long.
    pub fn new(iterations: u32) -> Search {
        Search {
            iterations,
            horizon: 2000,
        }
    }
}

/// How much is tried that has not shown its worth.
const CURIOSITY: f64 = 3.0;
/// Moves of a position that are looked at from the beginning.
const BREADTH: f64 = 3.0;
/// How fast more of them are.
const WIDENING: f64 = 2.0;
/// Draws of a move that may be a new one.
const DRAWS: u32 = 4;
/// What winning counts; the rest is how far one leads.
const WINNING: f64 = 0.6;
/// What is said of a game that broke off.
const UNKNOWN: f64 = 0.5;

/// A position, as far as the moves tell that led to it.
#[derive(Default)]
struct Node {
    visits: u32,
    branches: Vec<Branch>,
}

/// A move of a position.
struct Branch {
    seat: u8,
    choice: Choice,
    visits: u32,
    /// How often it was legal when its position was visited.
    available: u32,
    /// What it was worth to its seat, all together.
    worth: f64,
    node: usize,
}

impl Branch {
    fn mean(&self) -> f64 {
        match self.visits {
            0 => UNKNOWN,
            visits => self.worth / f64::from(visits),
        }
    }
}

struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// The branch to go down from a node, and whether it is new.
    fn choose(
        &mut self,
        node: usize,
        game: &mut Game,
        random: Random<'_>,
    ) -> Result<(usize, bool), Trouble> {
        let seat = game.cell(control::SEAT).fit();
        let mut legal = Vec::new();
        for (n, branch) in self.nodes[node].branches.iter_mut().enumerate() {
            if branch.seat == seat && game.offers_now(&branch.choice, seat) {
                branch.available += 1;
                legal.push(n);
            }
        }
        let breadth = BREADTH + WIDENING * f64::from(self.nodes[node].visits).sqrt();
        if float(legal.len().fit()) < breadth {
            for _ in 0..DRAWS {
                let choice = game.sample(random)?;
                let branches = &self.nodes[node].branches;
                let known = |b: &Branch| b.seat == seat && b.choice == choice;
                if branches.iter().any(known) {
                    continue;
                }
                let (branch, next) = (branches.len(), self.nodes.len());
                self.nodes[node].branches.push(Branch {
                    seat,
                    choice,
                    visits: 0,
                    available: 1,
                    worth: 0.0,
                    node: next,
                });
                self.nodes.push(Node::default());
                return Ok((branch, true));
            }
        }
        let branches = &self.nodes[node].branches;
        let promise = |branch: &Branch| {
            let rare = f64::from(branch.available).sqrt() / f64::from(1 + branch.visits);
            branch.mean() + CURIOSITY / float(legal.len().fit()) * rare
        };
        let mut best: Option<(usize, f64)> = None;
        for n in legal.iter().copied() {
            let promise = promise(&branches[n]);
            if best.is_none_or(|(_, most)| promise > most) {
                best = Some((n, promise));
            }
        }
        best.map(|(n, _)| (n, false))
            .ok_or(TroubleKind::NoWayOn.nowhere())
    }

    /// Plays one imagined game and remembers what came of it.
    fn imagine(&mut self, mut game: Game, search: Search, random: Random<'_>) {
        let mut path = Vec::new();
        let worth = match self.play(&mut game, search, random, &mut path) {
            Ok(()) => worth(&mut game),
            Err(_) => vec![UNKNOWN; usize::from(game.ruleset.model().players)],
        };
        for (node, branch) in path {
            self.nodes[node].visits += 1;
            let branch: &mut Branch = &mut self.nodes[node].branches[branch];
            branch.visits += 1;
            branch.worth += worth[usize::from(branch.seat)];
        }
    }

    fn play(
        &mut self,
        game: &mut Game,
        search: Search,
        random: Random<'_>,
        path: &mut Vec<(usize, usize)>,
    ) -> Result<(), Trouble> {
        let mut node = 0;
        let mut left = search.horizon;
        let mut known = true;
        while !game.is_over() && left > 0 {
            budget::rest();
            let choice = match known {
                true => {
                    let (branch, new) = self.choose(node, game, random)?;
                    path.push((node, branch));
                    let branch = &self.nodes[node].branches[branch];
                    (node, known) = (branch.node, !new);
                    branch.choice.clone()
                }
                false => {
                    left -= 1;
                    game.sample(random)?
                }
            };
            game.play(&choice, Origin::Player)?;
            game.forced.clear();
        }
        Ok(())
    }
}

/// What a game is worth to each seat, from 0 to 1, as it stands.
fn worth(game: &mut Game) -> Vec<f64> {
    let outcome = views::outcome(&game.ruleset, &game.position.cells);
    // A game that is over is worth what it ended with; hints are about what may yet come.
    let (prospects, winners): (Vec<i64>, Vec<u8>) = match game.is_over() {
        true => (
            outcome
                .scores
                .iter()
                .map(|sheet| 100 * sheet.total)
                .collect(),
            outcome.winners.iter().map(|winner| winner.0).collect(),
        ),
        false => {
            let prospects = game.prospects();
            let most = prospects.iter().copied().max().unwrap_or(0);
            let ahead = (0..prospects.len()).filter(|seat| prospects[*seat] == most);
            let ahead = ahead.map(|seat| seat.fit()).collect();
            (prospects, ahead)
        }
    };
    let won = 1.0 / float(winners.len().max(1).fit());
    let worth = prospects.iter().enumerate().map(|(seat, own)| {
        let others = prospects
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != seat);
        let best = others.map(|(_, other)| *other).max().unwrap_or(0);
        let lead = float(own - best) / float(own.abs() + best.abs() + 100);
        let win = match winners.contains(&seat.fit()) {
            true => won,
            false => 0.0,
        };
        WINNING * win + (1.0 - WINNING) * (0.5 + 0.5 * lead)
    });
    worth.collect()
}

/// A number of moves or points, of which there are few.
#[expect(clippy::as_conversions, reason = "exact below 2 to the power of 53")]
fn float(number: i64) -> f64 {
    number as f64
}

impl Game {
    /// Whether the waiting question offers a move.
    fn offers_now(&mut self, choice: &Choice, seat: u8) -> bool {
        let listed = |game: &Game| {
            let mut offers = game.offers.iter().filter(|offer| offer.mv == choice.mv);
            offers.any(|offer| game.offer_args(*offer) == choice.args.as_slice())
        };
        let open = self.ruleset.model().moves[choice.mv]
            .params
            .iter()
            .any(|param| param.is_open());
        match open {
            true => self.is_legal(choice, i64::from(seat)).unwrap_or(false),
            false => listed(self),
        }
    }

    /// The move that the seat whose turn it is finds best: the one that was tried most.
    pub(crate) fn search(&self, search: Search, random: Random<'_>) -> Result<Choice, Trouble> {
        self.search_while(search, &mut || true, random)
    }

    /// The same, but no longer than `on` says, which is asked after each game that was imagined.
    fn search_while(
        &self,
        search: Search,
        on: &mut dyn FnMut() -> bool,
        random: Random<'_>,
    ) -> Result<Choice, Trouble> {
        let seat = self.cell(control::SEAT).fit();
        let mut real = self.fork();
        if let [only] = self.offers[..]
            && only.completions == Some(1)
        {
            return real.sample(random);
        }
        let mut tree = Tree {
            nodes: vec![Node::default()],
        };
        for _ in 0..search.iterations {
            // Rules that cannot live with what was imagined say nothing about the moves.
            if let Ok(game) = self.imagined(seat, random) {
                tree.imagine(game, search, random);
            }
            if !on() {
                break;
            }
        }
        let mut found = std::mem::take(&mut tree.nodes[0].branches);
        found.sort_by(|a, b| {
            let mean = b.mean().total_cmp(&a.mean());
            b.visits.cmp(&a.visits).then(mean)
        });
        let legal = found
            .into_iter()
            .find(|branch| branch.seat == seat && real.offers_now(&branch.choice, seat));
        match legal {
            Some(branch) => Ok(branch.choice),
            None => real.sample(random),
        }
    }

    /// As [`play_random_seen`](Self::play_random_seen), but the move is the one that a search finds best.
    /// It looks only at what its seat sees.
    ///
    /// # Errors
    /// A fault of the ruleset.
    pub fn play_searched_seen(
        &mut self,
        search: Search,
        random: &mut dyn FnMut() -> u64,
        seen: &mut dyn FnMut(Played<'_>),
    ) -> Result<(), Fault> {
        let choice = self.search(search, random);
        let choice = choice.map_err(|trouble| self.fault(trouble))?;
        self.play_seen(&choice, seen)
    }
}

impl Match {
    /// The move that a search finds best for a seat that is asked. It looks only at what the seat sees:
    /// whatever is hidden from it, the same random numbers find the same move.
    pub fn searched(
        &self,
        seat: Seat,
        search: Search,
        random: &mut dyn FnMut() -> u64,
    ) -> Option<Move> {
        self.choose(seat, &mut |game| game.search(search, random).ok())
    }

    /// The same, but no longer than `on` says, which is asked after each game that was imagined: for searches by the
    /// clock. Whoever has only one move is not asked anything.
    pub fn searched_while(
        &self,
        seat: Seat,
        search: Search,
        on: &mut dyn FnMut() -> bool,
        random: &mut dyn FnMut() -> u64,
    ) -> Option<Move> {
        self.choose(seat, &mut |game| game.search_while(search, on, random).ok())
    }
}
