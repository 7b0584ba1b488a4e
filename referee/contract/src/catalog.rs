//! The catalogue of a ruleset: what a client needs to show any view, question or event of a match.
//!
//! Read off the composed package (names, figures, clauses) and the checked model (what there is in
//! this configuration). The other place, beside [`convert`], where the interpreter's
//! types become messages.

use std::collections::{BTreeMap, BTreeSet};

use interpreter::Ruleset;
use interpreter::package::{
    Board, BoardShape, Cell, Column, ColumnType, Configuration, Counted, Datum, Language, Package,
    Table, Text,
};
use interpreter::program::ids::{ClauseId, TableId};
use interpreter::program::model::{DomainModel, Model, MoveModel, ParamModel, Sight, StepModel};
use interpreter::program::tree::Ty;

use super::convert::{self, text};
use super::v1;
use referee_library::Edition;
use referee_library::words::templates::{self, Kind};
use referee_library::words::{Words, phrases};
pub use referee_library::{revision_name, ruleset_name};
use referee_store::numbers::to_u32;

/// What a list says of an edition.
pub fn summary(edition: &Edition, playable: bool) -> v1::RulesetSummary {
    v1::RulesetSummary {
        name: ruleset_name(&edition.id),
        revision: revision_name(&edition.id, &edition.digest),
        version: edition.version.clone(),
        titles: Some(text(&edition.titles)),
        min_players: u32::from(edition.players.0),
        max_players: u32::from(edition.players.1),
        playable,
        channels: Vec::new(),
        owner: String::new(),
    }
}

/// A configuration.
pub fn configuration(configuration: &Configuration) -> v1::Configuration {
    let options = configuration.options.iter();
    v1::Configuration {
        players: u32::from(configuration.players),
        modules: configuration.modules.clone(),
        options: options
            .map(|(option, value)| v1::OptionSetting {
                option: option.clone(),
                value: *value,
            })
            .collect(),
    }
}

fn board(board: &Board) -> v1::Board {
    let shape = match board.shape {
        BoardShape::Grid => v1::BoardShape::Grid,
        BoardShape::Hex => v1::BoardShape::Hex,
        BoardShape::Track => v1::BoardShape::Track,
        BoardShape::Map => v1::BoardShape::Map,
    };
    v1::Board {
        shape: shape.into(),
        x: board.x.node.clone(),
        y: board
            .y
            .as_ref()
            .map_or_else(String::new, |y| y.node.clone()),
    }
}

