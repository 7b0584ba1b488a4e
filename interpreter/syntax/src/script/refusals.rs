//! What scripts cannot say, and what to write instead.

use super::Reader;
use super::places::{code, code_word};
use crate::depth::DEPTH;
use crate::diagnostic::Code;
use crate::numbers::At as _;
use crate::source::Span;
use rhai::{ASTFlags, ParseErrorType, Position, Stmt};

impl Reader<'_> {
    pub(super) fn refuse(&mut self, span: Span, what: &str, mend: &str) {
        self.diagnostics.push(
            Code::UnsupportedScriptFeature
                .error(span, format!("scripts have no {what}"))
                .help(mend),
        );
    }

    pub(super) fn too_deep(&mut self, span: Span) {
        self.diagnostics.push(
            Code::ExcessiveScriptNesting
                .error(
                    span,
                    format!("an expression is nested more than {DEPTH} deep"),
                )
                .help("compute a part of it first and give it a name with `let`"),
        );
    }

    pub(super) fn functions(&mut self, name: &str) {
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

    pub(super) fn unreadable(&mut self, error: &ParseErrorType, position: Position) {
        let span = self.token(position);
        let found =
            &self.text[(span.start - self.place.start).at()..(span.end - self.place.start).at()];
        if let Some((what, mend)) = foreign(found) {
            self.refuse(span, what, mend);
            return;
        }
        if found == "," && matches!(error, ParseErrorType::MissingToken(token, _) if token == ";") {
            let message = "a statement ends with `;`, not with `,`";
            self.diagnostics.push(
                Code::MalformedScript
                    .error(span, message)
                    .help("write `;` here"),
            );
            return;
        }
        let number = found.starts_with(|c: char| c.is_ascii_digit());
        let (message, help) = match error {
            ParseErrorType::PropertyExpected if number => (
                "numbers are whole".to_owned(),
                Some("write a fraction as a division, such as `n / 2`"),
            ),
            ParseErrorType::BadInput(_) if number => (
                format!("`{found}` is no number that fits"),
                Some("numbers are whole and have at most eighteen digits"),
            ),
            ParseErrorType::MalformedCapture(_) => (
                "`!` cannot stand behind the name of a call".to_owned(),
                None,
            ),
            ParseErrorType::UnexpectedEOF => ("the script ends in the middle".to_owned(), None),
            ParseErrorType::MissingToken(token, _) if token == ";" => (
                "a statement is not ended".to_owned(),
                Some("put a `;` behind it"),
            ),
            ParseErrorType::MissingToken(token, _) if token == "," => (
                format!("expected `,` or a closing bracket, found `{found}`"),
                None,
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
            ParseErrorType::ExprTooDeep => Code::ExcessiveScriptNesting.error(span, message),
            _ => Code::MalformedScript.error(span, message),
        };
        if let Some(help) = help.or_else(|| habit(found)) {
            diagnostic = diagnostic.help(help);
        }
        self.diagnostics.push(diagnostic);
    }
}

/// Statements that rules do not have, and what to write instead.
pub(super) fn unsupported(statement: &Stmt) -> (&'static str, &'static str) {
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
pub(super) fn unsupported_expr(expr: &rhai::Expr) -> (&'static str, &'static str) {
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
pub(super) fn magic(name: &str) -> Option<(&'static str, &'static str)> {
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
        "this" => ("`this`", "name what is meant"),
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
