//! Moves: parameters and their domains, conditions, effects, and what other rules extend them by.

use super::ir::{Addr, Ex, FuncId, Kind, Op2, Ty};
use super::model::*;
use super::visit::visit;
use super::{Bound, Checker, LocalVar, Scope, Site, and, binary, constant, id, path_text, similar};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{self, MoveDomain, SpreadIndex};

impl<'a> Checker<'a> {
    /// The names that a move's rules may use: the asked seat, the phase around, its parameters.
    fn move_scope(&self, ask: usize, bound: Option<&Bound>) -> Scope {
        let (phase, alias, vars) = &self.ask_context[ask];
        let mut scope = Scope {
            vars: vars.clone(),
            phase: Some(*phase),
            in_move: true,
            next: 1,
            ..Scope::default()
        };
        let owner = bound.and_then(|b| b.owner.as_ref()).map(|o| o.node.clone());
        for name in alias.iter().chain(&owner) {
            scope.locals.push(LocalVar {
                name: name.clone(),
                register: 0,
                ty: Ty::Player,
                len: 1,
                used: super::used(),
            });
        }
        scope
    }

    pub(super) fn build_move(
        &mut self,
        decl: &'a ast::MoveDecl,
        ask: usize,
        bound: Option<&Bound>,
    ) {
        let step = self.model.asks[ask].step.clone();
        let address = format!("{step}.{}", decl.name.node);
        if self.model.asks[ask]
            .moves
            .iter()
            .any(|m| *self.model.moves[*m].name == *decl.name.node)
        {
            self.error(
                575,
                decl.name.span,
                format!("two moves of `{step}` are called `{}`", decl.name.node),
            );
            return;
        }
        if !decl.ensures.is_empty() {
            self.not_playable(decl.span, "`ensures`");
        }
        if decl.closes.is_some() {
            self.not_playable(decl.span, "moves that close a question to several seats");
        }
        let mut scope = self.move_scope(ask, bound);
        let mut params = Vec::new();
        for param in &decl.params {
            if let Some(built) = self.move_param(param, &mut scope, &address, None) {
                params.push(built);
            }
        }
        let registers = scope.next;
        let mut needs = Vec::new();
        if let Some(bound) = bound
            && let Some(ex) = self.bound_condition(bound, &mut scope)
        {
            let cite = self.cite(&bound.cite);
            let f = self.function(
                format!("{address}.when"),
                registers,
                &scope,
                Vec::new(),
                Some(ex),
                bound.name.span,
            );
            needs.push(NeedModel {
                condition: f,
                after: 0,
                cite,
                span: bound.name.span,
            });
        }
        for need in &decl.needs {
            needs.extend(self.need(need, &scope, &params, &address));
        }
        let mut effects = Vec::new();
        if let Some(script) = &decl.effect {
            let mut scope = scope.clone();
            let body = self.script(script, &mut scope);
            effects.push(self.function(
                address.clone(),
                registers,
                &scope,
                body,
                None,
                script.span,
            ));
        }
        let phase = self.ask_context[ask].0;
        let once = decl
            .once
            .as_ref()
            .and_then(|path| self.once(path, phase, true));
        let cite = self
            .cite(&decl.cite)
            .or_else(|| bound.and_then(|b| self.cite(&b.cite)));
        for local in scope.locals.iter().filter(|l| !l.used.get()) {
            let span = decl
                .params
                .iter()
                .find(|p| p.name.node == local.name)
                .map_or(decl.span, |p| p.name.span);
            self.diagnostics.push(Diagnostic::warning(
                802,
                span,
                format!("`{}` is not used", local.name),
            ));
        }
        self.model.asks[ask].moves.push(self.model.moves.len());
        self.model.moves.push(MoveModel {
            name: id(&decl.name.node),
            address: id(&address),
            free: decl.free,
            params,
            needs,
            effects,
            once,
            cite,
            registers,
            span: decl.span,
        });
    }

    /// The memory of `once per phase`: cells that the phase resets.
    pub(super) fn once(
        &mut self,
        path: &ast::Path,
        _inside: usize,
        by_seat: bool,
    ) -> Option<(u32, Option<usize>)> {
        let name = path_text(path);
        let Some(&phase) = self.phases.get(&name) else {
            let help = similar(&name, self.phases.keys().map(String::as_str));
            self.error(512, path.span, format!("no phase is called `{name}`"))
                .help = help.or_else(|| Some("`once per` is followed by a phase".to_owned()));
            return None;
        };
        let len = if by_seat {
            u32::from(self.model.players)
        } else {
            1
        };
        let base = self.allocate(len);
        self.model.phases[phase].resets.push((base, len, 0));
        Some((base, Some(phase)))
    }

