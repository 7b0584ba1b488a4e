//! `referee prove`: would the scenarios notice a mistake in the rules?

mod cache;
mod marks;
pub mod sample;
mod shown;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;
use indicatif::{ProgressBar, ProgressStyle};
use interpreter::mutation::{Mutant, Operator, Over};
use interpreter::package::PROOF;

use super::format::{Format, Lang};
use super::out::Out;
use super::outcome::{Exit, Failure};
use super::ruleset::{Chosen, RulesetArgs};
use cache::Cache;
use referee_report::proving::campaign::Limits;
use referee_report::proving::kept::{Proof, belongs};
use referee_report::proving::{NotProvable, Stage, Trial};
use referee_store::numbers::float;
use sample::{Part, Sample};

/// Arguments of `prove`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
A scenario that touches a rule need not notice when the rule is wrong. This plants mistakes: it drops a condition, shifts
a comparison by one, exchanges two values of a table and so on, one mistake at a time, and plays the scenarios in which
something runs that differs, until one fails. A mistake that no scenario notices has survived: it is shown with its clause,
its sentence, the difference, and the skeleton of a scenario that would notice it.

A mistake that is no ruleset, or faults in every game, counts for neither side. One that nobody could notice is marked in
`equivalents.yaml` beside the manifest, by the name that is shown with it:

  equivalents:
    - mutant: 3fa9c2d1e0b
      operator: comparison-shifted
      reason: there are never fewer than two

A mark lapses when its sentence changes. Without `--with` the ruleset itself is proved, by the scenarios that are played
without modules and, where none of them notices, by those that are played with its modules; with it, what is laid over
it, by those that are played with all of that and, where none of them notices, with a part of it. Verdicts are kept
(`$XDG_CACHE_HOME/referee/prove`): what is known and still holds is not found out again.

Examples:
  referee prove puerto-rico
  referee prove puerto-rico --clause captain.must-load
  referee prove puerto-rico --with nobles --operator condition-dropped
  referee prove rulesets/puerto-rico --with ./tournament --format json
  referee prove rulesets/puerto-rico --keep              so that coverage says what is proven

  referee prove rulesets/puerto-rico --since main --part 7/20   what changed, and a twentieth of the rest
  referee prove rulesets/puerto-rico --marks --seconds 10    a short sample; without `--seconds` the whole campaign

Exit codes: 0 every mistake is noticed or marked, 1 one survived or a mark is wrong, 2 it could not be found out.")]
pub struct Args {
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub ruleset: RulesetArgs,
    /// Only mistakes in what carries out this clause; may be repeated
    #[arg(long, value_name = "ID")]
    pub clause: Vec<String>,
    /// Only mistakes of this kind; may be repeated
    #[arg(long, value_name = "ID", value_parser = PossibleValuesParser::new(Operator::ALL.map(Operator::id)), hide_possible_values = true)]
    pub operator: Vec<String>,
    /// Test the marks by games instead: the rules with and without each marked mistake play the same games, at random and
    /// greedily, and must agree in who is asked, legal moves, refusals, views and states
    #[arg(long, conflicts_with = "keep")]
    pub marks: bool,
    /// With `--marks`: seconds for each mark. One that no game has reached by then goes on until one does, five minutes at most
    #[arg(long, value_name = "S", default_value_t = 300, requires = "marks")]
    pub seconds: u64,
    /// With `--marks`: seconds for all of them together, of which each gets its share at most: a sample, in which a mark whose
    /// time ends before a game reaches its rule is named as not tested, and is no failure
    #[arg(long, value_name = "S", requires = "marks")]
    pub within: Option<u64>,
    /// With `--marks`: games that reach the rule are enough when they are so many
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "marks")]
    pub games: u64,
    /// With `--marks`: the seed of the first game
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "marks")]
    pub seed: u64,
    /// Only mistakes that there were not at this revision of git, in the folder of the ruleset; with `--marks`, also marks
    #[arg(long, value_name = "REVISION", conflicts_with = "keep")]
    pub since: Option<String>,
    /// Only one of so many parts, `7/20`; with `--since`, beside what has changed. The part 27 of 20 is the part 7
    #[arg(long, value_name = "K/N", conflicts_with = "keep")]
    pub part: Option<Part>,
    /// List the kinds of mistakes and plant none
    #[arg(long)]
    pub operators: bool,
    /// How many mistakes at the same time [default: as many as there are processors]
    #[arg(long, value_name = "J", default_value_t = 0, hide_default_value = true)]
    pub jobs: usize,
    /// Keep verdicts in this folder
    #[arg(long, value_name = "FOLDER")]
    pub cache: Option<PathBuf>,
    /// Find everything out anew, and keep nothing
    #[arg(long, conflicts_with = "cache")]
    pub no_cache: bool,
    /// Keep the proof in the folder of what is proved, where `coverage` and `doc` read it; of several modules, that of the
    /// first, which may need the others
    #[arg(long, conflicts_with_all = ["clause", "operator"])]
    pub keep: bool,
    /// The language of what is told of mistakes and clauses
    #[arg(long, value_enum, default_value_t)]
    pub lang: Lang,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Runs the command.
