//! A redline as one page of HTML: no script, no other file; it reads and prints.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::contents::{ClauseChange, Entry, Flag, Level, Redline, RuleChange};
use super::marked::{Piece, marked};
use crate::book::Labels;

/// What a page says.
pub struct Page<'a> {
    /// The redline.
    pub redline: &'a Redline,
    /// What the first side is called.
    pub before: &'a str,
    /// What the second is called.
    pub after: &'a str,
    /// How many scenarios of the first were run under the rules of the second.
    pub scenarios: usize,
    /// Causes for which accepted games part.
    pub accepted: &'a [Entry],
    /// The words of its language.
    pub labels: Labels,
}

impl Page<'_> {
    /// What was found, in a line.
    pub fn summary(&self) -> String {
        let Redline {
            red, to_be_read, ..
        } = self.redline;
        match (self.labels.code(), red + to_be_read) {
            ("en", 0) => "nothing is flagged".to_owned(),
            ("en", _) => format!("{red} red, {to_be_read} to be read"),
            (_, 0) => "nic nie jest oznaczone".to_owned(),
            _ => format!("na czerwono: {red}, do przeczytania: {to_be_read}"),
        }
    }

    /// The parts that are lists of entries, with their titles.
    pub fn parts(&self) -> [(&'static str, &[Entry]); 4] {
        let say = |english, polish| self.labels.say(english, polish);
        [
            (say("The printed rulebook", "Druk"), &self.redline.ties[..]),
            (say("Scenarios", "Scenariusze"), &self.redline.scenarios[..]),
            (say("Accepted games", "Przyjęte partie"), self.accepted),
            (
                say("Components, options and names", "Elementy, opcje i nazwy"),
                &self.redline.other[..],
            ),
        ]
    }

    /// What a rule did, in words: `the move “load a ship” changed`.
    pub fn rule(&self, rule: &RuleChange) -> String {
        use crate::diff::What;
        let did = match rule.what {
            What::Added => self.labels.say("new", "dodano"),
            What::Removed => self.labels.say("gone", "usunięto"),
            What::Changed => self.labels.say("changed", "zmieniono"),
        };
        format!("{}: {did}", rule.name)
    }

    fn whole(&self) -> Markup {
        let redline = self.redline;
        let say = |english, polish| self.labels.say(english, polish);
        html! {
            (DOCTYPE)
            html lang=(redline.language) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (say("Redline", "Zmiany")) ": " (self.before) " → " (self.after) }
                    style { (PreEscaped(include_str!("redline.css"))) }
                }
                body {
                    h1 { (say("What changed in the rules", "Co się zmieniło w zasadach")) }
                    p class="id" { (self.before) "  →  " (self.after) }
                    p class="sum" {
                        @match redline.level() {
                            Some(Level::Red) => b class="red" { (self.summary()) },
                            Some(Level::ToBeRead) => b class="read" { (self.summary()) },
                            None => b class="none" { (self.summary()) },
                        }
                    }
                    @if !redline.clauses.is_empty() {
                        section {
                            h2 { (say("Clauses", "Klauzule")) }
                            @for clause in &redline.clauses { (self.clause(clause)) }
                        }
                    }
                    @if !redline.figures.is_empty() {
                        section {
                            h2 { (say("Figures", "Liczby")) }
                            table { tbody { @for figure in &redline.figures {
                                tr title=(figure.of) {
                                    td { (figure.name) }
                                    td { del { (figure.before) } " " ins { (figure.after) } }
                                    td class="id" {
                                        @if let Some(clause) = &figure.clause { "@" (clause) }
                                    }
                                }
                            } } }
                        }
                    }
                    @if !redline.rules.is_empty() {
                        section {
                            h2 { (say("Rules without a clause", "Reguły bez klauzuli")) }
                            @for (rule, flags) in &redline.rules {
                                div class={ "entry " (weight(flags)) } {
                                    (shown(flags))
                                    (self.code(rule))
                                }
                            }
                        }
                    }
                    @for (title, entries) in self.parts() {
                        @if !entries.is_empty() {
                            section {
                                h2 { (title) }
                                @for entry in entries { (one(entry)) }
                            }
                        }
                    }
                    p class="id" {
                        (say("old scenarios run under the new rules:", "dawne scenariusze sprawdzone z nowymi regułami:"))
                        " " (self.scenarios)
                    }
                    (self.signatures())
                }
            }
        }
    }

    fn clause(&self, clause: &ClauseChange) -> Markup {
        let (own, other) = match self.redline.language {
            "pl" => ("pl", "en"),
            _ => ("en", "pl"),
        };
        html! {
            article class={ "entry " (weight(&clause.flags)) } id={ "clause-" (clause.id) } {
                p class="id" { "@" (clause.id) " · " (clause.section) }
                (shown(&clause.flags))
                p lang=(own) { (pieces(&clause.text, self.labels)) }
                @if let Some(text) = &clause.other {
                    p lang=(other) { span class="tongue" { (other) } (pieces(text, self.labels)) }
                }
                @for rule in &clause.rules { (self.code(rule)) }
            }
        }
    }

    fn code(&self, rule: &RuleChange) -> Markup {
        let side = |text: &Option<String>| text.clone().unwrap_or_default();
        html! {
            div class="rule" {
                p { (self.rule(rule)) " " span class="id" { (rule.place) } }
                pre { (lines(&side(&rule.before), &side(&rule.after))) }
            }
        }
    }

    /// Where people sign the printed page.
    fn signatures(&self) -> Markup {
        let say = |english, polish| self.labels.say(english, polish);
        html! {
            section class="signatures" {
                h2 { (say("Signatures", "Podpisy")) }
                p {
                    (say("I have read the changes above and accept the rules as they are after them:", "Zapoznano się z powyższymi zmianami i zaakceptowano zasady w nowym brzmieniu:"))
                    " " span class="id" {(self.after) }
                }
                table {
                    thead { tr {
                        th { (say("Name", "Imię i nazwisko")) }
                        th { (say("Date", "Data")) }
                        th { (say("Signature", "Podpis")) }
                    } }
                    tbody { @for _ in 0..2 { tr { td {} td {} td {} } } }
                }
                p { (say("Reservations:", "Zastrzeżenia:")) }
                div class="line" {}
            }
        }
    }
}

