//! `referee source`: ties the rules to the text of a printed edition, of which the project keeps digests alone.
//!
//! In: a ruleset and the text of its printed rulebook, as any program extracts it. Out: `print.yaml`, or the text beside what
//! `sources.yaml` says of each of its sentences.

use std::path::PathBuf;

use interpreter::package::{Language, PRINT, Package, Print, SourceParagraph};
use serde::Serialize;

use super::format::{Lang, json};
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::ruleset::{Chosen, RulesetArgs};
use referee_report::book::Labels;
use referee_report::coverage::{Standing, coverage};
use referee_report::printed::{Beside, Sentence, beside, html, pinned, sentences};
use referee_report::proofs::Proofs;
use referee_report::prose::{counted, wrapped};
use referee_report::rules::{Rules, composed};

/// Arguments of `source`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub command: Source,
}

/// What to do with a text.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Source {
    /// Write `print.yaml`: where each sentence of the text stands, and its digest
    Pin(Pin),
    /// Show the text beside what `sources.yaml` says of each sentence
    List(List),
}

const FORM: &str = "\
The text is what any program extracts from the printed file, such as `pdftotext rulebook.pdf rulebook.txt`: form feeds part pages,
empty lines paragraphs. White space, ligatures and hyphens make no difference. No word of it is kept.";

/// Arguments of `source pin`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = format!("{FORM}

From then on `referee check` wants a line of `sources.yaml` to name every sentence: `print: [p3.2]` is the second paragraph of page 3,
`p3.2-4` it and the next two, `p3.2.1` its first sentence, `p3.2.1-4` its first four. Pinning another edition tells what is new.

Examples:
  referee source pin rulesets/my-game rulebook.txt --edition 'Second edition, 2026'
  referee source pin rulesets/my-game leaflet.txt --with my-expansion

Exit codes: 0 pinned, 2 a file cannot be read or written."))]
pub struct Pin {
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub ruleset: RulesetArgs,
    /// The text of the printed rulebook
    #[arg(value_name = "TEXT")]
    pub text: PathBuf,
    /// Which edition it is, for whoever opens the file
    #[arg(long, value_name = "WORDS")]
    pub edition: Option<String>,
}

/// Arguments of `source list`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = format!("{FORM}

Examples:
  referee source list rulesets/my-game rulebook.txt --open
  referee source list rulesets/my-game rulebook.txt --format html --lang pl > beside.html

Exit codes: 0 every sentence is tied and is what was pinned, 1 one is not or the ruleset has mistakes, 2 a file cannot be read."))]
pub struct List {
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub ruleset: RulesetArgs,
    /// The text of the printed rulebook
    #[arg(value_name = "TEXT")]
    pub text: PathBuf,
    /// Only sentences that nothing names, or that are not what was pinned
    #[arg(long)]
    pub open: bool,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Written,
    /// The language of clauses
    #[arg(long, value_enum, default_value_t)]
    pub lang: Lang,
}

/// How a list is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Written {
    /// For people
    #[default]
    Human,
    /// For programs
    Json,
    /// A page, the print beside the clauses
    Html,
}

/// For machines. Fields are added, never renamed.
#[derive(Debug, Serialize)]
struct Told<'a> {
    schema: &'static str,
    ruleset: &'a str,
    sentences: &'a [Beside],
}

/// Runs the command.
///
/// # Errors
///
/// When the ruleset or the text cannot be read, or `print.yaml` cannot be written.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    match &args.command {
        Source::Pin(args) => pin(args, out),
        Source::List(args) => list(args, out),
    }
}

/// The sentences of a file.
///
/// # Errors
///
/// When it cannot be read, or has none.
pub fn read(path: &std::path::Path) -> Result<Vec<Sentence>, Failure> {
    let shown = path.display();
    let bytes =
        std::fs::read(path).map_err(|error| Failure::Usage(format!("`{shown}`: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::Usage(format!(
            "`{shown}` is no text in UTF-8; extract it from the printed file first, as `pdftotext rulebook.pdf rulebook.txt` does"
        ))
    })?;
    let all = sentences(&text);
    match all.is_empty() {
        true => Err(Failure::Usage(format!("`{shown}` has no sentence"))),
        false => Ok(all),
    }
}

