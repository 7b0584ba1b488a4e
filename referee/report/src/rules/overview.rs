//! A ruleset at a glance: what it consists of and what can be shown of it.

use interpreter::syntax::ast::{Body, Item, Phase, Step};

use super::Rules;
use super::sheet::{Mark, Sheet};
use super::write::At;
use crate::prose::counted;

impl Rules<'_> {
    /// The ruleset as a whole. `scenarios` is how many scenarios it has.
    pub fn overview(&self, scenarios: usize) -> Sheet {
        let package = self.package;
        let mut sheet = Sheet::default();
        let (from, to) = package.players;
        let title = self.words.text(&package.titles);
        let text = format!(
            "{} {} — {title}, {from} to {to} players",
            package.id.node, package.version
        );
        sheet.line(0, Mark::Own, text).at(package.id.span);
        for layer in &package.layers {
            let text = format!(
                "with the module {} — {}",
                layer.id.node,
                self.words.text(&layer.titles)
            );
            sheet.line(1, Mark::Added, text).at(layer.id.span);
        }
        for offered in package
            .offered
            .iter()
            .filter(|m| !package.modules.contains(&m.id))
        {
            let text = format!(
                "offers the module {} — {}",
                offered.id,
                self.words.text(&offered.titles)
            );
            sheet.line(1, Mark::Own, text);
        }
        for option in &package.options {
            let text = format!(
                "option {}: {}",
                option.id.node,
                self.words.text(&option.names)
            );
            sheet.line(1, Mark::Own, text).at(option.id.span);
        }

        sheet.heading("Phases");
        let mut told = Vec::new();
        if let Some(game) = self.phase("game") {
            self.tree(&mut sheet, 1, game, &mut told);
        }
        for phase in self.phases() {
            if !told.contains(&phase.name.node) {
                self.tree(&mut sheet, 1, phase, &mut told);
            }
        }

        sheet.heading("Components");
        for table in &package.tables {
            let rows: Vec<&str> = table.rows.iter().map(|row| row.id.node.as_str()).collect();
            let text = format!(
                "{} ({}): {}",
                table.plural.node,
                rows.len(),
                rows.join(", ")
            );
            sheet.line(1, Mark::Own, text);
        }
        let bringing: Vec<String> = self
            .said()
            .filter_map(|said| match said.item {
                Item::Component(component) => Some(component.row.node.clone()),
                _ => None,
            })
            .collect();
        if !bringing.is_empty() {
            sheet.line(
                1,
                Mark::Remark,
                format!("rules are brought by {}", bringing.join(", ")),
            );
        }

        sheet.heading("The end of the game, scores");
        let at = At {
            depth: 1,
            ..At::margin()
        };
        for said in self.said() {
            let show = matches!(
                said.item,
                Item::Ending(_) | Item::Winner(_) | Item::Watch(_)
            ) || (matches!(said.item, Item::Score(_)) && said.component.is_none());
            if show {
                self.item(&mut sheet, at, said.item);
            }
        }

        sheet.heading("Rulebook");
        let clauses = counted(package.rulebook.clauses.len(), "clause");
        let sections: Vec<&str> = package
            .rulebook
            .sections
            .iter()
            .map(|s| s.id.node.as_str())
            .collect();
        sheet.line(
            1,
            Mark::Own,
            format!("{clauses} in the sections {}", sections.join(", ")),
        );
        let paragraphs = counted(package.rulebook.sources.len(), "paragraph");
        sheet.line(
            1,
            Mark::Own,
            format!(
                "{paragraphs} of the printed rulebook, {}",
                counted(scenarios, "scenario")
            ),
        );
        sheet
    }

    /// A phase and, below it, the phases that it visits or plays.
    fn tree(&self, sheet: &mut Sheet, depth: usize, phase: &Phase, told: &mut Vec<String>) {
        let name = phase.name.node.clone();
        let called = self.words.phase(&name);
        let text = if called == name {
            name.clone()
        } else {
            format!("{name} — {called}")
        };
        sheet.line(depth, Mark::Own, text).at(phase.span);
        if told.contains(&name) {
            return;
        }
        told.push(name);
        self.branches(sheet, depth + 1, &phase.steps, told);
    }

    fn branches(&self, sheet: &mut Sheet, depth: usize, steps: &[Step], told: &mut Vec<String>) {
        for step in steps {
            match &step.body {
                Body::Visit { phase, .. } => {
                    if let Some(phase) = self.phase(&super::path(phase)) {
                        self.tree(sheet, depth, phase, told);
                    }
                }
                Body::Play { .. } => {
                    for phase in self.phases().filter(|phase| !phase.plays.is_empty()) {
                        self.tree(sheet, depth, phase, told);
                    }
                }
                Body::Steps(steps) => self.branches(sheet, depth, steps, told),
                Body::Do(_) | Body::Ask(_) | Body::End { .. } => {}
            }
        }
    }
}
