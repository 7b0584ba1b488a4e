//! What is wrong with a sentence, in the words of the language.
//!
//! pest says which rules of the grammar it tried where it got stuck; `wanted` turns them into what an
//! author could have typed there, and `hints` guesses what was meant.

mod hints;
mod phrases;
mod wanted;

use super::Reader;
use super::grammar::Rule;
use super::kinds::{CONTINUERS, Kind, opening_words, split_word};
use crate::diagnostic::Code;
use crate::layout::Line;
use crate::numbers::{At as _, Fit as _};
use crate::source::Span;
use hints::Stuck;
use pest::error::{Error, ErrorVariant, InputLocation};
use phrases::{nearest, one_of, quoted};
use wanted::Wanted;

impl Reader<'_> {
    /// Reports that a sentence does not match its rule.
    pub(super) fn unexpected(&mut self, line: &Line, kind: Kind, error: &Error<Rule>) {
        let offset = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        let found = token(&line.text[offset..]);
        let span = self.marked(line.base + offset.fit::<u32>(), found);
        let expected = match &error.variant {
            ErrorVariant::ParsingError { positives, .. } => Wanted::of(positives),
            ErrorVariant::CustomError { .. } => Wanted::default(),
        };
        let stuck = Stuck {
            line,
            kind,
            offset,
            found,
            expected: &expected,
        };
        let mut diagnostic = Code::UnexpectedToken.error(span, stuck.message());
        if expected.phrases().len() > 4 {
            diagnostic = diagnostic.label(format!("expected {}", one_of(&expected.phrases())));
        }
        self.report(diagnostic.maybe_help(stuck.help()));
    }

    /// The span of a word, or of the next character of the file where there is none: the text of a sentence may end before
    /// a letter of a comment, and with the file.
    fn marked(&self, start: u32, word: &str) -> Span {
        let text = &self.sources.file(self.file).text;
        let next = || text[start.at()..].chars().next();
        let length = match word.len() {
            0 => next().map_or(0, char::len_utf8),
            length => length,
        };
        Span {
            file: self.file,
            start,
            end: start + length.fit::<u32>(),
        }
    }

    /// Reports a line that begins with no word of the language.
    pub(super) fn unknown(&mut self, line: &Line, parent: Option<Kind>) {
        let (word, _) = split_word(&line.text);
        let shown = if word.is_empty() {
            token(&line.text)
        } else {
            word
        };
        let span = self.marked(line.span.start, shown);
        let words = opening_words(parent);
        let message = format!("`{shown}` opens no sentence {}", place(parent));
        let continues = word.is_empty() || CONTINUERS.contains(&word);
        let help = match (hints::foreign(shown, ""), nearest(word, &words)) {
            // `building office when active`: a component's header without its owner.
            _ if parent.is_none() && is_component(&line.text) => {
                let header: Vec<&str> = line.text.split_whitespace().take(2).collect();
                format!(
                    "to give a row rules of its own say whose: `{} for p when …`",
                    header.join(" ")
                )
            }
            (Some(help), _) => help.to_owned(),
            (None, _) if continues || words.is_empty() => {
                "to continue the sentence above, indent this line deeper".to_owned()
            }
            (None, Some(guess)) => format!("did you mean `{guess}`?"),
            (None, None) => format!(
                "what can stand here begins with {}",
                one_of(&quoted(&words))
            ),
        };
        self.report(Code::UnknownSentence.error(span, message).help(help));
    }

    /// Reports a sentence that cannot stand below its parent, or at the left margin.
    pub(super) fn misplaced(&mut self, line: &Line, kind: Kind, parent: Option<Kind>) {
        let (word, _) = split_word(&line.text);
        let above: Vec<String> = kind.above().map(|k| k.title().to_owned()).collect();
        let top = Kind::below(None).contains(&kind);
        let help = match (above.is_empty(), top) {
            (true, _) => format!("write `{word}` at the left margin"),
            (false, true) => format!(
                "`{word}` stands at the left margin, or below {}",
                one_of(&above)
            ),
            (false, false) => format!("`{word}` stands below {}", one_of(&above)),
        };
        let span = Span {
            end: line.span.start + word.len().max(1).fit::<u32>(),
            ..line.span
        };
        let message = format!("`{word}` cannot stand {}", place(parent));
        self.report(Code::MisplacedSentence.error(span, message).help(help));
    }
}

/// Whether what looks like the header of a component is a misspelt sentence of another kind: its first word is
/// nearly one that opens it, and what stands below may stand there but not below a component.
pub(super) fn misspelt(line: &Line) -> bool {
    let (word, rest) = split_word(&line.text);
    let meant = nearest(word, &opening_words(None))
        .and_then(|meant| Kind::of(None, &format!("{meant}{rest}")));
    meant.is_some_and(|meant| {
        let mut below = line.below.iter().filter_map(|child| child.kind);
        below.any(|kind| {
            !Kind::below(Some(Kind::Component)).contains(&kind)
                && Kind::below(Some(meant)).contains(&kind)
        })
    })
}

/// Where a sentence stands.
fn place(parent: Option<Kind>) -> String {
    parent.map_or("at the left margin".to_owned(), |p| {
        format!("below {}", p.title())
    })
}

/// The word, number or sign at the start of a text.
fn token(text: &str) -> &str {
    let (word, _) = split_word(text);
    if !word.is_empty() {
        return word;
    }
    const DOUBLE: &[&str] = &[
        "//", "/*", "--", "&&", "||", "==", "!=", "<=", ">=", "=>", "=<", "<>", "->", "..",
    ];
    if let Some(sign) = DOUBLE.iter().find(|s| text.starts_with(**s)) {
        return sign;
    }
    text.chars().next().map_or("", |c| &text[..c.len_utf8()])
}

/// Whether a line may be meant as the header of a component's rules: `building office when active`.
fn is_component(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(3).collect();
    let plain = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
    matches!(words[..], [table, row, "when"] | [table, row, "for"] if plain(table) && plain(row))
}
