//! From the text of a script to statements of the tree.
//!
//! The only room that names Rhai's tree. Rhai parses, nothing more: its own tree becomes ours, so that one
//! resolver and one compiler serve rules and scripts. What rules do not have (texts, closures, maps,
//! `return`, …) is refused here with a word on what to write instead.
//!
//! Rhai's internals change from release to release; the version is pinned, and a test pins the trees.

mod expressions;
mod places;
mod refusals;
mod statements;

use super::ast::Script;
use crate::diagnostic::{Code, Diagnostics};
use crate::source::{Sources, Span};
use rhai::{Engine, OptimizationLevel};

/// How long a script may be, in bytes.
const LENGTH: usize = 1 << 15;
/// How long a statement may be, in bytes: long ones nest without brackets.
const STATEMENT_LENGTH: usize = 1 << 12;
/// How deeply Rhai may nest while it parses.
const PARSER_DEPTH: usize = 64;

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
    let longest = text.split([';', '{', '}']).map(str::len).max().unwrap_or(0);
    if text.len() > LENGTH || longest > STATEMENT_LENGTH {
        let (what, most) = if text.len() > LENGTH {
            ("script", LENGTH)
        } else {
            ("script has a statement that", STATEMENT_LENGTH)
        };
        diagnostics.push(
            Code::ExcessiveScriptNesting
                .error(
                    span.at_start(),
                    format!("this {what} is longer than {most} characters"),
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
    engine.set_max_expr_depths(PARSER_DEPTH, PARSER_DEPTH);
    match engine.compile(text) {
        Ok(ast) => {
            if let Some(function) = ast.iter_functions().next() {
                reader.functions(function.name);
                return empty;
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
    /// Offset of each character of the text, and of its end.
    ///
    /// PERF: Rhai counts columns in characters; looking for each from the start of its line takes 60 % of the time that a
    /// script of 1000 statements in one line takes.
    characters: Vec<usize>,
    /// Number of characters before each line of the text.
    lines: Vec<usize>,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, place: Span, diagnostics: &'a mut Diagnostics) -> Self {
        let offsets = text.char_indices().map(|(n, _)| n);
        let characters = offsets.chain([text.len()]).collect();
        let breaks = text.chars().enumerate().filter(|(_, c)| *c == '\n');
        let lines = std::iter::once(0).chain(breaks.map(|(n, _)| n + 1));
        Reader {
            text,
            place,
            characters,
            lines: lines.collect(),
            diagnostics,
        }
    }
}
