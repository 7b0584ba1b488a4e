//! A redline as Markdown, as a pull request shows it.

use std::fmt::Write as _;

use super::contents::{Flag, Level};
use super::html::Page;
use super::marked::{Piece, marked};

/// A text in which nothing is a sign of Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '~' | '<' | '>' | '[' | ']' | '|' | '#'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A part of a sentence with signs around it, which must touch its words.
fn signed(text: &str, sign: &str) -> String {
    let inner = text.trim();
    if inner.is_empty() {
        return text.to_owned();
    }
    let start = text.len() - text.trim_start().len();
    let end = text.trim_end().len();
    format!(
        "{}{sign}{}{sign}{}",
        &text[..start],
        escaped(inner),
        &text[end..]
    )
}

fn pieces(pieces: &[Piece], now: &str) -> String {
    let each = pieces.iter().map(|piece| match piece {
        Piece::Same(text) => escaped(text),
        Piece::Gone(text) => signed(text, "~~"),
        Piece::New(text) => signed(text, "**"),
        Piece::Stale(text, value) => format!("**{}** ({now} {value})", escaped(text)),
    });
    each.collect()
}

fn flags(flags: &[Flag], out: &mut String) {
    for flag in flags {
        let sign = match flag.level {
            Level::Red => "🟥",
            Level::ToBeRead => "🟨",
        };
        let _ = writeln!(out, "- {sign} {}", escaped(&flag.text));
    }
    if !flags.is_empty() {
        out.push('\n');
    }
}

/// The redline.
pub fn markdown(page: &Page<'_>) -> String {
    let redline = page.redline;
    let say = |english: &'static str, polish: &'static str| page.labels.say(english, polish);
    let now = say("now", "teraz");
    let mut out = String::new();
    let _ = writeln!(
        out,
        "# {}\n\n`{}` → `{}`\n\n**{}**\n",
        say("What changed in the rules", "Co się zmieniło w zasadach"),
        page.before,
        page.after,
        page.summary()
    );
    if !redline.clauses.is_empty() {
        let _ = writeln!(out, "## {}\n", say("Clauses", "Klauzule"));
    }
    for clause in &redline.clauses {
        let _ = writeln!(out, "### `@{}` · {}\n", clause.id, escaped(&clause.section));
        flags(&clause.flags, &mut out);
        let _ = writeln!(out, "> {}\n", pieces(&clause.text, now));
        if let Some(text) = &clause.other {
            let _ = writeln!(out, "> {}\n", pieces(text, now));
        }
        for rule in &clause.rules {
            code(page, rule, &mut out);
        }
    }
    if !redline.figures.is_empty() {
        let _ = writeln!(out, "## {}\n", say("Figures", "Liczby"));
        for figure in &redline.figures {
            let _ = writeln!(
                out,
                "- {}: ~~{}~~ **{}**",
                escaped(&figure.name),
                escaped(&figure.before),
                escaped(&figure.after)
            );
        }
        out.push('\n');
    }
    if !redline.rules.is_empty() {
        let _ = writeln!(
            out,
            "## {}\n",
            say("Rules without a clause", "Reguły bez klauzuli")
        );
        for (rule, found) in &redline.rules {
            flags(found, &mut out);
            code(page, rule, &mut out);
        }
    }
    for (title, entries) in page.parts() {
        if entries.is_empty() {
            continue;
        }
        let _ = writeln!(out, "## {title}\n");
        for entry in entries {
            let _ = writeln!(out, "### {}\n", escaped(&entry.of));
            flags(&entry.flags, &mut out);
            for (before, after) in &entry.lines {
                let both = marked(
                    before.as_deref().unwrap_or_default(),
                    after.as_deref().unwrap_or_default(),
                );
                let _ = writeln!(out, "> {}\n", pieces(&both, now));
            }
            for text in &entry.about {
                let _ = writeln!(out, "- {}", escaped(text));
            }
            if !entry.about.is_empty() {
                out.push('\n');
            }
        }
    }
    let _ = writeln!(
        out,
        "{} {}",
        say(
            "Old scenarios run under the new rules:",
            "Dawne scenariusze sprawdzone z nowymi regułami:"
        ),
        page.scenarios
    );
    out
}

/// The code of a rule, folded away.
fn code(page: &Page<'_>, rule: &super::contents::RuleChange, out: &mut String) {
    let (before, after) = (
        rule.before.as_deref().unwrap_or_default(),
        rule.after.as_deref().unwrap_or_default(),
    );
    let name = page.rule(rule).replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(out, "<details><summary>{name}</summary>\n\n```diff");
    for change in similar::TextDiff::from_lines(before, after).iter_all_changes() {
        let text = change.value().trim_end_matches('\n');
        let _ = writeln!(out, "{}{text}", change.tag());
    }
    let _ = writeln!(out, "```\n\n</details>\n");
}
