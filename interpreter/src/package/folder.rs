//! Reads one folder: its manifest, the documents that the manifest lists, and its scenarios.

use super::clauses::{Clauses, Paragraphs};
use super::components::TableFile;
use super::manifest::Manifest;
use super::{acceptances, clauses, components, figures, layout, manifest, names, print};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::numbers::Fit as _;
use crate::program::acceptance::Review;
use crate::program::layout::Layout;
use crate::program::package::Figure;
use crate::program::print::Print;
use crate::source::{FileId, PackageTexts, Sources, Span, Spanned};
use crate::syntax::{Trees, ast, document};

/// The greatest length of a document, in bytes.
const LONGEST: usize = 4 << 20;

/// The document in which mistakes are marked that nobody could notice. Like recorded games it says nothing of the rules, so
/// it is not listed, and no part of any digest.
pub const EQUIVALENTS: &str = "equivalents.yaml";
/// What came of planting mistakes, for whoever says what is proven. No part of the ruleset either.
pub const PROOF: &str = "proof.yaml";

/// Everything that the documents of one folder say, not yet composed.
pub(super) struct Folder {
    pub(super) manifest: Manifest,
    pub(super) tables: Vec<TableFile>,
    pub(super) figures: Vec<Figure>,
    pub(super) rulebook: Clauses,
    pub(super) paragraphs: Paragraphs,
    pub(super) names: names::Names,
    pub(super) rules: Vec<(FileId, ast::File)>,
    /// How the table looks, and where that is written.
    pub(super) layout: Option<(FileId, Layout)>,
    /// Who has accepted what of it.
    pub(super) review: Option<Review>,
    /// The sentences of its printed rulebook.
    pub(super) print: Option<Print>,
    pub(super) scenarios: Vec<FileId>,
    /// A table could not be read, so whoever names it is not to blame.
    pub(super) lost_tables: bool,
    /// The rulebook could not be read, so whoever cites it is not to blame.
    pub(super) lost_clauses: bool,
    /// Every text of the folder that was read.
    pub(super) files: Vec<FileId>,
}

/// The manifest of a base, or of a module.
pub(super) fn manifest_name(base: bool) -> &'static str {
    if base { "ruleset.yaml" } else { "module.yaml" }
}

/// Reads a folder; gives nothing if it has no readable manifest.
pub(super) fn read(
    sources: &mut Sources,
    trees: &Trees,
    texts: &PackageTexts,
    base: bool,
    diagnostics: &mut Diagnostics,
) -> Option<Folder> {
    let mut reader = Reader {
        sources,
        trees,
        texts,
        diagnostics,
        files: Vec::new(),
    };
    let name = manifest_name(base);
    let Some(file) = reader.add(name) else {
        reader.diagnostics.push(
            Diagnostic::without_place(Code::MissingManifest, format!("there is no `{}`", texts.shown(name)))
                .help("every ruleset has a `ruleset.yaml` in its folder, and every module a `module.yaml`"),
        );
        return None;
    };
    let root = reader.document(file)?;
    let manifest = manifest::read(&root, base, reader.diagnostics)?;
    Some(reader.listed(manifest, base))
}

struct Reader<'a> {
    sources: &'a mut Sources,
    trees: &'a Trees,
    texts: &'a PackageTexts,
    diagnostics: &'a mut Diagnostics,
    files: Vec<FileId>,
}

