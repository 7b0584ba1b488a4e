//! Who may learn what from an expression.
//!
//! A place, counter or marker that not everybody sees makes every expression that reads it secret.
//! Who is asked, whether a step is passed over and when an ending becomes due must follow from what
//! everybody sees; a move's conditions and domains may also read what the mover sees, because their
//! outcome shows in the legal moves. Anything else would tell a secret by the way the match goes.
//! What an expression reads, [`secrets`](super::secrets) finds.

use std::rc::Rc;

use super::knowledge::register;
use super::parameters::functions_of;
use super::{Checker, Secret, Told, same};
use crate::analysis::visit::{visit, visit_statements};
use crate::diagnostic::Code;
use crate::program::model::{
    ArgumentAudience, BagSource, BodyModel, Cell, DomainModel, FuncId, GateKind, MoveId, OverModel,
    ParamModel, Sight, StepModel, UntilModel,
};
use crate::program::tree::{Addr, Arg, Ex, Kind, Op2, Verb};

impl Checker<'_> {
    pub(super) fn audiences(&mut self) {
        for i in self.model.phases.ids() {
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
        for mv in self.model.moves.ids() {
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
        for line in 0..self.model.scores.len() {
            let (when, value) = (self.model.scores[line].when, self.model.scores[line].value);
            let mut read = when.into_iter().chain([value]);
            self.model.scores[line].public = read.all(|f| self.secrets(f).is_empty());
        }
        self.told_to_all();
        for ask in self.model.asks.clone() {
            // The asked seat may have a name as a parameter of the phase.
            let seat = self.model.functions[ask.seat].result.clone();
            self.shown = ask
                .sees
                .iter()
                .filter_map(|(_, f)| self.model.functions[*f].result.clone())
                .collect();
            for mv in ask.moves {
                let seat = self.movers.get(&mv).cloned().or_else(|| seat.clone());
                let mv = self.model.moves[mv].clone();
                for (_, condition) in mv.needs().filter(|(need, _)| !need.reveals) {
                    self.told_mover(condition, seat.as_ref());
                }
                for (_, condition) in mv.promises() {
                    self.told_mover(condition, seat.as_ref());
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

    /// Whether a secret is shown to the asked seat: it is read from a place that the question shows.
    fn is_shown(&self, secret: &Secret) -> bool {
        let cells = super::parameters::address_value(secret.place.clone(), secret.span);
        self.shown.iter().any(|shown| same(shown, &cells))
    }

    /// Which conditions and parameters of a move depend on secrets, and which arguments tell one.
    fn hidden_parts(&mut self, mv: MoveId) {
        let mut model = self.model.moves[mv].clone();
        let effects: Vec<FuncId> = model.effects.iter().map(|e| e.effect).collect();
        let mut told = Told::default();
        for gate in &mut model.gates {
            let condition = gate.condition();
            gate.hidden = condition.is_some_and(|f| !self.secrets(f).is_empty());
        }
        for (_, condition) in model.needs() {
            told.add(&self.told_by(condition));
        }
        for effect in effects {
            told.add(&self.told_by(effect));
        }
        for param in &mut model.params {
            let functions = functions_of(param);
            param.hidden = functions.iter().any(|f| !self.secrets(*f).is_empty());
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
        for gate in &mut model.gates {
            if let GateKind::Domain(param) = gate.kind {
                gate.hidden = model.params[param].hidden;
            }
        }
        self.model.moves[mv] = model;
    }

    /// Whether a function gives the first cell of a place whose faces not everybody sees.
    fn hidden_place(&self, cells: FuncId) -> bool {
        let mut base = None;
        if let Some(result) = &self.model.functions[cells].result {
            visit(result, &mut |e| {
                if let (Kind::Const(c), None) = (&e.kind, base) {
                    base = Cell::try_from(*c).ok();
                }
            });
        }
        let place = base.and_then(|base| self.place_at(base));
        place.is_some_and(|p| p.faces != Sight::Everybody || p.count != Sight::Everybody)
    }

    /// Which of its registers a function tells by what it looks at, moves and sets.
    pub(super) fn told_by(&self, function: FuncId) -> Rc<Told> {
        if let Some(known) = self.told.borrow().get(&function) {
            return known.clone();
        }
        let f = &self.model.functions[function];
        let hidden = |addr: &Addr| {
            let place = self.place_at(addr.base);
            place.is_some_and(|p| p.faces != Sight::Everybody)
        };
        let mut told = Told::default();
        let mut look = |ex: &Ex| match &ex.kind {
            Kind::Load(addr) if hidden(addr) => {
                let row = addr.index.last().filter(|(_, stride)| *stride == 1);
                told.hidden.extend(row.and_then(|(row, _)| register(row)));
            }
            Kind::Call(callee, given) => {
                let params = self.model.functions[*callee].params;
                told.called(&self.told_by(*callee), params, given);
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
                    visit(value, &mut |e| told.hidden.extend(register(e)));
                }
                _ => {}
            },
            _ => {}
        };
        visit_statements(&f.body, &mut look);
        if let Some(result) = &f.result {
            visit(result, &mut look);
        }
        let told = Rc::new(told);
        self.told.borrow_mut().insert(function, told.clone());
        told
    }

    /// Whether a cell is a counter or marker that not everybody sees.
    fn is_secret_number(&self, cell: Cell) -> bool {
        let within = |base: Cell, index: &[(crate::program::tree::Ty, u32)]| {
            (base..base + crate::program::model::instances(index)).contains(&cell)
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
        for secret in self.secrets(function).iter() {
            let name = &secret.name;
            self.report(
                Code::SecretInFlow
                    .error(
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
        let f = &self.model.functions[cells];
        let (span, Some(first)) = (f.span, f.result.clone()) else {
            return;
        };
        let Some(addr) = address(&first) else { return };
        let whole = self.secret_cells(&addr, false, true, span);
        if let Some(secret) = whole {
            self.tells_mover(&secret, asked);
        }
    }

    fn told_mover(&mut self, function: FuncId, asked: Option<&Ex>) {
        for secret in self.secrets(function).iter() {
            self.tells_mover(secret, asked);
        }
    }

    /// Reports a secret that is neither the mover's own nor shown.
    fn tells_mover(&mut self, secret: &Secret, asked: Option<&Ex>) {
        let own = secret.is_the_movers() || asked.is_some_and(|asked| secret.is_of_cell(asked));
        if own || self.is_shown(secret) {
            return;
        }
        let name = &secret.name;
        let help = match secret.is_inner() {
            true => {
                "say whose it is: give the query the player as a parameter, and ask it with the mover"
            }
            false => "a move's conditions may read what everybody sees and what the mover sees",
        };
        self.report(
            Code::SecretInMove
                .error(
                    secret.span,
                    format!("this tells the mover the secret of `{name}`"),
                )
                .label("the mover does not see this")
                .help(help),
        );
    }
}

/// The address that a cell's number was made of.
fn address(ex: &Ex) -> Option<Addr> {
    match &ex.kind {
        Kind::Const(base) => Some(Addr {
            base: Cell::try_from(*base).ok()?,
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
