//! Where rulesets come from: embedded in the program, overridden by folders, kept by the store.
//!
//! An [`Edition`] is the texts of a ruleset with their digest; it does not change. The [`Library`]
//! says which edition a name means today, and compiles editions, each configuration once.

#![forbid(unsafe_code)]
#![deny(clippy::as_conversions)]
// A module's map names its private parts, for readers of the sources.
#![allow(rustdoc::private_intra_doc_links)]

pub mod players;
pub mod random;
pub mod record;
pub mod ruleset_files;
pub mod shipped;
pub mod words;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::{ADDED, Code, Diagnostics};
use interpreter::package::{
    self, Configuration, Glimpse, OfferedModule, OptionDecl, Package, Text,
};
use interpreter::play::{CompileOptions, PackageTexts, Rejected};
use interpreter::source::Sources;
use interpreter::syntax::Trees;
use prost::Message as _;

use crate::ruleset_files::belongs;
use crate::shipped::{ShippedFile, ruleset_files};
use referee_store::Hash;
use referee_store::hashing::Context;
use referee_store::log::v1::{PackageContent, PackageFile};
use referee_store::secrets::hex;

/// The manifest that makes a folder a ruleset.
pub const MANIFEST: &str = "ruleset.yaml";

/// The manifest that makes a folder a module: a house rule, if it lies outside of its ruleset.
pub const MODULE: &str = "module.yaml";

/// Compiled rulesets that are kept; beyond that the cache starts anew.
const COMPILED: usize = 64;

/// The texts of one ruleset, as they were at one time.
#[derive(Debug)]
pub struct Edition {
    /// The ruleset's id.
    pub id: String,
    /// The version that its author gave it.
    pub version: String,
    /// Its titles.
    pub titles: Text,
    /// Smallest and greatest number of players.
    pub players: (u8, u8),
    /// Modules that it offers.
    pub modules: Vec<OfferedModule>,
    /// Options that it offers.
    pub options: Vec<OptionDecl>,
    /// Its files.
    pub texts: PackageTexts,
    /// Digest of [`content`](Edition::content).
    pub digest: Hash,
    content: Vec<u8>,
}

/// Why a folder or a stored text is no ruleset.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// A file cannot be read.
    #[error("`{path}` cannot be read: {error}")]
    File {
        /// The file or folder.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// The manifest cannot be read.
    #[error("`{path}` has no readable `{MANIFEST}`:\n{report}")]
    Manifest {
        /// The folder.
        path: String,
        /// What is wrong with it.
        report: String,
    },
    /// A house rule is for a ruleset that is not there.
    #[error("the house rule `{path}` extends {}, which is not among the rulesets", .extends.as_ref().map_or("nothing".to_owned(), |id| format!("`{id}`")))]
    Homeless {
        /// The folder.
        path: String,
        /// The ruleset that it names, if it does.
        extends: Option<String>,
    },
    /// A folder holds no ruleset.
    #[error(
        "`{path}` holds no ruleset: neither it nor a folder in it has a `{MANIFEST}` or a `{MODULE}`"
    )]
    Empty {
        /// The folder.
        path: String,
    },
    /// Kept content cannot be read.
    #[error("the kept texts of a ruleset cannot be read")]
    Content,
}

impl Edition {
    /// From texts.
    ///
    /// # Errors
    ///
    /// When the manifest cannot be read; other mistakes are found when it is compiled.
    pub fn new(texts: PackageTexts) -> Result<Edition, LibraryError> {
        let (package, sources, diagnostics) =
            compose(&Trees::default(), &texts, &[], &Configuration::base(0));
        let Some(package) = package else {
            let report = diagnostics
                .settled(&sources)
                .list
                .iter()
                .map(|d| format!("{}\n", d.message))
                .collect();
            return Err(LibraryError::Manifest {
                path: texts.path,
                report,
            });
        };
        let mut files: Vec<PackageFile> = texts
            .files
            .iter()
            .map(|(path, text)| PackageFile {
                path: path.clone(),
                text: text.clone(),
            })
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let content = PackageContent {
            ruleset: package.id.node.clone(),
            files,
        }
        .encode_to_vec();
        let digest = content_digest(&content);
        Ok(Edition {
            id: package.id.node,
            version: package.version,
            titles: package.titles,
            players: package.players,
            modules: package.offered,
            options: package.options,
            texts,
            digest,
            content,
        })
    }

