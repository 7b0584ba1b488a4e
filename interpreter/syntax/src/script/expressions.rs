//! From Rhai's expressions to ours.

use super::Reader;
use super::refusals::{magic, unsupported, unsupported_expr};
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::depth::{DEPTH, depth};
use crate::source::Span;
use rhai::{ASTFlags, FnCallExpr, Position, Stmt, StmtBlock};
use std::ops::{Range, RangeInclusive};

impl Reader<'_> {
    /// An expression that a statement holds.
    pub(super) fn whole_expr(&mut self, expr: &rhai::Expr) -> Option<Expr> {
        let expr = self.expr(expr)?;
        if depth(&expr) > DEPTH {
            self.too_deep(expr.span);
            return None;
        }
        Some(expr)
    }

    fn expr(&mut self, expr: &rhai::Expr) -> Option<Expr> {
        let position = expr.position();
        let token = self.token(position);
        Some(match expr {
            rhai::Expr::IntegerConstant(n, _) => {
                // A minus before a number is part of it.
                let start = self.offset(position);
                let rest = &self.text[start..];
                let sign = rest
                    .strip_prefix('-')
                    .map_or(0, |number| rest.len() - number.trim_start().len());
                let digits = rest[sign..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
                let end = digits.map_or(self.text.len(), |n| start + sign + n);
                Expr {
                    kind: ExprKind::Int(*n),
                    span: self.span(start, end),
                }
            }
            rhai::Expr::BoolConstant(b, _) => Expr {
                kind: ExprKind::Bool(*b),
                span: token,
            },
            rhai::Expr::Variable(variable, ..) => {
                let kind = if variable.1 == "none" {
                    ExprKind::None
                } else {
                    ExprKind::Name(variable.1.to_string())
                };
                Expr { kind, span: token }
            }
            rhai::Expr::DynamicConstant(value, _) => return self.range(value, position),
            rhai::Expr::And(operands, _) => return self.joined(BinaryOp::And, operands),
            rhai::Expr::Or(operands, _) => return self.joined(BinaryOp::Or, operands),
            rhai::Expr::FnCall(call, position) => return self.call(call, *position),
            rhai::Expr::Dot(sides, flags, position) => {
                if flags.intersects(ASTFlags::NEGATED) {
                    self.refuse(
                        self.token(*position),
                        "`?.`",
                        "test with `is none` in a query first",
                    );
                }
                let base = self.expr(&sides.lhs)?;
                return self.dotted(base, &sides.rhs);
            }
            rhai::Expr::Stmt(block) => return self.block(block, token),
            other => {
                let (what, mend) = unsupported_expr(other);
                self.refuse(token, what, mend);
                return None;
            }
        })
    }

    /// `1..4` whose ends are both numbers, which Rhai has already made into one value.
    fn range(&mut self, value: &rhai::Dynamic, position: Position) -> Option<Expr> {
        let (from, to, inclusive) =
            if let Some(range) = value.clone().try_cast::<Range<rhai::INT>>() {
                (range.start, range.end, false)
            } else if let Some(range) = value.clone().try_cast::<RangeInclusive<rhai::INT>>() {
                (*range.start(), *range.end(), true)
            } else {
                self.refuse(self.token(position), "such values", "use numbers and names");
                return None;
            };
        let span = self.token(position);
        let int = |n| {
            Box::new(Expr {
                kind: ExprKind::Int(n),
                span,
            })
        };
        Some(Expr {
            kind: ExprKind::Range {
                from: int(from),
                to: int(to),
                inclusive,
            },
            span,
        })
    }

    /// Several operands of `&&` or `||`, which Rhai keeps side by side.
    fn joined(&mut self, op: BinaryOp, operands: &[rhai::Expr]) -> Option<Expr> {
        let mut operands = operands
            .iter()
            .map(|e| self.expr(e))
            .collect::<Option<Vec<_>>>()?
            .into_iter();
        let first = operands.next()?;
        Some(operands.fold(first, |left, right| self.binary(op, left, right)))
    }

    fn binary(&self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let span = self.balanced(left.span.to(right.span));
        Expr {
            kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
            span,
        }
    }

    /// What follows a dot; Rhai nests chains to the right, our tree to the left.
    fn dotted(&mut self, base: Expr, rest: &rhai::Expr) -> Option<Expr> {
        match rest {
            rhai::Expr::Dot(sides, ..) => {
                let base = self.dotted(base, &sides.lhs)?;
                self.dotted(base, &sides.rhs)
            }
            rhai::Expr::Property(property, position) => {
                let name = self.name(&property.2, *position);
                let span = base.span.to(name.span);
                Some(Expr {
                    kind: ExprKind::Dot {
                        base: Box::new(base),
                        name,
                        args: None,
                    },
                    span,
                })
            }
            rhai::Expr::MethodCall(call, position) => {
                let name = self.name(&call.name, *position);
                let span = base.span.to(self.call_span(name.span));
                let args = Some(self.args(call)?);
                Some(Expr {
                    kind: ExprKind::Dot {
                        base: Box::new(base),
                        name,
                        args,
                    },
                    span,
                })
            }
            other => {
                let (what, mend) = unsupported_expr(other);
                let span = self.token(other.position());
                self.refuse(span, what, mend);
                None
            }
        }
    }

    fn args(&mut self, call: &FnCallExpr) -> Option<Vec<Expr>> {
        // Every argument is read, so that several mistakes are reported.
        let args: Vec<Option<Expr>> = call.args.iter().map(|e| self.expr(e)).collect();
        args.into_iter().collect()
    }

    pub(super) fn call(&mut self, call: &FnCallExpr, position: Position) -> Option<Expr> {
        let name = call.name.as_str();
        if call.op_token.is_some() {
            return self.operation(call, position);
        }
        if let Some((what, mend)) = magic(name) {
            self.refuse(self.token(position), what, mend);
            return None;
        }
        let token = self.token(position);
        // `x in S` arrives as `contains(S, x)` at the word `in`.
        if name == rhai::OP_CONTAINS && self.text[self.offset(position)..].starts_with("in") {
            return self.contained(call, false);
        }
        if call.capture_parent_scope {
            self.refuse(token, "`!` behind a call", "call it without");
            return None;
        }
        let args = self.args(call)?;
        let name = self.name(name, position);
        let span = self.call_span(name.span);
        Some(Expr {
            kind: ExprKind::Call { name, args },
            span,
        })
    }

    fn contained(&mut self, call: &FnCallExpr, negated: bool) -> Option<Expr> {
        let [domain, value] = &*call.args else {
            return None;
        };
        let (domain, value) = (self.expr(domain)?, self.expr(value)?);
        let span = self.balanced(value.span.to(domain.span));
        Some(Expr {
            kind: ExprKind::In {
                value: Box::new(value),
                negated,
                domain: Box::new(domain),
            },
            span,
        })
    }

    fn operation(&mut self, call: &FnCallExpr, position: Position) -> Option<Expr> {
        let sign = self.token(position);
        match (call.name.as_str(), &*call.args) {
            (rhai::OP_CONTAINS, _) => self.contained(call, false),
            ("!", [rhai::Expr::FnCall(inner, at)])
                if inner.name == rhai::OP_CONTAINS
                    && self.text[self.offset(*at)..].starts_with("!in") =>
            {
                self.contained(inner, true)
            }
            (name @ ("!" | "-"), [operand]) => {
                let op = if name == "!" {
                    UnaryOp::Not
                } else {
                    UnaryOp::Minus
                };
                let operand = self.expr(operand)?;
                let span = self.balanced(sign.to(operand.span));
                Some(Expr {
                    kind: ExprKind::Unary(op, Box::new(operand)),
                    span,
                })
            }
            ("+", [operand]) => self.expr(operand),
            (name @ (".." | "..="), [from, to]) => {
                let (from, to) = (self.expr(from)?, self.expr(to)?);
                let span = self.balanced(from.span.to(to.span));
                let inclusive = name == "..=";
                Some(Expr {
                    kind: ExprKind::Range {
                        from: Box::new(from),
                        to: Box::new(to),
                        inclusive,
                    },
                    span,
                })
            }
            (name, [left, right]) => match operator(name) {
                Some(op) => {
                    let (left, right) = (self.expr(left), self.expr(right));
                    Some(self.binary(op, left?, right?))
                }
                None => {
                    self.refuse(
                        sign,
                        &format!("operator `{name}`"),
                        "use + - * / %, comparisons, && and ||",
                    );
                    None
                }
            },
            (name, _) => {
                self.refuse(
                    sign,
                    &format!("operator `{name}`"),
                    "use + - * / %, comparisons, && and ||",
                );
                None
            }
        }
    }

    /// A block that stands for a value: only `if` gives one, and each of its branches one value.
    fn block(&mut self, block: &StmtBlock, token: Span) -> Option<Expr> {
        match block.statements() {
            [Stmt::If(flow, position)] => {
                let start = self.token(*position);
                let condition = self.expr(&flow.expr);
                let then = self.branch(&flow.body, start);
                let (otherwise, end) = if flow.branch.is_empty() {
                    self.refuse(
                        start,
                        "`if` without `else` where a value stands",
                        "say what it is otherwise: `else { … }`",
                    );
                    (None, &flow.body)
                } else {
                    (self.branch(&flow.branch, start), &flow.branch)
                };
                let (condition, then, otherwise) = (condition?, then?, otherwise?);
                let span = self.to_block_end(start, end).to(otherwise.span);
                let kind = ExprKind::If {
                    condition: Box::new(condition),
                    then: Box::new(then),
                    otherwise: Box::new(otherwise),
                };
                Some(Expr { kind, span })
            }
            [Stmt::Expr(expr)] => self.expr(expr),
            [Stmt::FnCall(call, position)] => self.call(call, *position),
            statements => {
                let (what, mend) = match statements.first() {
                    Some(
                        first @ (Stmt::Switch(..) | Stmt::While(..) | Stmt::For(..) | Stmt::Do(..)),
                    ) => unsupported(first),
                    _ => (
                        "blocks that give a value",
                        "give the value a name with `let` first",
                    ),
                };
                self.refuse(token, what, mend);
                None
            }
        }
    }

    fn branch(&mut self, block: &StmtBlock, start: Span) -> Option<Expr> {
        match block.statements() {
            [Stmt::Expr(expr)] => self.expr(expr),
            [Stmt::FnCall(call, position)] => self.call(call, *position),
            [Stmt::If(..)] => self.block(block, start),
            _ => {
                let span = match block.position() {
                    position if position.is_none() => start,
                    position => self.token(position),
                };
                self.refuse(
                    span,
                    "branches of several statements where a value stands",
                    "each branch of such an `if` holds one value; compute it before",
                );
                None
            }
        }
    }
}

/// The operator of rules for one of Rhai.
pub(super) fn operator(sign: &str) -> Option<BinaryOp> {
    Some(match sign {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Subtract,
        "*" => BinaryOp::Multiply,
        "/" => BinaryOp::Divide,
        "%" => BinaryOp::Remainder,
        "==" => BinaryOp::Equal,
        "!=" => BinaryOp::NotEqual,
        "<" => BinaryOp::Less,
        "<=" => BinaryOp::LessEqual,
        ">" => BinaryOp::Greater,
        ">=" => BinaryOp::GreaterEqual,
        _ => return None,
    })
}
