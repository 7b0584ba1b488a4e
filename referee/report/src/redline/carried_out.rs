//! What carries the clauses out: every sentence of the rules in a form that knows neither layout nor comments, with the
//! clauses that it serves.

use std::collections::{BTreeMap, BTreeSet};

use interpreter::package::Language;
use interpreter::source::{FileId, Span};
use interpreter::syntax::ast::Item;

use super::local_names::unnamed;
use crate::diff::Composed;
use crate::rules::citations::Sentence;
use crate::rules::{Rules, composed};
use referee_store::numbers::{to_u32, to_usize};

/// A sentence of the rules.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What it is: `move captain.loading.load`.
    pub what: String,
    /// Where it is written.
    pub place: String,
    /// Its words and signs, without those of sentences within it that cite a clause of their own.
    pub tokens: Vec<String>,
    /// The same with the words that lead to it, such as `needs`, and without the names that it binds itself. Two sentences
    /// that are the same here say the same.
    pub meaning: Vec<String>,
    /// As it is written.
    pub code: String,
    /// The clause that it cites itself.
    pub cite: Option<String>,
    /// The phase whose queries it reads by their own names.
    pub phase: Option<String>,
    /// The clauses that it serves: its own, that of what it is a part of, or those of the rules that use it.
    pub clauses: BTreeSet<String>,
}

/// The rules of a package.
pub struct CarriedOut {
    /// Every sentence, in order. Hints are none.
    pub rules: Vec<Rule>,
    /// What is written between them and belongs to one of them, such as the script of an extension.
    between: Vec<Rule>,
}

impl CarriedOut {
    /// All that carries clauses out: the sentences, then what is written between them.
    pub fn all(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().chain(&self.between)
    }

    /// Those of a package; their code has the names of a language.
    pub fn of(side: &Composed, language: Language) -> CarriedOut {
        let (package, sources) = (&side.package, &side.sources);
        let items = composed(package);
        let rules = Rules::new(package, sources, &items, language);
        let hints: BTreeSet<_> = package
            .rules
            .iter()
            .filter(|file| file.tree.items.iter().all(is_hint))
            .map(|file| file.file)
            .collect();
        let hinting: Vec<Span> = rules
            .said()
            .filter(|said| is_hint(said.item))
            .filter_map(|said| match said.item {
                Item::Query(query) => Some(query.span),
                _ => None,
            })
            .collect();
        let sentences: Vec<Sentence> = rules
            .sentences()
            .into_iter()
            .filter(|sentence| !hints.contains(&sentence.span.file))
            .filter(|sentence| !hinting.iter().any(|hint| within(sentence.span, *hint)))
            .collect();
        let mut led = BTreeMap::new();
        let mut left = Vec::new();
        for file in package.rules.iter().filter(|f| !hints.contains(&f.file)) {
            let text = &sources.file(file.file).text;
            let here: Vec<(usize, Span)> = sentences
                .iter()
                .map(|sentence| sentence.span)
                .enumerate()
                .chain(hinting.iter().map(|span| (NO_RULE, *span)))
                .filter(|(_, span)| span.file == file.file)
                .collect();
            let found = beside(text, file.file, &here);
            led.extend(found.led);
            left.extend(found.left);
        }
        let mut all: Vec<Rule> = Vec::new();
        let mut kept = BTreeMap::new();
        for (i, sentence) in sentences.iter().enumerate() {
            let text = &sources.file(sentence.span.file).text;
            let parts = sentences
                .iter()
                .map(|other| other.span)
                .filter(|other| within(*other, sentence.span) && *other != sentence.span);
            let tokens = tokens(&cut(text, sentence.span, parts));
            let mut whole: Vec<String> = led.remove(&i).unwrap_or_default();
            whole.extend(tokens.iter().cloned());
            let rule = Rule {
                what: sentence.what.clone(),
                place: rules.place(sentence.span),
                meaning: unnamed(&whole),
                tokens,
                code: rules
                    .sentence(
                        from_its_line(text, sentence.span),
                        sentence.phase.as_deref(),
                    )
                    .join("\n"),
                cite: sentence.cite.clone(),
                phase: sentence.phase.clone(),
                clauses: sentence.cite.iter().cloned().collect(),
            };
            let known = |other: &Rule| {
                (&other.what, &other.place, &other.tokens, &other.cite)
                    == (&rule.what, &rule.place, &rule.tokens, &rule.cite)
            };
            if rule.tokens.is_empty() {
                continue;
            }
            let at = all.iter().position(known).unwrap_or(all.len());
            kept.insert(i, at);
            if at == all.len() {
                all.push(rule);
            }
        }
        serve(&mut all);
        let between = left.into_iter().filter_map(|(owner, span)| {
            let (_, owner) = kept.range(..=owner).next_back()?;
            let owner = &all[*owner];
            let tokens = tokens(sources.text(span));
            (!tokens.is_empty()).then(|| Rule {
                what: format!("script of {}", owner.what),
                place: rules.place(span),
                meaning: unnamed(&tokens),
                tokens,
                code: rules.sentence(span, None).join("\n"),
                cite: None,
                phase: owner.phase.clone(),
                clauses: owner.clauses.clone(),
            })
        });
        let between = between.collect();
        CarriedOut {
            rules: all,
            between,
        }
    }

