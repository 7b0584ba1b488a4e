//! The rulebook: `rulebook.yaml` with its clauses, and `sources.yaml`, which maps the printed one to them.

use super::names::{languages, titles};
use super::{Clause, ClauseKind, Section, SourceParagraph};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::Span;
use crate::syntax::document::Node;
use crate::syntax::document::read::Fields;

const KINDS: &[(&str, ClauseKind)] = &[
    ("rule", ClauseKind::Rule),
    ("ruling", ClauseKind::Ruling),
    ("option", ClauseKind::Option),
    ("note", ClauseKind::Note),
];

/// Where a map begins: its first key.
fn start(node: &Node) -> Span {
    node.pairs()
        .and_then(|pairs| pairs.first())
        .map_or(node.span, |pair| pair.key.span)
}

/// Reads `rulebook.yaml`.
pub(super) fn read(root: &Node, diagnostics: &mut Diagnostics) -> (Vec<Section>, Vec<Clause>) {
    let (mut sections, mut clauses) = (Vec::new(), Vec::new());
    let Some(mut fields) = Fields::open(root, "a rulebook", start(root), diagnostics) else {
        return (sections, clauses);
    };
    // Free text about the edition, for whoever opens the file; nothing here reads it.
    fields.take("source", diagnostics);
    let node = fields.require("sections", diagnostics);
    fields.finish(diagnostics);
    for node in node
        .and_then(|node| node.list("sections", diagnostics))
        .unwrap_or_default()
    {
        let Some(mut fields) = Fields::open(node, "a section", start(node), diagnostics) else {
            continue;
        };
        let id = fields
            .require("id", diagnostics)
            .and_then(|node| node.address("the id of a section", diagnostics));
        let titles = titles(&mut fields, "titles", diagnostics);
        let list = fields
            .require("clauses", diagnostics)
            .and_then(|node| node.list("clauses", diagnostics));
        fields.finish(diagnostics);
        let section = id.as_ref().map(|id| id.node.clone()).unwrap_or_default();
        clauses.extend(
            list.unwrap_or_default()
                .iter()
                .filter_map(|node| clause(node, &section, diagnostics)),
        );
        if let Some(id) = id {
            sections.push(Section { id, titles });
        }
    }
    (sections, clauses)
}

fn clause(node: &Node, section: &str, diagnostics: &mut Diagnostics) -> Option<Clause> {
    let at = node.get("id").map_or(start(node), |id| id.span);
    let mut fields = Fields::open(node, "a clause", at, diagnostics)?;
    let id = fields
        .require("id", diagnostics)
        .and_then(|node| node.address("the id of a clause", diagnostics));
    let kind = fields
        .take("kind", diagnostics)
        .and_then(|node| node.choice("a kind of clause", KINDS, diagnostics))
        .unwrap_or(ClauseKind::Rule);
    let text = languages(&mut fields, "a clause", diagnostics);
    fields.finish(diagnostics);
    Some(Clause {
        id: id?,
        section: section.to_owned(),
        text,
        kind,
    })
}

/// Reads `sources.yaml`.
pub(super) fn sources(root: &Node, diagnostics: &mut Diagnostics) -> Vec<SourceParagraph> {
    let mut paragraphs = Vec::new();
    let Some(mut fields) = Fields::open(root, "the sources", start(root), diagnostics) else {
        return paragraphs;
    };
    let node = fields.require("paragraphs", diagnostics);
    fields.finish(diagnostics);
    for node in node
        .and_then(|node| node.list("paragraphs", diagnostics))
        .unwrap_or_default()
    {
        paragraphs.extend(paragraph(node, diagnostics));
    }
    paragraphs
}

fn paragraph(node: &Node, diagnostics: &mut Diagnostics) -> Option<SourceParagraph> {
    let place = node.get("at").map_or(start(node), |at| at.span);
    let mut fields = Fields::open(node, "a paragraph", place, diagnostics)?;
    let at = fields
        .require("at", diagnostics)
        .and_then(|node| node.text("where the paragraph stands in the rulebook", diagnostics));
    let clauses: Vec<_> = fields
        .take("clauses", diagnostics)
        .and_then(|node| node.list("ids of clauses", diagnostics))
        .unwrap_or_default()
        .iter()
        .filter_map(|item| item.address("the id of a clause", diagnostics))
        .collect();
    let why_none = fields
        .take("none", diagnostics)
        .and_then(|node| node.text("a reason", diagnostics));
    let says = (fields.has("clauses"), fields.has("none"));
    fields.finish(diagnostics);
    match says {
        (true, true) => diagnostics.push(
            Diagnostic::error(
                336,
                place,
                "a paragraph has clauses or a reason to have none, not both",
            )
            .maybe_also(why_none.as_ref().map(|why| why.span), "the reason"),
        ),
        (false, false) => diagnostics.push(
            Diagnostic::error(
                336,
                place,
                "this paragraph has neither clauses nor a reason to have none",
            )
            .help("write `clauses: [captain.load]` or `none: why no rule follows from it`"),
        ),
        (true, false)
            if node
                .get("clauses")
                .and_then(Node::items)
                .is_some_and(<[Node]>::is_empty) =>
        {
            diagnostics.push(
                Diagnostic::error(336, place, "the list of clauses of this paragraph is empty")
                    .help("write `none: why no rule follows from it` instead"),
            )
        }
        _ => {}
    }
    Some(SourceParagraph {
        at: at?,
        clauses,
        why_none: why_none.map(|why| why.node),
    })
}
