//! Manifests: `ruleset.yaml` of a base and `module.yaml` of a module.

use super::names::{text_pair, titles};
use crate::diagnostic::{Code, Diagnostics};
use crate::numbers::Fit as _;
use crate::program::package::{OptionDecl, Text};
use crate::source::{Sources, Span, Spanned};
use crate::syntax::document;
use crate::syntax::document::read::Fields;
use crate::syntax::document::{Node, NodeKind, Pair};

/// Versions of the language that this engine reads.
pub(super) const LANGUAGES: &[i64] = &[1];

/// The greatest number of players that a ruleset may allow.
const MOST_PLAYERS: i64 = 12;

/// What a manifest says.
pub(super) struct Manifest {
    pub(super) id: Spanned<String>,
    pub(super) version: String,
    pub(super) titles: Text,
    pub(super) players: Option<Spanned<(u8, u8)>>,
    pub(super) options: Vec<OptionDecl>,
    pub(super) files: Files,
    /// Ids of the modules in the folder `modules`; of a base only.
    pub(super) modules: Vec<Spanned<String>>,
    /// What only modules say.
    pub(super) overlay: Overlay,
}

/// How a module relates to its base and to other modules.
#[derive(Default)]
pub(super) struct Overlay {
    pub(super) extends: Option<Spanned<String>>,
    pub(super) requires: Vec<Spanned<String>>,
    pub(super) excludes: Vec<Spanned<String>>,
    /// Modules with any of which it excludes nobody.
    pub(super) unless: Vec<Spanned<String>>,
    pub(super) after: Vec<Spanned<String>>,
    /// The modules whose combination it completes: it is laid of itself when all of them are chosen.
    pub(super) joins: Vec<Spanned<String>>,
    pub(super) patches: Vec<Patch>,
    pub(super) removals: Vec<Removal>,
}

impl Overlay {
    /// The modules that it comes after.
    pub(super) fn follows(&self) -> impl Iterator<Item = &Spanned<String>> {
        self.after.iter().chain(&self.joins)
    }
}

/// New values for fields of a row, or, where the table is called `figures`, of a figure.
pub(super) struct Patch {
    pub(super) table: Spanned<String>,
    pub(super) row: Spanned<String>,
    pub(super) fields: Node,
}

/// A row that is no longer in the game.
pub(super) struct Removal {
    pub(super) table: Spanned<String>,
    pub(super) row: Spanned<String>,
}

/// The documents of a folder, as its manifest lists them.
#[derive(Default)]
pub(super) struct Files {
    /// Where the list stands.
    pub(super) span: Option<Span>,
    pub(super) components: Vec<Spanned<String>>,
    pub(super) rules: Vec<Spanned<String>>,
    pub(super) setup: Option<Spanned<String>>,
    pub(super) rulebook: Option<Spanned<String>>,
    pub(super) sources: Option<Spanned<String>>,
    pub(super) names: Option<Spanned<String>>,
}

impl Files {
    /// All of them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Spanned<String>> {
        let single = [&self.setup, &self.rulebook, &self.sources, &self.names];
        self.components
            .iter()
            .chain(&self.rules)
            .chain(single.into_iter().flatten())
    }
}

