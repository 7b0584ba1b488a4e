//! Rules that nobody would write: random queries and scripts over the [mini](crate::mini) table.
//!
//! Trees are drawn by proptest, so that a failure shrinks; they name things by number, and what a
//! number means depends on what is in scope where the tree is written out. The same tree can be
//! written as an expression of rules or of a script.

use std::fmt::Write;

use proptest::prelude::*;

/// An expression that is a number.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Number {
    Literal(i32),
    Name(u8),
    Binary(&'static str, Box<Number>, Box<Number>),
    Extreme(&'static str, Box<Number>, Box<Number>),
    Minus(Box<Number>),
    Choose(Box<Truth>, Box<Number>, Box<Number>),
    Size(u8, Player),
    Count(u8, Player, Row),
    Purse(Player),
    Told(Row),
    Weight(Row),
    Position(Player, Player),
    Over(&'static str, Set, Option<Box<Truth>>, Box<Number>),
    Query(u8, Player, Row, Box<Number>),
    Taken(Box<Number>, Row, u8, u8, Player),
}

/// An expression that holds or not.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Truth {
    Constant(bool),
    Compare(&'static str, Box<Number>, Box<Number>),
    Both(Box<Truth>, Box<Truth>),
    Either(Box<Truth>, Box<Truth>),
    Not(Box<Truth>),
    Warm(Row),
    Same(Row, Row),
    Marked(Row),
    Dealer(Player),
    Exists(&'static str, Set, Box<Truth>),
}

/// A row of the table `colour`.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Row {
    Fixed(u8),
    Name(u8),
    Twin(Box<Row>),
}

/// A player.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Player {
    Name(u8),
    Dealer,
    Next(Box<Player>),
}

/// What a loop or an aggregate runs through.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Set {
    Colours,
    Players,
    Range(Box<Number>, Box<Number>),
}

