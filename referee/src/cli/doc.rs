//! `referee doc`: the ruleset as a book.

use interpreter::package::Language;

use super::format::{Lang, json};
use super::out::Out;
use super::outcome::{Exit, Failure};
use super::ruleset::RulesetArgs;
use referee_report::book::{Book, Edition, Material, book, to_html, to_markdown};
use referee_report::coverage::coverage;
use referee_report::proofs::Proofs;
use referee_report::prose::counted;
use referee_report::rules::{Rules, composed};

/// Arguments of `doc`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Each clause stands beside the rules that carry it out and the scenarios that prove it; then set-up tables, \
components with their figures and rules, phases with their graphs, words, and an index. The page of HTML is one \
file without a script; it reads on a screen and prints.

Examples:
  referee doc puerto-rico --format html > puerto-rico.html
  referee doc puerto-rico --lang pl --format markdown > puerto-rico.md
  referee doc san-juan --with new-buildings --format html > san-juan.html
  referee doc puerto-rico --for players --lang pl --format html > zasady.html

Exit codes: 0 written, 1 the ruleset has mistakes, 2 there is no such ruleset.")]
pub struct Args {
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub ruleset: RulesetArgs,
    /// The language of the book
    #[arg(long, value_enum, default_value_t)]
    pub lang: Lang,
    /// How it is set
    #[arg(long, value_enum, default_value_t)]
    pub format: Setting,
    /// For whom it is set
    #[arg(long = "for", value_enum, default_value_t)]
    pub reader: Reader,
}

/// For whom a book is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Reader {
    /// Whoever answers for the rules: proofs and rules stand beside each clause
    #[default]
    Editors,
    /// Players: a rulebook without code, with what is done in a phase in its chapter
    Players,
}

/// How a book is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Setting {
    /// Markdown, with diagrams as Mermaid
    #[default]
    Markdown,
    /// One page that needs nothing else
    Html,
    /// Everything that the book says, for programs
    Json,
}

/// For machines. Fields are added, never renamed.
#[derive(serde::Serialize)]
struct Written<'a> {
    schema: &'static str,
    #[serde(flatten)]
    book: &'a Book,
}

/// Runs the command.
///
/// # Errors
///
/// When the ruleset cannot be found or read.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let chosen = args.ruleset.open()?;
    let Some(ruleset) = chosen.compiled(None, out)? else {
        return Ok(Exit::Bad);
    };
    let (package, sources) = (ruleset.package(), ruleset.sources());
    let items = composed(package);
    let proofs = Proofs::run(&chosen.base, &chosen.house, None);
    let (passed, failed) = proofs.counts();
    if !proofs.good() {
        out.note(format_args!(
            "{failed} of {} cannot prove anything; `referee test {}` says why",
            counted(passed + failed, "scenario"),
            chosen.called
        ));
    }
    let kept = match chosen.kept() {
        Ok(kept) => kept,
        Err(why) => {
            out.error(why);
            return Ok(Exit::Bad);
        }
    };
    let language: Language = args.lang.into();
    let rules = Rules::new(package, sources, &items, language);
    let book = book(&Material {
        rules: &rules,
        ruleset: &ruleset,
        proven: Some((&coverage(&rules, &proofs, &kept), &proofs)),
        language,
    });
    let edition = match args.reader {
        Reader::Editors => Edition::Editors,
        Reader::Players => Edition::Readers,
    };
    match args.format {
        Setting::Markdown => write!(out.data, "{}", to_markdown(&book, edition, language))?,
        Setting::Html => writeln!(out.data, "{}", to_html(&book, edition, language))?,
        Setting::Json => json(
            out,
            &Written {
                schema: "referee.doc/1",
                book: &book,
            },
        )?,
    }
    Ok(Exit::Clean)
}
