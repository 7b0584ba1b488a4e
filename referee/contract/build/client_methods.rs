//! Generates what clients know of every method of the contract, over `client::Call`.

use prost_types::{DescriptorProto, FileDescriptorSet, MethodDescriptorProto};

/// What clients know of the contract: which method takes a request and what it answers, and how a request begins that is
/// about something with a name.
pub fn generate(contract: &FileDescriptorSet) -> String {
    let mut implemented = String::new();
    for file in &contract.file {
        for service in &file.service {
            for method in &service.method {
                let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                implemented += &sent(&path, method);
            }
        }
        let requests = file.message_type.iter();
        let requests = requests.filter(|message| message.name().ends_with("Request"));
        implemented.extend(requests.filter_map(begun));
    }
    implemented
}

/// How the request of a method is sent.
fn sent(path: &str, method: &MethodDescriptorProto) -> String {
    let message = |full: &str| full.rsplit('.').next().unwrap_or(full).to_owned();
    let (request, answer) = (message(method.input_type()), message(method.output_type()));
    let (answer, send) = match method.server_streaming() {
        true => (format!("Streaming<v1::{answer}>"), "stream"),
        false => (format!("v1::{answer}"), "once"),
    };
    format!(
        "impl Call for v1::{request} {{
            const PATH: &'static str = {path:?};
            type Answer = {answer};
            async fn send(client: &Client, request: Request<Self>) -> Result<{answer}, Status> {{
                client.{send}(Self::PATH, request).await
            }}
        }}\n"
    )
}

/// How a request begins that has a name.
fn begun(request: &DescriptorProto) -> Option<String> {
    let has = |name: &str| request.field.iter().any(|field| field.name() == name);
    let id = has("request_id").then_some("request_id: request_id(),");
    let known = 1 + id.iter().len();
    let rest = (request.field.len() > known).then_some("..Default::default()");
    has("name").then(|| {
        format!(
            "impl v1::{} {{
                /// About what has this resource name.
                pub fn of(name: impl Into<String>) -> Self {{
                    Self {{ name: name.into(), {} {} }}
                }}
            }}\n",
            request.name(),
            id.unwrap_or_default(),
            rest.unwrap_or_default()
        )
    })
}
