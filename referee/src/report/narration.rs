//! Events in words: the one place where what happened is said, for the terminal and for transcripts, which books quote.
//!
//! In: events as some audience sees them. Out: a few words each. Who tells them decides what is told, in which order, and
//! how it is laid out.

use interpreter::play::{Event, Id, Value};

use super::words::Words;

impl Words<'_> {
    /// A phase that begins, with what it is of: `the round: leader Ada`. `name` is what it is called here.
    pub fn begun(&self, name: String, args: &[(Id, Value)]) -> String {
        let args: Vec<String> = args
            .iter()
            .map(|(name, value)| format!("{} {}", self.param(name), self.value(value)))
            .collect();
        match args.is_empty() {
            true => name,
            false => format!("{name}: {}", args.join(", ")),
        }
    }

    /// What is said of a move that was the only one.
    pub fn forced(&self) -> &'static str {
        self.say("(the only move)", "(jedyny ruch)")
    }

    /// Pieces that go the same way one after the other are told together; gives how many of the events that is, zero if the
    /// first is none of pieces.
    pub fn pieces(&self, events: &[Event]) -> (usize, String) {
        let Some(Event::Pieces { from, to, .. }) = events.first() else {
            return (0, String::new());
        };
        let mut counts: Vec<(Option<String>, i64)> = Vec::new();
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
            let name = row.as_ref().map(|row| self.row_ref(row));
            let n = i64::from(count.unwrap_or(1));
            match counts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, all)) => *all += n,
                None => counts.push((name, n)),
            }
        }
        let pieces = counts.into_iter().map(|(name, n)| match name {
            Some(name) => self.counts([(name, n)]),
            None => self.face_down(n),
        });
        let pieces = pieces.collect::<Vec<_>>().join(", ");
        let way = format!("{pieces}: {} → {}", self.place(from), self.place(to));
        (told, way)
    }

    /// An event that follows from a move; none if it is a phase and what that keeps, a question, a move, pieces or the end.
    pub fn followed(&self, event: &Event) -> Option<String> {
        let number = |value: &Option<i64>| value.map_or("?".to_owned(), |n| n.to_string());
        Some(match event {
            Event::Counter { counter, from, to } => {
                format!("{} {} → {}", self.place(counter), number(from), number(to))
            }
            Event::Marker { marker, to } => {
                let to = to.as_ref();
                let to = to.map_or("?".to_owned(), |to| self.value(to));
                format!("{} → {to}", self.place(marker))
            }
            Event::Shuffled { pile, size } => {
                let shuffled = self.say("shuffled", "przetasowano");
                format!("{shuffled}: {} ({size})", self.place(pile))
            }
            Event::Raised { event, args } => {
                let values: Vec<_> = args.iter().map(|(_, value)| self.value(value)).collect();
                format!("{} ({})", self.event(event), values.join(", "))
            }
            Event::EndingDue { ending, .. } => {
                let due = self.say("the end draws near", "zbliża się koniec");
                format!("{due}: {}", self.ending(ending))
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
