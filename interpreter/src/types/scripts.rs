//! Scripts: statements and the verbs they call.

use super::expressions::{VerbCall, value};
use super::{Checker, Scope, bags_and_records};
use crate::diagnostic::{Code, counted, did_you_mean};
use crate::program::ids::PlaceId;
use crate::program::tree::{Addr, Arg, Kind, Local, Op2, St, Ty, Verb};
use crate::resolve::Site;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Name, Script, Statement};

/// The verbs of effects: name, and how they are written.
pub(super) const VERBS: [(&str, &str); 18] = [
    ("move", "move(n, row, from, to)"),
    ("take", "take(n, row, from, to)"),
    ("take_either", "take_either(n, row, first, second, to)"),
    ("move_all", "move_all(from, to)"),
    ("move_under", "move_under(from, pile)"),
    ("draw", "draw(n, pile, to)"),
    ("take_out", "take_out(n, row, pile, to)"),
    ("put_on", "put_on(n, row, from, pile)"),
    ("put_under", "put_under(n, row, from, pile)"),
    ("shuffle", "shuffle(pile)"),
    ("shuffle_into", "shuffle_into(from, pile)"),
    ("gain", "gain(counter, n)"),
    ("pay", "pay(counter, n)"),
    ("set", "set(counter or marker, value)"),
    ("arrange", "arrange(plan)"),
    ("roll", "roll(die)"),
    ("raise", "raise(event(…))"),
    ("finish", "finish(ending)"),
];

