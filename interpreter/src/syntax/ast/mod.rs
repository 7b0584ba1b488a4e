//! The tree of a `.rules` file, as written: names are not resolved, nothing is typed.
//!
//! The tree says what the grammar (`grammar/rules.pest`) says and no more; every node knows its
//! span. Scripts (`do { … }`) are parsed by Rhai and arrive here in the same expression tree
//! ([`Statement`]), so that one resolver serves both notations.

#![allow(
    missing_docs,
    reason = "the parts of a variant are explained with the variant"
)]

mod changes;
mod decisions;
mod flow;
mod functions;
mod table;

use std::fmt;

use crate::source::{Span, Spanned};

pub use changes::{
    Addition, Component, Disable, Extension, Insertion, Moment, Replacement, Replacing,
};
pub use decisions::{
    Ask, AskEach, AskMode, BagLimit, MoveDecl, MoveDomain, MoveGroup, MoveParam, SpreadIndex,
    SpreadTarget,
};
pub use flow::{
    AnyTime, Body, Ending, Keep, Need, Over, Phase, PlaysRow, Require, Score, Step, Trigger, Until,
    Watch, Winner,
};
pub use functions::{
    AggregateOp, BinaryOp, Contribution, EffectDecl, Expr, ExprKind, Layer, Query, QueryCase,
    Script, Statement, UnaryOp,
};
pub use table::{
    Counter, Die, DieFaces, EventDecl, ManyKind, Marker, Place, RecordDecl, Sight, Visibility,
};

/// A name as written.
pub type Name = Spanned<String>;

/// A dotted path, such as `captain.loading.load`.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The parts between the dots; never empty.
    pub parts: Vec<Name>,
    /// From the first part to the last.
    pub span: Span,
}

/// A citation of a rulebook clause: `@captain.must-load`.
pub type Cite = Spanned<String>;

/// Everything one `.rules` file says.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// The items in the order in which they are written.
    pub items: Vec<Item>,
    /// Every citation in it, also of sentences that could not be read.
    pub cites: Vec<Cite>,
}

/// One top-level sentence.
#[derive(Clone, Debug)]
pub enum Item {
    /// `place stock(p: player) of good …`
    Place(Place),
    /// `counter doubloons(p: player) …`
    Counter(Counter),
    /// `marker governor: player …`
    Marker(Marker),
    /// `event loaded(p: player, n: int)`
    Event(EventDecl),
    /// `query price(p: player, b: building): int …`
    Query(Query),
    /// `modify`, `allow`, `forbid`
    Contribution(Contribution),
    /// `on loaded(p, n): do { … }`
    Trigger(Trigger),
    /// `effect award(p: player, n: int): do { … }`
    Effect(EffectDecl),
    /// `phase captain(holder: player) …`
    Phase(Phase),
    /// `ending city_full …`
    Ending(Ending),
    /// `score chips for p: …`
    Score(Score),
    /// `winner most score(p), then most …`
    Winner(Winner),
    /// `require …`
    Require(Require),
    /// `building wharf for p when active` and what is indented below it
    Component(Component),
    /// `in captain.loading:` with the moves it adds
    Addition(Addition),
    /// `extend builder.build with helper: bool …`
    Extension(Extension),
    /// `before captain.storing:`, `after …`, `at start of …`, with steps or an effect
    Insertion(Insertion),
    /// `replace captain.storing:` with the new step
    Replacement(Replacement),
    /// `disable captain.storing`
    Disable(Disable),
    /// `record deal(payer: player, …)`
    Record(RecordDecl),
    /// `die production: 1 to 6`
    Die(Die),
    /// `when … becomes true for each p: …`
    Watch(Watch),
    /// `at any time` with the free moves it adds to every question
    AnyTime(AnyTime),
}

/// A typed name in a header: `p: player`.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
}

/// A type as written.
#[derive(Clone, Debug)]
pub enum Type {
    /// `int`, `bool`, `player`, or the name of a table.
    Named(Name),
    /// `option good`
    Option(Box<Type>, Span),
    /// `bag of good`, `set of good`
    Many(ManyKind, Name, Span),
    /// `list of good at most 3`
    List(Name, i64, Span),
    /// `record(payer: player, …)` or the name of a declared record
    Record(Vec<Param>, Span),
}

impl fmt::Display for Type {
    /// As an author writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Named(name) => f.write_str(&name.node),
            Type::Option(inner, _) => write!(f, "option {inner}"),
            Type::Many(ManyKind::Bag, name, _) => write!(f, "bag of {}", name.node),
            Type::Many(ManyKind::Set, name, _) => write!(f, "set of {}", name.node),
            Type::List(name, most, _) => write!(f, "list of {} at most {most}", name.node),
            Type::Record(params, _) => {
                f.write_str("record(")?;
                for (i, param) in params.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    write!(f, "{comma}{}: {}", param.name.node, param.ty)?;
                }
                f.write_str(")")
            }
        }
    }
}
