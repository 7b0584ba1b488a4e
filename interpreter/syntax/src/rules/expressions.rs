//! Expressions, types and parameters.

use super::Reader;
use super::grammar::Rule;
use super::node::{Node, Parts};
use crate::ast::*;
use crate::depth::{DEPTH, depth};
use crate::diagnostic::Code;
use crate::source::Span;

impl Reader<'_> {
    /// A whole expression of a sentence.
    pub(super) fn expr(&mut self, node: Node) -> Expr {
        let expr = self.logic(node);
        if depth(&expr) > DEPTH {
            self.report(
                Code::ExcessiveNesting
                    .error(
                        expr.span,
                        format!("an expression is nested more than {DEPTH} deep"),
                    )
                    .help("give a part of this a name: write a query for it"),
            );
            return Expr {
                kind: ExprKind::None,
                span: expr.span,
            };
        }
        expr
    }

    /// The expression among the parts, which the grammar promises.
    pub(super) fn next_expr(&mut self, parts: &mut Parts) -> Expr {
        match parts.find(|n| matches!(n.rule(), Rule::expr | Rule::sum | Rule::domain)) {
            Some(node) if node.rule() == Rule::sum => self.sum(node),
            Some(node) if node.rule() == Rule::domain => self.domain(node),
            Some(node) => self.expr(node),
            None => self.missing(),
        }
    }

    /// The only expression of a node, such as the one behind `when`.
    pub(super) fn expr_of(&mut self, node: Node) -> Expr {
        let mut parts = node.parts();
        self.next_expr(&mut parts)
    }

    /// The grammar promises every part of a node.
    fn missing(&self) -> ! {
        unreachable!("the grammar promises a part that is not there")
    }

    fn logic(&mut self, node: Node) -> Expr {
        let mut parts = node.parts();
        let Some(first) = parts.next() else {
            self.missing();
        };
        let mut open = trailing_test(&first);
        let mut left = self.negation(first);
        let mut seen: Option<(BinaryOp, Span)> = None;
        while let (Some(sign), Some(right)) = (parts.next(), parts.next()) {
            let op = if sign.rule() == Rule::k_and {
                BinaryOp::And
            } else {
                BinaryOp::Or
            };
            if let Some(aggregate) = open {
                self.report(
                    Code::AmbiguousAggregateBody.error(sign.span(), format!("`{}` behind `{}` needs parentheses", sign.text(), aggregate.1))
                        .also(aggregate.0, format!("does `{}` belong to this?", sign.text()))
                        .help(format!(
                            "put the whole `({} …)` into parentheses, or the condition behind its colon",
                            aggregate.1
                        )),
                );
            }
            match seen {
                Some((earlier, place)) if earlier != op => {
                    self.report(
                        Code::MixedLogicalOperators
                            .error(sign.span(), "`and` and `or` are mixed without parentheses")
                            .also(place, "the other one")
                            .help(
                                "say which belongs together: `(a and b) or c`, or `a and (b or c)`",
                            ),
                    );
                }
                _ => seen = Some((op, sign.span())),
            }
            open = trailing_test(&right);
            let right = self.negation(right);
            left = binary(op, left, right);
        }
        left
    }

    fn negation(&mut self, node: Node) -> Expr {
        let span = node.span();
        let mut nots = Vec::new();
        let mut inner = None;
        for part in node.parts() {
            match part.rule() {
                Rule::k_not => nots.push(part.span()),
                _ => inner = Some(self.comparison(part)),
            }
        }
        let mut expr = inner.unwrap_or(Expr {
            kind: ExprKind::None,
            span,
        });
        for not in nots.into_iter().rev() {
            let span = not.to(expr.span);
            expr = Expr {
                kind: ExprKind::Unary(UnaryOp::Not, Box::new(expr)),
                span,
            };
        }
        expr
    }

    fn comparison(&mut self, node: Node) -> Expr {
        let mut parts = node.parts();
        let Some(first) = parts.next() else {
            self.missing();
        };
        let mut left = self.sum(first);
        let mut seen: Option<Span> = None;
        while let (Some(sign), Some(right)) = (parts.next(), parts.next()) {
            let place = sign.span();
            let right = match right.rule() {
                Rule::domain => self.domain(right),
                _ => self.sum(right),
            };
            if let Some(earlier) = seen.replace(place) {
                self.report(
                    Code::ChainedComparison
                        .error(place, "two comparisons in a row")
                        .also(earlier, "the first one")
                        .help("compare twice and join with `and`: `a < b and b < c`"),
                );
            }
            left = self.compared(sign, left, right);
        }
        left
    }

    fn compared(&mut self, sign: Node, left: Expr, right: Expr) -> Expr {
        let span = left.span.to(right.span);
        let Some(sign) = sign.parts().next() else {
            return left;
        };
        let op = match sign.rule() {
            Rule::k_is | Rule::is_not => {
                let negated = sign.rule() == Rule::is_not;
                let kind = ExprKind::Is {
                    value: Box::new(left),
                    negated,
                    other: Box::new(right),
                };
                return Expr { kind, span };
            }
            Rule::k_in | Rule::not_in => {
                let negated = sign.rule() == Rule::not_in;
                let kind = ExprKind::In {
                    value: Box::new(left),
                    negated,
                    domain: Box::new(right),
                };
                return Expr { kind, span };
            }
            Rule::s_unequal => BinaryOp::NotEqual,
            Rule::s_at_most => BinaryOp::LessEqual,
            Rule::s_at_least => BinaryOp::GreaterEqual,
            Rule::s_less => BinaryOp::Less,
            Rule::s_more => BinaryOp::Greater,
            _ => BinaryOp::Equal,
        };
        binary(op, left, right)
    }

    /// A sum; products are sums of one.
    pub(super) fn sum(&mut self, node: Node) -> Expr {
        let mut parts = node.parts();
        let Some(first) = parts.next() else {
            self.missing();
        };
        let mut left = self.product(first);
        while let (Some(sign), Some(right)) = (parts.next(), parts.next()) {
            let op = if sign.rule() == Rule::s_plus {
                BinaryOp::Add
            } else {
                BinaryOp::Subtract
            };
            let right = self.product(right);
            left = binary(op, left, right);
        }
        left
    }

    fn product(&mut self, node: Node) -> Expr {
        let mut parts = node.parts();
        let Some(first) = parts.next() else {
            self.missing();
        };
        let mut left = self.factor(first);
        while let (Some(sign), Some(right)) = (parts.next(), parts.next()) {
            let op = match sign.rule() {
                Rule::s_times => BinaryOp::Multiply,
                Rule::s_divide => BinaryOp::Divide,
                _ => BinaryOp::Remainder,
            };
            let right = self.factor(right);
            left = binary(op, left, right);
        }
        left
    }

    fn factor(&mut self, node: Node) -> Expr {
        let span = node.span();
        let mut signs = Vec::new();
        let mut inner = None;
        for part in node.parts() {
            match part.rule() {
                Rule::s_minus => signs.push(part.span()),
                _ => inner = Some(self.chain(part)),
            }
        }
        let mut expr = inner.unwrap_or(Expr {
            kind: ExprKind::None,
            span,
        });
        for sign in signs.into_iter().rev() {
            let span = sign.to(expr.span);
            expr = match expr.kind {
                ExprKind::Int(n) if n > 0 => Expr {
                    kind: ExprKind::Int(-n),
                    span,
                },
                _ => Expr {
                    kind: ExprKind::Unary(UnaryOp::Minus, Box::new(expr)),
                    span,
                },
            };
        }
        expr
    }

    fn chain(&mut self, node: Node) -> Expr {
        let mut parts = node.parts();
        let Some(first) = parts.next() else {
            self.missing();
        };
        let mut base = self.primary(first);
        while let Some(name) = parts.find_rule(Rule::name) {
            let args = parts.next_if(Rule::args);
            let end = args.as_ref().map_or(name.span(), Node::span);
            let span = base.span.to(end);
            let args = args.map(|a| self.args(a));
            base = Expr {
                kind: ExprKind::Dot {
                    base: Box::new(base),
                    name: name.name(),
                    args,
                },
                span,
            };
        }
        base
    }

    fn primary(&mut self, node: Node) -> Expr {
        let Some(node) = node.parts().next() else {
            self.missing();
        };
        let span = node.span();
        let kind = match node.rule() {
            Rule::test_aggregate | Rule::sum_aggregate | Rule::pick_aggregate => {
                return self.aggregate(node);
            }
            Rule::grouped => {
                let inner = self.expr_of(node);
                // The parentheses belong to the place of what they hold together.
                return Expr { span, ..inner };
            }
            Rule::int => ExprKind::Int(self.int(&node)),
            Rule::truth => ExprKind::Bool(node.text() == "true"),
            Rule::k_none => ExprKind::None,
            Rule::possible => match node.parts().find_rule(Rule::path) {
                Some(path) => ExprKind::Possible(path.path()),
                None => ExprKind::None,
            },
            Rule::each => match node.parts().find_rule(Rule::name) {
                Some(name) => ExprKind::Each(name.name()),
                None => ExprKind::None,
            },
            Rule::call => {
                let mut parts = node.parts();
                let Some(name) = parts.find_rule(Rule::name) else {
                    self.missing();
                };
                let args = parts
                    .find_rule(Rule::args)
                    .map(|a| self.args(a))
                    .unwrap_or_default();
                ExprKind::Call {
                    name: name.name(),
                    args,
                }
            }
            _ => ExprKind::Name(node.text().to_owned()),
        };
        Expr { kind, span }
    }

    fn aggregate(&mut self, node: Node) -> Expr {
        let span = node.span();
        let mut op = AggregateOp::Any;
        let mut var = None;
        let mut domain = None;
        let mut filter = None;
        let mut body = None;
        for part in node.parts() {
            match part.rule() {
                Rule::k_any => op = AggregateOp::Any,
                Rule::k_all => op = AggregateOp::All,
                Rule::k_sum => op = AggregateOp::Sum,
                Rule::k_max => op = AggregateOp::Max,
                Rule::k_min => op = AggregateOp::Min,
                Rule::k_count => op = AggregateOp::Count,
                Rule::k_first => op = AggregateOp::First,
                Rule::name => var = Some(part.name()),
                Rule::domain => domain = Some(self.domain(part)),
                Rule::filter => filter = Some(Box::new(self.expr_of(part))),
                Rule::negation => body = Some(Box::new(self.negation(part))),
                Rule::sum => body = Some(Box::new(self.sum(part))),
                _ => {}
            }
        }
        let (Some(var), Some(domain)) = (var, domain) else {
            self.missing();
        };
        Expr {
            kind: ExprKind::Aggregate {
                op,
                var,
                domain: Box::new(domain),
                filter,
                body,
            },
            span,
        }
    }

    /// What an aggregate or a step runs over: a table, a set, or `1 to 4`.
    pub(super) fn domain(&mut self, node: Node) -> Expr {
        let span = node.span();
        let mut sums = node
            .parts()
            .all(Rule::sum)
            .map(|n| self.sum(n))
            .collect::<Vec<_>>()
            .into_iter();
        match (sums.next(), sums.next()) {
            (Some(from), Some(to)) => Expr {
                kind: ExprKind::Range {
                    from: Box::new(from),
                    to: Box::new(to),
                    inclusive: true,
                },
                span,
            },
            (Some(only), None) => only,
            _ => self.missing(),
        }
    }

    /// The arguments of a call.
    pub(super) fn args(&mut self, node: Node) -> Vec<Expr> {
        node.parts().all(Rule::expr).map(|n| self.expr(n)).collect()
    }

    /// A whole number.
    pub(super) fn int(&mut self, node: &Node) -> i64 {
        let digits: String = node.text().chars().filter(|c| *c != '_').collect();
        match digits.parse::<i64>() {
            Ok(n) => n,
            Err(_) => {
                self.report(
                    Code::LiteralOverflow
                        .error(node.span(), "this number is too large")
                        .help(format!("the largest number is {}", i64::MAX)),
                );
                0
            }
        }
    }

    /// A type as written.
    pub(super) fn ty(&mut self, node: Node) -> Type {
        let Some(node) = node.parts().next() else {
            return Type::Named(self.nameless());
        };
        let span = node.span();
        match node.rule() {
            Rule::option_type => match node.parts().find_rule(Rule::ty) {
                Some(inner) => Type::Option(Box::new(self.ty(inner)), span),
                None => Type::Named(self.nameless()),
            },
            rule @ (Rule::bag_type | Rule::set_type) => {
                let kind = if rule == Rule::bag_type {
                    ManyKind::Bag
                } else {
                    ManyKind::Set
                };
                let of = node.parts().find_rule(Rule::name).map(|n| n.name());
                Type::Many(kind, of.unwrap_or_else(|| self.nameless()), span)
            }
            Rule::list_type => {
                let mut parts = node.parts();
                let of = parts.find_rule(Rule::name).map(|n| n.name());
                let most = parts.find_rule(Rule::int).map_or(0, |n| self.int(&n));
                Type::List(of.unwrap_or_else(|| self.nameless()), most, span)
            }
            Rule::record_type => match node.parts().find_rule(Rule::params) {
                Some(params) => Type::Record(self.params(params), span),
                None => Type::Record(Vec::new(), span),
            },
            _ => Type::Named(node.name()),
        }
    }

    /// The parameters of a header.
    pub(super) fn params(&mut self, node: Node) -> Vec<Param> {
        let mut params: Vec<Param> = Vec::new();
        for param in node.parts().all(Rule::param) {
            let mut parts = param.parts();
            let (Some(name), Some(ty)) = (parts.find_rule(Rule::name), parts.find_rule(Rule::ty))
            else {
                continue;
            };
            let name = self.declared(name.name());
            if let Some(first) = params.iter().find(|p| p.name.node == name.node) {
                let first = first.name.span;
                self.twice(name.span, first, &format!("the parameter `{}`", name.node));
            }
            let ty = self.ty(ty);
            params.push(Param { name, ty });
        }
        params
    }
}

/// Joins two operands.
fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr {
        kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
        span,
    }
}

/// The `any` or `all` with which an operand ends without parentheses: its place and its word.
fn trailing_test<'i>(node: &Node<'i>) -> Option<(Span, &'i str)> {
    let mut node = node.clone();
    loop {
        match node.rule() {
            Rule::test_aggregate => {
                let word = node.text().split_whitespace().next().unwrap_or("any");
                return Some((node.span(), word));
            }
            // Closed by parentheses, or not an expression that could end in one.
            Rule::grouped | Rule::call | Rule::args | Rule::possible => return None,
            _ => {}
        }
        node = node.parts().last()?;
    }
}
