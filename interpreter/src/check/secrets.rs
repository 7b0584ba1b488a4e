//! What secrets an expression reads.
//!
//! A place, counter or marker that not everybody sees makes every expression that reads it secret. What a function
//! reads is found once, in terms of its own parameters: whoever calls it puts the arguments in their place. However
//! often queries ask each other, the work is that of reading each of them once.

use std::rc::Rc;

use super::Checker;
use crate::analysis::visit::{visit, visit_statements};
use crate::program::model::{PlaceModel, Sight};
use crate::program::tree::{Addr, Ex, FuncId, Kind, Local, Ty};
use crate::source::Span;

/// Stands for a local of a function that was called: whoever calls it cannot say what it holds.
const INNER: Kind = Kind::Local(Local::MAX);

/// Something secret that an expression reads.
#[derive(Clone, Debug)]
pub(super) struct Secret {
    pub(super) name: String,
    pub(super) span: Span,
    /// The expression of the only player who sees it; none if nobody does.
    owner: Option<Ex>,
    /// The place, counter or marker.
    pub(super) place: Addr,
    /// Whether even the number of pieces is part of it.
    pub(super) to_the_number: bool,
}

impl Secret {
    /// Whether it is the secret of the player whom an expression names.
    pub(super) fn is_of(&self, player: &Ex) -> bool {
        self.owner.as_ref().is_some_and(|owner| same(owner, player))
    }

    /// Whether it is the secret of whoever makes the move: its first register.
    pub(super) fn is_the_movers(&self) -> bool {
        matches!(&self.owner, Some(owner) if matches!(owner.kind, Kind::Local(0)))
    }

    /// Whether it is the secret of whoever stands in a cell that is read for both.
    pub(super) fn is_of_cell(&self, player: &Ex) -> bool {
        let is_load = |ex: &Ex| matches!(ex.kind, Kind::Load(_));
        is_load(player) && self.owner.as_ref().is_some_and(is_load) && self.is_of(player)
    }

    /// Whether it is somebody's of whom a query only knows inside.
    pub(super) fn is_inner(&self) -> bool {
        self.owner.as_ref().is_some_and(|owner| owner.kind == INNER)
    }

    /// What a mover has chosen, which not everybody learns.
    pub(super) fn of_mover(parameter: &str, span: Span, to_the_number: bool) -> Secret {
        Secret {
            name: parameter.to_owned(),
            span,
            owner: Some(Ex {
                kind: Kind::Local(0),
                span,
            }),
            place: Addr {
                base: 0,
                index: Vec::new(),
            },
            to_the_number,
        }
    }

    /// As whoever calls a function sees what it reads, which takes so many parameters and is given these.
    fn called(mut self, params: Local, given: &[Ex], span: Span) -> Secret {
        let put = |ex: &mut Ex| {
            if let Kind::Local(local) = ex.kind {
                let given = given.get(local as usize).filter(|_| local < params);
                ex.kind = given.map_or(INNER, |given| given.kind.clone());
            }
        };
        self.owner.iter_mut().for_each(put);
        self.place.index.iter_mut().for_each(|(ex, _)| put(ex));
        // Shown where the author asked for it.
        Secret { span, ..self }
    }

    /// Whether both are the same, wherever they are read.
    fn is_also(&self, other: &Secret) -> bool {
        self.name == other.name
            && self.owner == other.owner
            && self.place == other.place
            && self.to_the_number == other.to_the_number
    }
}

