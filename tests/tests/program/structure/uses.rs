//! Which file uses which, of one crate: paths in code as much as in `use`, each led to the file that defines what it
//! names. What is compiled for tests alone is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Attribute, Item, UseTree, Visibility};

/// A path from the crate's root.
type Full = Vec<String>;

/// The files of a crate and what each of them uses.
pub struct Uses {
    modules: BTreeMap<Full, Module>,
}

#[derive(Default)]
struct Module {
    file: PathBuf,
    /// What it has in its scope by `use`, and from where.
    names: BTreeMap<String, Full>,
    /// Modules whose every name it has in its scope.
    globs: Vec<Full>,
    /// Names that are only handed on; using them is said by naming them.
    handed_on: BTreeSet<String>,
    /// What it says it uses, and the paths in its code.
    paths: Vec<Full>,
}

impl Uses {
    /// Of the crate whose `lib.rs` or `main.rs` this is. Each crate is read once for all tests.
    ///
    /// # Panics
    ///
    /// When a file is no Rust, or a module has no file.
    pub fn of(root: &Path) -> Arc<Uses> {
        static READ: Mutex<BTreeMap<PathBuf, Arc<Uses>>> = Mutex::new(BTreeMap::new());
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let known = read.entry(root.to_owned()).or_insert_with(|| {
            let mut uses = Uses {
                modules: BTreeMap::new(),
            };
            uses.read(root, Vec::new());
            Arc::new(uses)
        });
        known.clone()
    }

    /// From each file to those that it uses.
    pub fn by_file(&self) -> BTreeMap<&Path, BTreeSet<&Path>> {
        let mut all: BTreeMap<&Path, BTreeSet<&Path>> = BTreeMap::new();
        for module in self.modules.values() {
            let used = module.paths.iter();
            let used = used.filter_map(|path| self.defining(path, 0));
            let used = used.filter(|file| *file != module.file);
            all.entry(&module.file).or_default().extend(used);
        }
        all
    }

    fn read(&mut self, file: &Path, at: Full) {
        let text = std::fs::read_to_string(file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed =
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        // Modules of `a.rs` lie in `a`, those of `mod.rs`, `lib.rs` and `main.rs` beside it.
        let stem = file.file_stem().unwrap_or_default();
        let beside = file.parent().unwrap_or(file);
        let folder = match stem.to_str() {
            Some("mod" | "lib" | "main") => beside.to_owned(),
            _ => beside.join(stem),
        };
        self.module(file, &folder, &at, parsed.items);
    }

    fn module(&mut self, file: &Path, folder: &Path, at: &Full, items: Vec<Item>) {
        let mut module = Module {
            file: file.to_owned(),
            ..Module::default()
        };
        let mut items = items;
        items.retain(|item| !is_of_tests(item));
        let names = items.iter().filter_map(|item| match item {
            Item::Mod(inner) => Some(inner.ident.to_string()),
            _ => None,
        });
        let scope = Scope {
            at,
            children: names.collect(),
        };
        let mut code = TokenStream::new();
        let mut children = Vec::new();
        for item in items {
            match item {
                Item::Use(item) => {
                    let hands_on = !matches!(item.vis, Visibility::Inherited)
                        && ["mod.rs", "lib.rs"].iter().any(|name| file.ends_with(name));
                    scope.imports(&mut module, &item.tree, Vec::new(), hands_on);
                }
                Item::Mod(inner) => children.push(inner),
                other => other.to_tokens(&mut code),
            }
        }
        paths(code, &mut |words, called| {
            if let Some(path) = scope.absolute(&module, words, called) {
                module.paths.push(path);
            }
        });
        self.modules.insert(at.clone(), module);
        for child in children {
            let name = child.ident.to_string();
            let inner: Full = at.iter().cloned().chain([name.clone()]).collect();
            match child.content {
                Some((_, items)) => self.module(file, &folder.join(&name), &inner, items),
                None => {
                    let own = folder.join(format!("{name}.rs"));
                    let own = match own.exists() {
                        true => own,
                        false => folder.join(&name).join("mod.rs"),
                    };
                    self.read(&own, inner);
                }
            }
        }
    }

    /// The file that defines what a path names; none if it is of another crate.
    fn defining(&self, path: &[String], depth: usize) -> Option<&Path> {
        let mut here = Vec::new();
        for (n, word) in path.iter().enumerate() {
            let module = self.modules.get(&here)?;
            let inner: Full = here.iter().chain([word]).cloned().collect();
            if self.modules.contains_key(&inner) {
                here = inner;
                continue;
            }
            // Re-exports may lead in circles.
            if depth < 16 {
                let rest = &path[n + 1..];
                if let Some(from) = module.names.get(word) {
                    let further: Full = from.iter().chain(rest).cloned().collect();
                    return self.defining(&further, depth + 1);
                }
                for glob in &module.globs {
                    let Some(other) = self.modules.get(glob) else {
                        continue;
                    };
                    let nested: Full = glob.iter().chain([word]).cloned().collect();
                    if other.names.contains_key(word) || self.modules.contains_key(&nested) {
                        let further: Full = nested.iter().chain(rest).cloned().collect();
                        return self.defining(&further, depth + 1);
                    }
                }
            }
            return Some(&module.file);
        }
        self.modules.get(&here).map(|module| &*module.file)
    }
}

/// Where a path stands.
struct Scope<'a> {
    at: &'a Full,
    children: BTreeSet<String>,
}

