//! What every sentence is made of: names, paths, citations, types.

use std::fmt;

use crate::source::{Span, Spanned};

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

/// A typed name in a header: `p: player`.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
}

/// What a type that holds several things is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManyKind {
    /// Counts per row.
    Bag,
    /// Each row at most once.
    Set,
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
