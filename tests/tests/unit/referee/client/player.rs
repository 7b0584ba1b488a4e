//! Tests of the module `client::player`.

use referee::client::player::{fill_bag, fill_spread};
use referee::wire::v1;

fn rows(counts: &[(&str, u32)]) -> Vec<v1::RowCount> {
    counts
        .iter()
        .map(|(row, count)| v1::RowCount {
            row: (*row).into(),
            count: *count,
        })
        .collect()
}

#[test]
fn a_bag_keeps_whole_kinds_first_and_obeys_every_limit() {
    let mut domain = v1::BagDomain {
        table: "good".into(),
        available: rows(&[("corn", 1), ("sugar", 4), ("indigo", 3)]),
        most: 8,
        loose: Some(v1::LooseLimit {
            pieces: 1,
            kinds: 1,
        }),
        ..Default::default()
    };
    assert_eq!(
        fill_bag(&domain, &mut |_| 0).counts,
        rows(&[("sugar", 4), ("indigo", 1)])
    );
    domain.loose = None;
    domain.kinds = Some(2);
    assert_eq!(
        fill_bag(&domain, &mut |_| 0).counts,
        rows(&[("sugar", 4), ("indigo", 3)])
    );
    domain.most = 5;
    assert_eq!(
        fill_bag(&domain, &mut |_| 0).counts,
        rows(&[("sugar", 4), ("indigo", 1)])
    );
}

#[test]
fn a_spread_fills_every_room_before_anything_is_left() {
    let place = |name: &str| {
        Some(v1::PlaceRef {
            name: name.into(),
            index: Vec::new(),
        })
    };
    let room = |name: &str, room| v1::Room {
        place: place(name),
        room,
    };
    let worker = Some(v1::RowRef {
        table: "person".into(),
        row: "worker".into(),
    });
    let domain = v1::SpreadDomain {
        pieces: vec![v1::PieceCount {
            row: worker,
            count: 4,
        }],
        rooms: vec![room("mill", 1), room("wharf", 2)],
        overflow: place("idle"),
    };
    for turn in 0..2 {
        let spread = fill_spread(&domain, &mut |_| turn);
        assert_eq!(
            spread.shares.iter().map(|share| share.count).sum::<u32>(),
            3
        );
    }
}