impl Scope<'_> {
    fn imports(&self, module: &mut Module, tree: &UseTree, mut before: Full, hands_on: bool) {
        let (name, path) = match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                return self.imports(module, &path.tree, before, hands_on);
            }
            UseTree::Group(group) => {
                for one in &group.items {
                    self.imports(module, one, before.clone(), hands_on);
                }
                return;
            }
            UseTree::Glob(_) => {
                if let Some(path) = self.rooted(&before) {
                    module.globs.push(path.clone());
                    if !hands_on {
                        module.paths.push(path);
                    }
                }
                return;
            }
            UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
            UseTree::Rename(name) => (name.rename.to_string(), name.ident.to_string()),
        };
        // `use a::{self}` names the module.
        let name = match &path[..] {
            "self" => before.last().cloned().unwrap_or(name),
            _ => {
                before.push(path);
                name
            }
        };
        let Some(found) = self.rooted(&before) else {
            return;
        };
        if hands_on {
            module.handed_on.insert(name.clone());
        } else {
            module.paths.push(found.clone());
        }
        module.names.insert(name, found);
    }

    /// A path from the root; none if it leads out of the crate, or begins with what `use` has brought.
    fn rooted(&self, path: &[String]) -> Option<Full> {
        let first = path.first()?;
        let mut full = match &first[..] {
            "crate" => Vec::new(),
            "self" => self.at.clone(),
            "super" => self.at[..self.at.len().checked_sub(1)?].to_vec(),
            _ if self.children.contains(first) => self.at.iter().chain([first]).cloned().collect(),
            _ => return None,
        };
        for word in &path[1..] {
            match &word[..] {
                "super" => drop(full.pop()?),
                _ => full.push(word.clone()),
            }
        }
        Some(full)
    }

    /// A path as it stands in the code of a module, from the root; none if it leads out of the crate, or if `use` has said
    /// it already.
    fn absolute(&self, module: &Module, words: &[String], called: bool) -> Option<Full> {
        if let Some(full) = self.rooted(words) {
            return (words.len() > 1).then_some(full);
        }
        let (first, rest) = words.split_first()?;
        let from = module.names.get(first)?;
        let is_type = first.starts_with(char::is_uppercase);
        let says_more = !rest.is_empty() || module.handed_on.contains(first) && (is_type || called);
        says_more.then(|| from.iter().chain(rest).cloned().collect())
    }
}

/// Calls for each path in some code, also within macros, with whether it is called.
fn paths(code: TokenStream, found: &mut dyn FnMut(&[String], bool)) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let is = |at: usize, mark: char| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == mark);
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => paths(group.stream(), found),
            // `pub(in some::module)` says who may see something, not what it uses.
            TokenTree::Ident(word) if word == "in" && at == 0 => return,
            TokenTree::Ident(first) if !(at > 0 && is(at - 1, '.')) => {
                let mut words = vec![first.to_string()];
                while is(at + 1, ':') && is(at + 2, ':') {
                    match tokens.get(at + 3) {
                        Some(TokenTree::Ident(word)) => words.push(word.to_string()),
                        // `use crate::{a, b}` within a function.
                        Some(TokenTree::Group(group)) => {
                            let mut within = |inner: &[String], called: bool| {
                                found(&[&words[..], inner].concat(), called);
                            };
                            paths(group.stream(), &mut within);
                            break;
                        }
                        _ => break,
                    }
                    at += 3;
                }
                let called =
                    is(at + 1, '!') || matches!(tokens.get(at + 1), Some(TokenTree::Group(_)));
                found(&words, called);
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether something is compiled for tests alone.
fn is_of_tests(item: &Item) -> bool {
    let attributes: &[Attribute] = match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    };
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.to_token_stream().to_string().replace(' ', "") == "#[cfg(test)]"
    })
}
