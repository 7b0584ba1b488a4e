//! The only place that translates between the interpreter's types and messages, but for events, which are written
//! without becoming messages first ([`events`](super::events)).
//!
//! Seats count from zero inside and from one outside, where zero means that nobody is named. What an
//! audience may not see is already absent in the interpreter's types and stays absent here.

use std::fmt;
use std::time::Duration;

use interpreter::package::{Clause, ClauseKind, Language, Package, Text};
use interpreter::play::{
    Audience, ClosedMove, Compared, Id, Move, Offer, OpenDomain, Outcome, PlaceRef, Refusal,
    RefusalReason, RowRef, ScoreSheet, Seat, Share, Target, TargetKind, Value, View,
};

use super::v1;
use referee_library::words::Words;

/// A message that cannot be read as what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Path of the field: `move.arguments[1].value`.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}

impl Malformed {
    /// Says what is wrong with a field.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Malformed {
            field: field.into(),
            problem: problem.into(),
        }
    }
}

/// The path of a field in a request. It is spelt out only where something is wrong.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    within: Option<&'a Path<'a>>,
    step: Step,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Field(&'static str),
    Index(usize),
}

impl Path<'_> {
    /// A field of the request itself.
    pub const fn of(field: &'static str) -> Path<'static> {
        Path {
            within: None,
            step: Step::Field(field),
        }
    }

    /// A field of what is here.
    pub const fn dot(&self, field: &'static str) -> Path<'_> {
        Path {
            within: Some(self),
            step: Step::Field(field),
        }
    }

    /// An element of what is here.
    pub const fn at(&self, index: usize) -> Path<'_> {
        Path {
            within: Some(self),
            step: Step::Index(index),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(within) = self.within {
            within.fmt(f)?;
        }
        match (self.step, self.within) {
            (Step::Index(index), _) => write!(f, "[{index}]"),
            (Step::Field(field), None) => f.write_str(field),
            (Step::Field(field), Some(_)) => write!(f, ".{field}"),
        }
    }
}

impl From<Path<'_>> for String {
    fn from(path: Path<'_>) -> String {
        path.to_string()
    }
}

/// Elements of one value, arguments of one move.
pub const MAX_ELEMENTS: usize = 256;

/// Pieces of one row in one value: more than any box holds, and sums of them stay small numbers.
pub const MAX_COUNT: u32 = 1 << 20;

pub use referee_store::log::seat_number;

/// The seat that a client means.
pub fn seat_from(number: u32, field: impl Into<String>) -> Result<Seat, Malformed> {
    number
        .checked_sub(1)
        .and_then(|seat| u8::try_from(seat).ok())
        .map(Seat)
        .ok_or_else(|| Malformed::new(field, "seats are numbered from 1"))
}

/// Turns what the interpreter says into messages, with the clauses of one ruleset at hand.
#[derive(Clone, Copy)]
pub struct Outward<'a> {
    package: &'a Package,
}

impl<'a> Outward<'a> {
    /// With the clauses of this package.
    pub fn new(package: &'a Package) -> Self {
        Outward { package }
    }

    /// A clause with its text.
    fn clause(self, id: &str) -> v1::Clause {
        match self.package.rulebook.clause(id) {
            Some(known) => clause(known),
            None => v1::Clause {
                id: id.into(),
                ..Default::default()
            },
        }
    }

