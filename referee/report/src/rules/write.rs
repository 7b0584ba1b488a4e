//! Sentences of the tree onto a sheet: queries with what changes them, steps, questions, moves.

use interpreter::source::Span;
use interpreter::syntax::ast::{
    Ask, Body, Cite, Component, Extension, Insertion, Item, Moment, MoveDecl, Once, Path, Query,
    Script, Step,
};

use super::sheet::{Mark, Sheet};
use super::{Changed, Rules, Said, path, replacing};

/// Where on a sheet something is written, and in which phase its moves are meant.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'p> {
    pub depth: usize,
    pub mark: Mark,
    pub phase: Option<&'p str>,
}

impl At<'_> {
    /// At the left margin.
    pub(super) fn margin() -> At<'static> {
        At {
            depth: 0,
            mark: Mark::Own,
            phase: None,
        }
    }

    fn deeper(self) -> Self {
        At {
            depth: self.depth + 1,
            ..self
        }
    }

    fn marked(self, mark: Mark) -> Self {
        At { mark, ..self }
    }
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

impl<'a> Rules<'a> {
    /// A sentence with its place and its clauses.
    pub(super) fn say<'c>(
        &self,
        sheet: &mut Sheet,
        at: At<'_>,
        span: Span,
        cites: impl IntoIterator<Item = &'c Cite>,
    ) {
        let lines = self.sentence(span, at.phase);
        for (i, text) in lines.into_iter().enumerate() {
            let line = sheet.line(at.depth, at.mark, text);
            if i == 0 {
                line.at(span);
            }
        }
        // Clauses follow the whole sentence.
        if let Some(last) = sheet.lines.last_mut() {
            last.cites(cites);
        }
    }

    /// A script, unless it is written in the sentence itself.
    fn script(&self, sheet: &mut Sheet, at: At<'_>, header: Span, script: Option<&Script>) {
        if let Some(script) = script
            && !contains(header, script.span)
        {
            for (i, text) in self.sentence(script.span, at.phase).into_iter().enumerate() {
                let text = if i == 0 { format!("do {text}") } else { text };
                sheet.line(at.depth, at.mark, text);
            }
        }
    }

    /// The header of the component that brings a rule, if one does; gives where the rule goes.
    pub(super) fn brought<'p>(&self, sheet: &mut Sheet, at: At<'p>, said: &Said<'a>) -> At<'p> {
        let mut at = at.marked(Mark::Added);
        if let Some(component) = said.component {
            self.say(sheet, at, component.span, &component.cite);
            at = at.deeper();
        }
        if let Some(extension) = said.extension {
            self.say(sheet, at, extension.span, &extension.cite);
            self.limit(sheet, at.deeper(), extension.span, &extension.once);
            at = at.deeper();
        }
        at
    }

    /// Says that something was replaced, and where it was.
    fn replaced(&self, sheet: &mut Sheet, depth: usize, address: &str) {
        if let Some(Changed {
            was: Some(was),
            disabled: false,
            ..
        }) = self.change(address)
        {
            let text = format!("in place of what {} says", self.place(was));
            sheet.line(depth, Mark::Remark, text);
        }
    }

    fn mark_of(&self, address: &str, mark: Mark) -> Mark {
        match self.change(address) {
            Some(Changed {
                disabled: false, ..
            }) => Mark::Replaced,
            _ => mark,
        }
    }

    /// A query, by cases, with everything that changes it.
    pub(super) fn query(&self, sheet: &mut Sheet, at: At<'_>, address: &str, query: &Query) {
        let own = at.marked(self.mark_of(address, at.mark));
        self.say(sheet, own, query.span, &query.cite);
        self.replaced(sheet, at.depth + 1, address);
        let inner = own.deeper();
        for case in &query.cases {
            let Some(when) = &case.when else { continue };
            let text = format!(
                "when {} -> {}",
                self.phrase(when.span, at.phase),
                self.phrase(case.value.span, at.phase)
            );
            sheet.line(inner.depth, inner.mark, text).cites(&case.cite);
        }
        if !contains(query.span, query.otherwise.value.span) {
            let text = format!(
                "otherwise -> {}",
                self.phrase(query.otherwise.value.span, at.phase)
            );
            sheet
                .line(inner.depth, inner.mark, text)
                .cites(&query.otherwise.cite);
        }
        for (word, bound) in [("at least", &query.least), ("at most", &query.most)] {
            if let Some((bound, cite)) = bound {
                let text = format!("{word} {}", self.phrase(bound.span, at.phase));
                sheet.line(inner.depth, inner.mark, text).cites(cite);
            }
        }
        for said in self.said() {
            if let Item::Contribution(contribution) = said.item
                && self.query_address(&said, &contribution.query) == address
            {
                let at = match said.phase {
                    Some(_) => inner,
                    None => self.brought(sheet, inner, &said),
                };
                self.say(sheet, at, contribution.span, &contribution.cite);
            }
        }
    }

    /// A step with what is inserted around it.
    pub(super) fn step(&self, sheet: &mut Sheet, at: At<'_>, phase: &str, step: &Step) {
        let address = format!("{phase}.{}", step.name.node);
        self.insertions(sheet, at, &address, &[Moment::Before, Moment::AtStart]);
        let own = at.marked(self.mark_of(&address, at.mark));
        self.say(sheet, own, step.span, &step.cite);
        self.replaced(sheet, at.depth + 1, &address);
        self.insertions(
            sheet,
            at.deeper(),
            &address,
            &[Moment::BeforeFirstTurn, Moment::BeforeTurn],
        );
        self.body(sheet, own.deeper(), step.span, &step.body, phase, &address);
        self.insertions(
            sheet,
            at.deeper(),
            &address,
            &[Moment::AfterTurn, Moment::AfterFirstTurn, Moment::AtEnd],
        );
        self.insertions(sheet, at, &address, &[Moment::After]);
    }

    fn body(
        &self,
        sheet: &mut Sheet,
        at: At<'_>,
        header: Span,
        body: &Body,
        phase: &str,
        address: &str,
    ) {
        match body {
            Body::Do(script) => self.script(sheet, at, header, Some(script)),
            Body::Ask(ask) => self.ask(sheet, at, header, ask, address),
            Body::Visit { span, ensures, .. } => {
                if !contains(header, *span) {
                    self.say(sheet, at, *span, ensures.iter().flat_map(|(_, cite)| cite));
                }
            }
            Body::Play { span, .. } => {
                if !contains(header, *span) {
                    self.say(sheet, at, *span, []);
                }
                for played in self.phases().filter(|phase| !phase.plays.is_empty()) {
                    let rows: Vec<String> = played
                        .plays
                        .iter()
                        .map(|row| self.words.row(&row.table.node, &row.row.node))
                        .collect();
                    let text = format!("{}: {}", rows.join(", "), self.address(&played.name.node));
                    sheet.line(at.depth, Mark::Remark, text).at(played.span);
                }
            }
            Body::End { span, .. } => {
                if !contains(header, *span) {
                    self.say(sheet, at, *span, []);
                }
            }
            Body::Steps(steps) => {
                for step in steps {
                    self.step(sheet, at, phase, step);
                }
            }
        }
    }

    fn ask(&self, sheet: &mut Sheet, at: At<'_>, header: Span, ask: &Ask, address: &str) {
        let mut at = at;
        if !contains(header, ask.span) {
            self.say(sheet, at, ask.span, &ask.cite);
            at = at.deeper();
        }
        for group in &ask.groups {
            let mut inner = at;
            if let Some((name, filter)) = &group.who {
                let filter = filter
                    .as_ref()
                    .map(|f| format!(" where {}", self.phrase(f.span, at.phase)));
                sheet.line(
                    at.depth,
                    at.mark,
                    format!("for {}{}", name.node, filter.unwrap_or_default()),
                );
                inner = at.deeper();
            }
            for mv in &group.moves {
                self.mv(sheet, inner, mv, address);
            }
        }
        for said in self.said() {
            if let Item::Addition(addition) = said.item
                && path(&addition.step) == address
            {
                let at = self.brought(sheet, at, &said);
                self.say(sheet, at, addition.span, &addition.cite);
                for mv in &addition.moves {
                    self.mv(sheet, at.deeper(), mv, address);
                }
            }
        }
    }

    /// A move of the question at an address, with what extends it.
    pub(super) fn mv(&self, sheet: &mut Sheet, at: At<'_>, mv: &MoveDecl, step: &str) {
        let mut address = format!("{step}.{}", mv.name.node);
        if self.change(&address).is_none()
            && let Some((phase, _)) = step.split_once('.')
        {
            address = format!("{phase}.{}", mv.name.node);
        }
        let own = at.marked(self.mark_of(&address, at.mark));
        self.say(sheet, own, mv.span, &mv.cite);
        self.replaced(sheet, at.depth + 1, &address);
        let inner = own.deeper();
        self.limit(sheet, inner, mv.span, &mv.once);
        for need in mv.needs.iter().chain(&mv.ensures) {
            if contains(mv.span, need.span) {
                // Written in the move's own line: only its clause is left to say.
                sheet.lines.last_mut().map(|line| line.cites(&need.cite));
            } else {
                self.say(sheet, inner, need.span, &need.cite);
            }
        }
        self.script(sheet, inner, mv.span, mv.effect.as_ref());
        if let Some(to) = &mv.closes
            && !self.sources.text(mv.span).contains("closes")
        {
            let line = match to {
                Some((to, args)) => {
                    let args: Vec<&str> =
                        args.iter().map(|arg| self.sources.text(arg.span)).collect();
                    format!("closes -> {}({})", path(to), args.join(", "))
                }
                None => "closes".to_owned(),
            };
            sheet.line(inner.depth, inner.mark, &line);
        }
        let short = format!(
            "{}.{}",
            step.split('.').next().unwrap_or(step),
            mv.name.node
        );
        for said in self.said() {
            if let Item::Extension(extension) = said.item
                && extension
                    .moves
                    .iter()
                    .map(path)
                    .any(|moved| moved == address || moved == short)
            {
                let at = self.brought(sheet, inner, &said);
                self.extension(sheet, at, extension);
            }
        }
    }

    /// A limit, unless it is written in the sentence itself.
    fn limit(&self, sheet: &mut Sheet, at: At<'_>, header: Span, once: &Option<Once>) {
        if let Some(once) = once.as_ref().filter(|once| !contains(header, once.span)) {
            self.say(sheet, at, once.span, &once.cite);
        }
    }

    fn extension(&self, sheet: &mut Sheet, at: At<'_>, extension: &Extension) {
        self.say(sheet, at, extension.span, &extension.cite);
        self.limit(sheet, at.deeper(), extension.span, &extension.once);
        for item in &extension.items {
            self.item(sheet, at.deeper(), item);
        }
        for need in extension.needs.iter().chain(&extension.ensures) {
            self.say(sheet, at.deeper(), need.span, &need.cite);
        }
        self.script(
            sheet,
            at.deeper(),
            extension.span,
            extension.effect.as_ref(),
        );
    }

    /// What is inserted at moments of the step or phase at an address.
    pub(super) fn insertions(
        &self,
        sheet: &mut Sheet,
        at: At<'_>,
        address: &str,
        moments: &[Moment],
    ) {
        for said in self.said() {
            if let Item::Insertion(insertion) = said.item
                && moments.contains(&insertion.moment)
                && path(&insertion.target) == address
            {
                let at = self.brought(sheet, at, &said);
                self.insertion(sheet, at, insertion);
            }
        }
    }

    fn insertion(&self, sheet: &mut Sheet, at: At<'_>, insertion: &Insertion) {
        self.say(sheet, at, insertion.span, &insertion.cite);
        let address = path(&insertion.target);
        let phase = address.split('.').next().unwrap_or(&address);
        let (at, header) = (at.deeper(), insertion.span);
        self.body(sheet, at, header, &insertion.body, phase, &address);
    }

    /// What follows from an event or a condition: an effect, or a question or steps of its own.
    fn consequence(&self, sheet: &mut Sheet, at: At<'_>, header: Span, body: &Body) {
        let phase = at.phase.unwrap_or_default();
        self.body(sheet, at.deeper(), header, body, phase, phase);
    }

    /// What follows an event, in order.
    pub(super) fn triggers(&self, sheet: &mut Sheet, at: At<'_>, event: &str) {
        for said in self.said() {
            if let Item::Trigger(trigger) = said.item
                && trigger
                    .event
                    .parts
                    .last()
                    .is_some_and(|name| name.node == event)
            {
                let written_here = said
                    .phase
                    .is_some_and(|phase| Some(phase.name.node.as_str()) == at.phase);
                let at = if written_here {
                    at
                } else {
                    self.brought(sheet, at, &said)
                };
                self.say(sheet, at, trigger.span, &trigger.cite);
                self.consequence(sheet, at, trigger.span, &trigger.body);
            }
        }
    }

    /// Everything that a component brings.
    pub(super) fn component(&self, sheet: &mut Sheet, at: At<'_>, component: &Component) {
        self.say(sheet, at, component.span, &component.cite);
        for item in &component.items {
            self.item(sheet, at.deeper(), item);
        }
    }

    /// A sentence with everything below it that belongs to it alone.
    pub(super) fn item(&self, sheet: &mut Sheet, at: At<'_>, item: &Item) {
        let simple =
            |sheet: &mut Sheet, span: Span, cite: &Option<Cite>| self.say(sheet, at, span, cite);
        match item {
            Item::Place(it) => simple(sheet, it.span, &it.cite),
            Item::Counter(it) => simple(sheet, it.span, &it.cite),
            Item::Marker(it) => simple(sheet, it.span, &it.cite),
            Item::Event(it) => simple(sheet, it.span, &it.cite),
            Item::Contribution(it) => simple(sheet, it.span, &it.cite),
            Item::Ending(it) => simple(sheet, it.span, &it.cite),
            Item::Score(it) => simple(sheet, it.span, &it.cite),
            Item::Disable(it) => simple(sheet, it.span, &it.cite),
            Item::Record(it) => simple(sheet, it.span, &it.cite),
            Item::Require(it) => simple(sheet, it.span, &it.cite),
            Item::Die(it) => simple(sheet, it.span, &it.cite),
            Item::Watch(it) => {
                simple(sheet, it.span, &it.cite);
                self.consequence(sheet, at, it.span, &it.body);
            }
            Item::AnyTime(it) => {
                simple(sheet, it.span, &it.cite);
                for mv in &it.moves {
                    self.mv(sheet, at.deeper(), mv, "");
                }
            }
            Item::Query(it) => self.query(sheet, at, &it.name.node, it),
            Item::Component(it) => self.component(sheet, at, it),
            Item::Extension(it) => {
                let phase = it.moves.first().and_then(first_part);
                self.extension(sheet, At { phase, ..at }, it);
            }
            Item::Insertion(it) => self.insertion(
                sheet,
                At {
                    phase: first_part(&it.target),
                    ..at
                },
                it,
            ),
            Item::Trigger(it) => {
                simple(sheet, it.span, &it.cite);
                self.consequence(sheet, at, it.span, &it.body);
            }
            Item::Effect(it) => {
                simple(sheet, it.span, &it.cite);
                self.script(sheet, at.deeper(), it.span, Some(&it.script));
            }
            Item::Addition(it) => {
                simple(sheet, it.span, &it.cite);
                let inner = At {
                    phase: first_part(&it.step),
                    ..at.deeper()
                };
                for mv in &it.moves {
                    self.mv(sheet, inner, mv, &path(&it.step));
                }
            }
            Item::Winner(it) => {
                simple(
                    sheet,
                    it.span,
                    &it.criteria.first().and_then(|(_, _, cite)| cite.clone()),
                );
                for (most, value, cite) in it.criteria.iter().skip(1) {
                    let word = if *most { "most" } else { "fewest" };
                    let text = format!("then {word} {}", self.phrase(value.span, at.phase));
                    sheet.line(at.depth + 1, at.mark, text).cites(cite);
                }
            }
            Item::Replacement(it) => {
                simple(sheet, it.span, &it.cite);
                self.say(sheet, at.deeper(), replacing(&it.with), []);
            }
            // Phases have sheets of their own.
            Item::Phase(it) => simple(sheet, it.span, &it.cite),
        }
    }
}

fn first_part(path: &Path) -> Option<&str> {
    path.parts.first().map(|part| part.node.as_str())
}
