//! Messages that only follow from others, and messages that say the same again.
//!
//! A sentence that cannot be read declares nothing, so whoever uses what it would have declared is told
//! that there is no such thing. Such messages bury the mistake they come from. Every stage reports
//! what it sees; here, where all is known, what another message explains is left out, and what is
//! said at many places is said once. How many were left out is counted and told.
//!
//! Whoever brings a text with thousands of mistakes is told of the first thousand.

use std::collections::BTreeMap;

use super::{Code, Diagnostic, Diagnostics, Severity};
use crate::budget::{self, Budget, spend};
use crate::numbers::{At as _, Fit as _};
use crate::source::{SourceFile, Sources, Span};

/// Most places that one message shows; further ones are counted.
const PLACES: usize = 4;

/// The work was given up.
const ENDED: &[Code] = &[Code::WorkLimitExceeded];

/// Most messages that anybody is told.
const MOST: usize = 1000;

/// Units of [work](crate::budget) that it may take to find out what follows from what.
const JUDGING: u64 = 5_000_000;

/// After one of these nothing that is said of names, figures or rules means anything: a module of
/// another ruleset, a number of players for which the ruleset is not, an impossible range of them.
const HOPELESS: &[Code] = &[
    Code::InvalidPlayerRange,
    Code::WrongBaseRuleset,
    Code::UnsupportedPlayerCount,
];

/// Something has no meaning because nothing of this name is known.
const ABSENT: &[Code] = &[
    Code::UnknownClauseInDocument,
    Code::UnknownRow,
    Code::UnknownPatchTarget,
    Code::UnknownType,
    Code::UnknownVisibilityIndex,
    Code::UnknownTable,
    Code::UnknownPlayedRow,
    Code::UnknownClauseInRules,
    Code::UnknownPhase,
    Code::UnknownComponent,
    Code::UnknownName,
    Code::UnknownQuery,
    Code::NotCallable,
    Code::UnknownPlace,
    Code::UnknownColumn,
    Code::UnknownPossibleMove,
    Code::UnknownEvent,
    Code::UnknownEnding,
    Code::UnknownComponentCondition,
    Code::UnplayedComponent,
    Code::UnknownQuestion,
    Code::UnknownMove,
    Code::UnknownStep,
    Code::UnknownTriggerOrder,
    Code::UnvisitedPhase,
];

/// A value is missing for some number of players.
const VALUELESS: &[Code] = &[Code::MissingPlayerCount, Code::MissingValueForPlayers];

/// Others than these that are often said of many places at once: a number of values or a query's shape.
const REPEATED: &[Code] = &[Code::WrongArgumentCount, Code::WrongComponentCondition];

/// Something is missing from a whole whose parts may have mistakes of their own.
const INCOMPLETE: &[Code] = &[
    Code::IncompleteSentence,
    Code::MissingGamePhase,
    Code::MissingWinner,
    Code::EmptyPhase,
];

/// A word that opens a declaration; the name follows it.
const DECLARES: &[&str] = &[
    "query", "place", "counter", "marker", "event", "die", "record", "phase", "step", "move",
    "effect", "ending", "score", "keeps",
];

impl Diagnostics {
    /// By file and position, each once, without those that only follow from others.
    pub fn settled(self, sources: &Sources) -> Diagnostics {
        let all = self.sorted();
        let found = all.list.len();
        let mut list = once_at_a_place(all.list);
        bound(&mut list);
        let judge = Judge {
            sources,
            list: &list,
        };
        // Where so much is wrong that judging it takes long, everything is told.
        let (judged, _) = budget::within(&Budget::of(JUDGING), || judge.kept());
        let list = judged.unwrap_or(list);
        let kept = list.len();
        Diagnostics {
            list: joined(list),
            left_out: all.left_out + found - kept,
            tolerated: all.tolerated,
        }
    }
}

/// Leaves out what is beyond the [most](MOST) that is told. Warnings make way for errors, and nothing makes way for what
/// ended the work.
fn bound(list: &mut Vec<Diagnostic>) {
    let is_error = |d: &Diagnostic| d.severity == Severity::Error;
    let errors = list.iter().filter(|d| is_error(d)).count();
    let (mut errors_left, mut warnings_left) = (MOST, MOST.saturating_sub(errors));
    list.retain(|diagnostic| {
        let left = match is_error(diagnostic) {
            true => &mut errors_left,
            false => &mut warnings_left,
        };
        let kept = *left > 0 || is(diagnostic, ENDED);
        *left = left.saturating_sub(1);
        kept
    });
}

