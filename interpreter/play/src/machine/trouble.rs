//! What can go wrong while a function runs.

/// Fuel of one condition or effect.
pub(crate) const FUEL: u64 = 1_000_000;

/// What went wrong, and at which instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What.
    pub kind: TroubleKind,
    /// The number of the instruction; [`NOWHERE`] if the machine itself ran into it.
    pub op: u32,
}

/// The number of no instruction.
const NOWHERE: u32 = u32::MAX;

/// Kinds of faults of a ruleset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum TroubleKind {
    Overflow,
    DivisionByZero,
    OutOfFuel,
    TooDeep,
    OutOfBounds,
    NotThere,
    Negative,
    EffectInQuery,
    NoWayOn,
    NoRoom,
    TooManyChoices,
    TrayNotEmpty,
    TooMuchWork,
}

impl TroubleKind {
    /// At no instruction: the machine itself ran into it.
    pub(crate) fn nowhere(self) -> Trouble {
        Trouble {
            kind: self,
            op: NOWHERE,
        }
    }

    /// What happened, for the author.
    pub fn message(self) -> &'static str {
        match self {
            TroubleKind::Overflow => {
                "a number left its range of 32 bits: bound it (`at most …`, `min`)"
            }
            TroubleKind::DivisionByZero => {
                "a division by zero: ask first whether there is anything to divide by"
            }
            TroubleKind::OutOfFuel => {
                "the script did not end within a million steps: it goes over tables within tables, or repeats what does not end"
            }
            TroubleKind::TooDeep => {
                "calls are nested too deeply: something calls itself, or follows from itself"
            }
            TroubleKind::OutOfBounds => {
                "an index is out of its range: is a `none` used as a row? ask first whether it `is not none`"
            }
            TroubleKind::NotThere => {
                "pieces were moved that are not there: ask first how many there are, or `draw` and `take` what there is"
            }
            TroubleKind::Negative => {
                "a counter would fall below zero, or a negative number of pieces was moved: ask first, or bound it with `max(0, …)`"
            }
            TroubleKind::EffectInQuery => "a query tried to change the table",
            TroubleKind::NoRoom => "more pieces were put on a pile than there is room for",
            TroubleKind::TooManyChoices => {
                "a choice has too many possibilities to be tried one by one"
            }
            TroubleKind::TrayNotEmpty => {
                "a phase ended while something lay in a place that lasts as long as the phase"
            }
            TroubleKind::TooMuchWork => {
                "from one question to the next there is more to be done than is allowed"
            }
            TroubleKind::NoWayOn => "the phase graph has no way on",
        }
    }
}
