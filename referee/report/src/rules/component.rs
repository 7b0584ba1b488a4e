//! A component: its figures, its names, the rules it brings, and where rules name it.

use interpreter::package::{ColumnType, Row, Table};
use interpreter::syntax::ast::Item;

use super::Rules;
use super::sheet::{Mark, Sheet};
use super::write::At;

impl Rules<'_> {
    /// The row of a table, with everything that is said of it.
    pub fn component_sheet(&self, table: &Table, row: &Row) -> Sheet {
        let mut sheet = Sheet::default();
        let id = &row.id.node;
        let header = format!(
            "{} {id} — {} / {}",
            table.name.node, row.names.en, row.names.pl
        );
        sheet.line(0, Mark::Own, header).at(row.id.span);
        if !row.players.is_empty() {
            let numbers: Vec<String> = row.players.iter().map(u8::to_string).collect();
            sheet.line(
                1,
                Mark::Own,
                format!("only with {} players", numbers.join(", ")),
            );
        }
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            let of = match &column.ty {
                ColumnType::Row(of, _) => Some(of.as_str()),
                _ => None,
            };
            let mut name = self.words.text(&column.names);
            if name.is_empty() {
                name.clone_from(&column.name.node);
            }
            let value = self.cell(of, &cell.node);
            sheet.line(
                1,
                Mark::Own,
                format!("{} = {value}  ({name})", column.name.node),
            );
        }
        let prefix = format!("{} {id}", table.name.node);
        for change in &self.package.changes {
            if change.address == prefix || change.address.starts_with(&format!("{prefix} ")) {
                let text = format!(
                    "{} is changed by the module {}",
                    change.address, change.module
                );
                sheet.line(1, Mark::Replaced, text).at(change.now);
            }
        }
        let mut first = true;
        for said in self.said() {
            let brings = matches!(said.item, Item::Component(c) if c.table.node == table.name.node && c.row.node == *id);
            if brings {
                if std::mem::take(&mut first) {
                    sheet.heading("What it brings");
                }
                self.item(
                    &mut sheet,
                    At {
                        depth: 1,
                        ..At::margin()
                    },
                    said.item,
                );
            }
        }
        if let Some(change) = self.change(id) {
            sheet
                .line(1, Mark::Gone, format!("disable {id}"))
                .at(change.span);
        }
        sheet.aside();
        self.named_elsewhere(&mut sheet, table, id);
        sheet
    }

    /// Sentences that name a row, other than the rules it brings itself.
    fn named_elsewhere(&self, sheet: &mut Sheet, table: &Table, row: &str) {
        let brought = format!("{} {row}", table.name.node);
        let mut first = true;
        for sentence in self.sentences() {
            let inside =
                sentence.what == brought || sentence.what.ends_with(&format!(" of {brought}"));
            let text = self.sources.text(sentence.span);
            let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            if inside || !words.any(|word| word == row) {
                continue;
            }
            if std::mem::take(&mut first) {
                sheet.heading("Named elsewhere");
            }
            let line = sheet.line(1, Mark::Own, sentence.what).at(sentence.span);
            line.cites.extend(sentence.cite);
        }
    }
}
