//! In which order a state is written, worked out once for a ruleset, so that writing a state is one walk over its cells.
//!
//! Names are kept as they are written (CBOR texts), and everything that is written as a map is sorted by them.

use std::ops::{Deref, Range};

use super::cell::Cell;
use super::ids::*;
use super::tree::Ty;
use crate::source::Id;

/// A name as it is written. Most are short: those are written in one piece of fixed length, which takes no call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The name, then zeros, if it is short; else its beginning.
    piece: [u8; PIECE],
    whole: Box<[u8]>,
}

/// Bytes of a piece.
const PIECE: usize = 32;

impl Name {
    /// Returns a name from its encoding.
    pub fn of(whole: Box<[u8]>) -> Name {
        let mut piece = [0; PIECE];
        let short = whole.len().min(PIECE);
        piece[..short].copy_from_slice(&whole[..short]);
        Name { piece, whole }
    }

    /// Writes it.
    #[inline]
    pub fn write(&self, out: &mut Vec<u8>) {
        let length = self.whole.len();
        if length <= PIECE {
            let at = out.len();
            out.extend_from_slice(&self.piece);
            out.truncate(at + length);
        } else {
            out.extend_from_slice(&self.whole);
        }
    }

    /// Writes it and a byte behind it in one piece, if it is short; else nothing. Tells whether it did.
    #[inline]
    pub fn write_with(&self, out: &mut Vec<u8>, byte: u8) -> bool {
        let length = self.whole.len();
        let short = length < PIECE;
        if short {
            let at = out.len();
            out.extend_from_slice(&self.piece);
            // Not into a copy of the piece: reading that, just after one byte of it was written, stalls.
            out[at + length] = byte;
            out.truncate(at + length + 1);
        }
        short
    }
}

impl Deref for Name {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.whole
    }
}

/// Things with names, in the order of these. The names stand apart: most things hold nothing, and a walk over them need not
/// come near what they are called.
#[derive(Clone, Debug)]
pub struct Named<T> {
    names: Vec<Name>,
    things: Vec<T>,
}

impl<T> Named<T> {
    /// In whatever order they come. Of names that are alike the first stands first.
    pub fn of(mut all: Vec<(Name, T)>) -> Named<T> {
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        let (names, things) = all.into_iter().unzip();
        Named { names, things }
    }

    /// Returns the names, sorted.
    pub fn names(&self) -> &[Name] {
        &self.names
    }

    /// In the order of [`names`](Self::names).
    pub fn things(&self) -> &[T] {
        &self.things
    }

    /// Returns an iterator over names and things.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &T)> {
        self.names.iter().zip(&self.things)
    }
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Named {
            names: Vec::new(),
            things: Vec::new(),
        }
    }
}

/// In which order a state is written.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How many seats there are.
    pub players: u8,
    /// By table: rows as they are written, by number.
    pub rows: IndexVec<TableId, Vec<Name>>,
    /// By table: the numbers of its rows and their names, in the order of these.
    pub sorted: IndexVec<TableId, Vec<(u32, Name)>>,
    /// Places whose contents change, sorted by name.
    pub places: Vec<Place>,
    /// Neighbours among them that are instances of one declaration.
    pub runs: Vec<Run>,
    /// Counters and their cells.
    pub counters: Named<Cell>,
    /// Markers, their cells and types.
    pub markers: Named<(Cell, Ty)>,
    /// Purposes of chance, and the cells that count the words drawn.
    pub chance: Named<Cell>,
    /// Dice, each with the first cell of what is rolled next, how many cells that has, and the type of a face.
    pub dice: Named<(Cell, u32, Ty)>,
    /// What is done once, its first cell, and how many seats it is remembered for; zero is for all together.
    pub once: Named<(Cell, u8)>,
    /// Watches likewise, with their numbers.
    pub watches: Named<(Cell, u8, WatchId)>,
    /// Phases by number.
    pub phases: IndexVec<PhaseId, Phase>,
    /// Where play can stand, by node of the phase graph.
    pub positions: IndexVec<NodeId, Position>,
    /// The first cell of what waits for phases that follow events.
    pub agenda: Option<Cell>,
    /// Events by number.
    pub events: IndexVec<EventId, Event>,
    /// Steps that ask, by question.
    pub asks: IndexVec<AskId, Name>,
    /// Names of endings by number.
    pub endings: IndexVec<EndingId, Name>,
    /// Records by number.
    pub records: IndexVec<RecordId, Record>,
}

/// A place.
#[derive(Clone, Debug)]
pub struct Place {
    /// Name with its index.
    pub name: Name,
    /// The number of its declaration.
    pub of: PlaceId,
    /// First cell.
    pub base: Cell,
    /// How many cells it has.
    pub width: u32,
    /// Table of its pieces.
    pub table: TableId,
    /// Whether it is a pile.
    pub pile: bool,
}

/// Places that stand behind each other and change together.
#[derive(Clone, Debug)]
pub struct Run {
    /// Which, by number.
    pub places: Range<usize>,
    /// The first cell of the first.
    pub cell: Cell,
}

/// A phase, and what is its own.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Name.
    pub name: Name,
    /// What it was given and what it keeps, instance by instance.
    pub values: Vec<Variable>,
    /// What its steps remember, by step.
    pub steps: Vec<Step>,
    /// Where its cells lie while it is visited again: the first cell, and the cells of a visit.
    pub saved: Option<(Cell, u32)>,
}

/// Something with a name that is a phase's own.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name.
    pub name: Name,
    /// First cell.
    pub base: Cell,
    /// Type.
    pub ty: Ty,
    /// Where it lies among the phase's cells that are kept while it is visited again.
    pub kept: Option<u32>,
}

/// A step, and what it remembers while it is under way.
#[derive(Clone, Debug)]
pub struct Step {
    /// Name.
    pub name: Name,
    /// Full address.
    pub address: Id,
    /// Parts of it that are remembered.
    pub parts: Vec<Part>,
}

/// Something that a step remembers.
#[derive(Clone, Debug)]
pub struct Part {
    /// Name.
    pub name: Name,
    /// First cell.
    pub base: Cell,
    /// Kind of value.
    pub kind: PartKind,
    /// Offset among the cells of the phase that are kept while it is visited again.
    pub kept: Option<u32>,
}

/// What a step remembers, as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum PartKind {
    /// A value.
    Value(Ty),
    /// The seats of which it is so.
    Seats(u8),
    /// The numbers, from 1, of which it is so.
    Numbers(u32),
    /// The seats to which this question stands open.
    Open(AskId, u8),
    /// How many answers to this question did not close it.
    Answers(AskId),
}

/// A point of the course of play.
#[derive(Clone, Debug)]
pub struct Position {
    /// Name.
    pub name: Name,
    /// Phase it belongs to.
    pub phase: PhaseId,
    /// The steps under way there, by number among those of the phase that remember something, in their order.
    pub under_way: Vec<usize>,
    /// Question that is asked there.
    pub ask: Option<AskId>,
    /// Play goes on there with what waits after an event.
    pub follows: bool,
}

/// An event that rules raise.
#[derive(Clone, Debug)]
pub struct Event {
    /// Name.
    pub name: Name,
    /// Types of its arguments.
    pub args: Vec<Ty>,
}

/// Parts of a record in the order of their names: each with its first number among all.
#[derive(Clone, Debug)]
pub struct Record {
    /// Name, first number and type of each part.
    pub parts: Vec<(Name, usize, Ty)>,
}
