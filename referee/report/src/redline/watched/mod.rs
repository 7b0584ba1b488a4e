//! Words on which a rule hangs: obligation, permission, number, bounds, negation, time, opposites, and whom or what it is about.
//!
//! In: a sentence and its language. Out: its watched words in order, each with what it means. Two sentences whose
//! watched words mean the same in the same order differ in nothing that is watched, however they are put; English and
//! Polish have a table each, [`english`] and [`polish`], to which words may be added freely.

mod class;
mod contraries;
mod english;
mod polish;

use interpreter::package::{Language, Package};
use similar::{Algorithm, DiffOp, capture_diff_slices};

pub use class::Class;
use class::Row;
use contraries::contraries;

/// A watched word of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Why it is watched.
    pub class: Class,
    /// What it means, the same for all words that say the same.
    pub meaning: String,
    /// As it is written.
    pub written: String,
    /// Which of the sentence's words it is, from 0; of several, the first.
    pub at: usize,
}

/// Watched words that changed in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shift {
    /// Why the first of them is watched.
    pub class: Class,
    /// What stood there, as it was written; empty if nothing watched did.
    pub before: String,
    /// What stands there now.
    pub after: String,
    /// Numbers that became other numbers, in order: where each stood, and what stands there now. Empty if it is about more
    /// than numbers.
    pub numbers: Vec<(usize, String)>,
    /// Whether what is gone here is new elsewhere in the sentence, or the other way round.
    pub moved: bool,
}

/// The words of a text in small letters: letters, digits and apostrophes.
pub fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .replace('’', "'")
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// What has a name in a game, by the words of the name in a language, each cut down to what stays when it is inflected.
#[derive(Clone, Debug, Default)]
pub struct Names(Vec<(Vec<String>, String)>);

impl Names {
    /// The names of the rows and places of a package.
    pub fn of(package: &Package, language: Language) -> Names {
        let rows = package.tables.iter().flat_map(|table| {
            let rows = table.rows.iter();
            rows.map(move |row| {
                let address = format!("{} {}", table.name.node, row.id.node);
                (words(row.names.get(language)), address)
            })
        });
        // A place that is called as what lies there is said of the pieces, not of the place.
        let pieces: Vec<String> = package
            .tables
            .iter()
            .flat_map(|table| words(table.names.get(language)))
            .map(|word| stem(&word))
            .collect();
        let of_pieces = |name: &[String]| match name {
            [only] => pieces.iter().any(|stem| inflects(stem, only)),
            _ => false,
        };
        let places = package.names.iter();
        let places = places
            .filter(|(address, _)| address.starts_with("place "))
            .map(|(address, name)| (words(name.node.get(language)), address.clone()))
            .filter(|(name, _)| !of_pieces(name));
        // One word that is a common noun of the language would be found everywhere.
        let mut all: Vec<_> = rows
            .chain(places)
            .filter(|(name, _)| name.iter().any(|word| word.chars().count() >= 4))
            .map(|(name, address)| (name.iter().map(|word| stem(word)).collect(), address))
            .collect();
        all.sort_by_key(|(name, _): &(Vec<String>, String)| std::cmp::Reverse(name.len()));
        Names(all)
    }

    /// The thing whose name begins a list of words, and how many words it has.
    pub(super) fn first(&self, words: &[String]) -> Option<(&str, usize)> {
        let found = self.0.iter().find(|(name, _)| {
            name.len() <= words.len() && name.iter().zip(words).all(|(s, w)| inflects(s, w))
        });
        found.map(|(name, address)| (address.as_str(), name.len()))
    }
}

/// What of a word stays when it is inflected.
pub fn stem(word: &str) -> String {
    let letters = word.chars().count();
    let keep = match letters {
        0..=4 => letters,
        5 => 4,
        _ => letters - 2,
    };
    word.chars().take(keep).collect()
}

/// Whether a word is a form of that of which the stem was cut.
pub fn inflects(stem: &str, word: &str) -> bool {
    word.starts_with(stem) && word.chars().count() <= stem.chars().count() + 4
}