impl Reader<'_> {
    fn add(&mut self, path: &str) -> Option<FileId> {
        let text = self.texts.get(path)?;
        let file = self.sources.add(self.texts.shown(path), text);
        self.files.push(file);
        self.readable(file);
        Some(file)
    }

    /// Whoever reads a package from bytes puts U+FFFD where they are no UTF-8.
    fn readable(&mut self, file: FileId) {
        let lost = self
            .sources
            .file(file)
            .text
            .find(char::REPLACEMENT_CHARACTER);
        if let Some(start) = lost {
            let start = start.fit();
            let span = Span {
                file,
                start,
                end: start + char::REPLACEMENT_CHARACTER.len_utf8().fit::<u32>(),
            };
            self.diagnostics.push(
                Code::InvalidUtf8
                    .error(span, "this file is not UTF-8 here")
                    .help("save it as UTF-8"),
            );
        }
    }

    fn document(&mut self, file: FileId) -> Option<document::Node> {
        if self.sources.file(file).text.len() > LONGEST {
            let start = Span {
                file,
                start: 0,
                end: 0,
            };
            self.diagnostics.push(
                Code::OversizedDocument
                    .error(start, "this document is too long")
                    .note(format!("documents have at most {} MiB", LONGEST >> 20)),
            );
            return None;
        }
        self.trees.document(self.sources, file, self.diagnostics)
    }

    /// Adds a file that the manifest lists.
    fn listed_file(&mut self, path: &Spanned<String>) -> Option<FileId> {
        let found = self.add(&path.node);
        if found.is_none() {
            let near = did_you_mean(
                &path.node,
                self.texts.files.iter().map(|(path, _)| path.as_str()),
            );
            self.diagnostics.push(
                Code::MissingFile
                    .error(path.span, format!("there is no file `{}`", path.node))
                    .maybe_help(near),
            );
        }
        found
    }

    fn listed_document(&mut self, path: &Spanned<String>) -> Option<document::Node> {
        let file = self.listed_file(path)?;
        self.document(file)
    }

    fn listed(mut self, manifest: Manifest, base: bool) -> Folder {
        let mut folder = Folder {
            tables: Vec::new(),
            figures: Vec::new(),
            rulebook: Clauses::default(),
            paragraphs: Paragraphs::default(),
            names: names::Names::default(),
            rules: Vec::new(),
            layout: None,
            review: None,
            print: None,
            scenarios: Vec::new(),
            lost_tables: false,
            lost_clauses: false,
            files: Vec::new(),
            manifest,
        };
        let list = &folder.manifest.files;
        for (index, path) in list.components.iter().enumerate() {
            if list.components[..index]
                .iter()
                .any(|earlier| earlier.node == path.node)
            {
                continue;
            }
            let root = self.listed_document(path);
            let table = root.and_then(|root| components::read(&root, self.diagnostics));
            folder.lost_tables |= table.as_ref().is_none_or(|table| table.lost);
            folder.tables.extend(table);
        }
        if let Some(root) = list
            .setup
            .as_ref()
            .and_then(|path| self.listed_document(path))
        {
            folder.figures = figures::read(&root, self.diagnostics);
        }
        if let Some(path) = &list.rulebook {
            match self.listed_document(path) {
                Some(root) => folder.rulebook = clauses::read(&root, base, self.diagnostics),
                None => folder.lost_clauses = true,
            }
        }
        if let Some(root) = list
            .sources
            .as_ref()
            .and_then(|path| self.listed_document(path))
        {
            folder.paragraphs = clauses::sources(&root, base, self.diagnostics);
        }
        if let Some(root) = list
            .names
            .as_ref()
            .and_then(|path| self.listed_document(path))
        {
            folder.names = names::read(&root, self.diagnostics);
        }
        for (index, path) in list.rules.iter().enumerate() {
            if list.rules[..index]
                .iter()
                .any(|earlier| earlier.node == path.node)
            {
                continue;
            }
            let Some(file) = self.listed_file(path) else {
                continue;
            };
            let tree = self.trees.rules(self.sources, file, self.diagnostics);
            folder.rules.push((file, tree));
        }
        // A document of such a name that a manifest lists as something else is that.
        let is_listed = |name: &str| list.iter().any(|path| path.node == name);
        let [layout, review, print] =
            [layout::NAME, acceptances::REVIEW, print::PRINT].map(|name| {
                if is_listed(name) {
                    None
                } else {
                    self.add(name)
                }
            });
        if let Some(file) = layout {
            let root = self.document(file);
            let read = root.map(|root| layout::read(&root, self.diagnostics));
            folder.layout = Some((file, read.unwrap_or_default()));
        }
        if let Some(file) = review {
            let root = self.document(file);
            let read = root.map(|root| acceptances::read(&root, file, self.diagnostics));
            folder.review = Some(read.unwrap_or_else(|| Review::empty(file)));
        }
        if let Some(file) = print {
            let root = self.document(file);
            folder.print = root.map(|root| print::read(&root, file, self.diagnostics));
        }
        for path in scenarios(self.texts) {
            folder.scenarios.extend(self.add(&path));
        }
        self.unlisted(&folder.manifest, base);
        folder.files = self.files;
        folder
    }

    /// Warns of files that nothing reads, most often because they were forgotten in the manifest.
    fn unlisted(&mut self, manifest: &Manifest, base: bool) {
        let name = manifest_name(base);
        let mut paths: Vec<&String> = self.texts.files.iter().map(|(path, _)| path).collect();
        paths.sort();
        for path in paths {
            let listed = manifest.files.iter().any(|file| file.node == *path);
            let known = match path.split_once('/') {
                _ if *path == name || *path == layout::NAME => true,
                _ if [EQUIVALENTS, PROOF, acceptances::REVIEW, print::PRINT]
                    .contains(&path.as_str()) =>
                {
                    true
                }
                _ if is_scenario(path) || is_aside(path) => true,
                Some(("snapshots", _)) => true,
                Some(("modules", rest)) if base => {
                    let module = rest.split_once('/').map_or("", |(id, _)| id);
                    self.texts
                        .get(&format!("modules/{module}/module.yaml"))
                        .is_some()
                }
                _ => false,
            };
            if listed || known {
                continue;
            }
            let text = self.texts.get(path).unwrap_or_default();
            let file = self.sources.add(self.texts.shown(path), text);
            let start = Span {
                file,
                start: 0,
                end: text.lines().next().unwrap_or_default().len().fit(),
            };
            self.diagnostics.push(
                Code::UnlistedFile
                    .warning(start, "nothing reads this file")
                    .maybe_also(manifest.files.span, "it is not listed here")
                    .help(format!("add it to `files` in `{name}`, or remove it")),
            );
        }
    }
}

/// The id of the module whose manifest this path is.
pub(super) fn module_of(path: &str) -> Option<&str> {
    let id = path
        .strip_prefix("modules/")?
        .strip_suffix("/module.yaml")?;
    (!id.contains('/')).then_some(id)
}

/// Paths of the scenarios of a folder, in order.
pub(super) fn scenarios(texts: &PackageTexts) -> Vec<String> {
    let mut paths: Vec<_> = texts
        .files
        .iter()
        .map(|(path, _)| path)
        .filter(|p| is_scenario(p))
        .cloned()
        .collect();
    paths.sort();
    paths
}

fn is_scenario(path: &str) -> bool {
    path.starts_with("scenarios/") && path.ends_with(".yaml")
}

/// Files that are for people only, wherever they lie.
fn is_aside(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with('.') || name.ends_with(".md") || name.starts_with("LICENSE")
}
