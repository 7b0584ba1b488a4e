//! A book for players: the rulebook as one would read it at the table, without code, paths or names of tests.
//!
//! In: what the editor's book says as well. Out: one page of HTML, or Markdown. A chapter is a section of the rulebook; its
//! clauses are numbered as whoever cites them by chapter and number counts them. Behind the clauses of a phase stands what
//! other chapters say that is done in it (the buildings that work in the captain's phase), so that nobody has to look for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::contents::{Book, ClauseEntry, FigureEntry, Section, TableEntry};
use super::labels::Labels;

const STYLE: &str = include_str!("readers.css");

/// A clause where it stands.
#[derive(Clone, Copy)]
struct Numbered<'b> {
    section: &'b Section,
    number: usize,
    clause: &'b ClauseEntry,
}

struct Edition<'b> {
    book: &'b Book,
    labels: Labels,
    clauses: Vec<Numbered<'b>>,
}

/// As one page of HTML that needs nothing else.
pub(super) fn html(book: &Book, labels: Labels) -> String {
    Edition::of(book, labels).page().into_string()
}

/// As Markdown.
pub(super) fn markdown(book: &Book, labels: Labels) -> String {
    Edition::of(book, labels).text()
}

impl<'b> Edition<'b> {
    fn of(book: &'b Book, labels: Labels) -> Edition<'b> {
        let clauses = book.sections.iter().flat_map(|section| {
            let clauses = section.clauses.iter().enumerate();
            clauses.map(move |(at, clause)| Numbered {
                section,
                number: at + 1,
                clause,
            })
        });
        Edition {
            book,
            labels,
            clauses: clauses.collect(),
        }
    }

    fn say<'t>(&self, english: &'t str, polish: &'t str) -> &'t str {
        self.labels.say(english, polish)
    }

    fn of_section(&self, id: &str) -> Vec<Numbered<'b>> {
        let all = self.clauses.iter().copied();
        all.filter(|one| one.section.id == id).collect()
    }