impl Checker<'_> {
    /// What secrets a function reads. Its own locals stand for themselves.
    pub(super) fn secrets(&self, function: FuncId) -> Rc<[Secret]> {
        if let Some(known) = self.secrets.borrow().get(&function) {
            return known.clone();
        }
        let f = &self.model.functions[function.0 as usize];
        let mut found = Vec::new();
        let mut look = |ex: &Ex| self.secrets_read(ex, &mut found);
        visit_statements(&f.body, &mut look);
        if let Some(result) = &f.result {
            visit(result, &mut look);
        }
        let found: Rc<[Secret]> = found.into();
        self.secrets.borrow_mut().insert(function, found.clone());
        found
    }

    /// What secrets this node of an expression reads by itself, what stands below it left aside.
    pub(super) fn secrets_read(&self, ex: &Ex, out: &mut Vec<Secret>) {
        let found = match &ex.kind {
            Kind::Call(callee, given) => {
                let params = self.model.functions[callee.0 as usize].params;
                let here = out.len();
                for secret in self.secrets(*callee).iter() {
                    let secret = secret.clone().called(params, given, ex.span);
                    if !out[here..].iter().any(|other| other.is_also(&secret)) {
                        out.push(secret);
                    }
                }
                None
            }
            Kind::Load(addr) => self.secret_cells(addr, false, false, ex.span),
            Kind::SumCells { addr, .. } => self.secret_cells(addr, true, false, ex.span),
            Kind::CountIn { addr, .. } => self.secret_cells(addr, false, true, ex.span),
            _ => None,
        };
        out.extend(found);
    }

    /// The place in which a cell lies.
    pub(super) fn place_at(&self, cell: u32) -> Option<&PlaceModel> {
        self.model
            .places
            .iter()
            .find(|place| place.cells().contains(&cell))
    }

    /// Whether cells are secret, and who sees them.
    pub(super) fn secret_cells(
        &self,
        addr: &Addr,
        whole: bool,
        by_kind: bool,
        span: Span,
    ) -> Option<Secret> {
        let place = self.place_at(addr.base);
        let mut at = addr.clone();
        at.index
            .truncate(place.map_or(at.index.len(), |p| p.index.len()));
        if let Some(p) = place {
            let size_only = whole || p.pile && !by_kind;
            let sight = match (p.count, p.faces) {
                (Sight::Everybody, _) if size_only => Sight::Everybody,
                (Sight::Everybody, faces) => faces,
                (count, _) => count,
            };
            // A table of one row has no faces to hide, only a number.
            let sight = if p.width == 1 && !p.pile {
                p.count
            } else {
                sight
            };
            return secret(&p.name, sight, span, at);
        }
        let is_in = |base: u32, index: &[(Ty, u32)]| {
            (base..base + crate::program::model::instances(index)).contains(&addr.base)
        };
        let mut counters = self.model.counters.iter();
        if let Some(c) = counters.find(|c| is_in(c.base, &c.index)) {
            return secret(&c.name, c.sight, span, at);
        }
        let kept = self.phase_vars.iter().flatten();
        let mut kept = kept.filter(|v| (v.base..v.base + v.len).contains(&addr.base));
        if let Some(v) = kept.next() {
            return secret(&v.name, v.sight, span, at);
        }
        let mut markers = self.model.markers.iter();
        let marker = markers.find(|m| is_in(m.base, &m.index))?;
        secret(&marker.name, marker.sight, span, at)
    }
}

/// What is read at `place`, if not everybody sees it.
fn secret(name: &str, sight: Sight, span: Span, place: Addr) -> Option<Secret> {
    let owner = match sight {
        Sight::Everybody => return None,
        Sight::Nobody => None,
        Sight::Holder(cell) => {
            let (base, index) = (cell, Vec::new());
            let kind = Kind::Load(Addr { base, index });
            Some(Ex { kind, span })
        }
        Sight::Only(i) => place.index.get(i).map(|(ex, _)| ex.clone()),
    };
    Some(Secret {
        name: name.to_owned(),
        span,
        owner,
        place,
        to_the_number: true,
    })
}

/// Whether two expressions are surely the same, wherever they stand.
pub(super) fn same(a: &Ex, b: &Ex) -> bool {
    let both = |a: &[Ex], b: &[Ex]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
    match (&a.kind, &b.kind) {
        (Kind::Const(a), Kind::Const(b)) => a == b,
        (Kind::Load(a), Kind::Load(b)) => {
            let parts = a.index.len() == b.index.len();
            let mut index = a.index.iter().zip(&b.index);
            a.base == b.base && parts && index.all(|((x, m), (y, n))| m == n && same(x, y))
        }
        (Kind::Binary(p, a, b), Kind::Binary(q, c, d)) => p == q && same(a, c) && same(b, d),
        (Kind::Call(f, a), Kind::Call(g, b)) => f == g && both(a, b),
        _ => false,
    }
}
