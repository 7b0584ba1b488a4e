//! The kinds of sentence: which word opens each, and which may stand below which.
//!
//! Layout asks this table whether a deeper line is a sentence of its own or continues the one
//! above; the reader asks it whether a sentence stands where it may.

use super::grammar::Rule;
use crate::diagnostic::similar;

macro_rules! kinds {
    ($($kind:ident: $rule:ident, $title:literal, $written:literal;)*) => {
        /// A kind of sentence.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $(#[doc = $written] $kind,)*
        }

        impl Kind {
            /// The grammar's rule for a sentence of this kind.
            pub fn rule(self) -> Rule {
                match self {
                    $(Kind::$kind => Rule::$rule,)*
                }
            }

            /// What a message calls a sentence of this kind.
            pub fn title(self) -> &'static str {
                match self {
                    $(Kind::$kind => $title,)*
                }
            }
        }
    };
}

// The grammar's rule, what messages call it, how it is written.
kinds! {
    Place: place_line, "a place", "`place …`";
    Counter: counter_line, "a counter", "`counter …`";
    Marker: marker_line, "a marker", "`marker …`";
    Event: event_line, "an event", "`event …`";
    Query: query_line, "a query", "`query …`";
    Hint: query_line, "a hint", "`hint …`";
    Case: when_line, "a case of a query", "`when … -> …` below a query";
    Otherwise: otherwise_line, "`otherwise`", "`otherwise -> …` below a query";
    Bound: bound_line, "a bound of a query", "`at least …` and `at most …` below a query";
    Modify: modify_line, "`modify`", "`modify …`";
    Allow: allow_line, "`allow` or `forbid`", "`allow …`, `forbid …`";
    Trigger: on_line, "a trigger (`on …`)", "`on …`";
    Effect: effect_line, "an effect", "`effect …`";
    Phase: phase_line, "a phase", "`phase …`";
    Keep: keeps_line, "`keeps`", "`keeps …`";
    Step: step_line, "a step", "`step …`";
    Script: body_line, "a script (`do { … }`)", "`do { … }`";
    Body: body_line, "`visit`, `play` or `end`", "`visit …`, `play …`, `end …`";
    Ask: body_line, "a question (`ask …`)", "`ask …`";
    Group: group_line, "a group of moves (`for p …`)", "`for p …` below a question";
    Move: move_line, "a move", "`move …`, `free move …`";
    Need: needs_line, "`needs`", "`needs …`";
    Ensure: ensures_line, "`ensures`", "`ensures …`";
    Limit: limit_line, "`at most once per`", "`at most once per …`";
    Closes: closes_line, "`closes`", "`closes …`";
    Ending: ending_line, "an ending", "`ending …`";
    Score: score_line, "a line of the score", "`score …`";
    Winner: winner_line, "`winner`", "`winner …`";
    Then: then_line, "`then`", "`then …` below a winner";
    Require: require_line, "`require`", "`require …`";
    Component: component_line, "a component", "`building wharf …`";
    Addition: in_line, "an addition (`in …`)", "`in captain.loading …`";
    Extension: extend_line, "an extension (`extend …`)", "`extend …`";
    Insertion: moment_line, "an insertion (`before …`, `after …`)", "`before …`, `after …`, `at start of …`";
    Replacement: replace_line, "a replacement", "`replace …`";
    Disable: disable_line, "`disable`", "`disable …`";
    Record: record_line, "a record", "`record …`";
    Die: die_line, "a die", "`die …`";
    Watch: watch_line, "a watch (`when … becomes true`)", "`when … becomes true …`";
    AnyTime: any_time_line, "`at any time`", "`at any time …`";
}

/// Words that always open a sentence, also on a deeper line.
const OPENERS: &[(&str, Kind)] = &[
    ("place", Kind::Place),
    ("counter", Kind::Counter),
    ("marker", Kind::Marker),
    ("event", Kind::Event),
    ("query", Kind::Query),
    ("hint", Kind::Hint),
    ("otherwise", Kind::Otherwise),
    ("modify", Kind::Modify),
    ("allow", Kind::Allow),
    ("forbid", Kind::Allow),
    ("on", Kind::Trigger),
    ("effect", Kind::Effect),
    ("phase", Kind::Phase),
    ("keeps", Kind::Keep),
    ("step", Kind::Step),
    ("do", Kind::Script),
    ("visit", Kind::Body),
    ("play", Kind::Body),
    ("ask", Kind::Ask),
    ("move", Kind::Move),
    ("free", Kind::Move),
    ("needs", Kind::Need),
    ("ensures", Kind::Ensure),
    ("closes", Kind::Closes),
    ("ending", Kind::Ending),
    ("score", Kind::Score),
    ("winner", Kind::Winner),
    ("require", Kind::Require),
    ("extend", Kind::Extension),
    ("replace", Kind::Replacement),
    ("disable", Kind::Disable),
    ("record", Kind::Record),
    ("die", Kind::Die),
];

