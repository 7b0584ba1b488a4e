//! Messages of the contract as JSON, in the form that Protocol Buffers define.

use std::sync::LazyLock;

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage};
use serde_json::Value;

use super::v1;

/// The contract's own description of its messages.
static POOL: LazyLock<Option<DescriptorPool>> =
    LazyLock::new(|| DescriptorPool::decode(v1::DESCRIPTOR).ok());

/// A message of `referee.v1` as JSON; null if it is none of the contract.
pub fn of(name: &str, message: &impl Message) -> Value {
    let told = || {
        let descriptor = POOL
            .as_ref()?
            .get_message_by_name(&format!("referee.v1.{name}"))?;
        let message = DynamicMessage::decode(descriptor, &message.encode_to_vec()[..]).ok()?;
        serde_json::to_value(message).ok()
    };
    told().unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_what_the_standard_says() {
        let event = v1::Event {
            number: 7,
            kind: Some(v1::event::Kind::PileShuffled(v1::PileShuffled {
                pile: Some(v1::PlaceRef {
                    name: "stack".into(),
                    index: Vec::new(),
                }),
                size: 52,
            })),
        };
        let expected = serde_json::json!({
            "number": "7",
            "pileShuffled": {"pile": {"name": "stack"}, "size": 52},
        });
        assert_eq!(of("Event", &event), expected);
        assert_eq!(of("Unheard", &event), Value::Null);
    }
}
