//! Generates what clients know of every method of the contract, over `client::Call`.

use std::fmt::Write as _;

use prost_types::FileDescriptorSet;

/// What clients know of every method of the contract: which request it takes, what it answers, and how a request begins
/// that is about something with a name.
pub fn generate(contract: &FileDescriptorSet) -> Result<String, Box<dyn std::error::Error>> {
    let mut implemented = String::new();
    for file in &contract.file {
        for service in &file.service {
            for method in &service.method {
                let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                let message = |full: &str| full.rsplit('.').next().unwrap_or(full).to_owned();
                let (request, answer) =
                    (message(method.input_type()), message(method.output_type()));
                let (answer, sent) = match method.server_streaming() {
                    true => (format!("Streaming<v1::{answer}>"), "stream"),
                    false => (format!("v1::{answer}"), "once"),
                };
                writeln!(
                    implemented,
                    "impl Call for v1::{request} {{
                        const PATH: &'static str = {path:?};
                        type Answer = {answer};
                        async fn send(client: &Client, request: Request<Self>) -> Result<{answer}, Status> {{
                            client.{sent}(Self::PATH, request).await
                        }}
                    }}"
                )?;
                let fields = file.message_type.iter().filter(|m| m.name() == request);
                let fields: Vec<&str> = fields.flat_map(|m| &m.field).map(|f| f.name()).collect();
                if fields.contains(&"name") {
                    let known = ["name: name.into()", "request_id: request_id()"];
                    let known = known
                        .iter()
                        .filter(|f| fields.iter().any(|n| f.starts_with(n)));
                    let known: Vec<&str> = known.copied().collect();
                    let rest = match known.len() < fields.len() {
                        true => "..Default::default()",
                        false => "",
                    };
                    let known = known.join(", ");
                    writeln!(
                        implemented,
                        "impl v1::{request} {{
                            /// Of what has this resource name.
                            pub fn of(name: impl Into<String>) -> Self {{
                                v1::{request} {{ {known}, {rest} }}
                            }}
                        }}"
                    )?;
                }
            }
        }
    }
    Ok(implemented)
}
