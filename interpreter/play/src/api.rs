//! What a match says to the world: moves, questions, events, views, refusals.
//!
//! These types are self-describing: every row, place, move and phase is named by its id, and
//! [`Ruleset`](crate::Ruleset) gives the names for people. The machine itself works on
//! compact numbers; the translation happens at this border and nowhere else. Everything a seat may
//! see is built by [`Match::view`](super::Match::view), [`Match::question`](super::Match::question) and
//! [`Match::events`](super::Match::events), filtered for its [`Audience`].

pub use crate::program::causes::Cause;
pub use crate::program::value::{PlaceRef, RowRef, Seat, Share, Value};
pub use crate::source::Id;

/// Who looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Audience {
    /// A seated player: the public table and that player's own secrets.
    Seat(Seat),
    /// Anybody: the public table.
    Spectator,
    /// The referee itself: everything. Never sent to a client of a running match.
    Referee,
}

/// A move as a client submits it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The move's name in its question, such as `load`; module moves have names of their own.
    pub name: Id,
    /// Its arguments by parameter name, in the order of the parameters.
    pub args: Vec<(Id, Value)>,
}

/// A question that waits for a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Changes whenever what this seat is asked changes: the question, or what it can answer. Questions of a
    /// match that ask something else, or ask it once more, have other numbers.
    pub number: u64,
    /// Who is asked.
    pub seat: Seat,
    /// The step that asks: `captain.loading`.
    pub step: Id,
    /// The clause of the question, if it has one.
    pub cite: Option<Id>,
    /// The legal moves, grouped by their fixed arguments; never empty.
    pub offers: Vec<Offer>,
}

/// A legal move with its fixed arguments and what remains to be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Offer {
    /// The move's name.
    pub name: Id,
    /// Its clause.
    pub cite: Option<Id>,
    /// Arguments that are fixed in this offer.
    pub fixed: Vec<(Id, Value)>,
    /// Parameters that remain open.
    pub open: Vec<OpenParameter>,
    /// How many complete moves this offer stands for; absent if they are too many to count.
    pub completions: Option<u128>,
    /// Whether the question stays open after it.
    pub free: bool,
}

/// A parameter that is chosen freely within limits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenParameter {
    /// Its name.
    pub name: Id,
    /// What may be chosen.
    pub domain: OpenDomain,
    /// What may be chosen depends on the other open parameters: `domain` is told for when nothing is
    /// chosen for those.
    pub depends: bool,
}

/// What may be chosen for an open parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OpenDomain {
    /// A number.
    Amount {
        /// The least.
        from: i64,
        /// No more than this.
        to: i64,
        /// From one to the next.
        step: i64,
    },
    /// One of these.
    Values(Vec<Value>),
    /// Some of these pieces.
    Bag {
        /// The table of the pieces.
        table: Id,
        /// How many of each row can be chosen at most.
        available: Vec<(Id, u32)>,
        /// Least and greatest number of pieces in all.
        size: (u32, u32),
        /// Outside the `kinds` fullest kinds at most `loose` pieces.
        loose_beyond: Option<(u32, u32)>,
        /// At most so many kinds.
        kinds: Option<u32>,
        /// The places from which they come, as far as the rules say so plainly: the place itself, or those whose pieces a
        /// query counts.
        sources: Vec<PlaceRef>,
    },
    /// These pieces over these places; all must be placed, the overflow only takes what does not fit.
    Spread {
        /// The pieces to place.
        pieces: Vec<(RowRef, u32)>,
        /// The places with their room.
        over: Vec<(PlaceRef, u32)>,
        /// Where the rest goes.
        overflow: PlaceRef,
    },
}

/// Why a move is refused. The state is untouched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What kind of refusal.
    pub reason: RefusalReason,
    /// The clause that forbids it, if a rule does.
    pub clause: Option<Id>,
    /// The condition that failed, as the ruleset writes it.
    pub condition: Option<String>,
    /// What failed where that is no condition of the ruleset's own; `condition` says it as well, in English.
    pub limit: Option<Limit>,
    /// Values that the condition compared, and what the names in it stand for, as far as the asker may see them.
    pub values: Vec<Compared>,
    /// Legal moves near the refused one.
    pub alternatives: Vec<Move>,
}

/// What keeps a move from being legal, beside the conditions that a ruleset writes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "a variant's text explains its fields")]
pub enum Limit {
    /// Only while this phase is under way.
    Under { phase: Id },
    /// This question has no such move; that of this step has.
    Elsewhere { step: Id },
    /// Once until this phase begins again: the move, or a choice within it.
    Once { phase: Id, choice: Option<Chosen> },
    /// After so many answers only moves that close the question are left.
    Answers { most: i64 },
    /// This choice is not offered now.
    NotOffered(Chosen),
    /// This must repeat what is there, and something else is there now.
    NotThere(Chosen),
    /// This is more, less or other than can be chosen; by which bound, as far as one says it.
    Outside(Chosen, Option<Bound>),
}

