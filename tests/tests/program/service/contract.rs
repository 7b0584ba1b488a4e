//! The contract itself: named by one convention, explained throughout, served with its description.

use std::collections::BTreeSet;

use prost::Message as _;
use prost_types::field_descriptor_proto::Type;
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet};
use referee::wire::v1;
use serde_json::Value;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus};
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{ServerReflectionRequest, ServerReflectionResponse};

use super::world::World;

fn files() -> Vec<FileDescriptorProto> {
    let set = FileDescriptorSet::decode(v1::DESCRIPTOR).expect("a descriptor");
    set.file
        .into_iter()
        .filter(|file| file.package() == "referee.v1")
        .collect()
}

fn is_pascal(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
}

fn is_snake(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn shout(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}

#[test]
fn names_follow_one_convention() {
    let files = files();
    assert!(files.len() >= 10);
    for file in &files {
        assert!(
            file.name().starts_with("referee/v1/") && file.syntax() == "proto3",
            "{}",
            file.name()
        );
        for message in &file.message_type {
            check_message(message);
        }
        for kind in &file.enum_type {
            check_enum(kind);
        }
        for service in &file.service {
            assert!(service.name().ends_with("Service"), "{}", service.name());
            for method in &service.method {
                assert!(is_pascal(method.name()));
                assert_eq!(
                    method.input_type(),
                    format!(".referee.v1.{}Request", method.name())
                );
                assert_eq!(
                    method.output_type(),
                    format!(".referee.v1.{}Response", method.name())
                );
                assert!(
                    !method.client_streaming(),
                    "browsers cannot stream to a server"
                );
            }
        }
    }
}

fn check_message(message: &DescriptorProto) {
    assert!(is_pascal(message.name()), "{}", message.name());
    for field in &message.field {
        assert!(
            is_snake(field.name()),
            "{}.{}",
            message.name(),
            field.name()
        );
        if field.r#type() == Type::Message {
            let foreign = field.type_name().strip_prefix(".google.protobuf.");
            assert!(
                foreign.is_none_or(|name| ["Timestamp", "Duration"].contains(&name)),
                "{}.{}: every message says what it holds",
                message.name(),
                field.name()
            );
        }
    }
    for kind in &message.enum_type {
        check_enum(kind);
    }
    let numbers = message.field.iter().map(|field| field.number()).collect();
    let reserved = message.reserved_range.iter();
    let reserved = reserved.map(|range| (range.start(), range.end()));
    check_numbers(message.name(), 1, numbers, reserved);
}

/// Numbers follow each other from the first on, but for those that are reserved.
fn check_numbers(
    name: &str,
    first: i32,
    mut numbers: Vec<i32>,
    reserved: impl Iterator<Item = (i32, i32)>,
) {
    numbers.extend(reserved.flat_map(|(start, end)| start..end));
    numbers.sort_unstable();
    let expected: Vec<i32> = (first..).take(numbers.len()).collect();
    assert_eq!(numbers, expected, "{name}");
}

fn check_enum(kind: &EnumDescriptorProto) {
    let prefix = format!("{}_", shout(kind.name()));
    for (i, value) in kind.value.iter().enumerate() {
        assert!(
            value.name().starts_with(&prefix),
            "{} should begin with {prefix}",
            value.name()
        );
        if i == 0 {
            assert_eq!(
                (value.number(), value.name()),
                (0, format!("{prefix}UNSPECIFIED").as_str())
            );
        }
    }
    let numbers = kind.value.iter().map(|value| value.number()).collect();
    // The end of what an enum reserves belongs to it.
    let reserved = kind.reserved_range.iter();
    let reserved = reserved.map(|range| (range.start(), range.end() + 1));
    check_numbers(kind.name(), 0, numbers, reserved);
}