/// Everything a client needs to know of a ruleset.
pub fn ruleset(edition: &Edition, ruleset: &Ruleset) -> v1::Ruleset {
    let catalogue = Catalogue {
        package: ruleset.package(),
        model: ruleset.model(),
    };
    let players = ruleset.configuration().players;
    let (package, model) = (catalogue.package, catalogue.model);
    let (least, most) = package.players;
    v1::Ruleset {
        // Modules may be for other numbers of players than the base game.
        summary: Some(v1::RulesetSummary {
            min_players: least.into(),
            max_players: most.into(),
            ..summary(edition, true)
        }),
        configuration: Some(configuration(ruleset.configuration())),
        digest: ruleset.digest().0.to_vec(),
        modules: package
            .offered
            .iter()
            .map(|module| v1::Module {
                id: module.id.clone(),
                titles: Some(text(&module.titles)),
            })
            .collect(),
        options: package
            .options
            .iter()
            .map(|option| v1::Option {
                id: option.id.node.clone(),
                names: Some(text(&option.names)),
                r#type: Some(v1::Type {
                    kind: match option.is_int {
                        true => v1::TypeKind::Integer,
                        false => v1::TypeKind::Boolean,
                    }
                    .into(),
                    ..Default::default()
                }),
                default_value: option.default,
                at_least: option.at_least,
                at_most: option.at_most,
                clause: option
                    .cite
                    .as_ref()
                    .map(|cite| cite.node.clone())
                    .unwrap_or_default(),
            })
            .collect(),
        tables: package
            .tables
            .iter()
            .map(|t| catalogue.table(t, players))
            .collect(),
        figures: package
            .figures
            .iter()
            .map(|figure| v1::Figure {
                id: figure.name.node.clone(),
                names: Some(text(&figure.names)),
                value: Some(cell(&figure.value.node, players, None)),
                clause: figure
                    .cite
                    .as_ref()
                    .map(|cite| cite.node.clone())
                    .unwrap_or_default(),
            })
            .collect(),
        places: model
            .places
            .iter()
            .map(|place| v1::Place {
                id: place.name.to_string(),
                names: catalogue.name("place", &place.name),
                index: catalogue.index(&place.index),
                table: model.tables[place.table].name.to_string(),
                pile: place.pile,
                faces: sight(place.faces).into(),
                count: sight(place.count).into(),
                lies_on: place.lies_on.as_ref().map(|on| v1::LiesOn {
                    place: model.places[on.place].name.to_string(),
                    piece: to_u32(on.piece),
                    index: on.index.iter().copied().map(to_u32).collect(),
                }),
            })
            .collect(),
        counters: model
            .counters
            .iter()
            .map(|counter| v1::Counter {
                id: counter.name.to_string(),
                names: catalogue.name("counter", &counter.name),
                index: catalogue.index(&counter.index),
                sight: sight(counter.sight).into(),
            })
            .collect(),
        markers: model
            .markers
            .iter()
            .map(|marker| v1::Marker {
                id: marker.name.to_string(),
                names: catalogue.name("marker", &marker.name),
                index: catalogue.index(&marker.index),
                r#type: Some(catalogue.ty(&marker.ty)),
                sight: sight(marker.sight).into(),
                initial: None,
                steps_before_set: Vec::new(),
            })
            .collect(),
        phases: model
            .phases
            .iter()
            .map(|phase| v1::Phase {
                id: phase.name.to_string(),
                names: catalogue.name("phase", &phase.name),
                parameters: phase
                    .params
                    .iter()
                    .map(|p| catalogue.parameter(&p.name, &p.ty))
                    .collect(),
                steps: catalogue.steps(&phase.steps),
                clause: catalogue.clause(phase.cite),
                kept: phase
                    .keeps
                    .iter()
                    .map(|var| {
                        let id = format!("{}.{}", phase.name, var.name);
                        v1::Marker {
                            names: catalogue.name("kept", &id),
                            id,
                            index: catalogue.index(&var.index),
                            r#type: Some(catalogue.ty(&var.ty)),
                            sight: sight(var.sight).into(),
                            initial: Some(convert::value(&ruleset.kept_first(phase, var))),
                            steps_before_set: ruleset
                                .steps_before_set(phase, var)
                                .iter()
                                .map(|step| step.to_string())
                                .collect(),
                        }
                    })
                    .collect(),
            })
            .collect(),
        moves: catalogue
            .moves()
            .map(|(step, mv)| v1::MoveType {
                step: step.to_owned(),
                name: mv.name.to_string(),
                names: catalogue.move_name(step, mv),
                parameters: mv
                    .params
                    .iter()
                    .map(|p| v1::Parameter {
                        r#type: Some(catalogue.param_ty(p)),
                        ..catalogue.parameter(&p.name, &p.ty)
                    })
                    .collect(),
                free: mv.free,
                clause: catalogue.clause(mv.cite),
                sentence: Some(catalogue.move_sentence(step, mv)),
            })
            .collect(),
        events: model
            .events
            .iter()
            .map(|event| v1::EventType {
                id: event.name.to_string(),
                names: catalogue.name("event", &event.name),
                parameters: event
                    .params
                    .iter()
                    .map(|(name, ty)| catalogue.parameter(name, ty))
                    .collect(),
                sentence: templates::event(package, &event.name).as_ref().map(text),
            })
            .collect(),
        endings: model
            .endings
            .iter()
            .map(|ending| v1::Ending {
                id: ending.name.to_string(),
                names: catalogue.name("ending", &ending.name),
                clause: catalogue.clause(ending.cite),
            })
            .collect(),
        score_lines: model
            .scores
            .iter()
            .map(|line| v1::ScoreLineType {
                id: line.name.to_string(),
                names: catalogue.score_name(&line.name),
                clause: catalogue.clause(line.cite),
            })
            .collect(),
        sections: package
            .rulebook
            .sections
            .iter()
            .map(|section| v1::Section {
                id: section.id.node.clone(),
                titles: Some(text(&section.titles)),
            })
            .collect(),
        clauses: package
            .rulebook
            .clauses
            .iter()
            .map(super::convert::clause)
            .collect(),
        phrases: phrases()
            .map(|(id, sentence)| v1::Phrase {
                id: id.to_owned(),
                sentence: Some(text(&sentence)),
            })
            .collect(),
        layout: package.layout.as_ref().map(super::layout::layout),
    }
}

