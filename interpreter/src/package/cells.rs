//! The cells of composed tables: texts become values of their columns' types.

use std::collections::BTreeMap;

use super::components::{RawColumn, RawRow};
use super::figures::cell;
use super::layers::{Changed, Draft};
use crate::diagnostic::{Code, Diagnostics, did_you_mean, similar};
use crate::program::package::{
    Cell, Column, ColumnType, Counted, Datum, Row, SentencePair, Table, Text,
};
use crate::source::{Span, Spanned};
use crate::syntax::document::read::{one_of, unknown_key};
use crate::syntax::document::{Node, NodeKind, Pair, Scalar};

pub(super) fn scalar(text: String, span: Span) -> Node {
    Node {
        kind: NodeKind::Scalar(Scalar { text, quoted: true }),
        span,
    }
}

pub(super) fn text_node(text: &Spanned<Text>) -> Node {
    scalar(format!("{}\n{}", text.node.en, text.node.pl), text.span)
}

/// A sentence as if it were one text, to compare it with another.
pub(super) fn sentence_node(sentence: &SentencePair) -> Node {
    let text = format!("{}\n{}", sentence.en.node, sentence.pl.node);
    scalar(text, sentence.at)
}

/// Forms behind a number as if they were one text, to compare them with others.
pub(super) fn counted_node(forms: &Spanned<Counted>) -> Node {
    let Counted { en, pl } = &forms.node;
    scalar([&en[..], &pl[..]].concat().join("\n"), forms.span)
}

/// Turns cells as written into typed ones.
pub(super) struct CellReader<'a> {
    pub(super) drafts: &'a [Draft],
    pub(super) changed: &'a BTreeMap<String, Changed>,
    pub(super) lost: bool,
}