fn table(language: Language) -> &'static [Row] {
    match language {
        Language::English => english::TABLE,
        Language::Polish => polish::TABLE,
    }
}

/// Whether words begin with a phrase of a table, and how many of them it takes.
fn begins(words: &[String], phrase: &str) -> Option<usize> {
    let mut taken = 0;
    for part in phrase.split(' ') {
        let word = words.get(taken)?;
        let fits = match part.strip_suffix('*') {
            Some(stem) => word.starts_with(stem),
            None => word == part,
        };
        if !fits {
            return None;
        }
        taken += 1;
    }
    Some(taken)
}

/// The watched words of a text, in order.
pub fn watched(text: &str, language: Language, names: &Names) -> Vec<Watched> {
    let words = words(text);
    let mut all = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let rest = &words[at..];
        let (class, meaning, taken) = match found(rest, language, names) {
            Some(found) => found,
            None => {
                at += 1;
                continue;
            }
        };
        all.push(Watched {
            class,
            meaning,
            written: words[at..at + taken].join(" "),
            at,
        });
        at += taken;
    }
    all
}

fn found(rest: &[String], language: Language, names: &Names) -> Option<(Class, String, usize)> {
    let first = rest.first()?;
    if first.chars().all(|c| c.is_ascii_digit()) {
        return Some((Class::Number, first.clone(), 1));
    }
    // The longest phrase is meant: `no more than` is no `no`.
    let mut best: Option<(Class, &str, usize)> = None;
    for (class, meaning, phrases) in table(language) {
        for taken in phrases.iter().filter_map(|phrase| begins(rest, phrase)) {
            if best.is_none_or(|(.., most)| taken > most) {
                best = Some((*class, meaning, taken));
            }
        }
    }
    let named = names.first(rest);
    match (best, named) {
        (Some((class, meaning, taken)), named) if named.is_none_or(|(_, n)| n <= taken) => {
            Some((class, meaning.to_owned(), taken))
        }
        (_, Some((name, taken))) => Some((Class::Subject, name.to_owned(), taken)),
        _ => contracted(first, language).map(|(class, meaning)| (class, meaning, 1)),
    }
}

/// Words that carry a watched one within: `mustn't`, `czteroosobowy`.
fn contracted(word: &str, language: Language) -> Option<(Class, String)> {
    match language {
        Language::English => {
            let verb = word.strip_suffix("n't")?;
            let verb = match verb {
                "ca" => "can",
                verb => verb,
            };
            Some((Class::Negation, format!("{verb} not")))
        }
        Language::Polish => {
            let many = polish::COUNTED.iter().find(|(prefix, _)| {
                word.strip_prefix(prefix)
                    .is_some_and(|rest| rest.starts_with("osob") || rest.starts_with("krotn"))
            })?;
            Some((Class::Number, many.1.to_owned()))
        }
    }
}

/// Numbers that a text states, each with the place of its word.
pub fn numbers(text: &str, language: Language) -> Vec<(i64, usize)> {
    let found = watched(text, language, &Names::default());
    let numbers = found.iter().filter(|word| word.class == Class::Number);
    numbers
        .filter_map(|word| Some((word.meaning.parse().ok()?, word.at)))
        .collect()
}