    /// The text of a clause in one language.
    pub fn clause_text(self, id: &str, language: Language) -> Option<&'a str> {
        self.package
            .rulebook
            .clause(id)
            .map(|clause| clause.text.get(language))
    }

    /// A legal move.
    pub fn offer(self, offer: &Offer) -> v1::Offer {
        v1::Offer {
            name: owned(&offer.name),
            clause: cited(&offer.cite),
            fixed: arguments(&offer.fixed),
            open: offer
                .open
                .iter()
                .map(|parameter| v1::OpenParameter {
                    name: owned(&parameter.name),
                    domain: Some(domain(&parameter.domain)),
                    depends: parameter.depends,
                })
                .collect(),
            completion_count: offer
                .completions
                .and_then(|count| u64::try_from(count).ok())
                .unwrap_or(u64::MAX),
            free: offer.free,
            targets: Vec::new(),
        }
    }

    /// A refusal with its clause.
    pub fn refusal(self, refusal: &Refusal) -> v1::Refusal {
        v1::Refusal {
            reason: match refusal.reason {
                RefusalReason::MatchOver => v1::RefusalReason::MatchOver,
                RefusalReason::NotAsked => v1::RefusalReason::NotAsked,
                RefusalReason::UnknownMove => v1::RefusalReason::UnknownMove,
                RefusalReason::MalformedArgument => v1::RefusalReason::MalformedArgument,
                RefusalReason::Forbidden => v1::RefusalReason::Forbidden,
            }
            .into(),
            clause: refusal.clause.as_ref().map(|id| self.clause(id)),
            condition: refusal.condition.clone().unwrap_or_default(),
            values: compared(refusal, self.package),
            alternatives: refusal.alternatives.iter().map(move_out).collect(),
            limit: limit(refusal, self.package),
        }
    }

    /// The table, without glossary.
    pub fn view(self, view: &View, event_count: u64) -> v1::View {
        v1::View {
            seat: match view.audience {
                Audience::Seat(seat) => seat_number(seat),
                Audience::Spectator | Audience::Referee => 0,
            },
            phases: view
                .phases
                .iter()
                .map(|(phase, args)| v1::PhaseFrame {
                    phase: owned(phase),
                    arguments: arguments(args),
                })
                .collect(),
            places: view
                .places
                .iter()
                .map(|p| v1::PlaceView {
                    place: Some(place(&p.place)),
                    table: owned(&p.table),
                    pile: p.pile,
                    endless: p.endless,
                    size: p.size,
                    contents: p.contents.as_ref().map(|counts| v1::Contents {
                        counts: row_counts(counts),
                    }),
                })
                .collect(),
            counters: view
                .counters
                .iter()
                .map(|(counter, value)| v1::CounterView {
                    counter: Some(place(counter)),
                    value: *value,
                })
                .collect(),
            markers: view
                .markers
                .iter()
                .map(|(marker, to)| v1::MarkerView {
                    marker: Some(place(marker)),
                    value: to.as_ref().map(value),
                })
                .collect(),
            kept: view
                .kept
                .iter()
                .map(|(kept, is)| v1::MarkerView {
                    marker: Some(place(kept)),
                    value: is.as_ref().map(value),
                })
                .collect(),
            waiting_seats: view.waiting.iter().copied().map(seat_number).collect(),
            asking_step: view
                .asking
                .as_ref()
                .map(|step| owned(step))
                .unwrap_or_default(),
            scores: view.scores.iter().map(|sheet| self.sheet(sheet)).collect(),
            outcome: view.outcome.as_ref().map(|outcome| self.outcome(outcome)),
            event_count,
            glossary: None,
        }
    }

    /// How a match ended.
    pub fn outcome(self, outcome: &Outcome) -> v1::Outcome {
        v1::Outcome {
            ending: owned(&outcome.ending),
            clause: cited(&outcome.cite),
            scores: outcome
                .scores
                .iter()
                .map(|sheet| self.sheet(sheet))
                .collect(),
            winners: outcome.winners.iter().copied().map(seat_number).collect(),
        }
    }

    fn sheet(self, sheet: &ScoreSheet) -> v1::ScoreSheet {
        v1::ScoreSheet {
            seat: seat_number(sheet.seat),
            lines: sheet
                .lines
                .iter()
                .map(|line| v1::ScoreLine {
                    name: owned(&line.name),
                    points: line.points,
                    clause: cited(&line.cite),
                })
                .collect(),
            total: sheet.total,
            tie_breaks: sheet.tie_breaks.clone(),
        }
    }
}

