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

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(typed: &str) -> (Answer, String) {
        let (mut data, mut notes) = (Vec::new(), Vec::new());
        let mut out = Out::plain(&mut data, &mut notes);
        let answer = ask(&mut typed.as_bytes(), &mut out).expect("an answer");
        (answer, String::from_utf8(data).expect("text"))
    }

    #[test]
    fn each_answer_is_understood() {
        assert_eq!(answered("a\n").0, Answer::Accept(None));
        assert_eq!(answered("ACCEPT\n").0, Answer::Accept(None));
        assert_eq!(answered("\n").0, Answer::Skip);
        assert_eq!(answered("q\n").0, Answer::Quit);
        assert_eq!(answered("").0, Answer::Quit);
    }

    #[test]
    fn what_is_not_understood_is_asked_again() {
        let (answer, told) = answered("yes\nskip\n");
        assert_eq!(
            (answer, told.matches("[a]ccept").count()),
            (Answer::Skip, 2)
        );
    }

    #[test]
    fn a_comment_is_kept_with_the_acceptance() {
        let said = Answer::Accept(Some("as in print".to_owned()));
        assert_eq!(answered("c\n as in print \na\n").0, said);
        assert_eq!(answered("c\n\na\n").0, Answer::Accept(None));
        assert_eq!(answered("c\nas in print\ns\n").0, Answer::Skip);
    }

    #[test]
    fn a_name_that_cannot_sign_is_asked_again() {
        let (mut data, mut notes) = (Vec::new(), Vec::new());
        let mut out = Out::plain(&mut data, &mut notes);
        let name = name(&mut "\n*\nanna\n".as_bytes(), &mut out).expect("an answer");
        assert_eq!(name, "anna");
        assert_eq!(
            String::from_utf8(notes)
                .expect("text")
                .matches(NO_NAME)
                .count(),
            2
        );
    }
}
