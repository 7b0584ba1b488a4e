//! What archives say of moves, places and events: the same words as the contract's, in the JSON form of Protocol
//! Buffers (numbers of 64 bits are texts, what is empty is left out), but of archives alone. The contract may change;
//! an archive that was written stays what it is.

use interpreter::package::Package;
use interpreter::play::{Event, Id, Move, Origin, PlaceRef, RowRef, ScoreSheet, Value as Told};
use serde_json::{Map, Value, json};

use referee_store::log::v1::{
    HandsShown, Maker, MatchPaused, MatchResumed, RecordedMove, TableChanged, table_changed::Kind,
};
use referee_store::log::{self, seat_number};
use referee_store::secrets::hex;

/// An object without what is empty.
fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let empty = |value: &Value| match value {
        Value::Null => true,
        Value::Bool(yes) => !yes,
        Value::Number(number) => number.as_u64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Object(_) => false,
    };
    let told = fields.into_iter().filter(|(_, value)| !empty(value));
    Value::Object(Map::from_iter(
        told.map(|(name, value)| (name.to_owned(), value)),
    ))
}

/// A number of 64 bits, of a field that is left out where it is zero.
fn long(number: i64) -> Value {
    match number {
        0 => Value::Null,
        _ => json!(number.to_string()),
    }
}

/// A move.
pub fn mv(mv: &Move) -> Value {
    object([
        ("name", json!(*mv.name)),
        ("arguments", arguments(&mv.args)),
    ])
}

/// A place, counter or marker.
pub fn place(place: &PlaceRef) -> Value {
    object([
        ("name", json!(*place.name)),
        ("index", place.index.iter().map(value).collect()),
    ])
}

fn arguments(args: &[(Id, Told)]) -> Value {
    let args = args.iter();
    args.map(|(name, given)| json!({"name": **name, "value": value(given)}))
        .collect()
}

fn row(table: &str, row: &str) -> Value {
    json!({"table": table, "row": row})
}

fn value(told: &Told) -> Value {
    match told {
        Told::Int(number) => json!({"integer": number.to_string()}),
        Told::Bool(yes) => json!({"boolean": yes}),
        Told::Row { table, row: id } => json!({"row": row(table, id)}),
        Told::Player(seat) => json!({"seat": seat_number(*seat)}),
        Told::None => json!({"none": {}}),
        Told::Bag { table, counts } => {
            let counts = counts.iter();
            let counts =
                counts.map(|(id, count)| object([("row", json!(**id)), ("count", json!(count))]));
            let counts: Value = counts.collect();
            json!({"bag": object([("table", json!(**table)), ("counts", counts)])})
        }
        Told::Spread(shares) => {
            let shares = shares.iter().map(|share| {
                let RowRef { table, row: id } = &share.row;
                object([
                    ("place", place(&share.place)),
                    ("row", row(table, id)),
                    ("count", json!(share.count)),
                ])
            });
            json!({"spread": object([("shares", shares.collect())])})
        }
        Told::Record { record, parts } => {
            json!({"record": object([("name", json!(**record)), ("parts", arguments(parts))])})
        }
        Told::Hidden { count } => match count {
            Some(count) => json!({"hidden": {"count": count}}),
            None => json!({"hidden": {}}),
        },
    }
}

/// Whether archives tell of something that happened in the game. Who is asked, what phases keep and when they end follows
/// from the rest by the rules: archives of every form leave it out.
pub fn is_told(event: &Event) -> bool {
    !matches!(
        event,
        Event::PhaseEnded { .. } | Event::Kept { .. } | Event::Asked { .. }
    )
}

/// Something that happened in the game, with its number and who made it if it is a move that the referee made in a
/// player's place; none if archives [do not tell of it](is_told).
pub fn event(package: &Package, number: u64, event: &Event, maker: Maker) -> Option<Value> {
    let (kind, said) = game_event(package, event, maker)?;
    Some(numbered(number, kind, said))
}

