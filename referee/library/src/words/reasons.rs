//! Why a move is not legal, in words: what keeps it from that, and what a condition read.
//!
//! In: a refusal's [`Limit`] and [`Compared`] values. Out: text in which nothing is said as the rules write it, as far as
//! things have names.

use interpreter::play::{Bound, Chosen, Compared, Found, Limit, Subject, Value};

use super::templates::Kind;
use super::{Words, clean};

impl Words<'_> {
    /// What something is that a condition read; none if it has no name for people.
    pub fn subject(&self, compared: &Compared) -> Option<String> {
        Some(match &compared.subject {
            Subject::Name(name) => self.param_of(name, Kind::of(&compared.value)),
            Subject::Site(place) => self.place(place),
            Subject::Pieces(place, row) => {
                let mut index = place.index.to_vec();
                index.push(Value::Row {
                    table: row.table.clone(),
                    row: row.row.clone(),
                });
                self.indexed(self.site(&place.name), &index)
            }
            Subject::Cell { column, row } => {
                let table = self.table(&row.table);
                let found =
                    table.and_then(|table| table.columns.iter().find(|c| c.name.node == **column));
                let named = found.map(|column| self.text(&column.names));
                let name = named.filter(|name| !name.is_empty());
                let name = name.unwrap_or_else(|| clean(&column.replace('_', " ")));
                let holes = [("name", name), ("index", self.row_ref(row))];
                self.phrase("indexed", &holes)
            }
            Subject::Query { query, args } => {
                let name = self.named("query", query).unwrap_or_else(|| {
                    let last = query.rsplit('.').next().unwrap_or(query);
                    clean(&last.replace('_', " "))
                });
                match args.is_empty() {
                    true => name,
                    false => self.indexed(name, args),
                }
            }
            Subject::Number => self.value(&compared.value),
            Subject::Operation { sign, sides } => {
                let [a, b] = &**sides;
                let sign = if *sign == '*' { '·' } else { *sign };
                format!("{} {sign} {}", self.subject(a)?, self.subject(b)?)
            }
            Subject::Aggregate(found) => {
                let id = match found {
                    Found::Count => "found.count",
                    Found::Sum => "found.sum",
                    Found::Most => "found.most",
                    Found::Least => "found.least",
                };
                self.phrase(id, &[])
            }
            Subject::Expression => return None,
        })
    }

    /// What keeps a move from being legal, beside the conditions of the rules.
    pub fn limit(&self, limit: &Limit) -> String {
        let of = |chosen: &Chosen| self.param_of(&chosen.name, Kind::of(&chosen.value));
        let choice = |id, chosen| self.phrase(id, &[("name", of(chosen))]);
        match limit {
            Limit::Elsewhere { step } => {
                self.phrase("limit.elsewhere", &[("step", self.step(step))])
            }
            Limit::Under { phase } => self.phrase("limit.under", &[("phase", self.phase(phase))]),
            Limit::Once { phase, choice } => {
                let name = choice.as_ref().map(of).unwrap_or_default();
                let holes = [("name", name), ("phase", self.phase(phase))];
                self.phrase("limit.once", &holes)
            }
            Limit::Answers { most } => {
                self.phrase("limit.answers", &[("number", most.to_string())])
            }
            Limit::NotOffered(chosen) => choice("limit.not_offered", chosen),
            Limit::NotThere(chosen) => choice("limit.not_there", chosen),
            Limit::Outside(chosen, None) => choice("limit.outside", chosen),
            Limit::Outside(chosen, Some(bound)) => self.outside(of(chosen), bound),
        }
    }

    /// What was asked for and what is allowed.
    fn outside(&self, name: String, bound: &Bound) -> String {
        let say = |id: &str, holes: &[(&str, String)]| {
            let mut all = vec![("name", name.clone())];
            all.extend_from_slice(holes);
            self.phrase(id, &all)
        };
        let range = |asked: String, from: i64, to: i64, step: String| {
            let (from, to) = (from.to_string(), to.to_string());
            let holes = [("asked", asked), ("from", from), ("to", to), ("step", step)];
            say("limit.outside.number", &holes)
        };
        let one = |id: &str, asked: String, number: String| {
            say(id, &[("asked", asked), ("number", number)])
        };
        match bound {
            Bound::Number { from, to, .. } if to < from || (*from, *to) == (0, 0) => {
                say("limit.outside.nothing", &[])
            }
            Bound::Number {
                asked, from, to, ..
            } if from == to => one("limit.outside.exactly", asked.to_string(), from.to_string()),
            Bound::Number {
                asked,
                from,
                to,
                step,
            } => {
                let step = if *step == 1 {
                    String::new()
                } else {
                    step.to_string()
                };
                range(asked.to_string(), *from, *to, step)
            }
            Bound::Kind {
                of,
                asked,
                available,
            } => say(
                "limit.outside.kind",
                &[
                    ("row", self.row_ref(of)),
                    ("asked", asked.to_string()),
                    ("number", available.to_string()),
                ],
            ),
            Bound::Pieces { asked, least, most } => match most {
                Some(most) if most == least => {
                    one("limit.outside.exactly", asked.to_string(), most.to_string())
                }
                Some(most) => range(
                    asked.to_string(),
                    i64::from(*least),
                    i64::from(*most),
                    String::new(),
                ),
                None => one("limit.outside.least", asked.to_string(), least.to_string()),
            },
            Bound::Kinds { asked, most } => {
                one("limit.outside.kinds", asked.to_string(), most.to_string())
            }
            Bound::Loose { asked, most, kinds } => say(
                "limit.outside.loose",
                &[
                    ("kinds", kinds.to_string()),
                    ("asked", asked.to_string()),
                    ("number", most.to_string()),
                ],
            ),
            Bound::Room { place, asked, room } => say(
                "limit.outside.room",
                &[
                    ("place", self.place(place)),
                    ("asked", asked.to_string()),
                    ("number", room.to_string()),
                ],
            ),
            Bound::Unplaced { placed, due } => {
                one("limit.unplaced", placed.to_string(), due.to_string())
            }
        }
    }

    /// What people are told of what a condition read: `goods (p1, Corn) = 0`. Nothing of what has no name for them, and of
    /// the names that the condition is written with: what was chosen is told with the move.
    pub fn reading(&self, compared: &Compared) -> Option<String> {
        let called = self
            .subject(compared)
            .filter(|_| !Self::is_variable(compared))?;
        match &compared.subject {
            // A number that the rules say is called as it is.
            Subject::Number => None,
            _ => Some(format!("{called} = {}", self.value(&compared.value))),
        }
    }

    /// Something that a condition read, with what it is: `goods (p1, Corn) = 0`. A name that the condition is written with
    /// stands before what it is called, so that the condition can be read.
    pub fn compared(&self, compared: &Compared) -> String {
        let value = self.value(&compared.value);
        match (self.subject(compared), &compared.subject) {
            (Some(called), Subject::Name(_)) if called != compared.expression => {
                format!("{} ({called}) = {value}", compared.expression)
            }
            (Some(called), _) => format!("{called} = {value}"),
            (None, _) => format!("{} = {value}", compared.expression),
        }
    }

    /// Whether something is a parameter or a variable, which says nothing to whoever is not shown the condition.
    pub fn is_variable(compared: &Compared) -> bool {
        matches!(compared.subject, Subject::Name(_))
    }
}
