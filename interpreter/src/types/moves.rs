//! Moves: parameters and their domains, conditions, effects, and what other rules extend them by.

use super::parameters::{REGISTERS_OF_A_MOVE, functions_of};
use super::{Checker, Group, LocalVar, MoveContext, PendingMove, Scope, binary, either, not};
use crate::analysis::registers_of;
use crate::analysis::visit::visit;
use crate::diagnostic::{Code, did_you_mean};
use crate::program::model::*;
use crate::program::tree::{Ex, Kind, Op2, Ty};
use crate::resolve::{Bound, id, path_text};
use crate::syntax::ast;

/// Most parameters of one move.
const PARAMETERS_OF_A_MOVE: usize = 64;

impl<'a> Checker<'a> {
    /// The names that a move's rules may use: the asked seat, the phase around, its parameters.
    fn move_scope(&self, around: &MoveContext, bound: Option<&Bound>) -> Scope {
        let mut scope = Scope {
            vars: around.vars.clone(),
            phase: around.phase,
            in_move: true,
            next: 1,
            ..Scope::default()
        };
        let owner = bound.and_then(|b| b.owner.as_ref()).map(|o| o.node.clone());
        for name in around.alias.iter().chain(&owner) {
            scope.locals.push(LocalVar {
                name: name.clone(),
                register: 0,
                ty: Ty::Player,
                len: 1,
                used: super::scope::used(),
            });
        }
        scope
    }

    /// Gives a move its number and its address; it is built when everything that extends it is known.
    pub(super) fn declare_move(
        &mut self,
        decl: &'a ast::MoveDecl,
        asks: &[AskId],
        step: &str,
        around: MoveContext,
        bound: Option<&Bound>,
    ) -> Option<MoveId> {
        let address = format!("{step}.{}", decl.name.node);
        for &ask in asks {
            let step = &self.model.asks[ask].step;
            if self.model.asks[ask]
                .moves
                .iter()
                .any(|m| *self.model.moves[*m].name == *decl.name.node)
            {
                let message = format!("two moves of `{step}` are called `{}`", decl.name.node);
                self.error(Code::DuplicateMove, decl.name.span, message);
                return None;
            }
        }
        let mv = self.model.moves.push(MoveModel {
            name: id(&decl.name.node),
            address: id(&address),
            free: decl.free,
            params: Vec::new(),
            searched: false,
            gates: Vec::new(),
            effects: Vec::new(),
            closes: false,
            goes_on: None,
            cite: None,
            registers: 1,
            any_time: false,
            heading: None,
            span: decl.span,
        });
        for &ask in asks {
            self.model.asks[ask].moves.push(mv);
        }
        self.pending.push(Some(PendingMove {
            decl,
            around,
            bound: bound.cloned(),
            extensions: Vec::new(),
            forbidden: Vec::new(),
            when: None,
            group: None,
        }));
        Some(mv)
    }

    /// Builds every move with what extends it, in the order in which they were declared.
    pub(super) fn build_moves(&mut self) {
        for (mv, pending) in self.pending.ids().zip(std::mem::take(&mut self.pending)) {
            self.building = Some(mv);
            if let Some(pending) = pending {
                self.build_move(mv, &pending);
            }
        }
        self.building = None;
    }

