//! The encoding of a history in few bytes: how a match keeps its past, and how it is saved.
//!
//! Numbers are written seven bits to a byte, the low ones first (as in Protocol Buffers), those that may
//! be negative in zigzag; a list is its length and its numbers, a run of zeros as a zero and how long it
//! is. These bytes last as long as the form of a saved match ([`FORM`](super::saved::FORM)), and no longer.

use crate::api::Origin;
use crate::numbers::Fit as _;
use crate::program::cell::Cell;
use crate::program::ids::{AskId, CauseId, EndingId, EventId, MoveId, PhaseId};
use crate::state::{Happened, Kept, MadeMove, Raw};

/// Encodes events, one after the other.
pub fn pack<'a>(happened: impl IntoIterator<Item = &'a Happened>) -> Vec<u8> {
    let mut out = Writer::default();
    for Happened { raw, cause } in happened {
        out.raw(raw);
        out.number(cause.0.into());
    }
    out.0
}

/// Decodes what was [packed](pack).
///
/// Returns `None` if the bytes are anything else.
pub fn unpack(bytes: &[u8]) -> Option<Vec<Happened>> {
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

/// A writer of numbers as bytes.
#[derive(Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// Writes a number.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push((number & 0x7f).fit::<u8>() | 0x80);
            number >>= 7;
        }
        self.0.push(number.fit());
    }

    fn signed(&mut self, number: i64) {
        self.number(zigzag(number));
    }

    /// Writes a list of numbers.
    pub fn list<T: Copy + Into<i64>>(&mut self, numbers: &[T]) {
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

/// A reader of bytes that a [`Writer`] may have written.
///
/// For any bytes, reading ends, takes no more room than a list may have, and returns no number that does not fit its type.
#[derive(Debug)]
pub struct Reader<'a>(pub &'a [u8]);

/// Numbers of one list at most: zeros take hardly any bytes, so that bytes do not bound them.
const LONGEST: u64 = 1 << 20;

impl<'a> Reader<'a> {
    /// Returns whether no bytes are left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads this number of bytes.
    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Reads a number.
    pub fn number(&mut self) -> Option<u64> {
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

    /// Reads a list of numbers.
    pub fn list<T: TryFrom<i64> + Copy>(&mut self) -> Option<Vec<T>> {
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
