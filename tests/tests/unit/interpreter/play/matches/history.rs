use std::borrow::Cow;

use interpreter::play::api::Origin;
use interpreter::play::matches::history::{History, TOGETHER};
use interpreter::play::matches::history_encoding::{Reader, Writer};
use interpreter::play::state::events::{Happened, MadeMove, Raw};
use interpreter::program::ids::{AskId, CauseId, EndingId, MoveId};

/// The `n`th thing: every third is a move.
fn nth(n: u32) -> Happened {
    let raw = match n % 3 {
        0 => Raw::Move(Box::new(MadeMove {
            seat: 0,
            ask: AskId(n),
            mv: MoveId(0),
            args: vec![0, n.into()],
            plan: Vec::new(),
            seen: Vec::new(),
            origin: Origin::Player,
        })),
        _ => Raw::Due {
            ending: EndingId(n),
        },
    };
    let cause = CauseId(n % 5);
    Happened { raw, cause }
}

fn over() -> Happened {
    Happened {
        raw: Raw::Over,
        cause: CauseId::NONE,
    }
}

#[test]
fn copies_grow_apart_and_are_read_from_anywhere() {
    let mut first = History::default();
    for n in 0..200 {
        let before = first.clone();
        let mut other = first.clone();
        first.extend([nth(n)]);
        other.extend([over()]);
        let length = n as usize;
        assert_eq!(before.len(), length);
        assert_eq!((first.len(), other.len()), (length + 1, length + 1));
        assert_eq!(other.from(length).next().as_deref(), Some(&over()));
        assert!(before.from(length).next().is_none());
        for from in [0, n / 2, n, n + 1] {
            let read = first.from(from as usize).map(Cow::into_owned);
            assert!(read.eq((from..=n).map(nth)), "{from} of {n}");
        }
        let asked = |made: Cow<'_, MadeMove>| made.ask;
        let all: Vec<AskId> = (0..=n).step_by(3).map(AskId).collect();
        assert_eq!(first.moves(), all.len());
        for place in [0, length / 2, length, length + 1] {
            assert_eq!(first.moves_before(place), place.div_ceil(3), "{place}");
        }
        for from in [0, all.len() / 2, all.len()] {
            assert!(first.moves_from(from).map(asked).eq(all[from..].to_vec()));
        }
        assert!(first.moves_backwards().map(asked).eq(all.into_iter().rev()));
    }
}

#[test]
fn what_comes_together_is_packed_when_more_comes() {
    for size in [1, 5, 31, 32, 33, 100] {
        let mut history = History::default();
        for first in (0..10).map(|piece| piece * size) {
            history.extend((first..first + size).map(nth));
            let length = (first + size) as usize;
            assert_eq!(
                (history.len(), history.moves()),
                (length, length.div_ceil(3))
            );
            assert!(
                history.packed() <= first as usize,
                "the latest is not packed"
            );
            assert!(first as usize - history.packed() < TOGETHER);
            for from in [0, first, first + size - 1, first + size] {
                let read = history.from(from as usize).map(Cow::into_owned);
                assert!(read.eq((from..first + size).map(nth)), "{from} of {length}");
            }
        }
    }
}

#[test]
fn what_is_saved_is_restored_and_goes_on() {
    for length in [0, 1, 31, 32, 33, 64, 100] {
        let mut history = History::default();
        history.extend((0..length).map(nth));
        let mut saved = Writer::default();
        history.save(&mut saved);
        let restored = History::restore(&mut Reader(&saved.0), |_| true);
        let mut restored = restored.expect("it was saved");
        restored.extend([nth(length)]);
        let read = restored.from(0).map(Cow::into_owned);
        assert!(read.eq((0..=length).map(nth)), "{length}");
        assert!(History::restore(&mut Reader(&saved.0), |_| false).is_none() || length == 0);
    }
}
