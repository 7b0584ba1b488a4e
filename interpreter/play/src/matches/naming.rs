//! Conversion between the machine's numbers and the ids of the API.

use crate::analysis::evaluate::{self, Source};
use crate::api::{Compared, Found, Id, Move, Subject};
use crate::flow::Choice;
use crate::machine::Ruleset;
use crate::numbers::{At as _, Fit as _};
use crate::program::model::{
    Cell, DomainModel, MoveModel, PhaseModel, TableId, VarModel, instances,
};
use crate::program::references::reference;
use crate::program::sentence::is_name;
use crate::program::tree::{Aggregate, NONE, Op2, Ty};
use crate::program::value::{PlaceRef, RowRef, Share, Value, value};

impl Ruleset {
    /// A number as a value of its type.
    pub(crate) fn value(&self, ty: &Ty, number: i64) -> Value {
        value(self.model(), ty, number)
    }

    /// One instance of what a phase keeps: `bargaining.offered(p2)`.
    pub(crate) fn kept(&self, phase: &PhaseModel, var: &VarModel, instance: u32) -> PlaceRef {
        let name = Id::from(format!("{}.{}", phase.name, var.name));
        reference(self.model(), &name, &var.index, instance)
    }

    /// All instances of what a phase keeps, in order.
    pub fn kept_places(&self, phase: &PhaseModel, var: &VarModel) -> Vec<PlaceRef> {
        let all = 0..instances(&var.index);
        all.map(|instance| self.kept(phase, var, instance))
            .collect()
    }

    /// What a phase keeps when it begins, of each instance.
    pub fn kept_first(&self, phase: &PhaseModel, var: &VarModel) -> Value {
        let cells = (0..var.width).map(|n| var.base + n);
        let numbers: Vec<i64> = cells.map(|cell| phase.first_of(cell).into()).collect();
        self.whole(&var.ty, &numbers)
    }

    /// Numbers as a value of their type, which may hold several things.
    pub(crate) fn whole(&self, ty: &Ty, numbers: &[i64]) -> Value {
        match ty {
            Ty::Bag(table) => self.bag(*table, numbers),
            Ty::Record(record) => {
                let model = &self.model().records[*record];
                let mut at = 0;
                let parts = model.parts.iter().map(|(name, ty)| {
                    let from = at;
                    at += self.model().width(ty).at();
                    (name.clone(), self.whole(ty, &numbers[from..at]))
                });
                Value::Record {
                    record: model.name.clone(),
                    parts: parts.collect(),
                }
            }
            Ty::Option(_) if self.model().width(ty) > 1 && numbers[0] == 0 => Value::None,
            Ty::Option(inner) if self.model().width(ty) > 1 => self.whole(inner, &numbers[1..]),
            _ => self.value(ty, numbers[0]),
        }
    }

    /// A phase's arguments by name.
    pub(crate) fn phase_args(&self, phase: &PhaseModel, numbers: &[i64]) -> Vec<(Id, Value)> {
        let mut at = 0;
        let args = phase.params.iter().map(|param| {
            let from = at;
            at += param.width.at();
            (
                param.name.clone(),
                self.whole(&param.ty, &numbers[from..at]),
            )
        });
        args.collect()
    }

    /// A value as the numbers of a type, which may hold several things, or what is wrong with it. Parts of
    /// a record that are not mentioned are nothing: 0, no, `none`, an empty bag.
    pub(crate) fn numbers(&self, ty: &Ty, value: &Value) -> Result<Vec<i64>, String> {
        let width = self.model().width(ty).at();
        match (ty, value) {
            (
                Ty::Bag(table),
                Value::Bag {
                    table: given,
                    counts,
                },
            ) => {
                let model = &self.model().tables[*table];
                if **given != *model.name {
                    return Err(format!("a bag of `{}` is needed", model.plural));
                }
                let mut numbers = vec![0; width];
                for (row, n) in counts {
                    let Some(i) = model.rows.iter().position(|r| r == row) else {
                        return Err(format!("no `{row}` among the `{}` in play", model.plural));
                    };
                    numbers[i] += i64::from(*n);
                }
                Ok(numbers)
            }
            (
                Ty::Record(record),
                Value::Record {
                    record: given,
                    parts,
                },
            ) => {
                let model = &self.model().records[*record];
                if **given != *model.name {
                    return Err(format!("a `{}` is needed, not a `{given}`", model.name));
                }
                let known = |name: &Id| model.parts.iter().any(|(part, _)| part == name);
                if let Some((name, _)) = parts.iter().find(|(name, _)| !known(name)) {
                    return Err(format!("`{}` has no part `{name}`", model.name));
                }
                let mut numbers = Vec::with_capacity(width);
                for (name, ty) in &model.parts {
                    let given: Vec<&Value> = parts
                        .iter()
                        .filter(|(n, _)| n == name)
                        .map(|(_, v)| v)
                        .collect();
                    match given[..] {
                        [] => numbers.extend(self.nothing(ty)),
                        [value] => {
                            let part = self.numbers(ty, value);
                            numbers.extend(part.map_err(|why| format!("`{name}`: {why}"))?);
                        }
                        _ => return Err(format!("the part `{name}` is given twice")),
                    }
                }
                Ok(numbers)
            }
            (Ty::Option(_), Value::None) if width > 1 => Ok(vec![0; width]),
            (Ty::Option(inner), value) if width > 1 => {
                let mut numbers = vec![1];
                numbers.extend(self.numbers(inner, value)?);
                Ok(numbers)
            }
            (Ty::Bag(_) | Ty::Record(_), _) => Err(format!("{} is needed", describe(self, ty))),
            _ => Ok(vec![self.number(ty, value)?]),
        }
    }