/// Code before and after, line by line.
fn lines(before: &str, after: &str) -> Markup {
    let diff = similar::TextDiff::from_lines(before, after);
    html! {
        @for change in diff.iter_all_changes() {
            @match change.tag() {
                similar::ChangeTag::Delete => { del { (change.value().trim_end_matches('\n')) } "\n" }
                similar::ChangeTag::Insert => { ins { (change.value().trim_end_matches('\n')) } "\n" }
                similar::ChangeTag::Equal => { (change.value().trim_end_matches('\n')) "\n" }
            }
        }
    }
}

fn weight(flags: &[Flag]) -> &'static str {
    match flags.iter().map(|flag| flag.level).max() {
        Some(level) => class(level),
        None => "",
    }
}

fn class(level: Level) -> &'static str {
    match level {
        Level::Red => "red",
        Level::ToBeRead => "read",
    }
}

fn shown(flags: &[Flag]) -> Markup {
    html! {
        @if !flags.is_empty() {
            ul class="flags" {
                @for flag in flags { li class=(class(flag.level)) { (flag.text) } }
            }
        }
    }
}

fn pieces(pieces: &[Piece], labels: Labels) -> Markup {
    html! {
        @for piece in pieces {
            @match piece {
                Piece::Same(text) => (text),
                Piece::Gone(text) => del { (text) },
                Piece::New(text) => ins { (text) },
                Piece::Stale(text, now) => {
                    mark { (text) small { " (" (labels.say("now", "teraz")) " " (now) ")" } }
                }
            }
        }
    }
}

fn one(entry: &Entry) -> Markup {
    html! {
        div class={ "entry " (weight(&entry.flags)) } {
            p { b { (entry.of) } }
            (shown(&entry.flags))
            @for (before, after) in &entry.lines {
                @match (before, after) {
                    (Some(before), Some(after)) => p {
                        @for piece in marked(before, after) {
                            @match piece {
                                Piece::Same(text) | Piece::Stale(text, _) => (text),
                                Piece::Gone(text) => del { (text) },
                                Piece::New(text) => ins { (text) },
                            }
                        }
                    },
                    (Some(before), None) => p { del { (before) } },
                    (None, Some(after)) => p { ins { (after) } },
                    (None, None) => {}
                }
            }
            @if !entry.about.is_empty() {
                ul class="about" { @for text in &entry.about { li { (text) } } }
            }
        }
    }
}

/// The page.
pub fn page(page: &Page<'_>) -> String {
    page.whole().into_string()
}
