//! Messages of the contract as JSON, in the form that Protocol Buffers define.

use std::sync::LazyLock;

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use referee::wire::v1;
use serde_json::Value;

/// A message of `referee.v1` as JSON.
///
/// # Panics
///
/// When the contract has no message of this name, or this is another one.
pub fn of(name: &str, message: &impl Message) -> Value {
    let message = DynamicMessage::decode(descriptor(name), &message.encode_to_vec()[..]);
    serde_json::to_value(message.expect("it is one of these")).expect("JSON")
}

/// A message of `referee.v1` from its JSON.
///
/// # Errors
///
/// When it is none.
///
/// # Panics
///
/// When the contract has no message of this name.
pub fn read<M: Message + Default>(name: &str, told: &Value) -> Result<M, serde_json::Error> {
    let message = DynamicMessage::deserialize(descriptor(name), told)?;
    Ok(message.transcode_to().expect("the same message"))
}

fn descriptor(name: &str) -> MessageDescriptor {
    static POOL: LazyLock<DescriptorPool> =
        LazyLock::new(|| DescriptorPool::decode(v1::DESCRIPTOR).expect("the contract"));
    let found = POOL.get_message_by_name(&format!("referee.v1.{name}"));
    found.unwrap_or_else(|| panic!("the contract has no `{name}`"))
}