/// Openers that are likely to be names as well: `score(p)` and `event.x` open nothing.
const NOUNS: &[&str] = &[
    "place", "counter", "marker", "event", "effect", "phase", "step", "move", "play", "score",
    "record", "die", "hint",
];

/// Words that open a sentence only below certain others; elsewhere they continue the line above.
const CONTEXTUAL: &[(&str, Kind)] = &[
    ("when", Kind::Case),
    ("when", Kind::Watch),
    ("at", Kind::Bound),
    ("at", Kind::Limit),
    ("at", Kind::AnyTime),
    ("at", Kind::Insertion),
    ("before", Kind::Insertion),
    ("after", Kind::Insertion),
    ("in", Kind::Addition),
    ("for", Kind::Group),
    ("end", Kind::Body),
    ("then", Kind::Then),
];

/// Words with which a deeper line continues the sentence above.
pub const CONTINUERS: &[&str] = &[
    "and",
    "or",
    "not",
    "is",
    "in",
    "where",
    "when",
    "from",
    "until",
    "with",
    "starts",
    "room",
    "seen",
    "counted",
    "face",
    "refilled",
    "endless",
    "plays",
    "at",
    "all",
    "any",
    "first",
    "sealed",
    "never",
    "sees",
    "then",
    "as",
    "once",
    "before",
    "after",
    "otherwise",
    "by",
    "amount",
    "becomes",
    "times",
    "for",
    "each",
    "over",
    "overflow",
    "such",
    "exactly",
    "sum",
    "max",
    "min",
    "count",
    "possible",
    "reveals",
    "secretly",
    "last",
    "owner",
    "ensures",
    "of",
    "to",
    "per",
    "shown",
    "without",
    "other",
];

/// What may stand at the left margin.
const TOP: &[Kind] = &[
    Kind::Place,
    Kind::Counter,
    Kind::Marker,
    Kind::Event,
    Kind::Query,
    Kind::Modify,
    Kind::Allow,
    Kind::Trigger,
    Kind::Effect,
    Kind::Phase,
    Kind::Ending,
    Kind::Score,
    Kind::Winner,
    Kind::Require,
    Kind::Component,
    Kind::Addition,
    Kind::Extension,
    Kind::Insertion,
    Kind::Replacement,
    Kind::Disable,
    Kind::Record,
    Kind::Die,
    Kind::Watch,
    Kind::AnyTime,
    Kind::Hint,
];

impl Kind {
    /// The kind of a sentence by its opening words, below a parent or at the left margin.
    ///
    /// `None` means that these words open no sentence there.
    pub fn of(parent: Option<Kind>, text: &str) -> Option<Kind> {
        let (word, rest) = split_word(text);
        if let Some((_, kind)) = OPENERS.iter().find(|(w, _)| *w == word)
            && !(NOUNS.contains(&word) && rest.starts_with(['(', '.']))
        {
            return Some(*kind);
        }
        let (next, after) = split_word(rest.trim_start());
        for (_, kind) in CONTEXTUAL.iter().filter(|(w, _)| *w == word) {
            let fits = match (word, kind) {
                ("at", Kind::Bound) => matches!(next, "least" | "most"),
                // `at most once` alone may go on with the line above: a bound by what is called `once`.
                ("at", Kind::Limit) => {
                    let (once, per) = split_word(after.trim_start());
                    next == "most" && once == "once" && split_word(per.trim_start()).0 == "per"
                }
                ("at", Kind::AnyTime) => next == "any",
                ("at", _) => matches!(next, "start" | "end"),
                _ => true,
            };
            if fits && Kind::below(parent).contains(kind) {
                return Some(*kind);
            }
        }
        // Two names at the left margin: the tables are the package's own, so any word will do.
        let unknown = !CONTEXTUAL.iter().any(|(w, _)| *w == word);
        let header = after.trim_start();
        let component =
            header.is_empty() || header.starts_with(':') || split_word(header).0 == "for";
        (parent.is_none() && unknown && !word.is_empty() && !next.is_empty() && component)
            .then_some(Kind::Component)
    }