/// A bound that a choice is outside of: what was asked for, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "a variant's text explains its fields")]
pub enum Bound {
    /// A number between two others, in steps from the first; nothing if the second is less than the first.
    Number {
        asked: i64,
        from: i64,
        to: i64,
        step: i64,
    },
    /// Pieces of one kind: more than there are to choose from.
    Kind {
        of: RowRef,
        asked: u32,
        available: u32,
    },
    /// Pieces in all; no most if any number may be chosen.
    Pieces {
        asked: u64,
        least: u32,
        most: Option<u32>,
    },
    /// Kinds of pieces.
    Kinds { asked: u64, most: u32 },
    /// Pieces outside the fullest kinds, of which there may be so many.
    Loose { asked: u64, most: u32, kinds: u32 },
    /// Pieces for one place: more than it has room for.
    Room {
        place: PlaceRef,
        asked: u32,
        room: u32,
    },
    /// Pieces that are placed, of so many that must be while there is room.
    Unplaced { placed: u32, due: u32 },
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Bound::Number { from, to, .. } if to < from => f.write_str("nothing can be chosen"),
            Bound::Number {
                asked, from, to, ..
            } if from == to => write!(f, "{asked} asked for, exactly {from} allowed"),
            Bound::Number {
                asked,
                from,
                to,
                step,
            } => {
                write!(f, "{asked} asked for, {from} to {to} allowed")?;
                match step {
                    1 => Ok(()),
                    step => write!(f, " in steps of {step}"),
                }
            }
            Bound::Kind {
                of,
                asked,
                available,
            } => write!(
                f,
                "{asked} {} asked for, {available} to choose from",
                of.row
            ),
            Bound::Pieces { asked, least, most } => match most {
                Some(most) if most == least => {
                    write!(f, "{asked} asked for, exactly {most} allowed")
                }
                Some(most) => write!(f, "{asked} asked for, {least} to {most} allowed"),
                None => write!(f, "{asked} asked for, at least {least} allowed"),
            },
            Bound::Kinds { asked, most } => {
                write!(f, "{asked} kinds asked for, at most {most} allowed")
            }
            Bound::Loose { asked, most, kinds } => write!(
                f,
                "{asked} outside the {kinds} fullest kinds asked for, at most {most} allowed"
            ),
            Bound::Room { place, asked, room } => {
                write!(
                    f,
                    "{asked} asked for `{}`, which has room for {room}",
                    place.name
                )
            }
            Bound::Unplaced { placed, due } => {
                write!(
                    f,
                    "{placed} placed, {due} must be, as there is room for them"
                )
            }
        }
    }
}

/// What was chosen for a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The parameter.
    pub name: Id,
    /// What was chosen.
    pub value: Value,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Limit::Elsewhere { step } => write!(f, "only where `{step}` asks"),
            Limit::Under { phase } => write!(f, "only while `{phase}` is under way"),
            Limit::Once { phase, choice } => {
                if let Some(choice) = choice {
                    write!(f, "`{}`: ", choice.name)?;
                }
                write!(f, "once per {phase}")
            }
            Limit::Answers { most } => write!(f, "at most {most} changes"),
            Limit::NotOffered(choice) => {
                write!(f, "`{}`: this choice is not offered now", choice.name)
            }
            Limit::NotThere(choice) => {
                write!(f, "`{}`: this is not what is there now", choice.name)
            }
            Limit::Outside(choice, bound) => {
                write!(f, "`{}`: this choice is outside of its limits", choice.name)?;
                match bound {
                    Some(bound) => write!(f, ": {bound}"),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Something that a condition read, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The expression, as the ruleset writes it.
    pub expression: String,
    /// What it is.
    pub subject: Subject,
    /// Its value.
    pub value: Value,
}

/// What is found among several things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// How many there are.
    Count,
    /// Their sum.
    Sum,
    /// The greatest.
    Most,
    /// The least.
    Least,
}

/// What an expression of a condition is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "a variant's text explains its fields")]
pub enum Subject {
    /// A parameter or a variable of the condition.
    Name(Id),
    /// A place, a counter, a marker, or what a phase keeps; of a place how many pieces lie there.
    Site(PlaceRef),
    /// How many pieces of a kind lie in a place.
    Pieces(PlaceRef, RowRef),
    /// What a table says of a row.
    Cell { column: Id, row: RowRef },
    /// What a query gives.
    Query { query: Id, args: Vec<Value> },
    /// A number that the rules say.
    Number,
    /// Two numbers added (`+`), subtracted (`-`) or multiplied (`*`).
    Operation {
        sign: char,
        sides: Box<[Compared; 2]>,
    },
    /// How many there are, their sum, the greatest or the least.
    Aggregate(Found),
    /// Something else that is put together.
    Expression,
}

