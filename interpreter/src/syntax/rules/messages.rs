//! What is wrong with a sentence, in the words of the language.
//!
//! pest says which rules of the grammar it tried where it got stuck; here they become what an author
//! could have typed there. Beside that stand the mistakes that people bring from other languages,
//! each with its own help.

use super::Reader;
use super::grammar::Rule;
use super::kinds::{Kind, opening_words, split_word};
use crate::diagnostic::{Diagnostic, similar};
use crate::source::Span;
use crate::syntax::layout::Line;
use crate::syntax::reserved;
use pest::error::{Error, ErrorVariant, InputLocation};

impl Reader<'_> {
    /// Reports that a sentence does not match its rule.
    pub(super) fn unexpected(&mut self, line: &Line, kind: Kind, error: &Error<Rule>) {
        let offset = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        let rest = &line.text[offset..];
        let found = token(rest);
        let span = Span {
            file: self.file,
            start: line.base + offset as u32,
            end: line.base + (offset + found.len().max(1)) as u32,
        };
        let expected = match &error.variant {
            ErrorVariant::ParsingError { positives, .. } => wanted(positives),
            ErrorVariant::CustomError { .. } => Wanted::default(),
        };
        let found_text = if found.is_empty() {
            "the end of the sentence".to_owned()
        } else {
            format!("`{found}`")
        };
        let message = match expected.phrases().as_slice() {
            [] => format!("{found_text} is not expected in {}", kind.title()),
            phrases if phrases.len() <= 4 => {
                format!("expected {}, found {found_text}", one_of(phrases))
            }
            _ => format!("{found_text} is not expected here, in {}", kind.title()),
        };
        let mut diagnostic = Diagnostic::error(110, span, message);
        if expected.phrases().len() > 4 {
            diagnostic = diagnostic.label(format!("expected {}", one_of(&expected.phrases())));
        }
        if let Some(help) = self.help(line, kind, offset, found, &expected) {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic);
    }

    /// How to mend it, where that can be guessed.
    fn help(
        &self,
        line: &Line,
        kind: Kind,
        offset: usize,
        found: &str,
        expected: &Wanted,
    ) -> Option<String> {
        let before = line.text[..offset].trim_end();
        if line.continued.contains(&offset) {
            // A line that was meant to be a sentence of its own.
            let words = opening_words(Some(kind));
            let guess = nearest(found, &words)
                .map(|w| format!("did you mean `{w}`? "))
                .unwrap_or_default();
            return Some(format!(
                "{guess}this line begins with no word that opens a sentence here, so it continues the one above{}",
                if words.is_empty() {
                    String::new()
                } else {
                    format!(
                        "; what can stand below begins with {}",
                        one_of(&quoted(&words))
                    )
                }
            ));
        }
        if let Some(help) = foreign(found, before) {
            return Some(help.to_owned());
        }
        if expected.name && reserved::is_reserved(found) {
            return Some(format!(
                "`{found}` is a word of the language and cannot be a name"
            ));
        }
        if let Some(word) = nearest(found, &expected.words) {
            return Some(format!("did you mean `{word}`?"));
        }
        if kind == Kind::Step && expected.words.iter().any(|w| w == "each") {
            return Some("a step says for whom it happens (`each p from …`, `cycle p from … until …`, `for s in …`, `repeat until …`), then what it does".to_owned());
        }
        None
    }

    /// Reports a line that begins with no word of the language.
    pub(super) fn unknown(&mut self, line: &Line, parent: Option<Kind>) {
        let (word, _) = split_word(&line.text);
        let shown = if word.is_empty() {
            token(&line.text)
        } else {
            word
        };
        let span = Span {
            end: line.span.start + shown.len().max(1) as u32,
            ..line.span
        };
        let words = opening_words(parent);
        let place = parent.map_or("at the left margin".to_owned(), |p| {
            format!("below {}", p.title())
        });
        let mut diagnostic =
            Diagnostic::error(111, span, format!("`{shown}` opens no sentence {place}"));
        diagnostic = diagnostic.help(match nearest(word, &words) {
            Some(guess) => format!("did you mean `{guess}`?"),
            None if words.is_empty() => {
                "to continue the sentence above, indent this line deeper".to_owned()
            }
            None => format!(
                "what can stand here begins with {}",
                one_of(&quoted(&words))
            ),
        });
        self.report(diagnostic);
    }

    /// Reports a sentence that cannot stand below its parent, or at the left margin.
    pub(super) fn misplaced(&mut self, line: &Line, kind: Kind, parent: Option<Kind>) {
        let (word, _) = split_word(&line.text);
        let place = parent.map_or("at the left margin".to_owned(), |p| {
            format!("below {}", p.title())
        });
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
            end: line.span.start + word.len().max(1) as u32,
            ..line.span
        };
        self.report(
            Diagnostic::error(112, span, format!("`{word}` cannot stand {place}")).help(help),
        );
    }
}

