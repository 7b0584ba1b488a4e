//! From rules of the grammar to what an author types.

use super::phrases::quoted;
use crate::rules::grammar::Rule;

/// What could have stood where the sentence got stuck.
#[derive(Default)]
pub(super) struct Wanted {
    pub(super) words: Vec<String>,
    things: Vec<&'static str>,
    pub(super) name: bool,
    operator: bool,
    pub(super) end: bool,
}

impl Wanted {
    pub(super) fn phrases(&self) -> Vec<String> {
        let mut phrases: Vec<String> = self.things.iter().map(|t| (*t).to_owned()).collect();
        phrases.extend(quoted(&self.words));
        if self.operator && phrases.is_empty() {
            phrases.push("an operator".to_owned());
        }
        if self.end {
            phrases.push("the end of the sentence".to_owned());
        }
        phrases
    }

    fn thing(&mut self, thing: &'static str) {
        if !self.things.contains(&thing) {
            self.things.push(thing);
        }
    }

    fn word(&mut self, words: &[&'static str]) {
        self.words.extend(words.iter().map(|w| (*w).to_owned()));
    }
}

impl Wanted {
    /// Maps rules of the grammar to what an author types.
    pub(super) fn of(rules: &[Rule]) -> Wanted {
        let mut wanted = Wanted::default();
        for rule in rules {
            match rule {
                Rule::EOI => wanted.end = true,
                Rule::name | Rule::path | Rule::target => {
                    wanted.name = true;
                    wanted.thing("a name");
                }
                Rule::row => wanted.thing("a table and its row"),
                Rule::int => wanted.thing("a number"),
                Rule::ty => wanted.thing("a type"),
                Rule::param => wanted.thing("a parameter such as `p: player`"),
                Rule::move_param => wanted.thing("a parameter such as `g: good`"),
                Rule::move_domain => wanted.thing("what may be chosen"),
                Rule::expr
                | Rule::negation
                | Rule::comparison
                | Rule::sum
                | Rule::product
                | Rule::factor
                | Rule::chain
                | Rule::primary
                | Rule::domain
                | Rule::target_arg
                | Rule::number_range
                | Rule::amount
                | Rule::call
                | Rule::grouped
                | Rule::possible
                | Rule::test_aggregate
                | Rule::sum_aggregate
                | Rule::pick_aggregate
                | Rule::truth
                | Rule::k_not
                | Rule::k_none => wanted.thing("a value"),
                Rule::s_plus
                | Rule::s_minus
                | Rule::s_times
                | Rule::s_divide
                | Rule::s_remainder
                | Rule::s_equal
                | Rule::s_unequal
                | Rule::s_less
                | Rule::s_more
                | Rule::s_at_most
                | Rule::s_at_least
                | Rule::s_dot
                | Rule::comparing
                | Rule::k_and
                | Rule::k_or
                | Rule::k_is
                | Rule::is_not
                | Rule::not_in
                | Rule::membership => wanted.operator = true,
                Rule::s_colon => wanted.word(&[":"]),
                Rule::s_comma => wanted.word(&[","]),
                Rule::s_open
                | Rule::params
                | Rule::names
                | Rule::args
                | Rule::move_params
                | Rule::target_args => {
                    wanted.word(&["("]);
                }
                Rule::s_close => wanted.word(&[")"]),
                Rule::s_arrow => wanted.word(&["->"]),
                Rule::s_equals => wanted.word(&["="]),
                Rule::place_part => wanted.word(&[
                    "face", "seen", "counted", "on", "room", "starts", "refilled", "endless",
                ]),
                Rule::counter_part => wanted.word(&["counted", "at", "starts"]),
                Rule::marker_part => wanted.word(&["face", "seen", "starts"]),
                Rule::keeps_part => wanted.word(&["face", "seen"]),
                Rule::pile => wanted.word(&["pile"]),
                Rule::phase_part => wanted.word(&["plays", "at"]),
                Rule::layer => wanted.word(&["becomes", "by", "times", "at"]),
                Rule::bound => wanted.word(&["at"]),
                Rule::when => wanted.word(&["when"]),
                Rule::filter => wanted.word(&["where"]),
                Rule::as_name => wanted.word(&["as"]),
                Rule::once => wanted.word(&["once"]),
                Rule::over => wanted.word(&["each", "cycle", "for", "repeat"]),
                Rule::body => wanted.word(&["do", "ask", "visit", "play", "end"]),
                Rule::ask_part => {
                    wanted.word(&["all", "first", "until", "sealed", "never", "at", "sees"])
                }
                Rule::each_seat | Rule::each_asked => wanted.word(&["each"]),
                Rule::other_than => wanted.word(&["other"]),
                Rule::shown => wanted.word(&["shown"]),
                Rule::without => wanted.word(&["without"]),
                Rule::for_each => wanted.word(&["for"]),
                Rule::order => wanted.word(&["before", "after"]),
                Rule::before_param => wanted.word(&["before"]),
                Rule::die_table => wanted.thing("a table"),
                Rule::need_part => wanted.word(&["reveals", "secretly"]),
                Rule::bag_limit => wanted.word(&["at", "exactly", "all", "such"]),
                Rule::until => wanted.thing("a condition"),
                Rule::lap_without => wanted.word(&["a"]),
                Rule::game_ends => wanted.word(&["the"]),
                Rule::script | Rule::script_text => wanted.word(&["do"]),
                Rule::owner => wanted.word(&["for"]),
                Rule::owner_orders => wanted.word(&["owner"]),
                Rule::criterion => wanted.word(&["most", "fewest"]),
                Rule::option_type
                | Rule::bag_type
                | Rule::set_type
                | Rule::list_type
                | Rule::record_type => {
                    wanted.thing("a type");
                }
                // The rules for words are named after them.
                rule => wanted
                    .words
                    .extend(format!("{rule:?}").strip_prefix("k_").map(str::to_owned)),
            }
        }
        let mut seen = Vec::new();
        wanted.words.retain(|w| {
            !seen.contains(w) && {
                seen.push(w.clone());
                true
            }
        });
        // A bracket is nearly always possible behind a name and says nothing about the mistake.
        if wanted.words.len() + wanted.things.len() > 1 {
            wanted.words.retain(|w| w != "(");
        }
        wanted
    }
}
