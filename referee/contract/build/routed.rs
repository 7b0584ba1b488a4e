//! Generates what each request says of the match that it is about, over `wire::routing::Routed`.

use prost_types::{DescriptorProto, FileDescriptorSet};

/// Of the request of every method of the contract.
pub fn generate(contract: &FileDescriptorSet) -> String {
    let messages = contract.file.iter().flat_map(|file| &file.message_type);
    let requests = messages.filter(|message| message.name().ends_with("Request"));
    requests.map(routed).collect()
}

fn routed(request: &DescriptorProto) -> String {
    let named = request.field.iter().any(|field| field.name() == "name");
    let name = if named { "&self.name" } else { "\"\"" };
    format!(
        "impl Routed for v1::{} {{
            fn about(&self) -> &str {{ {name} }}
        }}\n",
        request.name()
    )
}
