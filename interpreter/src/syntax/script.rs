//! From the text of a script to statements of the tree.
//!
//! The only module that names Rhai. Rhai parses, nothing more: its own tree becomes ours, so that one
//! resolver and one compiler serve rules and scripts. What rules do not have (texts, closures, maps,
//! `return`, …) is refused here with a word on what to write instead.
//!
//! Rhai's positions are lines and columns without an end. Ends are found in the text: of names and
//! numbers by their characters, of calls by their closing bracket, of operations by their operands.
//!
//! Rhai's internals change from release to release; the version is pinned, and a test pins the trees.

use super::ast::{BinaryOp, Expr, ExprKind, Name, Script, Statement, UnaryOp};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{Sources, Span, Spanned};
use rhai::{
    ASTFlags, Engine, FnCallExpr, OptimizationLevel, ParseErrorType, Position, Stmt, StmtBlock,
};
use std::ops::{Range, RangeInclusive};

/// How long a script may be, in bytes.
const LENGTH: usize = 1 << 15;
/// How deeply Rhai may nest while it parses.
const DEPTH: usize = 64;

/// Parses a script; the span reaches from its opening to its closing brace.
///
/// What cannot be read or is not part of the language is reported and left out.
pub fn parse(sources: &Sources, span: Span, diagnostics: &mut Diagnostics) -> Script {
    let whole = sources.text(span);
    let empty = Script {
        statements: Vec::new(),
        span,
    };
    let Some(text) = whole.strip_prefix('{').and_then(|t| t.strip_suffix('}')) else {
        return empty;
    };
    if text.len() > LENGTH {
        diagnostics.push(
            Diagnostic::error(
                203,
                span.at_start(),
                format!("this script is longer than {LENGTH} characters"),
            )
            .help("divide it: write effects and call them"),
        );
        return empty;
    }
    let mut reader = Reader::new(
        text,
        Span {
            start: span.start + 1,
            end: span.end - 1,
            ..span
        },
        diagnostics,
    );
    let mut engine = Engine::new_raw();
    // Never a higher level: Rhai would run functions while it compiles and freeze their answers.
    engine.set_optimization_level(OptimizationLevel::None);
    engine.set_max_expr_depths(DEPTH, DEPTH);
    match engine.compile(text) {
        Ok(ast) => {
            if let Some(function) = ast.iter_functions().next() {
                reader.functions(function.name);
            }
            Script {
                statements: reader.statements(ast.statements().iter()),
                span,
            }
        }
        Err(error) => {
            reader.unreadable(error.err_type(), error.position());
            empty
        }
    }
}

