//! Functions that go through the legal moves.
//!
//! The rules say under which conditions a move is legal; here each move becomes a function that goes through
//! the values of its fixed parameters, loop within loop, and judges every condition as soon as what it needs
//! is bound. What it finds it offers to a sink. The function is a typed tree like those of the rules,
//! so that it is lowered with the same care (a loop whose condition begins with a test of its row becomes a
//! [scan](super::row_tests)) and judged by the same oracle.
//!
//! Open parameters stay at nothing: what may be chosen for them is found when the fixed ones are bound, in
//! [`choices`](crate::play).
//!
//! Of a move that depends on secrets there is a second function, which knows only what everybody sees: whether a forced
//! move tells anybody why it was forced.

use crate::analysis::rewrite::renumber;
use crate::numbers::Fit as _;
use crate::program::bytecode::Listing;
use crate::program::model::{
    DomainModel, FuncId, Gate, GateKind, IndexVec, Model, MoveId, MoveModel, ParamModel,
};
use crate::program::tree::{Domain, Ex, Function, Kind, Local, NONE, Op2, St};

/// In which order the values of parameters are gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the first to the last.
    Ascending,
    /// Of each parameter from a value that the function is given (behind the registers of the move, a number
    /// that is not negative, for each parameter in turn), and around: for drawing a move without listing all.
    Rotated,
}

/// What a listing knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// Everything.
    Whole,
    /// What everybody sees: conditions and domains that depend on anything else count as if they allowed
    /// everything. For a number that may be any one move is offered, without what follows it.
    Public,
}

/// The functions that go through the legal moves of a kind, as trees.
#[derive(Clone, Debug)]
pub struct Listings {
    /// In ascending order.
    pub ascending: Function,
    /// Rotated, if moves of this kind are drawn without listing them.
    pub rotated: Option<Function>,
    /// As far as everybody can see, if that is not everything.
    pub public: Option<Function>,
}

impl Listings {
    /// In the order in which they are numbered.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        let others = self.rotated.iter().chain(&self.public);
        std::iter::once(&self.ascending).chain(others)
    }
}

/// The listings of every move.
pub fn listings(model: &Model) -> Vec<Listings> {
    let mut drawn = model.moves.map(|_| false);
    for ask in &model.asks {
        if ask.moves.iter().any(|mv| model.moves[*mv].searched) {
            ask.moves.iter().for_each(|mv| drawn[*mv] = true);
        }
    }
    let of = |(mv, drawn): (MoveId, &bool)| {
        let own = &model.moves[mv];
        let promises = |gate: &Gate| matches!(gate.kind, GateKind::Promise(_));
        let secret = own.gates.iter().any(|gate| gate.hidden && !promises(gate));
        let listed = |order, knowledge| listing(model, mv, order, knowledge);
        Listings {
            ascending: listed(Order::Ascending, Knowledge::Whole),
            rotated: drawn.then(|| listed(Order::Rotated, Knowledge::Whole)),
            public: secret.then(|| listed(Order::Ascending, Knowledge::Public)),
        }
    };
    drawn.iter_enumerated().map(of).collect()
}

/// Their numbers: they come behind the functions of the model, move by move.
pub fn numbered(model: &Model, listings: &[Listings]) -> IndexVec<MoveId, Listing> {
    let FuncId(mut next) = model.functions.next_id();
    let mut number = || {
        next += 1;
        FuncId(next - 1)
    };
    let listings = listings.iter();
    listings
        .map(|listings| Listing {
            ascending: number(),
            rotated: listings.rotated.is_some().then(&mut number),
            public: listings.public.is_some().then(&mut number),
        })
        .collect()
}

