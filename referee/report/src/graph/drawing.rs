//! What is drawn: boxes, and arrows between them.

use serde::Serialize;

/// What a box is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A phase begins.
    Begin,
    /// A phase is over.
    End,
    /// Steps are repeated, or passed over.
    Control,
    /// An enclosing step or phase is ended.
    Jump,
    /// Something is done.
    Effect,
    /// Another phase is visited.
    Visit,
    /// Somebody is asked.
    Ask,
    /// A phase that is drawn elsewhere.
    Elsewhere,
}

/// A box.
#[derive(Clone, Debug, Serialize)]
pub struct Box {
    /// The phase, by its number in [`Drawing::phases`].
    pub phase: usize,
    /// What it is.
    pub shape: Shape,
    /// Its address: `captain.loading`, or a phase.
    pub address: String,
    /// What it is called.
    pub title: String,
    /// What else is said of it.
    pub lines: Vec<String>,
    /// The clause of the step.
    pub clause: Option<String>,
}

/// What an arrow means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Meaning {
    /// Play goes on there.
    Next,
    /// That phase is visited, and play comes back.
    Visits,
}

/// An arrow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Arrow {
    /// From this box.
    pub from: usize,
    /// To this one.
    pub to: usize,
    /// What it means.
    pub meaning: Meaning,
    /// When, if not always.
    pub label: Option<String>,
}

/// A phase.
#[derive(Clone, Debug, Serialize)]
pub struct Group {
    /// Its name in the rules.
    pub name: String,
    /// What it is called.
    pub title: String,
}

/// A graph to be drawn.
#[derive(Clone, Debug, Serialize)]
pub struct Drawing {
    /// What it shows.
    pub title: String,
    /// The phases of its boxes.
    pub phases: Vec<Group>,
    /// The boxes.
    pub boxes: Vec<Box>,
    /// The arrows.
    pub arrows: Vec<Arrow>,
}
