//! Who may learn what from an expression.
//!
//! A place, counter or marker that not everybody sees makes every expression that reads it secret.
//! Who is asked, whether a step is passed over and when an ending becomes due must follow from what
//! everybody sees; a move's conditions and domains may also read what the mover sees, because their
//! outcome shows in the legal moves. Anything else would tell a secret by the way the match goes.

use super::Checker;
use super::ir::{Addr, Arg, Ex, FuncId, Kind, Op2, Verb};
use super::model::{
    ArgumentAudience, BagSource, BodyModel, DomainModel, OverModel, ParamModel, PlaceModel, Sight,
    StepModel, UntilModel,
};
use super::params::functions_of;
use super::visit::{visit, visit_statements};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Something secret that an expression reads.
#[derive(Clone, Debug)]
pub(super) struct Secret {
    pub(super) name: String,
    pub(super) span: Span,
    /// The expression of the only player who sees it; none if nobody does.
    owner: Option<Ex>,
    /// The place, counter or marker.
    place: Addr,
    /// Whether even the number of pieces is part of it.
    pub(super) to_the_number: bool,
}

impl Secret {
    /// Whether it is the secret of the player whom an expression names.
    pub(super) fn is_of(&self, player: &Ex) -> bool {
        self.owner.as_ref().is_some_and(|owner| same(owner, player))
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
}

/// What the pieces, counters and markers tell of the arguments of a move.
#[derive(Default)]
pub(super) struct Told {
    /// Registers that say which row of a hidden place is looked at or moved, or what a hidden counter
    /// or marker becomes.
    hidden: Vec<u16>,
    /// Those among them whose row also lies in a place that everybody sees, before or after the move.
    pub(super) opened: Vec<u16>,
}

impl Told {
    /// A row goes between places, of which these are hidden.
    fn moved(&mut self, register: Option<u16>, hidden: &[bool]) {
        if hidden.contains(&true) {
            self.hidden.extend(register);
            if hidden.contains(&false) {
                self.opened.extend(register);
            }
        }
    }
}

impl Checker<'_> {
    pub(super) fn audiences(&mut self) {
        for i in 0..self.model.phases.len() {
            let phase = self.model.phases[i].clone();
            self.public_steps(&phase.steps);
            self.public_steps(&phase.ends);
        }
        for ask in self.model.asks.clone() {
            self.public(ask.seat, "who is asked");
            if let Some(several) = &ask.several {
                for f in several.filter.into_iter().chain(several.most) {
                    self.public(f, "who is asked");
                }
            }
        }
        for mv in 0..self.model.moves.len() {
            self.hidden_parts(mv);
        }
        for event in self.model.events.clone() {
            for when in event.triggers.iter().filter_map(|t| t.when) {
                self.public(when, "what follows an event");
            }
        }
        for ending in self.model.endings.clone() {
            if let Some(when) = ending.when {
                self.public(when, "when the match ends");
            }
        }
        self.promises_tell();
        for watch in self.model.watches.clone() {
            if watch.reveals {
                continue;
            }
            for when in [Some(watch.when), watch.trigger.when].into_iter().flatten() {
                self.public(when, "what follows from this");
            }
        }
        self.told_to_all();
        for ask in self.model.asks.clone() {
            // Whoever is asked may have a name as a parameter of the phase.
            let seat = self.model.functions[ask.seat.0 as usize].result.clone();
            self.shown = ask
                .sees
                .iter()
                .filter_map(|(_, f)| self.model.functions[f.0 as usize].result.clone())
                .collect();
            for mv in ask.moves {
                let seat = self.movers.get(&mv).cloned().or_else(|| seat.clone());
                let mv = self.model.moves[mv].clone();
                for need in mv.needs.iter().filter(|need| !need.reveals) {
                    self.told_mover(need.condition, seat.as_ref());
                }
                for promise in &mv.ensures {
                    self.told_mover(promise.condition, seat.as_ref());
                }
                for param in &mv.params {
                    for f in functions_of(param) {
                        self.told_mover(f, seat.as_ref());
                    }
                    self.chosen_from(param, seat.as_ref());
                }
            }
        }
    }

    /// Whether a secret is shown to whoever is asked: it is read from a place that the question shows.
    fn is_shown(&self, secret: &Secret) -> bool {
        let cells = super::params::address_value(secret.place.clone(), secret.span);
        self.shown.iter().any(|shown| same(shown, &cells))
    }

