//! The package to which a file belongs: its texts, saved or not, what is wrong with them, what they mean.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use interpreter::diagnostic::{Diagnostic, Diagnostics, Severity};
use interpreter::package::{Glimpse, Language, Package, PackageTexts};
use interpreter::scenario::Suite;
use interpreter::source::{FileId, Sources, Span};
use interpreter::syntax::Trees;
use lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, DocumentSymbol, Location, NumberOrString,
    Position, Range,
};

use super::index::{Declaration, Meaning, declarations, meaning};
use super::place::{offset, range, uri_of};
use crate::cli::check::Checked;
use crate::cli::library::LibraryOptions;
use crate::cli::ruleset::{Chosen, Players};
use referee_library::read_folder;
use referee_report::coverage::{Missing, Standing, coverage};
use referee_report::proofs::Proofs;
use referee_report::rules::{Rules, composed};
use referee_store::numbers::{to_u32, to_usize};

/// The manifests of a ruleset and of a module.
const MANIFESTS: [&str; 2] = ["ruleset.yaml", "module.yaml"];

/// The folder of the package to which a file belongs: the nearest one above it with a manifest.
pub(super) fn home(path: &Path) -> Option<PathBuf> {
    let mut above = path.ancestors().skip(1);
    let found = above.find(|folder| MANIFESTS.iter().any(|name| folder.join(name).is_file()));
    found.map(Path::to_path_buf)
}

/// A ruleset or module that is being worked on.
pub struct Project {
    folder: PathBuf,
    package: Option<Package>,
    declarations: Vec<Declaration>,
    sources: Sources,
    found: BTreeMap<PathBuf, Vec<lsp_types::Diagnostic>>,
    chosen: Option<Chosen>,
    /// How far each clause is proven: found out when somebody asks first, since all scenarios are played for it.
    standings: OnceLock<BTreeMap<String, String>>,
}

impl Project {
    /// Reads and checks the package of a folder, with unsaved texts laid over its files.
    pub fn read(
        folder: &Path,
        library: &LibraryOptions,
        open: &BTreeMap<PathBuf, String>,
    ) -> Project {
        let mut project = Project {
            folder: folder.to_path_buf(),
            package: None,
            declarations: Vec::new(),
            sources: Sources::default(),
            found: BTreeMap::new(),
            chosen: None,
            standings: OnceLock::new(),
        };
        // What is open is told about even if nothing is wrong with it any more.
        let owned = open.keys().filter(|path| project.owns(path));
        project.found = owned.map(|path| (path.clone(), Vec::new())).collect();
        let chosen = match chosen(folder, library, open) {
            Ok(chosen) => chosen,
            Err(why) => {
                project.say_of_all(why, DiagnosticSeverity::ERROR);
                return project;
            }
        };
        let suite = Suite::read(&chosen.base, &chosen.house);
        let checked = Checked::of(&chosen, Players::All);
        let found: Diagnostics = checked.diagnostics();
        for (list, sources) in [
            (&found.list, &checked.sources),
            (&suite.diagnostics.list, &suite.sources),
        ] {
            list.iter().for_each(|d| project.say(d, sources));
        }
        project.declarations = checked.package.iter().flat_map(declarations).collect();
        project.package = checked.package;
        project.sources = checked.sources;
        project.chosen = Some(chosen);
        project
    }

    /// Whether a file belongs to this package and to none inside of it.
    fn owns(&self, path: &Path) -> bool {
        home(path).as_ref() == Some(&self.folder)
    }

    /// Whether what is in a file was read, perhaps as part of the ruleset that this one changes.
    pub fn reads(&self, path: &Path) -> bool {
        self.sources
            .iter()
            .any(|(_, file)| Path::new(&file.path) == path)
    }

    /// What is wrong, by file; files with which nothing is wrong any more have an empty list.
    pub fn diagnostics(&self) -> BTreeMap<PathBuf, Vec<lsp_types::Diagnostic>> {
        self.found.clone()
    }

    /// The files of which something was said.
    pub fn told(&self) -> Vec<PathBuf> {
        self.found.keys().cloned().collect()
    }

