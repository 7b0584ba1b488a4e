//! A tree in a few words per line: what the reader understood, for tests and for curious authors.
//!
//! The outline says everything that the tree says, but places: each sentence is a line, what stands
//! below it is indented, and every operation has its parentheses, so that precedence can be seen.

mod expressions;
mod moves;

use super::ast::*;
use expressions::{expr, params, path, script, ty};

/// The outline of a file.
pub fn outline(file: &File) -> String {
    let mut out = Outline::default();
    file.items.iter().for_each(|i| out.item(i));
    out.text
}

#[derive(Default)]
struct Outline {
    text: String,
    depth: usize,
}

/// ` @clause`
fn cite(cite: &Option<Cite>) -> String {
    cite.as_ref()
        .map(|c| format!("  @{}", c.node))
        .unwrap_or_default()
}

/// A part that may be missing, behind a word.
fn part<T>(word: &str, value: &Option<T>, show: impl Fn(&T) -> String) -> String {
    value
        .as_ref()
        .map(|v| format!(" {word} {}", show(v)))
        .unwrap_or_default()
}

fn name(n: &Name) -> String {
    n.node.clone()
}

fn sight(word: &str, sight: &Sight) -> String {
    match sight {
        Sight::Everybody => String::new(),
        Sight::Only(p) => format!(" {word} by {}", p.node),
        Sight::Nobody => format!(" {word} by nobody"),
    }
}

