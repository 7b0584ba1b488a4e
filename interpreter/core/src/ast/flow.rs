//! How a match goes: phases and their steps, triggers and watches, endings, scores, the winner.

use super::decisions::{Ask, MoveDecl};
use super::functions::{Expr, Script};
use super::table::Sight;
use super::words::{Cite, Name, Param, Path, Type};
use crate::source::Span;

/// `when … becomes true for each p: do { … }`
#[derive(Clone, Debug)]
pub struct Watch {
    /// Its name, if written (`as …`).
    pub name: Option<Name>,
    /// What is watched: looked at after each effect, and true now but not before.
    pub condition: Expr,
    /// `for each p`: watched for each player.
    pub player: Option<Name>,
    /// `reveals`: that it became true may show a hidden thing.
    pub reveals: bool,
    /// What follows.
    pub body: Body,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// `at any time for each p` with free moves: they stand beside every question of that player.
#[derive(Clone, Debug)]
pub struct AnyTime {
    /// Who; below a component its owner.
    pub player: Option<Name>,
    /// When they are offered.
    pub when: Option<Expr>,
    /// The moves, each of them free.
    pub moves: Vec<MoveDecl>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// `on loaded(p, n) when p is holder, once per captain: do { … }`
#[derive(Clone, Debug)]
pub struct Trigger {
    /// The event.
    pub event: Path,
    /// Names for what the event carries, in order.
    pub args: Vec<Name>,
    /// Its condition.
    pub when: Option<Expr>,
    /// `once per captain`
    pub once: Option<Path>,
    /// `before carpenter`, `after carpenter`: other triggers of the event; true is before.
    pub order: Vec<(bool, Path)>,
    /// Its own name, if written (`as …`).
    pub name: Option<Name>,
    /// What follows.
    pub body: Body,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// `role settler` in `plays role settler`.
#[derive(Clone, Debug)]
pub struct PlaysRow {
    /// The table.
    pub table: Name,
    /// The row.
    pub row: Name,
}

/// `keeps made(p: player, g: good): int`
#[derive(Clone, Debug)]
pub struct Keep {
    /// Its name.
    pub name: Name,
    /// One value for each combination of these.
    pub index: Vec<Param>,
    /// Its type.
    pub ty: Type,
    /// Who sees it.
    pub sight: Sight,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// A named step of a phase.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name.
    pub name: Name,
    /// How often and for whom.
    pub over: Over,
    /// `when …`: else the step is passed over.
    pub when: Option<Expr>,
    /// What it does.
    pub body: Body,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// How often a step happens and for whom.
#[derive(Clone, Debug)]
pub enum Over {
    /// Once.
    Once,
    /// `each p from holder [where …]`: each player one turn, clockwise.
    EachPlayer {
        var: Name,
        from: Expr,
        filter: Option<Expr>,
    },
    /// `cycle p from holder until …`: clockwise, again and again.
    Cycle { var: Name, from: Expr, until: Until },
    /// `for s in ships [where …]`: each row of a table, in its order.
    EachRow {
        var: Name,
        domain: Expr,
        filter: Option<Expr>,
    },
    /// `repeat until …`
    Repeat { until: Until },
}

/// When a cycle ends.
#[derive(Clone, Debug)]
pub enum Until {
    /// `until a lap without loaded`: nobody raised the event since everyone had a turn.
    LapWithout(Path),
    /// `until <condition>`: judged before each turn.
    Condition(Expr),
    /// `until the game ends`
    Forever,
}

/// What a step, trigger or insertion does.
#[derive(Clone, Debug)]
pub enum Body {
    /// `do { … }`
    Do(Script),
    /// `ask p …`
    Ask(Box<Ask>),
    /// `visit settler.pick(holder)`
    Visit {
        phase: Path,
        args: Vec<Expr>,
        ensures: Option<(Expr, Option<Cite>)>,
        span: Span,
    },
    /// `play picked(p)`: the phase that plays this row
    Play {
        row: Expr,
        args: Vec<Expr>,
        span: Span,
    },
    /// `end captain.loading`
    End { target: Path, span: Span },
    /// Steps below it.
    Steps(Vec<Step>),
}

/// `ending city_full when … , after round`
#[derive(Clone, Debug)]
pub struct Ending {
    /// Its name: the reason for the end.
    pub name: Name,
    /// When it becomes due; none if an effect says `finish(name)`.
    pub when: Option<Expr>,
    /// `after round`; none is at once.
    pub after: Option<Path>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// A line of the score sheet.
#[derive(Clone, Debug)]
pub struct Score {
    /// The line.
    pub name: Name,
    /// The player scored.
    pub player: Name,
    /// `last`: after every other line, whose sum `so_far(p)` it may read.
    pub last: bool,
    /// Its condition.
    pub when: Option<Expr>,
    /// Its value.
    pub value: Expr,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// Who wins: the first criterion, then the tie-breaks.
#[derive(Clone, Debug)]
pub struct Winner {
    /// The player compared.
    pub player: Name,
    /// `most <expr>` (true) or `fewest <expr>`, in order.
    pub criteria: Vec<(bool, Expr, Option<Cite>)>,
    /// The whole sentence.
    pub span: Span,
}

/// `require all f in fields: squares_of(f) > 0`: what the tables of a package must satisfy.
#[derive(Clone, Debug)]
pub struct Require {
    /// Reads columns, figures and options only.
    pub condition: Expr,
    /// Its clause.
    pub cite: Option<Cite>,
    /// From `require` to the end of the sentence.
    pub span: Span,
}