    /// Says something of the package as a whole, at the beginning of its manifest.
    fn say_of_all(&mut self, message: String, severity: DiagnosticSeverity) {
        let manifest = MANIFESTS.iter().map(|name| self.folder.join(name));
        if let Some(path) = manifest.into_iter().find(|path| path.is_file()) {
            let diagnostic = lsp_types::Diagnostic {
                range: Range::new(Position::new(0, 0), Position::new(0, 1)),
                severity: Some(severity),
                source: Some("referee".to_owned()),
                message,
                ..lsp_types::Diagnostic::default()
            };
            self.found.entry(path).or_default().push(diagnostic);
        }
    }

    fn say(&mut self, diagnostic: &Diagnostic, sources: &Sources) {
        let severity = match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        };
        let mut message = diagnostic.message.clone();
        let label = diagnostic.labels.first().map(|label| label.text.as_str());
        let label = label.filter(|text| !text.is_empty()).map(str::to_owned);
        let help = diagnostic.help.as_ref().map(|help| format!("help: {help}"));
        for more in [label, diagnostic.note.clone(), help].into_iter().flatten() {
            message = format!("{message}\n{more}");
        }
        let path = |span: Span| PathBuf::from(&sources.file(span.file).path);
        let own = diagnostic
            .labels
            .iter()
            .find(|label| self.owns(&path(label.span)));
        let Some(own) = own else {
            // The mistake lies in what this package is laid over, or nowhere.
            let place = diagnostic.labels.first().map(|label| {
                let at = sources.line_column(label.span);
                format!("{}:{at}: ", sources.file(label.span.file).path)
            });
            let message = format!("{}{message}", place.unwrap_or_default());
            return self.say_of_all(message, severity);
        };
        let others = diagnostic
            .labels
            .iter()
            .filter(|label| label.span != own.span);
        let related = others.filter_map(|label| {
            let uri = uri_of(&path(label.span))?;
            Some(DiagnosticRelatedInformation {
                location: Location::new(uri, range_of(sources, label.span)),
                message: match label.text.is_empty() {
                    true => "here".to_owned(),
                    false => label.text.clone(),
                },
            })
        });
        let said = lsp_types::Diagnostic {
            range: range_of(sources, own.span),
            severity: Some(severity),
            code: Some(NumberOrString::String(diagnostic.code.to_string())),
            source: Some("referee".to_owned()),
            message,
            related_information: Some(related.collect()),
            ..lsp_types::Diagnostic::default()
        };
        self.found.entry(path(own.span)).or_default().push(said);
    }

    fn file(&self, path: &Path) -> Option<(FileId, &str)> {
        let mut files = self.sources.iter();
        let (id, file) = files.find(|(_, file)| Path::new(&file.path) == path)?;
        Some((id, &file.text))
    }

    /// The word at a place and whom it means.
    fn at(&self, path: &Path, position: Position) -> Option<(Span, Meaning<'_>)> {
        let (file, text) = self.file(path)?;
        let package = self.package.as_ref()?;
        let offset = offset(text, position);
        let span = |start: usize, end: usize| Span {
            file,
            start: to_u32(start),
            end: to_u32(end),
        };
        // Clauses have hyphens and dots in their names; in rules they are cited with `@`.
        let (start, end) = word(text, offset, |c| {
            c.is_ascii_alphanumeric() || "_.-".contains(c)
        });
        let cited = text[..start].ends_with('@');
        let rules = path
            .extension()
            .is_some_and(|extension| extension == "rules");
        if (cited || !rules)
            && let Some(clause) = package.rulebook.clause(&text[start..end])
        {
            return Some((span(start, end), Meaning::Clause(clause)));
        }
        let line = text[..offset].rfind('\n').map_or(0, |at| at + 1);
        if cited || text[line..offset].contains('#') {
            return None;
        }
        let letters = |c: char| c.is_alphanumeric() || c == '_';
        let (start, end) = word(text, offset, letters);
        if start == end {
            return None;
        }
        let qualifier = text[..start].strip_suffix('.').map(|before| {
            let (start, end) = word(before, before.len(), letters);
            &before[start..end]
        });
        let found = meaning(
            package,
            &self.declarations,
            file,
            to_u32(offset),
            &text[start..end],
            qualifier,
        )?;
        Some((span(start, end), found))
    }

    /// What the word at a place means, in Markdown.
    pub fn hover(&self, path: &Path, position: Position) -> Option<(Range, String)> {
        let (span, found) = self.at(path, position)?;
        let origin = |span: Span| {
            let package = self.package.as_ref()?;
            package.origin(span).map(str::to_owned)
        };
        Some((
            range_of(&self.sources, span),
            found.text(&self.sources, &origin, &|clause| self.standing(clause)),
        ))
    }

    /// How far a clause is proven, and what is missing.
    fn standing(&self, clause: &str) -> Option<String> {
        let all = self
            .standings
            .get_or_init(|| self.standings().unwrap_or_default());
        all.get(clause).cloned()
    }

    fn standings(&self) -> Option<BTreeMap<String, String>> {
        let (chosen, package) = (self.chosen.as_ref()?, self.package.as_ref()?);
        // What has mistakes is not played, and nobody knows what its scenarios would see.
        let mut found = self.found.values().flatten();
        if found.any(|found| found.severity == Some(DiagnosticSeverity::ERROR)) {
            return None;
        }
        let items = composed(package);
        let rules = Rules::new(package, &self.sources, &items, Language::English);
        let proofs = Proofs::run(&chosen.base, &chosen.house, None);
        let covered = coverage(&rules, &proofs, &chosen.kept().ok()?);
        let told = covered.clauses.iter().filter_map(|clause| {
            let missing = clause.missing.iter().map(|missing| match missing {
                Missing::Proof(layer) => {
                    let command = chosen.proving(layer.as_deref());
                    format!("not proved yet: run `referee {command}`")
                }
                known => known.words(Language::English),
            });
            let missing: Vec<String> = missing.collect();
            let said = match clause.standing? {
                Standing::Proven => "proven".to_owned(),
                Standing::Touched => format!("touched: {}", missing.join("; ")),
                Standing::Gap => {
                    "not proven: no rule cites it, or no scenario sees one act".to_owned()
                }
            };
            Some((clause.id.clone(), said))
        });
        Some(told.collect())
    }

    /// Where what the word at a place means is written.
    pub fn definition(&self, path: &Path, position: Position) -> Vec<(PathBuf, Range)> {
        let found = self.at(path, position).map(|(_, found)| found.places());
        let places = found.unwrap_or_default().into_iter();
        let place = |span: Span| {
            let path = PathBuf::from(&self.sources.file(span.file).path);
            (path, range_of(&self.sources, span))
        };
        places.map(place).collect()
    }

    /// The outline of a file of rules.
    pub fn symbols(&self, path: &Path) -> Vec<DocumentSymbol> {
        let Some((file, _)) = self.file(path) else {
            return Vec::new();
        };
        let all = self.declarations.iter().filter(|d| d.at.file == file);
        let mut open: Vec<(usize, DocumentSymbol)> = Vec::new();
        let mut done = Vec::new();
        for declared in all {
            close(&mut open, &mut done, declared.depth);
            open.push((declared.depth, self.symbol(declared)));
        }
        close(&mut open, &mut done, 0);
        done
    }

    #[allow(
        deprecated,
        reason = "the field has no other way to be left out of the struct"
    )]
    fn symbol(&self, declared: &Declaration) -> DocumentSymbol {
        let whole = declared.sentence.to(declared.at);
        DocumentSymbol {
            name: declared.name.clone(),
            detail: Some(declared.kind.to_owned()),
            kind: declared.symbol(),
            tags: None,
            deprecated: None,
            range: range_of(&self.sources, whole),
            selection_range: range_of(&self.sources, declared.at),
            children: None,
        }
    }
}

