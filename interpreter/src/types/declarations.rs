//! The order of declarations, and those that need typed expressions: rooms and first contents of places, dice.

use super::Checker;
use crate::diagnostic::{Code, did_you_mean};
use crate::numbers::Fit as _;
use crate::program::model::*;
use crate::program::tree::Ty;
use crate::resolve::{Site, id};
use crate::syntax::ast::{self, Item};

/// Most faces of a die.
const MOST_FACES: usize = 10_000;

/// Most pieces of one table.
const PIECES: u32 = 100_000;

impl<'a> Checker<'a> {
    pub(super) fn declare(&mut self, items: &'a [Item]) {
        self.declare_tables();
        self.declare_constants();
        let span = self.package.span();
        for name in ["score", "so_far"] {
            let function = self.reserve(name, 1, span);
            self.model.names.insert(name.to_owned(), function);
        }
        for item in items {
            if let Item::Record(record) = item {
                self.declare_record(record);
            }
        }
        for item in items {
            if let Item::Phase(phase) = item {
                self.declare_phase(phase);
            }
        }
        for item in items {
            match item {
                Item::Place(place) => self.declare_place(place, None),
                Item::Phase(phase) => {
                    let index = self.phases.get(&phase.name.node).copied();
                    for item in &phase.items {
                        if let Item::Place(place) = item {
                            self.declare_place(place, index);
                        }
                    }
                }
                Item::Counter(counter) => self.declare_counter(counter),
                Item::Marker(marker) => self.declare_marker(marker),
                Item::Die(die) => self.declare_die(die),
                Item::Event(event) => self.declare_event(event),
                _ => {}
            }
        }
        self.fixed_rooms(items);
        self.first_contents(items);
        for item in items {
            match item {
                Item::Query(query) => self.declare_query(query, None),
                Item::Effect(effect) => self.declare_effect(effect),
                Item::Ending(ending) => self.declare_ending(ending),
                Item::Phase(phase) => {
                    let Some(&index) = self.phases.get(&phase.name.node) else {
                        continue;
                    };
                    for query in &phase.queries {
                        self.declare_query(query, Some(index));
                    }
                }
                _ => {}
            }
        }
        for item in items {
            match item {
                Item::Phase(phase) => {
                    let index = self.phases.get(&phase.name.node).copied();
                    for item in &phase.items {
                        self.collect(item, None, index);
                    }
                }
                Item::Component(component) => {
                    let Some(bound) = self.bind(component) else {
                        continue;
                    };
                    for item in &component.items {
                        self.collect(item, Some(&bound), None);
                    }
                }
                other => self.collect(other, None, None),
            }
        }
    }

    /// What lies where at first; it also tells how many pieces of each table there are.
    pub(super) fn first_contents(&mut self, items: &'a [Item]) {
        let mut pieces = self.model.tables.map(|_| 0u32);
        for item in items {
            let Item::Place(place) = item else { continue };
            let (Some((var, count)), Some(Site::Place(i))) =
                (&place.starts, self.sites.get(&place.name.node).copied())
            else {
                continue;
            };
            let table = self.model.places[i].table;
            let mut scope = super::Scope::default();
            scope.local(&var.node, Ty::Row(table));
            let Some(ex) = self.expect(count, &mut scope, &Ty::Int) else {
                continue;
            };
            let name = format!("{}.starts", place.name.node);
            let func = self.function(name, 1, &scope, Vec::new(), Some(ex), count.span);
            self.model.places[i].starts = Some(func);
            let instances = instances(&self.model.places[i].index);
            for row in 0..self.model.tables[table].rows.len() {
                match crate::analysis::evaluate::constant(&self.model, func, &[row.fit()]) {
                    Some(n) => {
                        let more = u32::try_from(n).unwrap_or(0).saturating_mul(instances);
                        pieces[table] = pieces[table].saturating_add(more);
                        if pieces[table] > PIECES {
                            let message = format!("more than {PIECES} pieces");
                            self.error(Code::CapacityExceeded, count.span, message).help =
                                Some("if they never run dry, say `endless`".to_owned());
                            pieces[table] = 0;
                            break;
                        }
                    }
                    None => {
                        self.error(
                            Code::StartDependsOnTable,
                            count.span,
                            "the first contents must not depend on the table",
                        )
                        .help = Some("use columns, figures and options".to_owned());
                        break;
                    }
                }
            }
        }
        self.place_piles(&pieces);
    }

    /// Gives piles their cells, once every place's first contents are known.
    pub(super) fn place_piles(&mut self, pieces: &IndexVec<TableId, u32>) {
        for i in self.model.places.ids() {
            if self.model.places[i].pile {
                let table = self.model.places[i].table;
                let endless = self
                    .model
                    .places
                    .iter()
                    .find(|p| p.table == table && p.endless)
                    .map(|p| p.span);
                if let Some(endless) = endless {
                    let message = "this pile has no greatest size: its pieces are endless";
                    let d = Code::EndlessPlaceCounted.error(self.model.places[i].span, message);
                    self.report(d.also(endless, "they come from here"));
                }
                let (instances, span) = (
                    instances(&self.model.places[i].index),
                    self.model.places[i].span,
                );
                let width = 1 + self
                    .most_in(i, instances)
                    .unwrap_or(u32::MAX)
                    .min(pieces[table]);
                let cells = width.saturating_mul(instances);
                let base = self.allocate_for(cells, Holds::Place(i), span);
                self.model.places[i].base = base;
                self.model.places[i].width = width;
                self.model.places[i].chance =
                    self.allocate_for(instances, Holds::Shuffles(i), span);
            }
        }
    }

