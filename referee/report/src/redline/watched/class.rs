//! Why words are watched, and how the tables say it.

use serde::Serialize;

/// Why a word is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// `must`, `musi`
    Obligation,
    /// `may`, `wolno`
    Permission,
    /// `not`, `never`, `nikt`
    Negation,
    /// `two`, `12`, `pierwszy`
    Number,
    /// `at least`, `najwyżej`
    Bound,
    /// `before`, `natychmiast`
    Time,
    /// `all`, `only`, `oprócz`
    Extent,
    /// `clockwise`, `face up`, `kept`, `tajny`: words whose opposite says the contrary.
    Opposite,
    /// Whom or what a sentence is about: players, and whatever has a name in the game.
    Subject,
}

/// A row of a table: words that are written so (`stem*` stands for every word that begins so), and what they mean.
pub(super) type Row = (Class, &'static str, &'static [&'static str]);
