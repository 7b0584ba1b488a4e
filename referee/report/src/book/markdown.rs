//! A book as Markdown, with diagrams as Mermaid.

use std::fmt::Write as _;

use super::contents::{Book, FigureEntry, Line, NAMED};
use super::labels::Labels;
use crate::coverage::Standing;

struct Page {
    text: String,
    labels: Labels,
}

pub(super) fn markdown(book: &Book, labels: Labels) -> String {
    let mut page = Page {
        text: String::new(),
        labels,
    };
    page.title(book);
    page.clauses(book);
    page.setup(book);
    page.components(book);
    page.phases(book);
    page.glossary(book);
    page.index(book);
    page.text
}

impl Page {
    fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    fn heading(&mut self, level: usize, anchor: &str, text: &str) {
        let marks = "#".repeat(level);
        let _ = writeln!(
            self.text,
            "\n<a id=\"{}\"></a>\n\n{marks} {}\n",
            anchor,
            escaped(text)
        );
    }

    fn title(&mut self, book: &Book) {
        let say = |en, pl| self.labels.say(en, pl);
        let mut head = format!("# {}\n\n", escaped(&book.title));
        let players = self.labels.players(book.players);
        let _ = write!(head, "`{}` {}, {players}.", book.ruleset, book.version);
        if let Some((proven, enforceable)) = book.proven {
            let said = say("Clauses proven:", "Klauzule udowodnione:");
            let _ = write!(head, " {said} {proven}/{enforceable}.");
        }
        if let Some(touched) = book.touched {
            let said = say("Touched or proven:", "Dotknięte lub udowodnione:");
            let _ = write!(head, " {said} {touched}.");
        }
        head.push('\n');
        if !(book.modules.is_empty() && book.offered.is_empty() && book.options.is_empty()) {
            head.push('\n');
        }
        for (id, title) in &book.modules {
            let _ = writeln!(
                head,
                "- {} `{id}`: {}",
                say("with", "z modułem"),
                escaped(title)
            );
        }
        for (id, title) in &book.offered {
            let _ = writeln!(
                head,
                "- {} `{id}`: {}",
                say("offers the module", "oferuje moduł"),
                escaped(title)
            );
        }
        for option in &book.options {
            let _ = writeln!(
                head,
                "- {} `{}` = {}: {} {}",
                say("option", "opcja"),
                option.id,
                option.default,
                escaped(&option.name),
                cited(option.clause.as_slice())
            );
        }
        let chapters = [
            ("rules", say("Rules", "Zasady")),
            (
                "setup",
                say(
                    "Set-up by number of players",
                    "Przygotowanie według liczby graczy",
                ),
            ),
            ("components", say("Components", "Elementy gry")),
            ("phases", say("Phases", "Fazy")),
            ("glossary", say("Words", "Słowniczek")),
            ("index", say("Index", "Indeks")),
        ];
        head.push('\n');
        for (anchor, title) in chapters {
            let _ = writeln!(head, "- [{title}](#{anchor})");
        }
        self.text.push_str(&head);
    }

    fn clauses(&mut self, book: &Book) {
        let say = |en, pl| self.labels.say(en, pl);
        let (rules, proven, printed) = (
            say("Rules", "Zasady"),
            say("seen in", "widać to w"),
            say("printed", "w instrukcji"),
        );
        self.heading(2, "rules", rules);
        for section in &book.sections {
            self.heading(3, &format!("section-{}", section.id), &section.title);
            for clause in &section.clauses {
                let kind = self.labels.clause_kind(clause.kind);
                let mut notes: Vec<String> =
                    kind.map(|kind| format!("*{kind}*")).into_iter().collect();
                notes.extend(clause.module.iter().map(|module| format!("`{module}`")));
                notes.extend(clause.replaces.iter().map(|lower| {
                    let replaces = self.labels.replaces();
                    format!("{replaces} @{lower}")
                }));
                notes.extend(clause.standing.map(|standing| {
                    let said = self.labels.standing(standing, &clause.missing);
                    match standing {
                        Standing::Gap => format!("**{said}**"),
                        _ => said,
                    }
                }));
                let notes = match notes.is_empty() {
                    true => String::new(),
                    false => format!(" ({})", notes.join(", ")),
                };
                let ids = clause.stands_for.iter().chain([&clause.id]);
                let anchors: String = ids
                    .map(|id| format!("<a id=\"clause-{id}\"></a>"))
                    .collect();
                let restricted = match clause.restricted_by.as_slice() {
                    [] => String::new(),
                    by => format!(" *({} {})*", self.labels.restricted_by(), cited(by)),
                };
                self.line(&format!(
                    "{anchors}**@{}**{notes} {}{restricted}",
                    clause.id,
                    escaped(&clause.text)
                ));
                self.line("");
                for rule in &clause.rules {
                    self.line(&format!("- `{}` · {}", rule.what, rule.place));
                    if !rule.lines.is_empty() {
                        self.line("  ```rules");
                        for line in &rule.lines {
                            self.line(&format!("  {line}"));
                        }
                        self.line("  ```");
                    }
                }
                if !clause.printed.is_empty() {
                    self.line(&format!(
                        "- {printed}: {}",
                        escaped(&clause.printed.join("; "))
                    ));
                }
                if !clause.decides.is_empty() {
                    let decides = self.labels.decides();
                    self.line(&format!(
                        "- {decides} {}",
                        escaped(&clause.decides.join("; "))
                    ));
                }
                if !clause.scenarios.is_empty() {
                    let shown = clause.scenarios.len().min(NAMED);
                    let others = match clause.scenarios.len() - shown + clause.others {
                        0 => String::new(),
                        n => format!(" ({} {n})", self.labels.say("others:", "innych:")),
                    };
                    let named = escaped(&clause.scenarios[..shown].join("; "));
                    self.line(&format!("- {proven}: {named}{others}"));
                }
                self.line("");
            }
        }
    }