/// Names of everything that a view can show.
pub const VIEW_NAMES: &[v1::NameKind] = &[
    v1::NameKind::Table,
    v1::NameKind::Row,
    v1::NameKind::Place,
    v1::NameKind::Counter,
    v1::NameKind::Marker,
    v1::NameKind::Phase,
    v1::NameKind::Step,
    v1::NameKind::Kept,
    v1::NameKind::Ending,
    v1::NameKind::ScoreLine,
];

/// Names of everything that a question can show.
pub const QUESTION_NAMES: &[v1::NameKind] = &[
    v1::NameKind::Table,
    v1::NameKind::Row,
    v1::NameKind::Place,
    v1::NameKind::Step,
    v1::NameKind::Move,
    v1::NameKind::MoveSentence,
    v1::NameKind::Parameter,
    v1::NameKind::Phrase,
];

/// Names of everything that a stream can show.
pub const STREAM_NAMES: &[v1::NameKind] = &[
    v1::NameKind::Table,
    v1::NameKind::Row,
    v1::NameKind::Place,
    v1::NameKind::Counter,
    v1::NameKind::Marker,
    v1::NameKind::Phase,
    v1::NameKind::Step,
    v1::NameKind::Move,
    v1::NameKind::MoveSentence,
    v1::NameKind::Parameter,
    v1::NameKind::Phrase,
    v1::NameKind::Event,
    v1::NameKind::EventSentence,
    v1::NameKind::Kept,
    v1::NameKind::Ending,
    v1::NameKind::ScoreLine,
];

