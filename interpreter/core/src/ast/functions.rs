//! What is computed and done: queries with their contributions, effects, scripts, expressions.

use super::words::{Cite, Name, Param, Path, Type};
use crate::source::Span;

/// A named piece of script that effects may call: `effect award(p: player, n: int): do { … }`.
#[derive(Clone, Debug)]
pub struct EffectDecl {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What it does.
    pub script: Script,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// A pure function, by cases.
#[derive(Clone, Debug)]
pub struct Query {
    /// Written `hint …`: what a position is worth to a player. For players that need nobody; rules may not ask it.
    pub hint: bool,
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What it gives.
    pub ty: Type,
    /// `when … -> …`, in order; the first true one decides.
    pub cases: Vec<QueryCase>,
    /// `otherwise -> …`, or the expression after `=`.
    pub otherwise: QueryCase,
    /// `at least …`
    pub least: Option<(Expr, Option<Cite>)>,
    /// `at most …`
    pub most: Option<(Expr, Option<Cite>)>,
    /// The clause of the whole.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// One case of a query.
#[derive(Clone, Debug)]
pub struct QueryCase {
    /// Its condition; none in `otherwise`.
    pub when: Option<Expr>,
    /// Its value.
    pub value: Expr,
    /// Its clause.
    pub cite: Option<Cite>,
}

/// A named change of a query from elsewhere: `modify price(p, b) by -1 when p is holder`.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// Its own name, if written (`modify … as discount`); a component's contribution is named after it.
    pub name: Option<Name>,
    /// The query.
    pub query: Path,
    /// Names that stand for the query's parameters, in order.
    pub args: Vec<Name>,
    /// What it does.
    pub layer: Layer,
    /// Its condition.
    pub when: Option<Expr>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// Fixed layers in which contributions apply.
#[derive(Clone, Debug)]
pub enum Layer {
    /// `becomes 5`
    Becomes(Expr),
    /// `by -1`
    By(Expr),
    /// `times 2`
    Times(Expr),
    /// `at least 0`
    AtLeast(Expr),
    /// `at most 7`
    AtMost(Expr),
    /// `allow …`
    Allow,
    /// `forbid …`
    Forbid,
}

/// A script, parsed.
#[derive(Clone, Debug)]
pub struct Script {
    /// Its statements.
    pub statements: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

/// A statement of a script.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `let n = …;`
    Let { name: Name, value: Expr },
    /// `n = …;`, `n += …;` (with the operator)
    Assign {
        name: Name,
        op: Option<BinaryOp>,
        value: Expr,
    },
    /// `if … { } else { }`
    If {
        condition: Expr,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
        span: Span,
    },
    /// `while … { }`
    While {
        condition: Expr,
        body: Vec<Statement>,
        span: Span,
    },
    /// `for g in goods { }`
    For {
        var: Name,
        over: Expr,
        body: Vec<Statement>,
        span: Span,
    },
    /// `break;`
    Break(Span),
    /// `continue;`
    Continue(Span),
    /// A verb or a query called.
    Expr(Expr),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it was written.
    pub span: Span,
}

/// Kinds of expression, common to both notations.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `3`
    Int(i64),
    /// `true`
    Bool(bool),
    /// `none`
    None,
    /// `p`
    Name(String),
    /// `fits(p, s, g)`
    Call { name: Name, args: Vec<Expr> },
    /// `x.f` and `x.f(y)`: a row of a table (`role.library`), a query of a phase
    /// (`captain.fits(…)`), a field of a record, or `f(x, y)`
    Dot {
        base: Box<Expr>,
        name: Name,
        args: Option<Vec<Expr>>,
    },
    /// `not x`, `-x`
    Unary(UnaryOp, Box<Expr>),
    /// `x + y`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `x in S`, `x not in S`; in a script `x in 1..4`
    In {
        value: Box<Expr>,
        negated: bool,
        domain: Box<Expr>,
    },
    /// `x is y`, `x is not y`
    Is {
        value: Box<Expr>,
        negated: bool,
        other: Box<Expr>,
    },
    /// `max o in ships where …: fits(p, o, g)`
    Aggregate {
        op: AggregateOp,
        var: Name,
        domain: Box<Expr>,
        filter: Option<Box<Expr>>,
        body: Option<Box<Expr>>,
    },
    /// `if … { … } else { … }` in a script
    If {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// `possible(load)`: some move of this name is legal for the player asked
    Possible(Path),
    /// `1..4` and `1..=4` in scripts; `1 to 4` in rules (inclusive)
    Range {
        from: Box<Expr>,
        to: Box<Expr>,
        inclusive: bool,
    },
    /// `size(stock(p))`-like calls on every index: `each good`
    Each(Name),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `not x`
    Not,
    /// `-x`
    Minus,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

/// `any`, `all`, … over a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateOp {
    /// Some member satisfies the body.
    Any,
    /// Every member satisfies the body.
    All,
    /// The sum of the body.
    Sum,
    /// How many members satisfy the filter.
    Count,
    /// The greatest body; zero of an empty domain.
    Max,
    /// The least body; zero of an empty domain.
    Min,
    /// The first member that satisfies the filter, or `none`.
    First,
}
