//! What the reviewer is asked, and what they answer.

use std::io::BufRead;

use interpreter::package::is_name;

use crate::cli::out::Out;
use crate::cli::outcome::Failure;

/// What is wrong with a name under which nobody can sign.
pub const NO_NAME: &str = "a name under which somebody can sign is not empty and has none of the signs `,`, `*`, `?`, `!` and `\"`";

/// What the reviewer says of a thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is accepted, perhaps with a comment.
    Accept(Option<String>),
    /// It stays open.
    Skip,
    /// Everything else stays open, too.
    Quit,
}

/// Asks what to do with a thing. A comment is kept with the acceptance that follows it.
///
/// # Errors
///
/// When nobody can be asked.
pub fn ask(input: &mut dyn BufRead, out: &mut Out<'_>) -> Result<Answer, Failure> {
    let mut comment = None;
    loop {
        let Some(line) = line(input, out, "[a]ccept, [s]kip, [c]omment, [q]uit? ")? else {
            return Ok(Answer::Quit);
        };
        match line.to_lowercase().as_str() {
            "a" | "accept" => return Ok(Answer::Accept(comment)),
            "s" | "skip" | "" => return Ok(Answer::Skip),
            "q" | "quit" => return Ok(Answer::Quit),
            "c" | "comment" => {
                let Some(said) = self::line(input, out, "comment, kept if you accept: ")? else {
                    return Ok(Answer::Quit);
                };
                comment = (!said.is_empty()).then_some(said);
            }
            _ => out.note("answer with one of the letters in brackets"),
        }
    }
}

/// Asks who reviews.
///
/// # Errors
///
/// When nobody can be asked, or nobody answers.
pub fn name(input: &mut dyn BufRead, out: &mut Out<'_>) -> Result<String, Failure> {
    loop {
        let asked = "your name, as the file of allowed signers has it: ";
        let Some(said) = line(input, out, asked)? else {
            return Err(Failure::Usage(
                "nobody answers; without a terminal there are `--list`, and `--accept` with `--by`"
                    .to_owned(),
            ));
        };
        if is_name(&said) {
            return Ok(said);
        }
        out.note(NO_NAME);
    }
}

fn line(
    input: &mut dyn BufRead,
    out: &mut Out<'_>,
    asked: &str,
) -> Result<Option<String>, Failure> {
    write!(out.data, "{asked}")?;
    out.data.flush()?;
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        writeln!(out.data)?;
        return Ok(None);
    }
    Ok(Some(line.trim().to_owned()))
}
