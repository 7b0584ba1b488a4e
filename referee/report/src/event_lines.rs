//! What happened, line by line, as one audience sees it; and what a move would do.

use interpreter::play::{Event, Match, Move, Origin, PlaceRef, RowRef, Seat, Value};
use interpreter::program::model::{Model, Sight};

use super::board::{owner, rest};
use super::words::Words;
use referee_library::players::Random;
use referee_store::numbers::to_u64;

/// What a number is of.
#[derive(PartialEq, Eq)]
enum Part {
    /// What a counter counts.
    Counter(String),
    /// Pieces, of another player if one is named.
    Pieces(Option<Seat>, RowRef),
}

/// What a move brings.
struct Effect {
    /// Numbers by what they are of.
    parts: Vec<(Part, i64)>,
    /// What else happens.
    texts: Vec<String>,
    /// Whether nobody moves behind it.
    whole: bool,
}

/// Tells events to somebody.
pub struct EventLines<'a> {
    words: &'a Words<'a>,
    model: &'a Model,
}

/// A line of what happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventLine {
    /// A phase began.
    Phase(String),
    /// A player moved; who, is told in the text too.
    Moved(Seat, String),
    /// What followed from it.
    Followed(String),
}

impl<'a> EventLines<'a> {
    /// In the language of the words.
    pub fn new(words: &'a Words<'a>, model: &'a Model) -> Self {
        EventLines { words, model }
    }

    /// Events as lines; what follows a move is one line.
    pub fn lines(&self, events: &[Event]) -> Vec<EventLine> {
        let mut lines = Vec::new();
        let mut followed: Vec<String> = Vec::new();
        let mut at = 0;
        while let Some(event) = events.get(at) {
            if matches!(event, Event::PhaseBegan { .. } | Event::Moved { .. })
                && !followed.is_empty()
            {
                lines.push(EventLine::Followed(
                    std::mem::take(&mut followed).join("; "),
                ));
            }
            at += 1;
            match event {
                Event::PhaseBegan { phase, args } => {
                    let name = self.words.phase(phase);
                    lines.push(EventLine::Phase(self.words.begun(name, args)));
                }
                Event::Moved {
                    seat,
                    step,
                    mv,
                    origin,
                } => {
                    let forced = *origin == Origin::Forced;
                    let text = self.words.moved(&[*seat], step, mv, forced);
                    lines.push(EventLine::Moved(*seat, text));
                }
                Event::Pieces { .. } => {
                    // The same way is told once.
                    let (told, way) = self.words.pieces(&events[at - 1..]);
                    at += told - 1;
                    followed.push(way);
                }
                // What rules raise for each other is told by what follows from it.
                Event::Raised { .. } => {}
                other => followed.extend(self.words.followed(other)),
            }
        }
        if !followed.is_empty() {
            lines.push(EventLine::Followed(followed.join("; ")));
        }
        lines
    }

    /// What a move costs and brings, as far as its mover can know: what chance or hidden cards decide is left open. It is
    /// a [preview](Match::preview): tried on imagined tables, and only what is the same on all of them is told.
    pub fn effect(&self, game: &Match, seat: Seat, mv: &Move) -> String {
        let mut random = Random::new(to_u64(game.happened()), 0);
        let preview = game.preview(seat, std::slice::from_ref(mv), &mut || random.word());
        let Effect {
            parts,
            texts,
            whole,
        } = self.brought(&preview.events, seat);
        let parts = parts.iter().filter(|(_, n)| *n != 0);
        let mut all: Vec<String> = parts.map(|(part, n)| self.said(part, *n)).collect();
        all.extend(texts);
        if whole && !preview.complete {
            all.push("…".to_owned());
        }
        all.join(", ")
    }

