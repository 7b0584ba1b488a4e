use interpreter::scenario::{Change, Difference, updated};
use interpreter::source::{FileId, Sources, Span};

fn written(text: &str) -> (Sources, FileId) {
    let mut sources = Sources::default();
    let file = sources.add("a.yaml", text);
    (sources, file)
}

/// Where a part of a text stands.
fn span(file: FileId, text: &str, part: &str) -> Span {
    let start = text.find(part).expect("it is written") as u32;
    let end = start + part.len() as u32;
    Span { file, start, end }
}

fn changed(text: &str, changes: &[(&str, Change)]) -> String {
    let (sources, file) = written(text);
    let span = |part: &str| span(file, text, part);
    let difference = |(part, change): &(&str, Change)| Difference {
        span: span(part),
        of: String::new(),
        expected: String::new(),
        found: String::new(),
        change: change.clone(),
        diagnostic: 0,
    };
    let differences: Vec<Difference> = changes.iter().map(difference).collect();
    updated(&sources, &differences)
        .remove(&file)
        .expect("it changes")
}

#[test]
fn only_values_that_differ_are_written() {
    let text = "then: # looked at\n  p1: {corn: 2,  sugar: 13} # so\n  asked: p1\n";
    let value = |text: &str| Change::Value(text.to_owned());
    assert_eq!(
        changed(text, &[("13", value("4")), ("2", value("10"))]),
        "then: # looked at\n  p1: {corn: 10,  sugar: 4} # so\n  asked: p1\n"
    );
}

#[test]
fn a_value_takes_the_place_of_lines() {
    let text = "p1:\n  stock:\n    corn: 2\n    sugar: 1\n  coins: 3\n";
    assert_eq!(
        changed(
            text,
            &[("corn: 2\n    sugar: 1", Change::Value("hidden".to_owned()))]
        ),
        "p1:\n  stock: hidden\n  coins: 3\n"
    );
}

#[test]
fn lists_keep_their_notation_and_the_items_that_hold() {
    let with = |text: &str, list: &str, kept: &str| {
        let (_, file) = written(text);
        let change = Change::Items {
            kept: vec![span(file, text, kept)],
            added: vec!["sell: {n: 1}".to_owned()],
        };
        let changed = changed(text, &[(list, change)]);
        // Everything around the list stays as it is.
        let (before, after) = text.split_once(list).expect("it is written");
        let items = changed.strip_prefix(before);
        let items = items.and_then(|rest| rest.strip_suffix(after));
        items.expect("the rest of the text").to_owned()
    };
    let flow = "[pass, {load: {g:  corn}}, wait]";
    assert_eq!(
        with(&format!("exactly: {flow}"), flow, "{load: {g:  corn}}"),
        "[{load: {g:  corn}}, sell: {n: 1}]"
    );
    let block = "- pass\n  - load: {g:  corn}\n  - wait";
    assert_eq!(
        with(&format!("exactly:\n  {block}\n"), block, "load: {g:  corn}"),
        "- load: {g:  corn}\n  - sell: {n: 1}"
    );
    assert_eq!(
        with(
            &format!("  exactly: [{}]", "pass, ".repeat(20)),
            &format!("[{}]", "pass, ".repeat(20)),
            "pass"
        ),
        "[pass, sell: {n: 1}]"
    );
}
