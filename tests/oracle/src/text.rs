//! From the typed tree to Rhai text: what the oracle evaluates.
//!
//! Beside `interpreter::lower` the only reader of function bodies, and written without a look at
//! it: the two meet only in the typed tree and in the results. Every function becomes a Rhai `fn`,
//! aggregates become loops, and whatever touches the state becomes a host function, which
//! [`evaluator`](crate::evaluator) provides:
//!
//! | text | meaning |
//! |---|---|
//! | `enter()`, `leave(v)`, `tick()` | a function begins, ends with `v`; a loop goes on: fuel and depth |
//! | `enter_inlined()` | a function begins that bytecode puts where it is called: no fuel |
//! | `load(c)`, `total(c, n)` | a cell; the sum of `n` cells from it |
//! | `step(c, i, by)`, `within(c, base)` | `c + i * by`; the cell, which must lie in what is declared at `base` |
//! | `count_in(c, row)` | how many pieces of a row lie in a pile |
//! | `column(c, row)`, `pick(list, i)`, `add(list)` | a column's value; an item; a sum |
//! | `possible(m, seat)` | whether a move is legal |
//! | `offer(m, list)` | a move that a listing found, with the first registers |
//! | `standing(c, n, optional)`, `empty(list)` | what stands in `n` cells from `c` on, or behind `c` if that says so: a list, empty if nothing does |
//! | `cite(v, clause)`, `ran(clause)` | the value, having noted the clause; only in traced rulesets |
//! | `verb_…(…)` | a verb |
//!
//! Numbers, truth, loops, conditions and calls are Rhai's own. Truth values are numbers where they
//! are kept, as in registers, and Rhai's where they decide.

use std::collections::BTreeMap;
use std::fmt::Write;

use interpreter::lower::listings::{Listings, listings};
use interpreter::lower::query_plan::Plan;
use interpreter::program::ids::{FuncId, SpreadId};
use interpreter::program::model::Model;
use interpreter::program::regions::Regions;
use interpreter::program::tree::{
    Addr, Aggregate, Arg, Domain, Ex, Function, Kind, Local, NONE, Op2, St, Verb,
};
use interpreter::source::Span;

/// A model's functions as Rhai text.
#[derive(Debug)]
pub(crate) struct Printed {
    /// One `fn` for each function.
    pub text: String,
    /// Lines and columns (from 1) of what can fail, and where that was written in the rules.
    pub places: BTreeMap<(usize, usize), Span>,
}

/// What the function is called in the text.
pub(crate) fn name(function: FuncId) -> String {
    format!("f{}", function.0)
}

/// Prints every function of a model. `traced` adds the calls that note clauses.
pub(crate) fn print(model: &Model, regions: &Regions, traced: bool) -> Printed {
    let mut printer = Printer {
        model,
        plan: Plan::new(model, regions),
        traced,
        text: String::new(),
        line: 1,
        column: 1,
        places: BTreeMap::new(),
    };
    let listings = listings(model);
    let listed = listings.iter().flat_map(Listings::functions);
    for (i, function) in model.functions.iter().chain(listed).enumerate() {
        printer.function(FuncId(i as u32), function);
    }
    Printed {
        text: printer.text,
        places: printer.places,
    }
}

struct Printer<'a> {
    model: &'a Model,
    plan: Plan,
    traced: bool,
    text: String,
    line: usize,
    column: usize,
    places: BTreeMap<(usize, usize), Span>,
}