    /// The kinds that may stand below a parent, or at the left margin.
    pub fn below(parent: Option<Kind>) -> &'static [Kind] {
        match parent {
            None => TOP,
            Some(Kind::Query | Kind::Hint) => &[Kind::Case, Kind::Otherwise, Kind::Bound],
            Some(Kind::Phase) => &[
                Kind::Keep,
                Kind::Place,
                Kind::Query,
                Kind::Modify,
                Kind::Allow,
                Kind::Trigger,
                Kind::Watch,
                Kind::AnyTime,
                Kind::Step,
            ],
            Some(Kind::Step | Kind::Trigger | Kind::Insertion | Kind::Watch) => &[
                Kind::Step,
                Kind::Script,
                Kind::Body,
                Kind::Ask,
                Kind::Group,
                Kind::Move,
                Kind::Ensure,
            ],
            Some(Kind::Effect) => &[Kind::Script],
            Some(Kind::Body) => &[Kind::Ensure],
            Some(Kind::Ask) => &[Kind::Group, Kind::Move],
            Some(Kind::Group | Kind::Addition | Kind::AnyTime) => &[Kind::Move],
            Some(Kind::Move) => &[
                Kind::Limit,
                Kind::Need,
                Kind::Ensure,
                Kind::Script,
                Kind::Closes,
            ],
            Some(Kind::Extension) => &[
                Kind::Limit,
                Kind::Need,
                Kind::Ensure,
                Kind::Script,
                Kind::Modify,
                Kind::Allow,
            ],
            Some(Kind::Winner) => &[Kind::Then],
            Some(Kind::Component) => &[
                Kind::Addition,
                Kind::Query,
                Kind::Modify,
                Kind::Allow,
                Kind::Trigger,
                Kind::Extension,
                Kind::Insertion,
                Kind::Score,
                Kind::Watch,
                Kind::AnyTime,
            ],
            Some(Kind::Replacement) => &[Kind::Step, Kind::Move, Kind::Query],
            Some(_) => &[],
        }
    }

    /// The kinds below which this one may stand, for messages; the left margin is not among them.
    pub fn above(self) -> impl Iterator<Item = Kind> {
        // A step that asks on its own line takes what stands below its question; the question is meant.
        let through = move |k: Kind| {
            matches!(
                k,
                Kind::Step | Kind::Trigger | Kind::Insertion | Kind::Watch
            ) && matches!(self, Kind::Move | Kind::Group | Kind::Ensure)
        };
        ALL.iter()
            .copied()
            .filter(move |k| Kind::below(Some(*k)).contains(&self) && !through(*k))
    }

    /// Whether a deeper line that opens no sentence was nevertheless meant as one: its first word is
    /// nearly an opening word, and a name follows it, as in no expression.
    pub fn nearly(parent: Option<Kind>, text: &str) -> bool {
        let (word, rest) = split_word(text);
        let (next, _) = split_word(rest.trim_start());
        let two_names = rest.starts_with(' ')
            && next.starts_with(|c: char| c.is_ascii_alphabetic())
            && !CONTINUERS.contains(&next);
        two_names && !CONTINUERS.contains(&word) && similar(word, opening_words(parent)).is_some()
    }

    /// Whether what follows the first colon on the line is a sentence of its own below this one.
    pub fn cut_at_colon(self) -> bool {
        matches!(self, Kind::Component | Kind::Addition | Kind::Replacement)
    }
}

/// Every kind, for messages.
const ALL: &[Kind] = &[
    Kind::Query,
    Kind::Hint,
    Kind::Phase,
    Kind::Step,
    Kind::Trigger,
    Kind::Insertion,
    Kind::Watch,
    Kind::Effect,
    Kind::Body,
    Kind::Ask,
    Kind::Group,
    Kind::Addition,
    Kind::Move,
    Kind::Extension,
    Kind::Winner,
    Kind::Component,
    Kind::AnyTime,
    Kind::Replacement,
];

/// Every word that opens a sentence below a parent, for did-you-mean.
pub fn opening_words(parent: Option<Kind>) -> Vec<&'static str> {
    let mut words: Vec<&str> = OPENERS
        .iter()
        .chain(CONTEXTUAL)
        .filter(|(_, kind)| Kind::below(parent).contains(kind))
        .map(|(word, _)| *word)
        .collect();
    words.dedup();
    words
}

/// The name at the start of a text, and what follows it.
pub fn split_word(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    text.split_at(end)
}