    /// The greatest room that a pile has, if that does not depend on the table.
    fn most_in(&self, place: PlaceId, instances: u32) -> Option<u32> {
        let room = self.model.places[place].room?;
        let index = &self.model.places[place].index;
        let rooms = (0..instances).map(|instance| {
            let args = index_values(index, instance);
            crate::analysis::evaluate::constant(&self.model, room, &args)
        });
        let most = rooms.collect::<Option<Vec<i64>>>()?.into_iter().max()?;
        u32::try_from(most.max(0)).ok()
    }

    /// The room of piles whose expression uses nothing but figures and columns: their cells depend on it.
    pub(super) fn fixed_rooms(&mut self, items: &'a [Item]) {
        for item in items {
            let Item::Place(place) = item else { continue };
            let (true, Some(room), Some(Site::Place(i))) = (
                place.pile,
                &place.room,
                self.sites.get(&place.name.node).copied(),
            ) else {
                continue;
            };
            if self.is_fixed(room, &place.index) {
                let name = format!("{}.room", place.name.node);
                self.model.places[i].room =
                    self.index_function(&name, &place.index, room, &Ty::Int);
            }
        }
    }

    fn is_fixed(&self, e: &ast::Expr, params: &[ast::Param]) -> bool {
        use ast::ExprKind;
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::None => true,
            ExprKind::Name(name) => {
                self.constants.contains_key(name)
                    || self.rows.contains_key(name)
                    || params.iter().any(|p| p.name.node == *name)
            }
            ExprKind::Call { name, args } => {
                let known = ["min", "max"].contains(&name.node.as_str())
                    || self.model.columns.iter().any(|c| *c.name == *name.node);
                known && args.iter().all(|a| self.is_fixed(a, params))
            }
            ExprKind::Unary(_, a) => self.is_fixed(a, params),
            ExprKind::Binary(_, a, b) => self.is_fixed(a, params) && self.is_fixed(b, params),
            _ => false,
        }
    }

    pub(super) fn declare_die(&mut self, die: &ast::Die) {
        self.cite(&die.cite);
        let face = |c: &mut Self, e: &ast::Expr| {
            // What stands on a die needs no other name.
            if let ast::ExprKind::Int(n) = e.kind {
                return Some(n);
            }
            let name = format!("{}.faces", die.name.node);
            let f = c.expression_function(name, e, &super::Scope::default(), &Ty::Int)?;
            crate::analysis::evaluate::constant(&c.model, f, &[])
        };
        let (ty, faces) = match &die.faces {
            ast::DieFaces::Range(from, to) => {
                let (from, to) = (face(self, from), face(self, to));
                match (from, to) {
                    (Some(from), Some(to)) => {
                        let faces: Vec<i64> = (from..=to).take(MOST_FACES + 1).collect();
                        (Ty::Int, faces)
                    }
                    _ => (Ty::Int, Vec::new()),
                }
            }
            ast::DieFaces::Rows(name, counted) => {
                let Some(&table) = self.tables.get(&name.node) else {
                    let help = did_you_mean(&name.node, self.tables.keys().map(String::as_str));
                    let message = format!("no table is called `{}`", name.node);
                    self.error(Code::UnknownTable, name.span, message).help = help;
                    return;
                };
                let rows = self.model.tables[table].rows.len().fit();
                let mut faces = Vec::new();
                let count = match counted {
                    Some((var, e)) => {
                        let mut scope = super::Scope::default();
                        scope.local(&var.node, Ty::Row(table));
                        scope.locals[0].used.set(true);
                        let Some(ex) = self.expect(e, &mut scope, &Ty::Int) else {
                            return;
                        };
                        let name = format!("{}.faces", die.name.node);
                        Some(self.function(name, 1, &scope, Vec::new(), Some(ex), e.span))
                    }
                    None => None,
                };
                for row in 0..rows {
                    let n = match count {
                        Some(f) => crate::analysis::evaluate::constant(&self.model, f, &[row]),
                        None => Some(1),
                    };
                    let room = (MOST_FACES + 1).saturating_sub(faces.len());
                    faces.extend((0..n.unwrap_or(0)).map(|_| row).take(room));
                }
                (Ty::Row(table), faces)
            }
        };
        let Some(&first) = faces.first() else {
            self.error(
                Code::DieWithoutFaces,
                die.span,
                format!("`{}` has no faces", die.name.node),
            )
            .help = Some("say `1 to 6`, or a table whose rows stand on it".to_owned());
            return;
        };
        if faces.len() > MOST_FACES || faces.iter().any(|face| i32::try_from(*face).is_err()) {
            let message = format!("`{}` has too many faces, or too large ones", die.name.node);
            self.error(Code::NumberOutOfRange, die.span, message).help = Some(format!(
                "a die has at most {MOST_FACES} faces, and a face at most 32 bits"
            ));
            return;
        }
        let (marker, number) = (self.model.markers.next_id(), self.model.dice.next_id());
        let base = self.allocate(1, Holds::Marker(marker));
        let chance = self.allocate(1, Holds::Rolls(number));
        let next = self.allocate(1 + ROLLS, Holds::NextRolls(number));
        self.claim(&die.name, Site::Marker(marker));
        let scope = super::Scope::default();
        let first = super::constant(first, die.span);
        let name = format!("{}.first", die.name.node);
        let starts = self.function(name, 0, &scope, Vec::new(), Some(first), die.span);
        self.model.markers.push(MarkerModel {
            name: id(&die.name.node),
            index: Vec::new(),
            base,
            ty,
            sight: Sight::Everybody,
            starts: Some(starts),
            span: die.span,
        });
        self.model.dice.push(DieModel {
            marker,
            faces,
            chance,
            next,
        });
    }
}