impl CellReader<'_> {
    pub(super) fn table(&self, draft: &Draft, diagnostics: &mut Diagnostics) -> Table {
        let misspelt = misspelt(draft);
        for (column, key) in &misspelt {
            diagnostics.push(
                Code::UnknownKey
                    .error(
                        column.span,
                        format!(
                            "no row of `{}` has the column `{}`; all of them have `{key}`",
                            draft.name.node, column.node
                        ),
                    )
                    .help(format!("did you mean `{key}`?")),
            );
        }
        let mut columns = Vec::new();
        for column in &draft.columns {
            columns.push(TypedColumn {
                column,
                ty: self.column_type(column, diagnostics),
                lacking: Vec::new(),
            });
        }
        let rows = draft
            .rows
            .iter()
            .map(|row| self.row(draft, row, &misspelt, &mut columns, diagnostics))
            .collect();
        for column in &columns {
            column.report_lacking(draft, diagnostics);
        }
        let columns = columns.iter().map(|column| Column {
            name: column.column.name.clone(),
            // A type that could not be read has been reported; the package will not be played.
            ty: column.ty.clone().unwrap_or(ColumnType::Int),
            names: column.column.names.clone(),
        });
        let board = draft.board.as_ref().map(|board| &board.node);
        for column in board
            .iter()
            .flat_map(|board| [Some(&board.x), board.y.as_ref()])
        {
            let Some(wanted) = column else { continue };
            let known = draft
                .columns
                .iter()
                .find(|column| column.name.node == wanted.node);
            let number = |column: &&RawColumn| {
                let ty = column.ty.as_ref();
                ty.is_none_or(|ty| ty.node == ColumnType::Int)
            };
            if !self.lost && known.filter(number).is_none() {
                let numbers = draft.columns.iter().filter(number);
                let help = did_you_mean(&wanted.node, numbers.map(|column| &*column.name.node));
                let message = match known {
                    Some(_) => format!("`{}` is no column of numbers", wanted.node),
                    None => format!("`{}` has no column `{}`", draft.name.node, wanted.node),
                };
                let help = help.unwrap_or_else(|| "name a column of type `int`".to_owned());
                diagnostics.push(Code::InvalidBoard.error(wanted.span, message).help(help));
            }
        }
        Table {
            board: board.cloned(),
            name: draft.name.clone(),
            plural: draft.plural.clone(),
            names: draft.names.clone(),
            columns: columns.collect(),
            rows,
        }
    }

    /// The type of a column, if it is one.
    fn column_type(&self, column: &RawColumn, diagnostics: &mut Diagnostics) -> Option<ColumnType> {
        let ty = column.ty.as_ref()?;
        let ColumnType::Row(table, _) = &ty.node else {
            return Some(ty.node.clone());
        };
        if self.drafts.iter().any(|draft| draft.name.node == *table) {
            return Some(ty.node.clone());
        }
        if !self.lost {
            let names = self
                .drafts
                .iter()
                .map(|draft| draft.name.node.as_str())
                .chain(["int", "bool"]);
            let near = match self.drafts.iter().find(|draft| draft.plural.node == *table) {
                Some(draft) => Some(format!("did you mean `{}`?", draft.name.node)),
                None if table == "integer" || table == "number" => Some("write `int`".to_owned()),
                None if table == "boolean" => Some("write `bool`".to_owned()),
                None => did_you_mean(table, names),
            };
            diagnostics.push(
                Code::UnknownColumnType
                    .error(ty.span, format!("there is no type or table `{table}`"))
                    .maybe_help(near),
            );
        }
        None
    }

    fn row<'c>(
        &self,
        draft: &'c Draft,
        row: &'c RawRow,
        misspelt: &[(&Spanned<String>, &str)],
        columns: &mut [TypedColumn<'c>],
        diagnostics: &mut Diagnostics,
    ) -> Row {
        let mut unknown: Vec<&Pair> = row.cells.iter().collect();
        unknown.retain(|pair| {
            !draft
                .columns
                .iter()
                .any(|column| column.name.node == pair.key.node)
        });
        let mut cells = Vec::new();
        for column in columns {
            let name = &column.column.name.node;
            let written = row.cells.iter().find(|pair| pair.key.node == *name);
            let node = written
                .map(|pair| &pair.value)
                .or(column.column.default.as_ref());
            let nothing = Spanned::new(Cell::Always(Datum::None), row.id.span);
            cells.push(match (node, &column.ty) {
                (Some(node), Some(ty)) => self.cell(node, ty, diagnostics).unwrap_or(nothing),
                (None, Some(ColumnType::Bool)) => {
                    Spanned::new(Cell::Always(Datum::Bool(false)), row.id.span)
                }
                (None, Some(ColumnType::Row(_, true))) | (_, None) => nothing,
                (None, Some(_)) => {
                    // A misspelt column is reported as such below, with the right one.
                    let misspelt = similar(name, unknown.iter().map(|pair| pair.key.node.as_str()));
                    if !row.broken && misspelt.is_none() {
                        column.lacking.push(row);
                    }
                    nothing
                }
            });
        }
        let is_told = |key: &str| misspelt.iter().any(|(_, told)| *told == key);
        for pair in unknown {
            if is_told(&pair.key.node) {
                continue;
            }
            let keys = draft
                .columns
                .iter()
                .map(|c| c.name.node.as_str())
                .chain(super::components::ROW_KEYS);
            unknown_key(
                &pair.key,
                &format!("a row of `{}`", draft.name.node),
                keys,
                diagnostics,
            );
        }
        Row {
            id: row.id.clone(),
            names: row.names.clone(),
            players: row.players.clone(),
            cite: row.cite.clone(),
            cells,
        }
    }

    fn cell(
        &self,
        node: &Node,
        ty: &ColumnType,
        diagnostics: &mut Diagnostics,
    ) -> Option<Spanned<Cell>> {
        if node.kind == NodeKind::Nothing {
            diagnostics.push(Code::WrongNodeKind.error(node.span, "this column has no value"));
            return None;
        }
        cell(node, diagnostics, |node, diagnostics| match ty {
            ColumnType::Int => node
                .int("a number", diagnostics)
                .map(|n| Datum::Int(n.node)),
            ColumnType::Bool => node
                .bool("a truth value", diagnostics)
                .map(|b| Datum::Bool(b.node)),
            ColumnType::Row(table, option) => self.reference(node, table, *option, diagnostics),
        })
    }

    fn reference(
        &self,
        node: &Node,
        table: &str,
        option: bool,
        diagnostics: &mut Diagnostics,
    ) -> Option<Datum> {
        let text = node.text(&format!("a {table}"), diagnostics)?;
        if text.node == "none" && option {
            return Some(Datum::None);
        }
        let draft = self.drafts.iter().find(|draft| draft.name.node == table)?;
        if draft.rows.iter().any(|row| row.id.node == text.node) {
            return Some(Datum::Row(text.node));
        }
        if self.lost {
            return None;
        }
        let mut diagnostic =
            Code::UnknownRow.error(text.span, format!("there is no {table} `{}`", text.node));
        diagnostic = match self
            .changed
            .get(&format!("{table} {}", text.node))
            .filter(|c| c.value.is_none())
        {
            Some(removed) => diagnostic.also(
                removed.span,
                format!("removed here by `{}`", removed.module),
            ),
            None if text.node == "none" => diagnostic.help(format!(
                "a column that may be empty has the type `option {table}`"
            )),
            None => {
                let rows = || draft.rows.iter().map(|row| row.id.node.as_str());
                let help =
                    did_you_mean(&text.node, rows()).unwrap_or_else(|| one_of("there are", rows()));
                diagnostic.help(help)
            }
        };
        diagnostics.push(diagnostic);
        None
    }
}

