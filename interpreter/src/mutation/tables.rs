//! From the documents of a package to their mutants: figures, columns, and what modules change in both.

use std::collections::BTreeSet;

use super::mutant::{Edit, Mutant, Site};
use super::uses::Uses;
use super::{Operator, near};
use crate::numbers::At as _;
use crate::program::text::Text;
use crate::source::{FileId, Sources, Span};
use crate::syntax::document::{Node, NodeKind, Pair};

/// Keys of a row that are no columns.
const NO_COLUMNS: [&str; 3] = ["names", "players", "cite"];

/// The mutants of a document: none unless it is a table, a set-up, or the manifest of a module.
pub(super) fn mutants(
    sources: &Sources,
    file: FileId,
    root: &Node,
    path: &str,
    uses: &Uses,
) -> Vec<Mutant> {
    let mut planter = Planter {
        text: &sources.file(file).text,
        path,
        uses,
        mutants: Vec::new(),
    };
    if let (Some(table), Some(rows)) = (root.get("table"), root.get("rows")) {
        let columns = root.get("columns").and_then(Node::pairs);
        planter.table(
            table.scalar().unwrap_or_default(),
            columns.unwrap_or_default(),
            rows.pairs().unwrap_or_default(),
        );
    }
    for figure in root
        .get("figures")
        .and_then(Node::pairs)
        .unwrap_or_default()
    {
        planter.figure(figure);
    }
    for table in root.get("patch").and_then(Node::pairs).unwrap_or_default() {
        planter.patch(table);
    }
    planter.mutants
}

struct Planter<'a> {
    text: &'a str,
    path: &'a str,
    uses: &'a Uses,
    mutants: Vec<Mutant>,
}

