//! What players decide: questions, their moves, what may be chosen for a parameter.

use super::functions::{Expr, Script};
use super::words::{Cite, Name, Path, Type};
use crate::source::Span;

/// A question.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Who is asked.
    pub seats: Expr,
    /// How the question is closed.
    pub mode: AskMode,
    /// `sealed`: answers are shown together.
    pub sealed: bool,
    /// `never empty`: a promise that there is always a legal move.
    pub never_empty: bool,
    /// `at most n changes`
    pub bound: Option<(Expr, Option<Cite>)>,
    /// `each p from t where …`: each of the seats is asked and has this name.
    pub each: Option<AskEach>,
    /// `sees hand(q)`: what those asked are shown while they are asked.
    pub sees: Vec<Expr>,
    /// The moves offered to everyone asked, or by group.
    pub groups: Vec<MoveGroup>,
    /// The clause of the question.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// `each p from t where …` in a question.
#[derive(Clone, Debug)]
pub struct AskEach {
    /// The name of the seat.
    pub var: Name,
    /// `from`: clockwise from the seat; else (`in`) the seats are a set of players.
    pub clockwise: bool,
    /// `where …`
    pub filter: Option<Expr>,
}

/// How a question to several seats is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskMode {
    /// One seat.
    One,
    /// `all answer`
    AllAnswer,
    /// `first answers`
    FirstAnswers,
    /// `until a move closes it`
    UntilClosed,
}

/// `for p other than t` and its moves; without header for everyone asked.
#[derive(Clone, Debug)]
pub struct MoveGroup {
    /// The name that stands for the seat, and who: `for each p where …`, `for each p other than t`.
    pub who: Option<(Name, Option<Expr>)>,
    /// `for t`: the moves of this one seat.
    pub seat: Option<Expr>,
    /// The moves.
    pub moves: Vec<MoveDecl>,
}

/// A move.
#[derive(Clone, Debug)]
pub struct MoveDecl {
    /// Its name; `pass` is a name like any other.
    pub name: Name,
    /// `free move`: the question stays open after it.
    pub free: bool,
    /// Its parameters, in order.
    pub params: Vec<MoveParam>,
    /// `once per captain`
    pub once: Option<Once>,
    /// Its conditions.
    pub needs: Vec<Need>,
    /// `ensures …`: what must hold afterwards.
    pub ensures: Vec<Need>,
    /// What it does.
    pub effect: Option<Script>,
    /// `closes`, `closes -> fulfil(deal)`
    pub closes: Option<Option<(Path, Vec<Expr>)>>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// How often something may be chosen: `once per captain`.
#[derive(Clone, Debug)]
pub struct Once {
    /// The phase that forgets.
    pub phase: Path,
    /// The clause of a line of its own, `at most once per captain`; else that of what it limits says so.
    pub cite: Option<Cite>,
    /// The words that say it.
    pub span: Span,
}

/// A parameter of a move.
#[derive(Clone, Debug)]
pub struct MoveParam {
    /// Its name.
    pub name: Name,
    /// What may be chosen.
    pub domain: MoveDomain,
    /// `when …`: offered only then, else its default.
    pub when: Option<Expr>,
    /// `shown to t`: who learns what was chosen, beside those who see it anyway.
    pub shown: Option<Expr>,
    /// `openly` (true): everybody learns it; `secretly` (false): nobody, whatever can be seen of it.
    pub openly: Option<bool>,
    /// The whole parameter.
    pub span: Span,
}

/// What may be chosen for a parameter.
#[derive(Clone, Debug)]
pub enum MoveDomain {
    /// One value of a type; rows in their order, players from the asked one clockwise.
    Type(Type),
    /// `n: 1 to 3`
    Range(Expr, Expr),
    /// `paid: amount 0 to ducats(p) by coin`: a number chosen freely, in steps.
    Amount {
        from: Expr,
        to: Expr,
        step: Option<Expr>,
    },
    /// `left: bag of stock(p), <limits>`: some of what lies in a place.
    BagOf { place: Expr, limits: Vec<BagLimit> },
    /// `some: set of built(p), <limits>`: some of them, each once.
    SetOf { place: Expr, limits: Vec<BagLimit> },
    /// `two: sequence of hand(p), <limits>`: some of them in an order.
    SequenceOf { place: Expr, limits: Vec<BagLimit> },
    /// `plan: spread of idle(p) over staff(p, each building), fields(p, each tile), overflow idle(p)`
    Spread {
        pieces: Name,
        over: Vec<SpreadTarget>,
        overflow: Expr,
    },
    /// `version: offer(p)`: must repeat what is there now
    Same(Expr),
}

/// Which instances of a place a spread may fill: `staff(p, each building)`.
#[derive(Clone, Debug)]
pub struct SpreadTarget {
    /// The place.
    pub place: Name,
    /// Its index: an expression, or every value.
    pub index: Vec<SpreadIndex>,
    /// The whole target.
    pub span: Span,
}

/// One index of a spread's target.
#[derive(Clone, Debug)]
pub enum SpreadIndex {
    /// This one.
    One(Expr),
    /// `each building`
    Each(Name),
}

/// A limit on a bag.
#[derive(Clone, Debug)]
pub enum BagLimit {
    /// `at least n`
    AtLeast(Expr),
    /// `at most n`
    AtMost(Expr),
    /// `exactly n`
    Exactly(Expr),
    /// `all different`
    AllDifferent,
    /// `at most n loose beyond k kinds`: outside the k fullest kinds at most n pieces
    LooseBeyond { loose: Expr, kinds: Expr },
    /// `at most k kinds`
    Kinds(Expr),
    /// `such that <condition>`
    SuchThat(Expr),
    /// `without c`: one piece of this row stays where it is.
    Without(Expr),
}

/// `needs <condition> @clause`
#[derive(Clone, Debug)]
pub struct Need {
    /// What must hold.
    pub condition: Expr,
    /// `reveals`: its failure may show a hidden thing; `secretly`: only the mover learns why.
    pub reveals: bool,
    /// See `reveals`.
    pub secretly: bool,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}
