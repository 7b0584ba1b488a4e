//! A suspended match with corrected rules: its moves are played again, and compared.

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{Audience, Digest, Event, Match, NotReplayed, RecordedMove};

use crate::replay::restore;
use crate::{Difference, Parts, Snapshot, TableError};
use referee_library::Edition;
use referee_store::log::seat_number;

/// A match as it is with other rules.
pub struct Moved {
    /// The game; none if it has not begun.
    pub game: Option<Match>,
    /// Digest of the ruleset as it was compiled.
    pub digest: Digest,
    /// Where something happened otherwise.
    pub difference: Option<Difference>,
}

/// Plays the moves of a match again by other texts of its ruleset. Takes its time: not for async threads.
///
/// # Errors
///
/// [`TableError::NotPlayable`] when those have mistakes, [`TableError::Differs`] when a move cannot be
/// made any more.
pub fn play_again(parts: &Parts, live: &Snapshot, edition: &Edition) -> Result<Moved, TableError> {
    parts
        .store
        .put_content(&edition.digest, edition.content())?;
    let ruleset = parts
        .library
        .load()
        .compile(edition, &live.info.configuration)
        .map_err(|_| TableError::NotPlayable)?;
    let digest = ruleset.digest();
    let Some(play) = &live.play else {
        return match live.info.started_ms {
            None => Ok(Moved {
                game: None,
                digest,
                difference: None,
            }),
            Some(_) => without_the_old(parts, live, ruleset),
        };
    };
    let old = play.game();
    let mut record = old.record();
    record.digest = digest;
    let mut game = Match::replay(ruleset, &record).map_err(cannot_be_made)?;
    let difference = difference(old, &game);
    let asked = game.set_ask_forced(live.info.ask_forced);
    asked.map_err(TableError::Fault)?;
    Ok(Moved {
        game: Some(game),
        digest,
        difference,
    })
}

/// The same for a match that cannot be played by the rules that it began with, as this referee understands them: what
/// its log says of its states takes the place of the game that was.
fn without_the_old(
    parts: &Parts,
    live: &Snapshot,
    ruleset: Arc<Ruleset>,
) -> Result<Moved, TableError> {
    let recorded = restore::recorded(parts, &live.info.id)?;
    let digest = ruleset.digest();
    let begun = Match::new(ruleset, recorded.seed, true);
    let mut game = begun.map_err(TableError::Fault)?;
    let mut difference = None;
    let mut made = 0;
    for (after, entry, state) in &recorded.states {
        play_on(&mut game, &recorded.moves[made..*after])?;
        made = *after;
        if difference.is_none() && game.state_hash() != *state {
            difference = Some(Difference {
                move_number: u32::try_from(*after).unwrap_or(u32::MAX),
                before: format!("the state that entry {entry} of the log names"),
                after: "another state".into(),
            });
        }
    }
    play_on(&mut game, &recorded.moves[made..])?;
    let asked = game.set_ask_forced(live.info.ask_forced);
    asked.map_err(TableError::Fault)?;
    Ok(Moved {
        game: Some(game),
        digest,
        difference,
    })
}

/// Makes recorded moves.
fn play_on(game: &mut Match, moves: &[RecordedMove]) -> Result<(), TableError> {
    game.play_on(moves).map_err(cannot_be_made)
}

/// A move cannot be made any more. Its host is told no more than anybody may know.
fn cannot_be_made(why: NotReplayed) -> TableError {
    TableError::Differs(Box::new(Difference {
        move_number: u32::try_from(why.number).unwrap_or(u32::MAX),
        before: "the move was made".into(),
        after: why.to_string(),
    }))
}

/// The first thing that happened in one game and not in the other, told as a spectator may know it.
fn difference(old: &Match, new: &Match) -> Option<Difference> {
    // Who is asked, and what phases keep, are the rules' own ways: what comes of them is what counts.
    let counts = |event: &Event| {
        !matches!(
            event,
            Event::PhaseEnded { .. } | Event::Kept { .. } | Event::Asked { .. }
        )
    };
    let all = |game: &Match| -> Vec<(usize, Event)> {
        let seen = game.seen(Audience::Referee, 0);
        seen.filter(|(_, event)| counts(event)).collect()
    };
    let (before, after) = (all(old), all(new));
    let same = before
        .iter()
        .zip(&after)
        .take_while(|((_, before), (_, after))| before == after)
        .count();
    if same == before.len() && same == after.len() {
        return None;
    }
    let moves = before[..same]
        .iter()
        .filter(|(_, event)| matches!(event, Event::Moved { .. }));
    let told = |game: &Match, all: &[(usize, Event)]| {
        let Some((first, _)) = all.get(same) else {
            return String::new();
        };
        match game.seen(Audience::Spectator, *first).next() {
            Some((at, event)) if at == *first => brief(&event),
            _ => "something that not everybody sees".to_owned(),
        }
    };
    Some(Difference {
        move_number: u32::try_from(moves.count()).unwrap_or(u32::MAX),
        before: told(old, &before),
        after: told(new, &after),
    })
}

/// An event in a few words, by its ids.
fn brief(event: &Event) -> String {
    match event {
        Event::PhaseBegan { phase, .. } => format!("phase {phase} began"),
        Event::PhaseEnded { phase } => format!("phase {phase} ended"),
        Event::Kept { kept, .. } => format!("{} changed", kept.name),
        Event::Asked { step, .. } => format!("{step} asked"),
        Event::Moved { seat, step, mv, .. } => {
            format!(
                "seat {} made the move {} at {step}",
                seat_number(*seat),
                mv.name
            )
        }
        Event::Pieces {
            from,
            to,
            row,
            count,
        } => {
            let row = row.as_ref().map_or("pieces", |row| &row.row);
            let count = count.map_or("some".to_owned(), |count| count.to_string());
            format!("{count} {row} went from {} to {}", from.name, to.name)
        }
        Event::Counter { counter, to, .. } => match to {
            Some(to) => format!("{} became {to}", counter.name),
            None => format!("{} changed", counter.name),
        },
        Event::Marker { marker, .. } => format!("{} was set", marker.name),
        Event::Shuffled { pile, size } => format!("{} was shuffled with {size} pieces", pile.name),
        Event::Raised { event, .. } => format!("{event} was raised"),
        Event::EndingDue { ending, .. } => format!("the ending {ending} became due"),
        Event::Over { ending, .. } => format!("the match ended by {ending}"),
    }
}