/// Mistakes from other languages: what was found, what stands before it, and the help.
fn foreign(found: &str, before: &str) -> Option<&'static str> {
    Some(match found {
        "=" => "compare numbers with `==`, and things with `is`",
        "&&" | "&" => "join conditions with `and`",
        "||" | "|" => "join conditions with `or`",
        "!" => "negate with `not`",
        "<>" | "=/" => "write `!=` for numbers that differ, `is not` for things that differ",
        "=>" => "write `->` before a value",
        "=<" => "write `<=`",
        "\"" | "'" | "`" => {
            "texts stand in tables and clauses, never in rules: name the row instead"
        }
        "[" => "an index stands in round brackets: `stock(p)`",
        "{" | "}" => "braces enclose scripts only: `do { … }`",
        ";" => "a sentence ends with its line; only scripts have `;`",
        "/" if before.ends_with('/') => "a comment begins with `#`",
        "," if before.ends_with('(') || before.ends_with(',') => {
            "something is missing before this comma"
        }
        "if" => "write `when`: a query gives its values by cases, a step has a condition",
        "else" => "write `otherwise -> …` on a line of its own",
        "then" => "write `->` before the value of a case",
        _ if found.starts_with(|c: char| c.is_ascii_digit()) && before.ends_with('.') => {
            "numbers are whole; write a fraction as a division, such as `n / 2`"
        }
        _ => return None,
    })
}

/// What could have stood where the sentence got stuck.
#[derive(Default)]
struct Wanted {
    words: Vec<String>,
    things: Vec<&'static str>,
    name: bool,
    operator: bool,
    end: bool,
}

impl Wanted {
    fn phrases(&self) -> Vec<String> {
        let mut phrases: Vec<String> = self.things.iter().map(|t| (*t).to_owned()).collect();
        phrases.extend(quoted(&self.words));
        if self.operator && phrases.is_empty() {
            phrases.push("an operator".to_owned());
        }
        if self.end {
            phrases.push("the end of the sentence".to_owned());
        }
        phrases
    }

    fn thing(&mut self, thing: &'static str) {
        if !self.things.contains(&thing) {
            self.things.push(thing);
        }
    }