    /// Nothing, of a type.
    fn nothing(&self, ty: &Ty) -> Vec<i64> {
        match self.model().width(ty) {
            1 => vec![ty.nothing()],
            width => vec![0; width.at()],
        }
    }

    /// A value as a number of a type, or what is wrong with it.
    pub(crate) fn number(&self, ty: &Ty, value: &Value) -> Result<i64, String> {
        match (ty, value) {
            (Ty::Int, Value::Int(i)) => Ok(*i),
            (Ty::Bool, Value::Bool(b)) => Ok(i64::from(*b)),
            (Ty::Player, Value::Player(seat)) if seat.0 < self.model().players => {
                Ok(i64::from(seat.0))
            }
            (Ty::Player, Value::Player(seat)) => Err(format!("there is no seat {}", seat.0)),
            (Ty::Row(t), Value::Row { table, row }) => {
                let model = &self.model().tables[*t];
                if **table != *model.name {
                    return Err(format!(
                        "a row of `{}` is needed, not of `{table}`",
                        model.plural
                    ));
                }
                match model.rows.iter().position(|r| r == row) {
                    Some(i) => Ok(i.fit()),
                    None => Err(format!("no `{row}` among the `{}` in play", model.plural)),
                }
            }
            (Ty::Option(_), Value::None) => Ok(NONE),
            (Ty::Option(inner), value) => self.number(inner, value),
            (ty, _) => Err(format!("{} is needed", describe(self, ty))),
        }
    }

    pub(crate) fn row_ref(&self, table: TableId, row: usize) -> RowRef {
        let model = &self.model().tables[table];
        RowRef {
            table: model.name.clone(),
            row: model.rows[row].clone(),
        }
    }

    /// The place that starts at a cell.
    pub(crate) fn place_at(&self, cell: Cell) -> PlaceRef {
        let place = self
            .program
            .lookup
            .place(cell)
            .expect("pieces lie in places");
        let instance = (cell - place.base) / place.width;
        self.program.references.places[place.number][instance.at()].clone()
    }

    /// Something that a condition read, as the API tells it.
    pub(crate) fn compared(&self, compared: &evaluate::Compared) -> Compared {
        let written = self.sources().text(compared.span);
        let name = Subject::Name(Id::from(written));
        let value = self.value(&compared.ty, compared.value);
        let subject = match &compared.source {
            Source::Name if is_name(written) => name,
            Source::Cell(cell) => match self.subject_at(*cell) {
                Some(subject) => subject,
                None if is_name(written) => name,
                None => Subject::Expression,
            },
            Source::Size(cell) => match self.subject_at(*cell) {
                Some(Subject::Pieces(place, _)) => Subject::Site(place),
                Some(subject) => subject,
                None => Subject::Expression,
            },
            Source::InPile(cell, row) => match self.program.lookup.place(*cell) {
                Some(facts) => {
                    let table = self.model().places[facts.number].table;
                    match self.value(&Ty::Row(table), *row) {
                        Value::Row { table, row } => {
                            Subject::Pieces(self.place_at(*cell), RowRef { table, row })
                        }
                        _ => Subject::Expression,
                    }
                }
                None => Subject::Expression,
            },
            Source::Column(column, row) => {
                let model = &self.model().columns[*column];
                match self.value(&Ty::Row(model.table), *row) {
                    Value::Row { table, row } => Subject::Cell {
                        column: model.name.clone(),
                        row: RowRef { table, row },
                    },
                    _ => Subject::Expression,
                }
            }
            Source::Function(function, args) => {
                let model = self.model();
                let name = model.functions[*function].name.as_str();
                // A query that a move extends is a function of the move's registers too, of which nobody is told.
                let own = name.split_once(" in ").and_then(|(own, _)| {
                    let query = model.queries.get(own)?;
                    Some((own, model.functions[query.function].params.at()))
                });
                let (name, params) = own.unwrap_or((name, args.len()));
                let args = args.iter().take(params);
                Subject::Query {
                    query: Id::from(name),
                    args: args.map(|(n, ty)| self.value(ty, *n)).collect(),
                }
            }
            Source::Number => Subject::Number,
            Source::Operation(op, sides) => Subject::Operation {
                sign: match op {
                    Op2::Add => '+',
                    Op2::Sub => '-',
                    _ => '*',
                },
                sides: Box::new([self.compared(&sides[0]), self.compared(&sides[1])]),
            },
            Source::Aggregate(Aggregate::Count) => Subject::Aggregate(Found::Count),
            Source::Aggregate(Aggregate::Sum) => Subject::Aggregate(Found::Sum),
            Source::Aggregate(Aggregate::Max) => Subject::Aggregate(Found::Most),
            Source::Aggregate(Aggregate::Min) => Subject::Aggregate(Found::Least),
            Source::Name | Source::Aggregate(_) | Source::Other => Subject::Expression,
        };
        // What stands in a query is written with names of the query's own: in their place stands what they are.
        let expression = match compared.own {
            true => None,
            false => spelt(&subject),
        };
        Compared {
            expression: expression.unwrap_or_else(|| written.to_owned()),
            subject,
            value,
        }
    }

