//! Questions and their moves.

use super::super::Operator;
use super::super::mutant::Edit;
use super::Planter;
use crate::numbers::{At as _, Fit as _};
use crate::source::Span;
use crate::syntax::ast::{
    Ask, BagLimit, Extension, MoveDecl, MoveDomain, MoveParam, Need, SpreadIndex,
};

impl Planter<'_> {
    /// A question, which `repeats` if the same seat may be asked again.
    pub(super) fn ask(&mut self, ask: &Ask, repeats: bool) {
        self.within(ask.span, ask.cite.as_ref(), |s| {
            match &ask.each {
                Some(each) if each.clockwise => s.first_player(&ask.seats),
                _ => s.value(&ask.seats),
            }
            let filter = ask.each.as_ref().and_then(|each| each.filter.as_ref());
            filter.into_iter().for_each(|filter| s.condition(filter));
            if let Some(at) = s.word_in(ask.span, "sealed") {
                let edit = s.taken_out(at);
                let says = (
                    "answers are seen as they are given".to_owned(),
                    "odpowiedzi widać od razu".to_owned(),
                );
                s.plant_structure(Operator::SecretOpened, vec![edit], says);
            }
            for seen in &ask.sees {
                if let Some(word) = s.words_before(seen.span.start, "sees") {
                    let shown = s.shown(seen.span);
                    let says = (
                        format!("whoever is asked does not see `{shown}`"),
                        format!("pytany nie widzi `{shown}`"),
                    );
                    let edit = s.taken_out(word.to(seen.span));
                    s.plant_structure(Operator::AudienceChanged, vec![edit], says);
                }
            }
            if let Some((bound, cite)) = &ask.bound {
                s.within(bound.span, cite.as_ref(), |s| s.value(bound));
            }
            for group in &ask.groups {
                if let Some((_, Some(who))) = &group.who {
                    s.condition(who);
                }
                group.seat.iter().for_each(|seat| s.value(seat));
                s.moves(&group.moves, repeats);
                s.decline_added(&group.moves);
            }
        });
    }

    /// Moves; `repeats` if they may be made again as they stand.
    pub(super) fn moves(&mut self, moves: &[MoveDecl], repeats: bool) {
        for mv in moves {
            let names = mv.params.iter().map(|param| param.name.node.clone());
            let outer = self
                .site
                .mv
                .replace((mv.name.node.clone(), names.collect()));
            self.within(mv.span, mv.cite.as_ref(), |s| s.one_move(mv, repeats));
            self.site.mv = outer;
        }
    }

    fn one_move(&mut self, mv: &MoveDecl, repeats: bool) {
        if is_decline(mv) {
            self.removed(Operator::DeclineChanged, mv.span);
        }
        match &mv.once {
            Some(once) => self.once_dropped(once),
            None if (repeats || mv.free) && !is_decline(mv) => {
                let last = mv.params.last().map_or(mv.name.span, |param| param.span);
                let at = match mv.params.is_empty() {
                    true => last.end,
                    false => self.behind_bracket(last.end),
                };
                self.once_added(at);
            }
            None => {}
        }
        mv.params.iter().for_each(|param| self.param(param));
        self.needs(&mv.needs);
        self.needs(&mv.ensures);
        if let Some(effect) = &mv.effect {
            self.script(effect);
        }
        if let Some(Some((_, args))) = &mv.closes {
            args.iter().for_each(|arg| self.value(arg));
        }
    }

    pub(super) fn extension(&mut self, extension: &Extension) {
        self.within(extension.span, extension.cite.as_ref(), |s| {
            let Some(extended) = extension.moves.first() else {
                return;
            };
            s.about(extended, |s| {
                let name = extended.parts.last().map(|part| part.node.clone());
                let names = extension.params.iter().map(|param| param.name.node.clone());
                let outer = s.site.mv.take();
                s.site.mv = name.map(|name| (name, names.collect()));
                s.site.step = extended
                    .parts
                    .first()
                    .map(|part| part.node.clone())
                    .filter(|_| extended.parts.len() > 1);
                if let Some(once) = &extension.once {
                    s.once_dropped(once);
                }
                extension.params.iter().for_each(|param| s.param(param));
                s.needs(&extension.needs);
                s.needs(&extension.ensures);
                if let Some(effect) = &extension.effect {
                    s.script(effect);
                }
                s.site.mv = outer;
            });
            s.items(&extension.items);
        });
    }

    fn needs(&mut self, needs: &[Need]) {
        for need in needs {
            self.within(need.span, need.cite.as_ref(), |s| {
                s.condition(&need.condition);
                if let Some(at) = s.word_in(need.span, "secretly").filter(|_| need.secretly) {
                    let edit = s.taken_out(at);
                    let says = (
                        "everybody learns why it is refused".to_owned(),
                        "wszyscy poznają powód odmowy".to_owned(),
                    );
                    s.plant_structure(Operator::SecretOpened, vec![edit], says);
                }
            });
        }
    }

    fn param(&mut self, param: &MoveParam) {
        match &param.domain {
            MoveDomain::Type(_) => {}
            MoveDomain::Range(from, to) => {
                self.value(from);
                self.value(to);
            }
            MoveDomain::Amount { from, to, step } => {
                [from, to]
                    .into_iter()
                    .chain(step)
                    .for_each(|expr| self.value(expr));
            }
            MoveDomain::BagOf { place, limits }
            | MoveDomain::SetOf { place, limits }
            | MoveDomain::SequenceOf { place, limits } => {
                self.value(place);
                limits.iter().for_each(|limit| self.limit(limit));
            }
            MoveDomain::Spread { over, overflow, .. } => {
                for index in over.iter().flat_map(|target| &target.index) {
                    if let SpreadIndex::One(expr) = index {
                        self.value(expr);
                    }
                }
                self.value(overflow);
            }
            MoveDomain::Same(expr) => self.value(expr),
        }
        param.when.iter().for_each(|when| self.condition(when));
        if let Some(shown) = &param.shown
            && let Some(words) = self.words_before(shown.span.start, "shown to")
        {
            let says = (
                format!("nobody is shown `{}`", param.name.node),
                format!("`{}` nie jest nikomu pokazane", param.name.node),
            );
            let edit = self.taken_out(words.to(shown.span));
            self.plant_structure(Operator::AudienceChanged, vec![edit], says);
        }
        let (word, operator) = match param.openly {
            Some(true) => ("openly", Operator::AudienceChanged),
            Some(false) => ("secretly", Operator::SecretOpened),
            None => return,
        };
        if let Some(at) = self.word_in(param.span, word) {
            let edit = self.taken_out(at);
            let says = (
                format!("`{}` without `{word}`", param.name.node),
                format!("`{}` bez `{word}`", param.name.node),
            );
            self.plant_structure(operator, vec![edit], says);
        }
    }

    fn limit(&mut self, limit: &BagLimit) {
        let (value, word, other) = match limit {
            BagLimit::AtLeast(value) => (value, "at least", "at most"),
            BagLimit::AtMost(value) => (value, "at most", "at least"),
            BagLimit::Exactly(value) | BagLimit::Kinds(value) | BagLimit::Without(value) => {
                return self.value(value);
            }
            BagLimit::LooseBeyond { loose, kinds } => {
                self.value(loose);
                return self.value(kinds);
            }
            BagLimit::SuchThat(condition) => return self.condition(condition),
            BagLimit::AllDifferent => return,
        };
        if let Some(at) = self.words_before(value.span.start, word) {
            let edit = Edit {
                span: at,
                text: other.to_owned(),
            };
            let says = (
                format!("`{other}` instead of `{word}`"),
                format!("`{other}` zamiast `{word}`"),
            );
            self.plant_structure(Operator::ExtremeExchanged, vec![edit], says);
        }
        self.value(value);
    }

    /// Who must may decline: a move that does nothing stands before the others.
    fn decline_added(&mut self, moves: &[MoveDecl]) {
        let Some(first) = moves.first().filter(|_| !moves.iter().any(is_decline)) else {
            return;
        };
        let Some(indent) = self.indent(first.span.start).map(str::to_owned) else {
            return;
        };
        let says = (
            format!("whoever is asked for `{}` may decline", first.name.node),
            format!("pytany o `{}` może zrezygnować", first.name.node),
        );
        let edit = Edit {
            span: first.span.at_start(),
            text: format!("move {DECLINE}\n{indent}"),
        };
        self.plant_structure(Operator::DeclineChanged, vec![edit], says);
    }

    /// The words and the name behind them.
    pub(super) fn with_next_name(&self, words: Span) -> Span {
        let rest = &self.text[words.end.at()..];
        let blank = rest.len() - rest.trim_start().len();
        let name = rest[blank..]
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len() - blank);
        Span {
            end: words.end + (blank + name).fit::<u32>(),
            ..words
        }
    }
}

/// The move that is added where nobody may decline.
const DECLINE: &str = "decline_anyway";

/// Whether a move does nothing but answer.
fn is_decline(mv: &MoveDecl) -> bool {
    mv.params.is_empty() && mv.effect.is_none() && mv.closes.is_none() && mv.ensures.is_empty()
}