    /// The clauses of the rules that read something by its name.
    pub fn readers(&self, name: &str) -> BTreeSet<String> {
        let read = self.rules.iter();
        read.filter(|rule| rule.tokens.iter().any(|token| token == name))
            .flat_map(|rule| rule.clauses.iter().cloned())
            .collect()
    }
}

fn is_hint(item: &Item) -> bool {
    matches!(item, Item::Query(query) if query.hint)
}

fn within(inner: Span, outer: Span) -> bool {
    inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
}

/// A stretch with the words that lead to it on its line: `0` alone does not say that it is the least.
fn from_its_line(text: &str, span: Span) -> Span {
    let start = to_usize(span.start);
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    Span {
        start: to_u32(line),
        ..span
    }
}

/// A stretch of a text without some parts of it.
fn cut(text: &str, span: Span, parts: impl Iterator<Item = Span>) -> String {
    let mut parts: Vec<Span> = parts.collect();
    parts.sort_by_key(|part| part.start);
    let (mut out, mut at) = (String::new(), to_usize(span.start));
    for part in parts {
        let start = to_usize(part.start);
        if at < start {
            out.push_str(&text[at..start]);
            out.push(' ');
        }
        at = at.max(to_usize(part.end));
    }
    out.push_str(text.get(at..to_usize(span.end)).unwrap_or_default());
    out
}

/// What a file says beside its sentences.
#[derive(Default)]
struct Beside {
    /// The words that lead to a sentence on its line, by its number.
    led: BTreeMap<usize, Vec<String>>,
    /// Every other stretch, with the number of the sentence before it.
    left: Vec<(usize, Span)>,
}

/// The number of sentences that are no rules.
const NO_RULE: usize = usize::MAX;

fn beside(text: &str, file: FileId, sentences: &[(usize, Span)]) -> Beside {
    // The innermost sentence that each byte belongs to.
    let mut owners: Vec<Option<usize>> = vec![None; text.len()];
    let mut outermost: Vec<&(usize, Span)> = sentences.iter().collect();
    outermost.sort_by_key(|(_, span)| std::cmp::Reverse(span.end - span.start));
    for (number, span) in outermost {
        owners[to_usize(span.start)..to_usize(span.end)].fill(Some(*number));
    }
    let mut all = Beside::default();
    let mut at = 0;
    let mut before = None;
    while at < owners.len() {
        if owners[at].is_some() {
            before = owners[at];
            at += 1;
            continue;
        }
        let end = owners[at..]
            .iter()
            .position(Option::is_some)
            .map_or(owners.len(), |length| at + length);
        let mut own = end;
        if let Some(next) = owners.get(end).copied().flatten() {
            let line = text[at..end].rfind('\n').map_or(at, |line| at + line + 1);
            own = line;
            let words = tokens(&text[line..end]);
            if !words.is_empty() && next != NO_RULE {
                all.led.entry(next).or_insert(words);
            }
        }
        if let Some(owner) = before.filter(|owner| *owner != NO_RULE) {
            let span = Span {
                file,
                start: to_u32(at),
                end: to_u32(own),
            };
            all.left.push((owner, span));
        }
        at = end;
    }
    all
}