/// Columns that no row has where every row has another key that looks like it: the mistake is where the column is
/// declared, not in each row.
fn misspelt(draft: &Draft) -> Vec<(&Spanned<String>, &str)> {
    let (Some(first), true) = (draft.rows.first(), draft.rows.len() > 1) else {
        return Vec::new();
    };
    let has = |row: &RawRow, key: &str| row.cells.iter().any(|pair| pair.key.node == key);
    let is_column = |key: &str| draft.columns.iter().any(|column| column.name.node == key);
    let keys = first.cells.iter().map(|pair| pair.key.node.as_str());
    let keys = keys.filter(|key| !is_column(key) && !super::components::ROW_KEYS.contains(key));
    let common: Vec<&str> = keys
        .filter(|key| draft.rows.iter().all(|row| has(row, key)))
        .collect();
    let unused = draft.columns.iter().map(|column| &column.name);
    let unused = unused.filter(|name| !draft.rows.iter().any(|row| has(row, &name.node)));
    unused
        .filter_map(|name| Some((name, similar(&name.node, common.iter().copied())?)))
        .collect()
}

/// A column while its cells are read.
struct TypedColumn<'a> {
    column: &'a RawColumn,
    /// None: unknown, and reported.
    ty: Option<ColumnType>,
    /// Rows without a value.
    lacking: Vec<&'a RawRow>,
}

impl TypedColumn<'_> {
    /// Reports rows without a value: each at its place, or, when another file adds the column, all
    /// at once where the column is added.
    fn report_lacking(&self, draft: &Draft, diagnostics: &mut Diagnostics) {
        let name = &self.column.name;
        let kind = match &self.ty {
            Some(ColumnType::Row(table, _)) => table.as_str(),
            _ => "int",
        };
        let (here, elsewhere): (Vec<&RawRow>, Vec<&RawRow>) = self
            .lacking
            .iter()
            .copied()
            .partition(|row| row.id.span.file >= name.span.file);
        for row in here {
            diagnostics.push(
                Code::MissingCell
                    .error(
                        row.id.span,
                        format!(
                            "the {} `{}` has no `{}`",
                            draft.name.node, row.id.node, name.node
                        ),
                    )
                    .also(name.span, format!("every row has one, of type `{kind}`")),
            );
        }
        if let Some(first) = elsewhere.first() {
            let ids = one_of("for", elsewhere.iter().map(|row| row.id.node.as_str()));
            diagnostics.push(
                Code::MissingCell
                    .error(
                        name.span,
                        format!("the new column `{}` has no value {ids}", name.node),
                    )
                    .also(first.id.span, "a row that lacks one")
                    .help("give the column a `default`, or every row a value under `patch:`"),
            );
        }
    }
}
