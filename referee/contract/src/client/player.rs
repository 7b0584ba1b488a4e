//! Players: who chooses among the legal moves.
//!
//! A player knows what the contract says of a question and no game. [`Chooser`] plays by chance, but
//! rather does something than passes.

use std::time::Duration;

use tonic::Status;

use crate::v1::{self, open_parameter::Domain, value::Kind};
use referee_library::random::SplitMix64;
use referee_store::numbers::{to_i64, to_u64, to_usize};

/// Chooses an answer to a question.
pub trait Chooses: Send {
    /// A complete legal move. `offers` are all offers of the decision, at least one.
    fn choose(&mut self, decision: &v1::Decision, offers: &[v1::Offer]) -> v1::Move;

    /// How long it thinks before it answers.
    fn pause(&self) -> Duration {
        Duration::ZERO
    }

    /// A move to try first although it is not offered, to learn why not.
    fn dare(&mut self, _decision: &v1::Decision, _offers: &[v1::Offer]) -> Option<v1::Move> {
        None
    }

    /// Hears why such a move was refused.
    fn dared(&mut self, _decision: &v1::Decision, _mv: v1::Move, _status: &Status) {}
}

/// Plays by chance, but rather does something than passes.
#[derive(Clone, Debug)]
pub struct Chooser {
    random: SplitMix64,
}

/// Of so many times, a chooser passes once where it could do something.
const RARELY: u64 = 12;

impl Chooser {
    /// The same seed plays the same.
    pub fn new(seed: u64) -> Chooser {
        Chooser {
            random: SplitMix64::new(seed),
        }
    }

    fn below(&mut self, n: usize) -> usize {
        if n == 0 {
            0
        } else {
            to_usize(self.random.word() % to_u64(n))
        }
    }
}

impl Chooses for Chooser {
    fn choose(&mut self, _decision: &v1::Decision, offers: &[v1::Offer]) -> v1::Move {
        let active: Vec<&v1::Offer> = offers.iter().filter(|offer| offer.name != "pass").collect();
        let among: Vec<&v1::Offer> =
            if active.is_empty() || self.random.word().is_multiple_of(RARELY) {
                offers.iter().collect()
            } else {
                active
            };
        // First the kind of move, then one of it: else the kind with most variants is all one sees.
        let mut kinds: Vec<&str> = among.iter().map(|offer| offer.name.as_str()).collect();
        kinds.dedup();
        let kind = kinds
            .get(self.below(kinds.len()))
            .copied()
            .unwrap_or_default();
        let of_kind: Vec<&v1::Offer> = among
            .iter()
            .filter(|offer| offer.name == kind)
            .copied()
            .collect();
        match of_kind.get(self.below(of_kind.len())) {
            Some(offer) => complete(offer, |n| self.below(n)),
            None => v1::Move::default(),
        }
    }
}

/// A complete move from an offer: fixed arguments as they are, open ones filled within their limits.
/// `below(n)` chooses a number under `n`.
pub fn complete(offer: &v1::Offer, mut below: impl FnMut(usize) -> usize) -> v1::Move {
    let mut arguments = offer.fixed.clone();
    for parameter in &offer.open {
        let kind = parameter.domain.as_ref().map(|domain| match domain {
            Domain::Bag(bag) => Kind::Bag(fill_bag(bag, &mut below)),
            Domain::Spread(spread) => Kind::Spread(fill_spread(spread, &mut below)),
            Domain::Amount(amount) => Kind::Integer(fill_amount(amount, &mut below)),
            Domain::Values(values) => {
                let chosen = values.values.get(below(values.values.len().max(1)));
                chosen
                    .and_then(|v| v.kind.clone())
                    .unwrap_or(Kind::None(v1::None {}))
            }
        });
        arguments.push(v1::Argument {
            name: parameter.name.clone(),
            value: Some(v1::Value { kind }),
        });
    }
    v1::Move {
        name: offer.name.clone(),
        arguments,
    }
}

/// One of the numbers, each as likely.
fn fill_amount(domain: &v1::AmountDomain, below: &mut impl FnMut(usize) -> usize) -> i64 {
    let step = domain.step.max(1);
    let steps = usize::try_from((domain.most - domain.least) / step).unwrap_or(0);
    domain.least + to_i64(below(steps + 1)) * step
}

/// Fills a bag as far as its limits allow: the most frequent kinds whole, then single pieces.
pub fn fill_bag(domain: &v1::BagDomain, below: &mut impl FnMut(usize) -> usize) -> v1::Bag {
    let mut rows = domain.available.clone();
    // Equal kinds in any order.
    let turn = below(rows.len().max(1));
    rows.rotate_left(turn);
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    let mut left = domain.most;
    let mut kinds = domain.kinds.unwrap_or(u32::MAX);
    let (mut whole, mut loose) = match domain.loose {
        Some(limit) => (limit.kinds, limit.pieces),
        None => (u32::MAX, 0),
    };
    let mut counts = Vec::new();
    for row in rows {
        if kinds == 0 || left == 0 {
            break;
        }
        let mut count = row.count.min(left);
        if whole > 0 {
            whole -= 1;
        } else {
            count = count.min(loose);
            loose -= count;
        }
        if count > 0 {
            kinds -= 1;
            left -= count;
            counts.push(v1::RowCount {
                row: row.row,
                count,
            });
        }
    }
    v1::Bag {
        table: domain.table.clone(),
        counts,
    }
}

/// Gives every piece a place, beginning with a random place; what has no room goes to the overflow.
pub fn fill_spread(
    domain: &v1::SpreadDomain,
    below: &mut impl FnMut(usize) -> usize,
) -> v1::Spread {
    let mut rooms: Vec<(&v1::Room, u32)> =
        domain.rooms.iter().map(|room| (room, room.room)).collect();
    let turn = below(rooms.len().max(1));
    rooms.rotate_left(turn);
    let mut shares = Vec::new();
    for pieces in &domain.pieces {
        let mut left = pieces.count;
        for (room, free) in &mut rooms {
            let count = left.min(*free);
            if count > 0 {
                *free -= count;
                left -= count;
                shares.push(v1::Share {
                    place: room.place.clone(),
                    row: pieces.row.clone(),
                    count,
                });
            }
        }
    }
    v1::Spread { shares }
}
