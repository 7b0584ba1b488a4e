//! Moves as short texts, twenty on a line:
//! `41 captain.loading: p1 load {g: corn, s: ship_5}, p2 load_nothing!; captain.storing: …`.
//!
//! A line begins with the number of its first move. What asks stands before the moves that answer it; behind the name
//! of a move that was the only one stands `!`. Arguments are written as in scenarios, without quotes; of pieces over
//! places each share is `1 worker fields p1 quarry`: how many, which, where.

use interpreter::play::RecordedMove;
use serde_json::Value as Json;

use referee_library::record::{KeptMove, kept_move};

/// Moves on a line.
pub const TOGETHER: usize = 20;

/// The text of one move, without what asked: `p1 load {g: corn, s: ship_5}`.
pub fn text(made: &KeptMove) -> String {
    let only = if made.forced { "!" } else { "" };
    let mut text = format!("{} {}{only}", made.seat, made.name);
    if !made.with.is_empty() {
        text.push_str(" {");
        for (i, (name, value)) in made.with.iter().enumerate() {
            if i > 0 {
                text.push_str(", ");
            }
            text.push_str(name);
            text.push_str(": ");
            write(value, &mut text);
        }
        text.push('}');
    }
    text
}

/// A move as it is pinned: an empty bag is not mentioned.
pub fn written(made: &RecordedMove) -> KeptMove {
    let mut made = kept_move(made);
    made.with
        .retain(|_, value| value.as_object().is_none_or(|bag| !bag.is_empty()));
    made
}

/// Whether two are the same but for what asked and whether it was the only move.
pub fn same_choice(a: &KeptMove, b: &KeptMove) -> bool {
    (&a.seat, &a.name, &a.with) == (&b.seat, &b.name, &b.with)
}

/// The lines of moves.
pub fn lines(moves: &[RecordedMove]) -> Vec<String> {
    let mut lines = Vec::new();
    for (page, moves) in moves.chunks(TOGETHER).enumerate() {
        let mut line = (page * TOGETHER + 1).to_string();
        let mut asks = None;
        for made in moves {
            if asks == Some(&made.step) {
                line.push_str(", ");
            } else {
                line.push_str(if asks.is_some() { "; " } else { " " });
                line.push_str(&made.step);
                line.push_str(": ");
                asks = Some(&made.step);
            }
            line.push_str(&text(&written(made)));
        }
        lines.push(line);
    }
    lines
}

/// The moves of lines.
///
/// # Errors
///
/// Says which line is not written as moves are, and why.
pub fn read(lines: &[String]) -> Result<Vec<KeptMove>, String> {
    let mut moves = Vec::new();
    for line in lines {
        let wrong = |why: String| {
            let begin: String = line.chars().take(40).collect();
            format!("the moves `{begin}…`: {why}")
        };
        let (number, rest) = line
            .split_once(' ')
            .ok_or_else(|| wrong("a line is a number and moves".to_owned()))?;
        if number.parse() != Ok(moves.len() + 1) {
            let expected = moves.len() + 1;
            return Err(wrong(format!(
                "the first of them is move {expected}, not {number}: lines are missing, or stand twice"
            )));
        }
        for asked in divided(rest, ';') {
            let (at, made) = asked
                .split_once(": ")
                .ok_or_else(|| wrong(format!("nothing asks before `{asked}`")))?;
            for made in divided(made, ',') {
                moves.push(one(at, made).map_err(|why| wrong(format!("`{made}`: {why}")))?);
            }
        }
    }
    Ok(moves)
}

/// Parts of a text between marks that stand in no brackets.
fn divided(text: &str, mark: char) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(|c| {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ => {}
        }
        c == mark && depth == 0
    });
    parts.map(str::trim).collect()
}

/// A move without what asked.
fn one(at: &str, text: &str) -> Result<KeptMove, String> {
    let (head, with) = match text.find('{') {
        Some(at) => (&text[..at], &text[at..]),
        None => (text, "{}"),
    };
    let mut words = head.split_whitespace();
    let (Some(seat), Some(name), None) = (words.next(), words.next(), words.next()) else {
        return Err("a move is a seat, a name, and arguments in `{}`".to_owned());
    };
    let with: Json = serde_yaml::from_str(with).map_err(|error| error.to_string())?;
    let Json::Object(with) = with else {
        return Err("its arguments are no `{name: value}`".to_owned());
    };
    let with: Result<_, String> = with
        .into_iter()
        .map(|(name, value)| Ok((name, shares(value)?)))
        .collect();
    Ok(KeptMove {
        seat: seat.to_owned(),
        at: at.to_owned(),
        name: name.trim_end_matches('!').to_owned(),
        with: with?,
        forced: name.ends_with('!'),
    })
}

/// Writes a value without quotes.
fn write(value: &Json, out: &mut String) {
    match value {
        // Words that YAML would take for something else.
        Json::String(word) if ["true", "false", "null"].contains(&word.as_str()) => {
            out.push_str(&format!("'{word}'"));
        }
        Json::String(word) => out.push_str(word),
        Json::Array(shares) => {
            let shares: Vec<String> = shares.iter().map(share).collect();
            out.push_str(&format!("[{}]", shares.join(", ")));
        }
        Json::Object(parts) => {
            out.push('{');
            for (i, (name, value)) in parts.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                out.push_str(name);
                out.push_str(": ");
                write(value, out);
            }
            out.push('}');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

/// `1 worker fields p1 quarry`
fn share(share: &Json) -> String {
    let word = |value: &Json| match value {
        Json::String(word) => word.clone(),
        other => other.to_string(),
    };
    let parts = ["count", "row", "to"].into_iter().map(|key| &share[key]);
    let index = share["of"].as_array().into_iter().flatten();
    let words: Vec<String> = parts.chain(index).map(word).collect();
    words.join(" ")
}

/// Lists are of pieces over places.
fn shares(value: Json) -> Result<Json, String> {
    let Json::Array(list) = value else {
        return Ok(value);
    };
    let plain = |word: &str| match word.parse::<i64>() {
        Ok(number) => Json::from(number),
        Err(_) => match word {
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            "null" => Json::Null,
            word => Json::from(word),
        },
    };
    let shares = list.iter().map(|share| {
        let words = share.as_str().unwrap_or_default().split_whitespace();
        match words.collect::<Vec<_>>()[..] {
            [count, row, to, ref index @ ..] => Ok(serde_json::json!({
                "count": plain(count),
                "row": row,
                "to": to,
                "of": index.iter().map(|word| plain(word)).collect::<Vec<_>>(),
            })),
            _ => Err(format!("`{share}` is no `1 worker fields p1 quarry`")),
        }
    });
    shares.collect()
}
