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

use interpreter::package::{Acceptance, is_name};

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
use referee_report::sign_off::standing::{counting, standing};
use referee_report::sign_off::things::{Thing, called};
use referee_report::sign_off::written;

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
    let is_change = !args.accept.is_empty() || args.accept_all;
    let is_withdrawal = !args.withdraw.is_empty() || args.corrects.is_some();
    if is_change || is_withdrawal {
        match is_change {
            true => accept(args, &chosen, &mut desks, out)?,
            false => withdraw(args, &mut desks, out)?,
        }
        return match args.format {
            Format::Json => {
                listed::list(args, Which::All, &chosen, &desks, out).map(|_| Exit::Clean)
            }
            Format::Human => Ok(Exit::Clean),
        };
    }
    if args.format == Format::Json {
        return Err(Failure::Usage(
            "a review asks a person; for programs there are `--list`, `--accept` and `--accept-all`".to_owned(),
        ));
    }
    let text = args.text.as_deref().map(source::read).transpose()?;
    if args.web {
        return web::run(args, &desks, text, out);
    }
    converse(args, &chosen, &mut desks, &text.unwrap_or_default(), out)
}

/// Accepts what was named. If one thing cannot be accepted, nothing is changed.
fn accept(
    args: &Through,
    chosen: &Chosen,
    desks: &mut [Desk],
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mut meant = named(&args.accept, desks)?;
    if args.accept_all {
        meant = open(args, desks);
    }
    let failing = failing(chosen, meant.iter().map(|(_, thing)| thing));
    for (_, thing) in &meant {
        if let Some(why) = disproved(thing, &failing) {
            return Err(Failure::Usage(why));
        }
    }
    let by = args.by.as_deref().unwrap_or_default();
    let accepting = accepting(by, args.comment.as_deref());
    change_each(desks, &meant, |accepted, thing| {
        written::accept(accepted, thing, &accepting);
    })?;
    tell(args, "accepted", desks, &meant, out)
}

/// Withdraws acceptances, or moves them to another name. If one of them does not exist, nothing is changed.
fn withdraw(args: &Through, desks: &mut [Desk], out: &mut Out<'_>) -> Result<(), Failure> {
    let by = args.by.as_deref().unwrap_or_default();
    let of = args.corrects.as_deref().unwrap_or(by);
    if args.corrects.as_deref() == Some(by) {
        return Err(Failure::Usage(format!(
            "`{by}` corrects itself: `--corrects` names the wrong name, `--by` the right one"
        )));
    }
    let accepting = accepting(by, args.comment.as_deref());
    let has = |desk: &Desk, thing: &Thing| {
        let counts = counting(&thing.what, desk.layer.accepted());
        counts.iter().any(|entry| entry.by.node == of)
    };
    let mut meant = named(&args.withdraw, desks)?;
    for (at, thing) in &meant {
        if desks.get(*at).is_none_or(|desk| !has(desk, thing)) {
            return Err(Failure::Usage(format!(
                "`{of}` has not accepted {}, so there is nothing to withdraw; `--list accepted` shows who accepted what",
                called(&thing.what)
            )));
        }
    }
    if args.corrects.is_some() {
        meant = chosen(desks, |desk, thing| {
            let stands = standing(thing, desk.layer.accepted());
            has(desk, thing) && is_meant(args, thing, &stands)
        });
        if meant.is_empty() {
            return Err(Failure::Usage(format!(
                "`{of}` has accepted nothing of this; `--list accepted` shows who accepted what"
            )));
        }
    }
    let word = match args.corrects {
        Some(_) => "corrected",
        None => "withdrawn",
    };
    change_each(desks, &meant, |accepted, thing| {
        written::withdraw(accepted, &thing.what, of, &accepting);
    })?;
    tell(args, word, desks, &meant, out)
}

/// Writes a change of each of these things, each folder once.
fn change_each(
    desks: &mut [Desk],
    meant: &[(usize, Thing)],
    change: impl Fn(&mut Vec<Acceptance>, &Thing),
) -> Result<(), Failure> {
    for (at, desk) in desks.iter_mut().enumerate() {
        let own = || meant.iter().filter(|(of, _)| *of == at);
        if own().next().is_some() {
            desk.change(|accepted| own().for_each(|(_, thing)| change(accepted, thing)))?;
        }
    }
    Ok(())
}

/// Says what was done to these things, and which signatures do not hold any more.
fn tell(
    args: &Through,
    word: &str,
    desks: &[Desk],
    meant: &[(usize, Thing)],
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    for (_, thing) in meant {
        done(args, word, thing, out)?;
    }
    for desk in desks {
        desk.tell_of_signatures(out);
    }
    Ok(())
}

fn done(args: &Through, word: &str, thing: &Thing, out: &mut Out<'_>) -> Result<(), Failure> {
    if args.format == Format::Human {
        let word = out.paint(Ink::Good, word);
        writeln!(out.data, "{word}  {}", called(&thing.what))?;
    }
    Ok(())
}

/// The things that have these names, each with the number of its desk.
fn named(names: &[String], desks: &[Desk]) -> Result<Vec<(usize, Thing)>, Failure> {
    let found = names.iter().map(|name| {
        let found = chosen(desks, |_, thing| is_called(thing, name));
        found.into_iter().next().ok_or_else(|| {
            Failure::Usage(format!(
                "there is no clause or paragraph `{name}`; `--list all` shows what there is"
            ))
        })
    });
    found.collect()
}

/// What is open of what the command was asked for.
fn open(args: &Through, desks: &[Desk]) -> Vec<(usize, Thing)> {
    chosen(desks, |desk, thing| {
        let stands = standing(thing, desk.layer.accepted());
        stands.is_open() && is_meant(args, thing, &stands)
    })
}

fn chosen(desks: &[Desk], wanted: impl Fn(&Desk, &Thing) -> bool) -> Vec<(usize, Thing)> {
    let all = desks.iter().enumerate().flat_map(|(at, desk)| {
        let things = desk.layer.things.iter();
        let own = things.filter(|thing| wanted(desk, thing));
        own.map(move |thing| (at, thing.clone()))
            .collect::<Vec<_>>()
    });
    all.collect()
}

/// Goes through what is open, one thing after the other, and asks.
fn converse(
    args: &Through,
    chosen: &Chosen,
    desks: &mut [Desk],
    text: &[Sentence],
    out: &mut Out<'_>,
) -> Result<Exit, Failure> {
    let open = open(args, desks);
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
                let comment = comment.as_ref().or(args.comment.as_ref());
                desk.accept(thing, &accepting(&by, comment.map(String::as_str)))?;
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
