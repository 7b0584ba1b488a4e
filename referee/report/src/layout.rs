//! `.rules` files written anew: indentation, citations, blank lines. What they mean never changes.
//!
//! - Sentences stand two spaces deeper than those above them; what continues a sentence, scripts and lines
//!   inside brackets move along with it; comments stand as what follows them.
//! - A citation stands in a column of its own, or two spaces behind a line that reaches beyond it.
//! - No line ends in blanks, at most one is empty, the last one ends the file.
//!
//! What was written is parsed before and after: if the two trees or the comments differ, nothing is changed.

use std::collections::BTreeMap;

use interpreter::diagnostic::{Diagnostics, Report};
use interpreter::source::{FileId, Sources};
use interpreter::syntax::outline::outline;
use interpreter::syntax::rules::{Placed, parse, placed};
use referee_store::numbers::{to_u32, to_usize};

/// The column of citations, from zero.
pub const CITATIONS: usize = 76;

/// Why a file is left alone.
#[derive(Debug)]
pub enum Left {
    /// It has mistakes.
    Mistakes(Sources, Diagnostics),
    /// Written anew it would mean something else, which is a bug of ours.
    Meaning,
}

impl Left {
    /// The mistakes, for machines.
    pub fn reports(&self) -> Vec<Report> {
        match self {
            Left::Mistakes(sources, diagnostics) => {
                diagnostics.list.iter().map(|d| d.report(sources)).collect()
            }
            Left::Meaning => Vec::new(),
        }
    }
}

/// Writes a file anew.
///
/// # Errors
///
/// When the file has mistakes.
pub fn formatted(path: &str, text: &str) -> Result<String, Left> {
    let text = text.replace("\r\n", "\n");
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let before = read(path, text)?;
    let written = write(&before.sources, before.file, text);
    match read(path, &written) {
        Ok(after) if (&after.says, &after.comments) == (&before.says, &before.comments) => {
            Ok(written)
        }
        _ => Err(Left::Meaning),
    }
}

struct Read {
    sources: Sources,
    file: FileId,
    says: String,
    comments: Vec<String>,
}

fn read(path: &str, text: &str) -> Result<Read, Left> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add(path, text);
    let tree = parse(&sources, file, &mut diagnostics);
    // A tab is mended here; it is no reason to leave a file alone.
    if diagnostics.has_errors() {
        return Err(Left::Mistakes(sources, diagnostics));
    }
    Ok(Read {
        says: outline(&tree),
        comments: comments(text),
        sources,
        file,
    })
}

/// Comments, wherever they stand. Citations and scripts hold no `#` that is none, except in a string, where it
/// does no harm: it is the same before and after.
fn comments(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.split_once('#'));
    lines
        .map(|(_, comment)| comment.trim().to_owned())
        .collect()
}

/// A line of the file.
struct Line<'t> {
    /// Its indentation as it was.
    was: usize,
    /// What stands behind it.
    text: &'t str,
    /// What it is, if it begins or continues a sentence.
    placed: Option<Placed>,
}

fn write(sources: &Sources, file: FileId, text: &str) -> String {
    let by_start: BTreeMap<u32, Placed> = placed(sources, file)
        .into_iter()
        .map(|placed| (placed.start, placed))
        .collect();
    let cites: Vec<u32> = by_start.values().filter_map(|placed| placed.cite).collect();
    let mut lines = Vec::new();
    let mut at = 0u32;
    for line in text.split('\n') {
        let trimmed = line.trim_start_matches([' ', '\t']);
        let lead = line.len() - trimmed.len();
        lines.push(Line {
            was: width(&line[..lead]),
            text: trimmed.trim_end(),
            placed: by_start.get(&(at + to_u32(lead))).copied(),
        });
        at += to_u32(line.len()) + 1;
    }
    let mut out: Vec<String> = Vec::new();
    // How far the sentence that is under way has moved: as it was, as it is.
    let mut moved = (0usize, 0usize);
    let mut at = 0u32;
    for (i, (line, source)) in lines.iter().zip(text.split('\n')).enumerate() {
        let start = at;
        at += to_u32(source.len()) + 1;
        if line.text.is_empty() {
            if out.last().is_some_and(|last| !last.is_empty()) {
                out.push(String::new());
            }
            continue;
        }
        let shifted = |was: usize| (was + moved.1).saturating_sub(moved.0);
        let indent = match line.placed {
            Some(placed) if !placed.continued => {
                moved = (line.was, 2 * placed.depth);
                moved.1
            }
            Some(_) => shifted(line.was),
            None if line.text.starts_with('#') => {
                // A comment stands as the sentence behind it, if it did so.
                let next = lines[i + 1..]
                    .iter()
                    .find(|next| !next.text.is_empty() && !next.text.starts_with('#'));
                match next.and_then(|next| Some((next.was, next.placed?))) {
                    Some((was, next)) if !next.continued && was == line.was => 2 * next.depth,
                    _ => shifted(line.was),
                }
            }
            None => shifted(line.was),
        };
        let end = start + to_u32(source.len());
        let cite = cites.iter().find(|cite| (start..end).contains(*cite));
        let lead = to_u32(source.len() - source.trim_start_matches([' ', '\t']).len());
        let cut = cite.map(|cite| to_usize(cite - start - lead));
        out.push(aligned(indent, line.text, cut));
    }
    while out.last().is_some_and(String::is_empty) {
        out.pop();
    }
    let mut written = out.join("\n");
    if !written.is_empty() {
        written.push('\n');
    }
    written
}

/// A line with its citation, which begins at `cut`, in its column.
fn aligned(indent: usize, text: &str, cut: Option<usize>) -> String {
    let lead = " ".repeat(indent);
    let Some((said, cite)) = cut.and_then(|cut| text.split_at_checked(cut)) else {
        return format!("{lead}{text}");
    };
    // A citation may stand on a line of its own, whose indentation is then its column.
    let said = match said.trim_end() {
        "" => String::new(),
        said => format!("{lead}{said}"),
    };
    let reaches = said.chars().count();
    // Behind the citation there may be a comment.
    let gap = match reaches + 2 <= CITATIONS {
        true => CITATIONS - reaches,
        false => 2,
    };
    format!("{said}{}{cite}", " ".repeat(gap))
}

/// Columns of an indentation; a tab goes on to the next fourth.
fn width(lead: &str) -> usize {
    lead.chars().fold(0, |width, c| match c {
        '\t' => width + 4 - width % 4,
        _ => width + 1,
    })
}
