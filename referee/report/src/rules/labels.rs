//! What `coverage` prints beside clauses → what there is to say of it: the paragraphs of the printed rulebook and the rules
//! that cite, by the very words in which they are printed.

use interpreter::package::SourceParagraph;

use super::Rules;
use super::sheet::{Mark, Sheet};
use super::things::Thing;

impl<'a> Rules<'a> {
    /// What is printed in these words.
    pub(super) fn labelled(&self, label: &str) -> Vec<Thing<'a>> {
        let sources = self.package.rulebook.sources.iter();
        let paragraphs = sources.filter(|paragraph| paragraph.at.node == label);
        let mut all: Vec<Thing<'a>> = paragraphs.map(Thing::Paragraph).collect();
        if self.citations().iter().any(|by| by.what == label) {
            all.push(Thing::Cites(label.to_owned()));
        }
        all
    }

    /// The labels of paragraphs and of rules that cite.
    pub fn labels(&self) -> Vec<String> {
        let sources = self.package.rulebook.sources.iter();
        let paragraphs = sources.map(|paragraph| paragraph.at.node.clone());
        let citing = self.citations().into_iter().map(|citation| citation.what);
        paragraphs.chain(citing).collect()
    }

    /// A paragraph with the clauses that are said to say it.
    pub(super) fn paragraph_sheet(&self, paragraph: &SourceParagraph) -> Sheet {
        let mut sheet = Sheet::default();
        sheet
            .line(
                0,
                Mark::Own,
                format!("paragraph {} of the printed rulebook", paragraph.at.node),
            )
            .at(paragraph.at.span);
        for clause in &paragraph.clauses {
            let text = match self.package.rulebook.clause(&clause.node) {
                Some(known) => self.clause_title(known),
                None => format!("clause {}", clause.node),
            };
            let line = sheet.line(1, Mark::Own, text);
            line.cites.push(clause.node.clone());
        }
        if let Some(why) = &paragraph.why_none {
            sheet.line(1, Mark::Remark, format!("no clause: {why}"));
        }
        sheet
    }

    /// The rules that cite under one name, each with its clause.
    pub(super) fn citing_sheet(&self, label: &str) -> Sheet {
        let mut sheet = Sheet::default();
        for citation in self.citations().into_iter().filter(|by| by.what == label) {
            sheet.gap();
            sheet
                .line(0, Mark::Own, label)
                .at(citation.span)
                .cites
                .push(citation.clause);
            for line in self.sentence(citation.span, None) {
                sheet.line(1, Mark::Own, line);
            }
        }
        sheet
    }
}
