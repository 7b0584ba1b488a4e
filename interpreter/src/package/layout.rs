//! Reads `table.yaml`: how the table looks.
//!
//! In: the document of a base or of a module. Out: its areas and looks, whose names nobody has looked up yet: whether there
//! are such places, columns and rows is checked when everything has been declared. Strangers write layouts, so everything
//! here is a word of a list, or short: how many areas there may be, how deep they lie and how long a text is stands below.

use super::names::languages;
use crate::diagnostic::{Code, Diagnostics, did_you_mean};
use crate::program::layout::{
    Area, BoardPart, Colour, Draw, Flow, Fold, Form, Layout, Look, Part, Shape, TableLook, Thing,
    Track,
};
use crate::program::package::Text;
use crate::source::{Span, Spanned};
use crate::syntax::document::read::{Fields, check_address, one_of};
use crate::syntax::document::{Node, NodeKind, Pair};

/// The name of the document, which no manifest lists.
pub const NAME: &str = "table.yaml";

/// Areas of a ruleset with its modules.
pub(super) const MOST_AREAS: usize = 200;
/// Areas within each other, from the table or the mat on.
const MOST_DEPTH: usize = 6;
/// What one document says: areas, things, looks of rows.
const MOST_PARTS: usize = 2_000;
/// Steps of a track.
const MOST_STEPS: u64 = 200;
/// Signs of a title.
const LONGEST_TITLE: usize = 80;
/// Signs of a label.
const LONGEST_LABEL: usize = 4;
/// Signs of the name of an icon.
const LONGEST_ICON: usize = 40;

/// Reads a layout.
pub(super) fn read(root: &Node, diagnostics: &mut Diagnostics) -> Layout {
    let mut layout = Layout::default();
    let Some(mut fields) = Fields::open(root, "a layout", root.span, diagnostics) else {
        return layout;
    };
    let table = fields.take("table", diagnostics);
    let mat = fields.take("mat", diagnostics);
    let aside = fields.take("aside", diagnostics);
    let looks = fields.take("looks", diagnostics);
    fields.finish(diagnostics);
    let mut reader = Reader {
        diagnostics,
        parts: 0,
        full: false,
    };
    if let Some(node) = table {
        layout.table = reader.root(node, "the table");
    }
    if let Some(node) = mat {
        layout.mat = reader.root(node, "the mat");
    }
    if let Some(node) = aside {
        layout.aside = reader.names(node, "names of what is shown nowhere");
    }
    let looks = looks.and_then(|node| node.map("looks by their tables", reader.diagnostics));
    for pair in looks.unwrap_or_default() {
        if !reader.counts(pair.key.span) {
            break;
        }
        layout.looks.extend(reader.table_look(pair));
    }
    // What else is wrong with so much, nobody wants to read.
    if reader.full {
        Layout::default()
    } else {
        layout
    }
}

struct Reader<'d> {
    diagnostics: &'d mut Diagnostics,
    /// How much has been read.
    parts: usize,
    /// There was too much, which has been said.
    full: bool,
}

