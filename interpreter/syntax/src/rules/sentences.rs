//! The sentences at the left margin and below components.

use super::Reader;
use super::grammar::Rule;
use super::kinds::Kind;
use super::messages::misspelt;
use super::moves::once_per;
use super::node::{Node, Parts};
use crate::ast::*;
use crate::diagnostic::Code;
use crate::layout::Line;
use crate::source::Spanned;

impl Reader<'_> {
    /// Reads one item: at the left margin, or below a component or a phase.
    pub(super) fn item(&mut self, line: &Line, owner: Option<&Component>) -> Option<Item> {
        let Some(kind) = line.kind else {
            self.unknown(line, None);
            return None;
        };
        if owner.is_none() && !Kind::below(None).contains(&kind) {
            self.misplaced(line, kind, None);
            self.survey(line);
            return None;
        }
        Some(match kind {
            Kind::Place => Item::Place(self.place(line)?),
            Kind::Counter => Item::Counter(self.counter(line)?),
            Kind::Marker => Item::Marker(self.marker(line)?),
            Kind::Event => Item::Event(self.event(line)?),
            Kind::Query | Kind::Hint => Item::Query(self.query(line)?),
            Kind::Modify | Kind::Allow => Item::Contribution(self.contribution(line)?),
            Kind::Trigger => Item::Trigger(self.trigger(line)?),
            Kind::Effect => Item::Effect(self.effect(line)?),
            Kind::Phase => Item::Phase(self.phase(line)?),
            Kind::Ending => Item::Ending(self.ending(line)?),
            Kind::Score => Item::Score(self.score(line, owner)?),
            Kind::Winner => Item::Winner(self.winner(line)?),
            Kind::Require => Item::Require(self.require(line)?),
            Kind::Component => Item::Component(self.component(line)?),
            Kind::Addition => Item::Addition(self.addition(line)?),
            Kind::Extension => Item::Extension(self.extension(line)?),
            Kind::Insertion => Item::Insertion(self.insertion(line)?),
            Kind::Replacement => Item::Replacement(self.replacement(line)?),
            Kind::Disable => Item::Disable(self.disable(line)?),
            Kind::Record => Item::Record(self.record(line)?),
            Kind::Die => Item::Die(self.die(line)?),
            Kind::Watch => Item::Watch(self.watch(line)?),
            Kind::AnyTime => Item::AnyTime(self.any_time(line)?),
            _ => return None,
        })
    }

    /// Reports what stands below a sentence that takes nothing below it.
    fn nothing_below(&mut self, line: &Line) {
        self.below(line);
    }

    /// What begins a sentence that declares something and takes nothing below it: a name, and parameters.
    fn declaration<'l>(&mut self, line: &'l Line) -> Option<(Parts<'l>, Name, Vec<Param>)> {
        let mut parts = self.read(line)?;
        self.nothing_below(line);
        let name = self.next_declared(&mut parts)?;
        let params = self.next_params(&mut parts);
        Some((parts, name, params))
    }

    pub(super) fn place(&mut self, line: &Line) -> Option<Place> {
        let (mut parts, name, index) = self.declaration(line)?;
        parts.find_rule(Rule::s_colon)?;
        let pile = parts.next_if(Rule::pile).is_some();
        let of = parts.find_rule(Rule::name)?.name();
        let mut place = Place {
            name,
            index,
            pile,
            of,
            visibility: Visibility::default(),
            lies_on: None,
            room: None,
            starts: None,
            refilled: None,
            endless: false,
            cite: line.cite.clone(),
            span: line.span,
        };
        for part in parts.within(Rule::place_part) {
            match part.rule() {
                Rule::lies_on => place.lies_on = Some(self.expr_of(part)),
                Rule::room => place.room = Some(self.expr_of(part)),
                Rule::refilled => place.refilled = Some(self.expr_of(part)),
                Rule::k_endless => place.endless = true,
                Rule::starts_each => {
                    let mut parts = part.parts();
                    let var = parts.find_rule(Rule::name)?.name();
                    place.starts = Some((var, self.next_expr(&mut parts)));
                }
                Rule::counted_by => place.visibility.count = sight(part),
                _ => place.visibility.faces = sight(part),
            }
        }
        Some(place)
    }

    fn counter(&mut self, line: &Line) -> Option<Counter> {
        let (parts, name, index) = self.declaration(line)?;
        let mut counter = Counter {
            name,
            index,
            sight: Sight::Everybody,
            most: None,
            starts: None,
            cite: line.cite.clone(),
            span: line.span,
        };
        for part in parts.within(Rule::counter_part) {
            match part.rule() {
                Rule::at_most => counter.most = Some(self.expr_of(part)),
                Rule::starts => counter.starts = Some(self.expr_of(part)),
                _ => counter.sight = sight(part),
            }
        }
        Some(counter)
    }

    fn marker(&mut self, line: &Line) -> Option<Marker> {
        let (mut parts, name, index) = self.declaration(line)?;
        let ty = self.ty(parts.find_rule(Rule::ty)?);
        let mut marker = Marker {
            name,
            index,
            ty,
            sight: Sight::Everybody,
            starts: None,
            cite: line.cite.clone(),
            span: line.span,
        };
        for part in parts.within(Rule::marker_part) {
            match part.rule() {
                Rule::starts => marker.starts = Some(self.expr_of(part)),
                _ => marker.sight = sight(part),
            }
        }
        Some(marker)
    }

    fn event(&mut self, line: &Line) -> Option<EventDecl> {
        let (_, name, params) = self.declaration(line)?;
        Some(EventDecl {
            name,
            params,
            cite: line.cite.clone(),
            span: line.span,
        })
    }

    fn record(&mut self, line: &Line) -> Option<RecordDecl> {
        let (_, name, fields) = self.declaration(line)?;
        Some(RecordDecl {
            name,
            fields,
            cite: line.cite.clone(),
            span: line.span,
        })
    }

    fn die(&mut self, line: &Line) -> Option<Die> {
        let mut parts = self.read(line)?;
        self.nothing_below(line);
        let name = self.next_declared(&mut parts)?;
        let node = parts.find(|n| matches!(n.rule(), Rule::number_range | Rule::die_table))?;
        let is_table = node.rule() == Rule::die_table;
        let mut parts = node.parts();
        let faces = if is_table {
            let table = parts.find_rule(Rule::name)?.name();
            let counted = parts
                .find_rule(Rule::name)
                .map(|var| (var.name(), self.next_expr(&mut parts)));
            DieFaces::Rows(table, counted)
        } else {
            let from = self.next_expr(&mut parts);
            DieFaces::Range(from, self.next_expr(&mut parts))
        };
        Some(Die {
            name,
            faces,
            cite: line.cite.clone(),
            span: line.span,
        })
    }

    fn effect(&mut self, line: &Line) -> Option<EffectDecl> {
        let mut parts = self.read(line)?;
        let name = self.next_declared(&mut parts)?;
        let params = self.next_params(&mut parts);
        let inline = parts.find_rule(Rule::script).map(|n| self.script(n));
        let (script, cite) = self.only_script(line, inline);
        let cite = self.either_cite(&line.cite, &cite);
        let Some(script) = script else {
            self.report(
                Code::IncompleteSentence
                    .error(
                        name.span,
                        format!("the effect `{}` does nothing", name.node),
                    )
                    .help("write `do { … }` below it"),
            );
            return None;
        };
        Some(EffectDecl {
            name,
            params,
            script,
            cite,
            span: line.span,
        })
    }

    pub(super) fn query(&mut self, line: &Line) -> Option<Query> {
        let mut parts = self.read(line)?;
        let hint = parts.has(Rule::k_hint);
        let name = self.next_declared(&mut parts)?;
        let params = self.next_params(&mut parts);
        let ty = self.ty(parts.find_rule(Rule::ty)?);
        let single = parts.find_rule(Rule::expr).map(|n| self.expr(n));
        let mut cases = Vec::new();
        let mut otherwise = single.map(|value| QueryCase {
            when: None,
            value,
            cite: None,
        });
        let (mut least, mut most) = (None, None);
        let mut sound = true;
        for child in self.below(line) {
            let Some(mut parts) = self.read(child) else {
                sound = false;
                continue;
            };
            self.nothing_below(child);
            let cite = child.cite.clone();
            match child.kind {
                Some(Kind::Case) => {
                    let when = Some(self.next_expr(&mut parts));
                    let value = self.next_expr(&mut parts);
                    if let Some(otherwise) = &otherwise {
                        self.report(
                            Code::MisplacedSentence
                                .error(child.span, "this case is never reached")
                                .also(
                                    otherwise.value.span,
                                    "the value for every other case stands here",
                                )
                                .help("write the cases first, and `otherwise -> …` last"),
                        );
                    }
                    cases.push(QueryCase { when, value, cite });
                }
                Some(Kind::Otherwise) => {
                    let value = self.next_expr(&mut parts);
                    match &otherwise {
                        Some(first) => {
                            self.twice(child.span, first.value.span, "the value of this query")
                        }
                        None => {
                            otherwise = Some(QueryCase {
                                when: None,
                                value,
                                cite,
                            })
                        }
                    }
                }
                _ => {
                    let bound = parts.find_rule(Rule::bound)?;
                    let is_least = bound.clone().parts().has(Rule::k_least);
                    let value = self.expr_of(bound);
                    let slot = if is_least { &mut least } else { &mut most };
                    if slot.replace((value, cite)).is_some() {
                        let what = if is_least { "`at least`" } else { "`at most`" };
                        self.twice(child.span, line.span.at_start(), what);
                    }
                }
            }
        }
        let Some(otherwise) = otherwise else {
            if sound {
                self.report(
                    Code::IncompleteSentence
                        .error(
                            name.span,
                            format!(
                                "the {} `{}` has no value for every case",
                                if hint { "hint" } else { "query" },
                                name.node
                            ),
                        )
                        .help(
                            "write `= …` behind its type, or end its cases with `otherwise -> …`",
                        ),
                );
            }
            return None;
        };
        Some(Query {
            hint,
            name,
            params,
            ty,
            cases,
            otherwise,
            least,
            most,
            cite: line.cite.clone(),
            span: line.span,
        })
    }

    pub(super) fn contribution(&mut self, line: &Line) -> Option<Contribution> {
        let parts = self.read(line)?;
        self.nothing_below(line);
        let mut contribution = Contribution {
            name: None,
            query: Path {
                parts: Vec::new(),
                span: line.span,
            },
            args: Vec::new(),
            layer: Layer::Allow,
            when: None,
            cite: line.cite.clone(),
            span: line.span,
        };
        for part in parts {
            match part.rule() {
                Rule::path => contribution.query = part.path(),
                Rule::names => contribution.args = part.names(),
                Rule::k_forbid => contribution.layer = Layer::Forbid,
                Rule::layer => contribution.layer = self.layer(part)?,
                Rule::when => contribution.when = Some(self.expr_of(part)),
                Rule::as_name => {
                    contribution.name = part.parts().find_rule(Rule::name).map(|n| n.name())
                }
                _ => {}
            }
        }
        Some(contribution)
    }

    fn layer(&mut self, node: Node) -> Option<Layer> {
        let node = node.parts().next()?;
        let rule = node.rule();
        let is_least = node.clone().parts().has(Rule::k_least);
        let value = self.expr_of(node);
        Some(match rule {
            Rule::becomes => Layer::Becomes(value),
            Rule::by => Layer::By(value),
            Rule::times => Layer::Times(value),
            _ if is_least => Layer::AtLeast(value),
            _ => Layer::AtMost(value),
        })
    }

    pub(super) fn trigger(&mut self, line: &Line) -> Option<Trigger> {
        let parts = self.read(line)?;
        let mut event = None;
        let mut args = Vec::new();
        let (mut when, mut once, mut inline, mut name) = (None, None, None, None);
        let mut order = Vec::new();
        for part in parts {
            match part.rule() {
                Rule::order => {
                    let parts = part.parts();
                    let before = parts.has(Rule::k_before);
                    order.extend(parts.all(Rule::path).map(|n| (before, n.path())));
                }
                Rule::as_name => name = part.parts().find_rule(Rule::name).map(|n| n.name()),
                Rule::path => event = Some(part.path()),
                Rule::names => args = part.names(),
                Rule::when => when = Some(self.expr_of(part)),
                Rule::once => once = part.parts().find_rule(Rule::path).map(|n| n.path()),
                Rule::body => inline = Some(part),
                _ => {}
            }
        }
        let (body, cite) = self.body(line, inline, "this trigger")?;
        let cite = self.either_cite(&line.cite, &cite);
        Some(Trigger {
            event: event?,
            args,
            when,
            once,
            order,
            name,
            body,
            cite,
            span: line.span,
        })
    }

    pub(super) fn watch(&mut self, line: &Line) -> Option<Watch> {
        let parts = self.read(line)?;
        let (mut condition, mut player, mut name, mut inline) = (None, None, None, None);
        let mut reveals = false;
        for part in parts {
            match part.rule() {
                Rule::k_reveals => reveals = true,
                Rule::expr => condition = Some(self.expr(part)),
                Rule::for_each => player = part.parts().find_rule(Rule::name).map(|n| n.name()),
                Rule::as_name => name = part.parts().find_rule(Rule::name).map(|n| n.name()),
                Rule::body => inline = Some(part),
                _ => {}
            }
        }
        let (body, cite) = self.body(line, inline, "this watch")?;
        let cite = self.either_cite(&line.cite, &cite);
        Some(Watch {
            name,
            condition: condition?,
            player,
            reveals,
            body,
            cite,
            span: line.span,
        })
    }

    pub(super) fn any_time(&mut self, line: &Line) -> Option<AnyTime> {
        let mut parts = self.read(line)?;
        let player = parts
            .clone()
            .find_rule(Rule::for_each)
            .and_then(|n| n.parts().find_rule(Rule::name))
            .map(|n| n.name());
        let when = parts.find_rule(Rule::when).map(|n| self.expr_of(n));
        let mut moves = Vec::new();
        for child in self.below(line) {
            let Some(found) = self.move_decl(child) else {
                continue;
            };
            if !found.free {
                self.report(
                    Code::IncompleteSentence.error(found.name.span,
                        format!(
                            "`{}` is offered at any time but is not free",
                            found.name.node
                        ),
                    )
                    .help(
                        "write `free move`: it stands beside the question and does not answer it",
                    ),
                );
            }
            moves.push(found);
        }
        if line.below.is_empty() {
            self.report(
                Code::IncompleteSentence
                    .error(line.span, "no move is added here")
                    .help("write `free move …` below it"),
            );
        }
        Some(AnyTime {
            player,
            when,
            moves,
            cite: line.cite.clone(),
            span: line.span,
        })
    }

    fn ending(&mut self, line: &Line) -> Option<Ending> {
        let mut parts = self.read(line)?;
        self.nothing_below(line);
        let name = self.next_declared(&mut parts)?;
        let when = parts.next_if(Rule::when).map(|n| self.expr_of(n));
        let after = parts.find_rule(Rule::path).map(|n| n.path());
        Some(Ending {
            name,
            when,
            after,
            cite: line.cite.clone(),
            span: line.span,
        })
    }

    fn require(&mut self, line: &Line) -> Option<Require> {
        let mut parts = self.read(line)?;
        self.nothing_below(line);
        Some(Require {
            condition: self.next_expr(&mut parts),
            cite: line.cite.clone(),
            span: line.span,
        })
    }

    fn score(&mut self, line: &Line, owner: Option<&Component>) -> Option<Score> {
        let mut parts = self.read(line)?;
        self.nothing_below(line);
        let last = parts.has(Rule::k_last);
        let mut names = parts.clone().all(Rule::name).map(|n| n.name());
        let (name, player) = match (names.next(), names.next(), owner) {
            (Some(name), Some(player), _) => (name, player),
            // A component's line is named after it and scores its owner.
            (
                _,
                _,
                Some(Component {
                    row,
                    owner: Some((player, _)),
                    ..
                }),
            ) => (Spanned::new(row.node.clone(), row.span), player.clone()),
            _ => {
                self.report(
                    Code::IncompleteSentence
                        .error(
                            line.span.at_start(),
                            "this line of the score has no name and no player",
                        )
                        .help("write `score chips for p: …`"),
                );
                return None;
            }
        };
        let when = parts.clone().find_rule(Rule::when).map(|n| self.expr_of(n));
        let value = self.next_expr(&mut parts);
        Some(Score {
            name,
            player,
            last,
            when,
            value,
            cite: line.cite.clone(),
            span: line.span,
        })
    }

    fn winner(&mut self, line: &Line) -> Option<Winner> {
        let mut parts = self.read(line)?;
        let player = parts.find_rule(Rule::name)?.name();
        let mut criteria = Vec::new();
        if let Some(first) = parts.find_rule(Rule::criterion) {
            criteria.push(self.criterion(first, &line.cite));
        }
        for child in self.below(line) {
            let Some(mut parts) = self.read(child) else {
                continue;
            };
            self.nothing_below(child);
            if let Some(next) = parts.find_rule(Rule::criterion) {
                criteria.push(self.criterion(next, &child.cite));
            }
        }
        Some(Winner {
            player,
            criteria,
            span: line.span,
        })
    }

    fn criterion(&mut self, node: Node, cite: &Option<Cite>) -> (bool, Expr, Option<Cite>) {
        let most = node.clone().parts().has(Rule::k_most);
        (most, self.expr_of(node), cite.clone())
    }

    fn component(&mut self, line: &Line) -> Option<Component> {
        if misspelt(line) {
            self.unknown(line, None);
            return None;
        }
        let mut parts = self.read(line)?;
        let table = parts.find_rule(Rule::name)?.name();
        let row = parts.find_rule(Rule::name)?.name();
        let owner = parts.find_rule(Rule::owner).and_then(|n| {
            let mut names = n.names().into_iter();
            names.next().map(|name| (name, names.next()))
        });
        let mut component = Component {
            table,
            row,
            owner,
            items: Vec::new(),
            cite: line.cite.clone(),
            span: line.span,
        };
        let below = self.below(line);
        if below.is_empty() && line.below.is_empty() {
            self.report(
                Code::IncompleteSentence
                    .error(
                        line.span,
                        format!(
                            "`{} {}` brings no rule",
                            component.table.node, component.row.node
                        ),
                    )
                    .help("write its rules below it; a component without rules needs no sentence"),
            );
        }
        for child in below {
            if let Some(item) = self.item(child, Some(&component)) {
                component.items.push(item);
            }
        }
        Some(component)
    }

    fn addition(&mut self, line: &Line) -> Option<Addition> {
        let mut parts = self.read(line)?;
        let step = parts.find_rule(Rule::path)?.path();
        let also = parts.all(Rule::path).map(|n| n.path()).collect();
        let mut moves = Vec::new();
        for child in self.below(line) {
            moves.extend(self.move_decl(child));
        }
        if line.below.is_empty() {
            self.report(
                Code::IncompleteSentence
                    .error(line.span, "no move is added here")
                    .help("write `move …` below it"),
            );
        }
        Some(Addition {
            step,
            also,
            moves,
            cite: line.cite.clone(),
            span: line.span,
        })
    }

    fn extension(&mut self, line: &Line) -> Option<Extension> {
        let parts = self.read(line)?;
        let mut moves = Vec::new();
        let mut params = Vec::new();
        let (mut once, mut before) = (None, None);
        for part in parts {
            match part.rule() {
                Rule::path => moves.push(part.path()),
                Rule::move_param => params.extend(self.move_param(part)),
                Rule::once => once = once_per(part),
                Rule::before_param => before = part.parts().find_rule(Rule::name).map(|n| n.name()),
                _ => {}
            }
        }
        let mut items = Vec::new();
        for child in &line.below {
            if let Some(Kind::Modify | Kind::Allow) = child.kind {
                items.extend(self.contribution(child).map(Item::Contribution));
            }
        }
        let below = self.move_body(line, once);
        let cite = line.cite.clone();
        Some(Extension {
            moves,
            params,
            before,
            once: below.once,
            items,
            needs: below.needs,
            ensures: below.ensures,
            effect: below.effect,
            cite,
            span: line.span,
        })
    }

    fn insertion(&mut self, line: &Line) -> Option<Insertion> {
        let parts = self.read(line)?;
        let mut moment = Moment::Before;
        let (mut player, mut target, mut when, mut name, mut inline) =
            (None, None, None, None, None);
        let mut owner_orders = false;
        for part in parts {
            match part.rule() {
                Rule::moment => (moment, player) = moment_of(part)?,
                Rule::path => target = Some(part.path()),
                Rule::when => when = Some(self.expr_of(part)),
                Rule::owner_orders => owner_orders = true,
                Rule::as_name => name = part.parts().find_rule(Rule::name).map(|n| n.name()),
                Rule::body => inline = Some(part),
                _ => {}
            }
        }
        let (body, cite) = self.body(line, inline, "this insertion")?;
        let cite = self.either_cite(&line.cite, &cite);
        Some(Insertion {
            moment,
            player,
            target: target?,
            when,
            owner_orders,
            name,
            body,
            cite,
            span: line.span,
        })
    }

    fn replacement(&mut self, line: &Line) -> Option<Replacement> {
        let mut parts = self.read(line)?;
        let target = parts.find_rule(Rule::path)?.path();
        let after = parts.find_rule(Rule::name).map(|n| n.name());
        let below = self.below(line);
        if below.len() != 1 {
            let message = format!(
                "`{}` is replaced by {} sentences instead of one",
                self.sources.text(target.span),
                below.len()
            );
            self.report(Code::IncompleteSentence.error(line.span, message).help(
                "write one `step`, `move` or `query` below it; to remove a rule, write `disable`",
            ));
        }
        let child = *below.first()?;
        let with = match child.kind {
            Some(Kind::Step) => Replacing::Step(Box::new(self.step(child)?)),
            Some(Kind::Move) => Replacing::Move(Box::new(self.move_decl(child)?)),
            _ => Replacing::Query(Box::new(self.query(child)?)),
        };
        Some(Replacement {
            target,
            with,
            after,
            cite: line.cite.clone(),
            span: line.span,
        })
    }

    fn disable(&mut self, line: &Line) -> Option<Disable> {
        let mut parts = self.read(line)?;
        self.nothing_below(line);
        let target = parts.find_rule(Rule::path)?.path();
        Some(Disable {
            target,
            cite: line.cite.clone(),
            span: line.span,
        })
    }

    /// The next name, which the sentence declares.
    pub(super) fn next_declared(&mut self, parts: &mut Parts) -> Option<Name> {
        let name = parts.find_rule(Rule::name)?.name();
        Some(self.declared(name))
    }

    /// The parameters, if they come next.
    pub(super) fn next_params(&mut self, parts: &mut Parts) -> Vec<Param> {
        parts
            .next_if(Rule::params)
            .map(|n| self.params(n))
            .unwrap_or_default()
    }
}

/// `face down`, `seen by p`, `counted by p`.
pub(super) fn sight(node: Node) -> Sight {
    node.parts()
        .find_rule(Rule::name)
        .map_or(Sight::Nobody, |n| Sight::Only(n.name()))
}

/// When an insertion happens, and the player whose turn it is.
fn moment_of(node: Node) -> Option<(Moment, Option<Name>)> {
    let node = node.parts().next()?;
    Some(match node.rule() {
        Rule::k_before => (Moment::Before, None),
        Rule::k_after => (Moment::After, None),
        Rule::at_start => (Moment::AtStart, None),
        Rule::at_end => (Moment::AtEnd, None),
        _ => {
            let parts = node.parts();
            let moment = match (parts.has(Rule::k_before), parts.has(Rule::k_first)) {
                (true, true) => Moment::BeforeFirstTurn,
                (true, false) => Moment::BeforeTurn,
                (false, true) => Moment::AfterFirstTurn,
                (false, false) => Moment::AfterTurn,
            };
            (
                moment,
                parts.clone().find_rule(Rule::name).map(|n| n.name()),
            )
        }
    })
}