    fn need(
        &mut self,
        need: &ast::Need,
        scope: &Scope,
        params: &[ParamModel],
        address: &str,
    ) -> Option<NeedModel> {
        let mut inner = scope.clone();
        let ex = self.expect(&need.condition, &mut inner, &Ty::Bool);
        let cite = self.cite(&need.cite);
        let ex = ex?;
        let after = parameters_needed(&ex, params, scope.next);
        let f = self.function(
            format!("{address}.needs"),
            scope.next,
            &inner,
            Vec::new(),
            Some(ex),
            need.condition.span,
        );
        Some(NeedModel {
            condition: f,
            after,
            cite,
            span: need.condition.span,
        })
    }

    fn move_param(
        &mut self,
        param: &ast::MoveParam,
        scope: &mut Scope,
        address: &str,
        condition: Option<Ex>,
    ) -> Option<ParamModel> {
        let name = param.name.node.as_str();
        let mut when_scope = scope.clone();
        let mut when = condition;
        if let Some(e) = &param.when {
            let ex = self.expect(e, &mut when_scope, &Ty::Bool)?;
            when = Some(and(when, ex));
        }
        let registers = scope.next;
        let when = when.map(|ex| {
            self.function(
                format!("{address}.{name}.when"),
                registers,
                &when_scope,
                Vec::new(),
                Some(ex),
                param.span,
            )
        });
        let (ty, domain, len) = match &param.domain {
            MoveDomain::Type(ty) => {
                let span = param.span;
                let ty = self.ty(ty)?;
                let Some(size) = self.domain_size(&ty) else {
                    self.error(
                        576,
                        span,
                        format!("`{name}` has too many values to choose from"),
                    )
                    .help = Some("say a range: `n: 1 to 3`".to_owned());
                    return None;
                };
                (ty, DomainModel::Upto(size), 1)
            }
            MoveDomain::Range(from, to) => {
                let from = self.expression_function(
                    format!("{address}.{name}.from"),
                    from,
                    scope,
                    &Ty::Int,
                )?;
                let to =
                    self.expression_function(format!("{address}.{name}.to"), to, scope, &Ty::Int)?;
                (Ty::Int, DomainModel::Range(from, to), 1)
            }
            MoveDomain::BagOf { place, limits } => self.bag(place, limits, scope, address, name)?,
            MoveDomain::Spread {
                pieces,
                over,
                overflow,
            } => self.spread(pieces, over, overflow, scope, address, name, param.span)?,
            #[allow(unreachable_patterns, reason = "the tree grows before the engine does")]
            _ => {
                self.not_playable(param.span, "this kind of parameter");
                return None;
            }
        };
        let register = scope.window(name, ty.clone(), len);
        Some(ParamModel {
            name: id(name),
            ty,
            register,
            domain,
            when,
        })
    }

    fn cells_function(&mut self, name: String, addr: Addr, scope: &Scope, span: Span) -> FuncId {
        let ex = address_value(addr, span);
        self.function(name, scope.next, scope, Vec::new(), Some(ex), span)
    }

