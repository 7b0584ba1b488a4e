//! Declarations: everything that has a name gets it, with its type and its cells.

use super::{Bound, Callable, Contributed, Site, Symbols, id, path_text};
use crate::diagnostic::{Code, did_you_mean};
use crate::numbers::{Fit as _, low};
use crate::program::model::*;
use crate::program::package::{ColumnType, Datum};
use crate::program::tree::{NONE, Ty};
use crate::source::Span;
use crate::syntax::ast::{self, Item};

impl<'a> Symbols<'a> {
    /// Contributions and insertions wait for what they attach to.
    pub(crate) fn collect(
        &mut self,
        item: &'a Item,
        bound: Option<&Bound>,
        phase: Option<PhaseId>,
    ) {
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

    pub(crate) fn declare_tables(&mut self) {
        let package = self.package;
        let players = self.configuration.players;
        for table in &package.tables {
            let index = self.model.tables.next_id();
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
                        Code::DuplicateRow,
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
        for (index, table) in self.model.tables.ids().zip(&package.tables) {
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
                    self.error(Code::NumberOutOfRange, span, "this number is too large")
                        .help = Some("numbers have 32 bits".to_owned());
                    0
                }
            },
            Some(Datum::Bool(b)) => i64::from(*b),
            Some(Datum::None) => NONE,
            Some(Datum::Row(row)) => match self.rows.get(row) {
                Some((_, Some(number))) => number.fit(),
                _ => NONE,
            },
            None => {
                let players = self.configuration.players;
                self.error(
                    Code::MissingValueForPlayers,
                    span,
                    format!("no value for {players} players"),
                );
                0
            }
        }
    }

    pub(crate) fn declare_constants(&mut self) {
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
    pub(crate) fn ty(&mut self, ty: &ast::Type) -> Option<Ty> {
        match ty {
            ast::Type::Named(name) => match name.node.as_str() {
                "int" => Some(Ty::Int),
                "bool" => Some(Ty::Bool),
                "player" => Some(Ty::Player),
                other => match (self.tables.get(other), self.records.get(other)) {
                    (Some(&t), _) => Some(Ty::Row(t)),
                    (None, Some(&r)) => Some(Ty::Record(r)),
                    (None, None) => {
                        let names = ["int", "bool", "player"]
                            .into_iter()
                            .chain(self.tables.keys().map(String::as_str))
                            .chain(self.records.keys().map(String::as_str));
                        let help = did_you_mean(other, names).unwrap_or_else(|| {
                            "a type is `int`, `bool`, `player` or the name of a table or record"
                                .to_owned()
                        });
                        self.report(
                            Code::UnknownType
                                .error(name.span, format!("unknown type `{other}`"))
                                .help(help),
                        );
                        None
                    }
                },
            },
            ast::Type::Option(inner, _) => Some(Ty::Option(Box::new(self.ty(inner)?))),
            ast::Type::Many(_, of, _) => match self.tables.get(&of.node) {
                Some(&table) => Some(Ty::Bag(table)),
                None => {
                    let help = did_you_mean(&of.node, self.tables.keys().map(String::as_str));
                    let message = format!("no table is called `{}`", of.node);
                    self.error(Code::UnknownTable, of.span, message).help = help;
                    None
                }
            },
            ast::Type::List(_, _, span) => {
                self.not_playable(*span, "lists");
                None
            }
            ast::Type::Record(_, span) => {
                self.error(Code::UnknownType, *span, "a record has a name")
                    .help = Some(
                    "declare it, `record deal(paid: int, …)`, and write its name here".to_owned(),
                );
                None
            }
        }
    }

    /// Reports a construct of the language that the engine does not play yet.
    pub(crate) fn not_playable(&mut self, span: Span, what: &str) {
        self.report(
            Code::UnplayableConstruct.error(span, format!("not yet playable: {what}"))
                .help("the grammar knows this construct; `grammar/README.md` lists what can be played today"),
        );
    }

    pub(crate) fn index(&mut self, params: &[ast::Param]) -> Option<Vec<(Ty, u32)>> {
        let mut index = Vec::new();
        for param in params {
            let ty = self.ty(&param.ty)?;
            let Some(size) = self.domain_size(&ty) else {
                self.error(
                    Code::InvalidIndexType,
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
        let sizes = index.iter().map(|(_, size)| u64::from(*size));
        if sizes.fold(1, u64::saturating_mul) > u64::from(super::symbols::CELLS) {
            self.outgrow(params[0].name.span);
            return None;
        }
        Some(index)
    }

    /// How many values a type has, if they can be listed.
    pub(crate) fn domain_size(&self, ty: &Ty) -> Option<u32> {
        match ty {
            Ty::Player => Some(u32::from(self.model.players)),
            Ty::Bool => Some(2),
            Ty::Row(t) => Some(self.model.rows(*t)),
            _ => None,
        }
    }

    /// Places, counters, markers and dice share one set of names.
    pub(crate) fn claim(&mut self, name: &ast::Name, site: Site) {
        if self.first_of("place, counter or marker", &name.node, name.span) {
            self.sites.insert(name.node.clone(), site);
        }
    }

    pub(crate) fn sight(
        &mut self,
        sight: &ast::Sight,
        params: &[ast::Param],
        phase: Option<PhaseId>,
    ) -> Sight {
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
                        Code::UnknownVisibilityIndex,
                        name.span,
                        format!("`{}` is not an index of this place", name.node),
                    )
                    .help = Some("say which of the players in its header sees it".to_owned());
                    Sight::Nobody
                }
            },
        }
    }

