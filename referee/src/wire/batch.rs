//! Events as streams tell them: many hear the same, so it is put into bytes once for all of them.

use std::sync::{Arc, OnceLock};

use prost::Message;
use prost::bytes::{Buf, BufMut};
use prost::encoding::{DecodeContext, WireType};

use super::v1::Event;

/// `referee.v1.EventBatch`: events, in order. Copies of it share them, and their bytes.
#[derive(Clone, Debug, Default)]
pub struct EventBatch(Arc<Shared>);

#[derive(Clone, Debug, Default)]
struct Shared {
    message: Plain,
    /// Of the message, once somebody has sent it.
    bytes: OnceLock<Vec<u8>>,
}

/// The message as the contract has it.
#[derive(Clone, PartialEq, Message)]
struct Plain {
    #[prost(message, repeated, tag = "1")]
    events: Vec<Event>,
}

impl EventBatch {
    /// With these events.
    pub fn of(events: Vec<Event>) -> EventBatch {
        EventBatch(Arc::new(Shared {
            message: Plain { events },
            bytes: OnceLock::new(),
        }))
    }

    /// The events.
    pub fn events(&self) -> &[Event] {
        &self.0.message.events
    }

    fn bytes(&self) -> &[u8] {
        let Shared { message, bytes } = &*self.0;
        bytes.get_or_init(|| message.encode_to_vec())
    }
}

impl PartialEq for EventBatch {
    fn eq(&self, other: &EventBatch) -> bool {
        self.0.message == other.0.message
    }
}

impl IntoIterator for EventBatch {
    type Item = Event;
    type IntoIter = std::vec::IntoIter<Event>;

    fn into_iter(self) -> Self::IntoIter {
        Arc::unwrap_or_clone(self.0).message.events.into_iter()
    }
}

impl Message for EventBatch {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        buf.put_slice(self.bytes());
    }

    fn encoded_len(&self) -> usize {
        self.bytes().len()
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), prost::DecodeError> {
        let shared = Arc::make_mut(&mut self.0);
        shared.bytes.take();
        shared.message.merge_field(tag, wire_type, buf, context)
    }

    fn clear(&mut self) {
        *self = EventBatch::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(count: u64) -> Vec<Event> {
        let event = |number| Event { number, kind: None };
        (0..count).map(event).collect()
    }

    #[test]
    fn a_batch_is_the_contracts_message() {
        let plain = Plain { events: events(3) };
        let batch = EventBatch::of(events(3));
        assert_eq!(batch.encode_to_vec(), plain.encode_to_vec());
        assert_eq!(batch.encoded_len(), plain.encoded_len());
        let read = EventBatch::decode(&plain.encode_to_vec()[..]);
        assert_eq!(read.as_ref(), Ok(&batch));
        assert_eq!(read.map(Vec::from_iter), Ok(events(3)));
    }

    #[test]
    fn what_is_read_into_a_copy_changes_no_other() {
        let batch = EventBatch::of(events(2));
        let bytes = batch.encode_to_vec();
        let mut other = batch.clone();
        other.merge(&bytes[..]).unwrap();
        assert_eq!((batch.events().len(), other.events().len()), (2, 4));
        assert_eq!(batch.encode_to_vec(), bytes);
        assert_eq!(other.encode_to_vec(), [bytes.clone(), bytes].concat());
        other.clear();
        assert_eq!(other, EventBatch::default());
    }
}
