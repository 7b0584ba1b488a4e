//! Guesses at what was meant where a sentence got stuck.

use super::phrases::{nearest, one_of, quoted};
use super::wanted::Wanted;
use crate::layout::Line;
use crate::reserved;
use crate::rules::kinds::{Kind, opening_words};

/// A sentence and the place where it could not be read on.
pub(super) struct Stuck<'a> {
    pub(super) line: &'a Line,
    pub(super) kind: Kind,
    pub(super) offset: usize,
    /// The word, number or sign at that place.
    pub(super) found: &'a str,
    pub(super) expected: &'a Wanted,
}

impl Stuck<'_> {
    /// What stands before that place.
    fn before(&self) -> &str {
        self.line.text[..self.offset].trim_end()
    }

    fn expects(&self, word: &str) -> bool {
        self.expected.words.iter().any(|w| w == word)
    }

    /// Whether that place is within brackets.
    fn in_brackets(&self) -> bool {
        self.before().matches('(').count() > self.before().matches(')').count()
    }

    /// Whether a fraction was written.
    fn is_fraction(&self) -> bool {
        self.before().ends_with('.') && self.found.starts_with(|c: char| c.is_ascii_digit())
    }

    /// What is wrong.
    pub(super) fn message(&self) -> String {
        if self.is_fraction() {
            return "numbers are whole".to_owned();
        }
        let found = match self.found {
            "" => "the end of the sentence".to_owned(),
            found => format!("`{found}`"),
        };
        match self.expected.phrases().as_slice() {
            [] => format!("{found} is not expected in {}", self.kind.title()),
            phrases if phrases.len() <= 4 => format!("expected {}, found {found}", one_of(phrases)),
            _ => format!("{found} is not expected here, in {}", self.kind.title()),
        }
    }

    /// How to mend it, where that can be guessed.
    pub(super) fn help(&self) -> Option<String> {
        let found = self.found;
        if self.is_fraction() {
            return Some("write a fraction as a division, such as `n / 2`".to_owned());
        }
        if let Some(help) = self.missing_type() {
            return Some(help.to_owned());
        }
        if found == ";" && self.in_brackets() {
            return Some("parts within brackets are divided by `,`".to_owned());
        }
        if found.starts_with(|c: char| !c.is_ascii() && c.is_alphanumeric()) {
            return Some("names are made of the letters a to z, digits and `_`; what players read stands in tables and clauses".to_owned());
        }
        if let Some(help) = foreign(found, self.before()) {
            return Some(help.to_owned());
        }
        if self.expected.name && reserved::is_reserved(found) {
            return Some(format!(
                "`{found}` is a word of the language and cannot be a name"
            ));
        }
        let below = opening_words(Some(self.kind));
        if below.contains(&found) {
            return Some(format!(
                "`{found}` begins a sentence of its own: write it on the next line, indented deeper"
            ));
        }
        if let Some(word) = nearest(found, &self.expected.words) {
            return Some(format!("did you mean `{word}`?"));
        }
        if self.line.continued.contains(&self.offset) {
            return Some(match below.is_empty() {
                true => "this line is deeper than the one above and so continues its sentence"
                    .to_owned(),
                false => format!(
                    "this line opens no sentence, so it continues the one above; what can stand below begins with {}",
                    one_of(&quoted(&below))
                ),
            });
        }
        self.pattern().map(str::to_owned)
    }

    /// A colon that should lead to a type.
    fn missing_type(&self) -> Option<&'static str> {
        if self.expected.end
            || !self.expects(":")
            || !matches!(self.found, "=" | ")" | "," | "")
            || self.expected.words.len() > 2
        {
            return None;
        }
        if self.in_brackets() {
            return Some("say what it is: `b: building`");
        }
        Some(match self.kind {
            Kind::Query => {
                "say what it gives before its value: `query price(b: building): int = …`"
            }
            Kind::Hint => "say what it gives before its value: `hint harvest(p: player): int = …`",
            Kind::Place => "say what lies there: `place stock(p: player): good`",
            Kind::Marker => "say what it points at: `marker governor: player`",
            Kind::Keep => "say of what type it is: `keeps picked: role`",
            Kind::Extension => "say of what type it is: `with helper: bool`",
            _ => return None,
        })
    }

    /// The pattern of a sentence that is often got wrong.
    fn pattern(&self) -> Option<&'static str> {
        let before = self.before();
        Some(match self.kind {
            Kind::Step if self.expects("each") => {
                "a step says for whom it happens (`each p from …`, `cycle p from … until …`, `for s in …`, `repeat until …`), then what it does"
            }
            Kind::Step if self.expects("from") => {
                "name the player who is first: `each p from holder`"
            }
            Kind::Step if self.expects("until") => {
                "say when it ends: `until a lap without loaded`, `until size(ship) == 0`, `until the game ends`"
            }
            Kind::Counter if matches!(self.found, "seen" | "face") => {
                "everybody sees a counter, unless it is `counted by p` alone"
            }
            Kind::Counter if matches!(self.found, "from" | "to" | ":") => {
                "a counter is 0 or more, `at most …` if it has a bound: keep what may be less as two counters, or count from a middle"
            }
            _ if before.ends_with("secretly") || before.ends_with("reveals") => {
                "this word stands behind its condition: `needs hand(p, c) > 0 secretly`"
            }
            Kind::Winner => "name the player who is compared: `winner p with most score(p)`",
            Kind::Ending if self.found == ":" => {
                "write `when` before the condition: `ending city_full when …, after round`"
            }
            Kind::Modify if self.expects("by") => {
                "say how it changes: `by 1`, `becomes 5`, `times 2`, `at least 1`, `at most 7`"
            }
            _ if before.ends_with("possible") => "write the move in brackets: `possible(load)`",
            _ => return None,
        })
    }
}

/// Mistakes from other languages: what was found, what stands before it, and the help.
pub(super) fn foreign(found: &str, before: &str) -> Option<&'static str> {
    Some(match found {
        "=" => "compare numbers with `==`, and things with `is`",
        "&&" | "&" => "join conditions with `and`",
        "||" | "|" => "join conditions with `or`",
        "!" => "negate with `not`",
        "<>" => "write `!=` for numbers that differ, `is not` for things that differ",
        ">" if before.ends_with('<') => {
            "write `!=` for numbers that differ, `is not` for things that differ"
        }
        "=>" | "→" | "⇒" => "write `->` before a value",
        "=<" | "≤" => "write `<=`",
        "≥" => "write `>=`",
        "≠" => "write `!=`, or `is not` for things",
        "−" | "–" => "this is a dash; the sign for less is `-`",
        "×" | "·" => "write `*`",
        "÷" => "write `/`",
        "\"" | "'" | "`" | "“" | "„" | "”" | "’" => {
            "texts stand in tables and clauses, never in rules: name the row instead"
        }
        "[" => "an index stands in round brackets: `stock(p)`",
        "{" | "}" => "braces enclose scripts only: `do { … }`",
        ";" => "a sentence ends with its line; only scripts have `;`",
        "//" | "/*" | "--" => "a comment begins with `#`",
        "," if before.ends_with('(') || before.ends_with(',') => {
            "something is missing before this comma"
        }
        "if" => "write `when`: a query gives its values by cases, a step has a condition",
        "else" => "write `otherwise -> …` on a line of its own",
        "then" => "write `->` before the value of a case",
        _ => return None,
    })
}
