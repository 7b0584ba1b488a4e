//! `referee diff`: what two rulesets differ in, and what that does to play.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::OF_CLAUSES;
use interpreter::package::{Language, Package, PackageTexts};
use interpreter::play::CompileOptions;
use serde::Serialize;

use super::at_revision::{at_revision, file_at_revision};
use super::format::{Lang, json};
use super::library::LibraryOptions;
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::policy::{Player, SearchArgs};
use super::redline;
use super::ruleset::{OverArgs, open};
use referee_report::book::Labels;
use referee_report::diff::accepted::{self, Accepted};
use referee_report::diff::games::{Games, Happened, Measure, Play};
use referee_report::diff::scenarios::{Came, Scenarios};
use referee_report::diff::texts::Texts;
use referee_report::diff::{
    Composed, Difference, Side, What, games, marks, players_of_both, scenarios, texts,
};
use referee_report::prose::{counted, wrapped};
use referee_report::redline::{
    Level, Material, Page, Redline, accepted_games, accepted_summary, markdown, page,
};
use referee_report::simulation::who;
use referee_report::snapshots;

/// Arguments of `diff`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Each side is a shipped ruleset, a folder, or a folder at a revision of git: `rulesets/puerto-rico@HEAD~3`. \
With one side and `--with` the ruleset is compared with itself under that module.

First comes the redline: each clause before and after, and what is flagged. Red is what nobody should sign unread: a \
rule that changed while its clause did not, words such as `must`, `not` or `two` that changed, a figure that a clause \
still states as it was, a tie to the print that is gone, a scenario that was weakened. The rest is to be read. \
`--format html` and `--format markdown` give the redline as a document.

The scenarios of the first side are run under the rules of both. Its accepted games (`snapshots/games.json`), or those of the \
second if it has none, are played again by their moves: each cause for which they part is told once. The same seeds are played with both; what \
differs is given with an interval that holds the true difference in 95 of 100 cases. Of many figures one in \
twenty seems to differ by chance.

Examples:
  referee diff puerto-rico --with ./tournament
  referee diff rulesets/puerto-rico@v0.1.0 rulesets/puerto-rico
  referee diff puerto-rico my-puerto-rico --players 4 --games 1000
  referee diff san-juan san-juan --with-second new-buildings --format json
  referee diff san-juan --with-second new-buildings --policy search --iterations 50 --games 500 --within 600
  referee diff rulesets/puerto-rico@HEAD rulesets/puerto-rico --exit-code
  referee diff rulesets/puerto-rico@main rulesets/puerto-rico --format html --lang pl > redline.html
  referee diff rulesets/puerto-rico@main rulesets/puerto-rico --games 0 --fail-on red

Exit codes: 0 compared, 1 one of them has mistakes (or, with --exit-code, they differ; or, with --fail-on, \
something is flagged so), 2 it could not be done.")]
pub struct Args {
    /// The first ruleset: a name, a folder, or `folder@revision`
    #[arg(value_name = "A")]
    pub first: String,
    /// The second one; left out, it is the first with what `--with` lays over it
    #[arg(value_name = "B")]
    pub second: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub over: OverArgs,
    /// Lay a module over the first alone
    #[arg(long, value_name = "MODULE", value_delimiter = ',')]
    pub with_first: Vec<String>,
    /// Lay a module over the second alone
    #[arg(long, value_name = "MODULE", value_delimiter = ',')]
    pub with_second: Vec<String>,
    /// Number of players [default: the fewest that both allow]
    #[arg(long, value_name = "N")]
    pub players: Option<u8>,
    /// How many seeds are played; with 0 none, and no accepted games either
    #[arg(long, value_name = "G", default_value_t = 200)]
    pub games: u64,
    /// The first seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// How the players play
    #[arg(long, value_enum, default_value_t)]
    pub policy: Player,
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub search: SearchArgs,
    /// Begin no game after so many seconds of play; those that were played with both are compared
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub within: Option<u64>,
    /// End with 1 if there is any difference
    #[arg(long)]
    pub exit_code: bool,
    /// End with 1 if something is flagged so, or worse
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub fail_on: Option<FailOn>,
    /// The language of what is told
    #[arg(long, value_enum, default_value_t)]
    pub lang: Lang,
    /// Show the code of rules that changed
    #[arg(long)]
    pub code: bool,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Shape,
    #[command(flatten)]
    #[allow(missing_docs, reason = "explained by its type")]
    pub library: LibraryOptions,
}

