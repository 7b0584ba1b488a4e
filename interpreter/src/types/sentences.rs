//! Whether the sentences of a package fit what they tell: that there is such a move or event, and that it has what the
//! holes are filled with.
//!
//! In: the package, and the model of one configuration. A move that a module took out, or a component that is not in
//! play, is still written somewhere in the rules, so a sentence for it is no mistake, nor is a part of a sentence for
//! a parameter that such a component adds. Holes are looked at where what fills them is in play.

use std::collections::BTreeSet;

use crate::budget::spend;
use crate::diagnostic::{Code, Diagnostics, did_you_mean};
use crate::numbers::Fit as _;
use crate::package::hole_at;
use crate::program::model::Model;
use crate::program::package::{Package, SentencePair};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Ask, Body, Item, MoveDecl, Replacing, Step};
use crate::syntax::document::read::one_of;

/// Reports sentences for nothing, and holes that nothing fills.
pub(super) fn check(package: &Package, model: &Model, diagnostics: &mut Diagnostics) {
    if package.sentences.is_empty() {
        return;
    }
    let mut written = Written::default();
    for file in &package.rules {
        written.items(&file.tree.items, None);
    }
    for (address, sentence) in &package.sentences {
        spend(1, Some(sentence.at));
        let Some((kind, id)) = address.split_once(' ') else {
            continue;
        };
        let (known, addresses) = match kind {
            "move" => (written.has_move(id), &written.addresses),
            _ => (written.events.contains(id), &written.events),
        };
        if !known {
            let example = match kind {
                "move" => "a move is addressed as `phase.move`",
                _ => "an event is addressed by its name",
            };
            let help = did_you_mean(id, addresses.iter().map(String::as_str));
            diagnostics.push(
                Code::SentenceOfNothing
                    .error(sentence.at, format!("no {kind} is called `{id}`"))
                    .help(help.unwrap_or_else(|| example.to_owned())),
            );
        }
    }
    // A sentence that several moves share is reported once for each hole.
    let mut reported = BTreeSet::new();
    for ask in &model.asks {
        for mv in &ask.moves {
            let mv = &model.moves[*mv];
            spend(1, Some(mv.span));
            if let Some(sentence) = package.of_move(&package.sentences, &ask.step, &mv.name) {
                let params: Vec<&str> = mv.params.iter().map(|param| &*param.name).collect();
                let what = format!("the move `{}`", mv.address);
                let added = |hole: &&str| {
                    let SentencePair { en, pl, .. } = sentence;
                    written.added.contains(*hole)
                        && en.node.may_go_unsaid(hole)
                        && pl.node.may_go_unsaid(hole)
                };
                let mut known = params.clone();
                known.extend(sentence.en.node.holes().into_iter().filter(added));
                let of = (&params[..], &known[..]);
                holes(sentence, &what, of, mv.span, &mut reported, diagnostics);
            }
        }
    }
    for event in &model.events {
        if let Some(sentence) = package.sentences.get(&format!("event {}", event.name)) {
            let params: Vec<&str> = event.params.iter().map(|(name, _)| &**name).collect();
            let what = format!("the event `{}`", event.name);
            let at = written.at.iter().find(|(name, _)| **name == *event.name);
            let at = at.map_or(sentence.at, |(_, span)| *span);
            let of = (&params[..], &params[..]);
            holes(sentence, &what, of, at, &mut reported, diagnostics);
        }
    }
}

/// Reports the holes of a sentence that are none of those known: of the parameters, and of those that some extension adds.
fn holes(
    sentence: &SentencePair,
    what: &str,
    (params, known): (&[&str], &[&str]),
    declared: Span,
    reported: &mut BTreeSet<(Span, String)>,
    diagnostics: &mut Diagnostics,
) {
    for hole in sentence.en.node.holes() {
        if known.contains(&hole) || !reported.insert((sentence.at, hole.to_owned())) {
            continue;
        }
        let help = match params.is_empty() {
            true => format!("{what} has nothing that could fill it: take the hole out"),
            false => did_you_mean(hole, params.iter().copied())
                .unwrap_or_else(|| one_of("it may be", params.iter().copied())),
        };
        let en = Spanned::new(sentence.en.node.to_string(), sentence.en.span);
        let pl = Spanned::new(sentence.pl.node.to_string(), sentence.pl.span);
        diagnostics.push(
            Code::UnknownHole
                .error(hole_at(&en, hole), format!("{what} has no `{hole}`"))
                .also(hole_at(&pl, hole), "and here")
                .also(declared, "what it has is declared here")
                .help(help),
        );
    }
}