/// Reads a manifest; `base` or module.
pub(super) fn read(root: &Node, base: bool, diagnostics: &mut Diagnostics) -> Option<Manifest> {
    let what = if base { "a ruleset" } else { "a module" };
    let at = root
        .pairs()
        .and_then(|pairs| pairs.first())
        .map_or(root.span, |pair| pair.key.span);
    let mut fields = Fields::open(root, what, at, diagnostics)?;
    let id = fields.require("id", diagnostics).and_then(|node| {
        node.address(
            if base {
                "the id of a ruleset"
            } else {
                "the id of a module"
            },
            diagnostics,
        )
    });
    let version = match base {
        true => fields.require("version", diagnostics),
        false => fields.take("version", diagnostics),
    }
    .and_then(|node| node.text("a version", diagnostics));
    let language = match base {
        true => fields.require("language", diagnostics),
        false => fields.take("language", diagnostics),
    };
    if let Some(version) =
        language.and_then(|node| node.int("the version of the language", diagnostics))
    {
        check_language(version, diagnostics);
    }
    let titles = titles(&mut fields, "titles", diagnostics);
    let players = match base {
        true => fields.require("players", diagnostics),
        false => fields.take("players", diagnostics),
    }
    .and_then(|node| players(node, diagnostics));
    let options = fields
        .take("options", diagnostics)
        .map(|node| options(node, diagnostics))
        .unwrap_or_default();
    let files = match base {
        true => fields.require("files", diagnostics),
        false => fields.take("files", diagnostics),
    }
    .map(|node| files(node, diagnostics))
    .unwrap_or_default();
    let mut modules = Vec::new();
    let mut overlay = Overlay::default();
    if base {
        modules = ids(&mut fields, "modules", diagnostics);
    } else {
        overlay.extends = fields
            .require("extends", diagnostics)
            .and_then(|node| node.address("the id of the ruleset that is extended", diagnostics));
        overlay.requires = ids(&mut fields, "requires", diagnostics);
        overlay.excludes = ids(&mut fields, "excludes", diagnostics);
        overlay.unless = ids(&mut fields, "unless", diagnostics);
        overlay.after = ids(&mut fields, "after", diagnostics);
        overlay.joins = ids(&mut fields, "joins", diagnostics);
        overlay.patches = fields
            .take("patch", diagnostics)
            .map(|node| patches(node, diagnostics))
            .unwrap_or_default();
        overlay.removals = fields
            .take("remove", diagnostics)
            .map(|node| removals(node, diagnostics))
            .unwrap_or_default();
    }
    fields.finish(diagnostics);
    Some(Manifest {
        id: id?,
        version: version.map(|v| v.node).unwrap_or_default(),
        titles,
        players,
        options,
        files,
        modules,
        overlay,
    })
}

fn check_language(version: Spanned<i64>, diagnostics: &mut Diagnostics) {
    if !LANGUAGES.contains(&version.node) {
        let known: Vec<_> = LANGUAGES.iter().map(|v| format!("`{v}`")).collect();
        diagnostics.push(
            Code::UnsupportedLanguageVersion
                .error(
                    version.span,
                    format!(
                        "version {} of the language is not known to this engine",
                        version.node
                    ),
                )
                .help(format!("it reads {}", known.join(", "))),
        );
    }
}

fn players(node: &Node, diagnostics: &mut Diagnostics) -> Option<Spanned<(u8, u8)>> {
    const WHAT: &str = "a number of players";
    let mut fields = Fields::open(node, "the numbers of players", node.span, diagnostics)?;
    let from = fields
        .require("from", diagnostics)
        .and_then(|n| n.int_within(WHAT, 1, MOST_PLAYERS, diagnostics));
    let to = fields
        .require("to", diagnostics)
        .and_then(|n| n.int_within(WHAT, 1, MOST_PLAYERS, diagnostics));
    fields.finish(diagnostics);
    let (from, to) = (from?, to?);
    if from.node > to.node {
        diagnostics.push(
            Code::InvalidPlayerRange
                .error(
                    from.span,
                    format!("from {} to {} is no range of players", from.node, to.node),
                )
                .also(to.span, "less than that")
                .help("the smaller number comes first"),
        );
        return None;
    }
    Some(Spanned::new((from.node.fit(), to.node.fit()), node.span))
}