    /// Which conditions and parameters of a move depend on secrets, and which arguments tell one.
    fn hidden_parts(&mut self, mv: usize) {
        let mut model = self.model.moves[mv].clone();
        let effects: Vec<FuncId> = model.effects.iter().map(|e| e.effect).collect();
        let mut told = Told::default();
        for need in &mut model.needs {
            need.hidden = !self.secrets(need.condition, &[]).is_empty();
            self.told_by(need.condition, &[], &mut told);
        }
        for promise in &mut model.ensures {
            promise.hidden = !self.secrets(promise.condition, &[]).is_empty();
        }
        for effect in effects {
            self.told_by(effect, &[], &mut told);
        }
        for param in &mut model.params {
            let functions = functions_of(param);
            param.hidden = functions.iter().any(|f| !self.secrets(*f, &[]).is_empty());
            if let DomainModel::Bag {
                source: BagSource::Cells(cells),
                ..
            } = param.domain
            {
                param.hidden |= self.hidden_place(cells);
            }
            let some = matches!(
                param.domain,
                DomainModel::Bag { .. } | DomainModel::Spread(_)
            );
            let tells = param.hidden && some || told.hidden.contains(&param.register);
            if param.audience == ArgumentAudience::Witnesses && !tells {
                param.audience = ArgumentAudience::Everybody;
            }
        }
        self.model.moves[mv] = model;
    }

    /// Whether a function gives the first cell of a place whose faces not everybody sees.
    fn hidden_place(&self, cells: FuncId) -> bool {
        let mut base = None;
        if let Some(result) = &self.model.functions[cells.0 as usize].result {
            visit(result, &mut |e| {
                if let (Kind::Const(c), None) = (&e.kind, base) {
                    base = u32::try_from(*c).ok();
                }
            });
        }
        let place = base.and_then(|base| self.place_at(base));
        place.is_some_and(|p| p.faces != Sight::Everybody || p.count != Sight::Everybody)
    }

    fn place_at(&self, cell: u32) -> Option<&PlaceModel> {
        self.model.places.iter().find(|p| {
            let cells = p.index.iter().map(|(_, n)| n).product::<u32>() * p.width;
            (p.base..p.base + cells).contains(&cell)
        })
    }

    /// Collects which registers of a move are told by what a function looks at, moves and sets.
    pub(super) fn told_by(&self, function: FuncId, args: &[Ex], told: &mut Told) {
        let f = &self.model.functions[function.0 as usize];
        let register = |ex: &Ex| match substitute(ex, args).kind {
            Kind::Local(r) => Some(r),
            _ => None,
        };
        let hidden = |addr: &Addr| {
            let place = self.place_at(addr.base);
            place.is_some_and(|p| p.faces != Sight::Everybody)
        };
        let mut calls = Vec::new();
        let mut look = |ex: &Ex| match &ex.kind {
            Kind::Load(addr) if hidden(addr) => {
                let row = addr.index.last().filter(|(_, stride)| *stride == 1);
                told.hidden.extend(row.and_then(|(row, _)| register(row)));
            }
            Kind::Call(callee, actual) => {
                let actual: Vec<Ex> = actual.iter().map(|a| substitute(a, args)).collect();
                calls.push((*callee, actual));
            }
            Kind::Verb(verb, given) => match (verb, &given[..]) {
                (
                    Verb::Move | Verb::Take | Verb::TakeOut | Verb::PutOn | Verb::PutUnder,
                    [_, Arg::Value(row), Arg::Cells(from), Arg::Cells(to)],
                ) => told.moved(register(row), &[from, to].map(hidden)),
                (
                    Verb::TakeEither,
                    [
                        _,
                        Arg::Value(row),
                        Arg::Cells(first),
                        Arg::Cells(second),
                        Arg::Cells(to),
                    ],
                ) => told.moved(register(row), &[first, second, to].map(hidden)),
                (Verb::Set | Verb::Gain | Verb::Pay, [Arg::Cells(cell), Arg::Value(value)])
                    if self.is_secret_number(cell.base) =>
                {
                    visit(value, &mut |e| {
                        if matches!(e.kind, Kind::Local(_)) {
                            told.hidden.extend(register(e));
                        }
                    });
                }
                _ => {}
            },
            _ => {}
        };
        visit_statements(&f.body, &mut look);
        if let Some(result) = &f.result {
            visit(result, &mut look);
        }
        for (callee, actual) in calls {
            self.told_by(callee, &actual, told);
        }
    }

    /// Whether a cell is a counter or marker that not everybody sees.
    fn is_secret_number(&self, cell: u32) -> bool {
        let within = |base: u32, index: &[(super::ir::Ty, u32)]| {
            (base..base + index.iter().map(|(_, n)| n).product::<u32>()).contains(&cell)
        };
        let counters = self.model.counters.iter();
        let markers = self.model.markers.iter();
        counters
            .map(|c| (c.base, &c.index, c.sight))
            .chain(markers.map(|m| (m.base, &m.index, m.sight)))
            .any(|(base, index, sight)| sight != Sight::Everybody && within(base, index))
    }

