//! What the grammar knows and the engine does not play yet.
//!
//! A construct that nothing below reads must never be passed over in silence: the rules would say
//! one thing and the match would do another. So everything of that kind is reported here; a line
//! goes when its construct is played.

use crate::diagnostic::{Code, Diagnostics};
use crate::source::Span;
use crate::syntax::ast::{Ask, Body, Item, MoveDecl, MoveDomain, Step};

/// Reports every construct that cannot be played.
pub(crate) fn report(items: &[Item], diagnostics: &mut Diagnostics) {
    Walk { diagnostics }.items(items);
}

struct Walk<'a> {
    diagnostics: &'a mut Diagnostics,
}

impl Walk<'_> {
    fn refuse(&mut self, span: Span, what: &str) {
        self.diagnostics.push(
            Code::UnplayableConstruct.error(span, format!("not yet playable: {what}"))
                .help("the grammar knows this construct; `grammar/README.md` lists what can be played today"),
        );
    }

    fn refuse_if(&mut self, unplayable: bool, span: Span, what: &str) {
        if unplayable {
            self.refuse(span, what);
        }
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            self.item(item);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Watch(watch) => self.body(&watch.body),
            Item::AnyTime(any) => self.moves(&any.moves),
            Item::Trigger(trigger) => {
                self.body(&trigger.body);
            }
            Item::Phase(phase) => {
                self.items(&phase.items);
                self.steps(&phase.steps);
            }
            Item::Component(component) => self.items(&component.items),
            Item::Addition(addition) => {
                self.moves(&addition.moves);
            }
            Item::Insertion(insertion) => {
                self.body(&insertion.body);
            }
            _ => {}
        }
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.body(&step.body);
        }
    }

    fn body(&mut self, body: &Body) {
        match body {
            Body::Ask(ask) => self.ask(ask),
            Body::Steps(steps) => self.steps(steps),
            _ => {}
        }
    }

    fn ask(&mut self, ask: &Ask) {
        self.refuse_if(ask.sealed, ask.span, "sealed answers");
        for group in &ask.groups {
            self.moves(&group.moves);
        }
    }

    fn moves(&mut self, moves: &[MoveDecl]) {
        for param in moves.iter().flat_map(|m| &m.params) {
            let later = matches!(param.domain, MoveDomain::SequenceOf { .. });
            self.refuse_if(later, param.span, "sequences as parameters");
        }
    }
}