/// Something that happened at the table, with its number.
pub fn table_event(number: u64, change: &TableChanged) -> Value {
    numbered(number, "tableChanged", changed(change))
}

fn numbered(number: u64, kind: &str, said: Value) -> Value {
    let number = match number {
        0 => Value::Null,
        _ => json!(number.to_string()),
    };
    object([("number", number), (kind, said)])
}

fn game_event(package: &Package, event: &Event, maker: Maker) -> Option<(&'static str, Value)> {
    Some(match event {
        Event::PhaseEnded { .. } | Event::Kept { .. } | Event::Asked { .. } => return None,
        Event::PhaseBegan { phase, args } => (
            "phaseBegan",
            object([("phase", json!(**phase)), ("arguments", arguments(args))]),
        ),
        Event::Moved {
            seat,
            step,
            mv: made,
            origin,
        } => (
            "moveMade",
            json!({
                "seat": seat_number(*seat),
                "step": **step,
                "move": mv(made),
                "origin": made_by(*origin, maker),
            }),
        ),
        Event::Pieces {
            from,
            to,
            row: of,
            count,
        } => {
            let mut said = json!({"from": place(from), "to": place(to)});
            if let Some(RowRef { table, row: id }) = of {
                said["row"] = row(table, id);
            }
            if let Some(count) = count {
                said["count"] = json!(count);
            }
            ("piecesMoved", said)
        }
        Event::Counter { counter, from, to } => {
            let number = |number: &Option<i64>| json!(number.map(|number| number.to_string()));
            let said = [
                ("counter", place(counter)),
                ("from", number(from)),
                ("to", number(to)),
            ];
            ("counterChanged", object(said))
        }
        Event::Marker { marker, to } => {
            let said = [
                ("marker", place(marker)),
                ("to", json!(to.as_ref().map(value))),
            ];
            ("markerSet", object(said))
        }
        Event::Shuffled { pile, size } => (
            "pileShuffled",
            object([("pile", place(pile)), ("size", json!(size))]),
        ),
        Event::Raised { event, args } => (
            "raised",
            object([("event", json!(**event)), ("arguments", arguments(args))]),
        ),
        Event::EndingDue { ending, cite } => (
            "endingDue",
            object([
                ("ending", json!(**ending)),
                ("clause", clause(package, cite.as_ref())),
            ]),
        ),
        Event::Over {
            ending,
            scores,
            winners,
        } => {
            let scores = scores.iter().map(|sheet| score(package, sheet));
            let outcome = object([
                ("ending", json!(**ending)),
                ("scores", scores.collect()),
                (
                    "winners",
                    winners.iter().copied().map(seat_number).collect(),
                ),
            ]);
            ("matchOver", json!({"outcome": outcome}))
        }
    })
}

fn made_by(origin: Origin, maker: Maker) -> &'static str {
    match (maker, origin) {
        (Maker::Timeout, _) => "MOVE_ORIGIN_TIMEOUT",
        (Maker::Bot, _) => "MOVE_ORIGIN_BOT",
        (Maker::Resigned, _) => "MOVE_ORIGIN_RESIGNED",
        (Maker::Unspecified, Origin::Player) => "MOVE_ORIGIN_PLAYER",
        (Maker::Unspecified, Origin::Forced) => "MOVE_ORIGIN_FORCED",
    }
}

fn score(package: &Package, sheet: &ScoreSheet) -> Value {
    let lines = sheet.lines.iter().map(|line| {
        object([
            ("name", json!(*line.name)),
            ("points", long(line.points)),
            ("clause", clause(package, line.cite.as_ref())),
        ])
    });
    let tie_breaks = sheet.tie_breaks.iter();
    object([
        ("seat", json!(seat_number(sheet.seat))),
        ("lines", lines.collect()),
        ("total", long(sheet.total)),
        (
            "tieBreaks",
            tie_breaks.map(|number| json!(number.to_string())).collect(),
        ),
    ])
}

