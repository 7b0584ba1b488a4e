//! What becomes of each query: inlined where it is asked, memoized, or called.
//!
//! A small query is cheaper to compute than to call, so its instructions stand where it is asked. One
//! that goes through much is remembered for each combination of arguments, for as long as nothing is
//! written to what it reads.

use std::collections::BTreeMap;

use crate::analysis::visit::visit;
use crate::numbers::Fit as _;
use crate::program::bytecode::Memo;
use crate::program::model::{FuncId, IndexVec, Model};
use crate::program::regions::{Reads, Region, Regions};
use crate::program::tree::{Domain, Ex, Function, Kind};

/// Most nodes of the tree of a query that is put where it is asked.
const SMALL: u32 = 16;
/// Most nodes of the tree of a query that is put where a loop asks it.
const SMALL_IN_LOOPS: u32 = 160;
/// Most nodes of what stands where a query is asked, with those of the queries that it asks in turn: queries that each
/// ask the one before twice would double with every one.
const WHOLE: u32 = 1000;
/// From this cost on a query is remembered: about what looking up costs, in instructions.
const HEAVY: u32 = 24;
/// Most slots of one query.
const SLOTS: u32 = 4096;
/// Turns of a loop whose bounds are not constant, for the estimate.
const TURNS: u32 = 8;

/// What becomes of the functions of a model.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Those that are put where they are asked.
    pub inlined: IndexVec<FuncId, bool>,
    /// Those that are put where a loop asks them.
    pub expanded: IndexVec<FuncId, bool>,
    /// How those that are remembered are.
    pub memos: IndexVec<FuncId, Option<Memo>>,
    /// The regions that remembered queries read, one query's after the other's.
    pub reads: Vec<Region>,
}

impl Plan {
    /// Decides for every function of a model.
    pub fn new(model: &Model, regions: &Regions) -> Plan {
        let costs = costs(model);
        let small = |most| model.functions.map(|function| is_small(function, most));
        let mut plan = Plan {
            inlined: small(SMALL),
            expanded: bounded(model, small(SMALL_IN_LOOPS)),
            ..Plan::default()
        };
        let (mut slots, mut queries, mut known) = (0, 0, BTreeMap::new());
        for (function, cost) in model.functions.ids().zip(costs) {
            let domains = model.query_domains.get(&function);
            let sizes = domains.into_iter().flatten();
            let all = sizes.fold(1, |all: u32, size| all.saturating_mul(*size));
            let reads = match cost >= HEAVY {
                true => regions.reads_among(model, function, &mut known),
                false => Reads::Everything,
            };
            let Reads::Some(reads) = reads else {
                plan.memos.push(None);
                continue;
            };
            let memo = domains
                .filter(|d| d.len() <= 3 && all <= SLOTS)
                .map(|domains| {
                    let mut sizes = [1; 3];
                    for (size, domain) in sizes.iter_mut().zip(domains) {
                        *size = (*domain).fit();
                    }
                    let memo = Memo {
                        query: queries,
                        base: slots,
                        sizes,
                        params: domains.len().fit(),
                        reads: (plan.reads.len().fit(), reads.len().fit()),
                        cost,
                    };
                    slots += all;
                    queries += 1;
                    plan.reads.extend(reads);
                    memo
                });
            if memo.is_some() {
                plan.inlined[function] = false;
            }
            plan.memos.push(memo);
        }
        plan.inlined = bounded(model, plan.inlined);
        plan
    }
}

/// Whether a function does nothing but give a value that is computed in a few steps.
fn is_small(function: &Function, most: u32) -> bool {
    let (true, Some(result)) = (function.body.is_empty(), &function.result) else {
        return false;
    };
    is_plain(result) && nodes(result) <= most
}

/// Those of some functions that do not become too large once the others among them stand where they ask them.
fn bounded(model: &Model, some: IndexVec<FuncId, bool>) -> IndexVec<FuncId, bool> {
    type Known = IndexVec<FuncId, Option<u32>>;
    fn whole(
        model: &Model,
        function: FuncId,
        some: &IndexVec<FuncId, bool>,
        known: &mut Known,
    ) -> u32 {
        if let Some(known) = known[function] {
            return known;
        }
        let mut sum = 0u32;
        if let Some(result) = &model.functions[function].result {
            visit(result, &mut |ex| {
                sum = sum.saturating_add(1);
                if let Kind::Call(callee, _) = &ex.kind
                    && some[*callee]
                {
                    let inner = whole(model, *callee, some, known);
                    sum = sum.saturating_add(if inner <= WHOLE { inner } else { 0 });
                }
            });
        }
        known[function] = Some(sum);
        sum
    }
    let mut known = some.map(|_| None);
    some.ids()
        .map(|function| some[function] && whole(model, function, &some, &mut known) <= WHOLE)
        .collect()
}

/// Whether an expression goes through nothing, asks for no moves and does nothing.
pub(super) fn is_plain(ex: &Ex) -> bool {
    let mut plain = true;
    visit(ex, &mut |ex| {
        plain &= !matches!(
            ex.kind,
            Kind::Aggregate { .. }
                | Kind::Possible { .. }
                | Kind::Offer { .. }
                | Kind::Standing { .. }
                | Kind::Verb(..)
                | Kind::LocalAt { .. }
                | Kind::SumLocals { .. }
        );
    });
    plain
}

/// About how many instructions each function runs.
fn costs(model: &Model) -> Vec<u32> {
    fn cost(model: &Model, function: FuncId, costs: &mut IndexVec<FuncId, Option<u32>>) -> u32 {
        if let Some(known) = costs[function] {
            return known;
        }
        let mut sum = 0u32;
        if let Some(result) = &model.functions[function].result {
            visit(result, &mut |ex| {
                let own = match &ex.kind {
                    Kind::Call(callee, _) => cost(model, *callee, costs),
                    Kind::Aggregate {
                        domain,
                        filter,
                        body,
                        ..
                    } => {
                        let turns = match domain {
                            Domain::Upto(n) => *n,
                            Domain::Range(..) => TURNS,
                        };
                        let parts = filter.iter().chain(body).map(|ex| nodes(ex)).sum::<u32>();
                        turns.saturating_mul(parts)
                    }
                    Kind::SumCells { len, .. } => len / 8,
                    Kind::CountIn { .. } => TURNS,
                    _ => 1,
                };
                sum = sum.saturating_add(own);
            });
        }
        costs[function] = Some(sum);
        sum
    }
    let mut costs = model.functions.map(|_| None);
    model
        .functions
        .ids()
        .map(|function| cost(model, function, &mut costs))
        .collect()
}

/// Parts of an expression, itself among them.
fn nodes(ex: &Ex) -> u32 {
    let mut nodes = 0;
    visit(ex, &mut |_| nodes += 1);
    nodes
}