impl Outline {
    fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(&"  ".repeat(self.depth));
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    fn below(&mut self, show: impl FnOnce(&mut Self)) {
        self.depth += 1;
        show(self);
        self.depth -= 1;
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Place(p) => self.place(p),
            Item::Counter(c) => self.line(format!(
                "counter {}{}{}{}{}{}",
                c.name.node,
                params(&c.index),
                sight("counted", &c.sight),
                part("most", &c.most, expr),
                part("starts", &c.starts, expr),
                cite(&c.cite)
            )),
            Item::Marker(m) => self.line(format!(
                "marker {}{}: {}{}{}{}",
                m.name.node,
                params(&m.index),
                ty(&m.ty),
                sight("seen", &m.sight),
                part("starts", &m.starts, expr),
                cite(&m.cite)
            )),
            Item::Event(e) => self.line(format!(
                "event {}{}{}",
                e.name.node,
                params(&e.params),
                cite(&e.cite)
            )),
            Item::Record(r) => self.line(format!(
                "record {}{}{}",
                r.name.node,
                params(&r.fields),
                cite(&r.cite)
            )),
            Item::Die(d) => {
                let faces = match &d.faces {
                    DieFaces::Range(from, to) => format!("{} to {}", expr(from), expr(to)),
                    DieFaces::Rows(table, None) => table.node.clone(),
                    DieFaces::Rows(table, Some((var, count))) => {
                        format!("{}, {} times {}", table.node, var.node, expr(count))
                    }
                };
                self.line(format!("die {}: {faces}{}", d.name.node, cite(&d.cite)));
            }
            Item::Query(q) => self.query(q),
            Item::Contribution(c) => self.contribution(c),
            Item::Trigger(t) => self.trigger(t),
            Item::Watch(w) => {
                self.line(format!(
                    "watch{}{}{}{}",
                    part("as", &w.name, name),
                    part("each", &w.player, name),
                    part("when", &Some(&w.condition), |e| expr(e)),
                    cite(&w.cite)
                ));
                self.below(|o| o.body(&w.body));
            }
            Item::AnyTime(a) => {
                self.line(format!(
                    "at any time{}{}{}",
                    part("each", &a.player, name),
                    part("when", &a.when, expr),
                    cite(&a.cite)
                ));
                self.below(|o| a.moves.iter().for_each(|m| o.move_decl(m)));
            }
            Item::Effect(e) => {
                self.line(format!(
                    "effect {}{}{}",
                    e.name.node,
                    params(&e.params),
                    cite(&e.cite)
                ));
                self.below(|o| o.script(&e.script));
            }
            Item::Phase(p) => self.phase(p),
            Item::Ending(e) => self.line(format!(
                "ending {}{}{}{}",
                e.name.node,
                part("when", &e.when, expr),
                part("after", &e.after, path),
                cite(&e.cite)
            )),
            Item::Score(s) => self.line(format!(
                "score {} for {}{}{} = {}{}",
                s.name.node,
                s.player.node,
                if s.last { " last" } else { "" },
                part("when", &s.when, expr),
                expr(&s.value),
                cite(&s.cite)
            )),
            Item::Require(r) => {
                self.line(format!("require {}{}", expr(&r.condition), cite(&r.cite)));
            }
            Item::Winner(w) => {
                self.line(format!("winner {}", w.player.node));
                self.below(|o| {
                    for (most, value, cited) in &w.criteria {
                        let word = if *most { "most" } else { "fewest" };
                        o.line(format!("{word} {}{}", expr(value), cite(cited)));
                    }
                });
            }
            Item::Component(c) => {
                let owner = c
                    .owner
                    .as_ref()
                    .map(|(p, when)| format!(" for {}{}", p.node, part("when", when, name)));
                self.line(format!(
                    "{} {}{}{}",
                    c.table.node,
                    c.row.node,
                    owner.unwrap_or_default(),
                    cite(&c.cite)
                ));
                self.below(|o| c.items.iter().for_each(|i| o.item(i)));
            }
            Item::Addition(a) => {
                let also: String = a.also.iter().map(|p| format!(", {}", path(p))).collect();
                self.line(format!("in {}{also}{}", path(&a.step), cite(&a.cite)));
                self.below(|o| a.moves.iter().for_each(|m| o.move_decl(m)));
            }
            Item::Extension(e) => self.extension(e),
            Item::Insertion(i) => {
                self.line(format!(
                    "{:?}{} {}{}{}{}{}",
                    i.moment,
                    part("of", &i.player, name),
                    path(&i.target),
                    part("when", &i.when, expr),
                    if i.owner_orders { " owner orders" } else { "" },
                    part("as", &i.name, name),
                    cite(&i.cite)
                ));
                self.below(|o| o.body(&i.body));
            }
            Item::Replacement(r) => {
                self.line(format!(
                    "replace {}{}{}",
                    path(&r.target),
                    part("after", &r.after, name),
                    cite(&r.cite)
                ));
                self.below(|o| match &r.with {
                    Replacing::Step(step) => o.step(step),
                    Replacing::Move(decl) => o.move_decl(decl),
                    Replacing::Query(query) => o.query(query),
                });
            }
            Item::Disable(d) => self.line(format!("disable {}{}", path(&d.target), cite(&d.cite))),
        }
    }

    fn place(&mut self, p: &Place) {
        let starts = part("starts", &p.starts, |(var, n)| {
            format!("{} {}", var.node, expr(n))
        });
        self.line(format!(
            "place {}{}: {}{}{}{}{}{}{starts}{}{}{}",
            p.name.node,
            params(&p.index),
            if p.pile { "pile of " } else { "" },
            p.of.node,
            sight("seen", &p.visibility.faces),
            sight("counted", &p.visibility.count),
            part("on", &p.lies_on, expr),
            part("room", &p.room, expr),
            part("refilled", &p.refilled, expr),
            if p.endless { " endless" } else { "" },
            cite(&p.cite)
        ));
    }

    fn query(&mut self, q: &Query) {
        self.line(format!(
            "{} {}{}: {}{}",
            if q.hint { "hint" } else { "query" },
            q.name.node,
            params(&q.params),
            ty(&q.ty),
            cite(&q.cite)
        ));
        self.below(|o| {
            for case in q.cases.iter().chain([&q.otherwise]) {
                let when = case
                    .when
                    .as_ref()
                    .map_or("otherwise".to_owned(), |e| format!("when {}", expr(e)));
                o.line(format!(
                    "{when} -> {}{}",
                    expr(&case.value),
                    cite(&case.cite)
                ));
            }
            for (word, bound) in [("least", &q.least), ("most", &q.most)] {
                if let Some((value, cited)) = bound {
                    o.line(format!("{word} {}{}", expr(value), cite(cited)));
                }
            }
        });
    }

    fn contribution(&mut self, c: &Contribution) {
        let layer = match &c.layer {
            Layer::Becomes(e) => format!("becomes {}", expr(e)),
            Layer::By(e) => format!("by {}", expr(e)),
            Layer::Times(e) => format!("times {}", expr(e)),
            Layer::AtLeast(e) => format!("least {}", expr(e)),
            Layer::AtMost(e) => format!("most {}", expr(e)),
            Layer::Allow => "allow".to_owned(),
            Layer::Forbid => "forbid".to_owned(),
        };
        let args: Vec<&str> = c.args.iter().map(|a| a.node.as_str()).collect();
        self.line(format!(
            "modify {}({}) {layer}{}{}{}",
            path(&c.query),
            args.join(", "),
            part("when", &c.when, expr),
            part("as", &c.name, name),
            cite(&c.cite)
        ));
    }

    fn trigger(&mut self, t: &Trigger) {
        let args: Vec<&str> = t.args.iter().map(|a| a.node.as_str()).collect();
        let order: String = t
            .order
            .iter()
            .map(|(before, p)| format!(" {} {}", if *before { "before" } else { "after" }, path(p)))
            .collect();
        self.line(format!(
            "on {}({}){}{}{order}{}{}",
            path(&t.event),
            args.join(", "),
            part("when", &t.when, expr),
            part("once", &t.once, path),
            part("as", &t.name, name),
            cite(&t.cite)
        ));
        self.below(|o| o.body(&t.body));
    }

    fn phase(&mut self, p: &Phase) {
        let plays: String = p
            .plays
            .iter()
            .map(|r| format!(" plays {} {}", r.table.node, r.row.node))
            .collect();
        self.line(format!(
            "phase {}{}{plays}{}{}",
            p.name.node,
            params(&p.params),
            part("deep", &p.depth, i64::to_string),
            cite(&p.cite)
        ));
        self.below(|o| {
            for k in &p.keeps {
                let seen = sight("seen", &k.sight);
                o.line(format!(
                    "keeps {}{}: {}{seen}{}",
                    k.name.node,
                    params(&k.index),
                    ty(&k.ty),
                    cite(&k.cite)
                ));
            }
            p.queries.iter().for_each(|q| o.query(q));
            p.items.iter().for_each(|i| o.item(i));
            p.steps.iter().for_each(|s| o.step(s));
        });
    }

    fn step(&mut self, s: &Step) {
        let until = |until: &Until| match until {
            Until::LapWithout(event) => format!("a lap without {}", path(event)),
            Until::Condition(condition) => expr(condition),
            Until::Forever => "the game ends".to_owned(),
        };
        let over = match &s.over {
            Over::Once => String::new(),
            Over::EachPlayer { var, from, filter } => {
                format!(
                    ": each {} from {}{}",
                    var.node,
                    expr(from),
                    part("where", filter, expr)
                )
            }
            Over::Cycle {
                var,
                from,
                until: end,
            } => {
                format!(
                    ": cycle {} from {} until {}",
                    var.node,
                    expr(from),
                    until(end)
                )
            }
            Over::EachRow {
                var,
                domain,
                filter,
            } => {
                format!(
                    ": for {} in {}{}",
                    var.node,
                    expr(domain),
                    part("where", filter, expr)
                )
            }
            Over::Repeat { until: end } => format!(": repeat until {}", until(end)),
        };
        self.line(format!(
            "step {}{over}{}{}",
            s.name.node,
            part("when", &s.when, expr),
            cite(&s.cite)
        ));
        self.below(|o| o.body(&s.body));
    }

    fn body(&mut self, body: &Body) {
        match body {
            Body::Do(effect) => self.script(effect),
            Body::Ask(question) => self.ask(question),
            Body::Visit {
                phase,
                args,
                ensures,
                ..
            } => {
                let args: Vec<String> = args.iter().map(expr).collect();
                let ensured = part("ensures", ensures, |(e, c)| {
                    format!("{}{}", expr(e), cite(c))
                });
                self.line(format!(
                    "visit {}({}){ensured}",
                    path(phase),
                    args.join(", ")
                ));
            }
            Body::Play { row, args, .. } => {
                let args: Vec<String> = args.iter().map(expr).collect();
                self.line(format!("play {} with ({})", expr(row), args.join(", ")));
            }
            Body::End { target, .. } => self.line(format!("end {}", path(target))),
            Body::Steps(steps) => steps.iter().for_each(|s| self.step(s)),
        }
    }

    fn script(&mut self, effect: &Script) {
        self.line("do");
        let lines = script(effect);
        self.below(|o| lines.iter().for_each(|l| o.line(l)));
    }
}