/// How a comparison is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Shape {
    /// For people, in a terminal
    #[default]
    Human,
    /// The redline for a pull request
    Markdown,
    /// The redline as one page that needs nothing else
    Html,
    /// For programs
    Json,
}

/// From which flags on a comparison fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FailOn {
    /// What nobody should sign unread
    Red,
    /// Anything that is flagged
    ToBeRead,
}

impl FailOn {
    fn fails(self, redline: &Redline) -> bool {
        let from = match self {
            FailOn::Red => Level::Red,
            FailOn::ToBeRead => Level::ToBeRead,
        };
        redline.level().is_some_and(|level| level >= from)
    }
}

/// For machines. Fields are added, never renamed.
#[derive(Debug, Serialize)]
struct Compared {
    schema: &'static str,
    first: String,
    second: String,
    different: bool,
    redline: Redline,
    texts: Texts,
    scenarios: Scenarios,
    /// None where no games are played, there are none, or both sides have the same files.
    accepted: Option<Accepted>,
    games: Option<Games>,
}

/// Runs the command.
///
/// # Errors
///
/// When a side cannot be found or read.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let alone = args.second.is_none();
    if alone
        && args.over.with.is_empty()
        && args.over.options.is_empty()
        && args.with_second.is_empty()
    {
        return Err(Failure::Usage(
            "compare with what? name a second ruleset, or a module with `--with`".to_owned(),
        ));
    }
    let common = match alone {
        true => OverArgs::default(),
        false => args.over.clone(),
    };
    let laid = |over: &OverArgs, more: &[String]| OverArgs {
        with: over.with.iter().chain(more).cloned().collect(),
        options: over.options.clone(),
    };
    let (first, listed) = side(&args.first, &laid(&common, &args.with_first), &args.library)?;
    let called = args.second.as_ref().unwrap_or(&args.first);
    let (second, also) = side(called, &laid(&args.over, &args.with_second), &args.library)?;

    let (Some(before), Some(after)) = (loaded(&first, out), loaded(&second, out)) else {
        return Ok(Exit::Bad);
    };
    let texts = texts::compare(&before, &after);
    let scenarios = scenarios::compare(&first, &second);
    let marks = marks::compare(&first, &second);
    let unread = unread(&first, &second);
    let redline = referee_report::redline::redline(&Material {
        before: &before,
        after: &after,
        texts: &texts,
        scenarios: &scenarios,
        marks: &marks,
        unread: &unread,
        language: args.lang.into(),
    });
    let is_same = first.base.files == second.base.files
        && (&first.house, &first.modules, &first.options)
            == (&second.house, &second.modules, &second.options);
    let accepted = match listed.or(also) {
        Some(listed) if args.games > 0 && !is_same => Some(accepted::compare(
            &first,
            &second,
            &listed,
            args.lang.into(),
        )),
        _ => None,
    };
    let document = matches!(args.format, Shape::Html | Shape::Markdown);
    let games = match args.games {
        0 => None,
        // The documents show none.
        _ if document => None,
        number => {
            let players = number_of_players(args.players, &before.package, &after.package)?;
            let compile = |side: &Side| {
                interpreter::Ruleset::compile_again(
                    &side.base,
                    &side.house,
                    &side.configuration(players),
                    CompileOptions {
                        tolerated: OF_CLAUSES,
                        ..CompileOptions::default()
                    },
                    &side.trees,
                )
            };
            match (compile(&first), compile(&second)) {
                (Ok(a), Ok(b)) => {
                    let how = Play {
                        seed: args.seed,
                        games: number,
                        policy: args.policy.policy("--policy", args.search)?,
                        within: args.within.map(Duration::from_secs),
                    };
                    let fast = |ruleset: Arc<Ruleset>| match args.policy {
                        // Imagined games are many, and worth making machine code for.
                        Player::Search => ruleset.natively().unwrap_or(ruleset),
                        Player::Random | Player::Greedy => ruleset,
                    };
                    Some(games::compare(&fast(a), &fast(b), how))
                }
                (a, b) => {
                    for rejected in [a.err(), b.err()].into_iter().flatten() {
                        out.rejected(&rejected);
                    }
                    return Ok(Exit::Bad);
                }
            }
        }
    };
    let compared = Compared {
        schema: "referee.diff/1",
        first: first.called,
        second: second.called,
        different: texts.count() > 0
            || !scenarios.changed.is_empty()
            || !redline.is_empty()
            || accepted.as_ref().is_some_and(|all| !all.causes.is_empty())
            || games.as_ref().is_some_and(|games| games.parting.is_some()),
        redline,
        texts,
        scenarios,
        accepted,
        games,
    };
    let labels = Labels(args.lang.into());
    let causes = compared.accepted.as_ref();
    let causes = causes.map_or_else(Vec::new, |all| accepted_games(all, labels));
    let set = Page {
        redline: &compared.redline,
        before: &compared.first,
        after: &compared.second,
        scenarios: compared.scenarios.run,
        accepted: &causes,
        labels,
    };
    match args.format {
        Shape::Human => print(&compared, &set, args.code, out)?,
        Shape::Markdown => write!(out.data, "{}", markdown(&set))?,
        Shape::Html => writeln!(out.data, "{}", page(&set))?,
        Shape::Json => json(out, &compared)?,
    }
    let fails = args
        .fail_on
        .is_some_and(|level| level.fails(&compared.redline));
    Ok(match fails || args.exit_code && compared.different {
        true => Exit::Bad,
        false => Exit::Clean,
    })
}