/// Where a message points first.
fn place(diagnostic: &Diagnostic) -> Option<Span> {
    diagnostic.labels.first().map(|label| label.span)
}

fn is(diagnostic: &Diagnostic, codes: &[Code]) -> bool {
    codes.contains(&diagnostic.code)
}

/// The text itself could not be read, or part of it.
fn unreadable(diagnostic: &Diagnostic) -> bool {
    matches!(diagnostic.code.number(), 101..=119 | 201..=203 | 301..=318)
}

/// Of two errors at one place of which one says that something is missing there, the first.
fn once_at_a_place(list: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let weak = |d: &Diagnostic| is(d, ABSENT) || is(d, VALUELESS);
    let mut kept: Vec<Diagnostic> = Vec::new();
    for diagnostic in list {
        // They are in the order of their places.
        let here = kept.iter().rev();
        let mut here = here.take_while(|earlier| place(earlier) == place(&diagnostic));
        let is_error = |earlier: &Diagnostic| earlier.severity == Severity::Error;
        let again = place(&diagnostic).is_some() && here.any(is_error);
        if !(again && weak(&diagnostic)) {
            kept.push(diagnostic);
        }
    }
    kept
}

struct Judge<'a> {
    sources: &'a Sources,
    list: &'a [Diagnostic],
}

