//! A transcript in the parts that it is made of, so that some of them can be told without the others, and its pages.
//!
//! A page holds forty lines. Whoever opens the text at one reads on its first line where that is, and beside each rule
//! that is named what its clause says, once a page.

use std::collections::{BTreeMap, BTreeSet};

use interpreter::package::Language;
use interpreter::play::Id;

/// Things of which events tell, by names of their own.
pub(super) type Things = BTreeSet<String>;

/// Lines of a page, with what says where it is.
pub const PAGE: usize = 40;

/// Lines of a table that stand together at least: it is parted between two pages where it must be.
const TOGETHER: usize = 8;

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What is played.
    Title,
    /// The heading of a phase, and how deep the phase lies.
    Heading(usize),
    /// A move and what followed, or what a phase began with.
    Move,
    /// The table after a round.
    Table,
    /// The end.
    End,
}

/// What a part says.
#[derive(Clone, Debug)]
enum Said {
    /// Whole lines.
    Text(String),
    /// What a clause says: lines that a page has once.
    Clause(Id, String),
}

#[derive(Clone, Debug)]
struct Part {
    kind: Kind,
    /// What a heading says.
    heading: String,
    /// Headings that lie so deep or deeper are over.
    within: usize,
    said: Vec<Said>,
    things: Things,
}

impl Part {
    /// Lines without what its clauses say.
    fn lines(&self) -> usize {
        let texts = self.said.iter().map(|said| match said {
            Said::Text(text) => text.matches('\n').count(),
            Said::Clause(..) => 0,
        });
        texts.sum()
    }

    /// Its lines, with what those of its clauses say that were not told on the page. They are told now.
    fn written(&self, told: &mut BTreeSet<Id>) -> Vec<&str> {
        let mut lines = Vec::new();
        for said in &self.said {
            match said {
                Said::Text(text) => lines.extend(text.lines()),
                Said::Clause(cite, text) => {
                    if told.insert(cite.clone()) {
                        lines.extend(text.lines());
                    }
                }
            }
        }
        lines
    }
}

/// The parts, in order.
#[derive(Clone, Debug)]
pub struct Parts {
    all: Vec<Part>,
    /// What a page is called.
    page: &'static str,
}

/// What stands for parts that are left out.
const GAP: &str = "[…]";

impl Parts {
    /// Creates an empty transcript in a language.
    pub fn of(language: Language) -> Parts {
        Parts {
            all: Vec::new(),
            page: match language {
                Language::English => "page",
                Language::Polish => "strona",
            },
        }
    }

    /// Begins another part.
    pub fn begin(&mut self, kind: Kind) {
        self.all.push(Part {
            kind,
            heading: String::new(),
            within: match kind {
                Kind::Title | Kind::End => 0,
                Kind::Heading(depth) => depth,
                Kind::Table => 1,
                Kind::Move => usize::MAX,
            },
            said: Vec::new(),
            things: Things::new(),
        });
    }

    /// From now on it is a move or a step of a phase that so many headings stand above.
    pub(super) fn begin_move(&mut self, within: usize) {
        self.begin(Kind::Move);
        if let Some(last) = self.all.last_mut() {
            last.within = within;
        }
    }

    /// Begins the heading of a phase at a depth.
    pub fn begin_heading(&mut self, depth: usize, heading: &str) {
        self.begin(Kind::Heading(depth));
        if let Some(last) = self.all.last_mut() {
            heading.clone_into(&mut last.heading);
        }
    }

    /// As [`begin_move`](Self::begin_move), if only a heading was told.
    pub(super) fn begin_below_heading(&mut self, within: usize) {
        if matches!(
            self.all.last(),
            Some(Part {
                kind: Kind::Heading(_),
                ..
            })
        ) {
            self.begin_move(within);
        }
    }

    /// Adds a text to the current part.
    pub fn push_str(&mut self, text: &str) {
        let Some(last) = self.all.last_mut() else {
            return;
        };
        match last.said.last_mut() {
            Some(Said::Text(known)) => known.push_str(text),
            _ => last.said.push(Said::Text(text.to_owned())),
        }
    }

    /// Adds the text of a clause, in lines, to the current part.
    pub fn cite(&mut self, clause: &Id, lines: String) {
        if let Some(last) = self.all.last_mut() {
            last.said.push(Said::Clause(clause.clone(), lines));
        }
    }

    /// Notes that the current part tells of these things.
    pub fn touch(&mut self, things: impl IntoIterator<Item = String>) {
        if let Some(last) = self.all.last_mut() {
            last.things.extend(things);
        }
    }

    /// Returns all parts, on pages.
    pub fn text(&self) -> String {
        self.pages(&vec![true; self.all.len()])
    }

    /// The parts that tell of things, as many as so many lines hold, with the headings above them, what is played, and
    /// the end. Parts that tell of what was told least often are chosen first, the earliest among them.
    pub fn excerpt(&self, most: usize) -> String {
        // How much pages and clauses take is known when they are written.
        let mut room = most;
        loop {
            let text = self.pages(&self.choose(room));
            let over = text.lines().count().saturating_sub(most);
            if over == 0 || room == 0 {
                return text;
            }
            room = room.saturating_sub(over.div_ceil(2));
        }
    }