impl Checker<'_> {
    /// The statements of a script.
    pub(super) fn script(&mut self, script: &Script, scope: &mut Scope) -> Vec<St> {
        let effects = std::mem::replace(&mut scope.effects, true);
        let out = self.block(&script.statements, scope);
        scope.effects = effects;
        out
    }

    fn block(&mut self, statements: &[Statement], scope: &mut Scope) -> Vec<St> {
        let depth = scope.locals.len();
        let mut out = Vec::new();
        for statement in statements {
            out.extend(self.statement(statement, scope).into_iter().flatten());
        }
        for local in scope
            .locals
            .iter()
            .skip(depth)
            .filter(|l| !l.used.get())
            .cloned()
            .collect::<Vec<_>>()
        {
            if !local.name.starts_with('_')
                && let Some(span) = let_span(statements, &local.name)
            {
                self.report(
                    Code::UnusedName.warning(span, format!("`{}` is not used", local.name)),
                );
            }
        }
        scope.locals.truncate(depth);
        out
    }

    /// What a statement does: several things where a value is set that holds several.
    fn statement(&mut self, statement: &Statement, scope: &mut Scope) -> Option<Vec<St>> {
        match statement {
            Statement::Expr(Expr {
                kind: ExprKind::Call { name, args },
                ..
            }) if name.node == "set"
                && args.len() == 2
                && self.var_type(&args[0], scope).is_some() =>
            {
                self.set_wide(args, scope)
            }
            other => self.one_statement(other, scope),
        }
    }

    fn one_statement(&mut self, statement: &Statement, scope: &mut Scope) -> Option<Vec<St>> {
        Some(vec![match statement {
            Statement::Let { name, value } => {
                let (ex, ty) = self.expr(value, scope)?;
                if ty == Ty::Unit {
                    self.error(
                        Code::LetWithoutValue,
                        value.span,
                        "this gives no value to keep",
                    );
                    return None;
                }
                if self.is_wide(&ty) {
                    return Some(self.keep_wide(&name.node, &ex, ty, scope));
                }
                let register = scope.local(&name.node, ty);
                St::Set(register, ex)
            }
            Statement::Assign { name, op, value } => {
                let Some(local) = scope
                    .locals
                    .iter()
                    .rev()
                    .find(|l| l.name == name.node)
                    .cloned()
                else {
                    self.error(
                        Code::AssignmentToNonLocal,
                        name.span,
                        format!("`{}` is not a local of this script", name.node),
                    )
                    .help = Some(
                        "locals start with `let`; counters change by `gain`, `pay` and `set`"
                            .to_owned(),
                    );
                    return None;
                };
                let ex = self.expect(value, scope, &local.ty)?;
                if self.is_wide(&local.ty) {
                    let registers = local.register..;
                    let values = bags_and_records::numbers(&ex).into_iter();
                    return Some(
                        registers
                            .zip(values)
                            .map(|(r, ex)| St::Set(r, ex))
                            .collect(),
                    );
                }
                let ex = match op {
                    None => ex,
                    Some(op) => {
                        let op = arithmetic(*op)?;
                        let old = Kind::Local(local.register).at(name.span);
                        super::binary(op, old, ex)
                    }
                };
                St::Set(local.register, ex)
            }
            Statement::If {
                condition,
                then,
                otherwise,
                ..
            } => {
                let test = self.expect(condition, scope, &Ty::Bool);
                let known = scope.learn(condition, true);
                let then = self.block(then, scope);
                scope.forget(known);
                let known = scope.learn(condition, false);
                let otherwise = self.block(otherwise, scope);
                scope.forget(known);
                St::If(test?, then, otherwise)
            }
            Statement::While {
                condition, body, ..
            } => {
                let condition = self.expect(condition, scope, &Ty::Bool);
                let body = self.block(body, scope);
                St::While(condition?, body)
            }
            Statement::For {
                var, over, body, ..
            } => {
                let (domain, ty) = self.domain(over, scope)?;
                let register: Local = scope.local(&var.node, ty);
                let bound = scope.fresh();
                let body = self.block(body, scope);
                let index = scope.locals.iter().rposition(|l| l.register == register)?;
                let local = scope.locals.remove(index);
                if !local.used.get() && !var.node.starts_with('_') {
                    self.report(
                        Code::UnusedName.warning(var.span, format!("`{}` is not used", var.node)),
                    );
                }
                St::For(register, bound, domain, body)
            }
            Statement::Break(_) => St::Break,
            Statement::Continue(_) => St::Continue,
            Statement::Expr(e) => {
                let (ex, ty) = self.expr(e, scope)?;
                let does_something = matches!(ex.kind, Kind::Verb(..)) || ty == Ty::Unit;
                if !does_something {
                    self.report(Code::UnusedValue.warning(e.span, "this value is not used"));
                }
                St::Do(ex)
            }
        }])
    }

    fn place_arg(
        &mut self,
        e: &Expr,
        scope: &mut Scope,
        pile: Option<bool>,
    ) -> Option<(PlaceId, Addr)> {
        let (site, addr) = self.site_ref(e, scope)?;
        let Some(Site::Place(i)) = site else {
            self.error(
                Code::PlaceExpected,
                e.span,
                "a place is needed here, not a counter or marker",
            );
            return None;
        };
        let is = self.model.places[i].pile;
        match pile {
            Some(true) if !is => {
                self.error(Code::PileExpected, e.span, "a pile is needed here")
                    .help = Some("declare the place `pile of …`".to_owned());
                None
            }
            Some(false) if is => {
                self.error(
                    Code::UnexpectedPile,
                    e.span,
                    "pieces of a pile have an order",
                )
                .help = Some(
                    "use `draw`, `take_out`, `put_on`, `put_under` or `shuffle_into` with piles"
                        .to_owned(),
                );
                None
            }
            _ => Some((i, addr)),
        }
    }

    /// Everything that lies in an endless place cannot be moved.
    fn finite(&mut self, place: PlaceId, e: &Expr) -> Option<()> {
        if !self.model.places[place].endless {
            return Some(());
        }
        let name = self.model.places[place].name.clone();
        self.error(
            Code::EndlessPlaceCounted,
            e.span,
            format!("`{name}` is endless"),
        )
        .help = Some("say how many: `take(n, row, from, to)`".to_owned());
        None
    }

    /// Two places must hold pieces of one table.
    fn same_table(&mut self, a: PlaceId, b: PlaceId, span: Span) -> Option<()> {
        let (a, b) = (&self.model.places[a], &self.model.places[b]);
        if a.table == b.table {
            return Some(());
        }
        let (ap, bp) = (
            self.model.tables[a.table].plural.clone(),
            self.model.tables[b.table].plural.clone(),
        );
        let message = format!("`{}` holds `{ap}`, but `{}` holds `{bp}`", a.name, b.name);
        self.error(Code::PlacesOfDifferentTables, span, message);
        None
    }

    /// A verb, its arguments checked.
    pub(super) fn verb_call(
        &mut self,
        name: &Name,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<VerbCall> {
        let arity = match name.node.as_str() {
            "move" | "take" | "take_out" | "put_on" | "put_under" => 4,
            "take_either" => 5,
            "draw" => 3,
            "move_all" | "move_under" | "shuffle_into" | "gain" | "pay" | "set" => 2,
            _ => 1,
        };
        if args.len() != arity {
            let how = VERBS.iter().find(|v| v.0 == name.node).map_or("", |v| v.1);
            self.error(
                Code::WrongArgumentCount,
                span,
                format!(
                    "`{}` takes {arity} arguments, not {}",
                    name.node,
                    args.len()
                ),
            )
            .help = Some(format!("write `{how}`"));
            return None;
        }
        match name.node.as_str() {
            "move" | "take" | "put_on" | "put_under" | "take_out" => {
                let (verb, gives, (from_pile, to_pile)) = match name.node.as_str() {
                    "move" => (Verb::Move, Ty::Unit, (false, false)),
                    "take" => (Verb::Take, Ty::Int, (false, false)),
                    "put_on" => (Verb::PutOn, Ty::Unit, (false, true)),
                    "put_under" => (Verb::PutUnder, Ty::Unit, (false, true)),
                    _ => (Verb::TakeOut, Ty::Unit, (true, false)),
                };
                let n = self.expect(&args[0], scope, &Ty::Int);
                let (from, from_addr) = self.place_arg(&args[2], scope, Some(from_pile))?;
                let (to, to_addr) = self.place_arg(&args[3], scope, Some(to_pile))?;
                self.same_table(from, to, span)?;
                let row = self.expect(&args[1], scope, &Ty::Row(self.model.places[from].table))?;
                let mut all = vec![value(n?), value(row)];
                all.extend([from_addr, to_addr].map(Arg::Cells));
                Some((verb, all, gives))
            }
            "take_either" => {
                let n = self.expect(&args[0], scope, &Ty::Int);
                let (first, first_addr) = self.place_arg(&args[2], scope, Some(false))?;
                let (second, second_addr) = self.place_arg(&args[3], scope, Some(false))?;
                let (to, to_addr) = self.place_arg(&args[4], scope, Some(false))?;
                self.same_table(first, to, span)?;
                self.same_table(second, to, span)?;
                let row = self.expect(&args[1], scope, &Ty::Row(self.model.places[to].table))?;
                let cells = [first_addr, second_addr, to_addr].map(Arg::Cells);
                let mut all = vec![value(n?), value(row)];
                all.extend(cells);
                Some((Verb::TakeEither, all, Ty::Int))
            }
            "move_all" | "move_under" | "shuffle_into" => {
                let (verb, pile, gives) = match name.node.as_str() {
                    "move_all" => (Verb::MoveAll, None, Ty::Int),
                    "move_under" => (Verb::MoveUnder, Some(true), Ty::Int),
                    _ => (Verb::ShuffleInto, Some(true), Ty::Unit),
                };
                let (from, from_addr) = self.place_arg(&args[0], scope, None)?;
                let (to, to_addr) = self.place_arg(&args[1], scope, pile)?;
                self.finite(from, &args[0])?;
                self.same_table(from, to, span)?;
                let cells = vec![Arg::Cells(from_addr), Arg::Cells(to_addr)];
                Some((verb, cells, gives))
            }
            "draw" => {
                let n = self.expect(&args[0], scope, &Ty::Int);
                let (from, from_addr) = self.place_arg(&args[1], scope, Some(true))?;
                let (to, to_addr) = self.place_arg(&args[2], scope, None)?;
                self.same_table(from, to, span)?;
                Some((
                    Verb::Draw,
                    vec![value(n?), Arg::Cells(from_addr), Arg::Cells(to_addr)],
                    Ty::Int,
                ))
            }
            "shuffle" => {
                let (_, addr) = self.place_arg(&args[0], scope, Some(true))?;
                Some((Verb::Shuffle, vec![Arg::Cells(addr)], Ty::Unit))
            }
            "gain" | "pay" => {
                let (site, addr) = self.site_ref(&args[0], scope)?;
                if !matches!(site, Some(Site::Counter(_))) {
                    self.error(
                        Code::WrongVerbTarget,
                        args[0].span,
                        format!("`{}` changes a counter", name.node),
                    )
                    .help = Some("pieces go from place to place by `move` and `take`".to_owned());
                    return None;
                }
                let n = self.expect(&args[1], scope, &Ty::Int)?;
                let verb = if name.node == "gain" {
                    Verb::Gain
                } else {
                    Verb::Pay
                };
                Some((verb, vec![Arg::Cells(addr), value(n)], Ty::Unit))
            }
            "set" => self.set(args, scope),
            "arrange" => self.arrange(&args[0], scope),
            "roll" => self.roll(&args[0], scope),
            "raise" => self.raise(&args[0], scope),
            _ => self.finish(&args[0]),
        }
    }

    fn set(&mut self, args: &[Expr], scope: &mut Scope) -> Option<VerbCall> {
        let (site, addr) = self.site_ref(&args[0], scope)?;
        let ty = match site {
            Some(Site::Counter(_)) => Ty::Int,
            None => self.variable(&args[0], scope)?.0.ty,
            Some(Site::Marker(i)) => self.model.markers[i].ty.clone(),
            Some(Site::Place(_)) => {
                self.error(
                    Code::WrongVerbTarget,
                    args[0].span,
                    "`set` changes a counter or a marker",
                )
                .help = Some("pieces go from place to place by `move` and `take`".to_owned());
                return None;
            }
        };
        let new = self.expect(&args[1], scope, &ty)?;
        Some((Verb::Set, vec![Arg::Cells(addr), value(new)], Ty::Unit))
    }

    fn roll(&mut self, arg: &Expr, scope: &mut Scope) -> Option<VerbCall> {
        let (site, _) = self.site_ref(arg, scope)?;
        let die = match site {
            Some(Site::Marker(marker)) => self.model.dice.position(|d| d.marker == marker),
            _ => None,
        };
        let Some(die) = die else {
            self.error(Code::NotADie, arg.span, "this is not a die")
                .help = Some("declare it: `die production: 1 to 6`".to_owned());
            return None;
        };
        let ty = self.model.markers[self.model.dice[die].marker].ty.clone();
        Some((Verb::Roll(die), Vec::new(), ty))
    }

    fn arrange(&mut self, arg: &Expr, scope: &mut Scope) -> Option<VerbCall> {
        let found = match &arg.kind {
            ExprKind::Name(name) => scope
                .locals
                .iter_mut()
                .rev()
                .find(|l| l.name == *name && l.ty == Ty::Spread),
            _ => None,
        };
        let Some(local) = found else {
            self.error(
                Code::SpreadExpected,
                arg.span,
                "`arrange` takes a parameter that is a spread",
            );
            return None;
        };
        local.used.set(true);
        let register = local.register;
        let spread = *self.spreads.get(&(self.building, register))?;
        Some((Verb::Arrange(spread), vec![Arg::Window(register)], Ty::Unit))
    }

    fn raise(&mut self, arg: &Expr, scope: &mut Scope) -> Option<VerbCall> {
        let (name, args): (&str, &[Expr]) = match &arg.kind {
            ExprKind::Name(name) => (name, &[]),
            ExprKind::Call { name, args } => (&name.node, args),
            _ => ("", &[]),
        };
        let Some(&event) = self.events.get(name) else {
            let help = did_you_mean(name, self.events.keys().map(String::as_str));
            let help = help.unwrap_or_else(|| "declare it: `event name(p: player)`".to_owned());
            self.report(
                Code::UnknownEvent
                    .error(arg.span, format!("no event is called `{name}`"))
                    .help(help),
            );
            return None;
        };
        let params = self.model.events[event].params.clone();
        if params.len() != args.len() {
            let message = format!(
                "`{name}` carries {}, not {}",
                counted(params.len(), "value"),
                args.len()
            );
            self.error(Code::WrongArgumentCount, arg.span, message);
            return None;
        }
        let mut out = Vec::new();
        for (arg, (_, ty)) in args.iter().zip(&params) {
            out.push(value(self.expect(arg, scope, ty)?));
        }
        Some((Verb::Raise(event), out, Ty::Unit))
    }

    fn finish(&mut self, arg: &Expr) -> Option<VerbCall> {
        let name = match &arg.kind {
            ExprKind::Name(name) => name.as_str(),
            _ => "",
        };
        let Some(&ending) = self.endings.get(name) else {
            let help = did_you_mean(name, self.endings.keys().map(String::as_str));
            let help = help.unwrap_or_else(|| "declare it: `ending name after round`".to_owned());
            self.report(
                Code::UnknownEnding
                    .error(arg.span, format!("no ending is called `{name}`"))
                    .help(help),
            );
            return None;
        };
        Some((Verb::Finish(ending), Vec::new(), Ty::Unit))
    }
}

fn arithmetic(op: BinaryOp) -> Option<Op2> {
    Some(match op {
        BinaryOp::Add => Op2::Add,
        BinaryOp::Subtract => Op2::Sub,
        BinaryOp::Multiply => Op2::Mul,
        BinaryOp::Divide => Op2::Div,
        BinaryOp::Remainder => Op2::Rem,
        _ => return None,
    })
}

fn let_span(statements: &[Statement], name: &str) -> Option<Span> {
    statements.iter().find_map(|s| match s {
        Statement::Let { name: n, .. } if n.node == name => Some(n.span),
        _ => None,
    })
}
