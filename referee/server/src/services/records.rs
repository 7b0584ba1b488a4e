//! `RecordService`: records of matches that are over, and their verification.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;
use tonic::metadata::MetadataMap;

use crate::Referee;
use crate::calls::chunks::Pieces;
use crate::calls::{Caller, Failure, chunks, match_id, once, serves, status};
use referee_contract::v1::{
    self, Reason, record_service_server::RecordService, verify_record_response::Item,
};
use referee_store::{MatchId, MatchState};
use referee_table::{About, Finding, Payers, Queue, TableError, archive};

/// Messages that wait for a reader.
const QUEUE: usize = 4;

/// `RecordService`.
pub struct Records(pub Arc<Referee>);

type Messages<T> = ReceiverStream<Result<T, Status>>;

serves! {
    RecordService for Records {
        import_record(ImportRecordRequest) -> v1::ImportRecordResponse = import;
        get_proof(GetProofRequest) -> v1::GetProofResponse = prove;
    }
    streams {
        export_record(ExportRecordRequest) -> Pieces<v1::ExportRecordResponse> = export;
        verify_record(VerifyRecordRequest) -> Messages<v1::VerifyRecordResponse> = verify;
    }

    type ExportRecordStream = Pieces<v1::ExportRecordResponse>;
    type VerifyRecordStream = Messages<v1::VerifyRecordResponse>;
}

impl Records {
    /// The match that is named, if the caller may know its record when it is over.
    async fn known(&self, metadata: &MetadataMap, name: &str) -> Result<MatchId, Failure> {
        let caller = self.0.auth.caller_of(metadata, name).await?;
        let id = match_id(name);
        match caller {
            Caller::Host(host) => {
                let id = id?;
                self.0.hosted(&id, host).await?;
                Ok(id)
            }
            Caller::Seat { id: own, .. } | Caller::Spectator(own) => match id? {
                id if id == own => Ok(id),
                _ => Err(Failure::not_found()),
            },
            Caller::Player(_) => Err(Failure::not_found()),
            Caller::Admin(_) => {
                let id = id?;
                self.0.table(&id).await?;
                Ok(id)
            }
            other @ (Caller::Publisher(_) | Caller::Creator(_)) => {
                Err(other.wrong_kind("a host's, a seat's, a spectator's or an administrator's"))
            }
        }
    }

    async fn export(
        &self,
        metadata: &MetadataMap,
        asked: v1::ExportRecordRequest,
    ) -> Result<Pieces<v1::ExportRecordResponse>, Failure> {
        let id = self.known(metadata, &asked.name).await?;
        let snapshot = self.0.table(&id).await?.snapshot();
        if snapshot.info.state != MatchState::Finished {
            let why = "the record is shown when the match is over";
            return Err(Failure::new(Reason::RecordSealed, why));
        }
        let parts = self.0.registry.parts().clone();
        let work = move || archive::export(&parts, &snapshot);
        let text = self.0.workers().run(Queue::Making, work).await??;
        Ok(chunks::stream(text.into(), |_, data| {
            v1::ExportRecordResponse { data }
        }))
    }

    async fn prove(
        &self,
        metadata: &MetadataMap,
        asked: v1::GetProofRequest,
    ) -> Result<v1::GetProofResponse, Failure> {
        let id = self.known(metadata, &asked.name).await?;
        let snapshot = self.0.table(&id).await?.snapshot();
        let over = snapshot.info.state == MatchState::Finished;
        let caller = self.0.auth.caller(metadata).await?;
        if !over && !matches!(caller, Caller::Host(_) | Caller::Admin(_)) {
            let why = "a match that is not over is proved to its host and to administrators";
            return Err(Failure::new(Reason::RecordSealed, why));
        }
        let (parts, known) = (self.0.registry.parts().clone(), snapshot.clone());
        let work = move || referee_table::prove(&parts, &known.info);
        let proof = self.0.workers().run(Queue::Making, work).await??;
        let info = &snapshot.info;
        Ok(v1::GetProofResponse {
            proof: Some(v1::Proof {
                name: format!("matches/{id}"),
                entries: proof.entries,
                head: proof.head.to_vec(),
                seed_commitment: info.commitment.to_vec(),
                committed_digest: info.committed.0.to_vec(),
                key: proof.key.to_vec(),
                signature: proof.signature,
            }),
        })
    }

