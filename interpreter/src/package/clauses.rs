//! The rulebook: `rulebook.yaml` with its clauses, and `sources.yaml`, which maps the printed one to them.

use super::names::{placed_languages, titles};
use super::print;
use crate::diagnostic::{Code, Diagnostics};
use crate::program::number_words::Stated;
use crate::program::package::{
    Clause, ClauseKind, Occurrences, Section, SourceParagraph, Text, Tie,
};
use crate::source::{Span, Spanned};
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

/// What a `rulebook.yaml` says.
#[derive(Default)]
pub(super) struct Clauses {
    pub(super) sections: Vec<Section>,
    pub(super) clauses: Vec<Clause>,
    /// Of a module only: other words for clauses of the layers below.
    pub(super) patches: Vec<ClausePatch>,
    /// Where the document asks that every number be tied.
    pub(super) tied: Option<Span>,
    /// Of a module only: where the document asks that every clause that it overrules be replaced.
    pub(super) replacing: Option<Span>,
}

/// Other words, or another kind, for a clause.
pub(super) struct ClausePatch {
    pub(super) id: Spanned<String>,
    pub(super) text: Option<[Spanned<String>; 2]>,
    /// What the numbers of its words stand for.
    pub(super) numbers: Option<Vec<Tie>>,
    /// The clauses of lower layers that it replaces or restricts.
    pub(super) replaces: Vec<Spanned<String>>,
    pub(super) restricts: Vec<Spanned<String>>,
    /// With whether some rule has to carry it out.
    pub(super) kind: Option<(ClauseKind, bool)>,
    /// As it is written, to tell whether two modules agree.
    pub(super) node: Node,
}

/// Reads `rulebook.yaml` of a base or a module.
pub(super) fn read(root: &Node, base: bool, diagnostics: &mut Diagnostics) -> Clauses {
    let mut read = Clauses::default();
    let Some(mut fields) = Fields::open(root, "a rulebook", start(root), diagnostics) else {
        return read;
    };
    // Free text about the edition, for whoever opens the file; nothing here reads it.
    fields.take("source", diagnostics);
    read.tied = fields.take("numbers", diagnostics).and_then(|node| {
        let tied = node.choice("what is asked of numbers", &[("tied", ())], diagnostics);
        tied.map(|()| node.span)
    });
    if !base {
        read.replacing = fields.take("overruled", diagnostics).and_then(|node| {
            let what = "what is asked of overruled clauses";
            let asked = node.choice(what, &[("replaced", ())], diagnostics);
            asked.map(|()| node.span)
        });
    }
    if !base && let Some(node) = fields.take("patch", diagnostics) {
        read.patches = patches(node, diagnostics);
    }
    let node = match fields.has("patch") && !base {
        true => fields.take("sections", diagnostics),
        false => fields.require("sections", diagnostics),
    };
    fields.finish(diagnostics);
    let Clauses {
        sections, clauses, ..
    } = &mut read;
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
                .filter_map(|node| clause(node, &section, base, diagnostics)),
        );
        if let Some(id) = id {
            sections.push(Section { id, titles });
        }
    }
    read
}

fn patches(node: &Node, diagnostics: &mut Diagnostics) -> Vec<ClausePatch> {
    let mut patches = Vec::new();
    for pair in node
        .map("clauses and their new words", diagnostics)
        .unwrap_or_default()
    {
        let Some(mut fields) =
            Fields::open(&pair.value, "a changed clause", pair.key.span, diagnostics)
        else {
            continue;
        };
        let kind = kind(&mut fields, diagnostics);
        let numbers = numbers(&mut fields, diagnostics);
        let [replaces, restricts] = precedence(&mut fields, diagnostics);
        let nothing_else = kind.is_none() && numbers.is_none();
        let says = fields.has("en") || fields.has("pl") || nothing_else;
        let text = says.then(|| placed_languages(&mut fields, "a changed clause", diagnostics));
        fields.finish(diagnostics);
        patches.push(ClausePatch {
            id: pair.key.clone(),
            text,
            numbers,
            replaces,
            restricts,
            kind,
            node: pair.value.clone(),
        });
    }
    patches
}