    pub(crate) fn declare_event(&mut self, event: &ast::EventDecl) {
        self.cite(&event.cite);
        if !self.first_of("event", &event.name.node, event.name.span) {
            return;
        }
        let mut params = Vec::new();
        for param in &event.params {
            let what = "what an event carries";
            let Some(ty) = self.single(&param.ty, param.name.span, what) else {
                return;
            };
            params.push((id(&param.name.node), ty));
        }
        if params.len() > 8 {
            let message = format!("`{}` carries more than 8 values", event.name.node);
            self.error(Code::CapacityExceeded, event.span, message).help =
                Some("raise two events, or let the rules that follow read the table".to_owned());
            return;
        }
        let number = self.model.events.push(EventModel {
            name: id(&event.name.node),
            params,
            triggers: Vec::new(),
            resets: Vec::new(),
        });
        self.events.insert(event.name.node.clone(), number);
    }

    pub(crate) fn declare_phase(&mut self, phase: &'a ast::Phase) {
        let index = self.model.phases.next_id();
        if self.phases.insert(phase.name.node.clone(), index).is_some() {
            self.error(
                Code::DuplicatePhase,
                phase.name.span,
                format!("two phases are called `{}`", phase.name.node),
            );
        }
        let given = self.model.storage.len();
        let mut vars = Vec::new();
        let mut params = Vec::new();
        let mut resets = Vec::new();
        for param in &phase.params {
            let ty = self.ty(&param.ty).unwrap_or(Ty::Int);
            let width = self.model.width(&ty);
            let name = id(&param.name.node);
            let holds = Holds::Variable {
                phase: index,
                name: name.clone(),
            };
            let base = self.allocate(width, holds);
            let var = VarModel {
                name,
                index: Vec::new(),
                ty,
                base,
                width,
                len: width,
                sight: Sight::Everybody,
            };
            params.push(var.clone());
            vars.push(var);
        }
        for keep in &phase.keeps {
            let (Some(ix), Some(ty)) = (self.index(&keep.index), self.ty(&keep.ty)) else {
                continue;
            };
            let width = self.model.width(&ty);
            let len = instances(&ix).saturating_mul(width);
            let name = id(&keep.name.node);
            let holds = Holds::Variable {
                phase: index,
                name: name.clone(),
            };
            let base = self.allocate_for(len, holds, keep.name.span);
            let zero = match &ty {
                Ty::Option(_) if !self.is_wide(&ty) => low(NONE),
                _ => 0,
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
                name,
                index: ix,
                ty,
                base,
                width,
                len,
                sight,
            });
        }
        let cite = self.cite(&phase.cite);
        let keeps = vars[params.len()..].to_vec();
        self.phase_vars.push(vars);
        self.model.phases.push(PhaseModel {
            name: id(&phase.name.node),
            params,
            keeps,
            resets,
            steps: Vec::new(),
            ends: Vec::new(),
            depth: phase.depth,
            own: self.given_since(given),
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
                        Code::UnknownPlayedRow,
                        plays.row.span,
                        format!("no row `{row}` in a table `{table}`"),
                    )
                    .help = help;
                }
            }
        }
    }

    pub(crate) fn declare_query(&mut self, query: &ast::Query, phase: Option<PhaseId>) {
        let mut params = Vec::new();
        for param in &query.params {
            params.push(self.ty(&param.ty).unwrap_or(Ty::Int));
        }
        let what = "what a query gives";
        let Some(ty) = self.single(&query.ty, query.name.span, what) else {
            return;
        };
        let address = self.address(phase, &query.name.node);
        let func = self.reserve(address.clone(), self.widths(&params), query.span);
        let callable = Callable {
            func,
            params: params.clone(),
            ty: ty.clone(),
            phase,
            span: query.name.span,
        };
        if query.hint {
            self.declare_hint(&callable);
        }
        self.model.names.insert(address.clone(), func);
        let model = QueryModel {
            function: func,
            params: params.clone(),
            ty: ty.clone(),
        };
        self.model.queries.insert(address.clone(), model);
        let domains: Option<Vec<u32>> = params.iter().map(|ty| self.domain_size(ty)).collect();
        if let Some(domains) = domains {
            self.model.query_domains.insert(func, domains);
        }
        if let Some(earlier) = self.queries.insert(address.clone(), callable) {
            self.report(
                Code::DuplicateQuery
                    .error(
                        query.name.span,
                        format!("two queries are called `{address}`"),
                    )
                    .also(earlier.span, "the other one")
                    .help("rename one, or `replace` it in a module"),
            );
        }
    }

    pub(crate) fn declare_effect(&mut self, effect: &ast::EffectDecl) {
        if !self.first_of("effect", &effect.name.node, effect.name.span) {
            return;
        }
        let mut params = Vec::new();
        for param in &effect.params {
            params.push(self.ty(&param.ty).unwrap_or(Ty::Int));
        }
        let registers = self.widths(&params);
        let func = self.reserve(effect.name.node.clone(), registers, effect.span);
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

    pub(crate) fn declare_ending(&mut self, ending: &ast::Ending) {
        if !self.first_of("ending", &ending.name.node, ending.name.span) {
            return;
        }
        let index = self.model.endings.next_id();
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
                        Code::UnknownPhase,
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

    pub(crate) fn address(&self, phase: Option<PhaseId>, name: &str) -> String {
        match phase {
            Some(p) => format!("{}.{name}", self.model.phases[p].name),
            None => name.to_owned(),
        }
    }

    /// The component whose rules follow; `None` if it is unknown or not in play.
    pub(crate) fn bind(&mut self, component: &ast::Component) -> Option<Bound> {
        let Some(&(table, row)) = self.rows.get(&component.row.node) else {
            let help = did_you_mean(&component.row.node, self.rows.keys().map(String::as_str));
            self.error(
                Code::UnknownComponent,
                component.row.span,
                format!("no component is called `{}`", component.row.node),
            )
            .help = help;
            return None;
        };
        if self.tables.get(&component.table.node) != Some(&table) {
            let right = self.model.tables[table].name.clone();
            self.error(
                Code::ComponentOfOtherTable,
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

    pub(crate) fn declare_place(&mut self, place: &ast::Place, phase: Option<PhaseId>) {
        self.cite(&place.cite);
        let Some(&table) = self.tables.get(&place.of.node) else {
            let help = did_you_mean(&place.of.node, self.tables.keys().map(String::as_str));
            let d = self.error(
                Code::UnknownTable,
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
        let instances = instances(&index);
        let rows = self.model.rows(table);
        // A pile's capacity is the number of pieces that exist: known when all places have started.
        let width = if place.pile { 0 } else { rows };
        let base = if place.pile {
            Cell(0)
        } else {
            let holds = Holds::Place(self.model.places.next_id());
            self.allocate_for(instances.saturating_mul(width), holds, place.name.span)
        };
        let faces = self.sight(&place.visibility.faces, &place.index, phase);
        let count = self.sight(&place.visibility.count, &place.index, phase);
        if let (Some(_), Some((_, starts))) = (phase, &place.starts) {
            let message = "a place that lasts as long as a phase is empty at first";
            self.error(Code::FilledPhasePlace, starts.span, message)
                .help = Some("fill it in a step of the phase".to_owned());
        }
        self.claim(&place.name, Site::Place(self.model.places.next_id()));
        self.model.places.push(PlaceModel {
            name: id(&place.name.node),
            index,
            base,
            width,
            table,
            pile: place.pile,
            chance: Cell(0),
            faces,
            count,
            room: None,
            starts: None,
            refill: None,
            lies_on: None,
            phase,
            endless: place.endless,
            span: place.span,
        });
    }

    pub(crate) fn declare_counter(&mut self, counter: &ast::Counter) {
        self.cite(&counter.cite);
        let Some(index) = self.index(&counter.index) else {
            return;
        };
        let holds = Holds::Counter(self.model.counters.next_id());
        let base = self.allocate_for(instances(&index), holds, counter.name.span);
        let sight = self.sight(&counter.sight, &counter.index, None);
        self.claim(&counter.name, Site::Counter(self.model.counters.next_id()));
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

    pub(crate) fn declare_marker(&mut self, marker: &ast::Marker) {
        self.cite(&marker.cite);
        let what = "what a marker points at";
        let ty = self.single(&marker.ty, marker.name.span, what);
        let (Some(index), Some(ty)) = (self.index(&marker.index), ty) else {
            return;
        };
        let holds = Holds::Marker(self.model.markers.next_id());
        let base = self.allocate_for(instances(&index), holds, marker.name.span);
        let sight = self.sight(&marker.sight, &marker.index, None);
        self.claim(&marker.name, Site::Marker(self.model.markers.next_id()));
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

    /// How many numbers a value of a type is made of.
    pub(crate) fn width(&self, ty: &Ty) -> u16 {
        u16::try_from(self.model.width(ty)).unwrap_or(u16::MAX)
    }

    /// Registers of parameters of these types.
    pub(crate) fn widths(&self, types: &[Ty]) -> u16 {
        types.iter().map(|ty| self.width(ty)).sum()
    }

    /// Whether values of a type hold several things.
    pub(crate) fn is_wide(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Bag(_) | Ty::Record(_) => true,
            Ty::Option(inner) => self.is_wide(inner),
            _ => false,
        }
    }

    /// A type where only a single value can stand; others are reported.
    pub(crate) fn single(&mut self, ty: &ast::Type, span: Span, what: &str) -> Option<Ty> {
        let ty = self.ty(ty)?;
        if self.is_wide(&ty) {
            let is = self.ty_name(&ty);
            self.error(Code::CompositeWhereSingleValue, span, format!("{what} is a single value, not {is}"))
                .help = Some(
                "bags and records can be parameters, and what a phase keeps: `keeps offered(p: player): option deal`"
                    .to_owned(),
            );
            return None;
        }
        Some(ty)
    }

    pub(crate) fn declare_record(&mut self, record: &ast::RecordDecl) {
        self.cite(&record.cite);
        if !self.first_of("record", &record.name.node, record.name.span) {
            return;
        }
        let mut parts: Vec<(crate::source::Id, Ty)> = Vec::new();
        for field in &record.fields {
            let name = &field.name.node;
            // Two of one name were reported when they were read.
            if parts.iter().any(|(known, _)| **known == **name) {
                continue;
            }
            let Some(ty) = self.ty(&field.ty) else {
                continue;
            };
            parts.push((id(name), ty));
        }
        let number = self.model.records.push(RecordModel {
            name: id(&record.name.node),
            parts,
            span: record.name.span,
        });
        self.records.insert(record.name.node.clone(), number);
    }

    /// Hints that are amounts for a player are added up; those of another shape help them.
    pub(crate) fn declare_hint(&mut self, hint: &Callable) {
        self.hints.insert(hint.func);
        if hint.params == [Ty::Player] && hint.ty == Ty::Int {
            self.model.hints.push(hint.func);
        }
    }

    /// What a type is called in messages.
    pub(crate) fn ty_name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Int => "a number".to_owned(),
            Ty::Bool => "a condition".to_owned(),
            Ty::Player => "a player".to_owned(),
            Ty::Row(t) => format!("a row of `{}`", self.model.tables[*t].plural),
            Ty::Option(inner) => format!("{} or `none`", self.ty_name(inner)),
            Ty::None => "`none`".to_owned(),
            Ty::Bag(t) => format!("a bag of `{}`", self.model.tables[*t].plural),
            Ty::Record(r) => format!("a `{}`", self.model.records[*r].name),
            Ty::Spread => "a spread".to_owned(),
            Ty::Unit => "an effect without a value".to_owned(),
        }
    }
}
