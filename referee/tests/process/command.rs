//! The program with a command line, run to its end.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// What came of it.
pub struct Ran {
    /// Its exit code.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub data: String,
    /// What it wrote to standard error.
    pub notes: String,
}

impl Ran {
    fn of(output: Output) -> Ran {
        let text = |bytes| String::from_utf8(bytes).expect("it writes text");
        Ran {
            code: output.status.code(),
            data: text(output.stdout),
            notes: text(output.stderr),
        }
    }

    /// The same, if it ended with this exit code.
    #[track_caller]
    pub fn ends(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{}{}", self.data, self.notes);
        self
    }

    /// The same, if it wrote this to standard output.
    #[track_caller]
    pub fn tells(&self, text: &str) -> &Ran {
        let told = &self.data;
        assert!(told.contains(text), "`{text}` is missing in:\n{told}");
        self
    }

    /// The same, if it wrote this to standard error.
    #[track_caller]
    pub fn notes(&self, text: &str) -> &Ran {
        let noted = &self.notes;
        assert!(noted.contains(text), "`{text}` is missing in:\n{noted}");
        self
    }
}

/// The program with a command line. What stands between two `'` is one word.
pub fn referee(line: impl AsRef<str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
    let parts = line.as_ref().split('\'').enumerate();
    command.args(parts.flat_map(|(i, part)| match i % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    }));
    command.env_remove("REFEREE_RULESETS");
    command.env_remove("NO_COLOR");
    command
}

/// Runs a command that reads nothing.
pub fn ran(command: &mut Command) -> Ran {
    Ran::of(command.output().expect("the command runs"))
}

/// Runs a command line that reads nothing.
pub fn run(line: impl AsRef<str>) -> Ran {
    ran(&mut referee(line))
}

/// Runs a command into which this is typed.
pub fn typed(command: &mut Command, text: &str) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // Whoever has left reads no more.
    let _ = stdin.write_all(text.as_bytes());
    drop(stdin);
    Ran::of(child.wait_with_output().expect("it ends"))
}
