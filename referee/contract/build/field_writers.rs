//! Generates writers of messages that are not made before they are written: for each message a type with a method a
//! field, over `wire::writer::Writer`.
//!
//! In: the compiled contract, and the message that is written. Out: Rust, for it and for every message within.
//! Everybody who watches a match is told of every event: `tests/performance/RESULTS.md` says what it costs to make prost's
//! messages of them first.

use std::collections::{BTreeMap, BTreeSet};

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet};

/// Writers of a message of a package, and of those within it that belong to the package, too.
pub fn generate(descriptors: &FileDescriptorSet, package: &str, root: &str) -> String {
    let files = descriptors
        .file
        .iter()
        .filter(|file| file.package() == package);
    let messages: BTreeMap<&str, &DescriptorProto> = files
        .flat_map(|file| &file.message_type)
        .map(|message| (message.name(), message))
        .collect();
    let mut code = String::new();
    let (mut waiting, mut written) = (vec![root], BTreeSet::new());
    while let Some(name) = waiting.pop() {
        let Some(message) = messages.get(name).filter(|_| written.insert(name)) else {
            continue;
        };
        code += &format!(
            "/// Writes a `{package}.{name}`.\npub struct {name}<'a>(pub &'a mut Writer);\nimpl {name}<'_> {{\n"
        );
        for field in &message.field {
            let within = field.type_name().rsplit_once('.').map(|(_, name)| name);
            code.push_str(&method(
                field,
                within.filter(|within| messages.contains_key(within)),
            ));
            waiting.extend(within);
        }
        code.push_str("}\n");
    }
    code
}

/// The method that writes a field; `within` is the message that it holds, if that has a writer.
fn method(field: &FieldDescriptorProto, within: Option<&str>) -> String {
    let (name, number) = (field.name(), field.number());
    let comment = format!("/// Field {number}, `{name}`.");
    // A field that tells zero from nothing writes zero, too.
    let write = match field.oneof_index {
        Some(_) => "present",
        None => "number",
    };
    let (takes, writes) = match (field.r#type(), within) {
        (Type::Message, Some(message)) => {
            let made = format!(
                "{comment}\npub fn put_{name}(&mut self, message: &impl Message) {{ self.0.made({number}, message); }}\n"
            );
            let takes = format!("fields: impl FnOnce(&mut {message}<'_>)");
            let writes =
                format!("self.0.message({number}, |writer| fields(&mut {message}(writer)))");
            return format!(
                "{made}{comment}\npub fn r#{name}(&mut self, {takes}) {{ {writes}; }}\n"
            );
        }
        (Type::Message, None) => ("&impl Message".into(), format!("made({number}, value)")),
        (Type::String, _) if field.oneof_index.is_none() && field.label() != Label::Repeated => {
            ("&str".into(), format!("text({number}, value)"))
        }
        (Type::Uint32, _) if field.label() == Label::Repeated => {
            ("&[u32]".into(), format!("numbers({number}, value)"))
        }
        (Type::Uint32, _) => ("u32".into(), format!("{write}({number}, value)")),
        (Type::Uint64, _) => ("u64".into(), format!("{write}({number}, value)")),
        (Type::Bool, _) => ("bool".into(), format!("{write}({number}, value)")),
        (Type::Int64, _) => (
            "i64".into(),
            format!("{write}({number}, value.cast_unsigned())"),
        ),
        (Type::Enum, _) => {
            let ty = field.type_name().rsplit('.').next().unwrap_or_default();
            (
                format!("v1::{ty}"),
                format!("{write}({number}, i32::from(value).cast_unsigned())"),
            )
        }
        // Nobody writes any yet.
        _ => return String::new(),
    };
    format!("{comment}\npub fn r#{name}(&mut self, value: {takes}) {{ self.0.{writes}; }}\n")
}
