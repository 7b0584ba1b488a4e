//! From texts to a ruleset that can be played: all stages, one after the other.
//!
//! In: the texts of a package, of modules laid over it, and a configuration. Out: a [`Ruleset`], or what is wrong.

mod relayout;
mod requirements;

use std::sync::Arc;

use crate::budget::{self, Budget, Ended};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Rejected};
use crate::lower::{self, graph};
use crate::numbers::Fit as _;
use crate::package;
use crate::play::{CompileOptions, CompileWork, Digest, Ruleset, SEMANTIC_VERSION};
use crate::program::graph::PhaseGraph;
use crate::program::package::{Configuration, Package};
use crate::source::{PackageTexts, Sources};
use crate::syntax::Trees;
use crate::types;

/// Compilation of texts to a [`Ruleset`].
pub trait CompileRuleset: Sized {
    /// Loads, composes, checks and compiles a ruleset. `house_rules` are further module folders, laid over after the
    /// configuration's own modules.
    ///
    /// # Errors
    ///
    /// When the texts have mistakes: all of them, with their places.
    fn compile(
        base: &PackageTexts,
        house_rules: &[(String, PackageTexts)],
        configuration: &Configuration,
    ) -> Result<Arc<Self>, Rejected> {
        Self::compile_with(base, house_rules, configuration, CompileOptions::default())
    }

    /// Compiles like [`compile`](Self::compile), with options.
    ///
    /// # Errors
    ///
    /// As [`compile`](Self::compile).
    fn compile_with(
        base: &PackageTexts,
        house_rules: &[(String, PackageTexts)],
        configuration: &Configuration,
        options: CompileOptions,
    ) -> Result<Arc<Self>, Rejected> {
        Self::compile_again(base, house_rules, configuration, options, &Trees::default())
    }

    /// Compiles like [`compile_with`](Self::compile_with), without parsing texts again whose trees are known: for many
    /// rulesets that differ little.
    ///
    /// # Errors
    ///
    /// As [`compile`](Self::compile).
    fn compile_again(
        base: &PackageTexts,
        house_rules: &[(String, PackageTexts)],
        configuration: &Configuration,
        options: CompileOptions,
        trees: &Trees,
    ) -> Result<Arc<Self>, Rejected>;

    /// Returns the same ruleset with another phase graph: for tools that ask what an edge is worth.
    fn with_graph(&self, graph: PhaseGraph) -> Self;

    /// Returns the same ruleset with the cells of its state and the nodes of its phase graph in an order drawn from a
    /// number: for tests of what must not depend on it.
    fn laid_out_otherwise(&self, number: u64) -> Arc<Self>;
}

impl CompileRuleset for Ruleset {
    fn compile_again(
        base: &PackageTexts,
        house_rules: &[(String, PackageTexts)],
        configuration: &Configuration,
        options: CompileOptions,
        trees: &Trees,
    ) -> Result<Arc<Ruleset>, Rejected> {
        let mut sources = Arc::default();
        let mut diagnostics = Diagnostics::tolerating(options.tolerated);
        let (made, _) = budget::within(&Budget::of(options.work), || {
            let texts = (base, house_rules, trees);
            made(
                texts,
                configuration,
                options,
                &mut sources,
                &mut diagnostics,
            )
        });
        let made = made.unwrap_or_else(|ended| {
            diagnostics.push(too_much_work(ended, options.work));
            None
        });
        let found = diagnostics.settled(&sources);
        match made {
            Some(ruleset) if !found.has_errors() => Ok(Arc::new(ruleset.with_warnings(found))),
            _ => Err(Rejected {
                diagnostics: found,
                sources: Arc::unwrap_or_clone(sources),
            }),
        }
    }

    fn with_graph(&self, graph: PhaseGraph) -> Ruleset {
        self.with_program(lower::program(
            self.model().clone(),
            graph,
            self.options().traced,
        ))
    }

    fn laid_out_otherwise(&self, number: u64) -> Arc<Ruleset> {
        let layout = relayout::layout(self.model(), number);
        let mut diagnostics = Diagnostics::default();
        let model = types::check_laid_out(
            self.package(),
            self.configuration(),
            Some(&layout),
            &mut diagnostics,
        );
        let model = model.expect("it was checked before");
        let graph = relayout::renumbered(&graph::build(&model), number);
        Arc::new(self.with_program(lower::program(model, graph, self.options().traced)))
    }
}

