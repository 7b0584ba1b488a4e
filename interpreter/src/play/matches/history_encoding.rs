//! The encoding of a history in few bytes: how a match keeps its past, and how it is saved.
//!
//! Numbers are written seven bits to a byte, the low ones first (as in Protocol Buffers), those that may
//! be negative in zigzag; a list is its length and its numbers, a run of zeros as a zero and how long it
//! is. These bytes last as long as the form of a saved match ([`FORM`](super::saved::FORM)), and no longer.

use crate::numbers::Fit as _;
use crate::play::api::Origin;
use crate::play::state::{Happened, Kept, MadeMove, Raw};
use crate::program::cell::Cell;
use crate::program::ids::{AskId, CauseId, EndingId, EventId, MoveId, PhaseId};

/// Bytes of what happened, one thing after the other.
pub(crate) fn pack<'a>(happened: impl IntoIterator<Item = &'a Happened>) -> Vec<u8> {
    let mut out = Writer::default();
    for Happened { raw, cause } in happened {
        out.raw(raw);
        out.number(cause.0.into());
    }
    out.0
}

/// What was packed; none if the bytes are anything else.
pub(crate) fn unpack(bytes: &[u8]) -> Option<Vec<Happened>> {
    let mut from = Reader(bytes);
    let mut happened = Vec::new();
    while !from.is_empty() {
        happened.push(Happened {
            raw: from.raw()?,
            cause: CauseId(from.small()?),
        });
    }
    Some(happened)
}

/// Numbers as bytes.
#[derive(Default)]
pub(crate) struct Writer(pub Vec<u8>);

impl Writer {
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push((number & 0x7f).fit::<u8>() | 0x80);
            number >>= 7;
        }
        self.0.push(number.fit());
    }

    fn signed(&mut self, number: i64) {
        self.number(zigzag(number));
    }

    pub(crate) fn list<T: Copy + Into<i64>>(&mut self, numbers: &[T]) {
        self.number(numbers.len().fit());
        let mut rest = numbers;
        while let Some(first) = rest.first() {
            let first: i64 = (*first).into();
            self.signed(first);
            let zeros = match first {
                0 => rest.iter().take_while(|n| (**n).into() == 0).count(),
                _ => 1,
            };
            if first == 0 {
                self.number(zeros.fit());
            }
            rest = &rest[zeros..];
        }
    }

    fn raw(&mut self, raw: &Raw) {
        match raw {
            Raw::By(cause) => self.kind(Kind::By, cause.0),
            Raw::Phase { phase, args } => {
                self.kind(Kind::Phase, phase.0);
                self.list(args);
            }
            Raw::Ended { phase } => self.kind(Kind::Ended, phase.0),
            Raw::Kept(kept) => {
                self.kind(Kind::Kept, kept.phase.0);
                self.number(kept.var.into());
                self.number(kept.instance.into());
                self.list(&kept.value);
                self.number(kept.seen.wrapping_add(1).into());
            }
            Raw::Asked { ask, seats } => {
                self.kind(Kind::Asked, ask.0);
                self.number((*seats).into());
            }
            Raw::Move(made) => {
                self.kind(Kind::Move, made.mv.0);
                self.number(made.seat.into());
                self.number(made.ask.0.into());
                self.number((made.origin == Origin::Forced).into());
                self.list(&made.args);
                self.list(&made.plan);
                // Everybody is all bits, and the most frequent.
                let seen = made.seen.iter().map(|seats| seats.wrapping_add(1));
                self.list(&seen.collect::<Vec<u32>>());
            }
            Raw::Pieces {
                from,
                to,
                row,
                count,
                total,
                shown,
            } => {
                self.kind(Kind::Pieces, from.0);
                self.number(to.0.into());
                self.number((*row).into());
                self.signed((*count).into());
                self.signed((*total).into());
                self.number((*shown).into());
            }
            Raw::Counter { cell, from, to } => {
                self.kind(Kind::Counter, cell.0);
                self.signed((*from).into());
                self.signed((*to).into());
            }
            Raw::Marker { cell, to } => {
                self.kind(Kind::Marker, cell.0);
                self.signed((*to).into());
            }
            Raw::Shuffled { cell, order } => {
                self.kind(Kind::Shuffled, cell.0);
                self.list(order);
            }
            Raw::Raised { event, args } => {
                self.kind(Kind::Raised, event.0);
                self.list(args);
            }
            Raw::Due { ending } => self.kind(Kind::Due, ending.0),
            Raw::Over => self.kind(Kind::Over, 0),
        }
    }

    /// A kind, and the number that every kind begins with.
    #[expect(clippy::as_conversions, reason = "a kind as its byte")]
    fn kind(&mut self, kind: Kind, number: u32) {
        self.0.push(kind as u8);
        self.number(number.into());
    }
}