    fn bag(
        &mut self,
        place: &ast::Expr,
        limits: &[ast::BagLimit],
        scope: &Scope,
        address: &str,
        name: &str,
    ) -> Option<(Ty, DomainModel, u16)> {
        let mut inner = scope.clone();
        let (site, addr) = self.site_ref(place, &mut inner)?;
        let Site::Place(index) = site else {
            self.error(
                552,
                place.span,
                "a place is needed here, not a counter or marker",
            );
            return None;
        };
        if self.model.places[index].pile {
            self.error(554, place.span, "pieces of a pile have an order");
            return None;
        }
        let table = self.model.places[index].table;
        let cells = {
            let ex = address_value(addr, place.span);
            self.function(
                format!("{address}.{name}.of"),
                scope.next,
                &inner,
                Vec::new(),
                Some(ex),
                place.span,
            )
        };
        let (mut least, mut most, mut loose_beyond, mut max_kinds) = (None, None, None, None);
        for limit in limits {
            let number = |c: &mut Self, e: &ast::Expr| {
                c.expression_function(format!("{address}.{name}.limit"), e, scope, &Ty::Int)
            };
            match limit {
                ast::BagLimit::AtLeast(e) => least = number(self, e),
                ast::BagLimit::AtMost(e) => most = number(self, e),
                ast::BagLimit::Exactly(e) => {
                    least = number(self, e);
                    most = least;
                }
                ast::BagLimit::Kinds(e) => max_kinds = number(self, e),
                ast::BagLimit::LooseBeyond { loose, kinds } => {
                    loose_beyond = number(self, loose).zip(number(self, kinds));
                }
                #[allow(unreachable_patterns, reason = "the tree grows before the engine does")]
                _ => self.not_playable(place.span, "this limit of a bag"),
            }
        }
        let rows = self.model.tables[table].rows.len() as u16;
        let domain = DomainModel::Bag {
            table,
            cells,
            least,
            most,
            loose_beyond,
            kinds: max_kinds,
        };
        Some((Ty::Bag(table), domain, rows))
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one sentence")]
    fn spread(
        &mut self,
        pieces: &ast::Name,
        over: &[ast::SpreadTarget],
        overflow: &ast::Expr,
        scope: &Scope,
        address: &str,
        name: &str,
        span: Span,
    ) -> Option<(Ty, DomainModel, u16)> {
        let Some(&table) = self.tables.get(&pieces.node) else {
            let help = similar(&pieces.node, self.tables.keys().map(String::as_str));
            self.error(
                507,
                pieces.span,
                format!("no table is called `{}`", pieces.node),
            )
            .help = help;
            return None;
        };
        let mut targets = Vec::new();
        let mut instances = 0;
        for target in over {
            let built = self.spread_target(target, table, scope, address, name)?;
            instances += built.offsets.len() as u32;
            targets.push(built);
        }
        let mut inner = scope.clone();
        let (site, addr) = self.site_ref(overflow, &mut inner)?;
        let Site::Place(overflow_place) = site else {
            self.error(
                552,
                overflow.span,
                "a place is needed here, not a counter or marker",
            );
            return None;
        };
        let overflow =
            self.cells_function(format!("{address}.{name}.overflow"), addr, &inner, span);
        let rows = self.model.tables[table].rows.len() as u32;
        self.model.spreads.push(SpreadModel {
            table,
            targets,
            overflow,
            overflow_place,
            instances,
        });
        let domain = DomainModel::Spread(self.model.spreads.len() - 1);
        Some((Ty::Spread, domain, (instances * rows) as u16))
    }

    fn spread_target(
        &mut self,
        target: &ast::SpreadTarget,
        table: usize,
        scope: &Scope,
        address: &str,
        name: &str,
    ) -> Option<SpreadTargetModel> {
        let Some(Site::Place(place)) = self.sites.get(&target.place.node).copied() else {
            let help = similar(&target.place.node, self.sites.keys().map(String::as_str));
            self.error(
                532,
                target.place.span,
                format!("no place is called `{}`", target.place.node),
            )
            .help = help;
            return None;
        };
        let model = self.model.places[place].clone();
        if model.table != table || model.pile {
            self.error(
                577,
                target.span,
                format!("`{}` does not hold such pieces by count", model.name),
            );
            return None;
        }
        if model.index.len() != target.index.len() {
            let wants = model.index.len();
            self.error(
                527,
                target.span,
                format!(
                    "`{}` takes {wants} arguments, not {}",
                    model.name,
                    target.index.len()
                ),
            );
            return None;
        }
        let mut inner = scope.clone();
        let mut fixed = Vec::new();
        let mut offsets = vec![0u32];
        let mut room_args: Vec<Option<Ex>> = Vec::new();
        let mut running = 0;
        for (i, (index, (ty, size))) in target.index.iter().zip(&model.index).enumerate() {
            let stride = model.index[i + 1..].iter().map(|(_, n)| n).product::<u32>() * model.width;
            match index {
                SpreadIndex::One(e) => {
                    let ex = self.expect(e, &mut inner, ty)?;
                    room_args.push(Some(ex.clone()));
                    fixed.push((ex, stride));
                }
                SpreadIndex::Each(each) => {
                    if self.tables.get(&each.node).map(|t| Ty::Row(*t)).as_ref() != Some(ty) {
                        let wants = self.ty_name(ty);
                        self.error(578, each.span, format!("this index is {wants}"));
                        return None;
                    }
                    running += 1;
                    room_args.push(None);
                    offsets = offsets
                        .iter()
                        .flat_map(|o| (0..*size).map(move |k| o + k * stride))
                        .collect();
                }
            }
        }
        if running > 1 {
            self.not_playable(target.span, "a spread over places with two running indices");
            return None;
        }
        let cells = {
            let ex = address_value(
                Addr {
                    base: model.base,
                    index: fixed,
                },
                target.span,
            );
            self.function(
                format!("{address}.{name}.over"),
                scope.next,
                &inner,
                Vec::new(),
                Some(ex),
                target.span,
            )
        };
        // The room of an instance: the place's own query, with the running index as a last argument.
        let room = self.model.places[place].room;
        let room = match room {
            Some(room) => {
                let mut scope = Scope {
                    next: scope.next,
                    ..inner.clone()
                };
                let each = scope.fresh();
                let args = room_args
                    .into_iter()
                    .map(|a| {
                        a.unwrap_or(Ex {
                            kind: Kind::Local(each),
                            span: target.span,
                        })
                    })
                    .collect();
                let ex = Ex {
                    kind: Kind::Call(room, args),
                    span: target.span,
                };
                let f = self.function(
                    format!("{address}.{name}.room"),
                    each + 1,
                    &scope,
                    Vec::new(),
                    Some(ex),
                    target.span,
                );
                Some(f)
            }
            None => {
                self.error(579, target.span, format!("`{}` has no `room`", model.name))
                    .help =
                    Some("a spread needs to know how many pieces fit: `place … room …`".to_owned());
                None
            }
        };
        Some(SpreadTargetModel {
            place,
            cells,
            offsets,
            room,
        })
    }

    pub(super) fn extend(&mut self, extension: &'a ast::Extension, bound: Option<&Bound>) {
        for path in &extension.moves {
            let wanted = path_text(path);
            let parts: Vec<&str> = wanted.split('.').collect();
            let found: Vec<usize> = (0..self.model.moves.len())
                .filter(|m| {
                    let address: Vec<&str> = self.model.moves[*m].address.split('.').collect();
                    address == parts
                        || (parts.len() == 2
                            && address[0] == parts[0]
                            && address.last() == parts.last())
                })
                .collect();
            if found.is_empty() {
                let names: Vec<String> = self
                    .model
                    .moves
                    .iter()
                    .map(|m| m.address.to_string())
                    .collect();
                let help =
                    similar(&wanted, names.iter().map(String::as_str)).unwrap_or_else(|| {
                        "name a move as `phase.move` or `phase.step.move`".to_owned()
                    });
                self.report(
                    Diagnostic::error(580, path.span, format!("no move is called `{wanted}`"))
                        .help(help),
                );
            }
            for mv in found {
                self.extend_move(mv, extension, bound);
            }
        }
    }

    fn extend_move(&mut self, mv: usize, extension: &'a ast::Extension, bound: Option<&Bound>) {
        let Some(ask) = self.model.asks.iter().position(|a| a.moves.contains(&mv)) else {
            return;
        };
        let mut scope = self.move_scope(ask, bound);
        let address = self.model.moves[mv].address.to_string();
        let mut params = self.model.moves[mv].params.clone();
        for (i, param) in params.iter().enumerate() {
            let next = params
                .get(i + 1)
                .map_or(self.model.moves[mv].registers, |p| p.register);
            scope.locals.push(LocalVar {
                name: param.name.to_string(),
                register: param.register,
                ty: param.ty.clone(),
                len: next - param.register,
                used: super::used(),
            });
        }
        scope.next = self.model.moves[mv].registers;
        for param in &extension.params {
            let condition = match bound {
                Some(bound) => match self.bound_condition(bound, &mut scope.clone()) {
                    Some(ex) => Some(ex),
                    None => return,
                },
                None => None,
            };
            if let Some(built) = self.move_param(param, &mut scope, &address, condition) {
                params.push(built);
            }
        }
        let registers = scope.next;
        let mut needs = Vec::new();
        for need in &extension.needs {
            needs.extend(self.need(need, &scope, &params, &address));
        }
        let cite = self
            .cite(&extension.cite)
            .or_else(|| bound.and_then(|b| self.cite(&b.cite)));
        let effect = extension.effect.as_ref().map(|script| {
            let mut scope = scope.clone();
            let body = self.script(script, &mut scope);
            let f = self.function(
                format!("{address}.extended"),
                registers,
                &scope,
                body,
                None,
                script.span,
            );
            if let Some(cite) = cite {
                self.model.function_cites.insert(f, cite);
            }
            f
        });
        let model = &mut self.model.moves[mv];
        model.params = params;
        model.registers = registers;
        model.needs.extend(needs);
        model.effects.extend(effect);
    }
}

/// The number of a cell.
fn address_value(addr: Addr, span: Span) -> Ex {
    let mut value = constant(i64::from(addr.base), span);
    for (ex, stride) in addr.index {
        let step = if stride == 1 {
            ex
        } else {
            binary(Op2::Mul, ex, constant(i64::from(stride), span))
        };
        value = binary(Op2::Add, value, step);
    }
    value
}

/// How many parameters must be bound before an expression can be judged.
fn parameters_needed(ex: &Ex, params: &[ParamModel], end: u16) -> usize {
    let mut needed = 0;
    visit(ex, &mut |e| {
        let register = match &e.kind {
            Kind::Local(r) => Some(*r),
            Kind::LocalAt { base, .. } | Kind::SumLocals { base, .. } => Some(*base),
            _ => None,
        };
        if let Some(r) = register
            && r < end
            && let Some(i) = params.iter().rposition(|p| p.register <= r)
        {
            needed = needed.max(i + 1);
        }
    });
    needed
}