/// Offered modules whose files differ and that are laid over neither side.
fn unread(first: &Side, second: &Side) -> Vec<String> {
    let files = |side: &Side| -> std::collections::BTreeMap<String, String> {
        let inside = side.base.files.iter();
        let inside = inside
            .filter(|(path, _)| path.starts_with("modules/") && !path.ends_with("/review.yaml"));
        inside.cloned().collect()
    };
    let (a, b) = (files(first), files(second));
    let mut all: Vec<String> = a
        .keys()
        .chain(b.keys())
        .filter(|path| a.get(*path) != b.get(*path))
        .filter_map(|path| path.split('/').nth(1))
        .filter(|module| {
            let laid = |side: &Side| side.modules.iter().any(|known| known == module);
            !(laid(first) && laid(second))
        })
        .map(str::to_owned)
        .collect();
    all.sort();
    all.dedup();
    all
}

fn number_of_players(asked: Option<u8>, a: &Package, b: &Package) -> Result<u8, Failure> {
    let both = players_of_both(a.players, b.players);
    let players = asked.unwrap_or(*both.start());
    if both.contains(&players) {
        return Ok(players);
    }
    Err(Failure::Usage(match both.is_empty() {
        false => format!(
            "both are for {} to {} players, not {players}",
            both.start(),
            both.end()
        ),
        true => {
            "no number of players is allowed by both; compare the texts with `--games 0`".to_owned()
        }
    }))
}

/// A composed package with its texts; none if it has mistakes, which are then told.
fn loaded(side: &Side, out: &mut Out<'_>) -> Option<Box<Composed>> {
    match side.composed(None) {
        Ok(composed) => Some(composed),
        Err(wrong) => {
            let (sources, diagnostics) = *wrong;
            out.error(format_args!("{} has mistakes", side.called));
            out.diagnostics_of(&sources, &diagnostics);
            None
        }
    }
}