/// Turns Rhai's tree into ours.
struct Reader<'a> {
    text: &'a str,
    /// Where the text stands.
    place: Span,
    /// Where each line of the text starts.
    lines: Vec<usize>,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, place: Span, diagnostics: &'a mut Diagnostics) -> Self {
        let lines = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(n, _)| n + 1))
            .collect();
        Reader {
            text,
            place,
            lines,
            diagnostics,
        }
    }

    // ------------------------------------------------------------------------------------- places

    /// The offset of a position in the text; the end of the text if Rhai does not say.
    fn offset(&self, position: Position) -> usize {
        let (Some(line), column) = (position.line(), position.position().unwrap_or(1)) else {
            return self.text.len();
        };
        let Some(&start) = self.lines.get(line - 1) else {
            return self.text.len();
        };
        let rest = &self.text[start..];
        start
            + rest
                .char_indices()
                .nth(column.saturating_sub(1))
                .map_or(rest.len(), |(n, _)| n)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span {
            start: self.place.start + start as u32,
            end: self.place.start + end as u32,
            ..self.place
        }
    }

    /// The word, number or sign at a position.
    fn token(&self, position: Position) -> Span {
        let start = self.offset(position);
        let rest = &self.text[start..];
        let word = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        let length = if word > 0 {
            word
        } else {
            rest.chars().next().map_or(0, char::len_utf8)
        };
        self.span(start, start + length)
    }

    fn name(&self, name: &str, position: Position) -> Name {
        let start = self.offset(position);
        Spanned::new(name.to_owned(), self.span(start, start + name.len()))
    }

    /// From a name to the bracket that closes its call.
    fn call_span(&self, name: Span) -> Span {
        let from = (name.end - self.place.start) as usize;
        let mut depth = 0usize;
        for (n, sign) in code(&self.text[from..]) {
            match sign {
                '(' => depth += 1,
                ')' if depth <= 1 => {
                    return Span {
                        end: name.end + n as u32 + 1,
                        ..name
                    };
                }
                ')' => depth -= 1,
                _ => {}
            }
        }
        name
    }

    /// A span widened to the parentheses that it cuts: operands may stand in some.
    fn balanced(&self, span: Span) -> Span {
        let start = (span.start - self.place.start) as usize;
        let end = (span.end - self.place.start) as usize;
        let (mut open, mut missing) = (0usize, 0usize);
        for (_, sign) in code(&self.text[start..end]) {
            match sign {
                '(' => open += 1,
                ')' if open == 0 => missing += 1,
                ')' => open -= 1,
                _ => {}
            }
        }
        let mut from = start;
        for _ in 0..missing {
            from = self.text[..from].rfind('(').unwrap_or(from);
        }
        let mut to = end;
        for _ in 0..open {
            to = code(&self.text[to..])
                .find(|(_, c)| *c == ')')
                .map_or(to, |(n, _)| to + n + 1);
        }
        self.span(from, to)
    }

    /// From a word to the end of the block that it governs.
    fn to_block_end(&self, start: Span, block: &StmtBlock) -> Span {
        match block.end_position() {
            end if end.is_none() => start,
            end => start.to(self.token(end)),
        }
    }

    // ----------------------------------------------------------------------------------- messages

    fn refuse(&mut self, span: Span, what: &str, mend: &str) {
        self.diagnostics
            .push(Diagnostic::error(202, span, format!("scripts have no {what}")).help(mend));
    }

    fn functions(&mut self, name: &str) {
        let start = code_word(self.text, "fn").unwrap_or(0);
        let (what, mend) = if name.starts_with("anon$") {
            (
                "closures",
                "write the loop out, or ask with a query: `any x in …`, `sum x in …`".to_owned(),
            )
        } else {
            (
                "functions of their own",
                format!("write `effect {name}(…)` or `query {name}(…)` among the rules"),
            )
        };
        let span = if name.starts_with("anon$") {
            let start = code(self.text)
                .find(|(_, c)| *c == '|')
                .map_or(0, |(n, _)| n);
            self.span(start, start + 1)
        } else {
            self.span(start, start + 2)
        };
        self.refuse(span, what, &mend);
    }

    fn unreadable(&mut self, error: &ParseErrorType, position: Position) {
        let span = self.token(position);
        let found = &self.text
            [(span.start - self.place.start) as usize..(span.end - self.place.start) as usize];
        if let Some((what, mend)) = foreign(found) {
            self.refuse(span, what, mend);
            return;
        }
        let (message, help) = match error {
            ParseErrorType::UnexpectedEOF => ("the script ends in the middle".to_owned(), None),
            ParseErrorType::MissingToken(token, _) if token == ";" => (
                "a statement is not ended".to_owned(),
                Some("put a `;` behind it"),
            ),
            ParseErrorType::MissingToken(token, _) if found.is_empty() => (
                format!("expected `{token}`, found the end of the script"),
                None,
            ),
            ParseErrorType::MissingToken(token, _) => {
                (format!("expected `{token}`, found `{found}`"), None)
            }
            ParseErrorType::ExprTooDeep => (
                "this script is nested too deeply".to_owned(),
                Some("divide it: write effects and call them"),
            ),
            ParseErrorType::Reserved(word) => (format!("`{word}` cannot be used in scripts"), None),
            ParseErrorType::VariableExpected => (format!("expected a name, found `{found}`"), None),
            ParseErrorType::ExprExpected(_) | ParseErrorType::BadInput(_) if !found.is_empty() => {
                (format!("`{found}` is not expected here"), None)
            }
            other => (lower(&other.to_string()), None),
        };
        let mut diagnostic = match error {
            ParseErrorType::ExprTooDeep => Diagnostic::error(203, span, message),
            _ => Diagnostic::error(201, span, message),
        };
        if let Some(help) = help.or_else(|| habit(found)) {
            diagnostic = diagnostic.help(help);
        }
        self.diagnostics.push(diagnostic);
    }

    // --------------------------------------------------------------------------------- statements

    fn statements<'s>(&mut self, statements: impl Iterator<Item = &'s Stmt>) -> Vec<Statement> {
        statements.filter_map(|s| self.statement(s)).collect()
    }

    fn statement(&mut self, statement: &Stmt) -> Option<Statement> {
        Some(match statement {
            Stmt::Noop(_) => return None,
            Stmt::Var(parts, flags, position) => {
                let (ident, value, _) = &**parts;
                let name = self.name(&ident.name, ident.pos);
                if flags.intersects(ASTFlags::CONSTANT) {
                    self.refuse(self.token(*position), "constants", "write `let`");
                    return None;
                }
                if matches!(value, rhai::Expr::Unit(_)) {
                    self.diagnostics.push(
                        Diagnostic::error(201, name.span, format!("`{}` has no value", ident.name))
                            .help(format!("write `let {} = …;`", ident.name)),
                    );
                    return None;
                }
                Statement::Let {
                    name,
                    value: self.expr(value)?,
                }
            }
            Stmt::Assignment(parts) => {
                let (op, sides) = &**parts;
                let rhai::Expr::Variable(variable, _, position) = &sides.lhs else {
                    let span = self.token(sides.lhs.start_position());
                    self.refuse(
                        span,
                        "assignment to a part of the table",
                        "only what `let` made can be assigned; write `set(…)`, `gain(…)`, `pay(…)` or `move(…)`",
                    );
                    return None;
                };
                let name = self.name(&variable.1, *position);
                let op = match op.get_op_assignment_info() {
                    None => None,
                    Some((.., syntax)) => match operator(syntax) {
                        Some(op) => Some(op),
                        None => {
                            self.refuse(
                                self.token(op.position()),
                                &format!("`{syntax}=`"),
                                "use + - * / %",
                            );
                            return None;
                        }
                    },
                };
                Statement::Assign {
                    name,
                    op,
                    value: self.expr(&sides.rhs)?,
                }
            }
            Stmt::If(flow, position) => {
                let start = self.token(*position);
                let condition = self.expr(&flow.expr);
                let then = self.statements(flow.body.iter());
                let otherwise = self.statements(flow.branch.iter());
                let end = if flow.branch.is_empty() {
                    &flow.body
                } else {
                    &flow.branch
                };
                // An `else if` is a branch without braces: its end is that of its own last block.
                let span = match otherwise.as_slice() {
                    [Statement::If { span, .. }] => start.to(*span),
                    _ => self.to_block_end(start, end),
                };
                Statement::If {
                    condition: condition?,
                    then,
                    otherwise,
                    span,
                }
            }
            Stmt::While(flow, position) => {
                let start = self.token(*position);
                let span = self.to_block_end(start, &flow.body);
                let condition = match &flow.expr {
                    rhai::Expr::Unit(_) => Some(Expr {
                        kind: ExprKind::Bool(true),
                        span: start,
                    }),
                    condition => self.expr(condition),
                };
                let body = self.statements(flow.body.iter());
                Statement::While {
                    condition: condition?,
                    body,
                    span,
                }
            }
            Stmt::For(parts, position) => {
                let (ident, counter, flow) = &**parts;
                let start = self.token(*position);
                let span = self.to_block_end(start, &flow.body);
                if let Some(counter) = counter {
                    self.refuse(
                        self.token(counter.pos),
                        "second name in a `for`",
                        "count with a `let` of your own",
                    );
                }
                let var = self.name(&ident.name, ident.pos);
                let over = self.expr(&flow.expr);
                let body = self.statements(flow.body.iter());
                Statement::For {
                    var,
                    over: over?,
                    body,
                    span,
                }
            }
            Stmt::BreakLoop(None, flags, position) => {
                let span = self.token(*position);
                if flags.intersects(ASTFlags::BREAK) {
                    Statement::Break(span)
                } else {
                    Statement::Continue(span)
                }
            }
            Stmt::FnCall(call, position) => Statement::Expr(self.call(call, *position)?),
            Stmt::Expr(expr) => Statement::Expr(self.expr(expr)?),
            other => {
                let (what, mend) = unsupported(other);
                let span = self.token(other.position());
                self.refuse(span, what, mend);
                return None;
            }
        })
    }

    // -------------------------------------------------------------------------------- expressions

    fn expr(&mut self, expr: &rhai::Expr) -> Option<Expr> {
        let position = expr.position();
        let token = self.token(position);
        Some(match expr {
            rhai::Expr::IntegerConstant(n, _) => {
                // A minus before a number is part of it.
                let start = self.offset(position);
                let rest = &self.text[start..];
                let sign = if rest.starts_with('-') {
                    rest.len() - rest[1..].trim_start().len()
                } else {
                    0
                };
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

    fn call(&mut self, call: &FnCallExpr, position: Position) -> Option<Expr> {
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
fn operator(sign: &str) -> Option<BinaryOp> {
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

/// Statements that rules do not have, and what to write instead.
fn unsupported(statement: &Stmt) -> (&'static str, &'static str) {
    match statement {
        Stmt::Return(_, flags, _) if flags.intersects(ASTFlags::BREAK) => (
            "`throw`",
            "what can fail is a condition: write it as `needs` of the move",
        ),
        Stmt::Return(..) => (
            "`return`",
            "an effect is done whole; put the rest into an `if`",
        ),
        Stmt::BreakLoop(..) => ("`break` with a value", "assign the value, then `break;`"),
        Stmt::Switch(..) => ("`switch`", "write a query by cases, or `if … else if …`"),
        Stmt::Do(..) => ("`do … while`", "write `while`"),
        Stmt::TryCatch(..) => (
            "`try`",
            "what can fail is a condition: write it as `needs` of the move",
        ),
        Stmt::Block(_) => ("blocks of their own", "leave the braces out"),
        _ => (
            "such statements",
            "use `let`, assignments, `if`, `for`, `while` and calls",
        ),
    }
}

/// Expressions that rules do not have, and what to write instead.
fn unsupported_expr(expr: &rhai::Expr) -> (&'static str, &'static str) {
    match expr {
        rhai::Expr::StringConstant(..)
        | rhai::Expr::InterpolatedString(..)
        | rhai::Expr::CharConstant(..) => (
            "texts",
            "name a row of a table; what players read is written in tables and clauses",
        ),
        rhai::Expr::Array(..) => (
            "lists in brackets",
            "keep things in places, or loop over a table",
        ),
        rhai::Expr::Map(..) => ("maps", "keep values in a counter or `keeps` with an index"),
        rhai::Expr::Index(..) => (
            "square brackets",
            "an index stands in round brackets: `stock(p)`",
        ),
        rhai::Expr::ThisPtr(_) => ("`this`", "name what is meant"),
        rhai::Expr::Coalesce(..) => ("`??`", "test with `== none` first"),
        rhai::Expr::Unit(_) => ("empty values", "write `none`"),
        _ => ("such values", "use numbers, names and calls"),
    }
}

/// Functions that Rhai treats in its own way.
fn magic(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "eval" => ("`eval`", "a script is fixed when the rules are read"),
        "Fn" | "call" | "curry" => ("function values", "call the query or effect by its name"),
        "is_def_var" | "is_def_fn" | "is_shared" | "type_of" => (
            "questions about themselves",
            "every name and type is known when the rules are read",
        ),
        "print" | "debug" => ("output", "raise an event: what happened is told by events"),
        _ => return None,
    })
}

/// What Rhai stumbles over because it is not even part of its reduced grammar here.
fn foreign(found: &str) -> Option<(&'static str, &'static str)> {
    Some(match found {
        "import" | "export" | "module" => (
            "imports",
            "names of all files of a package are known everywhere",
        ),
        "fn" | "private" => (
            "functions of their own",
            "write `effect …` or `query …` among the rules",
        ),
        "var" | "const" => ("such declarations", "write `let`"),
        "#" => ("`#`", "a comment in a script begins with `//`"),
        _ => return None,
    })
}

/// Words of rules that are written otherwise in scripts.
fn habit(found: &str) -> Option<&'static str> {
    Some(match found {
        "and" => "in scripts write `&&`",
        "or" => "in scripts write `||`",
        "not" => "in scripts write `!`",
        "is" => "in scripts write `==`, or `!=` for `is not`",
        "=" => "compare with `==`",
        "elif" | "elsif" | "elseif" => "write `else if`",
        _ => return None,
    })
}

/// A message of Rhai's in our manner: lower case, no period, words in backticks.
fn lower(message: &str) -> String {
    let mut text = message.trim_end_matches('.').replace('\'', "`");
    if let Some(first) = text.get(..1).map(str::to_lowercase) {
        text.replace_range(..1, &first);
    }
    text
}

/// The characters of a text that are neither comment nor string, with their offsets.
fn code(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut skip = 0;
    text.char_indices().filter(move |(n, c)| {
        if *n < skip {
            return false;
        }
        let rest = &text[*n..];
        if rest.starts_with("//") {
            skip = n + rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            skip = n + rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if matches!(c, '"' | '\'' | '`') {
            skip = n + 1 + rest[1..].find(*c).map_or(rest.len() - 1, |end| end + 1);
        }
        *n >= skip
    })
}

/// Where a word stands in the code of a text.
fn code_word(text: &str, word: &str) -> Option<usize> {
    code(text).map(|(n, _)| n).find(|n| {
        let rest = &text[*n..];
        rest.starts_with(word)
            && !rest[word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
            && !text[..*n].ends_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}
