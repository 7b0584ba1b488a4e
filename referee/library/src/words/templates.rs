//! Sentences with holes as clients are sent them: the ruleset's, completed, or made of labels.
//!
//! What a sentence leaves out, such as a parameter that a module adds to a move, is told behind it as it would be without a
//! sentence, so no two moves of one question read alike.

use interpreter::package::{Language, Package, Piece, Sentence, Text};
use interpreter::play::Value;
use interpreter::program::model::Model;
use interpreter::program::tree::Ty;

/// How a value is told where no sentence says more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It speaks for itself: a row, some pieces.
    Itself,
    /// Its parameter is called before it: a number, a player.
    Labelled,
}

impl Shape {
    /// Of a value. Yes is told by the name of its parameter, which is what its hole is filled with.
    pub fn of(value: &Value) -> Shape {
        match value {
            Value::None | Value::Hidden { .. } => Shape::Labelled,
            value => Kind::of(value).shape(),
        }
    }
}

/// What kind of value something is: what it is called by if it has no name of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A row of a table, or pieces of it.
    Of(&'a str),
    /// A player.
    Player,
    /// A number.
    Number,
    /// Anything else.
    Other,
}

impl<'a> Kind<'a> {
    /// Of a value.
    pub fn of(value: &'a Value) -> Kind<'a> {
        match value {
            Value::Row { table, .. } | Value::Bag { table, .. } => Kind::Of(table),
            Value::Player(_) => Kind::Player,
            Value::Int(_) => Kind::Number,
            _ => Kind::Other,
        }
    }

    /// Of a type.
    pub fn of_type(ty: &Ty, model: &'a Model) -> Kind<'a> {
        match ty {
            Ty::Row(table) | Ty::Bag(table) => {
                let table = model.tables.get(*table);
                table.map_or(Kind::Other, |table| Kind::Of(&table.name))
            }
            Ty::Option(inner) => Kind::of_type(inner, model),
            Ty::Player => Kind::Player,
            Ty::Int => Kind::Number,
            _ => Kind::Other,
        }
    }

    /// How it is told.
    pub fn shape(self) -> Shape {
        match self {
            Kind::Player | Kind::Number => Shape::Labelled,
            Kind::Of(_) | Kind::Other => Shape::Itself,
        }
    }
}

/// A sentence, with what it leaves out behind it; if there is none, what its label makes. Of each parameter it is said
/// whether nothing may be chosen for it.
pub fn sentence_or<'p>(
    written: Option<Sentence>,
    label: impl FnOnce() -> String,
    params: impl IntoIterator<Item = (&'p str, Shape, bool)>,
    name: &dyn Fn(&str) -> String,
) -> Sentence {
    let params: Vec<(&str, Shape, bool)> = params.into_iter().collect();
    let known: Vec<&str> = params.iter().map(|(param, ..)| *param).collect();
    let written = written.map(|sentence| sentence.for_holes(&known));
    let bare = written.is_none();
    let sentence = written.unwrap_or_else(|| Sentence::of(vec![Piece::Text(label())]));
    let said: Vec<String> = sentence.holes().into_iter().map(str::to_owned).collect();
    let mut more = Vec::new();
    for (param, shape, optional) in params {
        if said.iter().any(|hole| *hole == param) {
            continue;
        }
        let mut before = match bare && more.is_empty() {
            true => ": ".to_owned(),
            false => ", ".to_owned(),
        };
        if shape == Shape::Labelled {
            before += &name(param);
            before.push(' ');
        }
        let pieces = [Piece::Text(before), Piece::Hole(param.to_owned())];
        match optional {
            true => more.push(Piece::Part(pieces.into())),
            false => more.extend(pieces),
        }
    }
    sentence.and(more)
}

/// The same in every language, for a client.
pub fn text(of: impl Fn(Language) -> Sentence) -> Text {
    Text {
        en: of(Language::English).to_string(),
        pl: of(Language::Polish).to_string(),
    }
}

/// The sentence that the package has for an event.
pub fn event(package: &Package, event: &str) -> Option<Text> {
    let written = package.sentences.get(&format!("event {event}"))?;
    Some(text(|language| written.get(language).clone()))
}
