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
mod item;
mod table;
mod words;

pub use changes::{Addition, Disable, Insertion, Moment, Replacement, Replacing};
pub use decisions::{
    Ask, AskEach, AskMode, BagLimit, MoveDecl, MoveDomain, MoveGroup, MoveParam, Need, Once,
    SpreadIndex, SpreadTarget,
};
pub use flow::{
    AnyTime, Body, Ending, Keep, Over, PlaysRow, Require, Score, Step, Trigger, Until, Watch,
    Winner,
};
pub use functions::{
    AggregateOp, BinaryOp, Contribution, EffectDecl, Expr, ExprKind, Layer, Query, QueryCase,
    Script, Statement, UnaryOp,
};
pub use item::{Component, Extension, File, Item, Phase};
pub use table::{Counter, Die, DieFaces, EventDecl, Marker, Place, RecordDecl, Sight, Visibility};
pub use words::{Cite, ManyKind, Name, Param, Path, Type};
