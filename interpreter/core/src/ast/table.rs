//! What lies on the table: places, counters, markers, dice, records and events.

use super::functions::Expr;
use super::words::{Cite, Name, Param, Type};
use crate::source::Span;

/// The face of a place: who sees what lies there.
#[derive(Clone, Debug, Default)]
pub struct Visibility {
    /// `face down` (nobody), `seen by p` (the named index), or open.
    pub faces: Sight,
    /// `counted by p`, or open.
    pub count: Sight,
}

/// Who sees.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Sight {
    /// Everybody.
    #[default]
    Everybody,
    /// Only the player at this index of the place.
    Only(Name),
    /// Nobody.
    Nobody,
}

/// `place stack: pile of tile, face down  starts each t with pieces(t)`
#[derive(Clone, Debug)]
pub struct Place {
    /// Its name.
    pub name: Name,
    /// One place for each combination of these.
    pub index: Vec<Param>,
    /// Ordered, with a top; else only counts matter.
    pub pile: bool,
    /// The table whose pieces lie here.
    pub of: Name,
    /// Who sees.
    pub visibility: Visibility,
    /// `on city(p)`: the pieces lie on a piece of that place, which one of the indices says.
    pub lies_on: Option<Expr>,
    /// `room <expr>`: how many pieces fit, if bounded.
    pub room: Option<Expr>,
    /// `starts each t with <expr>`: how many of each row lie here at first.
    pub starts: Option<(Name, Expr)>,
    /// `refilled from discards`: when it runs dry, that place is shuffled into it.
    pub refilled: Option<Expr>,
    /// `endless`: it never runs dry.
    pub endless: bool,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// `record deal(payer: player, …)`: a bundle of values that has a name.
#[derive(Clone, Debug)]
pub struct RecordDecl {
    /// Its name; called with its fields in order it makes one.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<Param>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// `die production: 1 to 6`: its name gives what it shows; its first face before it is rolled.
#[derive(Clone, Debug)]
pub struct Die {
    /// Its name.
    pub name: Name,
    /// What stands on its faces.
    pub faces: DieFaces,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// What stands on the faces of a die.
#[derive(Clone, Debug)]
pub enum DieFaces {
    /// `1 to 6`: each number once.
    Range(Expr, Expr),
    /// `symbol, each s with faces(s)`: rows of a table, each as often as the expression says, else
    /// once.
    Rows(Name, Option<(Name, Expr)>),
}

/// `counter doubloons(p: player)  starts 3`
#[derive(Clone, Debug)]
pub struct Counter {
    /// Its name.
    pub name: Name,
    /// One counter for each combination of these.
    pub index: Vec<Param>,
    /// `counted by p`.
    pub sight: Sight,
    /// `at most <expr>`: a dial whose excess is lost.
    pub most: Option<Expr>,
    /// Initial value; zero if absent.
    pub starts: Option<Expr>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// `marker governor: player  starts first_player`
#[derive(Clone, Debug)]
pub struct Marker {
    /// Its name.
    pub name: Name,
    /// One marker for each combination of these.
    pub index: Vec<Param>,
    /// What it points at.
    pub ty: Type,
    /// `seen by p` or `face down`.
    pub sight: Sight,
    /// Initial value; `none` of an option, else required.
    pub starts: Option<Expr>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// `event loaded(p: player, n: int)`
#[derive(Clone, Debug)]
pub struct EventDecl {
    /// Its name.
    pub name: Name,
    /// What it carries.
    pub params: Vec<Param>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}
