//! `ServerService`: versions and limits, for anybody.

use std::sync::Arc;
use std::time::Duration;

use tonic::{Request, Response, Status};

use crate::server::Referee;
use crate::wire::convert;
use crate::wire::v1::{self, server_service_server::ServerService};

/// Answers what this referee is.
pub struct Info(pub Arc<Referee>);

fn milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}

#[tonic::async_trait]
impl ServerService for Info {
    async fn get_server_info(
        &self,
        _request: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        let limits = self.0.limits();
        Ok(Response::new(v1::GetServerInfoResponse {
            server_version: env!("CARGO_PKG_VERSION").into(),
            api_versions: vec!["referee.v1".into()],
            languages: vec!["en".into(), "pl".into()],
            limits: Some(v1::Limits {
                request_bytes: limits.request_bytes,
                response_bytes: limits.response_bytes,
                default_page_size: limits.default_page,
                max_page_size: limits.max_page,
                max_event_batch: limits.event_batch,
                stream_queue: limits.stream_queue,
                stream_stall_ms: milliseconds(limits.stream_stall),
                heartbeat_ms: milliseconds(limits.heartbeat),
                call_ms: milliseconds(limits.call),
                streams_per_connection: limits.streams_per_connection,
                watchers_per_match: limits.watchers_per_match,
                watchers_per_seat: limits.watchers_per_seat,
                open_matches: limits.open_matches,
                moves_per_match: limits.moves_per_match,
                display_name_chars: limits.display_name_chars,
                upload_bytes: limits.upload_bytes,
                package_files: limits.package_files,
                package_file_bytes: limits.package_file_bytes,
                diagnostics: limits.diagnostics,
                proposals_per_seat: limits.proposals_per_seat,
                question_seconds: limits.question_seconds,
                connections: limits.connections,
                connections_per_address: limits.connections_per_address,
                failed_authentications: limits.failed_authentications,
                package_checks: limits.package_checks,
                record_imports: limits.record_imports,
                calls_per_second: limits.calls_per_second,
                connection_age_seconds: limits.connection_age_seconds,
                connection_grace_seconds: limits.connection_grace_seconds,
                spectator_delay_moves: limits.spectator_delay_moves,
                spectator_delay_seconds: limits.spectator_delay_seconds,
                lobby_days: limits.lobby_days,
                request_hours: limits.request_hours,
                moves_per_request: limits.moves_per_request,
                at_least_ms: milliseconds(limits.at_least),
                channels_per_ruleset: limits.channels_per_ruleset,
                artifact_bytes: limits.artifact_bytes,
                sandbox_mib: limits.sandbox_mib,
                sandbox_seconds: limits.sandbox_seconds,
                artifact_cache_bytes: limits.artifact_cache_bytes,
                memory_mib: limits.memory_mib,
                value_elements: u32::try_from(convert::MAX_ELEMENTS).unwrap_or(u32::MAX),
            }),
            testing: self.0.testing,
            record_key: self.0.keys().signer().public().to_vec(),
        }))
    }
}