/// Names for people of all ids of some kinds, and the texts of some clauses.
pub fn glossary(ruleset: &Ruleset, kinds: &[v1::NameKind], cited: BTreeSet<&str>) -> v1::Glossary {
    let catalogue = Catalogue {
        package: ruleset.package(),
        model: ruleset.model(),
    };
    let mut entries = Vec::new();
    let mut add = |kind: v1::NameKind, within: &str, id: &str, name: Option<v1::Text>| {
        if let Some(name) = name.filter(|_| kinds.contains(&kind)) {
            entries.push(v1::GlossaryEntry {
                kind: kind.into(),
                within: within.to_owned(),
                id: id.to_owned(),
                text: Some(name),
            });
        }
    };
    for table in &catalogue.package.tables {
        let id = &table.name.node;
        add(v1::NameKind::Table, "", id, some_text(&table.names));
        for row in &table.rows {
            add(v1::NameKind::Row, id, &row.id.node, some_text(&row.names));
        }
        for column in &table.columns {
            add(
                v1::NameKind::Column,
                id,
                &column.name.node,
                some_text(&column.names),
            );
        }
    }
    for (step, mv) in catalogue.moves() {
        add(
            v1::NameKind::Move,
            step,
            &mv.name,
            catalogue.move_name(step, mv),
        );
        if kinds.contains(&v1::NameKind::MoveSentence) {
            let sentence = Some(catalogue.move_sentence(step, mv));
            add(v1::NameKind::MoveSentence, step, &mv.name, sentence);
        }
    }
    for event in &catalogue.model.events {
        let sentence = templates::event(catalogue.package, &event.name);
        let sentence = sentence.as_ref().map(text);
        add(v1::NameKind::EventSentence, "", &event.name, sentence);
    }
    for (id, sentence) in phrases() {
        add(v1::NameKind::Phrase, "", id, Some(text(&sentence)));
    }
    for line in &catalogue.model.scores {
        add(
            v1::NameKind::ScoreLine,
            "",
            &line.name,
            catalogue.score_name(&line.name),
        );
    }
    for (address, name) in &catalogue.package.names {
        let Some((kind, id)) = address.split_once(' ') else {
            continue;
        };
        let kind = match kind {
            "place" => v1::NameKind::Place,
            "counter" => v1::NameKind::Counter,
            "marker" => v1::NameKind::Marker,
            "kept" => v1::NameKind::Kept,
            "phase" => v1::NameKind::Phase,
            "step" => v1::NameKind::Step,
            "param" => v1::NameKind::Parameter,
            "event" => v1::NameKind::Event,
            "ending" => v1::NameKind::Ending,
            // Moves and lines of the score sheet are named above, by what they are attached to.
            _ => continue,
        };
        add(kind, "", id, some_text(&name.node));
    }
    let mut unnamed = BTreeSet::new();
    for (name, ty) in catalogue.parameters() {
        if catalogue.name("param", name).is_none() && unnamed.insert(name) {
            let called = Some(catalogue.parameter_name(name, ty));
            add(v1::NameKind::Parameter, "", name, called);
        }
    }
    for figure in &catalogue.package.figures {
        add(
            v1::NameKind::Figure,
            "",
            &figure.name.node,
            some_text(&figure.names),
        );
    }
    for option in &catalogue.package.options {
        add(
            v1::NameKind::Option,
            "",
            &option.id.node,
            some_text(&option.names),
        );
    }
    for module in &catalogue.package.offered {
        add(
            v1::NameKind::Module,
            "",
            &module.id,
            some_text(&module.titles),
        );
    }
    for id in cited {
        if let Some(clause) = catalogue.package.rulebook.clause(id) {
            entries.push(v1::GlossaryEntry {
                kind: v1::NameKind::Clause.into(),
                within: String::new(),
                id: id.to_owned(),
                text: some_text(&clause.text),
            });
        }
    }
    v1::Glossary { entries }
}

fn some_text(names: &Text) -> Option<v1::Text> {
    (!names.en.is_empty() || !names.pl.is_empty()).then(|| text(names))
}

struct Catalogue<'a> {
    package: &'a Package,
    model: &'a Model,
}

impl<'a> Catalogue<'a> {
    fn name(&self, kind: &str, id: &str) -> Option<v1::Text> {
        self.package
            .names
            .get(&format!("{kind} {id}"))
            .map(|name| text(&name.node))
    }

    fn move_name(&self, step: &str, mv: &MoveModel) -> Option<v1::Text> {
        let name = self.package.of_move(&self.package.names, step, &mv.name)?;
        Some(text(&name.node))
    }

    /// How a move is said with its arguments.
    fn move_sentence(&self, step: &str, mv: &MoveModel) -> v1::Text {
        let written = self
            .package
            .of_move(&self.package.sentences, step, &mv.name);
        text(&templates::text(|language| {
            let words = Words::new(self.package, language);
            let params = mv.params.iter().map(|param| {
                let shape = Kind::of_type(&param.ty, self.model).shape();
                let optional = param.may_be_left_out() || param.is_left_out();
                (&*param.name, shape, optional)
            });
            let called = |name: &str| {
                let param = mv.params.iter().find(|param| *param.name == *name);
                let kind = param.map(|param| Kind::of_type(&param.ty, self.model));
                words.param_of(name, kind.unwrap_or(Kind::Other))
            };
            let label = || words.mv(step, &mv.name);
            let written = written.map(|pair| pair.get(language).clone());
            templates::sentence_or(written, label, params, &called)
        }))
    }

