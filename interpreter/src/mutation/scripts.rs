//! What a script does to the table, by names.
//!
//! In: a script as it was parsed. Out: its verbs with what they change, or nothing where names do not tell.

use std::collections::BTreeSet;

use crate::syntax::ast::{Expr, ExprKind, Script, Statement};

/// How a verb changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Pieces are put there, or a number grows: in any order the same comes of it.
    Into,
    /// Exactly so many pieces are taken out of there.
    OutOf,
    /// Otherwise.
    Otherwise,
}

/// Something that a verb changes.
#[derive(Debug)]
pub(super) struct Change {
    /// The place, counter or marker.
    pub(super) name: String,
    /// What it is of, as far as that is a name.
    of: Vec<Option<String>>,
    way: Way,
}

/// What a script does.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// What its verbs change.
    pub(super) changes: Vec<Change>,
    /// Everything that is called in it.
    pub(super) named: BTreeSet<String>,
    /// Whether chance comes into it.
    pub(super) random: bool,
    /// Variables of its own.
    variables: BTreeSet<String>,
    /// What is said of what: names with what stands in brackets behind them.
    said: Vec<(String, Vec<Option<String>>)>,
}

impl Change {
    /// Whether it is of this player.
    pub(super) fn is_of(&self, player: &str) -> bool {
        self.of.iter().any(|of| of.as_deref() == Some(player))
    }

    /// Whether the same comes of it in any order. What is narrow is a pile, or does not have room for everything.
    pub(super) fn is_order_free(&self, narrow: bool) -> bool {
        match self.way {
            Way::Into => !narrow,
            Way::OutOf => true,
            Way::Otherwise => false,
        }
    }
}

impl Calls {
    /// Whether a variable of the script has this name.
    pub(super) fn renames(&self, name: &str) -> bool {
        self.variables.contains(name)
    }

    /// Whether something is only ever added to, or only ever taken from.
    pub(super) fn one_way(&self, name: &str) -> bool {
        let mut ways = self.changes.iter().filter(|change| change.name == name);
        let first = ways.next().map(|change| change.way);
        ways.all(|change| Some(change.way) == first)
    }

    /// How often something is said of a player.
    pub(super) fn said_of(&self, name: &str, player: &str) -> usize {
        let is_of = |of: &[Option<String>]| of.iter().any(|of| of.as_deref() == Some(player));
        let said = self.said.iter();
        said.filter(|(said, of)| said == name && is_of(of)).count()
    }
}

/// What a script does; none if it does something of which names do not tell what it touches: it raises an event, ends
/// something, rolls, or changes what has no name.
pub(super) fn calls_of(script: &Script) -> Option<Calls> {
    let mut calls = Calls::default();
    calls.statements(&script.statements)?;
    Some(calls)
}

impl Calls {
    fn statements(&mut self, statements: &[Statement]) -> Option<()> {
        for statement in statements {
            match statement {
                Statement::Let { name, value } => {
                    self.variables.insert(name.node.clone());
                    self.expr(value)?;
                }
                Statement::Assign { name, value, .. } => {
                    self.variables.insert(name.node.clone());
                    self.expr(value)?;
                }
                Statement::If {
                    condition,
                    then,
                    otherwise,
                    ..
                } => {
                    self.expr(condition)?;
                    self.statements(then)?;
                    self.statements(otherwise)?;
                }
                Statement::While {
                    condition, body, ..
                } => {
                    self.expr(condition)?;
                    self.statements(body)?;
                }
                Statement::For {
                    var, over, body, ..
                } => {
                    self.variables.insert(var.node.clone());
                    self.expr(over)?;
                    self.statements(body)?;
                }
                Statement::Break(_) | Statement::Continue(_) => {}
                Statement::Expr(expr) => self.expr(expr)?,
            }
        }
        Some(())
    }

