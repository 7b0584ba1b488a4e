//! Every sentence of the rules by its address, and who cites which clause.

use interpreter::source::Span;
use interpreter::syntax::ast::{
    Body, Cite, Component, Item, MoveDecl, Need, Once, Phase, Query, Step,
};

use super::{Rules, path, replacing};

/// A sentence of the rules.
#[derive(Clone, Debug)]
pub struct Sentence {
    /// What it is: `move captain.loading.load`, `query captain.takes`, `building wharf`.
    pub what: String,
    /// Where it is written.
    pub span: Span,
    /// The clause it cites.
    pub cite: Option<String>,
    /// The phase whose queries it reads by their own names.
    pub phase: Option<String>,
}

/// Somebody who cites a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The clause.
    pub clause: String,
    /// Who: `move captain.loading.load`, `figure row_size`.
    pub what: String,
    /// Where.
    pub span: Span,
}

struct Walk {
    all: Vec<Sentence>,
    /// The phase that the walk is in.
    phase: Option<String>,
}

impl Walk {
    fn add(&mut self, what: impl Into<String>, span: Span, cite: &Option<Cite>) {
        self.all.push(Sentence {
            what: what.into(),
            span,
            cite: cite.as_ref().map(|cite| cite.node.clone()),
            phase: self.phase.clone(),
        });
    }

    fn item(&mut self, item: &Item, component: Option<&Component>) {
        // What a module lays into a phase is at the head of its address.
        let phase = match item {
            Item::Phase(it) => Some(&it.name),
            Item::Addition(it) => it.step.parts.first(),
            Item::Extension(it) => it.moves.first().and_then(|mv| mv.parts.first()),
            Item::Insertion(it) => it.target.parts.first(),
            Item::Replacement(it) => it.target.parts.first(),
            _ => None,
        };
        let around = self.phase.clone();
        if let Some(phase) = phase {
            self.phase = Some(phase.node.clone());
        }
        self.inside(item, component);
        self.phase = around;
    }

    fn inside(&mut self, item: &Item, component: Option<&Component>) {
        let of = component
            .map(|c| format!(" of {} {}", c.table.node, c.row.node))
            .unwrap_or_default();
        match item {
            Item::Place(it) => self.add(format!("place {}", it.name.node), it.span, &it.cite),
            Item::Counter(it) => self.add(format!("counter {}", it.name.node), it.span, &it.cite),
            Item::Marker(it) => self.add(format!("marker {}", it.name.node), it.span, &it.cite),
            Item::Event(it) => self.add(format!("event {}", it.name.node), it.span, &it.cite),
            Item::Effect(it) => self.add(format!("effect {}", it.name.node), it.span, &it.cite),
            Item::Ending(it) => self.add(format!("ending {}", it.name.node), it.span, &it.cite),
            Item::Score(it) => self.add(format!("score {}", it.name.node), it.span, &it.cite),
            Item::Query(it) => self.query(it, None),
            Item::Contribution(it) => {
                self.add(
                    format!("change of {}{of}", path(&it.query)),
                    it.span,
                    &it.cite,
                );
            }
            Item::Trigger(it) => {
                self.add(
                    format!("what follows {}{of}", path(&it.event)),
                    it.span,
                    &it.cite,
                );
                self.body(&it.body, it.span, &path(&it.event));
            }
            Item::Phase(it) => self.phase(it),
            Item::Require(it) => self.add("requirement", it.span, &it.cite),
            Item::Winner(it) => {
                for (_, value, cite) in &it.criteria {
                    self.add("winner", value.span, cite);
                }
            }
            Item::Component(it) => {
                self.add(
                    format!("{} {}", it.table.node, it.row.node),
                    it.span,
                    &it.cite,
                );
                for item in &it.items {
                    self.item(item, Some(it));
                }
            }
            Item::Addition(it) => {
                if it.cite.is_some() {
                    self.add(format!("addition to {}", path(&it.step)), it.span, &it.cite);
                }
                for mv in &it.moves {
                    self.mv(mv, &path(&it.step));
                }
            }
            Item::Extension(it) => {
                let moves: Vec<String> = it.moves.iter().map(path).collect();
                let what = format!("extension of {}{of}", moves.join(", "));
                self.add(&what, it.span, &it.cite);
                self.limit(&it.once, &what);
                self.needs(&it.needs, &what);
                self.needs(&it.ensures, &what);
                for item in &it.items {
                    self.item(item, component);
                }
            }
            Item::Insertion(it) => {
                let what = format!("insertion at {}{of}", path(&it.target));
                self.add(&what, it.span, &it.cite);
                self.body(&it.body, it.span, &path(&it.target));
            }
            Item::Replacement(it) => {
                self.add(
                    format!("replacement of {}", path(&it.target)),
                    it.span,
                    &it.cite,
                );
                self.add(
                    format!("replacement of {}", path(&it.target)),
                    replacing(&it.with),
                    &None,
                );
            }
            Item::Record(it) => self.add(format!("record {}", it.name.node), it.span, &it.cite),
            Item::Die(it) => self.add(format!("die {}", it.name.node), it.span, &it.cite),
            Item::Watch(it) => {
                let name = it.name.as_ref().map_or("", |name| name.node.as_str());
                let what = format!("watch {name}{of}");
                self.add(what.trim_end(), it.span, &it.cite);
                self.body(&it.body, it.span, name);
            }
            Item::AnyTime(it) => {
                let what = format!("at any time{of}");
                self.add(&what, it.span, &it.cite);
                for mv in &it.moves {
                    self.mv(mv, &what);
                }
            }
            Item::Disable(it) => self.add(
                format!("removal of {}", path(&it.target)),
                it.span,
                &it.cite,
            ),
        }
    }