    /// What a cell is of; none if it is of what only the rules know.
    fn subject_at(&self, cell: Cell) -> Option<Subject> {
        let (model, lookup) = (self.model(), &self.program.lookup);
        let references = &self.program.references;
        if let Some(facts) = lookup.place(cell) {
            let place = &model.places[facts.number];
            let place_ref = self.place_at(cell);
            let row = (cell - facts.base) % facts.width;
            let rows = &model.tables[place.table].rows;
            return Some(match (place.pile, rows.get(row.at())) {
                (false, Some(_)) => Subject::Pieces(place_ref, self.row_ref(place.table, row.at())),
                _ => Subject::Site(place_ref),
            });
        }
        if let Some(counter) = lookup.counter(cell) {
            let at = cell - model.counters[counter].base;
            return references.counters[counter]
                .get(at.at())
                .cloned()
                .map(Subject::Site);
        }
        if let Some(marker) = lookup.marker(cell) {
            let at = cell - model.markers[marker].base;
            return references.markers[marker]
                .get(at.at())
                .cloned()
                .map(Subject::Site);
        }
        model.phases.iter().find_map(|phase| {
            let kept = phase
                .keeps
                .iter()
                .find(|var| (var.base..var.base + var.len).contains(&cell))?;
            Some(Subject::Site(self.kept(
                phase,
                kept,
                (cell - kept.base) / kept.width,
            )))
        })
    }

    /// A complete choice as a move. `plan` are the first cells of a spread's places.
    pub(crate) fn move_of(&self, choice: &Choice, plan: &[Cell]) -> Move {
        let model = &self.model().moves[choice.mv];
        let mut args = Vec::new();
        for param in &model.params {
            let at = param.register.at() - 1;
            let value = match &param.domain {
                DomainModel::Bag { table, .. } => self.bag(*table, &choice.args[at..]),
                DomainModel::Spread(s) => {
                    let table = self.model().spreads[*s].table;
                    let rows = self.model().tables[table].rows.len();
                    let shares =
                        plan.iter().enumerate().flat_map(|(i, cell)| {
                            let counts = &choice.args[at + i * rows..at + (i + 1) * rows];
                            counts.iter().enumerate().filter(|(_, n)| **n > 0).map(
                                move |(row, n)| Share {
                                    place: self.place_at(*cell),
                                    row: self.row_ref(table, row),
                                    count: u32::try_from(*n).unwrap_or(u32::MAX),
                                },
                            )
                        });
                    Value::Spread(shares.collect())
                }
                _ if param.is_left_out() && choice.args[at] == param.ty.nothing() => continue,
                _ => self.whole(&param.ty, &choice.args[at..at + param.len.at()]),
            };
            args.push((param.name.clone(), value));
        }
        Move {
            name: model.name.clone(),
            args,
        }
    }

    pub(crate) fn bag(&self, table: TableId, counts: &[i64]) -> Value {
        let model = &self.model().tables[table];
        let counts = model.rows.iter().zip(counts).filter(|(_, n)| **n > 0);
        let count = |n: i64| u32::try_from(n).unwrap_or(u32::MAX);
        Value::Bag {
            table: model.name.clone(),
            counts: counts.map(|(r, n)| (r.clone(), count(*n))).collect(),
        }
    }

