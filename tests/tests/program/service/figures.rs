//! What the dashboard and the alerts of a league name is what a referee tells.
//!
//! In: every expression of both files. Out: selectors that no series of a running referee answers to: a figure that was renamed,
//! a label or a result that it does not have. What the proxy tells is looked at where it runs (`.ci/extra deploy`).

use std::collections::BTreeMap;
use std::time::Duration;

use referee::limits::Limits;
use referee::server::{Tls, start};
use referee::wire::v1;
use serde_json::Value;

use super::transport::{believing, config, figures, free_port, made};

/// A name and what must be said of its labels: `referee_appends_total{result=~"done|busy"}`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Selector {
    name: String,
    labels: Vec<(String, String)>,
}

/// Labels that whoever reads the figures adds.
const ADDED: [&str; 2] = ["instance", "job"];

/// Labels whose every value a referee tells from its start on.
const FIXED: &str = "result";

fn is_named(part: char) -> bool {
    part.is_ascii_alphanumeric() || part == '_'
}

/// The selectors of a referee's figures in an expression.
fn selectors(expression: &str) -> Vec<Selector> {
    let mut found = Vec::new();
    let mut rest = expression;
    while let Some(start) = rest.find(is_named) {
        rest = &rest[start..];
        let end = rest.find(|part| !is_named(part)).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        rest = behind;
        if !name.starts_with("referee_") && !name.starts_with("grpc_server_") {
            continue;
        }
        let mut labels = Vec::new();
        if let Some((inside, behind)) = rest.strip_prefix('{').and_then(|r| r.split_once('}')) {
            rest = behind;
            for said in inside.split(',') {
                let (label, value) = said.split_once('=').expect("label=value");
                let value = value.trim_start_matches('~').trim().trim_matches('"');
                let label = label.trim().trim_end_matches('!');
                labels.push((label.to_owned(), value.to_owned()));
            }
        }
        found.push(Selector {
            name: name.to_owned(),
            labels,
        });
    }
    found
}

/// Whatever stands under `expr`, at any depth.
fn expressions(of: &Value, found: &mut Vec<String>) {
    match of {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "expr" => found.push(text.clone()),
                    value => expressions(value, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| expressions(value, found)),
        _ => {}
    }
}

/// Series by name, each with its labels.
fn series(told: &str) -> BTreeMap<String, Vec<BTreeMap<String, String>>> {
    let mut series: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for line in told.lines().filter(|line| !line.starts_with('#')) {
        let Some((what, _)) = line.rsplit_once(' ') else {
            continue;
        };
        let (name, labels) = what.split_once('{').unwrap_or((what, ""));
        let labels = labels.trim_end_matches('}').split(',');
        let labels = labels.filter_map(|said| said.split_once('='));
        let labels =
            labels.map(|(label, value)| (label.to_owned(), value.trim_matches('"').to_owned()));
        series
            .entry(name.to_owned())
            .or_default()
            .push(labels.collect());
    }
    series
}

/// What of these expressions nothing answers to.
fn unanswered(wanted: &[Selector], told: &str) -> Vec<String> {
    let series = series(told);
    let mut missing = Vec::new();
    for Selector { name, labels } in wanted {
        let Some(told) = series.get(name) else {
            missing.push(name.clone());
            continue;
        };
        for (label, value) in labels
            .iter()
            .filter(|(label, _)| !ADDED.contains(&&label[..]))
        {
            let known = |value: &str| {
                let known = |one: &BTreeMap<String, String>| {
                    one.get(label)
                        .is_some_and(|told| label != FIXED || told == value)
                };
                told.iter().any(known)
            };
            let unknown = value.split('|').filter(|value| !known(value));
            missing.extend(unknown.map(|value| format!("{name}{{{label}={value:?}}}")));
        }
    }
    missing
}

fn wanted(file: &str) -> Vec<Selector> {
    let path = referee_tests::root()
        .join("referee/deploy/league/figures")
        .join(file);
    let text = std::fs::read_to_string(&path).expect("a file of the league");
    // What is JSON is YAML as well.
    let read: Value = serde_yaml::from_str(&text).expect("YAML");
    let mut found = Vec::new();
    expressions(&read, &mut found);
    found
        .iter()
        .flat_map(|expression| selectors(expression))
        .collect()
}

#[tokio::test]
async fn every_figure_of_dashboard_and_alerts_is_told() {
    let port = free_port();
    let own = made("localhost");
    let mut config = config();
    config.metrics = Some(port);
    config.tls = Some(Tls::of(own.clone()));
    config.limits = Limits {
        calls_per_second: 1,
        ..super::world::quick()
    };
    let running = start(config).await.expect("it starts");
    let client = believing(&running.url(), &own).await.expect("a handshake");
    // What is told by limit and by method is told once there was one.
    for _ in 0..4 {
        let _ = client.call(v1::GetServerInfoRequest {}).await;
    }
    let host = client.with_token(running.host_token());
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let create = v1::CreateMatchRequest {
        test_seed: Vec::new(),
        ..super::world::create_request(3, 1)
    };
    host.call(create).await.expect("a match");
    tokio::time::sleep(Duration::from_millis(1200)).await;
    let told = figures(port).await;
    for (file, least) in [("dashboard.json", 20), ("alerts.yml", 12)] {
        let wanted = wanted(file);
        assert!(
            wanted.len() >= least,
            "{file} names {} figures",
            wanted.len()
        );
        assert_eq!(unanswered(&wanted, &told), Vec::<String>::new(), "{file}");
    }
    // And what nobody tells is noticed.
    let bent = [
        ("rate(referee_streems[5m])", "referee_streems"),
        (
            "referee_appends_total{result=~\"done|late\", instance=\"a\"}",
            "referee_appends_total{result=\"late\"}",
        ),
        (
            "sum by (le) (grpc_server_handling_seconds_bucket{method=\"SubmitMove\"})",
            "grpc_server_handling_seconds_bucket{method=\"SubmitMove\"}",
        ),
    ];
    for (expression, missing) in bent {
        assert_eq!(unanswered(&selectors(expression), &told), [missing]);
    }
    running.stop().await;
}