impl Judge<'_> {
    fn kept(&self) -> Vec<Diagnostic> {
        let hopeless = self.list.iter().any(|d| is(d, HOPELESS));
        let mut dropped = vec![false; self.list.len()];
        for (i, diagnostic) in self.list.iter().enumerate() {
            let follows = |causes: &dyn Fn(&Diagnostic) -> bool| {
                let mut others = self.list.iter().enumerate();
                others.any(|(j, cause)| {
                    spend(1, None);
                    i != j && !dropped[j] && cause.severity == Severity::Error && causes(cause)
                })
            };
            dropped[i] = if hopeless && !is(diagnostic, HOPELESS) && !unreadable(diagnostic) {
                true
            } else if is(diagnostic, ABSENT) {
                follows(&|cause| self.would_have_declared(cause, diagnostic))
            } else if is(diagnostic, INCOMPLETE) {
                follows(&|cause| {
                    self.within(cause, diagnostic)
                        || diagnostic.code == Code::MissingGamePhase
                            && self.misnamed(cause) == Some("game")
                        || diagnostic.code == Code::MissingWinner && self.garbles(cause, "winner")
                })
            } else if unreadable(diagnostic) {
                follows(&|cause| self.swallowed(cause, diagnostic))
            } else if matches!(
                diagnostic.code,
                Code::TypeMismatch
                    | Code::WrongArgumentCount
                    | Code::IncomparableTypes
                    | Code::WrongContributionKind
                    | Code::WrongComponentCondition
            ) {
                follows(&|cause| {
                    self.mistyped(cause, diagnostic) || self.reshaped(cause, diagnostic)
                })
            } else if matches!(
                diagnostic.code,
                Code::UnlistedFile
                    | Code::UncitedClause
                    | Code::UnusedName
                    | Code::UnusedValue
                    | Code::UnnamedNumber
            ) {
                follows(&|cause| self.disturbs(cause, diagnostic))
            } else {
                false
            };
        }
        let kept = self
            .list
            .iter()
            .zip(dropped)
            .filter(|(_, dropped)| !dropped);
        kept.map(|(diagnostic, _)| diagnostic.clone()).collect()
    }

    /// Whether what could not be read on account of `cause` seems to declare what `diagnostic` misses.
    fn would_have_declared(&self, cause: &Diagnostic, diagnostic: &Diagnostic) -> bool {
        // A file that is not there may have declared anything.
        if cause.code == Code::MissingFile {
            return true;
        }
        let (Some(from), Some(at)) = (place(cause), place(diagnostic)) else {
            return false;
        };
        let word = self.sources.text(at).trim_start_matches('@');
        let names = [Some(word), word.rsplit('.').next(), word.split('.').next()];
        let file = self.sources.file(from.file);
        let lost = self.lost(cause, from);
        let declared = |name: &str| match is_rules(file) {
            true if self.misnamed(cause) == Some(name) => true,
            true => {
                spend(lost.len().fit::<u64>() / 4, None);
                file.text[lost.clone()]
                    .lines()
                    .any(|line| declares(line, name))
                    || from.file == at.file
                        && line_around(file, from.start.at()).contains(&format!("{name}: "))
            }
            false => from.file != at.file && has_word(&file.text[lost.clone()], name),
        };
        names
            .into_iter()
            .flatten()
            .any(|name| !name.is_empty() && declared(name))
    }

    /// The name behind a word that opens no sentence, which whoever misspelt the word wanted to declare.
    fn misnamed(&self, cause: &Diagnostic) -> Option<&str> {
        let from = place(cause).filter(|_| cause.code == Code::UnknownSentence)?;
        let line = line_around(self.sources.file(from.file), from.start.at());
        let (_, rest) = line.trim_start().split_once(' ')?;
        Some(first_name(rest.trim_start()))
    }

    /// Whether a mistake makes a sentence unreadable that this word opens.
    fn garbles(&self, cause: &Diagnostic, word: &str) -> bool {
        let Some(from) = place(cause).filter(|_| unreadable(cause)) else {
            return false;
        };
        let file = self.sources.file(from.file);
        let sentence = &file.text[sentence_around(file, from.start.at())];
        is_rules(file) && sentence.split_whitespace().next() == Some(word)
    }

    /// What a mistake makes unreadable: of rules its sentence, and after an open bracket everything; of a
    /// document everything, since what it belongs to cannot be told from its place.
    fn lost(&self, cause: &Diagnostic, at: Span) -> std::ops::Range<usize> {
        let file = self.sources.file(at.file);
        match (is_rules(file), cause.code) {
            (true, Code::UnclosedBracket) => at.start.at()..file.text.len(),
            (true, _) => sentence_around(file, at.start.at()),
            (false, _) => 0..file.text.len(),
        }
    }

    /// Whether a mistake lies in the sentence of which something is missed.
    fn within(&self, cause: &Diagnostic, diagnostic: &Diagnostic) -> bool {
        let (Some(from), Some(at)) = (place(cause), place(diagnostic)) else {
            return false;
        };
        let file = self.sources.file(at.file);
        from.file == at.file
            && !is(cause, INCOMPLETE)
            && (unreadable(cause) || diagnostic.code == Code::EmptyPhase)
            && sentence_around(file, at.start.at()).contains(&from.start.at())
    }

    /// Whether a bracket that is never closed has swallowed the place of another mistake, or a key is
    /// unknown because the one above it is missing.
    fn swallowed(&self, cause: &Diagnostic, diagnostic: &Diagnostic) -> bool {
        let (Some(from), Some(at)) = (place(cause), place(diagnostic)) else {
            return false;
        };
        if from.file != at.file {
            return false;
        }
        let column = |span| self.sources.line_column(span).column;
        match (cause.code, diagnostic.code) {
            (Code::UnclosedBracket, _) => from.start < at.start,
            (Code::MissingKey, Code::UnknownKey) => column(from) == column(at),
            _ => false,
        }
    }

    /// Whether a wrong type comes from a header whose own type could not be read.
    fn mistyped(&self, cause: &Diagnostic, diagnostic: &Diagnostic) -> bool {
        let (Some(from), Some(at)) = (place(cause), place(diagnostic)) else {
            return false;
        };
        let file = self.sources.file(from.file);
        if cause.code != Code::UnknownType || !is_rules(file) {
            return false;
        }
        let header = line_around(file, from.start.at()).trim_start();
        let name = header
            .split_once(' ')
            .map_or("", |(_, rest)| first_name(rest));
        let used = line_around(self.sources.file(at.file), at.start.at());
        let within = sentence_around(file, from.start.at()).contains(&at.start.at());
        let points_there = diagnostic.labels.iter().any(|label| {
            label.span.file == from.file
                && line_around(file, label.span.start.at()).trim_start() == header
        });
        points_there || used.contains(&format!("{name}(")) || from.file == at.file && within
    }

    /// Whether what a module puts in the place of a query has another shape, of which everybody who
    /// asks it complains.
    fn reshaped(&self, cause: &Diagnostic, diagnostic: &Diagnostic) -> bool {
        let (Some(from), Some(at)) = (place(cause), place(diagnostic)) else {
            return false;
        };
        let name = self.sources.text(from);
        let used = line_around(self.sources.file(at.file), at.start.at());
        cause.code == Code::QuerySignatureMismatch && used.contains(&format!("{name}("))
    }

    /// Whether a warning may be owed to an error: a clause that is cited by what has the error, a
    /// number or a name in a line that has one, a file that a broken manifest may list.
    fn disturbs(&self, cause: &Diagnostic, diagnostic: &Diagnostic) -> bool {
        let Some(at) = place(diagnostic) else {
            return false;
        };
        match diagnostic.code {
            Code::UncitedClause => {
                let clause = self.sources.text(at);
                let mut texts = self.sources.iter();
                cause.code == Code::MissingFile || texts.any(|(_, file)| cites(&file.text, clause))
            }
            Code::UnlistedFile => {
                cause.code == Code::MissingFile
                    || unreadable(cause) && !is_rules_place(self.sources, cause)
            }
            _ => place(cause).is_some_and(|from| {
                let file = self.sources.file(at.file);
                from.file == at.file
                    && is_rules(file)
                    && sentence_around(file, at.start.at()).contains(&from.start.at())
            }),
        }
    }
}

