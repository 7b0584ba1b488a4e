//! Takes a document apart: typed readers that say what they expected and what they found.
//!
//! A map is read through [`Fields`]: every key that a reader knows is asked for, and
//! [`Fields::finish`] reports the keys that nobody asked for. Each reader reports its own mistake
//! and gives nothing, so that the caller goes on with the rest.

use super::{Node, NodeKind, Pair};
use crate::diagnostic::{Code, Diagnostics, did_you_mean};
use crate::source::{Span, Spanned};

/// The keys of a map, to be taken out one by one.
pub struct Fields<'n> {
    pairs: &'n [Pair],
    taken: Vec<bool>,
    known: Vec<&'static str>,
    at: Span,
    what: &'static str,
}

impl<'n> Fields<'n> {
    /// Opens a map. `what` names the thing that it describes, with its article (`a ruleset`); `at`
    /// is where its absence of keys is shown: its name, or its own place.
    pub fn open(
        node: &'n Node,
        what: &'static str,
        at: Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let pairs = node.map(what, diagnostics)?;
        Some(Fields {
            pairs,
            taken: vec![false; pairs.len()],
            known: Vec::new(),
            at,
            what,
        })
    }

    /// Where the thing is named.
    pub fn at(&self) -> Span {
        self.at
    }

    /// The value of a key, if it is there. A key without a value is reported and counts as absent.
    pub fn take(&mut self, key: &'static str, diagnostics: &mut Diagnostics) -> Option<&'n Node> {
        self.take_pair(key, diagnostics).map(|pair| &pair.value)
    }

    /// Like [`take`](Fields::take), with the key.
    pub fn take_pair(
        &mut self,
        key: &'static str,
        diagnostics: &mut Diagnostics,
    ) -> Option<&'n Pair> {
        self.known.push(key);
        let index = self.pairs.iter().position(|pair| pair.key.node == key)?;
        self.taken[index] = true;
        let pair = &self.pairs[index];
        match pair.value.kind {
            NodeKind::Nothing => {
                no_value(&pair.key, diagnostics);
                None
            }
            NodeKind::Broken => None,
            _ => Some(pair),
        }
    }

    /// The value of a key that must be there.
    pub fn require(
        &mut self,
        key: &'static str,
        diagnostics: &mut Diagnostics,
    ) -> Option<&'n Node> {
        if !self.has(key) {
            self.known.push(key);
            let near = did_you_mean(key, self.pairs.iter().map(|p| p.key.node.as_str()));
            // A misspelt key is reported as unknown, with the right one; saying it twice helps nobody.
            if near.is_none() {
                diagnostics.push(
                    Code::MissingKey
                        .error(self.at, format!("{} needs the key `{key}`", self.what))
                        .label(format!("`{key}` is missing here")),
                );
            }
            return None;
        }
        self.take(key, diagnostics)
    }

    /// Whether the map has this key.
    pub fn has(&self, key: &str) -> bool {
        self.pairs.iter().any(|pair| pair.key.node == key)
    }

    /// The pairs that nobody has asked for, which the caller reads as it sees fit.
    pub fn rest(self) -> impl Iterator<Item = &'n Pair> {
        let taken = self.taken;
        self.pairs
            .iter()
            .enumerate()
            .filter(move |(i, _)| !taken[*i])
            .map(|(_, pair)| pair)
    }

    /// Reports the keys that nobody has asked for.
    pub fn finish(self, diagnostics: &mut Diagnostics) {
        let what = self.what;
        let known = self.known.clone();
        for pair in self.rest() {
            unknown_key(&pair.key, what, known.iter().copied(), diagnostics);
        }
    }
}

/// Reports a key that does not belong here, with what was probably meant.
pub fn unknown_key<'k>(
    key: &Spanned<String>,
    what: &str,
    known: impl IntoIterator<Item = &'k str> + Clone,
    diagnostics: &mut Diagnostics,
) {
    let help =
        did_you_mean(&key.node, known.clone()).unwrap_or_else(|| one_of("the keys are", known));
    diagnostics.push(
        Code::UnknownKey
            .error(key.span, format!("unknown key `{}` in {what}", key.node))
            .help(help),
    );
}

/// Reports a key without a value.
pub fn no_value(key: &Spanned<String>, diagnostics: &mut Diagnostics) {
    diagnostics.push(
        Code::WrongNodeKind
            .error(key.span, format!("the key `{}` has no value", key.node))
            .help("write its value after the colon, or remove the line"),
    );
}

