//! The pictures of the page on the architecture are drawn from the tables that the other tests hold the code to.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::order::{Stage, core, crates, interpreter, play, server, table};

/// Stages, each with an arrow to those that it uses, but for those that one of these uses.
fn drawn(stages: &[Stage]) -> String {
    let used: BTreeMap<&str, &[&str]> = stages
        .iter()
        .map(|stage| (stage.names[0], &stage.uses[..]))
        .collect();
    let stands_on = |stage: &str, other: &str| {
        let (mut todo, mut known) = (used[stage].to_vec(), Vec::new());
        while let Some(next) = todo.pop() {
            if !known.contains(&next) {
                known.push(next);
                todo.extend(used[next]);
            }
        }
        known.contains(&other)
    };
    let mut drawn = "flowchart BT\n".to_owned();
    for Stage { names, uses } in stages {
        let id = |stage: &str| stage.trim_end_matches(".rs").replace(['/', '-'], "_");
        let _ = writeln!(drawn, "  {}[\"{}\"]", id(names[0]), names.join(", "));
        for other in uses {
            if !uses.iter().any(|between| stands_on(between, other)) {
                let _ = writeln!(drawn, "  {} --> {}", id(names[0]), id(other));
            }
        }
    }
    drawn
}

#[test]
fn the_page_shows_what_holds() {
    let page = referee_tests::root().join("ARCHITECTURE.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let drawn = page.split("```mermaid\n").skip(1);
    let drawn: Vec<&str> = drawn.filter_map(|rest| rest.split("```").next()).collect();
    let tables = [crates(), core(), play(), interpreter(), table(), server()];
    let held = tables.map(|stages| self::drawn(&stages));
    assert_eq!(drawn.len(), held.len());
    for (shown, holds) in drawn.iter().zip(held) {
        assert!(
            *shown == holds,
            "ARCHITECTURE.md shows otherwise what is\n\n{holds}"
        );
    }
}
