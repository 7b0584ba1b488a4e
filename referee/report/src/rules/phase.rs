//! A phase, composed: its steps, questions and moves, and everything that holds in it.

use std::collections::BTreeSet;

use interpreter::package::{Cell, Datum, Figure, OptionDecl};
use interpreter::syntax::ast::{Body, Item, Moment, MoveDecl, Phase, Step};

use super::Rules;
use super::sheet::{Mark, Sheet};
use super::write::At;

/// A part of a phase.
#[derive(Clone, Copy, Debug, Default)]
pub struct Part<'p> {
    /// Only this step.
    pub step: Option<&'p str>,
    /// Only this move of the step.
    pub mv: Option<&'p str>,
}

impl Rules<'_> {
    /// A phase, or a part of it, with all that is said elsewhere and holds in it.
    pub fn phase_sheet(&self, phase: &Phase, part: Part<'_>) -> Sheet {
        let mut sheet = Sheet::default();
        let name = phase.name.node.as_str();
        let own = At {
            phase: Some(name),
            ..At::margin()
        };
        self.say(&mut sheet, own, phase.span, &phase.cite);
        let inner = At { depth: 1, ..own };
        if part.step.is_none() {
            self.insertions(&mut sheet, own, name, &[Moment::Before]);
            for keep in &phase.keeps {
                self.say(&mut sheet, inner, keep.span, &keep.cite);
            }
            if !phase.queries.is_empty() {
                sheet.gap();
            }
            for query in &phase.queries {
                self.query(
                    &mut sheet,
                    inner,
                    &format!("{name}.{}", query.name.node),
                    query,
                );
            }
        }
        sheet.gap();
        self.insertions(&mut sheet, inner, name, &[Moment::AtStart]);
        for step in &phase.steps {
            sheet.gap();
            self.part(&mut sheet, inner, phase, step, part);
        }
        for (address, gone) in self.disabled(&format!("{name}.")) {
            let text = format!("disable {}", self.address(address));
            sheet.line(1, Mark::Gone, text).at(gone.span);
        }
        self.insertions(&mut sheet, inner, name, &[Moment::AtEnd]);
        self.any_time(&mut sheet, inner);
        self.events(&mut sheet, inner);
        if part.step.is_none() {
            self.insertions(&mut sheet, own, name, &[Moment::After]);
        }
        sheet.aside();
        self.endings(&mut sheet, name);
        self.elsewhere(&mut sheet, name);
        sheet
    }

    fn part(&self, sheet: &mut Sheet, at: At<'_>, phase: &Phase, step: &Step, part: Part<'_>) {
        let hit = part.step.is_none_or(|wanted| wanted == step.name.node);
        match (&step.body, part.mv) {
            (_, Some(wanted)) if hit => {
                let address = format!("{}.{}", phase.name.node, step.name.node);
                self.say(sheet, at, step.span, &step.cite);
                for mv in self
                    .moves_of(step, &address)
                    .into_iter()
                    .filter(|mv| mv.name.node == wanted)
                {
                    self.mv(
                        sheet,
                        At {
                            depth: at.depth + 1,
                            ..at
                        },
                        mv,
                        &address,
                    );
                }
            }
            (Body::Steps(steps), _) if !hit => {
                for step in steps {
                    self.part(sheet, at, phase, step, part);
                }
            }
            _ if hit => self.step(sheet, at, &phase.name.node, step),
            _ => {}
        }
    }

    /// The moves of a question, those that others add included.
    fn moves_of<'m>(&'m self, step: &'m Step, address: &str) -> Vec<&'m MoveDecl> {
        let mut all = Vec::new();
        if let Body::Ask(ask) = &step.body {
            all.extend(ask.groups.iter().flat_map(|group| &group.moves));
        }
        for said in self.said() {
            if let Item::Addition(addition) = said.item
                && super::path(&addition.step) == address
            {
                all.extend(&addition.moves);
            }
        }
        all
    }

    /// Moves that stand beside every question, if the phase asks any.
    fn any_time(&self, sheet: &mut Sheet, at: At<'_>) {
        let asks = sheet
            .lines
            .iter()
            .any(|line| words(&line.text).any(|word| word == "ask"));
        for said in self.said() {
            if let (Item::AnyTime(_), true) = (said.item, asks) {
                sheet.gap();
                let at = self.brought(sheet, at, &said);
                self.item(sheet, at, said.item);
            }
        }
    }

    /// Events that are raised in what stands on the sheet, and what follows them.
    fn events(&self, sheet: &mut Sheet, at: At<'_>) {
        for event in named_in(sheet, "raise(") {
            sheet.gap();
            let declared = self.said().find_map(|said| match said.item {
                Item::Event(decl) if decl.name.node == event => Some(decl),
                _ => None,
            });
            if let Some(decl) = declared {
                self.say(sheet, at, decl.span, &decl.cite);
            }
            self.triggers(
                sheet,
                At {
                    depth: at.depth + 1,
                    ..at
                },
                &event,
            );
        }
    }

    /// Endings that are declared in what stands on the sheet, or that come about after the phase.
    fn endings(&self, sheet: &mut Sheet, phase: &str) {
        let finished = named_in(sheet, "finish(");
        let mut first = true;
        for said in self.said() {
            let Item::Ending(ending) = said.item else {
                continue;
            };
            let after = ending
                .after
                .as_ref()
                .is_some_and(|after| super::path(after) == phase);
            if after || finished.contains(&ending.name.node) {
                if std::mem::take(&mut first) {
                    sheet.heading("The end of the game");
                }
                self.say(
                    sheet,
                    At {
                        depth: 1,
                        ..At::margin()
                    },
                    ending.span,
                    &ending.cite,
                );
            }
        }
    }

    /// Queries, effects and figures that are read in what stands on the sheet and said elsewhere.
    fn elsewhere(&self, sheet: &mut Sheet, phase: &str) {
        let mut told = BTreeSet::new();
        let mut heading = true;
        let mut seen = 0;
        // What is written here may itself read more.
        while seen < sheet.lines.len() {
            let words: Vec<String> = words(&sheet.lines[seen].text).map(str::to_owned).collect();
            let remark = matches!(sheet.lines[seen].mark, Mark::Heading | Mark::Remark);
            seen += 1;
            for word in words.into_iter().filter(|_| !remark) {
                if told.contains(&word) {
                    continue;
                }
                let Some(item) = self.global(&word, phase) else {
                    continue;
                };
                told.insert(word.clone());
                if std::mem::take(&mut heading) {
                    sheet.heading("Read here and said elsewhere");
                }
                self.item(
                    sheet,
                    At {
                        depth: 1,
                        ..At::margin()
                    },
                    item,
                );
            }
        }
        let read: BTreeSet<String> = sheet
            .lines
            .iter()
            .filter(|line| !matches!(line.mark, Mark::Heading | Mark::Remark))
            .flat_map(|line| words(&line.text).map(str::to_owned))
            .collect();
        let figures = self.package.figures.iter();
        let figures: Vec<&Figure> = figures
            .filter(|figure| read.contains(&figure.name.node))
            .collect();
        let options = self.package.options.iter();
        let options: Vec<&OptionDecl> = options
            .filter(|option| read.contains(&option.id.node))
            .collect();
        if !figures.is_empty() || !options.is_empty() {
            sheet.heading("Figures and options");
            for figure in figures {
                self.figure(sheet, 1, figure);
            }
            for option in options {
                self.option(sheet, 1, option);
            }
        }
    }

    /// A switch and how it stands if nobody says otherwise.
    pub(super) fn option(&self, sheet: &mut Sheet, depth: usize, option: &OptionDecl) {
        let default = match (option.is_int, option.default) {
            (false, 0) => "off".to_owned(),
            (false, _) => "on".to_owned(),
            (true, number) => number.to_string(),
        };
        let name = self.words.text(&option.names);
        let text = format!(
            "option {} = {default}, if nobody says otherwise  ({name})",
            option.id.node
        );
        let line = sheet.line(depth, Mark::Own, text).at(option.id.span);
        line.cites
            .extend(option.cite.iter().map(|cite| cite.node.clone()));
    }

    /// A query or effect outside of phases, unless the phase has one of the same name.
    fn global(&self, word: &str, phase: &str) -> Option<&Item> {
        if self
            .phase(phase)
            .is_some_and(|p| p.queries.iter().any(|q| q.name.node == word))
        {
            return None;
        }
        let said = self.said().find(|said| match said.item {
            Item::Query(query) => query.name.node == word,
            Item::Effect(effect) => effect.name.node == word,
            _ => false,
        });
        said.map(|said| said.item)
    }

    /// A figure with its values.
    pub(super) fn figure(&self, sheet: &mut Sheet, depth: usize, figure: &Figure) {
        let mut text = format!(
            "{} = {}",
            figure.name.node,
            self.cell(None, &figure.value.node)
        );
        let name = self.words.text(&figure.names);
        if !name.is_empty() {
            text = format!("{text}  ({name})");
        }
        let line = sheet.line(depth, Mark::Own, text).at(figure.value.span);
        line.cites
            .extend(figure.cite.iter().map(|cite| cite.node.clone()));
    }

    /// A value, or values by number of players; rows of a table by their names.
    pub(super) fn cell(&self, table: Option<&str>, cell: &Cell) -> String {
        let datum = |datum: &Datum| match (datum, table) {
            (Datum::Int(number), _) => number.to_string(),
            (Datum::Bool(true), _) => "yes".to_owned(),
            (Datum::Bool(false), _) => "no".to_owned(),
            (Datum::None, _) => "none".to_owned(),
            (Datum::Row(row), Some(table)) => self.words.row(table, row),
            (Datum::Row(row), None) => row.clone(),
        };
        match cell {
            Cell::Always(value) => datum(value),
            Cell::ByPlayers(values) => {
                let numbers: Vec<String> = values.keys().map(u8::to_string).collect();
                let values: Vec<String> = values.values().map(datum).collect();
                format!("{} with {} players", values.join(", "), numbers.join(", "))
            }
        }
    }
}

/// Names behind an opening, such as `raise(`, in the order in which they first appear.
fn named_in(sheet: &Sheet, opening: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in &sheet.lines {
        for (at, _) in line.text.match_indices(opening) {
            let rest = &line.text[at + opening.len()..];
            let end = rest
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len());
            let name = rest[..end].to_owned();
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The words of a line.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}
