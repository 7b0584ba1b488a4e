//! A book as one page of HTML: no script, no font, no other file; it reads and prints well.

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::contents::{Book, ClauseEntry, FigureEntry, Line, NAMED};
use super::labels::Labels;
use crate::coverage::Standing;
use referee_store::numbers::float;

const STYLE: &str = include_str!("book.css");

struct Page<'b> {
    book: &'b Book,
    labels: Labels,
    /// What each clause says, for whoever hovers over a citation.
    clauses: BTreeMap<&'b str, &'b str>,
}

pub(super) fn html(book: &Book, labels: Labels) -> String {
    let clauses = book.sections.iter().flat_map(|section| &section.clauses);
    let page = Page {
        book,
        labels,
        clauses: clauses
            .map(|clause| (clause.id.as_str(), clause.text.as_str()))
            .collect(),
    };
    page.whole().into_string()
}

impl Page<'_> {
    fn say<'t>(&self, english: &'t str, polish: &'t str) -> &'t str {
        self.labels.say(english, polish)
    }

    fn whole(&self) -> Markup {
        let book = self.book;
        html! {
            (DOCTYPE)
            html lang=(book.language) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (book.title) " · " (book.ruleset) " " (book.version) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    (self.contents())
                    main {
                        header {
                            h1 { (book.title) }
                            p {
                                code { (book.ruleset) " " (book.version) } ", "
                                (self.labels.players(book.players)) "."
                                @if let Some((proven, enforceable)) = book.proven {
                                    " " (self.say("Clauses proven:", "Klauzule udowodnione:")) " "
                                    (proven) "/" (enforceable) "."
                                }
                                @if let Some(touched) = book.touched {
                                    " " (self.say("Touched or proven:", "Dotknięte lub udowodnione:")) " "
                                    (touched) "."
                                }
                            }
                            (self.configuration())
                        }
                        (self.rules())
                        (self.setup())
                        (self.components())
                        (self.phases())
                        (self.glossary())
                        (self.index())
                    }
                }
            }
        }
    }

    fn contents(&self) -> Markup {
        let book = self.book;
        html! {
            nav aria-label=(self.say("Contents", "Spis treści")) {
                h2 { (self.say("Contents", "Spis treści")) }
                ul {
                    li {
                        a href="#rules" { (self.say("Rules", "Zasady")) }
                        ul { @for section in &book.sections {
                            li { a href={ "#section-" (section.id) } { (section.title) } }
                        } }
                    }
                    li { a href="#setup" { (self.say("Set-up", "Przygotowanie")) } }
                    li {
                        a href="#components" { (self.say("Components", "Elementy gry")) }
                        ul { @for table in &book.tables {
                            li { a href={ "#table-" (table.id) } { (table.name) } }
                        } }
                    }
                    li {
                        a href="#phases" { (self.say("Phases", "Fazy")) }
                        ul { @for phase in &book.phases {
                            li { a href={ "#phase-" (phase.id) } { (phase.name) } }
                        } }
                    }
                    li { a href="#glossary" { (self.say("Words", "Słowniczek")) } }
                    li { a href="#index" { (self.say("Index", "Indeks")) } }
                }
            }
        }
    }

    fn configuration(&self) -> Markup {
        let book = self.book;
        html! {
            @if !book.modules.is_empty() || !book.offered.is_empty() || !book.options.is_empty() {
                ul class="configuration" {
                    @for (id, title) in &book.modules {
                        li { (self.say("with", "z modułem")) " " b { (title) } " (" code { (id) } ")" }
                    }
                    @for (id, title) in &book.offered {
                        li {
                            (self.say("offers the module", "oferuje moduł")) " " (title)
                            " (" code { (id) } ")"
                        }
                    }
                    @for option in &book.options {
                        li {
                            (self.say("option", "opcja")) " " code { (option.id) } ": " (option.name)
                            "; " (self.say("if nobody says otherwise:", "domyślnie:")) " "
                            (option.default) " " (self.cited(&option.clause))
                        }
                    }
                }
            }
        }
    }

    fn cited<'c>(&self, clauses: impl IntoIterator<Item = &'c String>) -> Markup {
        html! {
            @for clause in clauses {
                " " a class="cite" href={ "#clause-" (clause) }
                    title=[self.clauses.get(clause.as_str())] { "@" (clause) }
            }
        }
    }

    fn rules(&self) -> Markup {
        html! {
            section {
                h2 id="rules" { (self.say("Rules", "Zasady")) }
                @for section in &self.book.sections {
                    h3 id={ "section-" (section.id) } { (section.title) }
                    @for clause in &section.clauses { (self.clause(clause)) }
                }
            }
        }
    }

    fn clause(&self, clause: &ClauseEntry) -> Markup {
        let (first, rest) = clause.scenarios.split_at(clause.scenarios.len().min(NAMED));
        html! {
            article class="clause" id={ "clause-" (clause.id) } {
                @for lower in &clause.stands_for { a id={ "clause-" (lower) } {} }
                div class="said" {
                    p class="text" { (clause.text) }
                    p class="about" {
                        a class="cite" href={ "#clause-" (clause.id) } { "@" (clause.id) }
                        @if let Some(kind) = self.labels.clause_kind(clause.kind) {
                            " " span class="badge" { (kind) }
                        }
                        @if let Some(module) = &clause.module {
                            " " span class="badge" { (module) }
                        }
                        @for lower in &clause.replaces {
                            " " span class="badge" { (self.labels.replaces()) " @" (lower) }
                        }
                        @if let Some(standing) = clause.standing {
                            @let class = match standing { Standing::Gap => "badge gap", _ => "badge" };
                            " " span class=(class) { (self.labels.standing(standing, &clause.missing)) }
                        }
                    }
                    @if !clause.restricted_by.is_empty() {
                        p class="about" {
                            (self.labels.restricted_by()) (self.cited(&clause.restricted_by))
                        }
                    }
                    @if !clause.printed.is_empty() {
                        p class="about" {
                            (self.say("In the printed rulebook:", "W drukowanej instrukcji:")) " "
                            (clause.printed.join("; "))
                        }
                    }
                    @if !clause.decides.is_empty() {
                        p class="about" { (self.labels.decides()) " " (clause.decides.join("; ")) }
                    }
                    @if !first.is_empty() {
                        div class="about" {
                            (self.say("Seen in:", "Widać to w:"))
                            ul { @for name in first { li { (name) } } }
                            @if clause.others > 0 {
                                p class="about" {
                                    (self.say("Other scenarios that meet it:", "Inne scenariusze, w których występuje:"))
                                    " " (clause.others)
                                }
                            }
                            @if !rest.is_empty() {
                                details {
                                    summary { (rest.len()) " " (self.say("more", "więcej")) }
                                    ul { @for name in rest { li { (name) } } }
                                }
                            }
                        }
                    }
                }
                div class="done" {
                    @for rule in &clause.rules {
                        p class="about" { b { (rule.what) } " · " (rule.place) }
                        @if !rule.lines.is_empty() {
                            pre { (rule.lines.join("\n")) }
                        }
                    }
                }
            }
        }
    }

    fn setup(&self) -> Markup {
        let book = self.book;
        html! {
            section {
                h2 id="setup" {
                    (self.say("Set-up by number of players", "Przygotowanie według liczby graczy"))
                }
                (self.figures(&book.setup))
                @if !book.by_players.is_empty() {
                    h3 id="setup-components" {
                        (self.say("Components by number of players", "Elementy według liczby graczy"))
                    }
                    (self.figures(&book.by_players))
                }
            }
        }
    }

    fn figures(&self, figures: &[FigureEntry]) -> Markup {
        let (from, to) = self.book.players;
        html! {
            table {
                thead { tr {
                    th { (self.say("players", "gracze")) }
                    @for n in from..=to { th class="number" { (n) } }
                    th { (self.say("clause", "klauzula")) }
                } }
                tbody { @for figure in figures {
                    tr {
                        td {
                            @if figure.name.is_empty() { code { (figure.id) } } @else { (figure.name) }
                        }
                        // What is the same for everybody is said once.
                        @if figure.values.windows(2).all(|pair| pair[0] == pair[1]) {
                            td class="number same" colspan=(figure.values.len()) {
                                (shown(figure.values.first().and_then(Option::as_ref)))
                            }
                        } @else {
                            @for value in &figure.values {
                                td class="number" { (shown(value.as_ref())) }
                            }
                        }
                        td { (self.cited(&figure.clause)) }
                    }
                } }
            }
        }
    }

    fn components(&self) -> Markup {
        html! {
            section {
                h2 id="components" { (self.say("Components", "Elementy gry")) }
                @for table in &self.book.tables {
                    h3 id={ "table-" (table.id) } { (table.name) }
                    div class="wide" { table {
                        thead { tr {
                            th { (self.say("name", "nazwa")) }
                            @for column in &table.columns { th { (column) } }
                            th { }
                        } }
                        tbody { @for row in &table.rows {
                            tr id={ (table.id) "-" (row.id) } {
                                th scope="row" {
                                    (row.name)
                                    @if row.name != row.id { " " code { (row.id) } }
                                }
                                @for cell in &row.cells {
                                    td class=[cell.parse::<i64>().is_ok().then_some("number")] { (cell) }
                                }
                                td {
                                    (self.cited(&row.clause))
                                    @for changed in &row.changed {
                                        " " span class="badge" { (changed) }
                                    }
                                }
                            }
                        } }
                    } }
                    @for row in table.rows.iter().filter(|row| !row.rules.is_empty()) {
                        h4 id={ "rules-" (table.id) "-" (row.id) } { (row.name) }
                        (self.lines(&row.rules))
                    }
                }
            }
        }
    }

    fn lines(&self, lines: &[Line]) -> Markup {
        html! {
            div class="sheet" {
                @for line in lines {
                    @if line.mark == '#' {
                        h5 { (line.text) }
                    } @else {
                        div class={ "l " (mark(line.mark)) } style={ "margin-left:" (float(line.depth) * 1.2) "em" } {
                            (line.text) (self.cited(&line.cites))
                        }
                    }
                }
            }
        }
    }

    fn phases(&self) -> Markup {
        let book = self.book;
        html! {
            section {
                h2 id="phases" { (self.say("Phases", "Fazy")) }
                div class="graph" { (PreEscaped(&book.overview.svg)) }
                @for phase in &book.phases {
                    h3 id={ "phase-" (phase.id) } { (phase.name) (self.cited(&phase.clause)) }
                    div class="graph" { (PreEscaped(&phase.graph.svg)) }
                    (self.lines(&phase.rules))
                }
            }
        }
    }

    fn glossary(&self) -> Markup {
        html! {
            section {
                h2 id="glossary" { (self.say("Words", "Słowniczek")) }
                dl { @for word in &self.book.glossary {
                    dt id={ "word-" (word.kind) "-" (word.id) } {
                        (word.name)
                        @if !word.other.is_empty() && word.other != word.name {
                            span class="other" { " / " (word.other) }
                        }
                    }
                    dd {
                        (self.labels.kind(word.kind)) " " code { (word.id) }
                        @if let Some(said) = &word.said { " · " code { (said) } }
                        (self.cited(&word.clause))
                    }
                } }
            }
        }
    }

    fn index(&self) -> Markup {
        html! {
            section {
                h2 id="index" { (self.say("Index", "Indeks")) }
                ul class="index" { @for entry in &self.book.index {
                    li {
                        (entry.name) ": "
                        @for (i, (text, anchor)) in entry.at.iter().enumerate() {
                            @if i > 0 { ", " }
                            a href={ "#" (anchor) } { (text) }
                        }
                    }
                } }
            }
        }
    }
}

fn shown(value: Option<&String>) -> &str {
    value.map_or("–", String::as_str)
}

fn mark(mark: char) -> &'static str {
    match mark {
        '+' => "added",
        '~' => "replaced",
        '-' => "gone",
        _ => "",
    }
}