/// A side, and the games that are accepted of it, if it has any that lie beside it.
fn side(
    called: &str,
    over: &OverArgs,
    library: &LibraryOptions,
) -> Result<(Side, Option<snapshots::Games>), Failure> {
    let (chosen, shown, listed) = match called.rsplit_once('@') {
        // What lies there under the whole name is meant.
        Some((folder, revision)) if !Path::new(called).exists() => {
            if !Path::new(folder).exists() && library.library()?.get(folder).is_some() {
                return Err(Failure::Usage(format!(
                    "`{called}`: `{folder}` is shipped in this program, which knows no revisions of it; name a folder in a git repository"
                )));
            }
            let texts = at_revision(folder, revision)?;
            let listed = file_at_revision(folder, revision, snapshots::GAMES)?;
            let listed = listed.map(|text| snapshots::read(&text)).transpose();
            let listed = listed.map_err(|why| {
                Failure::Usage(format!("`{called}`: `{}`: {why}", snapshots::GAMES))
            })?;
            // The modules that it offers are those that it offered then.
            let kept = tempfolder(&texts)?;
            let chosen = open(&kept.0.display().to_string(), over, library);
            let mut chosen = chosen?;
            chosen.base = texts;
            (chosen, called.to_owned(), listed)
        }
        _ => {
            let listed = match Path::new(called).is_dir() {
                true => Some(snapshots::games(Path::new(called)).map_err(Failure::Usage)?),
                false => None,
            };
            (open(called, over, library)?, called.to_owned(), listed)
        }
    };
    let mut words = vec![shown];
    words.extend(over.with.iter().map(|with| format!("with {with}")));
    words.extend(over.options.iter().map(|option| format!("option {option}")));
    let side = Side {
        called: words.join(", "),
        base: chosen.base,
        house: chosen.house,
        modules: chosen.modules,
        options: chosen.options,
        trees: chosen.trees,
    };
    Ok((side, listed.filter(|listed| !listed.games.is_empty())))
}

/// A folder that is gone when nobody needs it any more.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The texts as a folder, for whoever opens rulesets by their path.
fn tempfolder(texts: &PackageTexts) -> Result<Folder, Failure> {
    let name = format!(
        "referee-diff-{}-{}",
        std::process::id(),
        uuid::Uuid::new_v4()
    );
    let folder = Folder(std::env::temp_dir().join(name));
    for (path, text) in &texts.files {
        let file = folder.0.join(path);
        if let Some(above) = file.parent() {
            std::fs::create_dir_all(above)?;
        }
        std::fs::write(file, text)?;
    }
    Ok(folder)
}

fn print(
    compared: &Compared,
    set: &Page<'_>,
    code: bool,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let title = format!("{}  →  {}", compared.first, compared.second);
    writeln!(out.data, "{}", out.paint(Ink::Heading, title))?;
    let labels = set.labels;
    if !compared.different {
        let none = labels.say("no difference", "żadnej różnicy");
        writeln!(out.data, "{}", out.paint(Ink::Good, none))?;
    }
    redline::print(set, out)?;
    let texts = &compared.texts;
    let rules: &[Difference] = match code {
        true => &texts.rules,
        false => &[],
    };
    for (name, differences) in [
        (
            labels.say("the ruleset", "zestaw reguł"),
            &texts.manifest[..],
        ),
        (labels.say("figures", "liczby"), &texts.figures),
        (labels.say("components", "elementy gry"), &texts.rows),
        (labels.say("code of rules", "kod reguł"), rules),
        (labels.say("names", "nazwy"), &texts.names),
    ] {
        print_topic(name, differences, out)?;
    }
    print_scenarios(&compared.scenarios, labels, out)?;
    if let Some(accepted) = &compared.accepted {
        let title = accepted_summary(accepted, labels);
        redline::print_entries(&title, set.accepted.iter(), true, out)?;
        if set.accepted.is_empty() {
            writeln!(out.data, "\n{}", out.paint(Ink::Heading, title))?;
        }
    }
    if let Some(games) = &compared.games {
        print_games(games, labels, out)?;
    }
    Ok(())
}

/// Writes the differences of one topic, if there are any.
pub(super) fn print_topic(
    name: &str,
    differences: &[Difference],
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    if differences.is_empty() {
        return Ok(());
    }
    writeln!(out.data, "\n{}", out.paint(Ink::Heading, name))?;
    for difference in differences {
        print_difference(difference, out)?;
    }
    Ok(())
}