    /// A line of the score sheet has a name of its own, or that of the component that brings it.
    fn score_name(&self, id: &str) -> Option<v1::Text> {
        let component = || {
            let rows = self.package.tables.iter().flat_map(|table| &table.rows);
            rows.into_iter()
                .find(|row| row.id.node == id)
                .and_then(|row| some_text(&row.names))
        };
        self.name("score", id).or_else(component)
    }

    fn clause(&self, cite: Option<ClauseId>) -> String {
        cite.and_then(|clause| self.model.clauses.get(clause))
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    fn moves(&self) -> impl Iterator<Item = (&'a str, &'a MoveModel)> {
        let model = self.model;
        model.asks.iter().flat_map(move |ask| {
            ask.moves
                .iter()
                .map(move |mv| (&*ask.step, &model.moves[*mv]))
        })
    }

    /// Parameters of phases, moves and events.
    fn parameters(&self) -> impl Iterator<Item = (&'a str, &'a Ty)> {
        let model = self.model;
        let phases = model.phases.iter().flat_map(|phase| &phase.params);
        let moves = self.moves().flat_map(|(_, mv)| &mv.params);
        let events = model.events.iter().flat_map(|event| &event.params);
        let phases = phases.map(|param| (&*param.name, &param.ty));
        let moves = moves.map(|param| (&*param.name, &param.ty));
        phases
            .chain(moves)
            .chain(events.map(|(name, ty)| (&**name, ty)))
    }

    fn index(&self, index: &[(Ty, u32)]) -> Vec<v1::Type> {
        index.iter().map(|(ty, _)| self.ty(ty)).collect()
    }

    fn parameter(&self, name: &str, ty: &Ty) -> v1::Parameter {
        v1::Parameter {
            name: name.to_owned(),
            r#type: Some(self.ty(ty)),
            names: Some(self.parameter_name(name, ty)),
        }
    }

    /// What a parameter is called, or else what kind of value it is.
    fn parameter_name(&self, name: &str, ty: &Ty) -> v1::Text {
        let called = |language| {
            let words = Words::new(self.package, language);
            words.param_of(name, Kind::of_type(ty, self.model))
        };
        text(&Text {
            en: called(Language::English),
            pl: called(Language::Polish),
        })
    }

    fn table_name(&self, table: TableId) -> &str {
        self.model.tables.get(table).map_or("", |table| &table.name)
    }

    fn ty(&self, ty: &Ty) -> v1::Type {
        let of = |kind: v1::TypeKind, of: &str| v1::Type {
            kind: kind.into(),
            of: of.to_owned(),
            optional: false,
        };
        match ty {
            Ty::Int => of(v1::TypeKind::Integer, ""),
            Ty::Bool => of(v1::TypeKind::Boolean, ""),
            Ty::Player => of(v1::TypeKind::Seat, ""),
            Ty::Row(table) => of(v1::TypeKind::Row, self.table_name(*table)),
            Ty::Option(inner) => v1::Type {
                optional: true,
                ..self.ty(inner)
            },
            Ty::Bag(table) => of(v1::TypeKind::Bag, self.table_name(*table)),
            Ty::Record(record) => {
                let record = self.model.records.get(*record);
                of(
                    v1::TypeKind::Record,
                    record.map_or("", |record| &record.name),
                )
            }
            Ty::Spread => of(v1::TypeKind::Spread, ""),
            Ty::None | Ty::Unit => of(v1::TypeKind::Unspecified, ""),
        }
    }

    fn param_ty(&self, param: &ParamModel) -> v1::Type {
        let ty = self.ty(&param.ty);
        match &param.domain {
            DomainModel::Spread(spread) => {
                let spread = self.model.spreads.get(*spread);
                let table = spread.map_or("", |spread| self.table_name(spread.table));
                v1::Type {
                    of: table.to_owned(),
                    ..ty
                }
            }
            _ => ty,
        }
    }

    fn steps(&self, steps: &[StepModel]) -> Vec<v1::Step> {
        let mut all = Vec::new();
        for step in steps {
            all.push(v1::Step {
                id: step.name.to_string(),
                names: self.name("step", &step.name),
                clause: self.clause(step.cite),
            });
            if let interpreter::program::model::BodyModel::Steps(inner) = &step.body {
                all.extend(self.steps(inner));
            }
        }
        all
    }

    fn table(&self, table: &Table, players: u8) -> v1::Table {
        v1::Table {
            id: table.name.node.clone(),
            plural: table.plural.node.clone(),
            board: table.board.as_ref().map(board),
            names: Some(text(&table.names)),
            columns: table
                .columns
                .iter()
                .map(|column| {
                    let (kind, of, optional) = match &column.ty {
                        ColumnType::Int => (v1::TypeKind::Integer, "", false),
                        ColumnType::Bool => (v1::TypeKind::Boolean, "", false),
                        ColumnType::Row(table, optional) => {
                            (v1::TypeKind::Row, table.as_str(), *optional)
                        }
                    };
                    v1::Column {
                        id: column.name.node.clone(),
                        names: Some(text(&column.names)),
                        r#type: Some(v1::Type {
                            kind: kind.into(),
                            of: of.to_owned(),
                            optional,
                        }),
                    }
                })
                .collect(),
            rows: table
                .rows
                .iter()
                .map(|row| v1::Row {
                    id: row.id.node.clone(),
                    names: Some(text(&row.names)),
                    in_play: row.players.is_empty() || row.players.contains(&players),
                    cells: table
                        .columns
                        .iter()
                        .zip(&row.cells)
                        .map(|(column, c)| cell(&c.node, players, Some(column)))
                        .collect(),
                    counted: {
                        let address = format!("{}.{}", table.name.node, row.id.node);
                        let forms = self.package.counted.get(&address);
                        forms.map(|forms| counted(&forms.node)).unwrap_or_default()
                    },
                })
                .collect(),
        }
    }
}