    fn expr(&mut self, expr: &Expr) -> Option<()> {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::None
            | ExprKind::Name(_)
            | ExprKind::Each(_) => {}
            ExprKind::Possible(_) => return None,
            ExprKind::Call { name, args } => {
                self.call(&name.node, args)?;
                self.said.push((name.node.clone(), names_of(args)));
                for arg in args {
                    self.expr(arg)?;
                }
            }
            ExprKind::Dot { base, name, args } => {
                let args = args.as_deref().unwrap_or_default();
                if ways(&name.node, args.len()).is_some() {
                    return None;
                }
                self.named.insert(name.node.clone());
                self.said.push((name.node.clone(), names_of(args)));
                self.expr(base)?;
                for arg in args {
                    self.expr(arg)?;
                }
            }
            ExprKind::Unary(_, inner) => self.expr(inner)?,
            ExprKind::Binary(_, a, b)
            | ExprKind::In {
                value: a,
                domain: b,
                ..
            }
            | ExprKind::Is {
                value: a, other: b, ..
            }
            | ExprKind::Range { from: a, to: b, .. } => {
                self.expr(a)?;
                self.expr(b)?;
            }
            ExprKind::Aggregate {
                var,
                domain,
                filter,
                body,
                ..
            } => {
                self.variables.insert(var.node.clone());
                self.expr(domain)?;
                for part in filter.iter().chain(body) {
                    self.expr(part)?;
                }
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition)?;
                self.expr(then)?;
                self.expr(otherwise)?;
            }
        }
        Some(())
    }

    fn call(&mut self, name: &str, args: &[Expr]) -> Option<()> {
        self.named.insert(name.to_owned());
        let Some(ways) = ways(name, args.len()) else {
            return Some(());
        };
        if ways.is_empty() {
            return None;
        }
        self.random |= matches!(name, "draw" | "shuffle" | "shuffle_into");
        for (at, way) in ways {
            let (name, of) = target(args.get(at)?)?;
            self.changes.push(Change { name, of, way });
        }
        Some(())
    }
}

/// Which arguments of a verb it changes, and how; nothing of a verb whose arguments do not say it, none of what is no verb.
fn ways(verb: &str, args: usize) -> Option<Vec<(usize, Way)>> {
    let last = args.saturating_sub(1);
    let [before, before_that] = [1, 2].map(|n| last.saturating_sub(n));
    Some(match verb {
        "move" | "take_out" => vec![(before, Way::OutOf), (last, Way::Into)],
        "take" | "move_all" => vec![(before, Way::Otherwise), (last, Way::Into)],
        "take_either" => vec![
            (before_that, Way::Otherwise),
            (before, Way::Otherwise),
            (last, Way::Into),
        ],
        "draw" | "put_on" | "put_under" | "move_under" | "shuffle_into" => {
            vec![(before, Way::Otherwise), (last, Way::Otherwise)]
        }
        "shuffle" => vec![(last, Way::Otherwise)],
        "gain" => vec![(0, Way::Into)],
        "pay" | "set" => vec![(0, Way::Otherwise)],
        "arrange" | "roll" | "raise" | "finish" => Vec::new(),
        _ => return None,
    })
}

/// What an argument of a verb is called, and of what it is.
fn target(expr: &Expr) -> Option<(String, Vec<Option<String>>)> {
    match &expr.kind {
        ExprKind::Name(name) => Some((name.clone(), Vec::new())),
        ExprKind::Call { name, args } => Some((name.node.clone(), names_of(args))),
        // What a phase keeps.
        ExprKind::Dot { base, name, args } => match &base.kind {
            ExprKind::Name(_) => Some((
                name.node.clone(),
                names_of(args.as_deref().unwrap_or_default()),
            )),
            _ => None,
        },
        _ => None,
    }
}

fn names_of(args: &[Expr]) -> Vec<Option<String>> {
    let name = |arg: &Expr| match &arg.kind {
        ExprKind::Name(name) => Some(name.clone()),
        _ => None,
    };
    args.iter().map(name).collect()
}
