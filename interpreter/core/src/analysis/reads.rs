//! What a function reads: regions of the state, and registers.

use std::collections::{BTreeMap, BTreeSet};

use super::visit::{visit, visit_statements};
use crate::budget::spend;
use crate::numbers::Fit as _;
use crate::program::model::{FuncId, Model};
use crate::program::regions::{Reads, Regions};
use crate::program::tree::{Ex, Kind};

impl Regions {
    /// What a function reads, also through the functions that it calls.
    pub fn reads(&self, model: &Model, function: FuncId) -> Reads {
        self.reads_among(model, function, &mut BTreeMap::new())
    }

    /// As [`reads`](Self::reads); what is found of functions on the way is remembered among those that are `known`.
    pub fn reads_among(
        &self,
        model: &Model,
        function: FuncId,
        known: &mut BTreeMap<FuncId, Reads>,
    ) -> Reads {
        if let Some(known) = known.get(&function) {
            return known.clone();
        }
        let mut found = Some(BTreeSet::new());
        let mut called = BTreeSet::new();
        let mut look = |ex: &Ex| match &ex.kind {
            Kind::Load(addr) | Kind::SumCells { addr, .. } | Kind::CountIn { addr, .. } => {
                if let Some(found) = &mut found {
                    found.insert(self.of(addr.base));
                }
            }
            Kind::Possible { .. } => found = None,
            Kind::Call(callee, _) => {
                called.insert(*callee);
            }
            _ => {}
        };
        let f = &model.functions[function];
        visit_statements(&f.body, &mut look);
        if let Some(result) = &f.result {
            visit(result, &mut look);
        }
        for callee in called {
            match self.reads_among(model, callee, known) {
                Reads::Everything => found = None,
                Reads::Some(regions) => {
                    if let Some(found) = &mut found {
                        spend(regions.len().fit(), None);
                        found.extend(regions);
                    }
                }
            }
        }
        let reads = match found {
            Some(regions) => Reads::Some(regions.into_iter().collect()),
            None => Reads::Everything,
        };
        known.insert(function, reads.clone());
        reads
    }
}

/// The registers that an expression itself reads: the first and their number.
pub fn registers_of(ex: &Ex) -> Option<(u16, u16)> {
    match &ex.kind {
        Kind::Local(r) => Some((*r, 1)),
        Kind::LocalAt { base, len, index } => Some(match index.kind {
            Kind::Const(i) if (0..i64::from(*len)).contains(&i) => (base + i.fit::<u16>(), 1),
            _ => (*base, *len),
        }),
        Kind::SumLocals { base, len } => Some((*base, *len)),
        _ => None,
    }
}

/// The registers that a function reads.
pub fn registers_read(model: &Model, function: FuncId) -> BTreeSet<u16> {
    let mut read = BTreeSet::new();
    let function = &model.functions[function];
    let mut look = |ex: &Ex| {
        if let Some((first, len)) = registers_of(ex) {
            read.extend(first..first + len);
        }
    };
    visit_statements(&function.body, &mut look);
    if let Some(result) = &function.result {
        visit(result, &mut look);
    }
    read
}