fn pin(args: &Pin, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let chosen = args.ruleset.open()?;
    let sentences = read(&args.text)?;
    let module = match &args.ruleset.over.with[..] {
        [] => None,
        [_] => chosen.layers().pop(),
        _ => {
            return Err(Failure::Usage(
                "name one module: a print is that of a ruleset or of one module".to_owned(),
            ));
        }
    };
    let Some(folder) = chosen.folder(module.as_deref()) else {
        return Err(Failure::Usage(format!(
            "`{}` comes with the program and cannot be written; name its folder",
            chosen.called
        )));
    };
    let path = folder.join(PRINT);
    let text = pinned(&sentences, args.edition.as_deref());
    let before = std::fs::read_to_string(&path).ok();
    std::fs::write(&path, &text).map_err(|error| {
        Failure::Usage(format!("`{}` cannot be written: {error}", path.display()))
    })?;
    let mut pages: Vec<u32> = sentences
        .iter()
        .map(|sentence| sentence.paragraph.page)
        .collect();
    pages.dedup();
    let mut paragraphs: Vec<_> = sentences
        .iter()
        .map(|sentence| sentence.paragraph)
        .collect();
    paragraphs.dedup();
    writeln!(
        out.data,
        "{}: {} of {} on {}",
        path.display(),
        counted(sentences.len(), "sentence"),
        counted(paragraphs.len(), "paragraph"),
        counted(pages.len(), "page")
    )?;
    if let Some(before) = before {
        let is_new = |sentence: &&Sentence| !before.contains(&format!("\"{}\"", sentence.digest));
        let new: Vec<String> = sentences
            .iter()
            .filter(is_new)
            .map(Sentence::place)
            .collect();
        let gone = before
            .split('"')
            .filter(|part| part.len() == 16 && part.chars().all(|c| c.is_ascii_hexdigit()))
            .filter(|digest| !text.contains(&format!("\"{digest}\"")))
            .count();
        writeln!(
            out.data,
            "compared with what was pinned: {} new, {gone} gone",
            new.len()
        )?;
        for place in new {
            writeln!(out.data, "  {place}")?;
        }
    }
    Ok(Exit::Clean)
}

fn list(args: &List, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let chosen = args.ruleset.open()?;
    let all = read(&args.text)?;
    let players = chosen.players().map_or(0, |range| *range.start());
    let (package, sources, mut diagnostics) = chosen.package(players);
    // What is not tied yet is what is asked for here.
    diagnostics.list.retain(|found| {
        use interpreter::diagnostic::Code;
        !matches!(found.code, Code::UntiedSentence | Code::UnknownInPrint)
    });
    let Some(package) = package.filter(|_| !diagnostics.has_errors()) else {
        out.diagnostics_of(&sources, &diagnostics);
        return Ok(Exit::Bad);
    };
    let items = composed(&package);
    let rules = Rules::new(&package, &sources, &items, Language::English);
    let proofs = Proofs::run(&chosen.base, &chosen.house, None);
    let kept = chosen.kept().map_err(Failure::Usage)?;
    let covered = coverage(&rules, &proofs, &kept);
    let (print, is_meant) = meant(&chosen, &package);
    let mut all = beside(&all, print, &package, &is_meant, &covered);
    let good = all.iter().all(|sentence| !is_open(sentence));
    let summary = summary(&all);
    if args.open {
        all.retain(is_open);
    }
    match args.format {
        Written::Human => {
            human(&all, out)?;
            writeln!(out.data, "{summary}")?;
        }
        Written::Json => json(
            out,
            &Told {
                schema: "referee.source/1",
                ruleset: &package.id.node,
                sentences: &all,
            },
        )?,
        Written::Html => {
            let labels = Labels(args.lang.into());
            let page = html::page(&chosen.called, &all, &package, labels);
            writeln!(out.data, "{page}")?;
        }
    }
    Ok(if good { Exit::Clean } else { Exit::Bad })
}

