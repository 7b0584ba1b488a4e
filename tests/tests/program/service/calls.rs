//! Calling every method of the contract, as its own description says what there is.

use std::collections::BTreeMap;
use std::time::Duration;

use prost::Message as _;
use prost_types::{DescriptorProto, FileDescriptorSet};
use referee::client::request_id;
use referee::wire::v1;
use referee_tests::raw::Raw;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::MetadataValue;
use tonic::transport::Channel;
use tonic_prost::ProstCodec;

/// Every method (`PlayService/GetView`), with the message that it is sent.
pub fn methods() -> BTreeMap<String, DescriptorProto> {
    let files = FileDescriptorSet::decode(v1::DESCRIPTOR)
        .expect("the contract")
        .file;
    let mut methods = BTreeMap::new();
    let own = files.iter().filter(|file| file.package() == "referee.v1");
    for service in own.flat_map(|file| &file.service) {
        for method in &service.method {
            let short = method.input_type().trim_start_matches(".referee.v1.");
            let mut messages = files.iter().flat_map(|file| &file.message_type);
            let message = messages.find(|message| message.name() == short);
            let name = format!("{}/{}", service.name(), method.name());
            methods.insert(name, message.expect("the message of a method").clone());
        }
    }
    methods
}

/// A request of which every method reads what it knows: a name, a seat, an id. Numbers of fields differ
/// from method to method, so it is built from the method's own description.
pub fn request(input: &DescriptorProto, name: &str) -> Vec<u8> {
    let short = input.name();
    let mut bytes = Vec::new();
    for field in &input.field {
        let text = match field.name() {
            "name"
                if short.contains("Ruleset")
                    || short.contains("Schemas")
                    || short.contains("Artifact")
                    || short.contains("Revisions") =>
            {
                "rulesets/puerto-rico".to_owned()
            }
            "name"
                if ["ClaimSeatRequest", "SeatBotRequest", "ReleaseSeatRequest"]
                    .contains(&short) =>
            {
                format!("{name}/seats/1")
            }
            "name" if ["RespondRequest", "WithdrawRequest"].contains(&short) => {
                format!("{name}/proposals/x")
            }
            "name" => name.to_owned(),
            "ruleset" | "before" | "after" => "rulesets/puerto-rico".to_owned(),
            "request_id" => request_id(),
            "decision_id" => "x".to_owned(),
            "display_name" | "label" => "somebody".to_owned(),
            "seat" | "bot" | "kind" => {
                prost::encoding::uint32::encode(field.number() as u32, &1, &mut bytes);
                continue;
            }
            _ => continue,
        };
        prost::encoding::string::encode(field.number() as u32, &text, &mut bytes);
    }
    bytes
}

/// Calls any method with any bytes; the status that comes at once, if it is a failure.
pub async fn call(
    channel: &Channel,
    path: &str,
    token: Option<&str>,
    bytes: Vec<u8>,
) -> Option<tonic::Status> {
    let bearer = token.map(|token| format!("Bearer {token}"));
    let bearer = bearer.map(|bearer| ("authorization", bearer));
    call_with(channel, path, bearer.as_slice(), bytes).await
}

/// The same with this metadata.
pub async fn call_with(
    channel: &Channel,
    path: &str,
    metadata: &[(&'static str, String)],
    bytes: Vec<u8>,
) -> Option<tonic::Status> {
    let mut client = tonic::client::Grpc::new(channel.clone());
    client.ready().await.expect("a connection");
    let mut request = tonic::Request::new(Raw(bytes));
    for (key, value) in metadata {
        let value = MetadataValue::try_from(value).expect("a value");
        request.metadata_mut().insert(*key, value);
    }
    let path = PathAndQuery::try_from(path).expect("a path");
    let codec: ProstCodec<Raw, Raw> = ProstCodec::default();
    // Every method can be called as a stream: a unary answer is a stream of one.
    match client.server_streaming(request, path, codec).await {
        Err(status) => Some(status),
        Ok(response) => {
            let mut stream = response.into_inner();
            let first = stream.message();
            match tokio::time::timeout(Duration::from_secs(5), first).await {
                Ok(Err(status)) => Some(status),
                _ => None,
            }
        }
    }
}
