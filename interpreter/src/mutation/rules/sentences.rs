//! The sentences of a file: declarations, queries, phases and their steps, what follows from events, the end.

use super::super::Operator;
use super::super::mutant::Edit;
use super::Planter;
use super::dotted;
use crate::source::Span;
use crate::syntax::ast::{
    Body, Contribution, Ending, Expr, Insertion, Item, Layer, Moment, Name, Once, Over, Path,
    Phase, Query, Replacing, Score, Step, Trigger, Type, Until, Watch, Winner,
};

impl Planter<'_> {
    pub(super) fn items(&mut self, items: &[Item]) {
        items.iter().for_each(|item| self.item(item));
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Place(place) => self.within(place.span, place.cite.as_ref(), |s| {
                s.secrets(place.span);
                let starts = place.starts.as_ref().map(|(_, starts)| starts);
                for expr in place.room.iter().chain(starts) {
                    s.value(expr);
                }
            }),
            Item::Counter(counter) => self.within(counter.span, counter.cite.as_ref(), |s| {
                s.secrets(counter.span);
                for expr in counter.most.iter().chain(&counter.starts) {
                    s.value(expr);
                }
            }),
            Item::Marker(marker) => self.within(marker.span, marker.cite.as_ref(), |s| {
                s.secrets(marker.span);
                marker.starts.iter().for_each(|expr| s.value(expr));
            }),
            // Faces of dice are what they are printed as: they stand in tables where that is more than a range.
            Item::Event(_) | Item::Record(_) | Item::Die(_) | Item::Disable(_) => {}
            // Judged when the package is made, by no game.
            Item::Require(_) => {}
            Item::Query(query) => self.query(query),
            Item::Contribution(contribution) => self.contribution(contribution),
            Item::Trigger(trigger) => self.trigger(trigger),
            Item::Watch(watch) => self.watch(watch),
            Item::Effect(effect) => self.within(effect.span, effect.cite.as_ref(), |s| {
                s.script(&effect.script);
            }),
            Item::Phase(phase) => self.phase(phase),
            Item::Ending(ending) => self.ending(ending),
            Item::Score(score) => self.score(score),
            Item::Winner(winner) => self.winner(winner),
            Item::Component(component) => {
                self.within(component.span, component.cite.as_ref(), |s| {
                    // A component without rules would have no business here.
                    s.alone = (component.items.len() == 1).then_some(component.span);
                    s.items(&component.items);
                    s.alone = None;
                });
            }
            Item::Addition(addition) => self.within(addition.span, addition.cite.as_ref(), |s| {
                s.about(&addition.step, |s| s.moves(&addition.moves, false));
            }),
            Item::Extension(extension) => self.extension(extension),
            Item::Insertion(insertion) => self.insertion(insertion),
            Item::Replacement(replacement) => {
                self.within(replacement.span, replacement.cite.as_ref(), |s| {
                    s.about(&replacement.target, |s| match &replacement.with {
                        Replacing::Step(step) => s.step(step),
                        Replacing::Move(mv) => s.moves(std::slice::from_ref(&**mv), false),
                        Replacing::Query(query) => s.query(query),
                    });
                });
            }
            Item::AnyTime(any_time) => self.within(any_time.span, any_time.cite.as_ref(), |s| {
                any_time.when.iter().for_each(|when| s.condition(when));
                s.moves(&any_time.moves, true);
            }),
        }
    }

    /// Goes to a step or phase elsewhere that what stands here is about.
    pub(super) fn about(&mut self, path: &Path, work: impl FnOnce(&mut Self)) {
        let (phase, step) = (self.phase.clone(), self.site.step.clone());
        self.phase = path.parts.first().map(|part| part.node.clone());
        self.site.step = Some(dotted(path));
        work(self);
        (self.phase, self.site.step) = (phase, step);
    }

    fn query(&mut self, query: &Query) {
        // What a position is worth to players that need nobody is no rule, and what `require` alone asks is judged when the
        // package is made.
        if query.hint || self.uses.is_asserted(&query.name.node) {
            return;
        }
        self.within(query.span, query.cite.as_ref(), |s| {
            let is_condition = matches!(&query.ty, Type::Named(name) if name.node == "bool");
            for case in query.cases.iter().chain([&query.otherwise]) {
                let when = case.when.as_ref();
                let span = when.map_or(case.value.span, |when| when.span.to(case.value.span));
                s.within(span, case.cite.as_ref(), |s| {
                    when.into_iter().for_each(|when| s.condition(when));
                    match is_condition {
                        true => s.condition(&case.value),
                        false => s.value(&case.value),
                    }
                });
            }
            for (bound, word, other) in [
                (&query.least, "at least", "at most"),
                (&query.most, "at most", "at least"),
            ] {
                if let Some((value, cite)) = bound {
                    s.within(value.span, cite.as_ref(), |s| {
                        s.bound(value, word, other);
                        s.value(value);
                    });
                }
            }
        });
    }

    /// The least is taken for the greatest in the words before a value.
    fn bound(&mut self, value: &Expr, word: &str, other: &str) {
        if let Some(at) = self.words_before(value.span.start, word) {
            self.replaced(Operator::ExtremeExchanged, at, other.to_owned());
        }
    }

    fn contribution(&mut self, contribution: &Contribution) {
        self.within(contribution.span, contribution.cite.as_ref(), |s| {
            s.removed(Operator::ContributionRemoved, contribution.span);
            match &contribution.layer {
                Layer::Becomes(value) | Layer::By(value) | Layer::Times(value) => s.value(value),
                Layer::AtLeast(value) => {
                    s.bound(value, "at least", "at most");
                    s.value(value);
                }
                Layer::AtMost(value) => {
                    s.bound(value, "at most", "at least");
                    s.value(value);
                }
                Layer::Allow | Layer::Forbid => {}
            }
            contribution.when.iter().for_each(|when| s.condition(when));
        });
    }

    fn trigger(&mut self, trigger: &Trigger) {
        self.within(trigger.span, trigger.cite.as_ref(), |s| {
            s.removed(Operator::TriggerRemoved, trigger.span);
            trigger.when.iter().for_each(|when| s.condition(when));
            match &trigger.once {
                Some(once) => s.happens_again(once),
                None => {
                    let arguments = trigger
                        .args
                        .last()
                        .map_or(trigger.event.span, |arg| arg.span);
                    let last = trigger.when.as_ref().map_or(arguments, |when| when.span);
                    let at = match trigger.when {
                        Some(_) => last.end,
                        None => s.behind_bracket(last.end),
                    };
                    s.once_added(at);
                }
            }
            for (is_before, path) in &trigger.order {
                let (word, other) = before_and_after(*is_before);
                if let Some(at) = s.words_before(path.span.start, word) {
                    let edit = Edit {
                        span: at,
                        text: other.to_owned(),
                    };
                    let says = moments(word, other);
                    s.plant_structure(Operator::MomentChanged, vec![edit], says);
                }
            }
            s.body(&trigger.body);
        });
    }

    fn watch(&mut self, watch: &Watch) {
        self.within(watch.span, watch.cite.as_ref(), |s| {
            s.removed(Operator::TriggerRemoved, watch.span);
            s.condition(&watch.condition);
            s.body(&watch.body);
        });
    }

    fn insertion(&mut self, insertion: &Insertion) {
        self.within(insertion.span, insertion.cite.as_ref(), |s| {
            s.removed(Operator::InsertionRemoved, insertion.span);
            let words = match insertion.moment {
                Moment::Before | Moment::BeforeTurn | Moment::BeforeFirstTurn => {
                    ("before", "after")
                }
                Moment::After | Moment::AfterTurn | Moment::AfterFirstTurn => ("after", "before"),
                Moment::AtStart => ("start", "end"),
                Moment::AtEnd => ("end", "start"),
            };
            if let Some(span) = s.word_in(insertion.span, words.0) {
                let edit = Edit {
                    span,
                    text: words.1.to_owned(),
                };
                let says = moments(words.0, words.1);
                s.plant_structure(Operator::MomentChanged, vec![edit], says);
            }
            insertion.when.iter().for_each(|when| s.condition(when));
            s.about(&insertion.target, |s| s.body(&insertion.body));
        });
    }

    fn ending(&mut self, ending: &Ending) {
        self.within(ending.span, ending.cite.as_ref(), |s| {
            // An ending without a condition is one that an effect names.
            if ending.when.is_some() {
                s.removed(Operator::EndingRemoved, ending.span);
            }
            ending.when.iter().for_each(|when| s.condition(when));
            if let Some(path) = &ending.after
                && let Some(word) = s.words_before(path.span.start, "after")
            {
                let edit = s.taken_out(word.to(path.span));
                let says = (
                    "the game ends at once".to_owned(),
                    "gra kończy się natychmiast".to_owned(),
                );
                s.plant_structure(Operator::MomentChanged, vec![edit], says);
            }
        });
    }

    fn score(&mut self, score: &Score) {
        self.within(score.span, score.cite.as_ref(), |s| {
            s.removed(Operator::ContributionRemoved, score.span);
            score.when.iter().for_each(|when| s.condition(when));
            s.value(&score.value);
        });
    }

    fn winner(&mut self, winner: &Winner) {
        for (n, (most, value, cite)) in winner.criteria.iter().enumerate() {
            self.within(value.span, cite.as_ref(), |s| {
                let (word, other) = match most {
                    true => ("most", "fewest"),
                    false => ("fewest", "most"),
                };
                let Some(at) = s.words_before(value.span.start, word) else {
                    return;
                };
                let shown = s.shown(value.span);
                let edit = Edit {
                    span: at,
                    text: other.to_owned(),
                };
                let says = (
                    format!("{other} `{shown}` instead of {word}"),
                    format!("{other} `{shown}` zamiast {word}"),
                );
                s.plant_structure(Operator::TieRuleChanged, vec![edit], says);
                if n > 0
                    && let Some(then) = s.words_before(at.start, "then")
                {
                    let edit = s.taken_out(then.to(value.span));
                    let edits = match s.extent(then.start) {
                        Some(line) => vec![s.taken_out(line)],
                        None => vec![edit],
                    };
                    let says = (
                        format!("`{shown}` breaks no tie"),
                        format!("`{shown}` nie rozstrzyga remisu"),
                    );
                    s.plant_structure(Operator::TieRuleChanged, edits, says);
                }
                s.value(value);
            });
        }
    }

    fn phase(&mut self, phase: &Phase) {
        let outer = (self.phase.clone(), self.site.step.clone());
        self.phase = Some(phase.name.node.clone());
        self.site.step = self.phase.clone();
        self.within(phase.span, phase.cite.as_ref(), |s| {
            for keep in &phase.keeps {
                s.within(keep.span, keep.cite.as_ref(), |s| s.secrets(keep.span));
            }
            phase.queries.iter().for_each(|query| s.query(query));
            s.items(&phase.items);
            s.steps(&phase.steps);
        });
        (self.phase, self.site.step) = outer;
    }

    fn steps(&mut self, steps: &[Step]) {
        for pair in steps.windows(2) {
            let [first, second] = pair else { continue };
            if self.uses.is_independent(self.text, first, second) {
                continue;
            }
            self.exchanged(&first.name, first.span, &second.name, second.span);
        }
        let outer = self.site.step.clone();
        for step in steps {
            if let Some(phase) = &self.phase {
                self.site.step = Some(format!("{phase}.{}", step.name.node));
            }
            self.step(step);
        }
        self.site.step = outer;
    }

    fn exchanged(&mut self, a: &Name, first: Span, b: &Name, second: Span) {
        let (Some(first), Some(second)) = (self.extent(first.start), self.extent(second.start))
        else {
            return;
        };
        let whole_line = |s: &Self, span: Span| s.indent(span.start).is_some();
        if first.end > second.start || !whole_line(self, first) || !whole_line(self, second) {
            return;
        }
        let says = (
            format!("`{}` before `{}`", b.node, a.node),
            format!("`{}` przed `{}`", b.node, a.node),
        );
        let edits = vec![
            Edit {
                span: first,
                text: self.at(second).to_owned(),
            },
            Edit {
                span: second,
                text: self.at(first).to_owned(),
            },
        ];
        let sentence = first.to(second);
        self.within(sentence, None, |s| {
            s.plant_structure(Operator::StepsExchanged, edits, says);
        });
    }

    fn step(&mut self, step: &Step) {
        self.within(step.span, step.cite.as_ref(), |s| {
            step.when.iter().for_each(|when| s.condition(when));
            match &step.over {
                Over::Once => {}
                Over::EachPlayer { var, from, filter } => {
                    if !s.uses.is_unordered(s.text, step) {
                        s.first_player(from);
                    }
                    s.each_player(var, from, filter.as_ref());
                }
                Over::Cycle { from, until, .. } => {
                    s.first_player(from);
                    s.until(until);
                }
                Over::EachRow { domain, filter, .. } => {
                    s.value(domain);
                    filter.iter().for_each(|filter| s.condition(filter));
                }
                Over::Repeat { until } => s.until(until),
            }
            let repeats = matches!(step.over, Over::Cycle { .. } | Over::Repeat { .. });
            match &step.body {
                Body::Ask(ask) => s.ask(ask, repeats),
                body => s.body(body),
            }
        });
    }

    fn each_player(&mut self, var: &Name, from: &Expr, filter: Option<&Expr>) {
        let (player, first) = (&var.node, self.at(from.span));
        let only = format!("{player} is ({first})");
        let edit = match filter {
            Some(filter) => Edit {
                span: filter.span,
                text: format!("({}) and {only}", self.at(filter.span)),
            },
            None => Edit {
                span: Span {
                    start: from.span.end,
                    ..from.span
                },
                text: format!(" where {only}"),
            },
        };
        let says = (
            format!("only `{first}` has a turn, not each player"),
            format!("kolejkę ma tylko `{first}`, a nie każdy gracz"),
        );
        self.plant_structure(Operator::EachExchanged, vec![edit], says);
        filter.into_iter().for_each(|filter| self.condition(filter));
    }

    /// Turns begin with another player.
    pub(super) fn first_player(&mut self, from: &Expr) {
        let first = self.at(from.span).to_owned();
        self.replaced(
            Operator::TurnOrderChanged,
            from.span,
            format!("next({first})"),
        );
        self.value(from);
    }

    fn until(&mut self, until: &Until) {
        if let Until::Condition(condition) = until {
            self.condition(condition);
        }
    }

    pub(super) fn body(&mut self, body: &Body) {
        match body {
            Body::Do(script) => self.script(script),
            Body::Ask(ask) => self.ask(ask, false),
            Body::Visit { args, ensures, .. } => {
                args.iter().for_each(|arg| self.value(arg));
                if let Some((ensures, cite)) = ensures {
                    self.within(ensures.span, cite.as_ref(), |s| s.condition(ensures));
                }
            }
            Body::Play { row, args, .. } => {
                self.value(row);
                args.iter().for_each(|arg| self.value(arg));
            }
            Body::End { .. } => {}
            Body::Steps(steps) => self.steps(steps),
        }
    }

    /// A sentence that begins at a place is missing, with everything below it.
    pub(super) fn removed(&mut self, operator: Operator, sentence: Span) {
        let whole = self.alone.unwrap_or(sentence);
        let Some(extent) = self.extent(whole.start) else {
            return;
        };
        let shown = self.shown(sentence);
        let says = (
            format!("`{shown}` is missing"),
            format!("brakuje `{shown}`"),
        );
        let edit = Edit {
            span: self.lines(extent),
            text: String::new(),
        };
        self.plant_structure(operator, vec![edit], says);
    }

    /// What may be done once may be done any number of times.
    pub(super) fn once_dropped(&mut self, once: &Once) {
        // A limit on a line of its own goes with its clause.
        let cited = once.cite.as_ref().map(|cite| once.span.to(cite.span));
        self.limit_dropped(cited.unwrap_or(once.span), &once.phase);
    }

    /// The same where something happens by itself.
    fn happens_again(&mut self, phase: &Path) {
        if let Some(words) = self.words_before(phase.span.start, "once per") {
            self.limit_dropped(words.to(phase.span), phase);
        }
    }

    fn limit_dropped(&mut self, limit: Span, phase: &Path) {
        let edit = self.taken_out(limit);
        let phase = dotted(phase);
        let says = (
            format!("any number of times, not once per `{phase}`"),
            format!("dowolną liczbę razy, a nie raz na `{phase}`"),
        );
        self.plant_structure(Operator::OnceChanged, vec![edit], says);
    }

    /// What may be done any number of times may be done once.
    pub(super) fn once_added(&mut self, at: u32) {
        let Some(phase) = self.phase.clone() else {
            return;
        };
        let edit = Edit {
            span: Span {
                file: self.file,
                start: at,
                end: at,
            },
            text: format!(", once per {phase}"),
        };
        let says = (
            format!("once per `{phase}`, not any number of times"),
            format!("raz na `{phase}`, a nie dowolną liczbę razy"),
        );
        self.plant_structure(Operator::OnceChanged, vec![edit], says);
    }

    /// What some see is seen by everybody; what one sees is seen by nobody.
    pub(super) fn secrets(&mut self, declaration: Span) {
        for words in ["face down", "seen by", "counted by"] {
            let Some(at) = self.word_in(declaration, words) else {
                continue;
            };
            let whole = match words {
                "face down" => at,
                _ => self.with_next_name(at),
            };
            let shown = self.shown(whole);
            let says = (
                format!("everybody sees it, without `{shown}`"),
                format!("widzą to wszyscy, bez `{shown}`"),
            );
            // Whoever may not even count the pieces sees none of them.
            let counted = format!("counted by{}", &self.at(whole)[words.len()..]);
            if words != "seen by" || self.word_in(declaration, &counted).is_none() {
                let edit = self.taken_out(whole);
                self.plant_structure(Operator::SecretOpened, vec![edit], says);
            }
            if words == "seen by" {
                let edit = Edit {
                    span: whole,
                    text: "face down".to_owned(),
                };
                let says = (
                    format!("nobody sees it: `face down` instead of `{shown}`"),
                    format!("nikt tego nie widzi: `face down` zamiast `{shown}`"),
                );
                self.plant_structure(Operator::AudienceChanged, vec![edit], says);
            }
        }
    }
}

fn before_and_after(is_before: bool) -> (&'static str, &'static str) {
    match is_before {
        true => ("before", "after"),
        false => ("after", "before"),
    }
}

fn moments(word: &str, other: &str) -> (String, String) {
    (
        format!("`{other}` instead of `{word}`"),
        format!("`{other}` zamiast `{word}`"),
    )
}
