use interpreter::play::api::Origin;
use interpreter::play::matches::history_encoding::{Writer, pack, unpack};
use interpreter::play::state::events::{Happened, Kept, MadeMove, Raw};
use interpreter::program::cell::Cell;
use interpreter::program::ids::{AskId, CauseId, EndingId, EventId, MoveId, PhaseId};

fn each() -> Vec<Happened> {
    let causes = [0, 1, 70_000].into_iter().cycle().map(CauseId);
    let all = kinds().into_iter().zip(causes);
    all.map(|(raw, cause)| Happened { raw, cause }).collect()
}

fn kinds() -> Vec<Raw> {
    let made = MadeMove {
        seat: 3,
        ask: AskId(300),
        mv: MoveId(7),
        args: vec![0, 0, 0, -1, i64::MIN, i64::MAX, 0],
        plan: vec![Cell(0), Cell(4), Cell(u32::MAX)],
        seen: vec![u32::MAX, 0, 5],
        origin: Origin::Forced,
    };
    vec![
        Raw::Phase {
            phase: PhaseId(9),
            args: vec![2, 0],
        },
        Raw::Move(Box::new(made)),
        Raw::Pieces {
            from: Cell(200),
            to: Cell(70_000),
            row: u16::MAX,
            count: 5,
            total: i32::MIN,
            shown: 6,
        },
        Raw::Counter {
            cell: Cell(1),
            from: i32::MAX,
            to: -1,
        },
        Raw::Marker {
            cell: Cell(8),
            to: -1,
        },
        Raw::Shuffled {
            cell: Cell(12),
            order: vec![0, 0, 4, 3, 0],
        },
        Raw::Raised {
            event: EventId(1),
            args: vec![0; 8],
        },
        Raw::Due {
            ending: EndingId(2),
        },
        Raw::Over,
        Raw::By(CauseId(4)),
        Raw::Ended { phase: PhaseId(3) },
        Raw::Kept(Box::new(Kept {
            phase: PhaseId(2),
            var: 1,
            instance: 70_000,
            value: vec![-1, 0, 0, 5],
            seen: u32::MAX,
        })),
        Raw::Asked {
            ask: AskId(6),
            seats: 0b1011,
        },
    ]
}

#[test]
fn what_is_packed_is_unpacked_the_same() {
    let packed = pack(&each());
    assert_eq!(unpack(&packed), Some(each()));
    assert_eq!(unpack(&[]), Some(Vec::new()));
}

#[test]
fn whatever_bytes_there_are_unpacking_ends() {
    let packed = pack(&each());
    for cut in 0..packed.len() {
        let _ = unpack(&packed[..cut]);
        for bit in 0..8 {
            let mut bent = packed.clone();
            bent[cut] ^= 1 << bit;
            let _ = unpack(&bent);
        }
    }
    // A list that says that it is endless, and a run of zeros that is longer than its list.
    let raw = Raw::Phase {
        phase: PhaseId(0),
        args: Vec::new(),
    };
    let cause = CauseId::NONE;
    let empty = pack(&[Happened { raw, cause }]);
    // The kind of what happened and the number of the phase, before the length of the list.
    let start = || Writer(empty[..2].to_vec());
    assert_eq!(empty[2..], [0, 0]);
    let mut endless = start();
    endless.number(u64::MAX);
    assert_eq!(unpack(&endless.0), None);
    let mut beyond = start();
    [2, 0, 3]
        .into_iter()
        .for_each(|number| beyond.number(number));
    assert_eq!(unpack(&beyond.0), None);
}
