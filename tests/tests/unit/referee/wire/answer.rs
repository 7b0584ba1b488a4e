//! Tests of the module `wire::answer`.

use prost::Message;
use referee::wire::v1::{Event, SubmitMoveResponse, View};

/// The message as the contract has it.
#[derive(Clone, PartialEq, Message)]
struct Plain {
    #[prost(message, repeated, tag = "1")]
    events: Vec<Event>,
    #[prost(string, tag = "2")]
    resume_token: String,
    #[prost(message, optional, tag = "3")]
    view: Option<View>,
    #[prost(bool, tag = "4")]
    replayed: bool,
    #[prost(uint32, tag = "5")]
    moves_made: u32,
}

#[test]
fn an_answer_is_the_contracts_message() {
    let event = |number| Event {
        number,
        ..Event::default()
    };
    let view = View {
        seat: 2,
        ..View::default()
    };
    let plain = Plain {
        events: (7..10).map(event).collect(),
        resume_token: "rft".into(),
        view: Some(view),
        replayed: true,
        moves_made: 2,
    };
    for plain in [plain, Plain::default()] {
        let bytes = plain.encode_to_vec();
        let answer = SubmitMoveResponse::decode(&bytes[..]).expect("the same message");
        assert_eq!(answer.events[..], plain.events);
        assert_eq!(answer.encode_to_vec(), bytes);
        assert_eq!(answer.encoded_len(), bytes.len());
    }
}