    fn setup(&mut self, book: &Book) {
        let title = self.labels.say(
            "Set-up by number of players",
            "Przygotowanie według liczby graczy",
        );
        self.heading(2, "setup", title);
        self.figures(book, &book.setup);
        if !book.by_players.is_empty() {
            let title = self.labels.say(
                "Components by number of players",
                "Elementy według liczby graczy",
            );
            self.heading(3, "setup-components", title);
            self.figures(book, &book.by_players);
        }
    }

    fn figures(&mut self, book: &Book, figures: &[FigureEntry]) {
        let players: Vec<String> = (book.players.0..=book.players.1)
            .map(|n| n.to_string())
            .collect();
        let say = |en, pl| self.labels.say(en, pl);
        let (what, clause) = (say("what", "co"), say("clause", "klauzula"));
        let heads: Vec<&str> = [what]
            .into_iter()
            .chain(players.iter().map(String::as_str))
            .chain([clause])
            .collect();
        let mut rows = Vec::new();
        for figure in figures {
            let mut cells = vec![match figure.name.is_empty() {
                true => format!("`{}`", figure.id),
                false => escaped(&figure.name),
            }];
            cells.extend(
                figure
                    .values
                    .iter()
                    .map(|v| v.clone().unwrap_or_else(|| "–".to_owned())),
            );
            cells.push(cited(figure.clause.as_slice()));
            rows.push(cells);
        }
        self.table(&heads, &rows);
    }

    fn table(&mut self, heads: &[&str], rows: &[Vec<String>]) {
        self.line(&format!("| {} |", heads.join(" | ")));
        self.line(&format!("|{}", " --- |".repeat(heads.len())));
        for row in rows {
            let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
            self.line(&format!("| {} |", cells.join(" | ")));
        }
        self.line("");
    }

    fn components(&mut self, book: &Book) {
        self.heading(
            2,
            "components",
            self.labels.say("Components", "Elementy gry"),
        );
        let name = self.labels.say("name", "nazwa");
        for table in &book.tables {
            self.heading(3, &format!("table-{}", table.id), &table.name);
            let mut heads = vec![name];
            heads.extend(table.columns.iter().map(String::as_str));
            let rows: Vec<Vec<String>> = table
                .rows
                .iter()
                .map(|row| {
                    let mut cells = vec![format!(
                        "<a id=\"{}-{}\"></a>{} {}",
                        table.id,
                        row.id,
                        escaped(&row.name),
                        cited(row.clause.as_slice())
                    )];
                    cells.extend(row.cells.iter().map(|cell| escaped(cell)));
                    cells
                })
                .collect();
            self.table(&heads, &rows);
            for row in &table.rows {
                for changed in &row.changed {
                    let by = self
                        .labels
                        .say("changed by a module", "zmienione przez moduł");
                    self.line(&format!("- {by}: {}", escaped(changed)));
                }
                if !row.rules.is_empty() {
                    self.line(&format!("\n**{}**\n", escaped(&row.name)));
                    self.rules(&row.rules);
                }
            }
        }
    }

    fn rules(&mut self, lines: &[Line]) {
        self.line("```rules");
        for line in lines {
            let mark = match line.mark {
                ' ' => String::new(),
                mark => format!("{mark} "),
            };
            let cites: String = line.cites.iter().map(|cite| format!("  @{cite}")).collect();
            self.line(&format!(
                "{}{mark}{}{cites}",
                "  ".repeat(line.depth),
                line.text
            ));
        }
        self.line("```\n");
    }

    fn phases(&mut self, book: &Book) {
        self.heading(2, "phases", self.labels.say("Phases", "Fazy"));
        self.line(&format!("```mermaid\n{}```\n", book.overview.mermaid));
        for phase in &book.phases {
            self.heading(3, &format!("phase-{}", phase.id), &phase.name);
            if let Some(clause) = &phase.clause {
                self.line(&format!("[@{clause}](#clause-{clause})\n"));
            }
            self.line(&format!("```mermaid\n{}```\n", phase.graph.mermaid));
            self.rules(&phase.rules);
        }
    }

    fn glossary(&mut self, book: &Book) {
        self.heading(2, "glossary", self.labels.say("Words", "Słowniczek"));
        for word in &book.glossary {
            let other = match word.other.is_empty() || word.other == word.name {
                true => String::new(),
                false => format!(" / {}", escaped(&word.other)),
            };
            let said = word
                .said
                .as_ref()
                .map(|said| format!(": `{said}`"))
                .unwrap_or_default();
            let text = format!(
                "- <a id=\"word-{}-{}\"></a>**{}**{other} ({} `{}`){said} {}",
                word.kind,
                word.id,
                escaped(&word.name),
                self.labels.kind(word.kind),
                word.id,
                cited(word.clause.as_slice())
            );
            self.line(&text);
        }
    }

    fn index(&mut self, book: &Book) {
        self.heading(2, "index", self.labels.say("Index", "Indeks"));
        for entry in &book.index {
            let at: Vec<String> = entry
                .at
                .iter()
                .map(|(text, anchor)| format!("[{}](#{anchor})", escaped(text)))
                .collect();
            self.line(&format!("- {}: {}", escaped(&entry.name), at.join(", ")));
        }
    }
}

/// Clauses as links.
fn cited(clauses: &[String]) -> String {
    let links: Vec<String> = clauses
        .iter()
        .map(|clause| format!("[@{clause}](#clause-{clause})"))
        .collect();
    links.join(" ")
}

/// Text that Markdown takes as it is.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' => {
                out.push('\\');
                out.push(c);
            }
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