/// A clause with its text; nothing if none is cited.
fn clause(package: &Package, cite: Option<&Id>) -> Value {
    let Some(id) = cite else {
        return Value::Null;
    };
    let known = package.rulebook.clause(id);
    let text = known.map(|clause| {
        let text = &clause.text;
        object([("en", json!(text.en)), ("pl", json!(text.pl))])
    });
    object([
        ("id", json!(**id)),
        ("section", json!(known.map(|clause| &clause.section))),
        ("text", json!(text)),
    ])
}

/// What happened at the table.
pub fn changed(change: &TableChanged) -> Value {
    let Some(kind) = &change.kind else {
        return json!({});
    };
    let (name, said) = match kind {
        Kind::ProposalMade(made) => (
            "proposalMade",
            object([
                ("proposalId", json!(made.proposal_id)),
                ("kind", json!(made.kind().as_str_name())),
                ("seat", json!(made.seat)),
                ("moves", json!(made.moves)),
            ]),
        ),
        Kind::ProposalAnswered(answered) => (
            "proposalAnswered",
            object([
                ("proposalId", json!(answered.proposal_id)),
                ("seat", json!(answered.seat)),
                ("agree", json!(answered.agree)),
            ]),
        ),
        Kind::ProposalClosed(closed) => (
            "proposalClosed",
            object([
                ("proposalId", json!(closed.proposal_id)),
                ("end", json!(closed.end().as_str_name())),
            ]),
        ),
        Kind::MatchPaused(MatchPaused {}) => ("matchPaused", json!({})),
        Kind::MatchResumed(MatchResumed {}) => ("matchResumed", json!({})),
        Kind::MovesUndone(undone) => ("movesUndone", object([("moves", json!(undone.moves))])),
        Kind::SeatResigned(resigned) => ("seatResigned", object([("seat", json!(resigned.seat))])),
        Kind::BotSeated(seated) => (
            "botSeated",
            object([
                ("seat", json!(seated.seat)),
                ("bot", json!(seated.bot().as_str_name())),
                ("displayName", json!(seated.display_name)),
            ]),
        ),
        Kind::MatchConcluded(concluded) => (
            "matchConcluded",
            object([
                ("conclusion", json!(concluded.conclusion().as_str_name())),
                ("winners", json!(concluded.winners)),
            ]),
        ),
        Kind::RulesetChanged(changed) => (
            "rulesetChanged",
            object([("revision", json!(changed.revision))]),
        ),
        Kind::SeatReleased(released) => ("seatReleased", object([("seat", json!(released.seat))])),
        Kind::SeatTaken(taken) => (
            "seatTaken",
            called(taken.seat, &taken.name, &taken.display_name),
        ),
        Kind::SeatLeft(left) => ("seatLeft", object([("seat", json!(left.seat))])),
        Kind::HandsShown(HandsShown {}) => ("handsShown", json!({})),
    };
    json!({ name: said })
}

/// Who sits on a seat: the digest of a name, or the name itself in entries of before names stood apart.
pub fn called(seat: u32, digest: &[u8], display_name: &str) -> Value {
    match digest {
        [] => object([("seat", json!(seat)), ("displayName", json!(display_name))]),
        _ => json!({"seat": seat, "name": hex(digest)}),
    }
}

/// A seat of an entry, which counts from zero, as archives count.
///
/// # Errors
///
/// When it is beyond all numbers: the entry was not written by a referee.
pub fn seat(number: u32) -> Result<u32, String> {
    number
        .checked_add(1)
        .ok_or_else(|| format!("there is no seat {number}"))
}

/// Moves of an entry, with who made them.
///
/// # Errors
///
/// Says what is wrong with one that makes no sense.
pub fn moves(moves: &[RecordedMove]) -> Result<Value, String> {
    let told = moves.iter().map(|recorded| {
        let made = recorded.r#move.as_ref().ok_or("a move is missing")?;
        Ok(json!({
            "seat": seat(recorded.seat)?,
            "step": recorded.step,
            "move": mv(&log::move_in(made)?),
            "forced": recorded.forced,
            "maker": recorded.maker().as_str_name(),
        }))
    });
    told.collect()
}
