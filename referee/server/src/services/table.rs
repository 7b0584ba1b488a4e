//! `TableService`: proposals and answers to them: what players agree on outside of the rules.

use std::sync::Arc;

use interpreter::play::{Audience, Seat};
use tonic::metadata::MetadataMap;

use crate::Referee;
use crate::calls::{Failure, below_match, once, serves};
use referee_contract::convert::seat_number;
use referee_contract::v1::{self, table_service_server::TableService};
use referee_store::Principal;
use referee_table::{Act, MatchInfo, Proposal, Table};

/// Answers seats that talk.
pub struct Tables(pub Arc<Referee>);

serves! {
    TableService for Tables {
        get_table_talk(GetTableTalkRequest) -> v1::GetTableTalkResponse = get;
        propose(ProposeRequest) -> v1::ProposeResponse = make;
        respond(RespondRequest) -> v1::RespondResponse = answer_to;
        withdraw(WithdrawRequest) -> v1::WithdrawResponse = withdraw_own;
        take_back(TakeBackRequest) -> v1::TakeBackResponse = take_last_back;
    }
}

impl Tables {
    async fn seated(
        &self,
        metadata: &MetadataMap,
        name: &str,
    ) -> Result<(Principal, Seat, Arc<Table>), Failure> {
        let (principal, id, seat) = self.0.auth.seat(metadata, name).await?;
        Ok((principal, seat, self.0.table(&id).await?))
    }

    async fn get(
        &self,
        metadata: &MetadataMap,
        asked: v1::GetTableTalkRequest,
    ) -> Result<v1::GetTableTalkResponse, Failure> {
        let (_, id, seat) = self.0.auth.seat(metadata, &asked.name).await?;
        let table = self.0.table(&id).await?;
        let audience = Audience::Seat(seat);
        let snapshot = self.0.at_least(&table, &id, audience, &asked.at_least);
        let snapshot = snapshot.await?;
        let info = &snapshot.info;
        Ok(v1::GetTableTalkResponse {
            proposal: info.proposal.as_ref().map(|open| proposal(open, info)),
            paused: info.paused,
        })
    }

    async fn make(
        &self,
        metadata: &MetadataMap,
        asked: v1::ProposeRequest,
    ) -> Result<v1::ProposeResponse, Failure> {
        let (principal, seat, table) = self.seated(metadata, &asked.name).await?;
        let request = once!(principal, "Propose", asked)?;
        let kind = match v1::ProposalKind::try_from(asked.kind) {
            Ok(v1::ProposalKind::Unspecified) | Err(_) => {
                return Err(Failure::field(
                    "kind",
                    "is missing, or no value of the enum",
                ));
            }
            Ok(kind) => kind,
        };
        if asked.moves > 0 && kind != v1::ProposalKind::Undo {
            return Err(Failure::field("moves", "is only for taking moves back"));
        }
        let act = Act::Propose {
            seat,
            kind: kind.into(),
            moves: asked.moves,
        };
        let acted = table.act(act, request).await?;
        Ok(v1::ProposeResponse {
            name: proposal_name(&asked.name, &acted.id),
            done: acted.accepted,
            replayed: acted.replayed,
        })
    }

    async fn answer_to(
        &self,
        metadata: &MetadataMap,
        asked: v1::RespondRequest,
    ) -> Result<v1::RespondResponse, Failure> {
        let (name, proposal) = below_match(&asked.name, "proposals")?;
        let (principal, seat, table) = self.seated(metadata, name).await?;
        let request = once!(principal, "Respond", asked)?;
        let act = Act::Respond {
            seat,
            proposal: proposal.to_owned(),
            agree: asked.agree,
        };
        let acted = table.act(act, request).await?;
        Ok(v1::RespondResponse {
            done: acted.accepted,
            replayed: acted.replayed,
        })
    }

    async fn take_last_back(
        &self,
        metadata: &MetadataMap,
        asked: v1::TakeBackRequest,
    ) -> Result<v1::TakeBackResponse, Failure> {
        let (principal, seat, table) = self.seated(metadata, &asked.name).await?;
        let request = once!(principal, "TakeBack", asked)?;
        let acted = table.act(Act::TakeBack { seat }, request).await?;
        Ok(v1::TakeBackResponse {
            replayed: acted.replayed,
        })
    }

    async fn withdraw_own(
        &self,
        metadata: &MetadataMap,
        asked: v1::WithdrawRequest,
    ) -> Result<v1::WithdrawResponse, Failure> {
        let (name, proposal) = below_match(&asked.name, "proposals")?;
        let (principal, seat, table) = self.seated(metadata, name).await?;
        let request = once!(principal, "Withdraw", asked)?;
        let act = Act::Withdraw {
            seat,
            proposal: proposal.to_owned(),
        };
        let acted = table.act(act, request).await?;
        Ok(v1::WithdrawResponse {
            replayed: acted.replayed,
        })
    }
}

/// The resource name of a proposal in a match with a name.
fn proposal_name(of: &str, id: &str) -> String {
    format!("{of}/proposals/{id}")
}

/// What somebody proposed, as clients see it.
fn proposal(open: &Proposal, info: &MatchInfo) -> v1::Proposal {
    let numbers = |seats: Vec<Seat>| seats.into_iter().map(seat_number).collect();
    v1::Proposal {
        name: proposal_name(&format!("matches/{}", info.id), &open.id),
        kind: v1::ProposalKind::from(open.kind).into(),
        seat: seat_number(open.seat),
        moves: open.moves,
        agreed: numbers(open.agreed.clone()),
        awaited: numbers(open.awaited(info)),
    }
}
