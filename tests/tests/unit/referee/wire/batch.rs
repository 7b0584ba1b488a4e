//! Tests of the module `wire::batch`.

use prost::Message;
use referee::wire::v1::{Event, EventBatch};

/// The message as the contract has it.
#[derive(Clone, PartialEq, Message)]
struct Plain {
    #[prost(message, repeated, tag = "1")]
    events: Vec<Event>,
}

fn events(count: u64) -> Vec<Event> {
    let event = |number| Event {
        number,
        ..Event::default()
    };
    (0..count).map(event).collect()
}

#[test]
fn a_batch_is_the_contracts_message() {
    let plain = Plain { events: events(3) };
    let batch = EventBatch::written(plain.encode_to_vec().into());
    assert_eq!(batch.encode_to_vec(), plain.encode_to_vec());
    assert_eq!(batch.encoded_len(), plain.encoded_len());
    let read = EventBatch::decode(&plain.encode_to_vec()[..]);
    assert_eq!(read.as_ref(), Ok(&batch));
    assert_eq!(read.map(Vec::from_iter), Ok(events(3)));
    assert_eq!(batch[..], events(3));
    assert_eq!(Vec::from_iter(batch), events(3));
}

#[test]
fn what_is_read_into_a_copy_changes_no_other() {
    let bytes = Plain { events: events(2) }.encode_to_vec();
    let batch = EventBatch::written(bytes.clone().into());
    let mut other = batch.clone();
    other.merge(&bytes[..]).unwrap();
    assert_eq!((batch.len(), other.len()), (2, 4));
    assert_eq!(batch.encode_to_vec(), bytes);
    assert_eq!(other.encode_to_vec(), [bytes.clone(), bytes].concat());
    other.clear();
    assert!(other.is_empty() && !batch.is_empty());
    assert_eq!(other[..], []);
    assert_eq!(other, EventBatch::default());
}
