//! Traces as a collector gets them: of the caller's own trace, to the last, and without a secret.

use std::collections::BTreeMap;

use super::serving::{self, Server, canaries};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::trace::v1::Span;
use referee::client::{Chooser, Chooses};
use referee::wire::v1;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tonic::{Request, Response, Status};

/// A collector that keeps what it is sent.
struct Collector(mpsc::UnboundedSender<ExportTraceServiceRequest>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let _ = self.0.send(request.into_inner());
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

/// A collector that listens, and what it is sent.
async fn collector() -> (String, mpsc::UnboundedReceiver<ExportTraceServiceRequest>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (sent, received) = mpsc::unbounded_channel();
    let incoming = tokio_stream::wrappers::TcpListenerStream::new(listener);
    let service = TraceServiceServer::new(Collector(sent));
    let server = tonic::transport::Server::builder().add_service(service);
    tokio::spawn(server.serve_with_incoming(incoming));
    (url, received)
}

/// Every span that was sent until the referee had stopped, and all that was sent but the random ids of spans.
fn all(received: &mut mpsc::UnboundedReceiver<ExportTraceServiceRequest>) -> (Vec<Span>, String) {
    let (mut spans, mut text) = (Vec::new(), String::new());
    while let Ok(mut request) = received.try_recv() {
        let resources = request.resource_spans.iter_mut();
        for scope in resources.flat_map(|resource| &mut resource.scope_spans) {
            for span in &mut scope.spans {
                spans.push(span.clone());
                span.trace_id.clear();
                span.span_id.clear();
                span.parent_span_id.clear();
            }
        }
        text.push_str(&format!("{request:?}"));
    }
    (spans, text)
}

const SAMPLED: [&str; 2] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
const NOT_SAMPLED: [&str; 2] = ["5bf92f3577b34da6a3ce929d0e0e4737", "10f067aa0ba902b8"];

fn bytes(hex: &str) -> Vec<u8> {
    let digits = (0..hex.len()).step_by(2);
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal");
    digits.map(byte).collect()
}

/// Makes a move in a trace of the caller's.
async fn move_in_trace(played: &canaries::Played, [trace, span]: [&str; 2], flags: &str) {
    for seat in &played.seats {
        let Some((decision, offers)) = seat.decision().await.expect("an answer") else {
            continue;
        };
        let mut request = Request::new(v1::SubmitMoveRequest {
            decision_id: decision.decision_id.clone(),
            r#move: Some(Chooser::new(5).choose(&decision, &offers)),
            ..v1::SubmitMoveRequest::of(&played.name)
        });
        let parent = format!("00-{trace}-{span}-{flags}");
        let metadata = request.metadata_mut();
        metadata.insert("traceparent", parent.parse().expect("a value"));
        metadata.insert("tracestate", "vendor=canary".parse().expect("a value"));
        let made = seat.client().call::<v1::SubmitMoveRequest>(request).await;
        made.expect("it is legal");
        return;
    }
    panic!("the match is over");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_sees_the_callers_trace_and_no_secret() {
    let (url, mut received) = collector().await;
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("matches.sqlite");
    let words = ["--traces", &url, "--trace-share", "1"];
    let mut server = Server::start_with(&store, "info", &words);
    let mut played = canaries::play(&server).await;
    move_in_trace(&played, SAMPLED, "01").await;
    move_in_trace(&played, NOT_SAMPLED, "00").await;
    // Right after the calls: what was not sent yet is sent now.
    server.stop().await;

    let (spans, text) = all(&mut received);
    let of_trace = |trace: &str| -> BTreeMap<String, Span> {
        let trace = bytes(trace);
        let spans = spans.iter().filter(|span| span.trace_id == trace);
        spans
            .map(|span| (span.name.clone(), span.clone()))
            .collect()
    };
    let mine = of_trace(SAMPLED[0]);
    let names: Vec<&str> = mine.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["append", "judge", "referee.v1.PlayService/SubmitMove"]
    );
    let call = &mine["referee.v1.PlayService/SubmitMove"];
    assert_eq!(call.parent_span_id, bytes(SAMPLED[1]));
    for part in ["append", "judge"] {
        assert_eq!(mine[part].parent_span_id, call.span_id, "{part}");
        assert!(mine[part].attributes.is_empty(), "{:?}", mine[part]);
    }
    let mut attributes: Vec<&str> = call.attributes.iter().map(|a| &a.key[..]).collect();
    attributes.sort_unstable();
    assert_eq!(
        attributes,
        [
            "rpc.grpc.status_code",
            "rpc.method",
            "rpc.service",
            "rpc.system"
        ]
    );
    assert!(of_trace(NOT_SAMPLED[0]).is_empty(), "its caller says no");
    assert!(
        spans.len() > 100,
        "all other calls are traced: {}",
        spans.len()
    );
    assert!(spans.iter().all(|span| span.events.is_empty()));
    let opened = spans.iter().any(|span| span.name == "open match");
    assert!(opened, "where the time of an opening goes");

    let id = played.name.trim_start_matches("matches/").to_owned();
    played.secrets.push(("the id of the match".into(), id));
    played.secrets.push(("a name".into(), "Canary".into()));
    played
        .secrets
        .push(("what a caller wrote".into(), "canary".into()));
    for (what, secret) in played.secrets {
        assert!(!text.contains(&secret), "{what} is in a trace");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_is_away_hinders_nobody_and_one_without_address_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("matches.sqlite");
    let words = ["--traces", "http://127.0.0.1:9", "--trace-share", "1"];
    let mut server = Server::start_with(&store, "info", &words);
    let played = canaries::play(&server).await;
    move_in_trace(&played, SAMPLED, "01").await;
    server.stop().await;

    for wrong in [["--traces", "not an address"], ["--trace-share", "2"]] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_referee"));
        command.args(["serve", "--memory", "--listen", "127.0.0.1:0"]);
        let said = serving::refused(command.args(wrong));
        assert!(said.contains(wrong[1]), "{said}");
    }
}