    fn build_move(&mut self, mv: MoveId, pending: &PendingMove<'a>) {
        let decl = pending.decl;
        let bound = pending.bound.as_ref();
        let address = self.model.moves[mv].address.to_string();
        // The move's own names first, then those of each extension.
        let mut scopes = vec![self.move_scope(&pending.around, bound)];
        let (mut offered, mut guards) = (vec![None], vec![None]);
        for extension in &pending.extensions {
            let bound = extension.bound.as_ref();
            scopes.push(self.move_scope(&pending.around, bound));
            let guard = self.extension_guard(extension, &pending.around);
            let (now, before) = guard.unzip();
            offered.push(now);
            guards.push(before);
        }
        let mut params = Vec::new();
        let mut owners = Vec::new();
        let mut such_that = Vec::new();
        for (owner, param) in self.ordered_params(pending) {
            let at = scopes[0].next;
            let before = self.diagnostics.list.len();
            let guard = offered[owner].clone();
            let scope = &mut scopes[owner];
            if scope.locals.iter().any(|l| l.name == param.name.node)
                || params
                    .iter()
                    .any(|p: &ParamModel| *p.name == *param.name.node)
            {
                let name = &param.name.node;
                self.error(
                    Code::DuplicateParameter,
                    param.name.span,
                    format!("`{address}` has a parameter `{name}` already"),
                );
                continue;
            }
            let Some((mut built, conditions)) = self.move_param(param, scope, &address, guard)
            else {
                assert!(self.diagnostics.list.len() > before);
                continue;
            };
            if let Some(extension) = owner.checked_sub(1).map(|e| &pending.extensions[e]) {
                built.cite = self.extension_cite(extension);
                built.limit = self.extension_limit(extension);
            }
            let local = scopes[owner].locals.last().cloned();
            let next = scopes[owner].next;
            for (other, scope) in scopes.iter_mut().enumerate() {
                scope.next = next;
                if owner == 0 && other != 0 {
                    scope.locals.extend(local.clone());
                }
            }
            such_that.extend(conditions.into_iter().map(|c| (owner, c)));
            assert_eq!(built.register, at);
            owners.push(owner);
            params.push(built);
        }
        let registers = scopes[0].next;
        if registers > REGISTERS_OF_A_MOVE || params.len() > PARAMETERS_OF_A_MOVE {
            let message = format!("`{address}` has too many things to choose from at once");
            self.error(Code::CapacityExceeded, decl.span, message).help = Some(format!(
                "bags have a place for each row, spreads for each row in each place; together at most {REGISTERS_OF_A_MOVE}"
            ));
            return;
        }
        let mut needs = Vec::new();
        if let Some(bound) = bound
            && let Some(ex) = self.bound_condition(bound, &mut scopes[0].clone())
        {
            let cite = self.cite(&bound.cite);
            let f = self.function(
                format!("{address}.when"),
                registers,
                &scopes[0],
                Vec::new(),
                Some(ex),
                bound.name.span,
            );
            needs.push(Gate::new(GateKind::Need(f), cite, bound.name.span));
        }
        let group = match &pending.group {
            Some(Group::Where(e)) => self.expect(e, &mut scopes[0].clone(), &Ty::Bool),
            Some(Group::Seat(e)) => {
                self.expect(e, &mut scopes[0].clone(), &Ty::Player)
                    .map(|seat| {
                        self.movers.insert(mv, seat.clone());
                        let span = seat.span;
                        let asked = Kind::Local(0).at(span);
                        binary(Op2::Eq, asked, seat)
                    })
            }
            None => None,
        };
        if let Some(ex) = group {
            let span = ex.span;
            let condition = self.function(
                format!("{address}.for"),
                registers,
                &scopes[0],
                Vec::new(),
                Some(ex),
                span,
            );
            needs.push(Gate::new(GateKind::Need(condition), None, span));
        }
        if let Some(when) = pending.when {
            let need = ast::Need {
                condition: when.clone(),
                reveals: false,
                secretly: false,
                cite: None,
                span: when.span,
            };
            needs.extend(self.need(&need, &scopes[0], None, &address));
        }
        for need in &decl.needs {
            needs.extend(self.need(need, &scopes[0], None, &address));
        }
        for (owner, condition) in such_that {
            let need = ast::Need {
                span: condition.span,
                condition,
                reveals: false,
                secretly: false,
                cite: None,
            };
            needs.extend(self.need(&need, &scopes[owner], None, &address));
        }
        for contributed in &pending.forbidden {
            needs.extend(self.forbidden(contributed, &scopes[0], &pending.around, &address));
        }
        let mut ensures = Vec::new();
        for need in &decl.ensures {
            ensures.extend(self.promise_of_move(need, &scopes[0], None, &address));
        }
        let mut effects = Vec::new();
        if let Some(script) = &decl.effect {
            let mut scope = scopes[0].clone();
            let body = self.script(script, &mut scope);
            let effect = self.function(address.clone(), registers, &scope, body, None, script.span);
            effects.push(MoveEffect { when: None, effect });
        }
        let mut extras = Vec::new();
        for (e, extension) in pending.extensions.iter().enumerate() {
            let scope = scopes[e + 1].clone();
            let guard = guards[e + 1].clone();
            for need in &extension.item.needs {
                needs.extend(self.need(need, &scope, guard.as_ref(), &address));
            }
            for need in &extension.item.ensures {
                ensures.extend(self.promise_of_move(need, &scope, guard.as_ref(), &address));
            }
            let own: Vec<&ParamModel> = params
                .iter()
                .zip(&owners)
                .filter(|(_, owner)| **owner == e + 1)
                .map(|(p, _)| p)
                .collect();
            effects.extend(self.extension_effect(
                extension,
                &scope,
                &own,
                guard.as_ref(),
                &address,
            ));
            extras.extend(self.extension_extras(extension, &scope, &own, guard.as_ref()));
        }
        // One memory for a move that stands in several questions.
        let once = match (self.memories.get(&decl.span), &decl.once) {
            (Some(once), _) => Some(*once),
            (None, Some(once)) => self.once(&once.phase, true, &address),
            (None, None) => None,
        };
        if let Some(once) = once {
            self.memories.insert(decl.span, once);
        }
        let cite = self
            .cite(&decl.cite)
            .or_else(|| bound.and_then(|b| self.cite(&b.cite)));
        for local in scopes[0].locals.iter().filter(|l| !l.used.get()) {
            let span = decl
                .params
                .iter()
                .find(|p| p.name.node == local.name)
                .map_or(decl.span, |p| p.name.span);
            self.diagnostics
                .push(Code::UnusedName.warning(span, format!("`{}` is not used", local.name)));
        }
        let closes = decl.closes.is_some();
        let limit = decl.once.as_ref().and_then(|once| self.cite(&once.cite));
        let once = once.map(|(made, phase)| {
            let kind = GateKind::Once { made, phase };
            Gate::new(kind, limit.or(cite), decl.span)
        });
        let at_most = match closes || self.model.moves[mv].any_time {
            true => None,
            false => self.at_most(mv, cite),
        };
        let goes_on = match &decl.closes {
            Some(Some((path, args))) => self.goes_on(path, args, &scopes[0], &address),
            _ => None,
        };
        let model = &mut self.model.moves[mv];
        model.closes = closes;
        model.goes_on = goes_on;
        model.params = params;
        // What stands there already is known since the move was declared.
        model.gates.extend(once.into_iter().chain(at_most));
        model.gates.extend(needs.into_iter().chain(ensures));
        model.effects = effects;
        model.cite = cite;
        model.registers = registers;
        self.contribute_to_move(mv, &extras);
        self.order_of_judging(mv);
    }