///
/// # Errors
///
/// When the ruleset cannot be found or read, or there is no such clause.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    if args.operators {
        return shown::operators(args.lang.into(), out);
    }
    let chosen = args.ruleset.open()?;
    if !chosen.options.is_empty() {
        return Err(Failure::Usage(
            "`--option` proves nothing: scenarios say themselves with which options they are played".to_owned(),
        ));
    }
    let over = Over {
        modules: chosen.modules.clone(),
        house: chosen.house.iter().map(|(name, _)| name.clone()).collect(),
    };
    let kept = match args.keep {
        true => Some(Keeping::of(args, &chosen)?),
        false => None,
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.jobs)
        .build()
        .map_err(|error| Failure::Internal(error.to_string()))?;
    let began = Instant::now();
    let trial = match pool.install(|| Trial::prepare(&chosen.base, &chosen.house, &over)) {
        Ok(trial) => trial,
        Err(why) => return Ok(not_provable(why, args, &chosen, out)),
    };
    let (since, part) = (args.since.as_deref(), args.part);
    let sample = Sample::of(since, part, args.marks, &chosen, &over)?;
    let mutants = wanted(args, &trial, kept.as_ref(), &sample)?;
    if args.marks {
        let is_marked = |mutant: &&&Mutant| trial.marks.of(&mutant.id).is_some();
        let marked = mutants.iter().filter(is_marked).count();
        let share = args.within.map(|all| {
            let of_all = float(pool.current_num_threads()) / float(marked.max(1));
            Duration::from_secs(all).mul_f64(of_all)
        });
        let each = Duration::from_secs(args.seconds);
        let limits = Limits {
            games: args.games,
            time: share.map_or(each, |share| share.min(each)),
            is_sample: share.is_some(),
            seed: args.seed,
        };
        let bar = progress(marked, out);
        let tested = pool.install(|| trial.test_marks(&mutants, limits, &|| bar.inc(1)));
        bar.finish_and_clear();
        return match tested {
            Ok(tested) => {
                let ruleset = &trial.planted.package.id.node;
                marks::tell(&tested, (ruleset, args.seed), args.format, out)
            }
            Err(why) => Ok(not_provable(why, args, &chosen, out)),
        };
    }
    let cache = match args.no_cache {
        true => None,
        false => match Cache::open(args.cache.as_deref(), &chosen.base, &chosen.house, &over) {
            Ok(cache) => Some(cache),
            Err(error) => {
                out.note(format_args!("verdicts cannot be kept: {error}"));
                None
            }
        },
    };
    let bar = progress(mutants.len(), out);
    let verdicts = pool.install(|| {
        trial.judge(
            &mutants,
            &|mutant| cache.as_ref()?.known(mutant),
            &|mutant, verdict, stage| {
                if stage == Stage::All {
                    bar.inc(1);
                }
                if let Some(cache) = &cache {
                    cache.keep(mutant, verdict, stage);
                }
            },
        )
    });
    bar.finish_and_clear();
    let verdicts = match verdicts {
        Ok(verdicts) => verdicts,
        Err(why) => return Ok(not_provable(why, args, &chosen, out)),
    };
    let proved = trial.proved(verdicts);
    let seconds = began.elapsed().as_secs_f64();
    match args.format {
        Format::Human => shown::print(&trial, &proved, args.lang.into(), seconds, out)?,
        Format::Json => shown::json(&trial, &proved, args.lang.into(), out)?,
    }
    if let Some(keeping) = &kept {
        let proof = Proof::of(
            &proved,
            &chosen.base,
            &chosen.house,
            &over,
            keeping.with.clone(),
        );
        keeping.write(&proof, out)?;
    }
    if mutants.is_empty() {
        out.note("no mistake can be planted in what was asked for");
    }
    // What fits nothing is most often a slip of the pen, unless nothing need have changed.
    let is_enough = !mutants.is_empty() || !sample.is_everything();
    Ok(match proved.good() && is_enough {
        true => Exit::Clean,
        false => Exit::Bad,
    })
}