/// A statement of a script.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Statement {
    Let(Number),
    Assign(u8, &'static str, Number),
    If(Truth, Vec<Statement>, Vec<Statement>),
    For(Set, Vec<Statement>),
    While(Truth, Vec<Statement>),
    Leave(&'static str, Truth),
    Gain(Player, Number),
    Pay(Player, Number),
    Set(Player, Number),
    Tell(Row, Number),
    Mark(Option<Row>),
    Befriend(Player, Option<Player>),
    Move(Number, Row, u8, u8, Player),
    MoveAll(u8, u8, Player),
    Draw(Number, u8, Player),
    TakeOut(Number, Row, u8, Player),
    TakeEither(Number, Row, u8, u8, u8, Player),
    Shuffle,
    ShuffleInto(u8, Player),
    Raise(Player, Number),
    Do(u8, Player, Row, Number),
}

/// How far trees of numbers and truths grow.
const DEPTH: u32 = 3;

fn players() -> BoxedStrategy<Player> {
    let leaf = prop_oneof![4 => (0..4u8).prop_map(Player::Name), 1 => Just(Player::Dealer)];
    leaf.prop_recursive(2, 3, 1, |inner| {
        inner.prop_map(|p| Player::Next(Box::new(p)))
    })
    .boxed()
}

fn rows() -> BoxedStrategy<Row> {
    let leaf = prop_oneof![2 => (0..4u8).prop_map(Row::Name), 2 => (0..3u8).prop_map(Row::Fixed)];
    leaf.prop_recursive(2, 3, 1, |inner| inner.prop_map(|r| Row::Twin(Box::new(r))))
        .boxed()
}

fn sets(depth: u32, plain: bool) -> BoxedStrategy<Set> {
    let range = (numbers(depth, plain), numbers(depth, plain))
        .prop_map(|(a, b)| Set::Range(Box::new(a), Box::new(b)));
    if plain {
        return range.boxed();
    }
    prop_oneof![3 => Just(Set::Colours), 1 => Just(Set::Players), 2 => range].boxed()
}

/// Numbers; `plain` ones know nothing of the table.
pub fn numbers(depth: u32, plain: bool) -> BoxedStrategy<Number> {
    let literal = prop_oneof![
        6 => 0..6i32,
        1 => -3..0i32,
        1 => prop_oneof![Just(i32::MAX), Just(i32::MIN + 1), Just(65_536)],
    ];
    let simple =
        prop_oneof![3 => literal.prop_map(Number::Literal), 4 => (0..6u8).prop_map(Number::Name)];
    let leaf = if plain {
        simple.boxed()
    } else {
        prop_oneof![
            7 => simple,
            1 => (0..4u8, players()).prop_map(|(s, p)| Number::Size(s, p)),
            2 => (0..3u8, players(), rows()).prop_map(|(s, p, r)| Number::Count(s, p, r)),
            1 => players().prop_map(Number::Purse),
            1 => rows().prop_map(Number::Told),
            1 => rows().prop_map(Number::Weight),
            1 => (players(), players()).prop_map(|(a, b)| Number::Position(a, b)),
        ]
        .boxed()
    };
    if depth == 0 {
        return leaf;
    }
    let sub = || numbers(depth - 1, plain).prop_map(Box::new);
    let truth = || truths(depth - 1, plain).prop_map(Box::new);
    let operator = prop_oneof![
        4 => Just("+"), 3 => Just("-"), 3 => Just("*"), 2 => Just("/"), 2 => Just("%")
    ];
    let grown = prop_oneof![
        6 => (operator, sub(), sub()).prop_map(|(o, a, b)| Number::Binary(o, a, b)),
        1 => (prop_oneof![Just("min"), Just("max")], sub(), sub())
            .prop_map(|(o, a, b)| Number::Extreme(o, a, b)),
        1 => sub().prop_map(Number::Minus),
        1 => (truth(), sub(), sub()).prop_map(|(c, a, b)| Number::Choose(c, a, b)),
    ];
    if plain {
        return prop_oneof![2 => leaf, 3 => grown].boxed();
    }
    let over = (
        prop_oneof![Just("sum"), Just("max"), Just("min"), Just("count")],
        sets(depth - 1, plain),
        proptest::option::of(truth()),
        sub(),
    )
        .prop_map(|(o, s, f, b)| Number::Over(o, s, f, b));
    let query =
        (0..3u8, players(), rows(), sub()).prop_map(|(q, p, r, n)| Number::Query(q, p, r, n));
    let taken = (sub(), rows(), 0..3u8, 0..3u8, players())
        .prop_map(|(n, r, a, b, p)| Number::Taken(n, r, a, b, p));
    prop_oneof![4 => leaf, 6 => grown, 3 => over, 2 => query, 1 => taken].boxed()
}

/// Truths; `plain` ones know nothing of the table.
pub fn truths(depth: u32, plain: bool) -> BoxedStrategy<Truth> {
    let constant = any::<bool>().prop_map(Truth::Constant);
    let leaf = if plain {
        constant.boxed()
    } else {
        prop_oneof![
            1 => constant,
            2 => rows().prop_map(Truth::Warm),
            2 => (rows(), rows()).prop_map(|(a, b)| Truth::Same(a, b)),
            1 => rows().prop_map(Truth::Marked),
            1 => players().prop_map(Truth::Dealer),
        ]
        .boxed()
    };
    if depth == 0 {
        return leaf;
    }
    let sub = || truths(depth - 1, plain).prop_map(Box::new);
    let number = || numbers(depth - 1, plain).prop_map(Box::new);
    let sign = prop_oneof![
        Just("=="),
        Just("!="),
        Just("<"),
        Just("<="),
        Just(">"),
        Just(">=")
    ];
    let grown = prop_oneof![
        5 => (sign, number(), number()).prop_map(|(s, a, b)| Truth::Compare(s, a, b)),
        2 => (sub(), sub()).prop_map(|(a, b)| Truth::Both(a, b)),
        2 => (sub(), sub()).prop_map(|(a, b)| Truth::Either(a, b)),
        1 => sub().prop_map(Truth::Not),
    ];
    if plain {
        return prop_oneof![1 => leaf, 5 => grown].boxed();
    }
    let exists = (
        prop_oneof![Just("any"), Just("all")],
        sets(depth - 1, plain),
        sub(),
    )
        .prop_map(|(o, s, t)| Truth::Exists(o, s, t));
    prop_oneof![2 => leaf, 6 => grown, 2 => exists].boxed()
}

/// Statements of a script, with loops nested so deep.
pub fn statements(depth: u32, plain: bool) -> BoxedStrategy<Vec<Statement>> {
    let number = || numbers(2, plain);
    let assign = prop_oneof![
        3 => Just("="), 2 => Just("+="), 1 => Just("-="), 1 => Just("*="), 1 => Just("/="), 1 => Just("%=")
    ];
    let leave = (
        prop_oneof![Just("break"), Just("continue")],
        truths(1, plain),
    )
        .prop_map(|(w, t)| Statement::Leave(w, t));
    let simple = prop_oneof![
        3 => number().prop_map(Statement::Let),
        5 => (0..6u8, assign, number()).prop_map(|(n, o, v)| Statement::Assign(n, o, v)),
        1 => leave,
    ];
    let leaf = if plain {
        simple.boxed()
    } else {
        let verbs = prop_oneof![
            (players(), number()).prop_map(|(p, n)| Statement::Gain(p, n)),
            (players(), number()).prop_map(|(p, n)| Statement::Pay(p, n)),
            (players(), number()).prop_map(|(p, n)| Statement::Set(p, n)),
            (rows(), number()).prop_map(|(r, n)| Statement::Tell(r, n)),
            proptest::option::of(rows()).prop_map(Statement::Mark),
            (players(), proptest::option::of(players()))
                .prop_map(|(p, q)| Statement::Befriend(p, q)),
            (number(), rows(), 0..3u8, 0..3u8, players())
                .prop_map(|(n, r, a, b, p)| Statement::Move(n, r, a, b, p)),
            (0..3u8, 0..3u8, players()).prop_map(|(a, b, p)| Statement::MoveAll(a, b, p)),
            (number(), 0..3u8, players()).prop_map(|(n, a, p)| Statement::Draw(n, a, p)),
            (number(), rows(), 0..3u8, players())
                .prop_map(|(n, r, a, p)| Statement::TakeOut(n, r, a, p)),
            (number(), rows(), 0..3u8, 0..3u8, 0..3u8, players())
                .prop_map(|(n, r, a, b, c, p)| Statement::TakeEither(n, r, a, b, c, p)),
            Just(Statement::Shuffle),
            (0..3u8, players()).prop_map(|(a, p)| Statement::ShuffleInto(a, p)),
            (players(), numbers(2, true)).prop_map(|(p, n)| Statement::Raise(p, n)),
            (0..2u8, players(), rows(), number())
                .prop_map(|(e, p, r, n)| Statement::Do(e, p, r, n)),
        ];
        prop_oneof![2 => simple, 2 => verbs].boxed()
    };
    let one = if depth == 0 {
        leaf
    } else {
        let inner = || statements(depth - 1, plain);
        prop_oneof![
            6 => leaf,
            2 => (truths(2, plain), inner(), inner()).prop_map(|(t, a, b)| Statement::If(t, a, b)),
            2 => (sets(1, plain), inner()).prop_map(|(s, b)| Statement::For(s, b)),
            1 => (truths(2, plain), inner()).prop_map(|(t, b)| Statement::While(t, b)),
        ]
        .boxed()
    };
    proptest::collection::vec(one, 0..4).boxed()
}

/// What names mean where a tree is written out.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// In a script, else in rules.
    pub script: bool,
    /// Names of numbers.
    pub numbers: Vec<String>,
    /// Names of rows.
    pub rows: Vec<String>,
    /// Names of players.
    pub players: Vec<String>,
    /// Queries `q0`, `q1`, … that may be called.
    pub queries: u8,
    /// Effects `e0`, `e1`, … that may be called.
    pub effects: u8,
    /// Names given so far.
    pub fresh: usize,
    /// Loops around.
    pub loops: u32,
    /// Only what everybody sees may be read.
    pub public: bool,
}

