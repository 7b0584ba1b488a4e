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

/// A client author finds an exchange of every method.
#[test]
fn every_method_has_a_golden_exchange() {
    let folder = referee_tests::root().join("proto/conformance/exchanges");
    let mut called = BTreeSet::new();
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
            // What succeeds shows more than what is refused.
            if step.get("response").is_some() {
                called.insert(step["call"].as_str().expect("a call").to_owned());
            }
        }
    }
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
