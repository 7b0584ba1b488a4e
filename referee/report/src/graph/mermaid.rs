//! Mermaid.

use std::fmt::Write as _;

use super::drawing::{Box, Drawing, Meaning, Shape};

pub(super) fn mermaid(drawing: &Drawing) -> String {
    let mut text = String::from("---\n");
    let _ = writeln!(
        text,
        "title: {}",
        serde_json::Value::from(drawing.title.as_str())
    );
    text.push_str("---\nflowchart TD\n");
    let framed = drawing.phases.len() > 1
        && drawing
            .boxes
            .iter()
            .any(|one| one.shape != Shape::Elsewhere);
    for (number, phase) in drawing.phases.iter().enumerate() {
        if framed {
            let _ = writeln!(text, "  subgraph p{number}[\"{}\"]", escaped(&phase.title));
        }
        for (i, one) in drawing.boxes.iter().enumerate() {
            if one.phase == number {
                let depth = if framed { "    " } else { "  " };
                let _ = writeln!(text, "{depth}{}", node(i, one));
            }
        }
        if framed {
            text.push_str("  end\n");
        }
    }
    for arrow in &drawing.arrows {
        let line = match arrow.meaning {
            Meaning::Next => "-->",
            Meaning::Visits => "-.->",
        };
        let label = arrow
            .label
            .as_ref()
            .map(|label| format!("|\"{}\"|", escaped(label)));
        let _ = writeln!(
            text,
            "  n{} {line}{} n{}",
            arrow.from,
            label.unwrap_or_default(),
            arrow.to
        );
    }
    for (shape, class, colour) in [
        (Shape::Begin, "begin", "#d9ead3"),
        (Shape::Ask, "ask", "#fff2cc"),
        (Shape::Visit, "visit", "#d9d2e9"),
        (Shape::Elsewhere, "visit", "#d9d2e9"),
        (Shape::Jump, "jump", "#f4cccc"),
    ] {
        let members: Vec<String> = drawing
            .boxes
            .iter()
            .enumerate()
            .filter(|(_, one)| one.shape == shape)
            .map(|(i, _)| format!("n{i}"))
            .collect();
        if !members.is_empty() {
            let _ = writeln!(
                text,
                "  classDef {class} fill:{colour},stroke:#666,color:#000"
            );
            let _ = writeln!(text, "  class {} {class}", members.join(","));
        }
    }
    text
}

fn node(number: usize, one: &Box) -> String {
    let (open, close) = match one.shape {
        Shape::Begin | Shape::End => ("([", "])"),
        Shape::Control => ("{{", "}}"),
        Shape::Jump => (">", "]"),
        Shape::Effect | Shape::Ask => ("[", "]"),
        Shape::Visit | Shape::Elsewhere => ("[[", "]]"),
    };
    let mut said = vec![escaped(&one.title)];
    said.extend(one.lines.iter().map(|line| escaped(line)));
    format!("n{number}{open}\"{}\"{close}", said.join("<br/>"))
}

/// Escapes a text for Mermaid: characters with a meaning are written by their numbers.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '#' | '<' | '>' | '&' | '`' | ';' => {
                let _ = write!(out, "#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}
