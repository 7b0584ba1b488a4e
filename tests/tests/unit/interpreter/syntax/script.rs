//! What Rhai's tree becomes, pinned: its internals may change with any release.

use std::fmt::Write as _;

use interpreter::diagnostic::Diagnostics;
use interpreter::source::{Sources, Span};
use interpreter::syntax::ast::{Expr, ExprKind, Statement};
use interpreter::syntax::script::parse;

/// Every statement and expression of a script with the text at its span.
fn shown(script: &str) -> String {
    let mut sources = Sources::default();
    let file = sources.add("test.rules", format!("do {script}"));
    let whole = sources.whole(file);
    let mut diagnostics = Diagnostics::default();
    let tree = parse(&sources, Span { start: 3, ..whole }, &mut diagnostics);
    let mut out = String::new();
    for statement in &tree.statements {
        show_statement(&sources, statement, 0, &mut out);
    }
    for diagnostic in &diagnostics.list {
        let at = diagnostic
            .labels
            .first()
            .map_or("", |l| sources.text(l.span));
        let help = diagnostic.help.as_deref().unwrap_or("-");
        let _ = writeln!(
            out,
            "{} at `{at}`: {} ({help})",
            diagnostic.code, diagnostic.message
        );
    }
    out
}

fn line(out: &mut String, depth: usize, text: &str) {
    let _ = writeln!(out, "{}{text}", "  ".repeat(depth));
}

