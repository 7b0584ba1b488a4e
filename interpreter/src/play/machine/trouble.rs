//! What can go wrong while a function runs.

/// Fuel of one condition or effect.
pub(crate) const FUEL: u64 = 1_000_000;

/// What went wrong, and at which instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What.
    pub kind: TroubleKind,
    /// The number of the instruction.
    pub op: u32,
}

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
        Trouble { kind: self, op: 0 }
    }

    /// What happened, for the author.
    pub(crate) fn message(self) -> &'static str {
        match self {
            TroubleKind::Overflow => "a number left its range of 32 bits",
            TroubleKind::DivisionByZero => "a division by zero",
            TroubleKind::OutOfFuel => "the script did not end within its fuel",
            TroubleKind::TooDeep => "calls are nested too deeply",
            TroubleKind::OutOfBounds => "an index is out of its range (a `none` used as a row?)",
            TroubleKind::NotThere => "pieces were moved that are not there",
            TroubleKind::Negative => {
                "a counter would fall below zero, or a negative number of pieces was moved"
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
