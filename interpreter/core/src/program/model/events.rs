//! What follows by itself: events, their triggers, conditions that are watched.

use crate::program::cell::Cell;
use crate::program::ids::*;
use crate::program::tree::Ty;
use crate::source::Id;
/// An event that rules raise.
#[derive(Clone, Debug)]
pub struct EventModel {
    /// Its name.
    pub name: Id,
    /// What it carries.
    pub params: Vec<(Id, Ty)>,
    /// What follows, in order.
    pub triggers: Vec<TriggerModel>,
    /// Cells that are set to zero when it is raised (laps without it).
    pub resets: Vec<Cell>,
}

/// What follows an event.
#[derive(Clone, Debug)]
pub struct TriggerModel {
    /// What it is called: its own name, that of the component to which it belongs, or that of the event.
    pub name: Id,
    /// Its condition: a function of what the event carries.
    pub when: Option<FuncId>,
    /// Once per phase: the cells that remember, and whether there is one for each seat.
    pub once: Option<(Cell, bool)>,
    /// Only while this phase is under way.
    pub under: Option<PhaseId>,
    /// What it does.
    pub body: TriggerBody,
    /// Its clause.
    pub cite: Option<ClauseId>,
}

/// What a trigger does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerBody {
    /// An effect: a function of what the event carries.
    Effect(FuncId),
    /// Something that asks or visits: a phase whose parameters are what the event carries.
    Phase(PhaseId),
}

/// A condition that is looked at after each effect.
#[derive(Clone, Debug)]
pub struct WatchModel {
    /// What it is called, or the component to which it belongs; several may be called alike.
    pub name: Id,
    /// The condition: a function of the player, if there is one.
    pub when: FuncId,
    /// For each player.
    pub each: bool,
    /// First cell that remembers whether it held.
    pub memory: Cell,
    /// Only while this phase is under way.
    pub under: Option<PhaseId>,
    /// That it became true may tell what not everybody sees.
    pub reveals: bool,
    /// What follows when it becomes true.
    pub trigger: TriggerModel,
}

/// Where events wait in the state while something that follows from one of them is asked.
pub mod agenda {
    /// Most entries.
    pub const MOST: u32 = 24;
    /// Cells of an entry: the event, the next trigger, what the event carries.
    pub const WIDTH: u32 = 10;
}
