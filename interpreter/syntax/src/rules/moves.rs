//! Questions, the moves that answer them, and the parameters of moves.

use super::Reader;
use super::grammar::Rule;
use super::kinds::Kind;
use super::node::Node;
use crate::ast::*;
use crate::diagnostic::Code;
use crate::layout::Line;

/// `once per captain`, at the end of a line.
pub(super) fn once_per(node: Node) -> Option<Once> {
    Some(Once {
        span: node.span(),
        phase: node.parts().find_rule(Rule::path)?.path(),
        cite: None,
    })
}

/// What may stand below a move or an extension.
#[derive(Default)]
pub(super) struct MoveBody {
    pub(super) once: Option<Once>,
    pub(super) needs: Vec<Need>,
    pub(super) ensures: Vec<Need>,
    pub(super) effect: Option<Script>,
    pub(super) closes: Option<Option<(Path, Vec<Expr>)>>,
    pub(super) cite: Option<Cite>,
}

impl Reader<'_> {
    pub(super) fn ask(&mut self, node: Node, below: Vec<&Line>, cite: Option<Cite>) -> Option<Ask> {
        let span = node.span();
        let mut parts = node.parts();
        parts.find_rule(Rule::k_ask)?;
        let mut each = None;
        let seats = match parts.next_if(Rule::each_seat) {
            Some(node) => {
                let mut parts = node.parts();
                let var = parts.find_rule(Rule::name)?.name();
                let clockwise = parts.has(Rule::k_from);
                let seats = self.next_expr(&mut parts);
                let filter = parts.find_rule(Rule::filter).map(|n| self.expr_of(n));
                each = Some(AskEach {
                    var,
                    clockwise,
                    filter,
                });
                seats
            }
            None => self.next_expr(&mut parts),
        };
        let mut ask = Ask {
            seats,
            mode: AskMode::One,
            sealed: false,
            never_empty: false,
            bound: None,
            each,
            sees: Vec::new(),
            groups: Vec::new(),
            cite,
            span,
        };
        let mut mode = None;
        for part in parts.all(Rule::ask_part).flat_map(Node::parts) {
            let place = part.span();
            let chosen = match part.rule() {
                Rule::all_answer => AskMode::AllAnswer,
                Rule::first_answers => AskMode::FirstAnswers,
                Rule::until_closed => AskMode::UntilClosed,
                Rule::sees => {
                    ask.sees.push(self.expr_of(part));
                    continue;
                }
                Rule::k_sealed => {
                    ask.sealed = true;
                    continue;
                }
                Rule::never_empty => {
                    ask.never_empty = true;
                    continue;
                }
                Rule::changes => {
                    ask.bound = Some((self.expr_of(part), None));
                    continue;
                }
                _ => continue,
            };
            ask.mode = chosen;
            if let Some(first) = mode.replace(place) {
                self.twice(place, first, "how this question is closed");
            }
        }
        for child in below {
            match child.kind {
                Some(Kind::Move) => {
                    let Some(found) = self.move_decl(child) else {
                        continue;
                    };
                    match ask
                        .groups
                        .last_mut()
                        .filter(|g| g.who.is_none() && g.seat.is_none())
                    {
                        Some(group) => group.moves.push(found),
                        None => ask.groups.push(MoveGroup {
                            who: None,
                            seat: None,
                            moves: vec![found],
                        }),
                    }
                }
                Some(Kind::Group) => ask.groups.extend(self.group(child)),
                kind => self.misplaced(child, kind.unwrap_or(Kind::Move), Some(Kind::Ask)),
            }
        }
        let mut names: Vec<&Name> = Vec::new();
        let mut repeated = Vec::new();
        for group in &ask.groups {
            for found in group.moves.iter().map(|m| &m.name) {
                match names.iter().find(|n| n.node == found.node) {
                    Some(first) => repeated.push((found.clone(), first.span)),
                    None => names.push(found),
                }
            }
        }
        for (name, first) in repeated {
            self.twice(name.span, first, &format!("the move `{}`", name.node));
        }
        Some(ask)
    }

    fn group(&mut self, line: &Line) -> Option<MoveGroup> {
        let mut parts = self.read(line)?;
        let (mut who, mut seat) = (None, None);
        match parts.find(|n| matches!(n.rule(), Rule::each_asked | Rule::expr))? {
            node if node.rule() == Rule::expr => seat = Some(self.expr(node)),
            node => {
                let mut parts = node.parts();
                let name = parts.find_rule(Rule::name)?.name();
                let filter = match parts.next() {
                    Some(part) if part.rule() == Rule::other_than => {
                        // `p other than t` says briefly `p where p is not t`.
                        let span = part.span();
                        let other = Box::new(self.expr_of(part));
                        let value = Box::new(Expr {
                            kind: ExprKind::Name(name.node.clone()),
                            span: name.span,
                        });
                        let kind = ExprKind::Is {
                            value,
                            negated: true,
                            other,
                        };
                        Some(Expr { kind, span })
                    }
                    Some(part) => Some(self.expr_of(part)),
                    None => None,
                };
                who = Some((name, filter));
            }
        }
        let mut moves = Vec::new();
        for child in self.below(line) {
            moves.extend(self.move_decl(child));
        }
        if line.below.is_empty() {
            self.report(
                Code::IncompleteSentence
                    .error(line.span, "nobody can do anything here")
                    .help("write `move …` below it"),
            );
        }
        Some(MoveGroup { who, seat, moves })
    }

    pub(super) fn move_decl(&mut self, line: &Line) -> Option<MoveDecl> {
        let parts = self.read(line)?;
        let free = parts.has(Rule::k_free);
        let mut name = None;
        let mut params = Vec::new();
        let mut once = None;
        for part in parts {
            match part.rule() {
                Rule::name => name = Some(part.name()),
                Rule::move_params => {
                    for param in part.parts().all(Rule::move_param) {
                        self.push_param(param, &mut params);
                    }
                }
                Rule::once => once = once_per(part),
                _ => {}
            }
        }
        let below = self.move_body(line, once);
        let cite = self.either_cite(&line.cite, &below.cite);
        Some(MoveDecl {
            name: name?,
            free,
            params,
            once: below.once,
            needs: below.needs,
            ensures: below.ensures,
            effect: below.effect,
            closes: below.closes,
            cite,
            span: line.span,
        })
    }

    fn push_param(&mut self, node: Node, params: &mut Vec<MoveParam>) {
        let Some(param) = self.move_param(node) else {
            return;
        };
        if let Some(first) = params.iter().find(|p| p.name.node == param.name.node) {
            let first = first.name.span;
            self.twice(
                param.name.span,
                first,
                &format!("the parameter `{}`", param.name.node),
            );
        }
        params.push(param);
    }

    /// What stands below a move or an extension; `once` is the limit that its own line says.
    pub(super) fn move_body(&mut self, line: &Line, once: Option<Once>) -> MoveBody {
        let mut body = MoveBody {
            once,
            ..MoveBody::default()
        };
        (body.effect, body.cite) = self.only_script(line, None);
        for child in line.below.iter() {
            match child.kind {
                Some(Kind::Limit) => {
                    let limit = self.limit(child);
                    if let Some(first) = &body.once {
                        self.twice(child.span, first.phase.span, "how often it may be chosen");
                    }
                    body.once = limit.or(body.once);
                }
                Some(Kind::Need) => body.needs.extend(self.need(child)),
                Some(Kind::Ensure) => body.ensures.extend(self.need(child)),
                Some(Kind::Closes) => {
                    let closes = self.closes(child);
                    if body.closes.is_some() {
                        self.twice(child.span, line.span.at_start(), "`closes`");
                    }
                    body.closes = closes.or(body.closes);
                }
                _ => {}
            }
        }
        body
    }

    /// `at most once per captain`
    fn limit(&mut self, line: &Line) -> Option<Once> {
        let mut parts = self.read(line)?;
        self.below(line);
        Some(Once {
            phase: parts.find_rule(Rule::path)?.path(),
            cite: line.cite.clone(),
            span: line.span,
        })
    }

    /// `needs …` and `ensures …`.
    pub(super) fn need(&mut self, line: &Line) -> Option<Need> {
        let mut parts = self.read(line)?;
        self.below(line);
        let condition = self.next_expr(&mut parts);
        let mut need = Need {
            condition,
            reveals: false,
            secretly: false,
            cite: line.cite.clone(),
            span: line.span,
        };
        for part in parts.all(Rule::need_part).flat_map(Node::parts) {
            match part.rule() {
                Rule::k_reveals => need.reveals = true,
                Rule::k_secretly => need.secretly = true,
                _ => {}
            }
        }
        Some(need)
    }

    fn closes(&mut self, line: &Line) -> Option<Option<(Path, Vec<Expr>)>> {
        let mut parts = self.read(line)?;
        self.below(line);
        let Some(path) = parts.find_rule(Rule::path) else {
            return Some(None);
        };
        let args = parts
            .find_rule(Rule::args)
            .map(|n| self.args(n))
            .unwrap_or_default();
        Some(Some((path.path(), args)))
    }

    pub(super) fn move_param(&mut self, node: Node) -> Option<MoveParam> {
        let span = node.span();
        let mut parts = node.parts();
        let name = parts.find_rule(Rule::name)?.name();
        let name = self.declared(name);
        let domain = self.move_domain(parts.find_rule(Rule::move_domain)?)?;
        let when = parts.next_if(Rule::when).map(|n| self.expr_of(n));
        let (mut shown, mut openly) = (None, None);
        for part in parts {
            match part.rule() {
                Rule::shown => shown = Some(self.expr_of(part)),
                Rule::k_openly => openly = Some(true),
                Rule::k_secretly => openly = Some(false),
                _ => {}
            }
        }
        Some(MoveParam {
            name,
            domain,
            when,
            shown,
            openly,
            span,
        })
    }

    fn move_domain(&mut self, node: Node) -> Option<MoveDomain> {
        let node = node.parts().next()?;
        let rule = node.rule();
        if rule == Rule::ty {
            return Some(MoveDomain::Type(self.ty(node)));
        }
        let mut parts = node.parts();
        Some(match rule {
            Rule::number_range => {
                let from = self.next_expr(&mut parts);
                MoveDomain::Range(from, self.next_expr(&mut parts))
            }
            Rule::amount => {
                let from = self.next_expr(&mut parts);
                let to = self.next_expr(&mut parts);
                let step = parts.find_rule(Rule::sum).map(|n| self.sum(n));
                MoveDomain::Amount { from, to, step }
            }
            Rule::bag_of => {
                let (set, sequence) = (parts.has(Rule::k_set), parts.has(Rule::k_sequence));
                let place = self.next_expr(&mut parts);
                let mut limits = Vec::new();
                for part in parts {
                    match part.rule() {
                        Rule::without => limits.push(BagLimit::Without(self.expr_of(part))),
                        Rule::bag_limit => limits.extend(self.bag_limit(part)),
                        _ => {}
                    }
                }
                match (set, sequence) {
                    (true, _) => MoveDomain::SetOf { place, limits },
                    (_, true) => MoveDomain::SequenceOf { place, limits },
                    _ => MoveDomain::BagOf { place, limits },
                }
            }
            Rule::spread => {
                let pieces = parts.find_rule(Rule::name)?.name();
                let mut over = Vec::new();
                let mut overflow = None;
                for part in parts {
                    match part.rule() {
                        Rule::target => over.push(self.target(part)?),
                        Rule::expr => overflow = Some(self.expr(part)),
                        _ => {}
                    }
                }
                MoveDomain::Spread {
                    pieces,
                    over,
                    overflow: overflow?,
                }
            }
            _ => MoveDomain::Same(self.next_expr(&mut parts)),
        })
    }

    fn bag_limit(&mut self, node: Node) -> Option<BagLimit> {
        let node = node.parts().next()?;
        let rule = node.rule();
        let mut parts = node.parts();
        Some(match rule {
            Rule::all_different => BagLimit::AllDifferent,
            Rule::loose_beyond => {
                let loose = self.next_expr(&mut parts);
                BagLimit::LooseBeyond {
                    loose,
                    kinds: self.next_expr(&mut parts),
                }
            }
            Rule::at_least_n => BagLimit::AtLeast(self.next_expr(&mut parts)),
            Rule::at_most_n => BagLimit::AtMost(self.next_expr(&mut parts)),
            Rule::exactly_n => BagLimit::Exactly(self.next_expr(&mut parts)),
            Rule::kinds => BagLimit::Kinds(self.next_expr(&mut parts)),
            _ => BagLimit::SuchThat(self.next_expr(&mut parts)),
        })
    }

    fn target(&mut self, node: Node) -> Option<SpreadTarget> {
        let span = node.span();
        let mut parts = node.parts();
        let place = parts.find_rule(Rule::name)?.name();
        let mut index = Vec::new();
        if let Some(args) = parts.find_rule(Rule::target_args) {
            for arg in args.parts().all(Rule::target_arg) {
                let arg = arg.parts().next()?;
                index.push(match arg.rule() {
                    Rule::each => SpreadIndex::Each(arg.parts().find_rule(Rule::name)?.name()),
                    _ => SpreadIndex::One(self.expr(arg)),
                });
            }
        }
        Some(SpreadTarget { place, index, span })
    }
}