    fn word(&mut self, words: &[&'static str]) {
        self.words.extend(words.iter().map(|w| (*w).to_owned()));
    }
}

/// Maps rules of the grammar to what an author types.
fn wanted(rules: &[Rule]) -> Wanted {
    let mut wanted = Wanted::default();
    for rule in rules {
        match rule {
            Rule::EOI => wanted.end = true,
            Rule::name | Rule::path | Rule::target => {
                wanted.name = true;
                wanted.thing("a name");
            }
            Rule::row => wanted.thing("a table and its row"),
            Rule::int => wanted.thing("a number"),
            Rule::ty => wanted.thing("a type"),
            Rule::param => wanted.thing("a parameter such as `p: player`"),
            Rule::move_param => wanted.thing("a parameter such as `g: good`"),
            Rule::move_domain => wanted.thing("what may be chosen"),
            Rule::expr
            | Rule::negation
            | Rule::comparison
            | Rule::sum
            | Rule::product
            | Rule::factor
            | Rule::chain
            | Rule::primary
            | Rule::domain
            | Rule::target_arg
            | Rule::number_range
            | Rule::call
            | Rule::grouped
            | Rule::possible
            | Rule::test_aggregate
            | Rule::sum_aggregate
            | Rule::pick_aggregate
            | Rule::truth
            | Rule::k_not
            | Rule::k_none => wanted.thing("a value"),
            Rule::s_plus
            | Rule::s_minus
            | Rule::s_times
            | Rule::s_divide
            | Rule::s_remainder
            | Rule::s_equal
            | Rule::s_unequal
            | Rule::s_less
            | Rule::s_more
            | Rule::s_at_most
            | Rule::s_at_least
            | Rule::s_dot
            | Rule::comparing
            | Rule::k_and
            | Rule::k_or
            | Rule::k_is
            | Rule::is_not
            | Rule::not_in
            | Rule::membership => wanted.operator = true,
            Rule::s_colon => wanted.word(&[":"]),
            Rule::s_comma => wanted.word(&[","]),
            Rule::s_open
            | Rule::params
            | Rule::names
            | Rule::args
            | Rule::move_params
            | Rule::target_args => {
                wanted.word(&["("]);
            }
            Rule::s_close => wanted.word(&[")"]),
            Rule::s_arrow => wanted.word(&["->"]),
            Rule::s_equals => wanted.word(&["="]),
            Rule::place_part => wanted.word(&[
                "face", "seen", "counted", "room", "starts", "refilled", "endless",
            ]),
            Rule::counter_part => wanted.word(&["counted", "at", "starts"]),
            Rule::marker_part => wanted.word(&["face", "seen", "starts"]),
            Rule::keeps_part => wanted.word(&["face", "seen"]),
            Rule::pile => wanted.word(&["pile"]),
            Rule::phase_part => wanted.word(&["plays", "at"]),
            Rule::layer => wanted.word(&["becomes", "by", "times", "at"]),
            Rule::bound => wanted.word(&["at"]),
            Rule::when => wanted.word(&["when"]),
            Rule::filter => wanted.word(&["where"]),
            Rule::as_name => wanted.word(&["as"]),
            Rule::once => wanted.word(&["once"]),
            Rule::over => wanted.word(&["each", "cycle", "for", "repeat"]),
            Rule::body => wanted.word(&["do", "ask", "visit", "play", "end"]),
            Rule::ask_part => {
                wanted.word(&["all", "first", "until", "sealed", "never", "at", "sees"])
            }
            Rule::each_seat | Rule::each_asked => wanted.word(&["each"]),
            Rule::other_than => wanted.word(&["other"]),
            Rule::shown => wanted.word(&["shown"]),
            Rule::without => wanted.word(&["without"]),
            Rule::for_each => wanted.word(&["for"]),
            Rule::order => wanted.word(&["before", "after"]),
            Rule::before_param => wanted.word(&["before"]),
            Rule::die_table => wanted.thing("a table"),
            Rule::need_part => wanted.word(&["reveals", "secretly"]),
            Rule::bag_limit => wanted.word(&["at", "exactly", "all", "such"]),
            Rule::until => wanted.thing("a condition"),
            Rule::lap_without => wanted.word(&["a"]),
            Rule::game_ends => wanted.word(&["the"]),
            Rule::script | Rule::script_text => wanted.word(&["do"]),
            Rule::owner => wanted.word(&["for"]),
            Rule::owner_orders => wanted.word(&["owner"]),
            Rule::criterion => wanted.word(&["most", "fewest"]),
            Rule::option_type
            | Rule::bag_type
            | Rule::set_type
            | Rule::list_type
            | Rule::record_type => {
                wanted.thing("a type");
            }
            // The rules for words are named after them.
            rule => wanted
                .words
                .extend(format!("{rule:?}").strip_prefix("k_").map(str::to_owned)),
        }
    }
    // A sign between values is always possible after a value and says nothing about the mistake.
    if wanted.words.len() + wanted.things.len() > 2 {
        wanted.words.retain(|w| w != "(");
    }
    let mut seen = Vec::new();
    wanted.words.retain(|w| {
        !seen.contains(w) && {
            seen.push(w.clone());
            true
        }
    });
    wanted
}

/// Joins phrases: `a, b or c`.
pub(super) fn one_of(phrases: &[String]) -> String {
    match phrases {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn quoted<W: AsRef<str>>(words: &[W]) -> Vec<String> {
    words.iter().map(|w| format!("`{}`", w.as_ref())).collect()
}

/// The word most like the one found, if any is.
fn nearest<'w, W: AsRef<str>>(found: &str, words: &'w [W]) -> Option<&'w str> {
    if found.len() < 2 {
        return None;
    }
    similar(
        found,
        words.iter().map(AsRef::as_ref).filter(|w| w.len() > 1),
    )
}

/// The word, number or sign at the start of a text.
fn token(text: &str) -> &str {
    let (word, _) = split_word(text);
    if !word.is_empty() {
        return word;
    }
    const DOUBLE: &[&str] = &[
        "&&", "||", "==", "!=", "<=", ">=", "=>", "=<", "<>", "->", "..",
    ];
    if let Some(sign) = DOUBLE.iter().find(|s| text.starts_with(**s)) {
        return sign;
    }
    text.chars().next().map_or("", |c| &text[..c.len_utf8()])
}
