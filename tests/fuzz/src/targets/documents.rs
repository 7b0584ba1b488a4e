//! The YAML files of a package: manifests, tables, figures, clauses, names, modules.

use interpreter::diagnostic::Diagnostics;
use interpreter::package;
use interpreter::source::Sources;
use interpreter::syntax::document;
use referee_tests::random::Random;

use super::diagnosed::sound;
use crate::mutate::{bytes, case, once_in};
use crate::{Target, shelf};

/// Packages with changed YAML files.
pub const TARGET: Target = Target {
    name: "documents",
    about: "packages with changed YAML files: loaded twice the same, diagnostics point into the files",
    run,
    mutate,
    seeds,
    longest: 1 << 16,
};

fn mutate(input: &[u8], random: &mut Random) -> Vec<u8> {
    match once_in(50, random) {
        true => bytes::mutate(input, random),
        false => case::mutate(input, random, |path| {
            path.ends_with(".yaml") && !path.contains("scenarios/")
        }),
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let mut all = super::checker::seeds();
    all.extend(
        shelf::packages().map(|(folder, _)| format!("ruleset {folder}\nplayers 2\n").into_bytes()),
    );
    all
}

fn run(input: &[u8]) {
    let Some(case) = shelf::case_of(input) else {
        return;
    };
    for (path, text) in case
        .base
        .files
        .iter()
        .filter(|(path, _)| path.ends_with(".yaml"))
    {
        let unchanged = shelf::packages().any(|(_, package)| package.get(path) == Some(text));
        if unchanged {
            continue;
        }
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
        let file = sources.add(path, &**text);
        let _ = document::parse(&sources, file, &mut diagnostics);
        sound(&sources, &diagnostics);
    }
    let load = || {
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
        let package = package::load(
            &mut sources,
            &case.base,
            &case.house,
            &case.configuration,
            &mut diagnostics,
        );
        (sources, diagnostics, package)
    };
    let (sources, diagnostics, package) = load();
    sound(&sources, &diagnostics);
    let (_, again, anew) = load();
    assert_eq!(
        diagnostics.list, again.list,
        "loaded twice, diagnosed otherwise"
    );
    assert_eq!(package.is_some(), anew.is_some());
}
