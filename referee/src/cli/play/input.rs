//! Lines from whoever plays: with editing and history at a terminal, as they come from a pipe.

use std::io::{BufRead as _, IsTerminal as _};

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::cli::out::Out;
use crate::cli::outcome::Failure;

/// Where lines come from.
pub(super) enum Input {
    /// A terminal.
    Terminal(Box<DefaultEditor>),
    /// Anything else.
    Lines,
}

impl Input {
    /// The standard input of the process.
    pub(super) fn standard() -> Input {
        match std::io::stdin().is_terminal().then(DefaultEditor::new) {
            Some(Ok(editor)) => Input::Terminal(Box::new(editor)),
            _ => Input::Lines,
        }
    }

    /// The next line; none when there are no more, or somebody wants to leave.
    pub(super) fn line(
        &mut self,
        prompt: &str,
        out: &mut Out<'_>,
    ) -> Result<Option<String>, Failure> {
        out.data.flush()?;
        match self {
            Input::Terminal(editor) => match editor.readline(prompt) {
                Ok(line) => {
                    let _ = editor.add_history_entry(&line);
                    Ok(Some(line))
                }
                Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
                Err(ReadlineError::Io(error)) => Err(error.into()),
                Err(error) => Err(Failure::Usage(error.to_string())),
            },
            Input::Lines => {
                let mut line = String::new();
                if std::io::stdin().lock().read_line(&mut line)? == 0 {
                    return Ok(None);
                }
                // What was typed belongs into what is read afterwards.
                writeln!(out.data, "{prompt}{}", line.trim_end())?;
                Ok(Some(line))
            }
        }
    }
}
