//! `referee explain`: what a code means, at more length than a message.

use interpreter::diagnostic::catalogue::{self, Entry};
use interpreter::diagnostic::{Code, did_you_mean};

use serde::Serialize;

use super::format::{Format, json};
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use referee_report::prose::wrapped;

/// Arguments of `explain`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee explain RF0301
  referee explain            (lists every code)
  referee explain --format json

The examples are of an invented market: players with coins buy goods and run stalls.

Exit codes: 0 explained, 2 there is no such code.")]
pub struct Args {
    /// The code; without it, every code is listed
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// The codes, for machines. Fields are added, never renamed.
#[derive(Debug, Serialize)]
struct Explained {
    schema: &'static str,
    codes: Vec<&'static Entry>,
}

fn told(entries: impl Iterator<Item = &'static Entry>, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let explained = Explained {
        schema: "referee.explain/1",
        codes: entries.collect(),
    };
    json(out, &explained)?;
    Ok(Exit::Clean)
}

/// Runs the command.
///
/// # Errors
///
/// When there is no such code.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let Some(written) = &args.code else {
        if args.format == Format::Json {
            return told(catalogue::entries(), out);
        }
        for entry in catalogue::entries() {
            let code = out.paint(Ink::Clause, entry.code);
            writeln!(out.data, "{code}  {}", entry.title)?;
        }
        return Ok(Exit::Clean);
    };
    let entry = written.parse::<Code>().ok().map(catalogue::explain);
    let Some(entry) = entry else {
        let codes: Vec<String> = Code::ALL.iter().map(Code::to_string).collect();
        let near = did_you_mean(&written.to_uppercase(), codes.iter().map(String::as_str));
        let near = near.map(|near| format!("; {near}")).unwrap_or_default();
        return Err(Failure::Usage(format!(
            "there is no code `{written}`{near}"
        )));
    };
    if args.format == Format::Json {
        return told(std::iter::once(entry), out);
    }
    let title = out.paint(Ink::Heading, format!("{}: {}", entry.code, entry.title));
    writeln!(out.data, "{title}\n")?;
    for paragraph in entry.explanation.split("\n\n") {
        for line in wrapped(paragraph, out.width.min(100)) {
            writeln!(out.data, "{line}")?;
        }
    }
    let wrong = (Ink::Bad, "Wrong:", &entry.example.wrong);
    let right = (Ink::Good, "Right:", &entry.example.right);
    for (ink, heading, text) in [wrong, right] {
        writeln!(out.data, "\n{}\n", out.paint(ink, heading))?;
        for line in text.lines() {
            writeln!(out.data, "    {line}")?;
        }
    }
    Ok(Exit::Clean)
}
