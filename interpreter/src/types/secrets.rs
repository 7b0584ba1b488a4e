//! What secrets an expression reads.
//!
//! A place, counter or marker that not everybody sees makes every expression that reads it secret. What a function
//! reads is found once, in terms of its own parameters: its callers put the arguments in their place. However
//! often queries ask each other, the work is that of reading each of them once.

use std::rc::Rc;

use super::knowledge::secret;
use super::{Checker, Secret};
use crate::analysis::visit::{visit, visit_statements};
use crate::program::model::{Cell, FuncId, PlaceModel, Sight};
use crate::program::tree::{Addr, Ex, Kind, Ty};
use crate::source::Span;

impl Checker<'_> {
    /// What secrets a function reads. Its own locals stand for themselves.
    pub(super) fn secrets(&self, function: FuncId) -> Rc<[Secret]> {
        if let Some(known) = self.secrets.borrow().get(&function) {
            return known.clone();
        }
        let f = &self.model.functions[function];
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
                let params = self.model.functions[*callee].params;
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
    pub(super) fn place_at(&self, cell: Cell) -> Option<&PlaceModel> {
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
        let is_in = |base: Cell, index: &[(Ty, u32)]| {
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
