//! Tables of components: the files of the folder `components`.
//!
//! A file either describes a new table (it then says `plural` and `names`) or adds columns and rows
//! to one that exists. Cells are kept as written until every layer has been laid, because only then
//! are the columns known.

use super::names::{id_of, optional_names, text_pair, titles};
use crate::diagnostic::{Code, Diagnostics, did_you_mean};
use crate::numbers::Fit as _;
use crate::program::package::{Board, BoardShape, ColumnType, Text};
use crate::source::Spanned;
use crate::syntax::document::read::{Fields, is_id};
use crate::syntax::document::{Node, Pair};

/// Keys of a row that are not columns.
pub(super) const ROW_KEYS: [&str; 3] = ["names", "players", "cite"];

/// Names that a table cannot have, because they mean something else under `patch:`.
const NO_TABLES: [&str; 2] = ["figures", "figure"];

/// One file of components.
pub(super) struct TableFile {
    pub(super) name: Spanned<String>,
    pub(super) plural: Option<Spanned<String>>,
    pub(super) names: Option<Text>,
    pub(super) board: Option<Spanned<Board>>,
    pub(super) columns: Vec<RawColumn>,
    pub(super) rows: Vec<RawRow>,
    /// Rows or columns could not be read at all, so what is not here may still be meant.
    pub(super) lost: bool,
}

/// A column as written.
#[derive(Clone)]
pub(super) struct RawColumn {
    pub(super) name: Spanned<String>,
    /// None: it is wrong and has been reported, so cells are not read.
    pub(super) ty: Option<Spanned<ColumnType>>,
    pub(super) names: Text,
    pub(super) default: Option<Node>,
}

/// A row as written.
#[derive(Clone)]
pub(super) struct RawRow {
    pub(super) id: Spanned<String>,
    pub(super) names: Text,
    pub(super) players: Vec<u8>,
    /// The clause that the row carries out by its columns alone.
    pub(super) cite: Option<Spanned<String>>,
    /// Everything else: cells by column.
    pub(super) cells: Vec<Pair>,
    /// It is not a map, which has been reported; only its id is known.
    pub(super) broken: bool,
}

/// Reads a file of components.
pub(super) fn read(root: &Node, diagnostics: &mut Diagnostics) -> Option<TableFile> {
    let at = root
        .pairs()
        .and_then(|pairs| pairs.first())
        .map_or(root.span, |pair| pair.key.span);
    let mut fields = Fields::open(root, "a table of components", at, diagnostics)?;
    let name = fields
        .require("table", diagnostics)
        .and_then(|node| node.id("the name of a table", diagnostics));
    let plural = fields
        .take("plural", diagnostics)
        .and_then(|node| node.id("the plural of a table", diagnostics));
    let names = fields
        .take("names", diagnostics)
        .and_then(|node| text_pair(node, "a name", diagnostics));
    let board = fields
        .take("board", diagnostics)
        .and_then(|node| board(node, diagnostics));
    let columns = fields
        .take("columns", diagnostics)
        .map(|node| columns(node, diagnostics))
        .unwrap_or_default();
    let rows = fields
        .take("rows", diagnostics)
        .map(|node| rows(node, diagnostics))
        .unwrap_or_default();
    let lost = ["columns", "rows"]
        .iter()
        .any(|key| root.get(key).is_some_and(|node| node.pairs().is_none()));
    fields.finish(diagnostics);
    let name = name?;
    if NO_TABLES.contains(&name.node.as_str()) {
        diagnostics.push(
            Code::ReservedName
                .error(
                    name.span,
                    format!("a table cannot be called `{}`", name.node),
                )
                .note("modules change the figures of the set-up under this name"),
        );
    }
    Some(TableFile {
        name,
        plural,
        names,
        board,
        columns,
        rows,
        lost,
    })
}

/// `board: {shape: grid, x: column, y: row}`
fn board(node: &Node, diagnostics: &mut Diagnostics) -> Option<Spanned<Board>> {
    let mut fields = Fields::open(node, "a board", node.span, diagnostics)?;
    let shape = fields
        .require("shape", diagnostics)
        .and_then(|node| node.text("the shape of a board", diagnostics));
    let x = fields.take("x", diagnostics);
    let y = fields.take("y", diagnostics);
    let [x, y] = [x, y].map(|column| column?.id("a column", diagnostics));
    fields.finish(diagnostics);
    let shape = shape?;
    let known = BoardShape::ALL.iter().find(|(name, _)| *name == shape.node);
    let Some((_, known)) = known else {
        let names = BoardShape::ALL.map(|(name, _)| name);
        let help = did_you_mean(&shape.node, names)
            .unwrap_or_else(|| "it is `grid`, `hex`, `track` or `map`".to_owned());
        let message = format!("`{}` is not the shape of a board", shape.node);
        diagnostics.push(Code::InvalidBoard.error(shape.span, message).help(help));
        return None;
    };
    let is_track = *known == BoardShape::Track;
    match (x, y) {
        (Some(x), y) if y.is_none() == is_track => {
            let board = Board {
                shape: *known,
                x,
                y,
            };
            Some(Spanned::new(board, node.span))
        }
        _ => {
            let (message, help) = match is_track {
                true => (
                    "a track needs `x` and nothing else",
                    "`x` is the column that says how far along it a row lies",
                ),
                false => (
                    "this board needs `x` and `y`",
                    "they are columns of numbers: how far to the right, and how far down, a row lies",
                ),
            };
            diagnostics.push(Code::InvalidBoard.error(shape.span, message).help(help));
            None
        }
    }
}

