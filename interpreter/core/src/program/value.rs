//! Values of the rules by the names that their author gave.

use std::sync::Arc;

use super::model::Model;
use super::tree::{NONE, Ty};
use crate::source::Id;

/// A seat at the table, from zero, clockwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seat(pub u8);

/// A value of a move, an event or a view.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "a variant's text explains its fields")]
pub enum Value {
    /// A number.
    Int(i64),
    /// Yes or no.
    Bool(bool),
    /// A row of a table.
    Row { table: Id, row: Id },
    /// A player.
    Player(Seat),
    /// Nothing, of an option.
    None,
    /// Counts per row; rows of count zero are left out.
    Bag { table: Id, counts: Vec<(Id, u32)> },
    /// Pieces over places; counts of zero are left out.
    Spread(Vec<Share>),
    /// A declared bundle of values, its parts in order.
    Record { record: Id, parts: Vec<(Id, Value)> },
    /// Something that this audience does not learn; of pieces it may know how many they are.
    Hidden { count: Option<u32> },
}

/// Some pieces of a [`Value::Spread`] in one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Share {
    /// The place.
    pub place: PlaceRef,
    /// The table and row of the pieces.
    pub row: RowRef,
    /// How many.
    pub count: u32,
}

/// A row of a table, by ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RowRef {
    /// The table.
    pub table: Id,
    /// The row.
    pub row: Id,
}

/// One place, counter or marker: its name and index values (`staff(p2, wharf)`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlaceRef {
    /// Its name.
    pub name: Id,
    /// Its index values.
    pub index: Arc<[Value]>,
}

/// A number as a value of its type.
pub fn value(model: &Model, ty: &Ty, number: i64) -> Value {
    match ty {
        Ty::Bool => Value::Bool(number != 0),
        Ty::Player => u8::try_from(number).map_or(Value::None, |seat| Value::Player(Seat(seat))),
        Ty::Row(table) => {
            let (table, row) = (&model.tables[*table], usize::try_from(number));
            match row.ok().and_then(|row| table.rows.get(row)) {
                Some(row) => Value::Row {
                    table: table.name.clone(),
                    row: row.clone(),
                },
                None => Value::None,
            }
        }
        Ty::Option(inner) if number != NONE => value(model, inner, number),
        Ty::Option(_) | Ty::None => Value::None,
        _ => Value::Int(number),
    }
}
