//! Lays the layout of a module over what lies below it.
//!
//! In: the layout so far, and that of one more layer. Out: both in one, and what is wrong with that. Parts of areas are added,
//! also to areas that a lower layer has; looks are changed field by field, and whoever keeps book of changes says whether one
//! may be made.

use std::collections::BTreeMap;

use super::layout::MOST_AREAS;
use crate::budget::spend;
use crate::diagnostic::{Code, Diagnostic};
use crate::numbers::Fit as _;
use crate::program::layout::{Area, Flow, Fold, Layout, Look, Part, TableLook};
use crate::program::package::Text;
use crate::source::{Span, Spanned};

/// A field of a look that a layer says.
pub(super) struct ChangedLook {
    /// Which it is; no address of anything else begins like it.
    pub(super) address: String,
    /// The same for people.
    pub(super) what: String,
    /// Where the look was first said.
    pub(super) was: Span,
    /// Where it is said now.
    pub(super) now: Span,
    /// What is said.
    pub(super) value: String,
}

/// Whether a layer may say what it says.
type May<'m> = &'m mut dyn FnMut(ChangedLook) -> bool;

/// Lays a layer over a layout.
pub(super) fn lay(
    whole: &mut Layout,
    layer: Layout,
    is_module: bool,
    may: May<'_>,
) -> Vec<Diagnostic> {
    let mut laying = Laying {
        reported: Vec::new(),
        seen: BTreeMap::new(),
    };
    let mut roots = [(&mut whole.table, layer.table), (&mut whole.mat, layer.mat)];
    for (below, above) in &mut roots {
        // A module says nothing of the table as a whole.
        if !is_module {
            below.flow = above.flow;
        }
        for part in std::mem::take(&mut above.shows) {
            laying.part(below, None, part);
        }
    }
    laying.count([&whole.table, &whole.mat]);
    whole.aside.extend(layer.aside);
    for look in layer.looks {
        table_look(&mut whole.looks, look, may);
    }
    laying.reported
}

struct Laying {
    reported: Vec<Diagnostic>,
    /// The areas of this layer.
    seen: BTreeMap<String, Span>,
}

impl Laying {
    /// Adds a part to an area of the table or the mat; what an area of a lower layer shows moreover goes into that one.
    fn part(&mut self, root: &mut Area, within: Option<&str>, part: Part) {
        let Part::Area(mut area) = part else {
            put(root, within, part);
            return;
        };
        let Some(id) = area.id.clone() else { return };
        spend(self.seen.len().fit(), Some(id.span));
        if let Some(first) = self.seen.insert(id.node.clone(), id.span) {
            self.reported.push(
                Code::RepeatedArea
                    .error(id.span, format!("there are two areas called `{}`", id.node))
                    .also(first, "the other one")
                    .help("give one of them another id"),
            );
            return;
        }
        let shows = std::mem::take(&mut area.shows);
        match root.find(&id.node) {
            None => put(root, within, Part::Area(area)),
            Some(known) => {
                let says_more = area.titles != Text::default()
                    || area.flow != Flow::default()
                    || area.fold != Fold::default();
                if says_more {
                    self.reported.push(
                        Code::RepeatedArea
                            .error(id.span, format!("the area `{}` exists already", id.node))
                            .maybe_also(known.span(), "described here")
                            .help("say only what it shows moreover, with `shows`; or give this area another id"),
                    );
                }
            }
        }
        for part in shows {
            self.part(root, Some(&id.node), part);
        }
    }

    fn count(&mut self, roots: [&Area; 2]) {
        let mut areas = Vec::new();
        for root in roots {
            root.each_area(&mut |area| areas.extend(area.span()));
        }
        if let Some(at) = areas.get(MOST_AREAS) {
            self.reported.push(
                Code::OversizedLayout
                    .error(*at, "there are too many areas")
                    .note(format!(
                        "a layout with those of its modules has at most {MOST_AREAS} areas"
                    )),
            );
        }
    }
}

fn put(root: &mut Area, within: Option<&str>, part: Part) {
    let area = match within {
        Some(id) => root.find(id),
        None => Some(root),
    };
    if let Some(area) = area {
        area.shows.push(part);
    }
}

/// Changes what the look of a table says.
fn table_look(looks: &mut Vec<TableLook>, new: TableLook, may: May<'_>) {
    let name = new.table.clone();
    spend(looks.len().fit(), Some(name.span));
    let index = looks.iter().position(|look| look.table.node == name.node);
    let index = index.unwrap_or_else(|| {
        looks.push(TableLook {
            table: name.clone(),
            form: None,
            printed: None,
            look: Look::default(),
            rows: Vec::new(),
        });
        looks.len() - 1
    });
    let old = &mut looks[index];
    let was = old.table.span;
    let mut says = |row: Option<&Spanned<String>>, field: &str, value: String| {
        let table = &name.node;
        let (what, address, now) = match row {
            None => (
                format!("`{field}` in the look of the table `{table}`"),
                format!("table.yaml {table} {field}"),
                name.span,
            ),
            Some(row) => (
                format!("`{field}` in the look of the {table} `{}`", row.node),
                format!("table.yaml {table} row {} {field}", row.node),
                row.span,
            ),
        };
        may(ChangedLook {
            address,
            what,
            was,
            now,
            value,
        })
    };
    if let Some(form) = new.form
        && says(None, "form", format!("{form:?}"))
    {
        old.form = Some(form);
    }
    if let Some(printed) = new.printed {
        let columns: Vec<&str> = printed.iter().map(|c| c.node.as_str()).collect();
        if says(None, "printed", columns.join(" ")) {
            old.printed = Some(printed);
        }
    }
    over(&mut old.look, new.look, &mut |field, value| {
        says(None, field, value)
    });
    for (row, look) in new.rows {
        spend(old.rows.len().fit(), Some(row.span));
        let index = old
            .rows
            .iter()
            .position(|(known, _)| known.node == row.node);
        let index = index.unwrap_or_else(|| {
            old.rows.push((row.clone(), Look::default()));
            old.rows.len() - 1
        });
        over(&mut old.rows[index].1, look, &mut |field, value| {
            says(Some(&row), field, value)
        });
    }
}

/// Lays a look over another one, field by field.
fn over(old: &mut Look, new: Look, may: &mut dyn FnMut(&str, String) -> bool) {
    if let Some(shape) = new.shape
        && may("shape", format!("{shape:?}"))
    {
        old.shape = Some(shape);
    }
    if let Some(colour) = new.colour
        && may("colour", colour.hex())
    {
        old.colour = Some(colour);
    }
    if let Some(icon) = new.icon
        && may("icon", icon.node.clone())
    {
        old.icon = Some(icon);
    }
    if let Some(label) = new.label
        && may("label", format!("{}\n{}", label.en, label.pl))
    {
        old.label = Some(label);
    }
}
