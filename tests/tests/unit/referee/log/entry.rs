//! Tests of the module `log::entry`.

use prost::Message as _;
use referee::log::v1;
use referee::log::v1::entry::Body;
use referee::log::{Entry, Format, encode};
use referee::store::{MatchId, StoreError, chain};

fn hidden(card: &str) -> Body {
    let mv = v1::Move {
        name: "lay".into(),
        arguments: vec![v1::Argument {
            name: "card".into(),
            value: Some(v1::Value {
                kind: Some(v1::value::Kind::Row(v1::RowRef {
                    table: "card".into(),
                    row: card.into(),
                })),
            }),
        }],
    };
    let recorded = v1::RecordedMove {
        r#move: Some(mv),
        ..v1::RecordedMove::default()
    };
    Body::Moved(v1::Moved {
        moves: vec![recorded],
        state_hash: vec![1; 32],
        still_asked: Vec::new(),
        thought_ms: 0,
    })
}

#[test]
fn a_head_of_the_chain_does_not_tell_which_of_two_moves_was_made() {
    // Whoever knows all but the move tries both.
    let start = chain::start(&MatchId::random());
    let made = encode(7, hidden("inn")).unwrap();
    let head = chain::link(&start, 0, &made);
    for card in ["inn", "mill"] {
        let guess = encode(7, hidden(card)).unwrap();
        assert_ne!(chain::link(&start, 0, &guess), head, "{card}");
        let unsalted = v1::Entry {
            format: v1::Entry::decode(&made[..]).unwrap().format,
            at_ms: 7,
            salt: Vec::new(),
            body: Some(hidden(card)),
        };
        let unsalted = unsalted.encode_to_vec();
        assert_ne!(chain::link(&start, 0, &unsalted), head, "{card}");
        assert!(
            Entry::decode(&unsalted).is_err(),
            "an entry without salt is none"
        );
    }
    let read = Entry::decode(&made).unwrap();
    assert_eq!((read.at_ms, read.body), (7, hidden("inn")));
}

#[test]
fn an_entry_of_the_first_format_is_read_as_it_lies() {
    let first = v1::Entry {
        format: 1,
        at_ms: 3,
        salt: Vec::new(),
        body: Some(hidden("inn")),
    };
    let read = Entry::decode(&first.encode_to_vec()).unwrap();
    assert_eq!((read.format, read.body), (Format::Cells, hidden("inn")));
    let newer = v1::Entry { format: 3, ..first };
    let refused = Entry::decode(&newer.encode_to_vec());
    assert!(matches!(refused, Err(StoreError::Damaged(why)) if why.contains("newer")));
}