/// The print of the last module that was chosen, if it has one, and its ties; else that of the base, with the ties of everybody
/// who has no other.
fn meant<'a>(
    chosen: &Chosen,
    package: &'a Package,
) -> (Option<&'a Print>, impl Fn(&SourceParagraph) -> bool) {
    let print_of = |module: Option<&str>| {
        let prints = package.prints.iter();
        let mut own = prints.filter(move |(layer, _)| layer.as_deref() == module);
        own.next().map(|(_, print)| print)
    };
    let own: Vec<(Option<String>, Vec<_>)> = package
        .layers
        .iter()
        .filter(|layer| print_of(Some(&layer.id.node)).is_some())
        .map(|layer| (Some(layer.id.node.clone()), layer.files.clone()))
        .collect();
    let last = chosen.layers().pop();
    let last = last.filter(|module| print_of(Some(module)).is_some());
    let print = print_of(last.as_deref());
    let is_meant = move |line: &SourceParagraph| {
        let layer = own
            .iter()
            .find(|(_, files)| files.contains(&line.at.span.file));
        layer.and_then(|(layer, _)| layer.clone()) == last
    };
    (print, is_meant)
}

fn is_open(sentence: &Beside) -> bool {
    sentence.said.is_empty() || sentence.as_pinned == Some(false)
}

fn human(all: &[Beside], out: &mut Out<'_>) -> Result<(), Failure> {
    for sentence in all {
        let place = out.paint(Ink::Clause, format!("{:<10}", sentence.place));
        let text = sentence.text.as_deref().unwrap_or("(not in this text)");
        for (at, line) in wrapped(text, 96).iter().enumerate() {
            match at {
                0 => writeln!(out.data, "{place} {line}")?,
                _ => writeln!(out.data, "{:<10} {line}", "")?,
            }
        }
        if sentence.as_pinned == Some(false) {
            let told = out.paint(Ink::Bad, "not what was pinned");
            writeln!(out.data, "{:<10} {told}", "")?;
        }
        if sentence.said.is_empty() {
            let told = out.paint(Ink::Bad, "no line of sources.yaml names it");
            writeln!(out.data, "{:<10} {told}", "")?;
        }
        for said in &sentence.said {
            let clauses = said.clauses.iter().map(|tied| match tied.standing {
                Some(Standing::Proven) => format!("@{} (proven)", tied.id),
                Some(Standing::Touched) => format!("@{} (touched)", tied.id),
                Some(Standing::Gap) => format!("@{} (gap)", tied.id),
                None => format!("@{}", tied.id),
            });
            let what = match &said.why_none {
                Some(why) => format!("no clause: {why}"),
                None => clauses.collect::<Vec<_>>().join(", "),
            };
            let at = out.paint(Ink::Dim, format!("[{}]", said.at));
            writeln!(out.data, "{:<10} → {what} {at}", "")?;
        }
    }
    Ok(())
}

/// `447 sentences, 2 without a tie; 0 not as pinned`
fn summary(all: &[Beside]) -> String {
    let count = |is: &dyn Fn(&Beside) -> bool| all.iter().filter(|sentence| is(sentence)).count();
    let open = count(&|sentence| sentence.said.is_empty());
    let pinned = match count(&|sentence| sentence.as_pinned.is_some()) {
        0 => "none is pinned: `referee source pin` does it".to_owned(),
        _ => format!(
            "{} not as pinned",
            count(&|sentence| sentence.as_pinned == Some(false))
        ),
    };
    format!(
        "{}, {open} without a tie; {pinned}",
        counted(all.len(), "sentence")
    )
}
