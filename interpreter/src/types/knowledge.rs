//! What an expression gives away: secrets that it reads, and arguments that it tells.

use std::collections::BTreeSet;

use crate::numbers::At as _;
use crate::program::model::{Cell, Sight};
use crate::program::tree::{Addr, Ex, Kind, Local};
use crate::source::Span;

/// Stands for a local of a function that was called: its caller cannot say what it holds.
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

    /// Whether it is the secret of the mover: its first register.
    pub(super) fn is_the_movers(&self) -> bool {
        matches!(&self.owner, Some(owner) if matches!(owner.kind, Kind::Local(0)))
    }

    /// Whether it is the secret of the player in a cell that is read for both.
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
                base: Cell(0),
                index: Vec::new(),
            },
            to_the_number,
        }
    }

    /// As the caller of a function sees what it reads, which takes so many parameters and is given these.
    pub(super) fn called(mut self, params: Local, given: &[Ex], span: Span) -> Secret {
        let put = |ex: &mut Ex| {
            if let Kind::Local(local) = ex.kind {
                let given = given.get(local.at()).filter(|_| local < params);
                ex.kind = given.map_or(INNER, |given| given.kind.clone());
            }
        };
        self.owner.iter_mut().for_each(put);
        self.place.index.iter_mut().for_each(|(ex, _)| put(ex));
        // Shown where the author asked for it.
        Secret { span, ..self }
    }

    /// Whether both are the same, wherever they are read.
    pub(super) fn is_also(&self, other: &Secret) -> bool {
        self.name == other.name
            && self.owner == other.owner
            && self.place == other.place
            && self.to_the_number == other.to_the_number
    }
}

/// What the pieces, counters and markers tell of the arguments of a move, or of the registers of a function.
#[derive(Clone, Default)]
pub(super) struct Told {
    /// Registers that say which row of a hidden place is looked at or moved, or what a hidden counter
    /// or marker becomes.
    pub(super) hidden: BTreeSet<Local>,
    /// Those among them whose row also lies in a place that everybody sees, before or after the move.
    pub(super) opened: BTreeSet<Local>,
}

impl Told {
    /// A row goes between places, of which these are hidden.
    pub(super) fn moved(&mut self, register: Option<Local>, hidden: &[bool]) {
        if hidden.contains(&true) {
            self.hidden.extend(register);
            if hidden.contains(&false) {
                self.opened.extend(register);
            }
        }
    }

    /// A function tells as much of its own registers.
    pub(super) fn add(&mut self, other: &Told) {
        self.hidden.extend(&other.hidden);
        self.opened.extend(&other.opened);
    }

    /// A function that takes so many parameters, is given these and tells as much of its registers is called.
    pub(super) fn called(&mut self, callee: &Told, params: Local, given: &[Ex]) {
        let register = |local: &Local| match given.get(local.at()).filter(|_| *local < params) {
            Some(ex) => register(ex),
            None => None,
        };
        self.hidden
            .extend(callee.hidden.iter().filter_map(register));
        self.opened
            .extend(callee.opened.iter().filter_map(register));
    }
}

/// The register that an expression gives, if it is one.
pub(super) fn register(ex: &Ex) -> Option<Local> {
    match ex.kind {
        Kind::Local(register) => Some(register),
        _ => None,
    }
}

/// What is read at `place`, if not everybody sees it.
pub(super) fn secret(name: &str, sight: Sight, span: Span, place: Addr) -> Option<Secret> {
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
