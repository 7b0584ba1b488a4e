//! What a name means: a phase, a step, a component, a table, a clause, a query, a place, …

use interpreter::diagnostic::did_you_mean;
use interpreter::package::{
    Clause, ClauseKind, ColumnType, Figure, OptionDecl, Row, SourceParagraph, Table,
};
use interpreter::syntax::ast::{Body, Item, Phase, Query, Step};

use super::phase::Part;
use super::sheet::{Mark, Sheet};
use super::write::At;
use super::{Rules, Said};

/// Something that can be shown.
#[derive(Clone, Debug)]
pub enum Thing<'a> {
    /// A phase.
    Phase(&'a Phase),
    /// A step or one of its moves: the step's name, and the move's.
    Part(&'a Phase, String, Option<String>),
    /// A row of a table.
    Component(&'a Table, &'a Row),
    /// A table.
    Table(&'a Table),
    /// A clause.
    Clause(&'a Clause),
    /// A query by its address.
    Query(String, &'a Query, Option<&'a Phase>),
    /// A named number.
    Figure(&'a Figure),
    /// A switch.
    Option(&'a OptionDecl),
    /// A sentence of its own: a place, a counter, an event, an ending, a line of the score.
    Sentence(&'static str, Said<'a>),
    /// A paragraph of the printed rulebook.
    Paragraph(&'a SourceParagraph),
    /// Rules that cite clauses, by what they are called there.
    Cites(String),
}

/// Where something cited by scenarios is proven; made by whoever reads scenarios.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The scenario.
    pub name: String,
    /// Its file and line.
    pub place: String,
    /// The clauses it cites.
    pub cites: Vec<String>,
}

impl Thing<'_> {
    /// What a user writes to mean this and nothing else: `building wharf`, `@captain.load`.
    pub fn called(&self) -> String {
        match self {
            Thing::Phase(phase) => format!("phase {}", phase.name.node),
            Thing::Part(phase, step, None) => format!("step {}.{step}", phase.name.node),
            Thing::Part(phase, step, Some(mv)) => format!("move {}.{step}.{mv}", phase.name.node),
            Thing::Component(table, row) => format!("{} {}", table.name.node, row.id.node),
            Thing::Table(table) => format!("table {}", table.plural.node),
            Thing::Clause(clause) => format!("@{}", clause.id.node),
            Thing::Query(address, ..) => format!("query {address}"),
            Thing::Figure(figure) => format!("figure {}", figure.name.node),
            Thing::Option(option) => format!("option {}", option.id.node),
            Thing::Sentence(kind, said) => {
                format!("{kind} {}", sentence_name(said.item).unwrap_or_default())
            }
            Thing::Paragraph(paragraph) => paragraph.at.node.clone(),
            Thing::Cites(label) => label.clone(),
        }
    }

    /// The first word of [`called`](Thing::called).
    fn kind(&self) -> String {
        match self {
            Thing::Clause(_) => "clause".to_owned(),
            Thing::Paragraph(_) => "paragraph".to_owned(),
            other => other
                .called()
                .split(' ')
                .next()
                .unwrap_or_default()
                .to_owned(),
        }
    }
}

fn sentence_name(item: &Item) -> Option<&str> {
    Some(match item {
        Item::Place(it) => &it.name.node,
        Item::Counter(it) => &it.name.node,
        Item::Marker(it) => &it.name.node,
        Item::Event(it) => &it.name.node,
        Item::Effect(it) => &it.name.node,
        Item::Ending(it) => &it.name.node,
        Item::Score(it) => &it.name.node,
        Item::Record(it) => &it.name.node,
        Item::Die(it) => &it.name.node,
        Item::Watch(it) => return it.name.as_ref().map(|name| name.node.as_str()),
        _ => return None,
    })
}

impl<'a> Rules<'a> {
    /// Everything that a name means, the likeliest first. `kind` is a word such as `phase`, `clause`
    /// or the name of a table, if the user wrote one.
    pub fn things(&self, kind: Option<&str>, name: &str) -> Vec<Thing<'a>> {
        let (kind, name) = match name.strip_prefix('@') {
            Some(clause) => (Some("clause"), clause),
            None => (kind, name),
        };
        let mut all = Vec::new();
        all.extend(self.phase(name).map(Thing::Phase));
        if let Some((first, rest)) = name.split_once('.')
            && let Some(phase) = self.phase(first)
        {
            all.extend(self.parts(phase, rest));
        }
        for table in &self.package.tables {
            let rows = table.rows.iter().filter(|row| row.id.node == name);
            all.extend(rows.map(|row| Thing::Component(table, row)));
            if table.name.node == name || table.plural.node == name {
                all.push(Thing::Table(table));
            }
            // `building.wharf`, as scripts write it.
            if let Some(row) = name.strip_prefix(&format!("{}.", table.name.node)) {
                let rows = table.rows.iter().filter(|r| r.id.node == row);
                all.extend(rows.map(|row| Thing::Component(table, row)));
            }
        }
        all.extend(self.package.rulebook.clause(name).map(Thing::Clause));
        for (address, query, phase) in self.queries() {
            if address == name || query.name.node == name {
                all.push(Thing::Query(address, query, phase));
            }
        }
        all.extend(
            self.package
                .figures
                .iter()
                .filter(|f| f.name.node == name)
                .map(Thing::Figure),
        );
        all.extend(
            self.package
                .options
                .iter()
                .filter(|o| o.id.node == name)
                .map(Thing::Option),
        );
        for said in self.said().filter(|said| said.component.is_none()) {
            let kind = match said.item {
                Item::Place(_) => "place",
                Item::Counter(_) => "counter",
                Item::Marker(_) => "marker",
                Item::Event(_) => "event",
                Item::Effect(_) => "effect",
                Item::Ending(_) => "ending",
                Item::Score(_) => "score",
                Item::Record(_) => "record",
                Item::Die(_) => "die",
                Item::Watch(_) => "watch",
                _ => continue,
            };
            if sentence_name(said.item) == Some(name) {
                all.push(Thing::Sentence(kind, said));
            }
        }
        if all.is_empty() || kind == Some("paragraph") {
            all.extend(self.labelled(name));
        }
        if let Some(kind) = kind {
            all.retain(|thing| thing.kind() == kind);
            if all.is_empty() {
                all = self.labelled(&format!("{kind} {name}"));
            }
        }
        all
    }

    /// Steps and moves of a phase by `loading`, `loading.load` or `load`.
    fn parts(&self, phase: &'a Phase, rest: &str) -> Vec<Thing<'a>> {
        let mut all = Vec::new();
        let (first, second) = rest
            .split_once('.')
            .map_or((rest, None), |(a, b)| (a, Some(b)));
        for step in flat(&phase.steps) {
            let address = format!("{}.{}", phase.name.node, step.name.node);
            let moves = self.move_names(step, &address);
            let part = |mv: Option<String>| Thing::Part(phase, step.name.node.clone(), mv);
            if step.name.node == first {
                match second {
                    None => all.push(part(None)),
                    Some(mv) if moves.iter().any(|m| m == mv) => {
                        all.push(part(Some(mv.to_owned())))
                    }
                    Some(_) => {}
                }
            } else if second.is_none() && moves.iter().any(|m| m == first) {
                all.push(part(Some(first.to_owned())));
            }
        }
        all
    }

    fn move_names(&self, step: &Step, address: &str) -> Vec<String> {
        let mut names = Vec::new();
        if let Body::Ask(ask) = &step.body {
            names.extend(
                ask.groups
                    .iter()
                    .flat_map(|group| &group.moves)
                    .map(|mv| mv.name.node.clone()),
            );
        }
        for said in self.said() {
            if let Item::Addition(addition) = said.item
                && super::path(&addition.step) == address
            {
                names.extend(addition.moves.iter().map(|mv| mv.name.node.clone()));
            }
        }
        names
    }

    /// "did you mean …?" for a name that means nothing.
    pub fn near(&self, name: &str) -> Option<String> {
        let mut names: Vec<String> = self.phases().map(|phase| phase.name.node.clone()).collect();
        for phase in self.phases() {
            let steps = flat(&phase.steps).into_iter();
            names.extend(steps.map(|step| format!("{}.{}", phase.name.node, step.name.node)));
        }
        for table in &self.package.tables {
            names.extend([table.name.node.clone(), table.plural.node.clone()]);
            names.extend(table.rows.iter().map(|row| row.id.node.clone()));
        }
        names.extend(
            self.package
                .rulebook
                .clauses
                .iter()
                .map(|clause| clause.id.node.clone()),
        );
        names.extend(self.queries().into_iter().map(|(address, ..)| address));
        names.extend(
            self.package
                .figures
                .iter()
                .map(|figure| figure.name.node.clone()),
        );
        names.extend(
            self.said()
                .filter_map(|said| sentence_name(said.item).map(str::to_owned)),
        );
        names.extend(self.labels());
        did_you_mean(
            name.trim_start_matches('@'),
            names.iter().map(String::as_str),
        )
    }

    /// A thing with everything that belongs to it, and the scenarios that prove its clauses.
    pub fn sheet(&self, thing: &Thing<'a>, proofs: &[Proof]) -> Sheet {
        let at = At::margin();
        let mut sheet = Sheet::default();
        match thing {
            Thing::Phase(phase) => sheet = self.phase_sheet(phase, Part::default()),
            Thing::Part(phase, step, mv) => {
                let part = Part {
                    step: Some(step),
                    mv: mv.as_deref(),
                };
                sheet = self.phase_sheet(phase, part);
            }
            Thing::Component(table, row) => sheet = self.component_sheet(table, row),
            Thing::Table(table) => self.table_header(&mut sheet, table),
            Thing::Clause(clause) => return self.clause_sheet(clause, proofs),
            Thing::Query(address, query, phase) => {
                let phase = phase.map(|phase| phase.name.node.as_str());
                self.query(&mut sheet, At { phase, ..at }, address, query);
            }
            Thing::Figure(figure) => self.figure(&mut sheet, 0, figure),
            Thing::Option(option) => self.option(&mut sheet, 0, option),
            Thing::Sentence("event", said) => {
                self.item(&mut sheet, at, said.item);
                if let Some(name) = sentence_name(said.item) {
                    self.triggers(&mut sheet, At { depth: 1, ..at }, name);
                }
            }
            Thing::Sentence(_, said) => self.item(&mut sheet, at, said.item),
            Thing::Paragraph(paragraph) => sheet = self.paragraph_sheet(paragraph),
            Thing::Cites(label) => sheet = self.citing_sheet(label),
        }
        self.proven(&mut sheet, proofs);
        sheet
    }

    fn proven(&self, sheet: &mut Sheet, proofs: &[Proof]) {
        let own = sheet.aside.unwrap_or(sheet.lines.len());
        let cited: Vec<String> = sheet.lines[..own]
            .iter()
            .flat_map(|line| line.cites.clone())
            .collect();
        let proving: Vec<&Proof> = proofs
            .iter()
            .filter(|proof| proof.cites.iter().any(|c| cited.contains(c)))
            .collect();
        if proving.is_empty() {
            return;
        }
        sheet.heading("Scenarios that cite these clauses");
        for proof in proving {
            sheet.line(1, Mark::Remark, format!("{}  {}", proof.place, proof.name));
        }
    }

    fn table_header(&self, sheet: &mut Sheet, table: &Table) {
        let text = format!(
            "table {} ({}) — {} / {}",
            table.name.node, table.plural.node, table.names.en, table.names.pl
        );
        sheet.line(0, Mark::Own, text).at(table.name.span);
        for column in &table.columns {
            let ty = match &column.ty {
                ColumnType::Int => "int".to_owned(),
                ColumnType::Bool => "bool".to_owned(),
                ColumnType::Row(of, true) => format!("option {of}"),
                ColumnType::Row(of, false) => of.clone(),
            };
            let text = format!(
                "{}: {ty}  {}",
                column.name.node,
                self.words.text(&column.names)
            );
            sheet.line(1, Mark::Own, text);
        }
    }

    /// A table's rows: ids, names and figures, the first line being the heads of the columns.
    pub fn table_rows(&self, table: &Table) -> Vec<Vec<String>> {
        let mut heads = vec![table.name.node.clone(), "name".to_owned()];
        heads.extend(table.columns.iter().map(|column| column.name.node.clone()));
        let mut rows = vec![heads];
        for row in &table.rows {
            let mut cells = vec![row.id.node.clone(), self.words.text(&row.names)];
            for (column, cell) in table.columns.iter().zip(&row.cells) {
                let of = match &column.ty {
                    ColumnType::Row(of, _) => Some(of.as_str()),
                    _ => None,
                };
                cells.push(self.cell(of, &cell.node));
            }
            rows.push(cells);
        }
        rows
    }

    /// A clause with the paragraphs that say it, the rules that cite it, the scenarios that prove it.
    fn clause_sheet(&self, clause: &Clause, proofs: &[Proof]) -> Sheet {
        let mut sheet = Sheet::default();
        let id = &clause.id.node;
        sheet
            .line(0, Mark::Own, self.clause_title(clause))
            .at(clause.id.span)
            .cites
            .push(id.clone());
        self.precedence(&mut sheet, id);
        sheet.heading(match clause.kind {
            ClauseKind::Ruling => "Decides what the printed rulebook leaves open",
            ClauseKind::Rule | ClauseKind::Option | ClauseKind::Note => {
                "Said by the printed rulebook"
            }
        });
        for paragraph in self.package.rulebook.printed(id) {
            sheet
                .line(1, Mark::Own, paragraph.place())
                .at(paragraph.at.span);
        }
        self.none_or(&mut sheet, "no paragraph");
        sheet.heading("Rules that cite it");
        for citation in self
            .citations()
            .into_iter()
            .filter(|citation| citation.clause == *id)
        {
            let text =
                match citation.what.starts_with("figure") || citation.what.starts_with("option") {
                    true => citation.what,
                    false => format!("{}: {}", citation.what, self.first_line(citation.span)),
                };
            sheet.line(1, Mark::Own, text).at(citation.span);
        }
        self.none_or(&mut sheet, "none");
        sheet.heading("Scenarios that cite it");
        for proof in proofs.iter().filter(|proof| proof.cites.contains(id)) {
            sheet.line(1, Mark::Remark, format!("{}  {}", proof.place, proof.name));
        }
        self.none_or(&mut sheet, "none");
        sheet
    }

    /// The clauses that replace or restrict a clause, and those that it replaces or restricts.
    fn precedence(&self, sheet: &mut Sheet, id: &str) {
        let relations = &self.relations;
        let lower = |of: &dyn Fn(&str) -> bool| {
            let ids = self
                .package
                .rulebook
                .clauses
                .iter()
                .map(|c| c.id.node.as_str());
            ids.filter(|lower| of(lower)).map(str::to_owned).collect()
        };
        let is_in = |all: &[String]| all.iter().any(|by| by == id);
        let all: [(_, _, Vec<String>); 4] = [
            (
                Mark::Gone,
                "replaced by",
                relations.replaced_by(id).to_vec(),
            ),
            (
                Mark::Replaced,
                "restricted by",
                relations.restricted_by(id).to_vec(),
            ),
            (
                Mark::Own,
                "replaces",
                lower(&|lower| is_in(relations.replaced_by(lower))),
            ),
            (
                Mark::Own,
                "restricts",
                lower(&|lower| is_in(relations.restricted_by(lower))),
            ),
        ];
        for (mark, text, clauses) in all.into_iter().filter(|(.., clauses)| !clauses.is_empty()) {
            sheet.line(1, mark, text).cites = clauses;
        }
    }

    /// A clause's id, its section and its kind.
    pub(super) fn clause_title(&self, clause: &Clause) -> String {
        let kind = match clause.kind {
            ClauseKind::Rule => "",
            ClauseKind::Ruling if !clause.is_enforced => {
                " (a ruling of ours that no single rule carries out)"
            }
            ClauseKind::Ruling => " (a ruling of ours)",
            ClauseKind::Option => " (only if an option says so)",
            ClauseKind::Note => " (a note: nothing to enforce)",
        };
        let mut sections = self.package.rulebook.sections.iter();
        let section = sections
            .find(|section| section.id.node == clause.section)
            .map(|section| format!(" — {}", self.words.text(&section.titles)))
            .unwrap_or_default();
        format!("clause {}{section}{kind}", clause.id.node)
    }

    fn none_or(&self, sheet: &mut Sheet, nothing: &str) {
        if sheet
            .lines
            .last()
            .is_some_and(|line| line.mark == Mark::Heading)
        {
            sheet.line(1, Mark::Remark, nothing);
        }
    }

    /// The first line of a sentence, with what it leaves out.
    pub fn first_line(&self, span: interpreter::source::Span) -> String {
        let lines = self.sentence(span, None);
        match &lines[..] {
            [only] => only.clone(),
            [first, ..] => format!("{first} …"),
            [] => String::new(),
        }
    }
}

/// Steps with those below them.
fn flat(steps: &[Step]) -> Vec<&Step> {
    let mut all = Vec::new();
    for step in steps {
        all.push(step);
        if let Body::Steps(inner) = &step.body {
            all.extend(flat(inner));
        }
    }
    all
}
