//! Places, counters, markers and columns: their cells, and what they are as values.

use super::{Checker, LocalVar, Scope, bags_and_records};
use crate::diagnostic::{Code, did_you_mean};
use crate::program::model::VarModel;
use crate::program::tree::{Addr, Ex, Kind, Ty};
use crate::resolve::Site;
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, Name};

impl Checker<'_> {
    /// `left(g)`: how many of a row are in an open parameter.
    pub(super) fn window_count(
        &mut self,
        local: &LocalVar,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        let Ty::Bag(table) = local.ty else {
            self.error(
                Code::NotCallable,
                span,
                format!("`{}` is not a place or a query", local.name),
            );
            return None;
        };
        let [arg] = args else {
            self.error(
                Code::WrongArgumentCount,
                span,
                format!("`{}` takes one argument: a row", local.name),
            );
            return None;
        };
        let row = self.expect(arg, scope, &Ty::Row(table))?;
        let (base, len) = (local.register, local.len);
        let kind = Kind::Registers { base, len };
        Some((
            bags_and_records::count_at(&Ex { kind, span }, row, span),
            Ty::Int,
        ))
    }

    /// The cells of what a phase keeps.
    pub(super) fn var_addr(
        &mut self,
        var: &VarModel,
        name: &str,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<Addr> {
        let mut index = self.indices(name, &var.index, args, span, scope)?;
        for (_, stride) in &mut index {
            *stride *= var.width;
        }
        let base = var.base;
        Some(Addr { base, index })
    }

    pub(super) fn indices(
        &mut self,
        name: &str,
        index: &[(Ty, u32)],
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<Vec<(Ex, u32)>> {
        if args.len() != index.len() {
            let wants: Vec<Ty> = index.iter().map(|(ty, _)| ty.clone()).collect();
            let wrong = self.wrong_arguments(span, name, &wants, args.len());
            self.report(wrong);
            return None;
        }
        let mut out = Vec::new();
        for (i, (arg, (ty, _))) in args.iter().zip(index).enumerate() {
            let stride = crate::program::model::instances(&index[i + 1..]);
            out.push((self.expect(arg, scope, ty)?, stride));
        }
        Some(out)
    }

    /// The cells of a place, counter or marker that an expression names, and its declaration; what a phase keeps has none.
    pub(super) fn site_ref(&mut self, e: &Expr, scope: &mut Scope) -> Option<(Option<Site>, Addr)> {
        let (name, args): (Name, Vec<Expr>) = match &e.kind {
            ExprKind::Name(n) => (
                Name {
                    node: n.clone(),
                    span: e.span,
                },
                Vec::new(),
            ),
            ExprKind::Call { name, args } => (name.clone(), args.clone()),
            ExprKind::Dot { base, name, args } => {
                let tray =
                    matches!(&base.kind, ExprKind::Name(phase) if self.is_tray(phase, &name.node));
                let mut all = match tray {
                    true => Vec::new(),
                    false => vec![(**base).clone()],
                };
                all.extend(args.clone().unwrap_or_default());
                (name.clone(), all)
            }
            _ => {
                self.error(
                    Code::UnknownPlace,
                    e.span,
                    "a place, counter or marker is needed here",
                );
                return None;
            }
        };
        if let Some((var, args)) = self.variable(e, scope) {
            let addr = self.var_addr(&var, &name.node, &args, e.span, scope)?;
            // A variable of a phase behaves like a marker that only the phase sees.
            return Some((None, addr));
        }
        let Some(&site) = self.sites.get(&name.node) else {
            let help = did_you_mean(&name.node, self.sites.keys().map(String::as_str));
            self.error(
                Code::UnknownPlace,
                name.span,
                format!("no place, counter or marker is called `{}`", name.node),
            )
            .help = help;
            return None;
        };
        let (index, base, width) = match site {
            Site::Place(i) => {
                let p = &self.model.places[i];
                (p.index.clone(), p.base, p.width)
            }
            Site::Counter(i) => (
                self.model.counters[i].index.clone(),
                self.model.counters[i].base,
                1,
            ),
            Site::Marker(i) => (
                self.model.markers[i].index.clone(),
                self.model.markers[i].base,
                1,
            ),
        };
        let mut indices = self.indices(&name.node, &index, &args, e.span, scope)?;
        for (_, stride) in &mut indices {
            *stride *= width;
        }
        Some((
            Some(site),
            Addr {
                base,
                index: indices,
            },
        ))
    }

    /// A place, counter or marker as a value: a count of a row, a number, what it points at.
    pub(super) fn site_value(
        &mut self,
        site: Site,
        name: &Name,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        match site {
            Site::Place(i) => {
                let (wants, table, pile) = {
                    let p = &self.model.places[i];
                    (p.index.len(), p.table, p.pile)
                };
                if args.len() == wants {
                    self.error(
                        Code::PlaceUsedAsValue,
                        span,
                        format!("`{}` is a place, not a value", name.node),
                    )
                    .help = Some(format!(
                        "ask how many lie there: `size({})`, or how many of a kind: one more argument",
                        self.site_text(name, args)
                    ));
                    return None;
                }
                if args.len() != wants + 1 {
                    let message = format!(
                        "`{}` takes {wants} arguments, and a row to count it",
                        name.node
                    );
                    self.error(Code::WrongArgumentCount, span, message);
                    return None;
                }
                let row = self.expect(&args[wants], scope, &Ty::Row(table))?;
                let place = Expr {
                    kind: ExprKind::Call {
                        name: name.clone(),
                        args: args[..wants].to_vec(),
                    },
                    span,
                };
                let (_, mut addr) = self.site_ref(&place, scope)?;
                if pile {
                    let row = Box::new(row);
                    let kind = Kind::CountIn { addr, row };
                    return Some((Ex { kind, span }, Ty::Int));
                }
                addr.index.push((row, 1));
                Some((Kind::Load(addr).at(span), Ty::Int))
            }
            Site::Counter(_) | Site::Marker(_) => {
                let place = Expr {
                    kind: ExprKind::Call {
                        name: name.clone(),
                        args: args.to_vec(),
                    },
                    span,
                };
                let (site, addr) = self.site_ref(&place, scope)?;
                let ty = match site {
                    Some(Site::Marker(i)) => self.model.markers[i].ty.clone(),
                    _ => Ty::Int,
                };
                Some((Kind::Load(addr).at(span), ty))
            }
        }
    }

    fn site_text(&self, name: &Name, args: &[Expr]) -> String {
        if args.is_empty() {
            name.node.clone()
        } else {
            format!("{}(…)", name.node)
        }
    }

    pub(super) fn column(
        &mut self,
        name: &Name,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        let [arg] = args else {
            self.error(
                Code::WrongArgumentCount,
                span,
                format!("`{}` is a column: it takes one row", name.node),
            );
            return None;
        };
        let (row, ty) = self.expr(arg, scope)?;
        let Ty::Row(table) = ty else {
            let is = self.ty_name(&ty);
            self.error(
                Code::ColumnOfNonRow,
                arg.span,
                format!("`{}` is a column of a table, but this is {is}", name.node),
            )
            .help = matches!(ty, Ty::Option(_))
                .then(|| "ask first whether it is there: `… is not none and …`".to_owned());
            return None;
        };
        let Some(column) = self
            .model
            .columns
            .position(|c| c.table == table && *c.name == *name.node)
        else {
            let plural = self.model.tables[table].plural.clone();
            let owned = self
                .model
                .columns
                .iter()
                .filter(|c| c.table == table)
                .map(|c| &*c.name);
            let help = did_you_mean(&name.node, owned);
            self.error(
                Code::UnknownColumn,
                name.span,
                format!("the table `{plural}` has no column `{}`", name.node),
            )
            .help = help;
            return None;
        };
        let ty = self.model.columns[column].ty.clone();
        let known = match row.kind {
            Kind::Const(row) => usize::try_from(row).ok(),
            _ => None,
        };
        let known = known.and_then(|row| self.model.columns[column].values.get(row));
        let kind = match known {
            Some(value) => Kind::Const(*value),
            None => Kind::Column {
                column,
                row: Box::new(row),
            },
        };
        Some((Ex { kind, span }, ty))
    }

    pub(super) fn size(&mut self, arg: &Expr, span: Span, scope: &mut Scope) -> Option<(Ex, Ty)> {
        let spread = |scope: &Scope| match &arg.kind {
            ExprKind::Name(name) => {
                let mut locals = scope.locals.iter().rev();
                let local = locals.find(|l| l.name == *name);
                local.is_some_and(|l| l.ty == Ty::Spread)
            }
            _ => false,
        };
        if matches!(self.wide_type(arg, scope), Some(Ty::Bag(_))) || spread(scope) {
            let (whole, _) = self.expr(arg, scope)?;
            return Some((bags_and_records::size_of(&whole, span), Ty::Int));
        }
        let (site, addr) = self.site_ref(arg, scope)?;
        let Some(Site::Place(i)) = site else {
            self.error(
                Code::SizeOfUnsized,
                arg.span,
                "only a place or an open parameter has a size",
            );
            return None;
        };
        let place = &self.model.places[i];
        let kind = if place.pile || place.width == 1 {
            Kind::Load(addr)
        } else {
            Kind::SumCells {
                addr,
                len: place.width,
            }
        };
        Some((Ex { kind, span }, Ty::Int))
    }
}