    async fn import(
        &self,
        metadata: &MetadataMap,
        asked: v1::ImportRecordRequest,
    ) -> Result<v1::ImportRecordResponse, Failure> {
        let host = self.0.auth.host(metadata).await?;
        let request = once!(host, "ImportRecord", asked)?;
        let text = String::from_utf8(asked.record)
            .map_err(|_| Failure::field("record", "is not UTF-8"))?;
        let most = self.0.limits().record_imports;
        let entered = self.0.imports.enter(host, most);
        let _entered = entered.ok_or(TableError::Limit("record_imports"))?;
        let parts = self.0.registry.parts().clone();
        let work = move || archive::import(&parts, &text, host, &request);
        let (id, replayed) = self.0.workers().run(Queue::Making, work).await??;
        Ok(v1::ImportRecordResponse {
            name: format!("matches/{id}"),
            replayed,
        })
    }

    async fn verify(
        &self,
        metadata: &MetadataMap,
        asked: v1::VerifyRecordRequest,
    ) -> Result<Messages<v1::VerifyRecordResponse>, Failure> {
        let id = self.known(metadata, &asked.name).await?;
        let live = self.0.table(&id).await?.snapshot();
        let caller = self.0.auth.caller(metadata).await?;
        let over = live.info.state == MatchState::Finished;
        if matches!(caller, Caller::Spectator(_)) && live.info.delay.is_some() && !over {
            let why = "spectators of this match are behind it: its record is verified for them when it is over";
            return Err(Failure::new(Reason::RecordSealed, why));
        }
        // How many entries there are tells who has answered a question that is put to several.
        let counted = over || matches!(caller, Caller::Host(_) | Caller::Admin(_));
        let told = move |count: u64| if counted { count } else { 0 };
        let language = status::language(metadata);
        let (queue, messages) = mpsc::channel(QUEUE);
        let (referee, payers) = (self.0.clone(), Payers::calling());
        tokio::spawn(async move {
            let (parts, progress) = (referee.registry.parts().clone(), queue.clone());
            let work = move || {
                referee_table::verify(&parts, &id, &mut |entries| {
                    if !counted {
                        return;
                    }
                    // A reader that is behind misses how far it is, not what is found.
                    let _ =
                        progress.try_send(Ok(said(Item::Progress(v1::VerifyProgress { entries }))));
                })
            };
            let verified = referee.workers().run_for(Queue::Making, payers, work);
            let found = tokio::select! {
                // Nobody waits for it any more.
                () = queue.closed() => return,
                found = verified => found,
            };
            let found = match found {
                Ok(Ok(Some(checked))) => Ok(said(Item::Result(v1::VerifyResult {
                    sound: checked.findings.is_empty(),
                    entries: told(checked.entries),
                    moves: told(checked.moves),
                    findings: checked.findings.into_iter().map(finding).collect(),
                    signed_by: checked.signed_by.iter().map(|key| key.to_vec()).collect(),
                }))),
                Ok(Ok(None)) => Err(Failure::not_found().status(language)),
                Ok(Err(error)) | Err(error) => Err(Failure::from(error).status(language)),
            };
            let _ = queue.send(found).await;
        });
        Ok(ReceiverStream::new(messages))
    }
}

fn said(item: Item) -> v1::VerifyRecordResponse {
    v1::VerifyRecordResponse { item: Some(item) }
}

fn finding(found: Finding) -> v1::Finding {
    let kind = match found.about {
        About::Log => v1::FindingKind::Log,
        About::Replay => v1::FindingKind::Replay,
        About::Seed => v1::FindingKind::Seed,
        About::Entropy => v1::FindingKind::Entropy,
        About::Name => v1::FindingKind::Name,
        About::State => v1::FindingKind::State,
        About::Signature => v1::FindingKind::Signature,
        About::Snapshot => v1::FindingKind::Snapshot,
    };
    v1::Finding {
        kind: kind.into(),
        description: found.what,
    }
}