fn columns(node: &Node, diagnostics: &mut Diagnostics) -> Vec<RawColumn> {
    let mut columns = Vec::new();
    for pair in node
        .map("columns by their names", diagnostics)
        .unwrap_or_default()
    {
        let name = &pair.key;
        if ROW_KEYS.contains(&name.node.as_str()) {
            diagnostics.push(
                Code::ReservedName
                    .error(
                        name.span,
                        format!("a column cannot be called `{}`", name.node),
                    )
                    .note("every row may have this key already, and it means something else"),
            );
            continue;
        }
        id_of(name, "the name of a column", diagnostics);
        let column = if pair.value.pairs().is_some() {
            long_column(pair, diagnostics)
        } else {
            let ty = column_type(&pair.value, diagnostics);
            RawColumn {
                name: name.clone(),
                ty,
                names: Text::default(),
                default: None,
            }
        };
        columns.push(column);
    }
    columns
}

fn long_column(pair: &Pair, diagnostics: &mut Diagnostics) -> RawColumn {
    let mut column = RawColumn {
        name: pair.key.clone(),
        ty: None,
        names: Text::default(),
        default: None,
    };
    let Some(mut fields) = Fields::open(&pair.value, "a column", pair.key.span, diagnostics) else {
        return column;
    };
    column.ty = fields
        .require("type", diagnostics)
        .and_then(|node| column_type(node, diagnostics));
    column.names = optional_names(&mut fields, diagnostics);
    column.default = fields.take("default", diagnostics).cloned();
    fields.finish(diagnostics);
    column
}

fn column_type(node: &Node, diagnostics: &mut Diagnostics) -> Option<Spanned<ColumnType>> {
    let text = node.text("the type of a column", diagnostics)?;
    let words: Vec<_> = text.node.split_whitespace().collect();
    let ty = match words.as_slice() {
        ["int"] => ColumnType::Int,
        ["bool"] => ColumnType::Bool,
        ["option", table] if is_id(table) => ColumnType::Row((*table).to_owned(), true),
        [table] if is_id(table) && *table != "option" => {
            ColumnType::Row((*table).to_owned(), false)
        }
        _ => {
            diagnostics.push(
                Code::UnknownColumnType.error(text.span,
                    format!("`{}` is not the type of a column", text.node),
                )
                .help(
                    "it is `int`, `bool`, the name of a table, or `option` and the name of a table",
                ),
            );
            return None;
        }
    };
    Some(Spanned::new(ty, text.span))
}

fn rows(node: &Node, diagnostics: &mut Diagnostics) -> Vec<RawRow> {
    let mut rows = Vec::new();
    for pair in node
        .map("rows by their ids", diagnostics)
        .unwrap_or_default()
    {
        id_of(&pair.key, "the id of a row", diagnostics);
        let Some(mut fields) = Fields::open(&pair.value, "a row", pair.key.span, diagnostics)
        else {
            let (names, players, cells) = Default::default();
            rows.push(RawRow {
                id: pair.key.clone(),
                names,
                players,
                cite: None,
                cells,
                broken: true,
            });
            continue;
        };
        let names = titles(&mut fields, "names", diagnostics);
        let players = fields
            .take("players", diagnostics)
            .map(|node| players(node, diagnostics))
            .unwrap_or_default();
        let cite = fields
            .take("cite", diagnostics)
            .and_then(|node| node.address("the id of a clause", diagnostics));
        let cells = fields.rest().cloned().collect();
        rows.push(RawRow {
            id: pair.key.clone(),
            names,
            players,
            cite,
            cells,
            broken: false,
        });
    }
    rows
}

/// Reads numbers of players: `[3, 4]`, or one number.
pub(super) fn players(node: &Node, diagnostics: &mut Diagnostics) -> Vec<u8> {
    const WHAT: &str = "a number of players";
    let items = match node.scalar() {
        Some(_) => std::slice::from_ref(node),
        None => node
            .list("numbers of players", diagnostics)
            .unwrap_or_default(),
    };
    let numbers = items
        .iter()
        .filter_map(|item| item.int_within(WHAT, 1, 99, diagnostics));
    numbers.map(|n| n.node.fit()).collect()
}
