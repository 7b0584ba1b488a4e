//! The legal moves of a decision, page by page: all of them, or those that a client looks for.

use interpreter::play::{ClosedMoves, Id, Offer, Seat, Value};
use prost::Message as _;

use crate::calls::{Failure, place_tokens};
use referee_contract::convert::{self, Outward, Path};
use referee_contract::v1;
use referee_store::MatchId;
use referee_store::numbers::to_u64;
use referee_store::secrets::Keys;
use referee_table::Play;

/// Which offers a client looks for.
#[derive(Default)]
pub struct Wanted {
    /// As it was asked: the same bytes for the same wish.
    asked: Vec<u8>,
    /// The move's name; empty for any.
    name: String,
    /// Arguments that the offer fixes.
    fixed: Vec<(Id, Value)>,
}

impl Wanted {
    /// Reads what a client looks for.
    ///
    /// # Errors
    ///
    /// `MALFORMED_REQUEST` with the argument that cannot be read.
    pub fn read(name: String, arguments: Vec<v1::Argument>) -> Result<Wanted, Failure> {
        let fixed = convert::arguments_in(&arguments, Path::of("fixed"))?;
        let asked = v1::Move { name, arguments };
        Ok(Wanted {
            asked: asked.encode_to_vec(),
            name: asked.name,
            fixed,
        })
    }

    /// That the ruleset has a move of this name: a slip of the pen is not answered with an empty list.
    ///
    /// # Errors
    ///
    /// `MALFORMED_REQUEST` if it has none.
    pub fn exists(&self, play: &Play) -> Result<(), Failure> {
        let mut all = play.ruleset().model().moves.iter();
        match self.name.is_empty() || all.any(|known| *known.name == *self.name) {
            true => Ok(()),
            false => Err(Failure::field(
                "move_name",
                "is no move of this ruleset; `RulesetService.GetRuleset` lists them",
            )),
        }
    }

    /// The moves of the name that are not offered to a seat, behind so many candidates. Takes its time: not for async
    /// threads.
    ///
    /// # Errors
    ///
    /// `MALFORMED_REQUEST` if the question has no such move.
    pub fn closed(
        &self,
        play: &Play,
        seat: Seat,
        first: usize,
        size: usize,
    ) -> Result<ClosedMoves, Failure> {
        let closed = play.closed_moves(seat, &self.name, &self.fixed, first, size);
        closed.ok_or_else(|| {
            Failure::field(
                "move_name",
                "is no move of this question; `Decision.step` says which one waits",
            )
        })
    }

    /// Whether a client looks for this offer.
    pub fn has(&self, offer: &Offer) -> bool {
        let named = self.name.is_empty() || *offer.name == *self.name;
        named && self.fixed.iter().all(|fixed| offer.fixed.contains(fixed))
    }
}

/// The pages of one list of offers: what their tokens are bound to.
pub struct Pages([Vec<u8>; 5]);

impl Pages {
    /// Of a seat's decision.
    pub fn of(id: &MatchId, seat: Seat, decision: &str, wanted: &Wanted) -> Pages {
        Pages::named("offers", id, seat, decision, wanted)
    }

    /// Of what is not offered.
    pub fn of_refused(id: &MatchId, seat: Seat, decision: &str, wanted: &Wanted) -> Pages {
        Pages::named("refusals", id, seat, decision, wanted)
    }

    fn named(list: &str, id: &MatchId, seat: Seat, decision: &str, wanted: &Wanted) -> Pages {
        Pages([
            list.as_bytes().to_vec(),
            id.as_str().as_bytes().to_vec(),
            vec![seat.0],
            decision.as_bytes().to_vec(),
            wanted.asked.clone(),
        ])
    }

    fn list(&self) -> [&[u8]; 5] {
        self.0.each_ref().map(Vec::as_slice)
    }

    /// Where the page begins that a token stands for.
    ///
    /// # Errors
    ///
    /// `PAGE_TOKEN_INVALID` when it is not of this list.
    pub fn first(&self, keys: &Keys, token: &str) -> Result<usize, Failure> {
        let first = place_tokens::paged(keys, &self.list(), token)?.unwrap_or(0);
        Ok(usize::try_from(first).unwrap_or(usize::MAX))
    }

    /// A page of offers, and the token of the next one.
    ///
    /// # Errors
    ///
    /// When the operating system has no entropy to give.
    pub fn page<T>(
        &self,
        keys: &Keys,
        offers: impl Iterator<Item = T>,
        first: usize,
        size: usize,
    ) -> Result<(Vec<T>, String), Failure> {
        let mut rest = offers.skip(first);
        let page: Vec<T> = rest.by_ref().take(size).collect();
        let next = match rest.next() {
            None => String::new(),
            Some(_) => self.token(keys, first.saturating_add(page.len()))?,
        };
        Ok((page, next))
    }

    /// The token of a page that begins behind so many.
    ///
    /// # Errors
    ///
    /// When the operating system has no entropy to give.
    pub fn token(&self, keys: &Keys, first: usize) -> Result<String, Failure> {
        place_tokens::page(keys, &self.list(), to_u64(first))
    }
}

/// Offers of what a seat is asked with their places among all of them, as messages. Takes its time: not for async threads.
pub fn offers(
    play: &Play,
    seat: Seat,
    offers: &[(usize, &Offer)],
    with_targets: bool,
) -> Vec<v1::Offer> {
    let outward = Outward::new(play.ruleset().package());
    let mut told: Vec<v1::Offer> = offers
        .iter()
        .map(|(_, offer)| outward.offer(offer))
        .collect();
    if with_targets {
        let places: Vec<usize> = offers.iter().map(|(at, _)| *at).collect();
        for (offer, targets) in told.iter_mut().zip(play.targets(seat, &places)) {
            offer.targets = targets.iter().map(convert::target).collect();
        }
    }
    told
}
