//! What somebody types, as a move: by number, or in words.

use interpreter::package::Language;
use interpreter::play::{Id, Match, Move, OpenDomain, OpenParameter, PlaceRef, Seat, Share, Value};
use interpreter::program::model::{Model, MoveModel, ParamModel};
use interpreter::program::tree::Ty;

use super::choices::{Choices, Entry, in_order};
use referee_library::record::seat as seat_of;
use referee_report::words::Words;
use referee_store::numbers::to_u64;

/// What was chosen.
pub(super) enum Chosen {
    /// A move.
    Move(Move),
    /// An offer of which something remains open.
    Open(usize),
}

/// Says which moves have numbers.
pub(super) fn no_such_move(choices: &Choices, language: Language) -> String {
    let moves = match language {
        Language::English => "there are the moves 1 to",
        Language::Polish => "są ruchy od 1 do",
    };
    format!("{moves} {}", choices.entries.len())
}

/// Understands a choice: `3`, `3 2 corn 1 sugar`, `build wharf`.
pub(super) fn chosen(
    game: &Match,
    seat: Seat,
    choices: &Choices,
    words: &Words<'_>,
    text: &str,
) -> Result<Chosen, String> {
    let polish = words.language() == Language::Polish;
    let say = |en: &str, pl: &str| if polish { pl } else { en }.to_owned();
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    if let Ok(number) = first.parse::<usize>() {
        let entry = number.checked_sub(1).and_then(|i| choices.entries.get(i));
        return match entry {
            None => Err(no_such_move(choices, words.language())),
            Some(Entry::Move(mv)) if rest.trim().is_empty() => Ok(Chosen::Move(mv.clone())),
            Some(Entry::Move(_)) => Err(say(
                "nothing remains to be chosen in this move",
                "w tym ruchu nie ma już nic do wyboru",
            )),
            Some(Entry::Open(offer)) if rest.trim().is_empty() => Ok(Chosen::Open(*offer)),
            Some(Entry::Open(offer)) => {
                let offer = &choices.offers[*offer];
                let mut args = offer.fixed.clone();
                // Several open parameters are divided by semicolons.
                for (open_parameter, text) in offer
                    .open
                    .iter()
                    .zip(rest.split(';').chain(std::iter::repeat("")))
                {
                    let value = open(words, open_parameter, text, game, seat)?;
                    args.push((open_parameter.name.clone(), value));
                }
                Ok(Chosen::Move(in_order(game, seat, offer, args)))
            }
        };
    }
    let meant = meant(game, choices, words, text)?;
    // Those that differ in nothing that was said.
    let has =
        |args: &[(Id, Value)], said: &[(Id, Value)]| said.iter().all(|arg| args.contains(arg));
    let mut found = choices.entries.iter().filter_map(|entry| match entry {
        Entry::Move(mv) => {
            let fits = mv.name == meant.mv.name
                && has(&mv.args, &meant.args)
                && has(&mv.args, &meant.open);
            fits.then(|| Chosen::Move(mv.clone()))
        }
        Entry::Open(index) => {
            let offer = &choices.offers[*index];
            let fits = offer.name == meant.mv.name && has(&offer.fixed, &meant.args);
            fits.then(|| {
                let said =
                    |open: &OpenParameter| meant.open.iter().any(|(name, _)| *name == open.name);
                if offer.open.iter().all(said) {
                    let args = [offer.fixed.as_slice(), &meant.open].concat();
                    Chosen::Move(in_order(game, seat, offer, args))
                } else {
                    Chosen::Open(*index)
                }
            })
        }
    });
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => Err(say(
            "several moves are meant; type the number",
            "pasuje kilka ruchów; podaj numer",
        )),
        (None, _) => Err(format!(
            "{} `{text}`; {}",
            say(
                "there is no such legal move:",
                "nie ma takiego dozwolonego ruchu:"
            ),
            say("`why not …` says why", "`czemu nie …` powie dlaczego")
        )),
    }
}

/// A move in words, as far as it was said.
pub(super) struct Meant<'m> {
    pub mv: &'m MoveModel,
    /// Arguments that are one of a few values.
    pub args: Vec<(Id, Value)>,
    /// Arguments that are chosen freely within limits.
    pub open: Vec<(Id, Value)>,
}

