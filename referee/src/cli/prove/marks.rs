//! `referee prove --marks`: do games agree that nobody could notice the mistakes that are marked?

use serde::Serialize;

use crate::cli::format::{self, Format};
use crate::cli::out::{Ink, Out};
use crate::cli::outcome::{Exit, Failure};
use referee_report::proving::campaign::{End, Tested};

/// For machines. Fields are added, never renamed.
#[derive(Serialize)]
struct Marks<'a> {
    schema: &'static str,
    ruleset: &'a str,
    seed: u64,
    games: u64,
    marks: Vec<Mark<'a>>,
}

#[derive(Serialize)]
struct Mark<'a> {
    mutant: &'a str,
    operator: &'static str,
    place: &'a str,
    /// `agree`, `same`, `unreached`, `no-time`, `parted` or `invalid`.
    end: &'static str,
    games: u64,
    reached: u64,
    /// What is wrong with it.
    why: Option<String>,
}

/// Tells what came of the marks of a ruleset, tested by games from this seed on; bad if one is wrong or was not tested.
///
/// # Errors
///
/// When nothing can be written.
pub(super) fn tell(
    tested: &[Tested<'_>],
    (ruleset, seed): (&str, u64),
    format: Format,
    out: &mut Out<'_>,
) -> Result<Exit, Failure> {
    match format {
        Format::Human => print(tested, out)?,
        Format::Json => format::json(
            out,
            &Marks {
                schema: "referee.prove-marks/1",
                ruleset,
                seed,
                games: tested.iter().map(|tested| tested.games).sum(),
                marks: tested.iter().map(mark).collect(),
            },
        )?,
    }
    if tested.is_empty() {
        out.note("no mistake in what was asked for is marked");
    }
    Ok(match tested.iter().all(|tested| tested.end.good()) {
        true => Exit::Clean,
        false => Exit::Bad,
    })
}

fn mark<'a>(tested: &'a Tested<'_>) -> Mark<'a> {
    let (end, why) = told(tested);
    Mark {
        mutant: &tested.mutant.id,
        operator: tested.mutant.operator.id(),
        place: tested.place,
        end,
        games: tested.games,
        reached: tested.reached,
        why,
    }
}

/// What came of it, and what is wrong.
fn told(tested: &Tested<'_>) -> (&'static str, Option<String>) {
    match &tested.end {
        End::Agree => ("agree", None),
        End::Same => ("same", None),
        End::Unreached => (
            "unreached",
            Some(
                "no game reached its rule, so nothing was tested: give it more `--seconds`, or write the scenario that \
                 reaches it"
                    .to_owned(),
            ),
        ),
        End::NoTime => (
            "no-time",
            Some("not tested: its time in this sample ended before a game reached its rule".to_owned()),
        ),
        End::Parted {
            seed,
            greedy,
            setup,
            parted,
        } => {
            let kind = if *greedy { "greedy" } else { "random" };
            let after = match parted.moves {
                0 => "before the first move".to_owned(),
                moves => format!("after move {moves} (`{}`)", parted.last),
            };
            let what = &parted.what;
            let why = format!(
                "a game notices it ({setup}, seed {seed}, {kind}): {after} {what}; remove the mark, and write the scenario"
            );
            ("parted", Some(why))
        }
        End::Invalid(why) => ("invalid", Some(format!("it is no ruleset: {why}; remove the mark"))),
    }
}

fn print(all: &[Tested<'_>], out: &mut Out<'_>) -> Result<(), Failure> {
    for tested in all {
        let (end, why) = told(tested);
        let ink = if tested.end.good() {
            Ink::Good
        } else {
            Ink::Bad
        };
        writeln!(
            out.data,
            "{}  {}  {}  {} of {} games reached it  {}",
            out.paint(ink, format!("{end:<9}")),
            tested.mutant.operator.id(),
            tested.mutant.id,
            tested.reached,
            tested.games,
            out.paint(Ink::Dim, tested.place),
        )?;
        if let Some(why) = why {
            writeln!(out.data, "    {why}")?;
        }
    }
    let number = |of: fn(&End) -> bool| all.iter().filter(|tested| of(&tested.end)).count();
    let (agree, same, unreached, no_time) = (
        number(|end| matches!(end, End::Agree)),
        number(|end| matches!(end, End::Same)),
        number(|end| matches!(end, End::Unreached)),
        number(|end| matches!(end, End::NoTime)),
    );
    let wrong = all.len() - agree - same - unreached - no_time;
    let ink = match wrong + unreached {
        0 => Ink::Good,
        _ => Ink::Bad,
    };
    let summary = format!(
        "{} marks tested by {} games, {} of which reached the rule: {agree} agree, {same} compute the same, {unreached} not \
         reached, {no_time} without time, {wrong} wrong",
        all.len(),
        all.iter().map(|tested| tested.games).sum::<u64>(),
        all.iter().map(|tested| tested.reached).sum::<u64>(),
    );
    writeln!(out.data, "{}", out.paint(ink, summary))?;
    Ok(())
}