impl Scope {
    fn fresh(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    fn row(&self, row: &Row) -> String {
        match row {
            Row::Name(n) if !self.rows.is_empty() => {
                self.rows[*n as usize % self.rows.len()].clone()
            }
            Row::Fixed(n) | Row::Name(n) => ["red", "green", "blue"][*n as usize % 3].to_owned(),
            Row::Twin(inner) => format!("twin({})", self.row(inner)),
        }
    }

    fn player(&self, player: &Player) -> String {
        match player {
            Player::Name(n) if !self.players.is_empty() => {
                self.players[*n as usize % self.players.len()].clone()
            }
            Player::Dealer | Player::Name(_) => "dealer".to_owned(),
            Player::Next(inner) => format!("next({})", self.player(inner)),
        }
    }

    fn place(&self, place: u8, player: &Player) -> String {
        let player = self.player(player);
        match place % 3 {
            0 => format!("box({player})"),
            1 => "shelf".to_owned(),
            _ if self.public => "shelf".to_owned(),
            _ => format!("pocket({player})"),
        }
    }

    /// A set, the variable that runs through it, and the scope inside.
    fn over(&mut self, set: &Set) -> (String, String, Scope) {
        match set {
            Set::Colours => {
                let var = self.fresh("c");
                let mut inner = self.clone();
                inner.rows.insert(0, var.clone());
                ("colours".to_owned(), var, inner)
            }
            Set::Players => {
                let var = self.fresh("p");
                let mut inner = self.clone();
                inner.players.insert(0, var.clone());
                ("players".to_owned(), var, inner)
            }
            Set::Range(from, to) => {
                let (from, to) = (self.number(from), self.number(to));
                let var = self.fresh("i");
                let mut inner = self.clone();
                inner.numbers.insert(0, var.clone());
                // Short, so that loops end before their fuel does.
                let range = if self.script {
                    format!("({from} % 4)..({to} % 7)")
                } else {
                    format!("({from} % 4) to ({to} % 7)")
                };
                (range, var, inner)
            }
        }
    }

    /// A number as text.
    pub fn number(&mut self, number: &Number) -> String {
        match number {
            Number::Literal(n) if *n < 0 => format!("(-{})", n.unsigned_abs()),
            Number::Literal(n) => n.to_string(),
            Number::Name(_) if self.numbers.is_empty() => "1".to_owned(),
            Number::Name(n) => self.numbers[*n as usize % self.numbers.len()].clone(),
            Number::Binary(o, a, b) => format!("({} {o} {})", self.number(a), self.number(b)),
            // Rhai has no such functions of its own.
            Number::Extreme(o, a, b) => format!("{o}({}, {})", self.number(a), self.number(b)),
            Number::Minus(a) => format!("(-({}))", self.number(a)),
            Number::Choose(c, a, b) if self.script => format!(
                "(if {} {{ {} }} else {{ {} }})",
                self.truth(c),
                self.number(a),
                self.number(b)
            ),
            Number::Choose(_, a, _) => self.number(a),
            Number::Size(3, _) => "size(heap)".to_owned(),
            Number::Size(place, p) => format!("size({})", self.place(*place, p)),
            Number::Count(place, p, r) => {
                let (place, row) = (self.place(*place, p), self.row(r));
                match place.strip_suffix(')') {
                    Some(open) => format!("{open}, {row})"),
                    None => format!("{place}({row})"),
                }
            }
            Number::Purse(p) => format!("purse({})", self.player(p)),
            Number::Told(r) => format!("told({})", self.row(r)),
            Number::Weight(r) => format!("weight({})", self.row(r)),
            Number::Position(a, b) => format!("position({}, {})", self.player(a), self.player(b)),
            Number::Over(_, _, _, body) if self.script => self.number(body),
            Number::Over(o, set, filter, body) => {
                let (set, var, mut inner) = self.over(set);
                let filter = match filter {
                    Some(f) => format!(" where ({})", inner.truth(f)),
                    None => String::new(),
                };
                let body = match *o {
                    "count" => String::new(),
                    _ => format!(": {}", inner.number(body)),
                };
                self.fresh = inner.fresh;
                format!("({o} {var} in {set}{filter}{body})")
            }
            Number::Query(_, _, _, n) if self.queries == 0 => self.number(n),
            Number::Query(q, p, r, n) => {
                let n = self.number(n);
                format!(
                    "q{}({}, {}, {n})",
                    q % self.queries,
                    self.player(p),
                    self.row(r)
                )
            }
            Number::Taken(n, ..) if !self.script => self.number(n),
            Number::Taken(n, r, from, to, p) => {
                let n = self.number(n);
                let (from, to) = (self.place(*from, p), self.place(*to, p));
                format!("take({n}, {}, {from}, {to})", self.row(r))
            }
        }
    }

    /// A truth as text.
    pub fn truth(&mut self, truth: &Truth) -> String {
        let (and, or, not, is) = if self.script {
            ("&&", "||", "!", "==")
        } else {
            ("and", "or", "not ", "is")
        };
        match truth {
            Truth::Constant(b) => b.to_string(),
            Truth::Compare(s, a, b) => format!("({} {s} {})", self.number(a), self.number(b)),
            Truth::Both(a, b) => format!("(({}) {and} ({}))", self.truth(a), self.truth(b)),
            Truth::Either(a, b) => format!("(({}) {or} ({}))", self.truth(a), self.truth(b)),
            Truth::Not(a) => format!("({not}({}))", self.truth(a)),
            Truth::Warm(r) => format!("warm({})", self.row(r)),
            Truth::Same(a, b) => format!("({} {is} {})", self.row(a), self.row(b)),
            Truth::Marked(r) => format!("(mark {is} {})", self.row(r)),
            Truth::Dealer(p) => format!("(dealer {is} {})", self.player(p)),
            Truth::Exists(_, _, body) if self.script => self.truth(body),
            Truth::Exists(o, set, body) => {
                let (set, var, mut inner) = self.over(set);
                let body = inner.truth(body);
                self.fresh = inner.fresh;
                format!("({o} {var} in {set}: ({body}))")
            }
        }
    }

    /// Statements as text; what they declare is out of scope after them.
    pub fn block(&mut self, body: &[Statement], out: &mut String) {
        let mut inner = self.clone();
        for statement in body {
            inner.statement(statement, out);
        }
        self.fresh = inner.fresh;
    }

    fn statement(&mut self, statement: &Statement, out: &mut String) {
        let line = match statement {
            Statement::Let(n) => {
                let value = self.number(n);
                let name = self.fresh("x");
                self.numbers.insert(0, name.clone());
                format!("let {name} = {value};")
            }
            Statement::Assign(..) if self.numbers.is_empty() => return,
            Statement::Assign(name, op, n) => {
                let value = self.number(n);
                let name = &self.numbers[*name as usize % self.numbers.len()];
                format!("{name} {op} {value};")
            }
            Statement::If(c, a, b) => {
                let _ = writeln!(out, "if {} {{", self.truth(c));
                self.block(a, out);
                out.push_str("} else {\n");
                self.block(b, out);
                "}".to_owned()
            }
            Statement::For(set, body) => {
                let (set, var, mut inner) = self.over(set);
                inner.loops += 1;
                let _ = writeln!(out, "for {var} in {set} {{");
                inner.block(body, out);
                self.fresh = inner.fresh;
                "}".to_owned()
            }
            Statement::While(c, body) => {
                // The number of turns is bounded by a local that the body does not know.
                let turns = self.fresh("turns");
                let condition = self.truth(c);
                let _ = writeln!(
                    out,
                    "let {turns} = 0;\nwhile {turns} < 4 && ({condition}) {{"
                );
                let _ = writeln!(out, "{turns} += 1;");
                self.loops += 1;
                self.block(body, out);
                self.loops -= 1;
                "}".to_owned()
            }
            Statement::Leave(..) if self.loops == 0 => return,
            Statement::Leave(word, c) => format!("if {} {{ {word}; }}", self.truth(c)),
            Statement::Gain(p, n) => {
                format!("gain(purse({}), {});", self.player(p), self.number(n))
            }
            Statement::Pay(p, n) => format!("pay(purse({}), {});", self.player(p), self.number(n)),
            Statement::Set(p, n) => format!("set(purse({}), {});", self.player(p), self.number(n)),
            Statement::Tell(r, n) => format!("set(told({}), {});", self.row(r), self.number(n)),
            Statement::Mark(row) => format!(
                "set(mark, {});",
                row.as_ref().map_or("none".to_owned(), |r| self.row(r))
            ),
            Statement::Befriend(p, q) => {
                let q = q.as_ref().map_or("none".to_owned(), |q| self.player(q));
                format!("set(friend({}), {q});", self.player(p))
            }
            Statement::Move(n, r, a, b, p) => {
                let (a, b) = (self.place(*a, p), self.place(*b, p));
                format!("move({}, {}, {a}, {b});", self.number(n), self.row(r))
            }
            Statement::MoveAll(a, b, p) => {
                format!("move_all({}, {});", self.place(*a, p), self.place(*b, p))
            }
            Statement::Draw(n, to, p) => {
                format!("draw({}, heap, {});", self.number(n), self.place(*to, p))
            }
            Statement::TakeOut(n, r, to, p) => {
                let to = self.place(*to, p);
                format!(
                    "take_out({} % 3, {}, heap, {to});",
                    self.number(n),
                    self.row(r)
                )
            }
            Statement::TakeEither(n, r, a, b, c, p) => {
                let [a, b, c] = [a, b, c].map(|place| self.place(*place, p));
                format!(
                    "take_either({}, {}, {a}, {b}, {c});",
                    self.number(n),
                    self.row(r)
                )
            }
            Statement::Shuffle => "shuffle(heap);".to_owned(),
            Statement::ShuffleInto(a, p) => format!("shuffle_into({}, heap);", self.place(*a, p)),
            // What a name holds may have been read from a hidden place, of which no event may tell.
            Statement::Raise(p, n) => {
                let mut nameless = self.clone();
                nameless.numbers.clear();
                format!("raise(noted({}, {}));", self.player(p), nameless.number(n))
            }
            Statement::Do(..) if self.effects == 0 => return,
            Statement::Do(e, p, r, n) => format!(
                "e{}({}, {}, {});",
                e % self.effects,
                self.player(p),
                self.row(r),
                self.number(n)
            ),
        };
        out.push_str(&line);
        out.push('\n');
    }
}

/// A query's cases: conditions with their values, and the value otherwise.
pub type Cases = (Vec<(Truth, Number)>, Number);

/// What other rules contribute to a query.
pub type Change = (u8, &'static str, Number, Option<Truth>);

/// What a move needs, and when another parameter is offered, which is judged by what follows.
pub type Conditions = (Vec<Truth>, Truth, Vec<Truth>);

/// Queries, their changes, effects and a move.
#[derive(Clone, Debug)]
pub struct Rules {
    queries: Vec<Cases>,
    changes: Vec<Change>,
    effects: Vec<Vec<Statement>>,
    conditions: Conditions,
}

/// Random rules.
pub fn rules() -> impl Strategy<Value = Rules> {
    let case = (truths(2, false), numbers(DEPTH, false));
    let query = (proptest::collection::vec(case, 0..3), numbers(DEPTH, false));
    let layer = prop_oneof![
        Just("by"),
        Just("times"),
        Just("becomes"),
        Just("at least"),
        Just("at most")
    ];
    let change = (
        0..3u8,
        layer,
        numbers(1, false),
        proptest::option::of(truths(1, false)),
    );
    (
        proptest::collection::vec(query, 3),
        proptest::collection::vec(change, 0..3),
        proptest::collection::vec(statements(2, false), 3),
        (
            proptest::collection::vec(truths(DEPTH, false), 1..4),
            truths(2, false),
            proptest::collection::vec(truths(2, false), 0..3),
        ),
    )
        .prop_map(|(queries, changes, effects, conditions)| Rules {
            queries,
            changes,
            effects,
            conditions,
        })
}

/// A scope of a player `p`, a colour `c` and a number `n`.
pub fn names(queries: u8, effects: u8, script: bool) -> Scope {
    Scope {
        script,
        numbers: vec!["n".to_owned()],
        rows: vec!["c".to_owned()],
        players: vec!["p".to_owned()],
        queries,
        effects,
        ..Scope::default()
    }
}

impl Rules {
    /// Queries `q0`, `q1`, `q2` of a player, a colour and a number, what is contributed to them, and effects `e0`,
    /// `e1`, `e2` of the same, as text: for a game that calls them.
    pub fn functions(&self) -> String {
        let mut out = String::new();
        for (i, (cases, otherwise)) in self.queries.iter().enumerate() {
            let mut scope = names(i as u8, 0, false);
            let _ = writeln!(out, "query q{i}(p: player, c: colour, n: int): int");
            for (when, value) in cases {
                let _ = writeln!(
                    out,
                    "  when {} -> {}",
                    scope.truth(when),
                    scope.number(value)
                );
            }
            let _ = writeln!(out, "  otherwise -> {}", scope.number(otherwise));
        }
        for (q, layer, value, when) in &self.changes {
            let mut scope = names(q % 3, 0, false);
            let value = scope.number(value);
            let when = when.as_ref().map(|w| scope.truth(w));
            let _ = write!(out, "modify q{}(p, c, n) {layer} {value}", q % 3);
            let _ = writeln!(
                out,
                "{}",
                when.map_or(String::new(), |w| format!(" when {w}"))
            );
        }
        for (i, body) in self.effects.iter().enumerate() {
            let mut scope = names(3, i as u8, true);
            let _ = writeln!(out, "effect e{i}(p: player, c: colour, n: int): do {{");
            scope.block(body, &mut out);
            out.push_str("}\n");
        }
        out
    }

    /// The rules as text: the [functions](Self::functions), and a game with a move `tried`.
    pub fn text(&self) -> String {
        let mut out = self.functions();
        // The queries read what is hidden.
        let mut scope = Scope {
            public: true,
            ..names(0, 0, false)
        };
        let (needs, when, of_late) = &self.conditions;
        // What it needs may be a fault: the first question is another one.
        out.push_str(
            "phase game
  step going: repeat until the game ends
    step turns: each p from dealer
      ask p
        move act(n: 0 to 3, c: colour)
          do { gain(purse(p), n); }
    step tries: each p from dealer
      ask p
        move tried(c: colour, n: 0 to 3)
",
        );
        for need in needs {
            let _ = writeln!(out, "          needs {}", scope.truth(need));
        }
        out.push_str("          do { gain(purse(p), n); }\n        move pass\n");
        let when = scope.truth(when);
        let _ = writeln!(out, "extend game.tried with late: bool when {when}");
        for need in of_late {
            let _ = writeln!(out, "  needs not late or {}", scope.truth(need));
        }
        out.push_str("  do { if late { gain(purse(p), 1); } }\n");
        out.push_str("ending rich when any p in players: purse(p) > 20\n");
        out
    }
}