fn options(node: &Node, diagnostics: &mut Diagnostics) -> Vec<OptionDecl> {
    let mut options = Vec::new();
    for pair in node
        .map("options by their names", diagnostics)
        .unwrap_or_default()
    {
        super::names::id_of(&pair.key, "the name of an option", diagnostics);
        let Some(mut fields) = Fields::open(&pair.value, "an option", pair.key.span, diagnostics)
        else {
            continue;
        };
        let names = titles(&mut fields, "names", diagnostics);
        let default = fields
            .require("default", diagnostics)
            .and_then(|node| match node.plain() {
                Some("true" | "false" | "yes" | "no" | "on" | "off") => node
                    .bool("a default", diagnostics)
                    .map(|b| (i64::from(b.node), false)),
                _ => node
                    .int("`true`, `false` or a number", diagnostics)
                    .map(|n| (n.node, true)),
            });
        let mut bound = |key: &'static str, diagnostics: &mut Diagnostics| {
            fields
                .take(key, diagnostics)
                .and_then(|node| node.int("a number", diagnostics))
        };
        let at_least = bound("at_least", diagnostics);
        let at_most = bound("at_most", diagnostics);
        let cite = fields
            .take("cite", diagnostics)
            .and_then(|node| node.address("the id of a clause", diagnostics));
        fields.finish(diagnostics);
        if let Some((default, is_int)) = default {
            let option = OptionDecl {
                id: pair.key.clone(),
                names,
                default,
                is_int,
                at_least: at_least.as_ref().map(|bound| bound.node),
                at_most: at_most.as_ref().map(|bound| bound.node),
                cite,
            };
            let written = at_least.as_ref().or(at_most.as_ref());
            check_bounds(&option, written.map(|bound| bound.span), diagnostics);
            options.push(option);
        }
    }
    options
}

/// Tells bounds of an option that make no sense; `written` is where one of them is.
fn check_bounds(option: &OptionDecl, written: Option<Span>, diagnostics: &mut Diagnostics) {
    let Some(written) = written else {
        return;
    };
    let name = &option.id.node;
    let mistake =
        |message: String, help: &str| Code::OptionBounds.error(written, message).help(help);
    if !option.is_int {
        let help = "leave out `at_least` and `at_most`, or give it a number as `default`";
        diagnostics.push(mistake(
            format!("the option `{name}` is a switch, which is on or off"),
            help,
        ));
    } else if let (Some(least), Some(most)) = (option.at_least, option.at_most)
        && least > most
    {
        let message = format!("the option `{name}` can be nothing from {least} to {most}");
        diagnostics.push(mistake(message, "the smaller number is `at_least`"));
    } else if !option.allows(option.default) {
        let message = format!(
            "the option `{name}` cannot be its default, {}",
            option.default
        );
        diagnostics.push(mistake(message, &format!("it may be {}", option.range())));
    }
}

fn files(node: &Node, diagnostics: &mut Diagnostics) -> Files {
    let mut files = Files {
        span: Some(node.span),
        ..Files::default()
    };
    let Some(mut fields) = Fields::open(node, "the list of files", node.span, diagnostics) else {
        return files;
    };
    let list = |node: Option<&Node>, diagnostics: &mut Diagnostics| -> Vec<Spanned<String>> {
        node.and_then(|node| node.list("paths of files", diagnostics))
            .unwrap_or_default()
            .iter()
            .filter_map(|item| item.text("the path of a file", diagnostics))
            .collect()
    };
    files.components = list(fields.take("components", diagnostics), diagnostics);
    files.rules = list(fields.take("rules", diagnostics), diagnostics);
    let mut single = |key: &'static str, diagnostics: &mut Diagnostics| {
        fields
            .take(key, diagnostics)
            .and_then(|node| node.text("the path of a file", diagnostics))
    };
    files.setup = single("setup", diagnostics);
    files.rulebook = single("rulebook", diagnostics);
    files.sources = single("sources", diagnostics);
    files.names = single("names", diagnostics);
    fields.finish(diagnostics);
    let mut seen: Vec<&Spanned<String>> = Vec::new();
    for file in files.iter() {
        match seen.iter().find(|other| other.node == file.node) {
            Some(first) => diagnostics.push(
                Code::DuplicateFileEntry
                    .error(file.span, format!("`{}` is listed twice", file.node))
                    .also(first.span, "first here"),
            ),
            None => seen.push(file),
        }
    }
    files
}