/// A clause of the rules.
pub fn clause(clause: &Clause) -> v1::Clause {
    v1::Clause {
        id: clause.id.node.clone(),
        section: clause.section.clone(),
        text: Some(text(&clause.text)),
        kind: match clause.kind {
            ClauseKind::Rule => v1::ClauseKind::Rule,
            ClauseKind::Ruling => v1::ClauseKind::Ruling,
            ClauseKind::Option => v1::ClauseKind::Option,
            ClauseKind::Note => v1::ClauseKind::Note,
        }
        .into(),
    }
}

/// The clause that something has; empty if it has none.
pub fn cited(cite: &Option<Id>) -> String {
    cite.as_ref().map(|id| owned(id)).unwrap_or_default()
}

/// A text for people.
pub fn text(text: &Text) -> v1::Text {
    let written = [("en", &text.en), ("pl", &text.pl)];
    let written = written.into_iter().filter(|(_, text)| !text.is_empty());
    v1::Text {
        by_language: written
            .map(|(language, text)| (language.to_owned(), text.clone()))
            .collect(),
    }
}

impl v1::Text {
    /// It in a language, or in English if it was not written in that.
    pub fn within(&self, language: &str) -> &str {
        let text = self.by_language.get(language);
        text.or_else(|| self.by_language.get("en"))
            .map_or("", String::as_str)
    }
}

/// A name as it is sent; its `to_string` would ask for how wide it is to be.
fn owned(name: &str) -> String {
    name.to_owned()
}

/// Arguments in their order.
pub fn arguments(args: &[(interpreter::play::Id, Value)]) -> Vec<v1::Argument> {
    args.iter()
        .map(|(name, v)| v1::Argument {
            name: owned(name),
            value: Some(value(v)),
        })
        .collect()
}

/// A move.
pub fn move_out(mv: &Move) -> v1::Move {
    v1::Move {
        name: owned(&mv.name),
        arguments: arguments(&mv.args),
    }
}

/// A place.
pub fn place(place: &PlaceRef) -> v1::PlaceRef {
    v1::PlaceRef {
        name: owned(&place.name),
        index: place.index.iter().map(value).collect(),
    }
}

/// Something that a move would change.
pub fn target(target: &Target) -> v1::Target {
    use v1::target::Kind;
    let kind = match &target.kind {
        TargetKind::Pieces { from, to, row } => Kind::Pieces(v1::MovedPieces {
            source: Some(place(from)),
            destination: Some(place(to)),
            row: row.as_ref().map(row_out),
        }),
        TargetKind::Changed(of) => Kind::Changed(place(of)),
    };
    v1::Target {
        kind: Some(kind),
        arguments: target.arguments.iter().map(|name| owned(name)).collect(),
    }
}

/// A move that is not legal, with the reason why.
pub fn refused(closed: &ClosedMove, package: &Package) -> v1::RefusedMove {
    v1::RefusedMove {
        fixed: arguments(&closed.fixed),
        clause: cited(&closed.refusal.clause),
        condition: closed.refusal.condition.clone().unwrap_or_default(),
        values: compared(&closed.refusal, package),
        limit: limit(&closed.refusal, package),
    }
}

fn limit(refusal: &Refusal, package: &Package) -> Option<v1::Text> {
    let limit = refusal.limit.as_ref()?;
    let [en, pl] = [Language::English, Language::Polish]
        .map(|language| Words::new(package, language).limit(limit));
    Some(text(&Text { en, pl }))
}

fn compared(refusal: &Refusal, package: &Package) -> Vec<v1::ComparedValue> {
    let label = |compared: &Compared, holes: bool| {
        let called = |language| {
            let words = Words::new(package, language);
            match holes {
                true => words.with_holes_for_players().subject(compared),
                false => words.subject(compared),
            }
        };
        let (en, pl) = (called(Language::English)?, called(Language::Polish)?);
        Some(text(&Text { en, pl }))
    };
    let values = refusal.values.iter();
    let values = values.map(|compared| v1::ComparedValue {
        expression: compared.expression.clone(),
        value: Some(value(&compared.value)),
        label: label(compared, false),
        sentence: label(compared, true),
        variable: Words::is_variable(compared),
    });
    values.collect()
}

