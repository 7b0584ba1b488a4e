//! From the text of a `.rules` file to its tree.
//!
//! Layout ([`layout`]) finds the sentences; here each is matched against its rule of the
//! grammar and becomes a node of the tree. A sentence that cannot be read is reported and left out, its
//! neighbours are read all the same: an author sees every mistake at once.
//!
//! - `kinds`: which word opens which sentence, and what may stand below what
//! - `grammar`, `node`: pest's parser, and its pieces with their places
//! - `sentences`: what stands at the left margin; `steps`: phases and their steps; `moves`: questions
//! - `expressions`: conditions, values, types
//! - `messages`: what pest expected, in the words of the language

mod expressions;
pub mod grammar;
pub mod kinds;
mod messages;
mod moves;
mod node;
mod sentences;
mod steps;

use super::ast::{Cite, Expr, File, Name, Script};
use super::layout::{self, Line};
use super::{reserved, script};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::numbers::{At as _, Fit as _};
use crate::source::{FileId, Sources, Span, Spanned};
use grammar::{Grammar, Rule};
use kinds::Kind;
use node::{Node, Parts};
use pest::Parser as _;

/// How long a sentence may be, in bytes, its scripts not counted.
const SENTENCE_LENGTH: usize = 4096;
/// How many words that nest without brackets (`max o in …: max …`) a sentence may have.
const NESTING_WORDS: usize = 32;

/// Reads a `.rules` file; what is wrong with it is added to the diagnostics.
pub fn parse(sources: &Sources, file: FileId, diagnostics: &mut Diagnostics) -> File {
    let lines = layout::arrange(sources, file, diagnostics);
    let mut reader = Reader {
        sources,
        file,
        diagnostics,
    };
    let items = lines
        .iter()
        .filter_map(|line| reader.item(line, None))
        .collect();
    let mut tree = File {
        items,
        ..File::default()
    };
    collect_cites(&lines, None, &mut tree);
    tree
}

/// Where a line of a sentence begins, for whoever writes files anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Where its text begins in the file.
    pub start: u32,
    /// Below how many lines of sentences the sentence stands.
    pub depth: usize,
    /// Whether it continues the sentence rather than beginning it.
    pub continued: bool,
    /// Where the citation of the sentence begins, told with its first line.
    pub cite: Option<u32>,
}

/// The lines that begin or continue sentences, in order. Lines inside of brackets and scripts are not among
/// them, nor are comments.
pub fn placed(sources: &Sources, file: FileId) -> Vec<Placed> {
    fn place(text: &str, lines: &[Line], depth: usize, all: &mut Vec<Placed>) {
        for line in lines {
            // What stands behind a colon stands on the line of the sentence above it.
            let before = text[..line.base.at()].rsplit('\n').next();
            let depth = match before.is_none_or(|before| before.trim().is_empty()) {
                true => depth,
                false => depth.saturating_sub(1),
            };
            all.push(Placed {
                start: line.base,
                depth,
                continued: false,
                cite: line.cite.as_ref().map(|cite| cite.span.start),
            });
            all.extend(line.continued.iter().map(|offset| Placed {
                start: line.base + offset.fit::<u32>(),
                depth,
                continued: true,
                cite: None,
            }));
            place(text, &line.below, depth + 1, all);
        }
    }
    let mut all = Vec::new();
    // What is wrong is told by whoever parses.
    let lines = layout::arrange(sources, file, &mut Diagnostics::default());
    place(&sources.file(file).text, &lines, 0, &mut all);
    all.sort_by_key(|placed| placed.start);
    all
}

/// Collects citations and extents; returns where the last of the lines ends.
fn collect_cites(lines: &[Line], above: Option<Span>, tree: &mut File) -> u32 {
    let mut last = 0;
    for line in lines {
        tree.cites.extend(line.cite.clone());
        let cite = line.cite.as_ref().map(|cite| cite.span).or(above);
        if let Some(cite) = cite {
            let numbers = written_numbers(&line.text);
            tree.numbers.entry(cite).or_default().extend(numbers);
        }
        let own = line
            .cite
            .as_ref()
            .map_or(line.span.end, |cite| cite.span.end);
        let end = collect_cites(&line.below, cite, tree)
            .max(own)
            .max(line.span.end);
        tree.extents.insert(line.base, (end, line.cite.clone()));
        last = last.max(end);
    }
    last
}

/// The numbers of a sentence, but for those in comments of its scripts.
fn written_numbers(text: &str) -> impl Iterator<Item = i64> {
    let code = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line));
    let words = code.flat_map(|code| code.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.filter_map(|word| word.replace('_', "").parse().ok())
}

/// How long figures may be that stand in a document, in bytes, and how many brackets they may open.
const FIGURES_LENGTH: usize = 512;
const FIGURES_BRACKETS: usize = 32;

