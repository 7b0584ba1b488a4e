//! What of all there is a page shows, and how its links say so.

use interpreter::package::Language;

use super::form::{Form, written};
use super::looked::{Found, Looked, Name};
use super::words::kind_of;
use crate::cli::review::asked::{Through, Which};
use referee_report::book::Labels;

/// What is shown.
#[derive(Clone, Debug)]
pub struct View {
    /// The page's language.
    pub labels: Labels,
    /// Open things, accepted ones, or both.
    pub show: Which,
    /// Only this chapter; empty for all.
    pub chapter: String,
    /// Only this kind; empty for all.
    pub kind: String,
}

/// The language that an address names.
pub fn language(code: &str) -> Option<Labels> {
    match code {
        "en" => Some(Labels(Language::English)),
        "pl" => Some(Labels(Language::Polish)),
        _ => None,
    }
}

/// As it is written in an address.
pub fn show_name(show: Which) -> &'static str {
    match show {
        Which::Open => "open",
        Which::Accepted => "accepted",
        Which::All => "all",
    }
}

impl View {
    /// What a form or an address asks for.
    pub fn read(labels: Labels, form: &Form) -> View {
        let show = match form.get("show") {
            "accepted" => Which::Accepted,
            "all" => Which::All,
            _ => Which::Open,
        };
        View {
            labels,
            show,
            chapter: form.get("chapter").to_owned(),
            kind: form.get("kind").to_owned(),
        }
    }

    /// One of two texts, by the language.
    pub fn say<'t>(&self, english: &'t str, polish: &'t str) -> &'t str {
        self.labels.say(english, polish)
    }

    /// The names and values that choose, for forms.
    pub fn pairs(&self) -> [(&'static str, &str); 3] {
        let show = match self.show {
            Which::Open => "",
            other => show_name(other),
        };
        [
            ("show", show),
            ("chapter", &self.chapter),
            ("kind", &self.kind),
        ]
    }

    /// The address of the list, as a page beside it links to it.
    pub fn list(&self) -> String {
        self.list_after(&[])
    }

    /// The same, with what is said of the thing before.
    pub fn list_after(&self, said: &[(&'static str, &str)]) -> String {
        match written(&[&self.pairs()[..], said].concat()) {
            chosen if chosen.is_empty() => "./".to_owned(),
            chosen => format!("./?{chosen}"),
        }
    }

    /// The address of a thing, with what is said of the one before.
    pub fn thing(&self, name: &Name, said: &[(&'static str, &str)]) -> String {
        let own = [
            ("of", name.module.as_str()),
            ("is", name.is.as_str()),
            ("name", name.name.as_str()),
        ];
        let all = [&own[..], &self.pairs()[..], said].concat();
        format!("thing?{}", written(&all))
    }

    /// Whether a thing is of the chapter and the kind.
    pub fn is_chosen(&self, found: &Found<'_>) -> bool {
        let mut chapters = found.thing.chapters.iter();
        (self.chapter.is_empty() || chapters.any(|(id, _)| *id == self.chapter))
            && (self.kind.is_empty() || kind_of(found.thing) == self.kind)
    }

    /// Whether a thing that is chosen is shown.
    pub fn is_shown(&self, found: &Found<'_>) -> bool {
        self.is_chosen(found)
            && match self.show {
                Which::Open => found.stands().is_open(),
                Which::Accepted => !found.stands().is_open(),
                Which::All => true,
            }
    }
}

/// Where a thing stands among those that are shown.
pub struct Way {
    /// How many are shown.
    pub count: usize,
    /// Its number among them, from 1; none if it is not shown.
    pub number: Option<usize>,
    /// The one before.
    pub before: Option<Name>,
    /// The one behind.
    pub behind: Option<Name>,
    /// The first of all.
    pub first: Option<Name>,
}

impl Way {
    /// The way past a thing.
    pub fn of(looked: &Looked, args: &Through, view: &View, name: &Name) -> Way {
        let mut way = Way {
            count: 0,
            number: None,
            before: None,
            behind: None,
            first: None,
        };
        let mut is_past = false;
        for found in looked.meant(args) {
            let own = Name::of(&found);
            let is_it = own == *name;
            if view.is_shown(&found) {
                way.count += 1;
                way.first.get_or_insert_with(|| own.clone());
                match (is_it, is_past) {
                    (true, _) => way.number = Some(way.count),
                    (false, false) => way.before = Some(own),
                    (false, true) => {
                        way.behind.get_or_insert(own);
                    }
                }
            }
            is_past |= is_it;
        }
        way
    }
}
