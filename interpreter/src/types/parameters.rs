//! Parameters of moves: what may be chosen for each, and who learns of it.

use super::{Checker, Scope, and, binary, constant};
use crate::diagnostic::{Code, did_you_mean};
use crate::numbers::Fit as _;
use crate::program::model::*;
use crate::program::tree::{Addr, Ex, Kind, Op2, Ty};
use crate::resolve::{Site, id};
use crate::source::Span;
use crate::syntax::ast::{self, MoveDomain, SpreadIndex};

/// Most registers of the parameters of one move.
pub(super) const REGISTERS_OF_A_MOVE: u16 = 800;

impl<'a> Checker<'a> {
    pub(super) fn move_param(
        &mut self,
        param: &ast::MoveParam,
        scope: &mut Scope,
        address: &str,
        condition: Option<Ex>,
    ) -> Option<(ParamModel, Vec<ast::Expr>)> {
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
        let shown = match &param.shown {
            Some(e) => Some(self.expression_function(
                format!("{address}.{name}.shown"),
                e,
                scope,
                &Ty::Player,
            )?),
            None => None,
        };
        let mut such_that = Vec::new();
        let (ty, domain, len) = match &param.domain {
            MoveDomain::Type(ty) => {
                let ty = self.ty(ty)?;
                let (domain, values): (fn(u32) -> _, _) = match &ty {
                    Ty::Option(inner) => (DomainModel::OptionUpto, &**inner),
                    ty => (DomainModel::Upto, ty),
                };
                let Some(size) = self.domain_size(values) else {
                    self.error(
                        Code::UnboundedParameter,
                        param.span,
                        format!("`{name}` has too many values to choose from"),
                    )
                    .help = Some("say a range: `n: 1 to 3`".to_owned());
                    return None;
                };
                (ty, domain(size), 1)
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
            MoveDomain::Amount { from, to, step } => {
                let mut number = |part: &str, e: &ast::Expr| {
                    let name = format!("{address}.{name}.{part}");
                    self.expression_function(name, e, scope, &Ty::Int)
                };
                let (from, to) = (number("from", from), number("to", to));
                let step = match step {
                    Some(step) => Some(number("step", step)?),
                    None => None,
                };
                let (from, to) = (from?, to?);
                (Ty::Int, DomainModel::Amount { from, to, step }, 1)
            }
            MoveDomain::Same(there) => self.same_as(there, scope, &format!("{address}.{name}"))?,
            MoveDomain::BagOf { place, limits } | MoveDomain::SetOf { place, limits } => {
                such_that.extend(limits.iter().filter_map(|limit| match limit {
                    ast::BagLimit::SuchThat(e) => Some(e.clone()),
                    _ => None,
                }));
                let (ty, mut domain, len) = self.bag(place, limits, scope, address, name)?;
                if let (MoveDomain::SetOf { .. }, DomainModel::Bag { different, .. }) =
                    (&param.domain, &mut domain)
                {
                    *different = true;
                }
                (ty, domain, len)
            }
            MoveDomain::Spread {
                pieces,
                over,
                overflow,
            } => self.spread(pieces, over, overflow, scope, address, name, param.span)?,
            // Reported among what is not played yet.
            MoveDomain::SequenceOf { .. } => return None,
        };
        let register = scope.window(name, ty.clone(), len);
        let built = ParamModel {
            name: id(name),
            ty,
            register,
            len,
            domain,
            when,
            read: false,
            cite: None,
            limit: None,
            audience: audience(param),
            shown,
            hidden: false,
            depends: false,
            reads: 0,
        };
        Some((built, such_that))
    }

    fn cells_function(&mut self, name: String, addr: Addr, scope: &Scope, span: Span) -> FuncId {
        let ex = address_value(addr, span);
        self.function(name, scope.next, scope, Vec::new(), Some(ex), span)
    }

    /// What must be repeated: what a phase keeps, a counter or a marker.
    fn same_as(
        &mut self,
        there: &ast::Expr,
        scope: &Scope,
        address: &str,
    ) -> Option<(Ty, DomainModel, u16)> {
        let mut inner = scope.clone();
        let (whole, ty) = self.expr(there, &mut inner)?;
        let addr = match whole.kind {
            Kind::Cells { addr, .. } | Kind::Load(addr) => addr,
            _ => {
                self.error(
                    Code::PlaceExpected,
                    there.span,
                    "this does not lie on the table",
                )
                .help = Some(
                    "name a counter, a marker, or what a phase keeps: `same as offered(p)`"
                        .to_owned(),
                );
                return None;
            }
        };
        let (ty, optional) = match ty {
            Ty::Option(inner) if self.is_wide(&inner) => (*inner, true),
            ty => (ty, false),
        };
        let cells = self.cells_function(format!("{address}.same"), addr, &inner, there.span);
        let len = self.width(&ty);
        Some((ty, DomainModel::Same { cells, optional }, len))
    }

    /// What a bag is chosen from: a place, or a query with one more parameter.
    fn bag_source(
        &mut self,
        place: &ast::Expr,
        scope: &Scope,
        address: &str,
    ) -> Option<(TableId, BagSource, bool)> {
        let mut inner = scope.clone();
        let (called, args) = match &place.kind {
            ast::ExprKind::Name(name) => (name.clone(), Vec::new()),
            ast::ExprKind::Call { name, args } => (name.node.clone(), args.clone()),
            ast::ExprKind::Dot { base, name, args } => match &base.kind {
                ast::ExprKind::Name(phase) if self.phases.contains_key(phase) => (
                    format!("{phase}.{}", name.node),
                    args.clone().unwrap_or_default(),
                ),
                _ => (String::new(), Vec::new()),
            },
            _ => (String::new(), Vec::new()),
        };
        let callable = self.query(&called, scope).cloned();
        if let Some(callable) = callable
            && !self.sites.contains_key(&called)
        {
            let table = match callable.params.last() {
                Some(Ty::Row(table))
                    if callable.ty == Ty::Int && callable.params.len() == args.len() + 1 =>
                {
                    *table
                }
                _ => {
                    self.report(
                        Code::UncountableBag.error(place.span,
                            format!("`{called}` does not count rows of a table here"),
                        )
                        .also(callable.span, "declared here")
                        .help("a bag is chosen from a place, or from a query that gives a number and has one more parameter, a row"),
                    );
                    return None;
                }
            };
            let each = inner.fresh();
            let mut values = Vec::new();
            for (arg, ty) in args.iter().zip(&callable.params) {
                let value = self.expect(arg, &mut inner, ty)?;
                values.extend(super::bags_and_records::numbers(&value));
            }
            values.push(Kind::Local(each).at(place.span));
            let ex = Kind::Call(callable.func, values).at(place.span);
            let counts = self.function(
                format!("{address}.of"),
                each + 1,
                &inner,
                Vec::new(),
                Some(ex),
                place.span,
            );
            return Some((table, BagSource::Counts(counts), false));
        }
        if let Some(Ty::Bag(table)) = self.wide_type(place, &inner) {
            return self.bag_of_bag(table, place, inner, address);
        }
        let (site, addr) = self.site_ref(place, &mut inner)?;
        let Some(Site::Place(index)) = site else {
            self.error(
                Code::PlaceExpected,
                place.span,
                "a place is needed here, not a counter or marker",
            );
            return None;
        };
        if self.model.places[index].pile {
            self.error(
                Code::UnexpectedPile,
                place.span,
                "pieces of a pile have an order",
            );
            return None;
        }
        let (table, endless) = {
            let place = &self.model.places[index];
            (place.table, place.endless)
        };
        let cells = self.cells_function(format!("{address}.of"), addr, &inner, place.span);
        Some((table, BagSource::Cells(cells), endless))
    }

    /// A bag that is chosen from a bag: from the cells where it lies, or from its counts.
    fn bag_of_bag(
        &mut self,
        table: TableId,
        bag: &ast::Expr,
        mut scope: Scope,
        address: &str,
    ) -> Option<(TableId, BagSource, bool)> {
        let (whole, _) = self.expr(bag, &mut scope)?;
        let name = format!("{address}.of");
        let source = match whole.kind {
            Kind::Cells { addr, .. } => {
                BagSource::Cells(self.cells_function(name, addr, &scope, bag.span))
            }
            _ => {
                let each = scope.fresh();
                let row = Kind::Local(each).at(bag.span);
                let count = super::bags_and_records::count_at(&whole, row, bag.span);
                let params = each + 1;
                BagSource::Counts(self.function(
                    name,
                    params,
                    &scope,
                    Vec::new(),
                    Some(count),
                    bag.span,
                ))
            }
        };
        Some((table, source, false))
    }

    fn bag(
        &mut self,
        place: &ast::Expr,
        limits: &[ast::BagLimit],
        scope: &Scope,
        address: &str,
        name: &str,
    ) -> Option<(Ty, DomainModel, u16)> {
        let (table, source, endless) =
            self.bag_source(place, scope, &format!("{address}.{name}"))?;
        let (mut least, mut most, mut loose_beyond, mut kinds) = (None, None, None, None);
        let (mut different, mut without) = (false, None);
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
                ast::BagLimit::Kinds(e) => kinds = number(self, e),
                ast::BagLimit::LooseBeyond { loose, kinds } => {
                    loose_beyond = number(self, loose).zip(number(self, kinds));
                }
                ast::BagLimit::AllDifferent => different = true,
                ast::BagLimit::Without(e) => {
                    without = self.expression_function(
                        format!("{address}.{name}.without"),
                        e,
                        scope,
                        &Ty::Option(Box::new(Ty::Row(table))),
                    );
                }
                // Judged as a condition of the move.
                ast::BagLimit::SuchThat(_) => {}
            }
        }
        if endless && most.is_none() && !different {
            self.error(
                Code::EndlessPlaceCounted,
                place.span,
                "without a limit this choice has no end",
            )
            .help = Some("say `at most …`, `exactly …` or `all different`".to_owned());
        }
        let rows = self.model.rows(table).fit();
        let domain = DomainModel::Bag {
            table,
            source,
            least,
            most,
            loose_beyond,
            kinds,
            different,
            without,
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
            let help = did_you_mean(&pieces.node, self.tables.keys().map(String::as_str));
            self.error(
                Code::UnknownTable,
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
            instances += built.offsets.len().fit::<u32>();
            targets.push(built);
        }
        let mut inner = scope.clone();
        let (site, addr) = self.site_ref(overflow, &mut inner)?;
        let Some(Site::Place(overflow_place)) = site else {
            self.error(
                Code::PlaceExpected,
                overflow.span,
                "a place is needed here, not a counter or marker",
            );
            return None;
        };
        let overflow =
            self.cells_function(format!("{address}.{name}.overflow"), addr, &inner, span);
        let rows = self.model.rows(table);
        let spread = self.model.spreads.push(SpreadModel {
            table,
            targets,
            overflow,
            overflow_place,
            instances,
        });
        let domain = DomainModel::Spread(spread);
        self.spreads.insert((self.building, scope.next), spread);
        let cells = (instances * rows).min(u32::from(REGISTERS_OF_A_MOVE) + 1);
        Some((Ty::Spread, domain, cells.fit()))
    }