fn row_out(row: &RowRef) -> v1::RowRef {
    v1::RowRef {
        table: owned(&row.table),
        row: owned(&row.row),
    }
}

fn row_counts(counts: &[(interpreter::play::Id, u32)]) -> Vec<v1::RowCount> {
    counts
        .iter()
        .map(|(row, count)| v1::RowCount {
            row: owned(row),
            count: *count,
        })
        .collect()
}

/// A value.
pub fn value(value: &Value) -> v1::Value {
    use v1::value::Kind;
    let kind = match value {
        Value::Int(n) => Kind::Integer(*n),
        Value::Bool(b) => Kind::Boolean(*b),
        Value::Row { table, row } => Kind::Row(v1::RowRef {
            table: owned(table),
            row: owned(row),
        }),
        Value::Player(seat) => Kind::Seat(seat_number(*seat)),
        Value::None => Kind::None(v1::None {}),
        Value::Bag { table, counts } => Kind::Bag(v1::Bag {
            table: owned(table),
            counts: row_counts(counts),
        }),
        Value::Spread(shares) => Kind::Spread(v1::Spread {
            shares: shares
                .iter()
                .map(|share| v1::Share {
                    place: Some(place(&share.place)),
                    row: Some(row_out(&share.row)),
                    count: share.count,
                })
                .collect(),
        }),
        Value::Record { record, parts } => Kind::Record(v1::Record {
            name: owned(record),
            parts: arguments(parts),
        }),
        Value::Hidden { count } => Kind::Hidden(v1::Hidden { count: *count }),
    };
    v1::Value { kind: Some(kind) }
}

fn domain(domain: &OpenDomain) -> v1::open_parameter::Domain {
    use v1::open_parameter::Domain;
    match domain {
        OpenDomain::Amount { from, to, step } => Domain::Amount(v1::AmountDomain {
            least: *from,
            most: *to,
            step: *step,
        }),
        OpenDomain::Values(values) => Domain::Values(v1::ValuesDomain {
            values: values.iter().map(value).collect(),
        }),
        OpenDomain::Bag {
            table,
            available,
            size,
            loose_beyond,
            kinds,
            sources,
        } => Domain::Bag(v1::BagDomain {
            table: owned(table),
            available: row_counts(available),
            least: size.0,
            most: size.1,
            loose: loose_beyond.map(|(pieces, kinds)| v1::LooseLimit { pieces, kinds }),
            kinds: *kinds,
            sources: sources.iter().map(place).collect(),
        }),
        OpenDomain::Spread {
            pieces,
            over,
            overflow,
        } => Domain::Spread(v1::SpreadDomain {
            pieces: pieces
                .iter()
                .map(|(row, count)| v1::PieceCount {
                    row: Some(row_out(row)),
                    count: *count,
                })
                .collect(),
            rooms: over
                .iter()
                .map(|(at, room)| v1::Room {
                    place: Some(place(at)),
                    room: *room,
                })
                .collect(),
            overflow: Some(place(overflow)),
        }),
    }
}

/// Reads a move that a client sent. `field` is the path of the message, for violations.
pub fn move_in(mv: &v1::Move, field: Path<'_>) -> Result<Move, Malformed> {
    if mv.name.is_empty() {
        return Err(Malformed::new(field.dot("name"), "is missing"));
    }
    Ok(Move {
        name: mv.name.as_str().into(),
        args: arguments_in(&mv.arguments, field.dot("arguments"))?,
    })
}