    /// From content that was kept under its digest.
    ///
    /// # Errors
    ///
    /// When the content is not what [`content`](Edition::content) gave.
    pub fn from_content(content: &[u8]) -> Result<Edition, LibraryError> {
        let kept = PackageContent::decode(content).map_err(|_| LibraryError::Content)?;
        let files = kept
            .files
            .into_iter()
            .map(|file| (file.path, file.text))
            .collect();
        Edition::new(PackageTexts::new(
            format!("rulesets/{}", kept.ruleset),
            files,
        ))
    }

    /// The same ruleset with a house rule among the modules that it offers; one of the same id makes
    /// way. A match is pinned to these texts like to any others.
    ///
    /// # Errors
    ///
    /// When the manifest cannot be read.
    pub fn with_house_rule(&self, id: &str, house: &PackageTexts) -> Result<Edition, LibraryError> {
        let folder = format!("modules/{id}/");
        let mut texts = self.texts.clone();
        texts.files.retain(|(path, _)| !path.starts_with(&folder));
        let added = house.files.iter();
        texts
            .files
            .extend(added.map(|(path, text)| (format!("{folder}{path}"), text.clone())));
        texts.files.sort();
        Edition::new(texts)
    }

    /// The texts as bytes, the same for the same texts: what the digest is of.
    pub fn content(&self) -> &[u8] {
        &self.content
    }
}

/// A package composed of a ruleset, house rules and a configuration, without checking its rules. None if not even the
/// manifest can be read; the reasons are in the diagnostics. Texts of which `trees` has the tree are not parsed again.
pub fn compose(
    trees: &Trees,
    base: &PackageTexts,
    house: &[(String, PackageTexts)],
    configuration: &Configuration,
) -> (Option<Package>, Sources, Diagnostics) {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let package = package::load_again(
        &mut sources,
        trees,
        base,
        house,
        configuration,
        &mut diagnostics,
    );
    (package, sources, diagnostics)
}

/// The digest under which content is kept.
pub fn content_digest(content: &[u8]) -> Hash {
    static CONTEXT: Context = Context::new("referee 2026-11 package content v1");
    let mut hasher = CONTEXT.hasher();
    *hasher.update(content).finalize().as_bytes()
}

