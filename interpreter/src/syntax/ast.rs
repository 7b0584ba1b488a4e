//! The tree of a `.rules` file, as written: names are not resolved, nothing is typed.
//!
//! The tree says what the grammar (`grammar/rules.pest`) says and no more; every node knows its
//! span. Scripts (`do { … }`) are parsed by Rhai and arrive here in the same expression tree
//! ([`Statement`]), so that one resolver serves both notations.

#![allow(
    missing_docs,
    reason = "the parts of a variant are explained with the variant"
)]

use std::fmt;

use crate::source::{Span, Spanned};

/// A name as written.
pub type Name = Spanned<String>;

/// A dotted path, such as `captain.loading.load`.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The parts between the dots; never empty.
    pub parts: Vec<Name>,
    /// From the first part to the last.
    pub span: Span,
}

/// A citation of a rulebook clause: `@captain.must-load`.
pub type Cite = Spanned<String>;

/// Everything one `.rules` file says.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// The items in the order in which they are written.
    pub items: Vec<Item>,
    /// Every citation in it, also of sentences that could not be read.
    pub cites: Vec<Cite>,
}

/// One top-level sentence.
#[derive(Clone, Debug)]
pub enum Item {
    /// `place stock(p: player) of good …`
    Place(Place),
    /// `counter doubloons(p: player) …`
    Counter(Counter),
    /// `marker governor: player …`
    Marker(Marker),
    /// `event loaded(p: player, n: int)`
    Event(EventDecl),
    /// `query price(p: player, b: building): int …`
    Query(Query),
    /// `modify`, `allow`, `forbid`
    Contribution(Contribution),
    /// `on loaded(p, n): do { … }`
    Trigger(Trigger),
    /// `effect award(p: player, n: int): do { … }`
    Effect(EffectDecl),
    /// `phase captain(holder: player) …`
    Phase(Phase),
    /// `ending city_full …`
    Ending(Ending),
    /// `score chips for p: …`
    Score(Score),
    /// `winner most score(p), then most …`
    Winner(Winner),
    /// `building wharf for p when active` and what is indented below it
    Component(Component),
    /// `in captain.loading:` with the moves it adds
    Addition(Addition),
    /// `extend builder.build with helper: bool …`
    Extension(Extension),
    /// `before captain.storing:`, `after …`, `at start of …`, with steps or an effect
    Insertion(Insertion),
    /// `replace captain.storing:` with the new step
    Replacement(Replacement),
    /// `disable captain.storing`
    Disable(Disable),
    /// `record deal(payer: player, …)`
    Record(RecordDecl),
    /// `die production: 1 to 6`
    Die(Die),
    /// `when … becomes true for each p: …`
    Watch(Watch),
    /// `at any time` with the free moves it adds to every question
    AnyTime(AnyTime),
}

/// The face of a place: who sees what lies there.
#[derive(Clone, Debug, Default)]
pub struct Visibility {
    /// `face down` (nobody), `seen by p` (the named index), or open.
    pub faces: Sight,
    /// `counted by p`, or open.
    pub count: Sight,
}

/// Who sees.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Sight {
    /// Everybody.
    #[default]
    Everybody,
    /// Only the player at this index of the place.
    Only(Name),
    /// Nobody.
    Nobody,
}

/// A typed name in a header: `p: player`.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
}

/// A type as written.
#[derive(Clone, Debug)]
pub enum Type {
    /// `int`, `bool`, `player`, or the name of a table.
    Named(Name),
    /// `option good`
    Option(Box<Type>, Span),
    /// `bag of good`, `set of good`
    Many(ManyKind, Name, Span),
    /// `list of good at most 3`
    List(Name, i64, Span),
    /// `record(payer: player, …)` or the name of a declared record
    Record(Vec<Param>, Span),
}

impl fmt::Display for Type {
    /// As an author writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Named(name) => f.write_str(&name.node),
            Type::Option(inner, _) => write!(f, "option {inner}"),
            Type::Many(ManyKind::Bag, name, _) => write!(f, "bag of {}", name.node),
            Type::Many(ManyKind::Set, name, _) => write!(f, "set of {}", name.node),
            Type::List(name, most, _) => write!(f, "list of {} at most {most}", name.node),
            Type::Record(params, _) => {
                f.write_str("record(")?;
                for (i, param) in params.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    write!(f, "{comma}{}: {}", param.name.node, param.ty)?;
                }
                f.write_str(")")
            }
        }
    }
}