    /// What other chapters say that is done in the phase of a chapter.
    fn elsewhere(&self, section: &Section) -> Vec<Numbered<'b>> {
        let is_phase = self.book.phases.iter().any(|phase| phase.id == section.id);
        if !is_phase {
            return Vec::new();
        }
        let is_in = |clause: &ClauseEntry| {
            clause.rules.iter().any(|rule| {
                let mut words = rule.what.split_whitespace();
                words.any(|word| {
                    let rest = word.strip_prefix(section.id.as_str());
                    rest.is_some_and(|rest| rest.starts_with('.'))
                })
            })
        };
        let others = self.clauses.iter().copied();
        others
            .filter(|one| one.section.id != section.id && one.clause.is_enforced)
            .filter(|one| is_in(one.clause))
            .collect()
    }

    /// The chapter and number of a clause, as it is cited.
    fn cited(&self, id: &str) -> Option<String> {
        let is_it =
            |clause: &ClauseEntry| clause.id == id || clause.stands_for.iter().any(|r| r == id);
        let found = self.clauses.iter().find(|one| is_it(one.clause))?;
        Some(format!("{}, {}", found.section.title, found.number))
    }

    /// What is to be known of a clause beside its text.
    fn about(&self, clause: &ClauseEntry) -> Option<&'static str> {
        Some(match clause.kind {
            "ruling" => self.labels.say(
                "decided by the publisher of these rules",
                "rozstrzygnięcie wydawcy tych zasad",
            ),
            "option" if self.is_usual(&clause.id) => self.labels.say(
                "unless you choose otherwise",
                "chyba że postanowicie inaczej",
            ),
            "option" => self
                .labels
                .say("only if you choose so", "tylko jeśli tak postanowicie"),
            _ => return None,
        })
    }

    /// The places of the clauses that make an exception to a clause.
    fn restricted(&self, clause: &ClauseEntry) -> Option<String> {
        let places = clause.restricted_by.iter().filter_map(|id| self.cited(id));
        let places: Vec<String> = places.collect();
        let by = self.labels.restricted_by();
        (!places.is_empty()).then(|| format!("{by}: {}", places.join("; ")))
    }

    /// Whether the option that a clause speaks of is on when nobody chooses.
    fn is_usual(&self, clause: &str) -> bool {
        let mut options = self.book.options.iter();
        let on = self.labels.truth(true);
        options.any(|option| option.clause.as_deref() == Some(clause) && option.default == on)
    }

    /// Names of components and words, each with the chapters whose clauses speak of it.
    fn index(&self) -> Vec<(String, Vec<Numbered<'b>>)> {
        let rows = self.book.tables.iter().flat_map(|table| &table.rows);
        let names = rows.map(|row| row.name.as_str());
        let names = names.chain(self.book.glossary.iter().map(|word| word.name.as_str()));
        let names: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
        let mut index: BTreeMap<String, Vec<Numbered<'b>>> = BTreeMap::new();
        for name in names {
            let wanted = name.to_lowercase();
            let told = self.clauses.iter().copied();
            let told: Vec<Numbered<'b>> = told
                .filter(|one| has_words(&one.clause.text.to_lowercase(), &wanted))
                .collect();
            if !told.is_empty() {
                index.insert(name.to_owned(), told);
            }
        }
        index.into_iter().collect()
    }

    fn page(&self) -> Markup {
        let book = self.book;
        html! {
            (DOCTYPE)
            html lang=(book.language) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (book.title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header {
                        h1 { (book.title) }
                        p { (self.labels.players(book.players)) }
                        @for (_, title) in &book.modules {
                            p { (self.say("with", "z dodatkiem")) " " b { (title) } }
                        }
                    }
                    nav aria-label=(self.say("Contents", "Spis treści")) {
                        h2 { (self.say("Contents", "Spis treści")) }
                        ol { @for section in &book.sections {
                            li { a href={ "#" (section.id) } { (section.title) } }
                        } }
                        p {
                            @if !self.figures().is_empty() {
                                a href="#setup" { (self.say("Set-up by number of players", "Przygotowanie według liczby graczy")) }
                                " · "
                            }
                            a href="#components" { (self.say("Components", "Elementy gry")) }
                            " · " a href="#index" { (self.say("Index", "Indeks")) }
                        }
                    }
                    main {
                        @for section in &book.sections { (self.chapter(section)) }
                        (self.setup())
                        section {
                            h2 id="components" { (self.say("Components", "Elementy gry")) }
                            @for table in book.tables.iter().filter(|table| has_figures(table)) { (self.components(table)) }
                        }
                        section {
                            h2 id="index" { (self.say("Index", "Indeks")) }
                            ul class="index" { @for (name, told) in self.index() {
                                li {
                                    (name) ": "
                                    @for (at, one) in told.iter().enumerate() {
                                        @if at > 0 { "; " }
                                        a href={ "#" (one.clause.id) } { (one.section.title) " " (one.number) }
                                    }
                                }
                            } }
                        }
                    }
                }
            }
        }
    }

    fn chapter(&self, section: &Section) -> Markup {
        let elsewhere = self.elsewhere(section);
        html! {
            section {
                h2 id=(section.id) { (section.title) }
                ol class="clauses" { @for one in self.of_section(&section.id) {
                    li id=(one.clause.id) class=[(one.clause.kind == "note").then_some("note")] {
                        @for lower in &one.clause.stands_for { a id=(lower) {} }
                        (one.clause.text)
                        @if let Some(about) = self.about(one.clause) { " " em { "(" (about) ")" } }
                        @if let Some(by) = self.restricted(one.clause) { " " em { "(" (by) ")" } }
                    }
                } }
                @if !elsewhere.is_empty() {
                    aside {
                        h3 { (self.say("What else is done in this phase", "Co jeszcze dzieje się w tej fazie")) }
                        ul { @for one in &elsewhere {
                            li {
                                (one.clause.text) " "
                                @if let Some(about) = self.about(one.clause) { em { "(" (about) ")" } " " }
                                a class="cite" href={ "#" (one.clause.id) } { (one.section.title) ", " (one.number) }
                            }
                        } }
                    }
                }
            }
        }
    }

    fn setup(&self) -> Markup {
        let (from, to) = self.book.players;
        let figures = self.figures();
        html! {
            @if !figures.is_empty() { section {
                h2 id="setup" { (self.say("Set-up by number of players", "Przygotowanie według liczby graczy")) }
                table {
                    thead { tr {
                        th { (self.say("players", "gracze")) }
                        @for n in from..=to { th class="number" { (n) } }
                    } }
                    tbody { @for figure in &figures {
                        tr {
                            th scope="row" { (figure.name) }
                            @for value in &figure.values {
                                td class="number" { (value.as_deref().unwrap_or("–")) }
                            }
                        }
                    } }
                }
            } }
        }
    }

    /// Figures that depend on the number of players, by their names.
    fn figures(&self) -> Vec<&'b FigureEntry> {
        let all = self.book.setup.iter().chain(&self.book.by_players);
        let differs =
            |figure: &&FigureEntry| figure.values.windows(2).any(|pair| pair[0] != pair[1]);
        all.filter(|figure| !figure.name.is_empty())
            .filter(differs)
            .collect()
    }

    fn components(&self, table: &TableEntry) -> Markup {
        html! {
            h3 { (table.name) }
            div class="wide" { table {
                thead { tr {
                    th { (self.say("name", "nazwa")) }
                    @for column in &table.columns { th { (column) } }
                } }
                tbody { @for row in &table.rows {
                    tr {
                        th scope="row" {
                            (row.name)
                            @if let Some(cited) = row.clause.as_deref().and_then(|id| self.cited(id)) {
                                " " a class="cite" href={ "#" (row.clause.as_deref().unwrap_or_default()) } { (cited) }
                            }
                        }
                        @for cell in &row.cells {
                            td class=[cell.parse::<i64>().is_ok().then_some("number")] { (cell) }
                        }
                    }
                } }
            } }
        }
    }

    fn text(&self) -> String {
        let mut text = format!(
            "# {}\n\n{}\n",
            self.book.title,
            self.labels.players(self.book.players)
        );
        for (_, title) in &self.book.modules {
            let _ = writeln!(text, "\n{} {title}", self.say("with", "z dodatkiem"));
        }
        for section in &self.book.sections {
            let _ = writeln!(text, "\n## {}\n", section.title);
            let about = |clause: &ClauseEntry| {
                let about = self.about(clause);
                about.map_or_else(String::new, |about| format!(" *({about})*"))
            };
            for one in self.of_section(&section.id) {
                let about = about(one.clause);
                let by = self.restricted(one.clause);
                let by = by.map_or_else(String::new, |by| format!(" *({by})*"));
                let _ = writeln!(text, "{}. {}{about}{by}", one.number, one.clause.text);
            }
            let elsewhere = self.elsewhere(section);
            if !elsewhere.is_empty() {
                let title = self.say(
                    "What else is done in this phase",
                    "Co jeszcze dzieje się w tej fazie",
                );
                let _ = writeln!(text, "\n### {title}\n");
            }
            for one in elsewhere {
                let cited = format!("{}, {}", one.section.title, one.number);
                let about = about(one.clause);
                let _ = writeln!(text, "- {}{about} *{cited}*", one.clause.text);
            }
        }
        let (from, to) = self.book.players;
        let players: Vec<String> = (from..=to).map(|n| n.to_string()).collect();
        let figures = self.figures().into_iter().map(|figure| {
            let values = figure.values.iter();
            let values = values.map(|value| value.clone().unwrap_or_else(|| "–".to_owned()));
            std::iter::once(figure.name.clone()).chain(values).collect()
        });
        let figures: Vec<Vec<String>> = figures.collect();
        if !figures.is_empty() {
            let title = self.say(
                "Set-up by number of players",
                "Przygotowanie według liczby graczy",
            );
            let _ = writeln!(text, "\n## {title}\n");
            table(
                &mut text,
                &[vec![String::new()], players].concat(),
                &figures,
            );
        }
        let _ = writeln!(text, "\n## {}", self.say("Components", "Elementy gry"));
        for one in self.book.tables.iter().filter(|table| has_figures(table)) {
            let _ = writeln!(text, "\n### {}\n", one.name);
            let heads = [vec![String::new()], one.columns.clone()].concat();
            let rows = one.rows.iter().map(|row| {
                let name = std::iter::once(row.name.clone());
                name.chain(row.cells.iter().cloned()).collect()
            });
            table(&mut text, &heads, &rows.collect::<Vec<Vec<String>>>());
        }
        text
    }
}

/// Whether whole words of a text are these.
fn has_words(text: &str, words: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        // Inflected and counted names end otherwise.
        let behind = text[at + found.len()..].chars().next();
        !is_word(before) && (!is_word(behind) || words.chars().count() > 3)
    })
}

/// Whether there is more to be read of its rows than their names.
fn has_figures(table: &TableEntry) -> bool {
    !table.columns.is_empty()
}

fn table(text: &mut String, heads: &[String], rows: &[Vec<String>]) {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |", cells.join(" | "))
    };
    let _ = writeln!(text, "{}", line(heads));
    let _ = writeln!(text, "|{}", " --- |".repeat(heads.len()));
    for row in rows {
        let _ = writeln!(text, "{}", line(row));
    }
}