    fn public_steps(&mut self, steps: &[StepModel]) {
        for step in steps {
            if let Some(when) = step.when {
                self.public(when, "whether this step happens");
            }
            match &step.over {
                OverModel::EachPlayer { from, filter, .. } => {
                    self.public(*from, "whose turn it is");
                    if let Some(f) = filter {
                        self.public(*f, "whose turn it is");
                    }
                }
                OverModel::Cycle { from, until, .. } => {
                    self.public(*from, "whose turn it is");
                    if let UntilModel::Condition(f) = until {
                        self.public(*f, "when this cycle ends");
                    }
                }
                OverModel::EachRow { filter, .. } => {
                    if let Some(f) = filter {
                        self.public(*f, "what this step runs through");
                    }
                }
                OverModel::EachNumber {
                    from, to, filter, ..
                } => {
                    for f in [from, to].into_iter().chain(filter) {
                        self.public(*f, "what this step runs through");
                    }
                }
                OverModel::Repeat {
                    until: UntilModel::Condition(f),
                } => self.public(*f, "when this step ends"),
                OverModel::Once | OverModel::Repeat { .. } => {}
            }
            match &step.body {
                BodyModel::Steps(inner) => self.public_steps(inner),
                BodyModel::Visit { args, .. } => {
                    for f in args {
                        self.public(*f, "what a phase is about");
                    }
                }
                BodyModel::Play { row, args, .. } => {
                    for f in args.iter().chain([row]) {
                        self.public(*f, "what a phase is about");
                    }
                }
                _ => {}
            }
            self.public_steps(&step.at_start);
            self.public_steps(&step.at_end);
            self.public_steps(&step.before_turn);
            self.public_steps(&step.after_turn);
        }
    }

    fn public(&mut self, function: FuncId, what: &str) {
        let secrets = self.secrets(function, &[]);
        for secret in secrets {
            let name = &secret.name;
            self.report(
                Diagnostic::error(
                    601,
                    secret.span,
                    format!("{what} would tell the secret of `{name}`"),
                )
                .label("not everybody sees this")
                .help("decide it by what everybody sees, or declare the place open"),
            );
        }
    }

    /// What a bag is chosen from is seen by the mover: the offer tells what lies there.
    fn chosen_from(&mut self, param: &ParamModel, asked: Option<&Ex>) {
        let DomainModel::Bag {
            source: BagSource::Cells(cells),
            ..
        } = param.domain
        else {
            return;
        };
        let f = &self.model.functions[cells.0 as usize];
        let (span, Some(first)) = (f.span, f.result.clone()) else {
            return;
        };
        let Some(addr) = address(&first) else { return };
        let whole = self.secret_cells(&addr, false, true, span, &[]);
        if let Some(secret) = whole {
            self.tells_mover(&secret, asked);
        }
    }

    fn told_mover(&mut self, function: FuncId, asked: Option<&Ex>) {
        let registers = self.model.functions[function.0 as usize].params;
        let span = self.model.functions[function.0 as usize].span;
        let args: Vec<Ex> = (0..registers)
            .map(|r| Ex {
                kind: Kind::Local(r),
                span,
            })
            .collect();
        for secret in self.secrets(function, &args) {
            self.tells_mover(&secret, asked);
        }
    }

    /// Reports a secret that is neither the mover's own nor shown.
    fn tells_mover(&mut self, secret: &Secret, asked: Option<&Ex>) {
        let own = match (&secret.owner, asked) {
            (Some(owner), _) if matches!(owner.kind, Kind::Local(0)) => true,
            (Some(owner), Some(asked)) => same_cell(owner, asked),
            _ => false,
        };
        if own || self.is_shown(secret) {
            return;
        }
        let name = &secret.name;
        self.report(
            Diagnostic::error(
                602,
                secret.span,
                format!("this tells the mover the secret of `{name}`"),
            )
            .label("the mover does not see this")
            .help("a move's conditions may read what everybody sees and what the mover sees"),
        );
    }

    /// What secrets a function reads, its parameters standing for `args`.
    pub(super) fn secrets(&self, function: FuncId, args: &[Ex]) -> Vec<Secret> {
        let f = &self.model.functions[function.0 as usize];
        let mut out = Vec::new();
        let mut look = |ex: &Ex| self.secrets_read(ex, args, &mut out);
        visit_statements(&f.body, &mut look);
        if let Some(result) = &f.result {
            visit(result, &mut look);
        }
        out
    }