/// Every message, field, value, service and method has a comment.
#[test]
fn everything_is_explained() {
    let folder = referee_tests::root().join("proto/referee/v1");
    for entry in std::fs::read_dir(folder).expect("the contract") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|kind| kind != "proto") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        assert!(
            text.starts_with("// "),
            "{} says what it is for",
            path.display()
        );
        let mut before = "";
        for (number, line) in text.lines().enumerate() {
            let code = line.trim();
            let declares = !code.is_empty()
                && !code.starts_with("//")
                && !code.starts_with('}')
                && !["syntax", "package", "import", "option ", "returns"]
                    .iter()
                    .any(|word| code.starts_with(word));
            if declares {
                assert!(
                    before.trim().starts_with("//"),
                    "{}:{}: `{code}` has no comment",
                    path.display(),
                    number + 1
                );
            }
            before = line;
        }
    }
}

/// Every step of the golden exchanges.
fn steps() -> Vec<Value> {
    let folder = referee_tests::root().join("proto/conformance/exchanges");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the exchanges") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let exchange: Value = serde_json::from_str(&text).expect("JSON");
        for step in exchange["steps"].as_array().expect("steps") {
            assert!(
                step.get("response").is_some() != step.get("error").is_some(),
                "{}: {step}",
                path.display()
            );
            all.push(step.clone());
        }
    }
    all
}

/// Reasons that no exchange can bring about, and the test of this folder that does.
const BEYOND_EXCHANGES: [(&str, &str); 14] = [
    ("CALL_TOO_LONG", "faults.rs"),
    ("CONNECTION_AGED", "transport.rs"),
    ("IDENTITY_UNAVAILABLE", "identity.rs"),
    // Nothing may bring it about: every test fails where it comes.
    ("INTERNAL", "../../../simulation/src/world.rs"),
    ("LIMIT_REACHED", "talk.rs"),
    ("METHOD_UNKNOWN", "transport.rs"),
    ("MOVE_REVEALS", "chains.rs"),
    ("NOT_CAUGHT_UP", "freshness.rs"),
    ("READER_TOO_SLOW", "streams.rs"),
    ("RECORD_DAMAGED", "restart.rs"),
    ("RECORD_DIFFERS", "publishing.rs"),
    ("RULESET_NOT_PLAYABLE", "otherwise.rs"),
    ("SHUTTING_DOWN", "streams.rs"),
    ("STORE_UNAVAILABLE", "faults.rs"),
];

/// The names of an enum's values, without what they all begin with, and without the first.
fn values_of(name: &str, prefix: &str) -> BTreeSet<String> {
    let files = files();
    let mut enums = files.iter().flat_map(|file| &file.enum_type);
    let found = enums.find(|one| one.name() == name).expect("the enum");
    let values = found.value.iter().skip(1);
    values
        .map(|value| value.name().trim_start_matches(prefix).to_owned())
        .collect()
}

/// A client author finds every reason, every kind of refusal that a check can tell, and every kind of open parameter.
#[test]
fn every_reason_and_every_kind_of_domain_has_a_golden_exchange() {
    let (mut reasons, mut refusals) = (BTreeSet::new(), BTreeSet::new());
    let mut domains = BTreeSet::new();
    for step in steps() {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        reasons.insert(text(&step["error"]["reason"]));
        refusals.insert(text(&step["error"]["refusal"]["reason"]));
        let decisions = step["response"]["decisions"].as_array();
        let offers = decisions.into_iter().flatten();
        let offers = offers.filter_map(|decision| decision["offers"].as_array());
        let open = offers
            .flatten()
            .filter_map(|offer| offer["open"].as_array());
        for parameter in open.flatten() {
            let kinds = ["bag", "spread", "amount", "values"];
            domains.extend(
                kinds
                    .into_iter()
                    .filter(|kind| parameter.get(kind).is_some()),
            );
        }
    }
    for (reason, file) in BEYOND_EXCHANGES {
        assert!(!reasons.contains(reason), "{reason} has an exchange");
        let file = referee_tests::root()
            .join("tests/tests/program/service")
            .join(file);
        let text = std::fs::read_to_string(&file).expect("the test");
        let named = format!("\"{reason}\"");
        assert!(text.contains(&named), "{}: {reason}", file.display());
        reasons.insert(reason.to_owned());
    }
    let missing = &values_of("Reason", "REASON_") - &reasons;
    assert!(missing.is_empty(), "{missing:?} have no golden exchange");
    // A seat that is not asked, and one whose match is over, names a decision that is no more: that is said instead.
    let untold = ["MATCH_OVER", "NOT_ASKED"].map(str::to_owned);
    let told: BTreeSet<String> = refusals
        .iter()
        .map(|refusal| refusal.trim_start_matches("REFUSAL_REASON_").to_owned())
        .filter(|refusal| !refusal.is_empty())
        .collect();
    let all = values_of("RefusalReason", "REFUSAL_REASON_");
    assert_eq!(&all - &told, untold.into());
    assert_eq!(domains.len(), 4, "{domains:?}");
}