    /// `doubloons −1`, `+2 workers`, `−1 p2 worker`: a counter's name has no form behind a number, so it stands before it.
    fn said(&self, part: &Part, n: i64) -> String {
        let number = format!("{n:+}").replace('-', "−");
        match part {
            Part::Counter(name) => format!("{name} {number}"),
            Part::Pieces(of, row) => {
                let row = self.words.behind(n, &row.table, &row.row);
                match of {
                    Some(of) => format!("{number} {} {row}", self.words.seat(*of)),
                    None => format!("{number} {row}"),
                }
            }
        }
    }

    /// What a move brings, of what follows from it.
    fn brought(&self, events: &[Event], seat: Seat) -> Effect {
        let mut parts: Vec<(Part, i64)> = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        // Pieces of which it is not seen what they are, by where they come from.
        let mut unseen: Vec<(String, i64)> = Vec::new();
        let (mut own, mut whole) = (false, true);
        for event in events {
            match event {
                // The first move is the one in question.
                Event::Moved { .. } if own => {
                    whole = false;
                    break;
                }
                Event::Moved { .. } => own = true,
                Event::Counter { counter, from, to } => {
                    if let (Some(from), Some(to)) = (from, to) {
                        let counter = Part::Counter(self.counted(counter, seat));
                        add(&mut parts, counter, *to - *from);
                    }
                }
                Event::Pieces {
                    from,
                    to,
                    row,
                    count,
                } => {
                    let n = i64::from(count.unwrap_or(1));
                    if !self.sees_faces(seat, from) {
                        let name = self.words.site(&from.name);
                        add(&mut unseen, name, n);
                        continue;
                    }
                    let Some(row) = row else { continue };
                    let pieces = |of| Part::Pieces(of, row.clone());
                    if owner(from) == Some(seat) && owner(to) != Some(seat) {
                        add(&mut parts, pieces(None), -n);
                    }
                    match owner(to) {
                        Some(to) if Some(to) == owner(from) => {}
                        Some(to) if to == seat => add(&mut parts, pieces(None), n),
                        Some(other) => add(&mut parts, pieces(Some(other)), n),
                        None => {}
                    }
                }
                Event::PhaseBegan { phase, .. } => {
                    texts.push(format!("→ {}", self.words.phase(phase)));
                }
                Event::EndingDue { ending, .. } => {
                    texts.push(format!("⚑ {}", self.words.ending(ending)));
                }
                Event::Marker { .. }
                | Event::Shuffled { .. }
                | Event::Raised { .. }
                | Event::PhaseEnded { .. }
                | Event::Kept { .. }
                | Event::Asked { .. }
                | Event::Over { .. } => {}
            }
        }
        let unseen = unseen.into_iter();
        texts.extend(unseen.map(|(name, n)| format!("{n} ← {name} …")));
        Effect {
            parts,
            texts,
            whole,
        }
    }

    fn counted(&self, counter: &PlaceRef, seat: Seat) -> String {
        let name = self.words.site(&counter.name);
        let rest = rest(counter);
        let name = match rest.is_empty() {
            true => name,
            false => format!("{name} ({})", self.words.values(&rest)),
        };
        match owner(counter) {
            Some(other) if other != seat => format!("{} {name}", self.words.seat(other)),
            _ => name,
        }
    }

    /// Whether a seat sees what lies in a place before anything is taken from it.
    fn sees_faces(&self, seat: Seat, place: &PlaceRef) -> bool {
        let declared = self.model.places.iter().find(|p| p.name == place.name);
        match declared.map(|declared| declared.faces) {
            Some(Sight::Everybody) => true,
            Some(Sight::Only(i)) => place.index.get(i) == Some(&Value::Player(seat)),
            Some(Sight::Holder(_) | Sight::Nobody) | None => false,
        }
    }
}

fn add<T: PartialEq>(parts: &mut Vec<(T, i64)>, of: T, n: i64) {
    match parts.iter_mut().find(|(known, _)| *known == of) {
        Some((_, all)) => *all += n,
        None => parts.push((of, n)),
    }
}
