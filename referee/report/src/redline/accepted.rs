//! Accepted games in a redline: each cause for which they part once, with the first game that shows it.

use interpreter::package::Language;

use super::contents::Entry;
use crate::book::Labels;
use crate::diff::accepted::{Accepted, Cause, How};
use crate::prose::counted;

/// What came of the accepted games, cause by cause.
pub fn accepted_games(accepted: &Accepted, labels: Labels) -> Vec<Entry> {
    let causes = accepted.causes.iter();
    let mut all: Vec<Entry> = causes.map(|cause| entry(cause, labels)).collect();
    if !accepted.not_played.is_empty() {
        let of = labels.say(
            "games that cannot be played with both",
            "partie, których nie da się rozegrać z oboma",
        );
        all.push(Entry {
            of: of.to_owned(),
            lines: Vec::new(),
            about: vec![accepted.not_played.join(", ")],
            flags: Vec::new(),
        });
    }
    all
}

/// How many of them go the same way, in a line.
pub fn accepted_summary(accepted: &Accepted, labels: Labels) -> String {
    let (same, games) = (accepted.same, accepted.games);
    match labels.0 {
        Language::English => {
            format!("accepted games: {same} of {games} go the same way to the end")
        }
        Language::Polish => {
            format!("przyjęte partie: {same} z {games} przebiega tak samo do końca")
        }
    }
}

fn entry(cause: &Cause, labels: Labels) -> Entry {
    let named = match (&cause.clause, &cause.rule) {
        (Some(clause), _) => format!("@{clause}"),
        (None, Some(rule)) => rule.clone(),
        (None, None) => labels
            .say("no rule is known", "nie wiadomo, która reguła")
            .to_owned(),
    };
    let how = match cause.how {
        How::Asked => labels.say(
            "somebody or something else is asked",
            "pada inne pytanie albo do kogo innego",
        ),
        How::Offered => labels.say("other moves are legal", "inne ruchy są dozwolone"),
        How::Refused => labels.say(
            "the move that was made is refused",
            "wykonany ruch jest odrzucany",
        ),
        How::Happens => labels.say("something else happens", "dzieje się co innego"),
    };
    let first = cause.games.first().map(String::as_str).unwrap_or_default();
    let moves = cause.moves;
    let (games, place) = match labels.0 {
        Language::English => (
            counted(cause.games.len(), "game"),
            format!("first {first}, after {}", counted(moves, "move")),
        ),
        Language::Polish => (
            format!("partie: {}", cause.games.len()),
            format!("najpierw {first} (ruchów przedtem: {moves})"),
        ),
    };
    let place = match &cause.made {
        Some(made) => format!("{place}: {made}"),
        None => place,
    };
    let mut about = vec![place];
    if let [_, rest @ ..] = &cause.games[..]
        && !rest.is_empty()
    {
        let also = labels.say("then also", "potem także");
        about.push(format!("{also} {}", rest.join(", ")));
    }
    Entry {
        of: format!("{named} · {how} · {games}"),
        lines: vec![(cause.first.clone(), cause.second.clone())],
        about,
        flags: Vec::new(),
    }
}