/// What the rules of all layers declare.
#[derive(Default)]
struct Written {
    /// Moves within phases, as `phase.move` and `phase.step.move`.
    addresses: BTreeSet<String>,
    /// Names of moves that stand beside questions of any phase.
    anywhere: BTreeSet<String>,
    /// Events.
    events: BTreeSet<String>,
    /// Parameters that extensions add to moves: a component that adds one need not be in play.
    added: BTreeSet<String>,
    /// Where events are declared.
    at: Vec<(String, Span)>,
}

impl Written {
    fn has_move(&self, address: &str) -> bool {
        let name = address.rsplit('.').next().unwrap_or(address);
        self.addresses.contains(address) || self.anywhere.contains(name)
    }

    fn items(&mut self, items: &[Item], phase: Option<&str>) {
        spend(items.len().fit(), None);
        for item in items {
            match item {
                Item::Event(event) => {
                    let name = event.name.node.to_string();
                    self.at.push((name.clone(), event.name.span));
                    self.events.insert(name);
                }
                Item::Watch(watch) => self.body(&watch.body, phase, None),
                Item::Trigger(trigger) => self.body(&trigger.body, phase, None),
                Item::Insertion(insertion) => {
                    let name = insertion.name.as_ref().map(|name| name.node.as_str());
                    self.body(&insertion.body, phase, name);
                }
                Item::Extension(extension) => {
                    let params = extension.params.iter();
                    self.added
                        .extend(params.map(|param| param.name.node.to_string()));
                }
                Item::AnyTime(any) => self.moves(&any.moves, None, None),
                Item::Phase(inner) => {
                    self.items(&inner.items, Some(&inner.name.node));
                    self.steps(&inner.steps, Some(&inner.name.node));
                }
                Item::Component(component) => self.items(&component.items, phase),
                Item::Addition(addition) => {
                    for step in std::iter::once(&addition.step).chain(&addition.also) {
                        let mut parts = step.parts.iter().map(|part| part.node.as_str());
                        let (phase, step) = (parts.next(), parts.next());
                        self.moves(&addition.moves, phase, step);
                    }
                }
                Item::Replacement(replacement) => {
                    let mut parts = replacement
                        .target
                        .parts
                        .iter()
                        .map(|part| part.node.as_str());
                    let (phase, step) = (parts.next(), parts.next());
                    match &replacement.with {
                        Replacing::Step(new) => self.body(&new.body, phase, step),
                        Replacing::Move(new) => self.moves(std::slice::from_ref(new), phase, None),
                        Replacing::Query(_) => {}
                    }
                }
                _ => {}
            }
        }
    }

    fn steps(&mut self, steps: &[Step], phase: Option<&str>) {
        for step in steps {
            self.body(&step.body, phase, Some(&step.name.node));
        }
    }

    fn body(&mut self, body: &Body, phase: Option<&str>, step: Option<&str>) {
        match body {
            Body::Ask(ask) => self.ask(ask, phase, step),
            Body::Steps(steps) => self.steps(steps, phase),
            _ => {}
        }
    }

    fn ask(&mut self, ask: &Ask, phase: Option<&str>, step: Option<&str>) {
        for group in &ask.groups {
            self.moves(&group.moves, phase, step);
        }
    }

    fn moves(&mut self, moves: &[MoveDecl], phase: Option<&str>, step: Option<&str>) {
        for mv in moves {
            let name = &mv.name.node;
            let Some(phase) = phase else {
                self.anywhere.insert(name.to_string());
                continue;
            };
            self.addresses.insert(format!("{phase}.{name}"));
            if let Some(step) = step {
                self.addresses.insert(format!("{phase}.{step}.{name}"));
            }
        }
    }
}
