//! A text of rules in which every line knows where it comes from and which clauses it cites.

use interpreter::source::Span;

/// A text of rules.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// Its lines.
    pub lines: Vec<Line>,
    /// From this line on it says what belongs to other things.
    pub aside: Option<usize>,
}

/// What a line is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// A rule where it is written.
    #[default]
    Own,
    /// A rule that is written elsewhere and holds here.
    Added,
    /// A rule of a module in place of another.
    Replaced,
    /// A rule that a module took out.
    Gone,
    /// Not a rule: says what follows.
    Heading,
    /// Not a rule: an explanation.
    Remark,
}

/// A line.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// How deep it is indented.
    pub depth: usize,
    /// What it is.
    pub mark: Mark,
    /// What it says.
    pub text: String,
    /// Where it is written.
    pub place: Option<Span>,
    /// The clauses it cites.
    pub cites: Vec<String>,
}

impl Sheet {
    /// Adds a line.
    pub fn line(&mut self, depth: usize, mark: Mark, text: impl Into<String>) -> &mut Line {
        self.lines.push(Line {
            depth,
            mark,
            text: text.into(),
            ..Line::default()
        });
        let last = self.lines.len() - 1;
        &mut self.lines[last]
    }

    /// Adds a heading, after an empty line.
    pub fn heading(&mut self, text: impl Into<String>) -> &mut Line {
        self.gap();
        self.line(0, Mark::Heading, text)
    }

    /// What follows belongs to other things and is only read here.
    pub fn aside(&mut self) {
        self.aside.get_or_insert(self.lines.len());
    }

    /// Adds an empty line, unless there is one.
    pub fn gap(&mut self) {
        if self.lines.last().is_some_and(|line| !line.text.is_empty()) {
            self.lines.push(Line::default());
        }
    }
}

impl Line {
    /// Says where it is written.
    pub fn at(&mut self, span: Span) -> &mut Line {
        self.place = Some(span);
        self
    }

    /// Says what it cites.
    pub fn cites<'c>(
        &mut self,
        cites: impl IntoIterator<Item = &'c interpreter::syntax::ast::Cite>,
    ) -> &mut Line {
        self.cites
            .extend(cites.into_iter().map(|cite| cite.node.clone()));
        self
    }
}