/// Puts symbols that are as deep or deeper below those that are not.
fn close(open: &mut Vec<(usize, DocumentSymbol)>, done: &mut Vec<DocumentSymbol>, depth: usize) {
    while open.last().is_some_and(|(deep, _)| *deep >= depth) {
        let Some((_, symbol)) = open.pop() else {
            return;
        };
        match open.last_mut() {
            Some((_, above)) => {
                above.range.end = above.range.end.max(symbol.range.end);
                above.children.get_or_insert_default().push(symbol);
            }
            None => done.push(symbol),
        }
    }
}

fn range_of(sources: &Sources, span: Span) -> Range {
    let text = &sources.file(span.file).text;
    range(text, to_usize(span.start), to_usize(span.end))
}

/// From the first to behind the last letter of the word at a place.
fn word(text: &str, offset: usize, letter: impl Fn(char) -> bool) -> (usize, usize) {
    let before = text[..offset].trim_end_matches(&letter).len();
    let rest = &text[offset..];
    let after = rest.len() - rest.trim_start_matches(&letter).len();
    (before, offset + after)
}

/// The package of a folder with what it is laid over.
fn chosen(
    folder: &Path,
    library: &LibraryOptions,
    open: &BTreeMap<PathBuf, String>,
) -> Result<Chosen, String> {
    let texts = |folder: &Path| -> Result<PackageTexts, String> {
        let mut texts = read_folder(folder).map_err(|error| error.to_string())?;
        for (path, text) in open {
            let Ok(inside) = path.strip_prefix(folder) else {
                continue;
            };
            let inside = inside.to_string_lossy().replace('\\', "/");
            match texts.files.iter_mut().find(|(name, _)| *name == inside) {
                Some((_, saved)) => saved.clone_from(text),
                None if referee_library::ruleset_files::belongs(&inside) => {
                    texts.files.push((inside, text.clone()));
                }
                None => {}
            }
        }
        texts.files.sort();
        Ok(texts)
    };
    let own = texts(folder)?;
    let mut chosen = Chosen {
        base: PackageTexts::default(),
        house: Vec::new(),
        modules: Vec::new(),
        options: BTreeMap::new(),
        called: folder.display().to_string(),
        trees: Trees::growing(),
    };
    let Some(manifest) = own.get(MANIFESTS[1]) else {
        chosen.base = own;
        return Ok(chosen);
    };
    let module = Glimpse::of(manifest);
    let name = folder.file_name().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    let inside_of = folder
        .parent()
        .filter(|modules| modules.ends_with("modules"))
        .and_then(Path::parent)
        .filter(|base| base.join(MANIFESTS[0]).is_file());
    if let Some(base) = inside_of {
        chosen.base = texts(base)?;
        // A module that joins others is laid of itself when they are chosen.
        let itself = match module.joins.is_empty() {
            true => vec![name],
            false => module.joins,
        };
        itself
            .into_iter()
            .for_each(|id| choose(&chosen.base, id, &mut chosen.modules));
        return Ok(chosen);
    }
    let extends = module
        .extends
        .ok_or_else(|| "`extends` says which ruleset this module changes".to_owned())?;
    let mut near = folder.ancestors().map(|above| above.join(&extends));
    chosen.base = match near.find(|base| base.join(MANIFESTS[0]).is_file()) {
        Some(base) => texts(&base)?,
        None => {
            let library = library.library().map_err(|error| error.to_string())?;
            let edition = library.get(&extends).ok_or_else(|| {
                format!("there is no ruleset `{extends}`, neither shipped nor in a folder beside")
            })?;
            edition.texts.clone()
        }
    };
    let needed = module.requires;
    needed
        .into_iter()
        .for_each(|id| choose(&chosen.base, id, &mut chosen.modules));
    chosen.house.push((name, own));
    Ok(chosen)
}

/// Chooses a module with all that it cannot be played without, each before whatever needs it.
fn choose(base: &PackageTexts, id: String, modules: &mut Vec<String>) {
    fn visit(base: &PackageTexts, id: String, seen: &mut Vec<String>, modules: &mut Vec<String>) {
        if seen.contains(&id) {
            return;
        }
        seen.push(id.clone());
        if let Some(manifest) = base.get(&format!("modules/{id}/{}", MANIFESTS[1])) {
            for needed in Glimpse::of(manifest).requires {
                visit(base, needed, seen, modules);
            }
        }
        if !modules.contains(&id) {
            modules.push(id);
        }
    }
    visit(base, id, &mut Vec::new(), modules);
}