/// Returns the words and signs of rules, without blanks, comments and citations.
pub fn tokens(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text;
    let mut depth = 0u32;
    let word = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(first) = rest.chars().next() {
        let line = rest.find('\n').unwrap_or(rest.len());
        let length = match first {
            c if c.is_whitespace() => {
                rest = &rest[c.len_utf8()..];
                continue;
            }
            '#' if depth == 0 => {
                rest = &rest[line..];
                continue;
            }
            '@' if depth == 0 => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                rest = &rest[end..];
                continue;
            }
            '/' if rest.starts_with("//") => {
                rest = &rest[line..];
                continue;
            }
            '/' if rest.starts_with("/*") => {
                let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
                rest = &rest[end..];
                continue;
            }
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            c if word(c) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        match first {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        all.push(rest[..length].to_owned());
        rest = &rest[length..];
    }
    all
}

/// Finds the clauses of rules that cite none themselves: those of what they are a part of and of the rules that use
/// them.
fn serve(rules: &mut [Rule]) {
    for i in 0..rules.len() {
        if !rules[i].clauses.is_empty() {
            continue;
        }
        let whole = rules[..i]
            .iter()
            .rev()
            .find(|other| !other.clauses.is_empty() && part_of(&rules[i].what, &other.what));
        rules[i].clauses = whole.map(|whole| whole.clauses.clone()).unwrap_or_default();
    }
    // Queries by the name by which others use them; those that are used within each other settle in a few rounds.
    let mut homes: BTreeMap<String, BTreeSet<Option<String>>> = BTreeMap::new();
    for (phase, name) in rules.iter().filter_map(|rule| query(&rule.what)) {
        let home = homes.entry(name.to_owned()).or_default();
        home.insert(phase.map(str::to_owned));
    }
    let none = BTreeSet::new();
    for _ in 0..4 {
        let mut found: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for (i, rule) in rules.iter().enumerate() {
            let Some(name) = used_as(&rule.what).filter(|_| rule.cite.is_none()) else {
                continue;
            };
            let home = query(&rule.what).and_then(|(phase, _)| phase);
            let homes = homes.get(name).unwrap_or(&none);
            let users = rules
                .iter()
                .filter(|other| other.what != rule.what && reads(other, name, home, homes));
            let clauses = users.flat_map(|other| other.clauses.iter().cloned());
            found.insert(i, clauses.collect());
        }
        for (i, clauses) in found {
            rules[i].clauses.extend(clauses);
        }
    }
}

/// Returns whether a sentence is a part of another, by what they are.
pub fn part_of(what: &str, whole: &str) -> bool {
    let address = |what: &str| what.rsplit(' ').next().unwrap_or_default().to_owned();
    let (own, other) = (address(what), address(whole));
    what == whole
        || what.ends_with(&format!(" of {whole}"))
        || (what.starts_with("script of ")
            && (own == other || follows(whole).is_some_and(|at| at == own)))
        || (whole.starts_with("phase ") && own.starts_with(&format!("{other}.")))
}

/// Where a sentence adds something of its own: `round.payday` of `insertion at round.payday of building wharf`.
fn follows(what: &str) -> Option<&str> {
    let rest = what
        .strip_prefix("insertion at ")
        .or_else(|| what.strip_prefix("what follows "))?;
    rest.split(' ').next()
}

/// The phase of a query and its name: `query trader.price`.
fn query(what: &str) -> Option<(Option<&str>, &str)> {
    let address = what.strip_prefix("query ")?;
    Some(match address.rsplit_once('.') {
        Some((phase, name)) => (Some(phase), name),
        None => (None, address),
    })
}

/// Whether a rule reads what has a name, where queries of several phases may have the same one: that of its own phase, unless
/// it names another.
fn reads(rule: &Rule, name: &str, home: Option<&str>, homes: &BTreeSet<Option<String>>) -> bool {
    let has = |phase: &str| homes.iter().flatten().any(|home| home == phase);
    (0..rule.tokens.len())
        .filter(|at| rule.tokens[*at] == name)
        .any(|at| {
            let named = match rule.tokens[..at] {
                [.., ref phase, ref dot] if dot == "." => Some(phase.as_str()),
                _ => None,
            };
            let meant = named.or(rule.phase.as_deref()).filter(|phase| has(phase));
            homes.len() < 2
                || match meant {
                    Some(phase) => home == Some(phase),
                    None => home.is_none() || !homes.contains(&None),
                }
        })
}

/// The name by which other rules use a sentence.
fn used_as(what: &str) -> Option<&str> {
    let (kind, address) = what.split_once(' ')?;
    let name = address.rsplit('.').next()?;
    matches!(
        kind,
        "query" | "effect" | "record" | "place" | "counter" | "marker" | "die" | "event"
    )
    .then_some(name)
}
