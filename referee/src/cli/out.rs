//! Where a command writes, and how: colours, width, progress.

use std::fmt::Display;
use std::io::{IsTerminal as _, Write};

use anstyle::{AnsiColor, Style};
use interpreter::diagnostic::{self, Diagnostics};
use interpreter::source::Sources;

/// Columns of text where nobody says how wide it may be.
const WIDTH: usize = 110;

/// Prints a line. If nobody reads any more, the command goes on all the same.
pub fn say(line: impl Display) {
    let _ = writeln!(anstream::stdout(), "{line}");
}

/// Where a command writes.
pub struct Out<'a> {
    /// What was asked for.
    pub data: &'a mut dyn Write,
    /// Everything else.
    pub notes: &'a mut dyn Write,
    /// Whether the data carries colours.
    pub coloured: bool,
    /// Whether the notes carry colours.
    pub notes_coloured: bool,
    /// How many columns of text are easy to read.
    pub width: usize,
    /// Whether a progress bar would be seen.
    pub live: bool,
}

impl<'a> Out<'a> {
    /// Writes to streams that are no terminals, without colours.
    pub fn plain(data: &'a mut dyn Write, notes: &'a mut dyn Write) -> Out<'a> {
        Out {
            data,
            notes,
            coloured: false,
            notes_coloured: false,
            width: WIDTH,
            live: false,
        }
    }

    /// Writes to the standard streams of the process.
    pub fn standard(
        data: &'a mut std::io::StdoutLock<'static>,
        notes: &'a mut std::io::StderrLock<'static>,
    ) -> Out<'a> {
        let coloured = |choice: anstream::ColorChoice| choice != anstream::ColorChoice::Never;
        let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
        let width = match comfy_table::Table::new().width() {
            Some(columns) if stdout.is_terminal() => usize::from(columns).clamp(60, 140),
            _ => WIDTH,
        };
        Out {
            coloured: coloured(anstream::AutoStream::choice(&stdout)),
            notes_coloured: coloured(anstream::AutoStream::choice(&stderr)),
            live: stderr.is_terminal(),
            width,
            data,
            notes,
        }
    }

    /// How diagnostics are drawn in the data.
    pub fn diagnostics(&self) -> diagnostic::Style {
        style(self.coloured)
    }

    /// Paints a part of the data.
    pub fn paint(&self, ink: Ink, text: impl Display) -> String {
        ink.paint(self.coloured, text)
    }

    /// Writes a hint to the notes. That nobody reads it is no reason to stop.
    pub fn note(&mut self, text: impl Display) {
        let label = Ink::Dim.paint(self.notes_coloured, "note:");
        let _ = writeln!(self.notes, "{label} {text}");
    }

    /// Writes an error to the notes.
    pub fn error(&mut self, text: impl Display) {
        let label = Ink::Bad.paint(self.notes_coloured, "error:");
        let _ = writeln!(self.notes, "{label} {text}");
    }

    /// Writes why a ruleset cannot be played to the notes.
    pub fn rejected(&mut self, rejected: &interpreter::play::Rejected) {
        self.diagnostics_of(&rejected.sources, &rejected.diagnostics);
    }

    /// Writes diagnostics to the notes.
    pub fn diagnostics_of(&mut self, sources: &Sources, diagnostics: &Diagnostics) {
        let text = diagnostics.render(sources, style(self.notes_coloured));
        let _ = write!(self.notes, "{text}");
    }
}

fn style(coloured: bool) -> diagnostic::Style {
    match coloured {
        true => diagnostic::Style::Coloured,
        false => diagnostic::Style::Plain,
    }
}

/// What a part of a text is, and so how it is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// A heading.
    Heading,
    /// Beside the point: places, origins.
    Dim,
    /// A clause.
    Clause,
    /// Brought by a component or a module.
    Added,
    /// All is well.
    Good,
    /// Worth a look.
    Odd,
    /// Wrong.
    Bad,
}

impl Ink {
    /// The text, painted if wanted.
    pub fn paint(self, coloured: bool, text: impl Display) -> String {
        if !coloured {
            return text.to_string();
        }
        let style = match self {
            Ink::Heading => Style::new().bold(),
            Ink::Dim => Style::new().dimmed(),
            Ink::Clause => AnsiColor::Cyan.on_default(),
            Ink::Added => AnsiColor::Green.on_default(),
            Ink::Good => AnsiColor::Green.on_default().bold(),
            Ink::Odd => AnsiColor::Yellow.on_default().bold(),
            Ink::Bad => AnsiColor::Red.on_default().bold(),
        };
        format!("{style}{text}{style:#}")
    }
}
