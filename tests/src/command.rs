//! Runs an author's command in this process, so that what it prints can be compared.

use clap::{CommandFactory as _, Parser as _};
use referee::cli::out::Out;
use referee::cli::{Cli, Command};

/// What came of a command.
pub struct Ran {
    /// Its exit code.
    pub code: u8,
    /// What it wrote to standard output.
    pub data: String,
    /// What it wrote to standard error.
    pub notes: String,
}

impl Ran {
    /// The same, if it ended with this exit code.
    ///
    /// # Panics
    /// If it ended otherwise.
    #[track_caller]
    pub fn ends(self, code: u8) -> Ran {
        assert_eq!(self.code, code, "{}{}", self.data, self.notes);
        self
    }

    /// The same, if it wrote this to standard output.
    ///
    /// # Panics
    /// If it did not.
    #[track_caller]
    pub fn tells(&self, text: &str) -> &Ran {
        assert!(
            self.data.contains(text),
            "`{text}` is missing in:\n{}",
            self.data
        );
        self
    }

    /// The same, if it wrote this to standard error.
    ///
    /// # Panics
    /// If it did not.
    #[track_caller]
    pub fn notes(&self, text: &str) -> &Ran {
        assert!(
            self.notes.contains(text),
            "`{text}` is missing in:\n{}",
            self.notes
        );
        self
    }

    /// What it wrote to standard output, as JSON.
    ///
    /// # Panics
    /// If it is none.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        let json = serde_json::from_str(&self.data);
        json.unwrap_or_else(|error| panic!("{error}: {}{}", self.data, self.notes))
    }
}

/// Runs a command line, without the program's name. What stands between two `'` is one word.
///
/// # Panics
/// If it cannot be read, is not an author's command, or does not write text.
pub fn run(line: impl AsRef<str>) -> Ran {
    let parts = line.as_ref().split('\'').enumerate();
    let words = parts.flat_map(|(i, part)| match i % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    run_words(words)
}

/// Runs these words as a command line, whatever stands in them.
///
/// # Panics
/// As [`run`].
pub fn run_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Ran {
    let words = std::iter::once("referee").chain(words);
    let cli = Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{error}"));
    let Command::Author(author) = cli.command else {
        panic!("not an author's command");
    };
    let (mut data, mut notes) = (Vec::new(), Vec::new());
    let code = author.run_with(Cli::command, &mut Out::plain(&mut data, &mut notes));
    let text = |bytes| String::from_utf8(bytes).expect("commands write text");
    Ran {
        code,
        data: text(data),
        notes: text(notes),
    }
}

/// What a command writes that ends well, as JSON.
///
/// # Panics
/// If it does not, or it is none.
#[track_caller]
pub fn json(line: impl AsRef<str>) -> serde_json::Value {
    run(line).ends(0).json()
}
