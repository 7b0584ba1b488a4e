//! From Rhai's statements to ours.

use super::Reader;
use super::expressions::operator;
use super::refusals::unsupported;
use crate::ast::{Expr, ExprKind, Statement};
use crate::diagnostic::Code;
use rhai::{ASTFlags, Stmt};

impl Reader<'_> {
    pub(super) fn statements<'s>(
        &mut self,
        statements: impl Iterator<Item = &'s Stmt>,
    ) -> Vec<Statement> {
        statements.filter_map(|s| self.statement(s)).collect()
    }

    pub(super) fn statement(&mut self, statement: &Stmt) -> Option<Statement> {
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
                        Code::MalformedScript
                            .error(name.span, format!("`{}` has no value", ident.name))
                            .help(format!("write `let {} = …;`", ident.name)),
                    );
                    return None;
                }
                Statement::Let {
                    name,
                    value: self.whole_expr(value)?,
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
                    value: self.whole_expr(&sides.rhs)?,
                }
            }
            Stmt::If(flow, position) => {
                let start = self.token(*position);
                let condition = self.whole_expr(&flow.expr);
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
                    condition => self.whole_expr(condition),
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
                let over = self.whole_expr(&flow.expr);
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
            Stmt::Expr(expr) => Statement::Expr(self.whole_expr(expr)?),
            other => {
                let (what, mend) = unsupported(other);
                let span = self.token(other.position());
                self.refuse(span, what, mend);
                return None;
            }
        })
    }
}
