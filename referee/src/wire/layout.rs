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

#[cfg(test)]
mod tests {
    use interpreter::Ruleset;
    use interpreter::package::{Configuration, PackageTexts};

    use super::super::catalog;
    use super::super::v1::LayoutArea;
    use super::super::v1::layout_part::Part;
    use crate::library::Library;

    /// The parts of an area and of those within it.
    fn parts<'a>(area: &'a LayoutArea) -> Vec<&'a Part> {
        let all = area.parts.iter().filter_map(|part| part.part.as_ref());
        let each = |part: &'a Part| match part {
            Part::Area(within) => parts(within),
            _ => vec![part],
        };
        all.flat_map(each).collect()
    }

    #[test]
    fn a_track_is_told_with_its_ends_and_what_stands_on_it() {
        let library = Library::embedded().unwrap();
        let edition = library
            .iter()
            .find(|edition| edition.id == "genoa")
            .unwrap();
        let configuration = Configuration::base(3);
        let ruleset = library.compile(edition, &configuration).unwrap();
        let layout = catalog::ruleset(edition, &ruleset).layout.unwrap();
        let table = layout.table.unwrap();
        let track = parts(&table).into_iter().find_map(|part| match part {
            Part::Track(track) => Some(track),
            _ => None,
        });
        let track = track.expect("the board has one");
        assert_eq!(track.counters, ["rounds_left"]);
        assert_eq!((track.first, track.last), (12, 1));
    }

    /// Every title says how its table lies, and whoever takes that away plays the same match.
    #[test]
    fn shipped_layouts_reach_clients_and_change_no_digest() {
        let library = Library::embedded().unwrap();
        for edition in library.iter() {
            let players = edition.players.0.max(2);
            let configuration = Configuration::base(players);
            let ruleset = library.compile(edition, &configuration).unwrap();
            let said = catalog::ruleset(edition, &ruleset);
            let layout = said.layout.as_ref().expect(&edition.id);
            for root in [&layout.table, &layout.mat] {
                let parts = &root.as_ref().unwrap().parts;
                assert!(!parts.is_empty(), "{}", edition.id);
                for part in parts {
                    if let Some(Part::Area(area)) = &part.part
                        && let Some(titles) = &area.titles
                    {
                        assert_eq!(titles.by_language.len(), 2, "{}", area.id);
                    }
                }
            }
            for look in &layout.looks {
                for row in &look.rows {
                    let colour = &row.look.as_ref().unwrap().colour;
                    assert!(colour.is_empty() || colour.starts_with('#'), "{colour}");
                }
            }
            let files = edition.texts.files.iter();
            let files = files.filter(|(path, _)| !path.ends_with("table.yaml"));
            let without = PackageTexts::new(edition.texts.path.as_str(), files.cloned().collect());
            let bare = Ruleset::compile(&without, &[], &configuration).unwrap();
            assert_eq!(bare.digest().0, ruleset.digest().0, "{}", edition.id);
            assert!(catalog::ruleset(edition, &bare).layout.is_none());
        }
    }
}
