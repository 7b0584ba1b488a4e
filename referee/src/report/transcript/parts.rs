//! A transcript in the parts that it is made of, so that some of them can be told without the others.

use std::collections::{BTreeMap, BTreeSet};

/// Things of which events tell, by names of their own.
pub(super) type Things = BTreeSet<String>;

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
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

#[derive(Clone, Debug)]
struct Part {
    kind: Kind,
    text: String,
    things: Things,
}

impl Part {
    fn lines(&self) -> usize {
        self.text.matches('\n').count()
    }
}

/// The parts, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts(Vec<Part>);

/// What stands for parts that are left out.
const GAP: &str = "[…]\n";

impl Parts {
    /// From now on it is another part.
    pub(super) fn begin(&mut self, kind: Kind) {
        self.0.push(Part {
            kind,
            text: String::new(),
            things: Things::new(),
        });
    }

    /// The same, if only the heading was told.
    pub(super) fn begin_below_heading(&mut self, kind: Kind) {
        if matches!(
            self.0.last(),
            Some(Part {
                kind: Kind::Heading(_),
                ..
            })
        ) {
            self.begin(kind);
        }
    }

    pub(super) fn push_str(&mut self, text: &str) {
        if let Some(last) = self.0.last_mut() {
            last.text.push_str(text);
        }
    }

    /// What is told now tells of these things.
    pub(super) fn touch(&mut self, things: impl IntoIterator<Item = String>) {
        if let Some(last) = self.0.last_mut() {
            last.things.extend(things);
        }
    }

    /// All of it.
    pub(super) fn text(&self) -> String {
        self.0.iter().map(|part| part.text.as_str()).collect()
    }

    /// The parts that tell of things, as many as so many lines hold, with the headings above them, what is played, and
    /// the end. Parts that tell of what was told least often are chosen first, the earliest among them.
    pub(super) fn excerpt(&self, most: usize) -> String {
        let headings = self.headings();
        let mut chosen: Vec<bool> = self
            .0
            .iter()
            .map(|part| matches!(part.kind, Kind::Title | Kind::End))
            .collect();
        let mut lines: usize = self.chosen(&chosen).map(|part| part.lines() + 1).sum();
        let mut told: BTreeMap<&str, usize> = BTreeMap::new();
        let mut often = 0;
        loop {
            let before = lines;
            for (at, part) in self.0.iter().enumerate() {
                let new = |thing: &String| told.get(thing.as_str()).copied().unwrap_or(0) <= often;
                if chosen[at] || !part.things.iter().any(new) {
                    continue;
                }
                let above = headings[at].iter().copied().filter(|above| !chosen[*above]);
                let with: Vec<usize> = above.chain([at]).collect();
                // And a line each for what is left out before.
                let more: usize = with.iter().map(|at| self.0[*at].lines() + 1).sum();
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
        self.written(&chosen)
    }

    fn chosen<'a>(&'a self, chosen: &'a [bool]) -> impl Iterator<Item = &'a Part> {
        let all = self.0.iter().zip(chosen);
        all.filter(|(_, chosen)| **chosen).map(|(part, _)| part)
    }

    /// For each part the headings of the phases that it lies in, outermost first.
    fn headings(&self) -> Vec<Vec<usize>> {
        let mut open: Vec<(usize, usize)> = Vec::new();
        let all = self.0.iter().enumerate().map(|(at, part)| {
            if let Kind::Heading(depth) = part.kind {
                open.retain(|(above, _)| *above < depth);
            }
            let above = open.iter().map(|(_, heading)| *heading).collect();
            if let Kind::Heading(depth) = part.kind {
                open.push((depth, at));
            }
            above
        });
        all.collect()
    }

    fn written(&self, chosen: &[bool]) -> String {
        let mut text = String::new();
        let mut gap = false;
        for (part, chosen) in self.0.iter().zip(chosen) {
            if *chosen {
                text.push_str(&part.text);
            } else if !gap {
                text.push_str(GAP);
            }
            gap = !chosen;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(of: &[(Kind, &str, &[&str])]) -> Parts {
        let mut parts = Parts::default();
        for (kind, text, things) in of {
            parts.begin(*kind);
            parts.push_str(text);
            parts.touch(things.iter().map(|thing| (*thing).to_owned()));
        }
        parts
    }

    #[test]
    fn an_excerpt_tells_of_each_thing_before_it_tells_of_one_again() {
        let all = parts(&[
            (Kind::Title, "title\n", &[]),
            (Kind::Heading(0), "\nround 1\n", &[]),
            (Kind::Heading(1), "phase\n", &[]),
            (Kind::Move, "a\n", &["a"]),
            (Kind::Move, "a again\n", &["a"]),
            (Kind::Move, "nothing\n", &[]),
            (Kind::Table, "\ntable\n", &[]),
            (Kind::Heading(0), "\nround 2\n", &[]),
            (Kind::Heading(1), "phase b\n", &["b"]),
            (Kind::End, "\nend\n", &[]),
        ]);
        let each = "title\n\nround 1\nphase\na\n[…]\n\nround 2\nphase b\n\nend\n";
        assert_eq!(all.excerpt(17), each);
        let again = "title\n\nround 1\nphase\na\na again\n[…]\n\nround 2\nphase b\n\nend\n";
        assert_eq!(all.excerpt(19), again);
        assert_eq!(all.excerpt(5), "title\n[…]\n\nend\n");
        for most in 5..30 {
            assert!(all.excerpt(most).lines().count() <= most);
        }
    }
}