/// Understands a move of the question in words: its name, then arguments in any order, then what is chosen
/// freely, divided by semicolons: `produce 1 corn 2 indigo`.
pub(super) fn meant<'m>(
    game: &'m Match,
    choices: &Choices,
    words: &Words<'_>,
    text: &str,
) -> Result<Meant<'m>, String> {
    let model = game.ruleset().model();
    let polish = words.language() == Language::Polish;
    let say = |en: &str, pl: &str| if polish { pl } else { en }.to_owned();
    let here = model.asks.iter().find(|ask| ask.step == choices.step);
    let moves: Vec<&MoveModel> = here
        .into_iter()
        .flat_map(|ask| &ask.moves)
        .map(|mv| &model.moves[*mv])
        .collect();
    let said = simple(text);
    // The longest name that the text begins with.
    let mut best: Option<(usize, &MoveModel)> = None;
    for mv in &moves {
        for name in [simple(&mv.name), simple(&words.mv(&choices.step, &mv.name))] {
            let longer = best.is_none_or(|(length, _)| name.len() > length);
            if longer && (said == name || said.starts_with(&format!("{name} "))) {
                best = Some((name.len(), mv));
            }
        }
    }
    let Some((length, mv)) = best else {
        let names: Vec<String> = moves.iter().map(|mv| format!("`{}`", mv.name)).collect();
        let elsewhere = model.moves.iter().find(|mv| {
            let name = simple(&mv.name);
            said == name || said.starts_with(&format!("{name} "))
        });
        return Err(match elsewhere {
            Some(mv) => {
                let step = mv.address.rsplit_once('.').map_or("", |(step, _)| step);
                format!(
                    "{} `{}` {} {}",
                    say("the move", "ruch"),
                    mv.name,
                    say("belongs to another question:", "należy do innego pytania:"),
                    words.step(step)
                )
            }
            None => format!(
                "{} {}; {}",
                say("the moves here are", "ruchy tutaj to"),
                names.join(", "),
                say(
                    "write a number, or one of these and what it takes",
                    "napisz numer albo jeden z nich i to, czego wymaga"
                )
            ),
        });
    };
    let rest: String = said.chars().skip(said[..length].chars().count()).collect();
    let mut left: Vec<&str> = rest.split_whitespace().collect();
    let mut args = Vec::new();
    for param in mv.params.iter().filter(|param| !param.is_open()) {
        if let Some((value, from, to)) = find(model, words, &param.ty, &left) {
            left.drain(from..to);
            args.push((param.name.clone(), value));
        }
    }
    let freely = left.join(" ");
    let mut open = Vec::new();
    let mut unknown = left.first().map(|word| (*word).to_owned());
    let parameters = mv.params.iter().filter(|param| param.is_open());
    for (param, text) in parameters.zip(freely.split(';').filter(|text| !text.is_empty())) {
        match free(model, words, choices, param, text.trim()) {
            Ok(value) => {
                open.push((param.name.clone(), value));
                unknown = None;
            }
            Err(word) => {
                unknown = Some(word);
                break;
            }
        }
    }
    if let Some(unknown) = unknown {
        return Err(format!(
            "{} `{unknown}`; {}",
            say("this means nothing here:", "to tu nic nie znaczy:"),
            say(
                "say a number of the list, or a move in its words",
                "podaj numer z listy albo ruch jej słowami"
            )
        ));
    }
    Ok(Meant { mv, args, open })
}

/// What somebody means to choose freely, legal or not; the word that is not understood.
fn free(
    model: &Model,
    words: &Words<'_>,
    choices: &Choices,
    param: &ParamModel,
    text: &str,
) -> Result<Value, String> {
    let unknown = || text.to_owned();
    match &param.ty {
        Ty::Bag(table) => {
            let table = &model.tables[*table];
            let offered = choices.offers.iter().flat_map(|offer| &offer.open);
            let mut available = offered
                .filter(|open| open.name == param.name)
                .find_map(|open| match &open.domain {
                    OpenDomain::Bag { available, .. } => Some(available.clone()),
                    _ => None,
                })
                .unwrap_or_default();
            for row in &table.rows {
                if !available.iter().any(|(known, _)| known == row) {
                    available.push((row.clone(), 0));
                }
            }
            bag(words, &table.name, &available, text)
        }
        Ty::Spread => Err(unknown()),
        ty => named(model, words, ty, text).ok_or_else(unknown),
    }
}