/// The clauses that a clause of a module replaces, and those that it restricts.
fn precedence(fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> [Vec<Spanned<String>>; 2] {
    ["replaces", "restricts"].map(|key| {
        let list = fields.take(key, diagnostics);
        let list = list.and_then(|node| node.list("ids of clauses", diagnostics));
        let ids = list.unwrap_or_default().iter();
        ids.filter_map(|item| item.address("the id of a clause", diagnostics))
            .collect()
    })
}

fn clause(node: &Node, section: &str, base: bool, diagnostics: &mut Diagnostics) -> Option<Clause> {
    let at = node.get("id").map_or(start(node), |id| id.span);
    let mut fields = Fields::open(node, "a clause", at, diagnostics)?;
    let id = fields
        .require("id", diagnostics)
        .and_then(|node| node.address("the id of a clause", diagnostics));
    let (kind, is_enforced) = kind(&mut fields, diagnostics).unwrap_or((ClauseKind::Rule, true));
    let [en, pl] = placed_languages(&mut fields, "a clause", diagnostics);
    let numbers = numbers(&mut fields, diagnostics).unwrap_or_default();
    let [replaces, restricts] = match base {
        true => Default::default(),
        false => precedence(&mut fields, diagnostics),
    };
    fields.finish(diagnostics);
    Some(Clause {
        id: id?,
        section: section.to_owned(),
        words: [en.span, pl.span],
        text: Text {
            en: en.node,
            pl: pl.node,
        },
        kind,
        is_enforced,
        numbers,
        replaces,
        restricts,
    })
}

/// What the numbers of a clause stand for: by number a figure for all of its occurrences, a list with one for each of
/// them, or either by language.
fn numbers(fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> Option<Vec<Tie>> {
    let node = fields.take("numbers", diagnostics)?;
    let mut ties = Vec::new();
    for pair in node
        .map("numbers and their figures", diagnostics)
        .unwrap_or_default()
    {
        let Some(number) = Stated::parse(&pair.key.node) else {
            let wrong = format!("`{}` is no number", pair.key.node);
            let mistake = Code::InvalidNumber.error(pair.key.span, wrong);
            diagnostics
                .push(mistake.help("write digits, also where the clause has a word, or `half`"));
            continue;
        };
        let occurrences = |node: &Node, diagnostics: &mut Diagnostics| {
            let Some(items) = node.items() else {
                return node.text("a figure", diagnostics).map(Occurrences::All);
            };
            let figures = items
                .iter()
                .filter_map(|item| item.text("a figure", diagnostics));
            Some(Occurrences::Each(figures.collect()))
        };
        let stands_for = match pair.value.pairs() {
            None => occurrences(&pair.value, diagnostics).map(|both| [both.clone(), both]),
            Some(_) => {
                let at = pair.key.span;
                let fields = Fields::open(&pair.value, "figures by language", at, diagnostics);
                let Some(mut fields) = fields else { continue };
                let said = ["en", "pl"].map(|key| fields.take(key, diagnostics));
                fields.finish(diagnostics);
                let none = Some(Occurrences::Each(Vec::new()));
                let [en, pl] = said.map(|said| match said {
                    Some(said) => occurrences(said, diagnostics),
                    None => none.clone(),
                });
                en.zip(pl).map(|(en, pl)| [en, pl])
            }
        };
        let number = Spanned::new(number, pair.key.span);
        ties.extend(stands_for.map(|stands_for| Tie { number, stands_for }));
    }
    Some(ties)
}

/// The kind of a clause, if it is said, and whether some rule has to carry it out: of a ruling that is said beside it.
fn kind(fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> Option<(ClauseKind, bool)> {
    let kind = fields
        .take("kind", diagnostics)
        .and_then(|node| node.choice("a kind of clause", KINDS, diagnostics))?;
    let is_enforced = match kind {
        ClauseKind::Rule | ClauseKind::Option => true,
        ClauseKind::Note => false,
        ClauseKind::Ruling => {
            let said = fields.take("enforced", diagnostics);
            let said = said.and_then(|node| node.bool("a truth value", diagnostics));
            said.is_none_or(|said| said.node)
        }
    };
    Some((kind, is_enforced))
}

/// What a `sources.yaml` says.
#[derive(Default)]
pub(super) struct Paragraphs {
    pub(super) list: Vec<SourceParagraph>,
    /// Of a module only: its printed rulebook stands instead of those of the layers below.
    pub(super) instead: bool,
}

/// Reads `sources.yaml` of a base or a module.
pub(super) fn sources(root: &Node, base: bool, diagnostics: &mut Diagnostics) -> Paragraphs {
    let mut paragraphs = Paragraphs::default();
    let Some(mut fields) = Fields::open(root, "the sources", start(root), diagnostics) else {
        return paragraphs;
    };
    if !base {
        let instead = fields.take("instead", diagnostics);
        let instead = instead.and_then(|node| node.bool("a truth value", diagnostics));
        paragraphs.instead = instead.is_some_and(|b| b.node);
    }
    let node = fields.require("paragraphs", diagnostics);
    fields.finish(diagnostics);
    for node in node
        .and_then(|node| node.list("paragraphs", diagnostics))
        .unwrap_or_default()
    {
        paragraphs.list.extend(paragraph(node, diagnostics));
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
    let print = fields
        .take("print", diagnostics)
        .map(|node| print::excerpts(node, diagnostics))
        .unwrap_or_default();
    let says = (fields.has("clauses"), fields.has("none"));
    fields.finish(diagnostics);
    match says {
        (true, true) => diagnostics.push(
            Code::UnexplainedParagraph
                .error(
                    place,
                    "a paragraph has clauses or a reason to have none, not both",
                )
                .maybe_also(why_none.as_ref().map(|why| why.span), "the reason"),
        ),
        (false, false) => diagnostics.push(
            Code::UnexplainedParagraph
                .error(
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
                Code::UnexplainedParagraph
                    .error(place, "the list of clauses of this paragraph is empty")
                    .help("write `none: why no rule follows from it` instead"),
            )
        }
        _ => {}
    }
    Some(SourceParagraph {
        at: at?,
        clauses,
        why_none: why_none.map(|why| why.node),
        print,
        printed: Vec::new(),
    })
}