fn print_difference(difference: &Difference, out: &mut Out<'_>) -> Result<(), Failure> {
    let (sign, ink) = match difference.what {
        What::Added => ("+", Ink::Added),
        What::Removed => ("-", Ink::Bad),
        What::Changed => ("~", Ink::Odd),
    };
    let short = |text: &Option<String>| {
        text.as_ref()
            .is_none_or(|text| !text.contains('\n') && text.chars().count() < 36)
    };
    if short(&difference.before) && short(&difference.after) {
        let text = match (&difference.before, &difference.after) {
            (Some(a), Some(b)) => format!("{a} → {b}"),
            (Some(only), None) | (None, Some(only)) => only.clone(),
            (None, None) => String::new(),
        };
        let line = format!("  {sign} {}: {text}", difference.of);
        writeln!(out.data, "{}", out.paint(ink, line))?;
        return Ok(());
    }
    writeln!(
        out.data,
        "{}",
        out.paint(ink, format!("  {sign} {}", difference.of))
    )?;
    let (before, after) = (
        difference.before.as_deref().unwrap_or_default(),
        difference.after.as_deref().unwrap_or_default(),
    );
    let lines = similar::TextDiff::from_lines(before, after);
    for change in lines.iter_all_changes() {
        let (sign, ink) = match change.tag() {
            similar::ChangeTag::Delete => ("-", Ink::Bad),
            similar::ChangeTag::Insert => ("+", Ink::Added),
            similar::ChangeTag::Equal => (" ", Ink::Dim),
        };
        let text = change.value().trim_end_matches('\n');
        writeln!(
            out.data,
            "{}",
            out.paint(ink, format!("      {sign} {text}"))
        )?;
    }
    Ok(())
}

fn print_scenarios(
    scenarios: &Scenarios,
    labels: Labels,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let (changed, run) = (scenarios.changed.len(), scenarios.run);
    let title = match labels.0 {
        Language::English => format!("scenarios: {changed} of {run} come out otherwise"),
        Language::Polish => format!("scenariusze: {changed} z {run} kończy się inaczej"),
    };
    writeln!(out.data, "\n{}", out.paint(Ink::Heading, title))?;
    for changed in &scenarios.changed {
        let text = match (&changed.before, &changed.after) {
            (Came::Passed, Came::Failed(why)) => {
                let now = labels.say("passed, fails now", "przechodził, teraz zawodzi");
                format!("{now}: {why}")
            }
            (_, Came::Passed) => labels.say("passes now", "teraz przechodzi").to_owned(),
            (_, Came::Failed(why)) => {
                let otherwise = labels.say("fails otherwise", "zawodzi inaczej");
                format!("{otherwise}: {why}")
            }
            (_, Came::NotPlayable(why)) => {
                let now = labels.say("cannot be set up now", "teraz nie da się go rozłożyć");
                format!("{now}: {why}")
            }
        };
        let ink = match changed.after {
            Came::Passed => Ink::Added,
            _ => Ink::Bad,
        };
        writeln!(out.data, "  {}", out.paint(ink, &changed.name))?;
        // The place stands by itself, so that it can be copied and no folder's name decides where lines break.
        let lines = wrapped(&text, out.width.saturating_sub(6));
        for line in lines.into_iter().chain([format!("({})", changed.place)]) {
            writeln!(out.data, "      {}", out.paint(Ink::Dim, line))?;
        }
    }
    for (what, names) in [
        (
            labels.say("only in the second", "tylko w drugim"),
            &scenarios.added,
        ),
        (
            labels.say("only in the first", "tylko w pierwszym"),
            &scenarios.removed,
        ),
        (
            labels.say("say other things", "mówiące co innego"),
            &scenarios.rewritten,
        ),
    ] {
        if !names.is_empty() {
            let count = match labels.0 {
                Language::English => format!("{} {what}", counted(names.len(), "scenario")),
                Language::Polish => format!("scenariusze {what} ({})", names.len()),
            };
            let text = format!("{count}: {}", names.join("; "));
            for line in wrapped(&text, out.width.saturating_sub(4)) {
                writeln!(out.data, "  {line}")?;
            }
        }
    }
    Ok(())
}

