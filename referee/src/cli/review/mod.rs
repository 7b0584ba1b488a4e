//! `referee review`: reads what is open to whoever signs the rules, and writes what they accept.
//!
//! In: a ruleset and what is laid over it. Out: what is open, what was accepted by whom, and `review.yaml` with one more
//! acceptance; [`sign`] makes and verifies signatures under it, [`web`] asks on a page instead of in the terminal. Begin at [`run`].

mod asked;
pub mod dialogue;
mod disproved;
mod folder;
mod listed;
mod shown;
mod sign;
pub mod web;

use interpreter::package::is_name;

pub use folder::desks;
pub use sign::allowed_signers;

use self::asked::{Through, Which, is_meant, known_filters};
use self::dialogue::{Answer, ask};
use self::disproved::{disproved, failing};
use self::folder::{Desk, accepting, desks_or_mistakes};
use super::format::Format;
use super::out::{Ink, Out};
use super::outcome::{Exit, Failure};
use super::ruleset::Chosen;
use super::source;
use referee_report::printed::Sentence;
use referee_report::prose::counted;
use referee_report::sign_off::layers::is_called;
use referee_report::sign_off::standing::standing;
use referee_report::sign_off::things::{Thing, called};

/// Arguments of `review`: what to go through, or a command of its own for signatures.
#[derive(Clone, Debug)]
pub enum Args {
    /// Go through what there is to accept.
    Through(Box<Through>),
    /// Sign, or say who has.
    Sign(sign::Args),
}

// Written out, as nothing derived leaves out a required argument beside a subcommand.
impl clap::FromArgMatches for Args {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Args, clap::Error> {
        match matches.subcommand() {
            Some((_, own)) => sign::Args::from_arg_matches(own).map(Args::Sign),
            None => Through::from_arg_matches(matches)
                .map(Box::new)
                .map(Args::Through),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Args::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Args {
    fn augment_args(command: clap::Command) -> clap::Command {
        let sign = clap::Command::new("sign");
        let sign = sign::Args::augment_args(sign)
            .about("Sign `review.yaml` with an SSH key, or say who has");
        Through::augment_args(command)
            .args_conflicts_with_subcommands(true)
            .subcommand_negates_reqs(true)
            .subcommand(sign)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Args::augment_args(command)
    }
}

/// Runs the command.
///
/// # Errors
///
/// When the ruleset cannot be found, a name is unknown, or a file cannot be written.
pub fn run(args: &Args, out: &mut Out<'_>) -> Result<Exit, Failure> {
    match args {
        Args::Sign(sign) => sign::run(sign, out),
        Args::Through(through) => review(through, out),
    }
}

fn review(args: &Through, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let chosen = args.ruleset.open()?;
    let Some(mut desks) = desks_or_mistakes(&chosen, out) else {
        return Ok(Exit::Bad);
    };
    known_filters(args, &desks)?;
    if let Some(by) = args.by.as_deref().filter(|by| !is_name(by)) {
        return Err(Failure::Usage(format!(
            "`{by}` is no name: {}",
            dialogue::NO_NAME
        )));
    }
    if let Some(which) = args.list {
        return listed::list(args, which, &chosen, &desks, out);
    }
    if !args.accept.is_empty() {
        accept(args, &chosen, &mut desks, out)?;
        return match args.format {
            Format::Json => {
                listed::list(args, Which::All, &chosen, &desks, out).map(|_| Exit::Clean)
            }
            Format::Human => Ok(Exit::Clean),
        };
    }
    if args.format == Format::Json {
        return Err(Failure::Usage(
            "a review asks a person; for programs there are `--list` and `--accept`".to_owned(),
        ));
    }
    let text = args.text.as_deref().map(source::read).transpose()?;
    if args.web {
        return web::run(args, &desks, text, out);
    }
    converse(args, &chosen, &mut desks, &text.unwrap_or_default(), out)
}

/// Accepts what was named, all of it or nothing.
fn accept(
    args: &Through,
    chosen: &Chosen,
    desks: &mut [Desk],
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mut meant: Vec<(usize, Thing)> = Vec::new();
    for name in &args.accept {
        let found = desks.iter().enumerate().find_map(|(at, desk)| {
            let mut things = desk.layer.things.iter();
            things
                .find(|thing| is_called(thing, name))
                .map(|thing| (at, thing.clone()))
        });
        let Some(found) = found else {
            return Err(Failure::Usage(format!(
                "there is no clause or paragraph `{name}` to accept; `--list all` shows what there is"
            )));
        };
        meant.push(found);
    }
    let failing = failing(chosen, meant.iter().map(|(_, thing)| thing));
    for (_, thing) in &meant {
        if let Some(why) = disproved(thing, &failing) {
            return Err(Failure::Usage(why));
        }
    }
    let by = args.by.as_deref().unwrap_or_default();
    let accepting = accepting(by, args.comment.as_deref());
    for (at, thing) in &meant {
        let Some(desk) = desks.get_mut(*at) else {
            continue;
        };
        desk.accept(thing, &accepting)?;
        if args.format == Format::Human {
            let word = out.paint(Ink::Good, "accepted");
            writeln!(out.data, "{word}  {}", called(&thing.what))?;
        }
    }
    for desk in desks {
        desk.tell_of_signatures(out);
    }
    Ok(())
}

/// Goes through what is open, one thing after the other, and asks.
fn converse(
    args: &Through,
    chosen: &Chosen,
    desks: &mut [Desk],
    text: &[Sentence],
    out: &mut Out<'_>,
) -> Result<Exit, Failure> {
    let open: Vec<(usize, Thing)> = desks
        .iter()
        .enumerate()
        .flat_map(|(at, desk)| {
            let things = desk.layer.things.iter();
            let open = things.filter(|thing| {
                let stands = standing(thing, desk.layer.accepted());
                stands.is_open() && is_meant(args, thing, &stands)
            });
            open.map(move |thing| (at, thing.clone()))
                .collect::<Vec<_>>()
        })
        .collect();
    for (at, _) in &open {
        // Nobody reads all of it to learn that nothing can be written.
        desks.get(*at).map(Desk::writable).transpose()?;
    }
    let mut input = std::io::stdin().lock();
    let by = match &args.by {
        Some(by) => by.clone(),
        None if open.is_empty() => String::new(),
        None => dialogue::name(&mut input, out)?,
    };
    let failing = failing(chosen, open.iter().map(|(_, thing)| thing));
    let (mut accepted, mut shown) = (0, 0);
    for (at, thing) in &open {
        let Some(desk) = desks.get_mut(*at) else {
            continue;
        };
        shown += 1;
        writeln!(out.data, "{} of {}", shown, open.len())?;
        shown::show(desk, thing, &failing, text, out)?;
        if let Some(why) = disproved(thing, &failing) {
            out.error(why);
            continue;
        }
        match ask(&mut input, out)? {
            Answer::Accept(comment) => {
                desk.accept(thing, &accepting(&by, comment.as_deref()))?;
                accepted += 1;
            }
            Answer::Skip => {}
            Answer::Quit => break,
        }
    }
    let left = open.len() - accepted;
    writeln!(
        out.data,
        "{} accepted, {left} open",
        counted(accepted, "thing")
    )?;
    for desk in desks {
        desk.tell_of_signatures(out);
    }
    Ok(if left == 0 { Exit::Clean } else { Exit::Bad })
}