/// Where the watched words of two texts part.
pub fn shifts(before: &str, after: &str, language: Language, names: &Names) -> Vec<Shift> {
    let (a, b) = (
        once(watched(before, language, names)),
        once(watched(after, language, names)),
    );
    let meanings =
        |all: &[Watched]| -> Vec<String> { all.iter().map(|word| word.meaning.clone()).collect() };
    let mut all: Vec<Shift> = Vec::new();
    let same = match language {
        Language::English => false,
        Language::Polish => in_any_order(&a) == in_any_order(&b),
    };
    let ops = match same {
        true => Vec::new(),
        false => capture_diff_slices(Algorithm::Myers, &meanings(&a), &meanings(&b)),
    };
    // As often as before, only elsewhere.
    let often = |all: &[Watched], word: &Watched| {
        let same = all.iter().filter(|other| other.meaning == word.meaning);
        same.count()
    };
    for op in ops {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (&a[op.old_range()], &b[op.new_range()]);
        let written = |words: &[Watched]| -> String {
            let words: Vec<&str> = words.iter().map(|word| word.written.as_str()).collect();
            words.join(" … ")
        };
        let Some(first) = old.first().or(new.first()) else {
            continue;
        };
        let numbers = old.len() == new.len()
            && old
                .iter()
                .chain(new)
                .all(|word| word.meaning.parse::<i64>().is_ok());
        all.push(Shift {
            class: first.class,
            before: written(old),
            after: written(new),
            numbers: match numbers {
                true => {
                    let pairs = old.iter().zip(new);
                    pairs.map(|(a, b)| (a.at, b.meaning.clone())).collect()
                }
                false => Vec::new(),
            },
            moved: old
                .iter()
                .chain(new)
                .all(|word| loose(word.class) && often(&a, word) == often(&b, word)),
        });
    }
    all.extend(negated(before, after, language));
    // `down` in place of `up` is told with `face down`.
    let told = |before: &str, after: &str| {
        let has = |text: &str, word: &str| words(text).iter().any(|other| other == word);
        let mut shifts = all.iter();
        shifts.any(|shift| has(&shift.before, before) && has(&shift.after, after))
    };
    let turned = contraries(&words(before), &words(after), language).into_iter();
    let turned: Vec<_> = turned
        .filter(|(before, after)| !told(before, after))
        .collect();
    all.extend(
        turned
            .into_iter()
            .map(|(before, after)| Shift::of(Class::Opposite, before, after)),
    );
    all
}

/// Words that may say the same in another place. A number, a bound or a negation belongs to what stands behind it, and of
/// two opposites each to its own thing.
fn loose(class: Class) -> bool {
    !matches!(
        class,
        Class::Negation | Class::Number | Class::Bound | Class::Opposite
    )
}

impl Shift {
    fn of(class: Class, before: String, after: String) -> Shift {
        Shift {
            class,
            before,
            after,
            numbers: Vec::new(),
            moved: false,
        }
    }
}

/// Whom or what a sentence is about, named again at once, is said once: `the bank; the bank never` and `the bank, which never`.
fn once(all: Vec<Watched>) -> Vec<Watched> {
    let mut kept: Vec<Watched> = Vec::new();
    for word in all {
        let again = kept
            .last()
            .is_some_and(|last| word.class == Class::Subject && last.meaning == word.meaning);
        if !again {
            kept.push(word);
        }
    }
    kept
}

/// Watched words with those next to each other that say whom or what it is about in an order of their own. Polish tells by
/// their endings what each of them does: as long as these stay, so does the meaning.
fn in_any_order(all: &[Watched]) -> Vec<String> {
    let mut sorted = Vec::new();
    for run in all.chunk_by(|a, b| a.class == Class::Subject && b.class == Class::Subject) {
        let mut run: Vec<String> = run
            .iter()
            .map(|word| match word.class {
                Class::Subject => format!("{} {}", word.meaning, word.written),
                _ => word.meaning.clone(),
            })
            .collect();
        run.sort();
        sorted.extend(run);
    }
    sorted
}

/// Words that were negated by what was put before them, or are so no more: `occupied` became `unoccupied`.
fn negated(before: &str, after: &str, language: Language) -> Vec<Shift> {
    let prefixes: &[&str] = match language {
        Language::English => &["un", "in", "im", "non", "dis"],
        Language::Polish => &["nie"],
    };
    let (a, b) = (words(before), words(after));
    let pairs = |from: &[String], to: &[String]| -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        for word in from.iter().filter(|word| !to.contains(word)) {
            for prefix in prefixes {
                let opposite = format!("{prefix}{word}");
                if to.contains(&opposite) && !from.contains(&opposite) {
                    pairs.push((word.clone(), opposite));
                }
            }
        }
        pairs
    };
    let added = pairs(&a, &b).into_iter();
    let gone = pairs(&b, &a).into_iter().map(|(word, not)| (not, word));
    added
        .chain(gone)
        .map(|(before, after)| Shift::of(Class::Negation, before, after))
        .collect()
}
