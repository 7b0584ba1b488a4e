//! `referee snapshot`: whole games as accepted texts, without a toolchain.

mod cover;
mod folder;

use std::collections::BTreeSet;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use interpreter::diagnostic::Report;
use interpreter::play::Rejected;
use interpreter::syntax::Trees;
use rayon::prelude::*;
use serde::Serialize;

use crate::cli::format::{Format, json};
use crate::cli::out::{Ink, Out};
use crate::cli::outcome::{Exit, Failure};
use crate::cli::policy::PlayerArgs;
use crate::cli::ruleset::option;
use folder::ruleset;
use referee_report::prose::{counted, wrapped};
use referee_report::snapshots::met::{Unmet, unmet};
use referee_report::snapshots::replay::{Anew, Difference};
use referee_report::snapshots::{
    GAMES, Games, NotCompared, Pinned, Shown, Snapshot, Spoken, Unplayed, games, proposals,
    snapshot, write,
};

/// Arguments of `snapshot`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Accepted games lie in the folder `snapshots` of a ruleset. `snapshots/games.json` lists them: with how many players, \
modules and options each is played, the seed of the deal, every move that was made, hashes of the states, the ending, \
the winners, every line of the scores. A check makes these moves again and says what differs first. Some games have a \
text as well, `snapshots/<name>.snap`, whole or an excerpt of what their modules bring; `cargo test` checks the same \
files.

A game is stuck when one of its moves is no longer legal. It is recorded again by its seed, by players who play as \
those did who played it: with `--anew rest` from where it is stuck, with `--anew whole` from its first move. With \
`--policy search --seconds 1` players search for a second about each move that is not the only one: what they find \
hangs on the machine, but only the moves are kept, and a check makes these again. A check without `--filter` says as well \
which components and which rules no game meets.

Examples:
  referee snapshot review rulesets/puerto-rico            side by side, one after the other
  referee snapshot check rulesets/puerto-rico             for continuous integration
  referee snapshot check rulesets/puerto-rico --format json
  referee snapshot accept rulesets/puerto-rico
  referee snapshot review rulesets/puerto-rico --filter nobles --anew rest
  referee snapshot accept rulesets/puerto-rico --anew rest
  referee snapshot add my-game first_game --players 3 --seed 1
  referee snapshot add rulesets/puerto-rico nobles --players 3 --with nobles --text excerpt
  referee snapshot add my-game annotated_game --players 3 --policy search --seconds 1
  referee snapshot accept my-game --filter annotated_game --anew whole --policy search --seconds 1
  referee snapshot show rulesets/puerto-rico annotated_game --lang pl
  referee snapshot cover rulesets/puerto-rico --games 500    add games until every rule is met

Exit codes: 0 everything is accepted, 1 something differs or cannot be played, 2 it could not be done.")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub what: What,
    /// How the result is written
    #[arg(long, value_enum, default_value_t, global = true)]
    pub format: Format,
}

/// What became of the games, for machines. Fields are added, never renamed.
#[derive(Debug, Serialize)]
struct Compared {
    schema: &'static str,
    games: Vec<Game>,
    not_accepted: usize,
    not_playable: usize,
    /// What the games of each ruleset do not meet; only of a check of all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_met: Vec<NotMet>,
}

#[derive(Debug, Serialize)]
struct NotMet {
    ruleset: String,
    #[serde(flatten)]
    what: Unmet,
}

#[derive(Debug, Serialize)]
struct Game {
    ruleset: String,
    name: String,
    /// `same`, `differs`, `new`, `accepted`, `stuck` (a pinned move is not legal), `failed` (the game did), `mistakes`
    /// (the ruleset has).
    state: &'static str,
    /// The file of the accepted game.
    file: Option<String>,
    /// Why a game failed, or where it is stuck.
    message: Option<String>,
    /// What differs, the first thing first.
    differences: Vec<Difference>,
    /// The mistakes of the ruleset.
    diagnostics: Vec<Report>,
}