    fn choose(&self, most: usize) -> Vec<bool> {
        let headings = self.headings();
        let mut chosen: Vec<bool> = self
            .all
            .iter()
            .map(|part| matches!(part.kind, Kind::Title | Kind::End))
            .collect();
        let first = self.all.iter().zip(&chosen);
        let first = first.filter(|(_, chosen)| **chosen);
        let mut lines: usize = first.map(|(part, _)| part.lines() + 1).sum();
        let mut told: BTreeMap<&str, usize> = BTreeMap::new();
        let mut often = 0;
        loop {
            let before = lines;
            for (at, part) in self.all.iter().enumerate() {
                let new = |thing: &String| told.get(thing.as_str()).copied().unwrap_or(0) <= often;
                if chosen[at] || !part.things.iter().any(new) {
                    continue;
                }
                let above = headings[at].iter().copied().filter(|above| !chosen[*above]);
                let with: Vec<usize> = above.chain([at]).collect();
                // And a line each for what is left out before.
                let more: usize = with.iter().map(|at| self.all[*at].lines() + 1).sum();
                if lines + more > most {
                    continue;
                }
                lines += more;
                for at in with {
                    chosen[at] = true;
                }
                for thing in &part.things {
                    *told.entry(thing).or_default() += 1;
                }
            }
            // Once all were looked at and none fits, there is no room.
            if lines == before && told.values().all(|times| *times <= often) {
                break;
            }
            // What was told may be told again.
            often += 1;
        }
        chosen
    }

    /// For each part the headings of the phases that it lies in, outermost first.
    fn headings(&self) -> Vec<Vec<usize>> {
        let mut open: Vec<(usize, usize)> = Vec::new();
        let all = self.all.iter().enumerate().map(|(at, part)| {
            open.retain(|(above, _)| *above < part.within);
            let above = open.iter().map(|(_, heading)| *heading).collect();
            if let Kind::Heading(depth) = part.kind {
                open.push((depth, at));
            }
            above
        });
        all.collect()
    }

    /// The chosen parts on pages.
    fn pages(&self, chosen: &[bool]) -> String {
        let headings = self.headings();
        let mut pages = Pages::new(self.page);
        // Headings stay with what stands below them.
        let mut above: Vec<usize> = Vec::new();
        let mut gap = false;
        for (at, part) in self.all.iter().enumerate() {
            if !chosen[at] {
                gap = true;
                continue;
            }
            if gap {
                pages.put(&mut above, self, &headings, Some(GAP));
            }
            gap = false;
            above.push(at);
            if !matches!(part.kind, Kind::Heading(_)) {
                pages.put(&mut above, self, &headings, None);
            }
        }
        pages.put(&mut above, self, &headings, gap.then_some(GAP));
        pages.text
    }

    /// Where somebody is who reads a part: what the headings above it say, and its own.
    fn place(&self, at: usize, headings: &[Vec<usize>]) -> String {
        let own = matches!(self.all[at].kind, Kind::Heading(_)).then_some(at);
        let path = headings[at].iter().copied().chain(own);
        let names: Vec<&str> = path.map(|at| self.all[at].heading.as_str()).collect();
        names.join(" › ")
    }
}

/// A text on pages, as far as it is written.
struct Pages {
    text: String,
    name: &'static str,
    number: usize,
    /// Lines on the page.
    used: usize,
    /// Clauses whose words are on it.
    told: BTreeSet<Id>,
    /// Where somebody is who reads its last line.
    place: String,
}

impl Pages {
    fn new(name: &'static str) -> Pages {
        Pages {
            text: String::new(),
            name,
            number: 1,
            used: 0,
            told: BTreeSet::new(),
            place: String::new(),
        }
    }

    /// Writes parts that stand together, and what stands for those that are left out behind them.
    fn put(
        &mut self,
        together: &mut Vec<usize>,
        parts: &Parts,
        headings: &[Vec<usize>],
        gap: Option<&str>,
    ) {
        let written = |told: &mut BTreeSet<Id>| -> Vec<String> {
            let of = together.iter();
            let lines = of.flat_map(|at| parts.all[*at].written(told));
            lines.map(str::to_owned).collect()
        };
        if let Some(last) = together.last() {
            let flows = parts.all[*last].kind == Kind::Table;
            let place = parts.place(*last, headings);
            let mut told = self.told.clone();
            let mut lines = written(&mut told);
            let room = PAGE.saturating_sub(self.used);
            let fits = lines.len() <= room || flows && room >= TOGETHER;
            if !fits && self.used > 0 {
                self.turn(&place);
                told.clear();
                lines = written(&mut told);
            }
            self.told = told;
            for line in lines {
                if self.used >= PAGE {
                    self.turn(&place);
                }
                self.line(&line);
            }
            self.place = place;
        }
        together.clear();
        if let Some(gap) = gap {
            if self.used >= PAGE {
                self.turn(&self.place.clone());
            }
            self.line(gap);
        }
    }

    /// Begins another page.
    fn turn(&mut self, place: &str) {
        self.number += 1;
        let (name, number) = (self.name, self.number);
        let at = match place {
            "" => String::new(),
            place => format!(" · {place}"),
        };
        self.text.push('\n');
        self.text
            .push_str(&format!("──────── {name} {number}{at} ────────\n"));
        // With the empty line before it.
        self.used = 2;
        self.told.clear();
    }

    fn line(&mut self, line: &str) {
        // No page begins with an empty line.
        if line.is_empty() && self.used == 2 && self.number > 1 {
            return;
        }
        self.text.push_str(line);
        self.text.push('\n');
        self.used += 1;
    }
}