    /// The gate of a move that does not close its question to several seats, if those may answer only so often.
    fn at_most(&self, mv: MoveId, cite: Option<ClauseId>) -> Option<Gate> {
        let asks = self.model.asks.iter();
        let mut asks = asks.filter(|ask| ask.moves.contains(&mv) && ask.several.is_some());
        let ask = asks.next()?;
        let several = ask.several.as_ref()?;
        let (changes, most) = (several.changes, several.most?);
        let kind = GateKind::AtMost { changes, most };
        Some(Gate::new(kind, ask.cite.or(cite), ask.span))
    }

    /// `closes -> fulfil(deal)`
    fn goes_on(
        &mut self,
        path: &ast::Path,
        args: &[ast::Expr],
        scope: &Scope,
        address: &str,
    ) -> Option<(PhaseId, Vec<FuncId>)> {
        let name = path_text(path);
        let Some(&phase) = self.phases.get(&name) else {
            let help = did_you_mean(&name, self.phases.keys().map(String::as_str));
            self.error(
                Code::UnknownPhase,
                path.span,
                format!("no phase is called `{name}`"),
            )
            .help = help;
            return None;
        };
        let args = self.phase_args(phase, args, scope, address, path.span)?;
        Some((phase, args))
    }

    /// Parameters in the order in which they are chosen, each with what brings it: 0 is the move itself.
    fn ordered_params(&mut self, pending: &PendingMove<'a>) -> Vec<(usize, &'a ast::MoveParam)> {
        let mut ordered: Vec<(usize, &'a ast::MoveParam)> =
            pending.decl.params.iter().map(|p| (0, p)).collect();
        for (e, extension) in pending.extensions.iter().enumerate() {
            let new = extension.item.params.iter().map(|p| (e + 1, p));
            let at = match &extension.item.before {
                None => ordered.len(),
                Some(before) => {
                    match ordered.iter().position(|(_, p)| p.name.node == before.node) {
                        Some(at) => at,
                        None => {
                            let names = pending.decl.params.iter().map(|p| p.name.node.as_str());
                            let help = did_you_mean(&before.node, names);
                            let message = format!("the move has no parameter `{}`", before.node);
                            self.error(Code::UnknownParameter, before.span, message)
                                .help = help;
                            ordered.len()
                        }
                    }
                }
            };
            ordered.splice(at..at, new);
        }
        ordered
    }

    /// In which order the gates of a move are judged, each as soon as what it reads is chosen, and which open parameters
    /// must be tried one by one.
    fn order_of_judging(&mut self, mv: MoveId) {
        let params = self.model.moves[mv].params.clone();
        let reads = |c: &Self, function: FuncId, param: &ParamModel| {
            let f = &c.model.functions[function];
            let end = f.params;
            let mut reads = false;
            if let Some(result) = &f.result {
                visit(result, &mut |e| {
                    reads |= registers_of(e).is_some_and(|(r, len)| {
                        r < end && r < param.register + param.len && param.register < r + len
                    });
                });
            }
            reads
        };
        let mut params = params;
        let mut read = vec![false; params.len()];
        for later in 0..params.len() {
            let mut functions = functions_of(&params[later]);
            if let DomainModel::Spread(s) = params[later].domain {
                let rooms = self.model.spreads[s].targets.iter().flat_map(|t| t.room);
                functions.extend(rooms);
            }
            let mut depends = false;
            let mut all = 0;
            for (i, (earlier, read)) in params[..later].iter().zip(&mut read).enumerate() {
                let reads = functions.iter().any(|f| reads(self, *f, earlier));
                *read |= reads && earlier.is_open();
                depends |= reads && earlier.is_open();
                all |= u64::from(reads) << i;
            }
            params[later].reads = all;
            if depends && matches!(params[later].domain, DomainModel::Same { .. }) {
                let param = &params[later];
                let message = format!(
                    "`{}` depends on a choice of many things, but must repeat what is there",
                    param.name
                );
                let span = self.model.functions[functions[0]].span;
                self.error(Code::RepeatedOpenChoice, span, message).help =
                    Some(format!("put `{}` before that choice", param.name));
            }
            params[later].depends = depends;
        }
        let mut gates = std::mem::take(&mut self.model.moves[mv].gates);
        for gate in &mut gates {
            match gate.kind {
                GateKind::Need(condition) => {
                    for (i, param) in params.iter().enumerate() {
                        if reads(self, condition, param) {
                            gate.reads |= 1 << i;
                            gate.after = i + 1;
                            gate.open |= param.is_open();
                            read[i] |= param.is_open();
                        }
                    }
                }
                GateKind::Promise(_) => gate.after = params.len(),
                _ => {}
            }
        }
        let span = self.model.moves[mv].span;
        let domain = |(i, param): (usize, &ParamModel)| Gate {
            after: i + 1,
            open: param.is_open(),
            reads: param.reads | 1 << i,
            ..Gate::new(GateKind::Domain(i), param.cite, span)
        };
        let mut domains = params.iter().enumerate().map(domain).peekable();
        // Conditions keep the order in which they were written: the first that does not hold is what a refusal names.
        // What a condition reads is within its limits by then; what none reads comes behind all of them.
        let mut ordered = Vec::with_capacity(gates.len() + params.len());
        for gate in gates {
            while let Some(domain) = domains.next_if(|domain| domain.after <= gate.after) {
                ordered.push(domain);
            }
            ordered.push(gate);
        }
        ordered.extend(domains);
        // What the move leaves is judged last.
        ordered.sort_by_key(|gate| matches!(gate.kind, GateKind::Promise(_)));
        for (param, read) in params.iter_mut().zip(read) {
            param.read = read;
        }
        let amounts = |p: &&ParamModel| matches!(p.domain, DomainModel::Amount { .. });
        let model = &mut self.model.moves[mv];
        model.searched = params.iter().filter(amounts).any(|p| p.read);
        model.gates = ordered;
        model.params = params;
    }

    /// The memory of `once per phase`: cells that the phase resets.
    pub(super) fn once(
        &mut self,
        path: &ast::Path,
        by_seat: bool,
        what: &str,
    ) -> Option<(Cell, PhaseId)> {
        let name = path_text(path);
        let Some(&phase) = self.phases.get(&name) else {
            let help = did_you_mean(&name, self.phases.keys().map(String::as_str));
            self.error(
                Code::UnknownPhase,
                path.span,
                format!("no phase is called `{name}`"),
            )
            .help = help.or_else(|| Some("`once per` is followed by a phase".to_owned()));
            return None;
        };
        let len = if by_seat {
            u32::from(self.model.players)
        } else {
            1
        };
        let holds = Holds::Once {
            phase,
            what: id(what),
            by_seat,
        };
        let base = self.allocate(len, holds);
        self.model.phases[phase].resets.push((base, len, 0));
        Some((base, phase))
    }

    /// A condition; with a guard it must hold only if the guard does.
    fn need(
        &mut self,
        need: &ast::Need,
        scope: &Scope,
        guard: Option<&Ex>,
        address: &str,
    ) -> Option<Gate> {
        let mut inner = scope.clone();
        let ex = self.expect(&need.condition, &mut inner, &Ty::Bool);
        let cite = self.cite(&need.cite);
        let mut ex = ex?;
        if let Some(guard) = guard {
            ex = either(not(guard.clone()), ex);
        }
        let f = self.function(
            format!("{address}.needs"),
            scope.next,
            &inner,
            Vec::new(),
            Some(ex),
            need.condition.span,
        );
        Some(Gate {
            reveals: need.reveals,
            ..Gate::new(GateKind::Need(f), cite, need.condition.span)
        })
    }
}