/// ``the keys are `a`, `b` and `c` ``
pub fn one_of<'k>(lead: &str, words: impl IntoIterator<Item = &'k str>) -> String {
    const MOST: usize = 12;
    let words: Vec<_> = words.into_iter().map(|w| format!("`{w}`")).collect();
    match words.split_last() {
        None => "there are none".to_owned(),
        Some((last, [])) => format!("{lead} {last}"),
        Some(_) if words.len() > MOST => format!("{lead} {}, …", words[..MOST].join(", ")),
        Some((last, rest)) => format!("{lead} {} and {last}", rest.join(", ")),
    }
}

impl Node {
    /// The pairs of a map.
    pub fn map(&self, what: &str, diagnostics: &mut Diagnostics) -> Option<&[Pair]> {
        match &self.kind {
            NodeKind::Map(pairs) => Some(pairs),
            _ => self.wrong(&format!("{what}, that is a map"), diagnostics),
        }
    }

    /// The items of a list.
    pub fn list(&self, what: &str, diagnostics: &mut Diagnostics) -> Option<&[Node]> {
        match &self.kind {
            NodeKind::List(items) => Some(items),
            _ => {
                let before = diagnostics.list.len();
                let nothing = self.wrong(&format!("a list of {what}"), diagnostics);
                if let (Some(text), Some(reported)) =
                    (self.plain(), diagnostics.list.get_mut(before))
                {
                    reported
                        .help
                        .get_or_insert_with(|| format!("a list of one is written `[{text}]`"));
                }
                nothing
            }
        }
    }

    /// A text for people.
    pub fn text(&self, what: &str, diagnostics: &mut Diagnostics) -> Option<Spanned<String>> {
        match &self.kind {
            NodeKind::Scalar(scalar) => {
                if !scalar.quoted && is_surprising(&scalar.text) {
                    return surprising(self.span, &scalar.text, diagnostics);
                }
                Some(Spanned::new(scalar.text.trim().to_owned(), self.span))
            }
            _ => self.wrong(what, diagnostics),
        }
    }

    /// The name of a table, row, column, figure: small letters, digits and `_`, beginning with a letter.
    pub fn id(&self, what: &str, diagnostics: &mut Diagnostics) -> Option<Spanned<String>> {
        let text = self.text(what, diagnostics)?;
        check_id(&text, what, diagnostics).then_some(text)
    }

    /// The id of a clause, step or move: ids joined by dots, in which hyphens may stand.
    pub fn address(&self, what: &str, diagnostics: &mut Diagnostics) -> Option<Spanned<String>> {
        let mut text = self.text(what, diagnostics)?;
        if let Some(bare) = text.node.strip_prefix('@') {
            text.node = bare.to_owned();
        }
        check_address(&text, what, diagnostics).then_some(text)
    }

    /// A whole number.
    pub fn int(&self, what: &str, diagnostics: &mut Diagnostics) -> Option<Spanned<i64>> {
        let NodeKind::Scalar(scalar) = &self.kind else {
            return self.wrong(what, diagnostics);
        };
        if !scalar.quoted
            && is_int(&scalar.text)
            && let Ok(number) = scalar.text.parse()
        {
            return Some(Spanned::new(number, self.span));
        }
        let text = scalar.text.as_str();
        let help = if scalar.quoted {
            "write it without quotes"
        } else if is_int(text) {
            "it is too large"
        } else if text.contains(['.', ',']) && text.starts_with(|c: char| c.is_ascii_digit()) {
            "only whole numbers are used, without separators"
        } else if text.len() > 1 && text.trim_start_matches('-').starts_with('0') {
            "write it without zeros in front"
        } else {
            "write it with digits, such as `12`"
        };
        diagnostics.push(
            Code::InvalidNumber
                .error(
                    self.span,
                    format!("expected {what}, found {}", self.described()),
                )
                .help(help),
        );
        None
    }

    /// A whole number within bounds.
    pub fn int_within(
        &self,
        what: &str,
        least: i64,
        most: i64,
        diagnostics: &mut Diagnostics,
    ) -> Option<Spanned<i64>> {
        let number = self.int(what, diagnostics)?;
        if (least..=most).contains(&number.node) {
            return Some(number);
        }
        diagnostics.push(
            Code::InvalidNumber
                .error(
                    self.span,
                    format!("expected {what}, found `{}`", number.node),
                )
                .help(format!("it must be at least {least} and at most {most}")),
        );
        None
    }