impl Printer<'_> {
    /// Adds text, which holds no line break.
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
        self.column += text.len();
    }

    fn end_line(&mut self) {
        self.text.push('\n');
        self.line += 1;
        self.column = 1;
    }

    /// What is added next fails at this place of the rules.
    fn here(&mut self, span: Span) {
        self.places.insert((self.line, self.column), span);
    }

    fn number(&mut self, n: i64) {
        let mut text = String::new();
        // Writing to a text cannot fail.
        let _ = if n < 0 {
            write!(text, "({n})")
        } else {
            write!(text, "{n}")
        };
        self.put(&text);
    }

    /// Begins a call of a host function; its arguments follow.
    fn open(&mut self, host: &str, span: Span) {
        self.here(span);
        self.put(host);
        self.put("(");
    }

    fn function(&mut self, id: FuncId, function: &Function) {
        self.put("fn ");
        self.put(&name(id));
        self.put("(");
        for r in 0..function.params {
            if r > 0 {
                self.put(", ");
            }
            self.local(r);
        }
        self.put(") {");
        self.end_line();
        let enter = match self.plan.inlined.get(id) {
            Some(true) => "enter_inlined",
            _ => "enter",
        };
        self.open(enter, function.span);
        self.put(");");
        self.end_line();
        if let (true, Some(clause)) = (self.traced, self.model.function_cites.get(&id)) {
            self.put(&format!("ran({});", clause.0));
            self.end_line();
        }
        let mut locals = Vec::new();
        assigned(&function.body, &mut locals);
        locals.sort_unstable();
        locals.dedup();
        for r in locals.into_iter().filter(|r| *r >= function.params) {
            self.put("let ");
            self.local(r);
            self.put(" = 0;");
            self.end_line();
        }
        self.block(&function.body);
        self.put("leave(");
        match &function.result {
            Some(ex) => self.value(ex),
            None => self.put("0"),
        }
        self.put(")");
        self.end_line();
        self.put("}");
        self.end_line();
    }

    fn local(&mut self, r: Local) {
        self.put(&format!("r{r}"));
    }

    fn locals(&mut self, range: std::ops::Range<Local>) {
        self.put("[");
        for (i, r) in range.enumerate() {
            if i > 0 {
                self.put(", ");
            }
            self.local(r);
        }
        self.put("]");
    }

    fn block(&mut self, body: &[St]) {
        for st in body {
            self.statement(st);
            self.end_line();
        }
    }

    fn braced(&mut self, body: &[St]) {
        self.put(" {");
        self.end_line();
        self.block(body);
        self.put("}");
    }

    fn statement(&mut self, st: &St) {
        match st {
            St::Set(r, ex) => {
                self.local(*r);
                self.put(" = ");
                self.value(ex);
                self.put(";");
            }
            St::Do(ex) => {
                self.value(ex);
                self.put(";");
            }
            St::If(c, then, otherwise) => {
                self.put("if ");
                self.truth(c);
                self.braced(then);
                if !otherwise.is_empty() {
                    self.put(" else");
                    self.braced(otherwise);
                }
            }
            St::While(c, body) => {
                self.put("while ");
                self.truth(c);
                self.put(" {");
                self.end_line();
                self.block(body);
                self.open("tick", c.span);
                self.put("); }");
            }
            St::For(var, _, domain, body) => {
                self.run_through(*var, domain);
                self.end_line();
                self.block(body);
                self.put("tick(); }");
            }
            St::Return(ex) => {
                self.put("return leave(");
                self.value(ex);
                self.put(");");
            }
            St::Break => self.put("break;"),
            St::Continue => self.put("tick(); continue;"),
        }
    }

    /// The header of a loop, with its brace.
    fn run_through(&mut self, var: Local, domain: &Domain) {
        self.put("for ");
        self.local(var);
        self.put(" in ");
        match domain {
            Domain::Upto(n) => self.put(&format!("0..{n}")),
            Domain::Range(from, to) => {
                self.put("(");
                self.value(from);
                self.put(")..(");
                self.value(to);
                self.put(")");
            }
        }
        self.put(" {");
    }

    /// An expression that is true or false to Rhai.
    fn truth(&mut self, ex: &Ex) {
        match &ex.kind {
            Kind::Const(c) => self.put(if *c != 0 { "true" } else { "false" }),
            Kind::Not(a) => {
                self.put("!");
                self.put("(");
                self.truth(a);
                self.put(")");
            }
            Kind::And(a, b) | Kind::Or(a, b) => {
                let sign = if matches!(ex.kind, Kind::And(..)) {
                    " && "
                } else {
                    " || "
                };
                self.put("(");
                self.truth(a);
                self.put(sign);
                self.truth(b);
                self.put(")");
            }
            Kind::Binary(op @ (Op2::Eq | Op2::Ne | Op2::Lt | Op2::Le), a, b) => {
                let sign = match op {
                    Op2::Eq => "==",
                    Op2::Ne => "!=",
                    Op2::Lt => "<",
                    _ => "<=",
                };
                self.infix(a, sign, b, ex.span);
            }
            _ => {
                self.put("(");
                self.value(ex);
                self.put(" != 0)");
            }
        }
    }

    fn infix(&mut self, a: &Ex, sign: &str, b: &Ex, span: Span) {
        self.put("(");
        self.value(a);
        self.put(" ");
        self.here(span);
        self.put(sign);
        self.put(" ");
        self.value(b);
        self.put(")");
    }

    /// An expression that is a number to Rhai.
    fn value(&mut self, ex: &Ex) {
        let span = ex.span;
        match &ex.kind {
            Kind::Const(c) => self.number(*c),
            Kind::Local(r) => self.local(*r),
            Kind::LocalAt { base, len, index } => {
                self.open("pick", span);
                self.locals(*base..base + len);
                self.put(", ");
                self.value(index);
                self.put(")");
            }
            Kind::Registers { .. } | Kind::Cells { .. } | Kind::Together(_) => {
                unreachable!("the checker takes such values apart")
            }
            Kind::SumLocals { base, len } => {
                self.open("add", span);
                self.locals(*base..base + len);
                self.put(")");
            }
            Kind::Load(addr) => {
                self.open("load", span);
                self.cell(addr, span);
                self.put(")");
            }
            Kind::SumCells { addr, len } => {
                self.open("total", span);
                self.cell(addr, span);
                self.put(&format!(", {len})"));
            }
            Kind::CountIn { addr, row } => {
                self.open("count_in", span);
                self.cell(addr, span);
                self.put(", ");
                self.value(row);
                self.put(")");
            }
            Kind::Column { column, row } => {
                self.open("column", span);
                self.put(&format!("{}, ", column.0));
                self.value(row);
                self.put(")");
            }
            Kind::Minus(a) => {
                self.put("(");
                self.here(span);
                self.put("-(");
                self.value(a);
                self.put("))");
            }
            Kind::Binary(op, a, b) => {
                let sign = match op {
                    Op2::Add => "+",
                    Op2::Sub => "-",
                    Op2::Mul => "*",
                    Op2::Div => "/",
                    Op2::Rem => "%",
                    Op2::Min | Op2::Max => {
                        self.put(if *op == Op2::Min { "min(" } else { "max(" });
                        self.value(a);
                        self.put(", ");
                        self.value(b);
                        self.put(")");
                        return;
                    }
                    Op2::Eq | Op2::Ne | Op2::Lt | Op2::Le => return self.truth_value(ex),
                };
                self.infix(a, sign, b, span);
            }
            Kind::Not(_) | Kind::And(..) | Kind::Or(..) => self.truth_value(ex),
            Kind::If(c, a, b) => {
                self.put("(if ");
                self.truth(c);
                self.put(" {");
                self.value(a);
                self.put("} else {");
                self.value(b);
                self.put("})");
            }
            Kind::Call(f, args) => {
                self.here(span);
                self.put(&name(*f));
                self.put("(");
                for (i, arg) in args.iter().enumerate() {
                    if i > 0 {
                        self.put(", ");
                    }
                    self.value(arg);
                }
                self.put(")");
            }
            Kind::Aggregate {
                op,
                var,
                acc,
                domain,
                filter,
                body,
            } => self.aggregate(
                *op,
                *var,
                *acc,
                domain,
                filter.as_deref(),
                body.as_deref(),
                span,
            ),
            Kind::Possible { mv, seat } => {
                self.open("possible", span);
                self.put(&format!("{}, ", mv.0));
                self.value(seat);
                self.put(")");
            }
            Kind::Offer { mv } => {
                self.open("offer", span);
                self.put(&format!("{}, ", mv.0));
                self.locals(0..self.model.moves[*mv].registers.max(1));
                self.put(")");
            }
            Kind::Standing {
                first,
                at,
                len,
                optional,
            } => {
                self.put("({ let there = ");
                self.open("standing", span);
                self.value(first);
                self.put(&format!(
                    ", {len}, {optional}); if empty(there) {{ 0 }} else {{ "
                ));
                for (i, r) in (*at..at + len).enumerate() {
                    self.local(r);
                    self.put(&format!(" = there[{i}]; "));
                }
                self.put("1 } })");
            }
            Kind::Verb(verb, args) => self.verb(*verb, args, span),
            Kind::Case(clause, inner) => match clause {
                Some(clause) if self.traced => {
                    self.put("cite(");
                    self.value(inner);
                    self.put(&format!(", {})", clause.0));
                }
                _ => self.value(inner),
            },
        }
    }

    /// A truth value where a number is kept.
    fn truth_value(&mut self, ex: &Ex) {
        self.put("(if ");
        self.truth(ex);
        self.put(" {1} else {0})");
    }

    /// The number of a cell.
    fn cell(&mut self, addr: &Addr, span: Span) {
        if addr.index.is_empty() {
            return self.put(&addr.base.0.to_string());
        }
        self.open("within", span);
        for _ in &addr.index {
            self.open("step", span);
        }
        self.put(&addr.base.0.to_string());
        for (index, stride) in &addr.index {
            self.put(", ");
            self.value(index);
            self.put(&format!(", {stride})"));
        }
        self.put(&format!(", {})", addr.base.0));
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one sentence")]
    fn aggregate(
        &mut self,
        op: Aggregate,
        var: Local,
        acc: Local,
        domain: &Domain,
        filter: Option<&Ex>,
        body: Option<&Ex>,
        span: Span,
    ) {
        let acc = format!("a{acc}");
        let start = match op {
            Aggregate::All => 1,
            Aggregate::First => NONE,
            _ => 0,
        };
        self.put(&format!("({{ let {acc} = {start}; "));
        if matches!(op, Aggregate::Max | Aggregate::Min) {
            self.put("let seen = false; ");
        }
        self.run_through(var, domain);
        self.put(" ");
        if let Some(filter) = filter {
            self.put("if !(");
            self.truth(filter);
            self.put(") { tick(); continue; } ");
        }
        match (op, body) {
            (Aggregate::Any, Some(body)) => {
                self.put("if ");
                self.truth(body);
                self.put(&format!(" {{ {acc} = 1; break; }} "));
            }
            (Aggregate::All, Some(body)) => {
                self.put("if !(");
                self.truth(body);
                self.put(&format!(") {{ {acc} = 0; break; }} "));
            }
            (Aggregate::First, _) => {
                self.put(&format!("{acc} = "));
                self.local(var);
                self.put("; break; ");
            }
            (Aggregate::Count, _) => self.put(&format!("{acc} += 1; ")),
            (Aggregate::Sum, Some(body)) => {
                self.put(&format!("{acc} = {acc} "));
                self.here(span);
                self.put("+ ");
                self.value(body);
                self.put("; ");
            }
            (Aggregate::Max | Aggregate::Min, Some(body)) => {
                let sign = if op == Aggregate::Max { ">" } else { "<" };
                self.put("let each = ");
                self.value(body);
                self.put(&format!(
                    "; if !seen || each {sign} {acc} {{ {acc} = each; seen = true; }} "
                ));
            }
            // The checker demands a body of those.
            (_, None) => {}
        }
        self.put(&format!("tick(); }} {acc} }})"));
    }

    fn verb(&mut self, verb: Verb, args: &[Arg], span: Span) {
        let fixed = match verb {
            Verb::Arrange(spread) => Some(spread.0),
            Verb::Raise(event) => Some(event.0),
            Verb::Finish(ending) => Some(ending.0),
            Verb::Roll(die) => Some(die.0),
            _ => None,
        };
        self.open(host_name(verb), span);
        if let Some(n) = fixed {
            self.put(&n.to_string());
        }
        if matches!(verb, Verb::Raise(_)) {
            self.put(", [");
        }
        for (i, arg) in args.iter().enumerate() {
            if i > 0 || matches!(verb, Verb::Arrange(_)) {
                self.put(", ");
            }
            match arg {
                Arg::Value(ex) => self.value(ex),
                Arg::Cells(addr) => self.cell(addr, span),
                // The verb reads earlier parameters too, so all registers up to the window's end.
                Arg::Window(at) => {
                    let end = match verb {
                        Verb::Arrange(s) => at + self.window(s),
                        _ => *at,
                    };
                    self.locals(0..end);
                    self.put(&format!(", {at}"));
                }
            }
        }
        if matches!(verb, Verb::Raise(_)) {
            self.put("]");
        }
        self.put(")");
    }

    /// Registers of a spread parameter.
    fn window(&self, spread: SpreadId) -> Local {
        let spread = &self.model.spreads[spread];
        let rows = self.model.tables[spread.table].rows.len();
        (spread.instances as usize * rows) as Local
    }
}

