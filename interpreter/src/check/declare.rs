//! The first pass: everything that has a name gets it, with its type and its cells.

use super::ir::{NONE, Ty};
use super::model::*;
use super::{Bound, Callable, Checker, Contributed, Site, id, path_text};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::package::{ColumnType, Datum};
use crate::source::Span;
use crate::syntax::ast::{self, Item};

/// Most pieces of one table.
const PIECES: u32 = 100_000;

impl<'a> Checker<'a> {
    pub(super) fn declare(&mut self, items: &'a [Item]) {
        self.declare_tables();
        self.declare_constants();
        let score = self.reserve("score", 1, self.package.span());
        self.model.names.insert("score".to_owned(), score);
        let so_far = self.reserve("so_far", 1, self.package.span());
        self.model.names.insert("so_far".to_owned(), so_far);
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

    /// Contributions and insertions wait for what they attach to.
    fn collect(&mut self, item: &'a Item, bound: Option<&Bound>, phase: Option<usize>) {
        match item {
            Item::Contribution(c) => {
                let mut address = path_text(&c.query);
                // Inside a phase, the phase's own queries come first.
                let local = self.address(phase, &address);
                if self.queries.contains_key(&local) {
                    address = local;
                }
                let list = self.contributions.entry(address).or_default();
                list.push(Contributed {
                    item: c,
                    bound: bound.cloned(),
                    phase,
                });
            }
            Item::Insertion(i) => {
                self.insertions
                    .entry(path_text(&i.target))
                    .or_default()
                    .push((i, bound.cloned()));
            }
            _ => {}
        }
    }

    fn declare_tables(&mut self) {
        let package = self.package;
        let players = self.configuration.players;
        for table in &package.tables {
            let index = self.model.tables.len();
            self.tables.insert(table.name.node.clone(), index);
            self.plurals.insert(table.plural.node.clone(), index);
            let mut rows = Vec::new();
            for row in &table.rows {
                let in_play = row.players.is_empty() || row.players.contains(&players);
                let number = in_play.then_some(rows.len());
                if in_play {
                    rows.push(id(&row.id.node));
                }
                if self
                    .rows
                    .insert(row.id.node.clone(), (index, number))
                    .is_some()
                {
                    self.error(
                        501,
                        row.id.span,
                        format!("two rows are called `{}`", row.id.node),
                    )
                    .help = Some(
                        "row ids are unique in all tables of a ruleset: rename one".to_owned(),
                    );
                }
            }
            let (name, plural) = (id(&table.name.node), id(&table.plural.node));
            self.model.tables.push(TableModel { name, plural, rows });
        }
        for (index, table) in package.tables.iter().enumerate() {
            for (c, column) in table.columns.iter().enumerate() {
                let ty = match &column.ty {
                    ColumnType::Int => Ty::Int,
                    ColumnType::Bool => Ty::Bool,
                    ColumnType::Row(name, optional) => {
                        let Some(&t) = self.tables.get(name) else {
                            continue;
                        };
                        if *optional {
                            Ty::Option(Box::new(Ty::Row(t)))
                        } else {
                            Ty::Row(t)
                        }
                    }
                };
                let mut values = Vec::new();
                for row in table
                    .rows
                    .iter()
                    .filter(|r| r.players.is_empty() || r.players.contains(&players))
                {
                    let datum = row.cells[c].node.with_players(players);
                    values.push(self.datum(datum, row.cells[c].span));
                }
                self.model.columns.push(ColumnModel {
                    name: id(&column.name.node),
                    table: index,
                    ty,
                    values,
                });
            }
        }
    }

    fn datum(&mut self, datum: Option<&Datum>, span: Span) -> i64 {
        match datum {
            Some(Datum::Int(i)) => match i32::try_from(*i) {
                Ok(n) => i64::from(n),
                Err(_) => {
                    self.error(521, span, "this number is too large").help =
                        Some("numbers have 32 bits".to_owned());
                    0
                }
            },
            Some(Datum::Bool(b)) => i64::from(*b),
            Some(Datum::None) => NONE,
            Some(Datum::Row(row)) => match self.rows.get(row) {
                Some((_, Some(number))) => *number as i64,
                _ => NONE,
            },
            None => {
                let players = self.configuration.players;
                self.error(502, span, format!("no value for {players} players"));
                0
            }
        }
    }

    fn declare_constants(&mut self) {
        let package = self.package;
        for figure in &package.figures {
            let datum = figure
                .value
                .node
                .with_players(self.configuration.players)
                .cloned();
            let ty = match &datum {
                Some(Datum::Bool(_)) => Ty::Bool,
                Some(Datum::Row(row)) => match self.rows.get(row) {
                    Some((t, _)) => Ty::Row(*t),
                    None => Ty::Int,
                },
                _ => Ty::Int,
            };
            let value = self.datum(datum.as_ref(), figure.value.span);
            self.constants.insert(figure.name.node.clone(), (value, ty));
            if let Some(cite) = &figure.cite {
                self.cite(&Some(cite.clone()));
            }
        }
        for option in &package.options {
            let value = self
                .configuration
                .options
                .get(&option.id.node)
                .copied()
                .unwrap_or(option.default);
            let ty = if option.is_int { Ty::Int } else { Ty::Bool };
            self.constants.insert(option.id.node.clone(), (value, ty));
            if let Some(cite) = &option.cite {
                self.cite(&Some(cite.clone()));
            }
        }
        let players = i64::from(self.configuration.players);
        self.constants
            .insert("player_count".to_owned(), (players, Ty::Int));
        self.constants
            .insert("first_player".to_owned(), (0, Ty::Player));
    }

    /// The type that is written; unknown ones are reported.
    pub(super) fn ty(&mut self, ty: &ast::Type) -> Option<Ty> {
        match ty {
            ast::Type::Named(name) => match name.node.as_str() {
                "int" => Some(Ty::Int),
                "bool" => Some(Ty::Bool),
                "player" => Some(Ty::Player),
                other => match self.tables.get(other) {
                    Some(&t) => Some(Ty::Row(t)),
                    None => {
                        let names = ["int", "bool", "player"]
                            .into_iter()
                            .chain(self.tables.keys().map(String::as_str));
                        let help = did_you_mean(other, names).unwrap_or_else(|| {
                            "a type is `int`, `bool`, `player` or the name of a table".to_owned()
                        });
                        self.report(
                            Diagnostic::error(503, name.span, format!("unknown type `{other}`"))
                                .help(help),
                        );
                        None
                    }
                },
            },
            ast::Type::Option(inner, _) => Some(Ty::Option(Box::new(self.ty(inner)?))),
            ast::Type::Many(_, _, span)
            | ast::Type::List(_, _, span)
            | ast::Type::Record(_, span) => {
                self.not_playable(
                    *span,
                    "values that hold several things outside of a move's parameters",
                );
                None
            }
        }
    }

    /// Reports a construct of the language that the engine does not play yet.
    pub(super) fn not_playable(&mut self, span: Span, what: &str) {
        self.report(
            Diagnostic::error(901, span, format!("not yet playable: {what}"))
                .help("the grammar knows this construct; `grammar/README.md` lists what can be played today"),
        );
    }

    pub(super) fn index(&mut self, params: &[ast::Param]) -> Option<Vec<(Ty, u32)>> {
        let mut index = Vec::new();
        for param in params {
            let ty = self.ty(&param.ty)?;
            let Some(size) = self.domain_size(&ty) else {
                self.error(
                    504,
                    param.name.span,
                    format!("`{}` cannot be an index", param.name.node),
                )
                .help = Some(
                    "places, counters and markers are indexed by players and by rows of tables"
                        .to_owned(),
                );
                return None;
            };
            index.push((ty, size));
        }
        Some(index)
    }

    /// How many values a type has, if they can be listed.
    pub(super) fn domain_size(&self, ty: &Ty) -> Option<u32> {
        match ty {
            Ty::Player => Some(u32::from(self.model.players)),
            Ty::Bool => Some(2),
            Ty::Row(t) => Some(self.model.tables[*t].rows.len() as u32),
            _ => None,
        }
    }

    /// Places, counters, markers and dice share one set of names.
    fn claim(&mut self, name: &ast::Name, site: Site) {
        if self.first_of("place, counter or marker", &name.node, name.span) {
            self.sites.insert(name.node.clone(), site);
        }
    }

    fn sight(&mut self, sight: &ast::Sight, params: &[ast::Param], phase: Option<usize>) -> Sight {
        if let (ast::Sight::Only(name), Some(phase)) = (sight, phase)
            && !params.iter().any(|p| p.name.node == name.node)
            && let Some(var) = self.model.phases[phase]
                .params
                .iter()
                .find(|v| *v.name == *name.node && v.ty == Ty::Player)
        {
            return Sight::Holder(var.base);
        }
        match sight {
            ast::Sight::Everybody => Sight::Everybody,
            ast::Sight::Nobody => Sight::Nobody,
            ast::Sight::Only(name) => match params.iter().position(|p| p.name.node == name.node) {
                Some(i) => Sight::Only(i),
                None => {
                    self.error(
                        506,
                        name.span,
                        format!("`{}` is not an index of this place", name.node),
                    )
                    .help = Some("say which of the players in its header sees it".to_owned());
                    Sight::Nobody
                }
            },
        }
    }

    fn declare_place(&mut self, place: &ast::Place, phase: Option<usize>) {
        self.cite(&place.cite);
        let Some(&table) = self.tables.get(&place.of.node) else {
            let help = did_you_mean(&place.of.node, self.tables.keys().map(String::as_str));
            let d = self.error(
                507,
                place.of.span,
                format!("no table is called `{}`", place.of.node),
            );
            d.help =
                Some(help.unwrap_or_else(|| {
                    "a place holds pieces of a table of `components/`".to_owned()
                }));
            return;
        };
        let Some(index) = self.index(&place.index) else {
            return;
        };
        let instances: u32 = index.iter().map(|(_, n)| n).product();
        let rows = self.model.tables[table].rows.len() as u32;
        // A pile's capacity is the number of pieces that exist: known when all places have started.
        let width = if place.pile { 0 } else { rows };
        let base = if place.pile {
            0
        } else {
            self.allocate(instances * width)
        };
        let faces = self.sight(&place.visibility.faces, &place.index, phase);
        let count = self.sight(&place.visibility.count, &place.index, phase);
        if let (Some(_), Some((_, starts))) = (phase, &place.starts) {
            let message = "a place that lasts as long as a phase is empty at first";
            self.error(593, starts.span, message).help =
                Some("fill it in a step of the phase".to_owned());
        }
        self.claim(&place.name, Site::Place(self.model.places.len()));
        self.model.places.push(PlaceModel {
            name: id(&place.name.node),
            index,
            base,
            width,
            table,
            pile: place.pile,
            chance: 0,
            faces,
            count,
            room: None,
            starts: None,
            refill: None,
            phase,
            endless: place.endless,
            span: place.span,
        });
    }

    /// What lies where at first; it also tells how many pieces of each table there are.
    fn first_contents(&mut self, items: &'a [Item]) {
        let mut pieces = vec![0u32; self.model.tables.len()];
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
            let instances: u32 = self.model.places[i].index.iter().map(|(_, n)| n).product();
            for row in 0..self.model.tables[table].rows.len() {
                match crate::compile::explain::constant(&self.model, func, &[row as i64]) {
                    Some(n) => {
                        let more = u32::try_from(n).unwrap_or(0).saturating_mul(instances);
                        pieces[table] = pieces[table].saturating_add(more);
                        if pieces[table] > PIECES {
                            let message = format!("more than {PIECES} pieces");
                            self.error(599, count.span, message).help =
                                Some("if they never run dry, say `endless`".to_owned());
                            pieces[table] = 0;
                            break;
                        }
                    }
                    None => {
                        self.error(
                            560,
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
    fn place_piles(&mut self, pieces: &[u32]) {
        for i in 0..self.model.places.len() {
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
                    let d = Diagnostic::error(583, self.model.places[i].span, message);
                    self.report(d.also(endless, "they come from here"));
                }
                let instances: u32 = self.model.places[i].index.iter().map(|(_, n)| n).product();
                let width = 1 + self
                    .most_in(i, instances)
                    .unwrap_or(u32::MAX)
                    .min(pieces[table]);
                let base = self.allocate(width * instances);
                self.model.places[i].base = base;
                self.model.places[i].width = width;
                self.model.places[i].chance = self.allocate(instances);
            }
        }
    }

    /// The greatest room that a pile has, if that does not depend on the table.
    fn most_in(&self, place: usize, instances: u32) -> Option<u32> {
        let room = self.model.places[place].room?;
        let index = &self.model.places[place].index;
        let rooms = (0..instances).map(|instance| {
            let args = index_values(index, instance);
            crate::compile::explain::constant(&self.model, room, &args)
        });
        let most = rooms.collect::<Option<Vec<i64>>>()?.into_iter().max()?;
        u32::try_from(most.max(0)).ok()
    }

    /// The room of piles whose expression uses nothing but figures and columns: their cells depend on it.
    fn fixed_rooms(&mut self, items: &'a [Item]) {
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

    fn declare_counter(&mut self, counter: &ast::Counter) {
        self.cite(&counter.cite);
        let Some(index) = self.index(&counter.index) else {
            return;
        };
        let base = self.allocate(index.iter().map(|(_, n)| n).product());
        let sight = self.sight(&counter.sight, &counter.index, None);
        self.claim(&counter.name, Site::Counter(self.model.counters.len()));
        let name = id(&counter.name.node);
        self.model.counters.push(CounterModel {
            name,
            index,
            base,
            sight,
            most: None,
            starts: None,
            span: counter.span,
        });
    }

    fn declare_marker(&mut self, marker: &ast::Marker) {
        self.cite(&marker.cite);
        let (Some(index), Some(ty)) = (self.index(&marker.index), self.ty(&marker.ty)) else {
            return;
        };
        let base = self.allocate(index.iter().map(|(_, n)| n).product());
        let sight = self.sight(&marker.sight, &marker.index, None);
        self.claim(&marker.name, Site::Marker(self.model.markers.len()));
        let name = id(&marker.name.node);
        self.model.markers.push(MarkerModel {
            name,
            index,
            base,
            ty,
            sight,
            starts: None,
            span: marker.span,
        });
    }

    fn declare_die(&mut self, die: &ast::Die) {
        self.cite(&die.cite);
        let number = |c: &mut Self, e: &ast::Expr| {
            // What stands on a die needs no other name.
            if let ast::ExprKind::Int(n) = e.kind {
                return Some(n);
            }
            let name = format!("{}.faces", die.name.node);
            let f = c.expression_function(name, e, &super::Scope::default(), &Ty::Int)?;
            crate::compile::explain::constant(&c.model, f, &[])
        };
        let (ty, faces) = match &die.faces {
            ast::DieFaces::Range(from, to) => {
                let (from, to) = (number(self, from), number(self, to));
                match (from, to) {
                    (Some(from), Some(to)) => (Ty::Int, (from..=to).collect::<Vec<i64>>()),
                    _ => (Ty::Int, Vec::new()),
                }
            }
            ast::DieFaces::Rows(name, counted) => {
                let Some(&table) = self.tables.get(&name.node) else {
                    let help = did_you_mean(&name.node, self.tables.keys().map(String::as_str));
                    let message = format!("no table is called `{}`", name.node);
                    self.error(507, name.span, message).help = help;
                    return;
                };
                let rows = self.model.tables[table].rows.len() as i64;
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
                        Some(f) => crate::compile::explain::constant(&self.model, f, &[row]),
                        None => Some(1),
                    };
                    faces.extend((0..n.unwrap_or(0)).map(|_| row));
                }
                (Ty::Row(table), faces)
            }
        };
        let Some(&first) = faces.first() else {
            self.error(594, die.span, format!("`{}` has no faces", die.name.node))
                .help = Some("say `1 to 6`, or a table whose rows stand on it".to_owned());
            return;
        };
        let base = self.allocate(1);
        let chance = self.allocate(1);
        let next = self.allocate(1 + ROLLS);
        let marker = self.model.markers.len();
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

    fn declare_event(&mut self, event: &ast::EventDecl) {
        self.cite(&event.cite);
        if !self.first_of("event", &event.name.node, event.name.span) {
            return;
        }
        let mut params = Vec::new();
        for param in &event.params {
            let Some(ty) = self.ty(&param.ty) else { return };
            params.push((id(&param.name.node), ty));
        }
        if params.len() > 8 {
            let message = format!("`{}` carries more than 8 values", event.name.node);
            self.error(599, event.span, message).help =
                Some("raise two events, or let the rules that follow read the table".to_owned());
            return;
        }
        self.events
            .insert(event.name.node.clone(), self.model.events.len());
        self.model.events.push(EventModel {
            name: id(&event.name.node),
            params,
            triggers: Vec::new(),
            resets: Vec::new(),
        });
    }

    fn declare_phase(&mut self, phase: &'a ast::Phase) {
        let index = self.model.phases.len();
        if self.phases.insert(phase.name.node.clone(), index).is_some() {
            self.error(
                508,
                phase.name.span,
                format!("two phases are called `{}`", phase.name.node),
            );
        }
        let first = self.cells;
        let mut vars = Vec::new();
        let mut params = Vec::new();
        let mut resets = Vec::new();
        for param in &phase.params {
            let ty = self.ty(&param.ty).unwrap_or(Ty::Int);
            let base = self.allocate(1);
            let var = VarModel {
                name: id(&param.name.node),
                index: Vec::new(),
                ty,
                base,
                len: 1,
                bag: None,
                sight: Sight::Everybody,
            };
            params.push(var.clone());
            vars.push(var);
        }
        for keep in &phase.keeps {
            let bag = match &keep.ty {
                ast::Type::Many(_, of, _) => match self.tables.get(&of.node) {
                    Some(&table) => Some(table),
                    None => {
                        let help = did_you_mean(&of.node, self.tables.keys().map(String::as_str));
                        let message = format!("no table is called `{}`", of.node);
                        self.error(507, of.span, message).help = help;
                        continue;
                    }
                },
                _ => None,
            };
            let Some(mut ix) = self.index(&keep.index) else {
                continue;
            };
            let ty = match bag {
                Some(table) => {
                    ix.push((Ty::Row(table), self.model.tables[table].rows.len() as u32));
                    Ty::Int
                }
                None => match self.ty(&keep.ty) {
                    Some(ty) => ty,
                    None => continue,
                },
            };
            let len = ix.iter().map(|(_, n)| n).product();
            let base = self.allocate(len);
            let zero = if matches!(ty, Ty::Option(_)) {
                NONE as i32
            } else {
                0
            };
            resets.push((base, len, zero));
            let holder = |name: &ast::Name| {
                params
                    .iter()
                    .find(|v: &&VarModel| *v.name == *name.node && v.ty == Ty::Player)
                    .map(|v| Sight::Holder(v.base))
            };
            let sight = match &keep.sight {
                ast::Sight::Only(name) => match holder(name) {
                    Some(sight) => sight,
                    None => self.sight(&keep.sight, &keep.index, None),
                },
                other => self.sight(other, &keep.index, None),
            };
            vars.push(VarModel {
                name: id(&keep.name.node),
                index: ix,
                ty,
                base,
                len,
                bag,
                sight,
            });
        }
        let cite = self.cite(&phase.cite);
        self.phase_vars.push(vars);
        self.model.phases.push(PhaseModel {
            name: id(&phase.name.node),
            params,
            resets,
            steps: Vec::new(),
            ends: Vec::new(),
            depth: phase.depth,
            own: vec![(first, self.cells - first)],
            saved: None,
            cite,
            endings: Vec::new(),
            plays_rows: !phase.plays.is_empty(),
            span: phase.span,
        });
        for plays in &phase.plays {
            match self.rows.get(&plays.row.node) {
                Some(&(table, row)) if self.tables.get(&plays.table.node) == Some(&table) => {
                    let played = format!("{} {}", plays.table.node, plays.row.node);
                    if !self.first_of("phase that plays", &played, plays.row.span) {
                        continue;
                    }
                    if let Some(row) = row {
                        self.model.plays.insert((table, row), index);
                    }
                }
                _ => {
                    let (table, row) = (&plays.table.node, &plays.row.node);
                    let help = did_you_mean(row, self.rows.keys().map(String::as_str));
                    self.error(
                        509,
                        plays.row.span,
                        format!("no row `{row}` in a table `{table}`"),
                    )
                    .help = help;
                }
            }
        }
    }

    fn declare_query(&mut self, query: &ast::Query, phase: Option<usize>) {
        let mut params = Vec::new();
        for param in &query.params {
            params.push(self.ty(&param.ty).unwrap_or(Ty::Int));
        }
        let Some(ty) = self.ty(&query.ty) else { return };
        let address = self.address(phase, &query.name.node);
        let func = self.reserve(address.clone(), params.len() as u16, query.span);
        let callable = Callable {
            func,
            params: params.clone(),
            ty,
            phase,
            span: query.name.span,
        };
        self.model.names.insert(address.clone(), func);
        let domains: Option<Vec<u32>> = params.iter().map(|ty| self.domain_size(ty)).collect();
        if let Some(domains) = domains {
            self.model.query_domains.insert(func, domains);
        }
        if let Some(earlier) = self.queries.insert(address.clone(), callable) {
            self.report(
                Diagnostic::error(
                    511,
                    query.name.span,
                    format!("two queries are called `{address}`"),
                )
                .also(earlier.span, "the other one")
                .help("rename one, or `replace` it in a module"),
            );
        }
    }

    fn declare_effect(&mut self, effect: &ast::EffectDecl) {
        if !self.first_of("effect", &effect.name.node, effect.name.span) {
            return;
        }
        let mut params = Vec::new();
        for param in &effect.params {
            params.push(self.ty(&param.ty).unwrap_or(Ty::Int));
        }
        let func = self.reserve(effect.name.node.clone(), params.len() as u16, effect.span);
        self.model.names.insert(effect.name.node.clone(), func);
        let callable = Callable {
            func,
            params,
            ty: Ty::Unit,
            phase: None,
            span: effect.name.span,
        };
        self.effects.insert(effect.name.node.clone(), callable);
    }

    fn declare_ending(&mut self, ending: &ast::Ending) {
        if !self.first_of("ending", &ending.name.node, ending.name.span) {
            return;
        }
        let index = self.model.endings.len();
        let after = match &ending.after {
            None => None,
            Some(path) => match self.phases.get(&path_text(path)) {
                Some(&phase) => {
                    self.model.phases[phase].endings.push(index);
                    Some(phase)
                }
                None => {
                    let help =
                        did_you_mean(&path_text(path), self.phases.keys().map(String::as_str));
                    let d = self.error(
                        512,
                        path.span,
                        format!("no phase is called `{}`", path_text(path)),
                    );
                    d.help = help;
                    None
                }
            },
        };
        let cite = self.cite(&ending.cite);
        self.endings.insert(ending.name.node.clone(), index);
        self.model.endings.push(EndingModel {
            name: id(&ending.name.node),
            when: None,
            after,
            cite,
        });
    }

    pub(super) fn address(&self, phase: Option<usize>, name: &str) -> String {
        match phase {
            Some(p) => format!("{}.{name}", self.model.phases[p].name),
            None => name.to_owned(),
        }
    }

    /// The component whose rules follow; `None` if it is unknown or not in play.
    pub(super) fn bind(&mut self, component: &ast::Component) -> Option<Bound> {
        let Some(&(table, row)) = self.rows.get(&component.row.node) else {
            let help = did_you_mean(&component.row.node, self.rows.keys().map(String::as_str));
            self.error(
                513,
                component.row.span,
                format!("no component is called `{}`", component.row.node),
            )
            .help = help;
            return None;
        };
        if self.tables.get(&component.table.node) != Some(&table) {
            let right = self.model.tables[table].name.clone();
            self.error(
                514,
                component.table.span,
                format!(
                    "`{}` is not a `{}`",
                    component.row.node, component.table.node
                ),
            )
            .help = Some(format!("it is a row of the table `{right}`"));
            return None;
        }
        let row = row?;
        let (owner, when) = match &component.owner {
            Some((owner, when)) => (Some(owner.clone()), when.clone()),
            None => (None, None),
        };
        Some(Bound {
            owner,
            when,
            table,
            row,
            name: component.row.clone(),
            cite: component.cite.clone(),
        })
    }
}
