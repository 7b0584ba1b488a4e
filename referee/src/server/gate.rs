//! What is counted of calls.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use metrics::{Key, KeyName, Label, Level, Metadata, Recorder as _};
use metrics_exporter_prometheus::PrometheusRecorder;
use prost::Message as _;
use prost_types::FileDescriptorSet;

use crate::table::{Counted, Tally};
use crate::wire::v1;

/// Every method of the contract, as a path. Other paths are counted together: a stranger does not decide
/// how many names there are.
static METHODS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let set = FileDescriptorSet::decode(v1::DESCRIPTOR).unwrap_or_default();
    let mut methods = HashSet::new();
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

/// Service and method of a call, by its path.
pub(super) fn method(path: &str) -> (&'static str, &'static str) {
    let path = METHODS.get(path).map_or("/other/other", String::as_str);
    let path = path.trim_start_matches('/');
    path.split_once('/').unwrap_or_default()
}

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
        recorder.describe_gauge(
            KeyName::from("referee_resident_bytes"),
            None,
            "resident memory of the referee; `memory_mib` is its limit".into(),
        );
        help(
            "referee_matches_opened_total",
            "matches that were rebuilt from their logs",
        );
        help(
            "referee_snapshots_total",
            "snapshots of matches: written, failed to be, used, stale, damaged",
        );
        help(
            "referee_memory_guard_total",
            "what was refused, and matches let go, because too much was in memory",
        );
        Figures {
            recorder: Some(Arc::new(recorder)),
        }
    }

    /// Sets how many matches are held in memory.
    pub fn open_matches(&self, count: usize) {
        self.set("referee_open_matches", count as f64);
    }

    /// Sets how much memory this process has, in bytes.
    pub fn resident(&self, bytes: u64) {
        self.set("referee_resident_bytes", bytes as f64);
    }

    fn set(&self, name: &'static str, value: f64) {
        if let Some(recorder) = &self.recorder {
            let key = Key::from_static_name(name);
            recorder.register_gauge(&key, &METADATA).set(value);
        }
    }

    /// Tells what was counted of matches.
    pub fn tally(&self, tally: &Tally) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        for (what, name, result) in Counted::ALL {
            let key = match result {
                "" => Key::from_static_name(name),
                result => Key::from_parts(name, vec![Label::new("result", result)]),
            };
            let counter = recorder.register_counter(&key, &METADATA);
            counter.absolute(tally.get(what));
        }
    }

    /// Counts a call of a method that was answered with this code, after so long.
    pub(super) fn handled(
        &self,
        (service, method): (&'static str, &'static str),
        code: i64,
        elapsed: Duration,
    ) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        let labels = vec![
            Label::new("grpc_service", service),
            Label::new("grpc_method", method),
        ];
        let seconds = Key::from_parts("grpc_server_handling_seconds", labels.clone());
        let seconds = recorder.register_histogram(&seconds, &METADATA);
        seconds.record(elapsed.as_secs_f64());
        let with_code = labels
            .into_iter()
            .chain([Label::new("grpc_code", code.to_string())]);
        let count = Key::from_parts("grpc_server_handled_total", with_code.collect::<Vec<_>>());
        recorder.register_counter(&count, &METADATA).increment(1);
    }
}
