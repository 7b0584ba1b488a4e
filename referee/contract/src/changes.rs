//! What happened at a table, from the log's messages to those of the contract.
//!
//! The log's are read for ever, the contract may change: this is the only place that knows both.

use referee_store::log::v1 as log;

use super::v1;

/// Numbers of the contract's enumerations for those that logs keep: the same ones, under the names of both.
macro_rules! same {
    ($($name:ident { $($variant:ident),* })*) => {$(
        impl From<log::$name> for v1::$name {
            fn from(kept: log::$name) -> Self {
                match kept { $(log::$name::$variant => v1::$name::$variant),* }
            }
        }

        impl From<v1::$name> for log::$name {
            fn from(told: v1::$name) -> Self {
                match told { $(v1::$name::$variant => log::$name::$variant),* }
            }
        }
    )*};
}

same! {
    BotKind { Unspecified, Random, Search, Greedy }
    Conclusion { Unspecified, Rules, Draw, Abandoned, Resignation, Cancelled }
    ProposalEnd { Unspecified, Done, Declined, Withdrawn, Lapsed }
    ProposalKind { Unspecified, Pause, Resume, Undo, Draw, Abandon, ShowHands }
    SeatEntropy { Unspecified, Welcome, Required, Committed }
}

/// What happened at a table, as clients are told; when it happened is still to be said.
pub fn changed(change: &log::TableChanged) -> v1::TableChanged {
    use log::table_changed::Kind;
    use v1::table_changed::Kind as Told;
    let told = |kind: &Kind| match kind {
        Kind::ProposalMade(made) => Told::ProposalMade(v1::ProposalMade {
            proposal_id: made.proposal_id.clone(),
            kind: v1::ProposalKind::from(made.kind()).into(),
            seat: made.seat,
            moves: made.moves,
        }),
        Kind::ProposalAnswered(answered) => Told::ProposalAnswered(v1::ProposalAnswered {
            proposal_id: answered.proposal_id.clone(),
            seat: answered.seat,
            agree: answered.agree,
        }),
        Kind::ProposalClosed(closed) => Told::ProposalClosed(v1::ProposalClosed {
            proposal_id: closed.proposal_id.clone(),
            end: v1::ProposalEnd::from(closed.end()).into(),
        }),
        Kind::MatchPaused(log::MatchPaused {}) => Told::MatchPaused(v1::MatchPaused {}),
        Kind::MatchResumed(log::MatchResumed {}) => Told::MatchResumed(v1::MatchResumed {}),
        Kind::MovesUndone(undone) => Told::MovesUndone(v1::MovesUndone {
            moves: undone.moves,
        }),
        Kind::SeatResigned(resigned) => Told::SeatResigned(v1::SeatResigned {
            seat: resigned.seat,
        }),
        Kind::BotSeated(seated) => Told::BotSeated(v1::BotSeated {
            seat: seated.seat,
            bot: v1::BotKind::from(seated.bot()).into(),
            display_name: seated.display_name.clone(),
        }),
        Kind::MatchConcluded(concluded) => Told::MatchConcluded(v1::MatchConcluded {
            conclusion: v1::Conclusion::from(concluded.conclusion()).into(),
            winners: concluded.winners.clone(),
        }),
        Kind::RulesetChanged(changed) => Told::RulesetChanged(v1::RulesetChanged {
            revision: changed.revision.clone(),
        }),
        Kind::SeatReleased(released) => Told::SeatReleased(v1::SeatReleased {
            seat: released.seat,
        }),
        Kind::SeatTaken(taken) => Told::SeatTaken(v1::SeatTaken {
            seat: taken.seat,
            display_name: taken.display_name.clone(),
        }),
        Kind::SeatLeft(left) => Told::SeatLeft(v1::SeatLeft { seat: left.seat }),
        Kind::HandsShown(log::HandsShown {}) => Told::HandsShown(v1::HandsShown {}),
    };
    v1::TableChanged {
        kind: change.kind.as_ref().map(told),
        time: None,
    }
}