/// What a type that holds several things is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManyKind {
    /// Counts per row.
    Bag,
    /// Each row at most once.
    Set,
}

/// `place stack: pile of tile, face down  starts each t with pieces(t)`
#[derive(Clone, Debug)]
pub struct Place {
    /// Its name.
    pub name: Name,
    /// One place for each combination of these.
    pub index: Vec<Param>,
    /// Ordered, with a top; else only counts matter.
    pub pile: bool,
    /// The table whose pieces lie here.
    pub of: Name,
    /// Who sees.
    pub visibility: Visibility,
    /// `room <expr>`: how many pieces fit, if bounded.
    pub room: Option<Expr>,
    /// `starts each t with <expr>`: how many of each row lie here at first.
    pub starts: Option<(Name, Expr)>,
    /// `refilled from discards`: when it runs dry, that place is shuffled into it.
    pub refilled: Option<Expr>,
    /// `endless`: it never runs dry.
    pub endless: bool,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// `record deal(payer: player, …)`: a bundle of values that has a name.
#[derive(Clone, Debug)]
pub struct RecordDecl {
    /// Its name; called with its fields in order it makes one.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<Param>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// `die production: 1 to 6`: its name gives what it shows; its first face before it is rolled.
#[derive(Clone, Debug)]
pub struct Die {
    /// Its name.
    pub name: Name,
    /// What stands on its faces.
    pub faces: DieFaces,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// What stands on the faces of a die.
#[derive(Clone, Debug)]
pub enum DieFaces {
    /// `1 to 6`: each number once.
    Range(Expr, Expr),
    /// `symbol, each s with faces(s)`: rows of a table, each as often as the expression says, else
    /// once.
    Rows(Name, Option<(Name, Expr)>),
}

/// `when … becomes true for each p: do { … }`
#[derive(Clone, Debug)]
pub struct Watch {
    /// Its name, if written (`as …`).
    pub name: Option<Name>,
    /// What is watched: looked at after each effect, and true now but not before.
    pub condition: Expr,
    /// `for each p`: watched for each player.
    pub player: Option<Name>,
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

/// `counter doubloons(p: player)  starts 3`
#[derive(Clone, Debug)]
pub struct Counter {
    /// Its name.
    pub name: Name,
    /// One counter for each combination of these.
    pub index: Vec<Param>,
    /// `counted by p`.
    pub sight: Sight,
    /// `at most <expr>`: a dial whose excess is lost.
    pub most: Option<Expr>,
    /// Initial value; zero if absent.
    pub starts: Option<Expr>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// `marker governor: player  starts first_player`
#[derive(Clone, Debug)]
pub struct Marker {
    /// Its name.
    pub name: Name,
    /// One marker for each combination of these.
    pub index: Vec<Param>,
    /// What it points at.
    pub ty: Type,
    /// `seen by p` or `face down`.
    pub sight: Sight,
    /// Initial value; `none` of an option, else required.
    pub starts: Option<Expr>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// `event loaded(p: player, n: int)`
#[derive(Clone, Debug)]
pub struct EventDecl {
    /// Its name.
    pub name: Name,
    /// What it carries.
    pub params: Vec<Param>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// A named piece of script that effects may call: `effect award(p: player, n: int): do { … }`.
#[derive(Clone, Debug)]
pub struct EffectDecl {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What it does.
    pub script: Script,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// A pure function, by cases.
#[derive(Clone, Debug)]
pub struct Query {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What it gives.
    pub ty: Type,
    /// `when … -> …`, in order; the first true one decides.
    pub cases: Vec<QueryCase>,
    /// `otherwise -> …`, or the expression after `=`.
    pub otherwise: QueryCase,
    /// `at least …`
    pub least: Option<(Expr, Option<Cite>)>,
    /// `at most …`
    pub most: Option<(Expr, Option<Cite>)>,
    /// The clause of the whole.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// One case of a query.
#[derive(Clone, Debug)]
pub struct QueryCase {
    /// Its condition; none in `otherwise`.
    pub when: Option<Expr>,
    /// Its value.
    pub value: Expr,
    /// Its clause.
    pub cite: Option<Cite>,
}

/// A named change of a query from elsewhere: `modify price(p, b) by -1 when p is holder`.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// Its own name, if written (`modify … as discount`); a component's contribution is named after it.
    pub name: Option<Name>,
    /// The query.
    pub query: Path,
    /// Names that stand for the query's parameters, in order.
    pub args: Vec<Name>,
    /// What it does.
    pub layer: Layer,
    /// Its condition.
    pub when: Option<Expr>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// Fixed layers in which contributions apply.
#[derive(Clone, Debug)]
pub enum Layer {
    /// `becomes 5`
    Becomes(Expr),
    /// `by -1`
    By(Expr),
    /// `times 2`
    Times(Expr),
    /// `at least 0`
    AtLeast(Expr),
    /// `at most 7`
    AtMost(Expr),
    /// `allow …`
    Allow,
    /// `forbid …`
    Forbid,
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

/// A phase and its steps.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Param>,
    /// `plays role settler, …`: the component rows whose `play` this is.
    pub plays: Vec<PlaysRow>,
    /// `at most 6 deep`: the bound of its recursion.
    pub depth: Option<i64>,
    /// What it remembers while it lasts.
    pub keeps: Vec<Keep>,
    /// Queries that read its parameters.
    pub queries: Vec<Query>,
    /// Contributions, triggers and watches written inside it, moves it offers at any time, and places that
    /// last as long as it does.
    pub items: Vec<Item>,
    /// Its steps, in order.
    pub steps: Vec<Step>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
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

/// A question.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Who is asked.
    pub seats: Expr,
    /// How the question is closed.
    pub mode: AskMode,
    /// `sealed`: answers are shown together.
    pub sealed: bool,
    /// `never empty`: a promise that there is always a legal move.
    pub never_empty: bool,
    /// `at most n changes`
    pub bound: Option<(Expr, Option<Cite>)>,
    /// `each p from t where …`: each of the seats is asked and has this name.
    pub each: Option<AskEach>,
    /// `sees hand(q)`: what those asked are shown while they are asked.
    pub sees: Vec<Expr>,
    /// The moves offered to everyone asked, or by group.
    pub groups: Vec<MoveGroup>,
    /// The clause of the question.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// `each p from t where …` in a question.
#[derive(Clone, Debug)]
pub struct AskEach {
    /// The name of the seat.
    pub var: Name,
    /// `from`: clockwise from the seat; else (`in`) the seats are a set of players.
    pub clockwise: bool,
    /// `where …`
    pub filter: Option<Expr>,
}

/// How a question to several seats is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskMode {
    /// One seat.
    One,
    /// `all answer`
    AllAnswer,
    /// `first answers`
    FirstAnswers,
    /// `until a move closes it`
    UntilClosed,
}

/// `for p other than t` and its moves; without header for everyone asked.
#[derive(Clone, Debug)]
pub struct MoveGroup {
    /// The name that stands for the seat, and who: `for each p where …`, `for each p other than t`.
    pub who: Option<(Name, Option<Expr>)>,
    /// `for t`: the moves of this one seat.
    pub seat: Option<Expr>,
    /// The moves.
    pub moves: Vec<MoveDecl>,
}

/// A move.
#[derive(Clone, Debug)]
pub struct MoveDecl {
    /// Its name; `pass` is a name like any other.
    pub name: Name,
    /// `free move`: the question stays open after it.
    pub free: bool,
    /// Its parameters, in order.
    pub params: Vec<MoveParam>,
    /// `once per captain`
    pub once: Option<Path>,
    /// Its conditions.
    pub needs: Vec<Need>,
    /// `ensures …`: what must hold afterwards.
    pub ensures: Vec<Need>,
    /// What it does.
    pub effect: Option<Script>,
    /// `closes`, `closes -> fulfil(deal)`
    pub closes: Option<Option<(Path, Vec<Expr>)>>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// A parameter of a move.
#[derive(Clone, Debug)]
pub struct MoveParam {
    /// Its name.
    pub name: Name,
    /// What may be chosen.
    pub domain: MoveDomain,
    /// `when …`: offered only then, else its default.
    pub when: Option<Expr>,
    /// `shown to t`: who learns what was chosen, beside those who see it anyway.
    pub shown: Option<Expr>,
    /// `openly` (true): everybody learns it; `secretly` (false): nobody, whatever can be seen of it.
    pub openly: Option<bool>,
    /// The whole parameter.
    pub span: Span,
}

/// What may be chosen for a parameter.
#[derive(Clone, Debug)]
pub enum MoveDomain {
    /// One value of a type; rows in their order, players from the asked one clockwise.
    Type(Type),
    /// `n: 1 to 3`
    Range(Expr, Expr),
    /// `left: bag of stock(p), <limits>`: some of what lies in a place.
    BagOf { place: Expr, limits: Vec<BagLimit> },
    /// `some: set of built(p), <limits>`: some of them, each once.
    SetOf { place: Expr, limits: Vec<BagLimit> },
    /// `two: sequence of hand(p), <limits>`: some of them in an order.
    SequenceOf { place: Expr, limits: Vec<BagLimit> },
    /// `plan: spread of idle(p) over staff(p, each building), fields(p, each tile), overflow idle(p)`
    Spread {
        pieces: Name,
        over: Vec<SpreadTarget>,
        overflow: Expr,
    },
    /// `version: offer(p)`: must repeat what is there now
    Same(Expr),
}

/// Which instances of a place a spread may fill: `staff(p, each building)`.
#[derive(Clone, Debug)]
pub struct SpreadTarget {
    /// The place.
    pub place: Name,
    /// Its index: an expression, or every value.
    pub index: Vec<SpreadIndex>,
    /// The whole target.
    pub span: Span,
}

/// One index of a spread's target.
#[derive(Clone, Debug)]
pub enum SpreadIndex {
    /// This one.
    One(Expr),
    /// `each building`
    Each(Name),
}

/// A limit on a bag.
#[derive(Clone, Debug)]
pub enum BagLimit {
    /// `at least n`
    AtLeast(Expr),
    /// `at most n`
    AtMost(Expr),
    /// `exactly n`
    Exactly(Expr),
    /// `all different`
    AllDifferent,
    /// `at most n loose beyond k kinds`: outside the k fullest kinds at most n pieces
    LooseBeyond { loose: Expr, kinds: Expr },
    /// `at most k kinds`
    Kinds(Expr),
    /// `such that <condition>`
    SuchThat(Expr),
    /// `without c`: one piece of this row stays where it is.
    Without(Expr),
}

/// `needs <condition> @clause`
#[derive(Clone, Debug)]
pub struct Need {
    /// What must hold.
    pub condition: Expr,
    /// `reveals`: its failure may show a hidden thing; `secretly`: only the mover learns why.
    pub reveals: bool,
    /// See `reveals`.
    pub secretly: bool,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
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

/// Rules that a component brings: `building wharf for p when active`.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its table.
    pub table: Name,
    /// Its row.
    pub row: Name,
    /// `for p when active`: the owner's name and the query that must hold of owner and row.
    pub owner: Option<(Name, Option<Name>)>,
    /// The rules.
    pub items: Vec<Item>,
    /// The clause of the whole.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// Moves added to a question: `in captain.loading: move …`.
#[derive(Clone, Debug)]
pub struct Addition {
    /// The step that asks.
    pub step: Path,
    /// Further steps that ask.
    pub also: Vec<Path>,
    /// The moves.
    pub moves: Vec<MoveDecl>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// Parameters added to moves: `extend builder.build with helper: bool when …`.
#[derive(Clone, Debug)]
pub struct Extension {
    /// The moves.
    pub moves: Vec<Path>,
    /// What is added.
    pub params: Vec<MoveParam>,
    /// `before payment`: the parameter before which they are chosen; else after all others.
    pub before: Option<Name>,
    /// `once per round`: how often they may be used.
    pub once: Option<Path>,
    /// Contributions that count only while this move is made.
    pub items: Vec<Item>,
    /// Conditions that are added.
    pub needs: Vec<Need>,
    /// What must hold afterwards as well.
    pub ensures: Vec<Need>,
    /// Done after the move's own effect.
    pub effect: Option<Script>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// A moment of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before the step, once.
    Before,
    /// After the step, once.
    After,
    /// Before each turn of the player.
    BeforeTurn,
    /// After each turn of the player.
    AfterTurn,
    /// Before the player's first turn.
    BeforeFirstTurn,
    /// At the start of the phase or step: its parameters are known.
    AtStart,
    /// At the end of the phase or step: its parameters are still known.
    AtEnd,
    /// After the player's first turn.
    AfterFirstTurn,
}

/// A step added at a moment.
#[derive(Clone, Debug)]
pub struct Insertion {
    /// When.
    pub moment: Moment,
    /// `of p`: the name of the player whose turn it is.
    pub player: Option<Name>,
    /// The step or phase.
    pub target: Path,
    /// Its condition.
    pub when: Option<Expr>,
    /// `owner orders`: simultaneous ones are ordered by their owner.
    pub owner_orders: bool,
    /// The name of the step that is added.
    pub name: Option<Name>,
    /// What it does.
    pub body: Body,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// `replace captain.storing:` and the new step.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// What is replaced: a step, a move, a query, an ending.
    pub target: Path,
    /// By what.
    pub with: Replacing,
    /// `after <module>`: stated precedence over another module's replacement.
    pub after: Option<Name>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// What replaces.
#[derive(Clone, Debug)]
pub enum Replacing {
    /// A step of the same name.
    Step(Box<Step>),
    /// A move of the same name.
    Move(Box<MoveDecl>),
    /// A query of the same name and type.
    Query(Box<Query>),
}

/// `disable captain.storing`
#[derive(Clone, Debug)]
pub struct Disable {
    /// What no longer holds: a step, a move, a contribution, a trigger, an ending, a component's rules.
    pub target: Path,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}

/// A script, parsed.
#[derive(Clone, Debug)]
pub struct Script {
    /// Its statements.
    pub statements: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

/// A statement of a script.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `let n = …;`
    Let { name: Name, value: Expr },
    /// `n = …;`, `n += …;` (with the operator)
    Assign {
        name: Name,
        op: Option<BinaryOp>,
        value: Expr,
    },
    /// `if … { } else { }`
    If {
        condition: Expr,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
        span: Span,
    },
    /// `while … { }`
    While {
        condition: Expr,
        body: Vec<Statement>,
        span: Span,
    },
    /// `for g in goods { }`
    For {
        var: Name,
        over: Expr,
        body: Vec<Statement>,
        span: Span,
    },
    /// `break;`
    Break(Span),
    /// `continue;`
    Continue(Span),
    /// A verb or a query called.
    Expr(Expr),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it was written.
    pub span: Span,
}

/// Kinds of expression, common to both notations.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `3`
    Int(i64),
    /// `true`
    Bool(bool),
    /// `none`
    None,
    /// `p`
    Name(String),
    /// `fits(p, s, g)`
    Call { name: Name, args: Vec<Expr> },
    /// `x.f` and `x.f(y)`: a row of a table (`role.library`), a query of a phase
    /// (`captain.fits(…)`), a field of a record, or `f(x, y)`
    Dot {
        base: Box<Expr>,
        name: Name,
        args: Option<Vec<Expr>>,
    },
    /// `not x`, `-x`
    Unary(UnaryOp, Box<Expr>),
    /// `x + y`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `x in S`, `x not in S`; in a script `x in 1..4`
    In {
        value: Box<Expr>,
        negated: bool,
        domain: Box<Expr>,
    },
    /// `x is y`, `x is not y`
    Is {
        value: Box<Expr>,
        negated: bool,
        other: Box<Expr>,
    },
    /// `max o in ships where …: fits(p, o, g)`
    Aggregate {
        op: AggregateOp,
        var: Name,
        domain: Box<Expr>,
        filter: Option<Box<Expr>>,
        body: Option<Box<Expr>>,
    },
    /// `if … { … } else { … }` in a script
    If {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// `possible(load)`: some move of this name is legal for the player asked
    Possible(Path),
    /// `1..4` and `1..=4` in scripts; `1 to 4` in rules (inclusive)
    Range {
        from: Box<Expr>,
        to: Box<Expr>,
        inclusive: bool,
    },
    /// `size(stock(p))`-like calls on every index: `each good`
    Each(Name),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `not x`
    Not,
    /// `-x`
    Minus,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

/// `any`, `all`, … over a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateOp {
    /// Some member satisfies the body.
    Any,
    /// Every member satisfies the body.
    All,
    /// The sum of the body.
    Sum,
    /// How many members satisfy the filter.
    Count,
    /// The greatest body; zero of an empty domain.
    Max,
    /// The least body; zero of an empty domain.
    Min,
    /// The first member that satisfies the filter, or `none`.
    First,
}
