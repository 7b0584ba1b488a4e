//! What the command is asked to go through: its arguments, and which things they mean.

use std::path::PathBuf;

use interpreter::package::{Part, Reviewed};

use super::folder::Desk;
use crate::cli::format::{Format, Lang};
use crate::cli::outcome::Failure;
use crate::cli::ruleset::RulesetArgs;
use referee_report::sign_off::standing::Standing;
use referee_report::sign_off::things::Thing;

/// What to go through, and how.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Whoever signs the rules reads each clause in both languages with the rules that carry it out, the figures that these use, \
where the print says it and the scenarios that prove it; each paragraph of the print with the clauses that are said to say \
it; and the rules and figures that no clause claims. What they accept is written into `review.yaml` beside the manifest, \
with a digest of all that. When any of it changes the thing is open again, and it is said what has changed.

Without --with it is the ruleset that is gone through; with it, what the modules add and change, each in its own folder. \
Every change of the file needs new signatures: `referee check --signed` says what a release lacks.

With --web it is asked on a page: the same, in English or Polish, served to this machine until Ctrl-C or `Done` on the page. \
Whoever has the link accepts; it is made anew each time.

Examples:
  referee review rulesets/puerto-rico --by anna@example.org --chapter captain
  referee review rulesets/puerto-rico --web --by anna@example.org --text rulebook.txt
  referee review rulesets/puerto-rico --list open
  referee review rulesets/puerto-rico --accept captain.load --by anna@example.org --comment 'as in print'
  referee review rulesets/puerto-rico --by anna@example.org --chapter captain --accept-all
  referee review rulesets/puerto-rico --by anna@example.org --no-clause --accept-all --comment 'no rule'
  referee review rulesets/puerto-rico --by anna@example.org --withdraw captain.load --comment 'read too fast'
  referee review rulesets/puerto-rico --by anna@example.org --corrects ana@example.org
  referee review rulesets/puerto-rico --with nobles --list all --format json
  referee review sign rulesets/puerto-rico --key ~/.ssh/id_ed25519
  referee review sign rulesets/puerto-rico --verify --keys allowed_signers

Exit codes: 0 nothing is open of what was asked for, 1 something is, or a scenario of it fails, 2 it could not be done.")]
pub struct Through {
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub ruleset: RulesetArgs,
    /// Only this chapter of the rulebook: its id or its title; may be repeated
    #[arg(long, value_name = "CHAPTER")]
    pub chapter: Vec<String>,
    /// Only what stands in the rules of this phase; may be repeated
    #[arg(long, value_name = "PHASE")]
    pub phase: Vec<String>,
    /// Only this clause, and the paragraphs of the print that it is said to say; may be repeated
    #[arg(long, value_name = "CLAUSE")]
    pub clause: Vec<String>,
    /// Only paragraphs of the print that no clause says, such as thanks and addresses
    #[arg(long, conflicts_with_all = ["phase", "clause"])]
    pub no_clause: bool,
    /// Only what is open in the words of this language
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub language: Option<Lang>,
    /// List instead of asking
    #[arg(long, value_enum, value_name = "WHICH", conflicts_with = "accept")]
    pub list: Option<Which>,
    /// Accept this without asking: `captain.load`, `captain 3` (a paragraph), `unclaimed rules`; may be repeated
    #[arg(long, value_name = "THING", requires = "by")]
    pub accept: Vec<String>,
    /// Accept without asking all that is open of what is chosen by `--chapter`, `--no-clause` and the like
    #[arg(long, requires = "by", conflicts_with_all = ["list", "accept", "web"])]
    pub accept_all: bool,
    /// Withdraw what `--by` has accepted of this; the acceptance stays in the file; may be repeated
    #[arg(long, value_name = "THING", requires = "by", conflicts_with_all = ["list", "accept", "accept_all", "web"])]
    pub withdraw: Vec<String>,
    /// Correct a name: what this name has accepted, of what is chosen, is accepted by `--by`; both stay in the file
    #[arg(long, value_name = "NAME", requires = "by", conflicts_with_all = ["list", "accept", "accept_all", "withdraw", "web"])]
    pub corrects: Option<String>,
    /// Who accepts, as the file of allowed signers names them
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
    /// What to say of it
    #[arg(long, value_name = "TEXT", requires = "by")]
    pub comment: Option<String>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The text of the printed rulebook, as `source list` takes it: shown with whatever is said to say it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["list", "accept"])]
    pub text: Option<PathBuf>,
    /// Ask on a page instead: it is served to this machine alone, at a link that is shown
    #[arg(long, conflicts_with_all = ["list", "accept"])]
    pub web: bool,
    /// The port of the page; a free one if this is left out
    #[arg(long, value_name = "PORT", requires = "web")]
    pub port: Option<u16>,
}

/// What to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Which {
    /// What has still to be accepted
    Open,
    /// What is accepted as it is
    Accepted,
    /// Both
    All,
}

/// Whether a thing is meant by what the command was asked for, and of which parts.
pub fn is_meant(args: &Through, thing: &Thing, stands: &Standing<'_>) -> bool {
    let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
    let in_chapter = |chapter: &String| {
        thing.chapters.iter().any(|(id, titles)| {
            same(id, chapter) || same(&titles.en, chapter) || same(&titles.pl, chapter)
        })
    };
    let of_clause = |clause: &String| {
        let clause = clause.trim_start_matches('@');
        thing.clauses.iter().any(|id| id == clause)
    };
    let in_words = match (args.language, stands) {
        (Some(language), Standing::Again { changed, .. }) => changed.contains(&match language {
            Lang::En => Part::English,
            Lang::Pl => Part::Polish,
        }),
        _ => true,
    };
    (args.chapter.is_empty() || args.chapter.iter().any(in_chapter))
        && (args.phase.is_empty() || args.phase.iter().any(|phase| thing.phases.contains(phase)))
        && (args.clause.is_empty() || args.clause.iter().any(of_clause))
        && (!args.no_clause || is_of_no_clause(thing))
        && in_words
}

fn is_of_no_clause(thing: &Thing) -> bool {
    matches!(thing.what, Reviewed::Paragraph(_)) && thing.clauses.is_empty()
}

/// A filter that fits nothing at all is a slip.
///
/// # Errors
///
/// With the filter.
pub fn known_filters(args: &Through, desks: &[Desk]) -> Result<(), Failure> {
    let alone = |chapter: &[String], phase: &[String], clause: &[String]| Through {
        chapter: chapter.to_vec(),
        phase: phase.to_vec(),
        clause: clause.to_vec(),
        language: None,
        no_clause: false,
        ..args.clone()
    };
    let one = std::slice::from_ref::<String>;
    let chapters = args.chapter.iter();
    let chapters = chapters.map(|name| ("chapter", name, alone(one(name), &[], &[])));
    let phases = args.phase.iter();
    let phases = phases.map(|name| ("phase", name, alone(&[], one(name), &[])));
    let clauses = args.clause.iter();
    let clauses = clauses.map(|name| ("clause", name, alone(&[], &[], one(name))));
    for (what, name, filter) in chapters.chain(phases).chain(clauses) {
        let mut things = desks.iter().flat_map(|desk| &desk.layer.things);
        if !things.any(|thing| is_meant(&filter, thing, &Standing::Never)) {
            return Err(Failure::Usage(format!(
                "there is nothing to accept in the {what} `{name}`; `--list all` shows what there is"
            )));
        }
    }
    Ok(())
}
