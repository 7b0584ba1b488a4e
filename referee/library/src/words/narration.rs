//! Events in words, for the terminal and for transcripts, which books quote.
//!
//! In: events as some audience sees them. Out: a few words each: the ruleset's sentences, and the referee's own
//! ([`phrases`](super::phrases)). Who tells them decides what is told, in which order, and how it is laid out.

use interpreter::play::{Event, Id, Move, RowRef, Seat, Value};

use super::Words;

impl Words<'_> {
    /// A phase that begins, with what it is of: `the round: leader Ada`. `name` is what it is called here.
    pub fn begun(&self, name: String, args: &[(Id, Value)]) -> String {
        self.phrase(
            "phase_began",
            &[("phase", name), ("arguments", self.arguments(args))],
        )
    }

    /// A move that players made: `p1, p2: take a tile: Corn plantation`. `forced` is one that was the only one.
    pub fn moved(&self, seats: &[Seat], step: &str, mv: &Move, forced: bool) -> String {
        let seats: Vec<String> = seats.iter().map(|seat| self.seat(*seat)).collect();
        let phrase = match forced {
            true => "move_made.forced",
            false => "move_made",
        };
        let holes = [("seat", seats.join(", ")), ("move", self.made(step, mv))];
        self.phrase(phrase, &holes)
    }

    /// Pieces that go the same way one after the other are told together; gives how many of the events that is, zero if the
    /// first is none of pieces.
    pub fn pieces(&self, events: &[Event]) -> (usize, String) {
        let Some(Event::Pieces { from, to, .. }) = events.first() else {
            return (0, String::new());
        };
        let mut counts: Vec<(Option<&RowRef>, i64)> = Vec::new();
        let mut told = 0;
        for event in events {
            let Event::Pieces {
                from: a,
                to: b,
                row,
                count,
            } = event
            else {
                break;
            };
            if (a, b) != (from, to) {
                break;
            }
            told += 1;
            let row = row.as_ref();
            let n = i64::from(count.unwrap_or(1));
            match counts.iter_mut().find(|(known, _)| *known == row) {
                Some((_, all)) => *all += n,
                None => counts.push((row, n)),
            }
        }
        let pieces = counts.into_iter().map(|(row, n)| match row {
            Some(row) => self.counts([(&row.table, &row.row, n)]),
            None => self.face_down(n),
        });
        let holes = [
            ("pieces", pieces.collect::<Vec<_>>().join(", ")),
            ("source", self.place(from)),
            ("destination", self.place(to)),
        ];
        (told, self.phrase("pieces_moved", &holes))
    }

    /// An event that follows from a move; none if it is a phase and what that keeps, a question, a move, pieces or the end.
    pub fn followed(&self, event: &Event) -> Option<String> {
        let secret = || self.phrase("secret_number", &[]);
        let number = |value: &Option<i64>| value.map_or_else(secret, |n| n.to_string());
        let value = |value: &Option<Value>| match value {
            Some(value) => self.value(value),
            None => secret(),
        };
        Some(match event {
            Event::Counter { counter, from, to } => self.phrase(
                "counter_changed",
                &[
                    ("counter", self.place(counter)),
                    ("before", number(from)),
                    ("after", number(to)),
                ],
            ),
            Event::Marker { marker, to } => {
                let holes = [("marker", self.place(marker)), ("value", value(to))];
                self.phrase("marker_set", &holes)
            }
            Event::Shuffled { pile, size } => {
                let holes = [("pile", self.place(pile)), ("size", size.to_string())];
                self.phrase("pile_shuffled", &holes)
            }
            Event::Raised { event, args } => self.raised(event, args),
            Event::EndingDue { ending, .. } => {
                self.phrase("ending_due", &[("ending", self.ending(ending))])
            }
            Event::Over { .. }
            | Event::PhaseEnded { .. }
            | Event::Kept { .. }
            | Event::Asked { .. }
            | Event::PhaseBegan { .. }
            | Event::Moved { .. }
            | Event::Pieces { .. } => return None,
        })
    }
}