/// Reads arguments; `field` is their path in the request.
///
/// # Errors
///
/// As [`move_in`].
pub fn arguments_in(
    arguments: &[v1::Argument],
    field: Path<'_>,
) -> Result<Vec<(Id, Value)>, Malformed> {
    if arguments.len() > MAX_ELEMENTS {
        return Err(Malformed::new(
            field,
            format!("more than {MAX_ELEMENTS} arguments"),
        ));
    }
    let mut args: Vec<(Id, Value)> = Vec::with_capacity(arguments.len());
    for (i, argument) in arguments.iter().enumerate() {
        let path = field.at(i);
        if argument.name.is_empty() {
            return Err(Malformed::new(path.dot("name"), "is missing"));
        }
        if args.iter().any(|(name, _)| **name == *argument.name) {
            return Err(Malformed::new(
                path.dot("name"),
                format!("`{}` is given twice", argument.name),
            ));
        }
        let value = value_in(argument.value.as_ref(), path.dot("value"))?;
        args.push((argument.name.as_str().into(), value));
    }
    Ok(args)
}

/// Reads a value that a client sent.
fn value_in(value: Option<&v1::Value>, field: Path<'_>) -> Result<Value, Malformed> {
    use v1::value::Kind;
    let Some(kind) = value.and_then(|v| v.kind.as_ref()) else {
        return Err(Malformed::new(field, "has no kind"));
    };
    Ok(match kind {
        Kind::Integer(n) => Value::Int(*n),
        Kind::Boolean(b) => Value::Bool(*b),
        Kind::Row(row) => {
            let row = row_in(Some(row), field.dot("row"))?;
            Value::Row {
                table: row.table,
                row: row.row,
            }
        }
        Kind::Seat(number) => Value::Player(seat_from(*number, field.dot("seat"))?),
        Kind::None(_) => Value::None,
        Kind::Hidden(_) => return Err(Malformed::new(field, "cannot be hidden")),
        Kind::Bag(bag) => Value::Bag {
            table: id_in(&bag.table, field.dot("bag.table"))?,
            counts: counts_in(&bag.counts, field.dot("bag.counts"))?,
        },
        Kind::Record(record) => {
            let within = field.dot("record.parts");
            if record.parts.len() > MAX_ELEMENTS {
                let problem = format!("more than {MAX_ELEMENTS} parts");
                return Err(Malformed::new(within, problem));
            }
            let mut parts = Vec::with_capacity(record.parts.len());
            for (i, part) in record.parts.iter().enumerate() {
                let path = within.at(i);
                let name = id_in(&part.name, path.dot("name"))?;
                parts.push((name, value_in(part.value.as_ref(), path.dot("value"))?));
            }
            Value::Record {
                record: id_in(&record.name, field.dot("record.name"))?,
                parts,
            }
        }
        Kind::Spread(spread) => {
            let within = field.dot("spread.shares");
            if spread.shares.len() > MAX_ELEMENTS {
                let problem = format!("more than {MAX_ELEMENTS} shares");
                return Err(Malformed::new(within, problem));
            }
            let mut shares: Vec<Share> = Vec::with_capacity(spread.shares.len());
            for (i, share) in spread.shares.iter().enumerate() {
                let path = within.at(i);
                let share = share_in(share, path)?;
                if shares
                    .iter()
                    .any(|known| known.place == share.place && known.row == share.row)
                {
                    return Err(Malformed::new(
                        path,
                        "the same pieces are given twice for one place",
                    ));
                }
                if share.count > 0 {
                    shares.push(share);
                }
            }
            Value::Spread(shares)
        }
    })
}

fn id_in(id: &str, field: Path<'_>) -> Result<interpreter::play::Id, Malformed> {
    if id.is_empty() {
        Err(Malformed::new(field, "is missing"))
    } else {
        Ok(id.into())
    }
}

fn row_in(row: Option<&v1::RowRef>, field: Path<'_>) -> Result<RowRef, Malformed> {
    let Some(row) = row else {
        return Err(Malformed::new(field, "is missing"));
    };
    Ok(RowRef {
        table: id_in(&row.table, field.dot("table"))?,
        row: id_in(&row.row, field.dot("row"))?,
    })
}

