//! Tests of the module `log` and its parts.

mod entry;
mod names;

use std::collections::BTreeSet;

use prost::Message as _;
use prost_types::FileDescriptorSet;

/// Every field and every value with its number, as `Moved.thought_ms = 4 (Uint64, Optional)`.
fn forms(set: &[u8]) -> BTreeSet<String> {
    let set = FileDescriptorSet::decode(set).expect("a descriptor");
    let mut forms = BTreeSet::new();
    for file in set.file {
        for message in &file.message_type {
            assert!(
                message
                    .nested_type
                    .iter()
                    .all(|nested| { nested.options.as_ref().is_some_and(|o| o.map_entry()) }),
                "{}: messages within messages are not looked at",
                message.name()
            );
            for field in &message.field {
                let (name, field_name, number) = (message.name(), field.name(), field.number());
                let (kind, label) = (field.r#type(), field.label());
                forms.insert(format!(
                    "{name}.{field_name} = {number} ({kind:?}, {label:?})"
                ));
            }
        }
        for kind in &file.enum_type {
            for value in &kind.value {
                let (name, value_name, number) = (kind.name(), value.name(), value.number());
                forms.insert(format!("{name}.{value_name} = {number}"));
            }
        }
    }
    forms
}

/// What a store is written with is kept from the day on which it is written: the guard of `buf breaking` knows all of it.
#[test]
fn everything_that_is_written_is_guarded() {
    let now = forms(referee::log::v1::DESCRIPTOR);
    let kept = forms(include_bytes!(
        "../../../../../proto/referee/log/released.binpb"
    ));
    assert!(now.len() > 100, "{now:?}");
    let (gone, new): (Vec<_>, Vec<_>) = (
        kept.difference(&now).collect(),
        now.difference(&kept).collect(),
    );
    assert!(
        gone.is_empty(),
        "kept in stores, and not read any more: {gone:#?}"
    );
    assert!(
        new.is_empty(),
        "written, and not in `released.binpb`: {new:#?}; in `proto`, run `buf build . --path referee/log \
             --exclude-source-info -o referee/log/released.binpb`"
    );
}
