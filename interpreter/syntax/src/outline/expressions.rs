//! Expressions, types and scripts in the outline.

use crate::ast::*;

/// An expression with all its parentheses.
pub(super) fn expr(e: &Expr) -> String {
    let list = |exprs: &[Expr]| exprs.iter().map(expr).collect::<Vec<_>>().join(", ");
    match &e.kind {
        ExprKind::Int(n) => n.to_string(),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::None => "none".to_owned(),
        ExprKind::Name(n) => n.clone(),
        ExprKind::Call { name, args } => format!("{}({})", name.node, list(args)),
        ExprKind::Dot { base, name, args } => {
            let args = args
                .as_ref()
                .map(|a| format!("({})", list(a)))
                .unwrap_or_default();
            format!("{}.{}{args}", expr(base), name.node)
        }
        ExprKind::Unary(UnaryOp::Not, inner) => format!("(not {})", expr(inner)),
        ExprKind::Unary(UnaryOp::Minus, inner) => format!("(-{})", expr(inner)),
        ExprKind::Binary(op, left, right) => {
            format!("({} {} {})", expr(left), sign(*op), expr(right))
        }
        ExprKind::In {
            value,
            negated,
            domain,
        } => {
            format!(
                "({} {}in {})",
                expr(value),
                if *negated { "not " } else { "" },
                expr(domain)
            )
        }
        ExprKind::Is {
            value,
            negated,
            other,
        } => {
            format!(
                "({} is {}{})",
                expr(value),
                if *negated { "not " } else { "" },
                expr(other)
            )
        }
        ExprKind::Aggregate {
            op,
            var,
            domain,
            filter,
            body,
        } => {
            let filter = filter
                .as_ref()
                .map(|f| format!(" where {}", expr(f)))
                .unwrap_or_default();
            let body = body
                .as_ref()
                .map(|b| format!(": {}", expr(b)))
                .unwrap_or_default();
            let word = format!("{op:?}").to_lowercase();
            format!("({word} {} in {}{filter}{body})", var.node, expr(domain))
        }
        ExprKind::If {
            condition,
            then,
            otherwise,
        } => {
            format!(
                "(if {} then {} else {})",
                expr(condition),
                expr(then),
                expr(otherwise)
            )
        }
        ExprKind::Possible(p) => format!("possible({})", path(p)),
        ExprKind::Range {
            from,
            to,
            inclusive,
        } => {
            format!(
                "({} to {}{})",
                expr(from),
                if *inclusive { "" } else { "before " },
                expr(to)
            )
        }
        ExprKind::Each(n) => format!("each {}", n.node),
    }
}

fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
    }
}

/// A dotted path.
pub(super) fn path(p: &Path) -> String {
    p.parts
        .iter()
        .map(|n| n.node.as_str())
        .collect::<Vec<_>>()
        .join(".")
}

/// Parameters in parentheses; nothing if there are none.
pub(super) fn params(params: &[Param]) -> String {
    if params.is_empty() {
        return String::new();
    }
    let list: Vec<String> = params
        .iter()
        .map(|p| format!("{}: {}", p.name.node, ty(&p.ty)))
        .collect();
    format!("({})", list.join(", "))
}

/// A type.
pub(super) fn ty(t: &Type) -> String {
    match t {
        Type::Named(n) => n.node.clone(),
        Type::Option(inner, _) => format!("option {}", ty(inner)),
        Type::Many(ManyKind::Bag, of, _) => format!("bag of {}", of.node),
        Type::Many(ManyKind::Set, of, _) => format!("set of {}", of.node),
        Type::List(of, most, _) => format!("list of {} at most {most}", of.node),
        Type::Record(fields, _) => format!("record{}", params(fields)),
    }
}

/// A script, a statement per line.
pub(super) fn script(script: &Script) -> Vec<String> {
    let mut lines = Vec::new();
    statements(&script.statements, 0, &mut lines);
    lines
}

fn statements(list: &[Statement], depth: usize, lines: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    for statement in list {
        match statement {
            Statement::Let { name, value } => {
                lines.push(format!("{indent}let {} = {}", name.node, expr(value)))
            }
            Statement::Assign { name, op, value } => {
                let op = op.map(sign).unwrap_or_default();
                lines.push(format!("{indent}{} {op}= {}", name.node, expr(value)));
            }
            Statement::If {
                condition,
                then,
                otherwise,
                ..
            } => {
                lines.push(format!("{indent}if {}", expr(condition)));
                statements(then, depth + 1, lines);
                if !otherwise.is_empty() {
                    lines.push(format!("{indent}else"));
                    statements(otherwise, depth + 1, lines);
                }
            }
            Statement::While {
                condition, body, ..
            } => {
                lines.push(format!("{indent}while {}", expr(condition)));
                statements(body, depth + 1, lines);
            }
            Statement::For {
                var, over, body, ..
            } => {
                lines.push(format!("{indent}for {} in {}", var.node, expr(over)));
                statements(body, depth + 1, lines);
            }
            Statement::Break(_) => lines.push(format!("{indent}break")),
            Statement::Continue(_) => lines.push(format!("{indent}continue")),
            Statement::Expr(e) => lines.push(format!("{indent}{}", expr(e))),
        }
    }
}
