//! What is asked of a table, and what becomes of it.

use std::sync::Arc;

use interpreter::play::{Move, Seat};

use crate::{Cursor, Difference, Request, Snapshot};
use referee_library::Edition;
use referee_store::Hash;
use referee_store::log::v1::{BotKind, DoneReceipt, ProposalKind};

/// Moves as a seat submits them: one, or several of which all are made or none.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Whose.
    pub seat: Seat,
    /// The decision that the first answers.
    pub decision: String,
    /// The moves.
    pub moves: Vec<Move>,
    /// The request.
    pub request: Request,
}

/// What became of submitted moves.
#[derive(Clone)]
pub struct Submitted {
    /// The first event that the seat saw of it.
    pub from: Cursor,
    /// Behind the last event that the seat saw of it.
    pub until: Cursor,
    /// How many moves were made.
    pub made: u32,
    /// Whether they were made before, by an earlier request with the same id.
    pub replayed: bool,
    /// The match now.
    pub snapshot: Arc<Snapshot>,
}

/// A player who holds a seat beside its token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// By this label seats are found that the player holds.
    pub label: String,
    /// The hash of a token that nobody has.
    pub token: Hash,
}

/// Something that is done at a table.
#[derive(Clone)]
#[allow(missing_docs, reason = "a variant's text explains its fields")]
pub enum Act {
    /// Claims a seat; `token` is the hash of the token that opens it. If it is a player with seats elsewhere, `holder` says
    /// who.
    Claim {
        seat: Seat,
        player: String,
        token: Hash,
        holder: Option<Holder>,
    },
    /// Gives a seat up before the match starts.
    Leave { seat: Seat },
    /// Starts the match.
    Start,
    /// Adds to the chance of the match, or commits to it.
    Contribute {
        seat: Seat,
        commitment: Option<Hash>,
        entropy: Option<Hash>,
    },
    /// Proposes something.
    Propose {
        seat: Seat,
        kind: ProposalKind,
        moves: u32,
    },
    /// Answers a proposal.
    Respond {
        seat: Seat,
        proposal: String,
        agree: bool,
    },
    /// Takes a proposal back.
    Withdraw { seat: Seat, proposal: String },
    /// Takes back the last move, if it is the seat's own and the match allows it.
    TakeBack { seat: Seat },
    /// Gives up.
    Resign { seat: Seat },
    /// Lets the referee play a seat.
    SeatBot {
        seat: Seat,
        bot: BotKind,
        called: String,
    },
    /// Revokes a seat's tokens.
    Release { seat: Seat },
    /// Lets a paused match go on.
    Resume,
    /// Ends the match without a result.
    Cancel,
    /// Lets a suspended match go on with corrected rules.
    Move {
        edition: Arc<Edition>,
        accept: bool,
        only_look: bool,
    },
    /// Grants a spectator's token, of this hash.
    Invite { token: Hash },
    /// Erases what players are called: all of them, or those who are called so.
    EraseNames { called: Option<String> },
    /// Deletes the match, with all that is kept of it, once it is over or cannot go on.
    Delete,
}

/// What became of an act.
pub struct Acted {
    /// Whether it was done before, by an earlier request with the same id.
    pub replayed: bool,
    /// The id of what was made, if something was.
    pub id: String,
    /// Whether a proposal is done by it.
    pub accepted: bool,
    /// How many names were erased.
    pub erased: u32,
    /// Where a match went otherwise than with corrected rules.
    pub difference: Option<Difference>,
    /// The match now.
    pub snapshot: Arc<Snapshot>,
}

impl Acted {
    pub(super) fn of(
        snapshot: Arc<Snapshot>,
        receipt: DoneReceipt,
        difference: Option<Difference>,
    ) -> Acted {
        Acted {
            replayed: false,
            id: receipt.id,
            accepted: receipt.accepted,
            erased: receipt.names_erased,
            difference,
            snapshot,
        }
    }
}