/// The host function that is a verb.
pub(crate) fn host_name(verb: Verb) -> &'static str {
    match verb {
        Verb::Move => "verb_move",
        Verb::Take => "verb_take",
        Verb::TakeEither => "verb_take_either",
        Verb::MoveAll => "verb_move_all",
        Verb::MoveUnder => "verb_move_under",
        Verb::Draw => "verb_draw",
        Verb::TakeOut => "verb_take_out",
        Verb::PutOn => "verb_put_on",
        Verb::PutUnder => "verb_put_under",
        Verb::Shuffle => "verb_shuffle",
        Verb::ShuffleInto => "verb_shuffle_into",
        Verb::Gain => "verb_gain",
        Verb::Pay => "verb_pay",
        Verb::Set => "verb_set",
        Verb::Arrange(_) => "verb_arrange",
        Verb::Roll(_) => "verb_roll",
        Verb::Raise(_) => "verb_raise",
        Verb::Finish(_) => "verb_finish",
    }
}

/// Locals that statements set.
fn assigned(body: &[St], out: &mut Vec<Local>) {
    for st in body {
        match st {
            St::Set(r, _) => out.push(*r),
            St::If(_, then, otherwise) => {
                assigned(then, out);
                assigned(otherwise, out);
            }
            St::While(_, body) | St::For(_, _, _, body) => assigned(body, out),
            St::Break | St::Continue | St::Do(_) | St::Return(_) => {}
        }
    }
}