/// Reads the texts of one package folder (a base or a module).
///
/// # Errors
///
/// When the folder or a file in it cannot be read.
pub fn read_folder(folder: &Path) -> Result<PackageTexts, LibraryError> {
    let failed = |error| LibraryError::File {
        path: folder.display().to_string(),
        error,
    };
    let hidden = |entry: &walkdir::DirEntry| entry.depth() > 0 && is_hidden(entry.path());
    let mut files = Vec::new();
    // Links are followed: these are the operator's own folders, not a stranger's upload. One that leads
    // back to where it lies is an error of the walk.
    let walk = walkdir::WalkDir::new(folder).follow_links(true);
    for entry in walk.into_iter().filter_entry(|entry| !hidden(entry)) {
        let entry = match entry {
            Ok(entry) => entry,
            // Editors mark a file that is open by a hidden link to nowhere.
            Err(error) if error.path().is_some_and(is_hidden) => continue,
            Err(error) => return Err(failed(error.into())),
        };
        let inside: Vec<_> = entry
            .path()
            .strip_prefix(folder)
            .unwrap_or(entry.path())
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        let inside = inside.join("/");
        if entry.file_type().is_file() && belongs(&inside) {
            let bytes = std::fs::read(entry.path()).map_err(|error| LibraryError::File {
                path: entry.path().display().to_string(),
                error,
            })?;
            files.push((inside, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    files.sort();
    Ok(PackageTexts::new(folder.display().to_string(), files))
}

fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().map(std::ffi::OsStr::to_string_lossy);
    name.is_some_and(|name| name.starts_with('.'))
}

/// Returns the texts of the shipped ruleset in the folder `id`; reads no other.
pub fn shipped(id: &str) -> Option<PackageTexts> {
    // An id names a folder and no path.
    if id.contains(['/', '\\', '.']) {
        return None;
    }
    let files = ruleset_files(Some(id)).ok()?;
    shipped_texts(files).pop()
}

/// Groups shipped files by their folders; folders without a manifest are left out.
fn shipped_texts(files: Vec<ShippedFile>) -> Vec<PackageTexts> {
    let mut folders: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for file in files {
        if let Some((folder, path)) = file.path.split_once('/') {
            let text = String::from_utf8_lossy(&file.bytes).into_owned();
            let texts = folders.entry(folder.to_owned()).or_default();
            texts.push((path.to_owned(), text));
        }
    }
    folders.retain(|_, files| files.iter().any(|(path, _)| path == MANIFEST));
    let texts = folders.into_iter();
    texts
        .map(|(folder, files)| PackageTexts::new(format!("rulesets/{folder}"), files))
        .collect()
}

/// Which rulesets there are. A copy shares what was compiled.
#[derive(Clone, Default)]
pub struct Library {
    editions: BTreeMap<String, Arc<Edition>>,
    compiled: Arc<Mutex<Compiled>>,
    options: CompileOptions,
    added: Option<&'static [Code]>,
}

/// Rulesets by their texts and configurations.
type Compiled = HashMap<(Hash, ConfigurationKey), Arc<Ruleset>>;

/// A configuration as a key: players, modules, options.
type ConfigurationKey = (u8, Vec<String>, Vec<(String, i64)>);

fn key(configuration: &Configuration) -> ConfigurationKey {
    let options = configuration
        .options
        .iter()
        .map(|(name, value)| (name.clone(), *value))
        .collect();
    (
        configuration.players,
        configuration.modules.clone(),
        options,
    )
}

impl Library {
    /// Returns the rulesets that ship with the program.
    ///
    /// # Errors
    ///
    /// When a file of them cannot be read, or one of them has no readable manifest.
    pub fn embedded() -> Result<Library, LibraryError> {
        let files = ruleset_files(None).map_err(|error| LibraryError::File {
            path: "rulesets".to_owned(),
            error,
        })?;
        let mut library = Library::default();
        for texts in shipped_texts(files) {
            library.add(Edition::new(texts)?);
        }
        Ok(library)
    }

    /// The same editions, compiled in another way: for tests of what an earlier or a later build would do.
    pub fn compiled_with(self, options: CompileOptions) -> Library {
        Library {
            options,
            compiled: Arc::default(),
            ..self
        }
    }

    /// The same editions, as if errors of these codes had been added since matches began: for tests of that.
    pub fn with_added_errors(self, added: &'static [Code]) -> Library {
        Library {
            added: Some(added),
            ..self
        }
    }

    /// Adds what a folder holds: one ruleset, one house rule, or several of them. Rulesets take the
    /// place of those with the same id; a house rule is offered by the ruleset that it extends.
    ///
    /// # Errors
    ///
    /// When a folder cannot be read or has no readable manifest, or a house rule has no ruleset.
    pub fn add_folder(&mut self, folder: &Path) -> Result<(), LibraryError> {
        if self.add_one(folder)? {
            return Ok(());
        }
        let failed = |error| LibraryError::File {
            path: folder.display().to_string(),
            error,
        };
        let mut inner: Vec<_> = std::fs::read_dir(folder)
            .map_err(failed)?
            .map(|entry| entry.map(|e| e.path()))
            .collect::<Result<_, _>>()
            .map_err(failed)?;
        inner.sort();
        // Rulesets come before the house rules that may be for them.
        inner.sort_by_key(|path| !path.join(MANIFEST).is_file());
        let mut found = false;
        for path in inner {
            found |= self.add_one(&path)?;
        }
        match found {
            true => Ok(()),
            false => Err(LibraryError::Empty {
                path: folder.display().to_string(),
            }),
        }
    }

    /// Adds a folder if it is a ruleset or a house rule; says whether it is.
    fn add_one(&mut self, folder: &Path) -> Result<bool, LibraryError> {
        if folder.join(MANIFEST).is_file() {
            self.add(Edition::new(read_folder(folder)?)?);
            return Ok(true);
        }
        if !folder.join(MODULE).is_file() {
            return Ok(false);
        }
        let house = read_folder(folder)?;
        let manifest = Glimpse::of(house.get(MODULE).unwrap_or_default());
        let base = manifest.extends.as_ref().and_then(|id| self.get(id));
        let (Some(id), Some(base)) = (&manifest.id, base) else {
            return Err(LibraryError::Homeless {
                path: folder.display().to_string(),
                extends: manifest.extends,
            });
        };
        let edition = base.with_house_rule(id, &house)?;
        self.add(edition);
        Ok(true)
    }

    /// Adds an edition; it takes the place of one with the same id.
    pub fn add(&mut self, edition: Edition) {
        self.put(Arc::new(edition));
    }

    /// As [`add`](Self::add), of an edition that others hold, too.
    pub fn put(&mut self, edition: Arc<Edition>) {
        self.editions.insert(edition.id.clone(), edition);
    }

    /// The edition that a ruleset's id means today.
    pub fn get(&self, id: &str) -> Option<&Arc<Edition>> {
        self.editions.get(id)
    }

    /// Every edition, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Edition>> {
        self.editions.values()
    }

    /// Compiles an edition in a configuration, or gives the ruleset that was compiled before. Takes
    /// its time: not for async threads.
    ///
    /// # Errors
    ///
    /// When the ruleset or the configuration has mistakes.
    pub fn compile(
        &self,
        edition: &Edition,
        configuration: &Configuration,
    ) -> Result<Arc<Ruleset>, Rejected> {
        if let Some(ruleset) = self.compiled(&edition.digest, configuration) {
            return Ok(ruleset);
        }
        let key = (edition.digest, key(configuration));
        // Two callers may compile the same at once; that costs time and nothing else.
        let ruleset = Ruleset::compile_with(&edition.texts, &[], configuration, self.options)?;
        let mut cache = self.cache();
        if cache.len() >= COMPILED {
            cache.clear();
        }
        cache.insert(key, ruleset.clone());
        Ok(ruleset)
    }

    /// As [`compile`](Self::compile), of texts that a match began with: errors that later builds have added stop
    /// publishing, and never a match that is under way.
    ///
    /// # Errors
    ///
    /// When the ruleset or the configuration has mistakes that always were some.
    pub fn compile_kept(
        &self,
        edition: &Edition,
        configuration: &Configuration,
    ) -> Result<Arc<Ruleset>, Rejected> {
        let options = CompileOptions {
            tolerated: self.added.unwrap_or(ADDED),
            ..self.options
        };
        let tolerant = || Ruleset::compile_with(&edition.texts, &[], configuration, options);
        self.compile(edition, configuration)
            .or_else(|rejected| match options.tolerated {
                [] => Err(rejected),
                _ => tolerant(),
            })
    }

    /// As [`compile_kept`](Self::compile_kept), whatever it takes: for texts of which a sandbox has found that it can be
    /// afforded.
    ///
    /// # Errors
    ///
    /// As [`compile_kept`](Self::compile_kept).
    pub fn compile_unbounded(
        &self,
        edition: &Edition,
        configuration: &Configuration,
    ) -> Result<Arc<Ruleset>, Rejected> {
        let options = CompileOptions {
            tolerated: self.added.unwrap_or(ADDED),
            work: u64::MAX,
            ..self.options
        };
        Ruleset::compile_with(&edition.texts, &[], configuration, options)
    }

    /// What texts with this digest were compiled to in a configuration, if that is remembered.
    pub fn compiled(&self, texts: &Hash, configuration: &Configuration) -> Option<Arc<Ruleset>> {
        self.cache().get(&(*texts, key(configuration))).cloned()
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Compiled> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Resource name of a ruleset.
pub fn ruleset_name(id: &str) -> String {
    format!("rulesets/{id}")
}

/// Resource name of an edition of a ruleset.
pub fn revision_name(id: &str, digest: &[u8]) -> String {
    format!("rulesets/{id}/revisions/{}", hex(digest))
}
