//! Questions and moves in the outline.

use super::expressions::{expr, path, ty};
use super::{Outline, cite, name, part};
use crate::ast::*;

impl Outline {
    pub(super) fn ask(&mut self, a: &Ask) {
        let each = a.each.as_ref().map(|e| {
            let word = if e.clockwise { "from" } else { "in" };
            format!(
                "each {} {word} {}{}",
                e.var.node,
                expr(&a.seats),
                part("where", &e.filter, expr)
            )
        });
        let mode = match a.mode {
            AskMode::One => "",
            AskMode::AllAnswer => ", all answer",
            AskMode::FirstAnswers => ", first answers",
            AskMode::UntilClosed => ", until closed",
        };
        let sees: String = a
            .sees
            .iter()
            .map(|e| format!(", sees {}", expr(e)))
            .collect();
        let bound = part("changes", &a.bound, |(e, c)| {
            format!("{}{}", expr(e), cite(c))
        });
        self.line(format!(
            "ask {}{mode}{}{}{sees}{bound}{}",
            each.unwrap_or_else(|| expr(&a.seats)),
            if a.sealed { ", sealed" } else { "" },
            if a.never_empty { ", never empty" } else { "" },
            cite(&a.cite)
        ));
        self.below(|o| {
            for group in &a.groups {
                let who = match (&group.who, &group.seat) {
                    (Some((p, filter)), _) => Some(format!(
                        "for each {}{}",
                        p.node,
                        part("where", filter, expr)
                    )),
                    (None, Some(seat)) => Some(format!("for {}", expr(seat))),
                    (None, None) => None,
                };
                match who {
                    Some(who) => {
                        o.line(who);
                        o.below(|o| group.moves.iter().for_each(|m| o.move_decl(m)));
                    }
                    None => group.moves.iter().for_each(|m| o.move_decl(m)),
                }
            }
        });
    }

    pub(super) fn move_decl(&mut self, m: &MoveDecl) {
        self.line(format!(
            "{}move {}{}{}",
            if m.free { "free " } else { "" },
            m.name.node,
            part("once", &m.once, once),
            cite(&m.cite)
        ));
        self.below(|o| {
            m.params.iter().for_each(|p| o.move_param(p));
            o.needs("needs", &m.needs);
            if let Some(effect) = &m.effect {
                o.script(effect);
            }
            o.needs("ensures", &m.ensures);
            match &m.closes {
                Some(Some((to, args))) => {
                    let args: Vec<String> = args.iter().map(expr).collect();
                    o.line(format!("closes -> {}({})", path(to), args.join(", ")));
                }
                Some(None) => o.line("closes"),
                None => {}
            }
        });
    }

    fn needs(&mut self, word: &str, needs: &[Need]) {
        for need in needs {
            self.line(format!(
                "{word} {}{}{}{}",
                expr(&need.condition),
                if need.reveals { " reveals" } else { "" },
                if need.secretly { " secretly" } else { "" },
                cite(&need.cite)
            ));
        }
    }

    fn move_param(&mut self, p: &MoveParam) {
        let limits = |limits: &[BagLimit]| {
            limits
                .iter()
                .map(|l| format!(", {}", limit(l)))
                .collect::<String>()
        };
        let domain = match &p.domain {
            MoveDomain::Type(t) => ty(t),
            MoveDomain::Range(from, to) => format!("{} to {}", expr(from), expr(to)),
            MoveDomain::Amount { from, to, step } => format!(
                "amount {} to {}{}",
                expr(from),
                expr(to),
                part("by", step, expr)
            ),
            MoveDomain::BagOf { place, limits: l } => {
                format!("bag of {}{}", expr(place), limits(l))
            }
            MoveDomain::SetOf { place, limits: l } => {
                format!("set of {}{}", expr(place), limits(l))
            }
            MoveDomain::SequenceOf { place, limits: l } => {
                format!("sequence of {}{}", expr(place), limits(l))
            }
            MoveDomain::Spread {
                pieces,
                over,
                overflow,
            } => {
                let over: Vec<String> = over.iter().map(target).collect();
                format!(
                    "spread of {} over {}, overflow {}",
                    pieces.node,
                    over.join(", "),
                    expr(overflow)
                )
            }
            MoveDomain::Same(e) => format!("same as {}", expr(e)),
        };
        self.line(format!(
            "with {}: {domain}{}{}",
            p.name.node,
            part("when", &p.when, expr),
            part("shown to", &p.shown, expr)
        ));
    }

    pub(super) fn extension(&mut self, e: &Extension) {
        let moves: Vec<String> = e.moves.iter().map(path).collect();
        self.line(format!(
            "extend {}{}{}{}",
            moves.join(", "),
            part("once", &e.once, once),
            part("before", &e.before, name),
            cite(&e.cite)
        ));
        self.below(|o| {
            e.params.iter().for_each(|p| o.move_param(p));
            o.needs("needs", &e.needs);
            e.items.iter().for_each(|i| o.item(i));
            if let Some(effect) = &e.effect {
                o.script(effect);
            }
            o.needs("ensures", &e.ensures);
        });
    }
}

/// The phase, and the clause of a line of its own.
fn once(once: &Once) -> String {
    format!("{}{}", path(&once.phase), cite(&once.cite))
}

fn limit(limit: &BagLimit) -> String {
    match limit {
        BagLimit::AtLeast(e) => format!("at least {}", expr(e)),
        BagLimit::AtMost(e) => format!("at most {}", expr(e)),
        BagLimit::Exactly(e) => format!("exactly {}", expr(e)),
        BagLimit::AllDifferent => "all different".to_owned(),
        BagLimit::LooseBeyond { loose, kinds } => {
            format!("{} loose beyond {} kinds", expr(loose), expr(kinds))
        }
        BagLimit::Kinds(e) => format!("at most {} kinds", expr(e)),
        BagLimit::SuchThat(e) => format!("such that {}", expr(e)),
        BagLimit::Without(e) => format!("without {}", expr(e)),
    }
}

fn target(target: &SpreadTarget) -> String {
    let index: Vec<String> = target
        .index
        .iter()
        .map(|i| match i {
            SpreadIndex::One(e) => expr(e),
            SpreadIndex::Each(n) => format!("each {}", n.node),
        })
        .collect();
    format!("{}({})", target.place.node, index.join(", "))
}
