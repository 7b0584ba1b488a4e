//! The layout of a table as a message of the contract.
//!
//! In: what `table.yaml` says, checked. Out: the same in messages; colours are always `#rrggbb`.

use interpreter::package::Text;
use interpreter::program::layout::{
    Area, Draw, Flow, Fold, Form, Layout, Look, Part, Shape, TableLook,
};
use interpreter::source::Spanned;

use super::convert::text;
use super::v1;

/// A layout.
pub fn layout(layout: &Layout) -> v1::TableLayout {
    v1::TableLayout {
        table: Some(area(&layout.table)),
        mat: Some(area(&layout.mat)),
        aside: words(&layout.aside),
        looks: layout.looks.iter().map(table_look).collect(),
    }
}

fn words(words: &[Spanned<String>]) -> Vec<String> {
    words.iter().map(|word| word.node.clone()).collect()
}

fn word(word: &Option<Spanned<String>>) -> String {
    word.as_ref()
        .map_or_else(String::new, |word| word.node.clone())
}

fn some(of: &Text) -> Option<v1::Text> {
    (*of != Text::default()).then(|| text(of))
}

fn area(area: &Area) -> v1::LayoutArea {
    let flow = match area.flow {
        Flow::Column => v1::LayoutFlow::Column,
        Flow::Row => v1::LayoutFlow::Row,
        Flow::Tabs => v1::LayoutFlow::Tabs,
    };
    let fold = match area.fold {
        Fold::Never => v1::LayoutFold::Never,
        Fold::Open => v1::LayoutFold::Open,
        Fold::Closed => v1::LayoutFold::Closed,
    };
    v1::LayoutArea {
        id: word(&area.id),
        titles: some(&area.titles),
        flow: flow.into(),
        fold: fold.into(),
        parts: area.shows.iter().map(part).collect(),
    }
}

fn part(part: &Part) -> v1::LayoutPart {
    use v1::layout_part::Part as Message;

    let part = match part {
        Part::Area(within) => Message::Area(area(within)),
        Part::Board(board) => Message::Board(v1::LayoutBoard {
            table: board.table.node.clone(),
            things: words(&board.shows),
        }),
        Part::Track(track) => Message::Track(v1::LayoutTrack {
            counters: words(&track.shows),
            first: track.from,
            last: track.to,
        }),
        Part::Thing(thing) => Message::Thing(v1::LayoutThing {
            id: thing.name.node.clone(),
            draw: match thing.draw {
                Draw::AsDeclared => v1::LayoutDraw::Unspecified,
                Draw::Pieces => v1::LayoutDraw::Pieces,
                Draw::Deck => v1::LayoutDraw::Deck,
            }
            .into(),
            hide_empty: thing.hide_empty,
            order: word(&thing.order),
            group: word(&thing.group),
        }),
    };
    v1::LayoutPart { part: Some(part) }
}

fn table_look(of: &TableLook) -> v1::TableLook {
    let form = match of.form {
        None => v1::PieceForm::Unspecified,
        Some(Form::Token) => v1::PieceForm::Token,
        Some(Form::Tile) => v1::PieceForm::Tile,
        Some(Form::Card) => v1::PieceForm::Card,
    };
    let rows = of.rows.iter().map(|(row, of)| v1::RowLook {
        row: row.node.clone(),
        look: Some(look(of)),
    });
    v1::TableLook {
        table: of.table.node.clone(),
        form: form.into(),
        printed: of.printed.as_ref().map(|columns| v1::PrintedColumns {
            columns: words(columns),
        }),
        look: (of.look != Look::default()).then(|| look(&of.look)),
        rows: rows.collect(),
    }
}

fn look(look: &Look) -> v1::PieceLook {
    let shape = match look.shape {
        None => v1::PieceShape::Unspecified,
        Some(Shape::Circle) => v1::PieceShape::Circle,
        Some(Shape::Square) => v1::PieceShape::Square,
        Some(Shape::Hexagon) => v1::PieceShape::Hexagon,
        Some(Shape::Diamond) => v1::PieceShape::Diamond,
        Some(Shape::Shield) => v1::PieceShape::Shield,
        Some(Shape::Octagon) => v1::PieceShape::Octagon,
        Some(Shape::Triangle) => v1::PieceShape::Triangle,
        Some(Shape::Pentagon) => v1::PieceShape::Pentagon,
    };
    v1::PieceLook {
        shape: shape.into(),
        colour: look.colour.map(|colour| colour.hex()).unwrap_or_default(),
        icon: word(&look.icon),
        label: look.label.as_ref().and_then(some),
    }
}