impl Game {
    fn of(folder: &Path, name: &str, state: &'static str) -> Game {
        Game {
            ruleset: folder.display().to_string(),
            name: name.to_owned(),
            state,
            file: None,
            message: None,
            differences: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    fn rejected(folder: &Path, name: &str, rejected: &Rejected) -> Game {
        let list = rejected.diagnostics.list.iter();
        Game {
            diagnostics: list.map(|d| d.report(&rejected.sources)).collect(),
            ..Game::of(folder, name, "mistakes")
        }
    }

    fn failed(folder: &Path, one: &Snapshot, fault: &str) -> Game {
        Game {
            message: Some(fault.to_owned()),
            differences: one.differences.clone(),
            ..Game::of(folder, &one.name, "failed")
        }
    }

    fn stuck(folder: &Path, one: &Snapshot) -> Game {
        let last = one.differences.last();
        Game {
            message: last.map(|last| last.message.join(" ")),
            ..Game::known(folder, one, "stuck")
        }
    }

    fn known(folder: &Path, one: &Snapshot, state: &'static str) -> Game {
        Game {
            file: Some(one.path.display().to_string()),
            differences: one.differences.clone(),
            ..Game::of(folder, &one.name, state)
        }
    }
}

/// What to do.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum What {
    /// Say which games differ
    Check(Folders),
    /// Show each difference and ask what to do with it
    Review(Changing),
    /// Accept everything that differs
    Accept(Changing),
    /// Play another game and accept it
    Add(Add),
    /// Write the text of an accepted game, in either language
    Show(Show),
    /// Add games, without texts, that meet the rules and components which no accepted game meets
    Cover(cover::Cover),
}

/// Rulesets.
#[derive(Clone, Debug, clap::Args)]
pub struct Folders {
    /// Folders of rulesets
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,
    /// Only games whose name contains this
    #[arg(long, value_name = "PART")]
    pub filter: Option<String>,
}

/// Rulesets whose games may be recorded again.
#[derive(Clone, Debug, clap::Args)]
pub struct Changing {
    /// Which games
    #[command(flatten)]
    pub folders: Folders,
    /// Record games again by their seeds: those that are stuck from there on, or all from their first move
    #[arg(long, value_enum, value_name = "PART")]
    pub anew: Option<Anew>,
    /// Who plays games that are recorded again from their first moves; others are played by whoever played them
    #[command(flatten)]
    pub players: PlayerArgs,
}

/// The text of a game.
#[derive(Clone, Debug, clap::Args)]
pub struct Show {
    /// The folder of the ruleset
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// The name of the game
    pub name: String,
    /// How much of it: as it is listed, if this is left out; of a game without a text all
    #[arg(long, value_enum)]
    pub text: Option<Shown>,
    /// The language
    #[arg(long, value_enum, default_value_t)]
    pub lang: crate::cli::format::Lang,
}

/// Another game.
#[derive(Clone, Debug, clap::Args)]
pub struct Add {
    /// The folder of the ruleset
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// The name of its file: small letters, digits, underscores
    pub name: String,
    /// Number of players
    #[arg(long, value_name = "N")]
    pub players: u8,
    /// Modules of the ruleset
    #[arg(long, value_name = "MODULE", value_delimiter = ',')]
    pub with: Vec<String>,
    /// Set an option of the ruleset: `name`, `name=false` or `name=3`; may be repeated
    #[arg(long = "option", value_name = "NAME[=VALUE]", value_delimiter = ',')]
    pub options: Vec<String>,
    /// The seed of the deal and of the players
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Who plays
    #[command(flatten)]
    pub by: PlayerArgs,
    /// What of it is told in a text of its own
    #[arg(long, value_enum, default_value_t)]
    pub text: Shown,
    /// Of the table after each round show only what is new: for games of very many rounds
    #[arg(long)]
    pub news: bool,
    /// The language
    #[arg(long, value_enum, default_value_t)]
    pub lang: crate::cli::format::Lang,
}

/// Runs the command.
///
/// # Errors
///
/// When a folder is no ruleset, or a file cannot be written.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let (folders, how, changing) = match &args.what {
        What::Check(folders) => (folders, How::Check, None),
        What::Review(changing) => (&changing.folders, How::Review, Some(changing)),
        What::Accept(changing) => (&changing.folders, How::Accept, Some(changing)),
        What::Add(add) => return added(add, args.format, out),
        What::Show(show) => return shown(show, out),
        What::Cover(wanted) => return cover::run(wanted, args.format, out),
    };
    let anew = changing.and_then(|changing| changing.anew);
    let by = match changing {
        Some(changing) => changing.players.asked()?,
        None => None,
    };
    if by.is_some() && anew != Some(Anew::Whole) {
        return Err(Failure::Usage(
            "`--policy` is for games that are recorded from their first move: add `--anew whole`"
                .to_owned(),
        ));
    }
    let human = args.format == Format::Human;
    if !human && matches!(how, How::Review) {
        return Err(Failure::Usage(
            "a review asks a person; for programs there are `check` and `accept`".to_owned(),
        ));
    }
    let mut told: Vec<Game> = Vec::new();
    let (mut all, mut open, mut bad) = (0, 0, 0);
    let mut stuck: Vec<&Path> = Vec::new();
    let mut asking = true;
    let mut forbids: BTreeSet<String> = BTreeSet::new();
    let mut not_met: Vec<NotMet> = Vec::new();
    for folder in &folders.folders {
        let (base, trees) = (ruleset(folder)?, Trees::growing());
        let mut known = games(folder).map_err(Failure::Usage)?;
        let wanted = |name: &str| {
            let filter = folders.filter.as_deref();
            filter.is_none_or(|part| name.contains(part))
        };
        let pinned: Vec<&Pinned> = known.games.iter().filter(|one| wanted(&one.name)).collect();
        let played = pinned.par_iter().map(|one| match by {
            None => snapshot(folder, &base, &trees, one, anew),
            Some(played_by) => {
                let one = Pinned {
                    played_by,
                    ..(*one).clone()
                };
                snapshot(folder, &base, &trees, &one, anew)
            }
        });
        let played: Vec<_> = played.collect();
        let mut snapshots = Vec::new();
        for (pinned, played) in pinned.iter().zip(played) {
            match played {
                Ok(snapshot) => snapshots.push(snapshot),
                Err(NotCompared::List(why)) => {
                    let file = folder.join(GAMES);
                    return Err(Failure::Usage(format!("`{}`: {why}", file.display())));
                }
                Err(NotCompared::Rejected(rejected)) => {
                    out.error(format_args!("{}: the ruleset has mistakes", pinned.name));
                    if human {
                        out.rejected(&rejected);
                    }
                    told.push(Game::rejected(folder, &pinned.name, &rejected));
                    bad += 1;
                }
            }
        }
        if matches!(how, How::Check) && folders.filter.is_none() {
            let records = pinned.iter().zip(&snapshots);
            let records = records.filter_map(|(pinned, one)| Some((*pinned, one.record.clone()?)));
            let records: Vec<_> = records.collect();
            // What is met by games that cannot be played is not known.
            if !records.is_empty() && records.len() == pinned.len() {
                not_met.push(NotMet {
                    ruleset: folder.display().to_string(),
                    what: unmet(&base, &trees, &records),
                });
            }
        }
        let offered = proposals(folder, &known);
        snapshots.extend(offered.into_iter().filter(|one| wanted(&one.name)));
        if snapshots.is_empty() && bad == 0 {
            out.note(format_args!(
                "`{}` lists no games; `referee snapshot add {} <name> --players <n>` adds one",
                folder.join(GAMES).display(),
                folder.display()
            ));
        }
        for one in &snapshots {
            if one.same() {
                all += 1;
                told.push(Game::known(folder, one, "same"));
                if human && matches!(how, How::Check) {
                    named(out, Ink::Good, "same", one)?;
                }
                continue;
            }
            match &one.told {
                Err(Unplayed::Fault(fault)) => {
                    out.error(format_args!("{}: the game failed: {fault}", one.name));
                    told.push(Game::failed(folder, one, fault));
                    bad += 1;
                    continue;
                }
                Err(Unplayed::Stuck) => {
                    if human {
                        named(out, Ink::Bad, "stuck", one)?;
                        differences(one, &mut forbids, out)?;
                    }
                    told.push(Game::stuck(folder, one));
                    bad += 1;
                    if stuck.last() != Some(&folder.as_path()) {
                        stuck.push(folder);
                    }
                    continue;
                }
                Ok(_) => all += 1,
            }
            let word = if one.is_new() { "new" } else { "differs" };
            if human {
                named(out, Ink::Odd, word, one)?;
                differences(one, &mut forbids, out)?;
            }
            let accept = match how {
                How::Check => false,
                How::Accept => true,
                How::Review if asking => {
                    compared(one, out)?;
                    match ask(out)? {
                        Answer::Accept => true,
                        Answer::Skip => false,
                        Answer::Quit => {
                            asking = false;
                            false
                        }
                    }
                }
                How::Review => false,
            };
            match accept {
                true => {
                    one.accept(&mut known)?;
                    if one.played.is_some() {
                        write(folder, &known)?;
                    }
                    told.push(Game::known(folder, one, "accepted"));
                    if human {
                        writeln!(
                            out.data,
                            "{}  {}",
                            out.paint(Ink::Good, "accepted"),
                            one.path.display()
                        )?;
                    }
                }
                false => {
                    told.push(Game::known(folder, one, word));
                    open += 1;
                }
            }
        }
    }
    let summary = match open + bad {
        0 => format!("{}: all accepted", counted(all, "game")),
        _ => format!(
            "{}: {open} not accepted, {bad} not playable",
            counted(all + bad, "game")
        ),
    };
    match human {
        true => {
            for not_met in &not_met {
                unmet_told(not_met, out)?;
            }
            writeln!(out.data, "{summary}")?;
        }
        false => json(
            out,
            &Compared {
                not_met,
                ..compared_all(told, open, bad)
            },
        )?,
    }
    if human && open > 0 && matches!(how, How::Check) {
        out.note("`referee snapshot review` shows what differs");
    }
    for folder in stuck.iter().filter(|_| human) {
        let folder = folder.display();
        out.note(format_args!(
            "`referee snapshot review {folder} --anew rest` plays games that are stuck on by their seeds, \
             `--anew whole` from their first moves"
        ));
    }
    Ok(match open + bad {
        0 => Exit::Clean,
        _ => Exit::Bad,
    })
}

