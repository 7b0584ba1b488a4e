//! How a table looks: what `table.yaml` says, composed of a base and its modules.
//!
//! Nothing in play hangs on it, and no digest that a match is pinned to. It names places, counters, markers, tables and
//! their rows; where the cells of a board lie is said by the tables themselves (their `board`).
//! Everything in it is a name that is declared elsewhere, or a word of a list that stands here.

use super::text::Text;
use crate::source::{Span, Spanned};

/// A layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// What lies in the middle, for all.
    pub table: Area,
    /// What every seat has before it.
    pub mat: Area,
    /// What is shown nowhere, on purpose: the book-keeping of the rules.
    pub aside: Vec<Spanned<String>>,
    /// How pieces look, by table.
    pub looks: Vec<TableLook>,
}

/// A part of the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// Its id; none for the table and the mat themselves.
    pub id: Option<Spanned<String>>,
    /// What stands above it; may be empty.
    pub titles: Text,
    /// How its parts follow each other.
    pub flow: Flow,
    /// Whether it can be folded away.
    pub fold: Fold,
    /// What it shows, in order.
    pub shows: Vec<Part>,
}

/// Something that an area shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// An area within it.
    Area(Area),
    /// A place, a counter or a marker, with all of its family.
    Thing(Thing),
    /// A board with what lies on its cells.
    Board(BoardPart),
    /// A track that all share.
    Track(Track),
}

/// A place, a counter or a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thing {
    /// Its name.
    pub name: Spanned<String>,
    /// Whether all pieces of a place are drawn, or one pile.
    pub draw: Draw,
    /// It is left out while nothing lies there, or while it says nothing.
    pub hide_empty: bool,
    /// The column by which the pieces of a place are ordered.
    pub order: Option<Spanned<String>>,
    /// The column by which they stand in groups.
    pub group: Option<Spanned<String>>,
}

/// A board: the rows of a table as cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardPart {
    /// The table.
    pub table: Spanned<String>,
    /// What is shown on the cells: things that have a row of the table among their indices, or that name one. Empty: all
    /// such things that are shown nowhere else.
    pub shows: Vec<Spanned<String>>,
}

/// Numbered steps on which counters stand: one of nobody's, or one of every seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// The counters.
    pub shows: Vec<Spanned<String>>,
    /// The number of its first step.
    pub from: i64,
    /// The number of its last step, which may be the smaller one.
    pub to: i64,
}

/// How the parts of an area follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// One below the other.
    #[default]
    Column,
    /// Side by side, going on in the next line.
    Row,
    /// Side by side while there is room, one at a time where there is none.
    Tabs,
}

impl Flow {
    /// All of them, as they are written.
    pub const ALL: [(&'static str, Flow); 3] = [
        ("column", Flow::Column),
        ("row", Flow::Row),
        ("tabs", Flow::Tabs),
    ];
}

/// Whether an area can be folded away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fold {
    /// It is always there.
    #[default]
    Never,
    /// It can, and is open at first.
    Open,
    /// It can, and is folded at first.
    Closed,
}

impl Fold {
    /// All of them, as they are written.
    pub const ALL: [(&'static str, Fold); 3] = [
        ("never", Fold::Never),
        ("open", Fold::Open),
        ("closed", Fold::Closed),
    ];
}

/// How a place is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Draw {
    /// A pile as one, everything else piece by piece.
    #[default]
    AsDeclared,
    /// Piece by piece.
    Pieces,
    /// One pile with a number.
    Deck,
}

impl Draw {
    /// Those that can be written.
    pub const ALL: [(&'static str, Draw); 2] = [("pieces", Draw::Pieces), ("deck", Draw::Deck)];
}

/// How the pieces of a table look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableLook {
    /// The table.
    pub table: Spanned<String>,
    /// How big a piece is, and how much stands on it.
    pub form: Option<Form>,
    /// The columns that are printed on a piece; none: whoever draws it chooses, empty: no columns.
    pub printed: Option<Vec<Spanned<String>>>,
    /// What holds for all rows that say nothing else.
    pub look: Look,
    /// How single rows look.
    pub rows: Vec<(Spanned<String>, Look)>,
}

/// How a piece looks; whatever is not said, whoever draws it chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Its outline.
    pub shape: Option<Shape>,
    /// Its colour.
    pub colour: Option<Colour>,
    /// Its icon: small letters, digits and hyphens.
    pub icon: Option<Spanned<String>>,
    /// A few letters that stand for its name.
    pub label: Option<Text>,
}

