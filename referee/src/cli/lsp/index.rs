//! What the names of a package mean: every declaration with its sentence, and whom a word means.

use interpreter::package::{Cell, Clause, ClauseKind, Package, Row, Table};
use interpreter::source::{FileId, Sources, Span};
use interpreter::syntax::ast::{Body, Item, MoveDecl, Name, Query, Replacing, Step};
use lsp_types::SymbolKind;
use referee_store::numbers::to_usize;

/// Lines of a sentence that are shown at most.
const SHOWN: usize = 16;

/// Something that has a name.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    /// Its name.
    pub name: String,
    /// What it is: `query`, `place`, …
    pub kind: &'static str,
    /// The phase that it belongs to.
    pub phase: Option<String>,
    /// Where its name stands.
    pub at: Span,
    /// Its sentence.
    pub sentence: Span,
    /// How deeply it stands below another.
    pub depth: usize,
}

impl Declaration {
    /// What an editor draws beside it.
    pub(super) fn symbol(&self) -> SymbolKind {
        match self.kind {
            "phase" => SymbolKind::NAMESPACE,
            "step" => SymbolKind::METHOD,
            "move" | "effect" => SymbolKind::FUNCTION,
            "query" | "hint" => SymbolKind::INTERFACE,
            "event" => SymbolKind::EVENT,
            "place" => SymbolKind::ARRAY,
            "score" | "ending" => SymbolKind::CONSTANT,
            "rules of" => SymbolKind::CLASS,
            _ => SymbolKind::VARIABLE,
        }
    }
}

/// The declarations of rules, in the order in which they are written.
pub(super) fn declarations(package: &Package) -> Vec<Declaration> {
    let mut walk = Walk::default();
    for file in &package.rules {
        file.tree.items.iter().for_each(|item| walk.item(item));
    }
    walk.found
}

#[derive(Default)]
struct Walk {
    found: Vec<Declaration>,
    phase: Option<String>,
    depth: usize,
}

impl Walk {
    fn say(&mut self, kind: &'static str, name: &Name, sentence: Span) {
        self.found.push(Declaration {
            name: name.node.clone(),
            kind,
            phase: self.phase.clone(),
            at: name.span,
            sentence,
            depth: self.depth,
        });
    }

    fn below(&mut self, phase: Option<String>, each: impl FnOnce(&mut Self)) {
        let before = self.phase.clone();
        self.phase = phase.or(before.clone());
        self.depth += 1;
        each(self);
        self.depth -= 1;
        self.phase = before;
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Place(p) => self.say("place", &p.name, p.span),
            Item::Counter(c) => self.say("counter", &c.name, c.span),
            Item::Marker(m) => self.say("marker", &m.name, m.span),
            Item::Event(e) => self.say("event", &e.name, e.span),
            Item::Record(r) => self.say("record", &r.name, r.span),
            Item::Die(d) => self.say("die", &d.name, d.span),
            Item::Query(q) => self.query(q),
            Item::Effect(e) => self.say("effect", &e.name, e.span),
            Item::Ending(e) => self.say("ending", &e.name, e.span),
            Item::Score(s) => self.say("score", &s.name, s.span),
            Item::Phase(p) => {
                self.say("phase", &p.name, p.span);
                self.below(Some(p.name.node.clone()), |walk| {
                    for keep in &p.keeps {
                        walk.say("kept value", &keep.name, keep.span);
                    }
                    p.queries.iter().for_each(|q| walk.query(q));
                    p.items.iter().for_each(|item| walk.item(item));
                    p.steps.iter().for_each(|step| walk.step(step));
                });
            }
            Item::Component(c) => {
                self.say("rules of", &c.row, c.span);
                self.below(None, |walk| c.items.iter().for_each(|item| walk.item(item)));
            }
            Item::Addition(a) => {
                let phase = a.step.parts.first().map(|part| part.node.clone());
                self.below(phase, |walk| a.moves.iter().for_each(|mv| walk.mv(mv)));
            }
            Item::Extension(e) => {
                self.below(None, |walk| e.items.iter().for_each(|item| walk.item(item)));
            }
            Item::Trigger(t) => self.named(t.name.as_ref(), t.span, &t.body),
            Item::Watch(w) => self.named(w.name.as_ref(), w.span, &w.body),
            Item::Insertion(i) => self.named(i.name.as_ref(), i.span, &i.body),
            Item::AnyTime(a) => {
                self.below(None, |walk| a.moves.iter().for_each(|mv| walk.mv(mv)));
            }
            Item::Replacement(r) => {
                let phase = match &r.target.parts[..] {
                    [phase, _, ..] => Some(phase.node.clone()),
                    _ => None,
                };
                self.below(phase, |walk| match &r.with {
                    Replacing::Step(step) => walk.step(step),
                    Replacing::Move(mv) => walk.mv(mv),
                    Replacing::Query(query) => walk.query(query),
                });
            }
            Item::Contribution(_) | Item::Winner(_) | Item::Require(_) | Item::Disable(_) => {}
        }
    }

    fn named(&mut self, name: Option<&Name>, sentence: Span, body: &Body) {
        if let Some(name) = name {
            self.say("rule", name, sentence);
        }
        self.below(None, |walk| walk.body(body));
    }

    fn query(&mut self, query: &Query) {
        let what = if query.hint { "hint" } else { "query" };
        self.say(what, &query.name, query.span);
    }

    fn mv(&mut self, mv: &MoveDecl) {
        self.say("move", &mv.name, mv.span);
    }

    fn step(&mut self, step: &Step) {
        self.say("step", &step.name, step.span);
        self.below(None, |walk| walk.body(&step.body));
    }

    fn body(&mut self, body: &Body) {
        match body {
            Body::Ask(ask) => {
                let moves = ask.groups.iter().flat_map(|group| &group.moves);
                moves.for_each(|mv| self.mv(mv));
            }
            Body::Steps(steps) => steps.iter().for_each(|step| self.step(step)),
            Body::Do(_) | Body::Visit { .. } | Body::Play { .. } | Body::End { .. } => {}
        }
    }
}

