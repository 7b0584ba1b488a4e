//! The shape of the tree and its places; what beginners do wrong is in the corpus of diagnostics.

use interpreter::diagnostic::{Diagnostics, Style};
use interpreter::source::Sources;
use interpreter::syntax::document::{Node, NodeKind, parse};

/// The tree of a text, each value with the characters that its span covers.
fn tree(text: &str) -> String {
    let mut sources = Sources::default();
    let file = sources.add("test.yaml", text);
    let mut diagnostics = Diagnostics::default();
    let root = parse(&sources, file, &mut diagnostics);
    let mut out = String::new();
    if let Some(root) = root {
        show(&root, &sources, 0, &mut out);
    }
    out.push_str(&diagnostics.render(&sources, Style::Plain));
    out
}

fn show(node: &Node, sources: &Sources, depth: usize, out: &mut String) {
    use std::fmt::Write;
    let covered = sources.text(node.span);
    let pad = "  ".repeat(depth);
    match &node.kind {
        NodeKind::Map(pairs) => {
            let _ = writeln!(out, "map {covered:?}");
            for pair in pairs {
                let _ = write!(
                    out,
                    "{pad}  {} {:?} -> ",
                    pair.key.node,
                    sources.text(pair.key.span)
                );
                show(&pair.value, sources, depth + 1, out);
            }
        }
        NodeKind::List(items) => {
            let _ = writeln!(out, "list {covered:?}");
            for item in items {
                let _ = write!(out, "{pad}  - ");
                show(item, sources, depth + 1, out);
            }
        }
        NodeKind::Scalar(scalar) => {
            let quoted = if scalar.quoted { "quoted " } else { "" };
            let _ = writeln!(out, "{quoted}{:?} {covered:?}", scalar.text);
        }
        NodeKind::Nothing => {
            let _ = writeln!(out, "nothing at {}", node.span.start);
        }
        NodeKind::Broken => {
            let _ = writeln!(out, "broken {covered:?}");
        }
    }
}

#[test]
fn every_value_knows_its_place() {
    insta::assert_snapshot!(tree(
        "# a comment\n\
         a: 1   # behind\n\
         ż: {x: [1, 'two'], \"y\": -3}\n\
         empty:\n\
         list:\n  - one\n  - k: v\n    w: \"a\\tb\"\n\n  # before the end\n\
         long: |\n  first\n  second\n\n\
         folded: >-\n  one\n  two\n\
         plain: several\n  words here\n\
         none: []\n\
         last: {}\n"
    ));
}

#[test]
fn bears_windows_lines_and_a_byte_order_mark() {
    insta::assert_snapshot!(tree("\u{feff}a: 1\r\nb:\r\n  - x\r\n  - y z\r\n"));
}

#[test]
fn reports_and_goes_on() {
    insta::assert_snapshot!(tree(
        "a: &x 1\nb: *x\nc: !!int 3\na: 2\n<<: *x\n[1, 2]: 3\n? {k: v}\n: 4\nd: *gone\n"
    ));
}

#[test]
fn never_panics() {
    for text in [
        "",
        "\n",
        "\u{feff}",
        "a: [",
        "a: {b",
        "'",
        "\"",
        "- - - -",
        "a:\n\tb: 1",
        "%YAML 1.1\n---\na: 1",
        "ą: \"\\q\"",
        "---\n---\n",
        "? ",
        "&",
        "*",
        "!",
        "|",
        ">",
        "@a",
        "`a`",
        "a: b: c",
        "\u{0}",
        "a: |1\n b",
        "{",
        "}",
        "]",
        ",",
        "a: 'ż",
        "k: [ą",
    ] {
        let _ = tree(text);
    }
    let _ = tree(&"[".repeat(10_000));
    let _ = tree(&"- ".repeat(10_000));
    let _ = tree(&"{a: ".repeat(10_000));
}
