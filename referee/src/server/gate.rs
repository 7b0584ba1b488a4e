//! What is counted of calls.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::time::Instant;

use metrics::{Key, KeyName, Label, Level, Metadata, Recorder as _};
use metrics_exporter_prometheus::PrometheusRecorder;
use prost::Message as _;
use prost_types::FileDescriptorSet;

use crate::wire::v1;

/// Every method of the contract, as a path. Other paths are counted together: a stranger does not decide
/// how many names there are.
static METHODS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let set = FileDescriptorSet::decode(v1::DESCRIPTOR).unwrap_or_default();
    let mut methods = BTreeSet::new();
    for file in &set.file {
        for service in &file.service {
            for method in &service.method {
                methods.insert(format!(
                    "/{}.{}/{}",
                    file.package(),
                    service.name(),
                    method.name()
                ));
            }
        }
    }
    methods
});

static METADATA: Metadata<'static> = Metadata::new("referee", Level::INFO, None);

/// Figures of this referee. They name methods and codes, never a match, a seat or a card.
#[derive(Clone)]
pub struct Figures {
    /// None where nobody can ask for them: what nobody reads would only pile up.
    recorder: Option<Arc<PrometheusRecorder>>,
}

impl Figures {
    /// Figures that are not kept.
    pub fn none() -> Figures {
        Figures { recorder: None }
    }

    /// Figures that are kept here.
    pub fn new(recorder: PrometheusRecorder) -> Figures {
        let help = |name: &'static str, text: &'static str| {
            recorder.describe_counter(KeyName::from(name), None, text.into());
        };
        help(
            "grpc_server_handled_total",
            "calls that were answered, by method and code",
        );
        recorder.describe_histogram(
            KeyName::from("grpc_server_handling_seconds"),
            None,
            "time until a call was answered, or a stream opened".into(),
        );
        recorder.describe_gauge(
            KeyName::from("referee_open_matches"),
            None,
            "matches held in memory".into(),
        );
        Figures {
            recorder: Some(Arc::new(recorder)),
        }
    }

    /// Sets how many matches are held in memory.
    pub fn open_matches(&self, count: usize) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        let key = Key::from_static_name("referee_open_matches");
        let gauge = recorder.register_gauge(&key, &METADATA);
        gauge.set(f64::from(u32::try_from(count).unwrap_or(u32::MAX)));
    }

    fn handled(&self, path: &str, code: &str, began: Instant) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        let path = METHODS.get(path).map_or("/other/other", String::as_str);
        let (service, method) = path
            .trim_start_matches('/')
            .split_once('/')
            .unwrap_or_default();
        let labels = vec![
            Label::new("grpc_service", service.to_owned()),
            Label::new("grpc_method", method.to_owned()),
        ];
        let seconds = Key::from_parts("grpc_server_handling_seconds", labels.clone());
        let seconds = recorder.register_histogram(&seconds, &METADATA);
        seconds.record(began.elapsed().as_secs_f64());
        let with_code = labels
            .into_iter()
            .chain([Label::new("grpc_code", code.to_owned())]);
        let count = Key::from_parts("grpc_server_handled_total", with_code.collect::<Vec<_>>());
        recorder.register_counter(&count, &METADATA).increment(1);
    }
}

impl<S> tower::Layer<S> for Figures {
    type Service = Measured<S>;

    fn layer(&self, inner: S) -> Measured<S> {
        Measured {
            inner,
            figures: self.clone(),
        }
    }
}

/// A service whose calls are counted.
#[derive(Clone)]
pub struct Measured<S> {
    inner: S,
    figures: Figures,
}

impl<S, I, O> tower::Service<http::Request<I>> for Measured<S>
where
    S: tower::Service<http::Request<I>, Response = http::Response<O>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<I>) -> Self::Future {
        let path = request.uri().path().to_owned();
        let (figures, began) = (self.figures.clone(), Instant::now());
        let answered = self.inner.call(request);
        Box::pin(async move {
            let answered = answered.await;
            if let Ok(response) = &answered {
                // A failure is said at once; what is said later is the end of an answer.
                let code = response.headers().get("grpc-status");
                let code = code.and_then(|code| code.to_str().ok()).unwrap_or("0");
                tracing::debug!(%path, code, elapsed = ?began.elapsed(), "answered");
                figures.handled(&path, code, began);
            }
            answered
        })
    }
}