    /// `true` or `false`.
    pub fn bool(&self, what: &str, diagnostics: &mut Diagnostics) -> Option<Spanned<bool>> {
        match self.plain() {
            Some("true") => return Some(Spanned::new(true, self.span)),
            Some("false") => return Some(Spanned::new(false, self.span)),
            None if self.kind == NodeKind::Broken => return None,
            _ => {}
        }
        let mut diagnostic = Code::InvalidBoolean.error(
            self.span,
            format!(
                "expected {what}, that is `true` or `false`, found {}",
                self.described()
            ),
        );
        if let Some(text) = self.scalar() {
            diagnostic = diagnostic.maybe_help(match text.to_lowercase().as_str() {
                "yes" | "y" | "on" | "1" | "tak" | "true" => Some("write `true`"),
                "no" | "n" | "off" | "0" | "nie" | "false" => Some("write `false`"),
                _ => None,
            });
        }
        diagnostics.push(diagnostic);
        None
    }

    /// One of a few words.
    pub fn choice<T: Copy>(
        &self,
        what: &str,
        choices: &[(&str, T)],
        diagnostics: &mut Diagnostics,
    ) -> Option<T> {
        let word = self.text(what, diagnostics)?;
        if let Some((_, value)) = choices.iter().find(|(name, _)| *name == word.node) {
            return Some(*value);
        }
        let names = choices.iter().map(|(name, _)| *name);
        let help = did_you_mean(&word.node, names.clone())
            .unwrap_or_else(|| one_of("it is one of", names));
        diagnostics.push(
            Code::UnknownKeyword
                .error(self.span, format!("`{}` is not {what}", word.node))
                .help(help),
        );
        None
    }

    /// Reports that something else was expected here.
    pub fn wrong<T>(&self, what: &str, diagnostics: &mut Diagnostics) -> Option<T> {
        if self.kind == NodeKind::Broken {
            return None;
        }
        let mut diagnostic = Code::WrongNodeKind.error(
            self.span,
            format!("expected {what}, found {}", self.described()),
        );
        if let Some((key, value)) = self.plain().and_then(|text| text.split_once(':'))
            && !key.is_empty()
            && !key.contains(' ')
            && !value.is_empty()
        {
            diagnostic =
                diagnostic.help(format!("a colon needs a space after it: `{key}: {value}`"));
        }
        diagnostics.push(diagnostic);
        None
    }
}

/// Whether readers of YAML disagree on what this plain scalar is.
pub fn is_surprising(text: &str) -> bool {
    matches!(
        text.to_ascii_lowercase().as_str(),
        "yes" | "no" | "on" | "off" | "y" | "n" | "true" | "false" | "null" | "~"
    )
}

fn surprising<T>(span: Span, text: &str, diagnostics: &mut Diagnostics) -> Option<T> {
    diagnostics.push(
        Code::AmbiguousWord
            .error(
                span,
                format!("`{text}` is not a text for every reader of YAML"),
            )
            .help(format!(
                "if the word itself is meant, put it in quotes: `\"{text}\"`"
            )),
    );
    None
}

/// Whether this is written as a whole number: `0`, `12`, `-3`, but not `012`, `1_000` or `0x1f`.
pub fn is_int(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'))
}

/// Whether this is an id: small letters, digits and `_`, beginning with a letter.
pub fn is_id(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Reports what is not an id.
pub fn check_id(text: &Spanned<String>, what: &str, diagnostics: &mut Diagnostics) -> bool {
    if is_id(&text.node) {
        return true;
    }
    let mut diagnostic = Code::InvalidIdentifier
        .error(text.span, format!("`{}` cannot be {what}", text.node))
        .note(
            "it is used in rules as a name: small letters, digits and `_`, beginning with a letter",
        );
    let mended: String = text
        .node
        .trim()
        .to_lowercase()
        .replace([' ', '-', '.'], "_");
    if is_id(&mended) {
        diagnostic = diagnostic.help(format!("write `{mended}`"));
    }
    diagnostics.push(diagnostic);
    false
}

/// Reports what is not a chain of ids with hyphens.
pub fn check_address(text: &Spanned<String>, what: &str, diagnostics: &mut Diagnostics) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-')
    };
    if text.node.split('.').all(part) {
        return true;
    }
    let mut diagnostic = Code::InvalidIdentifier
        .error(text.span, format!("`{}` cannot be {what}", text.node))
        .note("it is made of small letters, digits, `-` and `_`, in parts joined by dots");
    let mended: String = text.node.trim().to_lowercase().replace(' ', "-");
    if mended.split('.').all(part) {
        diagnostic = diagnostic.help(format!("write `{mended}`"));
    }
    diagnostics.push(diagnostic);
    false
}
