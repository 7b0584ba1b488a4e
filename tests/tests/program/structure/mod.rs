//! No file uses another one that uses it in turn, however far around: whoever reads a file has to know only those that it
//! stands on. And no folder uses one that comes later.

mod architecture;
mod order;
mod uses;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use uses::Uses;

/// Circles of the files of a crate, each in the order of their names, named from a folder on.
fn circles(root: &Path, from: &Path) -> BTreeSet<Vec<String>> {
    let uses = Uses::of(root);
    let by_file = uses.by_file();
    let edges = by_file.iter();
    let edges = edges.flat_map(|(file, used)| used.iter().map(|other| (*file, *other)));
    let graph: DiGraphMap<&Path, ()> = DiGraphMap::from_edges(edges);
    let circles = tarjan_scc(&graph).into_iter();
    let circles = circles.filter(|circle| circle.len() > 1);
    circles
        .map(|circle| {
            let name = |file: &Path| {
                let name = file.strip_prefix(from).unwrap_or(file);
                name.display().to_string()
            };
            let mut names: Vec<String> = circle.into_iter().map(name).collect();
            names.sort();
            names
        })
        .collect()
}

/// Crates of the workspace, by their roots.
fn roots(workspace: &Path) -> Vec<PathBuf> {
    let crates = [
        "interpreter",
        "interpreter/core",
        "interpreter/play",
        "interpreter/syntax",
        "referee",
        "referee/contract",
        "referee/library",
        "referee/report",
        "referee/sandbox",
        "referee/server",
        "referee/store",
        "referee/table",
        "tests",
        "tests/fuzz",
        "tests/oracle",
        "tests/simulation",
    ];
    let sources = crates.map(|name| workspace.join(name).join("src"));
    let roots = sources
        .iter()
        .flat_map(|source| ["lib.rs", "main.rs"].map(|root| source.join(root)));
    roots.filter(|root| root.exists()).collect()
}

#[test]
fn no_file_stands_on_one_that_stands_on_it() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let workspace = workspace.canonicalize().expect("the workspace");
    let found: BTreeSet<Vec<String>> = roots(&workspace)
        .iter()
        .flat_map(|root| circles(root, &workspace))
        .collect();
    let told: Vec<String> = found
        .iter()
        .map(|circle| format!("{} files:\n  {}", circle.len(), circle.join("\n  ")))
        .collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

/// Paths in backticks and in links of a page: what begins with a folder of the workspace, or names a page.
fn paths_in(page: &str) -> Vec<&str> {
    let ticked = page.split('`').skip(1).step_by(2);
    let linked = page.split("](").skip(1);
    let linked = linked.filter_map(|rest| rest.split_once(')').map(|(path, _)| path));
    ticked
        .chain(linked)
        .filter(|path| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
            path.contains('/') && path.chars().all(plain)
        })
        .collect()
}

#[test]
fn pages_for_contributors_name_what_is_there() {
    for page in [
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
    ] {
        let text = std::fs::read_to_string(referee_tests::root().join(page)).expect("the page");
        let paths = paths_in(&text);
        assert!(!paths.is_empty(), "{page}");
        for path in paths {
            assert!(
                referee_tests::root().join(path).exists(),
                "{page}: `{path}`"
            );
        }
    }
}