/// Reads expressions that stand in a document, divided by commas, and the condition behind `when`, if there is one.
pub fn parse_figures(
    text: &Spanned<String>,
    diagnostics: &mut Diagnostics,
) -> Option<(Vec<Expr>, Option<Expr>)> {
    let brackets = text.node.matches('(').count();
    if text.node.len() > FIGURES_LENGTH || brackets > FIGURES_BRACKETS {
        let message = format!(
            "these figures take more than {FIGURES_LENGTH} bytes or {FIGURES_BRACKETS} brackets"
        );
        let help = "give a part of it a name: write a query for it";
        diagnostics.push(Code::OversizedSentence.error(text.span, message).help(help));
        return None;
    }
    let Ok(mut pairs) = Grammar::parse(Rule::figure_line, &text.node) else {
        let message = format!("`{}` is no expression", text.node);
        let help = "write a figure, a cell such as `cost(wharf)`, a count or a sum; in quotes, if it has a colon or a comma";
        diagnostics.push(Code::UnexpectedToken.error(text.span, message).help(help));
        return None;
    };
    // What stands in quotes begins behind them.
    let length = text.span.end - text.span.start;
    let base = text.span.start + length.saturating_sub(text.node.len().fit()) / 2;
    let mut reader = Reader {
        sources: &Sources::default(),
        file: text.span.file,
        diagnostics,
    };
    let (mut figures, mut when) = (Vec::new(), None);
    let mut parts = Node::new(pairs.next()?, text.span.file, base).parts();
    while let Some(part) = parts.find(|n| matches!(n.rule(), Rule::expr | Rule::when)) {
        match part.rule() {
            Rule::when => when = Some(reader.expr_of(part)),
            _ => figures.push(reader.expr(part)),
        }
    }
    Some((figures, when))
}

/// Reads the sentences of one file.
struct Reader<'a> {
    sources: &'a Sources,
    file: FileId,
    diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn twice(&mut self, second: Span, first: Span, what: &str) {
        self.report(
            Code::RepeatedElement
                .error(second, format!("{what} is written twice"))
                .also(first, "first written here")
                .help("keep one of them"),
        );
    }

    /// A name that stands for a part the grammar promises but did not give.
    fn nameless(&self) -> Name {
        Spanned::new(
            String::new(),
            Span {
                file: self.file,
                start: 0,
                end: 0,
            },
        )
    }

    /// Checks that a name may be declared: scripts must be able to say it as well.
    fn declared(&mut self, name: Name) -> Name {
        if reserved::in_scripts(&name.node) {
            self.report(
                Code::ReservedWord
                    .error(name.span, format!("`{}` cannot be a name", name.node))
                    .label("scripts use this word for something else")
                    .help(format!("choose another name, such as `the_{}`", name.node)),
            );
        }
        name
    }

    /// Matches a sentence against the rule of its kind.
    fn read<'l>(&mut self, line: &'l Line) -> Option<Parts<'l>> {
        let kind = line.kind?;
        if !line.sound || self.too_long(line) {
            self.survey(line);
            return None;
        }
        match Grammar::parse(kind.rule(), &line.text) {
            Ok(mut pairs) => Some(Node::new(pairs.next()?, self.file, line.base).parts()),
            Err(error) => {
                self.unexpected(line, kind, &error);
                self.survey(line);
                None
            }
        }
    }

    /// Reads what stands below a sentence that could not be read, only to report mistakes.
    fn survey(&mut self, line: &Line) {
        for child in self.below(line) {
            if self.read(child).is_some() {
                self.survey(child);
            }
        }
    }

    /// What stands below a sentence and may; the rest is reported.
    fn below<'l>(&mut self, line: &'l Line) -> Vec<&'l Line> {
        let parent = line.kind;
        let mut fitting = Vec::new();
        for child in &line.below {
            match child.kind {
                None => self.unknown(child, parent),
                Some(kind) if !Kind::below(parent).contains(&kind) => {
                    self.misplaced(child, kind, parent)
                }
                Some(_) => fitting.push(child),
            }
        }
        fitting
    }

    fn too_long(&mut self, line: &Line) -> bool {
        let scripts: usize = line.text.find('{').map_or(0, |open| line.text.len() - open);
        if line.text.len() - scripts > SENTENCE_LENGTH {
            self.report(
                Code::OversizedSentence
                    .error(
                        line.span.at_start(),
                        format!("this sentence is longer than {SENTENCE_LENGTH} characters"),
                    )
                    .help("divide it, or give a part of it a name: write a query for it"),
            );
            return true;
        }
        let words = line.text[..line.text.len() - scripts]
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let nesting = words
            .filter(|w| matches!(*w, "any" | "all" | "sum" | "max" | "min" | "option"))
            .count();
        if nesting > NESTING_WORDS {
            self.report(
                Code::ExcessiveNesting
                    .error(
                        line.span.at_start(),
                        format!(
                            "this sentence counts and compares more than {NESTING_WORDS} times"
                        ),
                    )
                    .help("give a part of it a name: write a query for it"),
            );
            return true;
        }
        false
    }

    /// Reads the script of a `do { … }`.
    fn script(&mut self, node: Node) -> Script {
        let span = node.span();
        match node.parts().find_rule(Rule::script_text) {
            Some(text) => script::parse(self.sources, text.span(), self.diagnostics),
            None => Script {
                statements: Vec::new(),
                span,
            },
        }
    }

    /// The citation of a sentence, or of the one thing it does.
    fn either_cite(&mut self, outer: &Option<Cite>, inner: &Option<Cite>) -> Option<Cite> {
        match (outer, inner) {
            (Some(outer), Some(inner)) if outer.span != inner.span => {
                self.report(
                    Code::RepeatedCitation
                        .error(inner.span, "a sentence cites one clause")
                        .also(outer.span, "already cited here")
                        .help("keep one of them, or divide the sentence"),
                );
                Some(outer.clone())
            }
            _ => outer.clone().or_else(|| inner.clone()),
        }
    }
}