/// Lower case, blanks for everything that joins words.
fn simple(text: &str) -> String {
    let text: String = text
        .to_lowercase()
        .chars()
        .map(|c| {
            if matches!(c, '_' | '-' | ',' | ':' | '(' | ')' | '×') {
                ' '
            } else {
                c
            }
        })
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text is the id of a row, or what the row is called: alone, or behind a number.
fn is_called(words: &Words<'_>, table: &str, row: &str, text: &str) -> bool {
    let names = std::iter::once(words.row(table, row)).chain(words.forms(table, row));
    simple(row) == text || names.into_iter().any(|name| simple(&name) == text)
}

/// A value of a type among words: the value and the words it takes.
fn find(model: &Model, words: &Words<'_>, ty: &Ty, left: &[&str]) -> Option<(Value, usize, usize)> {
    // Longer names first: `large market` is not `market`.
    for length in (1..=left.len().min(6)).rev() {
        for from in 0..=left.len() - length {
            let text = left[from..from + length].join(" ");
            if let Some(value) = named(model, words, ty, &text) {
                return Some((value, from, from + length));
            }
        }
    }
    None
}

fn named(model: &Model, words: &Words<'_>, ty: &Ty, text: &str) -> Option<Value> {
    match ty {
        Ty::Row(table) => {
            let table = &model.tables[*table];
            let row = table
                .rows
                .iter()
                .find(|row| is_called(words, &table.name, row, text))?;
            Some(Value::Row {
                table: table.name.clone(),
                row: row.clone(),
            })
        }
        Ty::Int => text.parse().ok().map(Value::Int),
        Ty::Player => seat_of(text)
            .filter(|seat| seat.0 < model.players)
            .map(Value::Player),
        Ty::Bool => match text {
            "yes" | "true" | "tak" => Some(Value::Bool(true)),
            "no" | "false" | "nie" => Some(Value::Bool(false)),
            _ => None,
        },
        Ty::Option(inner) => match text {
            "none" | "nothing" | "nic" | "brak" => Some(Value::None),
            text => named(model, words, inner, text),
        },
        Ty::None | Ty::Bag(_) | Ty::Record(_) | Ty::Spread | Ty::Unit => None,
    }
}

/// What can be chosen for an open parameter, for whoever is asked for it.
pub(super) fn described(words: &Words<'_>, open: &OpenParameter) -> Vec<String> {
    let polish = words.language() == Language::Polish;
    let say = |en: &str, pl: &str| if polish { pl } else { en }.to_owned();
    let name = words.param(&open.name);
    match &open.domain {
        OpenDomain::Amount { from, to, step } => {
            let mut line = format!("{name}: {from}–{to}");
            if *step > 1 {
                line = format!("{line} ({} {step})", say("in steps of", "co"));
            }
            vec![line]
        }
        OpenDomain::Values(values) => vec![format!("{name}: {}", words.values(values))],
        OpenDomain::Bag {
            table,
            available,
            size: (least, most),
            kinds,
            ..
        } => {
            let have = words.counts(available.iter().map(|(row, n)| (table, row, i64::from(*n))));
            let mut line = format!("{name}: {least}–{most} {} {have}", say("of", "z:"));
            if let Some(kinds) = kinds {
                line = format!(
                    "{line} ({} {kinds})",
                    say("kinds at most:", "najwyżej rodzajów:")
                );
            }
            let example: Vec<String> = available
                .iter()
                .take(2)
                .map(|(row, n)| format!("{} {row}", (*n).min(2)))
                .collect();
            vec![
                line,
                format!(
                    "{} `{}`, {}",
                    say("such as", "na przykład"),
                    example.join(" "),
                    say(
                        "`all`, `none`, `auto`; an empty line goes back",
                        "`all`, `none`, `auto`; pusty wiersz wraca"
                    )
                ),
            ]
        }
        OpenDomain::Spread {
            pieces,
            over,
            overflow,
        } => {
            let have = words.counts(
                pieces
                    .iter()
                    .map(|(row, n)| (&row.table, &row.row, i64::from(*n))),
            );
            let mut lines = vec![format!("{name}: {have}")];
            for (i, (place, room)) in over.iter().enumerate() {
                lines.push(format!(
                    "{:>4}. {} ({} {room})",
                    i + 1,
                    words.place(place),
                    say("room for", "miejsc:")
                ));
            }
            lines.push(format!(
                "{} {}; {}",
                say("the rest goes to", "reszta trafia do:"),
                words.place(overflow),
                say(
                    "type places: `1 3 3`, or with the piece: `1=worker 3=noble`; or `auto`",
                    "podaj miejsca: `1 3 3` albo z pionkiem: `1=worker 3=noble`; albo `auto`"
                )
            ));
            lines
        }
    }
}

/// Understands what was chosen for an open parameter.
pub(super) fn open(
    words: &Words<'_>,
    open: &OpenParameter,
    text: &str,
    game: &Match,
    seat: Seat,
) -> Result<Value, String> {
    let text = simple(text);
    let polish = words.language() == Language::Polish;
    let say = |en: &str, pl: &str| if polish { pl } else { en }.to_owned();
    if text == "auto" {
        // Any way to complete a move of this question that has the parameter.
        let mut player = referee_library::players::Random::new(to_u64(game.moves().len()), 7);
        for _ in 0..200 {
            let mv = player.choose(game, seat);
            let value = mv.and_then(|mv| mv.args.into_iter().find(|(name, _)| *name == open.name));
            if let Some((_, value)) = value {
                return Ok(value);
            }
        }
    }
    let wrong = |word: &str| {
        let problem = say("this cannot be chosen:", "tego nie można wybrać:");
        format!("{problem} `{word}`")
    };
    match &open.domain {
        OpenDomain::Amount { .. } => text.parse().map(Value::Int).map_err(|_| wrong(&text)),
        OpenDomain::Values(values) => {
            let said = |value: &&Value| match value {
                Value::Row { row, .. } if simple(row) == text => true,
                value => simple(&words.value(value)) == text,
            };
            values
                .iter()
                .find(said)
                .cloned()
                .ok_or_else(|| wrong(&text))
        }
        OpenDomain::Bag {
            table, available, ..
        } => bag(words, table, available, &text).map_err(|word| wrong(&word)),
        OpenDomain::Spread {
            pieces,
            over,
            overflow,
        } => spread(pieces, over, overflow, &text).map_err(|word| {
            format!(
                "{} `{word}`",
                say("this cannot be placed:", "tego nie można położyć:")
            )
        }),
    }
}

fn bag(
    words: &Words<'_>,
    table: &Id,
    available: &[(Id, u32)],
    text: &str,
) -> Result<Value, String> {
    let mut counts: Vec<u32> = vec![0; available.len()];
    if text == "all" {
        counts = available.iter().map(|(_, n)| *n).collect();
    } else if !matches!(text, "none" | "" | "0") {
        let mut number: Option<u32> = None;
        let parts: Vec<&str> = text.split_whitespace().collect();
        let mut at = 0;
        while at < parts.len() {
            if let Ok(n) = parts[at].parse() {
                number = Some(n);
                at += 1;
                continue;
            }
            let mut known = None;
            for length in (1..=(parts.len() - at).min(5)).rev() {
                let name = parts[at..at + length].join(" ");
                known = available
                    .iter()
                    .position(|(row, _)| is_called(words, table, row, &name))
                    .map(|row| (row, length));
                if known.is_some() {
                    break;
                }
            }
            let (row, length) = known.ok_or_else(|| parts[at].to_owned())?;
            counts[row] += number.take().unwrap_or(1);
            at += length;
        }
    }
    let counts = available.iter().zip(counts).filter(|(_, n)| *n > 0);
    Ok(Value::Bag {
        table: table.clone(),
        counts: counts.map(|((row, _), n)| (row.clone(), n)).collect(),
    })
}

fn spread(
    pieces: &[(interpreter::play::RowRef, u32)],
    over: &[(PlaceRef, u32)],
    overflow: &PlaceRef,
    text: &str,
) -> Result<Value, String> {
    let mut left: Vec<u32> = pieces.iter().map(|(_, n)| *n).collect();
    let mut placed = vec![vec![0u32; pieces.len()]; over.len()];
    for word in text.split_whitespace() {
        let (place, piece) = word.split_once('=').unwrap_or((word, ""));
        let wrong = || word.to_owned();
        let place: usize = place.parse().map_err(|_| wrong())?;
        let place = place.checked_sub(1).filter(|place| *place < over.len());
        let place = place.ok_or_else(wrong)?;
        let piece = match piece {
            // The first that is left.
            "" => left.iter().position(|n| *n > 0),
            id => pieces.iter().position(|(row, _)| *row.row == *id),
        };
        let piece = piece.filter(|piece| left[*piece] > 0).ok_or_else(wrong)?;
        left[piece] -= 1;
        placed[place][piece] += 1;
    }
    let mut shares = Vec::new();
    let places = over.iter().map(|(place, _)| place).zip(placed);
    for (place, counts) in places.chain([(overflow, left)]) {
        for ((row, _), count) in pieces.iter().zip(counts) {
            if count > 0 {
                shares.push(Share {
                    place: place.clone(),
                    row: row.clone(),
                    count,
                });
            }
        }
    }
    Ok(Value::Spread(shares))
}