/// Names a game and what became of it.
fn named(out: &mut Out<'_>, ink: Ink, word: &str, one: &Snapshot) -> Result<(), Failure> {
    let word = out.paint(ink, format!("{word:7}"));
    writeln!(out.data, "{word}  {}", one.name)?;
    Ok(())
}

/// Says what differs, below the name of the game.
fn differences(
    one: &Snapshot,
    told: &mut BTreeSet<String>,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    const INDENT: &str = "         ";
    // What forbids a move is told of the first game that meets it, and named of the others.
    let lines = one.differences.iter().flat_map(|difference| {
        let is_told = |clause: &String| !told.insert(clause.clone());
        match difference.clause.as_ref().is_some_and(is_told) {
            true => &difference.message[..1],
            false => &difference.message[..],
        }
    });
    let lines: Vec<&String> = lines.collect();
    for line in lines {
        let width = out.width.saturating_sub(INDENT.len() + 2);
        for (i, part) in wrapped(line, width).iter().enumerate() {
            let further = if i > 0 { "  " } else { "" };
            writeln!(out.data, "{INDENT}{further}{part}")?;
        }
    }
    Ok(())
}

fn compared_all(games: Vec<Game>, not_accepted: usize, not_playable: usize) -> Compared {
    Compared {
        schema: "referee.snapshot/1",
        games,
        not_accepted,
        not_playable,
        not_met: Vec::new(),
    }
}