    /// A submitted move's arguments as numbers. `plan` are the first cells of a spread's places.
    pub(crate) fn arguments(
        &self,
        model: &MoveModel,
        mv: &Move,
        plan: &[Cell],
    ) -> Result<Vec<i64>, String> {
        let mut args = vec![0; model.registers.at() - 1];
        for (name, _) in &mv.args {
            if !model.params.iter().any(|p| p.name == *name) {
                let names: Vec<&str> = model.params.iter().map(|p| &*p.name).collect();
                return Err(match names[..] {
                    [] => format!("`{}` takes no arguments, but `{name}` was given", mv.name),
                    _ => format!(
                        "`{}` has no parameter `{name}`: it takes {}",
                        mv.name,
                        names.join(", ")
                    ),
                });
            }
        }
        for param in &model.params {
            let at = param.register.at() - 1;
            let given: Vec<&Value> = mv
                .args
                .iter()
                .filter(|(n, _)| *n == param.name)
                .map(|(_, v)| v)
                .collect();
            let value = match given[..] {
                [value] => value,
                [] if param.may_be_left_out() => {
                    args[at] = param.ty.nothing();
                    continue;
                }
                [] => return Err(format!("the argument `{}` is missing", param.name)),
                _ => return Err(format!("the argument `{}` is given twice", param.name)),
            };
            let wrong = |why: String| format!("`{}`: {why}", param.name);
            match (&param.domain, value) {
                (DomainModel::Spread(s), Value::Spread(shares)) => {
                    let table = self.model().spreads[*s].table;
                    let rows = self.model().tables[table].rows.len();
                    for share in shares {
                        let places = plan
                            .iter()
                            .position(|cell| self.place_at(*cell) == share.place);
                        let row = (0..rows).find(|r| self.row_ref(table, *r) == share.row);
                        let (Some(place), Some(row)) = (places, row) else {
                            return Err(wrong(format!(
                                "`{}` is no place of this spread",
                                share.place.name
                            )));
                        };
                        args[at + place * rows + row] += i64::from(share.count);
                    }
                }
                (DomainModel::Spread(_), _) => {
                    return Err(wrong(format!("{} is needed", describe(self, &param.ty))));
                }
                (_, value) => {
                    let numbers = self.numbers(&param.ty, value).map_err(wrong)?;
                    args[at..at + numbers.len()].copy_from_slice(&numbers);
                }
            }
        }
        Ok(args)
    }
}

fn describe(ruleset: &Ruleset, ty: &Ty) -> String {
    match ty {
        Ty::Int => "a number".to_owned(),
        Ty::Bool => "yes or no".to_owned(),
        Ty::Player => "a player".to_owned(),
        Ty::Row(t) => format!("a row of `{}`", ruleset.model().tables[*t].plural),
        Ty::Bag(t) => format!("a bag of `{}`", ruleset.model().tables[*t].plural),
        Ty::Record(r) => format!("a `{}`", ruleset.model().records[*r].name),
        Ty::Spread => "a spread of pieces over places".to_owned(),
        Ty::Option(inner) => format!("{} or nothing", describe(ruleset, inner)),
        Ty::None | Ty::Unit => "nothing".to_owned(),
    }
}

/// What something is called as rules write it, with what it is of: `stock(p1, corn)`; none if it has no name.
fn spelt(subject: &Subject) -> Option<String> {
    let of = |name: &str, index: &mut dyn Iterator<Item = String>| {
        let index: Vec<String> = index.collect();
        match index.is_empty() {
            true => name.to_owned(),
            false => format!("{name}({})", index.join(", ")),
        }
    };
    Some(match subject {
        Subject::Name(name) => name.to_string(),
        Subject::Site(place) => of(&place.name, &mut place.index.iter().map(one)),
        Subject::Pieces(place, row) => {
            let index = place.index.iter().map(one);
            of(&place.name, &mut index.chain([row.row.to_string()]))
        }
        Subject::Cell { column, row } => of(column, &mut std::iter::once(row.row.to_string())),
        Subject::Query { query, args } => of(query, &mut args.iter().map(one)),
        Subject::Operation { sign, sides } => {
            let [a, b] = &**sides;
            let whole = |side: &Compared| match side.subject {
                Subject::Operation { .. } => format!("({})", side.expression),
                _ => side.expression.clone(),
            };
            format!("{} {sign} {}", whole(a), whole(b))
        }
        Subject::Number | Subject::Aggregate(_) | Subject::Expression => return None,
    })
}

/// A single value as scenarios write it.
fn one(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Row { row, .. } => row.to_string(),
        Value::Player(seat) => format!("p{}", u32::from(seat.0) + 1),
        Value::None => "none".to_owned(),
        _ => "…".to_owned(),
    }
}