/// How big a piece is, and how much stands on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Small, and counted: a cube, a worker.
    Token,
    /// With its name: a building, a tile.
    Tile,
    /// With its name and what is printed on it.
    Card,
}

impl Form {
    /// All of them, as they are written.
    pub const ALL: [(&'static str, Form); 3] = [
        ("token", Form::Token),
        ("tile", Form::Tile),
        ("card", Form::Card),
    ];
}

/// The outline of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Shape {
    Circle,
    Square,
    Hexagon,
    Diamond,
    Shield,
    Octagon,
    Triangle,
    Pentagon,
}

impl Shape {
    /// All of them, as they are written.
    pub const ALL: [(&'static str, Shape); 8] = [
        ("circle", Shape::Circle),
        ("square", Shape::Square),
        ("hexagon", Shape::Hexagon),
        ("diamond", Shape::Diamond),
        ("shield", Shape::Shield),
        ("octagon", Shape::Octagon),
        ("triangle", Shape::Triangle),
        ("pentagon", Shape::Pentagon),
    ];
}

/// A colour: red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub [u8; 3]);

impl Colour {
    /// Colours that have a name. They differ in lightness as well as in hue.
    pub const NAMED: [(&'static str, Colour); 20] = [
        ("amber", Colour([0xd9, 0x9a, 0x1e])),
        ("black", Colour([0x2b, 0x2b, 0x30])),
        ("blue", Colour([0x2f, 0x63, 0xa8])),
        ("brown", Colour([0x7a, 0x4b, 0x2a])),
        ("copper", Colour([0xb3, 0x62, 0x3c])),
        ("cream", Colour([0xe6, 0xd9, 0xb8])),
        ("gold", Colour([0xc9, 0xa2, 0x27])),
        ("green", Colour([0x3c, 0x7d, 0x45])),
        ("grey", Colour([0x80, 0x84, 0x8a])),
        ("indigo", Colour([0x42, 0x44, 0x9e])),
        ("olive", Colour([0x7c, 0x80, 0x38])),
        ("orange", Colour([0xd4, 0x73, 0x2a])),
        ("pink", Colour([0xc8, 0x6a, 0x92])),
        ("purple", Colour([0x7b, 0x4a, 0x9c])),
        ("red", Colour([0xb5, 0x36, 0x32])),
        ("sand", Colour([0xcf, 0xb1, 0x7c])),
        ("silver", Colour([0xb4, 0xba, 0xc2])),
        ("teal", Colour([0x24, 0x80, 0x80])),
        ("white", Colour([0xee, 0xee, 0xea])),
        ("yellow", Colour([0xdf, 0xbe, 0x33])),
    ];

    /// `#rrggbb`, which is the only way in which others are told it.
    pub fn hex(self) -> String {
        let [red, green, blue] = self.0;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}

impl Area {
    /// Every area within this one, and itself.
    pub fn each_area<'a>(&'a self, say: &mut dyn FnMut(&'a Area)) {
        say(self);
        for part in &self.shows {
            if let Part::Area(area) = part {
                area.each_area(say);
            }
        }
    }

    /// Every place, counter and marker that it and the areas within it name, in order.
    pub fn names(&self) -> Vec<&Spanned<String>> {
        let mut names = Vec::new();
        self.each_area(&mut |area| {
            for part in &area.shows {
                match part {
                    Part::Area(_) => {}
                    Part::Thing(thing) => names.push(&thing.name),
                    Part::Board(board) => names.extend(&board.shows),
                    Part::Track(track) => names.extend(&track.shows),
                }
            }
        });
        names
    }

    /// The area of an id within this one.
    pub fn find(&mut self, id: &str) -> Option<&mut Area> {
        if self.id.as_ref().is_some_and(|own| own.node == id) {
            return Some(self);
        }
        self.shows.iter_mut().find_map(|part| match part {
            Part::Area(area) => area.find(id),
            _ => None,
        })
    }

    /// Where its id stands.
    pub fn span(&self) -> Option<Span> {
        self.id.as_ref().map(|id| id.span)
    }
}
