//! Phases, their steps, and what a step does.

use super::Reader;
use super::grammar::Rule;
use super::kinds::Kind;
use super::node::Node;
use super::sentences::sight;
use crate::ast::*;
use crate::diagnostic::Code;
use crate::layout::Line;

impl Reader<'_> {
    pub(super) fn phase(&mut self, line: &Line) -> Option<Phase> {
        let mut parts = self.read(line)?;
        let name = self.next_declared(&mut parts)?;
        let params = self.next_params(&mut parts);
        let mut phase = Phase {
            name,
            params,
            plays: Vec::new(),
            depth: None,
            keeps: Vec::new(),
            queries: Vec::new(),
            items: Vec::new(),
            steps: Vec::new(),
            cite: line.cite.clone(),
            span: line.span,
        };
        for part in parts.all(Rule::phase_part).flat_map(Node::parts) {
            match part.rule() {
                Rule::plays => phase
                    .plays
                    .extend(part.parts().all(Rule::row).filter_map(|row| {
                        let mut names = row.names().into_iter();
                        Some(PlaysRow {
                            table: names.next()?,
                            row: names.next()?,
                        })
                    })),
                Rule::depth => {
                    phase.depth = part.parts().find_rule(Rule::int).map(|n| self.int(&n))
                }
                _ => {}
            }
        }
        for child in self.below(line) {
            match child.kind {
                Some(Kind::Keep) => phase.keeps.extend(self.keep(child)),
                Some(Kind::Query) => phase.queries.extend(self.query(child)),
                Some(Kind::Modify | Kind::Allow) => {
                    phase
                        .items
                        .extend(self.contribution(child).map(Item::Contribution));
                }
                Some(Kind::Place) => phase.items.extend(self.place(child).map(Item::Place)),
                Some(Kind::Watch) => phase.items.extend(self.watch(child).map(Item::Watch)),
                Some(Kind::AnyTime) => {
                    phase.items.extend(self.any_time(child).map(Item::AnyTime));
                }
                Some(Kind::Trigger) => phase.items.extend(self.trigger(child).map(Item::Trigger)),
                _ => self.push_step(child, &mut phase.steps),
            }
        }
        Some(phase)
    }

    fn keep(&mut self, line: &Line) -> Option<Keep> {
        let mut parts = self.read(line)?;
        self.below(line);
        let name = self.next_declared(&mut parts)?;
        let index = self.next_params(&mut parts);
        let ty = self.ty(parts.find_rule(Rule::ty)?);
        let sight = parts
            .all(Rule::keeps_part)
            .flat_map(Node::parts)
            .find(|n| n.rule() != Rule::s_comma)
            .map_or(Sight::Everybody, sight);
        Some(Keep {
            name,
            index,
            ty,
            sight,
            cite: line.cite.clone(),
            span: line.span,
        })
    }

    fn push_step(&mut self, line: &Line, steps: &mut Vec<Step>) {
        let Some(step) = self.step(line) else { return };
        if let Some(first) = steps.iter().find(|s| s.name.node == step.name.node) {
            let first = first.name.span;
            self.twice(
                step.name.span,
                first,
                &format!("the step `{}`", step.name.node),
            );
        }
        steps.push(step);
    }

    pub(super) fn step(&mut self, line: &Line) -> Option<Step> {
        let mut parts = self.read(line)?;
        let name = parts.find_rule(Rule::name)?.name();
        let (mut over, mut when, mut inline) = (Over::Once, None, None);
        for part in parts {
            match part.rule() {
                Rule::over => over = self.over(part)?,
                Rule::when => {
                    let place = part.span();
                    let condition = self.expr_of(part);
                    if let Some(first) = when.replace(condition) {
                        self.twice(place, first.span, "the condition of this step");
                    }
                }
                Rule::body => inline = Some(part),
                _ => {}
            }
        }
        let (body, cite) = self.body(line, inline, &format!("the step `{}`", name.node))?;
        let cite = self.either_cite(&line.cite, &cite);
        Some(Step {
            name,
            over,
            when,
            body,
            cite,
            span: line.span,
        })
    }

    fn over(&mut self, node: Node) -> Option<Over> {
        let node = node.parts().next()?;
        let rule = node.rule();
        let mut var = None;
        let mut domain = None;
        let mut filter = None;
        let mut until = None;
        for part in node.parts() {
            match part.rule() {
                Rule::name => var = Some(part.name()),
                Rule::expr => domain = Some(self.expr(part)),
                Rule::domain => domain = Some(self.domain(part)),
                Rule::filter => filter = Some(self.expr_of(part)),
                Rule::until => until = Some(self.until(part)?),
                _ => {}
            }
        }
        Some(match rule {
            Rule::each_player => Over::EachPlayer {
                var: var?,
                from: domain?,
                filter,
            },
            Rule::cycle => Over::Cycle {
                var: var?,
                from: domain?,
                until: until?,
            },
            Rule::each_row => Over::EachRow {
                var: var?,
                domain: domain?,
                filter,
            },
            _ => Over::Repeat { until: until? },
        })
    }

    fn until(&mut self, node: Node) -> Option<Until> {
        let node = node.parts().next()?;
        Some(match node.rule() {
            Rule::lap_without => Until::LapWithout(node.parts().find_rule(Rule::path)?.path()),
            Rule::game_ends => Until::Forever,
            _ => Until::Condition(self.expr(node)),
        })
    }

    /// What a step, trigger or insertion does: behind its colon, or below it.
    ///
    /// The second part is the citation of the sentence that says it, if it is one of its own and keeps
    /// none itself.
    pub(super) fn body(
        &mut self,
        line: &Line,
        inline: Option<Node>,
        what: &str,
    ) -> Option<(Body, Option<Cite>)> {
        let below = self.below(line);
        if let Some(inline) = inline {
            return Some((self.body_of(inline, below, None)?, None));
        }
        let mut steps = Vec::new();
        let mut bodies = Vec::new();
        for child in below {
            match child.kind {
                Some(Kind::Step) => self.push_step(child, &mut steps),
                Some(Kind::Script | Kind::Body | Kind::Ask) => bodies.push(child),
                Some(kind) => self.misplaced(child, kind, line.kind),
                None => {}
            }
        }
        if let (Some(first), second) = (bodies.first(), bodies.get(1)) {
            let other = second
                .map(|b| b.span)
                .or_else(|| steps.first().map(|s| s.span));
            if let Some(other) = other {
                self.report(
                    Code::RepeatedElement
                        .error(other.max(first.span), format!("{what} does two things"))
                        .also(other.min(first.span), "this is the first")
                        .help("make two steps of it, one below the other"),
                );
            }
            let mut parts = self.read(first)?;
            let below = self.below(first);
            let body = self.body_of(parts.find_rule(Rule::body)?, below, first.cite.clone())?;
            // A question keeps its citation; what has no place for one gives it to the sentence above.
            let cite = if matches!(body, Body::Ask(_)) {
                None
            } else {
                first.cite.clone()
            };
            return Some((body, cite));
        }
        if steps.is_empty() {
            if line.below.is_empty() {
                self.report(
                    Code::IncompleteSentence
                        .error(line.span, format!("{what} does nothing"))
                        .help(
                            "say what happens: `do { … }`, `ask …`, `visit …`, or steps below it",
                        ),
                );
            }
            return None;
        }
        Some((Body::Steps(steps), None))
    }

    fn body_of(&mut self, node: Node, below: Vec<&Line>, cite: Option<Cite>) -> Option<Body> {
        let node = node.parts().next()?;
        let span = node.span();
        let rule = node.rule();
        if rule == Rule::ask {
            return Some(Body::Ask(Box::new(self.ask(node, below, cite)?)));
        }
        let mut ensures = None;
        let below_of = if rule == Rule::script {
            Kind::Script
        } else {
            Kind::Body
        };
        for child in below {
            match child.kind {
                Some(Kind::Ensure) if rule == Rule::visit => {
                    let need = self.need(child)?;
                    ensures = Some((need.condition, need.cite));
                }
                kind => self.misplaced(child, kind.unwrap_or(Kind::Body), Some(below_of)),
            }
        }
        Some(match rule {
            Rule::script => Body::Do(self.script(node)),
            Rule::visit => {
                let mut parts = node.parts();
                let phase = parts.find_rule(Rule::path)?.path();
                let args = parts
                    .find_rule(Rule::args)
                    .map(|n| self.args(n))
                    .unwrap_or_default();
                Body::Visit {
                    phase,
                    args,
                    ensures,
                    span,
                }
            }
            Rule::play => {
                let mut exprs = node
                    .parts()
                    .all(Rule::expr)
                    .map(|n| self.expr(n))
                    .collect::<Vec<_>>()
                    .into_iter();
                Body::Play {
                    row: exprs.next()?,
                    args: exprs.collect(),
                    span,
                }
            }
            _ => Body::End {
                target: node.parts().find_rule(Rule::path)?.path(),
                span,
            },
        })
    }

    /// The script below an effect or a move, if there is one, and its citation.
    pub(super) fn only_script(
        &mut self,
        line: &Line,
        inline: Option<Script>,
    ) -> (Option<Script>, Option<Cite>) {
        let mut script = inline;
        let mut cite = None;
        for child in self
            .below(line)
            .into_iter()
            .filter(|c| c.kind == Some(Kind::Script))
        {
            let Some(mut parts) = self.read(child) else {
                continue;
            };
            self.below(child);
            let node = parts.find_rule(Rule::body).and_then(|b| b.parts().next());
            let Some(node) = node.filter(|n| n.rule() == Rule::script) else {
                continue;
            };
            let next = self.script(node);
            if let Some(first) = &script {
                self.twice(child.span, first.span, "the effect");
                continue;
            }
            script = Some(next);
            cite = child.cite.clone();
        }
        (script, cite)
    }
}