fn counts_in(
    counts: &[v1::RowCount],
    field: Path<'_>,
) -> Result<Vec<(interpreter::play::Id, u32)>, Malformed> {
    if counts.len() > MAX_ELEMENTS {
        return Err(Malformed::new(
            field,
            format!("more than {MAX_ELEMENTS} rows"),
        ));
    }
    let mut read: Vec<(interpreter::play::Id, u32)> = Vec::with_capacity(counts.len());
    for (i, count) in counts.iter().enumerate() {
        let row = id_in(&count.row, field.at(i).dot("row"))?;
        if read.iter().any(|(known, _)| *known == row) {
            return Err(Malformed::new(
                field.at(i).dot("row"),
                format!("`{row}` is given twice"),
            ));
        }
        let count = count_in(count.count, field.at(i).dot("count"))?;
        if count > 0 {
            read.push((row, count));
        }
    }
    Ok(read)
}

fn share_in(share: &v1::Share, field: Path<'_>) -> Result<Share, Malformed> {
    Ok(Share {
        place: place_in(share.place.as_ref(), field.dot("place"))?,
        row: row_in(share.row.as_ref(), field.dot("row"))?,
        count: count_in(share.count, field.dot("count"))?,
    })
}

fn count_in(count: u32, field: Path<'_>) -> Result<u32, Malformed> {
    if count > MAX_COUNT {
        Err(Malformed::new(field, format!("is more than {MAX_COUNT}")))
    } else {
        Ok(count)
    }
}

fn place_in(place: Option<&v1::PlaceRef>, field: Path<'_>) -> Result<PlaceRef, Malformed> {
    let Some(place) = place else {
        return Err(Malformed::new(field, "is missing"));
    };
    let within = field.dot("index");
    if place.index.len() > MAX_ELEMENTS {
        return Err(Malformed::new(within, "is too long"));
    }
    let mut index = Vec::with_capacity(place.index.len());
    for (i, v) in place.index.iter().enumerate() {
        let path = within.at(i);
        // An index is a player, a row, a number or a switch; several things at once would nest.
        if matches!(
            v.kind,
            Some(v1::value::Kind::Bag(_) | v1::value::Kind::Spread(_))
        ) {
            return Err(Malformed::new(path, "several pieces are no index"));
        }
        index.push(value_in(Some(v), path)?);
    }
    Ok(PlaceRef {
        name: id_in(&place.name, field.dot("name"))?,
        index: index.into(),
    })
}

/// So many seconds, as messages write them.
pub fn of_seconds(seconds: u32) -> prost_types::Duration {
    prost_types::Duration {
        seconds: seconds.into(),
        nanos: 0,
    }
}

/// Whole seconds of a duration that a client sent, of which there are some and at most `most`.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn whole_seconds(
    sent: &prost_types::Duration,
    most: Duration,
    field: &str,
) -> Result<u32, Malformed> {
    let wrong = |problem: String| Err(Malformed::new(field, problem));
    match u32::try_from(sent.seconds) {
        _ if sent.nanos != 0 => wrong("is no number of whole seconds".into()),
        Ok(0) => wrong("is no time: leave it out if there is none".into()),
        Ok(seconds) if u64::from(seconds) <= most.as_secs() => Ok(seconds),
        Ok(_) => wrong(format!("is longer than {} seconds", most.as_secs())),
        Err(_) => wrong("is negative, or longer than a hundred years".into()),
    }
}

/// A time as messages write it.
pub fn timestamp(ms: i64) -> prost_types::Timestamp {
    let nanos = i32::try_from(ms.rem_euclid(1000)).unwrap_or(0) * 1_000_000;
    prost_types::Timestamp {
        seconds: ms.div_euclid(1000),
        nanos,
    }
}