fn show_statement(sources: &Sources, statement: &Statement, depth: usize, out: &mut String) {
    let text = |span| {
        sources
            .text(span)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    match statement {
        Statement::Let { name, value } => {
            line(out, depth, &format!("let {}", text(name.span)));
            show_expr(sources, value, depth + 1, out);
        }
        Statement::Assign { name, op, value } => {
            line(out, depth, &format!("assign {} {op:?}", text(name.span)));
            show_expr(sources, value, depth + 1, out);
        }
        Statement::If {
            condition,
            then,
            otherwise,
            span,
        } => {
            line(out, depth, &format!("if <{}>", text(*span)));
            show_expr(sources, condition, depth + 1, out);
            then.iter()
                .for_each(|s| show_statement(sources, s, depth + 1, out));
            if !otherwise.is_empty() {
                line(out, depth, "else");
                otherwise
                    .iter()
                    .for_each(|s| show_statement(sources, s, depth + 1, out));
            }
        }
        Statement::While {
            condition,
            body,
            span,
        } => {
            line(out, depth, &format!("while <{}>", text(*span)));
            show_expr(sources, condition, depth + 1, out);
            body.iter()
                .for_each(|s| show_statement(sources, s, depth + 1, out));
        }
        Statement::For {
            var,
            over,
            body,
            span,
        } => {
            line(
                out,
                depth,
                &format!("for {} <{}>", text(var.span), text(*span)),
            );
            show_expr(sources, over, depth + 1, out);
            body.iter()
                .for_each(|s| show_statement(sources, s, depth + 1, out));
        }
        Statement::Break(span) | Statement::Continue(span) => line(out, depth, &text(*span)),
        Statement::Expr(expr) => show_expr(sources, expr, depth, out),
    }
}

fn show_expr(sources: &Sources, expr: &Expr, depth: usize, out: &mut String) {
    let text = sources.text(expr.span);
    let (what, parts): (String, Vec<&Expr>) = match &expr.kind {
        ExprKind::Int(n) => (format!("int {n}"), vec![]),
        ExprKind::Bool(b) => (format!("bool {b}"), vec![]),
        ExprKind::None => ("none".into(), vec![]),
        ExprKind::Name(name) => (format!("name {name}"), vec![]),
        ExprKind::Call { name, args } => (format!("call {}", name.node), args.iter().collect()),
        ExprKind::Dot { base, name, args } => {
            let mut parts = vec![&**base];
            parts.extend(args.iter().flatten());
            (
                format!(
                    "dot {}{}",
                    name.node,
                    if args.is_some() { "()" } else { "" }
                ),
                parts,
            )
        }
        ExprKind::Unary(op, inner) => (format!("{op:?}"), vec![inner]),
        ExprKind::Binary(op, left, right) => (format!("{op:?}"), vec![left, right]),
        ExprKind::In {
            value,
            negated,
            domain,
        } => (format!("in {negated}"), vec![value, domain]),
        ExprKind::If {
            condition,
            then,
            otherwise,
        } => ("if".into(), vec![condition, then, otherwise]),
        ExprKind::Range {
            from,
            to,
            inclusive,
        } => (format!("range {inclusive}"), vec![from, to]),
        other => (format!("{other:?}"), vec![]),
    };
    line(out, depth, &format!("{what} <{text}>"));
    parts
        .into_iter()
        .for_each(|e| show_expr(sources, e, depth + 1, out));
}

/// Snapshots of several scripts in one text.
fn all(scripts: &[&str]) -> String {
    scripts
        .iter()
        .map(|s| format!("{s}\n{}\n", shown(s)))
        .collect()
}

fn pinned(name: &str, text: &str) {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn what_scripts_can_say() {
    pinned(
        "what scripts can say",
        &all(&[
            "{ let n = (a + b) * -3 - -x; n += 2; n = n % 4; }",
            "{ if a && b && !c || d == none { f(); } else if x != 1_000 { g(1, y); } else { h(); } }",
            "{ for s in ships { if load(s) > 0 { continue; } else { break; } } }",
            "{ for i in 0..4 { f(i); }  for i in a..=b + 1 { } }",
            "{ while n > 0 { n -= 1; }  loop { break; } }",
            "{ let t = if a { b } else if c { d } else { e(1) }; }",
            "{ let y = x in 1..4; let z = x !in s; let w = n in goods; }",
            "{ let v = role.library; let u = captain.fits(p, s).x.y(2) + d.now; }",
            "{ move(1, t, /* from */ row, island(p)); // to the island\n  pay((((a))), f(\")\")); }",
            "{ }",
            "{ f() }",
        ]),
    );
}

#[test]
fn what_scripts_cannot_say() {
    pinned(
        "what scripts cannot say",
        &all(&[
            "{ let t = \"text\"; let c = 'c'; let s = `a ${b}`; }",
            "{ let f = |x| x + 1; }",
            "{ fn f(x) { x } f(1); }",
            "{ let a = [1, 2]; let m = #{ a: 1 }; let i = a[0]; a[0] = 1; p.gold += 3; }",
            "{ try { f(); } catch { g(); } throw 1; }",
            "{ return; return 4; }",
            "{ switch x { 1 => f(), _ => g() } }",
            "{ do { f(); } while x; { g(); } loop { break 3; } }",
            "{ this.x(); eval(1); call(f); print(1); let q = a ?? b; let d = p?.x; }",
            "{ const a = 1; let b; var c = 1; }",
            "{ import x; }",
            "{ let x = 1.5; }",
            "{ if a and b { } }",
            "{ if a = b { } }",
            "{ f(1 }",
            "{ f() g(); }",
            "{ let x = ; }",
            "{ # comment\n f(); }",
            "{ let x = 1 << 2; let y = a & b; let z = 2 ** 3; x <<= 1; }",
            "{ let x = 99999999999999999999; }",
            "{ let x = { f(); g() }; let y = if a { b }; let z = if a { f(); g() } else { h() }; }",
            "{ for (a, i) in goods { } }",
            "{ f!(); x.y!(); }",
            "{ let é = 1; }",
        ]),
    );
}

#[test]
fn nesting_is_bounded() {
    for script in [
        format!("{{ {}x{} }}", "if a { ".repeat(200), "}".repeat(200)),
        format!("{{ f({}1{}); }}", "(".repeat(500), ")".repeat(500)),
        format!("{{ let x = {}1; }}", "1 + ".repeat(6000)),
        format!("{{ let x = {}1; }}", "!".repeat(6000)),
        format!("{{ let x = {}1; }}", "- ".repeat(6000)),
        format!("{{ let x = a{}; }}", ".b".repeat(2000)),
        format!("{{ let x = a{}; }}", ".b".repeat(15_000)),
        format!("{{ let x = {}1{}; }}", "f(".repeat(1300), ")".repeat(1300)),
        format!("{{ let x = {}1; }}", "a && ".repeat(5000)),
        format!("{{ if a {{ }} {} }}", "else if a { }".repeat(2000)),
        format!("{{ {} }}", "let x = 1;".repeat(3000)),
        format!("{{ let x = {}; }}", "1".repeat(40_000)),
    ] {
        // Whatever it says of it, it says it on a small stack.
        let run = move || shown(&script).len();
        let thread = std::thread::Builder::new()
            .stack_size(2 << 20)
            .spawn(run)
            .expect("a thread");
        thread.join().expect("no overflow");
    }
}