    fn phase(&mut self, phase: &Phase) {
        let name = &phase.name.node;
        self.add(format!("phase {name}"), phase.span, &phase.cite);
        for keep in &phase.keeps {
            self.add(format!("what {name} keeps"), keep.span, &keep.cite);
        }
        for query in &phase.queries {
            self.query(query, Some(phase));
        }
        for item in &phase.items {
            self.item(item, None);
        }
        for step in &phase.steps {
            self.step(step, name);
        }
    }

    fn query(&mut self, query: &Query, phase: Option<&Phase>) {
        let what = match phase {
            Some(phase) => format!("query {}.{}", phase.name.node, query.name.node),
            None => format!("query {}", query.name.node),
        };
        self.add(&what, query.span, &query.cite);
        for case in &query.cases {
            let span = case
                .when
                .as_ref()
                .map_or(case.value.span, |when| when.span.to(case.value.span));
            self.add(&what, span, &case.cite);
        }
        self.add(&what, query.otherwise.value.span, &query.otherwise.cite);
        for (bound, cite) in query.least.iter().chain(&query.most) {
            self.add(&what, bound.span, cite);
        }
    }

    fn step(&mut self, step: &Step, phase: &str) {
        let address = format!("{phase}.{}", step.name.node);
        self.add(format!("step {address}"), step.span, &step.cite);
        self.body(&step.body, step.span, &address);
    }

    fn body(&mut self, body: &Body, header: Span, address: &str) {
        match body {
            Body::Do(script) => {
                if header.file != script.span.file || script.span.start >= header.end {
                    self.add(format!("script of {address}"), script.span, &None);
                }
            }
            Body::Ask(ask) => {
                self.add(format!("question of {address}"), ask.span, &ask.cite);
                for mv in ask.groups.iter().flat_map(|group| &group.moves) {
                    self.mv(mv, address);
                }
            }
            Body::Steps(steps) => {
                let phase = address.split('.').next().unwrap_or(address).to_owned();
                for step in steps {
                    self.step(step, &phase);
                }
            }
            Body::Visit {
                ensures: Some((condition, cite)),
                ..
            } => {
                self.add(format!("visit of {address}"), condition.span, cite);
            }
            Body::Visit { .. } | Body::Play { .. } | Body::End { .. } => {}
        }
    }

    fn mv(&mut self, mv: &MoveDecl, step: &str) {
        let what = format!("move {step}.{}", mv.name.node);
        self.add(&what, mv.span, &mv.cite);
        self.limit(&mv.once, &what);
        self.needs(&mv.needs, &what);
        self.needs(&mv.ensures, &what);
        if let Some(script) = &mv.effect
            && script.span.start >= mv.span.end
        {
            self.add(&what, script.span, &None);
        }
    }

    /// A limit on a line of its own; else it is said with what it limits.
    fn limit(&mut self, once: &Option<Once>, of: &str) {
        if let Some(once) = once.as_ref().filter(|once| once.cite.is_some()) {
            self.add(format!("limit of {of}"), once.span, &once.cite);
        }
    }

    fn needs(&mut self, needs: &[Need], of: &str) {
        for need in needs {
            self.add(format!("condition of {of}"), need.span, &need.cite);
        }
    }
}

impl Rules<'_> {
    /// Every sentence of the composed rules, in order.
    pub fn sentences(&self) -> Vec<Sentence> {
        let mut walk = Walk {
            all: Vec::new(),
            phase: None,
        };
        for item in self.items {
            walk.item(item, None);
        }
        walk.all
    }

    /// Everybody who cites a clause: sentences, removals, rows, figures, options; in order, each place once.
    pub fn citations(&self) -> Vec<Citation> {
        let mut all: Vec<Citation> = Vec::new();
        for sentence in self.sentences() {
            if let Some(clause) = sentence.cite {
                let citation = Citation {
                    clause,
                    what: sentence.what,
                    span: sentence.span,
                };
                if !all.contains(&citation) {
                    all.push(citation);
                }
            }
        }
        let mut cites = |cite: &Option<Cite>, what: String, span: Span| {
            all.extend(cite.as_ref().map(|cite| Citation {
                clause: cite.node.clone(),
                what,
                span,
            }));
        };
        for item in self.package.rules.iter().flat_map(|file| &file.tree.items) {
            if let Item::Disable(it) = item {
                cites(
                    &it.cite,
                    format!("removal of {}", path(&it.target)),
                    it.span,
                );
            }
        }
        for table in &self.package.tables {
            for row in &table.rows {
                let what = format!("row {} {}", table.name.node, row.id.node);
                cites(&row.cite, what, row.id.span);
            }
        }
        for figure in &self.package.figures {
            let what = format!("figure {}", figure.name.node);
            cites(&figure.cite, what, figure.name.span);
        }
        for option in &self.package.options {
            let what = format!("option {}", option.id.node);
            cites(&option.cite, what, option.id.span);
        }
        all
    }
}