/// Kinds of [`Raw`] by their bytes.
#[derive(Clone, Copy)]
enum Kind {
    Phase,
    Move,
    Pieces,
    Counter,
    Marker,
    Shuffled,
    Raised,
    Due,
    Over,
    By,
    Ended,
    Kept,
    Asked,
}

impl Kind {
    const ALL: [Kind; 13] = [
        Kind::Phase,
        Kind::Move,
        Kind::Pieces,
        Kind::Counter,
        Kind::Marker,
        Kind::Shuffled,
        Kind::Raised,
        Kind::Due,
        Kind::Over,
        Kind::By,
        Kind::Ended,
        Kind::Kept,
        Kind::Asked,
    ];
}

/// Bytes that are still to be read. Whatever they are, reading them ends, takes no more room than a list
/// may have, and gives nothing that does not fit its type.
pub(crate) struct Reader<'a>(pub &'a [u8]);

/// Numbers of one list at most: zeros take hardly any bytes, so that bytes do not bound them.
const LONGEST: u64 = 1 << 20;

impl<'a> Reader<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes(1)?.first()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    fn signed<T: TryFrom<i64>>(&mut self) -> Option<T> {
        T::try_from(unzigzag(self.number()?)).ok()
    }

    pub(crate) fn list<T: TryFrom<i64> + Copy>(&mut self) -> Option<Vec<T>> {
        let length = usize::try_from(self.number().filter(|length| *length <= LONGEST)?).ok()?;
        let mut numbers = Vec::new();
        while numbers.len() < length {
            let number = unzigzag(self.number()?);
            let times = if number == 0 { self.small()? } else { 1 };
            if times == 0 || times > length - numbers.len() {
                return None;
            }
            numbers.extend(std::iter::repeat_n(T::try_from(number).ok()?, times));
        }
        Some(numbers)
    }

    fn raw(&mut self) -> Option<Raw> {
        let kind = Kind::ALL.get(usize::from(*self.bytes(1)?.first()?))?;
        let number = self.small()?;
        Some(match kind {
            Kind::Phase => Raw::Phase {
                phase: PhaseId(number),
                args: self.list()?,
            },
            Kind::Move => Raw::Move(Box::new(MadeMove {
                mv: MoveId(number),
                seat: self.small()?,
                ask: AskId(self.small()?),
                origin: match self.number()? {
                    0 => Origin::Player,
                    1 => Origin::Forced,
                    _ => return None,
                },
                args: self.list()?,
                plan: self.list()?,
                seen: {
                    let seen: Vec<u32> = self.list()?;
                    let seen = seen.into_iter().map(|seats| seats.wrapping_sub(1));
                    seen.collect()
                },
            })),
            Kind::Pieces => Raw::Pieces {
                from: Cell(number),
                to: Cell(self.small()?),
                row: self.small()?,
                count: self.signed()?,
                total: self.signed()?,
                shown: self.small()?,
            },
            Kind::Counter => Raw::Counter {
                cell: Cell(number),
                from: self.signed()?,
                to: self.signed()?,
            },
            Kind::Marker => Raw::Marker {
                cell: Cell(number),
                to: self.signed()?,
            },
            Kind::Shuffled => Raw::Shuffled {
                cell: Cell(number),
                order: self.list()?,
            },
            Kind::Raised => Raw::Raised {
                event: EventId(number),
                args: self.list()?,
            },
            Kind::Due => Raw::Due {
                ending: EndingId(number),
            },
            Kind::Over => Raw::Over,
            Kind::By => Raw::By(CauseId(number)),
            Kind::Ended => Raw::Ended {
                phase: PhaseId(number),
            },
            Kind::Kept => Raw::Kept(Box::new(Kept {
                phase: PhaseId(number),
                var: self.small()?,
                instance: self.small()?,
                value: self.list()?,
                seen: self.small::<u32>()?.wrapping_sub(1),
            })),
            Kind::Asked => Raw::Asked {
                ask: AskId(number),
                seats: self.small()?,
            },
        })
    }
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63).cast_unsigned()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut endless = Writer::default();
        endless.kind(Kind::Phase, 0);
        endless.number(u64::MAX);
        assert_eq!(unpack(&endless.0), None);
        let mut beyond = Writer::default();
        beyond.kind(Kind::Phase, 0);
        [2, 0, 3]
            .into_iter()
            .for_each(|number| beyond.number(number));
        assert_eq!(unpack(&beyond.0), None);
    }
}
