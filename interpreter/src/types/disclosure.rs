//! What effects tell everybody: the values of the events that they raise.
//!
//! An event is told to all audiences as it is, so nothing that not everybody sees may become part of
//! it, neither directly nor by way of a variable or an effect that is called.

use super::{Checker, Secret, Told};
use crate::analysis::visit::{visit, visit_statements};
use crate::diagnostic::Code;
use crate::numbers::At as _;
use crate::program::model::{ArgumentAudience, FuncId, IndexVec};
use crate::program::tree::{Arg, Ex, Kind, Local, St, Verb};

/// What secret each register of a function may hold.
type Held = Vec<Option<Secret>>;

impl Checker<'_> {
    /// Reports every secret that an event would tell.
    pub(super) fn told_to_all(&mut self) {
        let functions = &self.model.functions;
        let mut held = functions.map(|function| -> Held { vec![None; function.locals.at()] });
        for mv in &self.model.moves {
            let mut told = Told::default();
            for effect in &mv.effects {
                told.add(&self.told_by(effect.effect));
            }
            for param in &mv.params {
                let secret = match param.audience {
                    ArgumentAudience::Everybody => false,
                    ArgumentAudience::Witnesses => !told.opened.contains(&param.register),
                    ArgumentAudience::Mover => true,
                };
                if secret {
                    let window = param.register.at()..(param.register + param.len).at();
                    for effect in &mv.effects {
                        held[effect.effect][window.clone()].fill(Some(Secret::of_mover(
                            &param.name,
                            mv.span,
                            param.audience == ArgumentAudience::Mover,
                        )));
                    }
                }
            }
        }
        // Each round can only add; there are finitely many registers.
        loop {
            let mut grew = false;
            for f in held.ids() {
                grew |= self.spread_in(f, &mut held);
            }
            if !grew {
                break;
            }
        }
        for (f, held) in held.iter_enumerated() {
            for (secret, event) in self.raised(f, held) {
                self.report(
                    Code::SecretInEvent.error(secret.span,
                        format!("the event `{event}` would tell everybody the secret of `{}`", secret.name),
                    )
                    .label("not everybody sees this")
                    .help("an event is told to all: move what becomes known to an open place first, and read it there"),
                );
            }
        }
    }

    /// Follows the secrets of one function into its variables and into what it calls. Says whether
    /// anything was new.
    fn spread_in(&self, f: FuncId, held: &mut IndexVec<FuncId, Held>) -> bool {
        let function = &self.model.functions[f];
        let mut new: Vec<(FuncId, Local, Secret)> = Vec::new();
        self.assigned(&function.body, &held[f], &mut |register, secret| {
            new.push((f, register, secret));
        });
        let mut calls = |ex: &Ex| {
            if let Kind::Call(callee, args) = &ex.kind {
                for (parameter, arg) in (0..).zip(args) {
                    if let Some(secret) = self.secret_in(arg, &held[f]) {
                        new.push((*callee, parameter, secret));
                    }
                }
            }
        };
        visit_statements(&function.body, &mut calls);
        let mut grew = false;
        for (function, register, secret) in new {
            let register = &mut held[function][register.at()];
            if register.is_none() {
                *register = Some(secret);
                grew = true;
            }
        }
        grew
    }

    /// Calls back for each register that is set to something secret.
    fn assigned(&self, body: &[St], held: &Held, tell: &mut impl FnMut(Local, Secret)) {
        for statement in body {
            match statement {
                St::Set(register, value) => {
                    if let Some(secret) = self.secret_in(value, held) {
                        tell(*register, secret);
                    }
                }
                St::If(_, then, otherwise) => {
                    self.assigned(then, held, tell);
                    self.assigned(otherwise, held, tell);
                }
                St::While(_, inner) | St::For(_, _, _, inner) => self.assigned(inner, held, tell),
                St::Break | St::Continue | St::Do(_) | St::Return(_) => {}
            }
        }
    }

    /// A secret that an expression reads or that a register in it holds.
    fn secret_in(&self, ex: &Ex, held: &Held) -> Option<Secret> {
        let mut found = Vec::new();
        visit(ex, &mut |e| match e.kind {
            // How many pieces a verb moved is told by the pieces themselves.
            Kind::Verb(..) => {}
            Kind::Local(register) | Kind::LocalAt { base: register, .. } => {
                found.extend(held[register.at()].clone());
            }
            // How many pieces were chosen shows when they move, unless the choice itself is a secret.
            Kind::SumLocals { base, .. } => {
                let secret = held[base.at()].as_ref();
                found.extend(secret.filter(|secret| secret.to_the_number).cloned());
            }
            _ => self.secrets_read(e, &mut found),
        });
        found.into_iter().next()
    }

    /// The secrets that a function puts into events, with the events' names.
    fn raised(&self, f: FuncId, held: &Held) -> Vec<(Secret, String)> {
        let function = &self.model.functions[f];
        let mut found = Vec::new();
        visit_statements(&function.body, &mut |ex| {
            let Kind::Verb(Verb::Raise(event), args) = &ex.kind else {
                return;
            };
            for arg in args {
                if let Arg::Value(value) = arg
                    && let Some(mut secret) = self.secret_in(value, held)
                {
                    secret.span = value.span;
                    found.push((secret, self.model.events[*event].name.to_string()));
                }
            }
        });
        found
    }
}