/// Kinds of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusalReason {
    /// The match is over.
    MatchOver,
    /// This seat is not asked anything.
    NotAsked,
    /// There is no such move in this question.
    UnknownMove,
    /// An argument is missing, unknown, or of the wrong type.
    MalformedArgument,
    /// A rule forbids it.
    Forbidden,
}

/// Who made a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The player.
    Player,
    /// The referee: the only legal move.
    Forced,
}

/// Something that happened, as one audience sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "a variant's text explains its fields")]
pub enum Event {
    /// A phase began.
    PhaseBegan { phase: Id, args: Vec<(Id, Value)> },
    /// A phase ended.
    PhaseEnded { phase: Id },
    /// What a phase keeps changed since somebody was asked last; an absent value is secret. A phase begins with what it
    /// declares.
    Kept { kept: PlaceRef, to: Option<Value> },
    /// These seats are asked now, as far as everybody sees it, and were not before, or by another step.
    Asked { step: Id, seats: Vec<Seat> },
    /// A move was made.
    Moved {
        seat: Seat,
        step: Id,
        mv: Move,
        origin: Origin,
    },
    /// Pieces went from place to place. `row` and `count` are absent where the audience sees neither
    /// end's faces or counts.
    Pieces {
        from: PlaceRef,
        to: PlaceRef,
        row: Option<RowRef>,
        count: Option<u32>,
    },
    /// A counter changed; absent values are secret.
    Counter {
        counter: PlaceRef,
        from: Option<i64>,
        to: Option<i64>,
    },
    /// A marker was set.
    Marker { marker: PlaceRef, to: Option<Value> },
    /// A pile was shuffled.
    Shuffled { pile: PlaceRef, size: u32 },
    /// The ruleset raised an event.
    Raised { event: Id, args: Vec<(Id, Value)> },
    /// An ending became due.
    EndingDue { ending: Id, cite: Option<Id> },
    /// The match is over.
    Over {
        ending: Id,
        scores: Vec<ScoreSheet>,
        winners: Vec<Seat>,
    },
}

/// Something that happened, as one audience sees it, with its place among all that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening<'a> {
    /// Its place, from zero.
    pub at: usize,
    /// What happened.
    pub event: Event,
    /// The rule that brought it, where one did.
    pub cause: Option<&'a Cause>,
}

/// The score of one seat, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreSheet {
    /// Whose.
    pub seat: Seat,
    /// Lines that apply: name, points, clause.
    pub lines: Vec<ScoreLine>,
    /// Their sum.
    pub total: i64,
    /// Values of the tie-break criteria, in order.
    pub tie_breaks: Vec<i64>,
}

/// A line of a score sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreLine {
    /// Its name.
    pub name: Id,
    /// Its points.
    pub points: i64,
    /// Its clause.
    pub cite: Option<Id>,
}

/// The table as one audience sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Who looks.
    pub audience: Audience,
    /// Phases and steps under way, outermost first, with the arguments of each phase.
    pub phases: Vec<(Id, Vec<(Id, Value)>)>,
    /// Every place.
    pub places: Vec<PlaceView>,
    /// Every counter and its value; absent is secret.
    pub counters: Vec<(PlaceRef, Option<i64>)>,
    /// Every marker and what it points at; absent is secret.
    pub markers: Vec<(PlaceRef, Option<Value>)>,
    /// What phases under way keep (`bargaining.offered(p2)`), outermost first; absent is secret.
    pub kept: Vec<(PlaceRef, Option<Value>)>,
    /// Seats that are asked something.
    pub waiting: Vec<Seat>,
    /// The step that asks them.
    pub asking: Option<Id>,
    /// What everybody would score now, by the lines that hang on nothing hidden; empty once the match is over.
    pub scores: Vec<ScoreSheet>,
    /// The outcome, once the match is over.
    pub outcome: Option<Outcome>,
}

/// A place as one audience sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceView {
    /// Which.
    pub place: PlaceRef,
    /// The table of its pieces.
    pub table: Id,
    /// Whether it is ordered (the first of `contents` is its top).
    pub pile: bool,
    /// Whether it never runs dry; what lies here is then not counted.
    pub endless: bool,
    /// How many pieces lie here; absent is secret, or endless.
    pub size: Option<u32>,
    /// Counts per row, or runs from the top of a pile; absent is secret.
    pub contents: Option<Vec<(Id, u32)>>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The ending's name.
    pub ending: Id,
    /// Its clause.
    pub cite: Option<Id>,
    /// The sheets, by seat.
    pub scores: Vec<ScoreSheet>,
    /// The winner, or several who share the win.
    pub winners: Vec<Seat>,
}
