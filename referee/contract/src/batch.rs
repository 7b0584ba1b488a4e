//! Events as streams tell them: many hear the same, so it is put into bytes once for all of them.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use prost::bytes::{Buf, BufMut, Bytes};
use prost::encoding::{DecodeContext, WireType, message, skip_field};
use prost::{DecodeError, Message};

use super::v1::Event;

/// The number of its only field, `events`.
pub(super) const EVENTS: u32 = 1;

/// `referee.v1.EventBatch`: events, in order. Copies of it share them, and their bytes.
#[derive(Clone, Debug, Default)]
pub struct EventBatch(Arc<Shared>);

/// The same twice: what is to be told is bytes at first, what was read is events. The other comes about when somebody
/// needs it. If there is neither, there are no events.
#[derive(Clone, Debug, Default)]
struct Shared {
    bytes: OnceLock<Bytes>,
    events: OnceLock<Vec<Event>>,
}

impl EventBatch {
    /// With these events, as they are written: each as a field of the batch.
    pub fn written(bytes: Bytes) -> EventBatch {
        EventBatch(Arc::new(Shared {
            bytes: bytes.into(),
            events: OnceLock::new(),
        }))
    }

    /// Whether there are no events.
    pub fn is_empty(&self) -> bool {
        match self.0.events.get() {
            Some(events) => events.is_empty(),
            None => self.bytes().is_empty(),
        }
    }

    /// The events as they are written.
    pub fn bytes(&self) -> &Bytes {
        let Shared { bytes, events } = &*self.0;
        bytes.get_or_init(|| {
            let mut bytes = Vec::new();
            message::encode_repeated(
                EVENTS,
                events.get().map_or(&[][..], Vec::as_slice),
                &mut bytes,
            );
            bytes.into()
        })
    }
}

impl Shared {
    fn events(&self) -> &Vec<Event> {
        self.events.get_or_init(|| {
            let mut bytes = self.bytes.get().map_or(&[][..], |bytes| &bytes[..]);
            let mut read = EventBatch::default();
            // They were written here.
            let _ = read.merge(&mut bytes);
            let Shared { events, .. } = Arc::unwrap_or_clone(read.0);
            events.into_inner().unwrap_or_default()
        })
    }
}

impl Deref for EventBatch {
    type Target = [Event];

    fn deref(&self) -> &[Event] {
        self.0.events()
    }
}

impl PartialEq for EventBatch {
    fn eq(&self, other: &EventBatch) -> bool {
        **self == **other
    }
}

impl IntoIterator for EventBatch {
    type Item = Event;
    type IntoIter = std::vec::IntoIter<Event>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.events();
        let Shared { events, .. } = Arc::unwrap_or_clone(self.0);
        events.into_inner().unwrap_or_default().into_iter()
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
    ) -> Result<(), DecodeError> {
        if tag != EVENTS {
            return skip_field(wire_type, tag, buf, context);
        }
        let shared = Arc::make_mut(&mut self.0);
        shared.events();
        let mut events = shared.events.take().unwrap_or_default();
        let merged = message::merge_repeated(wire_type, &mut events, buf, context);
        shared.bytes.take();
        shared.events = events.into();
        merged
    }

    fn clear(&mut self) {
        *self = EventBatch::default();
    }
}