    /// What secrets this node of an expression reads by itself, what stands below it left aside.
    pub(super) fn secrets_read(&self, ex: &Ex, args: &[Ex], out: &mut Vec<Secret>) {
        match &ex.kind {
            Kind::Call(callee, actual) => {
                let actual: Vec<Ex> = actual.iter().map(|a| substitute(a, args)).collect();
                let secrets = self.secrets(*callee, &actual);
                // Shown where the author asked for it.
                out.extend(secrets.into_iter().map(|secret| Secret {
                    span: ex.span,
                    ..secret
                }));
            }
            Kind::Load(addr) => out.extend(self.secret_cells(addr, false, false, ex.span, args)),
            Kind::SumCells { addr, .. } => {
                out.extend(self.secret_cells(addr, true, false, ex.span, args));
            }
            Kind::CountIn { addr, .. } => {
                out.extend(self.secret_cells(addr, false, true, ex.span, args));
            }
            _ => {}
        }
    }

    /// Whether cells are secret, and who sees them.
    fn secret_cells(
        &self,
        addr: &Addr,
        whole: bool,
        by_kind: bool,
        span: Span,
        args: &[Ex],
    ) -> Option<Secret> {
        let place = self.model.places.iter().find(|p| {
            let cells = p.index.iter().map(|(_, n)| n).product::<u32>() * p.width;
            (p.base..p.base + cells).contains(&addr.base)
        });
        let owner = |i: usize| addr.index.get(i).map(|(ex, _)| substitute(ex, args));
        let index = place.map_or(addr.index.len(), |p| p.index.len());
        let mut at = addr.clone();
        at.index.truncate(index);
        for (ex, _) in &mut at.index {
            *ex = substitute(ex, args);
        }
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
            return self.secret(&p.name, sight, span, at, &owner);
        }
        let one = |base: u32, index: &[(super::ir::Ty, u32)]| {
            (base..base + index.iter().map(|(_, n)| n).product::<u32>()).contains(&addr.base)
        };
        if let Some(c) = self.model.counters.iter().find(|c| one(c.base, &c.index)) {
            return self.secret(&c.name, c.sight, span, at, &owner);
        }
        let kept = self.phase_vars.iter().flatten();
        let mut kept = kept.filter(|v| (v.base..v.base + v.len).contains(&addr.base));
        if let Some(v) = kept.next() {
            return self.secret(&v.name, v.sight, span, at, &owner);
        }
        let marker = self.model.markers.iter().find(|m| one(m.base, &m.index))?;
        self.secret(&marker.name, marker.sight, span, at, &owner)
    }

    fn secret(
        &self,
        name: &str,
        sight: Sight,
        span: Span,
        place: Addr,
        owner: &dyn Fn(usize) -> Option<Ex>,
    ) -> Option<Secret> {
        match sight {
            Sight::Everybody => None,
            Sight::Nobody => Some(Secret {
                name: name.to_owned(),
                span,
                owner: None,
                place,
                to_the_number: true,
            }),
            Sight::Holder(cell) => Some(Secret {
                name: name.to_owned(),
                span,
                owner: Some(Ex {
                    kind: Kind::Load(Addr {
                        base: cell,
                        index: Vec::new(),
                    }),
                    span,
                }),
                place,
                to_the_number: true,
            }),
            Sight::Only(i) => Some(Secret {
                name: name.to_owned(),
                span,
                owner: owner(i),
                place,
                to_the_number: true,
            }),
        }
    }
}

/// The address that a cell's number was made of.
fn address(ex: &Ex) -> Option<Addr> {
    match &ex.kind {
        Kind::Const(base) => Some(Addr {
            base: u32::try_from(*base).ok()?,
            index: Vec::new(),
        }),
        Kind::Binary(Op2::Add, rest, step) => {
            let mut addr = address(rest)?;
            let (ex, stride) = match &step.kind {
                Kind::Binary(Op2::Mul, ex, by) => match by.kind {
                    Kind::Const(by) => ((**ex).clone(), u32::try_from(by).ok()?),
                    _ => return None,
                },
                _ => ((**step).clone(), 1),
            };
            addr.index.push((ex, stride));
            Some(addr)
        }
        _ => None,
    }
}

/// Whether both are what lies in one cell.
fn same_cell(a: &Ex, b: &Ex) -> bool {
    matches!((&a.kind, &b.kind), (Kind::Load(_), Kind::Load(_))) && same(a, b)
}

/// Whether two expressions are surely the same, wherever they stand.
fn same(a: &Ex, b: &Ex) -> bool {
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

/// A parameter replaced by what stands for it.
fn substitute(ex: &Ex, args: &[Ex]) -> Ex {
    match ex.kind {
        Kind::Local(r) => args.get(r as usize).cloned().unwrap_or_else(|| ex.clone()),
        _ => ex.clone(),
    }
}
