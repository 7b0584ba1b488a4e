//! What the tests of the whole system share: the shipped rulesets, read from their folders.

#![forbid(unsafe_code)]

pub mod asked;
pub mod attempts;
pub mod by_hand;
pub mod case;
pub mod cluster;
pub mod command;
pub mod functions;
pub mod games;
pub mod generated;
pub mod golden;
pub mod json;
pub mod mini;
pub mod random;
pub mod raw;
pub mod refusals;
pub mod sample;
pub mod schemas;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::Style;
use interpreter::package::{Configuration, PackageTexts};
use interpreter::play::CompileOptions;
use interpreter::syntax::Trees;
use referee::library::Library;

/// The top of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The texts of a folder, by path inside it.
pub fn texts(folder: &Path) -> PackageTexts {
    let mut texts = PackageTexts::default();
    read(folder, folder, &mut texts);
    texts.files.sort();
    texts
}

fn read(top: &Path, folder: &Path, texts: &mut PackageTexts) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() {
            read(top, &path, texts);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let inside = path
                .strip_prefix(top)
                .expect("a path below the top")
                .to_string_lossy()
                .replace('\\', "/");
            texts.files.push((inside, text));
        }
    }
}

/// A shipped ruleset's base game, or why it cannot be played.
///
/// # Panics
/// With every diagnostic, if it does not check.
pub fn ruleset(id: &str, players: u8) -> Arc<Ruleset> {
    compile(
        &root().join("rulesets").join(id),
        &Configuration::base(players),
    )
}

/// Returns the ruleset of a folder of the repository, compiled once for all tests of the process.
///
/// # Panics
/// With every diagnostic, if it does not check.
pub fn compile(folder: &Path, configuration: &Configuration) -> Arc<Ruleset> {
    type Compiled = BTreeMap<String, Arc<OnceLock<Arc<Ruleset>>>>;
    static COMPILED: Mutex<Compiled> = Mutex::new(BTreeMap::new());
    let key = format!("{} {configuration:?}", folder.display());
    let cell = {
        let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        compiled.entry(key).or_default().clone()
    };
    cell.get_or_init(|| compile_texts(folder, configuration))
        .clone()
}

/// Returns the rulesets that ship with the program. All tests of the process share what is compiled.
pub fn library() -> Library {
    static SHIPPED: LazyLock<Library> =
        LazyLock::new(|| Library::embedded().expect("the shipped rulesets"));
    SHIPPED.clone()
}

/// Returns the trees of a folder's texts. All tests of the process share what is parsed.
pub fn trees(folder: &Path) -> Trees {
    static TREES: Mutex<BTreeMap<PathBuf, Trees>> = Mutex::new(BTreeMap::new());
    let mut known = TREES.lock().unwrap_or_else(PoisonError::into_inner);
    let trees = known.entry(folder.to_owned());
    trees.or_insert_with(Trees::growing).clone()
}

fn compile_texts(folder: &Path, configuration: &Configuration) -> Arc<Ruleset> {
    let trees = trees(folder);
    let options = CompileOptions::default();
    match Ruleset::compile_again(&texts(folder), &[], configuration, options, &trees) {
        Ok(ruleset) => ruleset,
        Err(rejected) => {
            let shown = rejected.diagnostics.render(&rejected.sources, Style::Plain);
            panic!("{} does not check:\n{shown}", folder.display());
        }
    }
}