/// What no game meets, by kind.
fn unmet_told(of: &NotMet, out: &mut Out<'_>) -> Result<(), Failure> {
    let what = &of.what;
    let summary = format!(
        "{}: {} of {} components are used by no game, the rules of {} of {} clauses run in no annotated game",
        of.ruleset,
        what.unused.len(),
        what.components,
        what.unmet.len(),
        what.clauses
    );
    let mut lines = vec![(0, summary)];
    let mut list = |head: &str, names: Vec<String>| {
        if !names.is_empty() {
            lines.push((2, format!("{head}: {}", names.join(", "))));
        }
    };
    let (elsewhere, nowhere): (Vec<&String>, Vec<&String>) = what
        .unmet
        .iter()
        .partition(|clause| what.met_elsewhere.contains(clause));
    let cited = |clauses: Vec<&String>| clauses.iter().map(|clause| format!("@{clause}")).collect();
    list("components that no game uses", what.unused.clone());
    list("rules that no game meets", cited(nowhere));
    list(
        "rules that only games without a text meet",
        cited(elsewhere),
    );
    list("modules that no game has", what.unplayed_modules.clone());
    for (indent, line) in lines {
        for (i, part) in wrapped(&line, out.width.saturating_sub(indent + 2))
            .iter()
            .enumerate()
        {
            let further = if i > 0 { "  " } else { "" };
            writeln!(out.data, "{:indent$}{further}{part}", "")?;
        }
    }
    Ok(())
}