/// What the pieces of a row are called behind a number, by language and category.
fn counted(forms: &Counted) -> BTreeMap<String, String> {
    let [few, many] = &forms.pl;
    let [other] = &forms.en;
    let all = [("en.other", other), ("pl.few", few), ("pl.many", many)];
    all.map(|(category, form)| (category.to_owned(), form.clone()))
        .into()
}

/// A cell with this number of players; without kind if it says nothing of it.
fn cell(cell: &Cell, players: u8, column: Option<&Column>) -> v1::Value {
    use v1::value::Kind;
    let kind = cell.with_players(players).map(|datum| match datum {
        Datum::Int(n) => Kind::Integer(*n),
        Datum::Bool(b) => Kind::Boolean(*b),
        Datum::Row(row) => {
            let table = match column.map(|column| &column.ty) {
                Some(ColumnType::Row(table, _)) => table.clone(),
                _ => String::new(),
            };
            Kind::Row(v1::RowRef {
                table,
                row: row.clone(),
            })
        }
        Datum::None => Kind::None(v1::None {}),
    });
    v1::Value { kind }
}

fn sight(sight: Sight) -> v1::Sight {
    match sight {
        Sight::Everybody => v1::Sight::Everybody,
        Sight::Only(_) | Sight::Holder(_) => v1::Sight::Owner,
        Sight::Nobody => v1::Sight::Nobody,
    }
}
