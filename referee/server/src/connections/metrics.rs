//! Prometheus metrics of RPCs, connections, the store and matches.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use ahash::HashMap;
use metrics::{Key, KeyName, Label, Level, Metadata, Recorder as _};
use metrics_exporter_prometheus::PrometheusRecorder;
use prost::Message as _;
use prost_types::FileDescriptorSet;

use referee_contract::v1;
use referee_sandbox::limits::Limits;
use referee_store::{Condition, Outcomes};
use referee_table::{Metric, Metrics};

/// Service and method of every method of the contract, by its path. Other paths are counted together: a stranger does not
/// decide how many names there are.
static METHODS: LazyLock<HashMap<String, (String, String)>> = LazyLock::new(|| {
    let set = FileDescriptorSet::decode(v1::DESCRIPTOR).unwrap_or_default();
    let mut methods = HashMap::default();
    for file in &set.file {
        for service in &file.service {
            let name = format!("{}.{}", file.package(), service.name());
            for method in &service.method {
                let method = method.name().to_owned();
                methods.insert(format!("/{name}/{method}"), (name.clone(), method));
            }
        }
    }
    methods
});

/// Service and method of a call, by its path.
pub(super) fn method(path: &str) -> (&'static str, &'static str) {
    match METHODS.get(path) {
        Some((service, method)) => (service, method),
        None => ("other", "other"),
    }
}

const APPEND: &str = "referee_store_append_seconds";
const FAILURES: &str = "referee_store_failures_total";
const APPENDS: &str = "referee_appends_total";
const LIMITS: &str = "referee_limits_reached_total";

/// What goes up and down.
const GAUGES: [(&str, &str); 10] = [
    (
        "referee_certificate_expiry_timestamp_seconds",
        "when the first certificate of the chain expires, in seconds of Unix time",
    ),
    ("referee_open_matches", "matches held in memory"),
    (
        "referee_resident_bytes",
        "resident memory of the referee; `memory_mib` is its limit",
    ),
    (
        "referee_connections",
        "connections; `connections` is their limit",
    ),
    ("referee_streams", "streams that watch a match"),
    ("referee_journal_waiting", "moves that wait to be written"),
    (
        "referee_store_writable",
        "1 while moves can be kept, as `/readyz` says",
    ),
    (
        "referee_store_fenced",
        "1 when another referee has taken over the store",
    ),
    (
        "referee_database_connections",
        "connections to the database that are in use, beside the one that listens",
    ),
    (
        "referee_database_waiting",
        "what waits for a connection to the database",
    ),
];

/// Seconds by which times are told apart: from what a move takes to what no call may take.
pub const BUCKETS: [f64; 14] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 2.5, 10.0,
];

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
        recorder.describe_histogram(
            KeyName::from(APPEND),
            None,
            "time until a group of moves was on the disk".into(),
        );
        for (name, text) in GAUGES {
            recorder.describe_gauge(KeyName::from(name), None, text.into());
        }
        help(FAILURES, "groups of moves that could not be written");
        // Whoever watches for the first one must see that there was none before.
        let none = Key::from_static_name(FAILURES);
        recorder.register_counter(&none, &METADATA).absolute(0);
        help(
            APPENDS,
            "appends to logs: done, duplicate, conflict (the log ends elsewhere), busy (tried again), overtaken (given up), failed",
        );
        help(
            LIMITS,
            "calls that were refused because a limit was reached, by limit",
        );
        help(
            "referee_matches_suspended_total",
            "how often a match was found unable to go on, or became so",
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
            "referee_tidied_total",
            "lobbies that have ended, and matches that were deleted, because of their age",
        );
        help(
            "referee_memory_guard_total",
            "what was refused, and matches let go, because too much was in memory",
        );
        help(
            "referee_wake_ups_total",
            "what other referees wrote: heard, missed (nothing was heard for a while), unheard (found by looking)",
        );
        help(
            "referee_claims_total",
            "how often it was asked who acts by itself in a match: ours, others",
        );
        Figures {
            recorder: Some(Arc::new(recorder)),
        }
    }

    /// Whether anybody can ask for them.
    pub fn are_kept(&self) -> bool {
        self.recorder.is_some()
    }

    /// Counts a group of moves that was to be written.
    pub fn appended(&self, took: Duration, done: &Condition) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        let key = Key::from_static_name(APPEND);
        let seconds = recorder.register_histogram(&key, &METADATA);
        seconds.record(took.as_secs_f64());
        if done.is_err() {
            let failures = Key::from_static_name(FAILURES);
            recorder.register_counter(&failures, &METADATA).increment(1);
        }
    }

    /// Counts a call that was refused because a limit was reached.
    pub(super) fn limited(&self, limit: &str) {
        // A stranger does not decide how many names there are.
        let name = Limits::NAMES.iter().find(|name| **name == limit);
        if let Some(recorder) = &self.recorder {
            let label = Label::from_static_parts("limit", name.copied().unwrap_or("other"));
            let key = Key::from_parts(LIMITS, vec![label]);
            recorder.register_counter(&key, &METADATA).increment(1);
        }
    }

    /// Sets one of the [gauges](GAUGES).
    pub fn set(&self, name: &'static str, value: f64) {
        assert!(GAUGES.iter().any(|(known, _)| *known == name), "{name}");
        if let Some(recorder) = &self.recorder {
            let key = Key::from_static_name(name);
            recorder.register_gauge(&key, &METADATA).set(value);
        }
    }

    /// Tells what was counted of matches.
    pub fn metrics(&self, metrics: &Metrics) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        for (what, name, result) in Metric::ALL {
            let key = match result {
                "" => Key::from_static_name(name),
                result => Key::from_parts(name, vec![Label::new("result", result)]),
            };
            let counter = recorder.register_counter(&key, &METADATA);
            counter.absolute(metrics.get(what));
        }
    }

    /// Tells what became of appends.
    pub fn outcomes(&self, outcomes: &Outcomes) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        for (result, count) in outcomes.all() {
            let label = Label::from_static_parts("result", result);
            let key = Key::from_parts(APPENDS, vec![label]);
            recorder.register_counter(&key, &METADATA).absolute(count);
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
