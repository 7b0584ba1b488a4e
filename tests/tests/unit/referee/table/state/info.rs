//! Tests of the module `table::state::info`.

use interpreter::play::Seat;
use referee::log::v1;
use referee::log::v1::entry::Body;
use referee::log::v1::table_changed::Kind;
use referee::store::{MatchId, Principal};
use referee::table::{MatchInfo, Outages};

/// A match of two players with time limits, started at 0.
fn started() -> MatchInfo {
    let created = v1::Created {
        players: 2,
        content: vec![0; 32],
        digest: vec![0; 32],
        question_ms: 1_000,
        bank_ms: 5_000,
        increment_ms: 70,
        ..v1::Created::default()
    };
    let id = MatchId::parse(&"0".repeat(32)).unwrap();
    let mut info = MatchInfo::begun(&id, Principal([0; 32]), 0, &created).unwrap();
    info.tell(0, &Body::Started(v1::Started::default()));
    info
}

#[test]
fn a_free_move_that_leaves_the_question_takes_and_gives_no_time() {
    let mut info = started();
    let moved = |still_asked: &[u32], thought_ms| {
        Body::Moved(v1::Moved {
            moves: vec![v1::RecordedMove {
                seat: 1,
                ..v1::RecordedMove::default()
            }],
            still_asked: still_asked.to_vec(),
            thought_ms,
            ..v1::Moved::default()
        })
    };
    info.tell(3_000, &moved(&[0, 1], 3_000));
    assert_eq!(info.banks, [5_000, 5_000]);
    assert_eq!(info.thought_ms(Seat(1), 3_000, &Outages::default()), 3_000);
    // What is used is told once, by the answer.
    info.tell(4_000, &moved(&[0], 4_000));
    assert_eq!(info.banks, [5_000, 2_070]);
    assert_eq!(info.thought_ms(Seat(0), 4_000, &Outages::default()), 4_000);
    assert_eq!(info.thought_ms(Seat(1), 4_000, &Outages::default()), 0);
}

#[test]
fn a_question_that_is_asked_again_begins_with_all_of_its_time() {
    for kind in [
        Kind::MatchResumed(v1::MatchResumed {}),
        Kind::MovesUndone(v1::MovesUndone::default()),
        Kind::SeatResigned(v1::SeatResigned { seat: 2 }),
        Kind::BotSeated(v1::BotSeated {
            seat: 2,
            ..v1::BotSeated::default()
        }),
        Kind::RulesetChanged(v1::RulesetChanged::default()),
        Kind::SeatTaken(v1::SeatTaken {
            seat: 2,
            ..v1::SeatTaken::default()
        }),
    ] {
        let mut info = started();
        let change = Some(v1::TableChanged {
            kind: Some(kind.clone()),
        });
        let noted = v1::Noted {
            change,
            ..v1::Noted::default()
        };
        info.tell(3_000, &Body::Noted(noted));
        let thought = info.thought_ms(Seat(0), 3_500, &Outages::default());
        assert_eq!(thought, 500, "{kind:?}");
    }
}
