//! Traces of calls by OTLP, sent to the collector that the operator names; off otherwise.
//!
//! A trace says which method was called, what it answered and where its time went; it says nothing of any match,
//! and nothing that a caller or a ruleset wrote. So only spans under a target of our own are told, with names and
//! fields that stand in the code; events, and spans of libraries, never.

use opentelemetry::KeyValue;
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tracing::{Metadata, Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

/// The target of every span that is told. Whoever opens one makes sure that its name and fields are harmless.
pub const SPANS: &str = "referee::spans";

/// The share of calls that are traced where neither the operator nor the caller says.
pub const SHARE: f64 = 0.01;

/// The way to a collector.
pub struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// To the collector at this address, such as `http://127.0.0.1:4317`, a share of all calls, and those that
    /// their callers trace. Inside of a runtime. Whether the collector is there shows later; nobody waits for it.
    ///
    /// # Errors
    ///
    /// When this is no address.
    pub fn to(endpoint: &str, share: f64) -> Result<Traces, ExporterBuildError> {
        let exporter = SpanExporter::builder()
            .with_tonic()
            .with_endpoint(endpoint)
            .build()?;
        let resource = Resource::builder()
            .with_service_name("referee")
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
        let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(share)));
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_sampler(sampler)
            .with_resource(resource.build());
        Ok(Traces {
            provider: provider.build(),
        })
    }

    /// What hears of spans and tells them.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        tracing_opentelemetry::layer()
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_tracer(self.provider.tracer("referee"))
            .with_filter(filter_fn(|metadata| {
                metadata.is_span() && is_ours(metadata)
            }))
    }

    /// Sends what was not sent yet, and stops. Takes its time: not for async threads.
    pub fn stop(self) {
        if let Err(error) = self.provider.shutdown() {
            tracing::warn!(%error, "the last traces were not sent");
        }
    }
}

/// Whether a span is one of those that are told. The log does not tell them once more.
pub fn is_ours(metadata: &Metadata<'_>) -> bool {
    metadata.target() == SPANS
}

/// Makes a span part of the trace that a request says it belongs to (W3C `traceparent`), if it does.
pub fn belong(span: &Span, headers: &http::HeaderMap) {
    if !span.is_disabled() {
        let context = TraceContextPropagator::new().extract(&Parent(headers));
        // Without a collector there is nothing that it could belong to.
        let _ = span.set_parent(context);
    }
}

/// Of a request's headers the one that names its trace: what else callers may say of a trace is not told on.
struct Parent<'a>(&'a http::HeaderMap);

const PARENT: &str = "traceparent";

impl Extractor for Parent<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        let value = self.0.get(PARENT).filter(|_| key == PARENT);
        value.and_then(|value| value.to_str().ok())
    }

    fn keys(&self) -> Vec<&str> {
        vec![PARENT]
    }
}