/// Whom a word means.
pub(super) enum Meaning<'p> {
    /// A clause.
    Clause(&'p Clause),
    /// Declarations of rules: one, or several of the same name.
    Rules(Vec<&'p Declaration>),
    /// A table.
    Table(&'p Table),
    /// A row of a table.
    Row(&'p Table, &'p Row),
    /// A column of a table.
    Column(&'p Table, usize),
    /// A figure of the set-up.
    Figure(&'p interpreter::package::Figure),
    /// An option.
    Option(&'p interpreter::package::OptionDecl),
}

/// What a word at a place means. `qualifier` is what stands before it and a dot.
pub(super) fn meaning<'p>(
    package: &'p Package,
    declarations: &'p [Declaration],
    file: FileId,
    offset: u32,
    word: &str,
    qualifier: Option<&str>,
) -> Option<Meaning<'p>> {
    let tables = || package.tables.iter();
    let named: Vec<&Declaration> = declarations.iter().filter(|d| d.name == word).collect();
    // What stands right here is meant, then what stands in the phase, then what stands anywhere.
    let here: Vec<&Declaration> = named
        .iter()
        .copied()
        .filter(|d| d.at.file == file && (d.at.start..=d.at.end).contains(&offset))
        .filter(|d| d.kind != "rules of")
        .collect();
    if !here.is_empty() {
        return Some(Meaning::Rules(here));
    }
    let row = |word: &str| {
        tables().find_map(|table| {
            let row = table.rows.iter().find(|row| row.id.node == word)?;
            Some(Meaning::Row(table, row))
        })
    };
    let of = |phase: Option<&str>| -> Vec<&Declaration> {
        let all = named.iter().copied().filter(|d| d.kind != "rules of");
        all.filter(|d| d.phase.as_deref() == phase).collect()
    };
    if let Some(qualifier) = qualifier {
        let found = of(Some(qualifier));
        if !found.is_empty() {
            return Some(Meaning::Rules(found));
        }
    }
    let phase = declarations
        .iter()
        .rfind(|d| d.at.file == file && d.at.start <= offset && d.depth == 0)
        .filter(|d| d.kind == "phase");
    for found in [of(phase.map(|d| d.name.as_str())), of(None)] {
        if !found.is_empty() {
            return Some(Meaning::Rules(found));
        }
    }
    let column = || {
        tables().find_map(|table| {
            let at = table.columns.iter().position(|c| c.name.node == word)?;
            Some(Meaning::Column(table, at))
        })
    };
    let table = || tables().find(|t| t.name.node == word || t.plural.node == word);
    let figure = || package.figures.iter().find(|f| f.name.node == word);
    let option = || package.options.iter().find(|o| o.id.node == word);
    row(word)
        .or_else(|| table().map(Meaning::Table))
        .or_else(column)
        .or_else(|| figure().map(Meaning::Figure))
        .or_else(|| option().map(Meaning::Option))
        .or_else(|| {
            let anywhere: Vec<_> = named.into_iter().filter(|d| d.kind != "rules of").collect();
            (!anywhere.is_empty()).then_some(Meaning::Rules(anywhere))
        })
}

impl Meaning<'_> {
    /// Where it is written.
    pub(super) fn places(&self) -> Vec<Span> {
        match self {
            Meaning::Clause(clause) => vec![clause.id.span],
            Meaning::Rules(found) => found.iter().map(|d| d.at).collect(),
            Meaning::Table(table) => vec![table.name.span],
            Meaning::Row(_, row) => vec![row.id.span],
            Meaning::Column(table, at) => vec![table.columns[*at].name.span],
            Meaning::Figure(figure) => vec![figure.name.span],
            Meaning::Option(option) => vec![option.id.span],
        }
    }

    /// What is said of it, as Markdown.
    pub(super) fn text(
        &self,
        sources: &Sources,
        origin: &dyn Fn(Span) -> Option<String>,
        standing: &dyn Fn(&str) -> Option<String>,
    ) -> String {
        match self {
            Meaning::Clause(clause) => {
                let kind = match clause.kind {
                    ClauseKind::Rule => "",
                    ClauseKind::Ruling => " · ruling",
                    ClauseKind::Option => " · option",
                    ClauseKind::Note => " · note",
                };
                let id = &clause.id.node;
                let standing = standing(id).map_or_else(String::new, |said| format!("\n\n{said}"));
                format!(
                    "**@{id}**{kind}\n\n{}\n\n*{}*{standing}",
                    clause.text.en, clause.text.pl
                )
            }
            Meaning::Rules(found) => {
                let each = found.iter().map(|declared| {
                    let mut text = format!("```rules\n{}\n```", sentence(sources, declared));
                    if let Some(doc) = comment(sources, declared.sentence) {
                        text = format!("{text}\n\n{doc}");
                    }
                    let module = origin(declared.at).map(|module| format!(" · module `{module}`"));
                    let of = declared.phase.as_ref().filter(|_| declared.kind != "phase");
                    let of = of.map(|phase| format!(" of `{phase}`"));
                    format!(
                        "{text}\n\n{}{}{}",
                        declared.kind,
                        of.unwrap_or_default(),
                        module.unwrap_or_default()
                    )
                });
                each.collect::<Vec<_>>().join("\n\n---\n\n")
            }
            Meaning::Table(table) => format!(
                "**{}** · table of {} rows\n\n{} / *{}*\n\ncolumns: {}",
                table.name.node,
                table.rows.len(),
                table.names.en,
                table.names.pl,
                table
                    .columns
                    .iter()
                    .map(|column| format!("`{}`", column.name.node))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
            Meaning::Row(table, row) => {
                let mut text = format!(
                    "**{}** · {}\n\n{} / *{}*\n",
                    row.id.node, table.name.node, row.names.en, row.names.pl
                );
                for (column, cell) in table.columns.iter().zip(&row.cells) {
                    text.push_str(&format!("\n- {} = {}", column.name.node, shown(&cell.node)));
                }
                match comment(sources, row.id.span) {
                    Some(doc) => format!("{text}\n\n{doc}"),
                    None => text,
                }
            }
            Meaning::Column(table, at) => {
                let column = &table.columns[*at];
                format!(
                    "**{}** · column of `{}`\n\n{} / *{}*",
                    column.name.node, table.name.node, column.names.en, column.names.pl
                )
            }
            Meaning::Figure(figure) => format!(
                "**{}** = {} · figure\n\n{} / *{}*",
                figure.name.node,
                shown(&figure.value.node),
                figure.names.en,
                figure.names.pl
            ),
            Meaning::Option(option) => format!(
                "**{}** · option, {} if nothing is said\n\n{} / *{}*",
                option.id.node,
                match (option.is_int, option.default) {
                    (false, 0) => "false".to_owned(),
                    (false, _) => "true".to_owned(),
                    (true, number) => number.to_string(),
                },
                option.names.en,
                option.names.pl
            ),
        }
    }
}

/// A sentence without what its lines share of indentation.
fn sentence(sources: &Sources, declared: &Declaration) -> String {
    let text = &sources.file(declared.sentence.file).text;
    let start = to_usize(declared.sentence.start);
    let begin = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let end = end.max(to_usize(declared.sentence.end)).min(text.len());
    let indent = text[begin..].len() - text[begin..].trim_start().len();
    let lines = text[begin..end].lines();
    let lines: Vec<&str> = lines
        .map(|line| line.get(indent..).unwrap_or(line.trim_start()).trim_end())
        .collect();
    match lines.len() > SHOWN {
        true => format!("{}\n…", lines[..SHOWN].join("\n")),
        false => lines.join("\n"),
    }
}

/// The comment right above a sentence, or right above the line of a row.
fn comment(sources: &Sources, span: Span) -> Option<String> {
    let text = &sources.file(span.file).text;
    let begin = text[..to_usize(span.start)].rfind('\n')?;
    let mut lines: Vec<&str> = text[..begin]
        .lines()
        .rev()
        .map_while(|line| Some(line.trim_start().strip_prefix('#')?.trim()))
        .collect();
    lines.reverse();
    (!lines.is_empty()).then(|| lines.join(" "))
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Always(value) => value.to_string(),
        Cell::ByPlayers(values) => values
            .iter()
            .map(|(players, value)| format!("{value} with {players}"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}