/// Writes the text of an accepted game.
fn shown(show: &Show, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let base = ruleset(&show.folder)?;
    let known = games(&show.folder).map_err(Failure::Usage)?;
    let Some(pinned) = known.games.iter().find(|pinned| pinned.name == show.name) else {
        return Err(Failure::Usage(format!("there is no game `{}`", show.name)));
    };
    if pinned.played.is_none() {
        return Err(Failure::Usage(format!(
            "`{}` is not accepted yet",
            show.name
        )));
    }
    let text = show.text.unwrap_or(pinned.text);
    let pinned = Pinned {
        text: if text == Shown::None {
            Shown::Whole
        } else {
            text
        },
        lang: show.lang.into(),
        ..pinned.clone()
    };
    let one = match snapshot(&show.folder, &base, &Trees::default(), &pinned, None) {
        Ok(one) => one,
        Err(NotCompared::List(why)) => return Err(Failure::Usage(why)),
        Err(NotCompared::Rejected(rejected)) => {
            out.rejected(&rejected);
            return Ok(Exit::Bad);
        }
    };
    if let Ok(Some(told)) = &one.told {
        write!(out.data, "{told}")?;
    }
    // A text in another language is another one.
    let mut differs = one
        .differences
        .iter()
        .filter(|differs| differs.what != "text");
    let Some(differs) = differs.next() else {
        return Ok(Exit::Clean);
    };
    out.error(format_args!(
        "it is not as it was accepted: {}",
        differs.message.join(" ")
    ));
    Ok(Exit::Bad)
}

impl From<crate::cli::format::Lang> for Spoken {
    fn from(lang: crate::cli::format::Lang) -> Spoken {
        match lang {
            crate::cli::format::Lang::En => Spoken::En,
            crate::cli::format::Lang::Pl => Spoken::Pl,
        }
    }
}

enum How {
    Check,
    Review,
    Accept,
}

enum Answer {
    Accept,
    Skip,
    Quit,
}

fn added(add: &Add, format: Format, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let human = format == Format::Human;
    let base = ruleset(&add.folder)?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if add.name.is_empty() || !add.name.chars().all(plain) {
        return Err(Failure::Usage(format!(
            "`{}` is no name: small letters, digits and underscores",
            add.name
        )));
    }
    let mut known: Games = games(&add.folder).map_err(Failure::Usage)?;
    if known.games.iter().any(|pinned| pinned.name == add.name) {
        return Err(Failure::Usage(format!(
            "there is a game `{}` already",
            add.name
        )));
    }
    let pinned = Pinned {
        name: add.name.clone(),
        players: add.players,
        modules: add.with.clone(),
        options: add
            .options
            .iter()
            .map(|text| option(text))
            .collect::<Result<_, _>>()?,
        seed: add.seed,
        played_by: add.by.asked()?.unwrap_or_default(),
        text: add.text,
        news: add.news,
        lang: add.lang.into(),
        played: None,
    };
    let one = match snapshot(&add.folder, &base, &Trees::default(), &pinned, None) {
        Ok(one) => one,
        Err(NotCompared::List(why)) => return Err(Failure::Internal(why)),
        Err(NotCompared::Rejected(rejected)) => {
            match human {
                true => out.rejected(&rejected),
                false => {
                    let game = Game::rejected(&add.folder, &add.name, &rejected);
                    json(out, &compared_all(vec![game], 0, 1))?;
                }
            }
            return Ok(Exit::Bad);
        }
    };
    if let Err(Unplayed::Fault(fault)) = &one.told {
        out.error(format_args!("the game failed: {fault}"));
        if !human {
            let game = Game::failed(&add.folder, &one, fault);
            json(out, &compared_all(vec![game], 0, 1))?;
        }
        return Ok(Exit::Bad);
    }
    known.games.push(pinned);
    one.accept(&mut known)?;
    write(&add.folder, &known)?;
    match human {
        true => writeln!(out.data, "{}", one.path.display())?,
        false => {
            let game = Game::known(&add.folder, &one, "accepted");
            json(out, &compared_all(vec![game], 0, 0))?;
        }
    }
    Ok(Exit::Clean)
}