fn is_rules(file: &SourceFile) -> bool {
    file.path.ends_with(".rules")
}

fn is_rules_place(sources: &Sources, diagnostic: &Diagnostic) -> bool {
    place(diagnostic).is_some_and(|span| is_rules(sources.file(span.file)))
}

/// Whether a line of rules opens with a declaration of this name.
fn declares(line: &str, name: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("free ").unwrap_or(line);
    let Some((word, rest)) = line.split_once(' ') else {
        return false;
    };
    DECLARES.contains(&word) && first_name(rest.trim_start()) == name
}

fn first_name(text: &str) -> &str {
    let end = text.find(|c: char| !is_name_char(c)).unwrap_or(text.len());
    &text[..end]
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a text cites a clause.
fn cites(text: &str, clause: &str) -> bool {
    spend(text.len().fit::<u64>() / 16, None);
    text.match_indices(clause).any(|(i, _)| {
        let before = text[..i].trim_end();
        let after = text[i + clause.len()..].chars().next();
        let ends = after.is_none_or(|c| !is_name_char(c) && !matches!(c, '.' | '-'));
        ends && (before.ends_with('@') || before.ends_with("cite:"))
    })
}

/// Whether a document contains a word by itself.
fn has_word(text: &str, word: &str) -> bool {
    spend(text.len().fit::<u64>() / 16, None);
    let part = |c: char| is_name_char(c) || matches!(c, '-' | '.');
    text.match_indices(word).any(|(i, _)| {
        let before = text[..i].chars().next_back();
        let after = text[i + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

fn line_around(file: &SourceFile, at: usize) -> &str {
    let start = file.text[..at].rfind('\n').map_or(0, |i| i + 1);
    let end = file.text[at..]
        .find('\n')
        .map_or(file.text.len(), |i| at + i);
    &file.text[start..end]
}

/// Byte offsets at which the lines of a text begin, with the lines.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}

/// The sentence at the left margin, with all that stands below it, in which a place lies.
fn sentence_around(file: &SourceFile, at: usize) -> std::ops::Range<usize> {
    let opens = |line: &str| line.starts_with(|c: char| is_name_char(c));
    let (mut start, mut end) = (0, file.text.len());
    spend(file.text.len().fit::<u64>() / 4, None);
    for (offset, line) in lines(&file.text) {
        if opens(line) && offset <= at {
            start = offset;
        } else if opens(line) {
            end = offset;
            break;
        }
    }
    start..end
}

/// Messages of one code and one wording as one message with several places.
fn joined(list: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut joined: Vec<Diagnostic> = Vec::new();
    let mut first: BTreeMap<(Code, String), (usize, usize)> = BTreeMap::new();
    for diagnostic in list {
        let key = (diagnostic.code, diagnostic.message.clone());
        let repeats = [ABSENT, VALUELESS, REPEATED]
            .iter()
            .any(|codes| is(&diagnostic, codes));
        let Some((index, places)) = first.get_mut(&key).filter(|_| repeats) else {
            first.insert(key, (joined.len(), 1));
            joined.push(diagnostic);
            continue;
        };
        *places += 1;
        if let Some(mut label) = diagnostic.labels.into_iter().next()
            && *places <= PLACES
        {
            if label.text.is_empty() {
                "and here".clone_into(&mut label.text);
            }
            joined[*index].labels.push(label);
        }
    }
    for (index, places) in first.into_values() {
        if places > PLACES {
            let more = places - PLACES;
            let places = if more == 1 { "place" } else { "places" };
            let note = format!("the same holds at {more} more {places}");
            let joined = &mut joined[index];
            joined.note = Some(match joined.note.take() {
                Some(earlier) => format!("{earlier}; {note}"),
                None => note,
            });
        }
    }
    joined
}