impl Reader<'_> {
    /// The table or the mat: `{flow: row, shows: […]}`, or only what it shows.
    fn root(&mut self, node: &Node, what: &'static str) -> Area {
        let mut area = Area::default();
        if node.pairs().is_none() {
            area.shows = self.shows(node, 1);
            return area;
        }
        if let Some(mut fields) = Fields::open(node, what, node.span, self.diagnostics) {
            self.flow(&mut fields, &mut area);
            if let Some(list) = fields.take("shows", self.diagnostics) {
                area.shows = self.shows(list, 1);
            }
            fields.finish(self.diagnostics);
        }
        area
    }

    fn flow(&mut self, fields: &mut Fields<'_>, area: &mut Area) {
        let flow = fields.take("flow", self.diagnostics);
        let flow =
            flow.and_then(|node| node.choice("how parts follow", &Flow::ALL, self.diagnostics));
        area.flow = flow.unwrap_or_default();
    }

    /// Whether there is room for one more; says so once if there is none.
    fn counts(&mut self, at: Span) -> bool {
        self.parts += 1;
        if self.parts > MOST_PARTS && !self.full {
            self.full = true;
            self.diagnostics.push(
                Code::OversizedLayout
                    .error(at, "this layout says too much")
                    .note(format!(
                        "a layout has at most {MOST_PARTS} areas, things and looks of rows"
                    )),
            );
        }
        !self.full
    }

    fn shows(&mut self, node: &Node, depth: usize) -> Vec<Part> {
        let mut parts = Vec::new();
        let items = node.list("what is shown", self.diagnostics);
        for item in items.unwrap_or_default() {
            if !self.counts(item.span) {
                break;
            }
            parts.extend(self.part(item, depth));
        }
        parts
    }

    fn part(&mut self, node: &Node, depth: usize) -> Option<Part> {
        if node.scalar().is_some() {
            return Some(Part::Thing(Thing {
                name: self.name(node)?,
                draw: Draw::default(),
                hide_empty: false,
                order: None,
                group: None,
            }));
        }
        let is = |key| node.get(key).is_some();
        match () {
            () if is("area") => self.area(node, depth),
            () if is("board") => self.board(node),
            () if is("track") => self.track(node),
            () if is("show") => self.thing(node),
            () => node.wrong(
                "what is shown: a name, or a map with the key `show`, `area`, `board` or `track`",
                self.diagnostics,
            ),
        }
    }

    /// `{area: harbour, titles: {en: …, pl: …}, flow: row, fold: open, shows: […]}`
    fn area(&mut self, node: &Node, depth: usize) -> Option<Part> {
        if depth > MOST_DEPTH {
            self.diagnostics.push(
                Code::OversizedLayout
                    .error(node.span, "this area lies too deep")
                    .note(format!(
                        "areas lie within each other at most {MOST_DEPTH} deep"
                    )),
            );
            return None;
        }
        let mut fields = Fields::open(node, "an area", node.span, self.diagnostics)?;
        let id = fields.require("area", self.diagnostics)?;
        let id = id.id("the id of an area", self.diagnostics);
        let mut area = Area {
            id,
            ..Area::default()
        };
        if let Some(titles) = fields.take("titles", self.diagnostics) {
            area.titles = self.text(titles, "a title", LONGEST_TITLE)?;
        }
        self.flow(&mut fields, &mut area);
        let fold = fields.take("fold", self.diagnostics);
        let fold = fold.and_then(|node| node.choice("a way to fold", &Fold::ALL, self.diagnostics));
        area.fold = fold.unwrap_or_default();
        if let Some(list) = fields.require("shows", self.diagnostics) {
            area.shows = self.shows(list, depth + 1);
        }
        fields.finish(self.diagnostics);
        area.id.is_some().then_some(Part::Area(area))
    }

    /// `{board: square, shows: [discs, owner]}`
    fn board(&mut self, node: &Node) -> Option<Part> {
        let mut fields = Fields::open(node, "a board", node.span, self.diagnostics)?;
        let table = fields.require("board", self.diagnostics)?;
        let table = table.id("the name of a table", self.diagnostics);
        let shows = fields.take("shows", self.diagnostics);
        fields.finish(self.diagnostics);
        let shows = shows.map(|node| self.names(node, "names of what lies on the board"));
        Some(Part::Board(BoardPart {
            table: table?,
            shows: shows.unwrap_or_default(),
        }))
    }

    /// `{track: [rounds_left], from: 12, to: 1}`
    fn track(&mut self, node: &Node) -> Option<Part> {
        const STEP: &str = "the number of a step";
        let mut fields = Fields::open(node, "a track", node.span, self.diagnostics)?;
        let shows = fields.require("track", self.diagnostics);
        let from = fields.take("from", self.diagnostics);
        let to = fields.require("to", self.diagnostics);
        fields.finish(self.diagnostics);
        let shows = self.names(shows?, "names of the counters that stand on a track");
        let from = match from {
            Some(node) => node.int(STEP, self.diagnostics)?.node,
            None => 0,
        };
        let to = to?.int(STEP, self.diagnostics)?;
        if from.abs_diff(to.node) >= MOST_STEPS {
            self.diagnostics.push(
                Code::OversizedLayout
                    .error(to.span, "this track is too long")
                    .note(format!("a track has at most {MOST_STEPS} steps")),
            );
            return None;
        }
        let to = to.node;
        Some(Part::Track(Track { shows, from, to }))
    }

    /// `{show: market, as: pieces, empty: hide, order: cost, group: victory_value}`
    fn thing(&mut self, node: &Node) -> Option<Part> {
        let mut fields = Fields::open(node, "what is shown", node.span, self.diagnostics)?;
        let name = fields.require("show", self.diagnostics)?;
        let draw = fields.take("as", self.diagnostics);
        let empty = fields.take("empty", self.diagnostics);
        let order = fields.take("order", self.diagnostics);
        let group = fields.take("group", self.diagnostics);
        fields.finish(self.diagnostics);
        let draw = draw.and_then(|node| node.choice("a way to draw", &Draw::ALL, self.diagnostics));
        let hides = [("hide", true), ("show", false)];
        let empty = empty.and_then(|node| {
            node.choice("what becomes of an empty place", &hides, self.diagnostics)
        });
        let [order, group] = [order, group].map(|c| c?.id("a column", self.diagnostics));
        Some(Part::Thing(Thing {
            name: self.name(name)?,
            draw: draw.unwrap_or_default(),
            hide_empty: empty.unwrap_or(false),
            order,
            group,
        }))
    }

    /// The name of a place, counter or marker: `stock`, or `trader.open_house` of a phase.
    fn name(&mut self, node: &Node) -> Option<Spanned<String>> {
        const WHAT: &str = "the name of a place, a counter or a marker";
        let name = node.text(WHAT, self.diagnostics)?;
        check_address(&name, WHAT, self.diagnostics).then_some(name)
    }

    fn names(&mut self, node: &Node, what: &str) -> Vec<Spanned<String>> {
        let mut names = Vec::new();
        for item in node.list(what, self.diagnostics).unwrap_or_default() {
            if !self.counts(item.span) {
                break;
            }
            names.extend(self.name(item));
        }
        names
    }

    /// A short text in both languages.
    fn text(&mut self, node: &Node, what: &'static str, longest: usize) -> Option<Text> {
        let mut fields = Fields::open(node, what, node.span, self.diagnostics)?;
        let text = languages(&mut fields, what, self.diagnostics);
        fields.finish(self.diagnostics);
        let signs = text.en.chars().count().max(text.pl.chars().count());
        if signs <= longest {
            return Some(text);
        }
        self.diagnostics.push(
            Code::OversizedLayout
                .error(node.span, format!("{what} cannot be that long"))
                .note(format!(
                    "{what} has at most {longest} signs, and this one has {signs}"
                )),
        );
        None
    }

    /// `building: {form: tile, printed: [cost], colour: sand, rows: {wharf: {icon: anchor}}}`
    fn table_look(&mut self, pair: &Pair) -> Option<TableLook> {
        let mut fields = Fields::open(&pair.value, "a look", pair.key.span, self.diagnostics)?;
        let form = fields.take("form", self.diagnostics);
        let printed = fields.take("printed", self.diagnostics);
        let rows = fields.take("rows", self.diagnostics);
        let look = self.look(&mut fields);
        fields.finish(self.diagnostics);
        let form =
            form.and_then(|node| node.choice("the form of a piece", &Form::ALL, self.diagnostics));
        let printed = printed.map(|node| {
            let items = node.list("columns", self.diagnostics).unwrap_or_default();
            let columns = items.iter().take(MOST_PARTS);
            columns
                .filter_map(|item| item.id("a column", self.diagnostics))
                .collect()
        });
        let mut table = TableLook {
            table: pair.key.clone(),
            form,
            printed,
            look,
            rows: Vec::new(),
        };
        let rows = rows.and_then(|node| node.map("looks by their rows", self.diagnostics));
        for row in rows.unwrap_or_default() {
            if !self.counts(row.key.span) {
                break;
            }
            let opened = Fields::open(&row.value, "a look", row.key.span, self.diagnostics);
            let Some(mut fields) = opened else {
                continue;
            };
            let look = self.look(&mut fields);
            fields.finish(self.diagnostics);
            table.rows.push((row.key.clone(), look));
        }
        Some(table)
    }

    fn look(&mut self, fields: &mut Fields<'_>) -> Look {
        let shape = fields.take("shape", self.diagnostics);
        let colour = fields.take("colour", self.diagnostics);
        let icon = fields.take("icon", self.diagnostics);
        let label = fields.take("label", self.diagnostics);
        Look {
            shape: shape.and_then(|node| node.choice("a shape", &Shape::ALL, self.diagnostics)),
            colour: colour.and_then(|node| self.colour(node)),
            icon: icon.and_then(|node| self.icon(node)),
            label: label.and_then(|node| self.label(node)),
        }
    }

    /// `sand`, or `"#cfb17c"`.
    fn colour(&mut self, node: &Node) -> Option<Colour> {
        let NodeKind::Scalar(scalar) = &node.kind else {
            return node.wrong("a colour", self.diagnostics);
        };
        let text = scalar.text.as_str();
        if let Some((_, colour)) = Colour::NAMED.iter().find(|(name, _)| *name == text) {
            return Some(*colour);
        }
        if let Some(digits) = text.strip_prefix('#')
            && digits.len() == 6
            && digits.bytes().all(|b| b.is_ascii_hexdigit())
            && let Ok(number) = u32::from_str_radix(digits, 16)
        {
            let [_, red, green, blue] = number.to_be_bytes();
            return Some(Colour([red, green, blue]));
        }
        let names = Colour::NAMED.iter().map(|(name, _)| *name);
        let help = did_you_mean(text, names.clone())
            .unwrap_or_else(|| one_of("it is `\"#rrggbb\"` or one of", names));
        self.diagnostics.push(
            Code::InvalidLook
                .error(node.span, format!("{} is no colour", node.described()))
                .help(help),
        );
        None
    }

    fn icon(&mut self, node: &Node) -> Option<Spanned<String>> {
        let icon = node.text("the name of an icon", self.diagnostics)?;
        let sign = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let length = icon.node.len();
        if (1..=LONGEST_ICON).contains(&length) && icon.node.bytes().all(sign) {
            return Some(icon);
        }
        self.diagnostics.push(
            Code::InvalidLook
                .error(
                    icon.span,
                    format!("{} is not the name of an icon", node.described()),
                )
                .note(format!(
                    "it is made of small letters, digits and `-`, at most {LONGEST_ICON} of them"
                )),
        );
        None
    }

    /// `{en: C, pl: K}`, or the same letters in both languages: `C`.
    fn label(&mut self, node: &Node) -> Option<Text> {
        if node.scalar().is_none() {
            return self.text(node, "a label", LONGEST_LABEL);
        }
        let text = node.text("a label", self.diagnostics)?;
        if (1..=LONGEST_LABEL).contains(&text.node.chars().count()) {
            return Some(Text {
                en: text.node.clone(),
                pl: text.node,
            });
        }
        self.diagnostics.push(
            Code::InvalidLook
                .error(text.span, format!("{} is no label", node.described()))
                .note(format!(
                    "a label is one to {LONGEST_LABEL} signs that stand for a name"
                )),
        );
        None
    }
}