fn ask(out: &mut Out<'_>) -> Result<Answer, Failure> {
    loop {
        write!(out.data, "[a]ccept, [s]kip, [q]uit? ")?;
        out.data.flush()?;
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line)? == 0 {
            writeln!(out.data)?;
            return Ok(Answer::Quit);
        }
        match line.trim().to_lowercase().as_str() {
            "a" | "accept" => return Ok(Answer::Accept),
            "s" | "skip" | "" => return Ok(Answer::Skip),
            "q" | "quit" => return Ok(Answer::Quit),
            _ => {}
        }
    }
}

/// Lines around a difference.
const AROUND: usize = 2;

/// Both texts side by side where they differ; one below the other if there is no room.
fn compared(one: &Snapshot, out: &mut Out<'_>) -> Result<(), Failure> {
    let (before, after) = one.sides();
    let diff = similar::TextDiff::from_lines(before.as_str(), after.as_str());
    let half = out.width.saturating_sub(3) / 2;
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().collect();
    let heads = (
        out.paint(Ink::Heading, column("accepted", half)),
        out.paint(Ink::Heading, "played now"),
    );
    writeln!(out.data, "{} │ {}", heads.0, heads.1)?;
    for group in diff.grouped_ops(AROUND) {
        writeln!(
            out.data,
            "{}┼{}",
            "─".repeat(half + 1),
            "─".repeat(half + 1)
        )?;
        for op in group {
            let (a, b) = (op.old_range(), op.new_range());
            let equal = op.tag() == similar::DiffTag::Equal;
            for i in 0..a.len().max(b.len()) {
                let left = old[a.clone()].get(i).map_or("", |line| line.trim_end());
                let right = new[b.clone()].get(i).map_or("", |line| line.trim_end());
                let (left, right) = (columns(left, half), columns(right, half));
                for j in 0..left.len().max(right.len()) {
                    let cell =
                        |parts: &[String]| column(parts.get(j).map_or("", |part| part), half);
                    let (left, right) = (cell(&left), cell(&right));
                    let (left, right) = match equal {
                        true => (out.paint(Ink::Dim, left), out.paint(Ink::Dim, right)),
                        false => (out.paint(Ink::Bad, left), out.paint(Ink::Added, right)),
                    };
                    let line = format!("{left} │ {right}");
                    writeln!(out.data, "{}", line.trim_end())?;
                }
            }
        }
    }
    Ok(())
}

/// A line in so many columns; what does not fit stands below, as nothing may be accepted unseen.
fn columns(text: &str, width: usize) -> Vec<String> {
    if text.chars().count() <= width {
        return vec![text.to_owned()];
    }
    let indent = text.len() - text.trim_start().len();
    let lead = " ".repeat(indent.min(width / 2));
    let parts = wrapped(text, width.saturating_sub(lead.len() + 2));
    let parts = parts.iter().enumerate();
    parts
        .map(|(i, part)| format!("{lead}{}{part}", if i > 0 { "  " } else { "" }))
        .collect()
}

/// A text that fills so many columns.
fn column(text: &str, width: usize) -> String {
    format!(
        "{text}{}",
        " ".repeat(width.saturating_sub(text.chars().count()))
    )
}
