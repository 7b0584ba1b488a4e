//! What a book says of itself, in its language.

use interpreter::package::Language;

use crate::coverage::Standing;

/// The words of a language.
#[derive(Clone, Copy, Debug)]
pub struct Labels(pub Language);

impl Labels {
    /// `en`, `pl`
    pub fn code(self) -> &'static str {
        match self.0 {
            Language::English => "en",
            Language::Polish => "pl",
        }
    }

    /// One of two texts.
    pub fn say<'t>(self, english: &'t str, polish: &'t str) -> &'t str {
        match self.0 {
            Language::English => english,
            Language::Polish => polish,
        }
    }

    /// `yes`, `no`
    pub fn truth(self, truth: bool) -> &'static str {
        match truth {
            true => self.say("yes", "tak"),
            false => self.say("no", "nie"),
        }
    }

    /// A kind of clause, if it is worth a word.
    pub(super) fn clause_kind(self, kind: &str) -> Option<&'static str> {
        Some(match kind {
            "ruling" => self.say("ruling of ours", "nasze rozstrzygnięcie"),
            "option" => self.say("only as an option", "tylko jako opcja"),
            "note" => self.say("note, nothing to enforce", "uwaga, niczego nie wymusza"),
            _ => return None,
        })
    }

    /// What stands before a clause of a lower layer that is left out.
    pub(super) fn replaces(self) -> &'static str {
        self.say("in place of", "zamiast")
    }

    /// What stands before the clauses that make an exception to another.
    pub(super) fn restricted_by(self) -> &'static str {
        self.say("restricted by", "ograniczone przez")
    }

    /// What stands before the paragraphs that a ruling decides upon.
    pub(super) fn decides(self) -> &'static str {
        self.say(
            "Decided by us, for the print leaves it open:",
            "Nasze rozstrzygnięcie tego, co instrukcja zostawia otwarte:",
        )
    }

    /// How far a clause is proven, and what is missing.
    pub fn standing(self, standing: Standing, missing: &[String]) -> String {
        let said = match standing {
            Standing::Proven => self.say("proven", "udowodnione"),
            Standing::Touched => self.say("touched", "dotknięte"),
            Standing::Gap => self.say("not proven", "bez dowodu"),
        };
        match missing {
            [] => said.to_owned(),
            _ => format!("{said}: {}", missing.join(", ")),
        }
    }

    /// A kind of word.
    pub(super) fn kind(self, kind: &str) -> &'static str {
        match kind {
            "place" => self.say("place", "miejsce"),
            "counter" => self.say("counter", "licznik"),
            "marker" => self.say("marker", "znacznik"),
            "die" => self.say("die", "kostka"),
            "phase" => self.say("phase", "faza"),
            "move" => self.say("move", "ruch"),
            "param" => self.say("part of a move", "część ruchu"),
            "event" => self.say("event", "zdarzenie"),
            "ending" => self.say("ending", "zakończenie"),
            _ => self.say("line of the score", "pozycja punktacji"),
        }
    }

    /// A heading inside of rules.
    pub(super) fn heading(self, english: &str) -> &str {
        match (self.0, english) {
            (Language::Polish, "The end of the game") => "Koniec gry",
            (Language::Polish, "Figures and options") => "Liczby i opcje",
            (Language::Polish, "What it brings") => "Co wnosi",
            _ => english,
        }
    }

    /// `for 2 to 5 players`
    pub(super) fn players(self, (from, to): (u8, u8)) -> String {
        match (self.0, from == to) {
            (Language::English, true) => format!("for {from} players"),
            (Language::English, false) => format!("for {from} to {to} players"),
            (Language::Polish, true) => format!("liczba graczy: {from}"),
            (Language::Polish, false) => format!("liczba graczy: od {from} do {to}"),
        }
    }
}