/// The function that goes through the legal moves of a kind. Its parameters are the registers of the move, the
/// seat in the first and nothing in the others; it gives whether the sink had enough.
pub fn listing(model: &Model, mv: MoveId, order: Order, knowledge: Knowledge) -> Function {
    let own = &model.moves[mv];
    let starts = match order {
        Order::Ascending => 0,
        Order::Rotated => own.params.len().fit(),
    };
    let params = own.registers.max(1) + starts;
    let mut writer = Writer {
        model,
        mv,
        own,
        order,
        knowledge,
        next: params,
        most: params,
    };
    let body = writer.level(0);
    Function {
        name: format!("{}.legal", own.address),
        params,
        locals: writer.most,
        body,
        result: Some(writer.ex(Kind::Const(0))),
        span: own.span,
    }
}

struct Writer<'m> {
    model: &'m Model,
    mv: MoveId,
    own: &'m MoveModel,
    order: Order,
    knowledge: Knowledge,
    /// The next local that nothing holds.
    next: Local,
    most: Local,
}

impl Writer<'_> {
    fn ex(&self, kind: Kind) -> Ex {
        let span = self.own.span;
        Ex { kind, span }
    }

    fn number(&self, n: i64) -> Ex {
        self.ex(Kind::Const(n))
    }

    fn local(&self, local: Local) -> Ex {
        self.ex(Kind::Local(local))
    }

    fn binary(&self, op: Op2, a: Ex, b: Ex) -> Ex {
        self.ex(Kind::Binary(op, Box::new(a), Box::new(b)))
    }

    fn either(&self, condition: &Ex, then: Ex, otherwise: Ex) -> Ex {
        let (then, otherwise) = (Box::new(then), Box::new(otherwise));
        self.ex(Kind::If(Box::new(condition.clone()), then, otherwise))
    }

    /// A local that is held as long as what is written next.
    fn hold(&mut self) -> Local {
        let local = self.next;
        self.next += 1;
        self.most = self.most.max(self.next);
        local
    }

    /// What a function of the move gives: its expression, put here. Its parameters are the first registers,
    /// which lie here as they do there; what else it uses lies behind what is held.
    fn given(&mut self, function: FuncId) -> Ex {
        let callee = &self.model.functions[function];
        let (Some(result), true) = (&callee.result, callee.body.is_empty()) else {
            let args = (0..callee.params).map(|r| self.local(r)).collect();
            return self.ex(Kind::Call(function, args));
        };
        let (params, behind) = (callee.params, self.next);
        let own = callee.locals.saturating_sub(params);
        self.most = self.most.max(behind + own);
        let mut result = result.clone();
        renumber(&mut result, &|r| match r < params {
            true => r,
            false => r - params + behind,
        });
        result
    }

    /// What is done once so many parameters are bound.
    fn level(&mut self, bound: usize) -> Vec<St> {
        let judged = |need: &Gate| !need.open && self.knows(need.hidden) && need.after == bound;
        let needs = self.own.needs().filter(|(need, _)| judged(need));
        let needs: Vec<FuncId> = needs.map(|(_, condition)| condition).collect();
        let mut condition: Option<Ex> = None;
        for need in needs {
            let need = self.given(need);
            condition = Some(match condition {
                None => need,
                Some(before) => self.ex(Kind::And(Box::new(before), Box::new(need))),
            });
        }
        let held = self.next;
        let inner = match self.own.params.get(bound) {
            None => self.offer(),
            Some(param) => self.param(param, bound),
        };
        self.next = held;
        match condition {
            None => inner,
            Some(condition) => vec![St::If(condition, inner, vec![])],
        }
    }

    /// Whether what is known includes something that is hidden or not.
    fn knows(&self, hidden: bool) -> bool {
        self.knowledge == Knowledge::Whole || !hidden
    }

    fn offer(&self) -> Vec<St> {
        let offer = self.ex(Kind::Offer { mv: self.mv });
        vec![St::If(offer, vec![St::Return(self.number(1))], vec![])]
    }

    fn param(&mut self, param: &ParamModel, number: usize) -> Vec<St> {
        let nothing = param.ty.nothing();
        if param.is_open() {
            // All its registers hold 0 from the beginning.
            let mut all = Vec::new();
            if nothing != 0 {
                all.push(St::Set(param.register, self.number(nothing)));
            }
            all.extend(self.level(number + 1));
            return all;
        }
        if self.knowledge == Knowledge::Public && param.is_secret_number() {
            return self.offer();
        }
        let mut all = Vec::new();
        let when = param.when.filter(|_| self.knows(param.hidden));
        let offered = when.map(|when| {
            let offered = self.given(when);
            let held = self.hold();
            all.push(St::Set(held, offered));
            self.local(held)
        });
        // What is not offered has one value.
        let from = |this: &Self, from: Ex| match &offered {
            Some(offered) => this.either(offered, from, this.number(nothing)),
            None => from,
        };
        let to = |this: &Self, to: Ex| match &offered {
            Some(offered) => this.either(offered, to, this.number(nothing + 1)),
            None => to,
        };
        let domain = match &param.domain {
            DomainModel::Upto(n) if offered.is_none() => Domain::Upto(*n),
            DomainModel::Upto(n) => {
                let (least, most) = (self.number(0), self.number(i64::from(*n)));
                Domain::Range(Box::new(from(self, least)), Box::new(to(self, most)))
            }
            DomainModel::OptionUpto(n) => {
                let (least, most) = (self.number(NONE), self.number(i64::from(*n)));
                Domain::Range(Box::new(from(self, least)), Box::new(to(self, most)))
            }
            DomainModel::Range(least, most) => {
                let (least, most) = (self.given(*least), self.given(*most));
                let most = self.binary(Op2::Add, most, self.number(1));
                Domain::Range(Box::new(from(self, least)), Box::new(to(self, most)))
            }
            DomainModel::Same { cells, optional } => {
                let first = Box::new(self.given(*cells));
                let standing = self.ex(Kind::Standing {
                    first,
                    at: param.register,
                    len: param.len,
                    optional: *optional,
                });
                let there = match &offered {
                    Some(offered) => {
                        let registers = param.register..param.register + param.len;
                        all.extend(registers.map(|r| St::Set(r, self.number(0))));
                        all.push(St::Set(param.register, self.number(nothing)));
                        self.either(offered, standing, self.number(1))
                    }
                    None => standing,
                };
                all.push(St::If(there, self.level(number + 1), vec![]));
                return all;
            }
            DomainModel::Amount { .. } | DomainModel::Bag { .. } | DomainModel::Spread(_) => {
                unreachable!("open parameters are above")
            }
        };
        all.extend(match self.order {
            Order::Ascending => {
                let bound = self.hold();
                let inner = self.level(number + 1);
                vec![St::For(param.register, bound, domain, inner)]
            }
            Order::Rotated => self.around(param.register, number, domain),
        });
        all
    }

    /// A loop that begins at a value that is given.
    fn around(&mut self, register: Local, number: usize, domain: Domain) -> Vec<St> {
        let (from, to) = match domain {
            Domain::Upto(n) => (self.number(0), self.number(i64::from(n))),
            Domain::Range(from, to) => (*from, *to),
        };
        let [least, count, counter, bound] = [(); 4].map(|()| self.hold());
        let start = self.local(self.own.registers.max(1) + number.fit::<Local>());
        let further = self.binary(Op2::Add, start, self.local(counter));
        let around = self.binary(Op2::Rem, further, self.local(count));
        let value = self.binary(Op2::Add, self.local(least), around);
        let mut inner = vec![St::Set(register, value)];
        inner.extend(self.level(number + 1));
        let all = (Box::new(self.number(0)), Box::new(self.local(count)));
        vec![
            St::Set(least, from),
            St::Set(count, self.binary(Op2::Sub, to, self.local(least))),
            St::For(counter, bound, Domain::Range(all.0, all.1), inner),
        ]
    }
}