fn print_games(games: &Games, labels: Labels, out: &mut Out<'_>) -> Result<(), Failure> {
    let by = who(games.policy, labels.0);
    let (same, all, players) = (games.same, games.games, games.players);
    let title = match labels.0 {
        Language::English => {
            format!("play: {same} of {all} games of {players} players {by} go the same way")
        }
        Language::Polish => {
            format!("rozgrywka: {same} z {all} partii na {players} graczy {by} przebiega tak samo")
        }
    };
    writeln!(out.data, "\n{}", out.paint(Ink::Heading, title))?;
    for seed in games.failed.iter().take(10) {
        writeln!(
            out.data,
            "  {}",
            out.paint(
                Ink::Bad,
                match labels.0 {
                    Language::English => format!("the game of seed {seed} fails"),
                    Language::Polish => format!("partia z ziarna {seed} zawodzi"),
                }
            )
        )?;
    }
    if let Some(parting) = &games.parting {
        let (seed, phases) = (parting.seed, parting.phases.join(" > "));
        let head = match labels.0 {
            Language::English => {
                let after = counted(parting.after, "move");
                format!("the games of seed {seed} part after {after} in {phases}:")
            }
            Language::Polish => {
                let after = parting.after;
                format!(
                    "partie z ziarna {seed} rozchodzą się w {phases} (ruchów przedtem: {after}):"
                )
            }
        };
        writeln!(out.data, "  {head}")?;
        for (name, happened) in [
            (labels.say("first ", "pierwsza"), &parting.before),
            (labels.say("second", "druga   "), &parting.then),
        ] {
            for (i, line) in wrapped(&told(happened, labels), out.width.saturating_sub(14))
                .iter()
                .enumerate()
            {
                let blank = labels.say("      ", "        ");
                let name = if i == 0 { name } else { blank };
                writeln!(out.data, "    {name}  {line}")?;
            }
        }
        let new = |a: &Happened, b: &Happened| -> Vec<String> {
            let offers = b.offers.iter().filter(|offer| !a.offers.contains(offer));
            offers.cloned().collect()
        };
        for (what, offers) in [
            (
                labels.say("offered only by the first", "oferowane tylko w pierwszej"),
                new(&parting.then, &parting.before),
            ),
            (
                labels.say("offered only by the second", "oferowane tylko w drugiej"),
                new(&parting.before, &parting.then),
            ),
        ] {
            if !offers.is_empty() {
                let text = format!("{what}: {}", offers.join("; "));
                for line in wrapped(&text, out.width.saturating_sub(8)) {
                    writeln!(out.data, "    {}", out.paint(Ink::Dim, line))?;
                }
            }
        }
    }
    let mut table = comfy_table::Table::new();
    table
        .load_style(comfy_table::presets::NOTHING)
        .set_content_arrangement(comfy_table::ContentArrangement::Disabled)
        .set_header([
            "",
            labels.say("first", "pierwsza"),
            labels.say("second", "druga"),
            labels.say("difference", "różnica"),
            "95 %",
            "",
        ]);
    for column in table.column_iter_mut().skip(1).take(4) {
        column.set_cell_alignment(comfy_table::CellAlignment::Right);
    }
    // Of rows only what is clear, the clearest first; there are many.
    let mut rows: Vec<&Measure> = games.rows.iter().filter(|row| row.clear).collect();
    rows.sort_by(|a, b| {
        let sure = |m: &Measure| m.difference.abs() / m.uncertain.max(1e-9);
        sure(b).total_cmp(&sure(a))
    });
    for measure in games.measures.iter().chain(rows.into_iter().take(ROWS)) {
        if measure.before == 0.0 && measure.after == 0.0 {
            continue;
        }
        table.add_row([
            labels.say(&measure.of, &measure.of_polish).to_owned(),
            format!("{:.2}", measure.before),
            format!("{:.2}", measure.after),
            format!("{:+.2}", measure.difference),
            format!("± {:.2}", measure.uncertain),
            (if measure.clear { "*" } else { "" }).to_owned(),
        ]);
    }
    writeln!(out.data, "\n{table}")?;
    let clear = labels.say(
        "* the interval leaves zero out; of rows, pieces with players at the end, only those",
        "* przedział nie obejmuje zera; spośród elementów u graczy na koniec tylko takie",
    );
    writeln!(out.data, "{}", out.paint(Ink::Dim, clear))?;
    Ok(())
}

/// Rows that are told.
const ROWS: usize = 15;

fn told(happened: &Happened, labels: Labels) -> String {
    match (&happened.seat, &happened.step, &happened.does) {
        (Some(seat), Some(step), Some(does)) => {
            let asked = labels.say("is asked by", "jest pytany w kroku");
            format!("{seat} {asked} {step}: {does}")
        }
        _ => match &happened.ended {
            Some(ended) => format!("{}: {ended}", labels.say("the game ends", "koniec gry")),
            None => labels.say("the game fails", "gra zawodzi").to_owned(),
        },
    }
}