/// Seconds as the documents state them.
fn as_minutes(seconds: u32) -> String {
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, 0) => format!("{minutes} minutes"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

#[test]
fn documents_state_the_limits_that_the_gate_holds() {
    let read = |page: &str| std::fs::read_to_string(referee_tests::root().join(page));
    let limits = read(".ci/limits").expect("the limits");
    let limit = |name: &str| -> String {
        let value = limits
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        as_minutes(value.expect(name).parse().expect("seconds"))
    };
    let tests = format!(
        "builds in {} from nothing and runs in {} at most",
        limit("tests_build"),
        limit("tests_run")
    );
    let in_tables = tests.replace(" and ", ", ").replace(" at most", "");
    for (page, stated) in [
        (
            "README.md",
            format!("takes at most {} from a fresh clone", limit("demo")),
        ),
        ("README.md", tests),
        (
            "README.md",
            format!("takes at most {} to build", limit("release_build")),
        ),
        ("CONTRIBUTING.md", in_tables.clone()),
        (
            "CONTRIBUTING.md",
            format!("takes {} at most", limit("gate")),
        ),
        ("tests/README.md", in_tables),
        (
            "tests/README.md",
            format!("each test takes {} at most", limit("test_failure")),
        ),
        (
            "tests/README.md",
            format!("takes {} at most", limit("gate")),
        ),
        (
            ".ci/run",
            format!(
                "takes {} at most on two processors, {}",
                limit("gate"),
                limit("gate_changed_page").trim_end_matches(" minutes")
            ),
        ),
    ] {
        let text = read(page).expect(page);
        let text = text.replace("\n# ", " ").replace('\n', " ");
        assert!(text.contains(&stated), "{page}: `{stated}` is not stated");
    }
}

/// Writes a crate of these files.
fn planted_crate(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("a file");
    }
    folder
}

/// The circles of a crate of these files.
fn planted(files: &[(&str, &str)]) -> BTreeSet<Vec<String>> {
    let folder = planted_crate(files);
    circles(&folder.path().join("lib.rs"), folder.path())
}

#[test]
fn planted_circles_are_found_and_nothing_else() {
    let both =
        |a: &str, b: &str| planted(&[("lib.rs", "mod a;\nmod b;\n"), ("a.rs", a), ("b.rs", b)]);
    let circle = BTreeSet::from([vec!["a.rs".to_owned(), "b.rs".to_owned()]]);
    let none = BTreeSet::new();
    let uses_b = "use crate::b::B;\npub struct A;\nfn f() -> B { B }\n";
    for (what, b, expected) in [
        ("one way", "pub struct B;\n", &none),
        (
            "use",
            "use super::a::A;\npub struct B;\nfn f(_: A) {}\n",
            &circle,
        ),
        (
            "a path",
            "pub struct B;\nfn f(_: crate::a::A) {}\n",
            &circle,
        ),
        (
            "within a macro",
            "pub struct B;\nfn f() { println!(\"{:?}\", crate::a::A); }\n",
            &circle,
        ),
        (
            "within a body",
            "pub struct B;\nfn f() { use crate::a::A; let _ = A; }\n",
            &circle,
        ),
        ("a comment", "pub struct B; // crate::a::A\n", &none),
        (
            "who may see it",
            "pub struct B;\npub(in crate::a) fn f() {}\n",
            &none,
        ),
        (
            "a word",
            "pub struct B;\nfn f() -> &'static str { \"crate::a::A\" }\n",
            &none,
        ),
        (
            "tests",
            "pub struct B;\n#[cfg(test)]\nmod tests { use crate::a::A; }\n",
            &none,
        ),
    ] {
        assert_eq!(&both(uses_b, b), expected, "{what}");
    }
    // A name that is handed on leads to the file that defines it, and to none on its way.
    let handed_on = [
        ("lib.rs", "mod a;\nmod b;\npub use a::A;\npub use b::*;\n"),
        ("a.rs", "use crate::B;\npub struct A(B);\n"),
        ("b/mod.rs", "mod inner;\npub use inner::B;\n"),
        ("b/inner.rs", "pub struct B;\nfn f(_: crate::A) {}\n"),
    ];
    let circle = BTreeSet::from([vec!["a.rs".to_owned(), "b/inner.rs".to_owned()]]);
    assert_eq!(planted(&handed_on), circle);
    // A folder that hands its parts on uses them where it names them.
    let parent = |own: &str| {
        planted(&[
            ("lib.rs", "mod a;\n"),
            (
                "a/mod.rs",
                &format!("mod part;\npub use part::Part;\npub struct Whole;\n{own}"),
            ),
            ("a/part.rs", "use super::Whole;\npub struct Part(Whole);\n"),
        ])
    };
    assert_eq!(parent(""), none);
    let circle = BTreeSet::from([vec!["a/mod.rs".to_owned(), "a/part.rs".to_owned()]]);
    assert_eq!(parent("fn f(_: Part) {}\n"), circle);
    assert_eq!(parent("fn f(_: part::Part) {}\n"), circle);
}