/// A ruleset, unless there are mistakes; the reasons are in `diagnostics`.
fn made(
    (base, house_rules, trees): (&PackageTexts, &[(String, PackageTexts)], &Trees),
    configuration: &Configuration,
    options: CompileOptions,
    sources: &mut Arc<Sources>,
    diagnostics: &mut Diagnostics,
) -> Option<Ruleset> {
    let mut work = CompileWork::default();
    let texts = Arc::make_mut(sources);
    let load = || package::load_again(texts, trees, base, house_rules, configuration, diagnostics);
    let package;
    (package, work.load) = budget::counted(load);
    let package = package?;
    let model;
    // A package that loads with mistakes is still checked, so that the author sees all of them.
    (model, work.check) = budget::counted(|| types::check(&package, configuration, diagnostics));
    let model = model?;
    let graph;
    (graph, work.graph) = budget::counted(|| {
        let graph = graph::build(&model);
        graph::analyse(&graph, &model, diagnostics);
        graph
    });
    if diagnostics.has_errors() {
        return None;
    }
    let digest = digest(&package, sources, base, house_rules, configuration);
    let ruleset;
    (ruleset, work.link) = budget::counted(|| {
        let ruleset = Ruleset::of(
            lower::program(model, graph, options.traced),
            package,
            sources.clone(),
            configuration.clone(),
            digest,
            options,
        );
        diagnostics.list.extend(requirements::unmet(&ruleset));
        ruleset
    });
    Some(ruleset.with_work(work))
}

/// Content, configuration and semantic version, hashed in a stated order. Scenarios, layouts, reviews and
/// prints are no part of it: nothing in play hangs on them.
fn digest(
    package: &Package,
    sources: &Sources,
    base: &PackageTexts,
    house_rules: &[(String, PackageTexts)],
    configuration: &Configuration,
) -> Digest {
    let mut hasher = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hasher.update(&bytes.len().fit::<u64>().to_le_bytes());
        hasher.update(bytes);
    };
    part(b"referee/ruleset/v1");
    part(&SEMANTIC_VERSION.to_le_bytes());
    part(&[configuration.players]);
    for module in &configuration.modules {
        part(module.as_bytes());
    }
    for (option, value) in &configuration.options {
        part(option.as_bytes());
        part(&value.to_le_bytes());
    }
    let mut files: Vec<_> = sources
        .iter()
        .filter(|(id, _)| !package.scenarios.contains(id) && !package.layouts.contains(id))
        .filter(|(id, _)| package.reviews.iter().all(|review| review.file != *id))
        .filter(|(id, _)| package.prints.iter().all(|(_, print)| print.file != *id))
        .map(|(_, f)| (inside(&f.path, base, house_rules), &f.text))
        .collect();
    files.sort();
    for (path, text) in files {
        part(path.as_bytes());
        part(text.as_bytes());
    }
    Digest(*hasher.finalize().as_bytes())
}

/// A path as the package knows it, wherever its folder lies: a ruleset is the same in another place.
fn inside(path: &str, base: &PackageTexts, house_rules: &[(String, PackageTexts)]) -> String {
    let below = |folder: &str| {
        let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
        rest.strip_prefix('/').filter(|_| !folder.is_empty())
    };
    for (name, texts) in house_rules {
        if let Some(rest) = below(&texts.path) {
            return format!("{name}/{rest}");
        }
    }
    below(&base.path).unwrap_or(path).to_owned()
}

/// What is reported of a text that takes too much work.
fn too_much_work(ended: Ended, work: u64) -> Diagnostic {
    let message = format!("making this ruleset takes more than {work} units of work");
    let diagnostic = match ended {
        Ended::Spent(Some(at)) => Code::WorkLimitExceeded
            .error(at, message)
            .label("here it was given up"),
        Ended::Spent(None) | Ended::Stopped => {
            Diagnostic::without_place(Code::WorkLimitExceeded, message)
        }
    };
    diagnostic.help("use fewer or smaller tables, or queries that ask less of each other")
}