/// Tells why nothing can be proved.
fn not_provable(why: NotProvable, args: &Args, chosen: &Chosen, out: &mut Out<'_>) -> Exit {
    match why {
        NotProvable::Rejected(rejected) => out.rejected(&rejected),
        NotProvable::Failed(why) => {
            let words = chosen.words(&args.ruleset.over);
            out.error(format_args!(
                "{why}; mend that first: `referee test {words}`"
            ));
        }
        NotProvable::Marks(why) => out.error(why),
    }
    Exit::Bad
}

/// Where a proof is kept, and of what.
struct Keeping {
    file: PathBuf,
    with: Vec<String>,
}

impl Keeping {
    fn of(args: &Args, chosen: &Chosen) -> Result<Keeping, Failure> {
        // Those that the ruleset offers are called by their ids, house rules by their folders.
        let with = args.ruleset.over.with.iter().map(|with| {
            let house = chosen.house.iter().find(|(name, _)| {
                !chosen.modules.contains(with) && Path::new(with).ends_with(name)
            });
            house.map_or_else(|| with.clone(), |(name, _)| name.clone())
        });
        let with: Vec<String> = with.collect();
        let folder = match with.first() {
            None => PathBuf::from(&chosen.called),
            Some(first) => match chosen.house.iter().find(|(name, _)| name == first) {
                Some((_, texts)) => PathBuf::from(&texts.path),
                None => Path::new(&chosen.called).join("modules").join(first),
            },
        };
        if !folder.is_dir() {
            return Err(Failure::Usage(format!(
                "`--keep` writes beside the manifest: name the folder of the ruleset instead of `{}`",
                chosen.called
            )));
        }
        let file = folder.join(PROOF);
        Ok(Keeping { file, with })
    }

    fn write(&self, proof: &Proof, out: &mut Out<'_>) -> Result<(), Failure> {
        let text = proof
            .text()
            .map_err(|error| Failure::Internal(error.to_string()))?;
        let shown = self.file.display();
        fs::write(&self.file, text)
            .map_err(|error| Failure::Usage(format!("`{shown}` cannot be written: {error}")))?;
        out.note(format_args!("the proof is kept in {shown}"));
        Ok(())
    }
}

/// The mutants that were asked for.
fn wanted<'t>(
    args: &Args,
    trial: &'t Trial,
    keeping: Option<&Keeping>,
    sample: &Sample,
) -> Result<Vec<&'t Mutant>, Failure> {
    let rulebook = &trial.planted.package.rulebook;
    for id in &args.clause {
        if rulebook.clause(id).is_none() {
            let known = rulebook
                .clauses
                .iter()
                .map(|clause| clause.id.node.as_str());
            let near = interpreter::diagnostic::did_you_mean(id, known);
            let near = near.map_or_else(String::new, |near| format!("; {near}"));
            return Err(Failure::Usage(format!("there is no clause `{id}`{near}")));
        }
    }
    let is_wanted = |mutant: &&Mutant| {
        let clause = mutant.site.clause.as_ref();
        let of_clause =
            args.clause.is_empty() || clause.is_some_and(|clause| args.clause.contains(clause));
        let of_operator =
            args.operator.is_empty() || args.operator.iter().any(|id| id == mutant.operator.id());
        let is_kept = keeping.is_none_or(|keeping| {
            let first = keeping.with.first();
            belongs(mutant, first.map(String::as_str))
        });
        of_clause && of_operator && is_kept && sample.has(mutant)
    };
    Ok(trial.planted.mutants.iter().filter(is_wanted).collect())
}

fn progress(mutants: usize, out: &Out<'_>) -> ProgressBar {
    if !out.live {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(referee_store::numbers::to_u64(mutants));
    if let Ok(style) =
        ProgressStyle::with_template("{bar:40} {pos}/{len} mistakes, {per_sec}, {eta} left")
    {
        bar.set_style(style);
    }
    bar
}