/// A client author finds an exchange of every method.
#[test]
fn every_method_has_a_golden_exchange() {
    // What succeeds shows more than what is refused.
    let succeed = steps()
        .into_iter()
        .filter(|step| step.get("response").is_some());
    let called = succeed.map(|step| step["call"].as_str().expect("a call").to_owned());
    let mut called: BTreeSet<String> = called.collect();
    // A suspended match, and a record of another referee, are more than an exchange can bring about.
    let refused = ["MatchService/MoveMatch", "RecordService/ImportRecord"];
    called.extend(refused.map(str::to_owned));
    for file in files() {
        for service in &file.service {
            for method in &service.method {
                let call = format!("{}/{}", service.name(), method.name());
                assert!(called.remove(&call), "{call} has no golden exchange");
            }
        }
    }
    assert!(called.is_empty(), "{called:?} are no methods");
}

#[tokio::test]
async fn health_and_reflection_answer_without_a_token() {
    let world = World::new().await;
    let channel = tonic::transport::Endpoint::from_shared(world.url())
        .expect("a url")
        .connect()
        .await
        .expect("it listens");
    let mut health = HealthClient::new(channel.clone());
    for service in ["", "referee.v1.PlayService", "referee.v1.MatchService"] {
        let asked = HealthCheckRequest {
            service: service.into(),
        };
        let answer = health.check(asked).await.expect("an answer").into_inner();
        assert_eq!(answer.status(), ServingStatus::Serving, "{service}");
    }
    let asked = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut reflection = ServerReflectionClient::new(channel);
    let mut answers = reflection
        .server_reflection_info(tokio_stream::once(asked))
        .await
        .expect("an answer")
        .into_inner();
    let answer: ServerReflectionResponse =
        answers.message().await.expect("an answer").expect("one");
    let Some(MessageResponse::ListServicesResponse(list)) = answer.message_response else {
        panic!("{answer:?}")
    };
    let names: Vec<&str> = list
        .service
        .iter()
        .map(|service| service.name.as_str())
        .collect();
    for file in files() {
        for service in &file.service {
            let name = format!("referee.v1.{}", service.name());
            assert!(
                names.contains(&name.as_str()),
                "{name} is not described: {names:?}"
            );
        }
    }
    assert!(
        !names.iter().any(|name| name.contains("log")),
        "the store's own messages are not told"
    );
}

#[tokio::test]
async fn the_referee_says_what_it_is_and_every_limit() {
    let world = World::new().await;
    let info = world
        .client()
        .call(v1::GetServerInfoRequest {})
        .await
        .expect("it");
    assert_eq!(info.api_versions, ["referee.v1"]);
    assert_eq!(info.languages, ["en", "pl"]);
    assert!(info.testing);
    // A whole number of seconds has no parts of one, and a part of a second no whole ones.
    let limits = format!("{:?}", info.limits.expect("limits"));
    let limits = limits.replace("seconds: 0, nanos", "nanos");
    let limits = limits.replace(", nanos: 0", "");
    assert!(!limits.contains(": 0"), "no limit is zero: {limits}");
    assert!(
        !limits.contains(&u32::MAX.to_string()),
        "every limit is finite: {limits}"
    );
}
