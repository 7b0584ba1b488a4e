//! The published service config: which calls clients may repeat, and how.

use std::collections::BTreeSet;

use prost::Message as _;
use prost_types::FileDescriptorSet;
use referee::wire::v1;
use serde_json::Value;

fn config() -> Value {
    let path = referee_tests::root().join("proto/service_config.json");
    let text = std::fs::read_to_string(path).expect("the service config");
    serde_json::from_str(&text).expect("JSON")
}

/// Methods that may be repeated: what only reads, and what is answered from the log by its `request_id`. No streams: who reads
/// one knows where to continue, and gRPC libraries have lost streams that they repeated by themselves.
fn safe() -> BTreeSet<(String, String)> {
    const READS: [&str; 4] = ["Get", "List", "Check", "Diff"];
    let set = FileDescriptorSet::decode(v1::DESCRIPTOR).expect("a descriptor");
    let files: Vec<_> = set
        .file
        .iter()
        .filter(|file| file.package() == "referee.v1")
        .collect();
    let has_id = |input: &str| {
        let short = input.trim_start_matches(".referee.v1.");
        let mut messages = files.iter().flat_map(|file| &file.message_type);
        let message = messages.find(|message| message.name() == short);
        let message = message.expect("the message of a method");
        message
            .field
            .iter()
            .any(|field| field.name() == "request_id")
    };
    let mut safe = BTreeSet::new();
    for service in files.iter().flat_map(|file| &file.service) {
        for method in &service.method {
            let reads = READS.iter().any(|verb| method.name().starts_with(verb));
            let streams = method.client_streaming() || method.server_streaming();
            if !streams && (reads || has_id(method.input_type())) {
                let service = format!("referee.v1.{}", service.name());
                safe.insert((service, method.name().to_owned()));
            }
        }
    }
    safe
}

#[test]
fn every_call_that_may_be_repeated_is_named_once() {
    let config = config();
    let of_methods = config["methodConfig"].as_array().expect("a list");
    let mut named = BTreeSet::new();
    for one in of_methods {
        for name in one["name"].as_array().expect("a list") {
            let text = |key: &str| name[key].as_str().expect("a text").to_owned();
            let name = (text("service"), text("method"));
            assert!(named.insert(name.clone()), "{name:?} is named twice");
        }
    }
    assert_eq!(named, safe());
}

#[test]
fn a_client_waits_longer_each_time_and_gives_up() {
    let config = config();
    let seconds = |value: &Value| -> f64 {
        let text = value.as_str().expect("a duration");
        text.strip_suffix('s')
            .expect("seconds")
            .parse()
            .expect("a number")
    };
    for one in config["methodConfig"].as_array().expect("a list") {
        let policy = &one["retryPolicy"];
        // Libraries cut what is more than five.
        assert!((2..=5).contains(&policy["maxAttempts"].as_u64().expect("a number")));
        let (first, most) = (
            seconds(&policy["initialBackoff"]),
            seconds(&policy["maxBackoff"]),
        );
        assert!(first > 0.0 && most >= first);
        assert!(policy["backoffMultiplier"].as_f64().expect("a number") > 1.0);
        // What is stale is looked at again, what is exhausted is waited for: neither is sent again as it was.
        let codes = policy["retryableStatusCodes"].as_array().expect("a list");
        assert_eq!(codes, &["UNAVAILABLE"]);
        assert!(one.get("timeout").is_none(), "streams stay open");
    }
}
