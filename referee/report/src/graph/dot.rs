//! Graphviz.

use std::fmt::Write as _;

use super::drawing::{Box, Drawing, Meaning, Shape};

pub(super) fn dot(drawing: &Drawing) -> String {
    let mut text = String::new();
    let mut line = |depth: usize, said: &str| {
        let _ = writeln!(text, "{}{said}", "  ".repeat(depth));
    };
    line(0, "digraph ruleset {");
    line(
        1,
        &format!(
            "label={}; labelloc=t; fontname=\"Helvetica\"; compound=true;",
            quoted(&drawing.title)
        ),
    );
    line(
        1,
        "node [fontname=\"Helvetica\", fontsize=11, style=filled, fillcolor=white];",
    );
    line(1, "edge [fontname=\"Helvetica\", fontsize=9];");
    let framed = drawing.phases.len() > 1;
    for (number, phase) in drawing.phases.iter().enumerate() {
        let depth = if framed { 2 } else { 1 };
        let outer = |one: &Box| framed && one.shape == Shape::Elsewhere;
        if framed && !drawing.boxes.iter().all(outer) {
            line(
                1,
                &format!("subgraph {} {{", quoted(&format!("cluster_{}", phase.name))),
            );
            line(2, &format!("label={}; color=gray70;", quoted(&phase.title)));
        }
        for (i, one) in drawing.boxes.iter().enumerate() {
            if one.phase == number && !outer(one) {
                line(depth, &node(i, one));
            }
        }
        if framed && !drawing.boxes.iter().all(outer) {
            line(1, "}");
        }
        for (i, one) in drawing.boxes.iter().enumerate() {
            if one.phase == number && outer(one) {
                line(1, &node(i, one));
            }
        }
    }
    for arrow in &drawing.arrows {
        let mut says = Vec::new();
        if let Some(label) = &arrow.label {
            says.push(format!("label={}", quoted(label)));
        }
        if arrow.meaning == Meaning::Visits {
            says.push("style=dashed".to_owned());
        }
        let says = match says.is_empty() {
            true => String::new(),
            false => format!(" [{}]", says.join(", ")),
        };
        line(1, &format!("n{} -> n{}{says};", arrow.from, arrow.to));
    }
    line(0, "}");
    text
}

fn node(number: usize, one: &Box) -> String {
    let (shape, colour) = match one.shape {
        Shape::Begin => ("oval", "#d9ead3"),
        Shape::End => ("oval", "#eeeeee"),
        Shape::Control => ("diamond", "#ffffff"),
        Shape::Jump => ("cds", "#f4cccc"),
        Shape::Effect => ("box", "#ffffff"),
        Shape::Visit | Shape::Elsewhere => ("component", "#d9d2e9"),
        Shape::Ask => ("box", "#fff2cc"),
    };
    let mut said = vec![one.title.as_str()];
    said.extend(one.lines.iter().map(String::as_str));
    let clause = one
        .clause
        .as_ref()
        .map(|clause| format!(", tooltip={}", quoted(&format!("@{clause}"))));
    format!(
        "n{number} [shape={shape}, fillcolor=\"{colour}\", label={}{}];",
        quoted(&said.join("\n")),
        clause.unwrap_or_default()
    )
}

/// Writes a text as a string of Graphviz.
pub fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n"))
}