impl Planter<'_> {
    fn at(&self, span: Span) -> &str {
        &self.text[span.start.at()..span.end.at()]
    }

    fn plant(
        &mut self,
        operator: Operator,
        sentence: Span,
        site: &Site,
        mut edits: Vec<Edit>,
        (en, pl): (String, String),
    ) {
        edits.sort_by_key(|edit| edit.span.start);
        let mutant = Mutant {
            operator,
            id: String::new(),
            house: None,
            path: self.path.to_owned(),
            edits,
            sentence,
            site: site.clone(),
            says: Text { en, pl },
            is_structural: false,
        };
        self.mutants.push(mutant.named(self.text));
    }

    fn table(&mut self, table: &str, columns: &[Pair], rows: &[Pair]) {
        for column in columns {
            if let Some(default) = column.value.get("default") {
                let of = format!("{table} {}", column.key.node);
                self.numbers(Operator::CellChanged, &of, column.key.span, None, default);
            }
        }
        for row in rows {
            let cite = row.value.get("cite").and_then(Node::scalar);
            for cell in row.value.pairs().unwrap_or_default() {
                if NO_COLUMNS.contains(&cell.key.node.as_str()) {
                    continue;
                }
                let of = format!("{table} {} {}", row.key.node, cell.key.node);
                self.numbers(Operator::CellChanged, &of, cell.key.span, cite, &cell.value);
            }
        }
        let mut names: Vec<&str> = columns
            .iter()
            .map(|column| column.key.node.as_str())
            .collect();
        let cells = rows
            .iter()
            .flat_map(|row| row.value.pairs().unwrap_or_default());
        for cell in cells {
            let name = cell.key.node.as_str();
            if !names.contains(&name) && !NO_COLUMNS.contains(&name) {
                names.push(name);
            }
        }
        let values = names.iter().map(|name| {
            let column = columns.iter().find(|column| column.key.node == *name);
            let cells = rows.iter().map(|row| self.cell(column, row, name));
            cells.collect()
        });
        let all: Vec<Vec<Option<String>>> = values.collect();
        for (at, name) in names.iter().enumerate() {
            let values = &all[at];
            let mut paired = BTreeSet::new();
            for (n, row) in rows.iter().enumerate() {
                let Some(own) = values[n].as_deref() else {
                    continue;
                };
                // The next one, from the first again behind the last.
                let mut others = (n + 1..rows.len()).chain(0..n);
                let differs = |m: &usize| values[*m].as_deref().is_some_and(|value| value != own);
                let Some(m) = others.find(differs) else {
                    continue;
                };
                let other = values[m].as_deref().unwrap_or_default();
                let mut others = all.iter().enumerate().filter(|(column, _)| *column != at);
                let is_alike = others.all(|(_, values)| values[n] == values[m])
                    && self.is_same_row(table, row, &rows[m]);
                if paired.insert((n.min(m), n.max(m))) && !is_alike {
                    self.exchange((table, name), (row, own), (&rows[m], other));
                }
            }
        }
    }

    /// Whether two rows of which only one column differs may stand for each other.
    fn is_same_row(&self, table: &str, row: &Pair, other: &Pair) -> bool {
        let said = |row: &Pair, key| row.value.get(key).map(|node| self.at(node.span).to_owned());
        let is_alike = |key| said(row, key) == said(other, key);
        is_alike("players")
            && is_alike("cite")
            && self
                .uses
                .is_same_row(table, [&row.key.node, &other.key.node])
    }

    /// What a row says in a column, or what holds if it says nothing.
    fn cell(&self, column: Option<&Pair>, row: &Pair, name: &str) -> Option<String> {
        if let Some(written) = row.value.get(name) {
            return Some(self.at(written.span).to_owned());
        }
        let described = &column?.value;
        if let Some(default) = described.get("default") {
            return Some(self.at(default.span).to_owned());
        }
        let ty = described.get("type").unwrap_or(described).scalar()?;
        match ty.split_whitespace().next() {
            Some("bool") => Some("false".to_owned()),
            Some("option") => Some("none".to_owned()),
            _ => None,
        }
    }

    fn exchange(
        &mut self,
        (table, column): (&str, &str),
        (row, own): (&Pair, &str),
        (other, value): (&Pair, &str),
    ) {
        let edits = [(row, value), (other, own)].map(|(row, text)| self.set(row, column, text));
        let [Some(first), Some(second)] = edits else {
            return;
        };
        let (a, b) = (&row.key.node, &other.key.node);
        let says = (
            format!("`{a}` and `{b}` exchange their `{column}`"),
            format!("`{a}` i `{b}` zamieniają się swoim `{column}`"),
        );
        let site = Site {
            clause: row
                .value
                .get("cite")
                .and_then(Node::scalar)
                .map(str::to_owned),
            entry: Some(format!("{table} {a} {column}")),
            ..Site::default()
        };
        let sentence = match row.value.pairs() {
            Some(pairs) => pairs
                .iter()
                .find(|pair| pair.key.node == column)
                .map_or(row.key.span, |pair| pair.key.span.to(pair.value.span)),
            None => row.key.span,
        };
        self.plant(
            Operator::RowsExchanged,
            sentence,
            &site,
            vec![first, second],
            says,
        );
    }

    /// The change by which a row says something in a column.
    fn set(&self, row: &Pair, column: &str, text: &str) -> Option<Edit> {
        if let Some(written) = row.value.get(column) {
            return Some(Edit {
                span: written.span,
                text: text.to_owned(),
            });
        }
        let last = row.value.pairs()?.last()?;
        let end = Span {
            start: last.value.span.end,
            ..last.value.span
        };
        let is_flow = self.at(row.value.span).starts_with('{');
        let before = &self.text[..last.key.span.start.at()];
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let separator = match is_flow {
            true => ", ".to_owned(),
            false => format!("\n{}", &before[line..]),
        };
        Some(Edit {
            span: end,
            text: format!("{separator}{column}: {text}"),
        })
    }

    fn figure(&mut self, figure: &Pair) {
        let value = figure.value.get("value").unwrap_or(&figure.value);
        let cite = figure.value.get("cite").and_then(Node::scalar);
        self.numbers(
            Operator::FigureChanged,
            &figure.key.node,
            figure.key.span,
            cite,
            value,
        );
    }

    /// What a module changes in a table, or in the figures.
    fn patch(&mut self, table: &Pair) {
        let is_figures = table.key.node.starts_with("figure");
        for row in table.value.pairs().unwrap_or_default() {
            if is_figures {
                self.figure(row);
                continue;
            }
            for cell in row.value.pairs().unwrap_or_default() {
                if NO_COLUMNS.contains(&cell.key.node.as_str()) {
                    continue;
                }
                let of = format!("{} {} {}", table.key.node, row.key.node, cell.key.node);
                self.numbers(Operator::CellChanged, &of, cell.key.span, None, &cell.value);
            }
        }
    }

    /// A number, or each of several by number of players, is off by one.
    fn numbers(
        &mut self,
        operator: Operator,
        of: &str,
        key: Span,
        clause: Option<&str>,
        value: &Node,
    ) {
        let site = Site {
            clause: clause.map(str::to_owned),
            entry: Some(of.to_owned()),
            ..Site::default()
        };
        let sentence = key.to(value.span);
        match &value.kind {
            NodeKind::Map(pairs) => {
                for pair in pairs {
                    let with = &pair.key.node;
                    let words = (
                        format!("`{of}` with {with} players"),
                        format!("`{of}` w {with} osoby"),
                    );
                    self.number(operator, sentence, &site, words, &pair.value);
                }
            }
            _ => {
                let words = (format!("`{of}`"), format!("`{of}`"));
                self.number(operator, sentence, &site, words, value);
            }
        }
    }

    fn number(
        &mut self,
        operator: Operator,
        sentence: Span,
        site: &Site,
        (en, pl): (String, String),
        value: &Node,
    ) {
        let Some(number) = value.plain().and_then(|text| text.parse::<i64>().ok()) else {
            return;
        };
        for near in near(number) {
            let says = (
                format!("{en} is {near} instead of {number}"),
                format!("{pl}: {near} zamiast {number}"),
            );
            let edit = Edit {
                span: value.span,
                text: near.to_string(),
            };
            self.plant(operator, sentence, site, vec![edit], says);
        }
    }
}