    fn spread_target(
        &mut self,
        target: &ast::SpreadTarget,
        table: TableId,
        scope: &Scope,
        address: &str,
        name: &str,
    ) -> Option<SpreadTargetModel> {
        let Some(Site::Place(place)) = self.sites.get(&target.place.node).copied() else {
            let help = did_you_mean(&target.place.node, self.sites.keys().map(String::as_str));
            self.error(
                Code::UnknownPlace,
                target.place.span,
                format!("no place is called `{}`", target.place.node),
            )
            .help = help;
            return None;
        };
        let model = self.model.places[place].clone();
        if model.table != table || model.pile || model.endless {
            self.error(
                Code::InvalidSpreadPlace,
                target.span,
                format!("`{}` does not hold such pieces by count", model.name),
            );
            return None;
        }
        if model.index.len() != target.index.len() {
            let wants = model.index.len();
            self.error(
                Code::WrongArgumentCount,
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
            let stride = instances(&model.index[i + 1..]) * model.width;
            match index {
                SpreadIndex::One(e) => {
                    let ex = self.expect(e, &mut inner, ty)?;
                    room_args.push(Some(ex.clone()));
                    fixed.push((ex, stride));
                }
                SpreadIndex::Each(each) => {
                    if self.tables.get(&each.node).map(|t| Ty::Row(*t)).as_ref() != Some(ty) {
                        let wants = self.ty_name(ty);
                        self.error(
                            Code::WrongEachTable,
                            each.span,
                            format!("this index is {wants}"),
                        );
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
                    .map(|a| a.unwrap_or(Kind::Local(each).at(target.span)))
                    .collect();
                let ex = Kind::Call(room, args).at(target.span);
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
                self.error(
                    Code::SpreadWithoutRoom,
                    target.span,
                    format!("`{}` has no `room`", model.name),
                )
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
}

/// The number of a cell.
pub(super) fn address_value(addr: Addr, span: Span) -> Ex {
    let mut value = constant(addr.base.into(), span);
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

/// Who learns an argument, as far as that is written.
pub(super) fn audience(param: &ast::MoveParam) -> ArgumentAudience {
    match param.openly {
        Some(true) => ArgumentAudience::Everybody,
        Some(false) => ArgumentAudience::Mover,
        None => ArgumentAudience::Witnesses,
    }
}

/// The functions of a parameter: its condition, its domain and its limits.
pub(super) fn functions_of(param: &ParamModel) -> Vec<FuncId> {
    let mut all: Vec<FuncId> = param.when.into_iter().collect();
    match &param.domain {
        DomainModel::Range(from, to) => all.extend([*from, *to]),
        DomainModel::Amount { from, to, step } => {
            all.extend([*from, *to]);
            all.extend(*step);
        }
        DomainModel::Same { cells, .. } => all.push(*cells),
        DomainModel::Bag {
            source: BagSource::Cells(source) | BagSource::Counts(source),
            least,
            most,
            loose_beyond,
            kinds,
            without,
            ..
        } => {
            all.push(*source);
            all.extend([least, most, kinds, without].into_iter().flatten());
            all.extend(loose_beyond.iter().flat_map(|(a, b)| [*a, *b]));
        }
        DomainModel::Upto(_) | DomainModel::OptionUpto(_) | DomainModel::Spread(_) => {}
    }
    all
}
