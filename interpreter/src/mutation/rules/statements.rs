//! What scripts do.

use super::super::Operator;
use super::super::mutant::Edit;
use super::Planter;
use crate::numbers::{At as _, Fit as _};
use crate::source::Span;
use crate::syntax::ast::{Script, Statement};

impl Planter<'_> {
    pub(super) fn script(&mut self, script: &Script) {
        let outer = self.is_script;
        self.is_script = true;
        self.statements(&script.statements);
        self.is_script = outer;
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            let sentence = self.sentence;
            self.sentence = head(statement);
            self.statement(statement);
            self.sentence = sentence;
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let { value, .. } => return self.value(value),
            Statement::Assign { value, .. } | Statement::Expr(value) => self.value(value),
            Statement::If {
                condition,
                then,
                otherwise,
                ..
            } => {
                self.condition(condition);
                self.statements(then);
                self.statements(otherwise);
            }
            Statement::While {
                condition, body, ..
            } => {
                self.condition(condition);
                self.statements(body);
            }
            Statement::For { over, body, .. } => {
                self.value(over);
                self.statements(body);
            }
            Statement::Break(_) | Statement::Continue(_) => {}
        }
        self.dropped(whole(statement));
    }

    fn dropped(&mut self, span: Span) {
        // The semicolon goes with what it ends.
        let rest = &self.text[span.end.at()..];
        let trimmed = rest.trim_start();
        let end = match trimmed.starts_with(';') {
            true => span.end + (rest.len() - trimmed.len()).fit::<u32>() + 1,
            false => span.end,
        };
        let shown = self.shown(span);
        let says = (
            format!("`{shown}` is not done"),
            format!("`{shown}` nie jest wykonywane"),
        );
        let edit = Edit {
            span: Span { end, ..span },
            text: String::new(),
        };
        self.plant(Operator::StatementDropped, vec![edit], says);
    }
}

/// All of a statement.
fn whole(statement: &Statement) -> Span {
    match statement {
        Statement::Let { name, value } | Statement::Assign { name, value, .. } => {
            name.span.to(value.span)
        }
        Statement::If { span, .. }
        | Statement::While { span, .. }
        | Statement::For { span, .. }
        | Statement::Break(span)
        | Statement::Continue(span) => *span,
        Statement::Expr(expr) => expr.span,
    }
}

/// A statement without the block that it governs.
fn head(statement: &Statement) -> Span {
    let whole = whole(statement);
    match statement {
        Statement::If { condition, .. } | Statement::While { condition, .. } => Span {
            end: condition.span.end.max(whole.start),
            ..whole
        },
        Statement::For { over, .. } => Span {
            end: over.span.end.max(whole.start),
            ..whole
        },
        _ => whole,
    }
}
