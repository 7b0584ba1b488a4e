//! Things that are called otherwise, and the clauses whose words still say their old names.

use std::collections::BTreeMap;

use interpreter::package::{Clause, Language, Package, Text};

use super::contents::{Fact, Flag, Level};
use super::watched::{Names, inflects, stem, words};
use crate::book::Labels;

/// Things with other names, in one language.
pub(super) struct Renamed {
    language: Language,
    /// The old name as it was written, its words without their endings, and the new name.
    names: Vec<(String, Vec<String>, String)>,
    /// What has which name now.
    known: Names,
}

impl Renamed {
    /// What has another name in the second of two packages. Moves and steps are left out: clauses say what is done in
    /// words of their own.
    pub fn between(before: &Package, after: &Package, language: Language) -> Renamed {
        let (old, new) = (nouns(before), nouns(after));
        let changed = old.iter().filter_map(|(of, was)| {
            let (was, is) = (was.get(language), new.get(of)?.get(language));
            (was != is).then(|| (was.to_owned(), stems(was, language), is.to_owned()))
        });
        Renamed {
            language,
            names: changed.filter(|(_, stems, _)| !stems.is_empty()).collect(),
            known: Names::of(after, language),
        }
    }

    /// A flag for each old name that a clause says.
    pub fn flags(&self, clause: &Clause, labels: Labels) -> Vec<Flag> {
        let all = words(clause.text.get(self.language));
        let said = |name: &&(String, Vec<String>, String)| {
            let mut at = 0;
            while at < all.len() {
                let rest = &all[at..];
                let begins = name.1.len() <= rest.len()
                    && name
                        .1
                        .iter()
                        .zip(rest)
                        .all(|(stem, word)| inflects(stem, word));
                // The words “market” in “small market” do not name the building “market”.
                at += match self.known.first(rest) {
                    Some((_, length)) if length >= name.1.len() => length,
                    _ if begins => return true,
                    _ => 1,
                };
            }
            false
        };
        let flagged = self.names.iter().filter(said).map(|(was, _, is)| {
            let text = match (labels.0, self.language) {
                (Language::English, Language::English) => {
                    format!("the English says “{was}”, which is called “{is}” now")
                }
                (Language::English, Language::Polish) => {
                    format!("the Polish says “{was}”, which is called “{is}” now")
                }
                (Language::Polish, Language::English) => {
                    format!("tekst angielski mówi „{was}”, a ta nazwa brzmi teraz „{is}”")
                }
                (Language::Polish, Language::Polish) => {
                    format!("tekst polski mówi „{was}”, a ta nazwa brzmi teraz „{is}”")
                }
            };
            Flag::new(Level::Red, Fact::StaleName, text)
        });
        flagged.collect()
    }
}

/// What is called by a noun: rows of tables, places, counters, markers and phases.
fn nouns(package: &Package) -> BTreeMap<String, &Text> {
    let rows = package.tables.iter().flat_map(|table| {
        let rows = table.rows.iter();
        rows.map(|row| (format!("{} {}", table.name.node, row.id.node), &row.names))
    });
    let others = package.names.iter().filter(|(address, _)| {
        let kind = address.split(' ').next().unwrap_or_default();
        matches!(kind, "place" | "counter" | "marker" | "phase")
    });
    rows.chain(others.map(|(address, name)| (address.clone(), &name.node)))
        .collect()
}

/// The words of a name without their endings. A Polish word of four letters has an ending, too: `huta`, `huty`. A name
/// without a word of four letters would be found everywhere, and is left out.
fn stems(name: &str, language: Language) -> Vec<String> {
    let all = words(name);
    if !all.iter().any(|word| word.chars().count() >= 4) {
        return Vec::new();
    }
    let cut = |word: &String| match (language, word.chars().count()) {
        (Language::Polish, 4 | 5) => word.chars().take(3).collect(),
        _ => stem(word),
    };
    all.iter().map(cut).collect()
}