/// A list of module ids.
fn ids(
    fields: &mut Fields<'_>,
    key: &'static str,
    diagnostics: &mut Diagnostics,
) -> Vec<Spanned<String>> {
    let Some(node) = fields.take(key, diagnostics) else {
        return Vec::new();
    };
    let mut ids: Vec<Spanned<String>> = Vec::new();
    for item in node.list("ids of modules", diagnostics).unwrap_or_default() {
        let Some(id) = item.address("the id of a module", diagnostics) else {
            continue;
        };
        match ids.iter().find(|other| other.node == id.node) {
            Some(first) => diagnostics.push(
                Code::DuplicateId
                    .error(id.span, format!("the module `{}` is named twice", id.node))
                    .also(first.span, "first here"),
            ),
            None => ids.push(id),
        }
    }
    ids
}

fn patches(node: &Node, diagnostics: &mut Diagnostics) -> Vec<Patch> {
    let mut patches = Vec::new();
    for table in node
        .map("patches by table", diagnostics)
        .unwrap_or_default()
    {
        for row in pairs_of(table, "rows and their new values", diagnostics) {
            match row.value.kind {
                NodeKind::Nothing => crate::syntax::document::read::no_value(&row.key, diagnostics),
                _ => patches.push(Patch {
                    table: table.key.clone(),
                    row: row.key.clone(),
                    fields: row.value.clone(),
                }),
            }
        }
    }
    patches
}

fn removals(node: &Node, diagnostics: &mut Diagnostics) -> Vec<Removal> {
    let mut removals = Vec::new();
    for table in node
        .map("removed rows by table", diagnostics)
        .unwrap_or_default()
    {
        for item in table
            .value
            .list("ids of rows", diagnostics)
            .unwrap_or_default()
        {
            if let Some(row) = item.id("the id of a row", diagnostics) {
                removals.push(Removal {
                    table: table.key.clone(),
                    row,
                });
            }
        }
    }
    removals
}

fn pairs_of<'n>(pair: &'n Pair, what: &str, diagnostics: &mut Diagnostics) -> &'n [Pair] {
    pair.value.map(what, diagnostics).unwrap_or_default()
}

/// What can be known of a module without reading the rest of it. If its manifest is wrong, whoever
/// plays with it is told; here something is missing.
#[derive(Clone, Debug, Default)]
pub struct Glimpse {
    /// Its id.
    pub id: Option<String>,
    /// The ruleset over which it is laid.
    pub extends: Option<String>,
    /// Its titles.
    pub titles: Text,
    /// Ids of the modules that it joins.
    pub joins: Vec<String>,
    /// Ids of the modules without which it cannot be played.
    pub requires: Vec<String>,
}

impl Glimpse {
    /// Reads the text of a `module.yaml`.
    pub fn of(text: &str) -> Glimpse {
        let mut sources = Sources::default();
        let file = sources.add("module.yaml", text);
        let quiet = &mut Diagnostics::default();
        let Some(root) = document::parse(&sources, file, quiet) else {
            return Glimpse::default();
        };
        let mut id = |key| Some(root.get(key)?.address("an id", quiet)?.node);
        let (own, extends) = (id("id"), id("extends"));
        let titles = root
            .get("titles")
            .and_then(|t| text_pair(t, "a title", quiet));
        let mut modules = |key| -> Vec<String> {
            let list = root.get(key).and_then(|list| list.list("ids", quiet));
            let ids = list.unwrap_or_default().iter();
            ids.filter_map(|id| id.address("the id of a module", quiet))
                .map(|id| id.node)
                .collect()
        };
        let (joins, requires) = (modules("joins"), modules("requires"));
        Glimpse {
            id: own,
            extends,
            titles: titles.unwrap_or_default(),
            joins,
            requires,
        }
    }
}
