//! `TableService`: proposals and answers to them: what players agree on outside of the rules.

use std::sync::Arc;

use interpreter::play::{Audience, Seat};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use crate::server::Referee;
use crate::server::calls::{Failure, once, unary};
use crate::store::Principal;
use crate::table::{Act, MatchInfo, Proposal, Table};
use crate::wire::convert::seat_number;
use crate::wire::v1::{self, table_service_server::TableService};

/// Answers seats that talk.
pub struct Tables(pub Arc<Referee>);

#[tonic::async_trait]
impl TableService for Tables {
    async fn get_table_talk(
        &self,
        request: Request<v1::GetTableTalkRequest>,
    ) -> Result<Response<v1::GetTableTalkResponse>, Status> {
        unary!(self, request, get)
    }

    async fn propose(
        &self,
        request: Request<v1::ProposeRequest>,
    ) -> Result<Response<v1::ProposeResponse>, Status> {
        unary!(self, request, make)
    }

    async fn respond(
        &self,
        request: Request<v1::RespondRequest>,
    ) -> Result<Response<v1::RespondResponse>, Status> {
        unary!(self, request, answer_to)
    }

    async fn withdraw(
        &self,
        request: Request<v1::WithdrawRequest>,
    ) -> Result<Response<v1::WithdrawResponse>, Status> {
        unary!(self, request, take_back)
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
            proposal_id: acted.id,
            done: acted.accepted,
            replayed: acted.replayed,
        })
    }

    async fn answer_to(
        &self,
        metadata: &MetadataMap,
        asked: v1::RespondRequest,
    ) -> Result<v1::RespondResponse, Failure> {
        let (principal, seat, table) = self.seated(metadata, &asked.name).await?;
        let request = once!(principal, "Respond", asked)?;
        let act = Act::Respond {
            seat,
            proposal: asked.proposal_id,
            agree: asked.agree,
        };
        let acted = table.act(act, request).await?;
        Ok(v1::RespondResponse {
            done: acted.accepted,
            replayed: acted.replayed,
        })
    }

    async fn take_back(
        &self,
        metadata: &MetadataMap,
        asked: v1::WithdrawRequest,
    ) -> Result<v1::WithdrawResponse, Failure> {
        let (principal, seat, table) = self.seated(metadata, &asked.name).await?;
        let request = once!(principal, "Withdraw", asked)?;
        let act = Act::Withdraw {
            seat,
            proposal: asked.proposal_id,
        };
        let acted = table.act(act, request).await?;
        Ok(v1::WithdrawResponse {
            replayed: acted.replayed,
        })
    }
}

/// What somebody proposed, as clients see it.
fn proposal(open: &Proposal, info: &MatchInfo) -> v1::Proposal {
    let numbers = |seats: Vec<Seat>| seats.into_iter().map(seat_number).collect();
    v1::Proposal {
        proposal_id: open.id.clone(),
        kind: v1::ProposalKind::from(open.kind).into(),
        seat: seat_number(open.seat),
        moves: open.moves,
        agreed: numbers(open.agreed.clone()),
        awaited: numbers(open.awaited(info)),
    }
}
