//! What happened, line by line, as one audience sees it; and what a move would do.

use interpreter::play::{Audience, Event, Match, Move, Origin, PlaceRef, Seat, Value};
use interpreter::program::model::{Model, Sight};

use super::board::{owner, rest};
use super::words::Words;
use crate::numbers::to_u64;
use crate::players::Random;

/// Worlds in which a move is tried before it is made.
const WORLDS: usize = 3;

/// Numbers by what they are of, and what else happens.
type Effect = (Vec<(String, i64)>, Vec<String>);

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
    /// A player moved.
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
                    let mut text = self.words.made(step, mv);
                    if *origin == Origin::Forced {
                        text = format!("{text} {}", self.words.forced());
                    }
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
    /// tried in imagined worlds, never on the table itself, and only what is the same in all of them is told.
    pub fn effect(&self, game: &Match, seat: Seat, mv: &Move) -> String {
        let mut random = Random::new(to_u64(game.happened()), 0);
        let mut worlds = (0..WORLDS).map(|_| {
            let world = game.with_other_secrets(Audience::Seat(seat), &mut || random.word());
            self.effect_there(&world, seat, mv)
        });
        let (mut parts, mut texts) = worlds.next().unwrap_or_default();
        for (other_parts, other_texts) in worlds {
            let (known, same) = (parts.len(), texts.len());
            parts.retain(|part| other_parts.contains(part));
            let both = texts.iter().zip(&other_texts);
            let common = both.take_while(|(one, other)| one == other).count();
            texts.truncate(common);
            let all = parts.len() == known.max(other_parts.len());
            if !all || common < same.max(other_texts.len()) {
                texts.push("…".to_owned());
            }
        }
        let parts = parts.iter().filter(|(_, n)| *n != 0);
        let mut all: Vec<String> = parts.map(|(name, n)| format!("{n:+} {name}")).collect();
        all.extend(texts);
        all.join(", ").replace('-', "−")
    }

    /// What a move costs and brings in a world: numbers, then the rest.
    fn effect_there(&self, game: &Match, seat: Seat, mv: &Move) -> Effect {
        let mut after = game.clone();
        let from = game.happened();
        if after.apply(seat, mv).is_err() {
            return Effect::default();
        }
        let mut parts: Vec<(String, i64)> = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        let mut own = false;
        for (_, event) in after.seen(Audience::Seat(seat), from) {
            match &event {
                // The first move is the one in question.
                Event::Moved { .. } if own => break,
                Event::Moved { .. } => own = true,
                Event::Shuffled { .. } => {
                    texts.push("…".to_owned());
                    break;
                }
                Event::Marker { marker, .. } if self.is_die(marker) => {
                    texts.push("…".to_owned());
                    break;
                }
                Event::Counter { counter, from, to } => {
                    if let (Some(from), Some(to)) = (from, to) {
                        add(&mut parts, self.counted(counter, seat), to - from);
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
                        texts.push(format!("{n} ← {name} …"));
                        break;
                    }
                    let Some(row) = row else { continue };
                    let row = self.words.row_ref(row);
                    if owner(from) == Some(seat) && owner(to) != Some(seat) {
                        add(&mut parts, row.clone(), -n);
                    }
                    match owner(to) {
                        Some(to) if Some(to) == owner(from) => {}
                        Some(to) if to == seat => add(&mut parts, row, n),
                        Some(other) => {
                            add(&mut parts, format!("{} {row}", self.words.seat(other)), n)
                        }
                        None => {}
                    }
                }
                Event::PhaseBegan { phase, .. } => {
                    texts.push(format!("→ {}", self.words.phase(phase)));
                }
                Event::EndingDue { ending, .. } => {
                    texts.push(format!("⚑ {}", self.words.ending(ending)));
                }
                Event::Marker { .. } | Event::Raised { .. } | Event::Over { .. } => {}
            }
        }
        (parts, texts)
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

    fn is_die(&self, marker: &PlaceRef) -> bool {
        let dice = self.model.dice.iter();
        dice.map(|die| &self.model.markers[die.marker])
            .any(|die| die.name == marker.name)
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

fn add(parts: &mut Vec<(String, i64)>, name: String, n: i64) {
    match parts.iter_mut().find(|(known, _)| *known == name) {
        Some((_, all)) => *all += n,
        None => parts.push((name, n)),
    }
}
