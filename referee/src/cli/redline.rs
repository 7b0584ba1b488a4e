//! A redline in a terminal: clauses with their words marked, and what is flagged.

use super::out::{Ink, Out};
use super::outcome::Failure;
use referee_report::prose::wrapped;
use referee_report::redline::{Entry, Flag, Level, Page, Piece, marked};

/// What a part of a sentence is painted with.
type Painted = (String, Option<Ink>);

/// Writes a redline.
pub(super) fn print(page: &Page<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let redline = page.redline;
    if redline.is_empty() {
        return Ok(());
    }
    let ink = match redline.level() {
        Some(Level::Red) => Ink::Bad,
        Some(Level::ToBeRead) => Ink::Odd,
        None => Ink::Good,
    };
    writeln!(out.data, "{}", out.paint(ink, page.summary()))?;
    let say = |english: &'static str, polish: &'static str| page.labels.say(english, polish);
    if !redline.clauses.is_empty() {
        heading(say("clauses", "klauzule"), out)?;
    }
    for clause in &redline.clauses {
        let id = out.paint(Ink::Clause, format!("@{}", clause.id));
        writeln!(out.data, "  {id}  {}", out.paint(Ink::Dim, &clause.section))?;
        flags(&clause.flags, out)?;
        let now = say("now", "teraz");
        sentence(&painted(&clause.text, now), out)?;
        if let Some(text) = &clause.other {
            sentence(&painted(text, now), out)?;
        }
        for rule in &clause.rules {
            let line = format!("{} ({})", page.rule(rule), rule.place);
            writeln!(out.data, "      {}", out.paint(Ink::Dim, line))?;
        }
    }
    if !redline.rules.is_empty() {
        heading(say("rules without a clause", "reguły bez klauzuli"), out)?;
    }
    for (rule, found) in &redline.rules {
        let line = format!("{} ({})", page.rule(rule), rule.place);
        writeln!(out.data, "  {line}")?;
        flags(found, out)?;
    }
    let [ties, scenarios, _, other] = page.parts();
    for (title, entries) in [ties, scenarios] {
        print_entries(title, entries.iter(), false, out)?;
    }
    // What is added or called otherwise is told below, by topic.
    let red = |entry: &&Entry| entry.flags.iter().any(|flag| flag.level == Level::Red);
    print_entries(other.0, other.1.iter().filter(red), false, out)?;
    Ok(())
}

fn heading(text: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    writeln!(out.data, "\n{}", out.paint(Ink::Heading, text))?;
    Ok(())
}

/// Writes entries under a title; `whole` with what else is to be known of them.
pub(super) fn print_entries<'e>(
    title: &str,
    entries: impl Iterator<Item = &'e Entry>,
    whole: bool,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    for (i, entry) in entries.enumerate() {
        if i == 0 {
            heading(&title.to_lowercase(), out)?;
        }
        writeln!(out.data, "  {}", entry.of)?;
        flags(&entry.flags, out)?;
        // Scenarios that fail are told one by one below, with their places.
        for (before, after) in &entry.lines {
            let pieces = marked(
                before.as_deref().unwrap_or_default(),
                after.as_deref().unwrap_or_default(),
            );
            sentence(&painted(&pieces, ""), out)?;
        }
        for text in entry.about.iter().filter(|_| whole) {
            for line in wrapped(text, out.width.saturating_sub(8)) {
                writeln!(out.data, "      {}", out.paint(Ink::Dim, line))?;
            }
        }
    }
    Ok(())
}

fn flags(flags: &[Flag], out: &mut Out<'_>) -> Result<(), Failure> {
    for flag in flags {
        let (sign, ink) = match flag.level {
            Level::Red => ("!!", Ink::Bad),
            Level::ToBeRead => (" ?", Ink::Odd),
        };
        for (i, line) in wrapped(&flag.text, out.width.saturating_sub(7))
            .iter()
            .enumerate()
        {
            let sign = if i == 0 { sign } else { "  " };
            writeln!(out.data, "   {sign} {}", out.paint(ink, line))?;
        }
    }
    Ok(())
}

/// Words with their colours. What is gone and what is new stands in brackets, as not everybody sees colours.
fn painted(pieces: &[Piece], now: &str) -> Vec<Painted> {
    let each = pieces.iter().map(|piece| match piece {
        Piece::Same(text) => (text.clone(), None),
        Piece::Gone(text) => (format!("[-{text}-]"), Some(Ink::Bad)),
        Piece::New(text) => (format!("{{+{text}+}}"), Some(Ink::Added)),
        Piece::Stale(text, value) => (format!("{text} ({now} {value})"), Some(Ink::Odd)),
    });
    each.collect()
}

/// Writes a sentence in lines that fit.
fn sentence(pieces: &[Painted], out: &mut Out<'_>) -> Result<(), Failure> {
    let width = out.width.saturating_sub(6);
    let (mut line, mut used) = (String::new(), 0);
    let mut blank = false;
    for (text, ink) in pieces {
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let end = rest.find(' ').unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            if !word.is_empty() {
                let length = word.chars().count();
                if blank && used + 1 + length > width {
                    writeln!(out.data, "      {line}")?;
                    (line, used) = (String::new(), 0);
                } else if blank && used > 0 {
                    line.push(' ');
                    used += 1;
                }
                blank = false;
                match ink {
                    Some(ink) => line.push_str(&out.paint(*ink, word)),
                    None => line.push_str(word),
                }
                used += length;
            }
            rest = match after.strip_prefix(' ') {
                Some(after) => {
                    blank = true;
                    after
                }
                None => after,
            };
        }
    }
    if used > 0 {
        writeln!(out.data, "      {line}")?;
    }
    Ok(())
}
